//! Motion of Lagrangian systems without constraints.
//!
//! ```text
//! θ        M̂ (v_free − vⁱ) = −R(vⁱ),     R = M(q_m)(vⁱ − v) − h (θ f(t⁺, q⁺, vⁱ) + (1−θ) f(t, q, v))
//! kick     v_free = v + κ M(q)⁻¹ f(t, q, v)
//! ```
//!
//! with f = F_ext − N − F_int − ∇V and vⁱ the guess of v⁺. [Acary06, eq. (47)]

use super::{LagrangianSystem, LagrangianSystems};
use crate::energy::Works;
use crate::error::{StepError, StepResult};
use crate::model::errors::check_finite_from;
use crate::model::instant::{Instant, Pass};
use crate::model::systems::SystemFamily;
use crate::model::systems::prescribed::{changes, dot, with_buffer};
use crate::model::systems::{Free, KickDriftMotion, SmoothMotion, Theta, ThetaMotion, ThetaStep};
use crate::model::{Model, Presence, UserError};
use crate::part::Part;
use nonsmooth_solvers::MassGroups;

impl ThetaMotion for LagrangianSystems {
    #[inline(never)]
    fn free_motion(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Pass<'_>,
        rule: Theta,
        mass: &MassGroups,
        free: &mut Free,
    ) -> StepResult {
        free.external.resize(model.n_velocities(), 0.0);
        for (member, system) in self.chosen(part) {
            let range = system.range.clone();
            let in_system = || StepError::in_system(model, range.start);
            system.add_external(at, rule, free).map_err(in_system())?;
            system.residual(at, rule, free).map_err(in_system())?;
            check_finite_from(model, "force", range.start, &free.v[range.clone()])?;
            mass.solve_group(member, &mut free.v, &mut free.scratch);
            range.for_each(|i| free.v[i] += at.end.v[i]);
        }
        for prescribed in &self.prescribed {
            free.v[prescribed.index] = prescribed.at(model, at.end.t)?;
        }
        check_finite_from(model, "velocity", self.layout.v.start, &free.v[self.layout.v.clone()])
    }

    fn prescribe(&self, model: &Model, t: f64, guess: &mut [f64]) -> StepResult {
        self.prescribed.iter().try_for_each(|prescribed| {
            guess[prescribed.index] = prescribed.at(model, t)?;
            Ok(())
        })
    }

    #[inline(never)]
    fn works(&self, model: &Model, step: &ThetaStep<'_>, works: &mut Works) -> StepResult {
        for system in &self.systems {
            system.add_works(step, works).map_err(StepError::in_system(model, system.range.start))?;
        }
        if !self.prescribed.is_empty() {
            self.add_prescribed(model, step, works)?;
        }
        Ok(())
    }
}

impl LagrangianSystem {
    /// h (θ F_ext⁺ + (1−θ) F_ext), added to `free.external`.
    fn add_external(&self, at: &Pass<'_>, rule: Theta, free: &mut Free) -> Result<(), UserError> {
        let Theta { h, theta } = rule;
        let Free { external, scratch, .. } = free;
        for (t, weight) in [(at.end.t, h * theta), (at.now.t, h * (1.0 - theta))] {
            if weight == 0.0 {
                continue;
            }
            scratch.clear();
            scratch.resize(self.range.len(), 0.0);
            self.dynamics.external(t, scratch)?;
            let own = external[self.range.clone()].iter_mut().zip(&*scratch);
            own.for_each(|(sum, f)| *sum += weight * f);
        }
        Ok(())
    }

    /// −R, into `free.v`.
    fn residual(&self, at: &Pass<'_>, rule: Theta, free: &mut Free) -> Result<(), UserError> {
        let (range, n) = (self.range.clone(), self.range.len());
        let Free { v: out, external, scratch: part, .. } = free;
        let out = &mut out[range.clone()];
        out.copy_from_slice(&external[range.clone()]);
        for (weight, end) in [(1.0 - rule.theta, &at.now), (rule.theta, &at.end)] {
            if weight == 0.0 {
                continue;
            }
            with_buffer(n, |left| {
                self.add_left_forces((end.t, end.q, end.v), part, left)?;
                out.iter_mut().zip(left).for_each(|(out, f)| *out -= rule.h * weight * *f);
                Ok::<(), UserError>(())
            })?;
        }
        self.with_mass(&at.mass.q[range.clone()], |mass| {
            for i in 0..n {
                let row = &mass[i * n..(i + 1) * n];
                let change =
                    (0..n).map(|j| row[j] * (at.end.v[range.start + j] - at.now.v[range.start + j]));
                out[i] -= change.sum::<f64>();
            }
        })
    }

