//! Free motion: the velocity at the end of the step if nothing touched.
//!
//! ```text
//! linear       M̂ (v_free − v) = h F_θ − h C v − h K (q + hθ v) − M̂_p (v_p⁺ − v_p)
//! Lagrangian   M̂ (v_free − vⁱ) = −R(vⁱ),   R = M(q_m)(vⁱ − v) − h (θ f(t⁺, q⁺, vⁱ) + (1−θ) f(t, q, v))
//! ```
//!
//! with F_θ = load + θ F_ext(t⁺) + (1−θ) F_ext(t), f = F_ext − N − F_int − ∇V, and v_p the prescribed
//! velocities, which take their values at t⁺. [Acary06, eq. (47)]

use super::body_motion::{Drive, free_bodies};
use super::factorize::{Coeffs, Factors};
use super::iterate::Iterate;
use crate::error::{StepError, StepResult, check_finite};
use crate::model::{Model, State, UserSystem};

/// Where the systems would go, and the forces that drive them.
#[derive(Default)]
pub struct Free {
    /// v_free.
    pub v: Vec<f64>,
    /// h (θ F_ext⁺ + (1−θ) F_ext) of the forces that depend on time [N·s], over all velocities.
    pub external: Vec<f64>,
    /// What drives rigid bodies.
    pub drive: Drive,
    /// N + F_int + ∇V of Lagrangian systems, over all velocities.
    left: Vec<f64>,
    part: Vec<f64>,
    mass: Vec<f64>,
}

/// The step's h and θ.
#[derive(Clone, Copy, Debug)]
pub struct Theta {
    /// Step size [s].
    pub h: f64,
    /// θ [–].
    pub theta: f64,
}

/// Fills `free` for the iterate `at`.
#[inline]
pub fn free_motion(
    model: &Model,
    now: &State,
    at: &Iterate,
    rule: Theta,
    factors: &mut Factors,
    free: &mut Free,
) -> StepResult {
    let n = now.v.len();
    free.v.resize(n, 0.0);
    if model.is_ballistic {
        free.external.clear();
        factors.fall(&model.linear.load, &now.v, rule.h, &mut free.v);
        return Ok(());
    }
    general_motion(model, now, at, rule, factors, free)
}

#[inline(never)]
fn general_motion(
    model: &Model,
    now: &State,
    at: &Iterate,
    rule: Theta,
    factors: &mut Factors,
    free: &mut Free,
) -> StepResult {
    let n = model.bodies.first_v;
    external_impulse(model, now, at, rule, free)?;
    linear_residual(model, now, at, (rule, factors.coeffs()), free)?;
    if !model.user.is_empty() {
        user_residual(model, now, at, rule, free)?;
    }
    // Only functions of the user can bring in numbers that are not finite.
    let checked = !free.external.is_empty() || !model.prescribed.is_empty();
    if checked {
        check_finite(model, "force", &free.v[..n])?;
    }
    factors.solve_systems(model, &mut free.v);
    for (v_free, v) in free.v[..model.linear.n].iter_mut().zip(&now.v) {
        *v_free += v;
    }
    if !model.user.is_empty() {
        for i in model.linear.n..n {
            free.v[i] += at.v[i];
        }
    }
    for prescribed in &model.prescribed {
        free.v[prescribed.index] = model.prescribed_velocity(prescribed, at.t_next)?;
    }
    if !model.bodies.is_empty() {
        free_bodies(model, now, rule, factors, free)?;
    }
    if checked { check_finite(model, "velocity", &free.v) } else { Ok(()) }
}

/// h (θ F_ext⁺ + (1−θ) F_ext) of everything that depends on time.
pub fn external_impulse(
    model: &Model,
    now: &State,
    at: &Iterate,
    rule: Theta,
    free: &mut Free,
) -> StepResult {
    if model.linear.forces.is_empty() && model.user.is_empty() {
        free.external.clear();
        return Ok(());
    }
    free.external.clear();
    free.external.resize(model.n_velocities(), 0.0);
    let Free { external, part, .. } = free;
    for (t, weight) in [(at.t_next, rule.h * rule.theta), (now.t, rule.h * (1.0 - rule.theta))] {
        if weight == 0.0 {
            continue;
        }
        for (range, force) in &model.linear.forces {
            add_force(range, weight, &|out| force(t, out), part, external)
                .map_err(StepError::in_system(model, range.start))?;
        }
        for system in &model.user {
            let dynamics = &system.dynamics;
            add_force(&system.range, weight, &|out| dynamics.external(t, out), part, external)
                .map_err(StepError::in_system(model, system.range.start))?;
        }
    }
    Ok(())
}

fn add_force(
    range: &std::ops::Range<usize>,
    weight: f64,
    force: &dyn Fn(&mut [f64]) -> Result<(), crate::model::UserError>,
    part: &mut Vec<f64>,
    sum: &mut [f64],
) -> Result<(), crate::model::UserError> {
    part.clear();
    part.resize(range.len(), 0.0);
    force(part)?;
    sum[range.clone()].iter_mut().zip(part).for_each(|(sum, f)| *sum += weight * *f);
    Ok(())
}

