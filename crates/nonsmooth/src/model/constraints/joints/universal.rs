//! Universal joint: the points coincide, and an axis fixed in a stays perpendicular to a second axis fixed in b; it turns about both. In the
//! plane it is revolute.

use super::{AxisKind, Entry, Joint, JointAxes, JointRows, Side, Within};
use crate::model::builder::JointAt;

pub(super) const ENTRY: Entry = Entry {
    name: "universal",
    about: "cross of Cardan: turns about an axis of the first side and a perpendicular one of the second",
    options: &[],
    make: |_| Box::new(Universal),
};

/// A cross of Cardan.
#[derive(Clone, Copy, Debug)]
pub struct Universal;

impl Universal {
    /// A cross at a point of the world, at the start [m]; it needs an axis and a second one.
    pub fn at(point: [f64; 3]) -> JointAt {
        JointAt::new(Box::new(Self), point)
    }
}

impl Joint for Universal {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn dim(&self, within: Within) -> usize {
        match within {
            Within::Plane => 2,
            Within::Space => 4,
        }
    }

    fn needs_axis(&self, within: Within) -> bool {
        within == Within::Space
    }

    fn needs_second_axis(&self, within: Within) -> bool {
        within == Within::Space
    }

    fn free_axes(&self, within: Within) -> &'static [AxisKind] {
        match within {
            Within::Plane => &[AxisKind::Angle],
            Within::Space => &[AxisKind::Angle, AxisKind::Angle],
        }
    }

    fn rows(&self, within: Within, a: &Side, b: &Side, out: &mut JointRows) {
        if within == Within::Plane {
            return out.meet(a, b, 2);
        }
        out.meet(a, b, 3);
        out.cross(a, b, [2, 0]);
    }

    fn axes(&self, within: Within, a: &Side, b: &Side, out: &mut JointAxes) {
        out.angle(a, b);
        if within == Within::Space {
            out.swing(a, b);
        }
    }
}
