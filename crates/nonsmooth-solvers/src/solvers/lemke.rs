//! Lemke's method for LCP, mixed LCP and relays, with any matrix.
//!
//! ```text
//! u = W p + u_free,     0 ≤ u ⟂ p ≥ 0   |   u = 0   |   −u ∈ N_[lower, upper](p)     row by row
//! ```
//!
//! How free rows are eliminated, the path followed and its last basis solved to rounding is in `mixed.rs` and
//! `tableau.rs`. A relay with finite bounds always has a solution, and the path finds it; where it ends on a ray
//! from every basis tried, the problem is called infeasible [Cottle92, sec. 4.4].

use super::mixed::{Limits, Mixed, fits};
use super::{Entry, Outcome, Solver, Unsupported};
use crate::certificate::certify;
use crate::options::{Declared, Kind};
use crate::problem::Problem;
use crate::set::Set;

pub(super) const ENTRY: Entry = Entry {
    name: "lemke",
    about: "lexicographic Lemke: LCP, mixed LCP and relays with any matrix, dense, safe on degenerate data",
    options: &[&MAX_PIVOTS],
    make: |options| Box::new(Lemke::new(options.count(&MAX_PIVOTS))),
};

pub(super) const MAX_PIVOTS: Declared = Declared {
    name: "max_pivots",
    about: "most pivots before giving up [–]",
    kind: Kind::Count,
    default: "100000",
};

pub(super) struct Lemke {
    max_pivots: usize,
    u: Vec<f64>,
}

impl Lemke {
    pub(super) fn new(max_pivots: usize) -> Self {
        Self { max_pivots, u: Vec::new() }
    }
}

impl Solver for Lemke {
    fn accepts(&self, problem: &Problem) -> Result<(), Unsupported> {
        Unsupported::unless("lemke", problem, Set::is_scalar)?;
        fits("lemke", problem, Set::dim)
    }

    fn solve(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Outcome {
        let bounds: Vec<(f64, f64)> = problem.sets.iter().map(|set| set.bounds()).collect();
        let mixed = Mixed { matrix: problem.assembled(), rhs: &problem.u_free, bounds: &bounds };
        let mut judge = |p: &[f64]| {
            let residual = certify(problem, p, &mut self.u).residual;
            (residual, residual <= tolerance)
        };
        // Half: the residuals of islands add up to at most √2 times the largest.
        let limits = Limits { max_pivots: self.max_pivots, tolerance: 0.5 * tolerance };
        let (status, iterations) = mixed.solve(limits, &mut judge, p);
        Outcome { status, iterations, method: "lemke" }
    }

    fn forget(&mut self) {}
}
