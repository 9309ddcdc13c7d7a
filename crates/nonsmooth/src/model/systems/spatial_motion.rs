//! How bodies in space move within a step.
//!
//! ```text
//! θ-motion   m (v_free − v) = h m g + h f_θ,    J (ω_free − ω) + h ω_θ × J ω_θ = h Rᵀ τ_θ       ω_θ = θ ω_free + (1−θ) ω
//! kick       v + κ (g + f/m),                   R J ω + κ τ                                      R at one configuration
//! drift      x + σ v,                           J Ω⁺ = exp(−Θ) J Ω,  Θ = σ (Ω + Ω⁺)/2,  R⁺ = R exp(Θ)
//! ```
//!
//! The gyroscopic term of θ-motion is implicit: with θ = ½ it is the midpoint rule, which keeps ½ ω·Jω and ‖Jω‖. Contact impulses are
//! added to ω_free by J⁻¹; what the gyroscopic term would have done to them is of the order of h times their own size, and
//! its work is booked under `scheme`. The drift keeps the angular momentum R J Ω by construction and ½ Ω·JΩ because
//! exp(Θ) Θ = Θ, for any σ. Both are solved by Newton's method, 3 × 3, for each body.

use super::spatial::{SpatialBodies, Spot, add, put, vector};
use super::{Free, KickDriftMotion, Theta, ThetaMotion, ThetaStep};
use crate::energy::Works;
use crate::error::{StepError, StepResult};
use crate::model::instant::{Instant, Pass};
use crate::model::rigid::{
    BodyRow, components, cross_matrix, exponential, is_present, quaternion, to_body,
};
use crate::model::{Model, Presence};
use crate::part::Part;
use glam::{DMat3, DQuat, DVec3};
use nonsmooth_solvers::MassGroups;

/// Most iterations of Newton's method for one body.
const MOST_ITERATIONS: usize = 50;
/// A drift is halved at most this often where Newton's method does not converge.
const MOST_HALVINGS: usize = 40;

impl ThetaMotion for SpatialBodies {
    #[inline(never)]
    fn free_motion(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Pass<'_>,
        rule: Theta,
        _mass: &MassGroups,
        free: &mut Free,
    ) -> StepResult {
        let fall = rule.h * model.rigid.gravity;
        for Spot { i, v, .. } in self.chosen(part.members) {
            let (velocity, omega) = (vector(at.now.v, v), vector(at.now.v, v + 3));
            if !at.now.is_present(i) {
                put(&mut free.v, v, velocity);
                put(&mut free.v, v + 3, omega);
                continue;
            }
            let body = &model.rigid.bodies[i];
            let (mut v_free, mut torque) = (velocity + fall, DVec3::ZERO);
            if !free.external.is_empty() {
                v_free += vector(&free.external, v) / body.mass;
                torque = vector(&free.external, v + 3);
            }
            put(&mut free.v, v, v_free);
            if body.is_round {
                put(&mut free.v, v + 3, omega + body.inv_inertia.times(torque));
                continue;
            }
            let rotation = at.now.rigid[i].rotation;
            let back = rotation.inverse();
            let (omega, torque) = (to_body(rotation, omega), back * torque);
            let omega_free = turn_freely(body, omega, torque, rule)?;
            put(&mut free.v, v + 3, rotation * omega_free);
            if free.inertial.is_empty() {
                free.inertial.resize(model.n_velocities(), 0.0);
            }
            let gyroscopic = body.inertia.times(omega_free - omega) - torque;
            put(&mut free.inertial, v + 3, rotation * gyroscopic);
        }
        Ok(())
    }

    fn works(&self, model: &Model, step: &ThetaStep<'_>, works: &mut Works) -> StepResult {
        super::bodies_works(super::SystemFamily::layout(self).v.clone(), step, works);
        if step.phi != 0.5 {
            for (Spot { i, v, .. }, body) in self.present(model, &step.now) {
                let change = |at: usize| vector(step.next.v, at) - vector(step.now.v, at);
                let (dv, dw) = (change(v), change(v + 3));
                let turning = dw.dot(body.world_inertia_times(step.now.rigid[i].rotation, dw));
                works.scheme -= (step.phi - 0.5) * (body.mass * dv.length_squared() + turning);
            }
        }
        Ok(())
    }
}

