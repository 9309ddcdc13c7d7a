//! Unilateral contact with Coulomb's friction and restitution, while the gap is closed:
//!
//! ```text
//! 0 ≤ u_N⁺ + e_N u_N⁻ ⟂ p_N ≥ 0
//! ‖p_T‖ ≤ μ p_N,   w = u_T⁺ + e_T u_T⁻:   w = 0,   or   p_T = −μ p_N w/‖w‖
//! ```
//!
//! As one inclusion, −(u + shift) ∈ N_C(p) with C = {‖p_T‖ ≤ μ p_N} and the shift μ‖w‖ along the normal, since friction
//! is not associated. [DeSaxce98] With `facets` = k the disk of p_T is a regular polygon of k sides: another problem,
//! whose distance from this one is up to 1 − cos(π/k) of the friction force; in the plane both are the same.
//!
//! With e_T > 0 or different e at contacts that act together the impact may gain energy; the ledger shows it.

use super::{Entry, Law, StepForm};
use nonsmooth_solvers::{Declared, Kind, Set};

pub(super) const ENTRY: Entry = Entry {
    name: "coulomb",
    about: "unilateral contact with Coulomb friction and restitution; for constraints with tangents",
    options: &[&FRICTION, &RESTITUTION, &TANGENTIAL_RESTITUTION, &FACETS],
    make: |options| {
        let coulomb = Coulomb {
            friction: options.number(&FRICTION),
            restitution: options.number(&RESTITUTION),
            tangential_restitution: options.number(&TANGENTIAL_RESTITUTION),
            facets: options.count(&FACETS),
        };
        coulomb.step_form()
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
    about: "e of u⁺ = −e u⁻ [–]",
    kind: Kind::Number { min: 0.0, max: 1.0 },
    default: "0",
};
const TANGENTIAL_RESTITUTION: Declared = Declared {
    name: "tangential_restitution",
    about: "e of the sliding velocity in an impact that sticks: u_T⁺ = −e u_T⁻ [–]",
    kind: Kind::Number { min: 0.0, max: 1.0 },
    default: "0",
};
const FACETS: Declared = Declared {
    name: "facets",
    about: "sides of the polygon that takes the place of the friction disk; 0 for the disk itself [–]",
    kind: Kind::Whole { min: 0, max: 1000 },
    default: "0",
};

/// Contact with friction μ and restitution.
#[derive(Clone, Copy, Debug, Default)]
pub struct Coulomb {
    /// μ ≥ 0 [–].
    pub friction: f64,
    /// e_N in [0, 1] [–].
    pub restitution: f64,
    /// e_T in [0, 1] [–].
    pub tangential_restitution: f64,
    /// Sides of the friction polygon in space; 0 for the exact disk.
    pub facets: usize,
}

impl Law for Coulomb {
    fn step_form(&self) -> StepForm {
        let Coulomb { friction: mu, restitution, tangential_restitution, facets } = *self;
        let set =
            if facets == 0 { Set::Coulomb3 { mu } } else { Set::Pyramid { mu, sides: facets as u32 } };
        StepForm { set, restitution, tangential_restitution }
    }
}
