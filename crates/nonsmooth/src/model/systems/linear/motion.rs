//! Motion of the linear systems without constraints.
//!
//! ```text
//! θ        M̂ (v_free − v) = h F_θ − h C v − h K (q + hθ v) − M̂_p (v_p⁺ − v_p)
//! kick     v_free = v + κ M⁻¹ (load + F_ext(t) − C v − K q)
//! ```
//!
//! with F_θ = load + θ F_ext(t⁺) + (1−θ) F_ext(t), and v_p the prescribed velocities, which take their values at t⁺. [Acary06, eq. (47)]

use super::LinearSystems;
use crate::energy::Works;
use crate::error::{StepError, StepResult};
use crate::model::errors::check_finite;
use crate::model::instant::{Instant, Pass};
use crate::model::systems::SystemFamily;
use crate::model::systems::prescribed::{changes, dot, with_buffer};
use crate::model::systems::{
    Coeffs, Free, KickDriftMotion, SmoothMotion, Theta, ThetaMotion, ThetaStep, fall, flows,
};
use crate::model::{Model, Presence};
use crate::part::{Part, Selection};
use nonsmooth_solvers::MassGroups;

impl ThetaMotion for LinearSystems {
    #[inline]
    fn free_motion(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Pass<'_>,
        rule: Theta,
        mass: &MassGroups,
        free: &mut Free,
    ) -> StepResult {
        if self.layout.is_ballistic && free.external.is_empty() && part.members.is_all() {
            fall(&self.load, at.now.v, rule.h, mass.scalars(), &mut free.v);
            return Ok(());
        }
        self.general_motion(model, part, at, rule, mass, free)
    }

    fn works(&self, model: &Model, step: &ThetaStep<'_>, works: &mut Works) -> StepResult {
        if flows(self.layout.keeps_energy, step.rule, step.phi, step.free) {
            self.add_works(step, works);
            if !self.prescribed.is_empty() {
                self.add_prescribed(model, step, works);
            }
        }
        Ok(())
    }
}

impl LinearSystems {
    #[inline(never)]
    fn general_motion(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Pass<'_>,
        rule: Theta,
        mass: &MassGroups,
        free: &mut Free,
    ) -> StepResult {
        let n = self.n();
        let others = match part.members {
            Selection::All => None,
            Selection::List(_) => Some(free.v[..n].to_vec()),
        };
        let Theta { h, theta } = rule;
        self.add_forces(model, free, &[(at.end.t, h * theta), (at.now.t, h * (1.0 - theta))])?;
        self.residual(model, at, rule, free)?;
        // Only functions of the user can bring in numbers that are not finite.
        let checked = !free.external.is_empty() || !self.prescribed.is_empty();
        if checked {
            check_finite(model, "force", &free.v[..n])?;
        }
        self.solve(mass, free);
        free.v[..n].iter_mut().zip(at.now.v).for_each(|(v_free, v)| *v_free += v);
        for prescribed in &self.prescribed {
            free.v[prescribed.index] = prescribed.at(model, at.end.t)?;
        }
        if let Some(mut kept) = others {
            self.chosen(part).for_each(|i| kept[i] = free.v[i]);
            free.v[..n].copy_from_slice(&kept);
        }
        if checked { check_finite(model, "velocity", &free.v[..n]) } else { Ok(()) }
    }

    /// Adds Σ weight·F_ext(t) to `free.external`, where there are forces that depend on time.
    fn add_forces(&self, model: &Model, free: &mut Free, terms: &[(f64, f64)]) -> StepResult {
        if self.forces.is_empty() {
            return Ok(());
        }
        free.external.resize(model.n_velocities(), 0.0);
        let Free { external, scratch, .. } = free;
        for &(t, weight) in terms.iter().filter(|(_, weight)| *weight != 0.0) {
            for (range, force) in &self.forces {
                scratch.clear();
                scratch.resize(range.len(), 0.0);
                force(t, scratch).map_err(StepError::in_system(model, range.start))?;
                let own = external[range.clone()].iter_mut().zip(&*scratch);
                own.for_each(|(sum, f)| *sum += weight * f);
            }
        }
        Ok(())
    }

    /// The right-hand side, into `free.v`.
    fn residual(&self, model: &Model, at: &Pass<'_>, rule: Theta, free: &mut Free) -> StepResult {
        let (n, h) = (self.n(), rule.h);
        let Free { v: rhs, external, scratch, .. } = free;
        let rhs = &mut rhs[..n];
        rhs.iter_mut().zip(&self.load).for_each(|(rhs, load)| *rhs = h * load);
        if !external.is_empty() {
            rhs.iter_mut().zip(&*external).for_each(|(rhs, f)| *rhs += f);
        }
        if let Some(damping) = &self.damping {
            damping.multiply_add(-h, at.now.v, rhs);
        }
        if let Some(stiffness) = &self.stiffness {
            scratch.clear();
            scratch.extend(at.now.q[..n].iter().zip(at.now.v).map(|(q, v)| q + h * rule.theta * v));
            stiffness.multiply_add(-h, scratch, rhs);
        }
        // Where q⁺ does not depend on v⁺, neither does K q⁺.
        let mut coeffs = rule.coeffs();
        if at.implicit.displacement == 0.0 {
            coeffs.stiffness = 0.0;
        }
        for prescribed in &self.prescribed {
            let change = prescribed.at(model, at.end.t)? - at.now.v[prescribed.index];
            self.couple(coeffs, prescribed.index, change, rhs);
        }
        Ok(())
    }

