//! From a normal found by iteration to the exact one.
//!
//! The gradient of sep(n) is the part across n of b − a, the difference of the support points. At
//! the maximum it vanishes on the directions left free: an edge e that faces n at right angles
//! holds n·e = 0, the side of a cone about c holds n·c = s, and two of these, or a face, hold n
//! altogether. What is free after that belongs to curved sides, rims and vertices and is found by
//! Newton's method on the gradient, whose accuracy is that of round-off; the distance alone would
//! give half the digits.

use super::core::{Core, Held};
use super::pair::{Closest, Pair, ROUND_OFF};
use crate::frame::tangents;
use glam::{DVec2, DVec3};

/// Angle [rad] within which faces and edges near a normal may hold it, and Newton's steps stay. The
/// search on curved cores was seen to miss by 1e-4.
const NEAR: f64 = 1e-3;
/// Edges at smaller angles [rad] to each other do not fix a normal between them.
const PARALLEL: f64 = 1e-6;
/// Angle [rad] below which a polished normal stands at right angles to an edge, or on a face.
const LEVEL: f64 = 1e-9;
/// Newton steps; quadratic convergence from 1e-4 needs three.
const STEPS: usize = 4;
/// Step of the difference quotients in the Jacobian of the gradient [rad].
const QUOTIENT: f64 = 1e-5;

/// The best of the normal, the flat directions near it and those to which Newton's method leads.
pub(crate) fn polish(pair: &Pair<'_>, found: Closest) -> Closest {
    let mut best = found;
    let mut offer = |normal: DVec3| {
        let distance = pair.separation(normal);
        // Equal within round-off counts as better: later candidates have less error of their own.
        if distance >= best.distance - ROUND_OFF * pair.size {
            best = Closest { normal, distance, ..best };
        }
    };
    let n = found.normal;
    if !pair.is_polyhedral() {
        // What is near may hold the normal or not: each way is tried, the most held last.
        for (by_a, by_b) in [(false, false), (false, true), (true, false), (true, true)] {
            newton(pair, n, by_a, by_b).into_iter().for_each(&mut offer);
        }
    }
    let toward_a = pair.b_in_a.inverse_vector(-n);
    pair.a.flat_near(n, NEAR).into_iter().for_each(&mut offer);
    pair.b.flat_near(toward_a, NEAR).map(|f| -pair.b_in_a.vector(f)).into_iter().for_each(&mut offer);
    if pair.is_polyhedral() { best } else { settled(pair, best) }
}

/// The closest points of a polished normal: from the core that has a single farthest point.
fn settled(pair: &Pair<'_>, best: Closest) -> Closest {
    let toward_a = pair.b_in_a.inverse_vector(-best.normal);
    let is_free = |core: &Core<'_>, d: DVec3| {
        core.held_near(d, LEVEL).is_none() && core.flat_near(d, LEVEL).is_none()
    };
    let support = pair.support(best.normal);
    let way = best.distance * best.normal;
    if is_free(&pair.a, best.normal) {
        Closest { on_a: support.a, on_b: support.a + way, ..best }
    } else if is_free(&pair.b, toward_a) {
        Closest { on_a: support.b - way, on_b: support.b, ..best }
    } else {
        best
    }
}

/// The stationary normal near n, held as asked for; None if nothing holds it so, or if the method
/// leaves the neighbourhood.
fn newton(pair: &Pair<'_>, n: DVec3, by_a: bool, by_b: bool) -> Option<DVec3> {
    let mut at = n;
    for _ in 0..STEPS {
        let toward_a = pair.b_in_a.inverse_vector(-at);
        let turned = |held: Held| Held { axis: -pair.b_in_a.vector(held.axis), ..held };
        let a = if by_a { Some(pair.a.held_near(at, NEAR)?) } else { None };
        let b = if by_b { Some(turned(pair.b.held_near(toward_a, NEAR)?)) } else { None };
        at = match (a, b) {
            (Some(p), Some(q)) if p.axis.cross(q.axis).length() > PARALLEL => both(p, q, at)?,
            (Some(held), _) | (None, Some(held)) => on_circle(pair, at, held, NEAR)?,
            (None, None) => free(pair, at),
        };
        if at.dot(n) < 1.0 - NEAR {
            return None;
        }
    }
    Some(at)
}

/// The normal held to two circles, n·c = s and n·d = t: n = x c + y d ± z c × d.
pub(super) fn both(p: Held, q: Held, n: DVec3) -> Option<DVec3> {
    let (cosine, across) = (p.axis.dot(q.axis), p.axis.cross(q.axis));
    let squared = across.length_squared();
    let x = (p.sine - cosine * q.sine) / squared;
    let y = (q.sine - cosine * p.sine) / squared;
    let inside = x * p.axis + y * q.axis;
    let rest = 1.0 - inside.length_squared();
    (rest >= 0.0).then(|| inside + across * ((rest / squared).sqrt() * n.dot(across).signum()))
}

/// One step on a circle, no longer than `most` [rad]: n turns about its axis.
pub(super) fn on_circle(pair: &Pair<'_>, n: DVec3, held: Held, most: f64) -> Option<DVec3> {
    let Held { axis, sine } = held;
    let radius = (1.0 - sine * sine).sqrt();
    let e = (n - n.dot(axis) * axis).try_normalize()?;
    let f = axis.cross(e);
    let at = |angle: f64| sine * axis + radius * (angle.cos() * e + angle.sin() * f);
    let slope = |angle: f64| (angle.cos() * f - angle.sin() * e).dot(apart(pair, at(angle)));
    let curvature = (slope(QUOTIENT) - slope(-QUOTIENT)) / (2.0 * QUOTIENT);
    let angle = -slope(0.0) / curvature;
    // A maximum, and near: else there is no curvature to speak of, and n stays.
    Some(at(if curvature < 0.0 && angle.abs() <= most { angle } else { 0.0 }))
}

/// One step with n free.
fn free(pair: &Pair<'_>, n: DVec3) -> DVec3 {
    let [t1, t2] = tangents(n);
    let slope = |x: f64, y: f64| {
        let m = (n + x * t1 + y * t2).normalize();
        let r = apart(pair, m);
        let r = r - r.dot(m) * m;
        DVec2::new(r.dot(t1), r.dot(t2))
    };
    let at = slope(0.0, 0.0);
    let along = |dx: f64, dy: f64| (slope(dx, dy) - slope(-dx, -dy)) / (2.0 * QUOTIENT);
    let (jx, jy) = (along(QUOTIENT, 0.0), along(0.0, QUOTIENT));
    let determinant = jx.perp_dot(jy);
    // Solve jx x + jy y = −at.
    let step = DVec2::new(-at.perp_dot(jy), -jx.perp_dot(at)) / determinant;
    let is_near = determinant > 0.0 && step.length() <= NEAR;
    if is_near { (n + step.x * t1 + step.y * t2).normalize() } else { n }
}

/// b − a of the support points.
fn apart(pair: &Pair<'_>, n: DVec3) -> DVec3 {
    -pair.support(n).y
}
