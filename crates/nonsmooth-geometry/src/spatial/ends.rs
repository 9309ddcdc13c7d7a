//! Where a rod lies along another, or along an edge: the ends of each that are over the side of the other.
//!
//! A capsule, cylinder or cone that is not quite parallel to another has one point of closest approach, and while it settles
//! there this point runs from end to end within a step. With that point alone a rod at rest tilts about it: its free end falls
//! for one step, is caught as the closest point of the next, and frees the other end, so that it sinks by about h² g in every
//! step: 13 mm in a second with h = 2 ms (`a_rod_along_another_does_not_sink`). So the ends p count too, each with its own
//! distance and normal:
//!
//! ```text
//! p ∈ A:   d(p, B) ≥ d(A, B)
//! ```
//!
//! d(p, B) ≥ 0 holds wherever A and B do not overlap: nothing is held that does not touch. Edges of meshes and height fields are
//! left out.

use super::contact::{Found, Sink};
use super::core::Core;
use super::nearest;
use super::outline::Outline;
use super::pair::{Closest, Pair};
use crate::feature::Feature;
use crate::pose::Isometry;
use glam::{DMat3, DVec3};

/// Sine of the angle within which a normal is one of a side or edge: round-off.
const ON_SIDE: f64 = 1e-9;

/// Whether the pair is of a rod and a solid with sides or edges.
pub(crate) fn have_ends(pair: &Pair<'_>) -> bool {
    let is_rod = |core: &Core<'_>| {
        matches!(core, Core::Segment { .. } | Core::Cylinder { .. } | Core::Cone { .. })
    };
    let is_solid = |core: &Core<'_>| !matches!(core, Core::Point | Core::Triangle(_));
    (is_rod(&pair.a) && is_solid(&pair.b)) || (is_rod(&pair.b) && is_solid(&pair.a))
}

/// Appends the ends of two lines that face each other where they are over the side of the other. Both outlines are in the
/// frame of a.
pub(crate) fn ends(pair: &Pair<'_>, (a, b): (&Outline, &Outline), sink: &mut Sink<'_>) {
    let limit = sink.limit();
    for corner in &b.corners {
        if let Some(found) = over_side(&pair.a, corner.point, pair.size, limit) {
            sink.push(Found {
                middle: 0.5 * (found.on_a + corner.point),
                normal: found.normal,
                distance: found.distance,
                features: (Feature::edge(a.corners[0].edge), Feature::vertex(corner.vertex)),
            });
        }
    }
    for corner in &a.corners {
        let p = pair.b_in_a.inverse_point(corner.point);
        if let Some(found) = over_side(&pair.b, p, pair.size, limit) {
            sink.push(Found {
                middle: 0.5 * (corner.point + pair.b_in_a.point(found.on_a)),
                normal: -pair.b_in_a.vector(found.normal),
                distance: found.distance,
                features: (Feature::vertex(corner.vertex), Feature::edge(b.corners[0].edge)),
            });
        }
    }
}

/// The point of a core closest to p, if it is within the limit and lies on a side or edge, not at the end of one.
fn over_side(core: &Core<'_>, p: DVec3, size: f64, limit: f64) -> Option<Closest> {
    let iterated = || {
        let b_in_a = Isometry { rotation: DMat3::IDENTITY, translation: p };
        Pair { a: *core, b: Core::Point, b_in_a, size }.closest(limit)
    };
    let found = nearest::point(core, p).or_else(iterated)?;
    (found.distance <= limit && core.held_near(found.normal, ON_SIDE).is_some()).then_some(found)
}
