//! One constraint by itself, exactly: the step from which the Gauss–Seidel methods are made.
//!
//! Given the diagonal block W_cc and q_c = u_free,c + Σ_{j≠c} W_cj p_j, find p with
//!
//! ```text
//! u = W_cc p + q,     −(u + shift(u)) ∈ N_C(p)
//! ```
//!
//! Scalars: p = P_C(−q/w). Friction: p = 0 if q_N ≥ 0; else u_N = 0 gives p_N, and with
//!
//! ```text
//! A = W_TT − W_TN W_NT / W_NN,   b = −q_T + W_TN q_N / W_NN,   p_N = −(q_N + W_NT p_T) / W_NN
//! ```
//!
//! the tangential part is A p_T − b = u_T, −u_T ∈ N_{p_N S}(p_T): sticking, A p_T = b, where that p_T lies in p_N S, else
//! sliding, by the shape of S: `segment.rs`, `disc.rs`, `polygon.rs`, `product.rs`.
//!
//! For W_cc positive definite there is a solution. Otherwise there may be several (sticking is taken before
//! sliding) or none: then p is finite, lies in C, and the certificate of the whole problem shows that it is none.

mod disc;
mod polygon;
mod product;
mod segment;

pub(crate) use disc::Disc;
pub(crate) use segment::Segment;

use crate::certificate::natural_square;
use crate::eigen::largest_eigenvalue;
use crate::set::{MAX_DIM, Set};

/// What is prepared once per constraint; as small as the common sets allow.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Local {
    /// One component, with its diagonal entry.
    Scalar(Set, f64),
    /// Coulomb's law in the plane.
    Segment(Segment),
    /// Coulomb's law in space.
    Disc(Disc),
    /// Any other friction set, with λ_max of its block.
    Other(Set, f64),
}

impl Local {
    /// Prepares a constraint with the d × d block `w`, by rows.
    pub(crate) fn new(set: Set, w: &[f64]) -> Self {
        match set {
            Set::Nonnegative | Set::Free | Set::Interval { .. } => Local::Scalar(set, w[0]),
            Set::Coulomb2 { mu } => Local::Segment(Segment::new(mu, w)),
            Set::Coulomb3 { mu } => Local::Disc(Disc::new(mu, w)),
            _ => Local::Other(set, largest_eigenvalue(w, set.dim())),
        }
    }

    /// Replaces `p`, which holds a guess, by the solution for `q`; `w` is the block given to `new`.
    ///
    /// `slip` remembers what helps the next call: λ = ‖u_T‖/‖p_T‖ of a disc. Zero is a good start.
    #[inline]
    pub(crate) fn solve(&self, w: &[f64], q: &[f64], p: &mut [f64], slip: &mut f64) {
        match self {
            Local::Scalar(set, w) => p[0] = scalar(*set, *w, q[0]),
            Local::Segment(segment) => p.copy_from_slice(&segment.solve([q[0], q[1]])),
            Local::Disc(disc) => p.copy_from_slice(&disc.solve([q[0], q[1], q[2]], slip)),
            Local::Other(set, weight) => {
                let one = Block { set: *set, w, q, weight: *weight };
                match set {
                    Set::Pyramid { mu, sides } => polygon::solve(&one, *mu, *sides, p),
                    _ => product::solve(&one, p),
                }
                // Rounding, or where no solution was found the best candidate, may lie outside.
                set.project_block(p);
            }
        }
    }

    /// λ_max of the block, which turns impulses into velocities [1/kg].
    #[inline]
    pub(crate) fn weight(&self) -> f64 {
        match self {
            Local::Scalar(_, w) => *w,
            Local::Segment(segment) => segment.weight,
            Local::Disc(disc) => disc.weight,
            Local::Other(_, weight) => *weight,
        }
    }
}

/// p ∈ C with −(w p + q) ∈ N_C(p); where w ≤ 0 admits none, 0 or the nearest bound.
#[inline]
pub(crate) fn scalar(set: Set, w: f64, q: f64) -> f64 {
    if w > 0.0 {
        return set.project(-q / w);
    }
    let (lower, upper) = set.bounds();
    // A row that its own impulse does not move, or moves the wrong way: a bound where that is right.
    if lower.is_finite() && w * lower + q >= 0.0 {
        lower
    } else if upper.is_finite() && w * upper + q <= 0.0 {
        upper
    } else if w < 0.0 && -q / w >= lower && -q / w <= upper {
        -q / w
    } else {
        set.project(0.0)
    }
}

/// One constraint's data, as the general methods take it.
struct Block<'a> {
    set: Set,
    w: &'a [f64],
    q: &'a [f64],
    /// λ_max of the block.
    weight: f64,
}

impl Block<'_> {
    fn dim(&self) -> usize {
        self.q.len()
    }

    /// u = W p + q.
    fn velocity(&self, p: &[f64]) -> [f64; MAX_DIM] {
        let mut u = [0.0; MAX_DIM];
        for (i, row) in self.w.chunks_exact(self.dim()).enumerate() {
            u[i] = self.q[i] + row.iter().zip(p).map(|(w, p)| w * p).sum::<f64>();
        }
        u
    }

    /// ‖r‖² of the certificate's natural map.
    fn error(&self, p: &[f64]) -> f64 {
        natural_square(self.set, p, &self.velocity(p)[..self.dim()], self.weight, 1.0)
    }

    /// The square of what rounding leaves of u + shift(u), u = W p + q; the shift multiplies that of u_T by μ.
    fn rounding(&self, p: &[f64]) -> f64 {
        let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        let size = self.weight * square(p).sqrt() + square(self.q).sqrt();
        let (parts, n) = self.set.parts();
        let shift = 1.0 + parts[..n].iter().map(|part| part.radius).sum::<f64>();
        (4.0 * f64::EPSILON * shift * size).powi(2)
    }
}

#[cfg(test)]
mod tests;
