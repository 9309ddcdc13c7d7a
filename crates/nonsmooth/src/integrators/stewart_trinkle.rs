//! Stewart–Trinkle: the gap at the end of the step is not negative.
//!
//! ```text
//! M(q)(v⁺ − v) = h f + Jᵀ p          q⁺ = q ⊕ h v⁺
//! 0 ≤ y⁺ ⟂ p_N ≥ 0                   friction on u_T⁺ = T v⁺ + s;      joints y⁺ = 0
//! y⁺ = y + h (J v⁺ + ∂y/∂t)          linearized at (q, t): one problem
//! y⁺ = y(q⁺, t⁺)                     nonlinear, by Newton
//! ```
//!
//! [Trinkle08; Stewart96], with p = h λ. The forces f are those at the start of the step (semi-implicit Euler), or by
//! option at its end. Contacts with y ≤ `activation_distance` are imminent and take part; those beyond are not active, and what
//! enters in such a step is thrown out at speed |y|/h in the next. Outside a convex obstacle the linearized gap is
//! never larger than the true one, so nothing enters; inside one O(h²) does. A body that turns ends O(h²) off the surface.
//!
//! Of rigid bodies all points take part that are within reach of the step: nearer than the relative speeds of the start and
//! gravity can bring them. What another impact drives farther than that is seen a step later. J of their contacts is that of the
//! start; a nonlinear gap is that of the features of the start at q⁺.
//!
//! There is no restitution. An impact takes two steps: one to arrive at y = 0, one to lose the velocity.
//! Order 1; forces at the start need h ω < 2 where there is stiffness. The ledger closes for linear systems and bodies:
//! scheme = −½ ΔvᵀMΔv ± ½ ΔqᵀKΔq (+ for forces at the start, − at the end).

use super::moreau_jean::{NEWTON_ITERATIONS, NEWTON_TOLERANCE};
use super::{Entry, Integrator, Refusal};
use crate::error::StepResult;
use crate::instants::Configuration;
use crate::log::{Counts, StepLog};
use crate::model::instant::Pass;
use crate::model::{Activation, Level, Model, State, Theta};
use crate::newton::{Newton, Solved};
use crate::part::Part;
use crate::phases::{
    LawForm, Ledger, SolverSettings, account, advance, detect, factorize, judge, linearize, set_laws,
    set_offsets,
};
use crate::scratch::Scratch;
use nonsmooth_solvers::{Declared, Kind, Options, Problem};

pub(super) const ENTRY: Entry = Entry {
    name: "stewart-trinkle",
    about: "gap at the end of the step not negative, linearised or not; inelastic, moving bodies",
    options: &[&GAP, &FORCES, &ACTIVATION_DISTANCE, &NEWTON_TOLERANCE, &NEWTON_ITERATIONS],
    make: |options, settings| Box::new(StewartTrinkle::new(options, settings)),
};

const GAP: Declared = Declared {
    name: "gap",
    about: "whether the gap at the end of the step is linearised at its start, or is the true one",
    kind: Kind::Word(&["linearised", "nonlinear"]),
    default: "linearised",
};
const FORCES: Declared = Declared {
    name: "forces",
    about: "when forces are evaluated: at the start of the step (semi-implicit Euler) or at its end (implicit)",
    kind: Kind::Word(&["start", "end"]),
    default: "start",
};
const ACTIVATION_DISTANCE: Declared = Declared {
    name: "activation_distance",
    about: "distance up to which contacts are imminent and take part; inf for all within reach of the step [m]",
    kind: Kind::Number { min: 0.0, max: f64::INFINITY },
    default: "inf",
};
/// q⁺ = q ⊕ h v⁺.
const MOTION: f64 = 1.0;

/// The scheme of Stewart and Trinkle.
pub struct StewartTrinkle {
    is_linearized: bool,
    /// θ of the forces: 0 at the start, 1 at the end.
    theta: f64,
    /// Distance up to which contacts take part [m].
    distance: f64,
    newton: Newton,
    settings: SolverSettings,
    scratch: Scratch,
}

impl StewartTrinkle {
    fn new(options: &Options, settings: SolverSettings) -> Self {
        Self {
            is_linearized: options.word(&GAP) != "nonlinear",
            theta: if options.word(&FORCES) == "end" { 1.0 } else { 0.0 },
            distance: options.number(&ACTIVATION_DISTANCE),
            newton: Newton {
                tolerance: options.number(&NEWTON_TOLERANCE),
                most_iterations: options.count(&NEWTON_ITERATIONS),
            },
            settings,
            scratch: Scratch::default(),
        }
    }

    fn level(&self, h: f64) -> Level {
        if self.is_linearized { Level::Linearized { h } } else { Level::Position { ahead: h } }
    }
}

