//! Positions and velocities that both meet their constraints: one Newton iteration of the generalized-α scheme.
//!
//! ```text
//! M z = f + J_bᵀ λ̃,   J_b ṽ + ∂g/∂t = 0;      q⁺ = q ⊕ (Δ̃ + U),   M U = Jᵀ ν;      v⁺ = ṽ + W,   M W = Jᵀ Λ
//! ```
//!
//! with Δ̃ and ṽ linear in z, b the joints, and the laws on y⁺ and on u⁺. Given r = f − M z, U and W of the last iterate i,
//! S = M + γ' C + β' K, γ' = ∂ṽ/∂z and β' = ∂Δ̃/∂z: since β' S⁻¹ K U = U − S⁻¹ (M + γ' C) U, the elasticity that U strains
//! is solved exactly,
//!
//! ```text
//! (1)  Δ⁺ = Δ̃ + β' S⁻¹ r + Uⁱ + S⁻¹ (Jᵀ μ − Jᵀ νⁱ) + γ' S⁻¹ C (U − Uⁱ)     y⁺ = 0 on joints, 0 ≤ y⁺ ⟂ μ ≥ 0 on contacts
//! (2)  ν = μ on contacts, and on joints such that J ṽ⁺ + ∂g/∂t = 0:   y + J (U − Uⁱ) = (β'/γ') (J ṽ + ∂g/∂t)
//! (3)  U = M⁻¹ Jᵀ ν,   β' δz = Δ⁺ − Δ̃ − U,   λ̃ = (μ − ν)/β'
//! (4)  v⁺ = ṽ + γ' δz + W − γ' S⁻¹ C (W − Wⁱ),   W = M⁻¹ Jᵀ Λ,   the law on joints and on contacts with ν > 0
//! ```
//!
//! With friction Λ has components along tangents, in the cone of the law against u_T⁺. A position has no slip: there ν_T = h/2 Λ_T of the
//! last iterate, the displacement of a force that is constant over the step, and (1) is for the normals. So what sticks stands, and the
//! friction of what slides acts on positions with second order.
//!
//! y is the gap at qⁱ and J, M are taken there; contacts are posed anew at every iterate. C is the matrix of linear systems; without it all
//! three problems are symmetric, and one iteration is exact for linear models. With it U and W are coupled through C, (1) and (4) are
//! solved one after the other, and the iteration converges linearly, slowly where h C ≫ M. [Bruls14] Vectors are kept in the axes of the
//! state and worked on in world axes at the iterate.

use super::newmark::{Smooth, Weights};
use super::stage::{ByConstraint, Stage, is_rough};
use crate::error::StepResult;
use crate::log::StepLog;
use crate::model::errors::{check_coordinates, check_finite};
use crate::model::instant::Place;
use crate::model::instant::{Instant, Pass};
use crate::model::{ActiveConstraints, Coeffs, ConstraintId, GapsOf, Model, State};
use crate::part::Part;
use crate::phases::{LawForm, Mass, SolverSettings, factorize};

/// Rounding of a position that went through a few sums, relative.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// The iterate and its problems.
#[derive(Default)]
pub(super) struct TwoLevels {
    /// t⁺, q⁺ and v⁺, in world axes there.
    pub(super) here: Place,
    /// Δ⁺ [m, rad].
    pub(super) step: Vec<f64>,
    /// v⁺ as in the state.
    pub(super) v: Vec<f64>,
    /// (1), (2) and (4).
    pub(super) position: Stage,
    /// Joints only.
    pub(super) joint: Stage,
    /// Joints and closed contacts.
    pub(super) velocity: Stage,
    /// μ.
    pub(super) mu: ByConstraint,
    /// ν.
    pub(super) nu: ByConstraint,
    /// M⁻¹ at the iterate.
    pub(super) mass: Mass,
    /// All joints.
    joints: Vec<ConstraintId>,
    lambda: ByConstraint,
    /// Constraints that take part: joints, and contacts that were inside at an iterate.
    taking_part: Vec<ConstraintId>,
    closed: Vec<ConstraintId>,
    stiff: Mass,
    is_damped: bool,
    /// Whether a law has friction, and the length of the step [s].
    has_friction: bool,
    h: f64,
    /// U and W.
    shift: Vec<f64>,
    jump: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
    /// ṽ, U or W in world axes.
    turned: Vec<f64>,
    scratch: Vec<f64>,
    more: Vec<f64>,
    /// Which constraints of the position stage are joints.
    are_joints: Vec<bool>,
    gaps: Vec<f64>,
    last_change: f64,
}

/// Whether a constraint is a joint: springs are forces here.
pub(super) fn is_joint(model: &Model, active: &ActiveConstraints, c: usize) -> bool {
    let forms = model.law(active.laws[c]).forms();
    forms.bilateral && forms.impact
}

