//! Coulomb's law in space: ‖p_T‖ ≤ μ p_N, by one scalar equation.
//!
//! A sliding contact has u_T = −λ p_T, λ > 0, hence
//!
//! ```text
//! (A + λ I) p_T = b,   p_N = s − W_NT p_T / W_NN,   s = −q_N / W_NN,   g(λ) = μ p_N / ‖p_T‖ − 1 = 0
//! ```
//!
//! In axes that make the symmetric part of A diagonal, A = [[a₁, κ], [−κ, a₂]], so that A + λ I is inverted
//! without cancellation. g is linear in λ where a₁ = a₂ and κ = 0, whatever W_NT is, hence nearly linear always, as in
//! the secular equation of trust regions [More83]; Newton's method in a bracket ends after one or two steps from the
//! λ of the sweep before. g < 0 at λ = 0 (it does not stick), g > 0 at ‖b‖ (1 + μ ‖W_NT‖/W_NN) / (μ s).

use crate::dense::RANK_TOLERANCE;
use crate::eigen::largest_eigenvalue;

/// A spatial contact, prepared: everything in the axes that diagonalise A.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disc {
    mu: f64,
    /// 1/W_NN; 0 where the contact cannot be pushed apart.
    inv_nn: f64,
    /// W_NT/W_NN.
    ratio: [f64; 2],
    w_tn: [f64; 2],
    a: [f64; 2],
    /// Skew part κ of A.
    skew: f64,
    /// A⁻¹, or its pseudo-inverse, by rows.
    inverse: [f64; 4],
    /// Cosine and sine of the axes.
    axes: [f64; 2],
    /// Components of b that must vanish for sticking: those that A does not reach.
    blocked: [f64; 2],
    /// λ_max of the block.
    pub(super) weight: f64,
}

/// Steps of Newton or bisection; bisection alone gains 16 digits in 53.
const MAX_STEPS: usize = 100;
/// Relative step after which the last one is taken to first order: its square is below rounding.
const LAST_STEP: f64 = 1e-8;

impl Disc {
    pub(crate) fn new(mu: f64, w: &[f64]) -> Self {
        let inv_nn = if w[0] > 0.0 { 1.0 / w[0] } else { 0.0 };
        let a = [
            w[4] - w[3] * w[1] * inv_nn,
            w[5] - w[3] * w[2] * inv_nn,
            w[7] - w[6] * w[1] * inv_nn,
            w[8] - w[6] * w[2] * inv_nn,
        ];
        let (cos, sin, mut eigen) = Self::diagonalise(a[0], 0.5 * (a[1] + a[2]), a[3]);
        let mut skew = 0.5 * (a[1] - a[2]);
        // What is rounding against W_TT counts as zero.
        let level = RANK_TOLERANCE * (w[4].abs() + w[8].abs());
        for a in &mut eigen {
            if a.abs() <= level {
                *a = 0.0;
            }
        }
        if skew.abs() <= level {
            skew = 0.0;
        }
        let rotate = |x: f64, y: f64| [cos * x + sin * y, cos * y - sin * x];
        let [n1, n2] = rotate(w[1], w[2]);
        let det = eigen[0] * eigen[1] + skew * skew;
        let (inverse, blocked) = if det != 0.0 {
            ([eigen[1] / det, -skew / det, skew / det, eigen[0] / det], [0.0; 2])
        } else {
            let invert = |a: f64| if a == 0.0 { 0.0 } else { 1.0 / a };
            let flag = |a: f64| if a == 0.0 { 1.0 } else { 0.0 };
            ([invert(eigen[0]), 0.0, 0.0, invert(eigen[1])], [flag(eigen[0]), flag(eigen[1])])
        };
        Self {
            mu,
            inv_nn,
            ratio: [n1 * inv_nn, n2 * inv_nn],
            w_tn: rotate(w[3], w[6]),
            a: eigen,
            skew,
            inverse,
            axes: [cos, sin],
            blocked,
            weight: largest_eigenvalue(w, 3),
        }
    }

    /// A contact of which only sliding is asked, given in the axes of a symmetric A.
    #[inline(always)]
    pub(crate) fn in_axes(mu: f64, ratio: [f64; 2], a: [f64; 2]) -> Self {
        Self {
            mu,
            inv_nn: 0.0,
            ratio,
            w_tn: [0.0; 2],
            a,
            skew: 0.0,
            inverse: [0.0; 4],
            axes: [1.0, 0.0],
            blocked: [0.0; 2],
            weight: 0.0,
        }
    }

    /// Cosine and sine of the axes in which [[x, y], [y, z]] is diagonal, and that diagonal.
    pub(crate) fn diagonalise(x: f64, y: f64, z: f64) -> (f64, f64, [f64; 2]) {
        if y == 0.0 {
            return (1.0, 0.0, [x, z]);
        }
        let theta = (z - x) / (2.0 * y);
        let t = 1f64.copysign(theta) / (theta.abs() + theta.hypot(1.0));
        let cos = 1.0 / t.hypot(1.0);
        // The axis (cos, −sin) of the usual rotation, written as (cos, sin).
        (cos, -t * cos, [x - t * y, z + t * y])
    }

