//! Solids in space.

use super::continuum::{Continuum, isotropic};
use super::{DENSITY, Entry, POISSON, YOUNG};

pub(super) const ENTRY: Entry = Entry {
    name: "solid",
    about: "solid in space",
    cells: &["tet4", "hex8", "tet10", "hex20"],
    options: &[&YOUNG, &POISSON, &DENSITY],
    make: |options| {
        let law = isotropic(options.number(&YOUNG), options.number(&POISSON));
        let density = options.number(&DENSITY);
        Ok(Box::new(Continuum { dim: 3, is_round: false, law, density, thickness: 1.0 }))
    },
};
