//! Which feature of a shape in the plane a contact point lies on: a rounded point, or an edge as a
//! plane of the space in which the plane is z = 0.

use super::contact::Contact;
use super::pose::Pose;
use super::shape::{Kind, Shape};
use crate::feature::{Feature, FeatureKind};
use crate::frozen::{Detected, FrozenContact, Side};
use crate::pose;
use glam::{DVec2, DVec3};

fn in_space(v: DVec2) -> DVec3 {
    v.extend(0.0)
}

/// The contact with its features as they are: `contact` must come from [`contacts`](super::contacts) of these shapes and poses.
/// Its poses are then those of space, with z = 0 and turns about z ([`Pose::in_space`]).
pub fn freeze(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, contact: &Contact) -> FrozenContact {
    let at = [pose_a, pose_b].map(|pose| pose::Pose::isometry(&pose.in_space()));
    let detected = Detected {
        point: in_space(DVec2::from_array(contact.point)),
        normal: in_space(DVec2::from_array(contact.normal)),
        distance: contact.distance,
        size: a.outer_radius().min(b.outer_radius()),
    };
    let local = |k: usize, on: [f64; 2]| at[k].inverse_point(in_space(DVec2::from_array(on))).truncate();
    let side_a = a.side(contact.key.a, local(0, contact.on_a()));
    let side_b = b.side(contact.key.b, local(1, contact.on_b()));
    FrozenContact::new(side_a, side_b, &at, &detected)
}

impl Shape {
    /// The feature in the frame of the shape; `point` is on the surface beside it.
    fn side(&self, feature: Feature, point: DVec2) -> Side {
        let sharp = |p: DVec2| Side::point(in_space(p), 0.0);
        match &self.0 {
            Kind::HalfPlane { normal } => Side::plane(DVec3::ZERO, in_space(*normal), 0.0),
            Kind::Chain(chain) => match (feature.kind(), feature.index() as usize) {
                (FeatureKind::Vertex, k) => chain.points.get(k).map_or(sharp(point), |p| sharp(*p)),
                (_, k) => chain.links.get(k).map_or(sharp(point), |link| {
                    Side::plane(in_space(link.ends[0]), in_space(link.normals[0]), 0.0)
                }),
            },
            Kind::Compound(compound) => {
                let Some((at, shape)) = compound.parts.get(feature.part() as usize) else {
                    return sharp(point);
                };
                let own = at.inverse_vector(point - at.translation);
                let angle = at.turn.to_angle();
                let isometry = Pose { position: at.translation.to_array(), angle }.in_space();
                shape.side(Feature::from_code(feature.code()), own).transformed(&isometry.isometry())
            }
            _ => {
                let Some((core, radius)) = self.core() else { return sharp(point) };
                let k = feature.index() as usize;
                match (feature.kind(), core.points.get(k), core.normals.get(k)) {
                    (FeatureKind::Vertex, Some(p), _) => Side::point(in_space(*p), radius),
                    (_, Some(p), Some(normal)) => Side::plane(in_space(*p), in_space(*normal), radius),
                    _ => sharp(point),
                }
            }
        }
    }
}
