//! Explicit Euler for free motion: M(q)(v⁺ − v) = h f(t, q, v), q⁺ = q ⊕ h v. [Trinkle08]
//!
//! Gains energy: an oscillator grows by the factor √(1 + ω²h²) in every step.
//! The equations of all three are in `euler.rs`.

use super::euler::{Euler, free_motion_only};
use super::{Entry, Integrator, Refusal};
use crate::error::StepResult;
use crate::log::StepLog;
use crate::model::{Model, State};

pub(super) const ENTRY: Entry = Entry {
    name: "euler-explicit",
    about: "free motion, forces and velocity at the start of the step; for teaching",
    options: &[],
    make: |_, settings| Box::new(EulerExplicit(Euler::explicit(0.0, settings))),
};

/// Explicit Euler.
struct EulerExplicit(Euler);

impl Integrator for EulerExplicit {
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
