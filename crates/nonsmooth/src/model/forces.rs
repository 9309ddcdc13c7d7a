//! Forces beside those that families bring themselves: wrenches and drives as functions of an instant.

use super::{Model, RigidId, UserError};
use crate::error::{StepError, StepResult};
use crate::model::instant::Instant;
use glam::DVec3;

/// A force on the systems of a model.
pub trait Force: Send + Sync {
    /// Adds the force to `out`, over all velocities in working axes (world axes at `at`) [N, N·m].
    fn add(&self, model: &Model, at: &Instant<'_>, out: &mut [f64]) -> StepResult;

    /// Whether it depends on coordinates or velocities, so that a θ-step must iterate.
    fn depends_on_state(&self) -> bool {
        true
    }

    /// Whether its work is that of a drive.
    fn is_drive(&self) -> bool {
        false
    }
}

/// Force [N] and torque about the centre of mass [N·m] in world axes, as a function of the instant.
pub type WrenchFunction = Box<dyn Fn(&Instant<'_>) -> Result<[f64; 6], UserError> + Send + Sync>;

/// A wrench on one body.
pub struct Wrench {
    /// Which body.
    pub body: RigidId,
    /// Force and torque.
    pub function: WrenchFunction,
    /// Whether it depends on coordinates or velocities.
    pub depends_on_state: bool,
}

impl Force for Wrench {
    fn add(&self, model: &Model, at: &Instant<'_>, out: &mut [f64]) -> StepResult {
        let i = self.body.0 as usize;
        if !at.is_present(i) {
            return Ok(());
        }
        let body = &model.rigid.bodies[i];
        let wrench = (self.function)(at).map_err(StepError::in_body(&body.name))?;
        if let Some(bad) = wrench.iter().find(|x| !x.is_finite()) {
            let source = format!("its force or torque is {bad} at t = {} s", at.t).into();
            return Err(StepError::in_body(&body.name)(source));
        }
        let [x, y, z, a, b, c] = wrench;
        model.rigid.add_wrench(i, DVec3::new(x, y, z), DVec3::new(a, b, c), out);
        Ok(())
    }

    fn depends_on_state(&self) -> bool {
        self.depends_on_state
    }
}

impl super::RigidTable {
    /// Adds an impulse and an angular impulse in working axes to the entries of body `i` in a vector over all velocities.
    #[inline(always)]
    pub fn add_wrench(&self, i: usize, force: DVec3, torque: DVec3, out: &mut [f64]) {
        let body = &self.bodies[i];
        let out = &mut out[body.v as usize..];
        match out.first_chunk_mut() {
            Some(out) if !body.planar => {
                let own: &mut [f64; 6] = out;
                let act = [force.x, force.y, force.z, torque.x, torque.y, torque.z];
                own.iter_mut().zip(act).for_each(|(sum, x)| *sum += x);
            }
            _ => {
                out[0] += force.x;
                out[1] += force.y;
                out[2] += torque.z;
            }
        }
    }
}
