//! Bodies of revolution under loads that are the same all around: x is the radius, y runs along the axis. Forces and masses are those
//! of the whole ring.

use super::continuum::{Continuum, isotropic};
use super::{DENSITY, Entry, POISSON, YOUNG};

pub(super) const ENTRY: Entry = Entry {
    name: "axisymmetric",
    about: "body of revolution: x is the radius, y the axis; forces are those of the whole turn",
    cells: &["triangle3", "quad4", "triangle6", "quad8"],
    options: &[&YOUNG, &POISSON, &DENSITY],
    make: |options| {
        let law = isotropic(options.number(&YOUNG), options.number(&POISSON));
        let density = options.number(&DENSITY);
        Ok(Box::new(Continuum { dim: 2, is_round: true, law, density, thickness: 1.0 }))
    },
};
