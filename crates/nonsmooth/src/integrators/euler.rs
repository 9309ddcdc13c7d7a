//! What the three Euler schemes share: they integrate free motion and refuse constraints.
//!
//! ```text
//! explicit        M(q)  (v⁺ − v) = h f(t, q, v)         q⁺ = q + h v       θ = 0, φ = 0
//! semi-implicit   M(q)  (v⁺ − v) = h f(t, q, v)         q⁺ = q + h v⁺      θ = 0, φ = 1
//! implicit        M(q⁺) (v⁺ − v) = h f(t⁺, q⁺, v⁺)      q⁺ = q + h v⁺      θ = 1, φ = 1
//! ```
//!
//! θ and φ are those of the energy ledger (`phases/account.rs`): its column `scheme`,
//! −(φ − ½) ΔvᵀMΔv − (θ − ½) ΔqᵀKΔq, closes the balance of linear systems to rounding. The explicit scheme gains
//! energy in every step, the implicit one loses it, and in the semi-implicit one both terms nearly cancel over a
//! period. Each has a one-step error of O(h²) and global order 1. [Trinkle08]

use super::Refusal;
use crate::error::StepResult;
use crate::log::{Counts, StepLog};
use crate::model::{Model, State};
use crate::phases::{
    Accounting, Coeffs, Configuration, Factors, Free, Iterate, Made, Rows, Theta, account, advance,
    factorize, free_motion,
};

/// Scratch of a step without contacts.
#[derive(Default)]
pub(super) struct Work {
    pub(super) at: Iterate,
    pub(super) factors: Factors,
    pub(super) free: Free,
    /// Stays empty: nothing touches.
    rows: Rows,
    accounting: Accounting,
}

/// Refuses models that are more than free motion.
pub(super) fn free_motion_only(integrator: &'static str, model: &Model) -> Result<(), Refusal> {
    match model.constraints.names.first() {
        None => Ok(()),
        Some(name) => Err(Refusal::FreeMotionOnly { integrator, constraint: name.clone() }),
    }
}

impl Work {
    /// v⁺ = v + h M(q)⁻¹ f(t, q, v), into `next`.
    pub(super) fn kick(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        let Work { at, factors, free, .. } = self;
        let rule = Theta { h, theta: 0.0 };
        at.start(model, now, h)?;
        at.update(model, now, rule, (Configuration::Start, Configuration::Start));
        factorize(model, at, Coeffs::EXPLICIT, factors)?;
        free_motion(model, now, at, rule, factors, free)?;
        next.v.clone_from(&free.v);
        log.newton_iterations = 1;
        log.counts = Counts { steps: 1, rejected: 0, evaluations: 1 };
        Ok(())
    }

    /// q⁺ = q + h (φ v⁺ + (1−φ) v), and the ledger of the step, whose forces were taken at θ.
    pub(super) fn finish(
        &mut self,
        model: &Model,
        now: &State,
        (rule, phi): (Theta, f64),
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        let Work { at, free, rows, accounting, .. } = self;
        advance(model, now, Theta { theta: phi, ..rule }, rows, &[], next)?;
        let made = Made { now, next, end: next, rule, phi, at, free, rows, p: &[], previous: &[] };
        account(model, &made, accounting, log)
    }

    /// Overwrites every number with NaN.
    pub(super) fn poison(&mut self) {
        let Work { at, factors, free, rows, accounting } = self;
        at.poison();
        factors.poison();
        free.poison();
        rows.poison();
        accounting.poison();
    }
}
