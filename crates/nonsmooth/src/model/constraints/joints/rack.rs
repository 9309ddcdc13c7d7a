//! Rack: a pinion, the second side, rolls along a toothed rail, the first side; the point is the pinion's centre.
//!
//! ```text
//! travel = radius · angle     along the joint's axis; about the second axis, in the plane about z
//! ```
//!
//! Its row is that difference up to whole turns, as of a [`Screw`](super::Screw). What guides the pinion along the rail is another joint. The
//! row pulls at the centre and turns the pinion: together that is the force of the teeth. The sign of the radius says on which side the rail is.

use super::{AxisKind, Entry, Joint, JointAxes, JointRows, Side, Within};
use crate::model::builder::JointAt;
use nonsmooth_solvers::{Declared, Kind};
use std::f64::consts::TAU;

pub(super) const ENTRY: Entry = Entry {
    name: "rack",
    about: "pinion on a toothed rail: travels along it by its radius times its angle",
    options: &[&RADIUS],
    make: |options| Box::new(Rack { radius: options.number(&RADIUS) }),
};

const RADIUS: Declared = Declared {
    name: "radius",
    about: "radius of the pinion; < 0 where it travels against its axis when it turns forward [m]",
    kind: Kind::Number { min: -1e6, max: 1e6 },
    default: "0.1",
};

/// A pinion on a rack.
#[derive(Clone, Copy, Debug)]
pub struct Rack {
    /// Travel per angle [m].
    pub radius: f64,
}

impl Rack {
    /// A pinion with its centre at a point of the world, at the start [m].
    pub fn at(self, point: [f64; 3]) -> JointAt {
        JointAt::new(Box::new(self), point)
    }
}

impl Joint for Rack {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn dim(&self, _within: Within) -> usize {
        1
    }

    fn needs_axis(&self, _within: Within) -> bool {
        true
    }

    fn needs_second_axis(&self, within: Within) -> bool {
        within == Within::Space
    }

    fn fault(&self) -> Option<String> {
        (!self.radius.is_normal()).then(|| format!("its radius is {}; give one in m", self.radius))
    }

    fn free_axes(&self, _within: Within) -> &'static [AxisKind] {
        &[]
    }

    fn rows(&self, within: Within, a: &Side, b: &Side, out: &mut JointRows) {
        // In the plane the frame is (z × axis, z, axis); in space e₁ is the second axis.
        let about = if within == Within::Plane { 1 } else { 0 };
        out.tied(a, b, about, TAU * self.radius);
    }

    fn axes(&self, _within: Within, _a: &Side, _b: &Side, _out: &mut JointAxes) {}
}
