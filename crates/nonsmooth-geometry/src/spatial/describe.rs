//! Shapes in space as plain data.

use super::shape::{Kind, Shape};
use crate::describe::Description;
use crate::pose::{Isometry, Pose};
use glam::{DQuat, DVec3};
use std::sync::Arc;

impl Shape {
    /// The simple shapes it is made of, with their places: those of a compound, or itself.
    pub fn pieces(&self) -> Vec<(Pose, Shape)> {
        match &self.0 {
            Kind::Compound(compound) => {
                compound.parts.iter().map(|part| (pose(&part.isometry), part.shape.clone())).collect()
            }
            _ => vec![(Pose::IDENTITY, self.clone())],
        }
    }

    /// The shape as plain data; of a compound, that of its first part.
    pub fn describe(&self) -> Description {
        let list = |points: &[DVec3]| points.iter().map(|p| p.to_array()).collect::<Vec<_>>();
        match &self.0 {
            Kind::Ball { radius } => Description::plain("ball", [*radius, 0.0, 0.0]),
            Kind::Cuboid { half } => Description::plain("box", half.to_array()),
            Kind::Capsule { half, radius } => Description::plain("capsule", [*half, *radius, 0.0]),
            Kind::Cylinder { half, radius } => Description::plain("cylinder", [*half, *radius, 0.0]),
            Kind::Cone { half, radius } => Description::plain("cone", [*half, *radius, 0.0]),
            Kind::HalfSpace { normal } => Description::plain("half-space", normal.to_array()),
            Kind::Hull(hull) => Description {
                vertices: list(&hull.points),
                triangles: hull.triangle_numbers().collect(),
                ..Description::plain("hull", [0.0; 3])
            },
            Kind::Mesh(mesh) => Description {
                vertices: list(&mesh.points),
                triangles: mesh.triangles.clone(),
                ..Description::plain("mesh", [0.0; 3])
            },
            Kind::HeightField(field) => Description {
                vertices: field.points().map(|p| p.to_array()).collect(),
                triangles: field.triangle_numbers().collect(),
                ..Description::plain("height-field", [0.0; 3])
            },
            Kind::Compound(compound) => compound.parts[0].shape.describe(),
        }
    }

    /// Numbers that clones share, and that shapes made apart share only if they are equal.
    pub fn identity(&self) -> [u64; 4] {
        let bits = |kind: u64, x: [f64; 3]| {
            let [a, b, c] = x.map(f64::to_bits);
            [kind, a, b, c]
        };
        match &self.0 {
            Kind::Ball { radius } => bits(0, [*radius, 0.0, 0.0]),
            Kind::Cuboid { half } => bits(1, half.to_array()),
            Kind::Capsule { half, radius } => bits(2, [*half, *radius, 0.0]),
            Kind::Cylinder { half, radius } => bits(3, [*half, *radius, 0.0]),
            Kind::Cone { half, radius } => bits(4, [*half, *radius, 0.0]),
            Kind::HalfSpace { normal } => bits(5, normal.to_array()),
            Kind::Hull(hull) => [6, Arc::as_ptr(hull) as u64, 0, 0],
            Kind::Mesh(mesh) => [7, Arc::as_ptr(mesh) as u64, 0, 0],
            Kind::HeightField(field) => [8, Arc::as_ptr(field) as u64, 0, 0],
            Kind::Compound(compound) => [9, Arc::as_ptr(compound) as u64, 0, 0],
        }
    }
}

fn pose(isometry: &Isometry) -> Pose {
    let q = DQuat::from_mat3(&isometry.rotation);
    Pose { position: isometry.translation.to_array(), rotation: [q.w, q.x, q.y, q.z] }
}
