//! Prisms: a region of the plane z = 0 between z = −d/2 and z = d/2.

use super::SurfaceMesh;
use glam::DVec2;

/// A region of the plane: its triangles, and its borders counter-clockwise about it.
pub(super) struct Region {
    pub points: Vec<DVec2>,
    pub triangles: Vec<[u32; 3]>,
    pub border: Vec<[u32; 2]>,
}

/// A closed surface mesh.
pub(super) fn prism(region: &Region, depth: f64) -> SurfaceMesh {
    let n = region.points.len() as u32;
    let at = |z: f64| region.points.iter().map(move |p| [p.x, p.y, z]);
    let vertices = at(0.5 * depth).chain(at(-0.5 * depth)).collect();
    let mut triangles = region.triangles.clone();
    triangles.extend(region.triangles.iter().map(|&[a, b, c]| [a + n, c + n, b + n]));
    for &[i, j] in &region.border {
        triangles.extend([[i + n, j + n, j], [i + n, j, i]]);
    }
    SurfaceMesh::from_triangles(vertices, triangles)
}
