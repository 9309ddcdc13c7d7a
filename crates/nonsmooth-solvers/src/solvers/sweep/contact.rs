//! One contact of bodies, in axes that make its exact solution short.
//!
//! With the tangential part A = W_TT − W_TN W_NT/W_NN diagonal, W_cc = L diag(w, a₁, a₂) Lᵀ with one column (1, ρ₁, ρ₂)
//! in L beside the identity, and the exact solution follows from u_c, which contains the contact's own impulse, without
//! forming q_c = u_c − W_cc p_c:
//!
//! ```text
//! s = p_N + ρ·p_T − u_N/w,    b = A p_T − u_T + ρ u_N,    A p_T⁺ = b where that sticks,    p_N⁺ = s − ρ·p_T⁺
//! ```

use crate::dense::RANK_TOLERANCE;
use crate::local::{Disc, Segment, scalar};
use crate::posed::Posed;
use crate::problem::Problem;
use crate::set::Set;
use crate::vector::Vector;

/// What kind of law a contact has: decides how many of its D components are in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Scalar,
    Planar,
    Spatial,
}

/// One contact; what an open contact needs comes first.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Node<const D: usize> {
    /// Places in the list of movers.
    pub(super) bodies: [u32; 2],
    pub(super) p: [f64; D],
    pub(super) u_free: [f64; D],
    pub(super) arms: [Vector; 2],
    pub(super) frame: [Vector; D],
    /// w, a₁, a₂; what is rounding counts as zero.
    pivot: [f64; D],
    /// 1, ρ₁, ρ₂.
    ratio: [f64; D],
    /// μ and the last λ = ‖u_T‖/‖p_T‖ of sliding; the bounds of a scalar set.
    law: [f64; 2],
    /// λ_max(W_cc), 0 where that is not positive.
    pub(super) weight: f64,
    /// First row in the problem.
    pub(super) begin: u32,
    kind: Kind,
    /// Whether its tangents were rotated.
    pub(super) is_rotated: bool,
}

impl<const D: usize> Node<D> {
    /// The contact of set `c`, its number among contacts given, and the rotation of its tangents.
    pub(super) fn new(
        problem: &Problem,
        posed: &Posed,
        (c, number): (usize, usize),
        begin: u32,
    ) -> (Self, [f64; 2]) {
        let (set, contact) = (problem.sets[c], &posed.contacts()[number]);
        let block = posed.contact_block(number, set.dim());
        let (kind, law) = match set {
            Set::Coulomb2 { mu } => (Kind::Planar, [mu, 0.0]),
            Set::Coulomb3 { mu } => (Kind::Spatial, [mu, 0.0]),
            _ => (Kind::Scalar, [set.bounds().0, set.bounds().1]),
        };
        let still = posed.bodies().len() as u32;
        let place = |body: u32| match posed.bodies().get(body as usize) {
            Some(inertia) if !inertia.is_fixed() => body,
            _ => still,
        };
        let mut node = Self {
            bodies: contact.bodies.map(place),
            p: [0.0; D],
            u_free: [0.0; D],
            arms: contact.arms,
            frame: [[0.0; 3]; D],
            pivot: [0.0; D],
            ratio: [0.0; D],
            law,
            weight: posed.weights(&problem.sets)[c].max(0.0),
            begin,
            kind,
            is_rotated: false,
        };
        let first = begin as usize;
        node.u_free[..set.dim()].copy_from_slice(&problem.u_free[first..first + set.dim()]);
        node.frame[..set.dim()].copy_from_slice(&contact.frame[..set.dim()]);
        let axes = node.take_block(&block);
        (node, axes)
    }

    /// Splits W_cc, rotating the tangents so that A is diagonal.
    fn take_block(&mut self, block: &[[f64; 3]; 3]) -> [f64; 2] {
        let dim = self.dim();
        let w = block[0][0];
        let inv = if w > 0.0 { 1.0 / w } else { 0.0 };
        self.pivot[0] = w;
        self.ratio[0] = 1.0;
        (1..dim).for_each(|k| self.ratio[k] = block[0][k] * inv);
        let part = |i: usize, j: usize| block[i][j] - block[i][0] * block[0][j] * inv;
        (1..dim).for_each(|k| self.pivot[k] = part(k, k));
        let size: f64 = (1..dim).map(|k| block[k][k].abs()).sum();
        let mut axes = [1.0, 0.0];
        // Where A is a multiple of I up to rounding, any axes will do.
        if dim == 3 && part(1, 2).abs() > RANK_TOLERANCE * size {
            let (cos, sin, diagonal) = Disc::diagonalise(part(1, 1), part(1, 2), part(2, 2));
            axes = [cos, sin];
            self.is_rotated = true;
            self.pivot[1..].copy_from_slice(&diagonal);
            rotate(axes, &mut self.ratio);
            rotate(axes, &mut self.u_free);
            let [t1, t2] = [self.frame[1], self.frame[2]];
            for k in 0..3 {
                (self.frame[1][k], self.frame[2][k]) =
                    (cos * t1[k] + sin * t2[k], cos * t2[k] - sin * t1[k]);
            }
        }
        self.pivot[1..dim]
            .iter_mut()
            .filter(|a| a.abs() <= RANK_TOLERANCE * size)
            .for_each(|a| *a = 0.0);
        axes
    }

