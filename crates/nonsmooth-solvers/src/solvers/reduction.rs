//! A mixed complementarity problem without its free variables.
//!
//! ```text
//! w_F = A x_F + C x_B + a = 0,     w_B = D x_F + E x_B + b        →        w_B = (E − D A⁻¹ C) x_B + b − D A⁻¹ a
//! ```
//!
//! F are the free rows, B the bounded ones. Rows and columns are first scaled to a largest entry near 1 by powers of
//! two. A is eliminated with partial pivoting; an equation that the free variables cannot meet (A is singular in most
//! circuits) takes a bounded x_j into the basis, and its w_j takes a free variable: a principal pivot on {F, j}.
//! Equations and variables that vanish in this are redundant and left to the judge.

use super::mixed::{Mixed, is_free};
use super::rank::{Lu, reveal};
use super::tableau::Tableau;
use crate::sparse::Sparse;

/// Entries of the scaled matrix below which an equation or a variable is redundant.
const REDUNDANT: f64 = 1e-11;

/// The problem without its free variables, and what is needed to come back.
pub(super) struct Reduced<'a> {
    pub given: Mixed<'a>,
    /// Row i of pair k: `pairs[k]` = i.
    pub pairs: Vec<usize>,
    /// x_i = sign_i (origin_i + x′_i scale_i) for a bounded variable.
    sign: Vec<f64>,
    origin: Vec<f64>,
    /// Powers of two times the size of the data.
    scale: Vec<f64>,
    /// Free equations and the free variables that meet them, in the same number.
    equations: Vec<usize>,
    variables: Vec<usize>,
    pub tableau: Tableau,
}

impl<'a> Reduced<'a> {
    /// Scales and eliminates; none if free variables must be split.
    pub fn new(given: Mixed<'a>) -> Option<Self> {
        let n = given.rhs.len();
        let (by_row, mut scale) = equilibrate(given.matrix);
        let (mut sign, mut origin, mut cap) = (vec![1.0; n], vec![0.0; n], vec![f64::INFINITY; n]);
        for (i, &(lower, upper)) in given.bounds.iter().enumerate() {
            if lower > f64::NEG_INFINITY {
                (origin[i], cap[i]) = (lower, upper - lower);
            } else if upper < f64::INFINITY {
                (sign[i], origin[i]) = (-1.0, -upper);
            }
        }
        let at_origin: Vec<f64> = (0..n).map(|i| sign[i] * origin[i]).collect();
        let mut rhs: Vec<f64> = (0..n)
            .map(|i| by_row[i] * sign[i] * (given.rhs[i] + given.matrix.row_dot(i, &at_origin)))
            .collect();
        let size = rhs.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let size = if size > 0.0 && size.is_finite() { size } else { 1.0 };
        rhs.iter_mut().for_each(|x| *x /= size);
        let mut dense = vec![0.0; n * n];
        for i in 0..n {
            let (columns, values) = given.matrix.row(i);
            for (&j, &a) in columns.iter().zip(values) {
                let j = j as usize;
                dense[i * n + j] = sign[i] * by_row[i] * a * scale[j] * sign[j];
            }
        }
        scale.iter_mut().for_each(|s| *s *= size);
        cap.iter_mut().zip(&scale).for_each(|(cap, s)| *cap /= s);
        let mut elimination = Elimination::new(given.bounds, dense, rhs);
        elimination.square();
        let (tableau, pairs) = elimination.finish(&cap)?;
        let Elimination { equations, variables, .. } = elimination;
        Some(Self { given, pairs, sign, origin, scale, equations, variables, tableau })
    }
}

