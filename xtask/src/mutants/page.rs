//! The page of mutants: a row each, as its last run judged it. A run of some of them leaves the rows of the others alone.

use super::Mutant;
use super::verdict::Verdict;
use std::collections::{BTreeMap, BTreeSet};

/// How the row of a mutant that was noticed ends.
const NOTICED: &str = "| noticed |";

/// The rows of a page by the name of the mutant.
pub(super) fn rows(page: &str) -> BTreeMap<String, String> {
    let row = |line: &str| {
        let name = line.strip_prefix("| `")?.split_once('`')?.0;
        Some((name.to_owned(), line.to_owned()))
    };
    page.lines().filter_map(row).collect()
}

/// Names of the mutants that a page shows as noticed.
pub(super) fn noticed(page: &str) -> BTreeSet<String> {
    rows(page).into_iter().filter(|(_, row)| row.ends_with(NOTICED)).map(|(name, _)| name).collect()
}

/// The row of a mutant.
pub(super) fn row(mutant: &Mutant, verdict: &Verdict) -> String {
    let (name, mistake, test) = (&mutant.name, &mutant.mistake, mutant.test.join(" "));
    let colour = if verdict.is_good() { "noticed" } else { "RED" };
    let verdict = verdict.to_string().replace('|', "\\|");
    format!("| `{name}` | {mistake} | `cargo {test}` | {verdict} | {colour} |")
}

/// The page with these rows, of `n` mutants in all.
pub(super) fn text(rows: &BTreeMap<String, String>, n: usize) -> String {
    let noticed = rows.values().filter(|row| row.ends_with(NOTICED)).count();
    let head = format!(
        "# Mistakes that the tests notice\n\n\
         Written by `cargo xtask mutants`. Each patch in `mutants/` puts one mistake into a copy of the tree; the command named in\n\
         its header must fail, and passes without it. {noticed} of the {} that were run were noticed; there are {n}.\n\n\
         | mutant | mistake | command | what fell | |\n|---|---|---|---|---|\n",
        rows.len()
    );
    rows.values().fold(head, |text, row| text + row + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_replaced_and_the_others_stay() {
        let mutant = |name: &str| Mutant {
            name: name.to_owned(),
            mistake: "a sign".to_owned(),
            test: vec!["test".to_owned()],
            patch: String::new(),
        };
        let mut rows = BTreeMap::new();
        rows.insert("a".to_owned(), row(&mutant("a"), &Verdict::Survived));
        rows.insert("b".to_owned(), row(&mutant("b"), &Verdict::Noticed(vec!["x::y".into()])));
        let page = text(&rows, 3);
        assert!(
            page.contains("1 of the 2 that were run were noticed; there are 3") && page.contains("RED"),
            "{page}"
        );
        assert_eq!(noticed(&page), BTreeSet::from(["b".to_owned()]));
        let mut again = super::rows(&page);
        assert_eq!(again, rows);
        again.insert("a".to_owned(), row(&mutant("a"), &Verdict::Noticed(vec!["z".into()])));
        assert!(text(&again, 3).contains("2 of the 2"));
    }
}
