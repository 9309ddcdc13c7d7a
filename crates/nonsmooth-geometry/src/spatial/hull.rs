//! Convex polyhedra: the hull of points, with its faces, edges and vertices named.
//!
//! The triangles come from quickhull; those in one plane are joined to one face, so that a cube
//! given by its corners has six faces of four corners. Every face carries its outward normal.

use super::quickhull;
use crate::error::ShapeError;
use glam::DVec3;
use std::collections::{BTreeMap, BTreeSet};

/// A face: its plane normal·x = offset and its corners, in `Hull::loops`.
#[derive(Clone, Debug)]
pub(crate) struct Face {
    pub normal: DVec3,
    pub offset: f64,
    first: u32,
    count: u32,
}

/// A corner of a face and the edge from it to the next corner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    pub vertex: u32,
    pub edge: u32,
}

/// A convex polyhedron.
#[derive(Clone, Debug)]
pub(crate) struct Hull {
    pub points: Vec<DVec3>,
    pub faces: Vec<Face>,
    pub edges: Vec<[u32; 2]>,
    /// The two faces of every edge.
    pub sides: Vec<[u32; 2]>,
    /// Distance of the farthest point from the origin [m].
    pub outer_radius: f64,
    /// A point inside.
    pub centre: DVec3,
    loops: Vec<Corner>,
    /// Faces and edges around vertex i: `around[starts[i]..starts[i + 1]]`, as (face, edge).
    starts: Vec<u32>,
    around: Vec<(u32, u32)>,
}

/// Triangles within this part of the hull's size of a plane belong to one face. Wide enough for points
/// rounded to single precision, as STL files hold them.
const COPLANAR: f64 = 2e-7;
/// A hull thinner than this part of its width has no faces worth the name.
const THINNEST: f64 = 1e-9;

impl Hull {
    /// The hull of at least four points that do not lie in one plane.
    pub fn new(points: &[DVec3]) -> Result<Self, ShapeError> {
        let points = distinct(points)?;
        if points.len() < 4 {
            return Err(ShapeError::TooFew { what: "a convex hull", least: 4, got: points.len() });
        }
        let size = points.iter().map(|p| (*p - points[0]).length()).fold(0.0, f64::max);
        if thickness(&points) <= THINNEST * size {
            return Err(ShapeError::Flat("common plane"));
        }
        let broken = || ShapeError::NoHull("its faces do not close".to_owned());
        let triangles = quickhull::triangles(&points, size).ok_or_else(broken)?;
        let hull = Self::from_triangles(&points, &triangles, size)?;
        // Outside by more than the joining of faces explains: the algorithm has failed.
        let outside = points.iter().any(|p| hull.height(*p) > 10.0 * COPLANAR * size);
        if outside { Err(ShapeError::NoHull("points are left outside".to_owned())) } else { Ok(hull) }
    }

    /// Largest signed distance of a point from the planes of the faces.
    fn height(&self, p: DVec3) -> f64 {
        self.faces.iter().map(|face| face.normal.dot(p) - face.offset).fold(f64::NEG_INFINITY, f64::max)
    }

    fn from_triangles(points: &[DVec3], triangles: &[[u32; 3]], size: f64) -> Result<Self, ShapeError> {
        let broken = || ShapeError::NoHull("its faces do not close".to_owned());
        let groups = join_coplanar(points, triangles, size).ok_or_else(broken)?;
        let outlines = outlines(triangles, &groups).ok_or_else(broken)?;
        let mut renumbered = vec![u32::MAX; points.len()];
        let mut hull = Self {
            points: Vec::new(),
            faces: Vec::new(),
            edges: Vec::new(),
            sides: Vec::new(),
            outer_radius: 0.0,
            centre: DVec3::ZERO,
            loops: Vec::new(),
            starts: Vec::new(),
            around: Vec::new(),
        };
        for outline in &outlines {
            for &old in outline {
                if renumbered[old as usize] == u32::MAX {
                    renumbered[old as usize] = hull.points.len() as u32;
                    hull.points.push(points[old as usize]);
                }
            }
        }
        let mut known = BTreeMap::new();
        for outline in outlines {
            hull.add_face(outline.iter().map(|&old| renumbered[old as usize]).collect(), &mut known);
        }
        hull.outer_radius = hull.points.iter().map(|p| p.length()).fold(0.0, f64::max);
        hull.centre = hull.points.iter().sum::<DVec3>() / hull.points.len() as f64;
        hull.link();
        Ok(hull)
    }

