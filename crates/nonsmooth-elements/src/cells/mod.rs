//! Reference cells: nodes, shape functions, a quadrature rule and sides.
//!
//! ```text
//! x(ξ) = Σ N_a(ξ) x_a,     ∫ f dV = Σ_g w_g |det ∂x/∂ξ| f(ξ_g)          [Hughes00, ch. 3]
//! ```
//!
//! A cell is one file and one line in [`CELLS`]. Nodes are numbered as in files of Gmsh. The rule of a cell integrates the product of two
//! of its shape functions exactly where the cell is affine, so one rule serves stiffness and mass.

mod gauss;
mod hex20;
mod hex8;
mod line2;
mod line3;
mod quad4;
mod quad8;
mod simplex;
mod tensor;
mod tet10;
mod tet4;
mod triangle3;
mod triangle6;

use glam::DVec3;

/// Most nodes of a cell.
pub const MOST_NODES: usize = 20;

/// A point of a quadrature rule.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Place in the reference cell [–].
    pub at: [f64; 3],
    /// Its weight; all of them add up to the measure of the reference cell.
    pub weight: f64,
}

/// Shape functions and their slopes along ξ at a place; entries beyond the nodes of the cell are zero.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// N_a [–].
    pub value: [f64; MOST_NODES],
    /// ∂N_a/∂ξ [–].
    pub slope: [[f64; 3]; MOST_NODES],
}

impl Default for Shape {
    fn default() -> Self {
        Self { value: [0.0; MOST_NODES], slope: [[0.0; 3]; MOST_NODES] }
    }
}

/// A side of a cell: a cell of one dimension less over some of its nodes, the outside to the right of a line and in front of a face.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// Name of its cell in [`CELLS`].
    pub cell: &'static str,
    /// Its nodes, as numbered in the cell it belongs to.
    pub nodes: &'static [usize],
}

/// A kind of cell.
pub struct Cell {
    /// Its name in scenes and messages.
    pub name: &'static str,
    /// One line on it.
    pub about: &'static str,
    /// Its number in files of Gmsh.
    pub gmsh: u32,
    /// 1: line, 2: face, 3: solid.
    pub dim: usize,
    /// Its nodes in the reference cell, corners first [–].
    pub nodes: &'static [[f64; 3]],
    /// Number of corners.
    pub n_corners: usize,
    /// Shape functions at a place.
    pub shape: fn([f64; 3]) -> Shape,
    /// The quadrature rule.
    pub points: fn() -> Vec<Point>,
    /// Sides; none of a line.
    pub sides: &'static [Side],
}

/// Every cell, by dimension and order.
pub static CELLS: &[Cell] = &[
    line2::ENTRY,
    line3::ENTRY,
    triangle3::ENTRY,
    quad4::ENTRY,
    triangle6::ENTRY,
    quad8::ENTRY,
    tet4::ENTRY,
    hex8::ENTRY,
    tet10::ENTRY,
    hex20::ENTRY,
];

/// The cell of this name.
pub fn cell(name: &str) -> Option<&'static Cell> {
    CELLS.iter().find(|cell| cell.name == name)
}

/// A place of a cell in space: shape functions, their slopes along x, and the measure of the map.
#[derive(Clone, Copy, Debug)]
pub struct Mapped {
    /// N_a [–].
    pub value: [f64; MOST_NODES],
    /// ∂N_a/∂x [1/m].
    pub slope: [[f64; 3]; MOST_NODES],
    /// x [m].
    pub x: DVec3,
    /// det ∂x/∂ξ: of a line its length, of a face in the plane its signed area, of a solid its signed volume, by that of the reference cell.
    pub measure: f64,
}

