//! Complementarity: 0 ≤ y ⟂ λ ≥ 0 for a relation, an ideal diode; for a gap a contact that never rebounds.

use super::{Entry, Forms, Law, LawRows};
use nonsmooth_solvers::Set;

pub(super) const ENTRY: Entry = Entry {
    name: "complementarity",
    about: "0 ≤ y ⟂ λ ≥ 0: an ideal diode, or a contact without rebound; for relations, and constraints without tangents",
    options: &[],
    make: |_| Box::new(Complementarity),
};

/// Neither of both is negative, one of them vanishes.
#[derive(Clone, Copy, Debug)]
pub struct Complementarity;

impl Law for Complementarity {
    fn dim(&self, tangents: usize) -> Option<usize> {
        (tangents == 0).then_some(1)
    }

    fn forms(&self) -> Forms {
        Forms::CONTACT
    }

    fn step(&self, rows: &mut LawRows<'_>) {
        rows.sets.fill(Set::Nonnegative);
    }

    fn contact(&self, rows: &mut LawRows<'_>) {
        rows.sets.fill(Set::Nonnegative);
    }
}
