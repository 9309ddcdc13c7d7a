//! Nonsmooth Gauss–Seidel: each constraint in turn is solved exactly, the others held [Jean99].
//!
//! ```text
//! u_c = W_cc p_c + q_c,   −(u_c + shift_c) ∈ N_C(p_c),   q_c = u_free,c + Σ_{j≠c} W_cj p_j
//! ```
//!
//! Robust, and quick to a few digits. Its rate is that of information passing from contact to contact: a pile of
//! spheres gains a digit in tens of sweeps, a tall stack or wall in thousands, where second-order methods are
//! the better choice. W is never formed where the problem is given by bodies.

use super::gauss_seidel::{Progress, Relaxation, Until};
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
        let mut nsgs = Nsgs::new(options.count(&MAX_SWEEPS), order);
        nsgs.accelerate(options.word(&ACCELERATION) == "conjugate");
        Box::new(nsgs)
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
    about: "how sweeps over bodies in contact are extrapolated; other problems are not",
    kind: Kind::Word(&["none", "conjugate"]),
    default: "none",
};

pub(super) struct Nsgs {
    max_sweeps: usize,
    order: Order,
    accelerated: bool,
    relaxation: Relaxation,
}

impl Nsgs {
    pub(super) fn new(max_sweeps: usize, order: Order) -> Self {
        let relaxation = Relaxation::new(Rule::Exact, order);
        Self { max_sweeps, order, accelerated: false, relaxation }
    }

    /// Extrapolates from now on, or not; bodies in contact only.
    pub(super) fn accelerate(&mut self, yes: bool) {
        self.accelerated = yes;
        self.relaxation.accelerate(yes);
    }

    /// Sweeps until the tolerance or what `until` says: for chains that look at the rate and move on.
    pub(super) fn sweep_until(
        &mut self,
        problem: &Problem,
        tolerance: f64,
        p: &mut [f64],
        until: Until,
    ) -> Progress {
        self.relaxation.sweep_until(problem, tolerance, p, until)
    }
}

impl Solver for Nsgs {
    fn accepts(&self, _problem: &Problem) -> Result<(), Unsupported> {
        Ok(())
    }

    fn solve(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Outcome {
        let made = self.sweep_until(problem, tolerance, p, Until::sweeps(self.max_sweeps));
        Outcome { status: made.status, iterations: made.sweeps, method: "nsgs" }
    }

    fn forget(&mut self) {
        self.relaxation = Relaxation::new(Rule::Exact, self.order);
        self.relaxation.accelerate(self.accelerated);
    }
}
