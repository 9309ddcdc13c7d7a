//! Directions that no constraint resists: the part of a velocity that leaves every active constraint alone.
//!
//! ```text
//! d = x − Σ b_j (b_j, M x),      J d = 0
//! ```
//!
//! with b_j an M-orthonormal basis of the columns of M⁻¹Jᵀ, by Gram–Schmidt: the projection of x on the null space of J
//! in the kinetic metric. Rows that depend on earlier ones add nothing.

use super::factorize::Mass;
use crate::error::StepResult;
use crate::model::instant::Instant;
use crate::model::{ActiveConstraints, Model};

/// Squared length of what is left of a column of M⁻¹Jᵀ, relative to its own, below which it counts as dependent.
const DEPENDENT: f64 = 1e-20;

/// Scratch: the basis and its images.
#[derive(Default)]
pub struct Tangent {
    /// b_j, one after the other.
    basis: Vec<f64>,
    /// M b_j.
    images: Vec<f64>,
    column: Vec<f64>,
    image: Vec<f64>,
    scratch: Vec<f64>,
}

/// x ← its part that leaves the active constraints alone; returns the length of that part over the length of x, in the
/// kinetic metric [–]. M is that of the instant, its inverse in `mass`.
pub fn tangent(
    model: &Model,
    at: &Instant<'_>,
    active: &ActiveConstraints,
    mass: &Mass,
    scratch: &mut Tangent,
    x: &mut [f64],
) -> StepResult<f64> {
    scratch.basis.clear();
    scratch.images.clear();
    for c in 0..active.len() {
        let dim = active.rows(c).len();
        for k in 0..dim {
            let mut unit = [0.0; 6];
            unit[k] = 1.0;
            scratch.column.clear();
            scratch.column.resize(x.len(), 0.0);
            active.jacobian.add_transposed(c, &unit[..dim], &mut scratch.column);
            mass.groups().solve(&mut scratch.column, &mut scratch.scratch);
            scratch.add(model, at)?;
        }
    }
    let whole = scratch.square(model, at, x)?;
    // Twice, so that rounding of the first pass is projected as well.
    for _ in 0..2 {
        scratch.remove(x);
    }
    let left = scratch.square(model, at, x)?;
    Ok(if whole > 0.0 { (left / whole).sqrt() } else { 0.0 })
}

impl Tangent {
    /// Takes the column into the basis.
    fn add(&mut self, model: &Model, at: &Instant<'_>) -> StepResult {
        let mut column = std::mem::take(&mut self.column);
        let whole = self.square(model, at, &column)?;
        for _ in 0..2 {
            self.remove(&mut column);
        }
        let left = self.square(model, at, &column)?;
        if left > DEPENDENT * whole {
            let scale = 1.0 / left.sqrt();
            column.iter_mut().for_each(|x| *x *= scale);
            self.square(model, at, &column)?;
            self.basis.extend_from_slice(&column);
            self.images.extend_from_slice(&self.image);
        }
        self.column = column;
        Ok(())
    }

    /// xᵀ M x; M x stays in `image`.
    fn square(&mut self, model: &Model, at: &Instant<'_>, x: &[f64]) -> StepResult<f64> {
        self.image.clear();
        self.image.resize(x.len(), 0.0);
        model.times(at, [1.0, 0.0, 0.0], x, &mut self.image)?;
        Ok(self.image.iter().zip(x).map(|(m, x)| m * x).sum())
    }

    /// x ← x − Σ b_j (b_j, M x).
    fn remove(&self, x: &mut [f64]) {
        for (b, image) in self.basis.chunks_exact(x.len()).zip(self.images.chunks_exact(x.len())) {
            let along: f64 = image.iter().zip(&*x).map(|(m, x)| m * x).sum();
            x.iter_mut().zip(b).for_each(|(x, b)| *x -= along * b);
        }
    }
}
