//! L U of a square matrix whose pattern is symmetric, front by front.
//!
//! ```text
//! A(P, P) = L U,     front s:  [ A₁₁  A₁₂ ]    A₁₁ = Πᵀ L₁₁ U₁₁,  L₂₁ = A₂₁ U₁₁⁻¹,  U₁₂ = L₁₁⁻¹ Π A₁₂
//!                              [ A₂₁   0  ]    what is left for later fronts: −L₂₁ U₁₂
//! ```
//!
//! The order P and the columns of each front are those of the Cholesky factor of a matrix with this pattern (AMD, supernodes), so the
//! work is twice that of Cholesky [Duff83]. Rows are exchanged within A₁₁ only. That is stable where the matrix is far enough from
//! singular, as Newton's are; `factor` measures it by the backward error of one solve and says no where it is not.

use super::FactorError;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor as lu;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve as triangular;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::sparse::SymbolicSparseColMat;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky as ch;
use faer::{Accum, MatMut, MatRef, Par, Side};
use std::ops::Range;

/// Backward error ‖A x − b‖ / (‖A‖ ‖x‖ + ‖b‖) up to which factors are taken: a thousand times what a stable L U of 10⁴ rows has.
const BACKWARD: f64 = 1e-12;
/// No front.
const NONE: u32 = u32::MAX;

/// One front: columns that are eliminated together, and the later rows that they touch.
struct Front {
    /// Its own positions.
    own: Range<usize>,
    /// The later positions that it touches: a range of `Fronts::below`.
    below: Range<usize>,
    /// The front that receives what is left, and where the places of `below` in it begin in `Fronts::place`.
    parent: u32,
    /// Entries of A that are assembled here: a range of `Fronts::entries`.
    entries: Range<usize>,
    /// Where L₁₁ and U₁₁ (one square), L₂₁ and U₁₂ begin in `Fronts::values`, all by columns.
    first: usize,
}

/// The factor.
pub(super) struct Fronts {
    /// The row of A at each position.
    row_at: Vec<usize>,
    fronts: Vec<Front>,
    below: Vec<u32>,
    /// The place of each of `below` in the front of the parent.
    place: Vec<u32>,
    /// Entry of A (by rows), and its row and column within the front.
    entries: Vec<(u32, u32, u32)>,
    values: Vec<f64>,
    /// Rows of A₁₁ in the order of their pivots.
    pivots: Vec<usize>,
    inverse: Vec<usize>,
    /// What a front leaves for its parent, by columns.
    left: Vec<Vec<f64>>,
    dense: Vec<f64>,
    memory: MemBuffer,
}

