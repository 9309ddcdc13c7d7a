//! The collection of one-step problems beside the clone: how it is found, and what the solvers make of it.

mod auto;
#[path = "../../../../nonsmooth-solvers/tests/it/judge.rs"]
mod judge;
mod references;
mod solvers;
mod strengths;

use nonsmooth_scene::problems::{StoredProblem, read};
use nonsmooth_solvers::{Problem, Report, Solver, solve};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// One line of the manifest, by the names of its columns.
pub type Line = HashMap<String, String>;

/// The folder of the collection and its manifest; `None`, and a word on stderr, if it is not there.
pub fn collection() -> Option<(PathBuf, Vec<Line>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/problems");
    let Ok(text) = std::fs::read_to_string(root.join("manifest.csv")) else {
        eprintln!("SKIP: no collection of problems in {}", root.display());
        return None;
    };
    let mut lines = text.lines();
    let names = cells(lines.next().expect("a manifest has a header"));
    let line = |line| names.iter().cloned().zip(cells(line)).collect();
    Some((root, lines.map(line).collect()))
}

/// The cells of a line of CSV; quoted ones may hold commas.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => cells.last_mut().expect("never empty").push(c),
        }
    }
    cells
}

pub fn number(line: &Line, column: &str) -> Option<f64> {
    line[column].parse().ok()
}

pub fn load(root: &Path, line: &Line) -> StoredProblem {
    read(&root.join(&line["file"])).unwrap_or_else(|error| panic!("{error}"))
}

/// One solved problem.
struct Solved {
    p: Vec<f64>,
    u: Vec<f64>,
    report: Report,
}

/// From p = 0.
fn run(solver: &mut dyn Solver, problem: &Problem, tolerance: f64) -> Solved {
    let (mut p, mut u) = (vec![0.0; problem.size()], Vec::new());
    let report = solve(solver, problem, tolerance, &mut p, &mut u);
    Solved { p, u, report }
}

impl Solved {
    fn is_finite(&self) -> bool {
        self.p.iter().chain(&self.u).all(|x| x.is_finite()) && self.report.residual.is_finite()
    }
}
