//! The largest eigenvalue of small symmetric blocks.
//!
//! Up to three rows in closed form (the cubic by its trigonometric solution), more by Jacobi's rotations, which always
//! converge [GolubVanLoan, sec. 8.5].

use crate::set::MAX_DIM;

/// Sweeps of rotations; the off-diagonal part falls quadratically, below 1e-20 after six of them for six rows.
const SWEEPS: usize = 12;

/// Largest eigenvalue of the symmetric part of the n × n matrix `a`, n ≤ 6.
#[inline]
pub(crate) fn largest_eigenvalue(a: &[f64], n: usize) -> f64 {
    match n {
        1 => a[0],
        2 => {
            let (mean, half) = (0.5 * (a[0] + a[3]), 0.5 * (a[0] - a[3]));
            mean + half.hypot(0.5 * (a[1] + a[2]))
        }
        3 => cubic(a),
        _ => jacobi(a, n),
    }
}

/// q + 2 r cos(φ/3), with q = tr A/3, 6 r² = tr (A − q)², cos φ = det((A − q)/r)/2.
fn cubic(a: &[f64]) -> f64 {
    let (b, c, d) = (0.5 * (a[1] + a[3]), 0.5 * (a[2] + a[6]), 0.5 * (a[5] + a[7]));
    let q = (a[0] + a[4] + a[8]) / 3.0;
    let (x, y, z) = (a[0] - q, a[4] - q, a[8] - q);
    let off = b * b + c * c + d * d;
    let r = ((x * x + y * y + z * z + 2.0 * off) / 6.0).sqrt();
    if r == 0.0 {
        return q;
    }
    let det = x * (y * z - d * d) - b * (b * z - c * d) + c * (b * d - c * y);
    // Rounding may leave the range of the cosine by a unit in the last place.
    let cosine = (0.5 * det / (r * r * r)).clamp(-1.0, 1.0);
    q + 2.0 * r * (cosine.acos() / 3.0).cos()
}

fn jacobi(a: &[f64], n: usize) -> f64 {
    let mut s = [[0.0; MAX_DIM]; MAX_DIM];
    let mut square = 0.0;
    for i in 0..n {
        for j in 0..n {
            s[i][j] = 0.5 * (a[i * n + j] + a[j * n + i]);
            square += s[i][j] * s[i][j];
        }
    }
    for _ in 0..SWEEPS {
        let mut off = 0.0;
        for i in 0..n {
            for j in i + 1..n {
                off += s[i][j] * s[i][j];
                rotate(&mut s, n, i, j);
            }
        }
        // An error of off/gap in the eigenvalue: 1e-15 relative at this point.
        if !(off > 1e-30 * square) {
            break;
        }
    }
    (0..n).map(|i| s[i][i]).fold(f64::NEG_INFINITY, |m, x| if x >= m { x } else { m + 0.0 * x })
}

/// Cosine and sine of the rotation that makes [[x, y], [y, z]] diagonal, y ≠ 0.
fn rotation(x: f64, y: f64, z: f64) -> (f64, f64) {
    let theta = (z - x) / (2.0 * y);
    let t = 1f64.copysign(theta) / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    (c, t * c)
}

/// The rotation of rows and columns i, j that makes s_ij vanish.
fn rotate(s: &mut [[f64; MAX_DIM]; MAX_DIM], n: usize, i: usize, j: usize) {
    if s[i][j] == 0.0 {
        return;
    }
    let (c, d) = rotation(s[i][i], s[i][j], s[j][j]);
    for k in 0..n {
        let (x, y) = (s[k][i], s[k][j]);
        (s[k][i], s[k][j]) = (c * x - d * y, d * x + c * y);
    }
    for k in 0..n {
        let (x, y) = (s[i][k], s[j][k]);
        (s[i][k], s[j][k]) = (c * x - d * y, d * x + c * y);
    }
}

/// Eigenvalues and unit eigenvectors of a symmetric 3 × 3 matrix, given as xx, yy, zz, xy, xz, yz.
pub(crate) fn principal_axes([xx, yy, zz, xy, xz, yz]: [f64; 6]) -> ([f64; 3], [[f64; 3]; 3]) {
    let mut s = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let mut axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..SWEEPS {
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            if s[i][j] == 0.0 {
                continue;
            }
            let (c, d) = rotation(s[i][i], s[i][j], s[j][j]);
            for row in &mut s {
                (row[i], row[j]) = (c * row[i] - d * row[j], d * row[i] + c * row[j]);
            }
            for k in 0..3 {
                (s[i][k], s[j][k]) = (c * s[i][k] - d * s[j][k], d * s[i][k] + c * s[j][k]);
                (axes[i][k], axes[j][k]) =
                    (c * axes[i][k] - d * axes[j][k], d * axes[i][k] + c * axes[j][k]);
            }
        }
    }
    ([s[0][0], s[1][1], s[2][2]], axes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_axes_rebuild_the_matrix() {
        for seed in 0..200 {
            let a: [f64; 6] =
                std::array::from_fn(|k| ((seed * 6 + k + 1) as f64 * 0.618_034).fract() - 0.3);
            let (values, axes) = principal_axes(a);
            let full = [[a[0], a[3], a[4]], [a[3], a[1], a[5]], [a[4], a[5], a[2]]];
            for (i, j) in (0..9).map(|k| (k / 3, k % 3)) {
                let sum: f64 = (0..3).map(|k| values[k] * axes[k][i] * axes[k][j]).sum();
                let unit: f64 = (0..3).map(|k| axes[i][k] * axes[j][k]).sum();
                assert!((sum - full[i][j]).abs() < 1e-14, "{a:?}");
                assert!((unit - f64::from(u8::from(i == j))).abs() < 1e-14, "{a:?}");
            }
        }
    }

    #[test]
    fn known_spectra() {
        assert_eq!(largest_eigenvalue(&[-3.0], 1), -3.0);
        assert!((largest_eigenvalue(&[2.0, 1.0, 1.0, 2.0], 2) - 3.0).abs() < 1e-15);
        // Eigenvalues 2 − √2, 2, 2 + √2; an antisymmetric part changes nothing.
        let a = [2.0, -1.5, 0.3, -0.5, 2.0, -1.0, -0.3, -1.0, 2.0];
        assert!((largest_eigenvalue(&a, 3) - (2.0 + 2f64.sqrt())).abs() < 1e-14);
        // Against rotations, on blocks with entries of any sign.
        for seed in 0..500 {
            let a: Vec<f64> =
                (0..9).map(|k| ((seed * 9 + k + 1) as f64 * 0.618_034).fract() - 0.5).collect();
            assert!((cubic(&a) - jacobi(&a, 3)).abs() < 1e-14, "{a:?}");
        }
        // I + x xᵀ has the largest eigenvalue 1 + ‖x‖².
        for n in 3..=MAX_DIM {
            let x: Vec<f64> = (0..n).map(|i| (i as f64 + 0.5).sin()).collect();
            let a: Vec<f64> = (0..n * n)
                .map(|k| x[k / n] * x[k % n] + if k / n == k % n { 1.0 } else { 0.0 })
                .collect();
            let expected = 1.0 + x.iter().map(|x| x * x).sum::<f64>();
            assert!((largest_eigenvalue(&a, n) - expected).abs() < 1e-14, "{n}");
        }
        assert!(largest_eigenvalue(&[1.0, 0.0, 0.0, 0.0, f64::NAN, 0.0, 0.0, 0.0, 1.0], 3).is_nan());
    }
}
