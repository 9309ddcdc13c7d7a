//! Clips polygons in the eye's frame, so that what is left has samples of moderate size.
//!
//! Planes: z ≥ near, and a guard on each side far outside the picture; corners inside all of them need no
//! clipping. By Sutherland and Hodgman, one plane after the other.

use super::view::View;
use glam::DVec3;

/// Half width and height of the guard, in widths and heights of the picture: coordinates keep 40 bits for a sample.
const GUARD: f64 = 16.0;
/// Coordinates beyond this [m] overflow when squared; such a triangle is not drawn.
const HUGE: f64 = 1e100;

/// A corner in the eye's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Corner {
    pub at: DVec3,
    pub normal: DVec3,
}

/// A half-space n·p ≥ d of the eye's frame.
#[derive(Clone, Copy, Debug)]
struct Plane {
    n: DVec3,
    d: f64,
}

/// The planes of a view.
#[derive(Clone, Debug)]
pub(super) struct Clip {
    planes: Vec<Plane>,
}

impl Clip {
    /// What this view shows.
    pub fn new(view: &View) -> Self {
        let x = GUARD * view.width as f64 / view.scale;
        let y = GUARD * view.height as f64 / view.scale;
        let side = |n: DVec3, most: f64| {
            // Perspective: ±x ≤ most·z; else ±x ≤ most.
            if view.is_perspective {
                Plane { n: n + DVec3::Z * most, d: 0.0 }
            } else {
                Plane { n, d: -most }
            }
        };
        let mut planes =
            vec![side(DVec3::X, x), side(DVec3::NEG_X, x), side(DVec3::Y, y), side(DVec3::NEG_Y, y)];
        if view.is_perspective {
            planes.push(Plane { n: DVec3::Z, d: view.near });
        }
        Self { planes }
    }

    /// Whether a point is inside all planes.
    pub fn holds(&self, p: DVec3) -> bool {
        self.planes.iter().all(|plane| plane.n.dot(p) >= plane.d)
    }

    /// The part of a convex polygon inside all planes; empty if there is none or it cannot be computed.
    pub fn polygon(&self, corners: &[Corner]) -> Vec<Corner> {
        let mut inside = corners.to_vec();
        if corners.iter().any(|c| !(c.at.abs().max_element() < HUGE)) {
            inside.clear();
        }
        for plane in &self.planes {
            let before = std::mem::take(&mut inside);
            for (k, here) in before.iter().enumerate() {
                let next = &before[(k + 1) % before.len()];
                let (a, b) = (plane.n.dot(here.at) - plane.d, plane.n.dot(next.at) - plane.d);
                if a >= 0.0 {
                    inside.push(*here);
                }
                if (a >= 0.0) != (b >= 0.0) {
                    inside.push(between(here, next, a / (a - b)));
                }
            }
        }
        inside
    }

    /// The part of a segment inside all planes.
    pub fn segment(&self, mut ends: [DVec3; 2]) -> Option<[DVec3; 2]> {
        if ends.iter().any(|p| !(p.abs().max_element() < HUGE)) {
            return None;
        }
        for plane in &self.planes {
            let [a, b] = ends.map(|p| plane.n.dot(p) - plane.d);
            let cut = ends[0].lerp(ends[1], a / (a - b));
            match (a >= 0.0, b >= 0.0) {
                (true, true) => {}
                (true, false) => ends[1] = cut,
                (false, true) => ends[0] = cut,
                (false, false) => return None,
            }
        }
        Some(ends)
    }
}

fn between(p: &Corner, q: &Corner, part: f64) -> Corner {
    Corner { at: p.at.lerp(q.at, part), normal: p.normal.lerp(q.normal, part) }
}
