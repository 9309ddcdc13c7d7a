//! Beams of Timoshenko: cross sections shear and have rotary inertia.

use super::beam::{INERTIA, INERTIA_Y, INERTIA_Z, TORSION, UP, in_space, slender};
use super::frame::Frame;
use super::{AREA, DENSITY, Entry, YOUNG, positive};
use nonsmooth_solvers::Declared;

pub(super) const IN_THE_PLANE: Entry = Entry {
    name: "timoshenko-plane",
    about: "thick beam in the plane (Timoshenko): shear and rotary inertia",
    cells: &["line2"],
    options: &[&YOUNG, &DENSITY, &AREA, &INERTIA, &SHEAR],
    make: |options| {
        let (inertia, shear) = ([options.number(&INERTIA); 2], [options.number(&SHEAR); 2]);
        Ok(Box::new(Frame { inertia, shear, is_thick: true, ..slender(options) }))
    },
};

pub(super) const IN_SPACE: Entry = Entry {
    name: "timoshenko",
    about: "thick beam in space (Timoshenko): shear and rotary inertia",
    cells: &["line2"],
    options: &[&YOUNG, &DENSITY, &AREA, &INERTIA_Y, &INERTIA_Z, &TORSION, &SHEAR, &UP],
    make: |options| {
        let shear = [options.number(&SHEAR); 2];
        Ok(Box::new(Frame { shear, is_thick: true, ..in_space(options) }))
    },
};

const SHEAR: Declared = positive("shear", "shear stiffness κ G A, κ = 5/6 for a rectangle [N]");
