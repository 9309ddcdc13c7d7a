//! Small systems W x = b with W symmetric and positive semi-definite, by W = L D Lᵀ.
//!
//! A row that depends on those before it (its pivot is rounding) is left out: its x is 0. If b is consistent the
//! solution is one of many, and the one that rests on the earliest independent rows. Without square roots, so that
//! what is exact stays exact: a single body at rest does not creep.

/// Pivot, relative to the diagonal, below which a row counts as dependent: 5000 roundings.
const DEPENDENT: f64 = 1e-12;

/// The factor of a matrix.
#[derive(Default)]
pub(crate) struct Semidefinite {
    n: usize,
    /// L by rows, with D on the diagonal; entries of dependent columns are 0.
    l: Vec<f64>,
    /// Whether a row depends on those before it.
    pub(crate) dependent: Vec<bool>,
}

impl Semidefinite {
    /// Factors the leading n × n block of the m × m matrix `w`, given by rows.
    pub(crate) fn factor(&mut self, w: &[f64], m: usize, n: usize) {
        self.n = n;
        self.l.clear();
        self.l.resize(n * n, 0.0);
        self.dependent.clear();
        let (l, dependent) = (&mut self.l, &mut self.dependent);
        for i in 0..n {
            for k in 0..i {
                let sum: f64 = (0..k).map(|j| l[i * n + j] * l[j * n + j] * l[k * n + j]).sum();
                let rest = w[i * m + k] - sum;
                l[i * n + k] = if dependent[k] { 0.0 } else { rest / l[k * n + k] };
            }
            let sum: f64 = (0..i).map(|j| l[i * n + j] * l[i * n + j] * l[j * n + j]).sum();
            let pivot = w[i * m + i] - sum;
            dependent.push(!(pivot > DEPENDENT * w[i * m + i]));
            l[i * n + i] = pivot;
        }
    }

    /// x ← W⁻¹ x on the independent rows, 0 on the others.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        let (n, l) = (self.n, &self.l);
        for i in 0..n {
            let sum: f64 = (0..i).map(|j| l[i * n + j] * x[j]).sum();
            x[i] = if self.dependent[i] { 0.0 } else { x[i] - sum };
        }
        for i in (0..n).rev().filter(|&i| !self.dependent[i]) {
            let sum: f64 = (i + 1..n).map(|j| l[j * n + i] * x[j]).sum();
            x[i] = x[i] / l[i * n + i] - sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependent_rows_are_left_out_and_the_rest_is_solved() {
        // W = J Jᵀ with J = (1, 0), (1, 1), (2, 1), (0, 3): rank 2, the third row is the sum of the first two.
        let h = [[1.0, 0.0], [1.0, 1.0], [2.0, 1.0], [0.0, 3.0]];
        let w: Vec<f64> = h.iter().flat_map(|a| h.map(|b| a[0] * b[0] + a[1] * b[1])).collect();
        let mut x: Vec<f64> = h.iter().map(|a| 5.0 * a[0] - 2.0 * a[1]).collect();
        let b = x.clone();
        let mut factor = Semidefinite::default();
        factor.factor(&w, 4, 4);
        factor.solve(&mut x);
        assert_eq!(factor.dependent, [false, false, true, true]);
        for i in 0..4 {
            let sum: f64 = (0..4).map(|j| w[i * 4 + j] * x[j]).sum();
            assert!((sum - b[i]).abs() < 1e-13, "row {i}: {x:?}");
        }
    }
}
