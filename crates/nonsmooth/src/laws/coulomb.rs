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

use super::{Entry, Forms, Gains, Law, LawRows};
use nonsmooth_solvers::{Declared, Kind, Set};

pub(super) const ENTRY: Entry = Entry {
    name: "coulomb",
    about: "unilateral contact with Coulomb friction and restitution; for constraints with tangents",
    options: &[&FRICTION, &RESTITUTION, &TANGENTIAL_RESTITUTION, &FACETS],
    make: |options| {
        Box::new(Coulomb {
            friction: options.number(&FRICTION),
            restitution: options.number(&RESTITUTION),
            tangential_restitution: options.number(&TANGENTIAL_RESTITUTION),
            facets: options.count(&FACETS),
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

impl Coulomb {
    fn set(&self, dim: usize) -> Set {
        let mu = self.friction;
        match (dim, self.facets) {
            // In the plane a pyramid is Coulomb's cone itself.
            (2, _) => Set::Coulomb2 { mu },
            (_, 0) => Set::Coulomb3 { mu },
            (_, sides) => Set::Pyramid { mu, sides: sides as u32 },
        }
    }
}

impl Law for Coulomb {
    fn dim(&self, tangents: usize) -> Option<usize> {
        (1..=2).contains(&tangents).then_some(1 + tangents)
    }

    fn forms(&self) -> Forms {
        let rebounds = self.restitution > 0.0 || self.tangential_restitution > 0.0;
        Forms { friction: true, rebounds, ..Forms::CONTACT }
    }

    fn fault(&self) -> Option<String> {
        restitution_fault("restitution", self.restitution)
            .or_else(|| restitution_fault("tangential_restitution", self.tangential_restitution))
            .or_else(|| self.set(3).fault())
    }

    fn step(&self, rows: &mut LawRows<'_>) {
        rows.sets.fill(self.set(rows.dim));
        for (shift, u) in rows.shift.chunks_exact_mut(rows.dim).zip(rows.u_minus.chunks_exact(rows.dim))
        {
            shift[0] = self.restitution * u[0];
            for k in 1..rows.dim {
                shift[k] = self.tangential_restitution * u[k];
            }
        }
    }

    fn contact(&self, rows: &mut LawRows<'_>) {
        rows.sets.fill(self.set(rows.dim));
    }

    fn gains(&self) -> Gains {
        Gains::newton(self.restitution, self.tangential_restitution, self.friction)
    }

    fn rebound(&self, approach: f64) -> f64 {
        self.restitution * approach
    }
}

/// A coefficient of restitution outside of [0, 1], in words.
pub(super) fn restitution_fault(name: &str, e: f64) -> Option<String> {
    (!(0.0..=1.0).contains(&e)).then(|| format!("{name} must lie between 0 and 1, got {e}"))
}

/// A coefficient of friction that is negative or no number, in words.
pub(super) fn friction_fault(mu: f64) -> Option<String> {
    (!(mu >= 0.0 && mu.is_finite())).then(|| format!("friction must be ≥ 0 and finite, got {mu}"))
}
