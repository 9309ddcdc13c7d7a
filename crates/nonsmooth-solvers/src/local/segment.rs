//! Coulomb's law in the plane: |p_T| ≤ μ p_N, in closed form.
//!
//! Sticking p_T = b/a; else sliding p_T = ±μ p_N with p_N (W_NN ± μ W_NT) = −q_N, where ± u_T ≤ 0. The sign is
//! that of b: for a > 0 and q_N < 0 the function |p_T| − μ p_N then changes sign between λ = 0 and λ = ∞,
//! (a + λ) p_T = b. The other sign is tried last, for blocks that are not positive definite.

use crate::dense::RANK_TOLERANCE;
use crate::eigen::largest_eigenvalue;

/// A planar contact, prepared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    mu: f64,
    w: [f64; 4],
    /// λ_max of the block.
    pub(super) weight: f64,
}

impl Segment {
    pub(crate) fn new(mu: f64, w: &[f64]) -> Self {
        Self { mu, w: [w[0], w[1], w[2], w[3]], weight: largest_eigenvalue(w, 2) }
    }

    /// A contact of which only impulses are asked.
    #[inline(always)]
    pub(crate) fn of_block(mu: f64, w: [f64; 4]) -> Self {
        Self { mu, w, weight: 0.0 }
    }

    /// The impulse for `q`.
    #[inline]
    pub(crate) fn solve(&self, q: [f64; 2]) -> [f64; 2] {
        let [w_nn, w_nt, w_tn, w_tt] = self.w;
        if !(q[0] < 0.0 && w_nn > 0.0) {
            return [0.0; 2];
        }
        let a = w_tt - w_tn * w_nt / w_nn;
        let b = w_tn * q[0] / w_nn - q[1];
        // Where a is rounding against W_TT, no impulse changes the sliding: it sticks only if b vanishes.
        let moves = a.abs() > RANK_TOLERANCE * w_tt.abs();
        let p_t = if moves { b / a } else { 0.0 };
        let p_n = -(q[0] + w_nt * p_t) / w_nn;
        let sticks = moves || b.abs() <= 4.0 * f64::EPSILON * q[1].abs();
        if sticks && p_t.abs() <= self.mu * p_n {
            return [p_n, p_t];
        }
        let sign = 1f64.copysign(b);
        let (first, first_slides) = self.slide(q, sign);
        let (second, second_slides) = self.slide(q, -sign);
        match (first, second) {
            (Some(p), _) if first_slides || !second_slides => p,
            (_, Some(p)) if second_slides => p,
            _ => [-q[0] / w_nn, 0.0],
        }
    }

    /// p with p_T = ±μ p_N and u_N = 0, if there is one, and whether it slides against that impulse.
    #[inline]
    fn slide(&self, q: [f64; 2], sign: f64) -> (Option<[f64; 2]>, bool) {
        let [w_nn, w_nt, w_tn, w_tt] = self.w;
        let slope = w_nn + sign * self.mu * w_nt;
        if !(slope > 0.0) {
            return (None, false);
        }
        let p_n = -q[0] / slope;
        let p_t = sign * self.mu * p_n;
        let u_t = w_tn * p_n + w_tt * p_t + q[1];
        // Where sliding is about to begin, u_T = 0 up to rounding.
        let rounding = 8.0 * f64::EPSILON * ((w_tn * p_n).abs() + (w_tt * p_t).abs() + q[1].abs());
        (p_n.is_finite().then_some([p_n, p_t]), sign * u_t <= rounding)
    }
}
