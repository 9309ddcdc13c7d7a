//! Projection: the end of the step moves onto the constraints that took part in it.
//!
//! ```text
//! q⁺ ← q⁺ + M(q⁺)⁻¹ Hᵀ λ          y = g(q⁺, t⁺),  H = ∂g/∂q(q⁺, t⁺),  W = H M⁻¹ Hᵀ
//! onto the surface       y + W λ = 0, λ of either sign: joints, contacts that are to close, contacts once moved out
//! onto what is allowed   0 ≤ y + W λ ⟂ λ ≥ 0: the others
//! ```
//!
//! repeated until every |y| (or, where only overlap counts, every −y) is within the tolerance: Newton's iteration for the
//! nearest point in the metric of M. A contact that one pass moved out is held on the surface by the next ones, lest
//! the corrections of its neighbours open it again. Velocities stay as they are. The energy that this adds, T + V after
//! less T + V before, is the column `projection` of the ledger. Of rigid bodies all points that overlap are moved out,
//! those that nearly touch held apart; the normals are those of q⁺. [Acary13]

use super::account::{Accounting, energies};
use super::apply::apply;
use super::assemble::{Assembly, assemble};
use super::detect::Rows;
use super::factorize::{Coeffs, Factors, factorize};
use super::free_motion::Free;
use super::iterate::Iterate;
use super::solve::{Impulses, solve};
use super::survey::survey;
use crate::error::{StepError, StepResult, check_coordinates};
use crate::integrators::Solving;
use crate::laws::StepForm;
use crate::log::StepLog;
use crate::model::{Key, Model, State};
use glam::DVec3;
use nonsmooth_solvers::Set;

/// Where and how closely the end of the step is projected.
#[derive(Clone, Copy, Debug)]
pub struct Projection {
    /// Whether contacts that carried an impulse end on the surface, y = 0, even if they were apart.
    pub onto_surface: bool,
    /// Whether contacts that overlap are moved out even if they did not take part.
    pub all: bool,
    /// Largest |y| that counts as zero [m].
    pub tolerance: f64,
    /// Most passes of Newton's iteration.
    pub iterations: usize,
}

/// Scratch of the projection.
#[derive(Default)]
pub struct Projecting {
    at: Iterate,
    rows: Rows,
    factors: Factors,
    free: Free,
    assembly: Assembly,
    multipliers: Impulses,
    dq: Vec<f64>,
    /// The constraints onto which q⁺ is moved, ascending, and which of them onto the surface.
    keys: Vec<Key>,
    surface: Vec<bool>,
    gaps: Vec<f64>,
    /// q⁺ as the velocities gave it.
    unprojected: Vec<f64>,
}

/// Moves `next.q` onto the constraints that `scratch` has selected; keeps there what it was.
pub fn project(
    model: &Model,
    rule: Projection,
    solving: &mut Solving,
    scratch: &mut Projecting,
    next: &mut State,
    log: &mut StepLog,
) -> StepResult {
    scratch.unprojected.clone_from(&next.q);
    for pass in 0.. {
        if rule.all {
            scratch.add_entered(model, rule.tolerance, next)?;
        }
        let (violation, worst) = scratch.evaluate(model, next)?;
        if violation <= rule.tolerance {
            return Ok(());
        }
        if pass >= rule.iterations {
            let constraint = worst.map_or(String::new(), |place| place.name(model));
            let tolerance = rule.tolerance;
            return Err(
                StepError::Projection { iterations: pass, constraint, violation, tolerance }.into()
            );
        }
        scratch.correct(model, solving, next, log)?;
    }
    Ok(())
}

/// What is farthest off.
#[derive(Clone, Copy)]
enum Place {
    Constraint(Key),
    /// Two bodies.
    Bodies([u32; 2]),
}

impl Place {
    fn name(self, model: &Model) -> String {
        match self {
            Place::Constraint(key) => model.constraints.name(key).to_owned(),
            Place::Bodies(pair) => {
                let [a, b] = pair.map(|i| &model.bodies.names[i as usize]);
                format!("contact of `{a}` and `{b}`")
            }
        }
    }
}

impl Projecting {
    /// Selects the constraints that took part, with impulses `p`, and have a gap.
    pub fn select(&mut self, model: &Model, active: &Rows, p: &[f64], rule: Projection) {
        self.keys.clear();
        self.surface.clear();
        for (i, &key) in active.keys.iter().enumerate().filter(|(i, _)| active.components[*i] == 0) {
            if (key.0 as usize) < model.constraints.n_gaps() {
                let joint = model.constraints.always[key.0 as usize];
                self.keys.push(key);
                self.surface.push(joint || rule.onto_surface && p[i] > 0.0);
            }
        }
    }

