//! Directions that no contact resists: the part of a velocity that leaves every given gap alone.
//!
//! ```text
//! d = x − Σ b_j (b_j, M x),      H d = 0
//! ```
//!
//! with b_j an M-orthonormal basis of the columns of M⁻¹Hᵀ, by Gram–Schmidt: the projection of x on the null space of H
//! in the kinetic metric. Constraints that depend on earlier ones add nothing. For linear systems and gaps.

use super::factorize::{Coeffs, Factors, factorize};
use super::iterate::Iterate;
use crate::error::StepResult;
use crate::model::{Key, Model};

/// Squared length of what is left of a column of M⁻¹Hᵀ, relative to its own, below which it counts as dependent.
const DEPENDENT: f64 = 1e-20;

/// Scratch: the basis and its images.
#[derive(Default)]
pub struct Tangent {
    factors: Factors,
    /// b_j, one after the other.
    basis: Vec<f64>,
    /// M b_j.
    images: Vec<f64>,
    column: Vec<f64>,
    image: Vec<f64>,
}

/// x ← its part that leaves the gaps of `keys` alone; returns the length of that part over the length of x, in the
/// kinetic metric [–].
pub fn tangent(model: &Model, keys: &[Key], scratch: &mut Tangent, x: &mut [f64]) -> StepResult<f64> {
    factorize(model, &Iterate::default(), Coeffs::EXPLICIT, &mut scratch.factors)?;
    scratch.basis.clear();
    scratch.images.clear();
    for (i, key) in keys.iter().enumerate() {
        // The components of a contact follow each other under one key.
        if i == 0 || keys[i - 1] != *key {
            scratch.add(model, *key);
        }
    }
    let whole = model.linear.mass_form(x);
    // Twice, so that rounding of the first pass is projected as well.
    for _ in 0..2 {
        scratch.remove(x);
    }
    let left = model.linear.mass_form(x);
    Ok(if whole > 0.0 { (left / whole).sqrt() } else { 0.0 })
}

impl Tangent {
    /// Takes M⁻¹H_iᵀ into the basis.
    fn add(&mut self, model: &Model, key: Key) {
        let n = model.linear.n;
        let mut column = std::mem::take(&mut self.column);
        column.clear();
        column.resize(n, 0.0);
        let (columns, values) = model.constraints.jacobian.row(key.0 as usize);
        for (&j, &h) in columns.iter().zip(values) {
            column[j as usize] = h;
        }
        self.factors.solve(model, &mut column);
        let whole = model.linear.mass_form(&column);
        for _ in 0..2 {
            self.remove(&mut column);
        }
        let left = model.linear.mass_form(&column);
        if left > DEPENDENT * whole {
            let scale = 1.0 / left.sqrt();
            column.iter_mut().for_each(|x| *x *= scale);
            self.image.clear();
            self.image.resize(n, 0.0);
            model.linear.mass.multiply_add(1.0, &column, &mut self.image);
            self.basis.extend_from_slice(&column);
            self.images.extend_from_slice(&self.image);
        }
        self.column = column;
    }

    /// x ← x − Σ b_j (b_j, M x).
    fn remove(&self, x: &mut [f64]) {
        for (b, image) in self.basis.chunks_exact(x.len()).zip(self.images.chunks_exact(x.len())) {
            let along: f64 = image.iter().zip(&*x).map(|(m, x)| m * x).sum();
            x.iter_mut().zip(b).for_each(|(x, b)| *x -= along * b);
        }
    }

    /// Overwrites every number with NaN.
    pub(crate) fn poison(&mut self) {
        let Tangent { factors, basis, images, column, image } = self;
        factors.poison();
        for x in [basis, images, column, image] {
            x.fill(f64::NAN);
        }
    }
}
