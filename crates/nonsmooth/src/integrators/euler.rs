//! What the three Euler schemes share: they integrate free motion, springs and constraints of velocities included, and refuse those of positions.
//!
//! ```text
//! explicit        M(q)  (v⁺ − v) = h f(t, q, v)         q⁺ = q ⊕ h v       θ = 0, φ = 0
//! semi-implicit   M(q)  (v⁺ − v) = h f(t, q, v)         q⁺ = q ⊕ h v⁺      θ = 0, φ = 1
//! implicit        M(q⁺) (v⁺ − v) = h f(t⁺, q⁺, v⁺)      q⁺ = q ⊕ h v⁺      θ = 1, φ = 1
//! ```
//!
//! θ and φ are those of the energy ledger (`phases/account.rs`): its column `scheme`,
//! −(φ − ½) ΔvᵀMΔv − (θ − ½) ΔqᵀKΔq, closes the balance of linear systems to rounding. The explicit scheme gains
//! energy in every step, the implicit one loses it, and in the semi-implicit one both terms nearly cancel over a
//! period. Each has a one-step error of O(h²) and global order 1. [Trinkle08]
//!
//! Bodies in space have M in body axes and ω × Jω among the forces. Springs between bodies are rows of the one-step problem
//! (`constraints/springs.rs`), and so are constraints of velocities, with u⁺ = 0 or the set of a relay: first order as the rest.

use super::Refusal;
use crate::error::StepResult;
use crate::instants::Configuration;
use crate::log::{Counts, StepLog};
use crate::model::{Activation, Level, Model, State, Theta};
use crate::newton::{Newton, Solved};
use crate::part::Part;
use crate::phases::{
    LawForm, Ledger, SolverSettings, account, advance, detect, factorize, judge, linearize, set_laws,
    set_offsets,
};
use crate::scratch::Scratch;

/// An Euler scheme at work.
pub(super) struct Euler {
    /// θ of the forces [–].
    pub(super) theta: f64,
    /// φ of q⁺ = q ⊕ h (φ v⁺ + (1−φ) v) [–].
    pub(super) phi: f64,
    /// Where M is evaluated.
    pub(super) mass_at: Configuration,
    pub(super) newton: Newton,
    pub(super) settings: SolverSettings,
    pub(super) scratch: Scratch,
}

/// Refuses models that are more than free motion.
pub(super) fn free_motion_only(integrator: &'static str, model: &Model) -> Result<(), Refusal> {
    super::needs_theta(integrator, model)?;
    let is_taken =
        |family: &dyn crate::model::ConstraintFamily| family.is_elastic() || family.is_of_velocities();
    match model.constraints.iter().find(|family| !is_taken(&***family)) {
        None => Ok(()),
        Some(family) => {
            let named = family.n_members() > 0;
            let constraint = if named { family.member_name(0) } else { family.name() }.to_owned();
            Err(Refusal::FreeMotionOnly { integrator, constraint })
        }
    }
}

impl Euler {
    /// An explicit one, which moves with φ v⁺ + (1−φ) v.
    pub(super) fn explicit(phi: f64, settings: SolverSettings) -> Self {
        let newton = Newton { tolerance: 0.0, most_iterations: 1 };
        let (mass_at, scratch) = (Configuration::Start, Scratch::default());
        Self { theta: 0.0, phi, mass_at, newton, settings, scratch }
    }

