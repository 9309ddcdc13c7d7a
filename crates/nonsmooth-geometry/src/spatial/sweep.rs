//! Sweeps of shapes in space.

use super::{Contact, Isometry, Kind, Pose, Shape, contacts};
use crate::sweep::{Approach, Impact, Limits, Paths, Turning, first_contact};
use glam::DVec3;

/// A shape on its path, with bounds for its turning.
pub struct Moving<'a> {
    /// The shape.
    pub shape: &'a Shape,
    /// Its pose at a time from the start of the path [s].
    pub pose: &'a dyn Fn(f64) -> Pose,
    /// Bounds that hold on the whole path.
    pub turning: Turning,
}

/// The first instant within `duration` [s] at which two shapes on their paths touch.
pub fn time_of_impact(
    a: &Moving<'_>,
    b: &Moving<'_>,
    approach: Approach,
    duration: f64,
) -> Impact<Contact> {
    let [p, q] = [a, b].map(|moving| DVec3::from_array((moving.pose)(0.0).position));
    let apart = p.distance(q);
    let mut limits = Limits::new(approach, [a.turning, b.turning], duration, apart);
    let width = |moving: &Moving<'_>| Some(moving.shape.thickness()).filter(|width| *width > 0.0);
    let widths = [a, b].into_iter().filter_map(width);
    limits.width = widths.fold(f64::INFINITY, f64::min).min(limits.size);
    first_contact(&mut Pair { a, b, found: Vec::new() }, &limits)
}

struct Pair<'p, 'a> {
    a: &'p Moving<'a>,
    b: &'p Moving<'a>,
    found: Vec<Contact>,
}

impl Paths for Pair<'_, '_> {
    type Contact = Contact;

    fn contact(&mut self, time: f64, within: f64) -> Option<Contact> {
        let Self { a, b, found } = self;
        found.clear();
        contacts(a.shape, &(a.pose)(time), b.shape, &(b.pose)(time), within, found);
        found.iter().copied().min_by(|p, q| p.distance.total_cmp(&q.distance))
    }

    fn distance(contact: &Contact) -> f64 {
        contact.distance
    }

    fn separation(&self, time: f64, contact: &Contact) -> Option<f64> {
        let (pose_a, pose_b) = ((self.a.pose)(time).isometry(), (self.b.pose)(time).isometry());
        let n = DVec3::from_array(contact.normal);
        // A half-space has no normal but its own.
        let n = match (&self.a.shape.0, &self.b.shape.0) {
            (Kind::HalfSpace { normal }, _) => pose_a.vector(*normal),
            (_, Kind::HalfSpace { normal }) => -pose_b.vector(*normal),
            _ => n,
        };
        let apart = pose_b.translation - pose_a.translation;
        Some(n.dot(apart) - extent(self.a.shape, &pose_a, n)? - extent(self.b.shape, &pose_b, -n)?)
    }
}

/// How far a convex shape reaches along n from its origin.
fn extent(shape: &Shape, pose: &Isometry, n: DVec3) -> Option<f64> {
    if let Kind::HalfSpace { .. } = shape.0 {
        return Some(0.0);
    }
    let (core, radius) = shape.core()?;
    let d = pose.inverse_vector(n);
    Some(core.support(d).0.dot(d) + radius)
}
