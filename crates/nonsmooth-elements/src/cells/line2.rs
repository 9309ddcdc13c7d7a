//! A line with two nodes.

use super::{Cell, gauss, tensor};

pub(super) const ENTRY: Cell = Cell {
    name: "line2",
    about: "line with two nodes",
    gmsh: 1,
    dim: 1,
    nodes: &NODES,
    n_corners: 2,
    shape: |xi| tensor::linear(1, &NODES, xi),
    points: || gauss::tensor(1, 2),
    sides: &[],
};

const NODES: [[f64; 3]; 2] = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
