//! What one time step leaves to solve.
//!
//! Find impulses p with
//!
//! ```text
//! u = W p + u_free,     −u ∈ N_C(p),     C = C_1 × … × C_n
//! ```
//!
//! where each C_i is a small closed convex set: ℝ₊ for a unilateral constraint (then the inclusion
//! reads 0 ≤ u ⟂ p ≥ 0), ℝ for a bilateral one (u = 0). `u_free` already holds the impact term of
//! the law. W may be only positive semi-definite, and it may be unsymmetric.

use crate::sparse::Sparse;
use thiserror::Error;

/// The set in which one constraint's impulse may lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Set {
    /// p ≥ 0: unilateral constraint.
    Nonnegative,
    /// p ∈ ℝ: bilateral constraint.
    Free,
}

impl Set {
    /// Number of components of the impulse.
    pub fn dim(self) -> usize {
        match self {
            Set::Nonnegative | Set::Free => 1,
        }
    }

    /// (p − P_C(p − u/d)) d, written so that a large p does not hide u.
    #[inline]
    pub fn natural_map(self, p: f64, u: f64, d: f64) -> f64 {
        match self {
            Set::Nonnegative if p * d < u => p * d,
            // Not `min`, which would drop a NaN.
            Set::Nonnegative => {
                if u <= p * d {
                    u
                } else {
                    f64::NAN
                }
            }
            Set::Free => u,
        }
    }

    /// Nearest point of the set.
    #[inline]
    pub fn project(self, p: f64) -> f64 {
        match self {
            Set::Nonnegative => p.max(0.0),
            Set::Free => p,
        }
    }
}

/// One step's unknown impulses and what they must satisfy.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// W, by rows [1/kg].
    pub delassus: Sparse,
    /// Relative velocities without impulses, impact term included [m/s].
    pub u_free: Vec<f64>,
    /// One set per constraint.
    pub sets: Vec<Set>,
    /// Whether W is symmetric by construction (up to rounding).
    pub symmetric: bool,
    /// Names the values of W: two problems with the same `Some` stamp have the same W, so that a
    /// solver may reuse its factors. `None` promises nothing.
    pub matrix_stamp: Option<u64>,
}

/// Why a problem cannot be posed.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ProblemError {
    /// The parts have different sizes.
    #[error("W is {rows} × {columns}, u_free has {u_free} entries, the sets have {sets} components")]
    Sizes {
        /// Rows of W.
        rows: usize,
        /// Columns of W.
        columns: usize,
        /// Entries of u_free.
        u_free: usize,
        /// Components of all sets together.
        sets: usize,
    },
    /// A number is not finite.
    #[error("{what}[{index}] is {value}; every number must be finite")]
    NotFinite {
        /// `W` or `u_free`.
        what: &'static str,
        /// Row in question.
        index: usize,
        /// The value found there.
        value: f64,
    },
}

impl Problem {
    /// A linear complementarity problem 0 ≤ W p + u_free ⟂ p ≥ 0, checked.
    pub fn complementarity(delassus: Sparse, u_free: Vec<f64>) -> Result<Self, ProblemError> {
        let sets = vec![Set::Nonnegative; u_free.len()];
        let symmetric = delassus.is_symmetric(0.0);
        let problem = Self { delassus, u_free, sets, symmetric, matrix_stamp: None };
        problem.check()?;
        Ok(problem)
    }

    /// Number of scalar unknowns.
    pub fn size(&self) -> usize {
        self.u_free.len()
    }

    /// Refuses sizes that disagree and numbers that are not finite.
    pub fn check(&self) -> Result<(), ProblemError> {
        let sets = self.sets.iter().map(|s| s.dim()).sum();
        let (rows, columns, u_free) =
            (self.delassus.n_rows(), self.delassus.n_columns, self.u_free.len());
        if rows != u_free || columns != u_free || sets != u_free {
            return Err(ProblemError::Sizes { rows, columns, u_free, sets });
        }
        for i in 0..rows {
            if let Some(&value) = self.delassus.row(i).1.iter().find(|x| !x.is_finite()) {
                return Err(ProblemError::NotFinite { what: "W", index: i, value });
            }
            if !self.u_free[i].is_finite() {
                let value = self.u_free[i];
                return Err(ProblemError::NotFinite { what: "u_free", index: i, value });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_disagree_and_numbers_that_are_not_finite_are_refused() {
        let w = Sparse::diagonal(&[1.0, 2.0]);
        assert!(matches!(
            Problem::complementarity(w.clone(), vec![1.0]),
            Err(ProblemError::Sizes { rows: 2, u_free: 1, .. })
        ));
        assert!(matches!(
            Problem::complementarity(w, vec![1.0, f64::INFINITY]),
            Err(ProblemError::NotFinite { what: "u_free", index: 1, .. })
        ));
    }
}
