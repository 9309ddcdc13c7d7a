//! Several inner steps, kicks or impacts as one: their logs together.
//!
//! Impulses and works are sums by constraint, so that the ledger of the whole step closes where those of its parts do, and so does the
//! balance of momentum. A constraint stands with gap and u⁻ of the first part in which it takes part, and with u⁺ of the last. A contact
//! point stands where it gave the larger part of its normal impulse. Its impulses are vectors, added in world axes:
//!
//! ```text
//! p = Aᵀ (A₁ p₁ + A₂ p₂),    columns of A: normal and tangents where it stands
//! ```
//!
//! Without friction there is no component to take what a normal that turns leaves over: there the numbers are added.

use crate::log::{ConstraintLog, StepLog};
use nonsmooth_geometry::spatial;

/// Scratch of `merge`.
#[derive(Default)]
pub struct Merging {
    constraints: ConstraintLog,
}

impl Merging {
    /// Adds the constraints of a part of a step to those of the parts before.
    pub fn add(&mut self, part: &ConstraintLog, all: &mut ConstraintLog) {
        merge_constraints(part, &mut self.constraints, all);
    }
}

/// Adds what happened in an inner step that is kept. Its solves and evaluations are noted by whoever made it, since those
/// of steps that are thrown away count too.
pub fn merge(inner: &StepLog, merging: &mut Merging, log: &mut StepLog) {
    if !inner.constraints.is_empty() {
        merge_constraints(&inner.constraints, &mut merging.constraints, &mut log.constraints);
    }
    log.events.extend_from_slice(&inner.events);
    log.notes.extend_from_slice(&inner.notes);
    log.newton_iterations += inner.newton_iterations;
    log.energies = inner.energies;
    log.gaps.clone_from(&inner.gaps);
    log.works += inner.works;
    log.missed |= inner.missed;
    if !(inner.residual <= log.residual) {
        log.residual = inner.residual;
    }
}

/// Both lists are sorted by name; so is their union.
fn merge_constraints(inner: &ConstraintLog, merged: &mut ConstraintLog, all: &mut ConstraintLog) {
    merged.clear();
    merged.row_start.push(0);
    let has_lengths = !(all.lengths.is_empty() && inner.lengths.is_empty());
    let push = |from: &ConstraintLog, c: usize, to: &mut ConstraintLog| {
        push(from, c, to);
        to.lengths.extend(has_lengths.then(|| from.length_of(c)));
    };
    let (mut i, mut j) = (0, 0);
    while i < all.len() || j < inner.len() {
        if j == inner.len() || i < all.len() && all.ids[i] < inner.ids[j] {
            push(all, i, merged);
            i += 1;
        } else if i == all.len() || inner.ids[j] < all.ids[i] {
            push(inner, j, merged);
            j += 1;
        } else {
            push(all, i, merged);
            let rows = merged.rows(merged.len() - 1);
            for (row, from) in rows.zip(inner.rows(j)) {
                merged.u_plus[row] = inner.u_plus[from];
                merged.work[row] += inner.work[from];
            }
            merged
                .lengths
                .iter_mut()
                .last()
                .into_iter()
                .for_each(|length| *length += inner.length_of(j));
            add_impulses(inner, j, merged);
            (i, j) = (i + 1, j + 1);
        }
    }
    merged.length = all.length;
    std::mem::swap(merged, all);
}

/// Adds the impulses of constraint `j` to those of the last of `merged`.
fn add_impulses(inner: &ConstraintLog, j: usize, merged: &mut ConstraintLog) {
    let (rows, from) = (merged.rows(merged.len() - 1), inner.rows(j));
    let (known, more) = (&mut merged.impulse[rows], &inner.impulse[from]);
    let places = merged.places.last_mut().zip(inner.places.get(j));
    let Some((place, other)) = places.filter(|(place, other)| place[0][0].is_finite() && place != other)
    else {
        known.iter_mut().zip(more).for_each(|(to, p)| *to += p);
        return;
    };
    let stands = if more[0].abs() > known[0].abs() { *other } else { *place };
    if known.len() == 1 || place[1] == other[1] {
        known.iter_mut().zip(more).for_each(|(to, p)| *to += p);
    } else {
        let mut sum = [0.0; 3];
        for (at, p) in [(&*place, &*known), (other, more)] {
            for (axis, p) in axes(at[1], p.len()).iter().zip(p) {
                (0..3).for_each(|k| sum[k] += p * axis[k]);
            }
        }
        for (axis, to) in axes(stands[1], known.len()).iter().zip(known) {
            *to = (0..3).map(|k| axis[k] * sum[k]).sum();
        }
    }
    *place = stands;
}

/// Normal and tangents of a contact point with so many rows: two in the plane, three in space.
fn axes(normal: [f64; 3], n_rows: usize) -> [[f64; 3]; 3] {
    if n_rows == 2 { [normal, [-normal[1], normal[0], 0.0], [0.0; 3]] } else { spatial::frame(normal) }
}

/// Appends constraint `c` of one log to another.
fn push(from: &ConstraintLog, c: usize, to: &mut ConstraintLog) {
    let rows = from.rows(c);
    to.ids.push(from.ids[c]);
    to.gap.push(from.gap[c]);
    to.u_minus.extend_from_slice(&from.u_minus[rows.clone()]);
    to.u_plus.extend_from_slice(&from.u_plus[rows.clone()]);
    to.impulse.extend_from_slice(&from.impulse[rows.clone()]);
    to.work.extend_from_slice(&from.work[rows]);
    to.row_start.push(to.u_minus.len() as u32);
    // Where no step of several saw a contact point, the list of places stays empty.
    match from.places.get(c) {
        Some(place) => {
            to.places.resize(to.ids.len() - 1, [[f64::NAN; 3]; 2]);
            to.places.push(*place);
        }
        None if to.places.is_empty() => {}
        None => to.places.push([[f64::NAN; 3]; 2]),
    }
}
