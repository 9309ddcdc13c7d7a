//! A spring at an instant, and its row: u = J v is the rate of its length.

use super::joints::PairRow;
use glam::{DQuat, DVec3};

/// A spring at an instant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretched {
    /// Its length [m].
    pub(super) length: f64,
    /// From its first end to its second.
    pub(super) along: DVec3,
    /// From the origins of the rigid things to its ends; zero for an end at the centre of its rigid thing.
    pub(super) arms: [DVec3; 2],
    /// What turns moments back to the axes of the start, for ends with an arm.
    pub(super) back: [DQuat; 2],
}

impl Stretched {
    /// J on side `k` in world axes of the start.
    #[inline(always)]
    pub(super) fn on(&self, k: usize) -> [f64; 6] {
        let f = if k == 0 { -self.along } else { self.along };
        if self.arms[k] == DVec3::ZERO {
            return [f.x, f.y, f.z, 0.0, 0.0, 0.0];
        }
        let mut m = self.arms[k].cross(f);
        if self.back[k] != DQuat::IDENTITY {
            m = self.back[k] * m;
        }
        [f.x, f.y, f.z, m.x, m.y, m.z]
    }

    /// J in world axes of the start.
    #[inline(always)]
    pub(super) fn row(&self) -> PairRow {
        PairRow { on_a: self.on(0), on_b: self.on(1) }
    }
}
