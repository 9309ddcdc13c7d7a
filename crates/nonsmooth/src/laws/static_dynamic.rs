//! Unilateral contact with static and dynamic friction and restitution: Coulomb's law with μ_s while a contact sticks and μ_d while it slides.
//!
//! The history of a contact is one number: 0 where nothing is known (new, or it carried nothing), 1 where it stuck, 2 where it slid. A new
//! contact sticks if it does not slide already. What sticks is held by up to μ_s p_N; once it reaches that it slides, with μ_d from the
//! next step on, until it comes to rest within the cone of μ_d.

use super::coulomb::restitution_fault;
use super::{Entry, Forms, Gains, Law, LawRows};
use nonsmooth_solvers::{Declared, Kind, Set};

pub(super) const ENTRY: Entry = Entry {
    name: "static-dynamic",
    about: "unilateral contact with static and dynamic friction and restitution; for constraints with tangents",
    options: &[&FRICTION_STATIC, &FRICTION_DYNAMIC, &RESTITUTION],
    make: |options| {
        Box::new(StaticDynamic {
            friction_static: options.number(&FRICTION_STATIC),
            friction_dynamic: options.number(&FRICTION_DYNAMIC),
            restitution: options.number(&RESTITUTION),
        })
    },
};

const FRICTION_STATIC: Declared = Declared {
    name: "friction_static",
    about: "coefficient μ_s of ‖p_T‖ ≤ μ_s p_N while the contact sticks [–]",
    kind: Kind::Number { min: 0.0, max: 1e6 },
    default: "0",
};
const FRICTION_DYNAMIC: Declared = Declared {
    name: "friction_dynamic",
    about: "coefficient μ_d of ‖p_T‖ = μ_d p_N while the contact slides, at most friction_static [–]",
    kind: Kind::Number { min: 0.0, max: 1e6 },
    default: "0",
};
const RESTITUTION: Declared = Declared {
    name: "restitution",
    about: "e of u⁺ = −e u⁻ [–]",
    kind: Kind::Number { min: 0.0, max: 1.0 },
    default: "0",
};

/// History of a contact that stuck.
const STUCK: f64 = 1.0;
/// History of a contact that slid.
const SLID: f64 = 2.0;
/// An impulse this near to the cone, relatively, is on it: the solver's tolerance is far below.
const ON_CONE: f64 = 1e-7;

/// Contact with two coefficients of friction and restitution.
#[derive(Clone, Copy, Debug, Default)]
pub struct StaticDynamic {
    /// μ_s ≥ μ_d [–].
    pub friction_static: f64,
    /// μ_d ≥ 0 [–].
    pub friction_dynamic: f64,
    /// e in [0, 1] [–].
    pub restitution: f64,
}

impl StaticDynamic {
    fn friction(&self, history: f64, slides: bool) -> f64 {
        if history == STUCK || history != SLID && !slides {
            self.friction_static
        } else {
            self.friction_dynamic
        }
    }

    fn set_friction(&self, rows: &mut LawRows<'_>) {
        let u = rows.u_minus.chunks_exact(rows.dim);
        for ((set, history), u) in rows.sets.iter_mut().zip(rows.history).zip(u) {
            let mu = self.friction(*history, u[1..].iter().any(|u| *u != 0.0));
            *set = if rows.dim == 2 { Set::Coulomb2 { mu } } else { Set::Coulomb3 { mu } };
        }
    }
}

impl Law for StaticDynamic {
    fn dim(&self, tangents: usize) -> Option<usize> {
        (1..=2).contains(&tangents).then_some(1 + tangents)
    }

    fn forms(&self) -> Forms {
        Forms { friction: true, rebounds: self.restitution > 0.0, ..Forms::CONTACT }
    }

    fn fault(&self) -> Option<String> {
        let Self { friction_static, friction_dynamic, .. } = *self;
        if friction_dynamic > friction_static {
            let fault = "friction_dynamic must be at most friction_static";
            return Some(format!("{fault}, got {friction_dynamic} and {friction_static}"));
        }
        restitution_fault("restitution", self.restitution)
            .or_else(|| Set::Coulomb3 { mu: friction_static }.fault())
            .or_else(|| Set::Coulomb3 { mu: friction_dynamic }.fault())
    }

    fn step(&self, rows: &mut LawRows<'_>) {
        self.set_friction(rows);
        let u = rows.u_minus.chunks_exact(rows.dim);
        for (shift, u) in rows.shift.chunks_exact_mut(rows.dim).zip(u) {
            shift[0] = self.restitution * u[0];
        }
    }

    fn contact(&self, rows: &mut LawRows<'_>) {
        self.set_friction(rows);
    }

    fn gains(&self) -> Gains {
        Gains::newton(self.restitution, 0.0, self.friction_static)
    }

    fn rebound(&self, approach: f64) -> f64 {
        self.restitution * approach
    }

    fn n_history(&self) -> usize {
        1
    }

    fn update(&self, _step: (f64, f64), p: &[f64], u_minus: &[f64], history: &mut [f64]) {
        if p[0] <= 0.0 {
            history[0] = 0.0;
            return;
        }
        let mu = self.friction(history[0], u_minus[1..].iter().any(|u| *u != 0.0));
        let tangential = p[1..].iter().map(|p| p * p).sum::<f64>().sqrt();
        history[0] = if tangential >= (1.0 - ON_CONE) * mu * p[0] { SLID } else { STUCK };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAW: StaticDynamic =
        StaticDynamic { friction_static: 0.5, friction_dynamic: 0.3, restitution: 0.0 };

    fn after(history: f64, p: [f64; 3], u_minus: [f64; 3]) -> f64 {
        let mut history = [history];
        LAW.update((1e-3, 0.0), &p, &u_minus, &mut history);
        history[0]
    }

    #[test]
    fn history_follows_the_cone_that_acted() {
        // Held by more than μ_d: still stuck. At μ_s: slides from now on.
        assert_eq!(after(STUCK, [1.0, 0.4, 0.0], [0.0; 3]), STUCK);
        assert_eq!(after(STUCK, [1.0, 0.3, 0.4], [0.0; 3]), SLID);
        // On the cone of μ_d it slides on, within it it has come to rest.
        assert_eq!(after(SLID, [2.0, 0.0, 0.6], [0.0, 0.0, 1.0]), SLID);
        assert_eq!(after(SLID, [2.0, 0.0, 0.5], [0.0, 0.0, 1.0]), STUCK);
        // New ones stick where they do not slide already; without impulse nothing is known.
        assert_eq!(after(0.0, [1.0, 0.4, 0.0], [0.0; 3]), STUCK);
        assert_eq!(after(0.0, [1.0, 0.3, 0.0], [0.0, 1.0, 0.0]), SLID);
        assert_eq!(after(STUCK, [0.0; 3], [0.0; 3]), 0.0);
    }

    #[test]
    fn dynamic_friction_is_at_most_static_friction() {
        assert!(LAW.fault().is_none());
        let fault = StaticDynamic { friction_dynamic: 0.6, ..LAW }.fault();
        assert!(fault.is_some_and(|text| text.contains("friction_dynamic")));
    }
}
