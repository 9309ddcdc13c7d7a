//! Surface meshes: the surfaces of shapes as triangles, for pictures and for files that other programs draw.
//!
//! Corners lie on the true surface, so round shapes lose a part of their volume that falls as 1/n²
//! with n straight pieces to a circle. Contacts never use surface meshes.

mod planar;
mod prism;
mod revolve;
mod smooth;
mod spatial;
mod triangulate;

use crate::spatial::Pose;
use glam::DVec3;

pub use planar::Outline;

/// A surface of triangles in the frame of its shape, counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceMesh {
    /// Corners of the triangles [m]; triangles of one part that meet share them.
    pub vertices: Vec<[f64; 3]>,
    /// Three vertex numbers each.
    pub triangles: Vec<[u32; 3]>,
    /// Outward unit normals of the true surface [–].
    pub normals: Vec<[f64; 3]>,
    /// The number of the normal at each corner of each triangle: equal on both sides of a smooth edge.
    pub shading: Vec<[u32; 3]>,
    /// Edges to be drawn as lines: where the surface bends by more than 35°, or ends; two vertex numbers each.
    pub creases: Vec<[u32; 2]>,
    /// Whether every part is closed, so that one sees only faces turned to the eye.
    pub is_closed: bool,
}

/// How finely a surface mesh is made, and how much is shown of a half-space or half-plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detail {
    /// Straight pieces to a full circle; used as a multiple of 4 from 8 to 1024.
    pub segments: u32,
    /// The part of an unbounded shape that is shown.
    pub patch: Patch,
}

/// A square around the point of an unbounded shape that is nearest to a given one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patch {
    /// In the frame of the shape [m]; only x and y count in the plane.
    pub about: [f64; 3],
    /// Half the length of a side [m].
    pub half: f64,
}

impl Default for Detail {
    fn default() -> Self {
        Self { segments: 32, patch: Patch { about: [0.0; 3], half: 10.0 } }
    }
}

impl Detail {
    /// Fine round shapes, the patch as by default.
    pub fn of(segments: u32) -> Self {
        Self { segments, ..Self::default() }
    }

    /// A multiple of 4, so that a circle has its extreme points on both axes.
    fn pieces(&self) -> u32 {
        self.segments.clamp(8, 1024).next_multiple_of(4)
    }
}

impl SurfaceMesh {
    /// A surface from triangles alone: edges sharper than 35° are creases, the others are smooth.
    pub fn from_triangles(vertices: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Self {
        smooth::smooth(vertices, triangles)
    }

    /// Adds another surface mesh, placed in the frame of this one.
    pub fn append(&mut self, part: &Self, at: &Pose) {
        let isometry = at.isometry();
        let (vertex, normal) = (self.vertices.len() as u32, self.normals.len() as u32);
        let moved = part.vertices.iter().map(|p| isometry.point(DVec3::from_array(*p)).to_array());
        self.is_closed = part.is_closed && (self.is_closed || vertex == 0);
        self.vertices.extend(moved);
        let turned = part.normals.iter().map(|n| isometry.vector(DVec3::from_array(*n)).to_array());
        self.normals.extend(turned);
        self.triangles.extend(part.triangles.iter().map(|t| t.map(|i| i + vertex)));
        self.shading.extend(part.shading.iter().map(|t| t.map(|i| i + normal)));
        self.creases.extend(part.creases.iter().map(|e| e.map(|i| i + vertex)));
    }

    /// Whether every number of a vertex or normal names one, as it does in all surface meshes made here.
    pub fn has_valid_numbers(&self) -> bool {
        let below = |n: usize| move |i: &u32| (*i as usize) < n;
        self.triangles.len() == self.shading.len()
            && self.triangles.iter().flatten().all(below(self.vertices.len()))
            && self.creases.iter().flatten().all(below(self.vertices.len()))
            && self.shading.iter().flatten().all(below(self.normals.len()))
    }

    /// Distance of the farthest vertex from the origin [m].
    pub fn outer_radius(&self) -> f64 {
        self.vertices.iter().map(|p| DVec3::from_array(*p).length()).fold(0.0, f64::max)
    }
}
