//! Sliding with rolling and spinning friction: a section that is a product of balls.
//!
//! First a semismooth Newton method on [AlartCurnier91]
//!
//! ```text
//! u_N = 0,     p_j − P_{B(μ_j p_N)}(p_j − ρ u_j) = 0   for each ball j,   ρ = 1/λ_max(W)
//! ```
//!
//! from the guess and from p_T = 0, quadratic but without promise. Where it does not end at rounding, the nested
//! method, which does for W symmetric and positive definite: for fixed s = p_N the tangential part is a strictly convex
//! problem over a product of balls, solved ball by ball in turn; u_N(s) is continuous, negative at s = 0 and
//! positive for large s, since s u_N ≥ pᵀ W p + qᵀ p; its zero is bisected, and Newton's method ends it.

use super::{Block, Disc};
use crate::dense::eliminate;
use crate::set::{MAX_DIM, Part, norm};

/// Newton steps; from a near guess three suffice, from zero ten.
const NEWTON_STEPS: usize = 30;
/// Passes over the balls at fixed p_N. Sphere on plane: the coupling of sliding and rolling gains 0.15 digits per pass.
const PASSES: usize = 500;
/// Halvings of the interval of p_N, and doublings to find it.
const HALVINGS: usize = 50;
const DOUBLINGS: usize = 60;

pub(super) fn solve(one: &Block, p: &mut [f64]) {
    let s = -one.q[0] / one.w[0];
    if !(one.q[0] < 0.0 && one.w[0] > 0.0) {
        p.fill(0.0);
        return;
    }
    let n = one.dim();
    let mut best = [0.0; MAX_DIM];
    best[..n].copy_from_slice(p);
    let mut least = if p[0] > 0.0 { newton(one, &mut best[..n]) } else { f64::INFINITY };
    let mut keep = |candidate: &[f64; MAX_DIM], error: f64| {
        if error < least {
            (best, least) = (*candidate, error);
        }
        least <= one.rounding(&best[..n])
    };
    let frictionless = {
        let mut x = [0.0; MAX_DIM];
        x[0] = s;
        x
    };
    if !keep(&frictionless, one.error(&frictionless[..n])) {
        let mut x = frictionless;
        let error = newton(one, &mut x[..n]);
        if !keep(&x, error) {
            let mut x = nested(one, frictionless);
            keep(&x, one.error(&x[..n]));
            let error = newton(one, &mut x[..n]);
            keep(&x, error);
        }
    }
    p.copy_from_slice(&best[..n]);
}

/// Improves `p` in place, keeping the best iterate; returns its squared error.
fn newton(one: &Block, p: &mut [f64]) -> f64 {
    let n = one.dim();
    let mut x = [0.0; MAX_DIM];
    x[..n].copy_from_slice(p);
    let (mut least, mut worse) = (f64::INFINITY, 0);
    for _ in 0..NEWTON_STEPS {
        let error = one.error(&x[..n]);
        if error < least {
            (least, worse) = (error, 0);
            p.copy_from_slice(&x[..n]);
        } else {
            worse += 1;
        }
        // Ten steps without gain are a cycle; at rounding one is enough.
        if least <= one.rounding(p) || worse > 10 || !error.is_finite() {
            break;
        }
        let Some(step) = newton_step(one, &x[..n]) else { break };
        (0..n).for_each(|k| x[k] += step[k]);
    }
    least
}

/// −F′⁻¹ F, with F in velocities.
fn newton_step(one: &Block, p: &[f64]) -> Option<[f64; MAX_DIM]> {
    let n = one.dim();
    let u = one.velocity(p);
    let mut a = [0.0; MAX_DIM * MAX_DIM];
    a[..n * n].copy_from_slice(one.w);
    let mut step = [0.0; MAX_DIM];
    (0..n).for_each(|k| step[k] = -u[k]);
    let (parts, n_parts) = one.set.parts();
    for part in &parts[..n_parts] {
        slip_rows(one, part, (p, &u), &mut a, &mut step);
    }
    let rows = a;
    if eliminate(&mut a[..n * n], &mut step[..n]) {
        return Some(step);
    }
    // W singular: a small multiple of I picks one of the steps.
    (0..n).for_each(|k| step[k] = -u[k]);
    a = rows;
    for part in &parts[..n_parts] {
        let mut scratch = [0.0; MAX_DIM * MAX_DIM];
        scratch[..n * n].copy_from_slice(one.w);
        slip_rows(one, part, (p, &u), &mut scratch, &mut step);
    }
    (0..n).for_each(|k| a[k * n + k] += 1e-9 * one.weight);
    eliminate(&mut a[..n * n], &mut step[..n]).then_some(step)
}

