//! Sizes of shapes in space: least width, and the radius of a ball about any centre.
//!
//! The width along n is max x·n − min x·n. Of a body of revolution it is that of its profile; of a
//! polyhedron the least one is along the normal of a face, or across two edges e, f that face each
//! other, along e × f. [Houle88]

use super::hull::Hull;
use super::shape::{Kind, Shape};
use glam::DVec3;

impl Shape {
    /// Least width [m]: 0 for meshes and height fields, which are sheets; infinite for a half-space. Of a compound the
    /// least of its pieces.
    pub fn thickness(&self) -> f64 {
        match &self.0 {
            Kind::Ball { radius } | Kind::Capsule { radius, .. } => 2.0 * radius,
            Kind::Cuboid { half } => 2.0 * half.min_element(),
            Kind::Cylinder { half, radius } => 2.0 * half.min(*radius),
            Kind::Cone { half, radius } => {
                // The least altitude of the triangle of base 2r and height 2h.
                let height = 2.0 * half;
                height.min(2.0 * radius * height / height.hypot(*radius))
            }
            Kind::Hull(hull) => hull_thickness(hull),
            Kind::Mesh(_) | Kind::HeightField(_) => 0.0,
            Kind::HalfSpace { .. } => f64::INFINITY,
            Kind::Compound(compound) => {
                compound.parts.iter().map(|part| part.shape.thickness()).fold(f64::INFINITY, f64::min)
            }
        }
    }

    /// Radius of the smallest ball about a point of the shape's frame that holds the shape [m]; infinite for a half-space.
    pub fn bounding_radius(&self, centre: [f64; 3]) -> f64 {
        let c = DVec3::from_array(centre);
        let across = c.truncate().length();
        let farthest =
            |points: &mut dyn Iterator<Item = DVec3>| points.map(|p| p.distance(c)).fold(0.0, f64::max);
        match &self.0 {
            Kind::Ball { radius } => c.length() + radius,
            Kind::Capsule { half, radius } => across.hypot(c.z.abs() + half) + radius,
            Kind::Cuboid { half } => (c.abs() + *half).length(),
            Kind::Cylinder { half, radius } => (across + radius).hypot(c.z.abs() + half),
            Kind::Cone { half, radius } => {
                (across + radius).hypot(c.z + half).max(across.hypot(c.z - half))
            }
            Kind::Hull(hull) => farthest(&mut hull.points.iter().copied()),
            Kind::Mesh(mesh) => farthest(&mut mesh.points.iter().copied()),
            Kind::HeightField(field) => farthest(&mut field.points()),
            Kind::HalfSpace { .. } => f64::INFINITY,
            Kind::Compound(compound) => {
                let radius = |part: &super::shape::Part| {
                    part.shape.bounding_radius(part.isometry.inverse_point(c).to_array())
                };
                compound.parts.iter().map(radius).fold(0.0, f64::max)
            }
        }
    }
}

fn hull_thickness(hull: &Hull) -> f64 {
    let depth = |n: DVec3, offset: f64| {
        hull.points.iter().map(|p| offset - n.dot(*p)).fold(f64::NEG_INFINITY, f64::max)
    };
    let by_faces = hull.faces.iter().map(|face| depth(face.normal, face.offset));
    let mut least = by_faces.fold(f64::INFINITY, f64::min);
    let edges: Vec<HullEdge> = (0..hull.edges.len()).map(|e| HullEdge::new(hull, e)).collect();
    for (k, e) in edges.iter().enumerate() {
        for f in &edges[k + 1..] {
            let Some(n) = e.along.cross(f.along).try_normalize() else { continue };
            // n must be an outward normal at one edge and −n at the other.
            if (e.admits(n) && f.admits(-n)) || (e.admits(-n) && f.admits(n)) {
                least = least.min(n.dot(e.point - f.point).abs());
            }
        }
    }
    least
}

/// An edge and the directions into its two faces.
struct HullEdge {
    point: DVec3,
    along: DVec3,
    into: [DVec3; 2],
}

impl HullEdge {
    fn new(hull: &Hull, e: usize) -> Self {
        let [p, q] = hull.edges[e].map(|i| hull.points[i as usize]);
        let along = (q - p).normalize_or_zero();
        let into = hull.sides[e].map(|f| {
            let m = hull.faces[f as usize].normal.cross(along);
            let corners = hull.outline(f as usize).iter();
            let inside: f64 = corners.map(|c| m.dot(hull.points[c.vertex as usize] - p)).sum();
            if inside < 0.0 { -m } else { m }
        });
        Self { point: p, along, into }
    }

    /// Whether a direction at right angles to the edge lies in its normal cone.
    fn admits(&self, n: DVec3) -> bool {
        self.into.iter().all(|m| n.dot(*m) <= 0.0)
    }
}
