//! Height fields: z = h(x, y) on a regular grid centred at the origin, solid below.
//!
//! Vertex (i, j) is at x = (i − (columns − 1)/2) Δx, y likewise. The square (i, j) is cut along its
//! diagonal from (i, j) to (i + 1, j + 1) into triangle 0, under the diagonal, and triangle 1.
//! Nothing but the heights is stored: neighbours follow from the numbers.

use super::core::{Bends, Triangle};
use super::surface::{Wing, bends};
use crate::error::{ShapeError, positive};
use crate::feature::MOST_INDEX;
use glam::DVec3;

/// Heights over a grid.
#[derive(Clone, Debug)]
pub(crate) struct HeightField {
    heights: Vec<f64>,
    columns: u32,
    rows: u32,
    spacing: [f64; 2],
    range: (f64, f64),
    /// One entry for every number of a triangle, also for those beyond the last column or row.
    bends: Vec<Bends>,
    /// Distance of the farthest point from the origin [m].
    pub outer_radius: f64,
}

/// The triangles around a vertex in the order of the grid's edges, as steps to neighbours.
const AROUND: [(i64, i64); 6] = [(1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1)];

impl HeightField {
    /// `heights[i + columns * j]` is the height [m] of vertex (i, j).
    pub fn new(
        heights: Vec<f64>,
        columns: usize,
        rows: usize,
        spacing: [f64; 2],
    ) -> Result<Self, ShapeError> {
        if columns < 2 || rows < 2 {
            return Err(ShapeError::TooFew {
                what: "a side of the height field",
                least: 2,
                got: columns.min(rows),
            });
        }
        if columns.checked_mul(rows) != Some(heights.len()) {
            return Err(ShapeError::GridMismatch { got: heights.len(), columns, rows });
        }
        // Edges are numbered three to a vertex.
        let most = MOST_INDEX as usize / 4;
        if heights.len() > most {
            return Err(ShapeError::TooMany { what: "heights", most, got: heights.len() });
        }
        positive("spacing of the height field", spacing[0])?;
        positive("spacing of the height field", spacing[1])?;
        if let Some(index) = heights.iter().position(|h| !h.is_finite()) {
            return Err(ShapeError::NotFinite { what: "height", index });
        }
        let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (columns, rows) = (columns as u32, rows as u32);
        let mut field = Self {
            heights,
            columns,
            rows,
            spacing,
            range: (low, high),
            bends: Vec::new(),
            outer_radius: 0.0,
        };
        field.bends = field.all_bends();
        field.outer_radius = field.points().map(|p| p.length()).fold(0.0, f64::max);
        Ok(field)
    }

    fn all_bends(&self) -> Vec<Bends> {
        let (c, r) = (self.columns, self.rows);
        let of = |index: u32| {
            let v = index / 2;
            if v % c + 1 == c || v / c + 1 == r {
                return Bends::default();
            }
            let t = self.triangle(index);
            bends(t.normal, [0, 1, 2].map(|k| self.beyond(&t, k)))
        };
        (0..2 * c * r).map(of).collect()
    }

    /// Box around the surface: lowest and highest corner.
    pub fn extent(&self) -> (DVec3, DVec3) {
        let half = |n: u32, step: f64| 0.5 * f64::from(n - 1) * step;
        let (x, y) = (half(self.columns, self.spacing[0]), half(self.rows, self.spacing[1]));
        (DVec3::new(-x, -y, self.range.0), DVec3::new(x, y, self.range.1))
    }