    /// The impulse for `q`; `slip` holds λ of the last sliding, and receives it.
    #[inline]
    pub(crate) fn solve(&self, q: [f64; 3], slip: &mut f64) -> [f64; 3] {
        if !(q[0] < 0.0 && self.inv_nn > 0.0) {
            return [0.0; 3];
        }
        let [cos, sin] = self.axes;
        let q_t = [cos * q[1] + sin * q[2], cos * q[2] - sin * q[1]];
        let s = -q[0] * self.inv_nn;
        let b = [-q_t[0] - self.w_tn[0] * s, -q_t[1] - self.w_tn[1] * s];
        let mut p = [
            self.inverse[0] * b[0] + self.inverse[1] * b[1],
            self.inverse[2] * b[0] + self.inverse[3] * b[1],
        ];
        let mut p_n = s - self.ratio[0] * p[0] - self.ratio[1] * p[1];
        let limit = self.mu * p_n;
        let unreached = self.blocked[0] * b[0].abs() + self.blocked[1] * b[1].abs();
        // 16 ε: the rounding of b where it is the difference of two equal numbers.
        let terms = q_t[0].abs() + q_t[1].abs() + (self.w_tn[0].abs() + self.w_tn[1].abs()) * s;
        let rounding = 16.0 * f64::EPSILON * terms;
        if !(p_n >= 0.0 && p[0] * p[0] + p[1] * p[1] <= limit * limit && unreached <= rounding) {
            p = self.slide(b, s, slip);
            p_n = s - self.ratio[0] * p[0] - self.ratio[1] * p[1];
        }
        [p_n, cos * p[0] - sin * p[1], sin * p[0] + cos * p[1]]
    }

    /// p_T with ‖p_T‖ = μ p_N and u_T = −λ p_T; without friction where there is none.
    #[inline]
    pub(crate) fn slide(&self, b: [f64; 2], s: f64, slip: &mut f64) -> [f64; 2] {
        let size = (b[0] * b[0] + b[1] * b[1]).sqrt();
        if !(self.mu > 0.0 && size > 0.0) {
            return [0.0; 2];
        }
        let least = self.a[0].min(self.a[1]).min(0.0);
        let slope = (self.ratio[0] * self.ratio[0] + self.ratio[1] * self.ratio[1]).sqrt();
        let (mut low, mut high) = (-least, size * (1.0 + self.mu * slope) / (self.mu * s) - least);
        let mut lambda = *slip;
        if !(lambda > low && lambda < high) {
            lambda = self.isotropic(b, s, size);
        }
        if !(lambda > low && lambda < high) {
            lambda = between(low, high);
        }
        for _ in 0..MAX_STEPS {
            let p = self.tangential(b, lambda);
            let p_n = s - self.ratio[0] * p[0] - self.ratio[1] * p[1];
            let norm = (p[0] * p[0] + p[1] * p[1]).sqrt();
            // dp_T/dλ = −(A + λ)⁻¹ p_T; the same without the sign.
            let d = self.tangential(p, lambda);
            let value = self.mu * p_n - norm;
            // g ‖p_T‖ and g' ‖p_T‖, which have the same quotient.
            let inv = 1.0 / norm;
            let change = self.mu * (self.ratio[0] * d[0] + self.ratio[1] * d[1]);
            let slope = change + self.mu * p_n * (p[0] * d[0] + p[1] * d[1]) * inv * inv;
            let step = -value / slope;
            if value < 0.0 {
                low = lambda;
            } else {
                high = lambda;
            }
            let moved = step.abs() * (d[0] * d[0] + d[1] * d[1]).sqrt();
            if moved <= LAST_STEP * norm && slope > 0.0 {
                *slip = lambda + step;
                return [p[0] - step * d[0], p[1] - step * d[1]];
            }
            let next = lambda + step;
            let inside = next > low && next < high;
            lambda = if inside { next } else { between(low, high) };
            if !(high - low > f64::EPSILON * high) {
                break;
            }
        }
        // The bracket has closed: on a root, or on the end of a function without one.
        *slip = high;
        let p = self.tangential(b, high);
        let p_n = s - self.ratio[0] * p[0] - self.ratio[1] * p[1];
        let norm = (p[0] * p[0] + p[1] * p[1]).sqrt();
        if (norm - self.mu * p_n).abs() <= 1e-6 * norm { p } else { [0.0; 2] }
    }

    /// (A + λ I)⁻¹ x.
    #[inline(always)]
    fn tangential(&self, x: [f64; 2], lambda: f64) -> [f64; 2] {
        let (d0, d1) = (self.a[0] + lambda, self.a[1] + lambda);
        let inv = 1.0 / (d0 * d1 + self.skew * self.skew);
        [(d1 * x[0] - self.skew * x[1]) * inv, (d0 * x[1] + self.skew * x[0]) * inv]
    }

    /// λ if A were a multiple of I, the one that b sees: μ (s (a + λ) − W_NT b/W_NN) = ‖b‖.
    #[inline]
    fn isotropic(&self, b: [f64; 2], s: f64, size: f64) -> f64 {
        let a = (self.a[0] * b[0] * b[0] + self.a[1] * b[1] * b[1]) / (size * size);
        (size / self.mu + self.ratio[0] * b[0] + self.ratio[1] * b[1]) / s - a
    }
}

/// The geometric mean, a thousandth of `high` where `low` is much smaller: λ may have any order of magnitude.
#[inline]
fn between(low: f64, high: f64) -> f64 {
    (low.max(1e-6 * high) * high).sqrt()
}
