//! Factors of sparse square matrices; the one place where faer is called.
//!
//! Symmetric matrices are factored as P A Pᵀ = L D Lᵀ (AMD ordering, no pivoting: they are meant to
//! be positive definite), others as L U: by fronts where the pattern is symmetric (`factor/fronts.rs`), as P A Q = L U where
//! it is not or where exchanges within a front do not suffice. A pattern is analysed once; new values with the same
//! pattern are factored without allocation in the symmetric case. Everything runs on one thread, so
//! that results do not depend on how many there are.

mod fronts;

use crate::sparse::Sparse;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::factor::LdltRegularization;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky as ch;
use faer::sparse::linalg::lu;
use faer::sparse::{SparseColMat, SymbolicSparseColMat};
use faer::{Conj, MatMut, Par, Side};
use fronts::Fronts;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use thiserror::Error;

/// Why a matrix has no usable factors.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum FactorError {
    /// The matrix is singular, or not positive definite where it must be.
    #[error("the matrix is singular or not positive definite")]
    Singular,
    /// The pattern cannot be analysed (too large, or out of memory).
    #[error("the sparsity pattern cannot be analysed")]
    Pattern,
}

/// L D Lᵀ factors of a symmetric matrix.
pub struct SymmetricFactor {
    symbolic: ch::SymbolicCholesky<usize>,
    lower: SparseColMat<usize, f64>,
    /// For each stored entry of `lower`: its index in the matrix by rows, its row and column.
    source: Vec<(usize, u32, u32)>,
    values: Vec<f64>,
    memory: Mutex<MemBuffer>,
    factored: bool,
}

impl SymmetricFactor {
    /// Analyses the pattern of `matrix`.
    pub fn analyse(matrix: &Sparse) -> Result<Self, FactorError> {
        let n = matrix.n_rows();
        let (mut start, mut rows, mut source) = (vec![0], Vec::new(), Vec::new());
        // Row j of a symmetric matrix is its column j; entries on and below the diagonal are kept.
        for j in 0..n {
            for k in matrix.start[j]..matrix.start[j + 1] {
                if matrix.column[k] as usize >= j {
                    rows.push(matrix.column[k] as usize);
                    source.push((k, matrix.column[k], j as u32));
                }
            }
            start.push(rows.len());
        }
        let values = vec![0.0; rows.len()];
        let pattern = SymbolicSparseColMat::new_checked(n, n, start, None, rows);
        let lower = SparseColMat::new(pattern, values);
        let symbolic = ch::factorize_symbolic_cholesky(
            lower.symbolic(),
            Side::Lower,
            ch::SymmetricOrdering::Amd,
            Default::default(),
        )
        .map_err(|_| FactorError::Pattern)?;
        let memory = Mutex::new(MemBuffer::new(
            symbolic
                .factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Default::default())
                .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq)),
        ));
        let values = vec![0.0; symbolic.len_val()];
        Ok(Self { symbolic, lower, source, values, memory, factored: false })
    }

    /// Factors the matrix whose entry k (counted by rows, at row i, column j) is `value(k, i, j)`.
    pub fn factor(&mut self, value: impl Fn(usize, usize, usize) -> f64) -> Result<(), FactorError> {
        self.factored = false;
        let entries = self.lower.val_mut();
        for (entry, &(k, i, j)) in entries.iter_mut().zip(&self.source) {
            *entry = value(k, i as usize, j as usize);
        }
        self.symbolic
            .factorize_numeric_ldlt(
                &mut self.values,
                self.lower.as_ref(),
                Side::Lower,
                LdltRegularization::default(),
                Par::Seq,
                MemStack::new(exclusive(&mut self.memory)),
                Default::default(),
            )
            .map_err(|_| FactorError::Singular)?;
        if self.values.iter().any(|x| !x.is_finite()) {
            return Err(FactorError::Singular);
        }
        self.factored = true;
        Ok(())
    }

    /// x ← A⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        assert!(self.factored, "`factor` must succeed before `solve`");
        let n = x.len();
        let mut memory = shared(&self.memory);
        ch::LdltRef::<usize, f64>::new(&self.symbolic, &self.values).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(x, n, 1),
            Par::Seq,
            MemStack::new(&mut memory),
        );
    }
}

/// Rows from which matrices with a symmetric pattern are factored by fronts.
const FRONTS: usize = 60;

