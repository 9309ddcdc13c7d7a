//! Implicit Euler for free motion: M(q⁺)(v⁺ − v) = h f(t⁺, q⁺, v⁺), q⁺ = q ⊕ h v⁺. [Trinkle08]
//!
//! Loses energy: an oscillator shrinks by the factor 1/√(1 + ω²h²) in every step. Linear models take one pass, others
//! Newton's iteration. The equations of all three are in `euler.rs`; with constraints it is moreau-jean with θ = 1.

use super::euler::{Euler, free_motion_only};
use super::moreau_jean::{NEWTON_ITERATIONS, NEWTON_TOLERANCE};
use super::{Entry, Integrator, Refusal};
use crate::error::StepResult;
use crate::instants::Configuration;
use crate::log::StepLog;
use crate::model::{Model, State};
use crate::newton::Newton;
use crate::phases::SolverSettings;
use crate::scratch::Scratch;
use nonsmooth_solvers::Options;

pub(super) const ENTRY: Entry = Entry {
    name: "euler-implicit",
    about: "free motion, forces and velocity at the end of the step; for teaching",
    options: &[&NEWTON_TOLERANCE, &NEWTON_ITERATIONS],
    make: |options, settings| Box::new(EulerImplicit::new(options, settings)),
};

/// Implicit Euler.
struct EulerImplicit(Euler);

impl EulerImplicit {
    fn new(options: &Options, settings: SolverSettings) -> Self {
        let newton = Newton {
            tolerance: options.number(&NEWTON_TOLERANCE),
            most_iterations: options.count(&NEWTON_ITERATIONS),
        };
        let (mass_at, scratch) = (Configuration::End, Scratch::default());
        Self(Euler { theta: 1.0, phi: 1.0, mass_at, newton, settings, scratch })
    }
}

impl Integrator for EulerImplicit {
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
