//! The ledger of a generalized-α step: that of the trapezoidal rule, and what the step adds beyond it.

use super::AlphaScratch;
use super::newmark::Newmark;
use super::position_velocity::TwoLevels;
use crate::error::StepResult;
use crate::log::StepLog;
use crate::model::instant::{Implicit, Instant, Pass};
use crate::model::{Model, RigidState, State, Theta};
use crate::part::Part;
use crate::phases::{Ledger, account};

impl AlphaScratch {
    /// Writes energies and works of the step that led to `next`.
    pub(super) fn book(
        &mut self,
        model: &Model,
        now: &State,
        next: &State,
        method: Newmark,
        log: &mut StepLog,
    ) -> StepResult {
        let AlphaScratch { begin, levels, there, at, free, impulses, v_mean, x, .. } = self;
        let TwoLevels { here, mass, velocity, .. } = &*levels;
        let rule = Theta { h: next.step_size, theta: 0.5 };
        // The forces that depend on time or state, at both ends; where they lead is of no interest.
        let (start, end) = (begin.instant(&now.presence), here.instant(&now.presence));
        let pass = Pass { now: start, mass: end, jacobian: end, end, implicit: Implicit::default() };
        model.free_motion(&Part::whole(now.t, rule.h), &pass, rule, mass.groups(), free)?;
        for impulse in [&mut free.external, &mut free.drives, &mut free.elastic] {
            if !impulse.is_empty() {
                // From the axes of the start to those of the end, in which the rows are.
                model.to_state(&now.q, impulse);
                x.resize(impulse.len(), 0.0);
                model.to_working(&next.q, impulse, x);
                impulse.copy_from_slice(x);
            }
        }
        free.inertial.clear();
        (there.t, there.step_size) = (end.t, next.step_size);
        there.q.clone_from(&next.q);
        there.v.clone_from(&now.v);
        at.configure_there(model, now, there, Implicit::default())?;
        at.guess(model, now, end.v)?;
        let ledger = Ledger {
            now,
            next,
            v_next: end.v,
            v_end: end.v,
            rule,
            phi: 0.5,
            at,
            free,
            active: &velocity.active,
            impulses,
        };
        account(model, &ledger, v_mean, log)?;
        if model.is_elastic() {
            for end in [&start, &end] {
                let force = damper_force(model, end)?;
                let along = force.iter().zip(now.v.iter().zip(&next.v));
                log.works.viscous += 0.25 * rule.h * along.map(|(f, (a, b))| f * (a + b)).sum::<f64>();
            }
        }
        self.book_defects(model, now, next, method, log)
    }

    /// Books what the step adds beyond the trapezoidal rule.
    fn book_defects(
        &mut self,
        model: &Model,
        now: &State,
        next: &State,
        method: Newmark,
        log: &mut StepLog,
    ) -> StepResult {
        let AlphaScratch { begin, smooth, memory, levels, r: gradient, x, v_mean, momentum, .. } = self;
        let (n, h) = (now.v.len(), next.step_size);
        let ends = [begin.instant(&now.presence), levels.here.instant(&now.presence)];
        // ∇V_½ and M v_½, in the axes of the state.
        gradient.clear();
        gradient.resize(n, 0.0);
        for end in &ends {
            x.clear();
            x.resize(n, 0.0);
            model.smooth_motions().try_for_each(|motion| motion.gradient(model, end.q, x))?;
            if model.is_elastic() {
                let still = at_rest(model, end);
                let end = Instant { rigid: &still, ..*end };
                x.iter_mut().for_each(|x| *x = -*x);
                model
                    .constraints
                    .iter()
                    .try_for_each(|family| family.elastic_forces(model, &end, 0.0, x))?;
                x.iter_mut().for_each(|x| *x = -*x);
            }
            model.to_state(end.q, x);
            gradient.iter_mut().zip(&*x).for_each(|(sum, x)| *sum += 0.5 * x);
        }
        v_mean.clear();
        v_mean.extend(now.v.iter().zip(&next.v).map(|(a, b)| 0.5 * (a + b)));
        x.resize(n, 0.0);
        model.to_working(&next.q, v_mean, x);
        momentum.clear();
        momentum.resize(n, 0.0);
        model.times(&ends[1], [1.0, 0.0, 0.0], x, momentum)?;
        model.to_state(&next.q, momentum);
        for i in 0..n {
            let (impulse, displacement) = smooth.defects(method, memory, h, i);
            log.works.scheme += momentum[i] * impulse + gradient[i] * displacement;
            let moved = levels.step[i] - h * v_mean[i] - displacement;
            log.works.projection += gradient[i] * moved;
        }
        Ok(())
    }
}

/// The rigid things of an instant without the motion of bodies.
fn at_rest(model: &Model, at: &Instant<'_>) -> Vec<RigidState> {
    let mut still = at.rigid.to_vec();
    for state in &mut still[..model.rigid.bodies.len()] {
        (state.velocity, state.spin) = Default::default();
    }
    still
}

/// Force of dampers on bodies in the axes of the state: what of the forces of springs and dampers depends on the velocity of the bodies.
fn damper_force(model: &Model, at: &Instant<'_>) -> StepResult<Vec<f64>> {
    let still = at_rest(model, at);
    let mut force = vec![0.0; at.v.len()];
    for rigid in [&still[..], at.rigid] {
        force.iter_mut().for_each(|f| *f = -*f);
        let at = Instant { rigid, ..*at };
        let mut families = model.constraints.iter();
        families.try_for_each(|family| family.elastic_forces(model, &at, 0.0, &mut force))?;
    }
    model.to_state(at.q, &mut force);
    Ok(force)
}