    /// One step.
    pub(super) fn step(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        let (rule, part) = (Theta { h, theta: self.theta }, Part::whole(now.t, h));
        let motion = Theta { h, theta: self.phi };
        let springs = Activation::Ahead { ahead: 0.0, distance: 0.0 };
        let Scratch { at, active, mass, free, problem, impulses, parts, v_next, v_mean, .. } =
            &mut self.scratch;
        let settings = &mut self.settings;

        at.configure(model, now, rule)?;
        detect(model, &part, &at.now(now), springs, active)?;
        impulses.warm_start(model, now, active, h);
        // Forces at the start do not depend on v⁺.
        let one_pass = self.theta == 0.0;
        let mut newton = self.newton.start(model, false, at.velocities(now), v_next);
        parts.start();
        loop {
            let part = parts.part(now.t, h);
            if newton.is_needed() && !one_pass {
                at.predict(model, now, motion, (self.mass_at, Configuration::End), v_next)?;
            }
            let pass = if one_pass { at.only_pass(model, now, v_mean)? } else { at.pass(now) };
            factorize(model, &part, &pass, rule.coeffs(), problem, mass)?;
            model.free_motion(&part, &pass, rule, mass.groups(), free)?;
            linearize(model, &part, &pass, active)?;
            set_offsets(model, &part, &pass, Level::Velocity, active)?;
            set_laws(model, now, LawForm::Contact, (h, 0.0), impulses, active);
            let posed = (&*active, &*mass, &*free);
            parts.impose(posed, settings, (problem, impulses), (v_next, &mut next.v), log)?;
            let solved =
                Solved { problem, free, rule, q_end: pass.end.q, tolerance: settings.tolerance };
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

        let (phi, v_end) = (self.phi, &*v_next);
        let ledger = Ledger { now, next, v_next, v_end, rule, phi, at, free, active, impulses };
        account(model, &ledger, v_mean, log)
    }

    /// Forgets all scratch.
    pub(super) fn reset(&mut self) {
        self.scratch.reset();
        self.settings.solver.forget();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Bilateral, NewtonImpact};
    use crate::model::{Linear, ModelBuilder};
    use nonsmooth_solvers::Sparse;

    fn schemes() -> [Euler; 3] {
        let explicit = |phi| Euler::explicit(phi, SolverSettings::default());
        let newton = Newton { tolerance: 1e-12, most_iterations: 50 };
        let implicit = Euler { theta: 1.0, mass_at: Configuration::End, newton, ..explicit(1.0) };
        [explicit(0.0), explicit(1.0), implicit]
    }

    /// Past their refusal they let a ball that must rebound enter the floor and stay there: none has an impact law, and an
    /// impulse comes a step too late.
    #[test]
    fn a_floor_is_not_honoured() {
        for mut scheme in schemes() {
            let mut builder = ModelBuilder::new();
            let ball =
                builder.linear(Linear::new("ball", Sparse::diagonal(&[1.0])).initial(&[0.25], &[-1.0]));
            let law = builder.law("elastic", NewtonImpact { restitution: 1.0 });
            builder.linear_gap("floor", law, &[(ball, 0, 1.0)], 0.0);
            let (model, mut now) = builder.build(0.0).expect("a right model");
            let (mut next, mut log) = (now.clone(), StepLog::default());
            for _ in 0..10 {
                scheme.step(&model, &now, 0.1, &mut next, &mut log).expect("a step");
                std::mem::swap(&mut now, &mut next);
            }
            // It entered by 0.05 m in the third step, and the explicit one by another 0.1 m in the fourth.
            assert!(now.q[0] < -0.04 && now.v[0] == 0.0, "{:?} {:?}", now.q, now.v);
        }
    }

    /// Past their refusal the explicit schemes lose a joint: q⁺ = q + h v leaves the circle by (h v)²/2 per step, whatever the impulse.
    #[test]
    fn a_joint_is_not_honoured() {
        struct Rod;
        impl crate::model::Gap for Rod {
            fn gap(&self, _t: f64, q: &[f64]) -> Result<f64, crate::model::UserError> {
                Ok(q[0].hypot(q[1]) - 1.0)
            }
            fn jacobian(
                &self,
                _t: f64,
                q: &[f64],
                out: &mut [f64],
            ) -> Result<(), crate::model::UserError> {
                let r = q[0].hypot(q[1]);
                out.copy_from_slice(&[q[0] / r, q[1] / r]);
                Ok(())
            }
        }
        for mut scheme in schemes() {
            let mut builder = ModelBuilder::new();
            let mass =
                Linear::new("mass", Sparse::diagonal(&[1.0, 1.0])).initial(&[1.0, 0.0], &[0.0, 1.0]);
            let mass = builder.linear(mass);
            let law = builder.law("joint", Bilateral);
            builder.gap("rod", law, &[(mass, 0), (mass, 1)], Rod);
            let (model, mut now) = builder.build(0.0).expect("a right model");
            let (mut next, mut log) = (now.clone(), StepLog::default());
            for _ in 0..100 {
                scheme.step(&model, &now, 0.1, &mut next, &mut log).expect("a step");
                std::mem::swap(&mut now, &mut next);
            }
            let off = now.q[0].hypot(now.q[1]) - 1.0;
            // 100 steps of 0.005 m, less as the circle grows.
            assert!(off.abs() > 0.2, "{off}");
        }
    }
}
