//! Spherical joint: the points coincide. In the plane it is a revolute joint.

use super::{AxisKind, Entry, Joint, JointAxes, JointRows, Side, Within};
use crate::model::builder::JointAt;

pub(super) const ENTRY: Entry = Entry {
    name: "spherical",
    about: "ball and socket: turns about every axis through its point",
    options: &[],
    make: |_| Box::new(Spherical),
};

/// Ball and socket.
#[derive(Clone, Copy, Debug)]
pub struct Spherical;

impl Spherical {
    /// A ball and socket at a point of the world, at the start [m].
    pub fn at(point: [f64; 3]) -> JointAt {
        JointAt::new(Box::new(Self), point)
    }
}

impl Joint for Spherical {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn dim(&self, within: Within) -> usize {
        match within {
            Within::Plane => 2,
            Within::Space => 3,
        }
    }

    fn needs_axis(&self, _within: Within) -> bool {
        false
    }

    fn free_axes(&self, within: Within) -> &'static [AxisKind] {
        match within {
            Within::Plane => &[AxisKind::Angle],
            Within::Space => &[],
        }
    }

    fn rows(&self, within: Within, a: &Side, b: &Side, out: &mut JointRows) {
        out.meet(a, b, self.dim(within));
    }

    fn axes(&self, within: Within, a: &Side, b: &Side, out: &mut JointAxes) {
        if within == Within::Plane {
            out.angle(a, b);
        }
    }
}
