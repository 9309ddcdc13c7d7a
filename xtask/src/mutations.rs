//! `cargo xtask mutations`: one wrong sign at a time, in what the tests compare with. Each must be noticed.
//!
//! | part | what is made wrong | what must notice it |
//! |---|---|---|
//! | `references` | the sign of a column of a reference trajectory | a test that reads the table |
//! | `problems` | the sign of a number in the manifest of one-step problems | the test that reads the manifest |
//! | `documents` | the sign of a number in a block of a document, a word of a command | the check of that block |
//! | `lines` | every scheme behind a judged line of the papers | the line; `nonsmooth reproduce --prove` did it |
//!
//! Mistakes in the code itself are those of `cargo xtask mutants`. Nothing is written into the tree but the page: tests read a copy of
//! the references with one mistake in it, by `NONSMOOTH_REFERENCES`.

mod documents;
mod lines;
mod page;
mod problems;
mod references;
mod tests_of;

use crate::Workspace;
use std::path::{Path, PathBuf};

/// The page; each part has its own region.
const PAGE: &str = "docs/mutations.md";

/// A part: its name, its heading, and what does it.
type Part = (&'static str, &'static str, fn(&Workspace) -> Result<Found, String>);

const PARTS: [Part; 4] = [
    ("references", "Reference trajectories", references::run),
    ("problems", "One-step problems", problems::run),
    ("documents", "Blocks of documents", documents::run),
    ("lines", "Judged lines of the papers", lines::run),
];

/// What a part found: its text for the page, and the mistakes that nothing noticed.
#[derive(Debug, Default)]
pub(crate) struct Found {
    text: String,
    unnoticed: Vec<String>,
}

/// Runs the parts named, or all; true if every mistake was noticed.
pub(crate) fn run(workspace: &Workspace, names: &[&str]) -> Result<bool, String> {
    if let Some(name) = names.iter().find(|name| !PARTS.iter().any(|(part, ..)| part == *name)) {
        let there: Vec<&str> = PARTS.iter().map(|(part, ..)| *part).collect();
        return Err(format!("no part `{name}`; there are: {}", there.join(", ")));
    }
    let path = workspace.root.join(PAGE);
    let mut unnoticed = Vec::new();
    for (name, title, work) in PARTS.iter().filter(|(part, ..)| names.is_empty() || names.contains(part))
    {
        println!("\n==== {name} ====");
        let found = work(workspace)?;
        let old = std::fs::read_to_string(&path).unwrap_or_default();
        let all: Vec<(&str, &str)> = PARTS.iter().map(|(name, title, _)| (*name, *title)).collect();
        let text = page::with_region(&old, &all, (name, title), &found.text);
        std::fs::write(&path, text).map_err(|error| format!("{PAGE}: {error}"))?;
        unnoticed.extend(found.unnoticed);
    }
    for mistake in &unnoticed {
        println!("NOT NOTICED: {mistake}");
    }
    println!("written to {PAGE}; {} mistakes were not noticed", unnoticed.len());
    Ok(unnoticed.is_empty())
}

/// A copy of the references in the system's scratch folder; removed in the end.
struct Copied(PathBuf);

impl Drop for Copied {
    fn drop(&mut self) {
        // What is left behind in the system's scratch folder is no failure.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Copied {
    fn new(root: &Path) -> Result<Self, String> {
        let here = std::env::temp_dir().join(format!("nonsmooth-references-{}", std::process::id()));
        let copied = Self(here);
        copy_folder(&root.join("references"), &copied.0)?;
        Ok(copied)
    }
}

fn copy_folder(from: &Path, to: &Path) -> Result<(), String> {
    let told = |path: &Path| {
        let path = path.display().to_string();
        move |error: std::io::Error| format!("{path}: {error}")
    };
    std::fs::create_dir_all(to).map_err(told(to))?;
    for entry in std::fs::read_dir(from).map_err(told(from))? {
        let path = entry.map_err(told(from))?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy_folder(&path, &target)?;
        } else {
            std::fs::copy(&path, &target).map_err(told(&path))?;
        }
    }
    Ok(())
}

/// A number with the other sign; what is below `least` becomes 1, since the sign of rounding says nothing.
fn negated(number: &str, least: f64) -> String {
    match number.parse::<f64>() {
        Ok(x) if x.abs() <= least => "1".to_owned(),
        _ => number.strip_prefix('-').map_or_else(|| format!("-{number}"), str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_is_turned() {
        assert_eq!(negated("1.5e-3", 0.0), "-1.5e-3");
        assert_eq!(negated("-2", 0.0), "2");
        assert_eq!(negated("0", 0.0), "1");
        assert_eq!(negated("3e-17", 1e-12), "1");
    }
}
