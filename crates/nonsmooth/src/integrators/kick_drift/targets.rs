//! Where the gaps of a kick are to be at the end of its drift.
//!
//! ```text
//! y* = min(y, δ)                           the contact lasts: rest is a fixed point
//! y* = y − 0.2 f (h/h₀) (y + δ)            y ≤ δ and the deepest point of the pair is below −δ: overlap goes little by little;
//!                                          f = min(1, −y_min/δ − 1)
//! y* = min(y, 0)                           else;   0 of joints
//! ```
//!
//! All of them are continuous in y. A target that jumps by δ is a velocity of δ/h, more the shorter the step: a stack that slides was thrown
//! aside by 10⁻⁵ m so.
//!
//! The corners of a face that moves as a rigid body have gaps that are linear over the face. Where four corners are to carry, not all of them at rest, and their targets are
//! so to within 1e-9 of the size, they are made so exactly: a face that lies on two edges and lands on two others has no solution near by at all
//! otherwise, but one far off, in which a corner that is 1e-12 m too high carries nothing.

use super::classify::Roles;
use super::drift::Drift;
use crate::model::{ActiveConstraints, Role};
use glam::{DMat3, DVec3};
use std::ops::Range;

/// Targets that are off a plane by less than this share of the size are made to lie on it.
const NEARLY: f64 = 1e-9;
/// Normals that differ by less than this are one.
const SAME_NORMAL: f64 = 1e-9;
/// Points whose sums over the face have a smaller determinant lie on a line.
const FLAT: f64 = 1e-6;
/// Share of an overlap that goes in a whole step.
const PUSHED_OUT: f64 = 0.2;

/// y* of every constraint. Points of one pair that carry or overlap have targets that are one linear function of y: a face that moves as
/// a whole can meet them all. Else the problem of four corners, two of them beyond the band, has no solution near by.
pub(super) fn set_targets(
    active: &ActiveConstraints,
    roles: &Roles,
    drift: &Drift,
    target: &mut Vec<f64>,
) {
    let out = PUSHED_OUT * drift.rest / drift.h;
    target.clear();
    let mut c = 0;
    while c < active.len() {
        let end = pair_end(active, c);
        let band = roles.band[c..end].iter().fold(0.0f64, |m, band| m.max(*band));
        let least = active.gap[c..end].iter().fold(0.0f64, |m, y| m.min(*y));
        let deep = if least < -band { (-least / band - 1.0).min(1.0) } else { 0.0 };
        for c in c..end {
            let y = active.gap[c];
            target.push(if roles.is_bilateral[c] {
                0.0
            } else if deep > 0.0 && y <= band {
                y - deep * out * (y + band)
            } else if roles.role[c] == Role::Lasting {
                y.min(band)
            } else {
                y.min(0.0)
            });
        }
        level(active, roles, c..end, target);
        c = end;
    }
}

/// Makes the targets of points of one pair with one normal linear over the face, where they nearly are.
fn level(active: &ActiveConstraints, roles: &Roles, own: Range<usize>, target: &mut [f64]) {
    let carries = |c: &usize| !matches!(roles.role[*c], Role::Open | Role::Cut | Role::Early);
    // What rests stays as it is.
    let rests = own.clone().all(|c| target[c] == active.gap[c]);
    if own.len() < 4 || rests || own.clone().filter(carries).count() < 4 {
        return;
    }
    let place = |c: usize| active.places[c - active.first_contact].map(DVec3::from_array);
    let [origin, normal] = place(own.start);
    if own.clone().any(|c| place(c)[1].distance(normal) > SAME_NORMAL) {
        return;
    }
    // Least squares over (1, x, y) in units of the size.
    let (along, across) = normal.any_orthonormal_pair();
    let size = roles.size[own.start];
    let basis = |c: usize| {
        let d = (place(c)[0] - origin) / size;
        DVec3::new(1.0, d.dot(along), d.dot(across))
    };
    let (mut sums, mut right) = (DMat3::ZERO, DVec3::ZERO);
    for c in own.clone().filter(carries) {
        let x = basis(c);
        sums += DMat3::from_cols(x * x.x, x * x.y, x * x.z);
        right += x * target[c];
    }
    if sums.determinant().abs() < FLAT {
        return;
    }
    let plane = sums.inverse() * right;
    let off = |c: usize| (plane.dot(basis(c)) - target[c]).abs();
    if own.clone().filter(carries).all(|c| off(c) <= NEARLY * size) {
        own.filter(carries).for_each(|c| target[c] = plane.dot(basis(c)));
    }
}

/// The end of the run of contact points of one pair of colliders that begins with constraint `c`; others stand alone.
fn pair_end(active: &ActiveConstraints, c: usize) -> usize {
    let contacts = active.contacts();
    if !contacts.contains(&c) {
        return c + 1;
    }
    let pair = active.ids[c].colliders();
    (c + 1..contacts.end).find(|&d| active.ids[d].colliders() != pair).unwrap_or(contacts.end)
}
