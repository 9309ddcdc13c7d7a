//! Normals of a surface that is known by its triangles only.
//!
//! The normal at a corner is the mean, weighted by angles, of the normals of the triangles around its
//! vertex that are within the crease angle of its own.

use super::SurfaceMesh;
use glam::DVec3;

/// Cosine of 35°: a circle of twelve pieces is still smooth, a hexagon has corners.
pub(super) const CREASE: f64 = 0.819_152_044_288_991_8;
/// With more triangles than this around a vertex its corners keep the normals of their triangles, so that
/// the work stays linear.
const MOST_AROUND: usize = 128;

/// The surface mesh of triangles.
pub(super) fn smooth(vertices: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> SurfaceMesh {
    let point = |i: u32| DVec3::from_array(vertices[i as usize]);
    let flat: Vec<DVec3> = triangles
        .iter()
        .map(|&[a, b, c]| (point(b) - point(a)).cross(point(c) - point(a)).normalize_or_zero())
        .collect();
    let (creases, is_closed) = creases(&triangles, &flat);
    let mut surface = SurfaceMesh { creases, is_closed, ..SurfaceMesh::default() };
    surface.shading = vec![[0; 3]; triangles.len()];
    let (starts, around) = corners(vertices.len(), &triangles);
    for v in 0..vertices.len() {
        let here = &around[starts[v] as usize..starts[v + 1] as usize];
        let first = surface.normals.len();
        for &(t, k) in here {
            let own = flat[t as usize];
            let normal = if here.len() > MOST_AROUND {
                own
            } else {
                let angle = |t: u32, k: u32| corner_angle(triangles[t as usize], k as usize, &point);
                let near = here.iter().filter(|(other, _)| flat[*other as usize].dot(own) >= CREASE);
                let sum: DVec3 = near.map(|&(t, k)| flat[t as usize] * angle(t, k)).sum();
                sum.try_normalize().unwrap_or(own)
            };
            let normal = normal.to_array();
            let known = surface.normals[first..].iter().position(|n| *n == normal);
            let number = known.map_or(surface.normals.len(), |k| first + k);
            if known.is_none() {
                surface.normals.push(normal);
            }
            surface.shading[t as usize][k as usize] = number as u32;
        }
    }
    SurfaceMesh { vertices, triangles, ..surface }
}

fn corner_angle([a, b, c]: [u32; 3], k: usize, point: &impl Fn(u32) -> DVec3) -> f64 {
    let [at, next, last] = [[a, b, c], [b, c, a], [c, a, b]][k].map(point);
    let (u, v) = (next - at, last - at);
    u.cross(v).length().atan2(u.dot(v))
}

/// Triangles and their corners around vertex i: `around[starts[i]..starts[i + 1]]`.
fn corners(n_vertices: usize, triangles: &[[u32; 3]]) -> (Vec<u32>, Vec<(u32, u32)>) {
    let mut starts = vec![0_u32; n_vertices + 1];
    for v in triangles.iter().flatten() {
        starts[*v as usize + 1] += 1;
    }
    for v in 0..n_vertices {
        starts[v + 1] += starts[v];
    }
    let mut next = starts.clone();
    let mut around = vec![(0, 0); 3 * triangles.len()];
    for (t, corners) in triangles.iter().enumerate() {
        for (k, v) in corners.iter().enumerate() {
            around[next[*v as usize] as usize] = (t as u32, k as u32);
            next[*v as usize] += 1;
        }
    }
    (starts, around)
}

/// Sharp edges and borders, and whether there are no borders.
fn creases(triangles: &[[u32; 3]], flat: &[DVec3]) -> (Vec<[u32; 2]>, bool) {
    let sides = triangles.iter().enumerate().flat_map(|(t, &[a, b, c])| {
        [[a, b], [b, c], [c, a]].map(|[i, j]| ([i.min(j), i.max(j)], t as u32))
    });
    let mut sides: Vec<([u32; 2], u32)> = sides.collect();
    sides.sort_unstable();
    let mut creases = Vec::new();
    let mut is_closed = true;
    for edge in sides.chunk_by(|p, q| p.0 == q.0) {
        let is_smooth = match edge {
            [(_, s), (_, t)] => flat[*s as usize].dot(flat[*t as usize]) >= CREASE,
            _ => false,
        };
        is_closed &= edge.len() == 2;
        if !is_smooth {
            creases.push(edge[0].0);
        }
    }
    (creases, is_closed)
}