/// The right-hand side of the linear systems, into the head of `free.v`.
fn linear_residual(
    model: &Model,
    now: &State,
    at: &Iterate,
    (rule, coeffs): (Theta, Coeffs),
    free: &mut Free,
) -> StepResult {
    let (linear, h) = (&model.linear, rule.h);
    let rhs = &mut free.v[..linear.n];
    for (rhs, load) in rhs.iter_mut().zip(&linear.load) {
        *rhs = h * load;
    }
    if !free.external.is_empty() {
        rhs.iter_mut().zip(&free.external).for_each(|(rhs, f)| *rhs += f);
    }
    if let Some(damping) = &linear.damping {
        damping.multiply_add(-h, &now.v, rhs);
    }
    if let Some(stiffness) = &linear.stiffness {
        free.part.clear();
        free.part.extend(now.q[..linear.n].iter().zip(&now.v).map(|(q, v)| q + h * rule.theta * v));
        stiffness.multiply_add(-h, &free.part, rhs);
    }
    for prescribed in model.prescribed.iter().filter(|p| p.index < linear.n) {
        let j = prescribed.index;
        let v = model.prescribed_velocity(prescribed, at.t_next)?;
        couple(model, coeffs, j, v - now.v[j], rhs);
    }
    Ok(())
}

/// rhs ← rhs − M̂ e_j Δv. M and K are symmetric, so their column j is their row j; C need not be.
#[inline(never)]
fn couple(model: &Model, coeffs: Coeffs, j: usize, change: f64, rhs: &mut [f64]) {
    let linear = &model.linear;
    let symmetric = [(1.0, Some(&linear.mass)), (coeffs.stiffness, linear.stiffness.as_ref())];
    for (weight, matrix) in symmetric {
        let Some(matrix) = matrix else { continue };
        let (rows, values) = matrix.row(j);
        for (&i, &x) in rows.iter().zip(values) {
            rhs[i as usize] -= weight * x * change;
        }
    }
    if let Some(damping) = &linear.damping {
        for (i, rhs) in rhs.iter_mut().enumerate() {
            *rhs -= coeffs.damping * damping.get(i, j) * change;
        }
    }
}

/// −R of the Lagrangian systems, into the tail of `free.v`.
#[inline(never)]
fn user_residual(model: &Model, now: &State, at: &Iterate, rule: Theta, free: &mut Free) -> StepResult {
    free.left.clear();
    free.left.resize(model.n_velocities(), 0.0);
    for system in &model.user {
        let (range, n) = (system.range.clone(), system.range.len());
        let in_system = || StepError::in_system(model, range.start);
        let Free { v: out, external, left, part, mass, .. } = free;
        let left = &mut left[range.clone()];
        let out = &mut out[range.clone()];
        out.copy_from_slice(&external[range.clone()]);
        let ends =
            [(1.0 - rule.theta, now.t, &now.q, &now.v), (rule.theta, at.t_next, &at.q_next, &at.v)];
        for (weight, t, q, v) in ends.into_iter().filter(|end| end.0 != 0.0) {
            left.fill(0.0);
            left_forces(system, t, q, v, part, left).map_err(in_system())?;
            for i in 0..n {
                out[i] -= rule.h * weight * left[i];
            }
        }
        mass.clear();
        mass.resize(n * n, 0.0);
        system.dynamics.mass(&at.q_mass[range.clone()], mass).map_err(in_system())?;
        for i in 0..n {
            let row = &mass[i * n..(i + 1) * n];
            let change = (0..n).map(|j| row[j] * (at.v[range.start + j] - now.v[range.start + j]));
            out[i] -= change.sum::<f64>();
        }
    }
    Ok(())
}

/// out ← out + N + F_int + ∇V of one system.
pub(super) fn left_forces(
    system: &UserSystem,
    t: f64,
    q: &[f64],
    v: &[f64],
    part: &mut Vec<f64>,
    out: &mut [f64],
) -> Result<(), crate::model::UserError> {
    let (q, v) = (&q[system.range.clone()], &v[system.range.clone()]);
    for term in 0..3 {
        part.clear();
        part.resize(q.len(), 0.0);
        match term {
            0 => system.dynamics.inertial(q, v, part)?,
            1 => system.dynamics.internal(t, q, v, part)?,
            _ => system.dynamics.gradient(q, part)?,
        }
        out.iter_mut().zip(&*part).for_each(|(out, f)| *out += f);
    }
    Ok(())
}

impl Free {
    /// Overwrites every number with NaN.
    pub(crate) fn poison(&mut self) {
        for x in [&mut self.v, &mut self.external, &mut self.left, &mut self.part, &mut self.mass] {
            x.fill(f64::NAN);
        }
        self.drive.poison();
    }
}
