//! The slow and obvious: signed distance of two convex polyhedra given by vertices and triangles.
//!
//! Apart: the least distance of any triangle of one to any of the other, itself the least of vertex
//! to triangle and edge to edge. Overlapping: minus the least depth over all face normals and cross
//! products of edges.

use glam::{DQuat, DVec3};
use nonsmooth_geometry::spatial::Pose;

/// A convex polyhedron in the world.
pub struct Solid {
    points: Vec<DVec3>,
    triangles: Vec<[usize; 3]>,
}

pub fn rotation(pose: &Pose) -> DQuat {
    let [w, x, y, z] = pose.rotation;
    DQuat::from_xyzw(x, y, z, w).normalize()
}

/// A point of a body in the world.
pub fn world(pose: &Pose, p: DVec3) -> DVec3 {
    rotation(pose) * p + DVec3::from_array(pose.position)
}

impl Solid {
    pub fn cuboid(half: [f64; 3], pose: &Pose) -> Self {
        let corner = |k: usize, axis: usize| if k >> axis & 1 == 1 { half[axis] } else { -half[axis] };
        let points = (0..8).map(|k| world(pose, DVec3::new(corner(k, 0), corner(k, 1), corner(k, 2))));
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
        Self { points: points.collect(), triangles }
    }

    /// All triangles of points with all others on one side: O(n⁴).
    pub fn hull(points: &[[f64; 3]], pose: &Pose) -> Self {
        let points: Vec<DVec3> = points.iter().map(|p| world(pose, DVec3::from_array(*p))).collect();
        let mut triangles = Vec::new();
        for i in 0..points.len() {
            for j in i + 1..points.len() {
                for k in j + 1..points.len() {
                    let normal = (points[j] - points[i]).cross(points[k] - points[i]);
                    let heights = points.iter().map(|p| normal.dot(*p - points[i]));
                    let tolerance = 1e-9 * normal.length();
                    let (mut above, mut below) = (false, false);
                    heights.for_each(|h| {
                        above |= h > tolerance;
                        below |= h < -tolerance;
                    });
                    if !(above && below) {
                        triangles.push(if above { [i, k, j] } else { [i, j, k] });
                    }
                }
            }
        }
        Self { points, triangles }
    }

    /// A segment, as a triangle of no width.
    pub fn segment(half: f64, pose: &Pose) -> Self {
        let ends = [-half, half].map(|z| world(pose, DVec3::new(0.0, 0.0, z)));
        Self { points: ends.to_vec(), triangles: vec![[0, 1, 1]] }
    }

    fn corners(&self) -> impl Iterator<Item = [DVec3; 3]> + '_ {
        self.triangles.iter().map(|t| t.map(|i| self.points[i]))
    }

    fn edges(&self) -> Vec<DVec3> {
        let mut edges: Vec<DVec3> = Vec::new();
        for [p, q, r] in self.corners() {
            for e in [q - p, r - q, p - r].into_iter().filter_map(DVec3::try_normalize) {
                if !edges.iter().any(|known| known.cross(e).length() < 1e-12) {
                    edges.push(e);
                }
            }
        }
        edges
    }

    /// Largest separation along any axis that can be the largest.
    fn separation(&self, other: &Self) -> f64 {
        let mut axes: Vec<DVec3> = Vec::new();
        for [p, q, r] in self.corners().chain(other.corners()) {
            axes.push((q - p).cross(r - p));
        }
        for e in self.edges() {
            for f in other.edges() {
                axes.push(e.cross(f));
            }
        }
        let along = |n: DVec3| {
            let most = self.points.iter().map(|p| p.dot(n)).fold(f64::NEG_INFINITY, f64::max);
            other.points.iter().map(|p| p.dot(n)).fold(f64::INFINITY, f64::min) - most
        };
        let axes = axes.into_iter().filter(|n| n.length() > 1e-9).map(|n| n.normalize());
        axes.map(|n| along(n).max(along(-n))).fold(f64::NEG_INFINITY, f64::max)
    }

    pub fn signed_distance(&self, other: &Self) -> f64 {
        let separation = self.separation(other);
        if separation <= 0.0 {
            return separation;
        }
        let mut least = f64::INFINITY;
        for s in self.corners() {
            for t in other.corners() {
                least = least.min(triangles(s, t));
            }
        }
        least
    }

    /// Signed distance of a point from the surface, by triangles; negative inside.
    pub fn point(&self, p: DVec3) -> f64 {
        let least = self.corners().map(|t| point_triangle(p, t)).fold(f64::INFINITY, f64::min);
        let inside = self.corners().all(|[a, b, c]| (b - a).cross(c - a).dot(p - a) <= 0.0);
        if inside { -least } else { least }
    }
}

fn triangles(s: [DVec3; 3], t: [DVec3; 3]) -> f64 {
    let mut least = f64::INFINITY;
    for k in 0..3 {
        least = least.min(point_triangle(s[k], t)).min(point_triangle(t[k], s));
        for j in 0..3 {
            least = least.min(segments([s[k], s[(k + 1) % 3]], [t[j], t[(j + 1) % 3]]));
        }
    }
    least
}

fn point_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let Some(n) = (b - a).cross(c - a).try_normalize() else { return point_segment(p, [a, b]) };
    let foot = p - n * n.dot(p - a);
    let inside = |u: DVec3, v: DVec3| n.dot((v - u).cross(foot - u)) >= 0.0;
    if inside(a, b) && inside(b, c) && inside(c, a) {
        return n.dot(p - a).abs();
    }
    point_segment(p, [a, b]).min(point_segment(p, [b, c])).min(point_segment(p, [c, a]))
}

pub fn point_segment(p: DVec3, [a, b]: [DVec3; 2]) -> f64 {
    if a == b {
        return p.distance(a);
    }
    let t = (p - a).dot(b - a) / (b - a).length_squared();
    p.distance(a + (b - a) * t.clamp(0.0, 1.0))
}

/// Least of the four ends against the other segment, and of the crossing if it lies within both.
pub fn segments(s: [DVec3; 2], t: [DVec3; 2]) -> f64 {
    let ends = point_segment(s[0], t)
        .min(point_segment(s[1], t))
        .min(point_segment(t[0], s))
        .min(point_segment(t[1], s));
    let (e, f, r) = (s[1] - s[0], t[1] - t[0], t[0] - s[0]);
    let n = e.cross(f);
    let squared = n.length_squared();
    if squared < 1e-20 * e.length_squared() * f.length_squared() {
        return ends;
    }
    let (u, v) = (r.cross(f).dot(n) / squared, r.cross(e).dot(n) / squared);
    let inner = (0.0..=1.0).contains(&u) && (0.0..=1.0).contains(&v);
    if inner { ends.min(r.dot(n).abs() / squared.sqrt()) } else { ends }
}
