//! A half-space n·x ≤ 0 against a shape: every vertex of the other shape has its own exact distance
//! n·x − r; a rim has its lowest point.

use super::contact::{Found, Sink};
use super::core::{Core, TIP, cuboid_vertex};
use super::outline::{RIM, cap_corners};
use super::surface::Surface;
use crate::feature::Feature;
use crate::pose::Isometry;
use glam::DVec3;

/// The one face of a half-space.
const FACE: Feature = Feature::face(0);

/// Appends the contacts of a half-space and a core, in the frame of the half-space.
pub(crate) fn contacts(normal: DVec3, core: &Core<'_>, isometry: &Isometry, sink: &mut Sink<'_>) {
    let limit = sink.limit();
    let mut push = |p: DVec3, vertex: u32| {
        let p = isometry.point(p);
        let distance = normal.dot(p);
        if distance <= limit {
            let middle = p - 0.5 * distance * normal;
            sink.push(Found { middle, normal, distance, features: (FACE, Feature::vertex(vertex)) });
        }
    };
    let down = isometry.inverse_vector(-normal);
    match *core {
        Core::Point => push(DVec3::ZERO, 0),
        Core::Segment { half } => {
            push(-half * DVec3::Z, 0);
            push(half * DVec3::Z, 1);
        }
        Core::Cuboid { half } => {
            for bits in 0..8 {
                let (p, name) = cuboid_vertex(half, bits);
                push(p, name);
            }
        }
        Core::Hull(hull) => hull.points.iter().zip(0..).for_each(|(p, i)| push(*p, i)),
        Core::Triangle(t) => (0..3).for_each(|k| push(t.points[k], t.vertices[k])),
        Core::Cylinder { half, radius } => {
            for (z, name) in [(-half, RIM[0]), (half, RIM[1])] {
                if let Some(rim) = lowest_of_rim(down, radius) {
                    push(rim + z * DVec3::Z, name);
                }
            }
            cap_corners(half.copysign(down.z), radius, down).for_each(|(p, name)| push(p, name));
        }
        Core::Cone { half, radius } => {
            push(half * DVec3::Z, TIP);
            if let Some(rim) = lowest_of_rim(down, radius) {
                push(rim - half * DVec3::Z, RIM[0]);
            }
            if down.z < 0.0 {
                cap_corners(-half, radius, down).for_each(|(p, name)| push(p, name));
            }
        }
    }
}

/// None if the rim is level.
fn lowest_of_rim(down: DVec3, radius: f64) -> Option<DVec3> {
    Some(radius * DVec3::new(down.x, down.y, 0.0).try_normalize()?)
}

/// Appends the contacts of a half-space and a surface: one for every vertex near it.
pub(crate) fn with_surface(
    normal: DVec3,
    surface: &Surface<'_>,
    isometry: &Isometry,
    sink: &mut Sink<'_>,
) {
    surface.vertices(|p, vertex| {
        let p = isometry.point(p);
        let distance = normal.dot(p);
        let middle = p - 0.5 * distance * normal;
        sink.push(Found { middle, normal, distance, features: (FACE, Feature::vertex(vertex)) });
    });
}
