//! Sizes of shapes in the plane: least width, and the radius of a disc about any centre.

use super::shape::{Kind, Shape};
use glam::DVec2;

impl Shape {
    /// Least width [m]: 0 for chains, which are lines; infinite for a half-plane. Of a compound the least of its pieces.
    pub fn thickness(&self) -> f64 {
        match &self.0 {
            Kind::Chain(_) => 0.0,
            Kind::HalfPlane { .. } => f64::INFINITY,
            Kind::Compound(compound) => {
                compound.parts.iter().map(|(_, shape)| shape.thickness()).fold(f64::INFINITY, f64::min)
            }
            _ => self.core().map_or(0.0, |(core, radius)| {
                // The least width of a polygon is across one of its edges.
                let extent = |n: &DVec2| {
                    let along = |k: usize| core.points[k].dot(*n);
                    along(core.support(*n)) - along(core.support(-*n))
                };
                let least = core.normals.iter().map(extent).fold(f64::INFINITY, f64::min);
                2.0 * radius + if least.is_finite() { least } else { 0.0 }
            }),
        }
    }

    /// Radius of the smallest disc about a point of the shape's frame that holds the shape [m]; infinite for a half-plane.
    pub fn bounding_radius(&self, centre: [f64; 2]) -> f64 {
        let c = DVec2::from_array(centre);
        let farthest = |points: &[DVec2]| points.iter().map(|p| p.distance(c)).fold(0.0, f64::max);
        match &self.0 {
            Kind::Chain(chain) => farthest(&chain.points),
            Kind::HalfPlane { .. } => f64::INFINITY,
            Kind::Compound(compound) => {
                let radius = |(at, shape): &(super::Isometry, Shape)| {
                    shape.bounding_radius(at.inverse_vector(c - at.translation).to_array())
                };
                compound.parts.iter().map(radius).fold(0.0, f64::max)
            }
            _ => self.core().map_or(0.0, |(core, radius)| farthest(core.points) + radius),
        }
    }
}
