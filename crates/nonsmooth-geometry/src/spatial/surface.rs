//! Surfaces of triangles against convex cores, without ghost contacts.
//!
//! A triangle alone would report contacts at edges and vertices that lie inside the surface. A true
//! contact at a point c of the surface has a normal n in the polar cone of the surface's directions
//! there: moving from c along the surface must not bring one nearer,
//!
//!     n·m ≤ 0  for every direction m from c into the surface,   and n looks out of its front.
//!
//! At an edge m are the two directions into its triangles, at a vertex the edges that start there.
//! On a flat or hollow edge this leaves only the normals of the faces, so that a triangle between
//! such edges has no normal but its own. If the normal of closest approach fails the test, the core
//! is either nearest to another triangle, or it overlaps this one near its edge; then too the
//! triangle's own normal is taken, for those points that lie over it.

use super::contact::{Found, Sink};
use super::core::{Bends, Core, Triangle};
use super::height_field::HeightField;
use super::mesh::Mesh;
use super::nearest;
use super::pair::{Closest, Pair};
use super::patch::{certifies, patch, push_closest};
use super::pose::Isometry;
use crate::feature::Feature;
use glam::DVec3;

/// Sine of the angle by which a normal may miss the polar cone: round-off, and flat surfaces whose
/// vertices were rounded to single precision stay free of ghosts up to this bend.
const POLAR: f64 = 1e-6;
/// Normals within this angle [rad] of the face's are the face's.
const FACE: f64 = 1e-6;

/// A surface that can list its triangles.
#[derive(Clone, Copy)]
pub(crate) enum Surface<'a> {
    Mesh(&'a Mesh),
    Field(&'a HeightField),
}

/// The neighbour across an edge: where it leads, and its normal.
pub(crate) struct Wing {
    into: DVec3,
    normal: DVec3,
}

impl Wing {
    /// Across the edge from p to q lies a triangle with third corner r.
    pub fn new(p: DVec3, q: DVec3, r: DVec3, normal: DVec3) -> Self {
        let e = (q - p).normalize();
        let into = (r - p) - (r - p).dot(e) * e;
        Self { into: into.normalize(), normal }
    }
}

/// How a triangle goes over into the neighbours beyond its sides.
pub(crate) fn bends(normal: DVec3, wings: [Option<Wing>; 3]) -> Bends {
    let rise = wings.map(|wing| wing.map(|wing| wing.into.dot(normal)));
    Bends {
        is_flat: rise.map(|rise| rise.is_some_and(|rise| rise.abs() <= POLAR)),
        is_inner: rise.iter().all(|rise| rise.is_some_and(|rise| rise >= -POLAR)),
    }
}

impl Surface<'_> {
    /// Calls `visit` for every vertex.
    pub fn vertices(&self, mut visit: impl FnMut(DVec3, u32)) {
        match self {
            Surface::Mesh(mesh) => mesh.points.iter().zip(0..).for_each(|(p, i)| visit(*p, i)),
            Surface::Field(field) => field.points().zip(0..).for_each(|(p, i)| visit(p, i)),
        }
    }

    /// Lowest and highest corner of a box around the surface, in a frame given by its place in this one's.
    pub fn extent_in(&self, frame: &Isometry) -> (DVec3, DVec3) {
        let (low, high) = match self {
            Surface::Mesh(mesh) => mesh.extent(),
            Surface::Field(field) => field.extent(),
        };
        let centre = frame.inverse_point(0.5 * (low + high));
        let half = frame.rotation.transpose().abs() * (0.5 * (high - low));
        (centre - half, centre + half)
    }

    pub fn near(&self, low: DVec3, high: DVec3, visit: impl FnMut(u32)) {
        match self {
            Surface::Mesh(mesh) => mesh.near(low, high, visit),
            Surface::Field(field) => field.near(low, high, visit),
        }
    }

    pub fn triangle(&self, index: u32) -> Triangle {
        match self {
            Surface::Mesh(mesh) => mesh.triangle(index),
            Surface::Field(field) => field.triangle(index),
        }
    }

    fn beyond(&self, t: &Triangle, k: usize) -> Option<Wing> {
        match self {
            Surface::Mesh(mesh) => mesh.beyond(t, k),
            Surface::Field(field) => field.beyond(t, k),
        }
    }

    /// Whether n leaves every edge at a vertex and looks out of the front.
    fn admits_at_vertex(&self, vertex: u32, at: DVec3, n: DVec3) -> bool {
        let leaves = |to: DVec3| n.dot(to - at) <= POLAR * (to - at).length();
        match self {
            Surface::Mesh(mesh) => {
                mesh.around(vertex).all(leaves) && n.dot(mesh.vertex_normal(vertex)) > 0.0
            }
            Surface::Field(field) => field.around(vertex).all(leaves) && n.z > 0.0,
        }
    }

    /// Whether n is a normal of the surface where triangle t is touched along n.
    pub fn admits(&self, t: &Triangle, n: DVec3) -> bool {
        let heights = t.points.map(|p| n.dot(p));
        let top = heights[0].max(heights[1]).max(heights[2]);
        let longest = (0..3).map(|k| (t.points[(k + 1) % 3] - t.points[k]).length()).fold(0.0, f64::max);
        let touches = heights.map(|height| height >= top - POLAR * longest);
        match touches {
            [true, true, true] => n.dot(t.normal) > 0.0,
            [true, true, false] => self.admits_at_edge(t, 0, n),
            [false, true, true] => self.admits_at_edge(t, 1, n),
            [true, false, true] => self.admits_at_edge(t, 2, n),
            _ => {
                let k = touches.iter().position(|touched| *touched).unwrap_or(0);
                self.admits_at_vertex(t.vertices[k], t.points[k], n)
            }
        }
    }

    fn admits_at_edge(&self, t: &Triangle, k: usize, n: DVec3) -> bool {
        match self.beyond(t, k) {
            Some(wing) => n.dot(wing.into) <= POLAR && n.dot(wing.normal + t.normal) > 0.0,
            None => n.dot(t.normal) >= -POLAR,
        }
    }
}

