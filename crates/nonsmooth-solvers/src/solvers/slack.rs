//! Any product of sets as cones in which a slack and its multiplier are complementary.
//!
//! ```text
//! s = A p + b ∈ L_1 × … × L_k,   z ∈ L_1 × … × L_k,   s ∘ z = 0,   u = Bᵀ z
//! ```
//!
//! with the L_j of `lorentz.rs`, written for each constraint as
//!
//! ```text
//! p ≥ 0                       s = p
//! lower ≤ p ≤ upper           s = p − lower,  s = upper − p            (finite bounds only)
//! p_T ∈ p_N S                 s = p_N   and   s = (p_N, p_j/μ_j) for each ball of S   (tangential)
//! p_T ∈ p_N S, S a polygon    s = p_N   and   s = cos(π/k) p_N − n_j·p_T/μ for each side  (tangential)
//! p ∈ ℝ                       nothing
//! ```
//!
//! B = A, except that the rows marked tangential leave out the normal component. That is Coulomb's law without
//! De Saxcé's shift: p_N ⟂ u_N by its own row, and u_T alone is normal to p_N S at p_T. So the law is linear up to
//! complementarity [Kanno06], and W p + u_free = Bᵀ z is kept exactly by every step. On the central path
//! z_N = det z / z₀ = z₀ − ‖z_T‖²/z₀, which is De Saxcé's z₀ − ‖z_T‖ where z lies on the boundary.
//!
//! Components that the set fixes (balls of radius 0, intervals of one point) are left out of the unknowns.

use super::lorentz::{MAX, Point};
use crate::set::{MAX_DIM, Set};

/// A ball with a smaller radius is a point: it moves p by less than the rounding of p_N.
const NO_RADIUS: f64 = 1e-15;

/// One cone, over the components of one constraint.
pub(super) struct Cone {
    /// First row of p it reads.
    pub(super) begin: usize,
    /// Rows of p it reads.
    pub(super) dim: usize,
    /// Rows of A; unused ones are zero.
    pub(super) rows: [[f64; MAX_DIM]; MAX],
    /// b, in the first row.
    pub(super) offset: f64,
    /// Whether B leaves out the normal component.
    pub(super) tangential: bool,
}

impl Cone {
    fn new(begin: usize, dim: usize) -> Self {
        Self { begin, dim, rows: [[0.0; MAX_DIM]; MAX], offset: 0.0, tangential: false }
    }

    /// The cone of one row of A.
    fn line(begin: usize, row: &[f64], offset: f64) -> Self {
        let mut cone = Self { offset, ..Self::new(begin, row.len()) };
        cone.rows[0][..row.len()].copy_from_slice(row);
        cone
    }

    /// Whether it is more than a half-line.
    pub(super) fn is_round(&self) -> bool {
        self.rows[1] != [0.0; MAX_DIM]
    }

    /// A p, without b.
    #[inline]
    pub(super) fn image(&self, p: &[f64]) -> Point {
        let p = &p[self.begin..self.begin + self.dim];
        self.rows.map(|row| row.iter().zip(p).map(|(a, p)| a * p).sum())
    }

    /// out ← out + Bᵀ z.
    #[inline]
    pub(super) fn add_transposed(&self, z: &Point, out: &mut [f64]) {
        let first = usize::from(self.tangential);
        let out = &mut out[self.begin + first..self.begin + self.dim];
        for (row, z) in self.rows.iter().zip(z) {
            out.iter_mut().zip(&row[first..]).for_each(|(out, a)| *out += a * z);
        }
    }

    /// block ← block + Bᵀ D A, by rows, with D given column by column.
    pub(super) fn add_block(&self, apply: impl Fn(&Point) -> Point, block: &mut [f64]) {
        for j in 0..self.dim {
            let image = apply(&self.rows.map(|row| row[j]));
            for i in usize::from(self.tangential)..self.dim {
                let column = self.rows.map(|row| row[i]);
                block[i * self.dim + j] += super::lorentz::dot(&column, &image);
            }
        }
    }
}

/// The cones of a problem, in the order of its constraints.
#[derive(Default)]
pub(super) struct Slack {
    pub(super) cones: Vec<Cone>,
    /// Components that cannot move.
    pub(super) fixed: Vec<bool>,
}

