//! Small dense linear algebra: least squares, eigenvalues, a kernel. Matrices are lists of rows.

/// Eigenvalue iterations for each eigenvalue before giving up; three are usual.
const MOST_ITERATIONS: usize = 200;
/// A diagonal of R below this share of the largest is a missing rank.
const RANK: f64 = 1e-12;

/// The x of least |A x − b|, by Householder's reflections; `None` where the columns of A are dependent. [GolubVanLoan, sec. 5.3]
pub(super) fn least_squares(a: &[Vec<f64>], b: &[f64]) -> Option<Vec<f64>> {
    let (m, n) = (a.len(), a.first().map_or(0, Vec::len));
    if m < n {
        return None;
    }
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    let mut largest = 0.0f64;
    for k in 0..n {
        let norm = (k..m).map(|i| a[i][k] * a[i][k]).sum::<f64>().sqrt();
        largest = largest.max(norm);
        if !(norm > RANK * largest) {
            return None;
        }
        // a column becomes (−sign, 0, …) norm; v = column − that.
        let head = if a[k][k] > 0.0 { -norm } else { norm };
        let mut v: Vec<f64> = (k..m).map(|i| a[i][k]).collect();
        v[0] -= head;
        let square: f64 = v.iter().map(|x| x * x).sum();
        for j in k..n {
            let s = 2.0 * (k..m).map(|i| v[i - k] * a[i][j]).sum::<f64>() / square;
            (k..m).for_each(|i| a[i][j] -= s * v[i - k]);
        }
        let s = 2.0 * (k..m).map(|i| v[i - k] * b[i]).sum::<f64>() / square;
        (k..m).for_each(|i| b[i] -= s * v[i - k]);
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            b[k] -= a[k][j] * b[j];
        }
        b[k] /= a[k][k];
    }
    b.truncate(n);
    Some(b)
}

/// A unit vector x with A x ≈ 0, of a matrix whose smallest eigenvalue is near zero: two steps of inverse iteration.
pub(super) fn kernel(a: &[Vec<f64>]) -> Option<Vec<f64>> {
    let n = a.len();
    let size = a.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    let mut shifted = a.to_vec();
    // So far from singular that the solves stand, so near that the kernel grows by 1e8 in each.
    (0..n).for_each(|i| shifted[i][i] += 1e-8 * size);
    let mut x: Vec<f64> = (0..n).map(|i| 1.0 + 0.1 * i as f64).collect();
    for _ in 0..2 {
        x = least_squares(&shifted, &x)?;
        let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        x.iter_mut().for_each(|x| *x /= norm);
    }
    Some(x)
}

type Complex = [f64; 2];

