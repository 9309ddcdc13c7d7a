//! Compliant contact with Coulomb's friction: a spring and a damper in place of the rigid contact, for comparison with it.
//!
//! ```text
//! F_N = k δ₊ⁿ (1 + a δ̇)  ≥ 0,   δ = −y                 n = 1: linear, n = 3/2: after Hertz; a: damping of Hunt and Crossley
//! F_N = (k δ + c δ̇)₊                                    n = 1 with a damper c: Kelvin and Voigt             [Hunt75]
//! ```
//!
//! As k → ∞ it tends to the rigid contact, with an error like 1/√k for n = 1. In a step the force is that of the secant stiffness K = k δⁿ⁻¹ and the damper
//! C = c + a k δⁿ at a predicted δ, taken where the θ-scheme takes forces (φ = θ), or at the end where the contact is open at the start (φ = 1):
//!
//! ```text
//! p = −h (K (y + φ (a u⁺ + (h − a) u⁻)) + C (θ u⁺ + (1 − θ) u⁻)),  p ≥ 0,   a = θ h
//! so   D = 1/(h (φ K a + θ C)),   shift = (K (y + φ (h − a) u⁻) + C (1 − θ) u⁻)/(φ K a + θ C)
//! ```
//!
//! For n = 1 and θ ≥ ½ a gap with this law never gives energy, however long the step: while pressed the middle of the step keeps ½ k δ², and a contact that begins pays
//! k δ⁺ (y − y⁺) ≥ ½ k δ⁺². A contact point of bodies
//! begins by the look-ahead γ of the scheme: unseen it may be ½ h |u| deep then, of second order in h √(k/m); there steps must be short beside a contact.

use super::coulomb::friction_fault;
use super::{Entry, Forms, Law, LawRows};
use nonsmooth_solvers::{Declared, Kind, Set};

pub(super) const ENTRY: Entry = Entry {
    name: "compliant",
    about: "contact by a spring and a damper, linear, after Hertz, or damped after Hunt and Crossley, with Coulomb friction: what rigid contact is compared with",
    options: &[&STIFFNESS, &EXPONENT, &DAMPING, &HYSTERESIS, &FRICTION],
    make: |options| {
        Box::new(CompliantContact {
            stiffness: options.number(&STIFFNESS),
            exponent: options.number(&EXPONENT),
            damping: options.number(&DAMPING),
            hysteresis: options.number(&HYSTERESIS),
            friction: options.number(&FRICTION),
        })
    },
};

const STIFFNESS: Declared = Declared {
    name: "stiffness",
    about: "k of F = k δⁿ, one per gap or contact point [N/mⁿ]",
    kind: Kind::Positive,
    default: "1e6",
};
const EXPONENT: Declared = Declared {
    name: "exponent",
    about: "n of F = k δⁿ: 1 linear, 1.5 after Hertz [–]",
    kind: Kind::Number { min: 1.0, max: 3.0 },
    default: "1",
};
const DAMPING: Declared = Declared {
    name: "damping",
    about: "c of F = k δⁿ + c δ̇ while pressed [N·s/m]",
    kind: Kind::Number { min: 0.0, max: 1e100 },
    default: "0",
};
const HYSTERESIS: Declared = Declared {
    name: "hysteresis",
    about: "a of F = k δⁿ (1 + a δ̇), after Hunt and Crossley [s/m]",
    kind: Kind::Number { min: 0.0, max: 1e100 },
    default: "0",
};
const FRICTION: Declared = Declared {
    name: "friction",
    about: "coefficient μ of ‖p_T‖ ≤ μ p_N; above 0 for constraints with tangents [–]",
    kind: Kind::Number { min: 0.0, max: 1e6 },
    default: "0",
};

/// Depth below which a contact is as stiff as there [m]: a row needs some stiffness, and the force there is nothing.
const LEAST_DEPTH: f64 = 1e-15;

