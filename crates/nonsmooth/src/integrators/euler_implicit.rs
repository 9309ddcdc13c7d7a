//! Implicit Euler for free motion: M(q⁺)(v⁺ − v) = h f(t⁺, q⁺, v⁺), q⁺ = q + h v⁺. [Trinkle08]
//!
//! Loses energy: an oscillator shrinks by the factor 1/√(1 + ω²h²) in every step. Linear models take one pass, others
//! Newton's iteration. The equations of all three are in `euler.rs`; with constraints it is moreau-jean with θ = 1.

use super::euler::{Work, free_motion_only};
use super::moreau_jean::{NEWTON_ITERATIONS, NEWTON_TOLERANCE};
use super::{Entry, Integrator, Refusal};
use crate::error::{StepError, StepResult};
use crate::log::{Counts, StepLog};
use crate::model::{Model, State};
use crate::phases::{Coeffs, Configuration, Theta, factorize, free_motion};
use nonsmooth_solvers::Options;

pub(super) const ENTRY: Entry = Entry {
    name: "euler-implicit",
    about: "free motion, forces and velocity at the end of the step; for teaching",
    options: &[&NEWTON_TOLERANCE, &NEWTON_ITERATIONS],
    make: |options, _| Box::new(EulerImplicit::new(options)),
};

/// Implicit Euler.
struct EulerImplicit {
    newton_tolerance: f64,
    newton_iterations: usize,
    work: Work,
}

impl EulerImplicit {
    fn new(options: &Options) -> Self {
        Self {
            newton_tolerance: options.number(&NEWTON_TOLERANCE),
            newton_iterations: options.count(&NEWTON_ITERATIONS),
            work: Work::default(),
        }
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
        let (rule, coeffs) = (Theta { h, theta: 1.0 }, Coeffs { damping: h, stiffness: h * h });
        let Work { at, factors, free, .. } = &mut self.work;

        at.start(model, now, h)?;
        for iteration in 1.. {
            at.update(model, now, rule, (Configuration::End, Configuration::End));
            factorize(model, at, coeffs, factors)?;
            free_motion(model, now, at, rule, factors, free)?;
            log.newton_iterations = iteration;
            log.counts = Counts { steps: 1, rejected: 0, evaluations: iteration as u64 };
            if model.is_linear {
                break;
            }
            let change = at.accept(&free.v, &free.v, rule);
            if change <= self.newton_tolerance {
                break;
            }
            if iteration >= self.newton_iterations {
                let (iterations, tolerance) = (iteration, self.newton_tolerance);
                return Err(StepError::Newton { iterations, change, tolerance }.into());
            }
        }
        next.v.clone_from(&free.v);
        self.work.finish(model, now, (rule, 1.0), next, log)
    }

    fn poison(&mut self) {
        self.work.poison();
    }
}
