//! A line with three nodes: the side of quadratic faces.

use super::{Cell, Shape, gauss};

pub(super) const ENTRY: Cell = Cell {
    name: "line3",
    about: "line with three nodes, the side of quadratic faces",
    gmsh: 8,
    dim: 1,
    nodes: &[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
    n_corners: 2,
    shape,
    points: || gauss::tensor(1, 3),
    sides: &[],
};

fn shape([x, _, _]: [f64; 3]) -> Shape {
    let mut shape = Shape::default();
    shape.value[..3].copy_from_slice(&[0.5 * x * (x - 1.0), 0.5 * x * (x + 1.0), 1.0 - x * x]);
    for (slope, s) in shape.slope.iter_mut().zip([x - 0.5, x + 0.5, -2.0 * x]) {
        slope[0] = s;
    }
    shape
}
