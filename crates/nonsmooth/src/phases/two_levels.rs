//! Positions and velocities that both meet their constraints: one Newton iteration of the generalized-α scheme.
//!
//! ```text
//! M z = f + H_Jᵀ λ̃,   H_J ṽ + ∂g/∂t = 0;      q⁺ = q̃ + U,   M U = Hᵀ ν;      v⁺ = ṽ + W,   M W = Hᵀ Λ
//! ```
//!
//! with q̃ and ṽ linear in z, J the joints, and the laws on y⁺ and on u⁺. Given r = f − M z, U and W of the last iterate i,
//! S = M + γ' C + β' K, γ' = ∂ṽ/∂z and β' = ∂q̃/∂z: since β' S⁻¹ K U = U − S⁻¹ (M + γ' C) U, the elasticity that U strains
//! is solved exactly,
//!
//! ```text
//! (1)  q⁺ = q̃ + β' S⁻¹ r + Uⁱ + S⁻¹ (Hᵀ μ − Hᵀ νⁱ) + γ' S⁻¹ C (U − Uⁱ)     y⁺ = 0 on joints, 0 ≤ y⁺ ⟂ μ ≥ 0 on contacts
//! (2)  ν = μ on contacts, and on joints such that H ṽ⁺ + ∂g/∂t = 0:   y + H (U − Uⁱ) = (β'/γ') (H ṽ + ∂g/∂t)
//! (3)  U = M⁻¹ Hᵀ ν,   β' δz = q⁺ − q̃ − U,   λ̃ = (μ − ν)/β'
//! (4)  v⁺ = ṽ + γ' δz + W − γ' S⁻¹ C (W − Wⁱ),   W = M⁻¹ Hᵀ Λ,   the law on joints and on contacts with ν > 0
//! ```
//!
//! y is the gap at qⁱ and H, M are taken there. C is that of linear systems; without it all three problems are
//! symmetric, and one iteration is exact for linear models. With it U and W are coupled through C, (1) and (4) are solved
//! one after the other, and the iteration converges linearly, slowly where h C ≫ M. [Bruls14]

use super::detect::Rows;
use super::factorize::{Coeffs, Factors, factorize};
use super::iterate::Iterate;
use super::newmark::Smooth;
use super::stage::Stage;
use super::survey::survey;
use crate::error::{StepResult, check_finite};
use crate::integrators::Solving;
use crate::log::StepLog;
use crate::model::{Key, Model, State};

/// Rounding of a position that went through a few sums, relative.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// ∂ṽ/∂z and ∂q̃/∂z.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// γ' [s].
    pub velocity: f64,
    /// β' [s²].
    pub position: f64,
}

/// The iterate and its problems.
#[derive(Default)]
pub struct TwoLevels {
    /// t⁺, q⁺, v⁺.
    pub there: State,
    /// The same for `factorize`.
    pub at: Iterate,
    /// (1), (2) and (4).
    pub position: Stage,
    /// Joints only.
    pub joint: Stage,
    /// Joints and closed contacts.
    pub velocity: Stage,
    /// μ by key.
    pub mu: Vec<f64>,
    /// ν by key.
    pub nu: Vec<f64>,
    /// All joints.
    pub joints: Vec<Key>,
    lambda: Vec<f64>,
    /// Constraints that take part: joints, and contacts that were inside at an iterate.
    keys: Vec<Key>,
    closed: Vec<Key>,
    stiff: Factors,
    mass: Factors,
    /// U and W.
    shift: Vec<f64>,
    jump: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
    last_change: f64,
}

impl TwoLevels {
    /// The first iterate: the smooth motion, nothing touched.
    pub fn begin(&mut self, model: &Model, t_next: f64, smooth: &Smooth) {
        let n_gaps = model.constraints.n_gaps();
        let joints = (0..n_gaps).filter(|&key| model.constraints.always[key]);
        self.joints.clear();
        self.joints.extend(joints.map(|key| Key(key as u64)));
        self.keys.clone_from(&self.joints);
        for x in [&mut self.mu, &mut self.nu, &mut self.lambda] {
            x.clear();
            x.resize(n_gaps, 0.0);
        }
        for x in [&mut self.shift, &mut self.jump] {
            x.clear();
            x.resize(smooth.v.len(), 0.0);
        }
        self.last_change = f64::INFINITY;
        self.there.t = t_next;
        self.there.q.clone_from(&smooth.q);
        self.there.v.clone_from(&smooth.v);
    }