impl TwoLevels {
    /// The first iterate: the smooth motion, nothing in contact.
    pub(super) fn begin(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        start: &ActiveConstraints,
        smooth: &Smooth,
    ) -> StepResult {
        self.joints.clear();
        let joints = (0..start.len()).filter(|&c| is_joint(model, start, c));
        self.joints.extend(joints.map(|c| start.ids[c]));
        self.taking_part.clone_from(&self.joints);
        [&mut self.mu, &mut self.nu, &mut self.lambda].into_iter().for_each(ByConstraint::clear);
        let n = smooth.v.len();
        for x in [&mut self.shift, &mut self.jump] {
            x.clear();
            x.resize(n, 0.0);
        }
        for x in [&mut self.x, &mut self.y, &mut self.turned, &mut self.step, &mut self.v] {
            x.resize(n, 0.0);
        }
        self.is_damped = model.systems.iter().any(|family| family.is_damped());
        (self.has_friction, self.h) = (model.laws().any(|law| law.forms().friction), h);
        self.last_change = f64::INFINITY;
        self.here.t = now.t + h;
        self.here.inputs.clone_from(&now.inputs);
        self.here.angles.clone_from(&now.angles);
        self.stand(model, now, smooth)
    }

    /// Goes to Δ̃ + U and ṽ + W.
    fn stand(&mut self, model: &Model, now: &State, smooth: &Smooth) -> StepResult {
        let TwoLevels { here, step, v, shift, jump, .. } = self;
        for i in 0..v.len() {
            (step[i], v[i]) = (smooth.step[i] + shift[i], smooth.v[i] + jump[i]);
        }
        model.rigid.hold_absent(&now.presence, step);
        here.q.resize(now.q.len(), 0.0);
        model.retract(&now.q, step, &mut here.q);
        check_coordinates(model, &here.q)?;
        check_finite(model, "velocity", v)?;
        here.v.resize(v.len(), 0.0);
        model.to_working(&here.q, v, &mut here.v);
        here.complete(model, &now.presence, v)
    }

    /// S and M at the iterate.
    pub(super) fn factor(&mut self, model: &Model, now: &State, weights: Weights) -> StepResult {
        let TwoLevels { here, position, joint, velocity, stiff, mass, .. } = self;
        for stage in [&mut *joint, velocity] {
            stage.problem.delassus.release();
        }
        let at = here.instant(&now.presence);
        let (part, pass) = (Part::whole(at.t, 0.0), Pass::at(&at));
        let coeffs = Coeffs { damping: weights.velocity, stiffness: weights.position };
        factorize(model, &part, &pass, coeffs, &mut position.problem, stiff)?;
        factorize(model, &part, &pass, Coeffs::MASS, &mut position.problem, mass)
    }

    /// (1) to (3), from r in world axes; changes z.
    pub(super) fn positions(
        &mut self,
        (model, now): (&Model, &State),
        r: &[f64],
        weights: Weights,
        smooth: &mut Smooth,
        settings: &mut SolverSettings,
        log: &mut StepLog,
    ) -> StepResult {
        self.displace((model, now), r, weights)?;
        self.solve_positions((model, now), weights.velocity, settings, log)?;
        self.solve_joints((model, now), weights.position / weights.velocity, smooth, settings, log)?;
        // x = Δ⁺ − Δⁱ, turned = Uⁱ.
        let TwoLevels { here, mass, position, nu, shift, x, y, turned, scratch, .. } = self;
        model.to_working(&here.q, shift, turned);
        position.push(nu, |_| true, y);
        mass.groups().solve(y, scratch);
        for i in 0..y.len() {
            x[i] = (x[i] + turned[i] - y[i]) / weights.position;
        }
        model.to_state(&here.q, x);
        model.to_state(&here.q, y);
        smooth.z.iter_mut().zip(&*x).for_each(|(z, dz)| *z += dz);
        std::mem::swap(shift, y);
        Ok(())
    }

    /// The displacement from Δⁱ without μ, into the position stage.
    fn displace(&mut self, (model, now): (&Model, &State), r: &[f64], weights: Weights) -> StepResult {
        let TwoLevels { here, stiff, mass, taking_part, position, nu, shift, x, y, turned, .. } = self;
        let (at, scratch) = (here.instant(&now.presence), &mut self.scratch);
        position.evaluate(model, taking_part, &at)?;
        position.push(nu, |_| true, x);
        y.iter_mut().zip(r.iter().zip(&*x)).for_each(|(y, (r, x))| *y = weights.position * r - x);
        mass.groups().solve(x, scratch);
        model.to_working(&here.q, shift, turned);
        let mut free = std::mem::take(&mut position.free.v);
        free.clear();
        free.extend(x.iter().zip(&*turned).map(|(x, shift)| x - shift));
        if self.is_damped {
            // C U of the contacts; that of joints, which hardly move, stays as it was.
            position.push(nu, |c| !is_joint(model, &position.active, c), x);
            mass.groups().solve(x, scratch);
            model.times(&at, [0.0, -weights.velocity, 0.0], x, y)?;
        }
        stiff.groups().solve(y, scratch);
        free.iter_mut().zip(&*y).for_each(|(free, y)| *free += y);
        position.free.v = free;
        check_finite(model, "position", &position.free.v)
    }

