//! Triangle meshes: validated, with neighbours, and a tree of boxes to find triangles near a place.

use super::core::{Bends, Triangle};
use super::surface::{Wing, bends};
use crate::error::ShapeError;
use crate::feature::MOST_INDEX;
use crate::tree::{Extent, Tree};
use glam::DVec3;
use std::collections::BTreeMap;

/// A triangle whose height is below this part of its longest side is degenerate: round-off of
/// its corners would turn its normal by more than a microradian.
const THINNEST: f64 = 1e-10;

/// A surface of triangles, counter-clockwise seen from its front.
#[derive(Clone, Debug)]
pub(crate) struct Mesh {
    pub points: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
    normals: Vec<DVec3>,
    /// Edges of each triangle, edge k from corner k to corner k + 1.
    sides: Vec<[u32; 3]>,
    edges: Vec<Edge>,
    /// Neighbours of vertex i: `around[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    around: Vec<u32>,
    /// Sum of the normals around each vertex, weighted by angles.
    vertex_normals: Vec<DVec3>,
    bends: Vec<Bends>,
    /// Distance of the farthest point from the origin [m].
    pub outer_radius: f64,
    tree: Tree,
}

#[derive(Clone, Debug)]
struct Edge {
    ends: [u32; 2],
    first: u32,
    /// None on the boundary.
    second: Option<u32>,
}

impl Mesh {
    /// A mesh of these triangles; refuses what is none.
    pub fn new(points: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Self, ShapeError> {
        let normals = check(&points, &triangles)?;
        let (edges, sides) = edges(&triangles)?;
        let (starts, around) = neighbours(points.len(), &edges);
        let vertex_normals = vertex_normals(&points, &triangles, &normals);
        let extent = |t: &[u32; 3]| Extent::around(t.map(|i| points[i as usize]));
        let tree = Tree::new(triangles.iter().map(extent).collect());
        let outer_radius = points.iter().map(|p| p.length()).fold(0.0, f64::max);
        let n_triangles = triangles.len();
        let mut mesh = Self {
            points,
            triangles,
            normals,
            sides,
            edges,
            starts,
            around,
            vertex_normals,
            bends: vec![Bends::default(); n_triangles],
            outer_radius,
            tree,
        };
        mesh.check_orientation()?;
        mesh.bends = (0..n_triangles as u32)
            .map(|index| {
                let t = mesh.triangle(index);
                bends(t.normal, [0, 1, 2].map(|k| mesh.beyond(&t, k)))
            })
            .collect();
        Ok(mesh)
    }

    fn check_orientation(&self) -> Result<(), ShapeError> {
        let volume = self.corners().map(|[p, q, r]| p.dot(q.cross(r))).sum::<f64>() / 6.0;
        let is_closed = self.open_edges().next().is_none();
        if is_closed && volume < 0.0 { Err(ShapeError::InsideOut { volume }) } else { Ok(()) }
    }

    /// Edges with one triangle only, by their ends.
    pub fn open_edges(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.edges.iter().filter(|edge| edge.second.is_none()).map(|edge| edge.ends)
    }

    /// Box around the surface: lowest and highest corner.
    pub fn extent(&self) -> (DVec3, DVec3) {
        let Extent { low, high } = self.tree.extent();
        (low, high)
    }

    /// The corners of every triangle.
    pub fn corners(&self) -> impl Iterator<Item = [DVec3; 3]> + '_ {
        self.triangles.iter().map(|t| t.map(|i| self.points[i as usize]))
    }

    /// A triangle by its number.
    pub fn triangle(&self, index: u32) -> Triangle {
        let t = index as usize;
        let vertices = self.triangles[t];
        Triangle {
            points: vertices.map(|i| self.points[i as usize]),
            normal: self.normals[t],
            vertices,
            edges: self.sides[t],
            index,
            bends: self.bends[t],
        }
    }

    /// The ends of an edge by its number.
    pub fn edge_ends(&self, edge: u32) -> [DVec3; 2] {
        self.edges[edge as usize].ends.map(|i| self.points[i as usize])
    }

    /// Calls `visit` for every triangle whose box meets the given one.
    pub fn near(&self, low: DVec3, high: DVec3, visit: impl FnMut(u32)) {
        self.tree.meeting(&Extent { low, high }, visit);
    }

    /// The triangle beyond side k of a triangle.
    pub fn beyond(&self, t: &Triangle, k: usize) -> Option<Wing> {
        let edge = &self.edges[t.edges[k] as usize];
        let other = if edge.first == t.index { edge.second? } else { edge.first };
        let corners = self.triangles[other as usize];
        let opposite = corners.into_iter().find(|i| !edge.ends.contains(i))?;
        Some(Wing::new(
            t.points[k],
            t.points[(k + 1) % 3],
            self.points[opposite as usize],
            self.normals[other as usize],
        ))
    }

