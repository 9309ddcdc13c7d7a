//! The changelog has a place for what comes next, and in it one for results that move.

use super::Breach;
use super::tree::Tree;

const DOCUMENT: &str = "CHANGELOG.md";

pub(super) fn check(tree: &Tree, breaches: &mut Vec<Breach>) {
    let Some(text) = tree.text(DOCUMENT) else {
        breaches.push(Breach::new(DOCUMENT, 1, "does not exist"));
        return;
    };
    let is_unreleased = |line: &str| matches!(line.trim_end(), "## Unreleased" | "## [Unreleased]");
    let Some(start) = text.lines().position(is_unreleased) else {
        breaches.push(Breach::new(DOCUMENT, 1, "has no section `## Unreleased`"));
        return;
    };
    let mut section = text.lines().skip(start + 1).take_while(|line| !line.starts_with("## "));
    if !section.any(|line| line.trim_end() == "### Numbers") {
        breaches.push(Breach::new(DOCUMENT, start + 1, "`## Unreleased` has no section `### Numbers`"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(files: &[(&str, &str)]) -> Vec<String> {
        let mut breaches = Vec::new();
        check(&Tree::of(files), &mut breaches);
        breaches.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn both_sections_are_needed() {
        assert_eq!(wrong(&[]), ["CHANGELOG.md:1: does not exist"]);
        assert_eq!(
            wrong(&[(DOCUMENT, "# Changes\n## 0.1\n")]),
            ["CHANGELOG.md:1: has no section `## Unreleased`"]
        );
        let late = "# Changes\n\n## Unreleased\n### Added\n## 0.1\n### Numbers\n";
        assert!(wrong(&[(DOCUMENT, late)])[0].starts_with("CHANGELOG.md:3: "));
        assert_eq!(wrong(&[(DOCUMENT, "## Unreleased\n\n### Numbers\n\n- none\n")]), [""; 0]);
    }
}