impl Fronts {
    /// Analyses a symmetric pattern of `n` rows; `source` has number (by rows), row and column of each entry.
    pub(super) fn analyse(source: &[(usize, u32, u32)], n: usize) -> Result<Self, FactorError> {
        let by_fronts = ch::CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            ..Default::default()
        };
        let lower = lower_of(n, source);
        let amd = ch::SymmetricOrdering::Amd;
        let symbolic = ch::factorize_symbolic_cholesky(lower.as_ref(), Side::Lower, amd, by_fronts)
            .map_err(|_| FactorError::Pattern)?;
        let (Some(order), ch::SymbolicCholeskyRaw::Supernodal(nodes)) =
            (symbolic.perm(), symbolic.raw())
        else {
            return Err(FactorError::Pattern);
        };
        let (row_at, position) = order.arrays();
        let mut made = Self {
            row_at: row_at.to_vec(),
            fronts: Vec::new(),
            below: Vec::new(),
            place: Vec::new(),
            entries: Vec::new(),
            values: Vec::new(),
            pivots: vec![0; n],
            inverse: vec![0; n],
            left: Vec::new(),
            dense: Vec::new(),
            memory: MemBuffer::new(lu::lu_in_place_scratch::<usize, f64>(
                0,
                0,
                Par::Seq,
                Default::default(),
            )),
        };
        made.lay_out(nodes);
        made.assign(source, position);
        Ok(made)
    }

    /// Fronts, their rows and their parents.
    fn lay_out(&mut self, nodes: &ch::supernodal::SymbolicSupernodalCholesky<usize>) {
        let (mut values, mut widest) = (0, 0);
        let mut front_of = vec![NONE; self.row_at.len()];
        for s in 0..nodes.n_supernodes() {
            let own = nodes.supernode_begin()[s]..nodes.supernode_end()[s];
            let first = self.below.len();
            self.below.extend(nodes.supernode(s).pattern().iter().map(|&i| i as u32));
            self.below[first..].sort_unstable();
            front_of[own.clone()].fill(s as u32);
            let (n, m) = (own.len(), self.below.len() - first);
            widest = widest.max(n);
            self.fronts.push(Front {
                own,
                below: first..self.below.len(),
                parent: NONE,
                entries: 0..0,
                first: values,
            });
            values += n * (n + 2 * m);
        }
        self.values = vec![0.0; values];
        self.left = vec![Vec::new(); self.fronts.len()];
        self.memory = MemBuffer::new(lu::lu_in_place_scratch::<usize, f64>(
            widest,
            widest,
            Par::Seq,
            Default::default(),
        ));
        self.place = vec![0; self.below.len()];
        for s in 0..self.fronts.len() {
            let below = self.fronts[s].below.clone();
            if below.is_empty() {
                continue;
            }
            let parent = front_of[self.below[below.start] as usize];
            self.fronts[s].parent = parent;
            let target = &self.fronts[parent as usize];
            for k in below {
                let place = target.place_of(self.below[k], &self.below);
                self.place[k] = place.expect("what a front leaves fits into its parent");
            }
        }
    }

    /// Every entry of A to the front that eliminates its row or its column first.
    fn assign(&mut self, source: &[(usize, u32, u32)], position: &[usize]) {
        let mut front_of = vec![0u32; self.row_at.len()];
        for (s, front) in self.fronts.iter().enumerate() {
            front_of[front.own.clone()].fill(s as u32);
        }
        let home = |&(k, i, j): &(usize, u32, u32)| {
            let (i, j) = (position[i as usize] as u32, position[j as usize] as u32);
            (front_of[i.min(j) as usize], k as u32, i, j)
        };
        let mut homes: Vec<(u32, u32, u32, u32)> = source.iter().map(home).collect();
        homes.sort_unstable_by_key(|&(front, k, ..)| (front, k));
        let mut next = 0;
        for (s, front) in self.fronts.iter_mut().enumerate() {
            let begin = next;
            while next < homes.len() && homes[next].0 == s as u32 {
                let (_, k, i, j) = homes[next];
                let place =
                    |x| front.place_of(x, &self.below).expect("a front has the rows of its columns");
                self.entries.push((k, place(i), place(j)));
                next += 1;
            }
            front.entries = begin..next;
        }
    }

    /// Factors the matrix with entries `value[k]`, by rows; false where a pivot vanishes.
    pub(super) fn factor(&mut self, value: &[f64]) -> bool {
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); self.fronts.len()];
        for (s, front) in self.fronts.iter().enumerate() {
            if front.parent != NONE {
                children[front.parent as usize].push(s as u32);
            }
        }
        for s in 0..self.fronts.len() {
            self.gather(s, &children[s], value);
            if !self.eliminate(s) {
                return false;
            }
        }
        true
    }

    /// The front before it is eliminated, into `dense`, by columns.
    fn gather(&mut self, s: usize, children: &[u32], value: &[f64]) {
        let front = &self.fronts[s];
        let size = front.own.len() + front.below.len();
        self.dense.clear();
        self.dense.resize(size * size, 0.0);
        for &(k, i, j) in &self.entries[front.entries.clone()] {
            self.dense[j as usize * size + i as usize] = value[k as usize];
        }
        for &child in children {
            let left = std::mem::take(&mut self.left[child as usize]);
            let place = &self.place[self.fronts[child as usize].below.clone()];
            for (column, &j) in left.chunks_exact(place.len()).zip(place) {
                let target = &mut self.dense[j as usize * size..][..size];
                column.iter().zip(place).for_each(|(x, &i)| target[i as usize] += x);
            }
        }
    }

    /// Factors the own columns of `dense`, keeps the factors and what is left; false where a pivot vanishes.
    fn eliminate(&mut self, s: usize) -> bool {
        let front = &self.fronts[s];
        let (n, m) = (front.own.len(), front.below.len());
        let size = n + m;
        let whole = MatMut::from_column_major_slice_mut(&mut self.dense, size, size);
        let (mut square, mut upper, mut lower, mut rest) = whole.split_at_mut(n, n);
        let (pivots, inverse) =
            (&mut self.pivots[front.own.clone()], &mut self.inverse[front.own.clone()]);
        let stack = MemStack::new(&mut self.memory);
        lu::lu_in_place(square.rb_mut(), pivots, inverse, Par::Seq, stack, Default::default());
        if (0..n).any(|i| !(square[(i, i)].abs() > 0.0 && square[(i, i)].is_finite())) {
            return false;
        }
        let kept = &mut self.values[front.first..front.first + n * (n + 2 * m)];
        let (kept_square, kept) = kept.split_at_mut(n * n);
        let (kept_lower, kept_upper) = kept.split_at_mut(n * m);
        for j in 0..m {
            (0..n).for_each(|i| kept_upper[j * n + i] = upper[(pivots[i], j)]);
            (0..n).for_each(|i| upper[(i, j)] = kept_upper[j * n + i]);
        }
        if m > 0 {
            triangular::solve_unit_lower_triangular_in_place(square.rb(), upper.rb_mut(), Par::Seq);
            // X U = A  ⟺  Uᵀ Xᵀ = Aᵀ
            triangular::solve_lower_triangular_in_place(
                square.rb().transpose(),
                lower.rb_mut().transpose_mut(),
                Par::Seq,
            );
            matmul(rest.rb_mut(), Accum::Add, lower.rb(), upper.rb(), -1.0, Par::Seq);
        }
        copy(square.rb(), kept_square);
        copy(lower.rb(), kept_lower);
        copy(upper.rb(), kept_upper);
        self.left[s].resize(m * m, 0.0);
        copy(rest.rb(), &mut self.left[s]);
        true
    }

    /// x ← A⁻¹ x.
    pub(super) fn solve(&self, x: &mut [f64]) {
        let mut y: Vec<f64> = self.row_at.iter().map(|&i| x[i]).collect();
        let mut own = Vec::new();
        for front in &self.fronts {
            let (square, lower, _) = self.panels(front);
            let (n, m, begin) = (front.own.len(), front.below.len(), front.own.start);
            own.clear();
            own.extend(self.pivots[front.own.clone()].iter().map(|&i| y[begin + i]));
            for j in 0..n {
                let at = own[j];
                (j + 1..n).for_each(|i| own[i] -= square[j * n + i] * at);
            }
            y[front.own.clone()].copy_from_slice(&own);
            let rows = &self.below[front.below.clone()];
            for (j, at) in own.iter().enumerate() {
                let column = &lower[j * m..(j + 1) * m];
                rows.iter().zip(column).for_each(|(&i, l)| y[i as usize] -= l * at);
            }
        }
        for front in self.fronts.iter().rev() {
            let (square, _, upper) = self.panels(front);
            let (n, begin) = (front.own.len(), front.own.start);
            for (k, &row) in self.below[front.below.clone()].iter().enumerate() {
                let at = y[row as usize];
                (0..n).for_each(|i| y[begin + i] -= upper[k * n + i] * at);
            }
            for j in (0..n).rev() {
                y[begin + j] /= square[j * n + j];
                let at = y[begin + j];
                (0..j).for_each(|i| y[begin + i] -= square[j * n + i] * at);
            }
        }
        self.row_at.iter().zip(&y).for_each(|(&i, y)| x[i] = *y);
    }

    /// x ← A⁻ᵀ x.
    pub(super) fn solve_transposed(&self, x: &mut [f64]) {
        let mut y: Vec<f64> = self.row_at.iter().map(|&i| x[i]).collect();
        for front in &self.fronts {
            let (square, _, upper) = self.panels(front);
            let (n, begin) = (front.own.len(), front.own.start);
            for j in 0..n {
                let before: f64 = (0..j).map(|i| square[j * n + i] * y[begin + i]).sum();
                y[begin + j] = (y[begin + j] - before) / square[j * n + j];
            }
            for (k, &row) in self.below[front.below.clone()].iter().enumerate() {
                let moved: f64 = (0..n).map(|i| upper[k * n + i] * y[begin + i]).sum();
                y[row as usize] -= moved;
            }
        }
        let mut own = Vec::new();
        for front in self.fronts.iter().rev() {
            let (square, lower, _) = self.panels(front);
            let (n, m, begin) = (front.own.len(), front.below.len(), front.own.start);
            own.clear();
            own.extend_from_slice(&y[front.own.clone()]);
            let rows = &self.below[front.below.clone()];
            for j in (0..n).rev() {
                let column = &lower[j * m..(j + 1) * m];
                let moved: f64 = rows.iter().zip(column).map(|(&i, l)| l * y[i as usize]).sum();
                let after: f64 = (j + 1..n).map(|i| square[j * n + i] * own[i]).sum();
                own[j] -= moved + after;
            }
            let pivots = &self.pivots[front.own.clone()];
            pivots.iter().zip(&own).for_each(|(&i, own)| y[begin + i] = *own);
        }
        self.row_at.iter().zip(&y).for_each(|(&i, y)| x[i] = *y);
    }

    /// L₁₁ and U₁₁, L₂₁ and U₁₂ of a front.
    fn panels(&self, front: &Front) -> (&[f64], &[f64], &[f64]) {
        let (n, m) = (front.own.len(), front.below.len());
        let (square, rest) = self.values[front.first..front.first + n * (n + 2 * m)].split_at(n * n);
        let (lower, upper) = rest.split_at(n * m);
        (square, lower, upper)
    }

    /// Whether a solve with the matrix of entries `value` has a small backward error.
    pub(super) fn is_accurate(&self, source: &[(usize, u32, u32)], value: &[f64]) -> bool {
        let n = self.row_at.len();
        let given: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { -1.0 } else { 1.0 }).collect();
        let (mut right, mut sizes) = (vec![0.0; n], vec![0.0f64; n]);
        for &(k, i, j) in source {
            right[i as usize] += value[k] * given[j as usize];
            sizes[i as usize] += value[k].abs();
        }
        let mut x = right.clone();
        self.solve(&mut x);
        let mut rest = right.clone();
        source.iter().for_each(|&(k, i, j)| rest[i as usize] -= value[k] * x[j as usize]);
        let largest = |list: &[f64]| list.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        // Not `>`, so that a NaN is no success.
        x.iter().all(|x| x.is_finite())
            && largest(&rest) <= BACKWARD * (largest(&sizes) * largest(&x) + largest(&right))
    }
}