    /// Every vertex.
    pub fn points(&self) -> impl Iterator<Item = DVec3> + '_ {
        (0..self.heights.len() as u32).map(|v| self.point(v))
    }

    /// All triangles by numbers of points.
    pub fn triangle_numbers(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        let c = self.columns;
        let squares = (0..self.rows - 1).flat_map(move |j| (0..c - 1).map(move |i| i + c * j));
        squares.flat_map(move |v| [[v, v + 1, v + c + 1], [v, v + c + 1, v + c]])
    }

    /// A vertex by its number.
    pub fn point(&self, vertex: u32) -> DVec3 {
        let (i, j) = (vertex % self.columns, vertex / self.columns);
        let place = |i: u32, n: u32, step: f64| (f64::from(i) - 0.5 * f64::from(n - 1)) * step;
        let x = place(i, self.columns, self.spacing[0]);
        DVec3::new(x, place(j, self.rows, self.spacing[1]), self.heights[vertex as usize])
    }

    /// Triangle 2·(lower left vertex) + half; edges 3·(start) + 0 along x, 1 along y, 2 diagonal.
    pub fn triangle(&self, index: u32) -> Triangle {
        let (v, c) = (index / 2, self.columns);
        let (vertices, edges) = if index.is_multiple_of(2) {
            ([v, v + 1, v + c + 1], [3 * v, 3 * (v + 1) + 1, 3 * v + 2])
        } else {
            ([v, v + c + 1, v + c], [3 * v + 2, 3 * (v + c), 3 * v + 1])
        };
        let points = vertices.map(|i| self.point(i));
        let normal = (points[1] - points[0]).cross(points[2] - points[0]).normalize();
        let bends = self.bends.get(index as usize).copied().unwrap_or_default();
        Triangle { points, normal, vertices, edges, index, bends }
    }

    /// The ends of an edge by its number.
    pub fn edge_ends(&self, edge: u32) -> [DVec3; 2] {
        let (v, c) = (edge / 3, self.columns);
        [v, v + [1, c, c + 1][(edge % 3) as usize]].map(|v| self.point(v))
    }

    /// Vertex numbers of all triangles.
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        let squares = (0..self.rows - 1).flat_map(|j| (0..self.columns - 1).map(move |i| (i, j)));
        squares.flat_map(|(i, j)| {
            let (v, c) = (i + self.columns * j, self.columns);
            [[v, v + 1, v + c + 1], [v, v + c + 1, v + c]]
        })
    }

    /// Calls `visit` for the triangles of the squares under the given box.
    pub fn near(&self, low: DVec3, high: DVec3, mut visit: impl FnMut(u32)) {
        if low.z > self.range.1 || high.z < self.range.0 {
            return;
        }
        let squares = |from: f64, to: f64, n: u32, step: f64| {
            let number = |x: f64| (x / step + 0.5 * f64::from(n - 1)).floor();
            // `as` clips what lies outside, and an empty range stays empty.
            let (first, end) = (number(from).max(0.0), number(to).min(f64::from(n - 2)) + 1.0);
            (first as u32)..(end.max(0.0) as u32)
        };
        for j in squares(low.y, high.y, self.rows, self.spacing[1]) {
            for i in squares(low.x, high.x, self.columns, self.spacing[0]) {
                let v = i + self.columns * j;
                let heights =
                    [v, v + 1, v + self.columns, v + self.columns + 1].map(|v| self.heights[v as usize]);
                let top = heights.into_iter().fold(f64::NEG_INFINITY, f64::max);
                let bottom = heights.into_iter().fold(f64::INFINITY, f64::min);
                if low.z <= top && high.z >= bottom {
                    visit(2 * v);
                    visit(2 * v + 1);
                }
            }
        }
    }

    /// The triangle beyond side k of a triangle.
    pub fn beyond(&self, t: &Triangle, k: usize) -> Option<Wing> {
        let (v, c) = (t.index / 2, self.columns);
        let (i, j) = (v % c, v / c);
        let is_even = t.index.is_multiple_of(2);
        let other = match (is_even, k) {
            (true, 0) => 2 * v.checked_sub(c)? + 1,
            (true, 1) if i + 2 < c => 2 * (v + 1) + 1,
            (true, 2) => t.index + 1,
            (false, 0) => t.index - 1,
            (false, 1) if j + 2 < self.rows => 2 * (v + c),
            (false, 2) if i > 0 => 2 * (v - 1),
            _ => return None,
        };
        let other = self.triangle(other);
        let (p, q) = (t.vertices[k], t.vertices[(k + 1) % 3]);
        let opposite = (0..3).find(|&m| other.vertices[m] != p && other.vertices[m] != q)?;
        Some(Wing::new(t.points[k], t.points[(k + 1) % 3], other.points[opposite], other.normal))
    }

    /// The points at the other ends of the edges at a vertex.
    pub fn around(&self, vertex: u32) -> impl Iterator<Item = DVec3> + '_ {
        let (i, j) = (i64::from(vertex % self.columns), i64::from(vertex / self.columns));
        let inside = move |&(di, dj): &(i64, i64)| {
            (0..i64::from(self.columns)).contains(&(i + di))
                && (0..i64::from(self.rows)).contains(&(j + dj))
        };
        let columns = i64::from(self.columns);
        AROUND
            .into_iter()
            .filter(inside)
            .map(move |(di, dj)| self.point((i + di + columns * (j + dj)) as u32))
    }
}
