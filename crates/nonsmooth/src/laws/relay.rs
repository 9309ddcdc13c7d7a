//! Relay: a force between two bounds that opposes the relative velocity, −u⁺ ∈ N_[a, b](p/h). Dry friction of a guide, a switch, a valve.
//!
//! ```text
//! u⁺ < 0:  p = h b        u⁺ = 0:  h a ≤ p ≤ h b        u⁺ > 0:  p = h a
//! ```

use super::{Entry, Forms, Law, LawRows};
use nonsmooth_solvers::{Declared, Kind, Set};

pub(super) const ENTRY: Entry = Entry {
    name: "relay",
    about: "force between two bounds against the relative velocity; for constraints without tangents",
    options: &[&LOWER, &UPPER],
    make: |options| Box::new(Relay { lower: options.number(&LOWER), upper: options.number(&UPPER) }),
};

const LOWER: Declared = Declared {
    name: "lower",
    about: "force while u > 0 [N]",
    kind: Kind::Number { min: f64::MIN, max: f64::MAX },
    default: "-1",
};
const UPPER: Declared = Declared {
    name: "upper",
    about: "force while u < 0 [N]",
    kind: Kind::Number { min: f64::MIN, max: f64::MAX },
    default: "1",
};

/// A force between two bounds.
#[derive(Clone, Copy, Debug)]
pub struct Relay {
    /// Force while u > 0 [N].
    pub lower: f64,
    /// Force while u < 0 [N].
    pub upper: f64,
}

impl Relay {
    fn set(&self, h: f64) -> Set {
        Set::Interval { lower: h * self.lower, upper: h * self.upper }
    }
}

impl Law for Relay {
    fn dim(&self, tangents: usize) -> Option<usize> {
        (tangents == 0).then_some(1)
    }

    fn forms(&self) -> Forms {
        // Finite forces do nothing at an instant.
        Forms { relay: true, impact: false, ..Forms::CONTACT }
    }

    fn fault(&self) -> Option<String> {
        let Self { lower, upper } = self;
        if lower > upper {
            return Some(format!("lower must be at most upper, got {lower} and {upper}; swap them"));
        }
        self.set(1.0).fault()
    }

    fn step(&self, rows: &mut LawRows<'_>) {
        rows.sets.fill(self.set(rows.h));
    }

    fn contact(&self, rows: &mut LawRows<'_>) {
        rows.sets.fill(self.set(rows.h));
    }
}