    /// The points at the other ends of the edges at a vertex.
    pub fn around(&self, vertex: u32) -> impl Iterator<Item = DVec3> + '_ {
        let (first, last) = (self.starts[vertex as usize], self.starts[vertex as usize + 1]);
        self.around[first as usize..last as usize].iter().map(|&i| self.points[i as usize])
    }

    /// The mean normal at a vertex.
    pub fn vertex_normal(&self, vertex: u32) -> DVec3 {
        self.vertex_normals[vertex as usize]
    }
}

/// The normals, if all triangles are sound.
fn check(points: &[DVec3], triangles: &[[u32; 3]]) -> Result<Vec<DVec3>, ShapeError> {
    if triangles.is_empty() {
        return Err(ShapeError::Empty("the mesh"));
    }
    let most = MOST_INDEX as usize / 3;
    if triangles.len() > most {
        return Err(ShapeError::TooMany { what: "triangles of a mesh", most, got: triangles.len() });
    }
    if let Some(index) = points.iter().position(|p| !p.is_finite()) {
        return Err(ShapeError::NotFinite { what: "vertex", index });
    }
    triangles.iter().enumerate().map(|(index, t)| normal(points, t, index)).collect()
}

fn normal(points: &[DVec3], triangle: &[u32; 3], index: usize) -> Result<DVec3, ShapeError> {
    let n_vertices = points.len();
    if let Some(&vertex) = triangle.iter().find(|&&i| i as usize >= n_vertices) {
        return Err(ShapeError::OutOfRange { triangle: index, vertex, n_vertices });
    }
    let [p, q, r] = triangle.map(|i| points[i as usize]);
    let longest = (q - p).length_squared().max((r - q).length_squared()).max((p - r).length_squared());
    let area = (q - p).cross(r - p);
    if !(area.length() > THINNEST * longest) {
        return Err(ShapeError::Degenerate { what: "triangle", index });
    }
    Ok(area.normalize())
}

/// All edges, numbered in the order in which they first occur, and those of every triangle.
fn edges(triangles: &[[u32; 3]]) -> Result<(Vec<Edge>, Vec<[u32; 3]>), ShapeError> {
    let mut known = BTreeMap::<[u32; 2], u32>::new();
    let mut edges: Vec<Edge> = Vec::new();
    let mut sides = Vec::with_capacity(triangles.len());
    for (t, corners) in triangles.iter().enumerate() {
        let mut side = [0; 3];
        for k in 0..3 {
            let ends = [corners[k], corners[(k + 1) % 3]];
            let name = [ends[0].min(ends[1]), ends[0].max(ends[1])];
            let number = *known.entry(name).or_insert(edges.len() as u32);
            side[k] = number;
            match edges.get_mut(number as usize) {
                None => edges.push(Edge { ends, first: t as u32, second: None }),
                Some(edge) if edge.second.is_none() && edge.ends == [ends[1], ends[0]] => {
                    edge.second = Some(t as u32);
                }
                Some(edge) => {
                    let same = edge.ends == ends;
                    let first =
                        if same { edge.first } else { edge.second.unwrap_or(edge.first) } as usize;
                    return Err(ShapeError::NotManifold {
                        first,
                        second: t,
                        from: ends[0],
                        to: ends[1],
                    });
                }
            }
        }
        sides.push(side);
    }
    Ok((edges, sides))
}

fn neighbours(n_points: usize, edges: &[Edge]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; n_points + 1];
    for end in edges.iter().flat_map(|edge| edge.ends) {
        starts[end as usize + 1] += 1;
    }
    for i in 0..n_points {
        starts[i + 1] += starts[i];
    }
    let mut place = starts.clone();
    let mut around = vec![0; 2 * edges.len()];
    for [p, q] in edges.iter().map(|edge| edge.ends) {
        for (from, to) in [(p, q), (q, p)] {
            around[place[from as usize] as usize] = to;
            place[from as usize] += 1;
        }
    }
    (starts, around)
}

fn vertex_normals(points: &[DVec3], triangles: &[[u32; 3]], normals: &[DVec3]) -> Vec<DVec3> {
    let mut sums = vec![DVec3::ZERO; points.len()];
    for (t, normal) in triangles.iter().zip(normals) {
        for k in 0..3 {
            let [p, q, r] = [0, 1, 2].map(|j| points[t[(k + j) % 3] as usize]);
            sums[t[k] as usize] += *normal * (q - p).angle_between(r - p);
        }
    }
    sums
}
