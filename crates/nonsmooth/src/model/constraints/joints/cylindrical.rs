//! Cylindrical joint: the point of b stays on the axis through the point of a, and the axes are parallel; it slides along the axis and turns
//! about it. In the plane nothing turns about an axis that lies in it: the joint is then prismatic.

use super::{AxisKind, Entry, Joint, JointAxes, JointRows, Side, Within};
use crate::model::builder::JointAt;

pub(super) const ENTRY: Entry = Entry {
    name: "cylindrical",
    about: "sleeve on a rod: slides along one axis and turns about it",
    options: &[],
    make: |_| Box::new(Cylindrical),
};

/// A sleeve on a rod.
#[derive(Clone, Copy, Debug)]
pub struct Cylindrical;

impl Cylindrical {
    /// A sleeve through a point of the world, at the start [m].
    pub fn at(point: [f64; 3]) -> JointAt {
        JointAt::new(Box::new(Self), point)
    }
}

impl Joint for Cylindrical {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn dim(&self, within: Within) -> usize {
        match within {
            Within::Plane => 2,
            Within::Space => 4,
        }
    }

    fn needs_axis(&self, _within: Within) -> bool {
        true
    }

    fn free_axes(&self, within: Within) -> &'static [AxisKind] {
        match within {
            Within::Plane => &[AxisKind::Travel],
            Within::Space => &[AxisKind::Travel, AxisKind::Angle],
        }
    }

    fn rows(&self, within: Within, a: &Side, b: &Side, out: &mut JointRows) {
        out.slide(a, b, 0);
        if within == Within::Plane {
            return out.turn(a, b, 1);
        }
        out.slide(a, b, 1);
        out.align(a, b);
    }

    fn axes(&self, within: Within, a: &Side, b: &Side, out: &mut JointAxes) {
        out.travel(a, b, 2);
        if within == Within::Space {
            out.angle(a, b);
        }
    }
}
