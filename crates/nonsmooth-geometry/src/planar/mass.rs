//! Mass, centre of mass and moment of inertia of plane figures of uniform density ρ [kg/m²].
//!
//! Polygons by triangles from the origin to each edge (p, q): A = p × q/2, ∫ x dA = A (p + q)/3,
//! ∫ x·x dA = A (p·p + p·q + q·q)/6. A rounded core is the core, a strip along each side, and sectors
//! that make up one disc; here only segments are rounded.

use super::pose::Isometry;
use super::shape::{Kind, Shape};
use crate::error::MassError;
use glam::DVec2;
use std::f64::consts::PI;

/// Mass, centre of mass and inertia of a plane body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass [kg].
    pub mass: f64,
    /// Centre of mass in the shape's frame [m].
    pub centre: [f64; 2],
    /// Moment of inertia about the centre of mass [kg·m²].
    pub inertia: f64,
}

/// Area, centre and polar moment about the centre.
struct Figure {
    area: f64,
    centre: DVec2,
    polar: f64,
}

impl Shape {
    /// The mass properties of the figure with a density [kg/m²]. Parts of a compound that overlap count twice.
    pub fn mass_properties(&self, density: f64) -> Result<MassProperties, MassError> {
        if !(density > 0.0 && density.is_finite()) {
            return Err(MassError::Density(density));
        }
        let Figure { area, centre, polar } = self.figure()?;
        Ok(MassProperties { mass: density * area, centre: centre.to_array(), inertia: density * polar })
    }

    fn figure(&self) -> Result<Figure, MassError> {
        match &self.0 {
            Kind::Ball { radius } => Ok(disc(*radius)),
            Kind::Capsule { ends, radius } => Ok(capsule(ends[1].x, *radius)),
            Kind::Rectangle { corners } => Ok(polygon(corners)),
            Kind::Polygon(points) => Ok(polygon(&points.points)),
            Kind::Chain(chain) if chain.is_closed => {
                let figure = polygon(&chain.points);
                if figure.area > 0.0 {
                    Ok(figure)
                } else {
                    Err(MassError::Volume { volume: figure.area })
                }
            }
            Kind::Chain(_) => Err(MassError::NoVolume("chain that is not closed")),
            Kind::HalfPlane { .. } => Err(MassError::NoVolume("half-plane")),
            Kind::Compound(compound) => {
                let figure = |(isometry, part): &(Isometry, Shape)| {
                    let figure = part.figure()?;
                    Ok(Figure { centre: isometry.point(figure.centre), ..figure })
                };
                let parts: Result<Vec<Figure>, MassError> = compound.parts.iter().map(figure).collect();
                Ok(joined(&parts?))
            }
        }
    }
}

fn disc(r: f64) -> Figure {
    let area = PI * r * r;
    Figure { area, centre: DVec2::ZERO, polar: 0.5 * area * r * r }
}

/// A rectangle 2h × 2r and two half discs, whose centres lie 4r/3π beyond its ends.
fn capsule(h: f64, r: f64) -> Figure {
    let (strip, ends) = (4.0 * h * r, PI * r * r);
    let polar = strip * (h * h + r * r) / 3.0 + ends * (0.5 * r * r + h * h + 8.0 * h * r / (3.0 * PI));
    Figure { area: strip + ends, centre: DVec2::ZERO, polar }
}

/// About a corner first, so that a figure far from its origin loses no digits.
fn polygon(points: &[DVec2]) -> Figure {
    let (mut area, mut first, mut second) = (0.0, DVec2::ZERO, 0.0);
    for k in 0..points.len() {
        let (p, q) = (points[k] - points[0], points[(k + 1) % points.len()] - points[0]);
        let a = 0.5 * p.perp_dot(q);
        area += a;
        first += a / 3.0 * (p + q);
        second += a / 6.0 * (p.dot(p) + p.dot(q) + q.dot(q));
    }
    let c = first / area;
    Figure { area, centre: points[0] + c, polar: second - area * c.length_squared() }
}

/// Several figures as one, by the parallel-axis theorem.
fn joined(parts: &[Figure]) -> Figure {
    let area: f64 = parts.iter().map(|part| part.area).sum();
    let centre = parts.iter().map(|part| part.area * part.centre).sum::<DVec2>() / area;
    let polar = |part: &Figure| part.polar + part.area * part.centre.distance_squared(centre);
    Figure { area, centre, polar: parts.iter().map(polar).sum() }
}
