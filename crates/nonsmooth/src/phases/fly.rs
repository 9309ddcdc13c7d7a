//! A step in which nothing touches and nothing but constant loads acts: all lines from `predict` to `account` are one formula
//! (`model/ballistic.rs`). Nothing does work.

use super::advance::{check_end, commit};
use crate::error::StepResult;
use crate::log::{Counts, StepLog, Works};
use crate::model::instant::Instant;
use crate::model::{Model, State, Theta};

/// Writes `next` and the log.
#[inline(always)]
pub fn fly(model: &Model, now: &State, rule: Theta, next: &mut State, log: &mut StepLog) -> StepResult {
    let (energies, sum) = model.fly(now, rule, next);
    commit(model, now, (rule.h, rule.h * rule.theta), None, next)?;
    let State { t, q, v, presence, inputs, .. } = &*next;
    let end = Instant { t: *t, q, v, rigid: &[], presence, angles: &[], signals: inputs };
    // The energies are not finite where a velocity is not, and 0·x is NaN where x is not finite.
    if !(energies.kinetic + energies.potential + 0.0 * sum).is_finite() {
        check_end(model, next)?;
        model.check_energies(&end, energies)?;
    }
    log.newton_iterations = 1;
    log.counts = Counts { steps: 1, rejected: 0, evaluations: 1 };
    (log.energies, log.works, log.is_still) = (energies, Works::default(), true);
    model.gaps(&end, &mut log.gaps)
}