impl Front {
    /// Row or column of position `x` in the front.
    fn place_of(&self, x: u32, below: &[u32]) -> Option<u32> {
        if self.own.contains(&(x as usize)) {
            return Some(x - self.own.start as u32);
        }
        let found = below[self.below.clone()].binary_search(&x).ok()?;
        Some((self.own.len() + found) as u32)
    }
}

/// The lower triangle of a pattern, by columns.
fn lower_of(n: usize, source: &[(usize, u32, u32)]) -> SymbolicSparseColMat<usize> {
    let mut columns: Vec<Vec<usize>> = (0..n).map(|j| vec![j]).collect();
    for &(_, i, j) in source.iter().filter(|(_, i, j)| i > j) {
        columns[j as usize].push(i as usize);
    }
    let (mut start, mut rows) = (vec![0], Vec::new());
    for column in &mut columns {
        column.sort_unstable();
        rows.append(column);
        start.push(rows.len());
    }
    SymbolicSparseColMat::new_checked(n, n, start, None, rows)
}

/// A dense matrix by columns.
fn copy(from: MatRef<'_, f64>, to: &mut [f64]) {
    let n = from.nrows();
    for j in 0..from.ncols() {
        (0..n).for_each(|i| to[j * n + i] = from[(i, j)]);
    }
}

