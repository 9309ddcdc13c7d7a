//! Projected Gauss–Seidel and its over-relaxed sibling: one projected step per constraint and sweep.
//!
//! ```text
//! p_c ← P_C(p_c − ω ρ_c (u_c + shift_c)),   ρ_c = 1/λ_max(W_cc)
//! ```
//!
//! For scalar constraints and ω = 1 the step is exact. `pgs` has ω = 1; `psor` has ω as its option, and converges for
//! 0 < ω < 2 where W is symmetric and semi-definite and the sets are scalar [Cottle92, sec. 5.3].

use super::gauss_seidel::{Relaxation, Until};
use super::nsgs::{MAX_SWEEPS, ORDER};
use super::sweep::{Order, Rule};
use super::{Entry, Outcome, Solver, Unsupported};
use crate::options::{Declared, Kind, Options};
use crate::problem::Problem;

pub(super) const ENTRY: Entry = Entry {
    name: "pgs",
    about: "projected Gauss–Seidel: one projected step per constraint and sweep",
    options: &[&MAX_SWEEPS, &ORDER],
    make: |options| Box::new(Pgs::new("pgs", 1.0, options)),
};

pub(super) const OVER_RELAXED: Entry = Entry {
    name: "psor",
    about: "projected Gauss–Seidel with over-relaxation",
    options: &[&RELAXATION, &MAX_SWEEPS, &ORDER],
    make: |options| Box::new(Pgs::new("psor", options.number(&RELAXATION), options)),
};

const RELAXATION: Declared = Declared {
    name: "relaxation",
    about: "factor ω on the step of each constraint [–]",
    kind: Kind::Number { min: 0.01, max: 1.99 },
    default: "1.2",
};

struct Pgs {
    name: &'static str,
    max_sweeps: usize,
    relaxation: Relaxation,
}

impl Pgs {
    fn new(name: &'static str, relaxation: f64, options: &Options) -> Self {
        let order = if options.word(&ORDER) == "coloured" { Order::Coloured } else { Order::Natural };
        let relaxation = Relaxation::new(Rule::Projected(relaxation), order);
        Self { name, max_sweeps: options.count(&MAX_SWEEPS), relaxation }
    }
}

impl Solver for Pgs {
    fn accepts(&self, _problem: &Problem) -> Result<(), Unsupported> {
        Ok(())
    }

    fn solve(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Outcome {
        let made = self.relaxation.sweep_until(problem, tolerance, p, Until::sweeps(self.max_sweeps));
        Outcome { status: made.status, iterations: made.sweeps, method: self.name }
    }

    fn forget(&mut self) {}
}
