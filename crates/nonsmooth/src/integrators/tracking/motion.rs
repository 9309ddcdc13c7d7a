//! The acceleration of the smooth motion, with the forces of closed constraints eliminated.
//!
//! ```text
//! v̇ = M⁻¹ (f + Hᵀ λ),     ÿ = H M⁻¹ Hᵀ λ + H M⁻¹ f + curvature = 0   on the closed constraints
//! ```
//!
//! The closed constraints (the *mode*) are held as equations: the right-hand side is then as smooth as the model,
//! and Runge–Kutta methods keep their order. That no contact pulls is watched from outside: λ < 0 is an event.

use super::closed::{Closed, Scale};
use super::forces::{Forces, Point, Power};
use crate::error::StepResult;
use crate::model::Model;
use crate::phases::{Factors, factorize_mass};

/// Force that counts as pulling, relative to the largest acceleration that the mode resists: below it is the noise of
/// contacts that carry nothing.
const PULL: f64 = 1e-11;

/// Acceleration and contact forces at a point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rate {
    /// v̇ [m/s²].
    pub(crate) a: Vec<f64>,
    /// λ of each constraint of the mode [N].
    pub(crate) lambda: Vec<f64>,
    /// Whether a constraint of the mode pulls beyond noise.
    pub(crate) pulls: Vec<bool>,
    /// Power of what has no potential [W].
    pub(crate) power: Power,
}

impl Rate {
    pub(crate) fn poison(&mut self) {
        self.a.fill(f64::NAN);
        self.lambda.fill(f64::NAN);
        let power = &mut self.power;
        for x in [&mut power.external, &mut power.viscous, &mut power.contact, &mut power.obstacle] {
            *x = f64::NAN;
        }
    }
}

/// What is needed to evaluate the smooth motion.
#[derive(Default)]
pub(crate) struct Motion {
    pub(crate) factors: Factors,
    /// The constraints of the last evaluation.
    pub(crate) closed: Closed,
    pub(crate) scale: Scale,
    /// M⁻¹ f of the last evaluation in a mode [m/s²].
    pub(crate) unheld: Vec<f64>,
    /// Evaluations of f since the count was reset.
    pub(crate) evaluations: u64,
    forces: Forces,
}

impl Motion {
    /// a ← M⁻¹ f at a point, without contact forces.
    pub(crate) fn free(
        &mut self,
        model: &Model,
        at: &Point,
        a: &mut Vec<f64>,
        power: &mut Power,
    ) -> StepResult {
        self.evaluations += 1;
        self.forces.fill(model, at, a, power)?;
        factorize_mass(model, &at.q, &mut self.factors)?;
        self.factors.solve(model, a);
        Ok(())
    }

    /// Acceleration and forces with the constraints `mode` held closed.
    pub(crate) fn rate(
        &mut self,
        model: &Model,
        mode: &[usize],
        at: &Point,
        rate: &mut Rate,
    ) -> StepResult {
        let Rate { a, lambda, pulls, power } = rate;
        self.free(model, at, a, power)?;
        self.unheld.clone_from(a);
        lambda.clear();
        pulls.clear();
        if mode.is_empty() {
            return Ok(());
        }
        let Motion { closed, factors, scale, .. } = self;
        closed.fill(model, mode, at, factors, scale)?;
        closed.curve(model, mode, at)?;
        let mut resisted = 0.0f64;
        for i in 0..mode.len() {
            lambda.push(-(closed.along(i, a) + closed.curvature[i]));
            resisted = resisted.max(closed.size_along(i, a) + closed.curvature[i].abs());
        }
        closed.factor.solve(lambda);
        closed.push(lambda, a);
        for (i, (&lambda, &key)) in lambda.iter().zip(mode).enumerate() {
            let weight = closed.delassus[i * mode.len() + i];
            pulls.push(lambda * weight < -PULL * resisted && !model.constraints.always[key]);
            power.contact += lambda * closed.standing[i].u;
            power.obstacle -= lambda * closed.standing[i].rate;
        }
        Ok(())
    }

    pub(crate) fn poison(&mut self) {
        self.factors.poison();
        self.closed.poison();
        self.forces.poison();
        self.scale.pace.fill(f64::NAN);
        self.unheld.fill(f64::NAN);
    }
}
