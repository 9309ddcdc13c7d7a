//! Unilateral contact with Frémond's friction: it acts against the mean of the slips before and after an impact.
//!
//! ```text
//! 0 ≤ u_N⁺ + e u_N⁻ ⟂ p_N ≥ 0,    −½ (u_T⁺ + u_T⁻) ∈ N(p_T) on the disc ‖p_T‖ ≤ μ p_N        [Fremond02]
//! ```
//!
//! p·½(u⁻ + u⁺) is the work of an impulse, so friction never gives energy, with any number of contacts and any e; what sticks comes back with
//! −u_T⁻. What lasts takes part in an impact by the same mean. Between impacts friction is Coulomb's.

use super::coulomb::{friction_fault, restitution_fault};
use super::{Entry, Forms, Gains, Law, LawRows};
use nonsmooth_solvers::{Declared, Kind, Set};

pub(super) const ENTRY: Entry = Entry {
    name: "fremond",
    about: "unilateral contact, rebound u_N⁺ = −e u_N⁻, friction of impacts on the mean of the slips before and after; for constraints with tangents",
    options: &[&FRICTION, &RESTITUTION],
    make: |options| {
        Box::new(Fremond {
            friction: options.number(&FRICTION),
            restitution: options.number(&RESTITUTION),
        })
    },
};

const FRICTION: Declared = Declared {
    name: "friction",
    about: "coefficient μ of ‖p_T‖ ≤ μ p_N [–]",
    kind: Kind::Number { min: 0.0, max: 1e6 },
    default: "0",
};
const RESTITUTION: Declared = Declared {
    name: "restitution",
    about: "e of u_N⁺ = −e u_N⁻ [–]",
    kind: Kind::Number { min: 0.0, max: 1.0 },
    default: "0",
};

/// Friction on the mean slip of an impact.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fremond {
    /// μ ≥ 0 [–].
    pub friction: f64,
    /// e in [0, 1] [–].
    pub restitution: f64,
}

impl Fremond {
    fn fill(&self, rows: &mut LawRows<'_>) {
        let mu = self.friction;
        rows.sets.fill(if rows.dim == 2 { Set::Coulomb2 { mu } } else { Set::Coulomb3 { mu } });
    }
}

impl Law for Fremond {
    fn dim(&self, tangents: usize) -> Option<usize> {
        (1..=2).contains(&tangents).then_some(1 + tangents)
    }

    fn forms(&self) -> Forms {
        Forms { step: false, friction: true, rebounds: self.restitution > 0.0, ..Forms::CONTACT }
    }

    fn fault(&self) -> Option<String> {
        restitution_fault("restitution", self.restitution).or_else(|| friction_fault(self.friction))
    }

    fn contact(&self, rows: &mut LawRows<'_>) {
        self.fill(rows);
    }

    fn impact(&self, _phase: usize, rows: &mut LawRows<'_>) -> bool {
        self.fill(rows);
        rows.shift.copy_from_slice(rows.u_minus);
        for shift in rows.shift.iter_mut().step_by(rows.dim) {
            *shift *= self.restitution;
        }
        false
    }

    fn supports(&self, rows: &mut LawRows<'_>) {
        self.impact(0, rows);
        for shift in rows.shift.iter_mut().step_by(rows.dim) {
            *shift = 0.0;
        }
    }

    fn gains(&self) -> Gains {
        Gains { beside_others: true, ..Gains::default() }
    }

    fn rebound(&self, approach: f64) -> f64 {
        self.restitution * approach
    }
}
