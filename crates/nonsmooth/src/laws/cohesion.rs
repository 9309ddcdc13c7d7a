//! Unilateral contact with cohesion, friction and restitution, after Raous, Cangémi and Cocou: what is closed at the start is glued.
//!
//! ```text
//! contact    0 ≤ u_N⁺ + e u_N⁻ ⟂ p_N ≥ 0,   ‖p_T‖ ≤ (1 − β) μ p_N
//! bond       F_N = −β² C_N y₊,   F_T = −β² C_T s                     s: displacement along the tangents since the start
//! intensity  b β̇ = −(β E − w)₊,   E = C_N y₊² + C_T ‖s‖²,   0 ≤ β ≤ β₀                     [Raous99]
//! ```
//!
//! Without viscosity b the last line reads β = min(β, w/E): the bond pulls with at most √(w C_N), at y = √(w/C_N), and takes the energy w as it
//! opens: half of it up to there, half beyond, where F = w²/(C_N y³). With b > 0 both are larger. Damage is not undone.
//!
//! The contact and its bond are two constraints ([`Law::bond`]). In a step the bond is a spring with the β of its start, taken where the θ-scheme takes forces:
//!
//! ```text
//! p = −h β² C (y + θ (a u⁺ + (h − a) u⁻)),   a = θ h        so   shift = (h − a)/a u⁻ + y/(θ a),   D = 1/(h β² C θ a)
//! ```
//!
//! β then follows from y and s at the same place.

use super::coulomb::{friction_fault, restitution_fault};
use super::{Entry, Forms, Gains, Law, LawRows};
use nonsmooth_solvers::{Declared, Kind, Set};

pub(super) const ENTRY: Entry = Entry {
    name: "cohesion",
    about: "contact that is glued where it is closed at the start, until its bond is damaged; with friction and restitution",
    options: &[
        &FRICTION,
        &RESTITUTION,
        &NORMAL_STIFFNESS,
        &TANGENTIAL_STIFFNESS,
        &ENERGY,
        &VISCOSITY,
        &INTENSITY,
    ],
    make: |options| {
        Box::new(Cohesion {
            friction: options.number(&FRICTION),
            restitution: options.number(&RESTITUTION),
            normal_stiffness: options.number(&NORMAL_STIFFNESS),
            tangential_stiffness: options.number(&TANGENTIAL_STIFFNESS),
            energy: options.number(&ENERGY),
            viscosity: options.number(&VISCOSITY),
            intensity: options.number(&INTENSITY),
        })
    },
};

const FRICTION: Declared = Declared {
    name: "friction",
    about: "coefficient μ of ‖p_T‖ ≤ (1 − β) μ p_N [–]",
    kind: Kind::Number { min: 0.0, max: 1e6 },
    default: "0",
};
const RESTITUTION: Declared = Declared {
    name: "restitution",
    about: "e of u_N⁺ = −e u_N⁻ [–]",
    kind: Kind::Number { min: 0.0, max: 1.0 },
    default: "0",
};
const NORMAL_STIFFNESS: Declared = Declared {
    name: "normal_stiffness",
    about: "C_N of a whole bond, one per gap or contact point [N/m]",
    kind: Kind::Positive,
    default: "1e6",
};
const TANGENTIAL_STIFFNESS: Declared = Declared {
    name: "tangential_stiffness",
    about: "C_T of a whole bond; 0: it does not hold along the tangents [N/m]",
    kind: Kind::Number { min: 0.0, max: 1e100 },
    default: "1e6",
};
const ENERGY: Declared = Declared {
    name: "energy",
    about: "w: what a bond takes as it opens slowly [J]",
    kind: Kind::Positive,
    default: "1",
};
const VISCOSITY: Declared = Declared {
    name: "viscosity",
    about: "b of b β̇ = −(β E − w)₊: damage takes its time [J·s]",
    kind: Kind::Number { min: 0.0, max: 1e100 },
    default: "0",
};
const INTENSITY: Declared = Declared {
    name: "intensity",
    about: "β₀ of bonds at the start: 1 whole, 0 none [–]",
    kind: Kind::Number { min: 0.0, max: 1.0 },
    default: "1",
};

/// Intensity at which a bond is let go: of its energy 1e-4 w/2 is left then. Without an end its row would have an ever larger compliance and
/// velocity, by which the certificate would measure all others.
const LET_GO: f64 = 1e-4;

/// Numbers that are remembered of a bond: β₀ − β, and s along two tangents [m].
const N_HISTORY: usize = 3;

