//! Prismatic joint: the point of b stays on the axis through the point of a, and nothing turns; it slides along the axis.

use super::{AxisKind, Entry, Joint, JointAxes, JointRows, Side, Within};
use crate::model::builder::JointAt;

pub(super) const ENTRY: Entry = Entry {
    name: "prismatic",
    about: "slider: moves along one axis without turning",
    options: &[],
    make: |_| Box::new(Prismatic),
};

/// A slider.
#[derive(Clone, Copy, Debug)]
pub struct Prismatic;

impl Prismatic {
    /// A slider through a point of the world, at the start [m].
    pub fn at(point: [f64; 3]) -> JointAt {
        JointAt::new(Box::new(Self), point)
    }
}

impl Joint for Prismatic {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn dim(&self, within: Within) -> usize {
        match within {
            Within::Plane => 2,
            Within::Space => 5,
        }
    }

    fn needs_axis(&self, _within: Within) -> bool {
        true
    }

    fn free_axes(&self, _within: Within) -> &'static [AxisKind] {
        &[AxisKind::Travel]
    }

    fn rows(&self, within: Within, a: &Side, b: &Side, out: &mut JointRows) {
        // In the plane e₃ is the axis, e₁ lies across it in the plane, and e₂ = z.
        out.slide(a, b, 0);
        if within == Within::Plane {
            out.turn(a, b, 1);
            return;
        }
        out.slide(a, b, 1);
        (0..3).for_each(|k| out.turn(a, b, k));
    }

    fn axes(&self, _within: Within, a: &Side, b: &Side, out: &mut JointAxes) {
        out.travel(a, b, 2);
    }
}
