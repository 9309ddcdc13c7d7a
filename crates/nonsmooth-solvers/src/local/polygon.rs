//! Faceted friction: p_T/p_N in a regular polygon, by its facets and corners in turn.
//!
//! On the facet with normal n and tangent t, p = (p_N, c p_N n + z t), u_N = 0 and t·u_T = 0 are two linear equations for
//! p_N and z, and the facet is right where |z| ≤ d p_N and n·u_T ≤ 0 (c = μ cos(π/k), d = μ sin(π/k)). In the corner e,
//! p = p_N (1, μ e), u_N = 0 gives p_N, and it is right where −u_T lies between the normals of the two facets. The
//! search begins at the facet that the guess, or b, points to, and goes outwards on both sides.

use super::Block;
use crate::dense::eliminate;
use std::f64::consts::{PI, TAU};

/// A candidate and whether it meets all conditions.
type Found = Option<([f64; 3], bool)>;

pub(super) fn solve(one: &Block, mu: f64, sides: u32, p: &mut [f64]) {
    let (w, q) = (one.w, one.q);
    if !(q[0] < 0.0 && w[0] > 0.0) {
        p.fill(0.0);
        return;
    }
    let s = -q[0] / w[0];
    let b = [-q[1] - w[3] * s, -q[2] - w[6] * s];
    let toward = if p[1] != 0.0 || p[2] != 0.0 { [p[1], p[2]] } else { b };
    // What is left where no candidate meets its conditions to the last bit.
    let mut best = [s, 0.0, 0.0];
    let mut least = one.error(&best);
    let mut accept = |found: Found| match found {
        Some((candidate, is_right)) => {
            let error = if is_right { -1.0 } else { one.error(&candidate) };
            if error < least {
                (best, least) = (candidate, error);
            }
            is_right
        }
        None => false,
    };
    if !accept(stick(one, mu, sides)) {
        let step = TAU / f64::from(sides);
        let middle = (toward[1].atan2(toward[0]) / step).floor() as i64;
        let count = i64::from(sides);
        for k in 0..=count / 2 {
            let tried = [middle + k, middle - k]
                .into_iter()
                .any(|f| accept(facet(one, mu, sides, f)) || accept(corner(one, mu, sides, f)));
            if tried || accept(corner(one, mu, sides, middle + k + 1)) {
                break;
            }
        }
    }
    p.copy_from_slice(&best);
}

fn stick(one: &Block, mu: f64, sides: u32) -> Found {
    let mut a = [0.0; 9];
    a.copy_from_slice(one.w);
    let mut p = [-one.q[0], -one.q[1], -one.q[2]];
    if !eliminate(&mut a, &mut p) {
        return None;
    }
    let half = PI / f64::from(sides);
    let middle = ((p[2].atan2(p[1]) / (2.0 * half)).floor() + 0.5) * 2.0 * half;
    let x = p[1] * middle.cos() + p[2] * middle.sin();
    Some((p, p[0] >= 0.0 && x <= mu * half.cos() * p[0]))
}

fn facet(one: &Block, mu: f64, sides: u32, index: i64) -> Found {
    let (w, q) = (one.w, one.q);
    let half = PI / f64::from(sides);
    let angle = (index as f64 + 0.5) * 2.0 * half;
    let (n, t) = ([angle.cos(), angle.sin()], [-angle.sin(), angle.cos()]);
    let (c, d) = (mu * half.cos(), mu * half.sin());
    // Columns of W for p_N along the facet's middle, and for z.
    let along = |i: usize| w[3 * i] + c * (w[3 * i + 1] * n[0] + w[3 * i + 2] * n[1]);
    let across = |i: usize| w[3 * i + 1] * t[0] + w[3 * i + 2] * t[1];
    let mut a =
        [along(0), across(0), t[0] * along(1) + t[1] * along(2), t[0] * across(1) + t[1] * across(2)];
    let mut x = [-q[0], -(t[0] * q[1] + t[1] * q[2])];
    if !eliminate(&mut a, &mut x) {
        return None;
    }
    let [p_n, z] = x;
    let p = [p_n, c * p_n * n[0] + z * t[0], c * p_n * n[1] + z * t[1]];
    let u = one.velocity(&p);
    (p_n > 0.0).then_some((p, z.abs() <= d * p_n && n[0] * u[1] + n[1] * u[2] <= 0.0))
}

fn corner(one: &Block, mu: f64, sides: u32, index: i64) -> Found {
    let (w, q) = (one.w, one.q);
    let half = PI / f64::from(sides);
    let (sin, cos) = (index as f64 * 2.0 * half).sin_cos();
    let slope = w[0] + mu * (w[1] * cos + w[2] * sin);
    if !(slope > 0.0) {
        return None;
    }
    let p_n = -q[0] / slope;
    let p = [p_n, mu * p_n * cos, mu * p_n * sin];
    let u = one.velocity(&p);
    let (x, y) = (-u[1] * cos - u[2] * sin, u[1] * sin - u[2] * cos);
    Some((p, y.abs() * half.cos() <= x * half.sin()))
}
