//! Surfaces of triangles, and which normals they admit: no ghost contacts.
//!
//! A triangle alone would report contacts at edges and vertices that lie inside the surface. A true
//! contact at a point c of the surface has a normal n in the polar cone of the surface's directions
//! there: moving from c along the surface must not bring one nearer,
//!
//! ```text
//! n·m ≤ 0  for every direction m from c into the surface,   and n looks out of its front.
//! ```
//!
//! At an edge m are the two directions into its triangles, at a vertex the edges that start there.
//! On a flat or hollow edge this leaves only the normals of the faces, so that a triangle between
//! such edges has no normal but its own.

use super::core::{Bends, Triangle};
use super::height_field::HeightField;
use super::mesh::Mesh;
use crate::pose::Isometry;
use glam::DVec3;

/// Sine of the angle by which a normal may miss the polar cone: round-off, and flat surfaces whose
/// vertices were rounded to single precision stay free of ghosts up to this bend.
pub(super) const POLAR: f64 = 1e-6;
/// Normals within this angle [rad] of the face's are the face's.
pub(super) const FACE: f64 = 1e-6;

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
    let is_ridge = rise.map(|rise| !rise.is_some_and(|rise| rise >= -POLAR));
    let is_flat = rise.map(|rise| rise.is_some_and(|rise| rise.abs() <= POLAR));
    Bends { is_flat, is_ridge, is_inner: is_ridge == [false; 3] }
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

    /// Visits the triangles whose boxes meet a box.
    pub fn near(&self, low: DVec3, high: DVec3, visit: impl FnMut(u32)) {
        match self {
            Surface::Mesh(mesh) => mesh.near(low, high, visit),
            Surface::Field(field) => field.near(low, high, visit),
        }
    }

    /// A triangle by its number.
    pub fn triangle(&self, index: u32) -> Triangle {
        match self {
            Surface::Mesh(mesh) => mesh.triangle(index),
            Surface::Field(field) => field.triangle(index),
        }
    }

    /// A vertex by its number.
    pub fn vertex(&self, vertex: u32) -> DVec3 {
        match self {
            Surface::Mesh(mesh) => mesh.points[vertex as usize],
            Surface::Field(field) => field.point(vertex),
        }
    }

    /// The two ends of an edge by its number.
    pub fn edge_ends(&self, edge: u32) -> [DVec3; 2] {
        match self {
            Surface::Mesh(mesh) => mesh.edge_ends(edge),
            Surface::Field(field) => field.edge_ends(edge),
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