/// Contact with cohesion.
#[derive(Clone, Copy, Debug)]
pub struct Cohesion {
    /// μ ≥ 0 [–].
    pub friction: f64,
    /// e in [0, 1] [–].
    pub restitution: f64,
    /// C_N > 0 [N/m].
    pub normal_stiffness: f64,
    /// C_T ≥ 0 [N/m].
    pub tangential_stiffness: f64,
    /// w > 0 [J].
    pub energy: f64,
    /// b ≥ 0 [J·s].
    pub viscosity: f64,
    /// β₀ in [0, 1] [–].
    pub intensity: f64,
}

impl Default for Cohesion {
    fn default() -> Self {
        Self {
            friction: 0.0,
            restitution: 0.0,
            normal_stiffness: 1e6,
            tangential_stiffness: 1e6,
            energy: 1.0,
            viscosity: 0.0,
            intensity: 1.0,
        }
    }
}

impl Cohesion {
    /// β from what is remembered of a bond [–].
    fn intensity(&self, history: &[f64]) -> f64 {
        self.intensity - history[0]
    }
}

impl Law for Cohesion {
    fn dim(&self, tangents: usize) -> Option<usize> {
        match tangents {
            0 if self.friction == 0.0 => Some(1),
            1 | 2 => Some(1 + tangents),
            _ => None,
        }
    }

    fn forms(&self) -> Forms {
        Forms { friction: true, elastic: true, rebounds: self.restitution > 0.0, ..Forms::CONTACT }
    }

    fn fault(&self) -> Option<String> {
        let positive = |name: &str, x: f64| {
            (!(x > 0.0 && x.is_finite())).then(|| format!("{name} must be > 0 and finite, got {x}"))
        };
        let nonnegative = |name: &str, x: f64| {
            (!(x >= 0.0 && x.is_finite())).then(|| format!("{name} must be ≥ 0 and finite, got {x}"))
        };
        restitution_fault("restitution", self.restitution)
            .or_else(|| friction_fault(self.friction))
            .or_else(|| positive("normal_stiffness", self.normal_stiffness))
            .or_else(|| nonnegative("tangential_stiffness", self.tangential_stiffness))
            .or_else(|| positive("energy", self.energy))
            .or_else(|| nonnegative("viscosity", self.viscosity))
            .or_else(|| restitution_fault("intensity", self.intensity))
    }

    fn step(&self, rows: &mut LawRows<'_>) {
        self.contact(rows);
        let u = rows.u_minus.chunks_exact(rows.dim);
        for (shift, u) in rows.shift.chunks_exact_mut(rows.dim).zip(u) {
            shift[0] = self.restitution * u[0];
        }
    }

    fn contact(&self, rows: &mut LawRows<'_>) {
        for (c, set) in rows.sets.iter_mut().enumerate() {
            let intensity = rows.coupled.get(c).copied().unwrap_or(0.0);
            let mu = (1.0 - intensity) * self.friction;
            *set = match rows.dim {
                1 => Set::Nonnegative,
                2 => Set::Coulomb2 { mu },
                _ => Set::Coulomb3 { mu },
            };
        }
    }

    fn gains(&self) -> Gains {
        Gains::newton(self.restitution, 0.0, self.friction)
    }

    fn rebound(&self, approach: f64) -> f64 {
        self.restitution * approach
    }

    fn bond(&self) -> Option<Box<dyn Law>> {
        Some(Box::new(Bond(*self)))
    }

    fn of_area(&self, area: f64) -> Option<Box<dyn Law>> {
        Some(Box::new(Self {
            normal_stiffness: area * self.normal_stiffness,
            tangential_stiffness: area * self.tangential_stiffness,
            energy: area * self.energy,
            viscosity: area * self.viscosity,
            ..*self
        }))
    }
}

/// The bond of such a contact.
#[derive(Clone, Copy, Debug)]
struct Bond(Cohesion);

impl Bond {
    /// C of row `k` [N/m].
    fn stiffness(&self, k: usize) -> f64 {
        if k == 0 { self.0.normal_stiffness } else { self.0.tangential_stiffness }
    }

    /// β after the time `h` [s] at E [J].
    fn damaged(&self, intensity: f64, release: f64, h: f64) -> f64 {
        let Cohesion { energy: w, viscosity: b, .. } = self.0;
        if intensity * release <= w {
            return intensity;
        }
        let next = if b > 0.0 { (intensity + h * w / b) / (1.0 + h * release / b) } else { w / release };
        if next > LET_GO { next } else { 0.0 }
    }
}

impl Law for Bond {
    fn dim(&self, tangents: usize) -> Option<usize> {
        (tangents <= 2).then_some(1 + tangents)
    }

