//! Shapes of the plane as sweeps see them.

use super::{Contact, Kind, Pose, Shape, contacts};
use crate::sweep::Swept;
use glam::DVec2;

impl Swept for Shape {
    type Pose = Pose;
    type Contact = Contact;
    type Direction = DVec2;

    fn along(from: &Pose, to: &Pose, n: DVec2) -> f64 {
        n.dot(DVec2::from_array(to.position) - DVec2::from_array(from.position))
    }

    fn apart(a: &Pose, b: &Pose) -> f64 {
        DVec2::from_array(a.position).distance(DVec2::from_array(b.position))
    }

    fn contacts(a: (&Self, &Pose), b: (&Self, &Pose), within: f64, out: &mut Vec<Contact>) {
        contacts(a.0, a.1, b.0, b.1, within, out);
    }

    fn gap(contact: &Contact) -> (f64, DVec2) {
        (contact.distance, DVec2::from_array(contact.normal))
    }

    fn width(&self) -> f64 {
        self.thickness()
    }

    fn only_normal(&self, pose: &Pose) -> Option<DVec2> {
        match &self.0 {
            Kind::HalfPlane { normal } => Some(pose.isometry().vector(*normal)),
            _ => None,
        }
    }

    fn extent_along(&self, pose: &Pose, n: DVec2) -> Option<f64> {
        if let Kind::HalfPlane { .. } = self.0 {
            return Some(0.0);
        }
        let (core, radius) = self.core()?;
        let d = pose.isometry().inverse_vector(n);
        Some(core.points[core.support(d)].dot(d) + radius)
    }
}
