//! The state moves on: q⁺ = q ⊕ h (θ v⁺ + (1−θ) v), and the memories are committed.

use super::solve::Impulses;
use crate::error::StepResult;
use crate::model::errors::{check_coordinates, check_finite};
use crate::model::{ActiveConstraints, Model, State, Theta};

/// Writes `next` from v⁺ in working axes, which `next.v` holds on entry; refuses numbers that are not finite.
#[inline(always)]
pub fn advance(
    model: &Model,
    now: &State,
    rule: Theta,
    (active, impulses): (&ActiveConstraints, &Impulses),
    step: &mut Vec<f64>,
    next: &mut State,
) -> StepResult {
    let Theta { h, theta } = rule;
    if next.q.len() != now.q.len() {
        next.q.resize(now.q.len(), 0.0);
    }
    // The sum of all numbers is not finite where one of them is not; where it only overflows, the checks below find none.
    let mut sum = 0.0;
    if !model.has_working_axes() {
        // Without bodies q ⊕ step is a sum, place by place.
        let n = next.q.len();
        let (q, v, q_next, w) = (&now.q[..n], &now.v[..n], &mut next.q[..n], &next.v[..n]);
        for i in 0..n {
            q_next[i] = q[i] + h * (theta * w[i] + (1.0 - theta) * v[i]);
            sum += q_next[i] + w[i];
        }
    } else {
        sum += advance_bodies(model, now, rule, step, next);
    }
    commit(model, now, (h, h * theta), Some((active, impulses)), next)?;
    // 0·x is NaN exactly where x is not finite.
    if 0.0 * sum == 0.0 { Ok(()) } else { check_end(model, next) }
}

/// Refuses numbers of a state that are not finite.
pub(super) fn check_end(model: &Model, next: &State) -> StepResult {
    check_finite(model, "velocity", &next.v)?;
    check_coordinates(model, &next.q)
}

/// Ends a step whose q⁺ and v⁺, as in the state, `next` holds already: time and memories; refuses numbers that are not finite.
pub fn conclude(
    model: &Model,
    now: &State,
    h: f64,
    (active, impulses): (&ActiveConstraints, &Impulses),
    next: &mut State,
) -> StepResult {
    commit(model, now, (h, h), Some((active, impulses)), next)?;
    check_end(model, next)
}

/// Commits time and memories, of the constraints that acted, and what depends on where the state has got to; `step` is h and ∂y⁺/∂u⁺.
#[inline(always)]
pub(super) fn commit(
    model: &Model,
    now: &State,
    step: (f64, f64),
    acted: Option<(&ActiveConstraints, &Impulses)>,
    next: &mut State,
) -> StepResult {
    next.t = now.t + step.0;
    next.step = now.step + 1;
    next.step_size = step.0;
    next.memory.clear();
    if let Some((active, impulses)) = acted
        && !active.is_empty()
    {
        commit_memory(model, now, (active, impulses), step, next);
    }
    carry_over(now, next);
    model.update_presence(next);
    model.update_angles(now, next)
}

/// The same with bodies; the sum that it returns is NaN where a number is not finite.
#[inline(never)]
fn advance_bodies(
    model: &Model,
    now: &State,
    rule: Theta,
    step: &mut Vec<f64>,
    next: &mut State,
) -> f64 {
    let Theta { h, theta } = rule;
    model.to_state(&now.q, &mut next.v);
    step.resize(now.v.len(), 0.0);
    let mut finite = 0.0;
    for ((step, w), v) in step.iter_mut().zip(&next.v).zip(&now.v) {
        *step = h * (theta * w + (1.0 - theta) * v);
        finite += 0.0 * w;
    }
    if !now.presence.is_empty() {
        model.rigid.hold_absent(&now.presence, step);
    }
    model.retract(&now.q, step, &mut next.q);
    finite + next.q.iter().map(|q| 0.0 * q).sum::<f64>()
}

/// What a step does not change.
#[inline]
pub fn carry_over(now: &State, next: &mut State) {
    let extras = |state: &State| {
        state.scheme.len()
            + state.inputs.len()
            + state.held.len()
            + state.lag.len()
            + state.presence.len()
    };
    if extras(now) + extras(next) > 0 {
        carry_extras(now, next);
    }
}

#[inline(never)]
fn carry_extras(now: &State, next: &mut State) {
    next.scheme.clone_from(&now.scheme);
    next.inputs.clone_from(&now.inputs);
    next.held.clone_from(&now.held);
    next.lag.clone_from(&now.lag);
    next.presence.clone_from(&now.presence);
}

/// Stores lasting forces p/κ and the histories of laws; `step` is κ and ∂y⁺/∂u⁺.
#[inline(never)]
fn commit_memory(
    model: &Model,
    now: &State,
    (active, impulses): (&ActiveConstraints, &Impulses),
    step: (f64, f64),
    next: &mut State,
) {
    let length = step.0;
    let memory = &mut next.memory;
    memory.ids.extend_from_slice(&active.ids);
    if model.stores_rows() {
        memory.forces.extend(impulses.p.iter().map(|p| p / length));
        memory.force_start.extend_from_slice(&active.row_start);
    } else {
        memory.force_start.push(0);
        for (family, own) in model.constraints.iter().zip(&active.own) {
            family.store_forces(active, own.clone(), (&impulses.p, length), memory);
        }
    }
    if active.runs.iter().any(|run| run.n_history > 0) {
        commit_histories(model, now, (active, impulses), step, next);
    }
}

#[inline(never)]
fn commit_histories(
    model: &Model,
    now: &State,
    (active, impulses): (&ActiveConstraints, &Impulses),
    step: (f64, f64),
    next: &mut State,
) {
    let memory = &mut next.memory;
    memory.history_start.push(0);
    for run in &active.runs {
        let law = model.law(run.law);
        let n = run.n_history;
        let mut histories = impulses.history(now, &active.ids[run.constraints.clone()], n);
        for (k, c) in run.constraints.clone().enumerate() {
            let own = &mut histories[k * n..(k + 1) * n];
            if n > 0 {
                let rows = active.rows(c);
                law.update(step, &impulses.p[rows.clone()], &active.u_minus[rows], own);
            }
            memory.histories.extend_from_slice(own);
            memory.history_start.push(memory.histories.len() as u32);
        }
    }
}
