//! What the first-order methods share: weights that free them of units, W p, Coulomb's projection, the residual.
//!
//! Every constraint c has the weight d_c = λ_max(W_cc), as in the certificate, so that D⁻¹ W is free of units. The
//! weight is one number per constraint, and a projection is the same in the metric of D as in the plain one.
//!
//! ```text
//! z = Π(x):   z_N = max(x_N, 0),   z_T = P_{z_N S}(x_T)
//! ```
//!
//! solves −(u + shift(u)) ∈ N_C(z) with u = ρ (z − x), ρ > 0: one contact that moves alike in all directions. It is
//! the whole law, shift and all, in closed form; N and T decouple, because u_N = 0 where z_N > 0 [AlartCurnier91].

use crate::certificate::{natural_square, residual_by_weights, spare_weight};
use crate::eigen::largest_eigenvalue;
use crate::problem::Problem;
use crate::set::{MAX_DIM, Set, norm};

/// Weights of a problem's rows, and scratch for products with its matrix.
#[derive(Default)]
pub(super) struct Scaled {
    /// d of each row's constraint [1/kg].
    pub(in crate::solvers) weight: Vec<f64>,
    velocity: Vec<f64>,
}

impl Scaled {
    /// Computes the weights. A constraint that its own impulse does not move takes that of the certificate.
    pub(super) fn prepare(&mut self, problem: &Problem) {
        self.weight.clear();
        for (c, (begin, set)) in problem.blocks().enumerate() {
            let dim = set.dim();
            let mut block = [0.0; MAX_DIM * MAX_DIM];
            problem.block(c, begin, &mut block);
            let d = largest_eigenvalue(&block[..dim * dim], dim);
            self.weight.extend(std::iter::repeat_n(d, dim));
        }
        if self.weight.iter().any(|d| !(*d > 0.0)) {
            let spare = spare_weight(problem);
            self.weight.iter_mut().filter(|d| !(**d > 0.0)).for_each(|d| *d = spare);
        }
    }

    /// y ← W x, by J and M⁻¹ Jᵀ where W is in factors.
    pub(super) fn multiply(&mut self, problem: &Problem, x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        problem.add_product(x, &mut self.velocity, y);
    }

    /// The certificate of p, where `moved` is W p: what `certify` computes, with the weights at hand.
    pub(super) fn residual(&self, problem: &Problem, p: &[f64], moved: &[f64]) -> f64 {
        residual_by_weights(problem, p, moved, &self.weight)
    }

    /// Square of the natural map, over all constraints [m²/s²].
    fn square(&self, problem: &Problem, p: &[f64], moved: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (begin, set) in problem.blocks() {
            let dim = set.dim();
            let mut u = [0.0; MAX_DIM];
            for (k, u) in u[..dim].iter_mut().enumerate() {
                *u = moved[begin + k] + problem.u_free[begin + k];
            }
            sum += natural_square(set, &p[begin..begin + dim], &u[..dim], self.weight[begin], 1.0);
        }
        sum
    }

    /// Forgets the guess `p` unless it is better than zero; returns its residual and leaves W p in `moved`.
    pub(super) fn start(&mut self, problem: &Problem, p: &mut [f64], moved: &mut [f64]) -> f64 {
        self.multiply(problem, p, moved);
        let given = self.square(problem, p, moved);
        // Where u_free is no velocity at all, zero solves the problem and nothing is better.
        let mut zero = 0.0;
        for (begin, set) in problem.blocks() {
            let u = &problem.u_free[begin..begin + set.dim()];
            zero += natural_square(set, &[0.0; MAX_DIM][..u.len()], u, self.weight[begin], 1.0);
        }
        // A NaN is no small residual.
        if !(given < zero) {
            p.fill(0.0);
            moved.fill(0.0);
        }
        self.residual(problem, p, moved)
    }
}