impl Slack {
    /// Adds one constraint, its impulses measured in `unit`, and appends to `p` a point inside its set, `depth` away
    /// from the boundary where there is room.
    pub(super) fn push(&mut self, set: Set, unit: f64, depth: f64, p: &mut Vec<f64>) {
        let (begin, dim) = (p.len(), set.dim());
        self.fixed.resize(begin + dim, false);
        p.resize(begin + dim, 0.0);
        if set.is_scalar() {
            let (lower, upper) = set.bounds();
            p[begin] = self.push_interval(begin, [lower / unit, upper / unit], depth);
            return;
        }
        p[begin] = depth;
        self.cones.push(Cone::line(begin, &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0][..dim], 0.0));
        match set {
            Set::Pyramid { mu, sides } if mu > NO_RADIUS => self.push_sides(begin, mu, sides),
            _ => self.push_balls(begin, set),
        }
    }

    fn push_interval(&mut self, begin: usize, [lower, upper]: [f64; 2], depth: f64) -> f64 {
        if lower == upper {
            self.fixed[begin] = true;
            return lower;
        }
        if lower.is_finite() {
            self.cones.push(Cone::line(begin, &[1.0], -lower));
        }
        if upper.is_finite() {
            self.cones.push(Cone::line(begin, &[-1.0], upper));
        }
        match (lower.is_finite(), upper.is_finite()) {
            (true, true) => lower + (0.5 * (upper - lower)).min(depth),
            (true, false) => lower + depth,
            (false, true) => upper - depth,
            (false, false) => 0.0,
        }
    }

    fn push_sides(&mut self, begin: usize, mu: f64, sides: u32) {
        let half = std::f64::consts::PI / f64::from(sides);
        for j in 0..sides {
            let (sin, cos) = (f64::from(2 * j + 1) * half).sin_cos();
            let row = [half.cos(), -cos / mu, -sin / mu];
            self.cones.push(Cone { tangential: true, ..Cone::line(begin, &row, 0.0) });
        }
    }

    fn push_balls(&mut self, begin: usize, set: Set) {
        let dim = set.dim();
        self.fixed[begin + 1..begin + dim].fill(true);
        let (parts, n) = set.parts();
        for part in parts[..n].iter().filter(|part| part.radius > NO_RADIUS) {
            let mut cone = Cone { tangential: true, ..Cone::new(begin, dim) };
            cone.rows[0][0] = 1.0;
            for (row, k) in (part.begin..part.end).enumerate() {
                cone.rows[row + 1][k] = 1.0 / part.radius;
                self.fixed[begin + k] = false;
            }
            self.cones.push(cone);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solvers::lorentz::det;

    const SETS: [Set; 9] = [
        Set::Nonnegative,
        Set::Interval { lower: -0.5, upper: 1.0 },
        Set::Coulomb2 { mu: 0.7 },
        Set::Coulomb3 { mu: 0.3 },
        Set::Coulomb3 { mu: 0.0 },
        Set::Pyramid { mu: 0.8, sides: 5 },
        Set::Rolling2 { mu: 0.6, mu_r: 0.2 },
        Set::Rolling3 { mu: 0.6, mu_r: 1.5 },
        Set::Spinning3 { mu: 0.4, mu_r: 0.1, mu_s: 0.3 },
    ];

    /// Irrational steps, different for each component.
    const STEPS: [f64; 6] = [0.618_034, 0.754_878, 0.569_840, 0.819_173, 0.671_044, 0.856_675];

    /// p is in the set exactly where every slack is in its cone, by comparison with the projection.
    #[test]
    fn the_cones_describe_the_set() {
        for set in SETS {
            let (mut slack, mut inside) = (Slack::default(), Vec::new());
            slack.push(set, 1.0, 1.0, &mut inside);
            let (mut members, mut others) = (0, 0);
            for seed in 0..3000 {
                let mut p: Vec<f64> = (0..set.dim())
                    .map(|k| ((seed + 1) as f64 * STEPS[k]).fract() - 0.5)
                    .map(|x| if set.is_scalar() { 4.0 * x } else { 0.4 * x })
                    .collect();
                p[0] = 4.0 * p[0] + 0.3;
                (0..p.len()).filter(|&i| slack.fixed[i]).for_each(|i| p[i] = 0.0);
                let mut nearest = p.clone();
                set.project_block(&mut nearest);
                let distance: f64 = p.iter().zip(&nearest).map(|(a, b)| (a - b).abs()).sum();
                let within = slack.cones.iter().all(|cone| {
                    let mut s = cone.image(&p);
                    s[0] += cone.offset;
                    s[0] >= 0.0 && det(&s) >= 0.0
                });
                // Rounding may put a point on the boundary on either side.
                assert!(within == (distance == 0.0) || distance < 1e-15, "{set:?} {p:?} {nearest:?}");
                (members, others) =
                    (members + usize::from(within), others + usize::from(distance > 0.0));
            }
            // The fewest are those of six components, of which the whole cone is a small part of the samples.
            assert!(members > 20 && others > 20, "{set:?}: {members} in, {others} out");
        }
    }
}
