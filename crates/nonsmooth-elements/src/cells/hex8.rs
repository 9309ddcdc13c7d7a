//! A hexahedron with eight nodes.

use super::{Cell, Side, gauss, tensor};

pub(super) const ENTRY: Cell = Cell {
    name: "hex8",
    about: "hexahedron with eight nodes, linear in each direction",
    gmsh: 5,
    dim: 3,
    nodes: &NODES,
    n_corners: 8,
    shape: |xi| tensor::linear(3, &NODES, xi),
    points: || gauss::tensor(3, 2),
    sides: &[
        Side { cell: "quad4", nodes: &[0, 3, 2, 1] },
        Side { cell: "quad4", nodes: &[4, 5, 6, 7] },
        Side { cell: "quad4", nodes: &[0, 1, 5, 4] },
        Side { cell: "quad4", nodes: &[1, 2, 6, 5] },
        Side { cell: "quad4", nodes: &[2, 3, 7, 6] },
        Side { cell: "quad4", nodes: &[3, 0, 4, 7] },
    ],
};

const NODES: [[f64; 3]; 8] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
];
