//! Poisson's impact law along the path: the normal impulse of the expansion is e times that of the compression.
//!
//! ```text
//! P_N⁺ = (1 + e) P_N(u_N = 0),    dP_T by Coulomb's law at every instant of the impact        [Stronge00, ch. 3]
//! ```
//!
//! The other reading of Poisson's law, beside that of two algebraic problems (`poisson`). The forces of several contacts fall in
//! their expansions as those of linear springs, F_N = F cos ψ. Of several contacts each returns its impulse although what it presses against may have moved
//! on, and that may give energy: a row of five balls with e = 1 ends with 1.44 of its energy.

use super::coulomb::{friction_fault, restitution_fault};
use super::path::{AlongPath, Measure};
use super::stronge::FRICTION;
use super::{Entry, Forms, Gains, Law, LawRows};
use nonsmooth_solvers::{Declared, Kind};

pub(super) const ENTRY: Entry = Entry {
    name: "poisson-path",
    about: "impact along the path (Darboux–Keller) that ends where the impulse of expansion is e times that of compression",
    options: &[&RESTITUTION, &FRICTION],
    make: |options| {
        Box::new(PoissonPath {
            restitution: options.number(&RESTITUTION),
            friction: options.number(&FRICTION),
        })
    },
};

const RESTITUTION: Declared = Declared {
    name: "restitution",
    about: "e of P_expansion = e P_compression [–]",
    kind: Kind::Number { min: 0.0, max: 1.0 },
    default: "0",
};
/// Restitution by Poisson's measure along the path.
#[derive(Clone, Copy, Debug, Default)]
pub struct PoissonPath {
    /// e in [0, 1] [–].
    pub restitution: f64,
    /// μ ≥ 0 [–].
    pub friction: f64,
}

impl Law for PoissonPath {
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
        Some(AlongPath::new(Measure::Impulse, self.restitution, self.friction))
    }

    fn gains(&self) -> Gains {
        Gains { together: self.restitution > 0.0, ..Gains::default() }
    }

    fn rebound(&self, approach: f64) -> f64 {
        self.restitution * approach
    }
}