    fn sets_of(&self, dim: usize) -> usize {
        dim
    }

    fn forms(&self) -> Forms {
        // Finite forces do nothing at an instant.
        Forms { relay: true, impact: false, elastic: true, ..Forms::CONTACT }
    }

    fn step(&self, rows: &mut LawRows<'_>) {
        let (dim, h, a) = (rows.dim, rows.h, rows.ahead);
        for (c, &gap) in rows.gap.iter().enumerate() {
            let history = &rows.history[c * N_HISTORY..(c + 1) * N_HISTORY];
            let intensity = self.0.intensity(history);
            let stretch = [gap.max(0.0), history[1], history[2]];
            for k in 0..dim {
                let row = c * dim + k;
                let stiffness = h * intensity * intensity * self.stiffness(k);
                let theta = a / h;
                if stiffness > 0.0 {
                    rows.sets[row] = Set::Free;
                    rows.shift[row] = (h - a) / a * rows.u_minus[row] + stretch[k] / (theta * a);
                    rows.compliance[row] = 1.0 / (stiffness * theta * a);
                } else {
                    rows.sets[row] = Set::Interval { lower: 0.0, upper: 0.0 };
                }
            }
        }
    }

    fn contact(&self, rows: &mut LawRows<'_>) {
        self.step(rows);
    }

    fn n_history(&self) -> usize {
        N_HISTORY
    }

    fn intensity(&self, history: &[f64]) -> Option<f64> {
        Some(self.0.intensity(history))
    }

    fn update(&self, (h, ahead): (f64, f64), p: &[f64], _u_minus: &[f64], history: &mut [f64]) {
        let intensity = self.0.intensity(history);
        let mut release = 0.0;
        for (k, p) in p.iter().enumerate() {
            let stiffness = h * intensity * intensity * self.stiffness(k);
            if stiffness == 0.0 {
                continue;
            }
            // Where the force was taken: y + θ (y⁺ − y).
            let there = -p / stiffness;
            if k == 0 {
                release += self.stiffness(0) * there.max(0.0).powi(2);
            } else {
                release += self.stiffness(k) * there * there;
                history[k] += (there - history[k]) * h / ahead;
            }
        }
        history[0] = self.0.intensity - self.damaged(intensity, release, h);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAW: Cohesion = Cohesion {
        friction: 0.5,
        restitution: 0.0,
        normal_stiffness: 4e4,
        tangential_stiffness: 1e4,
        energy: 0.1,
        viscosity: 0.0,
        intensity: 1.0,
    };

    /// β = min(β, w/E), and never up again.
    #[test]
    fn damage_is_not_undone() {
        let bond = Bond(LAW);
        assert_eq!(bond.damaged(1.0, 0.05, 1e-3), 1.0);
        assert_eq!(bond.damaged(1.0, 0.4, 1e-3), 0.25);
        assert_eq!(bond.damaged(0.25, 0.2, 1e-3), 0.25);
        assert_eq!(bond.damaged(0.25, 1e4, 1e-3), 0.0);
    }

    /// The implicit step of b β̇ = w − β E tends to its exact solution.
    #[test]
    fn viscous_damage_is_that_of_its_equation() {
        let (b, release) = (0.02, 0.5);
        let bond = Bond(Cohesion { viscosity: b, ..LAW });
        let exact = 0.2 + 0.8 * (-0.1 * release / b).exp();
        let error = |n: u32| {
            let mut beta = 1.0;
            (0..n).for_each(|_| beta = bond.damaged(beta, release, 0.1 / f64::from(n)));
            (beta - exact).abs()
        };
        let ratio = error(1000) / error(2000);
        assert!((ratio - 2.0).abs() < 0.02 && error(2000) < 2e-4, "{ratio}");
    }

    #[test]
    fn faults_are_named() {
        assert!(LAW.fault().is_none());
        let names = [
            ("friction", Cohesion { friction: -1.0, ..LAW }),
            ("restitution", Cohesion { restitution: 2.0, ..LAW }),
            ("normal_stiffness", Cohesion { normal_stiffness: 0.0, ..LAW }),
            ("tangential_stiffness", Cohesion { tangential_stiffness: -1.0, ..LAW }),
            ("energy", Cohesion { energy: f64::NAN, ..LAW }),
            ("viscosity", Cohesion { viscosity: f64::INFINITY, ..LAW }),
            ("intensity", Cohesion { intensity: 1.5, ..LAW }),
        ];
        for (name, law) in names {
            assert!(law.fault().is_some_and(|text| text.contains(name)), "{name}");
        }
    }
}
