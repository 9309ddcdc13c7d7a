//! Contacts with frozen features: a gap at other poses without a narrow phase.
//!
//! Two features, kept in the axes of their bodies, have the gap
//!
//! ```text
//! y = max over admitted unit n of sep(n),   sep(n) = n·(o_b − o_a) − s_a(n) − s_b(−n),
//! s = r                        point, line, plane, rounded by a radius r
//! s = R √(1 − (c·n)²)          rim of radius R about the axis c
//! s = R √(1 − s_c²)            side of a cylinder or cone about c
//! ```
//!
//! A plane admits its own normal, a line along c the circle n·c = 0, a side n·c = s_c, points and rims
//! every n. So points lie at centres of curvature, and what rolls or spins makes no false gap. The
//! maximum has closed forms but for rims with lines, sides or rims (`normal.rs`).
//!
//! Corners of a patch that are not where the features are closest have their gap along a normal
//! that one body carries. So do sharp points with edges, points and rims, whose own distance has
//! no sign. Of two lines that are nearly parallel the second is a point of it: the direction across both is no normal of theirs after
//! the least turn.

mod normal;
mod side;

use crate::pose::{Isometry, Pose};
use glam::DVec3;
pub(crate) use side::{Form, Side};

/// How the normal follows from two poses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// The first body carries it.
    CarriedByA,
    /// The second body carries it.
    CarriedByB,
    /// It is where the separation of the features is stationary.
    Stationary,
}

/// A contact point whose features stay what they were.
#[derive(Clone, Copy, Debug)]
pub struct FrozenContact {
    a: Side,
    b: Side,
    /// The normal at freezing, in the axes of each body.
    normals: [DVec3; 2],
    rule: Rule,
}

/// Where a frozen contact is at other poses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrozenPoint {
    /// Midway between the two surfaces, in the world [m].
    pub point: [f64; 3],
    /// Unit vector from a to b, in the world [–].
    pub normal: [f64; 3],
    /// Signed distance along the normal [m].
    pub gap: f64,
}

/// What the narrow phase found, in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Detected {
    pub point: DVec3,
    pub normal: DVec3,
    pub distance: f64,
    /// A length of the smaller shape [m].
    pub size: f64,
}

/// Normals closer than this [rad] are one: the narrow phase finds those of curved pairs by iteration.
const SAME_NORMAL: f64 = 1e-6;
/// Sine of the angle below which two lines count as parallel: the normal across both of them turns by 1/sine times what they turn.
const PARALLEL: f64 = 0.1;
/// Part of the lengths within which gaps agree.
const SAME_GAP: f64 = 2e-14;
/// Part of the size within which points are one: where curved sides nearly line up, the point is ill determined.
const SAME_PLACE: f64 = 1e-5;

impl FrozenContact {
    /// The first of the ways to keep the contact that gives it back at the poses of freezing.
    pub(crate) fn new(a: Side, b: Side, at: &[Isometry; 2], detected: &Detected) -> Self {
        let normals = [0, 1].map(|k| at[k].inverse_vector(detected.normal));
        let b = b.apart_from(&a, at, detected.point);
        let made = |a: Side, b: Side, rule: Rule| Self { a, b, normals, rule };
        let mut tries = [None; 4];
        if a.form == Form::Plane && a.axis.distance(normals[0]) <= SAME_NORMAL {
            tries[0] = Some(Self { normals: [a.axis, normals[1]], ..made(a, b, Rule::CarriedByA) });
        }
        if b.form == Form::Plane && b.axis.distance(-normals[1]) <= SAME_NORMAL {
            tries[1] = Some(Self { normals: [normals[0], -b.axis], ..made(a, b, Rule::CarriedByB) });
        }
        if a.form != Form::Plane && b.form != Form::Plane && !is_sharp(&a, &b) {
            tries[2] = Some(made(a, b, Rule::Stationary));
        }
        let is_by_b = b.form.flatness() > a.form.flatness();
        let carried = if is_by_b { Rule::CarriedByB } else { Rule::CarriedByA };
        // A point that slides along a line or plane that is not across the normal would change the gap at first order.
        let slides = |side: &Side, n: DVec3| match side.form {
            Form::Line => side.axis.dot(n).abs() > SAME_NORMAL,
            Form::Plane => side.axis.cross(n).length() > SAME_NORMAL,
            Form::Ruled => true,
            Form::Point | Form::Rim => false,
        };
        if !slides(&a, normals[0]) && !slides(&b, normals[1]) {
            tries[3] = Some(made(a, b, carried));
        }
        let gives_back = |contact: &Self| contact.agrees(at, detected);
        tries.into_iter().flatten().find(gives_back).unwrap_or_else(|| {
            let half = 0.5 * detected.distance * detected.normal;
            let on_a = Side::point(at[0].inverse_point(detected.point - half), 0.0);
            let on_b = Side::point(at[1].inverse_point(detected.point + half), 0.0);
            made(on_a, on_b, carried)
        })
    }

