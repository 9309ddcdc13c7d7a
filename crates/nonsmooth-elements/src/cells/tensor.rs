//! Shape functions of lines, quadrilaterals and hexahedra: products over directions, and serendipity functions.
//!
//! ```text
//! linear          N_a = Π_d ½(1 + ξ_d ξ_ad)
//! corner          N_a = Π_d ½(1 + ξ_d ξ_ad) (Σ_d ξ_d ξ_ad − (D − 1))
//! middle of edge  N_a = (1 − ξ_e²) Π_{d ≠ e} ½(1 + ξ_d ξ_ad)                     e: the direction of the edge
//! ```
//! [Hughes00, sec. 3.6]

use super::Shape;

/// ½(1 + ξ ξ_a) and its slope, or 1 − ξ² and its slope where ξ_a is the middle.
fn factor(xi: f64, node: f64) -> (f64, f64) {
    if node == 0.0 { (1.0 - xi * xi, -2.0 * xi) } else { (0.5 * (1.0 + xi * node), 0.5 * node) }
}

/// Π_d f_d and its slopes.
fn product(dim: usize, xi: [f64; 3], node: [f64; 3]) -> (f64, [f64; 3]) {
    let factors: [(f64, f64); 3] =
        std::array::from_fn(|d| if d < dim { factor(xi[d], node[d]) } else { (1.0, 0.0) });
    let value = factors.iter().map(|f| f.0).product();
    let slope = std::array::from_fn(|d| {
        (0..3).map(|k| if k == d { factors[k].1 } else { factors[k].0 }).product()
    });
    (value, slope)
}

/// Linear in each direction.
pub(super) fn linear(dim: usize, nodes: &[[f64; 3]], xi: [f64; 3]) -> Shape {
    let mut shape = Shape::default();
    for (a, &node) in nodes.iter().enumerate() {
        (shape.value[a], shape.slope[a]) = product(dim, xi, node);
    }
    shape
}

/// Corners and middles of edges.
pub(super) fn serendipity(dim: usize, nodes: &[[f64; 3]], xi: [f64; 3]) -> Shape {
    let mut shape = linear(dim, nodes, xi);
    for (a, node) in nodes.iter().enumerate() {
        if node[..dim].contains(&0.0) {
            continue;
        }
        let sum: f64 = (0..dim).map(|d| xi[d] * node[d]).sum::<f64>() - (dim as f64 - 1.0);
        for d in 0..dim {
            shape.slope[a][d] = shape.slope[a][d] * sum + shape.value[a] * node[d];
        }
        shape.value[a] *= sum;
    }
    shape
}
