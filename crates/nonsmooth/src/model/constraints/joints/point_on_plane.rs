//! Point on a plane: the point of b stays in the plane through the point of a that is perpendicular to the joint's axis; nothing keeps it
//! from turning. In the plane it stays on a line.

use super::{AxisKind, Entry, Joint, JointAxes, JointRows, Side, Within};
use crate::model::builder::JointAt;

pub(super) const ENTRY: Entry = Entry {
    name: "point-on-plane",
    about: "ball between two plates: a point of the second side moves in a plane of the first, the axis is its normal",
    options: &[],
    make: |_| Box::new(PointOnPlane),
};

/// A ball between two plates.
#[derive(Clone, Copy, Debug)]
pub struct PointOnPlane;

impl PointOnPlane {
    /// A plane through a point of the world, at the start [m]; the axis is its normal.
    pub fn at(point: [f64; 3]) -> JointAt {
        JointAt::new(Box::new(Self), point)
    }
}

impl Joint for PointOnPlane {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn dim(&self, _within: Within) -> usize {
        1
    }

    fn needs_axis(&self, _within: Within) -> bool {
        true
    }

    fn free_axes(&self, within: Within) -> &'static [AxisKind] {
        match within {
            Within::Plane => &[AxisKind::Travel],
            Within::Space => &[AxisKind::Travel, AxisKind::Travel],
        }
    }

    fn rows(&self, _within: Within, a: &Side, b: &Side, out: &mut JointRows) {
        out.slide(a, b, 2);
    }

    fn axes(&self, within: Within, a: &Side, b: &Side, out: &mut JointAxes) {
        out.travel(a, b, 0);
        if within == Within::Space {
            out.travel(a, b, 1);
        }
    }
}