impl Cell {
    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The map of a cell of full dimension (a face in the plane, a solid in space) at ξ. Slopes are zero where the cell is flat.
    pub fn map(&self, xi: [f64; 3], nodes: &[DVec3]) -> Mapped {
        let shape = (self.shape)(xi);
        let mut columns = [DVec3::ZERO; 3];
        let mut x = DVec3::ZERO;
        for (a, &node) in nodes.iter().enumerate() {
            x += shape.value[a] * node;
            for (column, slope) in columns.iter_mut().zip(shape.slope[a]) {
                *column += slope * node;
            }
        }
        if self.dim == 2 {
            columns[2] = DVec3::Z;
        }
        let jacobian = glam::DMat3::from_cols(columns[0], columns[1], columns[2]);
        let measure = jacobian.determinant();
        let inverse = if measure == 0.0 { glam::DMat3::ZERO } else { jacobian.inverse() };
        let mut slope = [[0.0; 3]; MOST_NODES];
        for a in 0..nodes.len() {
            slope[a] = (inverse.transpose() * DVec3::from(shape.slope[a])).to_array();
        }
        Mapped { value: shape.value, slope, x, measure }
    }

    /// Shape functions, place and directed measure of a side at ξ: the normal times the area of a face, to its outside; of a line in the
    /// plane, the normal to its right times its length.
    pub fn map_side(&self, xi: [f64; 3], nodes: &[DVec3]) -> (Shape, DVec3, DVec3) {
        let shape = (self.shape)(xi);
        let mut columns = [DVec3::ZERO; 2];
        let mut x = DVec3::ZERO;
        for (a, &node) in nodes.iter().enumerate() {
            x += shape.value[a] * node;
            columns[0] += shape.slope[a][0] * node;
            columns[1] += shape.slope[a][1] * node;
        }
        let normal =
            if self.dim == 1 { columns[0].cross(DVec3::Z) } else { columns[0].cross(columns[1]) };
        (shape, x, normal)
    }
}

impl Cell {
    /// The point of a side that is nearest to a place, if it lies on the side: shape functions there, the outward unit normal, and the
    /// distance along it [m], negative behind the side. By Newton's method on the two slopes of the distance; a place within 1e-6 of the
    /// reference cell beyond the rim counts as on it, so that no node falls between two sides.
    pub fn nearest(&self, place: DVec3, nodes: &[DVec3]) -> Option<(Shape, DVec3, f64)> {
        let is_simplex = self.nodes.iter().flatten().all(|x| *x >= 0.0);
        let centre = if is_simplex { 1.0 / 3.0 } else { 0.0 };
        let mut xi = [0.0; 3];
        xi[..self.dim].fill(centre);
        for _ in 0..50 {
            let (_, x, _) = self.map_side(xi, nodes);
            let shape = (self.shape)(xi);
            let mut tangents = [DVec3::ZERO; 2];
            for (a, &node) in nodes.iter().enumerate() {
                tangents[0] += shape.slope[a][0] * node;
                tangents[1] += shape.slope[a][1] * node;
            }
            // Gauss–Newton: the curvature of a side is small beside its slope.
            let way = place - x;
            let [a, b] = tangents;
            let (f, g) = (way.dot(a), way.dot(b));
            let step = if self.dim == 1 {
                [f / a.length_squared(), 0.0]
            } else {
                let (aa, ab, bb) = (a.dot(a), a.dot(b), b.dot(b));
                let det = aa * bb - ab * ab;
                [(bb * f - ab * g) / det, (aa * g - ab * f) / det]
            };
            xi[0] += step[0];
            xi[1] += step[1];
            if !(step[0].abs() + step[1].abs() > 1e-14) {
                break;
            }
        }
        let slack = 1e-6;
        let is_on = if is_simplex {
            xi[0] >= -slack && xi[1] >= -slack && xi[0] + xi[1] <= 1.0 + slack
        } else {
            xi[..self.dim].iter().all(|x| x.abs() <= 1.0 + slack)
        };
        let (shape, x, normal) = self.map_side(xi, nodes);
        let normal = normal.normalize_or_zero();
        (is_on && normal != DVec3::ZERO).then(|| (shape, normal, normal.dot(place - x)))
    }
}
