//! Contacts of a convex core with the triangles of a surface near it.
//!
//! The normal of closest approach to a triangle is taken if the surface admits it there (`surface.rs`).
//! If not, the core is either nearest to another triangle, or over this one but nearest to its
//! edge; then the triangle's own normal is taken, for those points that lie over it. Cores that
//! overlap the triangle are for `ridge.rs`.

use super::contact::{Found, Sink};
use super::core::{Core, Triangle};
use super::nearest;
use super::pair::{Closest, Pair};
use super::patch::{certifies, patch, push_closest};
use super::ridge::{self, Overlap, Side, drop_deeper};
use super::surface::{FACE, Surface};
use crate::feature::Feature;
use crate::pose::Isometry;
use glam::DVec3;
use smallvec::SmallVec;

/// A surface and a core near it, in the frame of the surface.
pub(crate) struct Near<'a> {
    pub surface: Surface<'a>,
    pub core: Core<'a>,
    pub isometry: Isometry,
    /// Of the core [m].
    pub size: f64,
    /// The surface to which the core belongs if it is itself a triangle.
    pub other: Option<Surface<'a>>,
}

impl Near<'_> {
    /// Appends the contacts with all triangles in the box around the core.
    pub fn contacts(&self, sink: &mut Sink<'_>) {
        let reach = sink.limit();
        let (low, high) = super::bounds::extent(&self.core, &self.isometry);
        let start = sink.out.len();
        let curved_size = if self.core.is_curved() { self.size } else { 0.0 };
        let mut overlaps: SmallVec<[Overlap; 32]> = SmallVec::new();
        self.surface.near(low - reach, high + reach, |index| {
            let t = self.surface.triangle(index);
            let first = sink.out.len();
            let found = self.triangle(&t, sink);
            if let Some(side) = found.filter(|_| sink.out.len() > first) {
                overlaps.extend(Overlap::new(&t, side, curved_size, first, sink));
            }
        });
        drop_deeper(&mut overlaps, self.size, start, sink.out);
    }

    /// Appends the contacts with a triangle; their normal and the separation along it, if the core is
    /// not a point.
    fn triangle(&self, t: &Triangle, sink: &mut Sink<'_>) -> Option<Side> {
        let limit = sink.limit();
        let pair = Pair { a: Core::Triangle(t), b: self.core, b_in_a: self.isometry, size: self.size };
        let above = pair.separation(t.normal);
        // Too far above the triangle, or all behind it; a ball may have its centre behind.
        let is_point = matches!(self.core, Core::Point);
        if above > limit || (pair.separation(-t.normal) > 0.0 && !is_point) {
            return None;
        }
        if let Core::Triangle(u) = &self.core
            && pair.separation(self.isometry.vector(u.normal)) > 0.0
        {
            return None;
        }
        if is_point {
            self.ball(&pair, t, sink);
            return None;
        }
        if self.other.is_none() && t.bends.is_inner {
            return own_normal(&pair, t, above, sink);
        }
        // A core that leans over the edge of the triangle may be below its plane and not touch it.
        let mut closest = pair.closest(limit.max(-above))?;
        if closest.distance <= 0.0 {
            closest = ridge::deepest(&pair, t, &|n| self.admits(t, n))?;
            return with_admitted(&pair, t, &closest, sink);
        }
        if (closest.normal - t.normal).length() <= FACE {
            closest.normal = t.normal;
            closest.distance = above;
        }
        if closest.distance > limit || !self.admits(t, closest.normal) {
            return self.face_normal(&pair, t, above, sink);
        }
        let least = patch(&pair, closest.normal, sink);
        if !certifies(least, closest.distance, pair.size) {
            push_closest(&pair, &closest, sink);
        }
        Some((closest.normal, closest.distance))
    }

    /// The triangle's own normal; of two triangles of surfaces, that of the one which the other passes
    /// less deeply.
    fn face_normal(
        &self,
        pair: &Pair<'_>,
        t: &Triangle,
        above: f64,
        sink: &mut Sink<'_>,
    ) -> Option<Side> {
        let Core::Triangle(u) = &self.core else { return own_normal(pair, t, above, sink) };
        let normals = [t.normal, -self.isometry.vector(u.normal)];
        let apart = -pair.centre();
        let serves = |n: &DVec3| n.dot(apart) > 0.0 && self.admits(t, *n);
        let sides = normals.into_iter().filter(serves).map(|n| (n, pair.separation(n)));
        let side = sides.reduce(|best, next| if next.1 > best.1 { next } else { best })?;
        patch(pair, side.0, sink);
        Some(side)
    }

    fn admits(&self, t: &Triangle, n: DVec3) -> bool {
        let by_other = match (&self.other, &self.core) {
            (Some(other), Core::Triangle(u)) => other.admits(u, self.isometry.inverse_vector(-n)),
            _ => true,
        };
        by_other && self.surface.admits(t, n)
    }

    /// A point has one nearest point on the triangle: a contact of the surface or none.
    fn ball(&self, pair: &Pair<'_>, t: &Triangle, sink: &mut Sink<'_>) {
        let p = self.isometry.translation;
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
            push_on_triangle(t, &closest, sink);
        }
    }
}