/// ω_free of J (ω_free − ω) + h ω_θ × J ω_θ = `torque`, in body axes.
fn turn_freely(body: &BodyRow, omega: DVec3, torque: DVec3, rule: Theta) -> StepResult<DVec3> {
    let (inertia, Theta { h, theta }) = (&body.inertia, rule);
    let start = omega + body.inv_inertia.times(torque);
    let gyroscopic = |w: DVec3| h * w.cross(inertia.times(w));
    // ω × Jω = 0 for bodies that turn about a principal axis or not at all.
    if gyroscopic(start) == DVec3::ZERO && gyroscopic(omega) == DVec3::ZERO {
        return Ok(start);
    }
    let matrix = inertia.matrix();
    let (mut w, mut last) = (start, f64::INFINITY);
    for iteration in 1.. {
        let mean = theta * w + (1.0 - theta) * omega;
        let residual = inertia.times(w - omega) + gyroscopic(mean) - torque;
        let slope =
            matrix + h * theta * (cross_matrix(mean) * matrix - cross_matrix(inertia.times(mean)));
        let step = slope.inverse() * residual;
        w -= step;
        let change = step.length();
        if is_at_rounding(change, last, w.length() + omega.length()) {
            return Ok(w);
        }
        if iteration >= MOST_ITERATIONS || !change.is_finite() {
            let (body, turn) = (body.name.clone(), h * omega.length().max(start.length()));
            // With ω × Jω the iteration fails from 5 rad on; where it turns less, torque or inertia are to blame.
            let (iterations, step_size) = (iteration, if turn > 1.0 { h / turn } else { 0.5 * h });
            return Err(StepError::Rotation { body, iterations, change, turn, step_size }.into());
        }
        last = change;
    }
    Ok(w)
}

/// Whether a change is at the last digits of `size`, or no longer shrinks near them.
fn is_at_rounding(change: f64, last: f64, size: f64) -> bool {
    let rounding = 4.0 * f64::EPSILON * size;
    change <= rounding || change >= last && change <= 64.0 * rounding
}

impl KickDriftMotion for SpatialBodies {
    fn kick(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Instant<'_>,
        (length, kicked): (f64, &[f64]),
        _mass: &MassGroups,
        free: &mut Free,
    ) -> StepResult {
        let fall = length * model.rigid.gravity;
        for Spot { i, v, .. } in self.chosen(part.members) {
            free.v[v..v + 6].copy_from_slice(&kicked[v..v + 6]);
            if !at.is_present(i) {
                continue;
            }
            add(&mut free.v, v, fall);
            if free.external.is_empty() {
                continue;
            }
            let body = &model.rigid.bodies[i];
            let (force, torque) = (vector(&free.external, v), vector(&free.external, v + 3));
            add(&mut free.v, v, force / body.mass);
            let inverse = body.world_inv_inertia(at.rigid[i].rotation);
            add(&mut free.v, v + 3, inverse.times(torque));
        }
        Ok(())
    }

    fn drift(
        &self,
        model: &Model,
        part: &Part<'_>,
        presence: &[Presence],
        dt: f64,
        q: &mut [f64],
        v: &mut [f64],
    ) -> StepResult {
        for Spot { i, q: at, v: first } in self.chosen(part.members) {
            if !is_present(presence, i) {
                continue;
            }
            add(q, at, dt * vector(v, first));
            let omega = vector(v, first + 3);
            if omega == DVec3::ZERO {
                continue;
            }
            let body = &model.rigid.bodies[i];
            let (rotation, omega) = rotate_freely(body, quaternion(&q[at + 3..]), omega, dt)?;
            q[at + 3..at + 7].copy_from_slice(&components(rotation));
            put(v, first + 3, omega);
        }
        Ok(())
    }
}

