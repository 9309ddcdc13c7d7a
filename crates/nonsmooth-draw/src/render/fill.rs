//! Fills triangles row by row.
//!
//! A sample belongs to a triangle if its centre does. Where an edge crosses a row is computed from its ends
//! in a fixed order, so that two triangles with a common edge leave no gap and overlap nowhere.

use super::view::Spot;
use glam::{DVec2, Vec3};
use std::ops::Range;

/// A corner of a triangle in samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub at: DVec2,
    pub key: f64,
    /// Of any length: with perspective it is weighted by the key, so that it is affine in the samples.
    pub normal: Vec3,
}

impl Point {
    /// A corner at this spot with this normal.
    pub fn new(spot: Spot, normal: Vec3) -> Self {
        Self { at: spot.at, key: spot.key, normal }
    }
}

/// Twice the signed area in samples; positive if turned away from the eye, as y is down.
pub(super) fn turn(p: &[Point; 3]) -> f64 {
    (p[1].at - p[0].at).perp_dot(p[2].at - p[0].at)
}

/// Calls `put(x, y, key, normal)` for the samples of a triangle in the given rows.
pub(super) fn fill(
    points: &[Point; 3],
    rows: &Range<usize>,
    width: usize,
    mut put: impl FnMut(usize, usize, f32, Vec3),
) {
    let area = turn(points);
    if !(area.abs() > 1e-12) {
        return;
    }
    let (dx, dy) = gradients(points, area);
    let [low, high] = [f64::min, f64::max].map(|f| points.iter().map(|p| p.key).fold(points[0].key, f));
    let normal = points.map(|p| p.normal);
    let across = Gradient::new(points, normal, area);
    let range = |least: f64, most: f64, from: usize, to: usize| {
        // `as` clips what lies outside.
        ((least - 0.5).ceil().max(0.0) as usize).max(from)
            ..((most - 0.5).ceil().max(0.0) as usize).min(to)
    };
    let [top, bottom] =
        [f64::min, f64::max].map(|f| points.iter().map(|p| p.at.y).fold(points[0].at.y, f));
    for y in range(top, bottom, rows.start, rows.end) {
        let centre = y as f64 + 0.5;
        let (least, most) = crossings(points, centre);
        let span = range(least, most, 0, width);
        let start = DVec2::new(span.start as f64 + 0.5, centre) - points[0].at;
        let mut key = points[0].key + dx * start.x + dy * start.y;
        let mut normal = across.at(start);
        for x in span {
            // A sliver's gradients are large; its keys stay between those of its corners.
            put(x, y, key.max(low).min(high) as f32, normal);
            key += dx;
            normal += across.dx;
        }
    }
}

/// ∂key/∂x and ∂key/∂y.
fn gradients(p: &[Point; 3], area: f64) -> (f64, f64) {
    let (u, v) = (p[1].at - p[0].at, p[2].at - p[0].at);
    let (a, b) = (p[1].key - p[0].key, p[2].key - p[0].key);
    ((a * v.y - b * u.y) / area, (b * u.x - a * v.x) / area)
}

/// The normal over a triangle.
struct Gradient {
    origin: Vec3,
    dx: Vec3,
    dy: Vec3,
}

impl Gradient {
    fn new(p: &[Point; 3], normal: [Vec3; 3], area: f64) -> Self {
        let (u, v) = ((p[1].at - p[0].at) / area, (p[2].at - p[0].at) / area);
        let (u, v) = (u.as_vec2(), v.as_vec2());
        let (a, b) = (normal[1] - normal[0], normal[2] - normal[0]);
        Self { origin: normal[0], dx: a * v.y - b * u.y, dy: b * u.x - a * v.x }
    }

    fn at(&self, d: DVec2) -> Vec3 {
        self.origin + self.dx * d.x as f32 + self.dy * d.y as f32
    }
}

/// Where the outline crosses a row: least and greatest x.
fn crossings(points: &[Point; 3], y: f64) -> (f64, f64) {
    let mut found = (f64::INFINITY, f64::NEG_INFINITY);
    for k in 0..3 {
        let (p, q) = (points[k].at, points[(k + 1) % 3].at);
        let (p, q) = if (p.y, p.x) <= (q.y, q.x) { (p, q) } else { (q, p) };
        if p.y <= y && y < q.y {
            let x = p.x + (y - p.y) / (q.y - p.y) * (q.x - p.x);
            found = (found.0.min(x), found.1.max(x));
        }
    }
    found
}