/// Contact by a spring and a damper.
#[derive(Clone, Copy, Debug)]
pub struct CompliantContact {
    /// k > 0 [N/mⁿ].
    pub stiffness: f64,
    /// n in [1, 3] [–].
    pub exponent: f64,
    /// c ≥ 0 [N·s/m].
    pub damping: f64,
    /// a ≥ 0 [s/m].
    pub hysteresis: f64,
    /// μ ≥ 0 [–].
    pub friction: f64,
}

impl Default for CompliantContact {
    fn default() -> Self {
        Self { stiffness: 1e6, exponent: 1.0, damping: 0.0, hysteresis: 0.0, friction: 0.0 }
    }
}

impl CompliantContact {
    /// Secant stiffness [N/m] and damping [N·s/m] at the depth δ [m].
    fn at(&self, depth: f64) -> (f64, f64) {
        let depth = depth.max(LEAST_DEPTH);
        let secant = self.stiffness * depth.powf(self.exponent - 1.0);
        (secant, self.damping + self.hysteresis * secant * depth)
    }
}

impl Law for CompliantContact {
    fn dim(&self, tangents: usize) -> Option<usize> {
        match tangents {
            0 if self.friction == 0.0 => Some(1),
            1 | 2 => Some(1 + tangents),
            _ => None,
        }
    }

    fn forms(&self) -> Forms {
        // Finite forces do nothing at an instant.
        Forms { friction: self.friction > 0.0, impact: false, elastic: true, ..Forms::CONTACT }
    }

    fn of_area(&self, area: f64) -> Option<Box<dyn Law>> {
        let (stiffness, damping) = (area * self.stiffness, area * self.damping);
        Some(Box::new(Self { stiffness, damping, ..*self }))
    }

    fn fault(&self) -> Option<String> {
        let Self { stiffness, exponent, damping, hysteresis, friction } = *self;
        let wrong = |name: &str, x: f64, is_good: bool, want: &str| {
            (!(is_good && x.is_finite())).then(|| format!("{name} must be {want}, got {x}"))
        };
        wrong("stiffness", stiffness, stiffness > 0.0, "> 0 and finite")
            .or_else(|| wrong("exponent", exponent, (1.0..=3.0).contains(&exponent), "between 1 and 3"))
            .or_else(|| wrong("damping", damping, damping >= 0.0, "≥ 0 and finite"))
            .or_else(|| wrong("hysteresis", hysteresis, hysteresis >= 0.0, "≥ 0 and finite"))
            .or_else(|| friction_fault(friction))
    }

    fn step(&self, rows: &mut LawRows<'_>) {
        let (dim, h, a) = (rows.dim, rows.h, rows.ahead);
        let theta = a / h;
        let mu = self.friction;
        for (c, &gap) in rows.gap.iter().enumerate() {
            let u = rows.u_minus[c * dim];
            let (ahead, phi) = if gap > 0.0 { (h, 1.0) } else { (0.5 * h, theta) };
            let (k, damping) = self.at(-(gap + ahead * u));
            let implicit = phi * k * a + theta * damping;
            rows.sets[c] = match dim {
                1 => Set::Nonnegative,
                2 => Set::Coulomb2 { mu },
                _ => Set::Coulomb3 { mu },
            };
            let explicit = k * (gap + phi * (h - a) * u) + damping * (1.0 - theta) * u;
            rows.shift[c * dim] = explicit / implicit;
            rows.compliance[c * dim] = 1.0 / (h * implicit);
        }
    }

    fn contact(&self, rows: &mut LawRows<'_>) {
        self.step(rows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_named() {
        let law = CompliantContact::default();
        assert!(law.fault().is_none());
        let wrong = [
            ("stiffness", CompliantContact { stiffness: 0.0, ..law }),
            ("exponent", CompliantContact { exponent: 0.5, ..law }),
            ("damping", CompliantContact { damping: f64::NAN, ..law }),
            ("hysteresis", CompliantContact { hysteresis: -1.0, ..law }),
            ("friction", CompliantContact { friction: -1.0, ..law }),
        ];
        for (name, law) in wrong {
            assert!(law.fault().is_some_and(|text| text.contains(name)), "{name}");
        }
    }
}
