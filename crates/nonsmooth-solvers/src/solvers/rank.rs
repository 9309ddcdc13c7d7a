//! Dense square systems solved to rounding, singular ones where they are consistent.
//!
//! `Lu` is P A = L U with partial pivoting, kept so that a solution can be refined with residuals of the original
//! data. `reveal` is Gauss–Jordan elimination with complete pivoting: it gives one solution of A y = b and a basis of
//! the null space of A, whatever the rank.

/// A pivot smaller than this times the largest entry of the matrix counts as zero.
const ZERO: f64 = 1e-11;

/// Factors of a square matrix by rows.
#[derive(Default)]
pub(super) struct Lu {
    n: usize,
    entries: Vec<f64>,
    order: Vec<usize>,
}

impl Lu {
    /// Factors the n × n matrix `entries`; none if a pivot vanishes.
    pub fn new(mut entries: Vec<f64>, n: usize) -> Option<Self> {
        let mut order: Vec<usize> = (0..n).collect();
        for k in 0..n {
            let best =
                (k..n).max_by(|&a, &b| entries[a * n + k].abs().total_cmp(&entries[b * n + k].abs()))?;
            let pivot = entries[best * n + k];
            if !(pivot.abs() > f64::MIN_POSITIVE && pivot.is_finite()) {
                return None;
            }
            if best != k {
                order.swap(k, best);
                let (upper, lower) = entries.split_at_mut(best * n);
                upper[k * n..(k + 1) * n].swap_with_slice(&mut lower[..n]);
            }
            let (upper, lower) = entries.split_at_mut((k + 1) * n);
            let line = &upper[k * n..];
            for row in lower.chunks_exact_mut(n) {
                if row[k] != 0.0 {
                    let factor = row[k] / pivot;
                    row[k] = factor;
                    row[k + 1..].iter_mut().zip(&line[k + 1..]).for_each(|(x, y)| *x -= factor * y);
                }
            }
        }
        Some(Self { n, entries, order })
    }

    /// The smallest pivot relative to the largest; 1 for no rows.
    pub fn smallest_pivot(&self) -> f64 {
        let pivots = || (0..self.n).map(|k| self.entries[k * self.n + k].abs());
        let largest = pivots().fold(0.0, f64::max);
        if self.n == 0 { 1.0 } else { pivots().fold(f64::INFINITY, f64::min) / largest }
    }

    /// x with A x = b, improved once by its residual; `a` are the entries.
    pub fn solve_refined(&self, a: &[f64], b: &[f64]) -> Vec<f64> {
        let mut x = self.solve(b);
        let error: Vec<f64> = (0..self.n)
            .map(|i| b[i] - a[i * self.n..].iter().zip(&x).map(|(a, x)| a * x).sum::<f64>())
            .collect();
        x.iter_mut().zip(self.solve(&error)).for_each(|(x, d)| *x += d);
        x
    }

    /// x with A x = b.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let n = self.n;
        let mut x: Vec<f64> = self.order.iter().map(|&i| b[i]).collect();
        let dot = |row: &[f64], x: &[f64]| row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
        for k in 0..n {
            x[k] -= dot(&self.entries[k * n..k * n + k], &x[..k]);
        }
        for k in (0..n).rev() {
            let row = &self.entries[k * n..(k + 1) * n];
            x[k] = (x[k] - dot(&row[k + 1..], &x[k + 1..])) / row[k];
        }
        x
    }
}

/// One solution of A y = b and a basis of the null space of A; none if the equations contradict each other.
pub(super) fn reveal(mut a: Vec<f64>, mut b: Vec<f64>) -> Option<(Vec<f64>, Vec<Vec<f64>>)> {
    let n = b.len();
    let largest = a.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let size = b.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let mut column: Vec<usize> = (0..n).collect();
    let mut rank = 0;
    while rank < n {
        let best = (rank..n)
            .flat_map(|i| (rank..n).map(move |j| (i, j)))
            .max_by(|x, y| a[x.0 * n + x.1].abs().total_cmp(&a[y.0 * n + y.1].abs()))?;
        if !(a[best.0 * n + best.1].abs() > ZERO * largest) {
            break;
        }
        for j in 0..n {
            a.swap(best.0 * n + j, rank * n + j);
        }
        b.swap(best.0, rank);
        column.swap(best.1, rank);
        for i in 0..n {
            a.swap(i * n + best.1, i * n + rank);
        }
        let pivot = a[rank * n + rank];
        for i in (0..n).filter(|&i| i != rank) {
            let factor = a[i * n + rank] / pivot;
            if factor != 0.0 {
                (rank..n).for_each(|j| a[i * n + j] -= factor * a[rank * n + j]);
                b[i] -= factor * b[rank];
            }
        }
        rank += 1;
    }
    // 1e-9: elimination loses digits that the certificate will judge; a contradiction is of order 1.
    if b[rank..].iter().any(|x| x.abs() > 1e-9 * size) {
        return None;
    }
    let mut y = vec![0.0; n];
    (0..rank).for_each(|k| y[column[k]] = b[k] / a[k * n + k]);
    let null = (rank..n)
        .map(|free| {
            let mut z = vec![0.0; n];
            z[column[free]] = 1.0;
            (0..rank).for_each(|k| z[column[k]] = -a[k * n + free] / a[k * n + k]);
            z
        })
        .collect();
    Some((y, null))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_solve_what_needs_exchanges() {
        let a = vec![0.0, 2.0, 1.0, 1.0, 1.0, 0.0, 3.0, 0.0, 1.0];
        let x = Lu::new(a, 3).unwrap().solve(&[5.0, 3.0, 6.0]);
        // 2 x₁ + x₂ = 5, x₀ + x₁ = 3, 3 x₀ + x₂ = 6.
        for (x, expected) in x.iter().zip([1.4, 1.6, 1.8]) {
            assert!((x - expected).abs() < 1e-15, "{x}");
        }
        assert!(Lu::new(vec![1.0, 2.0, 2.0, 4.0], 2).is_none());
    }

    #[test]
    fn a_singular_system_has_a_solution_and_a_null_space_where_it_is_consistent() {
        let a = vec![1.0, 2.0, 2.0, 4.0];
        let (y, null) = reveal(a.clone(), vec![1.0, 2.0]).unwrap();
        assert!((y[0] + 2.0 * y[1] - 1.0).abs() < 1e-15);
        assert_eq!(null.len(), 1);
        assert!((null[0][0] + 2.0 * null[0][1]).abs() < 1e-15);
        assert!(reveal(a, vec![1.0, 3.0]).is_none());
    }
}
