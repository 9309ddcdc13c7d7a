//! Small dense systems in row-major slices, without allocation.
//!
//! Gauss–Jordan elimination with partial pivoting. A pivot smaller than `RANK_TOLERANCE` times the
//! largest entry of the matrix counts as zero.

/// Relative size below which a pivot counts as zero: a hundred times the rounding of a 12 × 12 product.
pub const RANK_TOLERANCE: f64 = 1e-13;

/// Replaces the n × n matrix `a` by its inverse; returns false, leaving `a` unusable, if it is singular.
pub fn invert(a: &mut [f64], n: usize, pivots: &mut Vec<usize>) -> bool {
    let largest = a[..n * n].iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if !largest.is_finite() {
        return false;
    }
    pivots.clear();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs()));
        let row = pivot.expect("k < n");
        if a[row * n + k].abs() <= RANK_TOLERANCE * largest {
            return false;
        }
        pivots.push(row);
        for j in 0..n {
            a.swap(k * n + j, row * n + j);
        }
        let scale = 1.0 / a[k * n + k];
        a[k * n + k] = 1.0;
        for j in 0..n {
            a[k * n + j] *= scale;
        }
        for i in (0..n).filter(|&i| i != k) {
            let factor = a[i * n + k];
            a[i * n + k] = 0.0;
            if factor != 0.0 {
                for j in 0..n {
                    a[i * n + j] -= factor * a[k * n + j];
                }
            }
        }
    }
    // Undo the row exchanges as column exchanges, last first.
    for k in (0..n).rev() {
        for i in 0..n {
            a.swap(i * n + k, i * n + pivots[k]);
        }
    }
    true
}

/// Solves A x = b in place (`b` becomes x, `a` is destroyed); returns false if A is singular.
pub fn eliminate(a: &mut [f64], b: &mut [f64]) -> bool {
    let n = b.len();
    let largest = a[..n * n].iter().fold(0.0f64, |m, x| m.max(x.abs()));
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs()));
        let row = pivot.expect("k < n");
        if !(a[row * n + k].abs() > RANK_TOLERANCE * largest) {
            return false;
        }
        if row != k {
            for j in k..n {
                a.swap(k * n + j, row * n + j);
            }
            b.swap(k, row);
        }
        for i in k + 1..n {
            let factor = a[i * n + k] / a[k * n + k];
            if factor != 0.0 {
                for j in k + 1..n {
                    a[i * n + j] -= factor * a[k * n + j];
                }
                b[i] -= factor * b[k];
            }
        }
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            b[k] -= a[k * n + j] * b[j];
        }
        b[k] /= a[k * n + k];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: [f64; 9] = [0.0, 2.0, 1.0, 1.0, 1.0, 0.0, 3.0, 0.0, 1.0];

    #[test]
    fn inverse_times_matrix_is_one() {
        let mut inverse = A;
        assert!(invert(&mut inverse, 3, &mut Vec::new()));
        for i in 0..3 {
            for j in 0..3 {
                let x: f64 = (0..3).map(|k| inverse[i * 3 + k] * A[k * 3 + j]).sum();
                assert!((x - if i == j { 1.0 } else { 0.0 }).abs() < 1e-15, "({i}, {j}): {x}");
            }
        }
    }

    #[test]
    fn elimination_agrees_with_the_inverse_and_sees_singular_matrices() {
        let mut x = [5.0, 3.0, 6.0];
        assert!(eliminate(&mut A.clone(), &mut x));
        for i in 0..3 {
            let b: f64 = (0..3).map(|k| A[i * 3 + k] * x[k]).sum();
            assert!((b - [5.0, 3.0, 6.0][i]).abs() < 1e-14);
        }
        let mut singular = [1.0, 2.0, 2.0, 4.0];
        assert!(!eliminate(&mut singular.clone(), &mut [1.0, 1.0]));
        assert!(!invert(&mut singular, 2, &mut Vec::new()));
    }
}