    fn add_face(&mut self, outline: Vec<u32>, known: &mut BTreeMap<[u32; 2], u32>) {
        let first = self.loops.len() as u32;
        for (k, &vertex) in outline.iter().enumerate() {
            let next = outline[(k + 1) % outline.len()];
            let ends = [vertex.min(next), vertex.max(next)];
            let edge = *known.entry(ends).or_insert_with(|| {
                self.edges.push(ends);
                self.edges.len() as u32 - 1
            });
            self.loops.push(Corner { vertex, edge });
        }
        let (normal, offset) = plane(outline.iter().map(|&i| self.points[i as usize]));
        self.faces.push(Face { normal, offset, first, count: outline.len() as u32 });
    }

    /// Fills the lists of what lies around each vertex and beside each edge.
    fn link(&mut self) {
        let mut lists = vec![Vec::new(); self.points.len()];
        let mut sides = vec![[u32::MAX; 2]; self.edges.len()];
        for f in 0..self.faces.len() {
            for corner in self.outline(f) {
                lists[corner.vertex as usize].push((f as u32, corner.edge));
                let side = &mut sides[corner.edge as usize];
                side[usize::from(side[0] != u32::MAX)] = f as u32;
            }
        }
        self.sides = sides;
        self.starts.push(0);
        for list in lists {
            self.around.extend(list);
            self.starts.push(self.around.len() as u32);
        }
    }

    /// Corners of a face, counter-clockwise seen from outside.
    pub fn outline(&self, face: usize) -> &[Corner] {
        let Face { first, count, .. } = self.faces[face];
        &self.loops[first as usize..(first + count) as usize]
    }

    /// (face, edge) around a vertex; every edge at the vertex once.
    pub fn around(&self, vertex: usize) -> &[(u32, u32)] {
        &self.around[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }

    /// The vertex farthest along a direction.
    pub fn support(&self, direction: DVec3) -> u32 {
        let (mut best, mut most) = (0, f64::NEG_INFINITY);
        for (i, p) in self.points.iter().enumerate() {
            let along = p.dot(direction);
            if along > most {
                (best, most) = (i, along);
            }
        }
        best as u32
    }

    /// Triangles that cover the faces, for integrals over the volume.
    pub fn triangles(&self) -> impl Iterator<Item = [DVec3; 3]> + '_ {
        self.triangle_numbers().map(|triangle| triangle.map(|i| self.points[i as usize]))
    }

    /// The same by numbers of points.
    pub fn triangle_numbers(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        (0..self.faces.len()).flat_map(move |f| {
            let outline = self.outline(f);
            (1..outline.len() - 1).map(move |k| [0, k, k + 1].map(|corner| outline[corner].vertex))
        })
    }
}

/// The points without repetitions, in their order.
fn distinct(points: &[DVec3]) -> Result<Vec<DVec3>, ShapeError> {
    let mut kept: Vec<DVec3> = Vec::with_capacity(points.len());
    let mut seen = BTreeSet::new();
    for (index, p) in points.iter().enumerate() {
        if !p.is_finite() {
            return Err(ShapeError::NotFinite { what: "point", index });
        }
        // Adding zero makes −0 and 0 one number.
        if seen.insert((*p + DVec3::ZERO).to_array().map(f64::to_bits)) {
            kept.push(*p);
        }
    }
    Ok(kept)
}

