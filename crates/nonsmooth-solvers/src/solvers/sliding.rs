//! One contact in space that slides: all its solutions.
//!
//! Sliding means u_N = 0 and u_T = −λ p_T with λ ≥ 0 and ‖p_T‖ = μ p_N, hence
//!
//! ```text
//! [ W_NN      W_NT      ] [ p_N ]       [ u_free,N ]
//! [ W_TN   W_TT + λ I   ] [ p_T ]  =  − [ u_free,T ]
//! ```
//!
//! By Cramer's rule p_T = t(λ)/δ(λ) and p_N = n(λ)/δ(λ) with t of degree 1 and n of degree 2, so that
//! ‖t‖² − μ² n² = 0 is a quartic in λ. W may have any form: other contacts may have been eliminated from it.

use crate::dense::eliminate;

/// The impulses of every sliding solution, p_N > 0, of u = W p + u_free with friction μ.
pub(super) fn sliding(w: &[[f64; 3]; 3], u_free: &[f64; 3], mu: f64) -> Vec<[f64; 3]> {
    let size = w.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    let speed = u_free.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if size == 0.0 || speed == 0.0 {
        return Vec::new();
    }
    let a = w.map(|row| row.map(|x| x / size));
    let b = u_free.map(|x| -x / speed);
    let roots = roots(&quartic(&a, &b, mu));
    let solutions = roots.into_iter().filter_map(|rough| {
        let lambda = polish(&a, &b, mu, rough);
        solve_at(&a, &b, lambda).filter(|p| p[0] > 0.0)
    });
    solutions.map(|p| p.map(|x| x * speed / size)).collect()
}

/// ‖t(λ)‖² − μ² n(λ)², lowest power first.
fn quartic(a: &[[f64; 3]; 3], b: &[f64; 3], mu: f64) -> [f64; 5] {
    let two = |p: f64, q: f64, r: f64, s: f64| p * s - q * r;
    let three = |m: [[f64; 3]; 3]| {
        m[0][0] * two(m[1][1], m[1][2], m[2][1], m[2][2])
            - m[0][1] * two(m[1][0], m[1][2], m[2][0], m[2][2])
            + m[0][2] * two(m[1][0], m[1][1], m[2][0], m[2][1])
    };
    let replaced = |column: usize| {
        let mut m = *a;
        (0..3).for_each(|i| m[i][column] = b[i]);
        three(m)
    };
    let t = [
        [replaced(1), two(a[0][0], b[0], a[1][0], b[1])],
        [replaced(2), two(a[0][0], b[0], a[2][0], b[2])],
    ];
    let n = [replaced(0), two(b[0], a[0][1], b[1], a[1][1]) + two(b[0], a[0][2], b[2], a[2][2]), b[0]];
    let mut f = [0.0; 5];
    for t in t {
        (0..2).for_each(|i| (0..2).for_each(|j| f[i + j] += t[i] * t[j]));
    }
    (0..3).for_each(|i| (0..3).for_each(|j| f[i + j] -= mu * mu * n[i] * n[j]));
    f
}

fn value(f: &[f64], x: f64) -> f64 {
    f.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// The roots x ≥ 0 of a polynomial, and the places where it is stationary, which may be double roots.
fn roots(f: &[f64]) -> Vec<f64> {
    let largest = f.iter().fold(0.0f64, |m, c| m.max(c.abs()));
    // A leading coefficient that is rounding would put a root at infinity.
    let degree = (0..f.len()).rev().find(|&k| f[k].abs() > 1e-15 * largest).unwrap_or(0);
    if degree == 0 {
        return Vec::new();
    }
    let f = &f[..=degree];
    // Cauchy's bound on the size of roots.
    let bound = 1.0 + f[..degree].iter().fold(0.0f64, |m, c| m.max((c / f[degree]).abs()));
    let derivative: Vec<f64> = (1..=degree).map(|k| k as f64 * f[k]).collect();
    let mut found: Vec<f64> = roots(&derivative).into_iter().filter(|x| *x < bound).collect();
    let mut places = vec![0.0];
    places.extend(&found);
    places.push(bound);
    places.sort_by(f64::total_cmp);
    for pair in places.windows(2) {
        let (mut low, mut high) = (pair[0], pair[1]);
        let sign = value(f, low).signum();
        if value(f, high).signum() == sign {
            continue;
        }
        // Until the interval has no number inside.
        while low < 0.5 * (low + high) && 0.5 * (low + high) < high {
            let middle = 0.5 * (low + high);
            if value(f, middle).signum() == sign { low = middle } else { high = middle }
        }
        found.push(low);
    }
    found
}

fn solve_at(a: &[[f64; 3]; 3], b: &[f64; 3], lambda: f64) -> Option<[f64; 3]> {
    let mut m = [0.0; 9];
    for i in 0..3 {
        (0..3).for_each(|j| m[3 * i + j] = a[i][j]);
    }
    m[4] += lambda;
    m[8] += lambda;
    let mut p = *b;
    (eliminate(&mut m, &mut p) && p.iter().all(|x| x.is_finite())).then_some(p)
}

/// A root of ‖p_T‖ − μ p_N near `rough`, by secants: the quartic has lost digits to cancellation.
fn polish(a: &[[f64; 3]; 3], b: &[f64; 3], mu: f64, rough: f64) -> f64 {
    let gap = |lambda: f64| solve_at(a, b, lambda).map(|p| p[1].hypot(p[2]) - mu * p[0]);
    let (mut x, mut y) = (rough, rough * (1.0 + 1e-7) + 1e-12);
    let (Some(mut f), Some(mut g)) = (gap(x), gap(y)) else {
        return rough;
    };
    for _ in 0..8 {
        let next = y - g * (y - x) / (g - f);
        if !(next >= 0.0 && next.is_finite()) {
            break;
        }
        (x, f) = (y, g);
        y = next;
        match gap(y) {
            Some(value) if value.abs() < f.abs() => g = value,
            _ => break,
        }
    }
    if g.abs() < f.abs() { y } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// W = 2 I, u_free = (−1, 1, 0), μ = ½: p = (½, −¼, 0), u = (0, ½, 0).
    #[test]
    fn a_block_that_slides_is_found_exactly() {
        let w = [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]];
        let found = sliding(&w, &[-1.0, 1.0, 0.0], 0.5);
        let near = |p: &[f64; 3]| (p[0] - 0.5).abs() + (p[1] + 0.25).abs() + p[2].abs() < 1e-15;
        assert!(found.iter().any(near), "{found:?}");
    }

    #[test]
    fn roots_of_a_polynomial_with_known_ones_are_all_found() {
        // (x − 1)(x − 2)(x − 3)(x + 4).
        let found = roots(&[-24.0, 38.0, -13.0, -2.0, 1.0]);
        for root in [1.0, 2.0, 3.0] {
            assert!(found.iter().any(|x| (x - root).abs() < 1e-12), "{root}: {found:?}");
        }
        // (x − 1)²: a double root is where the derivative vanishes.
        assert!(roots(&[1.0, -2.0, 1.0]).iter().any(|x| (x - 1.0).abs() < 1e-12));
    }
}
