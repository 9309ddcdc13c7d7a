//! Unilateral contact with Newton's impact law: 0 ≤ u⁺ + e u⁻ ⟂ p ≥ 0 while the gap is closed.
//! [Acary06, eq. (54)–(55)]

use super::{Entry, Law, StepForm};
use nonsmooth_solvers::{Declared, Kind, Set};

pub(super) const ENTRY: Entry = Entry {
    name: "newton-impact",
    about: "unilateral contact, rebound u⁺ = −e u⁻ (restitution e)",
    options: &[&RESTITUTION],
    make: |options| NewtonImpact { restitution: options.number(&RESTITUTION) }.step_form(),
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
    fn step_form(&self) -> StepForm {
        let restitution = self.restitution;
        StepForm { set: Set::Nonnegative, restitution, tangential_restitution: 0.0 }
    }
}