    fn agrees(&self, at: &[Isometry; 2], detected: &Detected) -> bool {
        let found = self.evaluate(&at[0], &at[1]);
        let lengths =
            detected.size + detected.distance.abs() + at[0].translation.distance(detected.point);
        (found.gap - detected.distance).abs()
            <= SAME_GAP * lengths.max(at[1].translation.distance(detected.point))
            && found.normal.distance(detected.normal) <= SAME_NORMAL
            && found.middle().distance(detected.point - at[0].translation) <= SAME_PLACE * detected.size
    }

    /// Signed distance of the frozen features at other poses [m].
    pub fn gap(&self, pose_a: &Pose, pose_b: &Pose) -> f64 {
        self.evaluate(&pose_a.isometry(), &pose_b.isometry()).gap
    }

    /// Point, normal and gap at other poses.
    pub fn at(&self, pose_a: &Pose, pose_b: &Pose) -> FrozenPoint {
        let found = self.evaluate(&pose_a.isometry(), &pose_b.isometry());
        let point = DVec3::from_array(pose_a.position) + found.middle();
        FrozenPoint { point: point.to_array(), normal: found.normal.to_array(), gap: found.gap }
    }

    /// The same contact in the axes of bodies that carry the shapes at these poses: `gap` and `at` then take poses of bodies.
    pub fn carried(&self, own_a: &Pose, own_b: &Pose) -> Self {
        let own = [own_a.isometry(), own_b.isometry()];
        Self {
            a: self.a.transformed(&own[0]),
            b: self.b.transformed(&own[1]),
            normals: [0, 1].map(|k| own[k].vector(self.normals[k])),
            rule: self.rule,
        }
    }

    /// All lengths are taken from the origin of a, so that far from the world's origin no digits are lost.
    fn evaluate(&self, at_a: &Isometry, at_b: &Isometry) -> Found {
        let a = self.a.in_world(at_a, DVec3::ZERO);
        let b = self.b.in_world(at_b, at_b.translation - at_a.translation);
        let normal = match self.rule {
            Rule::CarriedByA => at_a.vector(self.normals[0]),
            Rule::CarriedByB => at_b.vector(self.normals[1]),
            Rule::Stationary => {
                let guess = at_a.vector(self.normals[0]) + at_b.vector(self.normals[1]);
                normal::stationary(&a, &b, guess.normalize())
            }
        };
        let (on_a, on_b) = side::points(&a, &b, normal);
        let gap = match self.rule {
            Rule::Stationary => normal::separation(&a, &b, normal),
            _ => (on_b - on_a).dot(normal) - a.rounding() - b.rounding(),
        };
        let (on_a, on_b) = (on_a + a.rounding() * normal, on_b - b.rounding() * normal);
        Found { on_a, on_b, normal, gap }
    }
}

impl Side {
    /// The second of two lines, or sides of cylinders, that are nearly parallel as the point of its axis beside the contact: the normal
    /// is then that from the first to it, which turns as little as they do.
    fn apart_from(self, other: &Side, at: &[Isometry; 2], contact: DVec3) -> Side {
        let is_straight =
            |side: &Side| side.form == Form::Line || side.form == Form::Ruled && side.sine == 0.0;
        let across = at[0].vector(other.axis).cross(at[1].vector(self.axis)).length();
        if !is_straight(&self) || !is_straight(other) || across > PARALLEL {
            return self;
        }
        let along = (at[1].inverse_point(contact) - self.origin).dot(self.axis);
        Side::point(self.origin + along * self.axis, self.radius)
    }
}

/// Whether the distance of two features is that of sharp points, edges and rims, which has no sign.
fn is_sharp(a: &Side, b: &Side) -> bool {
    let is_point = |side: &Side| side.form == Form::Point && side.radius == 0.0;
    let is_thin = |side: &Side| match side.form {
        Form::Point | Form::Line => side.radius == 0.0,
        Form::Rim => true,
        Form::Ruled | Form::Plane => false,
    };
    (is_point(a) && is_thin(b)) || (is_point(b) && is_thin(a))
}

/// Points of the two surfaces, from the origin of a.
struct Found {
    on_a: DVec3,
    on_b: DVec3,
    normal: DVec3,
    gap: f64,
}

impl Found {
    fn middle(&self) -> DVec3 {
        0.5 * (self.on_a + self.on_b)
    }
}
