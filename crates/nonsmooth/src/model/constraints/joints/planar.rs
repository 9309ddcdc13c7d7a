//! Planar joint: the point of b stays in the plane through the point of a that is perpendicular to the joint's axis, and the axes are
//! parallel; it slides in that plane and turns about the axis. For bodies in space.

use super::{AxisKind, Entry, Joint, JointAxes, JointRows, Side, Within};
use crate::model::builder::JointAt;

pub(super) const ENTRY: Entry = Entry {
    name: "planar",
    about: "puck on a table: slides in a plane and turns about its normal, the axis; in space only",
    options: &[],
    make: |_| Box::new(Planar),
};

/// A puck on a table that it cannot leave.
#[derive(Clone, Copy, Debug)]
pub struct Planar;

impl Planar {
    /// A plane through a point of the world, at the start [m]; the axis is its normal.
    pub fn at(point: [f64; 3]) -> JointAt {
        JointAt::new(Box::new(Self), point)
    }
}

impl Joint for Planar {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn dim(&self, within: Within) -> usize {
        match within {
            Within::Plane => 0,
            Within::Space => 3,
        }
    }

    fn needs_axis(&self, _within: Within) -> bool {
        true
    }

    fn free_axes(&self, within: Within) -> &'static [AxisKind] {
        match within {
            Within::Plane => &[],
            Within::Space => &[AxisKind::Travel, AxisKind::Travel, AxisKind::Angle],
        }
    }

    fn rows(&self, _within: Within, a: &Side, b: &Side, out: &mut JointRows) {
        out.slide(a, b, 2);
        out.align(a, b);
    }

    fn axes(&self, _within: Within, a: &Side, b: &Side, out: &mut JointAxes) {
        out.travel(a, b, 0);
        out.travel(a, b, 1);
        out.angle(a, b);
    }
}
