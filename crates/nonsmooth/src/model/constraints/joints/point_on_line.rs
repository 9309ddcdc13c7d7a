//! Point on a line: the point of b stays on the joint's axis through the point of a; nothing keeps it from turning.

use super::{AxisKind, Entry, Joint, JointAxes, JointRows, Side, Within};
use crate::model::builder::JointAt;

pub(super) const ENTRY: Entry = Entry {
    name: "point-on-line",
    about: "pin in a straight slot: a point of the second side moves along an axis of the first",
    options: &[],
    make: |_| Box::new(PointOnLine),
};

/// A pin in a straight slot.
#[derive(Clone, Copy, Debug)]
pub struct PointOnLine;

impl PointOnLine {
    /// A pin at a point of the world, at the start [m]; the axis is the direction of the slot.
    pub fn at(point: [f64; 3]) -> JointAt {
        JointAt::new(Box::new(Self), point)
    }
}

impl Joint for PointOnLine {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn dim(&self, within: Within) -> usize {
        match within {
            Within::Plane => 1,
            Within::Space => 2,
        }
    }

    fn needs_axis(&self, _within: Within) -> bool {
        true
    }

    fn free_axes(&self, _within: Within) -> &'static [AxisKind] {
        &[AxisKind::Travel]
    }

    fn rows(&self, within: Within, a: &Side, b: &Side, out: &mut JointRows) {
        (0..self.dim(within)).for_each(|k| out.slide(a, b, k));
    }

    fn axes(&self, _within: Within, a: &Side, b: &Side, out: &mut JointAxes) {
        out.travel(a, b, 2);
    }
}
