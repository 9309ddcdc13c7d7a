//! The multiple-impact law of Liu, Zhao and Brogliato: energetic restitution at every contact, impulses shared by stiffness.
//!
//! ```text
//! F = k x^η:    dP_i/dP_j = (k_i/k_j)^{1/(η+1)} (E_i/E_j)^{η/(η+1)},    work returned = e² work done        [Liu08]
//! ```
//!
//! E is the energy that a contact stores. Of stiffnesses only the ratios count where all contacts have one exponent. What goes through a row of
//! balls that touch depends on these ratios and on η, as it does in experiments; with e = 1 it is the limit of stiff springs.

use super::coulomb::{friction_fault, restitution_fault};
use super::path::{AlongPath, Measure};
use super::stronge::FRICTION;
use super::{Entry, Forms, Law, LawRows};
use nonsmooth_solvers::{Declared, Kind};

pub(super) const ENTRY: Entry = Entry {
    name: "lzb",
    about: "multiple impacts along the path (Liu–Zhao–Brogliato): energetic restitution, impulses shared by the ratios of contact stiffness; friction at will",
    options: &[&RESTITUTION, &FRICTION, &STIFFNESS, &EXPONENT],
    make: |options| {
        Box::new(Lzb {
            restitution: options.number(&RESTITUTION),
            friction: options.number(&FRICTION),
            stiffness: options.number(&STIFFNESS),
            exponent: options.number(&EXPONENT),
        })
    },
};

const RESTITUTION: Declared = Declared {
    name: "restitution",
    about: "e: a contact returns e² of the work it took [–]",
    kind: Kind::Number { min: 0.0, max: 1.0 },
    default: "0",
};
const STIFFNESS: Declared = Declared {
    name: "stiffness",
    about: "k of F = k x^η; only ratios between contacts count where η is the same [N/m^η]",
    kind: Kind::Number { min: 1e-100, max: 1e100 },
    default: "1",
};
const EXPONENT: Declared = Declared {
    name: "exponent",
    about: "η of F = k x^η: 1.5 after Hertz, 1 for a linear spring [–]",
    kind: Kind::Number { min: 1.0, max: 10.0 },
    default: "1.5",
};

/// Energetic restitution with ratios of stiffness.
#[derive(Clone, Copy, Debug)]
pub struct Lzb {
    /// e in [0, 1] [–].
    pub restitution: f64,
    /// μ ≥ 0 [–].
    pub friction: f64,
    /// k [N/m^η].
    pub stiffness: f64,
    /// η ≥ 1 [–].
    pub exponent: f64,
}

impl Law for Lzb {
    fn dim(&self, tangents: usize) -> Option<usize> {
        super::path::dim(self.friction, tangents)
    }

    fn forms(&self) -> Forms {
        super::path::forms(self.restitution, self.friction)
    }

    fn fault(&self) -> Option<String> {
        restitution_fault("restitution", self.restitution)
            .or_else(|| friction_fault(self.friction))
            .or_else(|| {
                let Self { stiffness, exponent, .. } = self;
                (!(*stiffness > 0.0
                    && stiffness.is_finite()
                    && *exponent >= 1.0
                    && exponent.is_finite()))
                .then(|| {
                    format!("stiffness must be > 0 and exponent ≥ 1, got {stiffness} and {exponent}")
                })
            })
    }

    fn contact(&self, rows: &mut LawRows<'_>) {
        super::path::lasting(self.friction, rows);
    }

    fn along_path(&self) -> Option<AlongPath> {
        let path = AlongPath::new(Measure::Work, self.restitution, self.friction);
        Some(path.on_spring(self.stiffness, self.exponent))
    }

    fn rebound(&self, approach: f64) -> f64 {
        self.restitution * approach
    }
}