    /// f = F_ext − N − F_int − ∇V, added to `out` over the system; F_ext·v and −F_int·v go to `power`.
    fn add_forces(&self, at: &Instant<'_>, out: &mut [f64], power: &mut Works) -> Result<(), UserError> {
        let (q, v) = (&at.q[self.range.clone()], &at.v[self.range.clone()]);
        with_buffer(q.len(), |part| {
            self.dynamics.external(at.t, part)?;
            power.external += dot(part, v);
            out.iter_mut().zip(&*part).for_each(|(out, f)| *out += f);
            for term in 0..3 {
                part.fill(0.0);
                match term {
                    0 => self.dynamics.inertial(q, v, part)?,
                    1 => self.dynamics.internal(at.t, q, v, part)?,
                    _ => self.dynamics.gradient(q, part)?,
                }
                if term == 1 {
                    power.viscous -= dot(part, v);
                }
                out.iter_mut().zip(&*part).for_each(|(out, f)| *out -= f);
            }
            Ok(())
        })
    }
}

impl KickDriftMotion for LagrangianSystems {
    fn kick(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Instant<'_>,
        (length, v): (f64, &[f64]),
        mass: &MassGroups,
        free: &mut Free,
    ) -> StepResult {
        for (_, system) in self.chosen(part) {
            let range = system.range.clone();
            let own = &mut free.v[range.clone()];
            own.fill(0.0);
            let made = system.add_forces(at, own, &mut Works::default());
            made.map_err(StepError::in_system(model, range.start))?;
            own.iter_mut().for_each(|f| *f *= length);
            if !free.external.is_empty() {
                own.iter_mut()
                    .zip(&free.external[range.clone()])
                    .for_each(|(f, external)| *f += external);
            }
        }
        if !self.prescribed.is_empty() {
            // What M couples to a prescribed velocity feels its change.
            changes(&self.prescribed, model, at.t + 0.5 * part.h, v, &mut free.more)?;
            self.times(model, at, [-1.0, 0.0, 0.0], &free.more, &mut free.v)?;
        }
        for (member, system) in self.chosen(part) {
            let range = system.range.clone();
            mass.solve_group(member, &mut free.v, &mut free.scratch);
            range.clone().for_each(|i| free.v[i] += v[i]);
            check_finite_from(model, "velocity", range.start, &free.v[range.clone()])?;
        }
        for prescribed in &self.prescribed {
            free.v[prescribed.index] = prescribed.at(model, at.t + 0.5 * part.h)?;
        }
        Ok(())
    }

    fn drift(
        &self,
        _model: &Model,
        part: &Part<'_>,
        _presence: &[Presence],
        dt: f64,
        q: &mut [f64],
        v: &mut [f64],
    ) -> StepResult {
        for (_, system) in self.chosen(part) {
            system.range.clone().for_each(|i| q[i] += dt * v[i]);
        }
        Ok(())
    }
}

impl SmoothMotion for LagrangianSystems {
    fn rate(&self, _q: &[f64], v: &[f64], q_dot: &mut [f64]) {
        let own = self.layout.v.clone();
        q_dot[own.clone()].copy_from_slice(&v[own]);
    }

    fn sizes(&self, q: &[f64], out: &mut [f64]) {
        let own = self.layout.v.clone();
        out[own.clone()].iter_mut().zip(&q[own]).for_each(|(size, q)| *size = q.abs());
    }

    fn forces(&self, model: &Model, at: &Instant<'_>, out: &mut [f64], power: &mut Works) -> StepResult {
        for system in &self.systems {
            let made = system.add_forces(at, &mut out[system.range.clone()], power);
            made.map_err(StepError::in_system(model, system.range.start))?;
        }
        Ok(())
    }

    fn gradient(&self, model: &Model, q: &[f64], out: &mut [f64]) -> StepResult {
        for system in &self.systems {
            let (range, own) = (system.range.clone(), &q[system.range.clone()]);
            let made = with_buffer(own.len(), |part| {
                system.dynamics.gradient(own, part)?;
                out[range.clone()].iter_mut().zip(part).for_each(|(out, f)| *out += *f);
                Ok::<(), UserError>(())
            });
            made.map_err(StepError::in_system(model, range.start))?;
        }
        Ok(())
    }
}
