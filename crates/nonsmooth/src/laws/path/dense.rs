//! Bilateral rows eliminated from W, and a factor of semidefinite matrices.
//!
//! ```text
//! W̃ = W_CC − W_CB W_BB⁺ W_BC,    ũ⁻ = u_C⁻ − W_CB W_BB⁺ u_B⁻,    p_B = −W_BB⁺ (u_B⁻ + W_BC p_C)
//! ```

use nonsmooth_solvers::Sparse;

/// A pivot below this share of the largest diagonal entry belongs to a row that depends on others.
const DEPENDENT: f64 = 1e-13;

/// P A Pᵀ = L Lᵀ with the largest pivots first; dependent rows are left out and get zero.
#[derive(Clone, Debug, Default)]
pub(super) struct Semidefinite {
    order: Vec<usize>,
    lower: Vec<f64>,
    n: usize,
    rank: usize,
}

impl Semidefinite {
    /// Factors the matrix with these entries by rows.
    pub(super) fn new(mut a: Vec<f64>, n: usize) -> Self {
        let mut order: Vec<usize> = (0..n).collect();
        let largest = (0..n).map(|i| a[i * n + i]).fold(0.0, f64::max);
        let mut rank = 0;
        while rank < n {
            let k = rank;
            let pivot = (k..n).max_by(|i, j| a[i * n + i].total_cmp(&a[j * n + j])).unwrap_or(k);
            if a[pivot * n + pivot] <= DEPENDENT * largest {
                break;
            }
            order.swap(k, pivot);
            for j in 0..n {
                a.swap(k * n + j, pivot * n + j);
            }
            for i in 0..n {
                a.swap(i * n + k, i * n + pivot);
            }
            let root = a[k * n + k].sqrt();
            a[k * n + k] = root;
            for i in k + 1..n {
                a[i * n + k] /= root;
            }
            for i in k + 1..n {
                for j in k + 1..=i {
                    a[i * n + j] -= a[i * n + k] * a[j * n + k];
                    a[j * n + i] = a[i * n + j];
                }
            }
            rank += 1;
        }
        Self { order, lower: a, n, rank }
    }

    /// Whether no row depends on others.
    pub(super) fn is_regular(&self) -> bool {
        self.rank == self.n
    }

    /// x with A x = b where b is in the range of A.
    pub(super) fn solve(&self, b: &[f64], x: &mut [f64]) {
        let (n, rank) = (self.n, self.rank);
        let mut y = vec![0.0; rank];
        for i in 0..rank {
            let known: f64 = (0..i).map(|j| self.lower[i * n + j] * y[j]).sum();
            y[i] = (b[self.order[i]] - known) / self.lower[i * n + i];
        }
        for i in (0..rank).rev() {
            let known: f64 = (i + 1..rank).map(|j| self.lower[j * n + i] * y[j]).sum();
            y[i] = (y[i] - known) / self.lower[i * n + i];
        }
        x.fill(0.0);
        for (i, y) in y.iter().enumerate() {
            x[self.order[i]] = *y;
        }
    }
}

/// The rows of contacts without those of joints.
pub(super) struct Reduced {
    /// W̃ by rows.
    pub(super) delassus: Sparse,
    /// ũ⁻ by row [m/s].
    pub(super) u_minus: Vec<f64>,
    contacts: Vec<usize>,
    joints: Vec<usize>,
    factor: Semidefinite,
    /// W_BC by rows of joints.
    across: Vec<f64>,
    /// u_B⁻ [m/s].
    u_joints: Vec<f64>,
}

impl Reduced {
    /// Eliminates the rows `joints`.
    pub(super) fn new(w: &Sparse, u_minus: &[f64], contacts: &[usize], joints: &[usize]) -> Self {
        let (n, m) = (contacts.len(), joints.len());
        let mut place = vec![None; w.n_rows()];
        contacts.iter().enumerate().for_each(|(k, &row)| place[row] = Some(k));
        let mut rows = vec![vec![0.0; n]; n];
        for (k, &row) in contacts.iter().enumerate() {
            let (columns, values) = w.row(row);
            for (&column, value) in columns.iter().zip(values) {
                if let Some(j) = place[column as usize] {
                    rows[k][j] = *value;
                }
            }
        }
        let block: Vec<f64> =
            joints.iter().flat_map(|&i| joints.iter().map(move |&j| w.get(i, j))).collect();
        let across: Vec<f64> =
            joints.iter().flat_map(|&i| contacts.iter().map(move |&j| w.get(i, j))).collect();
        let factor = Semidefinite::new(block, m);
        let u_joints: Vec<f64> = joints.iter().map(|&i| u_minus[i]).collect();
        let mut u: Vec<f64> = contacts.iter().map(|&i| u_minus[i]).collect();
        let mut x = vec![0.0; m];
        factor.solve(&u_joints, &mut x);
        for (k, u) in u.iter_mut().enumerate() {
            *u -= (0..m).map(|i| across[i * n + k] * x[i]).sum::<f64>();
        }
        for k in 0..if m > 0 { n } else { 0 } {
            let column: Vec<f64> = (0..m).map(|i| across[i * n + k]).collect();
            factor.solve(&column, &mut x);
            for j in 0..=k {
                let less: f64 = (0..m).map(|i| across[i * n + j] * x[i]).sum();
                rows[k][j] -= less;
                rows[j][k] = rows[k][j];
            }
        }
        let delassus = Sparse::from_rows(&rows);
        let (contacts, joints) = (contacts.to_vec(), joints.to_vec());
        Self { delassus, u_minus: u, contacts, joints, factor, across, u_joints }
    }

    /// The impulses of all rows from those of the contacts.
    pub(super) fn all(&self, p: &[f64]) -> Vec<f64> {
        let (n, m) = (self.contacts.len(), self.joints.len());
        let mut out = vec![0.0; n + m];
        self.contacts.iter().zip(p).for_each(|(&row, p)| out[row] = *p);
        let u: Vec<f64> = (0..m)
            .map(|i| self.u_joints[i] + (0..n).map(|k| self.across[i * n + k] * p[k]).sum::<f64>())
            .collect();
        let mut x = vec![0.0; m];
        self.factor.solve(&u, &mut x);
        self.joints.iter().zip(&x).for_each(|(&row, x)| out[row] = -x);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependent_row_is_left_out() {
        // Row 2 is the sum of the others.
        let a = vec![2.0, 1.0, 3.0, 1.0, 2.0, 3.0, 3.0, 3.0, 6.0];
        let factor = Semidefinite::new(a.clone(), 3);
        let (b, mut x) = ([4.0, 5.0, 9.0], [0.0; 3]);
        factor.solve(&b, &mut x);
        for i in 0..3 {
            let ax: f64 = (0..3).map(|j| a[3 * i + j] * x[j]).sum();
            assert!((ax - b[i]).abs() < 1e-13, "{x:?}");
        }
    }
}
