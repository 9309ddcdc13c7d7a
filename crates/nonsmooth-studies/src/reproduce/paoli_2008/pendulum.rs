//! A double pendulum beside a wall: M depends on q, and so does the gradient of the constraint.
//!
//! ```text
//! M = [2, cos(a−b); cos(a−b), 1],   f = −(b'² s + 20 sin a, −a'² s + 10 sin b),   s = sin(a−b),   g = sin a + sin b
//! ```
//!
//! Two unit masses on two unit rods, angles from the downward vertical, gravity 10 m/s². The second mass stays to the
//! right of the vertical through the pivot.

use nonsmooth::laws::NewtonImpact;
use nonsmooth::model::{At, Gap, Lagrangian, ModelBuilder, ModelError, UserError};
use nonsmooth::{Model, State};
use std::sync::Arc;

pub(super) const RESTITUTION: f64 = 0.5;
/// Where it is let go [rad].
pub(super) const START: [f64; 2] = [1.2, 0.4];
/// How long it is watched [s].
pub(super) const END: f64 = 2.6;
const GRAVITY: f64 = 10.0;

type Vec2 = [f64; 2];

/// M(q).
pub(super) fn mass(q: &[f64]) -> [Vec2; 2] {
    let c = (q[0] - q[1]).cos();
    [[2.0, c], [c, 1.0]]
}

/// f(q, u).
pub(super) fn force(q: &[f64], u: &[f64]) -> Vec2 {
    let s = (q[0] - q[1]).sin();
    [-u[1] * u[1] * s - 2.0 * GRAVITY * q[0].sin(), u[0] * u[0] * s - GRAVITY * q[1].sin()]
}

/// g(q) [m].
pub(super) fn gap(q: &[f64]) -> f64 {
    q[0].sin() + q[1].sin()
}

/// ∇g(q).
pub(super) fn gradient(q: &[f64]) -> Vec2 {
    [q[0].cos(), q[1].cos()]
}

/// Potential energy [J].
pub(super) fn potential(q: &[f64]) -> f64 {
    -GRAVITY * (2.0 * q[0].cos() + q[1].cos())
}

/// M⁻¹ x.
pub(super) fn solve(mass: [Vec2; 2], x: Vec2) -> Vec2 {
    let det = mass[0][0] * mass[1][1] - mass[0][1] * mass[1][0];
    [(mass[1][1] * x[0] - mass[0][1] * x[1]) / det, (mass[0][0] * x[1] - mass[1][0] * x[0]) / det]
}

pub(super) fn dot(a: Vec2, b: Vec2) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// ‖u‖_q = (uᵀM(q)u)^½.
pub(super) fn kinetic_norm(q: &[f64], u: &[f64]) -> f64 {
    let (m, u) = (mass(q), [u[0], u[1]]);
    dot(u, [dot(m[0], u), dot(m[1], u)]).sqrt()
}

/// The pendulum as a system of the library, and its wall.
struct Pendulum;

impl Lagrangian for Pendulum {
    fn mass(&self, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let [[a, b], [c, d]] = mass(q);
        out.copy_from_slice(&[a, b, c, d]);
        Ok(())
    }
    fn inertial(&self, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let s = (q[0] - q[1]).sin();
        out.copy_from_slice(&[v[1] * v[1] * s, -v[0] * v[0] * s]);
        Ok(())
    }
    fn potential(&self, q: &[f64]) -> Result<f64, UserError> {
        Ok(potential(q))
    }
    fn gradient(&self, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out.copy_from_slice(&[2.0 * GRAVITY * q[0].sin(), GRAVITY * q[1].sin()]);
        Ok(())
    }
    fn jacobians(
        &self,
        at: At<'_>,
        damping: &mut [f64],
        stiffness: &mut [f64],
    ) -> Result<(), UserError> {
        let (q, v) = (at.q, at.v);
        let (s, c) = (q[0] - q[1]).sin_cos();
        let (a, b) = (v[1] * v[1] * c, v[0] * v[0] * c);
        damping.copy_from_slice(&[0.0, 2.0 * v[1] * s, -2.0 * v[0] * s, 0.0]);
        let (ga, gb) = (2.0 * GRAVITY * q[0].cos(), GRAVITY * q[1].cos());
        stiffness.copy_from_slice(&[a + ga, -a, -b, b + gb]);
        Ok(())
    }
}

impl Gap for Pendulum {
    fn gap(&self, _t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(gap(q))
    }
    fn jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out.copy_from_slice(&gradient(q));
        Ok(())
    }
}

/// The pendulum at rest before its first swing.
pub(super) fn model() -> Result<(Arc<Model>, State), ModelError> {
    let mut builder = ModelBuilder::new();
    let pendulum = builder.lagrangian("pendulum", &["a", "b"], Pendulum, &START, &[0.0; 2]);
    let law = builder.law("rebound", NewtonImpact { restitution: RESTITUTION });
    builder.gap("wall", law, &[(pendulum, 0), (pendulum, 1)], Pendulum);
    builder.build(0.0)
}
