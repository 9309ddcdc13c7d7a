//! The Newton iterate: the guess of v⁺ and the configurations that follow from it.
//!
//! ```text
//! q⁺ = q + h (θ v⁺ + (1−θ) v),     q_c = θ q⁺ + (1−θ) q   or   q⁺
//! ```
//!
//! q_c is where M(q) and H(q) are evaluated: at q_{k+θ} as in [Acary10, eq. (29)], or at the end of
//! the step as Siconos does.

use super::free_motion::Theta;
use crate::error::StepError;
use crate::model::{Model, State};

/// Where M(q) and H(q) are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Configuration {
    /// At q_{k+θ} = θ q⁺ + (1−θ) q; second order for θ = ½.
    Theta,
    /// At q⁺.
    End,
}

/// The present guess of the end of the step.
#[derive(Clone, Debug, Default)]
pub struct Iterate {
    /// Time at the end of the step [s].
    pub t_next: f64,
    /// Guess of v⁺.
    pub v: Vec<f64>,
    /// q⁺ that follows from it.
    pub q_next: Vec<f64>,
    /// Configuration at which M and H are evaluated.
    pub q: Vec<f64>,
}

impl Iterate {
    /// The first guess: v⁺ = v, prescribed velocities as they will be.
    pub fn start(&mut self, model: &Model, now: &State, h: f64) -> Result<(), StepError> {
        self.t_next = now.t + h;
        if model.is_linear {
            return Ok(());
        }
        self.v.clone_from(&now.v);
        for prescribed in &model.prescribed {
            let i = prescribed.index;
            self.v[i] = (prescribed.velocity)(self.t_next).map_err(StepError::in_system(model, i))?;
        }
        Ok(())
    }

    /// q⁺ and q_c from the guess of v⁺.
    pub fn update(&mut self, model: &Model, now: &State, rule: Theta, at: Configuration) {
        let Theta { h, theta } = rule;
        if model.is_linear {
            return;
        }
        self.q_next.clear();
        self.q.clear();
        for i in 0..now.q.len() {
            let q_next = now.q[i] + h * (theta * self.v[i] + (1.0 - theta) * now.v[i]);
            self.q_next.push(q_next);
            self.q.push(match at {
                Configuration::Theta => theta * q_next + (1.0 - theta) * now.q[i],
                Configuration::End => q_next,
            });
        }
    }

    /// Takes `v` as the new guess; returns how far it moved, relative to the larger of the two.
    pub fn accept(&mut self, v: &[f64]) -> f64 {
        let size = v.iter().chain(&self.v).fold(0.0f64, |m, v| m.max(v.abs()));
        let change = v.iter().zip(&self.v).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        self.v.copy_from_slice(v);
        if size > 0.0 { change / size } else { 0.0 }
    }

    /// Overwrites every number with NaN.
    pub(crate) fn poison(&mut self) {
        self.t_next = f64::NAN;
        for x in [&mut self.v, &mut self.q_next, &mut self.q] {
            x.fill(f64::NAN);
        }
    }
}
