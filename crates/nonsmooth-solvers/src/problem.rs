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

use crate::delassus::{Delassus, Form};
use crate::posed::Fault;
use crate::primal::Primal;
use crate::set::Set;
use crate::sparse::Sparse;
use thiserror::Error;

/// One step's unknown impulses and what they must satisfy.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// W.
    pub delassus: Delassus,
    /// Relative velocities without impulses, impact term included [m/s].
    pub u_free: Vec<f64>,
    /// One set per constraint, in the order of the rows.
    pub sets: Vec<Set>,
    /// What the certificate measures by, where this problem stands for a larger one.
    pub scale: Option<Scale>,
}

/// Numbers of a full problem by which the certificate of its reduced form measures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scale {
    /// λ_max(W_cc) of each constraint that was kept, in the full problem [1/kg].
    pub weights: Vec<f64>,
    /// u_free of each row that was kept, in the full problem [m/s].
    pub u_free: Vec<f64>,
    /// ‖u_free‖² of the rows that were eliminated [m²/s²].
    pub eliminated: f64,
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
        /// `W`, `J`, `u_free`, `compliance`, or `frame`, `arms` and `bodies` of contacts.
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
        Self::posed(Delassus::explicit(delassus), u_free, sets)
    }

    /// The same problem with W by rows, which shares no masses and rows with anybody.
    pub fn detached(&self) -> Self {
        let mut delassus = Delassus::explicit(self.delassus.assembled().clone());
        delassus.symmetric = self.delassus.symmetric;
        Self { delassus, u_free: self.u_free.clone(), sets: self.sets.clone(), scale: None }
    }

    /// The problem of any operator, checked.
    pub fn posed(delassus: Delassus, u_free: Vec<f64>, sets: Vec<Set>) -> Result<Self, ProblemError> {
        let problem = Self { delassus, u_free, sets, scale: None };
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

    /// W by rows; formed on first use where it was given otherwise.
    #[inline]
    pub fn assembled(&self) -> &Sparse {
        self.delassus.assembled()
    }

    /// J, M and M⁻¹ Jᵀ where W is not given by rows and no group of M has a sparse factor.
    pub fn primal(&self) -> Option<&Primal> {
        self.delassus.primal()
    }

    /// W_cc of constraint `c`, whose first row is `begin`, by rows in `block`, without forming W.
    pub(crate) fn block(&self, c: usize, begin: usize, block: &mut [f64]) {
        let dim = self.sets[c].dim();
        if let Form::Posed(posed) = &self.delassus.form {
            return posed.fill_block(posed.place(&self.sets, c), begin, dim, block);
        }
        for k in 0..dim * dim {
            let (i, j) = (begin + k / dim, begin + k % dim);
            block[k] = match &self.delassus.form {
                Form::Primal(primal) => primal.entry(i, j),
                _ => self.assembled().get(i, j),
            };
        }
    }

    /// u ← u + W p, without forming W; `v` is scratch.
    pub fn add_product(&self, p: &[f64], v: &mut Vec<f64>, u: &mut [f64]) {
        self.delassus.apply(p, v, u);
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
        let (stored, rows, columns) = match &self.delassus.form {
            Form::Explicit(w) => (Some((w, "W")), w.n_rows(), w.n_columns),
            Form::Primal(Primal { jacobian, .. }) => {
                (Some((jacobian, "J")), jacobian.n_rows(), jacobian.n_rows())
            }
            Form::Posed(posed) => (None, posed.jacobian.n_rows(), posed.jacobian.n_rows()),
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
        if let Form::Posed(posed) = &self.delassus.form {
            match posed.fault(&self.sets) {
                Some(Fault::Rows(index, fault)) => return Err(ProblemError::Set { index, fault }),
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
