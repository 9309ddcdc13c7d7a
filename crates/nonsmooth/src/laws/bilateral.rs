//! Bilateral constraint: u = 0, the impulse is free. Every row stands alone.

use super::{Entry, Forms, Law, LawRows};
use nonsmooth_solvers::Set;

pub(super) const ENTRY: Entry = Entry {
    name: "bilateral",
    about: "joint: the relative velocity vanishes, the impulse has either sign",
    options: &[],
    make: |_| Box::new(Bilateral),
};

/// The relative velocity vanishes.
#[derive(Clone, Copy, Debug)]
pub struct Bilateral;

impl Law for Bilateral {
    fn dim(&self, tangents: usize) -> Option<usize> {
        (tangents == 0).then_some(1)
    }

    fn sets_of(&self, dim: usize) -> usize {
        dim
    }

    fn forms(&self) -> Forms {
        Forms { bilateral: true, ..Forms::CONTACT }
    }

    fn step(&self, rows: &mut LawRows<'_>) {
        rows.sets.fill(Set::Free);
    }

    fn contact(&self, rows: &mut LawRows<'_>) {
        rows.sets.fill(Set::Free);
    }
}

/// A row of a spring or damper: u + D p = 0 with the D of its family. At an instant finite forces do nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compliant;

impl Law for Compliant {
    fn dim(&self, tangents: usize) -> Option<usize> {
        (tangents == 0).then_some(1)
    }

    fn sets_of(&self, dim: usize) -> usize {
        dim
    }

    fn forms(&self) -> Forms {
        Forms { bilateral: true, impact: false, ..Forms::CONTACT }
    }

    fn step(&self, rows: &mut LawRows<'_>) {
        rows.sets.fill(Set::Free);
    }

    fn contact(&self, rows: &mut LawRows<'_>) {
        rows.sets.fill(Set::Free);
    }
}
