//! Convex cores: a ball is a point, a capsule a segment, both rounded by a radius; the other convex
//! shapes are their own core with radius 0.
//!
//! A core answers two questions, both in its own frame: the point farthest along a direction d
//! (support, here), and the flat piece of boundary that faces d (`outline.rs`).

use super::hull::Hull;
use crate::feature::MOST_INDEX;
use glam::DVec3;

/// Name of the tip of a cone among its vertices.
pub(super) const TIP: u32 = 17;

/// A triangle of a surface, with the names of its features in the whole surface.
#[derive(Clone, Debug)]
pub(crate) struct Triangle {
    pub points: [DVec3; 3],
    pub normal: DVec3,
    pub vertices: [u32; 3],
    /// Edge k runs from corner k to corner k + 1.
    pub edges: [u32; 3],
    pub index: u32,
    pub bends: Bends,
}

/// How a triangle goes over into its neighbours.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bends {
    /// Whether each edge is flat: a line drawn on a face of the surface, and no edge of it.
    pub is_flat: [bool; 3],
    /// Whether each edge is a ridge, or a border.
    pub is_ridge: [bool; 3],
    /// Whether all edges are flat or hollow, so that the triangle has no normal but its own.
    pub is_inner: bool,
}

impl Triangle {
    /// Whether a point lies over or under the triangle.
    pub fn covers(&self, p: DVec3) -> bool {
        (0..3).all(|k| {
            let (from, to) = (self.points[k], self.points[(k + 1) % 3]);
            self.normal.dot((to - from).cross(p - from)) >= 0.0
        })
    }
}

/// A convex set in its own frame.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Core<'a> {
    Point,
    /// From −half to +half on the z axis.
    Segment {
        half: f64,
    },
    Cuboid {
        half: DVec3,
    },
    /// About the z axis.
    Cylinder {
        half: f64,
        radius: f64,
    },
    /// About the z axis, base at −half, tip at +half.
    Cone {
        half: f64,
        radius: f64,
    },
    Hull(&'a Hull),
    Triangle(&'a Triangle),
}

/// Name of a support point where there are no vertices to count.
pub(crate) const SMOOTH: u32 = MOST_INDEX;

impl Core<'_> {
    /// The point farthest along a direction, and its vertex.
    #[inline]
    pub fn support(&self, d: DVec3) -> (DVec3, u32) {
        match *self {
            Core::Point => (DVec3::ZERO, 0),
            Core::Segment { half } => (DVec3::new(0.0, 0.0, half.copysign(d.z)), u32::from(d.z >= 0.0)),
            Core::Cuboid { half } => cuboid_vertex(half, sign_bits(d)),
            Core::Cylinder { half, radius } => {
                let rim = radius * radial(d);
                (DVec3::new(rim.x, rim.y, half.copysign(d.z)), SMOOTH)
            }
            Core::Cone { half, radius } => {
                let rim = radius * radial(d);
                let (base, tip) = (DVec3::new(rim.x, rim.y, -half), DVec3::new(0.0, 0.0, half));
                if tip.dot(d) > base.dot(d) { (tip, TIP) } else { (base, SMOOTH) }
            }
            Core::Hull(hull) => {
                let i = hull.support(d);
                (hull.points[i as usize], i)
            }
            Core::Triangle(t) => {
                let along = t.points.map(|p| p.dot(d));
                let second = usize::from(along[1] > along[0]);
                let k = if along[2] > along[second] { 2 } else { second };
                (t.points[k], k as u32)
            }
        }
    }

    /// A point inside.
    pub fn centre(&self) -> DVec3 {
        match self {
            Core::Hull(hull) => hull.centre,
            Core::Triangle(t) => (t.points[0] + t.points[1] + t.points[2]) / 3.0,
            Core::Cone { half, .. } => DVec3::new(0.0, 0.0, -0.5 * half),
            _ => DVec3::ZERO,
        }
    }

    /// Whether the boundary is curved, so that support points have no names.
    pub fn is_curved(&self) -> bool {
        matches!(self, Core::Cylinder { .. } | Core::Cone { .. })
    }

    /// The normal of a face within the angle `near` [rad] of the unit direction d.
    pub fn flat_near(&self, d: DVec3, near: f64) -> Option<DVec3> {
        let close = |normal: DVec3| (normal - d).length_squared() <= near * near;
        let candidate = match *self {
            Core::Point | Core::Segment { .. } => return None,
            Core::Cuboid { .. } => largest_axis(d),
            Core::Cylinder { .. } => DVec3::Z * d.z.signum(),
            Core::Cone { .. } => -DVec3::Z,
            Core::Triangle(t) => t.normal * t.normal.dot(d).signum(),
            Core::Hull(hull) => {
                let around = hull.around(hull.support(d) as usize);
                let mut normals = around.iter().map(|(f, _)| hull.faces[*f as usize].normal);
                return normals.find(|normal| close(*normal));
            }
        };
        close(candidate).then_some(candidate)
    }
}

/// A circle of unit vectors n, n·axis = sine, to which a normal is held: by an edge along the axis
/// (sine 0), or by the side of a cylinder or cone about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub axis: DVec3,
    pub sine: f64,
}

impl Core<'_> {
    /// What holds a normal near d, within the angle `near` [rad].
    pub fn held_near(&self, d: DVec3, near: f64) -> Option<Held> {
        let edge = |axis: DVec3| Held { axis, sine: 0.0 };
        let holds = |held: &Held| (held.axis.dot(d) - held.sine).abs() <= near;
        match *self {
            Core::Point => None,
            Core::Segment { .. } | Core::Cylinder { .. } => Some(edge(DVec3::Z)).filter(holds),
            Core::Cuboid { .. } => DVec3::AXES.into_iter().map(edge).find(holds),
            Core::Cone { half, radius } => {
                Some(Held { axis: DVec3::Z, sine: radius / radius.hypot(2.0 * half) }).filter(holds)
            }
            Core::Triangle(t) => {
                let k = self.support(d).1 as usize;
                let sides = [1, 2].map(|j| (t.points[(k + j) % 3] - t.points[k]).normalize());
                sides.into_iter().map(edge).find(holds)
            }
            Core::Hull(hull) => {
                let around = hull.around(hull.support(d) as usize).iter();
                let mut sides = around.map(|(_, e)| {
                    let [p, q] = hull.edges[*e as usize].map(|i| hull.points[i as usize]);
                    edge((q - p).normalize())
                });
                sides.find(holds)
            }
        }
    }
}

/// The unit vector along the largest component of d.
fn largest_axis(d: DVec3) -> DVec3 {
    let size = d.abs();
    let k = if size.x >= size.y && size.x >= size.z { 0 } else { 1 + usize::from(size.z > size.y) };
    DVec3::AXES[k] * d[k].signum()
}

/// Unit direction of d across the z axis; x where there is none.
pub(super) fn radial(d: DVec3) -> DVec3 {
    let across = DVec3::new(d.x, d.y, 0.0);
    let length = across.length();
    if length > 0.0 { across / length } else { DVec3::X }
}

/// Bit k is set where component k is not negative.
pub(super) fn sign_bits(d: DVec3) -> u32 {
    u32::from(d.x >= 0.0) | u32::from(d.y >= 0.0) << 1 | u32::from(d.z >= 0.0) << 2
}

pub(super) fn cuboid_vertex(half: DVec3, bits: u32) -> (DVec3, u32) {
    let signed = |k: usize| if bits >> k & 1 == 1 { half[k] } else { -half[k] };
    (DVec3::new(signed(0), signed(1), signed(2)), bits)
}
