//! The contact patch of two convex cores with a given common normal n.
//!
//! The outlines that face each other are projected along n. The corners of the intersection of the
//! two polygons are a vertex of one over the face of the other, or a crossing of two edges, which
//! also names them. Each is lifted back to both outlines, and the distance is taken along n.
//! The same serves edges and vertices, as polygons of two corners and one.
//! Ends of rods that lie along each other join it, with normals of their own (`ends.rs`).

use super::contact::{Found, Sink};
use super::core::{Core, SMOOTH};
use super::ends::{ends, have_ends};
use super::outline::{Outline, OutlineCorner};
use super::pair::{Closest, Pair};
use crate::feature::Feature;
use crate::frame::tangents;
use glam::{DVec2, DVec3};
use smallvec::SmallVec;

/// Part of the size by which a point may lie outside a polygon and still count as inside, and
/// within which corners coincide.
const INSIDE: f64 = 1e-12;
/// Sine of the angle below which two edges do not cross.
const PARALLEL: f64 = 1e-9;
/// Part of the size by which the closest points must undercut the patch to join it.
const DEEPER: f64 = 1e-12;

/// An outline projected along n.
struct Projected {
    outline: Outline,
    sides: SmallVec<[Side; 8]>,
    /// +1 if the corners run counter-clockwise.
    turn: f64,
}

/// A projected corner and the edge from it to the next.
struct Side {
    at: DVec2,
    along: DVec2,
    length: f64,
}

impl Projected {
    fn new(outline: Outline, [t1, t2]: [DVec3; 2]) -> Self {
        let flat = |k: usize| {
            let p = outline.corners[k].point;
            DVec2::new(p.dot(t1), p.dot(t2))
        };
        let n = outline.corners.len();
        let first = flat(0);
        let (mut at, mut area) = (first, 0.0);
        let mut sides = SmallVec::new();
        for k in 0..n {
            let next = if k + 1 < n { flat(k + 1) } else { first };
            let along = next - at;
            area += (at - first).perp_dot(along);
            sides.push(Side { at, along, length: along.length() });
            at = next;
        }
        Self { outline, sides, turn: area.signum() }
    }

    /// Edges: none of a vertex, one of an edge.
    fn edges(&self) -> &[Side] {
        match self.sides.len() {
            1 => &[],
            2 => &self.sides[..1],
            _ => &self.sides,
        }
    }

    fn contains(&self, p: DVec2, tolerance: f64) -> bool {
        match &self.sides[..] {
            [corner] => (p - corner.at).length() <= tolerance,
            [from, _] => (p - from.at - from.along * self.fraction(p)).length() <= tolerance,
            sides => sides
                .iter()
                .all(|side| self.turn * side.along.perp_dot(p - side.at) >= -tolerance * side.length),
        }
    }

    /// The corner that coincides with a point.
    fn corner_at(&self, p: DVec2, tolerance: f64) -> Option<&OutlineCorner> {
        let k =
            self.sides.iter().position(|side| side.at.distance_squared(p) <= tolerance * tolerance)?;
        Some(&self.outline.corners[k])
    }

