//! The state moves on: q⁺ = q + h (θ v⁺ + (1−θ) v), and the memories are committed.

use super::detect::Rows;
use super::free_motion::Theta;
use crate::error::{StepError, check_finite};
use crate::model::{Model, State};

/// Writes `next`; refuses numbers that are not finite.
pub fn advance(
    model: &Model,
    now: &State,
    rule: Theta,
    v_next: &[f64],
    (rows, p): (&Rows, &[f64]),
    next: &mut State,
) -> Result<(), StepError> {
    let Theta { h, theta } = rule;
    next.t = now.t + h;
    next.step = now.step + 1;
    next.step_size = h;
    next.v.clear();
    next.v.extend_from_slice(v_next);
    next.q.clear();
    next.q.extend(
        now.q.iter().zip(&now.v).zip(v_next).map(|((q, v), w)| q + h * (theta * w + (1.0 - theta) * v)),
    );
    next.memory.clone_from(&now.memory);
    next.contacts.keys.clone_from(&rows.keys);
    next.contacts.impulses.clear();
    next.contacts.impulses.extend_from_slice(p);
    check_finite(model, "velocity", &next.v)?;
    check_finite(model, "position", &next.q)
}
