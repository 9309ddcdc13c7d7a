//! The linear systems of Newton's method: (d A + B (W + α d)) δ = −F, block by block.
//!
//! Constraints whose B vanishes (open contacts: δ = −A⁻¹ F/d) are taken out first; what remains is solved by dense L U
//! up to `DENSE_LIMIT` rows or where W is mostly full, by sparse L U otherwise, on one pattern that all iterations share.

use crate::factor::{DenseLu, Factor};
use crate::linearise::Linear;
use crate::problem::Problem;
use crate::sparse::Sparse;

/// Rows up to which the active system is solved densely.
const DENSE_LIMIT: usize = 120;
/// Share of nonzero entries beyond which a larger system is solved densely too.
const DENSE_SHARE: f64 = 0.25;
/// Rows beyond which a dense matrix is never formed (200 MB).
const DENSE_MAXIMUM: usize = 5000;

#[derive(Default)]
pub(super) struct NewtonSystem {
    /// W with full blocks: the rows of one constraint have the same columns.
    padded: Sparse,
    /// First row of each constraint, and one past the last row at the end.
    begin: Vec<usize>,
    /// The constraint of each row.
    owner: Vec<u32>,
    /// Place of each row among the active ones, or `usize::MAX`.
    place: Vec<usize>,
    active: Vec<usize>,
    dense: Vec<f64>,
    lu: DenseLu,
    sparse: Option<Factor>,
    x: Vec<f64>,
}

impl NewtonSystem {
    /// Takes over the pattern and values of W.
    pub(super) fn load(&mut self, problem: &Problem) {
        self.begin.clear();
        self.begin.extend(problem.blocks().map(|(begin, _)| begin));
        self.begin.push(problem.size());
        self.owner.clear();
        for (c, set) in problem.sets.iter().enumerate() {
            self.owner.extend(std::iter::repeat_n(c as u32, set.dim()));
        }
        self.pad(problem.assembled());
        self.sparse = None;
    }

    /// Copies W, giving all rows of a constraint all columns of the constraints that any of them is coupled to.
    fn pad(&mut self, w: &Sparse) {
        self.padded.clear(w.n_columns);
        let mut marks = vec![u32::MAX; self.begin.len()];
        let mut marked: Vec<u32> = Vec::new();
        let mut row_values = vec![0.0; w.n_columns];
        for c in 0..self.begin.len() - 1 {
            marked.clear();
            marked.push(c as u32);
            marks[c] = c as u32;
            for i in self.begin[c]..self.begin[c + 1] {
                for &j in w.row(i).0 {
                    let other = self.owner[j as usize];
                    if marks[other as usize] != c as u32 {
                        marks[other as usize] = c as u32;
                        marked.push(other);
                    }
                }
            }
            marked.sort_unstable();
            for i in self.begin[c]..self.begin[c + 1] {
                let (columns, values) = w.row(i);
                columns.iter().zip(values).for_each(|(&j, &x)| row_values[j as usize] = x);
                for &other in &marked {
                    for j in self.begin[other as usize]..self.begin[other as usize + 1] {
                        self.padded.column.push(j as u32);
                        self.padded.value.push(std::mem::take(&mut row_values[j]));
                    }
                }
                self.padded.finish_row();
            }
        }
    }

    /// δ with (d A + B (W + α d)) δ = −F; false if the system is singular.
    pub(super) fn solve(
        &mut self,
        linear: &[Linear],
        weight: &[f64],
        alpha: f64,
        delta: &mut [f64],
    ) -> bool {
        self.select(linear, weight, delta);
        let n = self.active.len();
        if n == 0 {
            return true;
        }
        self.right_hand_side(linear, delta);
        let stored: usize = self.active.iter().map(|&i| self.padded.row(i).0.len()).sum();
        let full = stored as f64 > DENSE_SHARE * (n as f64).powi(2);
        let good = if n <= DENSE_LIMIT || (full && n <= DENSE_MAXIMUM) {
            self.solve_dense(linear, weight, alpha)
        } else {
            self.solve_sparse(linear, weight, alpha)
        };
        if !good || self.x.iter().any(|x| !x.is_finite()) {
            return false;
        }
        for (&i, &x) in self.active.iter().zip(&self.x) {
            delta[i] = x;
        }
        true
    }