    /// Where along an edge of two corners a point projects.
    fn fraction(&self, p: DVec2) -> f64 {
        let Side { at, along, .. } = self.sides[0];
        let length_squared = along.length_squared();
        if length_squared > 0.0 { ((p - at).dot(along) / length_squared).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// The point over or under q, along n.
    fn point_over(&self, q: DVec3, p: DVec2, n: DVec3) -> DVec3 {
        let corners = &self.outline.corners;
        match corners.len() {
            1 => corners[0].point,
            2 => corners[0].point.lerp(corners[1].point, self.fraction(p)),
            _ => {
                let normal = self.outline.normal;
                q + n * ((corners[0].point - q).dot(normal) / n.dot(normal))
            }
        }
    }

    fn feature(&self) -> Feature {
        match self.sides.len() {
            1 => Feature::vertex(self.outline.corners[0].vertex),
            2 => Feature::edge(self.outline.corners[0].edge),
            _ => Feature::face(self.outline.face),
        }
    }

    fn point_on_edge(&self, k: usize, t: f64) -> DVec3 {
        let corners = &self.outline.corners;
        corners[k].point.lerp(corners[(k + 1) % corners.len()].point, t)
    }
}

/// Appends the patch; the least distance of the cores found, whether within the prediction or not.
pub(crate) fn patch(pair: &Pair<'_>, n: DVec3, sink: &mut Sink<'_>) -> f64 {
    let axes = tangents(n);
    let a = Projected::new(pair.a.outline(n), axes);
    let toward_a = pair.b_in_a.inverse_vector(-n);
    let b = Projected::new(pair.b.outline(toward_a).transformed(&pair.b_in_a), axes);
    let tolerance = INSIDE * pair.size;
    let mut least = f64::INFINITY;
    // Lines drawn on a face of a surface make no corners, but what lies on them counts for the least.
    let mut push = |on_a: DVec3, on_b: DVec3, features: (Feature, Feature), is_real: bool| {
        let distance = (on_b - on_a).dot(n);
        least = least.min(distance);
        if is_real {
            sink.push(Found { middle: 0.5 * (on_a + on_b), normal: n, distance, features });
        }
    };
    for (corner, side) in a.outline.corners.iter().zip(&a.sides) {
        let vertex = Feature::vertex(corner.vertex);
        if let Some(twin) = b.corner_at(side.at, tolerance) {
            push(corner.point, twin.point, (vertex, Feature::vertex(twin.vertex)), true);
        } else if b.contains(side.at, tolerance) {
            let on_b = b.point_over(corner.point, side.at, n);
            push(corner.point, on_b, (vertex, b.feature()), corner.is_real.0);
        }
    }
    for (corner, side) in b.outline.corners.iter().zip(&b.sides) {
        if a.contains(side.at, tolerance) && a.corner_at(side.at, tolerance).is_none() {
            let on_a = a.point_over(corner.point, side.at, n);
            push(on_a, corner.point, (a.feature(), Feature::vertex(corner.vertex)), corner.is_real.0);
        }
    }
    for (i, e) in a.edges().iter().enumerate() {
        for (j, f) in b.edges().iter().enumerate() {
            if let Some((s, t)) = crossing(e, f, tolerance) {
                let (e, f) = (&a.outline.corners[i], &b.outline.corners[j]);
                let features = (Feature::edge(e.edge), Feature::edge(f.edge));
                let is_real = e.is_real.1 && f.is_real.1;
                push(a.point_on_edge(i, s), b.point_on_edge(j, t), features, is_real);
            }
        }
    }
    if a.sides.len() == 2 && b.sides.len() == 2 && have_ends(pair) {
        ends(pair, (&a.outline, &b.outline), sink);
    }
    least
}

/// The patch, and the closest points where they lie deeper than all of it.
pub(crate) fn patch_and_closest(pair: &Pair<'_>, closest: &Closest, sink: &mut Sink<'_>) {
    let least = patch(pair, closest.normal, sink);
    if least > closest.distance + DEEPER * pair.size {
        push_closest(pair, closest, sink);
    }
}

/// The surface of a core as a whole, where it has one point of contact and no flat feature.
const WHOLE: Feature = Feature::face(SMOOTH);

/// Appends the closest points alone.
pub(crate) fn push_closest(pair: &Pair<'_>, closest: &Closest, sink: &mut Sink<'_>) {
    let feature = |core: &Core<'_>| match core {
        Core::Triangle(t) => Feature::face(t.index),
        Core::Point => Feature::vertex(0),
        _ => WHOLE,
    };
    sink.push(Found {
        middle: 0.5 * (closest.on_a + closest.on_b),
        normal: closest.normal,
        distance: closest.distance,
        features: (feature(&pair.a), feature(&pair.b)),
    });
}

/// Whether the least distance of the patch certifies a separation as the distance.
pub(crate) fn certifies(least: f64, separation: f64, size: f64) -> bool {
    least <= separation + DEEPER * size
}

/// Where two edges cross between their ends, as parts of their lengths.
fn crossing(e: &Side, f: &Side, tolerance: f64) -> Option<(f64, f64)> {
    let sine = e.along.perp_dot(f.along);
    if sine.abs() <= PARALLEL * e.length * f.length {
        return None;
    }
    let between = f.at - e.at;
    let (s, t) = (between.perp_dot(f.along) / sine, between.perp_dot(e.along) / sine);
    // Nearer to an end than the tolerance, the end itself counts as inside the other polygon.
    let inner = |part: f64, length: f64| part * length > tolerance && (1.0 - part) * length > tolerance;
    (inner(s, e.length) && inner(t, f.length)).then_some((s, t))
}
