//! The energy ledger of a θ-step: every column from its own formula.
//!
//! A step takes its forces at x_θ = θ x⁺ + (1−θ) x and moves by Δq = h v_φ; φ = θ in the θ-scheme. Multiplying
//! M Δv + h C v_θ + h K q_θ = h F_θ + Jᵀp + R by v_φ gives for linear systems the identity
//!
//! ```text
//! Δ(T + V) = external + viscous + impact + contact + friction + joint + prescribed + scheme
//!
//! a row's work = p (J v_φ + ġ_φ),   ġ = ∂g/∂t;    prescribed −= p ġ_φ
//! ```
//!
//! A normal row is an impact where its constraint carried nothing in the step before, else contact. The families add what their
//! forces and the scheme do; what is then missing is the remainder, which the ledger shows as a column of its own.

use super::solve::Impulses;
use crate::error::StepResult;
use crate::instants::Instants;
use crate::log::{StepLog, Works};
use crate::model::constraints::Column;
use crate::model::instant::Instant;
use crate::model::systems::ThetaStep;
use crate::model::{ActiveConstraints, Free, Model, State, Theta};

/// What the ledger reads of a θ-step.
pub struct Ledger<'a> {
    /// State before.
    pub now: &'a State,
    /// State after.
    pub next: &'a State,
    /// v⁺ in working axes.
    pub v_next: &'a [f64],
    /// Velocity of the forces of weight θ in working axes: v⁺, or another one.
    pub v_end: &'a [f64],
    /// h, and θ of the forces.
    pub rule: Theta,
    /// φ of Δq = h v_φ [–].
    pub phi: f64,
    /// The instants of the last pass.
    pub at: &'a Instants,
    /// The forces.
    pub free: &'a Free,
    /// The active constraints.
    pub active: &'a ActiveConstraints,
    /// Their impulses.
    pub impulses: &'a Impulses,
}

/// Writes energies, works, gaps, constraints and events of the step into the log; `v_phi` is scratch.
#[inline(always)]
pub fn account(model: &Model, step: &Ledger<'_>, v_phi: &mut Vec<f64>, log: &mut StepLog) -> StepResult {
    log.works = Works::default();
    if model.has_working_axes() {
        return account_rigid(model, step, v_phi, log);
    }
    let next = step.at.made(step.now, step.next, step.v_next);
    if !step.active.is_empty() || model.flows(step.rule, step.phi, step.free) {
        works_of(model, step, &next, v_phi, log)?;
    }
    log.energies = model.energies(&next)?;
    model.gaps(&next, &mut log.gaps)
}

/// The same where poses and presence count.
#[inline(never)]
fn account_rigid(
    model: &Model,
    step: &Ledger<'_>,
    v_phi: &mut Vec<f64>,
    log: &mut StepLog,
) -> StepResult {
    let mut rigid = std::mem::take(&mut log.rigid);
    model.rigid_states(step.next.t, &step.next.q, &step.next.v, &mut rigid)?;
    let end = step.at.end(step.now);
    let next = Instant { t: step.next.t, q: &step.next.q, v: step.v_next, rigid: &rigid, ..end };
    works_of(model, step, &next, v_phi, log)?;
    let (energies, exchange) = energies_of(model, step, next)?;
    log.works.exchange += exchange;
    log.energies = energies;
    model.gaps(&next, &mut log.gaps)?;
    log.rigid = rigid;
    Ok(())
}

/// Adds the works of rows, families and scheme to those of the log.
#[inline(never)]
fn works_of(
    model: &Model,
    step: &Ledger<'_>,
    next: &Instant<'_>,
    v_phi: &mut Vec<f64>,
    log: &mut StepLog,
) -> StepResult {
    let v = step.at.velocities(step.now);
    v_phi.resize(v.len(), 0.0);
    for ((mean, w), v) in v_phi.iter_mut().zip(step.v_next).zip(v) {
        *mean = step.phi * w + (1.0 - step.phi) * v;
    }
    if !step.active.is_empty() {
        if model.is_elastic() {
            let n = step.active.n_rows();
            log.rates.resize(3 * n, 0.0);
            let (now, rest) = log.rates.split_at_mut(n);
            let (next, phi) = rest.split_at_mut(n);
            step.active.jacobian.multiply_many([v, step.v_next, v_phi], [now, next, phi]);
        }
        row_works(model, step, v_phi, log);
    }
    if model.flows(step.rule, step.phi, step.free) || model.is_elastic() {
        add_flows(model, step, next, v_phi, log)?;
    }
    if let Some((struck, _)) = &log.struck {
        log.works += *struck;
    }
    Ok(())
}

