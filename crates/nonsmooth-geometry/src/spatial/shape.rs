//! The shapes: what they are, and whether the numbers given for them make sense.

use super::core::Core;
use super::height_field::HeightField;
use super::hull::Hull;
use super::mesh::Mesh;
use super::surface::Surface;
use crate::error::{ShapeError, positive};
use crate::feature::MOST_PARTS;
use crate::pose::{Isometry, Pose};
use glam::DVec3;
use std::sync::Arc;

/// A solid or surface in space, in its own frame. Cheap to clone; cannot be wrong once made.
#[derive(Clone, Debug)]
pub struct Shape(pub(crate) Kind);

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Ball { radius: f64 },
    Cuboid { half: DVec3 },
    Capsule { half: f64, radius: f64 },
    Cylinder { half: f64, radius: f64 },
    Cone { half: f64, radius: f64 },
    Hull(Arc<Hull>),
    Mesh(Arc<Mesh>),
    HeightField(Arc<HeightField>),
    HalfSpace { normal: DVec3 },
    Compound(Arc<Compound>),
}

/// Several shapes as one.
#[derive(Clone, Debug)]
pub(crate) struct Compound {
    pub parts: Vec<Part>,
    outer_radius: f64,
}

/// A part of a compound.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub isometry: Isometry,
    pub shape: Shape,
}

impl Shape {
    /// A ball about the origin; radius [m].
    pub fn ball(radius: f64) -> Result<Self, ShapeError> {
        Ok(Self(Kind::Ball { radius: positive("radius", radius)? }))
    }

    /// A box about the origin; half its edge lengths [m].
    pub fn cuboid(half: [f64; 3]) -> Result<Self, ShapeError> {
        for length in half {
            positive("half edge length", length)?;
        }
        Ok(Self(Kind::Cuboid { half: DVec3::from_array(half) }))
    }

    /// All points within `radius` [m] of the segment from −half to +half [m] on the z axis.
    pub fn capsule(half_length: f64, radius: f64) -> Result<Self, ShapeError> {
        let (half, radius) = half_length_and_radius(half_length, radius)?;
        Ok(Self(Kind::Capsule { half, radius }))
    }

    /// A cylinder about the z axis from −half to +half [m]; radius [m].
    pub fn cylinder(half_length: f64, radius: f64) -> Result<Self, ShapeError> {
        let (half, radius) = half_length_and_radius(half_length, radius)?;
        Ok(Self(Kind::Cylinder { half, radius }))
    }

    /// A cone about the z axis with its base at −half and its tip at +half [m]; radius of the base [m].
    pub fn cone(half_length: f64, radius: f64) -> Result<Self, ShapeError> {
        let (half, radius) = half_length_and_radius(half_length, radius)?;
        Ok(Self(Kind::Cone { half, radius }))
    }

    /// The convex hull of points [m].
    pub fn hull(points: &[[f64; 3]]) -> Result<Self, ShapeError> {
        let points: Vec<DVec3> = points.iter().copied().map(DVec3::from_array).collect();
        Ok(Self(Kind::Hull(Arc::new(Hull::new(&points)?))))
    }