/// Height of the farthest point over the widest triangle found greedily.
fn thickness(points: &[DVec3]) -> f64 {
    let farthest = |far: &dyn Fn(DVec3) -> f64| {
        points.iter().copied().max_by(|p, q| far(*p).total_cmp(&far(*q))).unwrap_or_default()
    };
    let p0 = points[0];
    let p1 = farthest(&|p| (p - p0).length());
    let along = (p1 - p0).normalize_or_zero();
    let p2 = farthest(&|p| (p - p0).cross(along).length());
    let across = (p2 - p0).cross(along).normalize_or_zero();
    let p3 = farthest(&|p| (p - p0).dot(across).abs());
    (p3 - p0).dot(across).abs()
}

/// Plane of a polygon by Newell's sum, which averages over all corners.
fn plane(corners: impl Iterator<Item = DVec3> + Clone) -> (DVec3, f64) {
    let origin = corners.clone().next().unwrap_or_default();
    let next = corners.clone().skip(1).chain(std::iter::once(origin));
    let sum: DVec3 = corners.clone().zip(next).map(|(p, q)| (p - origin).cross(q - origin)).sum();
    let normal = sum.normalize_or_zero();
    let n = corners.clone().count() as f64;
    (normal, corners.map(|p| normal.dot(p)).sum::<f64>() / n)
}

/// A number of its plane for every triangle. None if a triangle has no neighbour across an edge.
fn join_coplanar(points: &[DVec3], triangles: &[[u32; 3]], size: f64) -> Option<Vec<u32>> {
    let across = directed_edges(triangles);
    let mut group = vec![u32::MAX; triangles.len()];
    // The largest triangles have the most exact normals, so they begin.
    let area_normal = |t: usize| {
        let [p, q, r] = triangles[t].map(|i| points[i as usize]);
        (q - p).cross(r - p)
    };
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    order.sort_by(|&s, &t| area_normal(t).length().total_cmp(&area_normal(s).length()).then(s.cmp(&t)));
    for seed in order {
        if group[seed] != u32::MAX {
            continue;
        }
        let normal = area_normal(seed).normalize_or_zero();
        let offset = normal.dot(points[triangles[seed][0] as usize]);
        let flat = |t: usize| {
            triangles[t]
                .iter()
                .all(|&i| (normal.dot(points[i as usize]) - offset).abs() <= COPLANAR * size)
        };
        let mut stack = vec![seed];
        group[seed] = seed as u32;
        while let Some(t) = stack.pop() {
            for k in 0..3 {
                let (from, to) = (triangles[t][k], triangles[t][(k + 1) % 3]);
                let neighbour = *across.get(&(to, from))?;
                if group[neighbour] == u32::MAX && flat(neighbour) {
                    group[neighbour] = seed as u32;
                    stack.push(neighbour);
                }
            }
        }
    }
    Some(group)
}

fn directed_edges(triangles: &[[u32; 3]]) -> BTreeMap<(u32, u32), usize> {
    let edges = |t: usize| (0..3).map(move |k| ((triangles[t][k], triangles[t][(k + 1) % 3]), t));
    (0..triangles.len()).flat_map(edges).collect()
}

/// The boundary of every group of triangles, as a loop of vertices.
fn outlines(triangles: &[[u32; 3]], groups: &[u32]) -> Option<Vec<Vec<u32>>> {
    let across = directed_edges(triangles);
    let mut next = BTreeMap::<(u32, u32), u32>::new();
    for (t, corners) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (from, to) = (corners[k], corners[(k + 1) % 3]);
            if groups[*across.get(&(to, from))?] != groups[t] {
                next.insert((groups[t], from), to);
            }
        }
    }
    let mut loops = Vec::new();
    while let Some((&(group, start), _)) = next.first_key_value() {
        let mut outline = Vec::new();
        let mut at = start;
        while let Some(to) = next.remove(&(group, at)) {
            outline.push(at);
            at = to;
        }
        // Every group is one disc: a loop that ends elsewhere, or a second one, means a broken hull.
        if at != start
            || outline.len() < 3
            || next.range((group, 0)..=(group, u32::MAX)).next().is_some()
        {
            return None;
        }
        loops.push(outline);
    }
    Some(loops)
}
