//! Unilateral contact with friction against sliding, rolling and spinning, and restitution.
//!
//! ```text
//! 0 ≤ u_N⁺ + e u_N⁻ ⟂ p_N ≥ 0
//! ‖p_T‖ ≤ μ p_N against the slip,    ‖p_R‖ ≤ μ_r p_N against ω_T,    |p_S| ≤ μ_s p_N against ω_N        [Acary18]
//! ```
//!
//! p_R and p_S are angular impulses; μ_r and μ_s are lengths, of the size of the spot that carries. The rows come as tangents: slip and rolling in
//! the plane (2), two slips and two rollings in space (4), and the spin (5). The three frictions act independently of each other.

use super::coulomb::{friction_fault, restitution_fault};
use super::{Entry, Forms, Gains, Law, LawRows};
use nonsmooth_solvers::{Declared, Kind, Set};

pub(super) const ENTRY: Entry = Entry {
    name: "rolling",
    about: "unilateral contact with sliding, rolling and spinning friction and restitution; for bodies, and for constraints with tangents for slip, rolling and spin",
    options: &[&FRICTION, &ROLLING, &SPINNING, &RESTITUTION, &TANGENTIAL_RESTITUTION],
    make: |options| {
        Box::new(Rolling {
            friction: options.number(&FRICTION),
            rolling_friction: options.number(&ROLLING),
            spinning_friction: options.number(&SPINNING),
            restitution: options.number(&RESTITUTION),
            tangential_restitution: options.number(&TANGENTIAL_RESTITUTION),
        })
    },
};

const FRICTION: Declared = Declared {
    name: "friction",
    about: "coefficient μ of ‖p_T‖ ≤ μ p_N [–]",
    kind: Kind::Number { min: 0.0, max: 1e6 },
    default: "0",
};
const ROLLING: Declared = Declared {
    name: "rolling_friction",
    about: "coefficient μ_r of ‖p_R‖ ≤ μ_r p_N [m]",
    kind: Kind::Number { min: 0.0, max: 1e6 },
    default: "0",
};
const SPINNING: Declared = Declared {
    name: "spinning_friction",
    about: "coefficient μ_s of |p_S| ≤ μ_s p_N, for five tangents [m]",
    kind: Kind::Number { min: 0.0, max: 1e6 },
    default: "0",
};
const RESTITUTION: Declared = Declared {
    name: "restitution",
    about: "e of u_N⁺ = −e u_N⁻ [–]",
    kind: Kind::Number { min: 0.0, max: 1.0 },
    default: "0",
};
const TANGENTIAL_RESTITUTION: Declared = Declared {
    name: "tangential_restitution",
    about: "e of the sliding velocity in an impact that sticks: u_T⁺ = −e u_T⁻ [–]",
    kind: Kind::Number { min: 0.0, max: 1.0 },
    default: "0",
};

/// Contact with three kinds of friction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rolling {
    /// μ ≥ 0 [–].
    pub friction: f64,
    /// μ_r ≥ 0 [m].
    pub rolling_friction: f64,
    /// μ_s ≥ 0 [m].
    pub spinning_friction: f64,
    /// e_N in [0, 1] [–].
    pub restitution: f64,
    /// e_T in [0, 1] [–].
    pub tangential_restitution: f64,
}

impl Rolling {
    fn set(&self, dim: usize) -> Set {
        let Self { friction: mu, rolling_friction: mu_r, spinning_friction: mu_s, .. } = *self;
        match dim {
            3 => Set::Rolling2 { mu, mu_r },
            5 => Set::Rolling3 { mu, mu_r },
            _ => Set::Spinning3 { mu, mu_r, mu_s },
        }
    }
}

impl Law for Rolling {
    fn dim(&self, tangents: usize) -> Option<usize> {
        match tangents {
            // Without a row for it spinning friction would be lost.
            2 | 4 if self.spinning_friction == 0.0 => Some(1 + tangents),
            5 => Some(6),
            _ => None,
        }
    }

    fn dim_of_bodies(&self, planar: bool) -> Option<usize> {
        match (planar, self.spinning_friction > 0.0) {
            (true, true) => None,
            (true, false) => Some(3),
            (false, spins) => Some(if spins { 6 } else { 5 }),
        }
    }

    fn forms(&self) -> Forms {
        let rebounds = self.restitution > 0.0 || self.tangential_restitution > 0.0;
        Forms { friction: true, rolls: true, rebounds, ..Forms::CONTACT }
    }

    fn fault(&self) -> Option<String> {
        restitution_fault("restitution", self.restitution)
            .or_else(|| restitution_fault("tangential_restitution", self.tangential_restitution))
            .or_else(|| friction_fault(self.friction))
            .or_else(|| self.set(6).fault())
    }

    fn step(&self, rows: &mut LawRows<'_>) {
        rows.sets.fill(self.set(rows.dim));
        // Slips: one in the plane, two in space; rollings and spin have no restitution.
        let slips = if rows.dim == 3 { 1 } else { 2 };
        let u = rows.u_minus.chunks_exact(rows.dim);
        for (shift, u) in rows.shift.chunks_exact_mut(rows.dim).zip(u) {
            shift[0] = self.restitution * u[0];
            for k in 1..=slips {
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