/// A surface and a core near it, in the frame of the surface.
pub(crate) struct Near<'a> {
    pub surface: Surface<'a>,
    pub core: Core<'a>,
    pub placement: Isometry,
    /// Of the core [m].
    pub size: f64,
    /// The surface to which the core belongs if it is itself a triangle.
    pub other: Option<Surface<'a>>,
}

impl Near<'_> {
    /// Appends the contacts with all triangles in the box around the core.
    pub fn contacts(&self, sink: &mut Sink<'_>) {
        let reach = sink.limit();
        let (low, high) = super::bounds::extent(&self.core, &self.placement);
        self.surface
            .near(low - reach, high + reach, |index| self.triangle(&self.surface.triangle(index), sink));
    }

    fn triangle(&self, t: &Triangle, sink: &mut Sink<'_>) {
        let limit = sink.limit();
        let pair = Pair { a: Core::Triangle(t), b: self.core, b_in_a: self.placement, size: self.size };
        let above = pair.separation(t.normal);
        // Too far above the triangle, or all behind it; a ball may have its centre behind.
        let is_point = matches!(self.core, Core::Point);
        if above > limit || (pair.separation(-t.normal) > 0.0 && !is_point) {
            return;
        }
        if let Core::Triangle(u) = &self.core
            && pair.separation(self.placement.vector(u.normal)) > 0.0
        {
            return;
        }
        if is_point {
            return self.ball(&pair, t, sink);
        }
        if self.other.is_none() && t.bends.is_inner {
            return own_normal(&pair, t, above, sink);
        }
        let Some(mut closest) = pair.closest(limit) else { return };
        if (closest.normal - t.normal).length() <= FACE {
            closest.normal = t.normal;
            closest.distance = above;
        }
        if self.admits(t, closest.normal) {
            let least = patch(&pair, closest.normal, sink);
            if !certifies(least, closest.distance, pair.size) {
                push_closest(&pair, &closest, sink);
            }
        } else if let Core::Triangle(u) = &self.core {
            self.face_normals(&pair, (t, u), sink);
        } else {
            own_normal(&pair, t, above, sink);
        }
    }

    fn admits(&self, t: &Triangle, n: DVec3) -> bool {
        let by_other = match (&self.other, &self.core) {
            (Some(other), Core::Triangle(u)) => other.admits(u, self.placement.inverse_vector(-n)),
            _ => true,
        };
        by_other && self.surface.admits(t, n)
    }

    /// A point has one nearest point on the triangle: a contact of the surface or none.
    fn ball(&self, pair: &Pair<'_>, t: &Triangle, sink: &mut Sink<'_>) {
        let p = self.placement.translation;
        let Some(mut closest) = nearest::point(&pair.a, p) else { return };
        if closest.distance > sink.limit() {
            return;
        }
        if closest.normal == -t.normal {
            // Behind the face by less than the radius, the centre has passed the surface; by more,
            // the ball is on the other side.
            if closest.distance > sink.radii.1 {
                return;
            }
            closest = Closest { normal: t.normal, distance: -closest.distance, ..closest };
        } else if (closest.normal - t.normal).length() <= FACE {
            closest.normal = t.normal;
        }
        if closest.normal == t.normal || (!t.bends.is_inner && self.surface.admits(t, closest.normal)) {
            push_touched(t, &closest, sink);
        }
    }

    /// Of two triangles of surfaces, the normal of that one which is passed less deeply by the other.
    fn face_normals(&self, pair: &Pair<'_>, (t, u): (&Triangle, &Triangle), sink: &mut Sink<'_>) {
        let normals = [t.normal, -self.placement.vector(u.normal)];
        let apart = -pair.centre();
        let serves = |n: &DVec3| n.dot(apart) > 0.0 && self.admits(t, *n);
        let best = normals.into_iter().filter(serves).map(|n| (pair.separation(n), n));
        if let Some((_, normal)) = best.reduce(|best, next| if next.0 > best.0 { next } else { best }) {
            patch(pair, normal, sink);
        }
    }
}