    /// Solves the constraints that do not see u, and lists the rows of the others.
    fn select(&mut self, linear: &[Linear], weight: &[f64], delta: &mut [f64]) {
        self.active.clear();
        self.place.clear();
        self.place.resize(delta.len(), usize::MAX);
        for (c, at) in linear.iter().enumerate() {
            let rows = self.begin[c]..self.begin[c + 1];
            let dim = rows.len();
            if at.b[..dim * dim].iter().all(|&b| b == 0.0) {
                // A is the identity where B vanishes.
                rows.clone().for_each(|i| delta[i] = -at.f[i - rows.start] / weight[c]);
            } else {
                for i in rows {
                    delta[i] = 0.0;
                    self.place[i] = self.active.len();
                    self.active.push(i);
                }
            }
        }
    }

    /// x ← −F − B W δ on the active rows, δ known on the others.
    fn right_hand_side(&mut self, linear: &[Linear], delta: &[f64]) {
        self.x.clear();
        for &i in &self.active {
            let c = self.owner[i] as usize;
            let (begin, end) = (self.begin[c], self.begin[c + 1]);
            let (dim, row) = (end - begin, i - begin);
            let moved: f64 = (0..dim)
                .map(|m| (linear[c].b[row * dim + m], begin + m))
                .filter(|(b, _)| *b != 0.0)
                .map(|(b, i)| b * self.padded.row_dot(i, delta))
                .sum();
            self.x.push(-linear[c].f[row] - moved);
        }
    }

    /// Entry of (d A + B (W + α d)) at padded position `k` of row `i`, column `j`.
    #[inline]
    fn entry(
        &self,
        linear: &[Linear],
        weight: &[f64],
        alpha: f64,
        (k, i, j): (usize, usize, usize),
    ) -> f64 {
        let c = self.owner[i] as usize;
        let begin = self.begin[c];
        let dim = self.begin[c + 1] - begin;
        let (row, at) = (i - begin, &linear[c]);
        let offset = k - self.padded.start[i];
        let mut sum = 0.0;
        for m in 0..dim {
            sum += at.b[row * dim + m] * self.padded.value[self.padded.start[begin + m] + offset];
        }
        if self.owner[j] as usize == c {
            let place = row * dim + (j - begin);
            sum += weight[c] * (at.a[place] + alpha * at.b[place]);
        }
        sum
    }

    fn solve_dense(&mut self, linear: &[Linear], weight: &[f64], alpha: f64) -> bool {
        let n = self.active.len();
        let mut dense = std::mem::take(&mut self.dense);
        dense.clear();
        dense.resize(n * n, 0.0);
        for (row, &i) in self.active.iter().enumerate() {
            for k in self.padded.start[i]..self.padded.start[i + 1] {
                let j = self.padded.column[k] as usize;
                if self.place[j] != usize::MAX {
                    // By columns.
                    dense[self.place[j] * n + row] = self.entry(linear, weight, alpha, (k, i, j));
                }
            }
        }
        let good = self.lu.solve(&mut dense, n, &mut self.x);
        self.dense = dense;
        good
    }

    fn solve_sparse(&mut self, linear: &[Linear], weight: &[f64], alpha: f64) -> bool {
        if self.sparse.is_none() {
            self.sparse = Factor::analyse(&self.padded, false).ok();
        }
        let Some(mut factor) = self.sparse.take() else { return false };
        let value = |k: usize, i: usize, j: usize| match (
            self.place[i] != usize::MAX && self.place[j] != usize::MAX,
            i == j,
        ) {
            (true, _) => self.entry(linear, weight, alpha, (k, i, j)),
            (false, true) => 1.0,
            (false, false) => 0.0,
        };
        let good = factor.factor(value).is_ok();
        if good {
            let mut x = vec![0.0; self.place.len()];
            self.active.iter().zip(&self.x).for_each(|(&i, &value)| x[i] = value);
            factor.solve(&mut x);
            self.active.iter().zip(&mut self.x).for_each(|(&i, value)| *value = x[i]);
        }
        self.sparse = Some(factor);
        good
    }

    /// Forgets factors and patterns.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }
}
