//! Works of Lagrangian systems in a θ-step: as for linear systems, with M at the configuration of the step, F_int in place of C v and
//! Δ∇V in place of K Δq. What is then missing is the remainder of the ledger.

use super::{LagrangianSystem, LagrangianSystems, form};
use crate::energy::Works;
use crate::error::{StepError, StepResult};
use crate::model::systems::prescribed::{dot, with_buffer};
use crate::model::systems::{Theta, ThetaStep};
use crate::model::{Model, UserError};

impl LagrangianSystem {
    pub(super) fn add_works(&self, step: &ThetaStep<'_>, works: &mut Works) -> Result<(), UserError> {
        let Theta { h, theta } = step.rule;
        let (range, n) = (self.range.clone(), self.range.len());
        let v_phi = &step.v_phi[range.clone()];
        works.external += dot(&step.free.external[range.clone()], v_phi);
        for (at, weight) in [(&step.end, theta), (&step.now, 1.0 - theta)] {
            with_buffer(n, |part| {
                self.dynamics.internal(at.t, &at.q[range.clone()], &at.v[range.clone()], part)?;
                works.viscous -= h * weight * dot(part, v_phi);
                Ok::<(), UserError>(())
            })?;
        }
        if (theta, step.phi) == (0.5, 0.5) {
            return Ok(());
        }
        with_buffer(3 * n, |buffer| {
            let (dv, rest) = buffer.split_at_mut(n);
            let (dq, part) = rest.split_at_mut(n);
            for (k, i) in range.clone().enumerate() {
                dv[k] = step.next.v[i] - step.now.v[i];
                dq[k] = step.next.q[i] - step.now.q[i];
            }
            let form = self.with_mass(&step.mass.q[range.clone()], |mass| form(mass, dv, dv))?;
            works.scheme -= (step.phi - 0.5) * form;
            for (at, sign) in [(&step.next, 1.0), (&step.now, -1.0)] {
                part.fill(0.0);
                self.dynamics.gradient(&at.q[range.clone()], part)?;
                works.scheme -= (theta - 0.5) * sign * dot(part, dq);
            }
            Ok(())
        })
    }

    /// M(q_m) Δv + h (N + F_int + ∇V)_θ − h F_ext,θ over the system.
    fn fill_reaction(&self, step: &ThetaStep<'_>, reaction: &mut [f64]) -> Result<(), UserError> {
        let Theta { h, theta } = step.rule;
        let (range, n) = (self.range.clone(), self.range.len());
        self.with_mass(&step.mass.q[range.clone()], |mass| {
            for i in 0..n {
                let change = |j: usize| step.next.v[range.start + j] - step.now.v[range.start + j];
                reaction[i] = (0..n).map(|j| mass[i * n + j] * change(j)).sum::<f64>();
                reaction[i] -= step.free.external[range.start + i];
            }
        })?;
        let mut part = Vec::new();
        for (at, weight) in [(&step.end, theta), (&step.now, 1.0 - theta)] {
            with_buffer(n, |left| {
                self.add_left_forces((at.t, at.q, at.v), &mut part, left)?;
                reaction.iter_mut().zip(left).for_each(|(r, f)| *r += h * weight * *f);
                Ok::<(), UserError>(())
            })?;
        }
        Ok(())
    }
}

impl LagrangianSystems {
    /// The impulse that holds each prescribed coordinate, times its velocity.
    #[inline(never)]
    pub(super) fn add_prescribed(
        &self,
        model: &Model,
        step: &ThetaStep<'_>,
        works: &mut Works,
    ) -> StepResult {
        let mut reaction = vec![0.0; model.n_velocities()];
        for system in &self.systems {
            let made = system.fill_reaction(step, &mut reaction[system.range.clone()]);
            made.map_err(StepError::in_system(model, system.range.start))?;
        }
        step.subtract_impulses(&mut reaction);
        for prescribed in &self.prescribed {
            works.prescribed += reaction[prescribed.index] * step.v_phi[prescribed.index];
        }
        Ok(())
    }
}