/// The points of a core that lie over a triangle, with the triangle's normal.
///
/// A core whose centre has passed the triangle is not pushed back by it: it may belong to the other
/// side of a thin body.
fn own_normal(pair: &Pair<'_>, t: &Triangle, above: f64, sink: &mut Sink<'_>) {
    let centre = pair.b_in_a.point(pair.b.centre());
    if !(t.normal.dot(centre - t.points[0]) > 0.0) {
        return;
    }
    // Beside the triangle: all beyond one of its edges.
    let is_beside = (0..3).any(|k| {
        let along = t.points[(k + 1) % 3] - t.points[k];
        let outward = along.cross(t.normal);
        let nearest = pair.b.support(pair.b_in_a.inverse_vector(-outward)).0;
        outward.dot(pair.b_in_a.point(nearest) - t.points[k]) > FACE * outward.length_squared()
    });
    if is_beside {
        return;
    }
    let least = patch(pair, t.normal, sink);
    if pair.b.is_curved() && !certifies(least, above, pair.size) {
        // The lowest point of a rim, if it is over this triangle.
        let on_b = pair.support(t.normal).b;
        let on_a = on_b - above * t.normal;
        if t.covers(on_a) {
            push_closest(pair, &Closest { normal: t.normal, distance: above, on_a, on_b }, sink);
        }
    }
}

/// Appends a point on a triangle, named after the vertex, edge or face it lies on.
fn push_touched(t: &Triangle, closest: &Closest, sink: &mut Sink<'_>) {
    let c = closest.on_a;
    let size = (t.points[1] - t.points[0]).length().max((t.points[2] - t.points[0]).length());
    let tolerance = FACE * size;
    let vertex = (0..3).find(|&k| (t.points[k] - c).length() <= tolerance);
    let edge = (0..3).find(|&k| {
        let (from, to) = (t.points[k], t.points[(k + 1) % 3]);
        (to - from).cross(c - from).length() <= tolerance * (to - from).length()
    });
    let feature = match (vertex, edge) {
        (Some(k), _) => Feature::vertex(t.vertices[k]),
        (None, Some(k)) => Feature::edge(t.edges[k]),
        _ => Feature::face(t.index),
    };
    let middle = 0.5 * (closest.on_a + closest.on_b);
    sink.push(Found {
        middle,
        normal: closest.normal,
        distance: closest.distance,
        features: (feature, Feature::vertex(0)),
    });
}
