//! A slip that turns round or ends within a drift: the step is cut where it is zero.
//!
//! A kick has one friction for the whole of its drift. Where the slip of a contact passes zero on the way, friction turns or ends there; with one for
//! all of it the contact sticks to the end of the step, or slides too far: an error of first order. Where the slip ends the last reactions λ tell,
//! if friction was at its bound:
//!
//! ```text
//! a = (ũ − û)/κ      s₀ = û + τ a,      s₁ = ũ⁺ + ½ rest a,      σ = rest · s₀·(s₀ − s₁)/‖s₀ − s₁‖²
//! ```
//!
//! ũ, ũ⁺ are those of ṽ at both ends of the drift. The kick is made again for the time σ, and the next one begins there with no lag, so that each has
//! its own friction. Islands with more rows than an impact may cut go without: there friction ends somewhere in every step.

use super::classify::{MOST_ROWS, Roles, held};
use super::drift::Drift;
use super::kick::Kick;
use crate::model::{ActiveConstraints, Free, Model, Role};
use nonsmooth_solvers::Set;

/// A part of the drift that is shorter than this share of it is none.
const NOTHING: f64 = 1e-3;
/// Friction is at its bound from this share of it on.
const AT_BOUND: f64 = 0.99;
/// Change of a slip in a drift, relative to what reactions make of the velocity of its bodies: less is noise of a contact that sticks at the bound.
const NOISE: f64 = 1e-3;

/// Whether so few rows are about that a slip may cut the step.
pub(super) fn may_turn(active: &ActiveConstraints, roles: &Roles) -> bool {
    roles.rows.iter().map(|&c| active.rows(c as usize).len()).sum::<usize>() <= MOST_ROWS
}

/// The contacts whose slip is zero within the drift of a kick that was solved, and when [s].
pub(super) fn turning(
    model: &Model,
    (active, roles): (&ActiveConstraints, &Roles),
    (kick, free): (&Kick, &Free),
    drift: &Drift,
) -> Vec<(usize, f64)> {
    let turns = active.contacts().filter(|&c| roles.role[c] == Role::Lasting && slid(active, c, kick));
    let end = |c: usize| {
        let (time, change) = end_of_slip(active, c, (kick, drift))?;
        (change > NOISE * held(model, active, c, (&kick.v, &free.v))).then_some((c, time))
    };
    turns.filter_map(end).collect()
}

/// Whether friction of a contact was at its bound in the last kick.
fn slid(active: &ActiveConstraints, c: usize, kick: &Kick) -> bool {
    let (Set::Coulomb2 { mu } | Set::Coulomb3 { mu }) = active.sets[active.set_start[c] as usize] else {
        return false;
    };
    let before = &kick.before[active.rows(c)];
    let rubbed = dot(&before[1..], &before[1..]);
    rubbed > 0.0 && rubbed >= (AT_BOUND * mu * before[0]).powi(2)
}

/// When the slip of a contact is zero, if that is within the drift and it slides until then [s]; and how much it changes in the drift [m/s].
fn end_of_slip(
    active: &ActiveConstraints,
    c: usize,
    (kick, drift): (&Kick, &Drift),
) -> Option<(f64, f64)> {
    let tangents = active.rows(c).start + 1..active.rows(c).end;
    let (mut start, mut change) = ([0.0; 2], [0.0; 2]);
    let mut along = 0.0;
    for (k, row) in tangents.enumerate() {
        let [u, u_end] = kick.predicted[row];
        let kicked = (u - active.u_minus[row]) / drift.kick_length();
        start[k] = active.u_minus[row] + drift.lag * kicked;
        change[k] = u_end + 0.5 * drift.rest * kicked - start[k];
        along += start[k] * kick.before[row];
    }
    let share = -dot(&start, &change) / dot(&change, &change);
    // It slides against friction.
    let is_within = share > NOTHING && share < 1.0 - NOTHING && along < 0.0;
    is_within.then(|| (share * drift.rest, dot(&change, &change).sqrt()))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