/// x ← Π(x): the impulse of one contact under Coulomb's law.
#[inline]
pub(super) fn project_coulomb(set: Set, x: &mut [f64]) {
    if set.is_scalar() {
        x[0] = set.project(x[0]);
        return;
    }
    // `+ 0·x` lets a NaN through, which `max` would drop.
    x[0] = x[0].max(0.0) + 0.0 * x[0];
    if let Set::Pyramid { mu, sides } = set {
        project_polygon(mu * x[0], sides, &mut x[1..3]);
        return;
    }
    let (parts, n) = set.parts();
    for part in &parts[..n] {
        let (size, most) = (norm(&x[part.begin..part.end]), part.radius * x[0]);
        if size > most {
            x[part.begin..part.end].iter_mut().for_each(|x| *x *= most / size);
        }
    }
}

/// Nearest point of the regular polygon with a corner at (radius, 0), by the sector in which `b` lies.
fn project_polygon(radius: f64, sides: u32, b: &mut [f64]) {
    let half = std::f64::consts::PI / f64::from(sides);
    let middle = ((b[1].atan2(b[0]) / (2.0 * half)).floor() + 0.5) * 2.0 * half;
    let ((sin, cos), (d, c)) = (middle.sin_cos(), half.sin_cos());
    let (x, y) = (b[0] * cos + b[1] * sin, b[1] * cos - b[0] * sin);
    let (c, d) = (radius * c, radius * d);
    if x > c {
        let y = y.max(-d).min(d);
        (b[0], b[1]) = (c * cos - y * sin, c * sin + y * cos);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::certify;
    use crate::sparse::Sparse;

    const SETS: [Set; 9] = [
        Set::Nonnegative,
        Set::Free,
        Set::Interval { lower: -0.5, upper: 1.0 },
        Set::Coulomb2 { mu: 0.7 },
        Set::Coulomb3 { mu: 0.3 },
        Set::Pyramid { mu: 0.8, sides: 5 },
        Set::Rolling2 { mu: 0.6, mu_r: 0.2 },
        Set::Rolling3 { mu: 0.6, mu_r: 1.5 },
        Set::Spinning3 { mu: 0.4, mu_r: 0.1, mu_s: 0.3 },
    ];

    fn numbers(seed: usize, n: usize) -> Vec<f64> {
        (0..n).map(|k| 3.0 * ((seed * 7 + k * 13 + 1) as f64 * 0.618_034).fract() - 1.5).collect()
    }

    /// With W = I one contact is solved by p = Π(−u_free).
    #[test]
    fn one_contact_that_moves_alike_in_all_directions_is_solved_by_the_projection() {
        for set in SETS {
            for seed in 0..300 {
                let mut p = numbers(seed, set.dim());
                let u_free = p.iter().map(|x| -x).collect();
                let w = Sparse::diagonal(&vec![1.0; set.dim()]);
                project_coulomb(set, &mut p);
                let problem = Problem::new(w, u_free, vec![set]).unwrap();
                let residual = certify(&problem, &p, &mut Vec::new()).residual;
                assert!(residual < 1e-15, "{set:?}, seed {seed}: {residual:e}");
            }
        }
    }

    #[test]
    fn the_residual_is_the_certificate() {
        let n: usize = SETS.iter().map(|set| set.dim()).sum();
        let rows: Vec<Vec<f64>> = (0..n)
            .map(|i| (0..n).map(|j| numbers(i + j, 1)[0] + if i == j { 9.0 } else { 0.0 }).collect())
            .collect();
        for seed in 0..20 {
            let mut problem =
                Problem::new(Sparse::from_rows(&rows), numbers(seed, n), SETS.to_vec()).unwrap();
            if seed % 2 == 1 {
                // Nobody can move the last constraint.
                let keep = n - 6;
                problem.delassus.explicit_mut().value.iter_mut().skip(keep * n).for_each(|w| *w = 0.0);
            }
            let (p, mut moved) = (numbers(seed + 50, n), vec![0.0; n]);
            let mut scaled = Scaled::default();
            scaled.prepare(&problem);
            scaled.multiply(&problem, &p, &mut moved);
            let (mine, judge) =
                (scaled.residual(&problem, &p, &moved), certify(&problem, &p, &mut Vec::new()));
            assert!((mine - judge.residual).abs() <= 1e-14 * mine, "{mine} {judge:?}");
        }
    }
}
