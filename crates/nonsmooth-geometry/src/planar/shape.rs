//! The shapes in the plane: what they are, and whether the numbers given for them make sense.

use super::chain::Chain;
use super::core::Core;
use super::pose::{Isometry, Pose};
use crate::broad::Bounds;
use crate::error::{ShapeError, positive};
use crate::feature::MOST_PARTS;
use glam::DVec2;
use std::sync::Arc;

/// A solid or line in the plane, in its own frame. Cheap to clone; cannot be wrong once made.
#[derive(Clone, Debug)]
pub struct Shape(pub(crate) Kind);

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Ball { radius: f64 },
    Capsule { ends: [DVec2; 2], radius: f64 },
    Rectangle { corners: [DVec2; 4] },
    Polygon(Arc<Polygon>),
    Chain(Arc<Chain>),
    HalfPlane { normal: DVec2 },
    Compound(Arc<Compound>),
}

/// A convex polygon of three or more corners, counter-clockwise.
#[derive(Clone, Debug)]
pub(crate) struct Polygon {
    pub points: Vec<DVec2>,
    normals: Vec<DVec2>,
}

/// Several shapes as one.
#[derive(Clone, Debug)]
pub(crate) struct Compound {
    pub parts: Vec<(Isometry, Shape)>,
    outer_radius: f64,
}

const POINT: [DVec2; 1] = [DVec2::ZERO];
const SIDES: [DVec2; 2] = [DVec2::NEG_Y, DVec2::Y];
const RECTANGLE: [DVec2; 4] = [DVec2::NEG_Y, DVec2::X, DVec2::Y, DVec2::NEG_X];
/// A corner that stands out by less than this part of the hull's size is no corner.
const STRAIGHT: f64 = 1e-9;

impl Shape {
    /// A disc about the origin; radius [m].
    pub fn ball(radius: f64) -> Result<Self, ShapeError> {
        Ok(Self(Kind::Ball { radius: positive("radius", radius)? }))
    }

    /// All points within `radius` [m] of the segment from −half to +half [m] on the x axis.
    pub fn capsule(half_length: f64, radius: f64) -> Result<Self, ShapeError> {
        let end = DVec2::new(positive("half length", half_length)?, 0.0);
        Ok(Self(Kind::Capsule { ends: [-end, end], radius: positive("radius", radius)? }))
    }

    /// A rectangle about the origin; half its edge lengths [m].
    pub fn rectangle(half: [f64; 2]) -> Result<Self, ShapeError> {
        let x = positive("half edge length", half[0])?;
        let y = positive("half edge length", half[1])?;
        let corners = [(-x, -y), (x, -y), (x, y), (-x, y)].map(|(x, y)| DVec2::new(x, y));
        Ok(Self(Kind::Rectangle { corners }))
    }