/// Rotation and angular velocity in body axes after free rotation for the time `dt`.
pub(crate) fn rotate_freely(
    body: &BodyRow,
    rotation: DQuat,
    omega: DVec3,
    dt: f64,
) -> StepResult<(DQuat, DVec3)> {
    if body.is_round {
        return Ok(((rotation * exponential(dt * omega)).normalize(), omega));
    }
    rotate_in_parts(body, rotation, omega, dt, MOST_HALVINGS)
}

fn rotate_in_parts(
    body: &BodyRow,
    rotation: DQuat,
    omega: DVec3,
    dt: f64,
    halvings: usize,
) -> StepResult<(DQuat, DVec3)> {
    if let Some(turn) = free_turn(body, omega, dt) {
        let next = (rotation * exponential(turn)).normalize();
        // ℓ = R J Ω in the axes of the rotation that was made; rounding of the quaternions would change its length, always the same way.
        let momentum = body.inertia.times(omega);
        let turned = next.inverse() * (rotation * momentum);
        let turned = turned * (momentum.length() / turned.length());
        return Ok((next, body.inv_inertia.times(turned)));
    }
    if halvings == 0 || !(dt * omega).is_finite() {
        let (body, turn) = (body.name.clone(), dt * omega.length());
        let (iterations, change) = (MOST_ITERATIONS, f64::NAN);
        return Err(StepError::Rotation { body, iterations, change, turn, step_size: dt / turn }.into());
    }
    // Two halves keep what one whole keeps.
    let (rotation, omega) = rotate_in_parts(body, rotation, omega, 0.5 * dt, halvings - 1)?;
    rotate_in_parts(body, rotation, omega, 0.5 * dt, halvings - 1)
}

/// Θ of J Ω⁺ = exp(−Θ) J Ω, Θ = σ (Ω + Ω⁺)/2; `None` where Newton's method does not find it.
fn free_turn(body: &BodyRow, omega: DVec3, dt: f64) -> Option<DVec3> {
    let momentum = body.inertia.times(omega);
    // About a principal axis nothing changes.
    if omega.cross(momentum) == DVec3::ZERO {
        return Some(dt * omega);
    }
    let matrix = body.inertia.matrix();
    let mut w = omega + dt * body.inv_inertia.times(momentum.cross(omega));
    let mut last = f64::INFINITY;
    for _ in 0..MOST_ITERATIONS {
        let turn = 0.5 * dt * (omega + w);
        let turned = exponential(turn).inverse() * momentum;
        let residual = body.inertia.times(w) - turned;
        let slope = matrix - 0.5 * dt * cross_matrix(turned) * right_jacobian(turn);
        let step = slope.inverse() * residual;
        w -= step;
        let change = step.length();
        if is_at_rounding(change, last, w.length() + omega.length()) {
            return Some(0.5 * dt * (omega + w));
        }
        if !change.is_finite() {
            return None;
        }
        last = change;
    }
    None
}