/// L U factors of any square matrix.
pub struct GeneralFactor {
    matrix: SparseColMat<usize, f64>,
    /// For each stored entry of `matrix`: its index in the matrix by rows, its row and column.
    source: Vec<(usize, u32, u32)>,
    /// Where the pattern is symmetric.
    fronts: Option<Box<Fronts>>,
    /// The same entries as those of `matrix`, by rows.
    values: Vec<f64>,
    /// Where exchanges within a front do not suffice.
    panels: Option<Box<Panels>>,
    by_fronts: bool,
    factored: bool,
}

/// L U with any exchange of rows.
struct Panels {
    symbolic: lu::SymbolicLu<usize>,
    numeric: lu::NumericLu<usize, f64>,
    memory: Mutex<MemBuffer>,
}

impl Panels {
    fn analyse(matrix: &SparseColMat<usize, f64>) -> Result<Self, FactorError> {
        // By dense panels whatever faer guesses: bodies in contact are blocks of six rows. 100 spheres in a box and a wall of
        // bricks take less than half of the time this way; an arch of 21 stones and stacks the same.
        let by_panels = lu::LuSymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            ..Default::default()
        };
        let symbolic =
            lu::factorize_symbolic_lu(matrix.symbolic(), by_panels).map_err(|_| FactorError::Pattern)?;
        let memory = Mutex::new(MemBuffer::new(
            symbolic
                .factorize_numeric_lu_scratch::<f64>(Par::Seq, Default::default())
                .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq))
                .or(symbolic.solve_transpose_in_place_scratch::<f64>(1, Par::Seq)),
        ));
        Ok(Self { symbolic, numeric: lu::NumericLu::new(), memory })
    }

    fn factor(&mut self, matrix: &SparseColMat<usize, f64>) -> Result<(), FactorError> {
        let Self { symbolic, numeric, memory } = self;
        // faer 0.24 panics on some exactly singular matrices (its issue 232).
        let attempt = catch_unwind(AssertUnwindSafe(|| {
            let stack = MemStack::new(exclusive(memory));
            symbolic
                .factorize_numeric_lu(numeric, matrix.as_ref(), Par::Seq, stack, Default::default())
                .is_ok()
        }));
        if attempt.unwrap_or(false) { Ok(()) } else { Err(FactorError::Singular) }
    }

    fn factors(&self) -> lu::LuRef<'_, usize, f64> {
        lu::LuRef::new_unchecked(&self.symbolic, &self.numeric)
    }
}

impl GeneralFactor {
    /// Analyses the pattern of `matrix`.
    pub fn analyse(matrix: &Sparse) -> Result<Self, FactorError> {
        let n = matrix.n_rows();
        let mut source = Vec::with_capacity(matrix.n_entries());
        for i in 0..n {
            for k in matrix.start[i]..matrix.start[i + 1] {
                source.push((k, i as u32, matrix.column[k]));
            }
        }
        source.sort_by_key(|&(_, i, j)| (j, i));
        let mut start = vec![0; n + 1];
        for &(_, _, j) in &source {
            start[j as usize + 1] += 1;
        }
        for j in 0..n {
            start[j + 1] += start[j];
        }
        let rows = source.iter().map(|&(_, i, _)| i as usize).collect();
        let pattern = SymbolicSparseColMat::new_checked(n, n, start, None, rows);
        let matrix = SparseColMat::new(pattern, vec![0.0; source.len()]);
        let fronts = match n >= FRONTS && has_symmetric_pattern(&source) {
            true => Some(Box::new(Fronts::analyse(&source, n)?)),
            false => None,
        };
        let panels = match fronts {
            Some(_) => None,
            None => Some(Box::new(Panels::analyse(&matrix)?)),
        };
        let values = vec![0.0; source.len()];
        Ok(Self { matrix, source, fronts, values, panels, by_fronts: false, factored: false })
    }

    /// Factors the matrix whose entry k (counted by rows, at row i, column j) is `value(k, i, j)`.
    pub fn factor(&mut self, value: impl Fn(usize, usize, usize) -> f64) -> Result<(), FactorError> {
        (self.factored, self.by_fronts) = (false, false);
        for (entry, &(k, i, j)) in self.matrix.val_mut().iter_mut().zip(&self.source) {
            *entry = value(k, i as usize, j as usize);
            self.values[k] = *entry;
        }
        if let Some(fronts) = &mut self.fronts {
            self.by_fronts =
                fronts.factor(&self.values) && fronts.is_accurate(&self.source, &self.values);
        }
        if self.by_fronts {
            self.factored = true;
            return Ok(());
        }
        let mut panels = match self.panels.take() {
            Some(panels) => panels,
            None => Box::new(Panels::analyse(&self.matrix)?),
        };
        let made = panels.factor(&self.matrix);
        self.panels = Some(panels);
        made?;
        self.factored = true;
        let mut probe = vec![1.0; self.matrix.ncols()];
        self.solve(&mut probe);
        self.factored = probe.iter().all(|x| x.is_finite());
        if self.factored { Ok(()) } else { Err(FactorError::Singular) }
    }

