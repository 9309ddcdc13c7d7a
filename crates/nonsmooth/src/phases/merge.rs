//! Several inner steps as one: their logs together.
//!
//! Impulses and works are sums by constraint, so that the ledger of the whole step closes where those of the inner steps
//! do. A constraint stands with gap, u⁻ and place of the first inner step in which it takes part, and with u⁺ of the last. Impulses of
//! contact points are along the axes of their inner steps.

use crate::log::{ConstraintLog, StepLog};

/// Scratch of `merge`.
#[derive(Default)]
pub struct Merging {
    constraints: ConstraintLog,
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
                merged.impulse[row] += inner.impulse[from];
                merged.work[row] += inner.work[from];
            }
            (i, j) = (i + 1, j + 1);
        }
    }
    std::mem::swap(merged, all);
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
