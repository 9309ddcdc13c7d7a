//! Convex cores: polygons of one, two or more corners, counter-clockwise.
//!
//! Edge k runs from corner k to the next and has the normal on its right, which is outside. A
//! segment is a polygon of two corners whose two edges are its two sides.

use super::chain::Link;
use crate::feature::Feature;
use glam::DVec2;

/// Cosine of the largest tilt of an edge against the tangent at which its ends take part in a patch.
const FLAT: f64 = 0.9;

/// A convex polygon, or a link of a chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Core<'a> {
    pub points: &'a [DVec2],
    /// Of the edges; none of a point.
    pub normals: &'a [DVec2],
    /// The link of which these are the ends.
    pub link: Option<&'a Link>,
}

/// A vertex or an edge that faces a direction: one or two corners, by their places in the core.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outline {
    pub corners: (usize, usize),
    pub feature: Feature,
}

impl<'a> Core<'a> {
    /// The corner farthest along a direction.
    pub fn support(&self, d: DVec2) -> usize {
        let mut best = 0;
        for k in 1..self.points.len() {
            if self.points[k].dot(d) > self.points[best].dot(d) {
                best = k;
            }
        }
        best
    }

    /// The feature of corner `k`.
    pub fn vertex(&self, k: usize) -> Feature {
        Feature::vertex(self.link.map_or(k as u32, |link| link.vertices[k]))
    }

    /// Whether a corner is one of the whole chain, and not a point on a straight stretch of it.
    pub fn is_real(&self, k: usize) -> bool {
        self.link.is_none_or(|link| !link.is_flat[k])
    }

    /// The edge at the farthest corner that faces the unit direction d, or that corner.
    pub fn outline(&self, d: DVec2) -> Outline {
        let n = self.points.len();
        let k = self.support(d);
        let vertex = Outline { corners: (k, k), feature: self.vertex(k) };
        if n == 1 {
            return vertex;
        }
        let before = (k + n - 1) % n;
        let facing = |edge: usize| self.normals[edge].dot(d);
        let edge = if facing(before) > facing(k) { before } else { k };
        if facing(edge) < FLAT {
            return vertex;
        }
        let name = self.link.map_or(edge as u32, |link| link.index);
        Outline { corners: (edge, (edge + 1) % n), feature: Feature::edge(name) }
    }

    /// Mean of the corners.
    pub fn centre(&self) -> DVec2 {
        self.points.iter().sum::<DVec2>() / self.points.len() as f64
    }
}