    /// S and M at the iterate.
    pub fn factor(&mut self, model: &Model, weights: Weights) -> StepResult {
        let TwoLevels { at, there, stiff, mass, .. } = self;
        at.rest_at(there);
        let coeffs = Coeffs { damping: weights.velocity, stiffness: weights.position };
        factorize(model, at, coeffs, stiff)?;
        factorize(model, at, Coeffs::EXPLICIT, mass)
    }

    /// (1) to (3), from r; changes z.
    pub fn positions(
        &mut self,
        model: &Model,
        r: &[f64],
        weights: Weights,
        smooth: &mut Smooth,
        solving: &mut Solving,
        log: &mut StepLog,
    ) -> StepResult {
        self.displace(model, r, weights)?;
        self.solve_positions(model, weights.velocity, solving, log)?;
        self.solve_joints(model, weights.position / weights.velocity, smooth, solving, log)?;
        // x = q⁺ − qⁱ.
        let TwoLevels { mass, position, nu, shift, x, y, .. } = self;
        position.push(nu, y);
        mass.solve(model, y);
        for i in 0..y.len() {
            smooth.z[i] += (x[i] + shift[i] - y[i]) / weights.position;
        }
        std::mem::swap(shift, y);
        Ok(())
    }

    /// The displacement from qⁱ without μ, into the position stage.
    fn displace(&mut self, model: &Model, r: &[f64], weights: Weights) -> StepResult {
        let TwoLevels { there, stiff, mass, keys, position, nu, shift, x, y, .. } = self;
        survey(model, keys, there, &mut position.rows)?;
        position.push(nu, x);
        y.clear();
        y.extend(r.iter().zip(&*x).map(|(r, x)| weights.position * r - x));
        mass.solve(model, x);
        let free = &mut position.free.v;
        free.clear();
        free.extend(x.iter().zip(&*shift).map(|(x, shift)| x - shift));
        if let Some(damping) = &model.linear.damping {
            // C U of the contacts; that of joints, which hardly move, stays as it was.
            for (nu, joint) in nu.iter_mut().zip(&model.constraints.always) {
                *nu = if *joint { 0.0 } else { *nu };
            }
            position.push(nu, x);
            mass.solve(model, x);
            damping.multiply_add(-weights.velocity, x, &mut y[..model.linear.n]);
        }
        stiff.solve(model, y);
        position.free.v.iter_mut().zip(&*y).for_each(|(free, y)| *free += y);
        check_finite(model, "position", &position.free.v)
    }

    /// (1): μ, and q⁺ − qⁱ in `x`.
    fn solve_positions(
        &mut self,
        model: &Model,
        gamma: f64,
        solving: &mut Solving,
        log: &mut StepLog,
    ) -> StepResult {
        let TwoLevels { stiff, mass, keys, position, mu, x, y, .. } = self;
        position.guess(mu);
        let Some(damping) = &model.linear.damping else {
            position.solve(model, stiff, solving, log, x)?;
            position.store(mu);
            return Ok(());
        };
        let respond = |j: usize, column: &mut [f64]| {
            if !model.constraints.always[keys[j].0 as usize] {
                y.copy_from_slice(column);
                mass.solve(model, y);
                damping.multiply_add(gamma, y, &mut column[..model.linear.n]);
            }
            stiff.solve(model, column);
        };
        position.solve_by(respond, solving, log, x)?;
        position.store(mu);
        Ok(())
    }

    /// (2): ν.
    fn solve_joints(
        &mut self,
        model: &Model,
        ratio: f64,
        smooth: &Smooth,
        solving: &mut Solving,
        log: &mut StepLog,
    ) -> StepResult {
        let TwoLevels { there, mass, keys, joints, position, joint, mu, nu, shift, y, .. } = self;
        nu.fill(0.0);
        for key in keys.iter().map(|key| key.0 as usize) {
            nu[key] = if model.constraints.always[key] { 0.0 } else { mu[key] };
        }
        survey(model, joints, there, &mut joint.rows)?;
        joint.report = None;
        if joints.is_empty() {
            return Ok(());
        }
        position.push(nu, y);
        mass.solve(model, y);
        let rows = &mut joint.rows;
        for i in 0..rows.keys.len() {
            rows.bias[i] = rows.gap[i] - ratio * rows.rate_next[i];
        }
        let free = &mut joint.free.v;
        free.clear();
        free.extend((0..y.len()).map(|i| y[i] - shift[i] - ratio * smooth.v[i]));
        joint.guess(nu);
        joint.solve(model, mass, solving, log, y)?;
        joint.store(nu);
        Ok(())
    }