impl Integrator for StewartTrinkle {
    fn accepts(&self, model: &Model) -> Result<(), Refusal> {
        super::needs_theta(ENTRY.name, model)?;
        super::refusal::no_meshes(ENTRY.name, model)?;
        super::acts_at_once(ENTRY.name, model)?;
        super::no_rebound(ENTRY.name, model)
    }

    fn step(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        let (rule, motion) = (Theta { h, theta: self.theta }, Theta { h, theta: MOTION });
        let (part, level) = (Part::whole(now.t, h), self.level(h));
        let reach = Activation::Reach { distance: self.distance };
        // Where everything is evaluated at the start, one pass makes the step.
        let one_pass = self.is_linearized && self.theta == 0.0;
        let Scratch { at, active, mass, free, problem, impulses, parts, v_next, v_mean, .. } =
            &mut self.scratch;
        let settings = &mut self.settings;

        at.configure(model, now, rule)?;
        detect(model, &part, &at.now(now), reach, active)?;
        impulses.warm_start(model, now, active, h);
        let mut newton = self.newton.start(model, !self.is_linearized, at.velocities(now), v_next);
        parts.start();
        loop {
            let part = parts.part(now.t, h);
            if newton.is_needed() && !one_pass {
                at.predict(model, now, motion, (Configuration::Start, Configuration::End), v_next)?;
            }
            let pass = if one_pass { at.only_pass(model, now, v_mean)? } else { at.pass(now) };
            let seen = if self.is_linearized { from_start(pass) } else { pass };
            factorize(model, &part, &pass, rule.coeffs(), problem, mass)?;
            model.free_motion(&part, &pass, rule, mass.groups(), free)?;
            linearize(model, &part, &seen, active)?;
            set_offsets(model, &part, &Pass { end: pass.end, ..seen }, level, active)?;
            set_laws(model, now, LawForm::Contact, (h, h), impulses, active);
            let posed = (&*active, &*mass, &*free);
            parts.impose(posed, settings, (problem, impulses), (v_next, &mut next.v), log)?;
            let solved =
                Solved { problem, free, rule: motion, q_end: pass.end.q, tolerance: settings.tolerance };
            let (of, v) = ((model, &*active, &*mass), (&mut v_next[..], &mut next.v[..]));
            if one_pass || newton.is_done_by_island(of, parts, &solved, v, impulses)? {
                break;
            }
        }
        judge(model, active, settings.tolerance, settings.policy, log)?;
        log.newton_iterations = newton.iterations().max(1);
        log.counts = Counts { steps: 1, rejected: 0, evaluations: log.newton_iterations as u64 };
        v_next.clone_from(&next.v);
        advance(model, now, motion, (active, impulses), v_mean, next)?;

        let (phi, v_end) = (MOTION, &*v_next);
        let ledger = Ledger { now, next, v_next, v_end, rule, phi, at, free, active, impulses };
        account(model, &ledger, v_mean, log)
    }

    fn last_problem(&self) -> Option<&Problem> {
        Some(&self.scratch.problem)
    }

    fn reset(&mut self) {
        self.scratch.reset();
        self.settings.solver.forget();
    }
}

/// The pass with J where the step starts.
fn from_start(pass: Pass<'_>) -> Pass<'_> {
    Pass { jacobian: pass.now, end: pass.now, ..pass }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::NewtonImpact;
    use crate::model::{Linear, ModelBuilder};
    use nonsmooth_solvers::Sparse;

    /// Past its refusal an elastic ball arrives at y = 0 and stays: y⁺ = 0 fixes u⁺ in the step that arrives, and in the next u⁻ is no
    /// longer that of the impact, so that even a law asked for −e u⁻ has nothing to reflect.
    #[test]
    fn restitution_is_not_honoured() {
        for gap in ["linearised", "nonlinear"] {
            let options = Options::default().with_word("gap", gap);
            let mut scheme = StewartTrinkle::new(&options, SolverSettings::default());
            let mut builder = ModelBuilder::new();
            let ball = Linear::new("ball", Sparse::diagonal(&[1.0])).initial(&[0.25], &[-1.0]);
            let ball = builder.linear(ball);
            let law = builder.law("elastic", NewtonImpact { restitution: 1.0 });
            builder.linear_gap("floor", law, &[(ball, 0, 1.0)], 0.0);
            let (model, mut now) = builder.build(0.0).expect("a right model");
            assert!(matches!(scheme.accepts(&model), Err(Refusal::Rebound { .. })));
            let (mut next, mut log) = (now.clone(), StepLog::default());
            for _ in 0..10 {
                scheme.step(&model, &now, 0.1, &mut next, &mut log).expect("a step");
                std::mem::swap(&mut now, &mut next);
            }
            // An elastic ball would be at 0.75 m with 1 m/s.
            assert!(now.q[0].abs() < 1e-15 && now.v[0].abs() < 1e-15, "{:?} {:?}", now.q, now.v);
        }
    }
}
