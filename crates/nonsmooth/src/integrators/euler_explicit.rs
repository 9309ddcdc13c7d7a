//! Explicit Euler for free motion: M(q)(v⁺ − v) = h f(t, q, v), q⁺ = q + h v. [Trinkle08]
//!
//! Gains energy: an oscillator grows by the factor √(1 + ω²h²) in every step.
//! The equations of all three are in `euler.rs`.

use super::euler::{Work, free_motion_only};
use super::{Entry, Integrator, Refusal};
use crate::error::StepResult;
use crate::log::StepLog;
use crate::model::{Model, State};
use crate::phases::Theta;

pub(super) const ENTRY: Entry = Entry {
    name: "euler-explicit",
    about: "free motion, forces and velocity at the start of the step; for teaching",
    options: &[],
    make: |_, _| Box::new(EulerExplicit { work: Work::default() }),
};

/// Explicit Euler.
struct EulerExplicit {
    work: Work,
}

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
        self.work.kick(model, now, h, next, log)?;
        self.work.finish(model, now, (Theta { h, theta: 0.0 }, 0.0), next, log)
    }

    fn poison(&mut self) {
        self.work.poison();
    }
}
