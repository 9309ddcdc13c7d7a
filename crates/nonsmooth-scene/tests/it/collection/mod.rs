//! The collection of one-step problems: what the solvers make of it. The committed part is read here, the large one
//! by `tests/large.rs`.

mod auto;
#[path = "../../../../nonsmooth-solvers/tests/it/judge.rs"]
mod judge;
mod references;
mod solvers;
mod strengths;

use nonsmooth_scene::problems::{StoredProblem, read};
use nonsmooth_solvers::{Problem, Report, Solver, solve};
use nonsmooth_testkit::Problems;
use nonsmooth_testkit::references::Line;

/// A part of the collection, and what the tests must at least see of it.
pub struct Part {
    /// Reads its list.
    pub problems: fn() -> Problems,
    /// How many there are.
    pub count: usize,
    /// Those without a solution.
    pub infeasible: &'static [&'static str],
    /// How many were not rounded to six digits.
    pub unrounded: usize,
    /// Stored velocities of problems whose W has full rank.
    pub velocities: usize,
    /// Stored residuals.
    pub residuals: usize,
    /// Problems on which each solver is tried.
    pub tried: usize,
    /// Problems that solvers are good for, all in all.
    pub strengths: usize,
}

pub fn load(problems: &Problems, line: &Line) -> StoredProblem {
    read(&problems.path(line)).unwrap_or_else(|error| panic!("{error}"))
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
