//! Shapes of space as sweeps see them.

use super::{Contact, Kind, Pose, Shape, contacts};
use crate::sweep::Swept;
use glam::DVec3;

impl Swept for Shape {
    type Pose = Pose;
    type Contact = Contact;
    type Direction = DVec3;

    fn along(from: &Pose, to: &Pose, n: DVec3) -> f64 {
        n.dot(DVec3::from_array(to.position) - DVec3::from_array(from.position))
    }

    fn apart(a: &Pose, b: &Pose) -> f64 {
        DVec3::from_array(a.position).distance(DVec3::from_array(b.position))
    }

    fn contacts(a: (&Self, &Pose), b: (&Self, &Pose), within: f64, out: &mut Vec<Contact>) {
        contacts(a.0, a.1, b.0, b.1, within, out);
    }

    fn gap(contact: &Contact) -> (f64, DVec3) {
        (contact.distance, DVec3::from_array(contact.normal))
    }

    fn width(&self) -> f64 {
        self.thickness()
    }

    fn only_normal(&self, pose: &Pose) -> Option<DVec3> {
        match &self.0 {
            Kind::HalfSpace { normal } => Some(pose.isometry().vector(*normal)),
            _ => None,
        }
    }

    fn extent_along(&self, pose: &Pose, n: DVec3) -> Option<f64> {
        if let Kind::HalfSpace { .. } = self.0 {
            return Some(0.0);
        }
        let (core, radius) = self.core()?;
        let d = pose.isometry().inverse_vector(n);
        Some(core.support(d).0.dot(d) + radius)
    }
}
