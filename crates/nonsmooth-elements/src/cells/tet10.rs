//! A tetrahedron with ten nodes: corners, then the middles of the edges 01, 12, 02, 03, 23, 13.

use super::{Cell, Side, gauss, simplex};

pub(super) const ENTRY: Cell = Cell {
    name: "tet10",
    about: "tetrahedron with ten nodes, quadratic",
    gmsh: 11,
    dim: 3,
    nodes: &[
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.5, 0.0, 0.0],
        [0.5, 0.5, 0.0],
        [0.0, 0.5, 0.0],
        [0.0, 0.0, 0.5],
        [0.0, 0.5, 0.5],
        [0.5, 0.0, 0.5],
    ],
    n_corners: 4,
    shape: |xi| simplex::quadratic(3, &[[0, 1], [1, 2], [0, 2], [0, 3], [2, 3], [1, 3]], xi),
    points: gauss::tetrahedron_5,
    sides: &[
        Side { cell: "triangle6", nodes: &[0, 2, 1, 6, 5, 4] },
        Side { cell: "triangle6", nodes: &[0, 1, 3, 4, 9, 7] },
        Side { cell: "triangle6", nodes: &[1, 2, 3, 5, 8, 9] },
        Side { cell: "triangle6", nodes: &[0, 3, 2, 7, 8, 6] },
    ],
};
