//! Unilateral contact with Newton's impact law: 0 ≤ u⁺ + e u⁻ ⟂ p ≥ 0 while the gap is closed.
//! [Acary06, eq. (54)–(55)]

use super::{Entry, Forms, Gains, Law, LawRows};
use nonsmooth_solvers::{Declared, Kind, Set};

pub(super) const ENTRY: Entry = Entry {
    name: "newton-impact",
    about: "unilateral contact, rebound u⁺ = −e u⁻ (restitution e)",
    options: &[&RESTITUTION],
    make: |options| Box::new(NewtonImpact { restitution: options.number(&RESTITUTION) }),
};

const RESTITUTION: Declared = Declared {
    name: "restitution",
    about: "e of u⁺ = −e u⁻ [–]",
    kind: Kind::Number { min: 0.0, max: 1.0 },
    default: "0",
};

/// Unilateral contact with restitution e.
#[derive(Clone, Copy, Debug)]
pub struct NewtonImpact {
    /// e in [0, 1] [–].
    pub restitution: f64,
}

impl Law for NewtonImpact {
    fn dim(&self, _tangents: usize) -> Option<usize> {
        Some(1)
    }

    fn forms(&self) -> Forms {
        Forms { rebounds: self.restitution > 0.0, ..Forms::CONTACT }
    }

    fn fault(&self) -> Option<String> {
        super::coulomb::restitution_fault("restitution", self.restitution)
    }

    fn step(&self, rows: &mut LawRows<'_>) {
        rows.sets.fill(Set::Nonnegative);
        for (shift, u) in rows.shift.iter_mut().zip(rows.u_minus) {
            *shift = self.restitution * u;
        }
    }

    fn contact(&self, rows: &mut LawRows<'_>) {
        rows.sets.fill(Set::Nonnegative);
    }

    fn gains(&self) -> Gains {
        Gains::newton(self.restitution, 0.0, 0.0)
    }

    fn rebound(&self, approach: f64) -> f64 {
        self.restitution * approach
    }
}
