//! The solve: any registered solver, judged by the certificate; one place decides what a miss means.

use super::assemble::Assembly;
use super::detect::Rows;
use crate::error::{StepError, StepResult};
use crate::log::StepLog;
use crate::model::{Model, State};
use nonsmooth_solvers::{Report, Solver, Status};

/// What to do with a step whose problem was not brought to tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Stop the run. The default.
    Stop,
    /// Go on, and count it.
    CountUnconverged,
}

/// The impulses of a step and what the law makes of them.
#[derive(Default)]
pub struct Impulses {
    /// p, one per row [N·s].
    pub p: Vec<f64>,
    /// p of the step before of constraints, scaled to this step's size; 0 for contacts that are new [N·s].
    pub previous: Vec<f64>,
    /// Scratch of the certificate: W p + u_free [m/s].
    pub u: Vec<f64>,
}

impl Impulses {
    /// Overwrites every number with NaN.
    pub(crate) fn poison(&mut self) {
        for x in [&mut self.p, &mut self.previous, &mut self.u] {
            x.fill(f64::NAN);
        }
    }
}

/// The guess of p: what each contact carried in the last step, scaled by h/h_last.
#[inline]
pub fn warm_start(model: &Model, now: &State, rows: &Rows, h: f64, impulses: &mut Impulses) {
    impulses.previous.clear();
    impulses.p.clear();
    if !rows.keys.is_empty() {
        guess(now, rows, h, impulses);
    }
    if !rows.touches.is_empty() {
        guess_touches(model, now, rows, h, impulses);
    }
}

#[inline(never)]
fn guess(now: &State, rows: &Rows, h: f64, impulses: &mut Impulses) {
    let scale = if now.step_size > 0.0 { h / now.step_size } else { 1.0 };
    let mut k = 0;
    for key in &rows.keys {
        while now.contacts.keys.get(k).is_some_and(|known| known < key) {
            k += 1;
        }
        let known = now.contacts.keys.get(k) == Some(key);
        impulses.previous.push(if known { scale * now.contacts.impulses[k] } else { 0.0 });
        // The components of a contact follow each other under one key.
        k += usize::from(known);
    }
    impulses.p.extend_from_slice(&impulses.previous);
}

/// The same for contact points of bodies.
#[inline(never)]
fn guess_touches(model: &Model, now: &State, rows: &Rows, h: f64, impulses: &mut Impulses) {
    let scale = if now.step_size > 0.0 { h / now.step_size } else { 1.0 };
    if model.bodies.are_many() {
        impulses.u = Vec::new();
    }
    let mut known = now.touches.walk();
    impulses.p.reserve_exact(3 * rows.touches.len());
    for (i, key) in rows.touches.found.keys.iter().enumerate() {
        let p = known.find(key).map_or([0.0; 3], |p| p.map(|p| scale * p));
        impulses.p.extend_from_slice(&p[..rows.touches.form(model, i).set.dim()]);
    }
}

/// Solves the problem and notes the report; `judge` decides later whether it is good enough. Without rows
/// there is nothing to solve.
#[inline]
pub fn solve(
    rows: &Rows,
    assembly: &Assembly,
    solver: &mut dyn Solver,
    tolerance: f64,
    impulses: &mut Impulses,
    log: &mut StepLog,
) -> StepResult {
    if !rows.is_empty() {
        log.solves.push(solve_rows(assembly, solver, tolerance, impulses)?);
    }
    Ok(())
}

#[inline(never)]
fn solve_rows(
    assembly: &Assembly,
    solver: &mut dyn Solver,
    tolerance: f64,
    impulses: &mut Impulses,
) -> StepResult<Report> {
    let problem = &assembly.problem;
    let report = nonsmooth_solvers::solve(solver, problem, tolerance, &mut impulses.p, &mut impulses.u);
    if report.status == Status::Unsupported {
        solver.accepts(problem).map_err(|unsupported| Box::new(unsupported.into()))?;
    }
    Ok(report)
}

/// Applies the policy to the solve that made the step: the last one. Earlier ones belong to Newton iterates.
#[inline]
pub fn judge(model: &Model, rows: &Rows, tolerance: f64, policy: Policy, log: &StepLog) -> StepResult {
    match log.solves.last() {
        Some(report) => judge_solve(model, rows, tolerance, policy, report),
        None => Ok(()),
    }
}

/// Applies the policy to one solve, whose problem was that of `rows`.
#[inline]
pub fn judge_solve(
    model: &Model,
    rows: &Rows,
    tolerance: f64,
    policy: Policy,
    report: &Report,
) -> StepResult {
    if report.status == Status::Converged {
        return Ok(());
    }
    miss(model, rows, tolerance, policy, report)
}

#[cold]
fn miss(model: &Model, rows: &Rows, tolerance: f64, policy: Policy, report: &Report) -> StepResult {
    if policy == Policy::CountUnconverged && report.residual.is_finite() {
        return Ok(());
    }
    Err(StepError::NotConverged {
        status: report.status,
        method: report.method,
        residual: report.residual,
        tolerance,
        worst: report.worst.and_then(|c| rows.name(model, c)),
    }
    .into())
}
