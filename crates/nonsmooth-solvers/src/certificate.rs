//! The certificate: one residual for every solver, free of units and of scaling.
//!
//! ```text
//! ρ_i = 1 / W_ii,   r_i = (p_i − P_C(p_i − ρ_i u_i)) / ρ_i,   residual = ‖r‖ / max(‖u_free‖, ‖W p‖)
//! ```
//!
//! with u = W p + u_free computed here from the problem, never taken from the solver. Where the
//! denominator vanishes the residual is absolute. A row with W_ii = 0 cannot be moved by its own
//! impulse; it is weighed with the mean of the other diagonal entries (1 if there is none).

use crate::problem::Problem;

/// How well impulses solve a problem.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Certificate {
    /// Relative residual of the natural map [–].
    pub residual: f64,
    /// The constraint that contributes most, if there is any constraint.
    pub worst: Option<usize>,
}

/// Judges `p`, leaving u = W p + u_free in `u`.
pub fn certify(problem: &Problem, p: &[f64], u: &mut Vec<f64>) -> Certificate {
    let found = certify_scaled(problem, p, u, 1.0);
    // Squares of very large or very small numbers leave the range: measure again in other units.
    if found.1 > 1e-290 && found.1 < 1e290 && found.0.residual.is_finite() {
        return found.0;
    }
    let largest = problem.u_free.iter().chain(&*u).fold(0.0f64, |m, x| m.max(x.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return found.0;
    }
    // 1e300 where even 1/largest leaves the range: what is smaller than 1e-300 then counts absolutely.
    certify_scaled(problem, p, u, (1.0 / largest).min(1e300)).0
}

/// The certificate with velocities measured in units of 1/scale, and the square of its denominator.
fn certify_scaled(problem: &Problem, p: &[f64], u: &mut Vec<f64>, scale: f64) -> (Certificate, f64) {
    let n = problem.size();
    assert_eq!(p.len(), n, "one impulse per row of the problem");
    u.clear();
    let (mut sum, mut sum_free, mut sum_impulse) = (0.0, 0.0, 0.0);
    let (mut worst, mut worst_square) = (None, -1.0);
    let mut spare = None;
    for i in 0..n {
        let (columns, values) = problem.delassus.row(i);
        let (mut moved, mut diagonal) = (0.0, 0.0);
        for (&j, &w) in columns.iter().zip(values) {
            moved += w * p[j as usize];
            if j as usize == i {
                diagonal = w;
            }
        }
        if diagonal <= 0.0 {
            diagonal = *spare.get_or_insert_with(|| mean_diagonal(problem));
        }
        let free = problem.u_free[i];
        u.push(moved + free);
        // 0·p makes an infinite impulse show as NaN.
        let r = scale * problem.sets[i].natural_map(p[i], moved + free, diagonal) + 0.0 * p[i];
        sum += r * r;
        sum_free += (scale * free) * (scale * free);
        sum_impulse += (scale * moved) * (scale * moved);
        // `!(a <= b)` lets a NaN win, so that it is seen.
        if !(r * r <= worst_square) {
            (worst, worst_square) = (Some(i), r * r);
        }
    }
    let square = f64::max(sum_free, sum_impulse);
    let residual = match square {
        0.0 => sum.sqrt(),
        s if s.is_finite() => sum.sqrt() / s.sqrt(),
        // Impulses beyond the range of numbers solve nothing.
        _ => f64::INFINITY,
    };
    (Certificate { residual, worst }, square)
}

fn mean_diagonal(problem: &Problem) -> f64 {
    let positive: Vec<f64> =
        (0..problem.size()).map(|i| problem.delassus.get(i, i)).filter(|&w| w > 0.0).collect();
    if positive.is_empty() { 1.0 } else { positive.iter().sum::<f64>() / positive.len() as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparse::Sparse;

    fn problem(w: &[Vec<f64>], u_free: &[f64]) -> Problem {
        Problem::complementarity(Sparse::from_rows(w), u_free.to_vec()).unwrap()
    }

    #[test]
    fn an_exact_solution_has_residual_zero_and_a_wrong_one_has_not() {
        let problem = problem(&[vec![2.0, 1.0], vec![1.0, 2.0]], &[-2.0, 1.0]);
        let mut u = Vec::new();
        assert_eq!(certify(&problem, &[1.0, 0.0], &mut u).residual, 0.0);
        assert_eq!(u, [0.0, 2.0]);
        let wrong = certify(&problem, &[0.0, 0.0], &mut u);
        // r = (−2, 0), ‖u_free‖ = √5.
        assert!((wrong.residual - 2.0 / 5f64.sqrt()).abs() < 1e-15);
        assert_eq!(wrong.worst, Some(0));
    }

    #[test]
    fn units_do_not_change_the_residual() {
        let rows = [vec![2.0, 1.0], vec![1.0, 3.0]];
        let (u_free, p) = ([-2.0, 1.0], [0.7, 0.2]);
        let mut u = Vec::new();
        let here = certify(&problem(&rows, &u_free), &p, &mut u).residual;
        for scale in [1e-8, 1e8] {
            let scaled: Vec<Vec<f64>> =
                rows.iter().map(|r| r.iter().map(|x| x * scale).collect()).collect();
            let p: Vec<f64> = p.iter().map(|x| x / scale).collect();
            let there = certify(&problem(&scaled, &u_free), &p, &mut u).residual;
            assert!((here - there).abs() < 1e-14 * here, "{here} {there}");
        }
    }

    #[test]
    fn a_nan_shows_in_residual_and_worst() {
        let problem = problem(&[vec![1.0, 0.0], vec![0.0, 1.0]], &[-1.0, -1.0]);
        let found = certify(&problem, &[1.0, f64::NAN], &mut Vec::new());
        assert!(found.residual.is_nan());
        assert_eq!(found.worst, Some(1));
    }
}
