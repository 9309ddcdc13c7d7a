//! Nonsmooth Gauss–Seidel: each constraint in turn is solved exactly, the others held [Jean99].
//!
//! ```text
//! u_c = W_cc p_c + q_c,   −(u_c + shift_c) ∈ N_C(p_c),   q_c = u_free,c + Σ_{j≠c} W_cj p_j
//! ```
//!
//! Robust, and quick to a few digits. Its rate is that of information passing from contact to contact: a pile of
//! spheres gains a digit in tens of sweeps, a tall stack or wall in thousands, where second-order methods are
//! the better choice. W is never formed where the problem is given by bodies.

use super::gauss_seidel::{Progress, Relaxation};
use super::sweep::{Order, Rule};
use super::{Entry, Outcome, Solver, Unsupported};
use crate::options::{Declared, Kind};
use crate::problem::Problem;

pub(super) const ENTRY: Entry = Entry {
    name: "nsgs",
    about: "nonsmooth Gauss–Seidel with exact local solves; large problems with friction, moderate accuracy",
    options: &[&MAX_SWEEPS, &ORDER, &ACCELERATION],
    make: |options| {
        let order = if options.word(&ORDER) == "coloured" { Order::Coloured } else { Order::Natural };
        let mut relaxation = Relaxation::new(Rule::Exact, order);
        relaxation.accelerate(options.word(&ACCELERATION) == "conjugate");
        Box::new(Nsgs { max_sweeps: options.count(&MAX_SWEEPS), relaxation })
    },
};

pub(super) const MAX_SWEEPS: Declared = Declared {
    name: "max_sweeps",
    about: "most sweeps over all constraints before giving up [–]",
    kind: Kind::Count,
    default: "10000",
};

pub(super) const ORDER: Declared = Declared {
    name: "order",
    about: "the order of a sweep: as the problem lists the constraints, or by colours that threads share",
    kind: Kind::Word(&["natural", "coloured"]),
    default: "natural",
};

const ACCELERATION: Declared = Declared {
    name: "acceleration",
    about: "how sweeps are extrapolated, where W is not far from symmetric",
    kind: Kind::Word(&["none", "conjugate"]),
    default: "none",
};

pub(super) struct Nsgs {
    max_sweeps: usize,
    relaxation: Relaxation,
}

impl Nsgs {
    /// Extrapolated sweeps, for chains.
    pub(super) fn accelerated(rule: Rule, order: Order) -> Self {
        let mut relaxation = Relaxation::new(rule, order);
        relaxation.accelerate(true);
        Self { max_sweeps: 0, relaxation }
    }

    /// At most `budget` sweeps: for chains that look at the rate and move on.
    pub(super) fn sweep_until(
        &mut self,
        problem: &Problem,
        tolerance: f64,
        p: &mut [f64],
        budget: usize,
    ) -> Progress {
        self.relaxation.sweep_until(problem, tolerance, p, budget)
    }
}

impl Solver for Nsgs {
    fn accepts(&self, _problem: &Problem) -> Result<(), Unsupported> {
        Ok(())
    }

    fn solve(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Outcome {
        let made = self.sweep_until(problem, tolerance, p, self.max_sweeps);
        Outcome { status: made.status, iterations: made.sweeps, method: "nsgs" }
    }

    fn forget(&mut self) {
        self.relaxation.forget();
    }
}