fn times(a: Complex, b: Complex) -> Complex {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

fn over(a: Complex, b: Complex) -> Complex {
    let square = b[0] * b[0] + b[1] * b[1];
    let [x, y] = times(a, [b[0], -b[1]]);
    [x / square, y / square]
}

fn minus(a: Complex, b: Complex) -> Complex {
    [a[0] - b[0], a[1] - b[1]]
}

fn plus(a: Complex, b: Complex) -> Complex {
    [a[0] + b[0], a[1] + b[1]]
}

fn size(a: Complex) -> f64 {
    a[0].hypot(a[1])
}

/// A square root.
fn root(a: Complex) -> Complex {
    let (r, angle) = (size(a).sqrt(), 0.5 * a[1].atan2(a[0]));
    [r * angle.cos(), r * angle.sin()]
}

/// All eigenvalues of a real matrix, by the shifted QR iteration in complex numbers, the largest first; `None` if it does not converge.
/// [GolubVanLoan, sec. 7.5]
pub(super) fn eigenvalues(a: &[Vec<f64>]) -> Option<Vec<Complex>> {
    let mut h: Vec<Vec<Complex>> = a.iter().map(|row| row.iter().map(|&x| [x, 0.0]).collect()).collect();
    let scale = a.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    let (mut out, mut tries) = (Vec::new(), 0);
    while let Some(last) = h.len().checked_sub(1) {
        let below: f64 = h[last][..last].iter().map(|&x| size(x)).sum();
        if below <= f64::EPSILON * scale {
            out.push(h[last][last]);
            h.truncate(last);
            h.iter_mut().for_each(|row| row.truncate(last));
            tries = 0;
            continue;
        }
        tries += 1;
        if tries > MOST_ITERATIONS {
            return None;
        }
        // Now and then a shift of no meaning, so that nothing goes round in circles.
        let shift = if tries % 11 == 0 { [below, 0.5 * below] } else { corner(&h) };
        step(&mut h, shift);
    }
    out.sort_by(|a, b| size(*b).total_cmp(&size(*a)).then(b[1].total_cmp(&a[1])));
    Some(out)
}

/// The eigenvalue of the last two rows and columns that is nearer to the last entry.
fn corner(h: &[Vec<Complex>]) -> Complex {
    let k = h.len() - 1;
    let (a, b, c, d) = (h[k - 1][k - 1], h[k - 1][k], h[k][k - 1], h[k][k]);
    let half = over(minus(a, d), [2.0, 0.0]);
    let square = root(plus(times(half, half), times(b, c)));
    let middle = over(plus(a, d), [2.0, 0.0]);
    let (one, two) = (plus(middle, square), minus(middle, square));
    if size(minus(one, d)) < size(minus(two, d)) { one } else { two }
}

/// H − s = Q R, H ← R Q + s, by Givens' rotations.
fn step(h: &mut [Vec<Complex>], shift: Complex) {
    let n = h.len();
    (0..n).for_each(|i| h[i][i] = minus(h[i][i], shift));
    let mut rotations = Vec::new();
    for j in 0..n {
        for i in j + 1..n {
            let (x, y) = (h[j][j], h[i][j]);
            let r = size(x).hypot(size(y));
            if size(y) == 0.0 {
                continue;
            }
            let (c, s) = ([x[0] / r, x[1] / r], [y[0] / r, y[1] / r]);
            for k in 0..n {
                let (a, b) = (h[j][k], h[i][k]);
                h[j][k] = plus(times([c[0], -c[1]], a), times([s[0], -s[1]], b));
                h[i][k] = minus(times(c, b), times(s, a));
            }
            rotations.push((j, i, c, s));
        }
    }
    for (j, i, c, s) in rotations {
        for row in h.iter_mut() {
            let (a, b) = (row[j], row[i]);
            row[j] = plus(times(a, c), times(b, s));
            row[i] = minus(times(b, [c[0], -c[1]]), times(a, [s[0], -s[1]]));
        }
    }
    (0..n).for_each(|i| h[i][i] = plus(h[i][i], shift));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues_of_known_matrices() {
        // Companion matrix of (x − 3)(x + 1)(x² − 2x + 5): roots 3, −1, 1 ± 2i.
        // x⁴ − 4x³ + 6x² − 4x − 15.
        let a = vec![
            vec![4.0, -6.0, 4.0, 15.0],
            vec![1.0, 0.0, 0.0, 0.0],
            vec![0.0, 1.0, 0.0, 0.0],
            vec![0.0, 0.0, 1.0, 0.0],
        ];
        let found = eigenvalues(&a).expect("it converges");
        let exact = [[3.0, 0.0], [1.0, 2.0], [1.0, -2.0], [-1.0, 0.0]];
        assert_eq!(found.len(), 4);
        for exact in exact {
            // The two of a pair are as large as each other: rounding has the order.
            assert!(
                found.iter().any(|found| size(minus(*found, exact)) < 1e-12),
                "{found:?}: no {exact:?}"
            );
        }
        let rotation = vec![vec![0.0, -1.0], vec![1.0, 0.0]];
        assert_eq!(eigenvalues(&rotation).expect("it converges").len(), 2);
        assert_eq!(eigenvalues(&[vec![0.0, 0.0], vec![0.0, 0.0]]), Some(vec![[0.0; 2]; 2]));
    }

    #[test]
    fn least_squares_solve_what_can_be_solved_and_say_what_cannot() {
        // Three points on y = 2 x − 1, and a fourth above and below by the same.
        let a = vec![vec![0.0, 1.0], vec![1.0, 1.0], vec![2.0, 1.0], vec![1.0, 1.0], vec![1.0, 1.0]];
        let x = least_squares(&a, &[-1.0, 1.0, 3.0, 2.0, 0.0]).expect("it has full rank");
        assert!((x[0] - 2.0).abs() < 1e-14 && (x[1] + 1.0).abs() < 1e-14, "{x:?}");
        assert!(least_squares(&[vec![1.0, 2.0], vec![2.0, 4.0]], &[1.0, 1.0]).is_none());
        let x = kernel(&[vec![1.0, 2.0], vec![2.0, 4.0]]).expect("it has a kernel");
        assert!((x[0] + 2.0 * x[1]).abs() < 1e-7, "{x:?}");
    }
}
