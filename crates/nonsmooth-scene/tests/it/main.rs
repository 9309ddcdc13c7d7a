//! Integration tests of scenes: what is refused and how, what is built, what it computes.

mod bodies;
mod collection;
mod corpus;
mod elastic;
mod estimate;
mod formulas;
mod fuzz;
mod gallery;
mod integrators;
mod mistakes;
mod motion;
mod newton;
mod problems;
mod references;
mod relations;
mod residual;
mod results;
mod resume;
mod schema;
mod shots;
mod vtk;

use collection::Part;
use nonsmooth_scene::{LoadError, Loaded, Mistake, line_column, load, load_text};
use nonsmooth_testkit::Problems;
use std::path::{Path, PathBuf};

/// The problems that are committed.
const PART: Part = Part {
    problems: Problems::committed,
    count: 96,
    infeasible: &["lcp_pang_isolated_sol_perturbed"],
    unrounded: 91,
    velocities: 40,
    residuals: 94,
    tried: 84,
    strengths: 86,
};

/// The folder of the scenes that come with the project.
fn scenes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

/// The scene files that come with the project.
fn scene_files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(scenes()).expect("the scenes are there");
    let paths = entries.map(|entry| entry.expect("readable").path());
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "toml")).collect();
    files.sort();
    assert!(files.len() >= 11, "only {} scenes found", files.len());
    files
}

/// A scene that comes with the project, with parameters set from outside.
fn scene(name: &str, set: &[(&str, &str)]) -> Loaded {
    let set: Vec<(String, String)> =
        set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    load(&scenes().join(name), &set).unwrap_or_else(|error| panic!("{name}:\n{error}"))
}

/// A scene given as text; matrix files are those of the project's scenes.
fn from_text(text: &str) -> Result<Loaded, LoadError> {
    load_text("scene.toml", text.to_owned(), scenes(), &[])
}

/// The mistakes of a scene; panics if it has none.
fn mistakes_of(text: &str) -> Vec<Mistake> {
    match from_text(text) {
        Ok(_) => panic!("accepted, but should be refused:\n{text}"),
        Err(LoadError::Scene(error)) => error.mistakes,
        Err(other) => panic!("{other}"),
    }
}

/// What is said of a scene with one edit other than these words at the line and column that `place` finds in it; empty if
/// nothing is amiss, so that one run can show all of a table.
fn complaint(
    good: &str,
    (from, to): (&str, &str),
    place: impl Fn(&str) -> (usize, usize),
    words: &str,
) -> String {
    assert!(good.contains(from), "the good scene has no {from:?}");
    let text = good.replacen(from, to, 1);
    let place = place(&text);
    let at = |mistake: &Mistake| line_column(&text, mistake.span.start);
    let mistakes = mistakes_of(&text);
    if mistakes.iter().any(|mistake| at(mistake) == place && mistake.message.contains(words)) {
        return String::new();
    }
    let got = mistakes.iter().map(|mistake| format!("  got  {:?} {}\n", at(mistake), mistake.message));
    format!("{from:?} -> {to:?}\n  want {place:?} {words}\n{}", got.collect::<String>())
}
