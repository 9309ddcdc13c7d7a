//! The linear system of one interior-point step, (W + G + δ I) x = y with G block diagonal.
//!
//! δ makes the step proximal: it damps motions of p that change no velocity, which W does not see, and vanishes with
//! the step itself. W is stored with full diagonal blocks, so that one symbolic analysis serves all steps. Rows and
//! columns of fixed components become those of the identity. What is factored is E (W + G + δ I) E with E² the inverse of
//! the larger of 1 and the diagonal, because G grows without limit at contacts that open.

use crate::factor::{Factor, FactorError};
use crate::problem::Problem;
use crate::sparse::Sparse;

/// Passes of refinement; six change nothing on the friction problems of the collection.
const PASSES: usize = 3;
/// An entry of W outside the diagonal blocks.
const NOWHERE: u32 = u32::MAX;

pub(super) struct Kkt {
    /// W in scaled units, with full diagonal blocks.
    pub(super) w: Sparse,
    /// G, the blocks one after the other, by rows.
    pub(super) blocks: Vec<f64>,
    /// Where the block of each row begins.
    pub(super) block_of_row: Vec<usize>,
    /// For each entry of `w`: where `blocks` holds the same entry.
    place: Vec<u32>,
    fixed: Vec<bool>,
    /// W + G + δ I.
    values: Vec<f64>,
    /// E.
    scale: Vec<f64>,
    factor: Factor,
    rest: Vec<f64>,
}

impl Kkt {
    /// Analyses the pattern of W, scaled to D W D with D = diag(unit).
    pub(super) fn new(
        problem: &Problem,
        unit: &[f64],
        fixed: &[bool],
        symmetric: bool,
    ) -> Result<Self, FactorError> {
        let (mut w, mut place, mut offset) = (Sparse::empty(problem.size()), Vec::new(), 0);
        let mut block_of_row = Vec::with_capacity(problem.size());
        for (begin, set) in problem.blocks() {
            let dim = set.dim();
            block_of_row.resize(begin + dim, offset);
            for i in begin..begin + dim {
                push_row(problem.assembled(), i, begin..begin + dim, unit, &mut w);
                place.extend(w.column[w.start[i]..].iter().map(|&j| {
                    let inside = (begin..begin + dim).contains(&(j as usize));
                    let at = || offset + (i - begin) * dim + (j as usize - begin);
                    if inside { at() as u32 } else { NOWHERE }
                }));
                w.finish_row();
            }
            offset += dim * dim;
        }
        Ok(Self {
            factor: Factor::analyse(&w, symmetric)?,
            blocks: vec![0.0; offset],
            block_of_row,
            values: vec![0.0; w.n_entries()],
            scale: vec![1.0; w.n_rows()],
            rest: vec![0.0; w.n_rows()],
            fixed: fixed.to_vec(),
            place,
            w,
        })
    }

    /// Factors W + G + δ I.
    pub(super) fn factor(&mut self, delta: f64) -> Result<(), FactorError> {
        for i in 0..self.w.n_rows() {
            for k in self.w.start[i]..self.w.start[i + 1] {
                let j = self.w.column[k] as usize;
                self.values[k] = if self.fixed[i] || self.fixed[j] {
                    f64::from(u8::from(i == j))
                } else {
                    self.w.value[k] + self.blocks.get(self.place[k] as usize).unwrap_or(&0.0)
                };
                if i == j {
                    self.values[k] += if self.fixed[i] { 0.0 } else { delta };
                    self.scale[i] = 1.0 / self.values[k].abs().max(1.0).sqrt();
                }
            }
        }
        let (values, scale) = (&self.values, &self.scale);
        self.factor.factor(|k, i, j| scale[i] * scale[j] * values[k])
    }

    /// Solves (W + G + δ I) x = y; rows of fixed components of `y` must vanish.
    pub(super) fn solve(&mut self, y: &[f64], x: &mut [f64]) {
        x.fill(0.0);
        self.rest.copy_from_slice(y);
        let mut last = f64::INFINITY;
        for _ in 0..=PASSES {
            let mut size = 0.0;
            for (rest, scale) in self.rest.iter_mut().zip(&self.scale) {
                *rest *= scale;
                size += *rest * *rest;
            }
            if !(size < 0.25 * last) {
                break;
            }
            last = size;
            self.factor.solve(&mut self.rest);
            for i in 0..x.len() {
                x[i] += self.scale[i] * self.rest[i];
            }
            for i in 0..x.len() {
                let entries = self.w.start[i]..self.w.start[i + 1];
                let products = entries.map(|k| self.values[k] * x[self.w.column[k] as usize]);
                self.rest[i] = y[i] - products.sum::<f64>();
            }
        }
    }
}

/// Appends row i of D W D, with every column of `block` stored.
fn push_row(delassus: &Sparse, i: usize, block: std::ops::Range<usize>, unit: &[f64], w: &mut Sparse) {
    let (columns, values) = delassus.row(i);
    let mut push = |j: usize, x: f64| {
        w.column.push(j as u32);
        w.value.push(unit[i] * unit[j] * x);
    };
    let before = columns.partition_point(|&j| (j as usize) < block.start);
    let after = columns.partition_point(|&j| (j as usize) < block.end);
    (0..before).for_each(|k| push(columns[k] as usize, values[k]));
    for j in block {
        let k = columns[before..after].binary_search(&(j as u32));
        push(j, k.map_or(0.0, |k| values[before + k]));
    }
    (after..columns.len()).for_each(|k| push(columns[k] as usize, values[k]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::Set;

    #[test]
    fn the_system_is_solved_to_rounding_with_fixed_and_with_singular_rows() {
        let w = Sparse::from_rows(&[
            vec![2.0, 1.0, 0.0, 0.0],
            vec![1.0, 1.0, 1.0, 0.0],
            vec![0.0, 1.0, 2.0, 0.0],
            vec![0.0, 0.0, 0.0, 0.0],
        ]);
        let sets = vec![Set::Nonnegative, Set::Coulomb2 { mu: 0.5 }, Set::Nonnegative];
        let problem = Problem::new(w, vec![0.0; 4], sets).unwrap();
        for symmetric in [false, true] {
            let fixed = [false, false, false, true];
            let mut kkt = Kkt::new(&problem, &[1.0; 4], &fixed, symmetric).unwrap();
            let corner = if symmetric { 0.25 } else { 0.0 };
            // One block per constraint: 1 × 1, 2 × 2, 1 × 1.
            kkt.blocks.copy_from_slice(&[1e12, 1.0, corner, 0.25, 3.0, 7.0]);
            kkt.factor(0.5).unwrap();
            let mut x = [0.0; 4];
            kkt.solve(&[1.0, 2.0, 3.0, 0.0], &mut x);
            let rows = [[1e12 + 2.5, 1.0, 0.0], [1.0, 2.5, 1.0 + corner], [0.0, 1.25, 5.5]];
            for (row, y) in rows.iter().zip([1.0, 2.0, 3.0]) {
                let sum: f64 = row.iter().zip(&x).map(|(a, x)| a * x).sum();
                assert!((sum - y).abs() < 1e-14, "{sum} {y}");
            }
            assert_eq!(x[3], 0.0);
        }
    }
}