/// Powers of two for rows and columns after which the largest entry of each is near 1.
fn equilibrate(matrix: &Sparse) -> (Vec<f64>, Vec<f64>) {
    let n = matrix.n_rows();
    let (mut by_row, mut by_column) = (vec![1.0f64; n], vec![1.0f64; n]);
    // Three passes bring entries over ten decades within a factor of four.
    for _ in 0..3 {
        let (mut row_max, mut column_max) = (vec![0.0f64; n], vec![0.0f64; n]);
        for i in 0..n {
            let (columns, values) = matrix.row(i);
            for (&j, &a) in columns.iter().zip(values) {
                let size = (by_row[i] * a * by_column[j as usize]).abs();
                row_max[i] = row_max[i].max(size);
                column_max[j as usize] = column_max[j as usize].max(size);
            }
        }
        for i in 0..n {
            by_row[i] *= near_root(row_max[i]);
            by_column[i] *= near_root(column_max[i]);
        }
    }
    (by_row, by_column)
}

/// A power of two near 1/√x; 1 for zero.
fn near_root(x: f64) -> f64 {
    if x > 0.0 && x.is_finite() { (-0.5 * x.log2()).round().exp2() } else { 1.0 }
}

/// Gaussian elimination of free variables against free equations.
struct Elimination<'a> {
    bounds: &'a [(f64, f64)],
    dense: Vec<f64>,
    rhs: Vec<f64>,
    equations: Vec<usize>,
    variables: Vec<usize>,
    rows_left: Vec<usize>,
    columns_left: Vec<usize>,
}

impl<'a> Elimination<'a> {
    fn new(bounds: &'a [(f64, f64)], dense: Vec<f64>, rhs: Vec<f64>) -> Self {
        let free: Vec<usize> = (0..rhs.len()).filter(|&i| is_free(bounds[i])).collect();
        let (equations, variables) = (Vec::new(), Vec::new());
        let columns_left = free.clone();
        Self { bounds, dense, rhs, equations, variables, rows_left: free, columns_left }
    }

    /// Pivots inside the block of free rows and columns, until what is left of it vanishes.
    fn square(&mut self) {
        let n = self.rhs.len();
        let mut live: Vec<usize> = (0..n).collect();
        let mut gone = vec![false; n];
        let mut skipped = Vec::new();
        for column in std::mem::take(&mut self.columns_left) {
            let a = &self.dense;
            let best = (0..self.rows_left.len()).max_by(|&x, &y| {
                let size = |k: usize| a[self.rows_left[k] * n + column].abs();
                size(x).total_cmp(&size(y))
            });
            let good = best.filter(|&k| a[self.rows_left[k] * n + column].abs() > REDUNDANT);
            let Some(place) = good else {
                skipped.push(column);
                continue;
            };
            let row = self.rows_left.swap_remove(place);
            gone[row] = true;
            live.retain(|&i| i != row);
            self.subtract(row, column, &live);
            self.equations.push(row);
            self.variables.push(column);
        }
        self.columns_left = skipped;
    }

    /// Subtracts multiples of a row from the live ones so that the column vanishes there.
    fn subtract(&mut self, row: usize, column: usize, live: &[usize]) {
        let n = self.rhs.len();
        let line = self.dense[row * n..(row + 1) * n].to_vec();
        for &i in live {
            let other = &mut self.dense[i * n..(i + 1) * n];
            if other[column] != 0.0 {
                let factor = other[column] / line[column];
                other.iter_mut().zip(&line).for_each(|(x, y)| *x -= factor * y);
                other[column] = 0.0;
                self.rhs[i] -= factor * self.rhs[row];
            }
        }
    }

    /// The tableau of the bounded variables and its pairs; none if free variables must be split.
    fn finish(&mut self, cap: &[f64]) -> Option<(Tableau, Vec<usize>)> {
        let n = self.rhs.len();
        let pairs: Vec<usize> = (0..n).filter(|&i| !is_free(self.bounds[i])).collect();
        let (m, k) = (pairs.len(), self.rows_left.len());
        let rows: Vec<usize> = pairs.iter().chain(&self.rows_left).copied().collect();
        let columns: Vec<usize> = pairs.iter().chain(&self.columns_left).copied().collect();
        let caps = columns.iter().map(|&j| cap[j]).collect();
        let (dense, rhs) = (&self.dense, &self.rhs);
        let mut tableau = Tableau::new(caps, |i, j| dense[rows[i] * n + columns[j]], |i| rhs[rows[i]]);
        if k == 0 {
            return Some((tableau, pairs));
        }
        let (met, redundant) = tableau.settle_free(m, REDUNDANT);
        if !redundant {
            return None;
        }
        self.equations.extend(met.iter().map(|&(f, _)| rows[f]));
        self.variables.extend(met.iter().map(|&(_, g)| columns[g]));
        Some((tableau.without(m), pairs))
    }
}

