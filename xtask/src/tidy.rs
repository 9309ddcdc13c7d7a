//! Tidy: the rules of style that a program can check and the compiler does not.
//!
//! Each check reads the [`Tree`], which its tests fill by hand, and lists every breach with its place.

mod changelog;
mod citations;
mod glossary;
mod lists;
mod numbers;
#[cfg(test)]
mod one_file;
mod pages;
mod paths;
mod size;
mod tree;
mod words;

use std::path::Path;
use tree::Tree;
pub(crate) use tree::tracked_or_walked;

/// Files of Rust that may be longer than [`size::MOST_LINES`], each with the reason.
const LONG_FILES: &[(&str, &str)] = &[
    (
        "crates/nonsmooth/src/model/constraints/contacts.rs",
        "one family: the methods of its trait, none of them long",
    ),
    ("crates/nonsmooth/src/model/constraints/function_gaps.rs", "one family: the methods of its trait"),
    (
        "crates/nonsmooth/src/model/constraints/mod.rs",
        "one trait with what its methods take and give, documented",
    ),
    ("crates/nonsmooth-solvers/src/jacobian.rs", "three kinds of rows behind one face"),
    ("crates/nonsmooth-solvers/src/mass_groups.rs", "four kinds of groups behind one face"),
];

/// Where the tier `files` leaves its count.
pub(crate) const BALL_STEP: &str = "target/ball-step.txt";

/// A breach of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Breach {
    path: String,
    /// Counted from 1.
    line: usize,
    wrong: String,
}

impl Breach {
    fn new(path: &str, line: usize, wrong: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, wrong: wrong.into() }
    }
}

impl std::fmt::Display for Breach {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.wrong)
    }
}

/// Prints every breach below `root`; true if there is none.
pub(crate) fn run(root: &Path) -> bool {
    let tree = match Tree::read(root) {
        Ok(tree) => tree,
        Err(error) => {
            eprintln!("error: cannot read the tree in {}: {error}", root.display());
            return false;
        }
    };
    print!("{}", numbers::told(&tree));
    println!("files entered by a ball's step: {}", ball_step(root));
    let breaches = check(&tree);
    for breach in &breaches {
        println!("{breach}");
    }
    match breaches.len() {
        0 => println!("tidy: {} files, nothing to mend", tree.len()),
        n => println!("tidy: {n} to mend in {} files", tree.len()),
    }
    breaches.is_empty()
}

/// How many files a ball's step enters, as the tier `files` counted last.
fn ball_step(root: &Path) -> String {
    let counted = std::fs::read_to_string(root.join(BALL_STEP)).map(|text| text.trim_end().to_owned());
    counted.unwrap_or_else(|_| "not counted; `cargo xtask ci --full --only files` does".to_owned())
}

fn check(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    size::check(tree, LONG_FILES, &mut breaches);
    pages::check(tree, &mut breaches);
    paths::check(tree, &mut breaches);
    citations::check(tree, &mut breaches);
    lists::check(tree, &mut breaches);
    words::check(tree, &mut breaches);
    changelog::check(tree, &mut breaches);
    glossary::check(tree, &mut breaches);
    numbers::check(tree, &mut breaches);
    breaches.sort();
    breaches.dedup();
    breaches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_tidy() {
        let tree = Tree::read(&crate::root()).unwrap();
        assert!(tree.len() > 50, "only {} files were found", tree.len());
        let breaches: Vec<String> = check(&tree).iter().map(ToString::to_string).collect();
        assert!(breaches.is_empty(), "to mend:\n{}", breaches.join("\n"));
    }

    #[test]
    fn a_breach_names_its_place() {
        assert_eq!(Breach::new("a/b.rs", 3, "is wrong").to_string(), "a/b.rs:3: is wrong");
    }
}