    /// x ← A⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        match &self.fronts {
            Some(fronts) if self.by_fronts => fronts.solve(x),
            _ => {
                let panels = self.panels();
                let (n, mut memory) = (x.len(), shared(&panels.memory));
                let (x, stack) =
                    (MatMut::from_column_major_slice_mut(x, n, 1), MemStack::new(&mut memory));
                panels.factors().solve_in_place_with_conj(Conj::No, x, Par::Seq, stack);
            }
        }
    }

    /// x ← A⁻ᵀ x.
    pub fn solve_transposed(&self, x: &mut [f64]) {
        match &self.fronts {
            Some(fronts) if self.by_fronts => fronts.solve_transposed(x),
            _ => {
                let panels = self.panels();
                let (n, mut memory) = (x.len(), shared(&panels.memory));
                let (x, stack) =
                    (MatMut::from_column_major_slice_mut(x, n, 1), MemStack::new(&mut memory));
                panels.factors().solve_transpose_in_place_with_conj(Conj::No, x, Par::Seq, stack);
            }
        }
    }

    #[cfg(test)]
    pub(crate) fn is_by_fronts(&self) -> bool {
        self.by_fronts
    }

    fn panels(&self) -> &Panels {
        assert!(self.factored, "`factor` must succeed before `solve`");
        self.panels.as_ref().expect("what is not factored by fronts is factored by panels")
    }
}

/// Whether with every entry (i, j) there is one (j, i); `source` is sorted by columns.
fn has_symmetric_pattern(source: &[(usize, u32, u32)]) -> bool {
    source.iter().all(|&(_, i, j)| source.binary_search_by_key(&(i, j), |&(_, i, j)| (j, i)).is_ok())
}

/// Scratch memory of a factor that others may be solving with.
fn shared(memory: &Mutex<MemBuffer>) -> MutexGuard<'_, MemBuffer> {
    memory.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Scratch memory of a factor that nobody else has.
fn exclusive(memory: &mut Mutex<MemBuffer>) -> &mut MemBuffer {
    memory.get_mut().unwrap_or_else(PoisonError::into_inner)
}

/// Dense L U with partial pivoting, for systems that are solved once.
#[derive(Default)]
pub struct DenseLu {
    memory: Option<(usize, MemBuffer)>,
    forward: Vec<usize>,
    backward: Vec<usize>,
}

impl DenseLu {
    /// x ← A⁻¹ x for the n × n matrix `a`, stored by columns and overwritten; false if a pivot vanishes.
    pub fn solve(&mut self, a: &mut [f64], n: usize, x: &mut [f64]) -> bool {
        use faer::linalg::lu::partial_pivoting::{factor, solve};
        if self.memory.as_ref().is_none_or(|(size, _)| *size < n) {
            let request = factor::lu_in_place_scratch::<usize, f64>(n, n, Par::Seq, Default::default())
                .or(solve::solve_in_place_scratch::<usize, f64>(n, 1, Par::Seq));
            self.memory = Some((n, MemBuffer::new(request)));
        }
        let (_, memory) = self.memory.as_mut().expect("made above");
        self.forward.clear();
        self.forward.resize(n, 0);
        self.backward.clear();
        self.backward.resize(n, 0);
        let mut a = MatMut::from_column_major_slice_mut(a, n, n);
        let (_, order) = factor::lu_in_place(
            a.as_mut(),
            &mut self.forward,
            &mut self.backward,
            Par::Seq,
            MemStack::new(memory),
            Default::default(),
        );
        if (0..n).any(|i| a[(i, i)] == 0.0) {
            return false;
        }
        let x = MatMut::from_column_major_slice_mut(x, n, 1);
        let stack = MemStack::new(memory);
        solve::solve_in_place_with_conj(a.as_ref(), a.as_ref(), order, Conj::No, x, Par::Seq, stack);
        true
    }
}

/// Whether a symmetric matrix is positive definite beyond rounding, by its Cholesky factors.
///
/// A pivot below 1e-14 of its diagonal entry counts as zero; up to 64 rows that is checked pivot by
/// pivot, beyond that faer's factorization decides.
pub fn is_positive_definite(matrix: &Sparse) -> bool {
    let n = matrix.n_rows();
    if matrix.is_diagonal() {
        return (0..n).all(|i| matrix.get(i, i) > 0.0);
    }
    if n > 64 {
        let Ok(factor) = SymmetricFactor::analyse(matrix) else { return false };
        let mut lower = factor.lower;
        for (entry, &(k, _, _)) in lower.val_mut().iter_mut().zip(&factor.source) {
            *entry = matrix.value[k];
        }
        return lower.sp_cholesky(Side::Lower).is_ok();
    }
    let mut a: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| matrix.get(i, j)).collect()).collect();
    for k in 0..n {
        if !(a[k][k] > 1e-14 * matrix.get(k, k).abs() && a[k][k] > 0.0) {
            return false;
        }
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
    true
}