    /// The convex hull of points [m].
    pub fn polygon(points: &[[f64; 2]]) -> Result<Self, ShapeError> {
        if let Some(index) = points.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
            return Err(ShapeError::NotFinite { what: "point", index });
        }
        let points: Vec<DVec2> = points.iter().copied().map(DVec2::from_array).collect();
        if points.len() < 3 {
            return Err(ShapeError::TooFew { what: "a convex polygon", least: 3, got: points.len() });
        }
        let points = hull(points);
        if points.len() < 3 {
            return Err(ShapeError::Flat("common line"));
        }
        let next = |k: usize| points[(k + 1) % points.len()];
        let normals = (0..points.len()).map(|k| -(next(k) - points[k]).normalize().perp()).collect();
        Ok(Self(Kind::Polygon(Arc::new(Polygon { points, normals }))))
    }

    /// Straight links from point to point [m], closed back to the first if so wanted. Contacts are made with
    /// the right-hand side: a closed chain that runs counter-clockwise bounds a solid.
    pub fn chain(points: &[[f64; 2]], is_closed: bool) -> Result<Self, ShapeError> {
        let points = points.iter().copied().map(DVec2::from_array).collect();
        Ok(Self(Kind::Chain(Arc::new(Chain::new(points, is_closed)?))))
    }

    /// Ground of height `heights[i]` [m] at x = (i − (n − 1)/2)·spacing [m]. Contacts are made with its upper side.
    pub fn height_field(heights: &[f64], spacing: f64) -> Result<Self, ShapeError> {
        positive("spacing of the height field", spacing)?;
        let middle = 0.5 * (heights.len() as f64 - 1.0);
        // From right to left, so that the upper side is on the right.
        let point = |(i, height): (usize, &f64)| DVec2::new((i as f64 - middle) * spacing, *height);
        let points = heights.iter().enumerate().rev().map(point).collect();
        Ok(Self(Kind::Chain(Arc::new(Chain::new(points, false)?))))
    }

    /// Everything behind the line through the origin with this outward normal, which need not be of length 1.
    pub fn half_plane(normal: [f64; 2]) -> Result<Self, ShapeError> {
        let normal = DVec2::from_array(normal);
        let largest = normal.abs().max_element();
        if !(largest > 0.0 && normal.is_finite()) {
            return Err(ShapeError::NoDirection);
        }
        Ok(Self(Kind::HalfPlane { normal: (normal / largest).normalize() }))
    }

    /// The outward normal of a half-plane.
    pub fn half_plane_normal(&self) -> Option<[f64; 2]> {
        if let Kind::HalfPlane { normal } = self.0 { Some(normal.to_array()) } else { None }
    }

    /// Several shapes as one body. Parts may overlap one another; half-planes and compounds cannot be parts.
    pub fn compound(parts: &[(Pose, Shape)]) -> Result<Self, ShapeError> {
        if parts.is_empty() {
            return Err(ShapeError::Empty("the compound"));
        }
        if parts.len() > MOST_PARTS {
            return Err(ShapeError::TooMany {
                what: "parts of a compound",
                most: MOST_PARTS,
                got: parts.len(),
            });
        }
        let part = |(index, (pose, shape)): (usize, &(Pose, Shape))| {
            let isometry = pose.isometry();
            if !isometry.is_finite() {
                return Err(ShapeError::NotFinite { what: "the pose of part", index });
            }
            if matches!(shape.0, Kind::Compound(_) | Kind::HalfPlane { .. }) {
                return Err(ShapeError::Nested { part: index });
            }
            Ok((isometry, shape.clone()))
        };
        let parts: Vec<(Isometry, Shape)> =
            parts.iter().enumerate().map(part).collect::<Result<_, _>>()?;
        let radius = |part: &(Isometry, Shape)| part.0.translation.length() + part.1.outer_radius();
        let outer_radius = parts.iter().map(radius).fold(0.0, f64::max);
        Ok(Self(Kind::Compound(Arc::new(Compound { parts, outer_radius }))))
    }

    /// Whether it is a disc or a half-plane, whose contacts never change their features.
    pub fn has_one_feature(&self) -> bool {
        matches!(self.0, Kind::Ball { .. } | Kind::HalfPlane { .. })
    }

    /// Whether it has no hollow: everything but chains and compounds.
    pub fn is_convex(&self) -> bool {
        matches!(self.0, Kind::HalfPlane { .. }) || self.core().is_some()
    }

    /// The core and the radius that rounds it, if the shape is convex and bounded.
    pub(crate) fn core(&self) -> Option<(Core<'_>, f64)> {
        let core = |points, normals| Core { points, normals, link: None };
        Some(match &self.0 {
            Kind::Ball { radius } => (core(&POINT, &[]), *radius),
            Kind::Capsule { ends, radius } => (core(ends, &SIDES), *radius),
            Kind::Rectangle { corners } => (core(corners, &RECTANGLE), 0.0),
            Kind::Polygon(polygon) => (core(&polygon.points, &polygon.normals), 0.0),
            _ => return None,
        })
    }

    /// Radius of a disc about the shape's origin that holds it [m]; infinite for a half-plane.
    pub fn outer_radius(&self) -> f64 {
        match &self.0 {
            Kind::Chain(chain) => chain.outer_radius,
            Kind::Compound(compound) => compound.outer_radius,
            Kind::HalfPlane { .. } => f64::INFINITY,
            _ => self.core().map_or(0.0, |(core, radius)| {
                core.points.iter().map(|p| p.length()).fold(0.0, f64::max) + radius
            }),
        }
    }

    /// The smallest box around the shape, of no height along z, or the half-plane itself.
    pub fn bounds(&self, pose: &Pose) -> Bounds {
        let isometry = pose.isometry();
        if let Kind::HalfPlane { normal } = self.0 {
            let n = isometry.vector(normal);
            return Bounds::HalfSpace { normal: [n.x, n.y, 0.0], offset: n.dot(isometry.translation) };
        }
        let (low, high) = self.extent(&isometry);
        Bounds::Box { low: [low.x, low.y, 0.0], high: [high.x, high.y, 0.0] }
    }

    fn extent(&self, isometry: &Isometry) -> (DVec2, DVec2) {
        let around = |points: &[DVec2], radius: f64| {
            let points = points.iter().map(|p| isometry.point(*p));
            points.fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), p| {
                (low.min(p - radius), high.max(p + radius))
            })
        };
        match &self.0 {
            Kind::Chain(chain) => around(&chain.points, 0.0),
            Kind::Compound(compound) => {
                let boxes = compound.parts.iter().map(|(at, part)| part.extent(&isometry.after(at)));
                boxes.fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), (l, h)| {
                    (low.min(l), high.max(h))
                })
            }
            _ => self
                .core()
                .map_or((DVec2::NEG_INFINITY, DVec2::INFINITY), |(core, r)| around(core.points, r)),
        }
    }
}

/// Corners of the convex hull, counter-clockwise, by the monotone chain. [Ericson05, sec. 3.9]
fn hull(mut points: Vec<DVec2>) -> Vec<DVec2> {
    points.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    let size = points.iter().map(|p| p.distance(points[0])).fold(0.0, f64::max);
    let mut corners: Vec<DVec2> = Vec::new();
    for pass in 0..2 {
        let start = corners.len();
        let ordered: Box<dyn Iterator<Item = &DVec2>> =
            if pass == 0 { Box::new(points.iter()) } else { Box::new(points.iter().rev()) };
        for p in ordered {
            while let [.., o, q] = corners[start..] {
                let stands_out = (q - o).perp_dot(*p - q) > STRAIGHT * size * (*p - o).length();
                if stands_out && q != *p {
                    break;
                }
                corners.pop();
            }
            if corners.len() == start || corners.last() != Some(p) {
                corners.push(*p);
            }
        }
        // The last corner of one half is the first of the other.
        corners.pop();
    }
    corners
}