    /// A surface of triangles, three vertex numbers each, counter-clockwise seen from outside.
    ///
    /// Contacts are made with the front. A surface with holes is fine for a fixed body; it has no
    /// mass properties.
    pub fn mesh(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> Result<Self, ShapeError> {
        let points = vertices.iter().copied().map(DVec3::from_array).collect();
        Ok(Self(Kind::Mesh(Arc::new(Mesh::new(points, triangles.to_vec())?))))
    }

    /// Ground of height `heights[i + columns * j]` [m] at x = (i − (columns − 1)/2)·spacing\[0\] [m] and
    /// y likewise with j. Contacts are made with its upper side.
    pub fn height_field(
        heights: Vec<f64>,
        columns: usize,
        rows: usize,
        spacing: [f64; 2],
    ) -> Result<Self, ShapeError> {
        Ok(Self(Kind::HeightField(Arc::new(HeightField::new(heights, columns, rows, spacing)?))))
    }

    /// Everything behind the plane through the origin with this outward normal, which need not be of length 1.
    pub fn half_space(normal: [f64; 3]) -> Result<Self, ShapeError> {
        let normal = DVec3::from_array(normal);
        // Scaled first, so that neither tiny nor huge vectors lose their direction.
        let largest = normal.abs().max_element();
        if !(largest > 0.0 && normal.is_finite()) {
            return Err(ShapeError::NoDirection);
        }
        Ok(Self(Kind::HalfSpace { normal: (normal / largest).normalize() }))
    }

    /// Several shapes as one body. Parts may overlap one another; half-spaces and compounds cannot be parts.
    pub fn compound(parts: &[(Pose, Shape)]) -> Result<Self, ShapeError> {
        if parts.is_empty() {
            return Err(ShapeError::Empty("the compound"));
        }
        if parts.len() > MOST_PARTS {
            return Err(ShapeError::TooMany {
                what: "parts of a compound",
                most: MOST_PARTS,
                got: parts.len(),
            });
        }
        let part = |(index, (pose, shape)): (usize, &(Pose, Shape))| {
            let isometry = pose.isometry();
            if !isometry.is_finite() {
                return Err(ShapeError::NotFinite { what: "the pose of part", index });
            }
            if matches!(shape.0, Kind::Compound(_) | Kind::HalfSpace { .. }) {
                return Err(ShapeError::Nested { part: index });
            }
            Ok(Part { isometry, shape: shape.clone() })
        };
        let parts: Vec<Part> = parts.iter().enumerate().map(part).collect::<Result<_, _>>()?;
        let radius = |part: &Part| part.isometry.translation.length() + part.shape.outer_radius();
        let outer_radius = parts.iter().map(radius).fold(0.0, f64::max);
        Ok(Self(Kind::Compound(Arc::new(Compound { parts, outer_radius }))))
    }

    /// The radius, if it is a ball [m].
    pub fn ball_radius(&self) -> Option<f64> {
        if let Kind::Ball { radius } = self.0 { Some(radius) } else { None }
    }

    /// The outward unit normal, if it is a half-space.
    pub fn half_space_normal(&self) -> Option<[f64; 3]> {
        if let Kind::HalfSpace { normal } = self.0 { Some(normal.to_array()) } else { None }
    }

    /// Whether it is a ball or a half-space, whose contacts never change their features.
    pub fn has_one_feature(&self) -> bool {
        matches!(self.0, Kind::Ball { .. } | Kind::HalfSpace { .. })
    }

    /// Whether it has no hollow: everything but surfaces and compounds.
    pub fn is_convex(&self) -> bool {
        matches!(self.0, Kind::HalfSpace { .. }) || self.core().is_some()
    }

    /// Whether it has a round rim, of which any point may be the lowest: cylinders and cones.
    pub fn has_rim(&self) -> bool {
        matches!(self.0, Kind::Cylinder { .. } | Kind::Cone { .. })
    }

    /// The core and the radius that rounds it, if the shape is convex and bounded.
    pub(crate) fn core(&self) -> Option<(Core<'_>, f64)> {
        Some(match &self.0 {
            Kind::Ball { radius } => (Core::Point, *radius),
            Kind::Capsule { half, radius } => (Core::Segment { half: *half }, *radius),
            Kind::Cuboid { half } => (Core::Cuboid { half: *half }, 0.0),
            Kind::Cylinder { half, radius } => (Core::Cylinder { half: *half, radius: *radius }, 0.0),
            Kind::Cone { half, radius } => (Core::Cone { half: *half, radius: *radius }, 0.0),
            Kind::Hull(hull) => (Core::Hull(hull), 0.0),
            _ => return None,
        })
    }

    pub(crate) fn surface(&self) -> Option<Surface<'_>> {
        match &self.0 {
            Kind::Mesh(mesh) => Some(Surface::Mesh(mesh)),
            Kind::HeightField(field) => Some(Surface::Field(field)),
            _ => None,
        }
    }

    /// Radius of a ball about the shape's origin that holds it [m]; infinite for a half-space.
    pub fn outer_radius(&self) -> f64 {
        match &self.0 {
            Kind::Ball { radius } => *radius,
            Kind::Capsule { half, radius } => half + radius,
            Kind::Cuboid { half } => half.length(),
            Kind::Cylinder { half, radius } | Kind::Cone { half, radius } => half.hypot(*radius),
            Kind::Hull(hull) => hull.outer_radius,
            Kind::Mesh(mesh) => mesh.outer_radius,
            Kind::HeightField(field) => field.outer_radius,
            Kind::HalfSpace { .. } => f64::INFINITY,
            Kind::Compound(compound) => compound.outer_radius,
        }
    }
}

fn half_length_and_radius(half_length: f64, radius: f64) -> Result<(f64, f64), ShapeError> {
    Ok((positive("half length", half_length)?, positive("radius", radius)?))
}