/// The matrix of exp(Θ + δ) = exp(Θ) exp(A δ) for small δ.
fn right_jacobian(turn: DVec3) -> DMat3 {
    let square = turn.length_squared();
    let cross = cross_matrix(turn);
    // (1 − cos a)/a² and (a − sin a)/a³; by their series where the quotients lose digits.
    let (first, second) = if square < 1e-2 {
        (
            0.5 - square / 24.0 * (1.0 - square / 30.0 * (1.0 - square / 56.0)),
            1.0 / 6.0 - square / 120.0 * (1.0 - square / 42.0 * (1.0 - square / 72.0)),
        )
    } else {
        let angle = square.sqrt();
        ((1.0 - angle.cos()) / square, (angle - angle.sin()) / (square * angle))
    };
    DMat3::IDENTITY - first * cross + second * (cross * cross)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::rigid::Symmetric;

    fn body(inertia: [f64; 6]) -> BodyRow {
        let inertia = Symmetric(inertia);
        BodyRow {
            name: "top".into(),
            family: 0,
            planar: false,
            mass: 1.0,
            inertia,
            inv_inertia: inertia.inverse(),
            is_round: inertia.is_round(),
            q: 0,
            v: 0,
            bounding_radius: 1.0,
            thickness: f64::INFINITY,
            appears_at: f64::NEG_INFINITY,
        }
    }

    /// By which angle a small rotation turns.
    fn angle(rotation: DQuat) -> f64 {
        2.0 * rotation.xyz().length()
    }

    fn turned(body: &BodyRow, omega: DVec3, t: f64, n: usize) -> (DQuat, DVec3) {
        let mut at = (DQuat::IDENTITY, omega);
        for _ in 0..n {
            at = rotate_freely(body, at.0, at.1, t / n as f64).unwrap();
        }
        at
    }

    #[test]
    fn a_tumbling_body_keeps_angular_momentum_and_energy_for_any_length() {
        let body = body([1.0, 2.0, 3.0, 0.0, 0.0, 0.0]);
        let omega = DVec3::new(0.3, 0.9, 0.2).normalize();
        for (length, n) in [(0.1, 10_000), (1.0, 10_000), (20.0, 100)] {
            let (rotation, end) = turned(&body, omega, length * n as f64, n);
            let momentum = body.inertia.times(omega);
            let off = (rotation * body.inertia.times(end) - momentum).length() / momentum.length();
            let energy = |w: DVec3| 0.5 * w.dot(body.inertia.times(w));
            let gain = (energy(end) / energy(omega) - 1.0).abs();
            assert!(off < 2e-13 && gain < 1e-11, "ωσ = {length}: L {off:e}, E {gain:e}");
        }
    }

    #[test]
    fn a_free_symmetric_top_precesses_as_in_closed_form() {
        // J = (a, a, c): ω_z is constant, (ω_x, ω_y) turns at (c − a)/a ω_z in body axes.
        let (a, c, omega, t) = (2.0, 3.0, DVec3::new(0.4, 0.0, 1.5), 1.0);
        let body = body([a, a, c, 0.0, 0.0, 0.0]);
        let phase = (c - a) / a * omega.z * t;
        let want = DVec3::new(0.4 * phase.cos(), 0.4 * phase.sin(), 1.5);
        // Rotation: precession about ℓ at ‖ℓ‖/a, then back about the own axis by the angle above.
        let momentum = body.inertia.times(omega);
        let want_rotation = exponential(momentum / a * t) * exponential(DVec3::Z * -phase);
        let mut errors = Vec::new();
        for n in [50, 100] {
            let (rotation, end) = turned(&body, omega, t, n);
            errors.push([(end - want).length(), angle(rotation.inverse() * want_rotation)]);
        }
        for k in 0..2 {
            let order = (errors[0][k] / errors[1][k]).log2();
            assert!(errors[1][k] < 2e-4 && (order - 2.0).abs() < 0.05, "{errors:?}: order {order}");
        }
    }

    #[test]
    fn a_tumbling_rotation_is_of_second_order() {
        let body = body([1.0, 2.0, 3.0, 0.1, 0.0, -0.2]);
        let omega = DVec3::new(0.5, 1.1, -0.3);
        let (exact, _) = turned(&body, omega, 1.0, 20_000);
        let error = |n| angle(turned(&body, omega, 1.0, n).0.inverse() * exact);
        let (coarse, fine) = (error(40), error(80));
        let order = (coarse / fine).log2();
        assert!((order - 2.0).abs() < 0.05, "{coarse:e}, {fine:e}: order {order}");
    }

    #[test]
    fn round_bodies_turn_about_a_fixed_axis() {
        let body = body([2.0, 2.0, 2.0, 0.0, 0.0, 0.0]);
        let omega = DVec3::new(1.0, -2.0, 0.5);
        let (rotation, end) = rotate_freely(&body, DQuat::IDENTITY, omega, 0.7).unwrap();
        assert_eq!(end, omega);
        assert!(angle(rotation.inverse() * exponential(0.7 * omega)) < 1e-15);
    }
}
