//! A quadrilateral with eight nodes: corners, then the middles of the edges 01, 12, 23, 30.

use super::{Cell, Side, gauss, tensor};

pub(super) const ENTRY: Cell = Cell {
    name: "quad8",
    about: "quadrilateral with eight nodes, quadratic (serendipity)",
    gmsh: 16,
    dim: 2,
    nodes: &NODES,
    n_corners: 4,
    shape: |xi| tensor::serendipity(2, &NODES, xi),
    points: || gauss::tensor(2, 3),
    sides: &[
        Side { cell: "line3", nodes: &[0, 1, 4] },
        Side { cell: "line3", nodes: &[1, 2, 5] },
        Side { cell: "line3", nodes: &[2, 3, 6] },
        Side { cell: "line3", nodes: &[3, 0, 7] },
    ],
};

const NODES: [[f64; 3]; 8] = [
    [-1.0, -1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 1.0, 0.0],
    [-1.0, 1.0, 0.0],
    [0.0, -1.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [-1.0, 0.0, 0.0],
];
