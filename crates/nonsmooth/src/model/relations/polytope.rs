//! λ in a polytope { λ : N λ ≤ d }, −y ∈ N_C(λ), by multipliers of its sides.
//!
//! ```text
//! 0 = y + Nᵀ μ,     0 ≤ d − N λ ⟂ μ ≥ 0
//! ```
//!
//! The rows are λ, free, then μ, complementary: an inclusion in a set of any shape becomes one of numbers.

use super::function::{Point, RelationFunction, Slopes};
use crate::model::UserError;

/// A relation whose λ lies in a polytope.
pub struct Polytope<F> {
    function: F,
    normals: Vec<f64>,
    bounds: Vec<f64>,
}

impl<F: RelationFunction> Polytope<F> {
    /// λ in { λ : N λ ≤ d }: `normals` is N by rows, `bounds` is d.
    pub fn new(function: F, normals: &[f64], bounds: &[f64]) -> Self {
        Self { function, normals: normals.to_vec(), bounds: bounds.to_vec() }
    }
}

impl<F: RelationFunction> RelationFunction for Polytope<F> {
    fn n_rows(&self) -> usize {
        self.function.n_rows() + self.bounds.len()
    }

    fn output(&self, at: &Point<'_>, y: &mut [f64]) -> Result<(), UserError> {
        let m = self.function.n_rows();
        let (lambda, mu) = at.lambda.split_at(m);
        let (y, sides) = y.split_at_mut(m);
        self.function.output(&Point { lambda, ..*at }, y)?;
        for (k, row) in self.normals.chunks_exact(m).enumerate() {
            sides[k] = self.bounds[k];
            for j in 0..m {
                y[j] += row[j] * mu[k];
                sides[k] -= row[j] * lambda[j];
            }
        }
        Ok(())
    }

    fn input(&self, at: &Point<'_>, r: &mut [f64]) -> Result<(), UserError> {
        self.function.input(&Point { lambda: &at.lambda[..self.function.n_rows()], ..*at }, r)
    }

    fn slopes(&self, at: &Point<'_>, n_acts: usize, slopes: &mut Slopes) -> Result<(), UserError> {
        let (m, all, n) = (self.function.n_rows(), self.n_rows(), at.z.len());
        let mut own = Slopes::default();
        own.reset(m, n, n_acts);
        self.function.slopes(&Point { lambda: &at.lambda[..m], ..*at }, n_acts, &mut own)?;
        slopes.y_z[..m * n].copy_from_slice(&own.y_z);
        slopes.r_z.copy_from_slice(&own.r_z);
        for i in 0..m {
            slopes.y_lambda[i * all..i * all + m].copy_from_slice(&own.y_lambda[i * m..(i + 1) * m]);
        }
        for i in 0..n_acts {
            slopes.r_lambda[i * all..i * all + m].copy_from_slice(&own.r_lambda[i * m..(i + 1) * m]);
        }
        for (k, row) in self.normals.chunks_exact(m).enumerate() {
            for j in 0..m {
                slopes.y_lambda[j * all + m + k] = row[j];
                slopes.y_lambda[(m + k) * all + j] = -row[j];
            }
        }
        Ok(())
    }

    fn is_linear(&self) -> bool {
        self.function.is_linear()
    }

    fn parts(&self, n: usize, k: usize) -> Vec<(&'static str, &[f64], usize)> {
        let mut parts = self.function.parts(n, k);
        parts.push(("normals", &self.normals, self.bounds.len() * self.function.n_rows()));
        parts.push(("bounds", &self.bounds, self.bounds.len()));
        parts
    }

    fn shown(&self, at: &Point<'_>, y: &mut [f64]) -> Result<(), UserError> {
        let m = self.function.n_rows();
        self.function.output(&Point { lambda: &at.lambda[..m], ..*at }, &mut y[..m])
    }

    fn n_shown(&self) -> usize {
        self.function.n_rows()
    }
}
