//! The state moves on: q⁺ = q + h (θ v⁺ + (1−θ) v) with v⁺ as `apply` left it, and the memories are
//! committed.

use super::detect::Rows;
use super::free_motion::Theta;
use crate::error::{StepResult, check_coordinates, check_finite};
use crate::model::{Model, State};

/// Writes `next`; refuses numbers that are not finite.
#[inline]
pub fn advance(
    model: &Model,
    now: &State,
    rule: Theta,
    rows: &Rows,
    p: &[f64],
    next: &mut State,
) -> StepResult {
    let Theta { h, theta } = rule;
    next.t = now.t + h;
    next.step = now.step + 1;
    next.step_size = h;
    next.q.resize(now.q.len(), 0.0);
    // 0·x is NaN exactly where x is not finite: one sum tells.
    let mut finite = 0.0;
    let n = model.bodies.first_v;
    let (q, v, q_next, w) = (&now.q[..n], &now.v[..n], &mut next.q[..n], &next.v[..n]);
    for i in 0..n {
        q_next[i] = q[i] + h * (theta * w[i] + (1.0 - theta) * v[i]);
        finite += 0.0 * (q_next[i] + w[i]);
    }
    if !now.memory.is_empty() {
        next.memory.clone_from(&now.memory);
    }
    if !model.bodies.is_empty() {
        advance_bodies(model, now, rule, rows, &p[rows.keys.len()..], next);
        finite +=
            next.v[n..].iter().chain(&next.q[model.bodies.first_q..]).map(|x| 0.0 * x).sum::<f64>();
    }
    next.contacts.keys.clear();
    next.contacts.impulses.clear();
    if !rows.keys.is_empty() {
        next.contacts.keys.extend_from_slice(&rows.keys);
        next.contacts.impulses.extend_from_slice(&p[..rows.keys.len()]);
    }
    if finite == 0.0 {
        return Ok(());
    }
    check_finite(model, "velocity", &next.v)?;
    check_coordinates(model, &next.q)
}

/// Bodies move, their contacts are remembered, and who is present is settled.
#[inline(never)]
fn advance_bodies(model: &Model, now: &State, rule: Theta, rows: &Rows, p: &[f64], next: &mut State) {
    let Theta { h, theta } = rule;
    let State { q, v, touches, .. } = next;
    model.bodies.advance(now, h, |i| theta * v[i] + (1.0 - theta) * now.v[i], q);
    touches.keys.clone_from(&rows.touches.found.keys);
    touches.impulses.clear();
    touches.impulses.reserve_exact(rows.touches.len());
    let mut k = 0;
    for i in 0..rows.touches.len() {
        let dim = rows.touches.form(model, i).set.dim();
        let mut impulse = [0.0; 3];
        impulse[..dim].copy_from_slice(&p[k..k + dim]);
        touches.impulses.push(impulse);
        k += dim;
    }
    next.lives.clone_from(&now.lives);
    model.bodies.census(next);
}
