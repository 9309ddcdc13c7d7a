//! A triangle with six nodes: corners, then the middles of the edges 01, 12, 20.

use super::{Cell, Side, gauss, simplex};

pub(super) const ENTRY: Cell = Cell {
    name: "triangle6",
    about: "triangle with six nodes, quadratic",
    gmsh: 9,
    dim: 2,
    nodes: &[
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.5, 0.0, 0.0],
        [0.5, 0.5, 0.0],
        [0.0, 0.5, 0.0],
    ],
    n_corners: 3,
    shape: |xi| simplex::quadratic(2, &[[0, 1], [1, 2], [2, 0]], xi),
    points: gauss::triangle_5,
    sides: &[
        Side { cell: "line3", nodes: &[0, 1, 3] },
        Side { cell: "line3", nodes: &[1, 2, 4] },
        Side { cell: "line3", nodes: &[2, 0, 5] },
    ],
};