#[cfg(test)]
mod tests {
    use crate::factor::{DenseLu, Factor};
    use crate::sparse::Sparse;

    /// Blocks of three rows on a grid, coupled to their neighbours by numbers in −1 … 1; `size` on the diagonal.
    fn grid(side: usize, size: f64) -> Sparse {
        let mut seed = 1u64;
        let mut number = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let mut triplets = Vec::new();
        for a in 0..side * side {
            for b in 0..side * side {
                let apart = (a % side).abs_diff(b % side) + (a / side).abs_diff(b / side);
                for (i, j) in (0..9).map(|k| (k / 3, k % 3)).filter(|_| apart <= 1) {
                    let own = if a == b && i == j { size } else { 0.0 };
                    triplets.push((3 * a + i, 3 * b + j, own + number()));
                }
            }
        }
        Sparse::from_triplets(3 * side * side, 3 * side * side, &triplets).unwrap()
    }

    /// The largest error of A x = b and of Aᵀ x = b, beside a dense L U.
    fn errors(a: &Sparse, factor: &Factor) -> [f64; 2] {
        let n = a.n_rows();
        let b: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let mut by_columns: Vec<f64> = (0..n * n).map(|k| a.get(k % n, k / n)).collect();
        let mut by_rows: Vec<f64> = (0..n * n).map(|k| a.get(k / n, k % n)).collect();
        let (mut x, mut y, mut x_dense, mut y_dense) = (b.clone(), b.clone(), b.clone(), b);
        factor.solve(&mut x);
        factor.solve_transposed(&mut y);
        assert!(DenseLu::default().solve(&mut by_columns, n, &mut x_dense));
        assert!(DenseLu::default().solve(&mut by_rows, n, &mut y_dense));
        let error = |x: &[f64], y: &[f64]| {
            let size = y.iter().fold(0.0f64, |m, y| m.max(y.abs()));
            x.iter().zip(y).fold(0.0f64, |m, (x, y)| m.max((x - y).abs())) / size
        };
        [error(&x, &x_dense), error(&y, &y_dense)]
    }

    #[test]
    fn fronts_solve_as_a_dense_factor_does_and_the_other_way_where_pivots_are_bad() {
        // Diagonal blocks of size 4 dominate; with 0 rows must be exchanged across fronts, and with a diagonal of zeros no front begins.
        for (size, by_fronts) in [(4.0, true), (0.0, false)] {
            let mut a = grid(8, size);
            if !by_fronts {
                let start = a.start.clone();
                for (i, range) in start.windows(2).enumerate() {
                    for k in range[0]..range[1] {
                        if a.column[k] as usize / 3 == i / 3 {
                            a.value[k] = 0.0;
                        }
                    }
                }
            }
            let mut factor = Factor::analyse(&a, false).unwrap();
            for _ in 0..2 {
                factor.factor(|k, _, _| a.value[k]).unwrap();
                let Factor::General(general) = &factor else { panic!("it is not symmetric") };
                assert_eq!(general.is_by_fronts(), by_fronts);
                // Condition numbers of 10² to 10⁴, a growth of the same order.
                let found = errors(&a, &factor);
                assert!(found.iter().all(|error| *error < 1e-10), "{found:?}");
            }
        }
    }
}
