//! Pages of numbers say which program wrote them, and regions that a program writes have both of their marks.

use super::Breach;
use super::tree::Tree;

/// Pages that are written by hand.
const BY_HAND: [&str; 8] = [
    "docs/conventions.md",
    "docs/import.md",
    "docs/lists.md",
    "docs/problems.md",
    "docs/references.md",
    "docs/results.md",
    "docs/scenes.md",
    "docs/studies.md",
];
/// What a page written by a program says in its first lines.
const WRITTEN: [&str; 2] = ["Written by `", "writes this page"];
/// First lines in which it says so.
const FIRST: usize = 8;

pub(super) fn check(tree: &Tree, breaches: &mut Vec<Breach>) {
    for (path, file) in tree.files().filter(|(path, _)| path.ends_with(".md")) {
        let lines: Vec<&str> = file.text.lines().collect();
        let first = lines.iter().take(FIRST).copied().collect::<Vec<_>>().join(" ");
        let says = WRITTEN.iter().any(|words| first.contains(words));
        if path.starts_with("docs/") && !says && !BY_HAND.contains(&path) {
            let wrong = "does not say which program wrote it, and is not listed as written by hand";
            breaches.push(Breach::new(path, 1, wrong));
        }
        let mut open: Option<(usize, &str)> = None;
        for (i, line) in lines.iter().enumerate() {
            let Some((name, what)) = mark(line) else { continue };
            match (what, open) {
                ("begin", None) => open = Some((i + 1, name)),
                ("end", Some((_, begun))) if begun == name => open = None,
                _ => breaches.push(Breach::new(path, i + 1, format!("`{name}: {what}` has no partner"))),
            }
        }
        breaches
            .extend(open.map(|(i, name)| Breach::new(path, i, format!("`{name}: begin` has no end"))));
    }
}

/// Name and kind of a mark `<!-- name: begin -->`.
fn mark(line: &str) -> Option<(&str, &str)> {
    let inner = line.trim().strip_prefix("<!-- ")?.strip_suffix(" -->")?;
    inner.rsplit_once(": ").filter(|(_, what)| ["begin", "end"].contains(what))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn breaches(path: &str, text: &str) -> Vec<usize> {
        let tree = Tree::of(&[(path, text)]);
        let mut breaches = Vec::new();
        check(&tree, &mut breaches);
        breaches.iter().map(|breach| breach.line).collect()
    }

    #[test]
    fn pages_say_who_wrote_them() {
        assert_eq!(breaches("docs/a.md", "# A\n\n| 1 |\n"), [1]);
        assert_eq!(breaches("docs/a.md", "# A\n\nWritten by `x`.\n"), [0; 0]);
        assert_eq!(breaches("docs/scenes.md", "# A\n"), [0; 0]);
        assert_eq!(breaches("README.md", "# A\n"), [0; 0]);
    }

    #[test]
    fn regions_have_both_marks() {
        assert_eq!(breaches("a.md", "<!-- x: begin -->\n1\n<!-- x: end -->\n"), [0; 0]);
        assert_eq!(breaches("a.md", "<!-- x: begin -->\n1\n"), [1]);
        assert_eq!(breaches("a.md", "1\n<!-- x: end -->\n"), [2]);
        assert_eq!(breaches("a.md", "<!-- x: begin -->\n<!-- y: end -->\n<!-- x: end -->\n"), [2]);
    }
}
