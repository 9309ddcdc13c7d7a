//! Long bodies under plane strain: ε_zz = 0.

use super::continuum::{Continuum, isotropic};
use super::{DENSITY, Entry, POISSON, THICKNESS, YOUNG};

pub(super) const ENTRY: Entry = Entry {
    name: "plane-strain",
    about: "slice of a long body that keeps its thickness",
    cells: &["triangle3", "quad4", "triangle6", "quad8"],
    options: &[&YOUNG, &POISSON, &DENSITY, &THICKNESS],
    make: |options| {
        let law = isotropic(options.number(&YOUNG), options.number(&POISSON));
        let (density, thickness) = (options.number(&DENSITY), options.number(&THICKNESS));
        Ok(Box::new(Continuum { dim: 2, is_round: false, law, density, thickness }))
    },
};
