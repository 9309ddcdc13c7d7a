//! A triangle with three nodes.

use super::{Cell, Side, gauss, simplex};

pub(super) const ENTRY: Cell = Cell {
    name: "triangle3",
    about: "triangle with three nodes, linear",
    gmsh: 2,
    dim: 2,
    nodes: &[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
    n_corners: 3,
    shape: |xi| simplex::linear(2, xi),
    // Degree 4: the mass of an axisymmetric triangle is of degree 3.
    points: gauss::triangle_4,
    sides: &[
        Side { cell: "line2", nodes: &[0, 1] },
        Side { cell: "line2", nodes: &[1, 2] },
        Side { cell: "line2", nodes: &[2, 0] },
    ],
};
