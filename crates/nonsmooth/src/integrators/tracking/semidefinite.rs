//! Small systems W x = b with W symmetric and positive semi-definite, by Cholesky's method W = L Lᵀ.
//!
//! A row that depends on those before it (its pivot is rounding) is left out: its x is 0. If b is consistent the
//! solution is one of many, and the one that rests on the earliest independent rows.

/// Pivot, relative to the diagonal, below which a row counts as dependent: 5000 roundings.
const DEPENDENT: f64 = 1e-12;

/// The factor of a matrix.
#[derive(Default)]
pub(crate) struct Semidefinite {
    n: usize,
    /// L by rows.
    l: Vec<f64>,
    /// Whether a row depends on those before it.
    pub(crate) dependent: Vec<bool>,
}

impl Semidefinite {
    /// Factors the n × n matrix `w`, given by rows.
    pub(crate) fn factor(&mut self, w: &[f64], n: usize) {
        self.n = n;
        self.l.clear();
        self.l.extend_from_slice(&w[..n * n]);
        self.dependent.clear();
        for i in 0..n {
            for k in 0..=i {
                let mut sum = w[i * n + k];
                for j in 0..k {
                    sum -= self.l[i * n + j] * self.l[k * n + j];
                }
                if k < i {
                    self.l[i * n + k] = if self.dependent[k] { 0.0 } else { sum / self.l[k * n + k] };
                } else {
                    let dependent = !(sum > DEPENDENT * w[i * n + i]);
                    self.dependent.push(dependent);
                    self.l[i * n + i] = if dependent { 1.0 } else { sum.sqrt() };
                }
            }
        }
    }

    /// x ← W⁻¹ x on the independent rows, 0 on the others.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            let sum: f64 = (0..i).map(|j| self.l[i * n + j] * x[j]).sum();
            x[i] = if self.dependent[i] { 0.0 } else { (x[i] - sum) / self.l[i * n + i] };
        }
        for i in (0..n).rev().filter(|&i| !self.dependent[i]) {
            x[i] /= self.l[i * n + i];
            for j in 0..i {
                x[j] -= self.l[i * n + j] * x[i];
            }
        }
        x.iter_mut().zip(&self.dependent).filter(|(_, d)| **d).for_each(|(x, _)| *x = 0.0);
    }

    pub(crate) fn poison(&mut self) {
        self.l.fill(f64::NAN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependent_rows_are_left_out_and_the_rest_is_solved() {
        // W = H Hᵀ with H = (1, 0), (1, 1), (2, 1), (0, 3): rank 2, the third row is the sum of the first two.
        let h = [[1.0, 0.0], [1.0, 1.0], [2.0, 1.0], [0.0, 3.0]];
        let w: Vec<f64> = h.iter().flat_map(|a| h.map(|b| a[0] * b[0] + a[1] * b[1])).collect();
        let mut x: Vec<f64> = h.iter().map(|a| 5.0 * a[0] - 2.0 * a[1]).collect();
        let b = x.clone();
        let mut factor = Semidefinite::default();
        factor.factor(&w, 4);
        factor.solve(&mut x);
        assert_eq!(factor.dependent, [false, false, true, true]);
        for i in 0..4 {
            let sum: f64 = (0..4).map(|j| w[i * 4 + j] * x[j]).sum();
            assert!((sum - b[i]).abs() < 1e-13, "row {i}: {x:?}");
        }
    }
}