/// Factors of either kind.
pub enum Factor {
    /// L D Lᵀ.
    Symmetric(SymmetricFactor),
    /// L U.
    General(GeneralFactor),
}

impl Factor {
    /// Analyses the pattern of `matrix`, whose values will be symmetric or not.
    pub fn analyse(matrix: &Sparse, symmetric: bool) -> Result<Self, FactorError> {
        Ok(if symmetric {
            Factor::Symmetric(SymmetricFactor::analyse(matrix)?)
        } else {
            Factor::General(GeneralFactor::analyse(matrix)?)
        })
    }

    /// Factors the matrix whose entry k (counted by rows, at row i, column j) is `value(k, i, j)`.
    pub fn factor(&mut self, value: impl Fn(usize, usize, usize) -> f64) -> Result<(), FactorError> {
        match self {
            Factor::Symmetric(factor) => factor.factor(value),
            Factor::General(factor) => factor.factor(value),
        }
    }

    /// x ← A⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        match self {
            Factor::Symmetric(factor) => factor.solve(x),
            Factor::General(factor) => factor.solve(x),
        }
    }

    /// x ← A⁻ᵀ x.
    pub fn solve_transposed(&self, x: &mut [f64]) {
        match self {
            Factor::Symmetric(factor) => factor.solve(x),
            Factor::General(factor) => factor.solve_transposed(x),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laplacian(n: usize, skew: f64) -> Sparse {
        let mut triplets = Vec::new();
        for i in 0..n {
            triplets.push((i, i, 2.5));
            if i + 1 < n {
                triplets.push((i, i + 1, -1.0 - skew));
                triplets.push((i + 1, i, -1.0 + skew));
            }
        }
        Sparse::from_triplets(n, n, &triplets).unwrap()
    }

    #[test]
    fn both_factors_solve_to_rounding() {
        for (skew, symmetric) in [(0.0, true), (0.0, false), (0.3, false)] {
            let a = laplacian(50, skew);
            let x: Vec<f64> = (0..50).map(|i| (i as f64).sin()).collect();
            let mut b = vec![0.0; 50];
            a.multiply(&x, &mut b);
            let mut factor = Factor::analyse(&a, symmetric).unwrap();
            factor.factor(|k, _, _| a.value[k]).unwrap();
            factor.solve(&mut b);
            // Condition number below 10: a few units in the last place.
            assert!(x.iter().zip(&b).all(|(x, b)| (x - b).abs() < 1e-13));
            // xᵀ A = cᵀ, solved through the transpose.
            let mut c = vec![0.0; 50];
            for i in 0..50 {
                let (columns, values) = a.row(i);
                columns.iter().zip(values).for_each(|(&j, value)| c[j as usize] += x[i] * value);
            }
            factor.solve_transposed(&mut c);
            assert!(x.iter().zip(&c).all(|(x, c)| (x - c).abs() < 1e-13));
        }
    }

    #[test]
    fn dense_factors_solve_to_rounding_and_see_zero_pivots() {
        let n = 40;
        let a = laplacian(n, 0.3);
        let x: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let mut b = vec![0.0; n];
        a.multiply(&x, &mut b);
        // By columns, rows in reverse so that pivoting has work.
        let mut dense: Vec<f64> = (0..n * n).map(|k| a.get(n - 1 - k % n, k / n)).collect();
        b.reverse();
        let mut lu = DenseLu::default();
        assert!(lu.solve(&mut dense, n, &mut b));
        assert!(x.iter().zip(&b).all(|(x, b)| (x - b).abs() < 1e-13));
        assert!(!lu.solve(&mut [1.0, 1.0, 1.0, 1.0], 2, &mut [1.0, 1.0]));
    }

    #[test]
    fn a_singular_matrix_is_an_error_not_a_panic() {
        let a = Sparse::from_rows(&[vec![1.0, 1.0], vec![1.0, 1.0]]);
        let zero = |_: usize, _: usize, _: usize| 0.0;
        assert!(Factor::analyse(&a, false).unwrap().factor(zero).is_err());
        assert!(Factor::analyse(&a, true).unwrap().factor(zero).is_err());
    }
}
