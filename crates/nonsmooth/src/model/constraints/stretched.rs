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

/// The direction of a vector, zero where it has none, and its length.
#[inline(always)]
pub(super) fn direction(x: DVec3) -> (DVec3, f64) {
    let length = x.length();
    let inverse = 1.0 / length;
    (if inverse.is_finite() && inverse > 0.0 { inverse * x } else { DVec3::ZERO }, length)
}

/// Turns the moments of a row back to the axes of the start.
pub(super) fn turned_back(row: PairRow, turns: [DQuat; 2]) -> PairRow {
    let back = |on: [f64; 6], turn: DQuat| {
        if turn == DQuat::IDENTITY {
            return on;
        }
        let m = turn * DVec3::new(on[3], on[4], on[5]);
        [on[0], on[1], on[2], m.x, m.y, m.z]
    };
    PairRow { on_a: back(row.on_a, turns[0]), on_b: back(row.on_b, turns[1]) }
}
