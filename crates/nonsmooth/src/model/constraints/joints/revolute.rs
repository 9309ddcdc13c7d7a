//! Revolute joint: the points coincide, the axes are parallel; it turns about the axis. In the plane the axis is z.

use super::{AxisKind, Entry, Joint, JointAxes, JointRows, Side, Within};
use crate::model::builder::JointAt;

pub(super) const ENTRY: Entry = Entry {
    name: "revolute",
    about: "hinge: turns about one axis",
    options: &[],
    make: |_| Box::new(Revolute),
};

/// A hinge.
#[derive(Clone, Copy, Debug)]
pub struct Revolute;

impl Revolute {
    /// A hinge at a point of the world, at the start [m].
    pub fn at(point: [f64; 3]) -> JointAt {
        JointAt::new(Box::new(Self), point)
    }
}

impl Joint for Revolute {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn dim(&self, within: Within) -> usize {
        match within {
            Within::Plane => 2,
            Within::Space => 5,
        }
    }

    fn needs_axis(&self, within: Within) -> bool {
        within == Within::Space
    }

    fn free_axes(&self, _within: Within) -> &'static [AxisKind] {
        &[AxisKind::Angle]
    }

    fn rows(&self, within: Within, a: &Side, b: &Side, out: &mut JointRows) {
        if within == Within::Plane {
            return out.meet(a, b, 2);
        }
        out.meet(a, b, 3);
        out.align(a, b);
    }

    fn axes(&self, _within: Within, a: &Side, b: &Side, out: &mut JointAxes) {
        out.angle(a, b);
    }
}
