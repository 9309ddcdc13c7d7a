//! A hexahedron with twenty nodes: corners, then the middles of the edges 01, 03, 04, 12, 15, 23, 26, 37, 45, 47, 56, 67.

use super::{Cell, Side, gauss, tensor};

pub(super) const ENTRY: Cell = Cell {
    name: "hex20",
    about: "hexahedron with twenty nodes, quadratic (serendipity)",
    gmsh: 17,
    dim: 3,
    nodes: &NODES,
    n_corners: 8,
    shape: |xi| tensor::serendipity(3, &NODES, xi),
    points: || gauss::tensor(3, 3),
    sides: &[
        Side { cell: "quad8", nodes: &[0, 3, 2, 1, 9, 13, 11, 8] },
        Side { cell: "quad8", nodes: &[4, 5, 6, 7, 16, 18, 19, 17] },
        Side { cell: "quad8", nodes: &[0, 1, 5, 4, 8, 12, 16, 10] },
        Side { cell: "quad8", nodes: &[1, 2, 6, 5, 11, 14, 18, 12] },
        Side { cell: "quad8", nodes: &[2, 3, 7, 6, 13, 15, 19, 14] },
        Side { cell: "quad8", nodes: &[3, 0, 4, 7, 9, 10, 17, 15] },
    ],
};

const NODES: [[f64; 3]; 20] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
    [0.0, -1.0, -1.0],
    [-1.0, 0.0, -1.0],
    [-1.0, -1.0, 0.0],
    [1.0, 0.0, -1.0],
    [1.0, -1.0, 0.0],
    [0.0, 1.0, -1.0],
    [1.0, 1.0, 0.0],
    [-1.0, 1.0, 0.0],
    [0.0, -1.0, 1.0],
    [-1.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
    [0.0, 1.0, 1.0],
];
