//! Plates under plane stress: σ_zz = 0.
//!
//! ```text
//! σ_xx = E/(1 − ν²) (ε_xx + ν ε_yy),     σ_xy = E/(2(1 + ν)) γ_xy
//! ```

use super::continuum::Continuum;
use super::{DENSITY, Entry, POISSON, THICKNESS, YOUNG};

pub(super) const ENTRY: Entry = Entry {
    name: "plane-stress",
    about: "thin plate in its plane",
    cells: &["triangle3", "quad4", "triangle6", "quad8"],
    options: &[&YOUNG, &POISSON, &DENSITY, &THICKNESS],
    make: |options| {
        let (young, nu) = (options.number(&YOUNG), options.number(&POISSON));
        let along = young / (1.0 - nu * nu);
        let mut law = [[0.0; 6]; 6];
        (law[0][0], law[1][1]) = (along, along);
        (law[0][1], law[1][0]) = (nu * along, nu * along);
        law[3][3] = young / (2.0 * (1.0 + nu));
        let (density, thickness) = (options.number(&DENSITY), options.number(&THICKNESS));
        Ok(Box::new(Continuum { dim: 2, is_round: false, law, density, thickness }))
    },
};