    /// (1): μ, and Δ⁺ − Δⁱ in `x`.
    fn solve_positions(
        &mut self,
        (model, now): (&Model, &State),
        gamma: f64,
        settings: &mut SolverSettings,
        log: &mut StepLog,
    ) -> StepResult {
        let TwoLevels { here, stiff, mass, position, mu, x, turned, scratch, are_joints, .. } = self;
        mu.read(&position.active, &mut position.multipliers.p);
        position.active.offset.clone_from(&position.y);
        for c in (0..position.active.len()).filter(|&c| is_rough(model, &position.active, c)) {
            let tangents = position.active.rows(c).skip(1);
            let known =
                self.lambda.of(position.active.ids[c]).iter().skip(1).chain(std::iter::repeat(&0.0));
            tangents.zip(known).for_each(|(row, p)| position.multipliers.p[row] = 0.5 * self.h * p);
        }
        if self.is_damped || self.has_friction {
            let at = here.instant(&now.presence);
            are_joints.clear();
            are_joints.extend((0..position.active.len()).map(|c| is_joint(model, &position.active, c)));
            let respond = |c: usize, column: &mut [f64]| {
                if !are_joints[c] && self.is_damped {
                    turned.copy_from_slice(column);
                    mass.groups().solve(turned, scratch);
                    model.times(&at, [0.0, gamma, 0.0], turned, column)?;
                }
                stiff.groups().solve(column, scratch);
                Ok(())
            };
            if self.has_friction {
                position.solve_normals((model, now), respond, settings, log, x)?;
            } else {
                position.solve_by((model, now), LawForm::Contact, respond, settings, log, x)?;
            }
        } else {
            position.solve((model, now), LawForm::Contact, stiff, settings, log, x)?;
        }
        mu.store(&position.active, &position.multipliers.p);
        Ok(())
    }

    /// (2): ν.
    fn solve_joints(
        &mut self,
        (model, now): (&Model, &State),
        ratio: f64,
        smooth: &Smooth,
        settings: &mut SolverSettings,
        log: &mut StepLog,
    ) -> StepResult {
        let TwoLevels { here, mass, joints, position, joint, mu, nu, shift, y, turned, .. } = self;
        let (at, scratch) = (here.instant(&now.presence), &mut self.scratch);
        joint.evaluate(model, joints, &at)?;
        nu.read(&joint.active, &mut joint.multipliers.p);
        nu.store(&position.active, &position.multipliers.p);
        if joint.active.is_empty() {
            return Ok(());
        }
        position.push(mu, |c| !is_joint(model, &position.active, c), y);
        mass.groups().solve(y, scratch);
        for (offset, y) in joint.active.offset.iter_mut().zip(&joint.y) {
            *offset = y - ratio * *offset;
        }
        let free = &mut joint.free.v;
        model.to_working(&here.q, shift, turned);
        free.clear();
        free.extend(y.iter().zip(&*turned).map(|(y, shift)| y - shift));
        model.to_working(&here.q, &smooth.v, turned);
        free.iter_mut().zip(&*turned).for_each(|(free, v)| *free -= ratio * v);
        joint.solve((model, now), LawForm::Contact, mass, settings, log, y)?;
        for c in 0..joint.active.len() {
            nu.set(joint.active.ids[c], &joint.multipliers.p[joint.active.rows(c)]);
        }
        Ok(())
    }

    /// The joints, and the contacts whose force outweighs their gap.
    fn close(&mut self, model: &Model) {
        let TwoLevels { position, closed, .. } = self;
        closed.clear();
        for c in 0..position.active.len() {
            let row = position.active.rows(c).start;
            let presses =
                || position.weight(row) * position.multipliers.p[row] > position.multipliers.u[row];
            if is_joint(model, &position.active, c) || presses() {
                closed.push(position.active.ids[c]);
            }
        }
    }

