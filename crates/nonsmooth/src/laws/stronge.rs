//! Stronge's impact law along the path: the work that the normal force returns is e² of the work done in compression.
//!
//! ```text
//! −∫ F_N u_N (expansion) = e² ∫ F_N u_N (compression),    dP_T by Coulomb's law at every instant of the impact        [Stronge90]
//! ```
//!
//! It never gives energy, whatever slips, sticks or reverses. Several contacts share the impact as linear springs of one stiffness do.

use super::coulomb::{friction_fault, restitution_fault};
use super::path::{AlongPath, Measure};
use super::{Entry, Forms, Law, LawRows};
use nonsmooth_solvers::{Declared, Kind};

pub(super) const ENTRY: Entry = Entry {
    name: "stronge",
    about: "impact along the path (Darboux–Keller) with Stronge's energetic restitution: work returned = e² work done; friction at will",
    options: &[&RESTITUTION, &FRICTION],
    make: |options| {
        Box::new(Stronge {
            restitution: options.number(&RESTITUTION),
            friction: options.number(&FRICTION),
        })
    },
};

const RESTITUTION: Declared = Declared {
    name: "restitution",
    about: "e: the normal force returns e² of the work it took [–]",
    kind: Kind::Number { min: 0.0, max: 1.0 },
    default: "0",
};
pub(super) const FRICTION: Declared = Declared {
    name: "friction",
    about: "coefficient μ of ‖F_T‖ ≤ μ F_N; above 0 for constraints with tangents [–]",
    kind: Kind::Number { min: 0.0, max: 1e6 },
    default: "0",
};

/// Energetic restitution along the path.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stronge {
    /// e in [0, 1] [–].
    pub restitution: f64,
    /// μ ≥ 0 [–].
    pub friction: f64,
}

impl Law for Stronge {
    fn dim(&self, tangents: usize) -> Option<usize> {
        super::path::dim(self.friction, tangents)
    }

    fn forms(&self) -> Forms {
        super::path::forms(self.restitution, self.friction)
    }

    fn fault(&self) -> Option<String> {
        restitution_fault("restitution", self.restitution).or_else(|| friction_fault(self.friction))
    }

    fn contact(&self, rows: &mut LawRows<'_>) {
        super::path::lasting(self.friction, rows);
    }

    fn along_path(&self) -> Option<AlongPath> {
        Some(AlongPath::new(Measure::Work, self.restitution, self.friction))
    }

    fn rebound(&self, approach: f64) -> f64 {
        self.restitution * approach
    }
}
