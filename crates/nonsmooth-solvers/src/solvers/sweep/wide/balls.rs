//! Four contacts of balls at once. Their arms are r_a n and −r_b n, and W_cc is diagonal, so the exact local solution is a projection.
//!
//! ```text
//! d = v_b − v_a,  z = r_a ω_a + r_b ω_b,   u_N = n·d + f_N,  u_t = t·d − s·z + f_t,  u_s = s·d + t·z + f_s,   s = n × t
//! p_N⁺ = max(0, p_N − u_N/w_N),   x = p_T − u_T/w_T,   p_T⁺ = x min(1, μ p_N⁺/‖x‖),   δ = p⁺ − p
//! F = n δ_N + t δ_t + s δ_s,  T = t δ_s − s δ_t;   v_a −= F/m_a,  v_b += F/m_b,  ω_a += (r_a/I_a) T,  ω_b += (r_b/I_b) T
//! ```
//!
//! f is u_free. In the plane s is the axis of rotation, and its components of u and p vanish. The impulses go on along
//! their way (d ← θ d + p − p_last, p ← p + β d) at the beginning of the visit.

use super::lanes::{self, Four, Quad, load};
use super::lines::{Line, Shared};
use super::{Block, Lane};
use crate::jacobian::ContactRows;
use crate::mass_groups::Inertia;
use crate::posed::{Place, Posed};
use crate::problem::Problem;
use crate::set::Set;
use crate::vector::{Vector, cross, dot};

/// How far from the line through the centre an arm may end, relative to its length, and a frame be from orthonormal.
/// Rounding of positions makes that 1e-14 in a heap of 1 m with balls of 1 cm.
const CENTRAL: f64 = 1e-12;

/// Four contacts of one colour, each number four times.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(in crate::solvers) struct Balls<const PLANAR: bool> {
    bodies: [[u32; 4]; 2],
    normal: [Quad; 3],
    tangent: [Quad; 3],
    radius: [Quad; 2],
    u_free: [Quad; 3],
    /// 1/w_N and 1/w_T.
    inverse: [Quad; 2],
    mu: Quad,
    /// λ_max(W_cc); 1 in lanes without a contact.
    weight: Quad,
    p: [Quad; 3],
    /// Sweeps: where p stood after the last extrapolation, and its direction. Gradients: y, and p before.
    last: [Quad; 3],
    along: [Quad; 3],
}

/// Whether every contact is one of balls in space, or of disks in the plane.
pub(in crate::solvers) fn takes(problem: &Problem, posed: &Posed, planar: bool) -> bool {
    problem.sets.iter().enumerate().all(|(c, set)| match (posed.place(&problem.sets, c), set) {
        (Place::Row(_) | Place::Pair(..), _) => true,
        (Place::Contact(_), Set::Coulomb2 { .. }) if !planar => false,
        (Place::Contact(_), Set::Coulomb3 { .. }) if planar => false,
        (Place::Contact(k), Set::Nonnegative | Set::Coulomb2 { .. } | Set::Coulomb3 { .. }) => {
            is_central(posed, &posed.contacts()[k as usize], planar)
        }
        _ => false,
    })
}

/// Whether both bodies are round, the frame is orthonormal and both arms lie along the normal.
fn is_central(posed: &Posed, contact: &ContactRows, planar: bool) -> bool {
    let [n, t, s] = contact.frame;
    let near = |a: Vector, b: Vector, size: f64| (0..3).all(|k| (a[k] - b[k]).abs() <= CENTRAL * size);
    let unit = |x: f64| (x - 1.0).abs() <= CENTRAL;
    let orthonormal = unit(dot(n, n)) && unit(dot(t, t)) && near(cross(n, t), s, 1.0);
    let flat = !planar || (n[2] == 0.0 && t[2] == 0.0);
    orthonormal
        && flat
        && contact.ends().all(|(_, body, arm)| {
            let inertia = &posed.bodies()[body];
            let along = dot(arm, n);
            let central = near(arm, n.map(|n| along * n), along.abs());
            inertia.is_fixed() || (central && is_round(inertia, planar))
        })
}

/// Whether the inertia is the same about all axes about which the body rotates.
fn is_round(inertia: &Inertia, planar: bool) -> bool {
    let [xx, yy, zz, xy, xz, yz] = inertia.inv_inertia;
    let same = if planar { xx == 0.0 && yy == 0.0 } else { xx == yy && yy == zz };
    same && (xy, xz, yz) == (0.0, 0.0, 0.0)
}