    /// rhs ← rhs − M̂ e_j Δv. M and K are symmetric, so their column j is their row j; C need not be.
    #[inline(never)]
    fn couple(&self, coeffs: Coeffs, j: usize, change: f64, rhs: &mut [f64]) {
        for (weight, matrix) in [(1.0, Some(&self.mass)), (coeffs.stiffness, self.stiffness.as_ref())] {
            let Some(matrix) = matrix else { continue };
            let (rows, values) = matrix.row(j);
            for (&i, &x) in rows.iter().zip(values) {
                rhs[i as usize] -= weight * x * change;
            }
        }
        if let Some(damping) = &self.damping {
            for (i, rhs) in rhs.iter_mut().enumerate() {
                *rhs -= coeffs.damping * damping.get(i, j) * change;
            }
        }
    }

    /// M̂⁻¹ of the family's places of `free.v`.
    fn solve(&self, mass: &MassGroups, free: &mut Free) {
        let Free { v, scratch, .. } = free;
        if self.groups.single.len() == self.n() {
            v.iter_mut().zip(mass.scalars()).for_each(|(x, inverse)| *x *= inverse);
            return;
        }
        self.layout.members.clone().for_each(|group| mass.solve_group(group, v, scratch));
    }

    /// load − C v − K q, added to the family's places of `out`; −v·C v goes to `power`.
    fn add_state_forces(&self, at: &Instant<'_>, out: &mut [f64], power: &mut Works) {
        let n = self.n();
        let out = &mut out[..n];
        out.iter_mut().zip(&self.load).for_each(|(out, load)| *out += load);
        if let Some(damping) = &self.damping {
            damping.multiply_add(-1.0, at.v, out);
            power.viscous -= damping.form(&at.v[..n], &at.v[..n]);
        }
        if let Some(stiffness) = &self.stiffness {
            stiffness.multiply_add(-1.0, at.q, out);
        }
    }
}

impl KickDriftMotion for LinearSystems {
    fn kick(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Instant<'_>,
        (length, v): (f64, &[f64]),
        mass: &MassGroups,
        free: &mut Free,
    ) -> StepResult {
        let first = self.layout.members.start;
        self.add_forces(model, free, &[(at.t, length)])?;
        let mut f = std::mem::take(&mut free.more);
        f.clear();
        f.resize(model.n_velocities(), 0.0);
        self.add_state_forces(at, &mut f, &mut Works::default());
        for i in self.chosen(part) {
            f[i] = length * f[i] + free.external.get(i).copied().unwrap_or(0.0);
        }
        if !self.prescribed.is_empty() {
            // What M couples to a prescribed velocity feels its change.
            changes(&self.prescribed, model, at.t + 0.5 * part.h, v, &mut free.scratch)?;
            self.times(model, at, [-1.0, 0.0, 0.0], &free.scratch, &mut f)?;
        }
        for member in part.members.within(self.layout.members.clone()) {
            let velocities = self.groups.velocities(member - first);
            mass.solve_group(member, &mut f, &mut free.scratch);
            velocities.iter().for_each(|&i| free.v[i as usize] = v[i as usize] + f[i as usize]);
        }
        for prescribed in &self.prescribed {
            free.v[prescribed.index] = prescribed.at(model, at.t + 0.5 * part.h)?;
        }
        free.more = f;
        check_finite(model, "velocity", &free.v[..self.n()])
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
        self.chosen(part).for_each(|i| q[i] += dt * v[i]);
        Ok(())
    }
}

impl SmoothMotion for LinearSystems {
    fn rate(&self, _q: &[f64], v: &[f64], q_dot: &mut [f64]) {
        let n = self.n();
        q_dot[..n].copy_from_slice(&v[..n]);
    }

    fn sizes(&self, q: &[f64], out: &mut [f64]) {
        out[..self.n()].iter_mut().zip(q).for_each(|(size, q)| *size = q.abs());
    }

    fn forces(&self, model: &Model, at: &Instant<'_>, out: &mut [f64], power: &mut Works) -> StepResult {
        self.add_state_forces(at, out, power);
        for (range, force) in &self.forces {
            with_buffer(range.len(), |part| {
                force(at.t, part)?;
                out[range.clone()].iter_mut().zip(&*part).for_each(|(out, f)| *out += f);
                power.external += dot(part, &at.v[range.clone()]);
                Ok(())
            })
            .map_err(StepError::in_system(model, range.start))?;
        }
        Ok(())
    }

    fn gradient(&self, _model: &Model, q: &[f64], out: &mut [f64]) -> StepResult {
        let out = &mut out[..self.n()];
        out.iter_mut().zip(&self.load).for_each(|(out, load)| *out -= load);
        if let Some(stiffness) = &self.stiffness {
            stiffness.multiply_add(1.0, q, out);
        }
        Ok(())
    }
}
