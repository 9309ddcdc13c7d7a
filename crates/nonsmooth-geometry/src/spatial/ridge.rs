//! A core that overlaps a triangle of a surface: the least deep of the normals the surface admits.
//!
//! A triangle alone is a sheet, which a core may leave on either side or past its edges. The solid
//! behind it allows only the triangle's own normal n_T, those between n_T and the neighbour's at a
//! ridge e, and those of the vertices. As for solids, sep(n) is largest where the core has a face
//! (n = −f), or an edge or side line g that crosses the ridge (n = e × g); or, for a rim, at a
//! stationary point in between, which is sought on the ridge's arc of normals.
//!
//! Several triangles may report the same overlap along different normals. As for solids the least deep
//! is the true one, and the others are dropped.

use super::contact::{Contact, Sink};
use super::core::{Core, Held, Triangle, radial};
use super::pair::{Closest, Pair};
use super::polish::{both, on_circle};
use super::surface::{FACE, POLAR};
use glam::DVec3;
use smallvec::SmallVec;
use std::ops::Range;

/// Normals tried on the arc of a ridge, which is shorter than half a circle.
const SAMPLES: usize = 16;
/// Angle between them [rad].
const SPACING: f64 = std::f64::consts::PI / SAMPLES as f64;
/// Times the arc around the best is cut by a third: to 0.003 rad.
const SECTIONS: usize = 12;
/// Newton steps from there.
const STEPS: usize = 4;

/// The admitted normal of largest separation; None if there is none.
pub(crate) fn deepest(pair: &Pair<'_>, t: &Triangle, admits: &dyn Fn(DVec3) -> bool) -> Option<Closest> {
    let mut best = Best { pair, admits, found: None };
    let centre = pair.b_in_a.point(pair.b.centre());
    // A core whose centre has passed the triangle is not pushed back by it.
    if t.normal.dot(centre - t.points[0]) > 0.0 {
        best.offer(t.normal);
    }
    for_faces(pair, t, |f| best.offer(-f));
    for k in (0..3).filter(|k| t.bends.is_ridge[*k]) {
        let ridge = (t.points[(k + 1) % 3] - t.points[k]).normalize();
        for_edges(pair, ridge, |n| best.offer(n));
        if pair.b.is_curved() {
            best.along_arc(t, ridge);
        }
    }
    best.found.map(|(distance, normal)| {
        let support = pair.support(normal);
        let middle = 0.5 * (support.a + support.b);
        let half = 0.5 * distance * normal;
        Closest { normal, distance, on_a: middle - half, on_b: middle + half }
    })
}

struct Best<'p, 'a> {
    pair: &'p Pair<'a>,
    admits: &'p dyn Fn(DVec3) -> bool,
    found: Option<(f64, DVec3)>,
}

impl Best<'_, '_> {
    fn offer(&mut self, n: DVec3) {
        let is_better = |separation: f64| self.found.is_none_or(|(best, _)| separation > best);
        if (self.admits)(n) {
            let separation = self.pair.separation(n);
            if is_better(separation) {
                self.found = Some((separation, n));
            }
        }
    }

    /// Searches the arc of normals across a ridge: samples, then sections, then Newton's method.
    fn along_arc(&mut self, t: &Triangle, ridge: DVec3) {
        let outward = ridge.cross(t.normal);
        let at = |angle: f64| angle.cos() * t.normal + angle.sin() * outward;
        let score = |angle: f64| self.pair.separation(at(angle));
        let samples = (1..SAMPLES).map(|j| j as f64 * SPACING).filter(|angle| (self.admits)(at(*angle)));
        let scored = samples.map(|angle| (score(angle), angle));
        let Some((_, best)) = scored.reduce(|best, next| if next.0 > best.0 { next } else { best })
        else {
            return;
        };
        let (mut low, mut high) = (best - SPACING, best + SPACING);
        for _ in 0..SECTIONS {
            let third = (high - low) / 3.0;
            if score(low + third) < score(high - third) {
                low += third;
            } else {
                high -= third;
            }
        }
        let mut n = at(0.5 * (low + high));
        for _ in 0..STEPS {
            let Some(next) = on_circle(self.pair, n, Held { axis: ridge, sine: 0.0 }, high - low) else {
                return;
            };
            n = next;
        }
        self.offer(n);
    }
}

/// Outward normals of the faces of b, and of its smooth sides next to the triangle's vertices.
fn for_faces(pair: &Pair<'_>, t: &Triangle, mut visit: impl FnMut(DVec3)) {
    let mut visit = |f: DVec3| visit(pair.b_in_a.vector(f));
    let vertices = || t.points.iter().map(|p| pair.b_in_a.inverse_point(*p));
    match pair.b {
        Core::Cuboid { .. } => DVec3::AXES.iter().for_each(|axis| {
            visit(*axis);
            visit(-*axis);
        }),
        Core::Hull(hull) => hull.faces.iter().for_each(|face| visit(face.normal)),
        Core::Triangle(u) => visit(u.normal),
        Core::Cylinder { .. } => {
            visit(DVec3::Z);
            visit(-DVec3::Z);
            vertices().for_each(|v| visit(radial(v)));
        }
        Core::Cone { half, radius } => {
            visit(-DVec3::Z);
            vertices().for_each(|v| visit((2.0 * half * radial(v) + radius * DVec3::Z).normalize()));
        }
        Core::Point | Core::Segment { .. } => {}
    }
}