impl<const PLANAR: bool> Balls<PLANAR> {
    /// Relative velocities and the second tangent, from what `gather` read.
    #[inline(always)]
    fn relative<V: Four>(&self, v: &[[V; 4]; 2], omega: &[[V; 4]; 2]) -> ([V; 3], [V; 3]) {
        let (n, t, f): ([V; 3], [V; 3], [V; 3]) =
            (load(&self.normal), load(&self.tangent), load(&self.u_free));
        let (r_a, r_b) = (V::load(&self.radius[0]), V::load(&self.radius[1]));
        let s = lanes::cross(n, t);
        let (mut d, mut z) = ([r_a; 3], [r_a; 3]);
        for k in 0..3 {
            d[k] = v[1][k] - v[0][k];
            z[k] = r_a * omega[0][k] + r_b * omega[1][k];
        }
        let u_s = if PLANAR { V::splat(0.0) } else { (f[2] + lanes::dot(s, d)) + lanes::dot(t, z) };
        ([f[0] + lanes::dot(n, d), (f[1] + lanes::dot(t, d)) - lanes::dot(s, z), u_s], s)
    }

    /// v ← v + M⁻¹ Jᵀ δ.
    #[inline(always)]
    fn apply<V: Four>(
        &self,
        lines: Shared<'_>,
        s: [V; 3],
        step: [V; 3],
        ([mut va, mut vb], [mut oa, mut ob]): ([[V; 4]; 2], [[V; 4]; 2]),
    ) {
        let (n, t): ([V; 3], [V; 3]) = (load(&self.normal), load(&self.tangent));
        let (turn_a, turn_b) = (V::load(&self.radius[0]) * oa[3], V::load(&self.radius[1]) * ob[3]);
        for k in 0..3 {
            let force = n[k] * step[0] + (t[k] * step[1] + s[k] * step[2]);
            let moment = t[k] * step[2] - s[k] * step[1];
            va[k] = va[k] - va[3] * force;
            vb[k] = vb[k] + vb[3] * force;
            oa[k] = oa[k] + turn_a * moment;
            ob[k] = ob[k] + turn_b * moment;
        }
        let [a, b] = self.bodies;
        lines.scatter(a, 0, va);
        lines.scatter(a, 1, oa);
        lines.scatter(b, 0, vb);
        lines.scatter(b, 1, ob);
    }

    #[inline(always)]
    fn gather<V: Four>(&self, lines: Shared<'_>) -> ([[V; 4]; 2], [[V; 4]; 2]) {
        let [a, b] = self.bodies;
        ([lines.gather(a, 0), lines.gather(b, 0)], [lines.gather(a, 1), lines.gather(b, 1)])
    }
}

impl<const PLANAR: bool> Block for Balls<PLANAR> {
    fn empty(still: u32) -> Self {
        let zero = Quad::default();
        Self {
            bodies: [[still; 4]; 2],
            normal: [zero; 3],
            tangent: [zero; 3],
            radius: [zero; 2],
            u_free: [zero; 3],
            inverse: [zero; 2],
            mu: zero,
            weight: Quad([1.0; 4]),
            p: [zero; 3],
            last: [zero; 3],
            along: [zero; 3],
        }
    }

    fn line(inertia: &Inertia) -> Line {
        Line::new(inertia.inv_mass, inertia.inv_inertia[2])
    }

    fn fill(&mut self, l: usize, lane: &Lane<'_>) -> bool {
        let &Lane { contact, places, inertias, set, u_free } = lane;
        let [n, t, _] = contact.frame;
        let radius = [dot(contact.arms[0], n), -dot(contact.arms[1], n)];
        let (mut w, mut w_t) = (0.0, 0.0);
        for (inertia, r) in inertias.iter().zip(radius) {
            w += inertia.inv_mass;
            w_t += inertia.inv_mass + r * r * inertia.inv_inertia[2];
        }
        if w == 0.0 {
            return false;
        }
        let mu = match set {
            Set::Coulomb2 { mu } | Set::Coulomb3 { mu } => mu,
            _ => 0.0,
        };
        for side in 0..2 {
            self.bodies[side][l] = places[side];
            self.radius[side].0[l] = if inertias[side].is_fixed() { 0.0 } else { radius[side] };
        }
        let frictional = set.dim() > 1;
        for k in 0..3 {
            self.normal[k].0[l] = n[k];
            self.tangent[k].0[l] = if frictional { t[k] } else { 0.0 };
            self.u_free[k].0[l] = u_free.get(k).copied().unwrap_or(0.0);
        }
        self.inverse[0].0[l] = 1.0 / w;
        self.inverse[1].0[l] = if frictional { 1.0 / w_t } else { 0.0 };
        self.mu.0[l] = mu;
        self.weight.0[l] = if frictional { w_t } else { w };
        true
    }

    #[inline(always)]
    fn impulse(&mut self) -> &mut [Quad; 3] {
        &mut self.p
    }

    fn remember(&mut self) {
        self.last = self.p;
        self.along = [Quad::default(); 3];
    }