    /// (4), with ṽ after (3); `start` holds the constraints at the start of the step. Changes z where C does.
    pub(super) fn velocities(
        &mut self,
        (model, now): (&Model, &State),
        start: &ActiveConstraints,
        gamma: f64,
        smooth: &mut Smooth,
        settings: &mut SolverSettings,
        log: &mut StepLog,
    ) -> StepResult {
        self.close(model);
        let TwoLevels { here, stiff, mass, closed, velocity, lambda, jump, x, y, turned, .. } = self;
        let (at, scratch, more) = (here.instant(&now.presence), &mut self.scratch, &mut self.more);
        velocity.evaluate(model, closed, &at)?;
        take_velocities(start, &mut velocity.active);
        velocity.free.v.resize(smooth.v.len(), 0.0);
        model.to_working(&here.q, &smooth.v, &mut velocity.free.v);
        lambda.read(&velocity.active, &mut velocity.multipliers.p);
        if self.is_damped {
            let mut damp = |w: &[f64], out: &mut Vec<f64>| -> StepResult {
                out.clear();
                out.resize(w.len(), 0.0);
                model.times(&at, [0.0, gamma, 0.0], w, out)?;
                stiff.groups().solve(out, scratch);
                Ok(())
            };
            model.to_working(&here.q, jump, turned);
            damp(turned, y)?;
            velocity.free.v.iter_mut().zip(&*y).for_each(|(free, y)| *free += y);
            let respond = |_: usize, column: &mut [f64]| {
                mass.groups().solve(column, more);
                damp(column, y)?;
                column.iter_mut().zip(&*y).for_each(|(column, y)| *column -= y);
                Ok(())
            };
            velocity.solve_by((model, now), LawForm::Step, respond, settings, log, x)?;
        } else {
            velocity.solve((model, now), LawForm::Step, mass, settings, log, x)?;
        }
        lambda.store(&velocity.active, &velocity.multipliers.p);
        velocity.push(lambda, |_| true, y);
        mass.groups().solve(y, scratch);
        if self.is_damped {
            // ṽ⁺ − ṽ = γ' δz.
            model.to_working(&here.q, &smooth.v, turned);
            for i in 0..x.len() {
                x[i] = (x[i] - y[i] - turned[i]) / gamma;
            }
            model.to_state(&here.q, x);
            smooth.z.iter_mut().zip(&*x).for_each(|(z, dz)| *z += dz);
        }
        model.to_state(&here.q, y);
        std::mem::swap(jump, y);
        Ok(())
    }

    /// Moves the iterate; returns how far, relative to the velocities at hand, rounding of positions aside.
    pub(super) fn advance(
        &mut self,
        (model, now): (&Model, &State),
        h: f64,
        start: &ActiveConstraints,
        smooth: &Smooth,
    ) -> StepResult<f64> {
        self.x.copy_from_slice(&self.step);
        self.y.copy_from_slice(&self.v);
        self.stand(model, now, smooth)?;
        let TwoLevels { here, step, v, x, y, last_change, .. } = self;
        let largest = |x: &[f64]| x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let apart =
            |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        let size = largest(v).max(largest(&smooth.v)).max(largest(&now.v));
        let reach = largest(&here.q);
        let change = apart(v, y).max((apart(step, x) - ROUNDING * reach) / h);
        let stagnant = h * change <= ROUNDING * reach && change >= *last_change;
        *last_change = change;
        if self.find_entered(model, now, start)? {
            return Ok(f64::INFINITY);
        }
        Ok(if change <= 0.0 || stagnant { 0.0 } else { change / size })
    }

    /// Lets contacts take part that are inside at the iterate; whether there are new ones.
    fn find_entered(
        &mut self,
        model: &Model,
        now: &State,
        start: &ActiveConstraints,
    ) -> StepResult<bool> {
        let TwoLevels { here, taking_part, gaps, .. } = self;
        let at: Instant<'_> = here.instant(&now.presence);
        let known = taking_part.len();
        for (family, own) in model.constraints.iter().zip(&start.own) {
            gaps.clear();
            family.gaps(model, &at, GapsOf::Active(start, own), gaps)?;
            for (c, _) in own.clone().zip(&*gaps).filter(|(_, gap)| **gap < 0.0) {
                let is_known = taking_part[..known].binary_search(&start.ids[c]).is_ok();
                if !is_known && !model.law(start.laws[c]).forms().bilateral {
                    taking_part.push(start.ids[c]);
                }
            }
        }
        taking_part.sort_unstable();
        Ok(taking_part.len() > known)
    }
}

/// Takes u⁻ from the constraints at the start of the step.
pub(super) fn take_velocities(start: &ActiveConstraints, active: &mut ActiveConstraints) {
    for c in 0..active.len() {
        if let Ok(s) = start.ids.binary_search(&active.ids[c]) {
            let rows = active.rows(c);
            active.u_minus[rows].copy_from_slice(&start.u_minus[start.rows(s)]);
        }
    }
}
