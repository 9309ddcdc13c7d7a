//! Semi-implicit Euler for free motion: M(q)(v⁺ − v) = h f(t, q, v), q⁺ = q ⊕ h v⁺. [Trinkle08]
//!
//! Keeps ½v² + ½ω²q² − ½ω²h q v of an oscillator, so that its energy swings by a fraction ωh/2 and does not drift.
//! The equations of all three are in `euler.rs`.

use super::euler::{Euler, free_motion_only};
use super::{Entry, Integrator, Refusal};
use crate::error::StepResult;
use crate::log::StepLog;
use crate::model::{Model, State};

pub(super) const ENTRY: Entry = Entry {
    name: "euler-semi-implicit",
    about: "free motion, first the velocity, then the position with it; for teaching",
    options: &[],
    make: |_, settings| Box::new(EulerSemiImplicit(Euler::explicit(1.0, settings))),
};

/// Semi-implicit Euler.
struct EulerSemiImplicit(Euler);

impl Integrator for EulerSemiImplicit {
    fn accepts(&self, model: &Model) -> Result<(), Refusal> {
        free_motion_only(ENTRY.name, model)
    }

    fn step(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        self.0.step(model, now, h, next, log)
    }

    fn reset(&mut self) {
        self.0.reset();
    }
}
