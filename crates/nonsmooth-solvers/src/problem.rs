//! What one time step leaves to solve.
//!
//! Find impulses p with
//!
//! ```text
//! u = W p + u_free,     −(u + shift(u)) ∈ N_C(p),     C = C_1 × … × C_n
//! ```
//!
//! where each C_i is a small closed convex set ([`Set`]): ℝ₊ for a unilateral constraint (then the
//! inclusion reads 0 ≤ u ⟂ p ≥ 0), ℝ for a bilateral one (u = 0), an interval for a relay, a cone for friction,
//! where shift(u) adds h_S(−u_T) to u_N. `u_free` already holds the impact term of the law. W may be only positive
//! semi-definite, and it may be unsymmetric.

use crate::factored::Factored;
use crate::set::Set;
use crate::sparse::Sparse;
use thiserror::Error;

/// W, formed or in factors.
// There is one problem per step, so the size of its variants does not matter.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum Matrix {
    /// W by rows [1/kg].
    Assembled(Sparse),
    /// W = J M⁻¹ Jᵀ.
    Factored(Factored),
}

impl Default for Matrix {
    fn default() -> Self {
        Matrix::Assembled(Sparse::default())
    }
}

/// One step's unknown impulses and what they must satisfy.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// W.
    pub matrix: Matrix,
    /// Relative velocities without impulses, impact term included [m/s].
    pub u_free: Vec<f64>,
    /// One set per constraint, in the order of the rows.
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
        /// `W`, `J` or `u_free`.
        what: &'static str,
        /// Row in question.
        index: usize,
        /// The value found there.
        value: f64,
    },
    /// A set has a parameter that means nothing.
    #[error("constraint {index}: {fault}")]
    Set {
        /// Constraint in question.
        index: usize,
        /// What is wrong with it.
        fault: String,
    },
}

impl Problem {
    /// The problem with W given by rows, checked.
    pub fn new(delassus: Sparse, u_free: Vec<f64>, sets: Vec<Set>) -> Result<Self, ProblemError> {
        let symmetric = delassus.is_symmetric(0.0);
        let matrix = Matrix::Assembled(delassus);
        let problem = Self { matrix, u_free, sets, symmetric, matrix_stamp: None };
        problem.check()?;
        Ok(problem)
    }

    /// The problem with W given as J M⁻¹ Jᵀ, checked; `symmetric` says whether M is.
    pub fn from_factored(
        factored: Factored,
        symmetric: bool,
        u_free: Vec<f64>,
        sets: Vec<Set>,
    ) -> Result<Self, ProblemError> {
        let matrix = Matrix::Factored(factored);
        let problem = Self { matrix, u_free, sets, symmetric, matrix_stamp: None };
        problem.check()?;
        Ok(problem)
    }

    /// A linear complementarity problem 0 ≤ W p + u_free ⟂ p ≥ 0, checked.
    pub fn complementarity(delassus: Sparse, u_free: Vec<f64>) -> Result<Self, ProblemError> {
        let sets = vec![Set::Nonnegative; u_free.len()];
        Self::new(delassus, u_free, sets)
    }

    /// Number of scalar unknowns.
    #[inline]
    pub fn size(&self) -> usize {
        self.u_free.len()
    }

    /// W by rows; formed on first use where it was given in factors.
    #[inline]
    pub fn delassus(&self) -> &Sparse {
        match &self.matrix {
            Matrix::Assembled(w) => w,
            Matrix::Factored(factored) => factored.delassus(),
        }
    }

    /// W by rows, to be filled anew.
    pub fn delassus_mut(&mut self) -> &mut Sparse {
        if matches!(self.matrix, Matrix::Factored(_)) {
            self.matrix = Matrix::default();
        }
        match &mut self.matrix {
            Matrix::Assembled(w) => w,
            Matrix::Factored(_) => unreachable!("replaced above"),
        }
    }

    /// Entry (i, j) of W, without forming it.
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        match &self.matrix {
            Matrix::Assembled(w) => w.get(i, j),
            Matrix::Factored(factored) => match factored.response() {
                Some(response) => factored.jacobian.dot_rows(i, response, j),
                None => factored.delassus().get(i, j),
            },
        }
    }

    /// u ← u + W p, without forming W; `v` is scratch.
    pub fn add_product(&self, p: &[f64], v: &mut Vec<f64>, u: &mut [f64]) {
        match &self.matrix {
            Matrix::Assembled(w) => w.multiply_add(1.0, p, u),
            Matrix::Factored(factored) => match factored.response() {
                Some(response) => {
                    v.clear();
                    v.resize(response.n_columns, 0.0);
                    response.add_combination(p, v);
                    factored.jacobian.multiply_add(1.0, v, u);
                }
                None => factored.delassus().multiply_add(1.0, p, u),
            },
        }
    }

    /// Each constraint's first row and set.
    #[inline]
    pub fn blocks(&self) -> impl Iterator<Item = (usize, Set)> + '_ {
        let mut next = 0;
        self.sets.iter().map(move |&set| {
            let begin = next;
            next += set.dim();
            (begin, set)
        })
    }

    /// Whether every constraint has one component; then row i is constraint i.
    pub fn is_scalar(&self) -> bool {
        self.sets.len() == self.u_free.len()
    }

    /// Refuses sizes that disagree, numbers that are not finite and sets that mean nothing.
    pub fn check(&self) -> Result<(), ProblemError> {
        let sets = self.sets.iter().map(|s| s.dim()).sum();
        let u_free = self.u_free.len();
        let (stored, what, columns) = match &self.matrix {
            Matrix::Assembled(w) => (w, "W", w.n_columns),
            Matrix::Factored(factored) => (&factored.jacobian, "J", factored.jacobian.n_rows()),
        };
        let rows = stored.n_rows();
        if rows != u_free || columns != u_free || sets != u_free {
            return Err(ProblemError::Sizes { rows, columns, u_free, sets });
        }
        for i in 0..rows {
            if let Some(&value) = stored.row(i).1.iter().find(|x| !x.is_finite()) {
                return Err(ProblemError::NotFinite { what, index: i, value });
            }
            if !self.u_free[i].is_finite() {
                let value = self.u_free[i];
                return Err(ProblemError::NotFinite { what: "u_free", index: i, value });
            }
        }
        for (index, set) in self.sets.iter().enumerate() {
            if let Some(fault) = set.fault() {
                return Err(ProblemError::Set { index, fault });
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

    #[test]
    fn sets_that_do_not_fill_the_rows_or_mean_nothing_are_refused() {
        let w = Sparse::diagonal(&[1.0, 2.0, 3.0]);
        let mixed = vec![Set::Free, Set::Coulomb2 { mu: 0.5 }];
        let problem = Problem::new(w.clone(), vec![0.0; 3], mixed).unwrap();
        let begins: Vec<usize> = problem.blocks().map(|(begin, _)| begin).collect();
        assert_eq!(begins, [0, 1]);
        let short = vec![Set::Coulomb2 { mu: 0.5 }];
        let error = Problem::new(w.clone(), vec![0.0; 3], short).unwrap_err();
        assert!(matches!(error, ProblemError::Sizes { sets: 2, .. }), "{error}");
        let error = Problem::new(w, vec![0.0; 3], vec![Set::Coulomb3 { mu: -1.0 }]).unwrap_err();
        assert_eq!(error.to_string(), "constraint 0: mu must be ≥ 0 and finite, got -1");
    }
}
