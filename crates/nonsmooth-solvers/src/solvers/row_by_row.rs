//! Gauss–Seidel: one row after the other, each solved exactly while the others are held.
//!
//! ```text
//! p_i ← P_C(p_i − u_i / W_ii),     u = W p + u_free          [Cottle92, ch. 5]
//! ```

use super::{Entry, Outcome, Solver, Status, Unsupported};
use crate::certificate::certify;
use crate::options::{Declared, Kind};
use crate::problem::Problem;

pub(super) const ENTRY: Entry = Entry {
    name: "row-by-row",
    about: "Gauss–Seidel for scalar rows: cheap sweeps, many of them on stacks",
    options: &[&MAX_SWEEPS],
    make: |options| Box::new(RowByRow { max_sweeps: options.count(&MAX_SWEEPS), u: Vec::new() }),
};

const MAX_SWEEPS: Declared = Declared {
    name: "max_sweeps",
    about: "most sweeps over all rows before giving up [–]",
    kind: Kind::Count,
    default: "10000",
};

struct RowByRow {
    max_sweeps: usize,
    /// Scratch of the certificate.
    u: Vec<f64>,
}

impl Solver for RowByRow {
    fn accepts(&self, problem: &Problem) -> Result<(), Unsupported> {
        Unsupported::unless("row-by-row", problem, |set| set.is_scalar())
    }

    fn solve(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Outcome {
        let (w, method) = (problem.assembled(), "row-by-row");
        for sweep in 1..=self.max_sweeps {
            for i in 0..problem.size() {
                let (columns, values) = w.row(i);
                let (mut u, mut diagonal) = (problem.u_free[i], 0.0);
                for (&j, &w) in columns.iter().zip(values) {
                    u += w * p[j as usize];
                    diagonal += if j as usize == i { w } else { 0.0 };
                }
                // A row that no impulse moves gets none.
                p[i] = if diagonal > 0.0 { problem.sets[i].project(p[i] - u / diagonal) } else { 0.0 };
            }
            if certify(problem, p, &mut self.u).residual <= tolerance {
                return Outcome { status: Status::Converged, iterations: sweep, method };
            }
        }
        Outcome { status: Status::IterationLimit, iterations: self.max_sweeps, method }
    }

    fn forget(&mut self) {
        self.u.fill(f64::NAN);
    }
}
