//! A quadrilateral with four nodes.

use super::{Cell, Side, gauss, tensor};

pub(super) const ENTRY: Cell = Cell {
    name: "quad4",
    about: "quadrilateral with four nodes, linear in each direction",
    gmsh: 3,
    dim: 2,
    nodes: &NODES,
    n_corners: 4,
    shape: |xi| tensor::linear(2, &NODES, xi),
    points: || gauss::tensor(2, 2),
    sides: &[
        Side { cell: "line2", nodes: &[0, 1] },
        Side { cell: "line2", nodes: &[1, 2] },
        Side { cell: "line2", nodes: &[2, 3] },
        Side { cell: "line2", nodes: &[3, 0] },
    ],
};

const NODES: [[f64; 3]; 4] = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]];
