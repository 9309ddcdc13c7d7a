//! Unilateral contact with Poisson's impact law: the impulse of expansion is e times that of compression.
//!
//! ```text
//! compression   0 ≤ u_c ⟂ p_c ≥ 0                          expansion   0 ≤ u⁺ ⟂ p − e p_c ≥ 0
//! ```
//!
//! Both phases at one instant, with the same W. A contact that another one strikes in the expansion may need more than e p_c. Between impacts the
//! contact is unilateral without rebound: a law with phases has no form that does both in a step.

use super::coulomb::restitution_fault;
use super::{Entry, Forms, Law, LawRows};
use nonsmooth_solvers::{Declared, Kind, Set};

pub(super) const ENTRY: Entry = Entry {
    name: "poisson",
    about: "unilateral contact, impulse of expansion e times that of compression (restitution e)",
    options: &[&RESTITUTION],
    make: |options| Box::new(Poisson { restitution: options.number(&RESTITUTION) }),
};

const RESTITUTION: Declared = Declared {
    name: "restitution",
    about: "e of p_expansion = e p_compression [–]",
    kind: Kind::Number { min: 0.0, max: 1.0 },
    default: "0",
};

/// Unilateral contact with Poisson's restitution e.
#[derive(Clone, Copy, Debug)]
pub struct Poisson {
    /// e in [0, 1] [–].
    pub restitution: f64,
}

impl Law for Poisson {
    fn dim(&self, _tangents: usize) -> Option<usize> {
        Some(1)
    }

    fn forms(&self) -> Forms {
        Forms { step: false, rebounds: self.restitution > 0.0, ..Forms::CONTACT }
    }

    fn fault(&self) -> Option<String> {
        restitution_fault("restitution", self.restitution)
    }

    fn contact(&self, rows: &mut LawRows<'_>) {
        rows.sets.fill(Set::Nonnegative);
    }

    fn impact(&self, phase: usize, rows: &mut LawRows<'_>) -> bool {
        rows.sets.fill(Set::Nonnegative);
        if phase == 1 {
            for (given, compression) in rows.given.iter_mut().zip(rows.p_before) {
                *given = self.restitution * compression;
            }
        }
        phase == 0 && self.restitution > 0.0
    }

    fn rebound(&self, approach: f64) -> f64 {
        self.restitution * approach
    }
}
