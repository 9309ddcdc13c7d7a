//! Distance: a massless rod with a ball at each end keeps the point of a and the second point, on b, as far apart as at the start.
//!
//! ```text
//! y = ‖p_b − p_a‖ − L,        J̇ v = d·(a_b − a_a) + ‖v_across‖² / ‖p_b − p_a‖        d along the rod
//! ```

use super::{AxisKind, Entry, Joint, JointAxes, JointRows, Side, Within};
use crate::model::builder::JointAt;
use glam::DVec3;

pub(super) const ENTRY: Entry = Entry {
    name: "distance",
    about: "massless rod between a point of each side, a ball at both ends",
    options: &[],
    make: |_| Box::new(Distance { length: 0.0 }),
};

/// A massless rod.
#[derive(Clone, Copy, Debug)]
pub struct Distance {
    length: f64,
}

impl Distance {
    /// A rod from a point of the first side to one of the second, both in the world at the start [m].
    pub fn between(first: [f64; 3], second: [f64; 3]) -> JointAt {
        JointAt::new(Box::new(Self { length: 0.0 }), first).to(second)
    }
}

impl Joint for Distance {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn dim(&self, _within: Within) -> usize {
        1
    }

    fn needs_axis(&self, _within: Within) -> bool {
        false
    }

    fn needs_second_point(&self) -> bool {
        true
    }

    fn place(&mut self, apart: DVec3) {
        self.length = apart.length();
    }

    fn free_axes(&self, _within: Within) -> &'static [AxisKind] {
        &[]
    }

    fn rows(&self, _within: Within, a: &Side, b: &Side, out: &mut JointRows) {
        out.distance(a, b, self.length);
    }

    fn axes(&self, _within: Within, _a: &Side, _b: &Side, _out: &mut JointAxes) {}
}
