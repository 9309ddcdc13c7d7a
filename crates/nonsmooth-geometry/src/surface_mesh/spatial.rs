//! Surface meshes of shapes in space.

use super::revolve::{Knot, arc, revolve};
use super::smooth::CREASE;
use super::{Detail, Patch, SurfaceMesh};
use crate::spatial::{Kind, Pose, Shape, tangents};
use glam::DVec3;

/// Hulls of more faces look like stones: the shades of their faces show them better than lines.
const MOST_FACES: usize = 20;

impl Shape {
    /// The surface as triangles. A half-space becomes a square patch of its plane.
    pub fn surface_mesh(&self, detail: &Detail) -> SurfaceMesh {
        let n = detail.pieces();
        match &self.0 {
            Kind::Ball { radius } => ball(*radius, n),
            Kind::Cuboid { half } => cuboid(*half),
            Kind::Capsule { half, radius } => capsule(*half, *radius, n),
            Kind::Cylinder { half, radius } => cylinder(*half, *radius, n),
            Kind::Cone { half, radius } => cone(*half, *radius, n),
            Kind::Hull(hull) => {
                let faces = (0..hull.faces.len()).map(|face| {
                    (hull.faces[face].normal, hull.outline(face).iter().map(|c| c.vertex).collect())
                });
                let bend = |k: &usize| {
                    let [a, b] = hull.sides[*k].map(|face| hull.faces[face as usize].normal);
                    a.dot(b) < CREASE
                };
                let is_stone = hull.faces.len() > MOST_FACES;
                let drawn = (0..hull.edges.len()).filter(|k| !is_stone && bend(k));
                let sharp = drawn.map(|k| hull.edges[k]).collect();
                faceted(hull.points.clone(), faces, sharp)
            }
            Kind::Mesh(mesh) => {
                let points = mesh.points.iter().map(|p| p.to_array()).collect();
                SurfaceMesh::from_triangles(points, mesh.triangles.clone())
            }
            Kind::HeightField(field) => {
                let points = field.points().map(|p| p.to_array()).collect();
                SurfaceMesh::from_triangles(points, field.triangles().collect())
            }
            Kind::HalfSpace { normal } => square(*normal, &detail.patch),
            Kind::Compound(compound) => {
                let mut surface = SurfaceMesh::default();
                for part in &compound.parts {
                    let quaternion = glam::DQuat::from_mat3(&part.isometry.rotation);
                    let [x, y, z, w] = quaternion.to_array();
                    let position = part.isometry.translation.to_array();
                    surface.append(
                        &part.shape.surface_mesh(detail),
                        &Pose { position, rotation: [w, x, y, z] },
                    );
                }
                surface
            }
        }
    }
}

fn ball(radius: f64, n: u32) -> SurfaceMesh {
    let quarter = n as i32 / 4;
    let profile: Vec<Knot> = arc(0.0, radius, -quarter, quarter, n).collect();
    revolve(&[&profile], n)
}

fn capsule(half: f64, radius: f64, n: u32) -> SurfaceMesh {
    let quarter = n as i32 / 4;
    let profile: Vec<Knot> =
        arc(-half, radius, -quarter, 0, n).chain(arc(half, radius, 0, quarter, n)).collect();
    revolve(&[&profile], n)
}

/// A flat disc from the axis outwards, seen from below.
fn base(half: f64, radius: f64) -> [Knot; 2] {
    [0.0, radius].map(|r| Knot { at: [r, -half], normal: [0.0, -1.0] })
}

fn cylinder(half: f64, radius: f64, n: u32) -> SurfaceMesh {
    let side = [-half, half].map(|z| Knot { at: [radius, z], normal: [1.0, 0.0] });
    let top = [radius, 0.0].map(|r| Knot { at: [r, half], normal: [0.0, 1.0] });
    revolve(&[&base(half, radius), &side, &top], n)
}

fn cone(half: f64, radius: f64, n: u32) -> SurfaceMesh {
    let slope = (2.0 * half).hypot(radius);
    let normal = [2.0 * half / slope, radius / slope];
    let side = [[radius, -half], [0.0, half]].map(|at| Knot { at, normal });
    revolve(&[&base(half, radius), &side], n)
}

fn cuboid(half: DVec3) -> SurfaceMesh {
    let sign = |k: u32, axis: u32| if k >> axis & 1 == 1 { 1.0 } else { -1.0 };
    let points = (0..8).map(|k| half * DVec3::new(sign(k, 0), sign(k, 1), sign(k, 2))).collect();
    let faces = [
        (DVec3::NEG_Z, vec![0, 2, 3, 1]),
        (DVec3::Z, vec![4, 5, 7, 6]),
        (DVec3::NEG_Y, vec![0, 1, 5, 4]),
        (DVec3::Y, vec![2, 6, 7, 3]),
        (DVec3::NEG_X, vec![0, 4, 6, 2]),
        (DVec3::X, vec![1, 3, 7, 5]),
    ];
    let edges = (0..8u32)
        .flat_map(|k| (0..3).filter(move |axis| k >> axis & 1 == 0).map(move |axis| [k, k | 1 << axis]));
    faceted(points, faces.into_iter(), edges.collect())
}

/// A closed surface of flat convex faces, each with its normal and its corners.
fn faceted(
    points: Vec<DVec3>,
    faces: impl Iterator<Item = (DVec3, Vec<u32>)>,
    edges: Vec<[u32; 2]>,
) -> SurfaceMesh {
    let vertices = points.iter().map(|p| p.to_array()).collect();
    let mut surface =
        SurfaceMesh { vertices, creases: edges, is_closed: true, ..SurfaceMesh::default() };
    for (normal, corners) in faces {
        let number = surface.normals.len() as u32;
        surface.normals.push(normal.to_array());
        for k in 1..corners.len().saturating_sub(1) {
            surface.triangles.push([corners[0], corners[k], corners[k + 1]]);
            surface.shading.push([number; 3]);
        }
    }
    surface
}

fn square(normal: DVec3, patch: &Patch) -> SurfaceMesh {
    let about = DVec3::from_array(patch.about);
    let centre = about - normal * normal.dot(about);
    let [t1, t2] = tangents(normal).map(|t| t * patch.half);
    let corners = [-t1 - t2, t1 - t2, t1 + t2, t2 - t1];
    SurfaceMesh {
        vertices: corners.map(|p| (centre + p).to_array()).to_vec(),
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        normals: vec![normal.to_array()],
        shading: vec![[0; 3]; 2],
        creases: vec![[0, 1], [1, 2], [2, 3], [3, 0]],
        is_closed: false,
    }
}