/// Unit vectors perpendicular to a ridge and to an edge of b, or to a ridge and on a smooth side of b.
fn for_edges(pair: &Pair<'_>, ridge: DVec3, mut visit: impl FnMut(DVec3)) {
    let mut crossed = |g: DVec3| {
        if let Some(n) = ridge.cross(pair.b_in_a.vector(g)).try_normalize() {
            visit(n);
            visit(-n);
        }
    };
    match pair.b {
        Core::Segment { .. } | Core::Cylinder { .. } => crossed(DVec3::Z),
        Core::Cuboid { .. } => DVec3::AXES.into_iter().for_each(crossed),
        Core::Triangle(u) => (0..3).for_each(|k| crossed(u.points[(k + 1) % 3] - u.points[k])),
        Core::Hull(hull) => {
            // Only edges between whose faces the normal falls can touch.
            let ridge = pair.b_in_a.inverse_vector(ridge);
            for (edge, sides) in hull.edges.iter().zip(&hull.sides) {
                let g = hull.points[edge[1] as usize] - hull.points[edge[0] as usize];
                let [f, h] = sides.map(|f| hull.faces[f as usize].normal);
                let n = ridge.cross(g);
                if n.dot(f.cross(g)) * n.dot(h.cross(g)) <= 0.0 {
                    crossed(g);
                }
            }
        }
        Core::Cone { half, radius } => {
            let side =
                Held { axis: -pair.b_in_a.rotation.z_axis, sine: radius / radius.hypot(2.0 * half) };
            let across = Held { axis: ridge, sine: 0.0 };
            let near: SmallVec<[DVec3; 2]> =
                SmallVec::from_buf([1.0, -1.0].map(|s| s * side.axis.cross(ridge)));
            for n in near.into_iter().filter_map(|near| both(side, across, near)) {
                visit(n);
            }
        }
        Core::Point => {}
    }
}

/// Overlaps of flat things are at most this many times as wide as deep, but between nearly parallel faces.
const WIDTH: f64 = 4.0;

/// A normal and the separation along it.
pub(super) type Side = (DVec3, f64);

/// Contacts of one triangle with an overlapping core, all with one normal; in the world.
pub(super) struct Overlap {
    contacts: Range<usize>,
    normal: DVec3,
    /// Of the whole core from the triangle along the normal [m], < 0.
    separation: f64,
    /// Of the deepest point found [m], < 0.
    distance: f64,
    /// The deepest point, on the surface.
    point: DVec3,
    corners: [DVec3; 3],
    /// How far the overlap reaches to the sides [m].
    width: f64,
    is_dropped: bool,
}

impl Overlap {
    /// None if nothing overlaps. A curved core of size r that is d deep is 2√(2rd) wide there.
    pub fn new(
        t: &Triangle,
        (normal, separation): Side,
        curved_size: f64,
        first: usize,
        sink: &Sink<'_>,
    ) -> Option<Self> {
        let contacts = first..sink.out.len();
        let deepest =
            sink.out[contacts.clone()].iter().min_by(|p, q| p.distance.total_cmp(&q.distance))?;
        if deepest.distance >= 0.0 {
            return None;
        }
        let point = if sink.is_swapped { deepest.on_b() } else { deepest.on_a() };
        Some(Self {
            contacts,
            normal: sink.world_from_work.vector(normal),
            separation,
            distance: deepest.distance,
            point: point.into(),
            corners: t.points.map(|p| sink.world_from_work.point(p)),
            width: WIDTH * -deepest.distance + 2.0 * (-2.0 * curved_size * deepest.distance).sqrt(),
            is_dropped: false,
        })
    }

    /// Whether another overlap is this one seen along a worse normal: at the same place, deeper, and
    /// on a triangle behind the plane of contact, as the sides of a ridge or corner are. In a
    /// valley each side is in front of the other's plane, and both stay.
    fn explains(&self, other: &Self, size: f64) -> bool {
        let same_normal = self.normal.distance(other.normal) <= FACE;
        !same_normal
            && other.separation < self.separation
            && self.point.distance(other.point) <= other.width
            && other
                .corners
                .iter()
                .all(|c| self.normal.dot(*c - self.point) <= POLAR * size - self.distance)
    }
}

/// Takes out the contacts of overlaps that others explain.
pub(super) fn drop_deeper(overlaps: &mut [Overlap], size: f64, start: usize, out: &mut Vec<Contact>) {
    for j in 0..overlaps.len() {
        let is_explained = overlaps.iter().any(|overlap| overlap.explains(&overlaps[j], size));
        overlaps[j].is_dropped = is_explained;
    }
    if overlaps.iter().all(|overlap| !overlap.is_dropped) {
        return;
    }
    let mut index = 0;
    out.retain(|_| {
        index += 1;
        let at = index - 1;
        at < start
            || !overlaps.iter().any(|overlap| overlap.is_dropped && overlap.contacts.contains(&at))
    });
}