    #[inline(always)]
    pub(super) fn dim(&self) -> usize {
        match self.kind {
            Kind::Scalar => 1,
            Kind::Planar => 2,
            Kind::Spatial => 3,
        }
    }

    fn set(&self) -> Set {
        match self.kind {
            Kind::Scalar => Set::Interval { lower: self.law[0], upper: self.law[1] },
            Kind::Planar => Set::Coulomb2 { mu: self.law[0] },
            Kind::Spatial => Set::Coulomb3 { mu: self.law[0] },
        }
    }

    /// Component k of x, 0 where D is smaller.
    #[inline(always)]
    fn part(x: &[f64; D], k: usize) -> f64 {
        if k < D { x[k] } else { 0.0 }
    }

    /// The exact solution, from u with the own impulse in it.
    #[inline(always)]
    pub(super) fn exact(&mut self, u: &[f64; D]) {
        let w = self.pivot[0];
        if D == 1 || self.kind == Kind::Scalar {
            let set = Set::Interval { lower: self.law[0], upper: self.law[1] };
            self.p[0] = scalar(set, w, u[0] - w * self.p[0]);
            return;
        }
        let of = Self::part;
        let (ratio, a) =
            ([of(&self.ratio, 1), of(&self.ratio, 2)], [of(&self.pivot, 1), of(&self.pivot, 2)]);
        let p = [of(&self.p, 1), of(&self.p, 2)];
        let s = self.p[0] + ratio[0] * p[0] + ratio[1] * p[1] - u[0] / w;
        // q_N = −w s; a contact that cannot be pushed apart has w = 0 and s not finite, or NaN.
        if !(s > 0.0 && w > 0.0) {
            self.p = [0.0; D];
            return;
        }
        if D == 2 || self.kind == Kind::Planar {
            return self.planar(s, u);
        }
        let q = [of(u, 1) - ratio[0] * u[0], of(u, 2) - ratio[1] * u[0]];
        let b = [a[0] * p[0] - q[0], a[1] * p[1] - q[1]];
        let mut t = [quotient(b[0], a[0]), quotient(b[1], a[1])];
        let mut n = s - ratio[0] * t[0] - ratio[1] * t[1];
        let limit = self.law[0] * n;
        let sticks = n >= 0.0 && t[0] * t[0] + t[1] * t[1] <= limit * limit;
        if !(sticks && (a[0] * a[1] != 0.0 || reached(a, p, q, b))) {
            let disc = Disc::in_axes(self.law[0], ratio, a);
            t = disc.slide(b, s, &mut self.law[1]);
            n = s - ratio[0] * t[0] - ratio[1] * t[1];
        }
        self.p[0] = n;
        self.p[1] = t[0];
        self.p[D - 1] = t[1];
    }

    /// Friction in the plane, q_c = u_c − W_cc p_c formed.
    #[inline]
    fn planar(&mut self, s: f64, u: &[f64; D]) {
        let (w, ratio, a) = (self.pivot[0], self.ratio[1], self.pivot[1]);
        let segment = Segment::of_block(self.law[0], [w, w * ratio, w * ratio, a + w * ratio * ratio]);
        let own = w * (self.p[0] + ratio * self.p[1]);
        let [n, t] = segment.solve([-w * s, u[1] - ratio * own - a * self.p[1]]);
        (self.p[0], self.p[1]) = (n, t);
    }

    /// One projected step, from u with the own impulse in it; a block of zeros as `exact` has it.
    #[inline(always)]
    pub(super) fn project(&mut self, relaxation: f64, u: &[f64; D]) {
        if self.weight == 0.0 {
            return self.exact(u);
        }
        let (set, dim) = (self.set(), self.dim());
        let rho = relaxation / self.weight;
        let shift = set.shift(&u[..dim]);
        self.p[0] -= rho * (u[0] + shift);
        (1..dim).for_each(|k| self.p[k] -= rho * u[k]);
        set.project_block(&mut self.p[..dim]);
    }

    /// Whether p = 0 and nothing but u_N < 0 changes that.
    #[inline(always)]
    pub(super) fn is_open(&self) -> bool {
        self.p[0] == 0.0 && D > 1 && self.kind != Kind::Scalar && self.p.iter().all(|p| *p == 0.0)
    }
}

/// b/a, 0 where a is.
#[inline(always)]
fn quotient(b: f64, a: f64) -> f64 {
    if a == 0.0 { 0.0 } else { b / a }
}

/// Whether the components of b that A does not reach vanish up to the rounding of its terms.
#[inline(never)]
fn reached(a: [f64; 2], p: [f64; 2], q: [f64; 2], b: [f64; 2]) -> bool {
    (0..2).all(|k| {
        a[k] != 0.0 || b[k].abs() <= 16.0 * f64::EPSILON * (q[0].abs() + q[1].abs() + p[k].abs())
    })
}

/// The tangential components in rotated axes.
pub(super) fn rotate<const D: usize>([cos, sin]: [f64; 2], x: &mut [f64; D]) {
    if D > 2 {
        (x[1], x[D - 1]) = (cos * x[1] + sin * x[D - 1], cos * x[D - 1] - sin * x[1]);
    }
}
