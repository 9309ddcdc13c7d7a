//! Balls against balls and half-spaces, straight from the poses.
//!
//! d = ‖c_b − c_a‖ − r_a − r_b,  n = (c_b − c_a)/‖c_b − c_a‖;  against a half-space d = n·c − offset − r.
//! Where two centres coincide every direction is as good; z is taken.

use super::contact::Contact;
use super::shape::{Kind, Shape};
use crate::feature::{Feature, Key};
use crate::pose::Pose;
use glam::DVec3;

/// Key of the one contact of two balls.
pub(crate) const BALLS: Key = Key { a: Feature::vertex(0), b: Feature::vertex(0) };
/// Key of the one contact of a half-space and a ball.
pub(crate) const HALF_SPACE_BALL: Key = Key { a: Feature::face(0), b: Feature::vertex(0) };

/// Appends the contact if both are balls, or one of them a half-space; false if they are not.
pub(crate) fn contacts(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    prediction: f64,
    out: &mut Vec<Contact>,
) -> bool {
    let (centre_a, centre_b) = (DVec3::from_array(pose_a.position), DVec3::from_array(pose_b.position));
    let found = match (&a.0, &b.0) {
        (Kind::Ball { radius: r }, Kind::Ball { radius: s }) => {
            balls((centre_a, *r), (centre_b, *s), prediction)
        }
        (Kind::HalfSpace { normal }, Kind::Ball { radius }) => {
            let normal = pose_a.isometry().vector(*normal);
            half_space((normal, normal.dot(centre_a)), (centre_b, *radius), prediction)
        }
        (Kind::Ball { radius }, Kind::HalfSpace { normal }) => {
            let normal = pose_b.isometry().vector(*normal);
            half_space((normal, normal.dot(centre_b)), (centre_a, *radius), prediction)
                .map(|c| c.swapped())
        }
        _ => return false,
    };
    out.extend(found);
    true
}

/// The contact of two balls, each given by centre and radius.
#[inline]
pub(crate) fn balls(a: (DVec3, f64), b: (DVec3, f64), prediction: f64) -> Option<Contact> {
    let apart = b.0 - a.0;
    let far = prediction + a.1 + b.1;
    let squared = apart.length_squared();
    // Not finite compares as farther.
    if !(squared <= far * far && far >= 0.0 && squared.is_finite()) {
        return None;
    }
    let length = squared.sqrt();
    let normal = if length > 0.0 { apart / length } else { DVec3::Z };
    let distance = length - a.1 - b.1;
    let point = a.0 + normal * (a.1 + 0.5 * distance);
    Some(Contact { point: point.to_array(), normal: normal.to_array(), distance, key: BALLS })
}

/// The contact of a half-space, given by normal and offset, and a ball.
#[inline]
pub(crate) fn half_space(plane: (DVec3, f64), ball: (DVec3, f64), prediction: f64) -> Option<Contact> {
    let (normal, offset) = plane;
    let distance = normal.dot(ball.0) - offset - ball.1;
    if !(distance <= prediction && distance.is_finite()) {
        return None;
    }
    let point = ball.0 - normal * (ball.1 + 0.5 * distance);
    Some(Contact { point: point.to_array(), normal: normal.to_array(), distance, key: HALF_SPACE_BALL })
}
