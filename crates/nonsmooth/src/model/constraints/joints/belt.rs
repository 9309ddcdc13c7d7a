//! Belt: a toothed belt or chain around two wheels with parallel axes; the point of a and the second point, on b, are their centres.
//!
//! ```text
//! y = r_a (α − α₀) − r_b (β − β₀)  up to whole teeth,     r = n pitch / 2π
//! ```
//!
//! α and β are the directions of the line of centres as seen in the wheels, as of a [`Gear`](super::Gear). What runs onto one wheel runs off
//! the other; both spans keep their lengths while the distance of the centres, which this joint does not hold, stays. A crossed belt has
//! n_b < 0. λ is the difference of the tensions of the two spans.

use super::gear::{Mesh, TEETH_A, fault_of_teeth};
use super::{AxisKind, Entry, Joint, JointAxes, JointRows, Side, Within};
use crate::model::builder::JointAt;
use glam::DVec3;
use nonsmooth_solvers::{Declared, Kind};
use std::f64::consts::TAU;

pub(super) const ENTRY: Entry = Entry {
    name: "belt",
    about: "toothed belt or chain around two wheels, about parallel axes through its two points",
    options: &[&TEETH_A, &TEETH_B, &PITCH],
    make: |options| {
        let teeth = [options.number(&TEETH_A), options.number(&TEETH_B)];
        Box::new(Belt { teeth, pitch: options.number(&PITCH), mesh: Mesh::default() })
    },
};

const TEETH_B: Declared = Declared {
    name: "teeth_b",
    about: "teeth of the second wheel, a whole number; < 0 for a crossed belt [–]",
    kind: Kind::Number { min: -1e5, max: 1e5 },
    default: "20",
};
const PITCH: Declared =
    Declared { name: "pitch", about: "length of a tooth [m]", kind: Kind::Positive, default: "0.005" };

/// A toothed belt around two wheels.
#[derive(Clone, Copy, Debug)]
pub struct Belt {
    teeth: [f64; 2],
    pitch: f64,
    mesh: Mesh,
}

impl Belt {
    /// Around wheels with so many teeth of a length [m]; `teeth_b` < 0: crossed.
    pub fn new(teeth_a: f64, teeth_b: f64, pitch: f64) -> Self {
        Self { teeth: [teeth_a, teeth_b], pitch, mesh: Mesh::default() }
    }

    /// Their centres in the world at the start [m].
    pub fn between(self, first: [f64; 3], second: [f64; 3]) -> JointAt {
        JointAt::new(Box::new(self), first).to(second)
    }
}

impl Joint for Belt {
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
        fault_of_teeth(self.teeth)
    }

    fn place(&mut self, apart: DVec3) {
        let ([a, b], r) = (self.teeth, self.pitch / TAU);
        self.mesh = Mesh::new([r * a, -r * b], self.pitch, apart);
    }

    fn free_axes(&self, _within: Within) -> &'static [AxisKind] {
        &[]
    }

    fn rows(&self, _within: Within, a: &Side, b: &Side, out: &mut JointRows) {
        out.mesh(a, b, &self.mesh);
    }

    fn axes(&self, _within: Within, _a: &Side, _b: &Side, _out: &mut JointAxes) {}
}
