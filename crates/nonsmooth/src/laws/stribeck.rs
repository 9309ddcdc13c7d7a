//! Unilateral contact with friction that depends on the slip speed s, and restitution: Stribeck's curve.
//!
//! ```text
//! μ(s) = μ_d + (μ_s − μ_d) exp(−s/v_s) + c s          ‖p_T‖ ≤ μ(‖u_T‖) p_N                [Armstrong94]
//! ```
//!
//! s is the slip at the start of a step, so a step is of first order in μ; schemes that follow the slip take it where they evaluate forces.

use super::coulomb::restitution_fault;
use super::{Entry, Forms, Gains, Law, LawRows};
use nonsmooth_solvers::{Declared, Kind, Set};

pub(super) const ENTRY: Entry = Entry {
    name: "stribeck",
    about: "unilateral contact with friction that depends on the slip speed (Stribeck) and restitution; for constraints with tangents",
    options: &[&FRICTION_STATIC, &FRICTION_DYNAMIC, &STRIBECK_SPEED, &VISCOUS_FRICTION, &RESTITUTION],
    make: |options| {
        Box::new(Stribeck {
            friction_static: options.number(&FRICTION_STATIC),
            friction_dynamic: options.number(&FRICTION_DYNAMIC),
            stribeck_speed: options.number(&STRIBECK_SPEED),
            viscous_friction: options.number(&VISCOUS_FRICTION),
            restitution: options.number(&RESTITUTION),
        })
    },
};

const FRICTION_STATIC: Declared = Declared {
    name: "friction_static",
    about: "coefficient μ_s at rest [–]",
    kind: Kind::Number { min: 0.0, max: 1e6 },
    default: "0",
};
const FRICTION_DYNAMIC: Declared = Declared {
    name: "friction_dynamic",
    about: "coefficient μ_d to which it falls [–]",
    kind: Kind::Number { min: 0.0, max: 1e6 },
    default: "0",
};
const STRIBECK_SPEED: Declared = Declared {
    name: "stribeck_speed",
    about: "slip speed v_s over which it falls by the factor e [m/s]",
    kind: Kind::Positive,
    default: "0.01",
};
const VISCOUS_FRICTION: Declared = Declared {
    name: "viscous_friction",
    about: "c: what μ gains per slip speed [s/m]",
    kind: Kind::Number { min: 0.0, max: 1e6 },
    default: "0",
};
const RESTITUTION: Declared = Declared {
    name: "restitution",
    about: "e of u_N⁺ = −e u_N⁻ [–]",
    kind: Kind::Number { min: 0.0, max: 1.0 },
    default: "0",
};

/// Contact with Stribeck's curve.
#[derive(Clone, Copy, Debug)]
pub struct Stribeck {
    /// μ_s ≥ 0 [–].
    pub friction_static: f64,
    /// μ_d ≥ 0 [–].
    pub friction_dynamic: f64,
    /// v_s > 0 [m/s].
    pub stribeck_speed: f64,
    /// c ≥ 0 [s/m].
    pub viscous_friction: f64,
    /// e in [0, 1] [–].
    pub restitution: f64,
}

impl Default for Stribeck {
    fn default() -> Self {
        Self {
            friction_static: 0.0,
            friction_dynamic: 0.0,
            stribeck_speed: 0.01,
            viscous_friction: 0.0,
            restitution: 0.0,
        }
    }
}

impl Stribeck {
    /// μ at a slip speed [–].
    pub fn friction_at(&self, speed: f64) -> f64 {
        let falling =
            (self.friction_static - self.friction_dynamic) * (-speed / self.stribeck_speed).exp();
        self.friction_dynamic + falling + self.viscous_friction * speed
    }
}

impl Law for Stribeck {
    fn dim(&self, tangents: usize) -> Option<usize> {
        (1..=2).contains(&tangents).then_some(1 + tangents)
    }

    fn forms(&self) -> Forms {
        Forms { friction: true, rebounds: self.restitution > 0.0, ..Forms::CONTACT }
    }

    fn fault(&self) -> Option<String> {
        let Self { friction_static, friction_dynamic, stribeck_speed, viscous_friction, restitution } =
            *self;
        let wrong = |name: &str, x: f64| {
            (!(x >= 0.0 && x.is_finite())).then(|| format!("{name} must be ≥ 0 and finite, got {x}"))
        };
        let speed = !(stribeck_speed > 0.0 && stribeck_speed.is_finite());
        wrong("friction_static", friction_static)
            .or_else(|| wrong("friction_dynamic", friction_dynamic))
            .or_else(|| wrong("viscous_friction", viscous_friction))
            .or_else(|| {
                speed.then(|| format!("stribeck_speed must be > 0 and finite, got {stribeck_speed}"))
            })
            .or_else(|| restitution_fault("restitution", restitution))
    }

    fn step(&self, rows: &mut LawRows<'_>) {
        self.contact(rows);
        let u = rows.u_minus.chunks_exact(rows.dim);
        for (shift, u) in rows.shift.chunks_exact_mut(rows.dim).zip(u) {
            shift[0] = self.restitution * u[0];
        }
    }

    fn contact(&self, rows: &mut LawRows<'_>) {
        for (set, u) in rows.sets.iter_mut().zip(rows.u_minus.chunks_exact(rows.dim)) {
            let mu = self.friction_at(u[1..].iter().map(|x| x * x).sum::<f64>().sqrt());
            *set = if rows.dim == 2 { Set::Coulomb2 { mu } } else { Set::Coulomb3 { mu } };
        }
    }

    fn gains(&self) -> Gains {
        let most = self.friction_static.max(self.friction_dynamic).max(self.viscous_friction);
        Gains::newton(self.restitution, 0.0, most)
    }

    fn rebound(&self, approach: f64) -> f64 {
        self.restitution * approach
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_begins_at_rest_falls_and_rises() {
        let law = Stribeck {
            friction_static: 0.5,
            friction_dynamic: 0.2,
            stribeck_speed: 0.1,
            viscous_friction: 0.05,
            restitution: 0.0,
        };
        assert!((law.friction_at(0.0) - 0.5).abs() < 1e-15);
        assert!((law.friction_at(0.1) - (0.2 + 0.3 / 1f64.exp() + 0.005)).abs() < 1e-15);
        assert!((law.friction_at(10.0) - 0.7).abs() < 1e-12);
        assert!(law.fault().is_none());
        let wrong = Stribeck { stribeck_speed: 0.0, ..law };
        assert!(wrong.fault().is_some_and(|text| text.contains("stribeck_speed")));
        let wrong = Stribeck { viscous_friction: f64::NAN, ..law };
        assert!(wrong.fault().is_some_and(|text| text.contains("viscous_friction")));
    }
}
