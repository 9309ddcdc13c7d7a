//! Shapes in the plane as plain data.

use super::pose::{Isometry, Pose};
use super::shape::{Kind, Shape};
use crate::describe::Description;
use glam::DVec2;
use std::sync::Arc;

impl Shape {
    /// The simple shapes it is made of, with their places: those of a compound, or itself.
    pub fn pieces(&self) -> Vec<(Pose, Shape)> {
        match &self.0 {
            Kind::Compound(compound) => {
                compound.parts.iter().map(|(at, shape)| (pose(at), shape.clone())).collect()
            }
            _ => vec![(Pose::IDENTITY, self.clone())],
        }
    }

    /// The shape as plain data; of a compound, that of its first part.
    pub fn describe(&self) -> Description {
        let list = |points: &[DVec2]| points.iter().map(|p| [p.x, p.y, 0.0]).collect::<Vec<_>>();
        match &self.0 {
            Kind::Ball { radius } => Description::plain("ball", [*radius, 0.0, 0.0]),
            Kind::Capsule { ends, radius } => Description::plain("capsule", [ends[1].x, *radius, 0.0]),
            Kind::Rectangle { corners } => Description::plain("box", [corners[2].x, corners[2].y, 0.0]),
            Kind::HalfPlane { normal } => Description::plain("half-space", [normal.x, normal.y, 0.0]),
            Kind::Polygon(polygon) => Description {
                vertices: list(&polygon.points),
                ..Description::plain("polygon", [0.0; 3])
            },
            Kind::Chain(chain) => {
                let closed = f64::from(u8::from(chain.is_closed));
                Description {
                    vertices: list(&chain.points),
                    ..Description::plain("chain", [closed, 0.0, 0.0])
                }
            }
            Kind::Compound(compound) => compound.parts[0].1.describe(),
        }
    }

    /// Numbers that clones share, and that shapes made apart share only if they are equal.
    pub fn identity(&self) -> [u64; 4] {
        let bits = |kind: u64, x: f64, y: f64| [kind, x.to_bits(), y.to_bits(), 0];
        match &self.0 {
            Kind::Ball { radius } => bits(10, *radius, 0.0),
            Kind::Capsule { ends, radius } => bits(11, ends[1].x, *radius),
            Kind::Rectangle { corners } => bits(12, corners[2].x, corners[2].y),
            Kind::HalfPlane { normal } => bits(13, normal.x, normal.y),
            Kind::Polygon(polygon) => [14, Arc::as_ptr(polygon) as u64, 0, 0],
            Kind::Chain(chain) => [15, Arc::as_ptr(chain) as u64, 0, 0],
            Kind::Compound(compound) => [16, Arc::as_ptr(compound) as u64, 0, 0],
        }
    }
}

fn pose(isometry: &Isometry) -> Pose {
    Pose { position: isometry.translation.to_array(), angle: isometry.turn.to_angle() }
}