/// The patch with a normal that the surface admits, if the triangle has its deepest point, or if the
/// normal is the triangle's own, which others share.
fn with_admitted(pair: &Pair<'_>, t: &Triangle, closest: &Closest, sink: &mut Sink<'_>) -> Option<Side> {
    let start = sink.out.len();
    let least = patch(pair, closest.normal, sink);
    if closest.normal == t.normal {
        lowest_of_rim(pair, t, least, closest.distance, sink);
    } else if !certifies(least, closest.distance, pair.size) {
        // A rim is more than the corners of a patch. If neither its lowest point is on the triangle
        // nor the triangle's highest on it, another triangle has the contact.
        let support = pair.support(closest.normal);
        let way = closest.distance * closest.normal;
        let (below_b, above_a) = (support.b - way, support.a + way);
        let off = |core: &Core<'_>, p: DVec3| {
            nearest::point(core, p).map_or(f64::INFINITY, |c| c.distance.abs())
        };
        let found = if !pair.b.is_curved() {
            None
        } else if off(&pair.a, below_b) <= FACE * pair.size {
            Some((below_b, support.b))
        } else if off(&pair.b, pair.b_in_a.inverse_point(above_a)) <= FACE * pair.size {
            Some((support.a, above_a))
        } else {
            None
        };
        match found {
            Some((on_a, on_b)) => push_closest(pair, &Closest { on_a, on_b, ..*closest }, sink),
            None => sink.out.truncate(start),
        }
    }
    Some((closest.normal, closest.distance))
}

/// The points of a core that lie over a triangle, with the triangle's normal.
///
/// A core whose centre has passed the triangle is not pushed back by it: it may belong to the other
/// side of a thin body.
fn own_normal(pair: &Pair<'_>, t: &Triangle, above: f64, sink: &mut Sink<'_>) -> Option<Side> {
    let centre = pair.b_in_a.point(pair.b.centre());
    if !(t.normal.dot(centre - t.points[0]) > 0.0) {
        return None;
    }
    // Beside the triangle: all beyond one of its edges.
    let is_beside = (0..3).any(|k| {
        let along = t.points[(k + 1) % 3] - t.points[k];
        let outward = along.cross(t.normal);
        let nearest = pair.b.support(pair.b_in_a.inverse_vector(-outward)).0;
        outward.dot(pair.b_in_a.point(nearest) - t.points[k]) > FACE * outward.length_squared()
    });
    if is_beside {
        return None;
    }
    let least = patch(pair, t.normal, sink);
    lowest_of_rim(pair, t, least, above, sink);
    Some((t.normal, above))
}

/// The lowest point of a rim, which a patch of corners has not, if it is over this triangle.
fn lowest_of_rim(pair: &Pair<'_>, t: &Triangle, least: f64, above: f64, sink: &mut Sink<'_>) {
    if pair.b.is_curved() && !certifies(least, above, pair.size) {
        let on_b = pair.support(t.normal).b;
        let on_a = on_b - above * t.normal;
        if t.covers(on_a) {
            push_closest(pair, &Closest { normal: t.normal, distance: above, on_a, on_b }, sink);
        }
    }
}

/// Appends a point on a triangle, named after the vertex, edge or face it lies on.
fn push_on_triangle(t: &Triangle, closest: &Closest, sink: &mut Sink<'_>) {
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
