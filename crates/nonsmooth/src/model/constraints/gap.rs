//! What users give as constraints: gaps as functions of a few coordinates, and constraints on velocities.
//!
//! ```text
//! gap             y = g(q, t)                 u = ∂g/∂q q̇ + ∂g/∂t
//! with tangents   (u_N, u_T) = (∂g/∂q, T) q̇ + (∂g/∂t, s)
//! velocity level  u = h(q, v, t)
//! ```
//!
//! A gap with tangents T(q, t) q̇ + s(q, t), the sliding velocity, is what friction acts on: one tangent in the plane, two in space.
//! [Acary06, sec. 2.2]

use super::differences::curvature_by_differences;
use crate::model::UserError;

/// A gap y = g(q, t) ≥ 0 (or = 0) as a function of the coordinates it was registered with, in order.
pub trait Gap: Send + Sync {
    /// y [m].
    fn gap(&self, t: f64, q: &[f64]) -> Result<f64, UserError>;
    /// ∂g/∂q, one entry per coordinate.
    fn jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError>;
    /// ∂g/∂t [m/s], where what stands opposite moves.
    fn rate(&self, _t: f64, _q: &[f64]) -> Result<f64, UserError> {
        Ok(0.0)
    }
    /// Gap up to which it counts as closed where a scheme looks at the start of a step [m]: a contact at rest has a gap that is nothing but rounding,
    /// of either sign. By default none.
    fn activation_distance(&self) -> f64 {
        0.0
    }
    /// ÿ at v̇ = 0 [m/s²]: vᵀ ∂²g/∂q² v + 2 ∂²g/∂q∂t v + ∂²g/∂t². By default u is differentiated numerically,
    /// to about 12 digits; only schemes that work with accelerations ask for it.
    fn curvature(&self, t: f64, q: &[f64], v: &[f64]) -> Result<f64, UserError> {
        curvature_by_differences(self, t, q, v)
    }
    /// Whether ∂g/∂q and the tangents are constant, so that g is linear in q.
    fn is_linear(&self) -> bool {
        false
    }
    /// Number of tangents: 0 where nothing slides, 1 in the plane, 2 in space.
    fn n_tangents(&self) -> usize {
        0
    }
    /// The sliding velocity u_T = T v + s: T row by row, one entry per coordinate, and s [m/s].
    fn tangents(
        &self,
        _t: f64,
        _q: &[f64],
        _jacobian: &mut [f64],
        _rate: &mut [f64],
    ) -> Result<(), UserError> {
        Ok(())
    }
}

/// A contact whose gap and tangents are linear: y = n·q + b, u_T = T v. [m]
#[derive(Clone, Debug)]
pub struct LinearContact {
    /// n, one entry per coordinate.
    pub normal: Vec<f64>,
    /// b [m].
    pub offset: f64,
    /// T, row by row.
    pub tangents: Vec<Vec<f64>>,
}

impl Gap for LinearContact {
    fn gap(&self, _t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(self.offset + self.normal.iter().zip(q).map(|(n, q)| n * q).sum::<f64>())
    }
    fn jacobian(&self, _t: f64, _q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out.copy_from_slice(&self.normal);
        Ok(())
    }
    fn curvature(&self, _t: f64, _q: &[f64], _v: &[f64]) -> Result<f64, UserError> {
        Ok(0.0)
    }
    fn is_linear(&self) -> bool {
        true
    }
    fn n_tangents(&self) -> usize {
        self.tangents.len()
    }
    fn tangents(
        &self,
        _t: f64,
        _q: &[f64],
        jacobian: &mut [f64],
        rate: &mut [f64],
    ) -> Result<(), UserError> {
        for (out, row) in jacobian.chunks_exact_mut(self.normal.len()).zip(&self.tangents) {
            out.copy_from_slice(row);
        }
        rate.fill(0.0);
        Ok(())
    }
}

/// A constraint on velocities u = h(q, v, t), as a function of the coordinates it was registered with.
pub trait VelocityConstraint: Send + Sync {
    /// u [m/s].
    fn value(&self, t: f64, q: &[f64], v: &[f64]) -> Result<f64, UserError>;
    /// ∂h/∂v, one entry per coordinate.
    fn jacobian(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), UserError>;
}
