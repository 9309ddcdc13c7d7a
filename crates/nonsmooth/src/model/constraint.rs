//! Constraints: what ties systems to the world or to each other.
//!
//! ```text
//! linear          y = H q + b                 u = H v                       r = Hᵀ λ
//! gap             y = g(q, t)                 u = ∂g/∂q v + ∂g/∂t           r = (∂g/∂q)ᵀ λ
//! velocity level  u = h(q, v, t)                                            r = (∂h/∂v)ᵀ λ
//! with tangents   (u_N, u_T) = (∂g/∂q, T) v + (∂g/∂t, s)                    r = (∂g/∂q, T)ᵀ λ
//! ```
//!
//! A gap with tangents T(q, t) v + s(q, t), the sliding velocity, is what friction acts on: one tangent in the
//! plane, two in space.
//! A constraint is a function of a few chosen coordinates, from at most two systems. [Acary06, sec. 2.2]

use super::Lift;
use super::differences::curvature_by_differences;
use super::system::UserError;
use nonsmooth_solvers::Sparse;

/// Names a constraint for the whole run; never reused. Rows of a step are sorted by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub u64);

/// A coordinate of the model: its place in q and v.
pub type Coordinate = usize;

/// A gap y = g(q, t) ≥ 0 (or = 0) as a function of the coordinates it was registered with, in order.
pub trait Gap: Send + Sync {
    /// y [m].
    fn gap(&self, t: f64, q: &[f64]) -> Result<f64, UserError>;
    /// ∂g/∂q, one entry per coordinate.
    fn jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError>;
    /// ∂g/∂t [m/s], for obstacles that move.
    fn rate(&self, _t: f64, _q: &[f64]) -> Result<f64, UserError> {
        Ok(0.0)
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

/// All constraints of a model, by family. Keys count through the families in this order.
#[derive(Default)]
pub struct Constraints {
    /// Name of each constraint, by key.
    pub names: Vec<String>,
    /// Law of each constraint (an index into the model's laws), by key.
    pub laws: Vec<usize>,
    /// Whether a constraint takes part in every step, by key: joints do.
    pub always: Vec<bool>,
    /// H of the linear constraints, one row each, over all coordinates of the model.
    pub jacobian: Sparse,
    /// b of the linear constraints [m].
    pub offset: Vec<f64>,
    /// Constraints with a gap function.
    pub gaps: Vec<(Vec<u32>, Box<dyn Gap>)>,
    /// For each of them: how its slope becomes a row of H where it is on rigid bodies; empty without bodies.
    pub(crate) lifts: Vec<Option<Lift>>,
    /// Constraints on velocities.
    pub velocity: Vec<(Vec<u32>, Box<dyn VelocityConstraint>)>,
}

impl Constraints {
    /// Number of linear constraints; keys 0 … n_linear − 1.
    pub fn n_linear(&self) -> usize {
        self.offset.len()
    }

    /// Number of constraints that have a gap; the rest are velocity-level.
    pub fn n_gaps(&self) -> usize {
        self.offset.len() + self.gaps.len()
    }

    /// Number of all constraints.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is no constraint.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// How the slope of gap function `i` becomes a row of H, where that needs anything.
    #[inline]
    pub(crate) fn lift(&self, i: usize) -> Option<&Lift> {
        self.lifts.get(i)?.as_ref()
    }

    /// Name of the constraint with this key.
    pub fn name(&self, key: Key) -> &str {
        &self.names[key.0 as usize]
    }
}

/// Copies the chosen coordinates of `x` into `out`.
pub(crate) fn gather(columns: &[u32], x: &[f64], out: &mut Vec<f64>) {
    out.clear();
    out.extend(columns.iter().map(|&j| x[j as usize]));
}
