//! Semi-implicit Euler for free motion: M(q)(v⁺ − v) = h f(t, q, v), q⁺ = q + h v⁺. [Trinkle08]
//!
//! Keeps ½v² + ½ω²q² − ½ω²h q v of an oscillator, so that its energy swings by a fraction ωh/2 and does not drift.
//! The equations of all three are in `euler.rs`.

use super::euler::{Work, free_motion_only};
use super::{Entry, Integrator, Refusal};
use crate::error::StepResult;
use crate::log::StepLog;
use crate::model::{Model, State};
use crate::phases::Theta;

pub(super) const ENTRY: Entry = Entry {
    name: "euler-semi-implicit",
    about: "free motion, first the velocity, then the position with it; for teaching",
    options: &[],
    make: |_, _| Box::new(EulerSemiImplicit { work: Work::default() }),
};

/// Semi-implicit Euler.
struct EulerSemiImplicit {
    work: Work,
}

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
        self.work.kick(model, now, h, next, log)?;
        self.work.finish(model, now, (Theta { h, theta: 0.0 }, 1.0), next, log)
    }

    fn poison(&mut self) {
        self.work.poison();
    }
}