    #[inline(always)]
    fn advance<V: Four>(&mut self, [theta, beta]: [V; 2]) -> [V; 3] {
        let mut p: [V; 3] = load(&self.p);
        for k in 0..3 {
            let along = theta * V::load(&self.along[k]) + (p[k] - V::load(&self.last[k]));
            p[k] = p[k] + beta * along;
            along.store(&mut self.along[k]);
            p[k].store(&mut self.last[k]);
        }
        p
    }

    #[inline(always)]
    fn renew<V: Four>(&mut self, lines: Shared<'_>, p: [V; 3], omega: V) -> V {
        let (v, spin) = self.gather::<V>(lines);
        let (u, s) = self.relative(&v, &spin);
        let inverse = [omega * V::load(&self.inverse[0]), omega * V::load(&self.inverse[1])];
        let x = [p[0] - u[0] * inverse[0], p[1] - u[1] * inverse[1], p[2] - u[2] * inverse[1]];
        let after = project(V::load(&self.mu), x);
        let step = lanes::minus(after, p);
        for k in 0..3 {
            after[k].store(&mut self.p[k]);
        }
        self.apply(lines, s, step, (v, spin));
        let weight = V::load(&self.weight);
        weight * weight * lanes::dot(step, step)
    }

    #[inline(always)]
    fn push<V: Four>(&self, lines: Shared<'_>) {
        let s = lanes::cross(load(&self.normal), load(&self.tangent));
        self.apply(lines, s, load(&self.p), self.gather::<V>(lines));
    }

    #[inline(always)]
    fn descend<V: Four>(&mut self, lines: [Shared<'_>; 2], beta: Option<V>, rate: V) -> [V; 2] {
        let mut y: [V; 3] = load(&self.last);
        let mut before: [V; 3] = load(&self.along);
        if let Some(beta) = beta {
            let p: [V; 3] = load(&self.p);
            for k in 0..3 {
                y[k] = p[k] + beta * (p[k] - before[k]);
                y[k].store(&mut self.last[k]);
                p[k].store(&mut self.along[k]);
            }
            before = p;
        }
        let (v, omega) = self.gather::<V>(lines[0]);
        let (u, s) = self.relative(&v, &omega);
        let weight = V::load(&self.weight);
        let rate = rate / weight;
        let next =
            project(V::load(&self.mu), [y[0] - rate * u[0], y[1] - rate * u[1], y[2] - rate * u[2]]);
        for k in 0..3 {
            next[k].store(&mut self.p[k]);
        }
        let step = lanes::minus(next, y);
        self.apply(lines[1], s, step, self.gather::<V>(lines[1]));
        let turned = lanes::dot(step, lanes::minus(before, next));
        [weight * lanes::dot(step, step), weight * turned]
    }

    #[inline(always)]
    fn natural_square<V: Four>(&self, lines: Shared<'_>) -> [V; 2] {
        let (v, omega) = self.gather::<V>(lines);
        let (u, _) = self.relative(&v, &omega);
        let (mu, weight, p): (V, V, [V; 3]) = (V::load(&self.mu), V::load(&self.weight), load(&self.p));
        let size = |x: [V; 3]| (x[1] * x[1] + x[2] * x[2]).sqrt();
        let (one, zero) = (V::splat(1.0), V::splat(0.0));
        let shifted = [u[0] + mu * size(u), u[1], u[2]];
        let own = [weight * p[0], weight * p[1], weight * p[2]];
        let x = lanes::minus(own, shifted);
        let tangential = size(x);
        // The nearest point of the cone: x itself, 0, or on the surface.
        let n = (x[0] + mu * tangential) / (one + mu * mu);
        let part = mu * n / tangential;
        let near = [n, part * x[1], part * x[2]];
        let mut square = zero;
        for k in 0..3 {
            let outside = (mu * tangential).choose_above(zero - x[0], own[k] - near[k], own[k]);
            let r = tangential.choose_above(mu * x[0], outside, shifted[k]);
            // Without friction the cone is a ray, and 0 is not above μ x_N.
            let r = zero.choose_above(x[0], outside, r);
            square = square + r * r;
        }
        // What is violated at p = 0 or carries.
        let f: [V; 3] = load(&self.u_free);
        let free = lanes::dot(f, f);
        let acts = zero.choose_above(f[0], free, zero);
        [square, (mu * tangential).choose_above(zero - x[0], free, acts)]
    }
}

/// p_N = max(0, x_N), p_T = x_T min(1, μ p_N/‖x_T‖).
#[inline(always)]
fn project<V: Four>(mu: V, x: [V; 3]) -> [V; 3] {
    let (zero, one) = (V::splat(0.0), V::splat(1.0));
    let p_n = zero.larger(x[0]);
    let (size, limit) = (x[1] * x[1] + x[2] * x[2], mu * p_n);
    let most = limit * limit;
    // A root and a division only if one of the four slips.
    let part =
        if size.any_above(most) { size.choose_above(most, limit / size.sqrt(), one) } else { one };
    [p_n, part * x[1], part * x[2]]
}
