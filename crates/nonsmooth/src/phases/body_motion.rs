//! Free motion of rigid bodies.
//!
//! ```text
//! m (v_free − v) = h m g + h f_θ
//! J (ω_free − ω) + h ω_θ × J ω_θ = h Rᵀ τ_θ          ω_θ = θ ω_free + (1−θ) ω,  R at the start of the step
//! ```
//!
//! f_θ = θ f(t⁺) + (1−θ) f(t). The gyroscopic term is implicit, solved by Newton's method for each body: with θ = ½ it
//! is the midpoint rule, which keeps ½ ω·Jω and ‖Jω‖. Contact impulses are added to ω_free by J⁻¹; what the
//! gyroscopic term would have done to them is of the order of h times their own size, and its work is booked under
//! `scheme`. Where bodies are joined by springs M̂ takes the place of M (`springs.rs`).

use super::factorize::Factors;
use super::free_motion::{Free, Theta};
use crate::error::{StepError, StepResult};
use crate::model::{Bodies, Dimension, Model, State};
use glam::{DMat3, DVec3};

/// Most iterations of Newton's method for one body.
const MOST_ITERATIONS: usize = 50;

/// What drives the bodies in one step, beside gravity.
#[derive(Default)]
pub struct Drive {
    /// h (f_θ, Rᵀ τ_θ) of the bodies that have them [N·s, N·m·s].
    pub wrenches: Vec<(u32, DVec3, DVec3)>,
    /// −h ω_θ × J ω_θ of every body, in body axes [N·m·s]; empty in the plane.
    pub gyroscopic: Vec<DVec3>,
}

/// Fills the places of bodies in `free.v`.
#[inline(never)]
pub fn free_bodies(
    model: &Model,
    now: &State,
    rule: Theta,
    factors: &mut Factors,
    free: &mut Free,
) -> StepResult {
    let bodies = &model.bodies;
    drive(bodies, now, rule, &mut free.drive)?;
    let Free { v: out, drive, .. } = free;
    drive.gyroscopic.clear();
    out[bodies.v_all()].fill(0.0);
    for &(i, force, torque) in &drive.wrenches {
        bodies.add_to(out, i as usize, force, torque);
    }
    for i in 0..bodies.n {
        let (velocity, omega) = bodies.twist(&now.v, i);
        if !bodies.is_present(now, i) {
            bodies.set_twist(out, i, velocity, omega);
            if bodies.dimension == Dimension::Space {
                drive.gyroscopic.push(DVec3::ZERO);
            }
            continue;
        }
        let (impulse, turn) = bodies.twist(out, i);
        let v_free = velocity + rule.h * bodies.gravity + impulse / bodies.mass[i];
        let mut omega_free = omega + bodies.inv_inertia[i].times(turn);
        if bodies.dimension == Dimension::Space {
            omega_free = turn_freely(bodies, i, omega, turn, rule)?;
            let change = bodies.inertia[i].times(omega_free - omega);
            drive.gyroscopic.push(change - turn);
        }
        bodies.set_twist(out, i, v_free, omega_free);
    }
    factors.add_springs(model, now, rule, out);
    Ok(())
}

/// h (f_θ, Rᵀ τ_θ).
fn drive(bodies: &Bodies, now: &State, rule: Theta, out: &mut Drive) -> StepResult {
    let Theta { h, theta } = rule;
    out.wrenches.clear();
    for (i, wrench) in &bodies.wrenches {
        let body = *i as usize;
        if !bodies.is_present(now, body) {
            continue;
        }
        let in_body = || StepError::in_body(&bodies.names[body]);
        let mut sum = [0.0; 6];
        for (t, weight) in [(now.t + h, h * theta), (now.t, h * (1.0 - theta))] {
            if weight != 0.0 {
                let part = wrench(t).map_err(in_body())?;
                sum.iter_mut().zip(part).for_each(|(sum, x)| *sum += weight * x);
            }
        }
        if !sum.iter().all(|x| x.is_finite()) {
            let error = format!("its force is not finite at t = {} s: {sum:?}", now.t);
            return Err(in_body()(error.into()));
        }
        let torque = bodies.to_body(bodies.pose(&now.q, body).1, DVec3::from_slice(&sum[3..]));
        out.wrenches.push((*i, DVec3::from_slice(&sum[..3]), torque));
    }
    Ok(())
}

/// ω_free of J (ω_free − ω) + h ω_θ × J ω_θ = `turn`.
fn turn_freely(bodies: &Bodies, i: usize, omega: DVec3, turn: DVec3, rule: Theta) -> StepResult<DVec3> {
    let (inertia, Theta { h, theta }) = (&bodies.inertia[i], rule);
    let start = omega + bodies.inv_inertia[i].times(turn);
    let gyroscopic = |w: DVec3| h * w.cross(inertia.times(w));
    // ω × Jω = 0 for balls, cubes and bodies that do not turn.
    if gyroscopic(start) == DVec3::ZERO && gyroscopic(omega) == DVec3::ZERO {
        return Ok(start);
    }
    let matrix = inertia.matrix();
    let (mut w, mut last) = (start, f64::INFINITY);
    for iteration in 1.. {
        let mean = theta * w + (1.0 - theta) * omega;
        let residual = inertia.times(w - omega) + gyroscopic(mean) - turn;
        let slope =
            matrix + h * theta * (cross_matrix(mean) * matrix - cross_matrix(inertia.times(mean)));
        let step = slope.inverse() * residual;
        w -= step;
        let change = step.length();
        // Rounding: the change no longer shrinks and is at the last digits.
        let rounding = 4.0 * f64::EPSILON * (w.length() + omega.length());
        if change <= rounding || change >= last && change <= 64.0 * rounding {
            return Ok(w);
        }
        if iteration >= MOST_ITERATIONS || !change.is_finite() {
            let (body, turn) = (bodies.names[i].clone(), h * omega.length().max(start.length()));
            // With ω × Jω the iteration fails from 5 rad on; where it turns less, torque or inertia are to blame.
            let (iterations, step_size) = (iteration, if turn > 1.0 { h / turn } else { 0.5 * h });
            return Err(StepError::Rotation { body, iterations, change, turn, step_size }.into());
        }
        last = change;
    }
    Ok(w)
}

/// The matrix of x ↦ a × x.
fn cross_matrix(a: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, a.z, -a.y), DVec3::new(-a.z, 0.0, a.x), DVec3::new(a.y, -a.x, 0.0))
}

impl Drive {
    /// Overwrites every number with NaN.
    pub(crate) fn poison(&mut self) {
        let nan = DVec3::NAN;
        self.gyroscopic.fill(nan);
        self.wrenches.iter_mut().for_each(|(_, f, t)| (*f, *t) = (nan, nan));
    }
}
