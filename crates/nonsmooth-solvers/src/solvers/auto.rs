//! The default chain: `active-set`, and where that does not end within tolerance `lemke`.
//!
//! Block pivoting is tried first at every size, because a warm start makes it one back-substitution.
//! It can end on an iteration limit or stall when W is no P-matrix; up to `LEMKE_LIMIT` rows Lemke's
//! method then decides, and a ray of it is reported as infeasible.

use super::active_set::{ActiveSet, MAX_EXCHANGES};
use super::lemke::Lemke;
use super::{Entry, Outcome, Solver, Status, Unsupported};
use crate::certificate::certify;
use crate::problem::Problem;

pub(super) const ENTRY: Entry = Entry {
    name: "auto",
    about: "active-set first, lemke where that fails; what worked is in the report",
    options: &[&MAX_EXCHANGES],
    make: |options| {
        Box::new(Auto {
            active_set: ActiveSet::new(options.count(&MAX_EXCHANGES)),
            lemke: Lemke::new(100_000),
            u: Vec::new(),
            kept: Vec::new(),
        })
    },
};

/// Rows up to which Lemke is tried: the dense tableau of 2000 rows is 64 MB, and each pivot passes over all of it.
const LEMKE_LIMIT: usize = 2000;

struct Auto {
    active_set: ActiveSet,
    lemke: Lemke,
    u: Vec<f64>,
    kept: Vec<f64>,
}

impl Solver for Auto {
    fn accepts(&self, problem: &Problem) -> Result<(), Unsupported> {
        self.active_set.accepts(problem)
    }

    fn solve(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Outcome {
        let first = self.active_set.solve(problem, tolerance, p);
        if first.status == Status::Converged || problem.size() > LEMKE_LIMIT {
            return first;
        }
        let residual = certify(problem, p, &mut self.u).residual;
        self.kept.clear();
        self.kept.extend_from_slice(p);
        let second = self.lemke.solve(problem, tolerance, p);
        // Where both fail the better impulses are kept.
        if !(certify(problem, p, &mut self.u).residual <= residual) {
            p.copy_from_slice(&self.kept);
        }
        Outcome { iterations: first.iterations + second.iterations, ..second }
    }

    fn forget(&mut self) {
        self.active_set.forget();
        self.lemke.forget();
    }
}
