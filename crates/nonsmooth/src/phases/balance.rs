//! M(q) x and ∇V(q) of the whole model, for schemes and ledgers that weigh defects.

use crate::error::{StepError, StepResult};
use crate::model::Model;

/// M and ∇V, with the scratch to evaluate them.
#[derive(Default)]
pub struct Balance {
    part: Vec<f64>,
}

impl Balance {
    /// out ← out + weight · M(q) x.
    pub fn add_inertia(
        &mut self,
        model: &Model,
        q: &[f64],
        weight: f64,
        x: &[f64],
        out: &mut [f64],
    ) -> StepResult {
        let n = model.linear.n;
        model.linear.mass.multiply_add(weight, &x[..n], &mut out[..n]);
        for system in &model.user {
            let (range, n) = (system.range.clone(), system.range.len());
            self.part.clear();
            self.part.resize(n * n, 0.0);
            let mass = system.dynamics.mass(&q[range.clone()], &mut self.part);
            mass.map_err(StepError::in_system(model, range.start))?;
            for (row, out) in self.part.chunks_exact(n).zip(&mut out[range.clone()]) {
                *out += weight * row.iter().zip(&x[range.clone()]).map(|(m, x)| m * x).sum::<f64>();
            }
        }
        Ok(())
    }

    /// out ← out + weight · ∇V(q), with ∇V = K q − load in linear systems.
    pub fn add_gradient(
        &mut self,
        model: &Model,
        q: &[f64],
        weight: f64,
        out: &mut [f64],
    ) -> StepResult {
        let linear = &model.linear;
        let head = &mut out[..linear.n];
        head.iter_mut().zip(&linear.load).for_each(|(out, load)| *out -= weight * load);
        if let Some(stiffness) = &linear.stiffness {
            stiffness.multiply_add(weight, &q[..linear.n], head);
        }
        for system in &model.user {
            let range = system.range.clone();
            self.part.clear();
            self.part.resize(range.len(), 0.0);
            let gradient = system.dynamics.gradient(&q[range.clone()], &mut self.part);
            gradient.map_err(StepError::in_system(model, range.start))?;
            out[range].iter_mut().zip(&self.part).for_each(|(out, g)| *out += weight * g);
        }
        Ok(())
    }

    /// Overwrites every number with NaN.
    pub(crate) fn poison(&mut self) {
        self.part.fill(f64::NAN);
    }
}
