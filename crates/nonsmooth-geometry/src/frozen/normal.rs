//! The normal at which the separation of two features is stationary.
//!
//! With Δ = o_b − o_a:  two points n = Δ/‖Δ‖; a point and a circle n·c = s: n = s c + √(1 − s²) Δ⊥/‖Δ⊥‖; two circles:
//! where they meet; a point and a rim: from the nearest point of the rim. A rim with a circle or another
//! rim: Newton's method on the slope of sep, from the normal that the bodies carry; after a motion by
//! δ its error is δ, δ², δ⁴, ….

use super::side::{Form, WorldSide};
use crate::frame::tangents;
use glam::{DVec2, DVec3};

/// Newton steps, from the angle of a time step to round-off.
const STEPS: usize = 4;
/// Angle [rad] below which a step ends the search.
const CONVERGED: f64 = 1e-9;
/// Longest step [rad].
const LONGEST: f64 = 0.5;
/// Two lines at a smaller angle [rad] leave the normal to the bodies.
const PARALLEL: f64 = 1e-9;

/// A circle of normals n·axis = sine.
#[derive(Clone, Copy)]
struct Circle {
    axis: DVec3,
    sine: f64,
}

/// What a feature admits; `sign` is +1 for the outward direction n, −1 for −n.
fn circle(side: &WorldSide, sign: f64) -> Option<Circle> {
    match side.0.form {
        Form::Line | Form::Ruled => Some(Circle { axis: sign * side.0.axis, sine: side.0.sine }),
        _ => None,
    }
}

/// s(n) of a feature.
fn reach(side: &WorldSide, n: DVec3) -> f64 {
    let radius = side.0.radius;
    match side.0.form {
        Form::Point | Form::Line | Form::Plane => radius,
        Form::Rim => radius * (1.0 - side.0.axis.dot(n).powi(2)).max(0.0).sqrt(),
        Form::Ruled => radius * (1.0 - side.0.sine * side.0.sine).sqrt(),
    }
}

/// sep(n).
pub(super) fn separation(a: &WorldSide, b: &WorldSide, n: DVec3) -> f64 {
    n.dot(b.0.origin - a.0.origin) - reach(a, n) - reach(b, n)
}

/// The stationary normal next to a guess; the guess where there is none.
pub(super) fn stationary(a: &WorldSide, b: &WorldSide, guess: DVec3) -> DVec3 {
    let apart = b.0.origin - a.0.origin;
    let is_rim = |side: &WorldSide| side.0.form == Form::Rim;
    let found = match (circle(a, 1.0), circle(b, -1.0)) {
        (Some(p), Some(q)) => both(p, q, guess),
        (Some(held), None) | (None, Some(held)) => {
            let other = if circle(a, 1.0).is_some() { b } else { a };
            if is_rim(other) { on_circle(held, other, apart, guess) } else { held.nearest(apart) }
        }
        (None, None) => match (is_rim(a), is_rim(b)) {
            (false, false) => apart.try_normalize(),
            (true, false) => from_rim(a, apart),
            (false, true) => from_rim(b, -apart).map(|n| -n),
            (true, true) => Some(rims(a, b, apart, guess)),
        },
    };
    found.unwrap_or(guess)
}

impl Circle {
    /// The normal of the circle that is nearest to a direction.
    fn nearest(&self, d: DVec3) -> Option<DVec3> {
        let across = (d - d.dot(self.axis) * self.axis).try_normalize()?;
        Some(self.sine * self.axis + (1.0 - self.sine * self.sine).sqrt() * across)
    }
}

/// Where two circles meet, on the side of the guess: n = x c + y d ± z c × d.
fn both(p: Circle, q: Circle, guess: DVec3) -> Option<DVec3> {
    let (cosine, across) = (p.axis.dot(q.axis), p.axis.cross(q.axis));
    let squared = across.length_squared();
    if squared <= PARALLEL * PARALLEL {
        return None;
    }
    let inside = ((p.sine - cosine * q.sine) * p.axis + (q.sine - cosine * p.sine) * q.axis) / squared;
    let rest = 1.0 - inside.length_squared();
    (rest >= 0.0).then(|| inside + across * ((rest / squared).sqrt() * guess.dot(across).signum()))
}

/// From the nearest point of a rim to a point at `to` from its middle.
fn from_rim(rim: &WorldSide, to: DVec3) -> Option<DVec3> {
    let c = rim.0.axis;
    let across = to - to.dot(c) * c;
    let length = across.length();
    (to - across * (rim.0.radius / length)).try_normalize()
}

/// A rim with a line or side: n turns about the axis of the circle.
fn on_circle(held: Circle, rim: &WorldSide, apart: DVec3, guess: DVec3) -> Option<DVec3> {
    let Circle { axis, sine } = held;
    let mut n = held.nearest(guess)?;
    for _ in 0..STEPS {
        let slope = axis.cross(n);
        let bend = sine * axis - n;
        // u = c·n along the circle, and g = R √(1 − u²).
        let c = rim.0.axis;
        let (u, du, ddu) = (c.dot(n), c.dot(slope), c.dot(bend));
        let w = (1.0 - u * u).max(f64::MIN_POSITIVE).sqrt();
        let dg = -rim.0.radius * u * du / w;
        let ddg = -rim.0.radius * ((du * du + u * ddu) / w + (u * du).powi(2) / (w * w * w));
        let (first, second) = (slope.dot(apart) - dg, bend.dot(apart) - ddg);
        let angle = -first / second;
        if !(second < 0.0 && angle.abs() <= LONGEST) {
            return Some(n);
        }
        let e = n - sine * axis;
        n = sine * axis + angle.cos() * e + angle.sin() * slope;
        if angle.abs() <= CONVERGED {
            break;
        }
    }
    Some(n)
}

/// Two rims: n is free.
fn rims(a: &WorldSide, b: &WorldSide, apart: DVec3, guess: DVec3) -> DVec3 {
    let mut n = guess;
    for _ in 0..STEPS {
        let [t1, t2] = tangents(n);
        let flat = |v: DVec3| DVec2::new(t1.dot(v), t2.dot(v));
        let mut gradient = flat(apart);
        let level = separation(a, b, n);
        // H = −Σ R [(1 − c cᵀ)/w − u² c cᵀ/w³] − sep, in the tangents.
        let mut hessian = [-level, 0.0, -level];
        for rim in [&a.0, &b.0] {
            let u = rim.axis.dot(n);
            let w = (1.0 - u * u).max(f64::MIN_POSITIVE).sqrt();
            let c = flat(rim.axis);
            gradient += rim.radius * u / w * c;
            let k = rim.radius / w * (1.0 + u * u / (w * w));
            hessian[0] += k * c.x * c.x - rim.radius / w;
            hessian[1] += k * c.x * c.y;
            hessian[2] += k * c.y * c.y - rim.radius / w;
        }
        let [xx, xy, yy] = hessian;
        let determinant = xx * yy - xy * xy;
        let step = DVec2::new(xy * gradient.y - yy * gradient.x, xy * gradient.x - xx * gradient.y)
            / determinant;
        let length = step.length();
        if !(xx + yy < 0.0 && determinant > 0.0 && length <= LONGEST) {
            return n;
        }
        n = (n + step.x * t1 + step.y * t2).normalize();
        if length <= CONVERGED {
            break;
        }
    }
    n
}