    /// Selects also the contacts that overlap at `next.q`; those of earlier passes stay.
    fn add_entered(&mut self, model: &Model, tolerance: f64, next: &State) -> StepResult {
        model.gaps(next, &mut self.rows.local_q, &mut self.gaps)?;
        for (i, _) in self.gaps.iter().enumerate().filter(|(_, gap)| **gap < -tolerance) {
            if let Err(place) = self.keys.binary_search(&Key(i as u64)) {
                self.keys.insert(place, Key(i as u64));
                self.surface.insert(place, false);
            }
        }
        Ok(())
    }

    /// Gaps and Jacobians of the selected constraints at `next.q`; returns the largest violation and its place.
    fn evaluate(&mut self, model: &Model, next: &State) -> StepResult<(f64, Option<Place>)> {
        let Self { keys, surface, rows, .. } = self;
        survey(model, keys, next, rows)?;
        let (mut largest, mut worst) = (0.0, None);
        for (i, &key) in keys.iter().enumerate() {
            let set = if surface[i] { Set::Free } else { Set::Nonnegative };
            rows.forms[i] = StepForm { set, restitution: 0.0, tangential_restitution: 0.0 };
            let violation = if surface[i] { rows.gap[i].abs() } else { -rows.gap[i] };
            if violation > largest {
                (largest, worst) = (violation, Some(Place::Constraint(key)));
            }
        }
        if !model.bodies.is_empty() {
            let (overlap, bodies) = rows.touches.survey(model, next)?;
            if overlap > largest {
                (largest, worst) = (overlap, bodies.map(Place::Bodies));
            }
        }
        Ok((largest, worst))
    }

    /// One pass: solves for λ and moves `next.q`.
    fn correct(
        &mut self,
        model: &Model,
        solving: &mut Solving,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        let Self { at, rows, factors, free, assembly, multipliers, dq, surface, .. } = self;
        at.rest_at(next);
        factorize(model, at, Coeffs::EXPLICIT, factors)?;
        free.v.clear();
        free.v.resize(next.v.len(), 0.0);
        assemble(model, rows, factors, free, assembly);
        // The solver also sees the problems of the velocities, whose stamps count apart.
        assembly.problem.matrix_stamp = None;
        multipliers.p.clear();
        multipliers.p.resize(rows.keys.len() + rows.touches.len(), 0.0);
        solve(rows, assembly, &mut *solving.solver, solving.tolerance, multipliers, log)?;
        log.set_aside();
        apply(model, free, rows, &multipliers.p, factors, dq);
        surface.iter_mut().zip(&multipliers.p).for_each(|(surface, p)| *surface |= *p > 0.0);
        let first = model.bodies.first_q;
        next.q[..first].iter_mut().zip(&*dq).for_each(|(q, dq)| *q += dq);
        for i in 0..model.bodies.n {
            let (shift, turn) = model.bodies.twist(dq, i);
            if shift != DVec3::ZERO || turn != DVec3::ZERO {
                model.bodies.displace(&mut next.q, i, shift, turn);
            }
        }
        check_coordinates(model, &next.q)
    }

    /// Swaps q⁺ as the velocities gave it with its projection.
    pub fn exchange(&mut self, next: &mut State) {
        std::mem::swap(&mut self.unprojected, &mut next.q);
    }

    /// Overwrites every number with NaN.
    pub(crate) fn poison(&mut self) {
        let Self { at, rows, factors, free, assembly, multipliers, dq, .. } = self;
        at.poison();
        rows.poison();
        factors.poison();
        free.poison();
        assembly.poison();
        multipliers.poison();
        dq.fill(f64::NAN);
        let Self { keys, surface, gaps, unprojected, .. } = self;
        keys.clear();
        surface.clear();
        gaps.fill(f64::NAN);
        unprojected.fill(f64::NAN);
    }
}

/// Adds to `keys` the contacts that did not take part and end beyond `tolerance` inside; whether there were any.
/// `gaps` are those at the end of the step.
pub fn entered(model: &Model, active: &Rows, gaps: &[f64], tolerance: f64, keys: &mut Vec<Key>) -> bool {
    let known = keys.len();
    let inside = gaps.iter().enumerate().filter(|(_, gap)| **gap < -tolerance);
    let inside = inside.map(|(i, _)| Key(i as u64));
    keys.extend(inside.filter(|key| {
        active.keys.binary_search(key).is_err() && !model.constraints.always[key.0 as usize]
    }));
    keys.len() > known
}

/// Books the projection: energies and gaps are those of `next`, the log has those before.
pub fn account_projection(
    model: &Model,
    next: &State,
    scratch: &mut Accounting,
    log: &mut StepLog,
) -> StepResult {
    let before = log.energies;
    log.energies = energies(model, next, scratch)?;
    let kinetic = log.energies.kinetic - before.kinetic;
    log.works.projection = kinetic + (log.energies.potential - before.potential);
    model.gaps(next, &mut scratch.part, &mut log.gaps)
}