/// Replaces the rows of a ball that slides; those of one that sticks, u_j = 0, are there already.
fn slip_rows(
    one: &Block,
    part: &Part,
    (p, u): (&[f64], &[f64; MAX_DIM]),
    a: &mut [f64; MAX_DIM * MAX_DIM],
    step: &mut [f64; MAX_DIM],
) {
    let (n, d, range) = (one.dim(), one.weight, part.begin..part.end);
    // y = p_j − ρ u_j, in velocities.
    let mut y = [0.0; 2];
    range.clone().for_each(|k| y[k - part.begin] = d * p[k] - u[k]);
    let length = norm(&y[..range.len()]);
    let radius = d * part.radius * p[0].max(0.0);
    if length <= radius && radius > 0.0 {
        return;
    }
    let inv = if length > 0.0 { 1.0 / length } else { 0.0 };
    let ratio = radius * inv;
    for i in range.clone() {
        let direction = y[i - part.begin] * inv;
        step[i] = radius * direction - d * p[i];
        let mut row = [0.0; MAX_DIM];
        for l in range.clone() {
            let projector = f64::from(u8::from(i == l)) - direction * y[l - part.begin] * inv;
            // d (R/‖y‖) (I − ŷŷᵀ)(dp − ρ W dp), by columns of W.
            (0..n).for_each(|k| row[k] += ratio * projector * one.w[l * n + k]);
            row[l] -= d * ratio * projector;
        }
        row[i] += d;
        row[0] -= d * part.radius * direction;
        a[i * n..i * n + n].copy_from_slice(&row[..n]);
    }
}

/// The zero of u_N(s) by bisection.
fn nested(one: &Block, frictionless: [f64; MAX_DIM]) -> [f64; MAX_DIM] {
    let n = one.dim();
    let mut x = frictionless;
    let (mut low, mut high) = (0.0, x[0]);
    let rises = |x: &mut [f64; MAX_DIM], s: f64| {
        x[0] = s;
        settle(one, x);
        one.velocity(&x[..n])[0] >= 0.0
    };
    for _ in 0..DOUBLINGS {
        if rises(&mut x, high) {
            break;
        }
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if rises(&mut x, middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    x
}

/// The tangential impulses at fixed p_N, ball by ball in turn.
fn settle(one: &Block, x: &mut [f64; MAX_DIM]) {
    let n = one.dim();
    let (parts, n_parts) = one.set.parts();
    for _ in 0..PASSES {
        let mut moved = 0.0f64;
        for part in &parts[..n_parts] {
            let (i, radius) = (part.begin, part.radius * x[0]);
            let before = [x[i], x[i + part.end - part.begin - 1]];
            (part.begin..part.end).for_each(|k| x[k] = 0.0);
            let u = one.velocity(&x[..n]);
            let w = |r: usize, c: usize| one.w[r * n + c];
            if part.end - part.begin == 1 {
                let free = if w(i, i) > 0.0 { -u[i] / w(i, i) } else { 0.0 };
                x[i] = free.max(-radius).min(radius);
                moved = moved.max((x[i] - before[0]).abs());
            } else {
                // A disc of fixed radius is Coulomb's law with μ = 1 and p_N = radius.
                let block =
                    [[1.0, 0.0, 0.0], [0.0, w(i, i), w(i, i + 1)], [0.0, w(i + 1, i), w(i + 1, i + 1)]];
                let disc = Disc::new(1.0, block.as_flattened());
                let found = disc.solve([-radius, u[i], u[i + 1]], &mut 0.0);
                (x[i], x[i + 1]) = (found[1], found[2]);
                moved = moved.max((x[i] - before[0]).abs()).max((x[i + 1] - before[1]).abs());
            }
        }
        if !(moved > f64::EPSILON * x[0]) {
            break;
        }
    }
}
