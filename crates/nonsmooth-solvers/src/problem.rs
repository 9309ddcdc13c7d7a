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
use crate::touching::{Fault, Touching};
use thiserror::Error;

/// W, formed, in factors or by bodies that touch.
// There is one problem per step, so the size of its variants does not matter.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum Matrix {
    /// W by rows [1/kg].
    Assembled(Sparse),
    /// W = J M⁻¹ Jᵀ.
    Factored(Factored),
    /// W = J M⁻¹ Jᵀ of rigid bodies, J by contact frames.
    Touching(Touching),
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
    /// Bodies that touch have one set per contact.
    #[error("{contacts} contacts, but {sets} sets")]
    Contacts {
        /// Contacts.
        contacts: usize,
        /// Sets.
        sets: usize,
    },
    /// A number is not finite.
    #[error("{what}[{index}] is {value}; every number must be finite")]
    NotFinite {
        /// `W`, `J`, `u_free`, or `frame`, `arms` and `bodies` of bodies that touch.
        what: &'static str,
        /// Row, contact or body in question.
        index: usize,
        /// The value found there.
        value: f64,
    },
    /// A set has a parameter that means nothing, or a contact cannot be.
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

    /// The problem with W given by bodies that touch, checked.
    pub fn from_touching(
        touching: Touching,
        u_free: Vec<f64>,
        sets: Vec<Set>,
    ) -> Result<Self, ProblemError> {
        let matrix = Matrix::Touching(touching);
        let problem = Self { matrix, u_free, sets, symmetric: true, matrix_stamp: None };
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
            Matrix::Touching(touching) => touching.factored(&self.sets).delassus(),
        }
    }

    /// J, M and M⁻¹ Jᵀ where W is not given by rows; derived on first use from bodies that touch.
    pub fn factored(&self) -> Option<&Factored> {
        match &self.matrix {
            Matrix::Assembled(_) => None,
            Matrix::Factored(factored) => Some(factored),
            Matrix::Touching(touching) => Some(touching.factored(&self.sets)),
        }
    }

    /// W by rows, to be filled anew.
    pub fn delassus_mut(&mut self) -> &mut Sparse {
        if !matches!(self.matrix, Matrix::Assembled(_)) {
            self.matrix = Matrix::default();
        }
        match &mut self.matrix {
            Matrix::Assembled(w) => w,
            _ => unreachable!("replaced above"),
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
            Matrix::Touching(touching) => {
                let factored = touching.factored(&self.sets);
                let response = factored.response().expect("bodies have a response");
                factored.jacobian.dot_rows(i, response, j)
            }
        }
    }

    /// W_cc of constraint `c`, whose first row is `begin`, by rows in `block`, without forming W.
    pub(crate) fn block(&self, c: usize, begin: usize, block: &mut [f64]) {
        let dim = self.sets[c].dim();
        match &self.matrix {
            Matrix::Touching(touching) => {
                let own = touching.block(c, dim);
                (0..dim * dim).for_each(|k| block[k] = own[k / dim][k % dim]);
            }
            _ => {
                for k in 0..dim * dim {
                    block[k] = self.entry(begin + k / dim, begin + k % dim);
                }
            }
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
            Matrix::Touching(touching) => touching.add_product(&self.sets, p, v, u),
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
        let (stored, rows, columns) = match &self.matrix {
            Matrix::Assembled(w) => (Some((w, "W")), w.n_rows(), w.n_columns),
            Matrix::Factored(Factored { jacobian, .. }) => {
                (Some((jacobian, "J")), jacobian.n_rows(), jacobian.n_rows())
            }
            // Rows are as many as the sets have, if there is one set per contact.
            Matrix::Touching(touching) if touching.touches.len() == self.sets.len() => {
                (None, sets, sets)
            }
            Matrix::Touching(touching) => {
                let (contacts, sets) = (touching.touches.len(), self.sets.len());
                return Err(ProblemError::Contacts { contacts, sets });
            }
        };
        if rows != u_free || columns != u_free || sets != u_free {
            return Err(ProblemError::Sizes { rows, columns, u_free, sets });
        }
        if let Some((stored, what)) = stored {
            for index in 0..rows {
                if let Some(&value) = stored.row(index).1.iter().find(|x| !x.is_finite()) {
                    return Err(ProblemError::NotFinite { what, index, value });
                }
            }
        }
        if let Some((index, &value)) = self.u_free.iter().enumerate().find(|(_, u)| !u.is_finite()) {
            return Err(ProblemError::NotFinite { what: "u_free", index, value });
        }
        if let Matrix::Touching(touching) = &self.matrix {
            match touching.fault(&self.sets) {
                Some(Fault::Contact(index, fault)) => return Err(ProblemError::Set { index, fault }),
                Some(Fault::NotFinite(what, index, value)) => {
                    return Err(ProblemError::NotFinite { what, index, value });
                }
                None => {}
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
