//! Boxes with sides along the axes of the world, around shapes.

use super::core::Core;
use super::shape::{Kind, Shape};
use crate::broad::Bounds;
use crate::pose::{Isometry, Pose};
use glam::DVec3;

impl Shape {
    /// The smallest box around the shape, or the half-space itself.
    pub fn bounds(&self, pose: &Pose) -> Bounds {
        let isometry = pose.isometry();
        if let Kind::HalfSpace { normal } = self.0 {
            let normal = isometry.vector(normal);
            let offset = normal.dot(isometry.translation);
            return Bounds::HalfSpace { normal: normal.to_array(), offset };
        }
        let (low, high) = self.extent(&isometry);
        Bounds::Box { low: low.to_array(), high: high.to_array() }
    }

    /// Lowest and highest corner of the box around a bounded shape.
    pub(crate) fn extent(&self, isometry: &Isometry) -> (DVec3, DVec3) {
        if let Some((core, radius)) = self.core() {
            let (low, high) = extent(&core, isometry);
            return (low - radius, high + radius);
        }
        match &self.0 {
            Kind::Mesh(mesh) => around(mesh.points.iter().map(|p| isometry.point(*p))),
            Kind::HeightField(field) => {
                let (low, high) = field.extent();
                let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
                let reach = isometry.rotation.abs() * half;
                let centre = isometry.point(middle);
                (centre - reach, centre + reach)
            }
            Kind::Compound(compound) => {
                let boxes =
                    compound.parts.iter().map(|part| part.shape.extent(&isometry.after(&part.isometry)));
                boxes.fold(EMPTY, |(low, high), (l, h)| (low.min(l), high.max(h)))
            }
            _ => (DVec3::NEG_INFINITY, DVec3::INFINITY),
        }
    }
}

const EMPTY: (DVec3, DVec3) = (DVec3::INFINITY, DVec3::NEG_INFINITY);

fn around(points: impl Iterator<Item = DVec3>) -> (DVec3, DVec3) {
    points.fold(EMPTY, |(low, high), p| (low.min(p), high.max(p)))
}

/// Lowest and highest corner of the box around a core.
pub(crate) fn extent(core: &Core<'_>, isometry: &Isometry) -> (DVec3, DVec3) {
    let centre = isometry.translation;
    let half = match core {
        Core::Point => DVec3::ZERO,
        Core::Segment { half } => (isometry.rotation.z_axis * *half).abs(),
        Core::Cuboid { half } => isometry.rotation.abs() * *half,
        Core::Cylinder { half, radius } => {
            let axis = isometry.rotation.z_axis;
            axis.abs() * *half + rim(axis, *radius)
        }
        Core::Cone { half, radius } => {
            let axis = isometry.rotation.z_axis;
            let (tip, base, rim) = (centre + *half * axis, centre - *half * axis, rim(axis, *radius));
            return (tip.min(base - rim), tip.max(base + rim));
        }
        Core::Hull(hull) => return around(hull.points.iter().map(|p| isometry.point(*p))),
        Core::Triangle(t) => return around(t.points.iter().map(|p| isometry.point(*p))),
    };
    (centre - half, centre + half)
}

/// Half extents of a circle about an axis: r √(1 − e_k²).
fn rim(axis: DVec3, radius: f64) -> DVec3 {
    radius * (DVec3::ONE - axis * axis).max(DVec3::ZERO).map(f64::sqrt)
}
