//! Factors of the active block: solves W_AA x_A = b_A, x = 0 elsewhere, for a chosen set A.
//!
//! Up to `DENSE_LIMIT` rows an explicit inverse is kept; beyond that the sparse matrix that equals W
//! on A × A and the identity elsewhere is factored, so that every A shares one symbolic analysis.
//! Factors are reused as long as the matrix (by its stamp), the set and the shift stay the same.

use crate::dense::invert;
use crate::factor::Factor;
use crate::problem::Problem;
use crate::sparse::Sparse;

/// Rows up to which the dense inverse is used. Once warm, a column of beads takes 0.72 µs (dense) and 0.73 µs
/// (sparse) per step at 10 contacts, 2.16 and 1.80 at 30, 11.9 and 5.7 at 100 (`bench_small --beads N` with
/// the limit at 128 and at 8). The limit lies a little above the crossing, because the dense path needs no
/// analysis, and so no allocation, when the set of contacts changes.
const DENSE_LIMIT: usize = 32;

#[derive(Default)]
pub(super) struct ActiveBlock {
    /// What the present factors belong to: stamp of W, shift. None: nothing.
    known: Option<(u64, f64)>,
    active: Vec<bool>,
    rows: Vec<usize>,
    inverse: Vec<f64>,
    pivots: Vec<usize>,
    x: Vec<f64>,
    sparse: Option<(Sparse, bool, Factor)>,
}

impl ActiveBlock {
    /// Prepares W_AA + shift·diag(W); false if it is singular.
    pub(super) fn prepare(&mut self, problem: &Problem, active: &[bool], shift: f64) -> bool {
        let wanted = problem.delassus.stamp.map(|stamp| (stamp, shift));
        if wanted.is_some() && wanted == self.known && self.active == active {
            return true;
        }
        self.known = None;
        self.active.clear();
        self.active.extend_from_slice(active);
        let good = if active.len() <= DENSE_LIMIT {
            self.prepare_dense(problem, shift)
        } else {
            self.prepare_sparse(problem, shift)
        };
        if good {
            self.known = wanted;
        }
        good
    }

    fn prepare_dense(&mut self, problem: &Problem, shift: f64) -> bool {
        self.rows.clear();
        self.rows.extend((0..self.active.len()).filter(|&i| self.active[i]));
        let n = self.rows.len();
        self.inverse.clear();
        for &i in &self.rows {
            for &j in &self.rows {
                let w = problem.assembled().get(i, j);
                self.inverse.push(if i == j { w + shift * w } else { w });
            }
        }
        invert(&mut self.inverse, n, &mut self.pivots)
    }

    fn prepare_sparse(&mut self, problem: &Problem, shift: f64) -> bool {
        let w = problem.assembled();
        let same_pattern = self.sparse.as_ref().is_some_and(|(pattern, symmetric, _)| {
            *symmetric == problem.delassus.symmetric
                && pattern.start == w.start
                && pattern.column == w.column
        });
        if !same_pattern {
            self.sparse = Factor::analyse(w, problem.delassus.symmetric)
                .ok()
                .map(|factor| (w.clone(), problem.delassus.symmetric, factor));
        }
        let active = &self.active;
        let value = |k: usize, i: usize, j: usize| match (active[i] && active[j], i == j) {
            (true, true) => w.value[k] * (1.0 + shift),
            (true, false) => w.value[k],
            (false, true) => 1.0,
            (false, false) => 0.0,
        };
        self.sparse.as_mut().is_some_and(|(_, _, factor)| factor.factor(value).is_ok())
    }

    /// x_A ← W_AA⁻¹ x_A, x ← 0 elsewhere.
    pub(super) fn solve(&mut self, x: &mut [f64]) {
        if self.active.len() > DENSE_LIMIT {
            for (x, active) in x.iter_mut().zip(&self.active) {
                if !active {
                    *x = 0.0;
                }
            }
            let (_, _, factor) = self.sparse.as_mut().expect("`prepare` must succeed before `solve`");
            factor.solve(x);
            return;
        }
        let n = self.rows.len();
        self.x.clear();
        for k in 0..n {
            let inverse = &self.inverse[k * n..(k + 1) * n];
            self.x.push(self.rows.iter().zip(inverse).map(|(&j, a)| a * x[j]).sum());
        }
        x.fill(0.0);
        for (&i, &value) in self.rows.iter().zip(&self.x) {
            x[i] = value;
        }
    }

    /// Forgets factors and patterns.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }
}
