//! Newton's impact law along the path: the impact is over when u_N = −e u_N⁻.
//!
//! ```text
//! u_N⁺ = −e u_N⁻,    dP_T by Coulomb's law at every instant of the impact
//! ```
//!
//! The other reading of Newton's law, beside that of one algebraic problem (`coulomb`, `newton-impact`). Where slip reverses it may give
//! energy. [Kane84] After the compression the normal force of each of several contacts stays what it was.

use super::coulomb::{friction_fault, restitution_fault};
use super::path::{AlongPath, Measure};
use super::stronge::FRICTION;
use super::{Entry, Forms, Gains, Law, LawRows};
use nonsmooth_solvers::{Declared, Kind};

pub(super) const ENTRY: Entry = Entry {
    name: "newton-path",
    about: "impact along the path (Darboux–Keller) that ends by Newton's measure, u_N = −e u_N⁻; may give energy with friction",
    options: &[&RESTITUTION, &FRICTION],
    make: |options| {
        Box::new(NewtonPath {
            restitution: options.number(&RESTITUTION),
            friction: options.number(&FRICTION),
        })
    },
};

const RESTITUTION: Declared = Declared {
    name: "restitution",
    about: "e of u_N⁺ = −e u_N⁻ [–]",
    kind: Kind::Number { min: 0.0, max: 1.0 },
    default: "0",
};
/// Restitution by Newton's measure along the path.
#[derive(Clone, Copy, Debug, Default)]
pub struct NewtonPath {
    /// e in [0, 1] [–].
    pub restitution: f64,
    /// μ ≥ 0 [–].
    pub friction: f64,
}

impl Law for NewtonPath {
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
        Some(AlongPath::new(Measure::Velocity, self.restitution, self.friction))
    }

    fn gains(&self) -> Gains {
        Gains { beside_others: false, ..Gains::newton(self.restitution, 0.0, self.friction) }
    }

    fn rebound(&self, approach: f64) -> f64 {
        self.restitution * approach
    }
}
