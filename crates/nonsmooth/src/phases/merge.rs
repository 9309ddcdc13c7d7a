//! Several inner steps as one: their logs together.
//!
//! Impulses and works are sums by contact, so that the ledger of the whole step closes where those of the inner steps
//! do. A contact stands with its gap and u⁻ of the first inner step in which it takes part, and with u⁺ of the last.

use super::account::Works;
use crate::log::{Contacts, StepLog};

/// Scratch of `merge`.
#[derive(Default)]
pub struct Merging {
    contacts: Contacts,
}

/// Adds what happened in an inner step that is kept. Its solves and evaluations are noted by whoever made it, since those
/// of steps that are thrown away count too.
pub fn merge(inner: &StepLog, merging: &mut Merging, log: &mut StepLog) {
    if !inner.contacts.keys.is_empty() {
        merge_contacts(&inner.contacts, &mut merging.contacts, &mut log.contacts);
    }
    log.events.extend_from_slice(&inner.events);
    log.notes.extend_from_slice(&inner.notes);
    log.newton_iterations += inner.newton_iterations;
    log.energies = inner.energies;
    log.gaps.clone_from(&inner.gaps);
    let (mut works, more) = (log.works.columns().map(|(_, work)| work), inner.works.columns());
    works.iter_mut().zip(more).for_each(|(work, (_, more))| *work += more);
    log.works = Works::from_columns(works);
}

/// Both lists are sorted by key and component; so is their union.
fn merge_contacts(inner: &Contacts, merged: &mut Contacts, all: &mut Contacts) {
    merged.clear();
    let (mut i, mut j) = (0, 0);
    while i < all.len() || j < inner.len() {
        if j == inner.len() || i < all.len() && all.place(i) < inner.place(j) {
            merged.push_from(all, i);
            i += 1;
        } else if i == all.len() || inner.place(j) < all.place(i) {
            merged.push_from(inner, j);
            j += 1;
        } else {
            merged.push_from(all, i);
            let last = merged.len() - 1;
            merged.u_plus[last] = inner.u_plus[j];
            merged.impulse[last] += inner.impulse[j];
            merged.work[last] += inner.work[j];
            i += 1;
            j += 1;
        }
    }
    std::mem::swap(merged, all);
}

impl Merging {
    /// Forgets everything.
    pub(crate) fn poison(&mut self) {
        self.contacts.clear();
    }
}
