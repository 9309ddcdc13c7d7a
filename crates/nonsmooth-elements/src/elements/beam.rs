//! Beams of Euler–Bernoulli: cross sections stay perpendicular to the axis and have no rotary inertia.

use super::frame::Frame;
use super::{AREA, DENSITY, Entry, YOUNG, positive};
use glam::DVec3;
use nonsmooth_solvers::{Declared, Kind, Options};

pub(super) const IN_THE_PLANE: Entry = Entry {
    name: "beam-plane",
    about: "slender beam in the plane (Euler–Bernoulli)",
    cells: &["line2"],
    options: &[&YOUNG, &DENSITY, &AREA, &INERTIA],
    make: |options| Ok(Box::new(Frame { inertia: [options.number(&INERTIA); 2], ..slender(options) })),
};

pub(super) const IN_SPACE: Entry = Entry {
    name: "beam",
    about: "slender beam in space (Euler–Bernoulli)",
    cells: &["line2"],
    options: &[&YOUNG, &DENSITY, &AREA, &INERTIA_Y, &INERTIA_Z, &TORSION, &UP],
    make: |options| Ok(Box::new(in_space(options))),
};

pub(super) const INERTIA: Declared = positive("inertia", "second moment of area I [m⁴]");
pub(super) const INERTIA_Y: Declared =
    positive("inertia_y", "second moment ∫ z² dA, of bending along `up` [m⁴]");
pub(super) const INERTIA_Z: Declared =
    positive("inertia_z", "second moment ∫ y² dA, of bending across `up` [m⁴]");
pub(super) const TORSION: Declared = positive("torsion", "torsional stiffness G J [N·m²]");
pub(super) const UP: Declared = Declared {
    name: "up",
    about: "axis of the world near the third axis of the beam; auto: z, or y where the beam runs along z",
    kind: Kind::Word(&["auto", "x", "y", "z"]),
    default: "auto",
};

/// What all beams have: no shear, no rotary inertia, in the plane.
pub(super) fn slender(options: &Options) -> Frame {
    Frame {
        in_space: false,
        young: options.number(&YOUNG),
        density: options.number(&DENSITY),
        area: options.number(&AREA),
        inertia: [0.0; 2],
        torsion: 0.0,
        shear: [f64::INFINITY; 2],
        is_thick: false,
        up: None,
    }
}

/// The same in space.
pub(super) fn in_space(options: &Options) -> Frame {
    let up = match options.word(&UP) {
        "x" => Some(DVec3::X),
        "y" => Some(DVec3::Y),
        "z" => Some(DVec3::Z),
        _ => None,
    };
    Frame {
        in_space: true,
        inertia: [options.number(&INERTIA_Z), options.number(&INERTIA_Y)],
        torsion: options.number(&TORSION),
        up,
        ..slender(options)
    }
}
