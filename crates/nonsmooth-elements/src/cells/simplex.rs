//! Shape functions of triangles and tetrahedra, in barycentric coordinates L_0 = 1 − Σ ξ_d, L_d = ξ_d.
//!
//! ```text
//! linear          N_a = L_a
//! corner          N_a = L_a (2 L_a − 1)
//! middle of edge  N_ab = 4 L_a L_b
//! ```

use super::Shape;

/// L_a and its slope.
fn barycentric(dim: usize, xi: [f64; 3]) -> ([f64; 4], [[f64; 3]; 4]) {
    let (mut value, mut slope) = ([0.0; 4], [[0.0; 3]; 4]);
    value[0] = 1.0 - xi[..dim].iter().sum::<f64>();
    slope[0][..dim].fill(-1.0);
    for d in 0..dim {
        value[d + 1] = xi[d];
        slope[d + 1][d] = 1.0;
    }
    (value, slope)
}

/// Corners alone.
pub(super) fn linear(dim: usize, xi: [f64; 3]) -> Shape {
    let mut shape = Shape::default();
    let (value, slope) = barycentric(dim, xi);
    shape.value[..=dim].copy_from_slice(&value[..=dim]);
    shape.slope[..=dim].copy_from_slice(&slope[..=dim]);
    shape
}

/// Corners, then the middles of these edges.
pub(super) fn quadratic(dim: usize, edges: &[[usize; 2]], xi: [f64; 3]) -> Shape {
    let mut shape = Shape::default();
    let (l, slope) = barycentric(dim, xi);
    for a in 0..=dim {
        shape.value[a] = l[a] * (2.0 * l[a] - 1.0);
        shape.slope[a] = slope[a].map(|s| (4.0 * l[a] - 1.0) * s);
    }
    for (k, &[a, b]) in edges.iter().enumerate() {
        shape.value[dim + 1 + k] = 4.0 * l[a] * l[b];
        shape.slope[dim + 1 + k] =
            std::array::from_fn(|d| 4.0 * (l[a] * slope[b][d] + l[b] * slope[a][d]));
    }
    shape
}
