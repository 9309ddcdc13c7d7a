//! Screw: as a cylindrical joint, but travel and angle are tied,
//!
//! ```text
//! travel = lead · angle / 2π        lead > 0: right-handed
//! ```
//!
//! Its row is that difference up to whole leads, so turns need not be counted. For bodies in space.

use super::{AxisKind, Entry, Joint, JointAxes, JointRows, Side, Within};
use crate::model::builder::JointAt;
use nonsmooth_solvers::{Declared, Kind};

pub(super) const ENTRY: Entry = Entry {
    name: "screw",
    about: "nut on a thread: slides along its axis by its lead in each turn; in space only",
    options: &[&LEAD],
    make: |options| Box::new(Screw { lead: options.number(&LEAD) }),
};

const LEAD: Declared = Declared {
    name: "lead",
    about: "travel per turn, > 0 for a right-handed thread [m]",
    kind: Kind::Number { min: -1e6, max: 1e6 },
    default: "0.001",
};

/// A nut on a thread.
#[derive(Clone, Copy, Debug)]
pub struct Screw {
    /// Travel per turn, > 0 for a right-handed thread [m].
    pub lead: f64,
}

impl Screw {
    /// A thread through a point of the world, at the start [m].
    pub fn at(self, point: [f64; 3]) -> JointAt {
        JointAt::new(Box::new(self), point)
    }
}

impl Joint for Screw {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn dim(&self, within: Within) -> usize {
        match within {
            Within::Plane => 0,
            Within::Space => 5,
        }
    }

    fn needs_axis(&self, _within: Within) -> bool {
        true
    }

    fn fault(&self) -> Option<String> {
        let text =
            "without a lead it neither travels nor stops; take `revolute`, or give one in m per turn";
        (!self.lead.is_normal()).then(|| format!("its lead is {}: {text}", self.lead))
    }

    fn free_axes(&self, within: Within) -> &'static [AxisKind] {
        match within {
            Within::Plane => &[],
            Within::Space => &[AxisKind::Angle],
        }
    }

    fn rows(&self, _within: Within, a: &Side, b: &Side, out: &mut JointRows) {
        out.slide(a, b, 0);
        out.slide(a, b, 1);
        out.align(a, b);
        out.tied(a, b, 2, self.lead);
    }

    fn axes(&self, _within: Within, a: &Side, b: &Side, out: &mut JointAxes) {
        out.angle(a, b);
    }
}
