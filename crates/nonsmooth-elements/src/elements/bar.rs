//! Bars: lines that carry force along themselves alone.
//!
//! ```text
//! K = EA/L e eᵀ ⊗ [1, −1; −1, 1],     M = ρAL I ⊗ [1/3, 1/6; 1/6, 1/3]          e: the direction of the bar
//! ```
//!
//! On a line the nodes move along x; elsewhere in all directions, and across itself a bar resists by its mass alone.

use super::{AREA, Cell, DENSITY, Entry, Formulation, PropertyError, YOUNG};
use glam::DVec3;
use nonsmooth_solvers::Options;

pub(super) const ON_A_LINE: Entry = Entry {
    name: "bar-line",
    about: "bar along x whose nodes move along it",
    cells: &["line2"],
    options: &[&YOUNG, &DENSITY, &AREA],
    make: |options| make(1, options),
};

pub(super) const IN_THE_PLANE: Entry = Entry {
    name: "bar-plane",
    about: "bar in the plane, jointed at its ends",
    make: |options| make(2, options),
    ..ON_A_LINE
};

pub(super) const IN_SPACE: Entry = Entry {
    name: "bar",
    about: "bar in space, jointed at its ends",
    make: |options| make(3, options),
    ..ON_A_LINE
};

struct Bar {
    dim: usize,
    young: f64,
    density: f64,
    area: f64,
}

fn make(dim: usize, options: &Options) -> Result<Box<dyn Formulation>, PropertyError> {
    let (young, density) = (options.number(&YOUNG), options.number(&DENSITY));
    Ok(Box::new(Bar { dim, young, density, area: options.number(&AREA) }))
}

impl Bar {
    /// Length and direction.
    fn along(nodes: &[DVec3]) -> (f64, [f64; 3]) {
        let way = nodes[1] - nodes[0];
        (way.length(), way.normalize().to_array())
    }

    fn add(&self, own: f64, other: f64, direction: impl Fn(usize, usize) -> f64, out: &mut [f64]) {
        let size = 2 * self.dim;
        for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let factor = if a == b { own } else { other };
            for i in 0..self.dim {
                for j in 0..self.dim {
                    out[(a * self.dim + i) * size + b * self.dim + j] += factor * direction(i, j);
                }
            }
        }
    }
}

impl Formulation for Bar {
    fn components(&self) -> &'static [&'static str] {
        &["x", "y", "z"][..self.dim]
    }

    fn stiffness(&self, _cell: &Cell, nodes: &[DVec3], out: &mut [f64]) {
        let (length, e) = Bar::along(nodes);
        let k = self.young * self.area / length;
        self.add(k, -k, |i, j| e[i] * e[j], out);
    }

    fn mass(&self, _cell: &Cell, nodes: &[DVec3], out: &mut [f64]) {
        let (length, _) = Bar::along(nodes);
        let m = self.density * self.area * length;
        self.add(m / 3.0, m / 6.0, |i, j| f64::from(u8::from(i == j)), out);
    }

    /// e × (u_b − u_a)/L.
    fn angles(&self, _cell: &Cell, nodes: &[DVec3]) -> Vec<Vec<f64>> {
        let (dim, (length, e)) = (self.dim, Bar::along(nodes));
        let axes: &[usize] = match dim {
            1 => &[],
            2 => &[2],
            _ => &[0, 1, 2],
        };
        let row = |axis: usize| {
            let mut row = vec![0.0; 2 * dim];
            for (to, from, sign) in
                [((axis + 2) % 3, (axis + 1) % 3, 1.0), ((axis + 1) % 3, (axis + 2) % 3, -1.0)]
            {
                if to < dim {
                    row[to] -= sign * e[from] / length;
                    row[dim + to] += sign * e[from] / length;
                }
            }
            row
        };
        axes.iter().map(|&axis| row(axis)).collect()
    }

    fn depth(&self, _x: DVec3) -> f64 {
        self.area
    }

    fn stresses(&self) -> &'static [&'static str] {
        &["s_axial"]
    }

    fn stress(&self, _cell: &Cell, nodes: &[DVec3], u: &[f64], _xi: [f64; 3]) -> [f64; 6] {
        let (length, e) = Bar::along(nodes);
        let stretch: f64 = (0..self.dim).map(|i| e[i] * (u[self.dim + i] - u[i])).sum();
        [self.young * stretch / length, 0.0, 0.0, 0.0, 0.0, 0.0]
    }
}
