//! Fixed joint: the points coincide and nothing turns; the two move as one.

use super::{AxisKind, Entry, Joint, JointAxes, JointRows, Side, Within};
use crate::model::builder::JointAt;

pub(super) const ENTRY: Entry =
    Entry { name: "fixed", about: "weld: the two move as one", options: &[], make: |_| Box::new(Fixed) };

/// A weld.
#[derive(Clone, Copy, Debug)]
pub struct Fixed;

impl Fixed {
    /// A weld at a point of the world, at the start [m].
    pub fn at(point: [f64; 3]) -> JointAt {
        JointAt::new(Box::new(Self), point)
    }
}

impl Joint for Fixed {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn dim(&self, within: Within) -> usize {
        match within {
            Within::Plane => 3,
            Within::Space => 6,
        }
    }

    fn needs_axis(&self, _within: Within) -> bool {
        false
    }

    fn free_axes(&self, _within: Within) -> &'static [AxisKind] {
        &[]
    }

    fn rows(&self, within: Within, a: &Side, b: &Side, out: &mut JointRows) {
        if within == Within::Plane {
            out.meet(a, b, 2);
            return out.turn(a, b, 2);
        }
        out.meet(a, b, 3);
        (0..3).for_each(|k| out.turn(a, b, k));
    }

    fn axes(&self, _within: Within, _a: &Side, _b: &Side, _out: &mut JointAxes) {}
}
