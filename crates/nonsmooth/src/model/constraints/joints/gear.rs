//! Gear: two wheels whose teeth mesh, with axes that are parallel; the point of a and the second point, on b, are their centres.
//!
//! ```text
//! y = r_a (α − α₀) + r_b (β − β₀)  up to whole teeth,     r_a / r_b = n_a / n_b,     r_a + r_b = distance of the centres
//! ```
//!
//! α is the direction from the centre of a to that of b as seen in a, β the way back as seen in b. So the relation holds where the centres
//! go round each other too (planets), and where centres are held it is r_a ω_a + r_b ω_b = 0. A ring with its teeth inside has n < 0.
//! The row pulls at the centres and turns the wheels: together that is the force of the teeth, perpendicular to the line of centres.

use super::{AxisKind, Entry, Joint, JointAxes, JointRows, Side, Within};
use crate::model::builder::JointAt;
use glam::DVec3;
use nonsmooth_solvers::{Declared, Kind};
use std::f64::consts::TAU;

pub(super) const ENTRY: Entry = Entry {
    name: "gear",
    about: "two wheels whose teeth mesh, about parallel axes through its two points",
    options: &[&TEETH_A, &TEETH_B],
    make: |options| Box::new(Gear::new(options.number(&TEETH_A), options.number(&TEETH_B))),
};

/// Most teeth of a wheel.
const MOST: f64 = 1e5;

pub(super) const TEETH_A: Declared = Declared {
    name: "teeth_a",
    about: "teeth of the first wheel, a whole number [–]",
    kind: Kind::Number { min: 1.0, max: MOST },
    default: "20",
};
const TEETH_B: Declared = Declared {
    name: "teeth_b",
    about: "teeth of the second wheel, a whole number; < 0 for a ring with its teeth inside [–]",
    kind: Kind::Number { min: -MOST, max: MOST },
    default: "20",
};

/// Two wheels whose teeth mesh.
#[derive(Clone, Copy, Debug)]
pub struct Gear {
    teeth: [f64; 2],
    mesh: Mesh,
}

/// Two wheels that are tied as r_a (α − α₀) + r_b (β − β₀) = 0 up to whole teeth.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mesh {
    /// r_a and r_b with their signs [m].
    pub radii: [f64; 2],
    /// α₀ and β₀ [rad].
    pub bearings: [f64; 2],
    /// Length of a tooth [m].
    pub pitch: f64,
}

impl Mesh {
    /// With the second point in the direction `apart` at the start, in the joint's frame.
    pub fn new(radii: [f64; 2], pitch: f64, apart: DVec3) -> Self {
        let bearing = |d: DVec3| d.y.atan2(d.x);
        Self { radii, bearings: [bearing(apart), bearing(-apart)], pitch: pitch.abs() }
    }
}

/// What is wrong with numbers of teeth.
pub(super) fn fault_of_teeth(teeth: [f64; 2]) -> Option<String> {
    let bad = teeth.into_iter().find(|n| n.fract() != 0.0 || *n == 0.0);
    bad.map(|n| format!("its number of teeth is {n}; give a whole number"))
}

impl Gear {
    /// Wheels with so many teeth; `teeth_b` < 0: a ring with its teeth inside.
    pub fn new(teeth_a: f64, teeth_b: f64) -> Self {
        Self { teeth: [teeth_a, teeth_b], mesh: Mesh::default() }
    }

    /// Their centres in the world at the start [m].
    pub fn between(self, first: [f64; 3], second: [f64; 3]) -> JointAt {
        JointAt::new(Box::new(self), first).to(second)
    }
}

impl Joint for Gear {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn dim(&self, _within: Within) -> usize {
        1
    }

    fn needs_axis(&self, within: Within) -> bool {
        within == Within::Space
    }

    fn needs_second_point(&self) -> bool {
        true
    }

    fn fault(&self) -> Option<String> {
        let [a, b] = self.teeth;
        let text = "a ring must have more teeth than the wheel in it, which is the first";
        fault_of_teeth(self.teeth).or_else(|| (b < 0.0 && -b <= a).then(|| text.to_owned()))
    }

    fn place(&mut self, apart: DVec3) {
        let ([a, b], d) = (self.teeth, apart.truncate().length());
        self.mesh = Mesh::new([d * a / (a + b), d * b / (a + b)], TAU * d / (a + b), apart);
    }

    fn free_axes(&self, _within: Within) -> &'static [AxisKind] {
        &[]
    }

    fn rows(&self, _within: Within, a: &Side, b: &Side, out: &mut JointRows) {
        out.mesh(a, b, &self.mesh);
    }

    fn axes(&self, _within: Within, _a: &Side, _b: &Side, _out: &mut JointAxes) {}
}
