//! What plane, axisymmetric and solid elements have in common.
//!
//! ```text
//! ε = (ε_xx, ε_yy, ε_zz, γ_xy, γ_yz, γ_xz) = B u,     σ = D ε,     K = Σ_g w |det| d Bᵀ D B,     M = Σ_g w |det| d ρ NᵀN
//! ```
//!
//! d is the thickness, 2π r, or 1. In a body of revolution x is the radius, y runs along the axis and zz is the direction around it, with
//! ε_zz = u_x/r. [Hughes00, ch. 2]

use super::Formulation;
use crate::cells::{Cell, MOST_NODES, Mapped};
use glam::DVec3;

/// Numbers of an isotropic material in a state of strain.
pub(super) struct Continuum {
    /// Number of displacements of a node: 2 or 3.
    pub dim: usize,
    /// Whether it is a body of revolution.
    pub is_round: bool,
    /// D [Pa].
    pub law: [[f64; 6]; 6],
    /// ρ [kg/m³].
    pub density: f64,
    /// Thickness [m]; 1 of others than plates.
    pub thickness: f64,
}

/// Names of stresses, as results have them.
const STRESSES: [&str; 6] = ["s_xx", "s_yy", "s_zz", "s_xy", "s_yz", "s_xz"];

/// D of an isotropic material in space.
pub(super) fn isotropic(young: f64, poisson: f64) -> [[f64; 6]; 6] {
    let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    let mu = young / (2.0 * (1.0 + poisson));
    let mut law = [[0.0; 6]; 6];
    for i in 0..3 {
        law[i][..3].fill(lambda);
        law[i][i] += 2.0 * mu;
        law[i + 3][i + 3] = mu;
    }
    law
}

impl Continuum {
    /// Columns of B of node `a`: strain by component.
    fn strain(&self, at: &Mapped, a: usize) -> [[f64; 3]; 6] {
        let [x, y, z] = at.slope[a];
        let mut b = [[0.0; 3]; 6];
        (b[0][0], b[1][1]) = (x, y);
        (b[3][0], b[3][1]) = (y, x);
        if self.dim == 3 {
            b[2][2] = z;
            (b[4][1], b[4][2]) = (z, y);
            (b[5][0], b[5][2]) = (z, x);
        } else if self.is_round {
            // On the axis u_x/r is its limit, ∂u_x/∂r.
            b[2][0] = if at.x.x > 0.0 { at.value[a] / at.x.x } else { x };
        }
        b
    }
}

impl Formulation for Continuum {
    fn components(&self) -> &'static [&'static str] {
        &["x", "y", "z"][..self.dim]
    }

    fn stresses(&self) -> &'static [&'static str] {
        &STRESSES
    }

    fn depth(&self, x: DVec3) -> f64 {
        if self.is_round { std::f64::consts::TAU * x.x } else { self.thickness }
    }

    fn fault(&self, nodes: &[DVec3]) -> Option<String> {
        let beyond = nodes.iter().find(|x| self.is_round && x.x < 0.0)?;
        Some(format!("x = {} is a radius here and must not be negative", beyond.x))
    }

    fn stiffness(&self, cell: &Cell, nodes: &[DVec3], out: &mut [f64]) {
        let (dim, n) = (self.dim, nodes.len());
        let size = n * dim;
        for point in (cell.points)() {
            let at = cell.map(point.at, nodes);
            let weight = point.weight * at.measure * self.depth(at.x);
            let mut strains = [[[0.0; 3]; 6]; MOST_NODES];
            (0..n).for_each(|a| strains[a] = self.strain(&at, a));
            for (a, strain) in strains[..n].iter().enumerate() {
                for i in 0..dim {
                    let mut stress = [0.0; 6];
                    for (k, s) in stress.iter_mut().enumerate() {
                        *s = weight * (0..6).map(|l| self.law[k][l] * strain[l][i]).sum::<f64>();
                    }
                    let row = &mut out[(a * dim + i) * size..][..size];
                    for (b, other) in strains[..n].iter().enumerate() {
                        for j in 0..dim {
                            row[b * dim + j] += (0..6).map(|k| stress[k] * other[k][j]).sum::<f64>();
                        }
                    }
                }
            }
        }
    }

    fn mass(&self, cell: &Cell, nodes: &[DVec3], out: &mut [f64]) {
        let (dim, n) = (self.dim, nodes.len());
        let size = n * dim;
        for point in (cell.points)() {
            let at = cell.map(point.at, nodes);
            let weight = point.weight * at.measure * self.depth(at.x) * self.density;
            for a in 0..n {
                for b in 0..n {
                    let m = weight * at.value[a] * at.value[b];
                    (0..dim).for_each(|i| out[(a * dim + i) * size + b * dim + i] += m);
                }
            }
        }
    }

    /// ½ (∂u_j/∂x_i − ∂u_i/∂x_j) in the middle of the cell.
    fn angles(&self, cell: &Cell, nodes: &[DVec3]) -> Vec<Vec<f64>> {
        let mut middle = [0.0; 3];
        let corners = &cell.nodes[..cell.n_corners];
        corners.iter().for_each(|x| (0..3).for_each(|k| middle[k] += x[k] / corners.len() as f64));
        let at = cell.map(middle, nodes);
        let planes: &[[usize; 2]] = if self.dim == 2 { &[[0, 1]] } else { &[[1, 2], [2, 0], [0, 1]] };
        let row = |&[i, j]: &[usize; 2]| {
            let mut row = vec![0.0; nodes.len() * self.dim];
            for a in 0..nodes.len() {
                row[a * self.dim + j] += 0.5 * at.slope[a][i];
                row[a * self.dim + i] -= 0.5 * at.slope[a][j];
            }
            row
        };
        planes.iter().map(row).collect()
    }

    fn stress(&self, cell: &Cell, nodes: &[DVec3], u: &[f64], xi: [f64; 3]) -> [f64; 6] {
        let at = cell.map(xi, nodes);
        let mut strain = [0.0; 6];
        for a in 0..nodes.len() {
            let b = self.strain(&at, a);
            let own = &u[a * self.dim..(a + 1) * self.dim];
            for (strain, row) in strain.iter_mut().zip(&b) {
                *strain += row.iter().zip(own).map(|(b, u)| b * u).sum::<f64>();
            }
        }
        self.law.map(|row| row.iter().zip(&strain).map(|(d, e)| d * e).sum())
    }
}
