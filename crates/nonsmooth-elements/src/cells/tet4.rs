//! A tetrahedron with four nodes.

use super::{Cell, Side, gauss, simplex};

pub(super) const ENTRY: Cell = Cell {
    name: "tet4",
    about: "tetrahedron with four nodes, linear",
    gmsh: 4,
    dim: 3,
    nodes: &[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    n_corners: 4,
    shape: |xi| simplex::linear(3, xi),
    points: gauss::tetrahedron_2,
    sides: &[
        Side { cell: "triangle3", nodes: &[0, 2, 1] },
        Side { cell: "triangle3", nodes: &[0, 1, 3] },
        Side { cell: "triangle3", nodes: &[1, 2, 3] },
        Side { cell: "triangle3", nodes: &[0, 3, 2] },
    ],
};