    /// The joints, and the contacts whose force outweighs their gap.
    fn close(&mut self, model: &Model) {
        let TwoLevels { position, closed, .. } = self;
        closed.clear();
        for (i, &key) in position.rows.keys.iter().enumerate() {
            let weight = position.assembly.problem.delassus().get(i, i);
            let presses = weight * position.multipliers.p[i] > position.multipliers.u[i];
            if presses || model.constraints.always[key.0 as usize] {
                closed.push(key);
            }
        }
    }

    /// (4), with ṽ after (3); `start` holds all constraints at the start of the step. Changes z where C does.
    pub fn velocities(
        &mut self,
        model: &Model,
        start: &Rows,
        gamma: f64,
        smooth: &mut Smooth,
        solving: &mut Solving,
        log: &mut StepLog,
    ) -> StepResult {
        self.close(model);
        let TwoLevels { there, stiff, mass, closed, velocity, lambda, jump, x, y, .. } = self;
        survey(model, closed, there, &mut velocity.rows)?;
        let rows = &mut velocity.rows;
        for (i, key) in closed.iter().enumerate() {
            let u_minus = start.u_minus[key.0 as usize];
            rows.bias[i] = rows.rate_next[i] + rows.forms[i].restitution * u_minus;
        }
        velocity.free.v.clone_from(&smooth.v);
        velocity.guess(lambda);
        match &model.linear.damping {
            None => velocity.solve(model, mass, solving, log, x)?,
            Some(damping) => {
                let mut damp = |w: &[f64], out: &mut Vec<f64>| {
                    out.clear();
                    out.resize(w.len(), 0.0);
                    damping.multiply_add(gamma, w, &mut out[..model.linear.n]);
                    stiff.solve(model, out);
                };
                damp(jump, y);
                velocity.free.v.iter_mut().zip(&*y).for_each(|(free, y)| *free += y);
                let respond = |_: usize, column: &mut [f64]| {
                    mass.solve(model, column);
                    damp(column, y);
                    column.iter_mut().zip(&*y).for_each(|(column, y)| *column -= y);
                };
                velocity.solve_by(respond, solving, log, x)?;
            }
        }
        lambda.fill(0.0);
        velocity.store(lambda);
        velocity.push(lambda, y);
        mass.solve(model, y);
        if model.linear.damping.is_some() {
            // ṽ⁺ − ṽ = γ' δz.
            for i in 0..x.len() {
                smooth.z[i] += (x[i] - y[i] - smooth.v[i]) / gamma;
            }
        }
        std::mem::swap(jump, y);
        Ok(())
    }

    /// Moves the iterate; returns how far, relative to the velocities at hand, rounding of positions aside.
    pub fn advance(&mut self, model: &Model, now: &State, h: f64, smooth: &Smooth) -> StepResult<f64> {
        let TwoLevels { there, shift, jump, keys, x, y, last_change, .. } = self;
        let (mut change, mut moved, mut size, mut reach) = (0.0f64, 0.0f64, 0.0f64, 0.0f64);
        for i in 0..now.v.len() {
            let (q, v) = (smooth.q[i] + shift[i], smooth.v[i] + jump[i]);
            change = change.max((v - there.v[i]).abs());
            moved = moved.max((q - there.q[i]).abs());
            size = size.max(v.abs()).max(smooth.v[i].abs()).max(now.v[i].abs());
            reach = reach.max(q.abs());
            (there.q[i], there.v[i]) = (q, v);
        }
        check_finite(model, "position", &there.q)?;
        check_finite(model, "velocity", &there.v)?;
        model.gaps(there, y, x)?;
        let known = keys.len();
        for (key, _) in x.iter().enumerate().filter(|(_, gap)| **gap < 0.0) {
            if keys[..known].binary_search(&Key(key as u64)).is_err() {
                keys.push(Key(key as u64));
            }
        }
        keys.sort_unstable();
        change = change.max((moved - ROUNDING * reach) / h);
        let stagnant = h * change <= ROUNDING * reach && change >= *last_change;
        *last_change = change;
        if keys.len() > known {
            return Ok(f64::INFINITY);
        }
        Ok(if change <= 0.0 || stagnant { 0.0 } else { change / size })
    }

    /// Overwrites every number with NaN.
    pub(crate) fn poison(&mut self) {
        let TwoLevels { there, at, position, joint, velocity, stiff, mass, .. } = self;
        at.poison();
        for stage in [position, joint, velocity] {
            stage.poison();
        }
        for factors in [stiff, mass] {
            factors.poison();
        }
        let TwoLevels { mu, nu, lambda, shift, jump, x, y, .. } = self;
        for x in [mu, nu, lambda, shift, jump, x, y, &mut there.q, &mut there.v] {
            x.fill(f64::NAN);
        }
        for keys in [&mut self.joints, &mut self.keys, &mut self.closed] {
            keys.clear();
        }
    }
}
