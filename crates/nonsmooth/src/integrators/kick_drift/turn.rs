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
//! its own friction. The points of a pair cut a step once, at the mean of their instants by normal force: what the others lose before it, they
//! gain after it. One cut for each corner of a block that stops leaves rests of 10⁻³ h, in which the rounding of gaps is a velocity. Islands with more rows than an impact may cut go without: there friction ends somewhere in every step.

use super::Course;
use super::apart::Apart;
use super::classify::{MOST_ROWS, Roles, held};
use super::drift::Drift;
use super::kick::Kick;
use crate::model::instant::Instant;
use crate::model::{ActiveConstraints, Free, Model, Role, State};
use nonsmooth_solvers::Set;

/// A part of the drift that is shorter than this share of the step is none.
const NOTHING: f64 = 1e-3;
/// Friction is at its bound from this share of it on.
const AT_BOUND: f64 = 0.99;
/// Change of a slip in a drift, relative to what reactions make of the velocity of its bodies: less is noise of a contact that sticks at the bound.
const NOISE: f64 = 1e-3;

/// Relative velocities of the prediction, and where the present drift ends with a slip.
#[derive(Default)]
pub(super) struct Turn {
    /// Those of ṽ at both ends of the drift, by row [m/s].
    predicted: Vec<[f64; 2]>,
    /// The length of the present drift, where it ends with the slip of a contact [s].
    end: Option<f64>,
    /// Pairs of colliders that cut the step.
    cut: Vec<[u32; 2]>,
}

impl Turn {
    /// Begins a step.
    pub(super) fn start(&mut self) {
        self.end = None;
        self.cut.clear();
    }

    /// Keeps what is predicted.
    pub(super) fn keep(&mut self, kick: &Kick) {
        self.predicted.clear();
        self.predicted.extend(kick.u.iter().zip(&kick.u_end).map(|(u, u_end)| [*u, *u_end]));
    }

    /// Whether the present drift was cut already.
    pub(super) fn is_cut(&self) -> bool {
        self.end.is_some()
    }

    /// The end of the present drift of length `rest`, if a slip ends there [s].
    pub(super) fn take(&mut self, rest: f64) -> Option<f64> {
        self.end.take().filter(|length| *length == rest)
    }

    /// What becomes of a kick that was solved, where a slip turns in its drift: the islands are set apart, or the drift is shortened.
    pub(super) fn course(
        &mut self,
        model: &Model,
        now: &State,
        made: (&ActiveConstraints, &Roles, &Kick, &Free),
        drift: &mut Drift,
        apart: &mut Apart,
    ) -> Option<Course> {
        let (active, roles, ..) = made;
        if !apart.is_possible() && roles.n_rows(active) > MOST_ROWS {
            return None;
        }
        let turning = self.turning(model, made, drift);
        let &(c, first) = turning.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
        if apart.is_possible() {
            let is_apart = set_apart(apart, model, now, (drift, active, roles), &turning);
            return is_apart.then_some(Course::Apart);
        }
        self.cut.push(active.ids[c].colliders());
        drift.shorten(first);
        self.end = Some(drift.rest);
        Some(Course::Again)
    }

    /// The first contacts of pairs whose slip is zero within the drift, and when [s].
    fn turning(
        &self,
        model: &Model,
        (active, roles, kick, free): (&ActiveConstraints, &Roles, &Kick, &Free),
        drift: &Drift,
    ) -> Vec<(usize, f64)> {
        let (mut found, mut sums): (Vec<(usize, f64)>, [f64; 2]) = (Vec::new(), [0.0; 2]);
        let pair = |c: usize| active.ids[c].colliders();
        for c in active.contacts() {
            if roles.role[c] != Role::Lasting || !slid(active, c, kick) || self.cut.contains(&pair(c)) {
                continue;
            }
            let Some((time, change)) = self.end_of_slip(active, c, (kick, drift)) else { continue };
            if change <= NOISE * held(model, active, c, (&kick.v, &free.v)) {
                continue;
            }
            if found.last().is_none_or(|(last, _)| pair(*last) != pair(c)) {
                found.push((c, time));
                sums = [0.0; 2];
            }
            let weight = kick.before[active.rows(c).start];
            sums = [sums[0] + weight, sums[1] + weight * time];
            if let Some(last) = found.last_mut() {
                last.1 = sums[1] / sums[0];
            }
        }
        found
    }

    /// When the slip of a contact is zero, if that is within the drift and it slides until then [s]; and how much it changes in the drift [m/s].
    fn end_of_slip(
        &self,
        active: &ActiveConstraints,
        c: usize,
        (kick, drift): (&Kick, &Drift),
    ) -> Option<(f64, f64)> {
        let tangents = active.rows(c).start + 1..active.rows(c).end;
        let (mut start, mut change) = ([0.0; 2], [0.0; 2]);
        let mut along = 0.0;
        for (k, row) in tangents.enumerate() {
            let [u, u_end] = self.predicted[row];
            let kicked = (u - active.u_minus[row]) / drift.kick_length();
            start[k] = active.u_minus[row] + drift.lag * kicked;
            change[k] = u_end + 0.5 * drift.rest * kicked - start[k];
            along += start[k] * kick.before[row];
        }
        let share = -dot(&start, &change) / dot(&change, &change);
        // It slides against friction.
        let least = NOTHING * drift.h / drift.rest;
        let is_within = share > least && share < 1.0 - least && along < 0.0;
        is_within.then(|| (share * drift.rest, dot(&change, &change).sqrt()))
    }
}

/// Sets islands with few rows apart in which the slip of one of these contacts turns; whether there are any.
fn set_apart(
    apart: &mut Apart,
    model: &Model,
    now: &State,
    (drift, active, roles): (&Drift, &ActiveConstraints, &Roles),
    turning: &[(usize, f64)],
) -> bool {
    let at = Instant { presence: &now.presence, ..drift.here() };
    let islands = apart.know(model, &at, drift.h);
    let (mut rows, mut turns) = (vec![0; islands.n], vec![false; islands.n]);
    let of = |c: usize| islands.of_constraint(model, active.ids[c]);
    for c in roles.rows.iter().map(|&c| c as usize) {
        of(c).into_iter().for_each(|island| rows[island] += active.rows(c).len());
    }
    turning.iter().filter_map(|(c, _)| of(*c)).for_each(|island| turns[island] = true);
    turns.iter_mut().zip(&rows).for_each(|(turns, rows)| *turns &= *rows <= MOST_ROWS);
    apart.set(model, &at, drift.h, &turns)
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

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
