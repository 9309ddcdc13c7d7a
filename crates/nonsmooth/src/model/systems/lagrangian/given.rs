//! A Lagrangian system as given by the user, and Jacobians by differences.

use crate::model::UserError;

/// A nonlinear Lagrangian system with n coordinates. Matrices are row-major slices of n² entries;
/// every `out` holds zeros on entry.
pub trait Lagrangian: Send + Sync {
    /// M(q) [kg, kg·m²], symmetric positive definite.
    fn mass(&self, q: &[f64], out: &mut [f64]) -> Result<(), UserError>;

    /// N(q, v) [N]: the inertial terms that are quadratic in v (centrifugal, Coriolis).
    fn inertial(&self, _q: &[f64], _v: &[f64], _out: &mut [f64]) -> Result<(), UserError> {
        Ok(())
    }

    /// F_int(t, q, v) [N], on the left-hand side: damping and other forces without potential.
    fn internal(&self, _t: f64, _q: &[f64], _v: &[f64], _out: &mut [f64]) -> Result<(), UserError> {
        Ok(())
    }

    /// V(q) [J].
    fn potential(&self, _q: &[f64]) -> Result<f64, UserError> {
        Ok(0.0)
    }

    /// ∇V(q) [N], on the left-hand side.
    fn gradient(&self, _q: &[f64], _out: &mut [f64]) -> Result<(), UserError> {
        Ok(())
    }

    /// F_ext(t) [N], on the right-hand side.
    fn external(&self, _t: f64, _out: &mut [f64]) -> Result<(), UserError> {
        Ok(())
    }

    /// C = ∂(N + F_int)/∂v and K = ∂(N + F_int + ∇V)/∂q. Wrap the system in [`FiniteDifferences`] to have
    /// them estimated.
    fn jacobians(&self, at: At<'_>, damping: &mut [f64], stiffness: &mut [f64])
    -> Result<(), UserError>;
}

/// Where the forces of a Lagrangian system are evaluated.
#[derive(Clone, Copy)]
pub struct At<'a> {
    /// Time [s].
    pub t: f64,
    /// Coordinates of the system.
    pub q: &'a [f64],
    /// Velocities of the system.
    pub v: &'a [f64],
}

/// A Lagrangian system whose Jacobians are estimated by central differences.
///
/// The increment is ε^⅓ (1 + |x|), the best compromise between truncation and rounding; the estimate
/// is good to about ε^⅔ ≈ 4e-11, enough for Newton's iteration to converge quickly.
pub struct FiniteDifferences<L>(pub L);

impl<L: Lagrangian> FiniteDifferences<L> {
    fn left_side(&self, at: At<'_>, out: &mut [f64]) -> Result<(), UserError> {
        let mut part = vec![0.0; out.len()];
        self.0.inertial(at.q, at.v, out)?;
        self.0.internal(at.t, at.q, at.v, &mut part)?;
        out.iter_mut().zip(&part).for_each(|(out, part)| *out += part);
        part.fill(0.0);
        self.0.gradient(at.q, &mut part)?;
        out.iter_mut().zip(&part).for_each(|(out, part)| *out += part);
        Ok(())
    }

    fn differences(&self, at: At<'_>, of_velocity: bool, out: &mut [f64]) -> Result<(), UserError> {
        let n = at.q.len();
        let mut x = if of_velocity { at.v.to_vec() } else { at.q.to_vec() };
        let (mut above, mut below) = (vec![0.0; n], vec![0.0; n]);
        for j in 0..n {
            let (centre, d) = (x[j], f64::EPSILON.cbrt() * (1.0 + x[j].abs()));
            for (sign, side) in [(d, &mut above), (-d, &mut below)] {
                x[j] = centre + sign;
                side.fill(0.0);
                let there = if of_velocity { At { v: &x, ..at } } else { At { q: &x, ..at } };
                self.left_side(there, side)?;
            }
            x[j] = centre;
            for i in 0..n {
                out[i * n + j] = (above[i] - below[i]) / (2.0 * d);
            }
        }
        Ok(())
    }
}

impl<L: Lagrangian> Lagrangian for FiniteDifferences<L> {
    fn mass(&self, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        self.0.mass(q, out)
    }
    fn inertial(&self, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        self.0.inertial(q, v, out)
    }
    fn internal(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        self.0.internal(t, q, v, out)
    }
    fn potential(&self, q: &[f64]) -> Result<f64, UserError> {
        self.0.potential(q)
    }
    fn gradient(&self, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        self.0.gradient(q, out)
    }
    fn external(&self, t: f64, out: &mut [f64]) -> Result<(), UserError> {
        self.0.external(t, out)
    }
    fn jacobians(
        &self,
        at: At<'_>,
        damping: &mut [f64],
        stiffness: &mut [f64],
    ) -> Result<(), UserError> {
        self.differences(at, true, damping)?;
        self.differences(at, false, stiffness)
    }
}
