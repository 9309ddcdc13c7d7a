//! The half kick to the velocity at q, where friction would drive what it can only stop.
//!
//! ```text
//! v_q = v̂ + τ M⁻¹ (f + Jᵀ λ)        λ of the kick
//! ```
//!
//! is right while reactions last. In the step in which sliding ends they do not: friction goes on for half a step, turns the slip round by up to
//! τ μ g, and does work on what it should stop. Such a contact is known by its slip at q, which goes along with what its own friction has
//! made of it: s · W_TT τ λ_T > 0. There the half kick is a problem of its own, with the laws on velocities at q:
//!
//! ```text
//! u = J v_q,   v_q = v̂ + τ M⁻¹ f + M⁻¹ Jᵀ p,      λ = p/τ
//! ```
//!
//! Positions and v̂ know nothing of it: it is the second solve of RATTLE, made only where it shows. Islands with more rows than a cut takes
//! go without: there friction ends somewhere in every step.

use super::classify::MOST_ROWS;
use super::drift::{Drift, half_kick};
use super::kick::Kick;
use crate::error::StepResult;
use crate::log::StepLog;
use crate::model::constraints::Column;
use crate::model::{ActiveConstraints, Free, Model};
use crate::phases::{Mass, PartBuffers, SolverSettings, solve_part};
use nonsmooth_solvers::{Problem, Status};

/// Slip along friction, relative to what friction has made of it, from which friction drives: contacts that stick move by O(h²).
const DRIVEN: f64 = 0.01;
/// Gap of contacts that take part, relative to their size: those that carried nothing may carry where friction ends.
const CLOSED: f64 = 1e-9;
/// Friction relative to the normal force that is noise of the solver.
const NOISE: f64 = 1e-9;
/// Slip relative to the fastest velocity that is rounding.
const ROUNDING: f64 = 1e-12;

/// Whether some contact has friction, and not too many rows are about.
fn may_drive(active: &ActiveConstraints, lambda: &[f64]) -> bool {
    active.n_rows() <= MOST_ROWS && (0..active.len()).any(|c| rubs(active, lambda, c))
}

/// Whether the constraint is a contact with one or two tangents whose friction is more than rounding.
fn rubs(active: &ActiveConstraints, lambda: &[f64], c: usize) -> bool {
    let rows = active.rows(c);
    (2..=3).contains(&rows.len())
        && lambda[rows.start] > 0.0
        && norm(&lambda[rows.start + 1..rows.end]) > NOISE * lambda[rows.start]
}

/// Whether friction of the half kick drives a contact: the half kick has made `free.v` of v̂, with which the rows have `u_hat`.
pub(super) fn drives(
    active: &ActiveConstraints,
    (v_hat, u_hat): (&[f64], &[f64]),
    (lambda, length): (&[f64], f64),
    (mass, free): (&Mass, &mut Free),
) -> bool {
    if !may_drive(active, lambda) {
        return false;
    }
    let Free { v, more, spare: [change, u, made], .. } = free;
    change.clear();
    change.extend(v.iter().zip(v_hat).map(|(v, v_hat)| v - v_hat));
    u.clear();
    u.resize(active.n_rows(), 0.0);
    (0..active.len()).for_each(|c| active.jacobian.dot(c, change, &mut u[active.rows(c)]));
    u.iter_mut().zip(u_hat).for_each(|(u, u_hat)| *u += u_hat);
    let fastest = v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    made.resize(v.len(), 0.0);
    (0..active.len()).any(|c| {
        let rows = active.rows(c);
        let tangents = rows.start + 1..rows.end;
        let slip = norm(&u[tangents.clone()]);
        if !rubs(active, lambda, c) || slip <= ROUNDING * fastest {
            return false;
        }
        let mut own = [0.0; 3];
        for (own, row) in own[1..].iter_mut().zip(tangents.clone()) {
            *own = length * lambda[row];
        }
        made.fill(0.0);
        active.jacobian.add_transposed(c, &own[..rows.len()], made);
        mass.groups().solve(made, more);
        active.jacobian.dot(c, made, &mut own[..rows.len()]);
        let along: f64 = own[1..].iter().zip(&u[tangents]).map(|(made, u)| made * u).sum();
        along > DRIVEN * norm(&own[1..rows.len()]).powi(2)
    })
}

/// Scratch of such a solve. The problem of the step stays, for those who ask for it.
#[derive(Default)]
pub(super) struct Settling {
    kick: Kick,
    list: Vec<u32>,
    /// Reactions of springs, which stay.
    elastic: Vec<f64>,
    p: Vec<f64>,
    problem: Problem,
    buffers: PartBuffers,
    log: StepLog,
}

/// Solves the half kick of `drift.lag` where the step stands; `lambda` holds the reactions of the kick on entry, those of the half kick on
/// return, and `free.v` the velocity. J is that of here. What is not brought to tolerance leaves both as they were.
pub(super) fn settle(
    model: &Model,
    drift: &Drift,
    (active, mass): (&mut ActiveConstraints, &Mass),
    settings: &mut SolverSettings,
    (lambda, free): (&mut [f64], &mut Free),
    scratch: &mut Settling,
) -> StepResult {
    let (here, length) = (drift.here(), drift.lag);
    let Settling { kick, list, elastic, p, problem, buffers, log } = scratch;
    list.clear();
    elastic.clear();
    elastic.resize(lambda.len(), 0.0);
    for (family, own) in model.constraints.iter().zip(&active.own) {
        for c in own.clone() {
            let rows = active.rows(c);
            let is_closed = || active.gap[c] <= CLOSED * model.size_of(active.ids[c]);
            match family.column(model, active.laws[c], 0) {
                Column::Own => elastic[rows.clone()].copy_from_slice(&lambda[rows]),
                Column::Contact if lambda[rows.start] <= 0.0 && !is_closed() => {}
                _ => list.push(c as u32),
            }
        }
    }
    kick.before.clear();
    kick.before.extend(lambda.iter().map(|x| length * x));
    kick.set_laws(model, active, drift);
    for &c in &*list {
        let rows = active.rows(c as usize);
        let mut along = [0.0; 6];
        active.jacobian.dot(c as usize, here.v, &mut along[..rows.len()]);
        rows.zip(along).for_each(|(row, along)| active.offset[row] = active.u_minus[row] - along);
    }
    half_kick(model, drift, length, (active, elastic), mass, free)?;
    p.clone_from(&kick.before);
    log.clear();
    let solved = solve_part((active, list), mass, free, settings, problem, (p, buffers), log);
    problem.delassus.release();
    solved?;
    if log.solves.last().is_some_and(|report| report.status == Status::Converged) {
        for row in list.iter().flat_map(|&c| active.rows(c as usize)) {
            lambda[row] = p[row] / length;
        }
    }
    half_kick(model, drift, length, (active, lambda), mass, free)
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
