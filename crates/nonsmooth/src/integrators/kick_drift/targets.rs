//! Where the gaps of a kick are to be at the end of its drift.
//!
//! ```text
//! y* = y                                   |y| ≤ δ and the contact lasts: rest is a fixed point
//! y* = −δ + (1 − 0.2 h/h₀)(y + δ)          a point of the pair is below −δ: overlap goes little by little
//! y* = min(y, 0)                           else;   0 of joints
//! ```

use super::classify::Roles;
use super::drift::Drift;
use crate::model::{ActiveConstraints, Role};

/// Share of an overlap that goes in a whole step.
const PUSHED_OUT: f64 = 0.2;

/// y* of every constraint. Points of one pair that carry or overlap have targets that are one linear function of y: a face that moves as
/// a whole can meet them all. Else the problem of four corners, two of them beyond the band, has no solution near by.
pub(super) fn set_targets(
    active: &ActiveConstraints,
    roles: &Roles,
    drift: &Drift,
    target: &mut Vec<f64>,
) {
    let out = PUSHED_OUT * drift.rest / drift.h;
    target.clear();
    let mut c = 0;
    while c < active.len() {
        let end = pair_end(active, c);
        let band = roles.band[c..end].iter().fold(0.0f64, |m, band| m.max(*band));
        let is_deep = active.gap[c..end].iter().any(|y| *y < -band);
        for c in c..end {
            let y = active.gap[c];
            target.push(if roles.is_bilateral[c] {
                0.0
            } else if is_deep && y <= band {
                y - out * (y + band)
            } else if y <= band && roles.role[c] == Role::Lasting {
                y
            } else {
                y.min(0.0)
            });
        }
        c = end;
    }
}

/// The end of the run of contact points of one pair of colliders that begins with constraint `c`; others stand alone.
fn pair_end(active: &ActiveConstraints, c: usize) -> usize {
    let contacts = active.first_contact..active.first_contact + active.places.len();
    if !contacts.contains(&c) {
        return c + 1;
    }
    let pair = active.ids[c].colliders();
    (c + 1..contacts.end).find(|&d| active.ids[d].colliders() != pair).unwrap_or(contacts.end)
}