/// Adds what families of systems and springs book themselves.
#[inline(never)]
fn add_flows(
    model: &Model,
    step: &Ledger<'_>,
    next: &Instant<'_>,
    v_phi: &[f64],
    log: &mut StepLog,
) -> StepResult {
    let n = if model.is_elastic() { step.active.n_rows() } else { 0 };
    let (now, rest) = log.rates[..3 * n].split_at_mut(n);
    let (end, phi) = rest.split_at_mut(n);
    if n > 0 && !std::ptr::eq(step.v_end, step.v_next) {
        step.active.jacobian.multiply(step.v_end, end);
    }
    let pass = step.at.pass(step.now);
    let made = ThetaStep {
        now: pass.now,
        mass: pass.mass,
        next: *next,
        end: Instant { v: step.v_end, ..*next },
        rule: step.rule,
        phi: step.phi,
        ahead: pass.implicit.ahead,
        v_phi,
        free: step.free,
        active: step.active,
        p: &step.impulses.p,
        u: [now, end, phi],
    };
    model.works(&made, &mut log.works)
}

/// Energies at the end, and what bodies that appear bring less what bodies that leave take along.
#[inline]
fn energies_of(
    model: &Model,
    step: &Ledger<'_>,
    next: Instant<'_>,
) -> StepResult<(crate::log::Energies, f64)> {
    let after = model.energies(&Instant { presence: &step.next.presence, ..next })?;
    if step.next.presence.is_empty() || step.now.presence == step.next.presence {
        return Ok((after, 0.0));
    }
    let before = model.energies(&Instant { presence: &step.now.presence, ..next })?;
    Ok((after, after.kinetic + after.potential - before.kinetic - before.potential))
}

/// Works of all rows, and what happened to the constraints.
#[inline(always)]
fn row_works(model: &Model, step: &Ledger<'_>, v_phi: &[f64], log: &mut StepLog) {
    let (active, p, phi) = (step.active, &step.impulses.p, step.phi);
    let lines = &mut log.constraints;
    lines.name(active, p);
    // u_φ stands in the place of work until it is multiplied by p.
    if model.is_elastic() {
        let n = p.len();
        lines.u_plus.copy_from_slice(&log.rates[n..2 * n]);
        lines.work.copy_from_slice(&log.rates[2 * n..3 * n]);
    } else {
        active.jacobian.multiply_two([step.v_next, v_phi], [&mut lines.u_plus, &mut lines.work]);
    }
    let rates = |row: usize| active.rates.get(row).copied().unwrap_or_default();
    let first = log.events.len();
    for (family, own) in model.constraints.iter().zip(&active.own) {
        for c in own.clone() {
            let rows = active.rows(c);
            rows.clone().for_each(|row| log.constraints.u_plus[row] += rates(row)[1]);
            if p[rows.clone()].iter().all(|p| *p == 0.0) {
                log.constraints.work[rows].fill(0.0);
                continue;
            }
            let begins = step.impulses.before[rows.start] <= 0.0 && !log.was_struck(active.ids[c]);
            let (first, rubbed) = (family.column(model, active.laws[c], 0), log.works.friction);
            for (k, row) in rows.clone().enumerate() {
                let [now, next] = rates(row);
                let rate = phi * next + (1.0 - phi) * now;
                let work = p[row] * (log.constraints.work[row] + rate);
                log.constraints.work[row] = work;
                let works = &mut log.works;
                let column = if k == 0 { first } else { family.column(model, active.laws[c], k) };
                works.add_driven(column == Column::Drive, -p[row] * rate);
                match column {
                    Column::Contact if begins => works.impact += work,
                    Column::Contact => works.contact += work,
                    Column::Friction => works.friction += work,
                    Column::Joint => works.joint += work,
                    Column::Drive => works.drive += work,
                    Column::Own => {}
                }
            }
            if begins && p[rows.start] > 0.0 && first == Column::Contact {
                log.works.name_gain(rubbed);
                log.impact(c, step.next.t);
            }
        }
    }
    if first < log.events.len() {
        log.set_whole(first, log.constraints.work.iter().sum());
    }
    if let Some((_, p)) = &log.struck {
        log.constraints.impulse.iter_mut().zip(p).for_each(|(to, p)| *to += p);
    }
}