impl Reduced<'_> {
    /// x of a basis, from the data as given: w = 0 on the rows of the basis, the other x at rest.
    pub fn recover(&self, tableau: &Tableau) -> Vec<f64> {
        let inside = |k: &usize| tableau.carries(*k) && !tableau.moves(*k);
        let carrying: Vec<usize> = (0..self.pairs.len()).filter(inside).map(|k| self.pairs[k]).collect();
        let rows: Vec<usize> = self.equations.iter().chain(&carrying).copied().collect();
        let columns: Vec<usize> = self.variables.iter().chain(&carrying).copied().collect();
        let mut x = vec![0.0; self.given.rhs.len()];
        for (k, &i) in self.pairs.iter().enumerate() {
            let at_cap = tableau.rest(k) > 0.0;
            let (lower, upper) = self.given.bounds[i];
            x[i] = match (at_cap, self.sign[i] > 0.0) {
                (false, true) => lower,
                (true, true) | (false, false) => upper,
                (true, false) => lower,
            };
        }
        columns.iter().for_each(|&j| x[j] = 0.0);
        self.solve_block(&rows, &columns, &mut x);
        self.clip(&mut x);
        x
    }

    /// x_columns with (M x + q)_rows = 0, the other x as they are.
    fn solve_block(&self, rows: &[usize], columns: &[usize], x: &mut [f64]) {
        let Mixed { matrix, rhs, .. } = self.given;
        let n = rows.len();
        let mut place = vec![usize::MAX; rhs.len()];
        columns.iter().enumerate().for_each(|(k, &j)| place[j] = k);
        let mut block = vec![0.0; n * n];
        for (k, &i) in rows.iter().enumerate() {
            let (index, values) = matrix.row(i);
            for (&j, &a) in index.iter().zip(values) {
                let l = place[j as usize];
                if l < n {
                    // Columns in the scale of the reduced problem, for the choice of pivots.
                    block[k * n + l] = a * self.scale[j as usize];
                }
            }
        }
        let factors = Lu::new(block.clone(), n);
        let error =
            |x: &[f64]| -> Vec<f64> { rows.iter().map(|&i| -(matrix.row_dot(i, x) + rhs[i])).collect() };
        let mut b = error(x);
        let mut size = f64::INFINITY;
        // Two refinements gain what condition numbers up to 1e10 cost; a third has nothing to do.
        for _ in 0..3 {
            let now = b.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            if !(now < 0.5 * size) || now == 0.0 {
                break;
            }
            size = now;
            let step = match &factors {
                Some(factors) => factors.solve(&b),
                None => reveal(block.clone(), b.clone()).map_or(vec![0.0; n], |found| found.0),
            };
            if step.iter().any(|x| !x.is_finite()) {
                break;
            }
            columns.iter().zip(&step).for_each(|(&j, s)| x[j] += s * self.scale[j]);
            b = error(x);
        }
    }

    /// x as the tableau has it; none where free variables are not in it.
    pub fn read_values(&self, tableau: &Tableau) -> Option<Vec<f64>> {
        if !self.variables.is_empty() {
            return None;
        }
        let mut x = vec![0.0; self.given.rhs.len()];
        for (k, &i) in self.pairs.iter().enumerate() {
            x[i] = self.sign[i] * (self.origin[i] + tableau.x(k) * self.scale[i]);
        }
        self.clip(&mut x);
        Some(x)
    }

    fn clip(&self, x: &mut [f64]) {
        for (x, &(lower, upper)) in x.iter_mut().zip(self.given.bounds) {
            *x = x.max(lower).min(upper);
        }
    }
}
