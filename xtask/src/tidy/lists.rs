//! Families chosen by name: each file with an `ENTRY` is in its list, and each name is documented.

use super::Breach;
use super::tree::{Tree, code};

/// Folders of families whose files define an `ENTRY`, listed in `mod.rs`.
const FAMILIES: [&str; 5] = [
    "crates/nonsmooth/src/integrators/",
    "crates/nonsmooth/src/laws/",
    "crates/nonsmooth/src/model/constraints/joints/",
    "crates/nonsmooth-scene/src/observers/",
    "crates/nonsmooth-solvers/src/solvers/",
];

/// Where a name may be documented.
const DOCUMENTS: [&str; 3] = ["docs/lists.md", "README.md", "ARCHITECTURE.md"];

pub(super) fn check(tree: &Tree, breaches: &mut Vec<Breach>) {
    let mut names = Vec::new();
    for family in FAMILIES {
        let list = tree.text(&format!("{family}mod.rs")).unwrap_or("");
        for (path, file) in tree.rust() {
            let Some(rest) = path.strip_prefix(family).filter(|rest| *rest != "mod.rs") else {
                continue;
            };
            let Some((line, name)) = entry(&file.text).filter(|_| !tree.is_test_file(path, file)) else {
                continue;
            };
            let module = rest.split('/').next().unwrap_or(rest).trim_end_matches(".rs");
            let listed = format!("{module}::ENTRY");
            if !list.lines().any(|line| code(line).contains(&listed)) {
                let wrong = format!("`{listed}` is not in the list in {family}mod.rs");
                breaches.push(Breach::new(path, line, wrong));
            }
            match name {
                Some(name) => names.push((path, line, name)),
                None => breaches.push(Breach::new(path, line, "ENTRY has no line `name: \"…\"`")),
            }
        }
    }
    for (path, line, name) in names {
        if !DOCUMENTS.iter().any(|document| tree.text(document).is_some_and(|text| mentions(text, name)))
        {
            let wrong = format!("`{name}` is documented in none of {}", DOCUMENTS.join(", "));
            breaches.push(Breach::new(path, line, wrong));
        }
    }
}

/// The line of a file's `ENTRY`, and the name in it.
fn entry(text: &str) -> Option<(usize, Option<&str>)> {
    let at = text.lines().position(|line| code(line).contains("const ENTRY: "))?;
    let body = text.lines().skip(at).take_while(|line| !line.starts_with('}'));
    let name =
        body.filter_map(|line| line.split_once("name: \"")).find_map(|(_, rest)| rest.split_once('"'));
    Some((at + 1, name.map(|(name, _)| name)))
}

/// Whether a name stands in a text as code, in quotes or first on a line; inside a word it does not count.
fn mentions(text: &str, name: &str) -> bool {
    text.contains(&format!("`{name}`"))
        || text.contains(&format!("\"{name}\""))
        || text.lines().any(|line| line.split_whitespace().next() == Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &str = "use x;\npub(super) const ENTRY: Entry = Entry {\n    name: \"lemke\",\n};\nconst A: D = D {\n    name: \"other\",\n};\n";
    const FILE: &str = "crates/nonsmooth-solvers/src/solvers/lemke.rs";
    const LIST: &str = "crates/nonsmooth-solvers/src/solvers/mod.rs";

    fn breaches(files: &[(&str, &str)]) -> Vec<String> {
        let mut breaches = Vec::new();
        check(&Tree::of(files), &mut breaches);
        breaches.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn listed_and_documented_passes() {
        let list = (LIST, "pub static SOLVERS: &[Entry] = &[lemke::ENTRY];\n");
        for text in ["the solver `lemke`", "type = \"lemke\"", "  lemke   pivots\n"] {
            assert_eq!(breaches(&[(FILE, ENTRY), list, ("README.md", text)]), [""; 0]);
        }
    }

    #[test]
    fn unlisted_entries_are_found() {
        let found =
            breaches(&[(FILE, ENTRY), (LIST, "// lemke::ENTRY\n"), ("docs/lists.md", "`lemke`")]);
        assert_eq!(found, [format!("{FILE}:2: `lemke::ENTRY` is not in the list in {LIST}")]);
    }

    #[test]
    fn undocumented_names_are_found() {
        let list = (LIST, "&[lemke::ENTRY]\n");
        let found = breaches(&[(FILE, ENTRY), list, ("README.md", "lemke-like, or lemke, `other`")]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with(&format!("{FILE}:2: `lemke` is documented in none")), "{found:?}");
        let nameless = ENTRY.replace("\"lemke\"", "NAME");
        assert!(breaches(&[(FILE, &nameless), list])[0].ends_with("ENTRY has no line `name: \"…\"`"));
    }
}
