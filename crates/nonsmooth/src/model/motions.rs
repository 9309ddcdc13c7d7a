//! Loops over the smooth motions of the families: for schemes that work with accelerations.

use super::Model;
use crate::energy::Works;
use crate::error::StepResult;
use crate::model::RigidState;
use crate::model::errors::check_finite;
use crate::model::instant::Instant;
use glam::DVec3;

impl Model {
    /// q̇ = T(q) v, v as in the state.
    pub fn rate(&self, q: &[f64], v: &[f64], q_dot: &mut [f64]) {
        self.smooth_motions().for_each(|motion| motion.rate(q, v, q_dot));
    }

    /// Brings q back to unit quaternions.
    pub fn normalize(&self, q: &mut [f64]) {
        self.smooth_motions().for_each(|motion| motion.normalize(q));
    }

    /// All forces f(t, q, v) in M v̇ = f, those of springs included, in working axes; `power` gets what has no potential. `part` is
    /// scratch.
    pub fn all_forces(
        &self,
        at: &Instant<'_>,
        f: &mut Vec<f64>,
        part: &mut Vec<f64>,
        power: &mut Works,
    ) -> StepResult {
        let n = self.n_velocities();
        f.clear();
        f.resize(n, 0.0);
        self.smooth_motions().try_for_each(|motion| motion.forces(self, at, f, power))?;
        for force in &self.forces {
            part.clear();
            part.resize(n, 0.0);
            force.add(self, at, part)?;
            let work: f64 = part.iter().zip(at.v).map(|(f, v)| f * v).sum();
            *(if force.is_drive() { &mut power.drive } else { &mut power.external }) += work;
            f.iter_mut().zip(&*part).for_each(|(f, part)| *f += part);
        }
        if self.is_elastic() {
            for family in &self.constraints {
                family.elastic_forces(self, at, 0.0, f)?;
                family.elastic_power(self, at, power);
            }
        }
        check_finite(self, "force", f)
    }

    /// out += ∇V at an instant, that of springs included, in working axes; `rigid` and `part` are scratch.
    pub fn gradient(
        &self,
        at: &Instant<'_>,
        (rigid, part): (&mut Vec<RigidState>, &mut Vec<f64>),
        out: &mut [f64],
    ) -> StepResult {
        self.smooth_motions().try_for_each(|motion| motion.gradient(self, at.q, out))?;
        if self.is_elastic() {
            // Where nothing moves, dampers do nothing.
            rigid.clear();
            let still =
                |state: &RigidState| RigidState { velocity: DVec3::ZERO, spin: DVec3::ZERO, ..*state };
            rigid.extend(at.rigid.iter().map(still));
            part.clear();
            part.resize(out.len(), 0.0);
            let at = Instant { rigid, ..*at };
            self.constraints
                .iter()
                .try_for_each(|family| family.elastic_forces(self, &at, 0.0, part))?;
            out.iter_mut().zip(&*part).for_each(|(out, f)| *out -= f);
        }
        Ok(())
    }
}
