//! A feature of one body: a point, line, plane, rim, or the side of a cylinder or cone.

use crate::frame::tangents;
use crate::pose::Isometry;
use glam::DVec3;

/// What a feature is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A point, rounded by the radius.
    Point,
    /// A line along the axis, rounded by the radius.
    Line,
    /// A plane with the axis as outward normal, rounded by the radius.
    Plane,
    /// A circle about the axis.
    Rim,
    /// The straight lines from a circle about the axis along or towards it: n·axis = sine.
    Ruled,
}

impl Form {
    /// Which body had better carry a normal: what is flat keeps it, what is round rolls away under it.
    pub fn flatness(self) -> u8 {
        match self {
            Form::Line => 2,
            Form::Point => 1,
            // Of a plane: one that has another normal than the contact.
            Form::Plane | Form::Rim | Form::Ruled => 0,
        }
    }
}

/// A feature in the axes of its body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    pub form: Form,
    /// On the point, line or plane; the middle of the circle.
    pub origin: DVec3,
    pub axis: DVec3,
    /// Of the rounding, or of the circle [m].
    pub radius: f64,
    pub sine: f64,
}

impl Side {
    /// A point, rounded by a radius.
    pub fn point(origin: DVec3, radius: f64) -> Self {
        Self { form: Form::Point, origin, axis: DVec3::Z, radius, sine: 0.0 }
    }

    /// The line through p and q, with its origin beside `near`.
    pub fn line(p: DVec3, q: DVec3, near: DVec3, radius: f64) -> Self {
        let axis = (q - p).normalize_or_zero();
        Self { form: Form::Line, origin: p + axis * (near - p).dot(axis), axis, radius, sine: 0.0 }
    }

    /// A plane, rounded by a radius.
    pub fn plane(origin: DVec3, normal: DVec3, radius: f64) -> Self {
        Self { form: Form::Plane, origin, axis: normal, radius, sine: 0.0 }
    }

    /// A circle about the z axis.
    pub fn rim(z: f64, radius: f64) -> Self {
        Self { form: Form::Rim, origin: z * DVec3::Z, axis: DVec3::Z, radius, sine: 0.0 }
    }

    /// The side of a cylinder or cone about the z axis that stands on a circle.
    pub fn ruled(z: f64, radius: f64, sine: f64) -> Self {
        Self { form: Form::Ruled, sine, ..Self::rim(z, radius) }
    }

    /// The same feature as seen from outside its frame.
    pub fn transformed(&self, isometry: &Isometry) -> Self {
        Self { origin: isometry.point(self.origin), axis: isometry.vector(self.axis), ..*self }
    }

    /// In the axes of the world, from an origin at which the body's stands at `at`.
    pub fn in_world(&self, pose: &Isometry, at: DVec3) -> WorldSide {
        WorldSide(Self { origin: pose.vector(self.origin) + at, axis: pose.vector(self.axis), ..*self })
    }
}

/// A feature in the axes of the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorldSide(pub Side);

impl WorldSide {
    /// Radius by which points of the feature lie below the surface [m].
    pub fn rounding(&self) -> f64 {
        match self.0.form {
            Form::Point | Form::Line | Form::Plane => self.0.radius,
            Form::Rim | Form::Ruled => 0.0,
        }
    }

    /// Unit vector across the axis nearest to d.
    fn radial(&self, d: DVec3) -> DVec3 {
        let c = self.0.axis;
        (d - d.dot(c) * c).try_normalize().unwrap_or_else(|| tangents(c)[0])
    }

    /// The point, or a point and the direction of a line, that faces the unit direction d.
    fn facing(&self, d: DVec3) -> (DVec3, Option<DVec3>) {
        let Side { form, origin, axis, radius, sine } = self.0;
        match form {
            Form::Point | Form::Plane => (origin, None),
            Form::Line => (origin, Some(axis)),
            Form::Rim => (origin + radius * self.radial(d), None),
            Form::Ruled => {
                let e = self.radial(d);
                (origin + radius * e, Some((1.0 - sine * sine).sqrt() * axis - sine * e))
            }
        }
    }
}

/// Lines whose shadows make a smaller angle [rad] do not cross.
const PARALLEL: f64 = 1e-9;

/// The two points of the features that face each other along n; for two planes their origins.
pub(super) fn points(a: &WorldSide, b: &WorldSide, n: DVec3) -> (DVec3, DVec3) {
    let on_plane = |plane: &WorldSide, p: DVec3| {
        let m = plane.0.axis;
        p + n * ((plane.0.origin - p).dot(m) / n.dot(m))
    };
    let ((p, e), (q, f)) = (a.facing(n), b.facing(-n));
    match (a.0.form == Form::Plane, b.0.form == Form::Plane) {
        (true, false) => return (on_plane(a, q), q),
        (false, true) => return (p, on_plane(b, p)),
        (true, true) => return (p, q),
        _ => {}
    }
    // Shadows of the directions along n.
    let shadow = |v: DVec3| v - v.dot(n) * n;
    let r = shadow(q - p);
    match (e, f) {
        (None, None) => (p, q),
        (Some(e), None) => {
            let d = shadow(e);
            (p + e * (r.dot(d) / d.length_squared()), q)
        }
        (None, Some(f)) => {
            let d = shadow(f);
            (p, q - f * (r.dot(d) / d.length_squared()))
        }
        (Some(e), Some(f)) => {
            let sine = n.dot(e.cross(f));
            if sine.abs() <= PARALLEL {
                return (p, q);
            }
            (p + e * (n.dot(r.cross(f)) / sine), q + f * (n.dot(r.cross(e)) / sine))
        }
    }
}
