//! The Newton iterate: the guess of v⁺ and the configurations that follow from it.
//!
//! ```text
//! q⁺ = q + h (θ v⁺ + (1−θ) v),     q_{k+θ} = θ q⁺ + (1−θ) q
//! ```
//!
//! M is evaluated at q_m and H at q_c, each of them q_{k+θ} or q⁺. [Acary10, eq. (29)] has both at q_{k+θ}.
//! The default takes M there, which makes smooth motion second order for θ = ½, but H at q⁺, where v⁺
//! lives: with H(q_{k+θ}) v⁺ = 0 a joint drifts by about h²|v|² in every step, always to the same side.
//! Guarded by tests/it/analytic/joints.rs. Siconos has both at q⁺.

use super::free_motion::Theta;
use crate::error::StepResult;
use crate::model::{Model, State};

/// Where M(q) or H(q) is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Configuration {
    /// At q.
    Start,
    /// At q_{k+θ} = θ q⁺ + (1−θ) q; second order for θ = ½.
    Theta,
    /// At q⁺.
    End,
}

/// Relative change beyond which an iteration that no longer shrinks is divergence, not rounding. A bound, not a
/// measurement: rounding of the gap, 8ε|q|/(hθ), against the free velocity h g is 1e-6 at h = 10 µs, |q| = 0.3 m.
const STAGNANT: f64 = 1e-5;

/// The present guess of the end of the step.
#[derive(Clone, Debug, Default)]
pub struct Iterate {
    /// Time at the end of the step [s].
    pub t_next: f64,
    /// Guess of v⁺.
    pub v: Vec<f64>,
    /// q⁺ that follows from it.
    pub q_next: Vec<f64>,
    /// q_m: configuration at which M is evaluated.
    pub q_mass: Vec<f64>,
    /// q_c: configuration at which H is evaluated.
    pub q_jacobian: Vec<f64>,
    /// Largest change of v in the last iteration.
    last_change: f64,
}

impl Iterate {
    /// The first guess: v⁺ = v, prescribed velocities as they will be.
    #[inline]
    pub fn start(&mut self, model: &Model, now: &State, h: f64) -> StepResult {
        self.t_next = now.t + h;
        self.last_change = f64::INFINITY;
        if model.is_linear { Ok(()) } else { self.guess(model, now) }
    }

    /// Only the velocity is sought: every configuration stays at t and q of `state`, whose v is the first guess.
    pub fn hold(&mut self, model: &Model, state: &State) -> StepResult {
        self.t_next = state.t;
        self.last_change = f64::INFINITY;
        if model.is_linear {
            return Ok(());
        }
        for q in [&mut self.q_next, &mut self.q_mass, &mut self.q_jacobian] {
            q.clone_from(&state.q);
        }
        self.guess(model, state)
    }

    #[inline(never)]
    fn guess(&mut self, model: &Model, now: &State) -> StepResult {
        self.v.clone_from(&now.v);
        for prescribed in &model.prescribed {
            let i = prescribed.index;
            self.v[i] = model.prescribed_velocity(prescribed, self.t_next)?;
        }
        Ok(())
    }

    /// Everything at one state: t⁺, v⁺, q⁺ and q_m are its own.
    pub fn rest_at(&mut self, state: &State) {
        self.t_next = state.t;
        self.v.clone_from(&state.v);
        self.q_next.clone_from(&state.q);
        self.q_mass.clone_from(&state.q);
    }

    /// q⁺, q_m and q_c from the guess of v⁺.
    #[inline]
    pub fn update(
        &mut self,
        model: &Model,
        now: &State,
        rule: Theta,
        at: (Configuration, Configuration),
    ) {
        if !model.is_linear {
            self.place(model, now, rule, at);
        }
    }

    #[inline(never)]
    fn place(&mut self, model: &Model, now: &State, rule: Theta, at: (Configuration, Configuration)) {
        let Theta { h, theta } = rule;
        self.q_next.clear();
        self.q_mass.clear();
        self.q_jacobian.clear();
        for i in 0..model.bodies.first_q {
            let q_next = now.q[i] + h * (theta * self.v[i] + (1.0 - theta) * now.v[i]);
            self.q_next.push(q_next);
            let evaluate = |at: Configuration| match at {
                Configuration::Start => now.q[i],
                Configuration::Theta => theta * q_next + (1.0 - theta) * now.q[i],
                Configuration::End => q_next,
            };
            self.q_mass.push(evaluate(at.0));
            self.q_jacobian.push(evaluate(at.1));
        }
        if !model.bodies.is_empty() {
            self.place_bodies(model, now, rule, at.1);
        }
    }

    /// The same for rigid bodies, whose mass does not depend on q.
    fn place_bodies(&mut self, model: &Model, now: &State, rule: Theta, at: Configuration) {
        let Theta { h, theta } = rule;
        let Self { v, q_next, q_mass, q_jacobian, .. } = self;
        let mean = |i: usize| theta * v[i] + (1.0 - theta) * now.v[i];
        q_next.resize(now.q.len(), 0.0);
        model.bodies.advance(now, h, mean, q_next);
        q_mass.extend_from_slice(&now.q[model.bodies.first_q..]);
        q_jacobian.resize(now.q.len(), 0.0);
        let ahead = match at {
            Configuration::Start => 0.0,
            Configuration::Theta => theta,
            Configuration::End => 1.0,
        };
        model.bodies.advance(now, ahead * h, mean, q_jacobian);
    }

    /// Takes `v` as the new guess. Returns how far it moved: relative to the largest of both guesses and
    /// `v_free`, or 0 where the move, times hθ, is at the rounding of q and no longer shrinks (a system
    /// at rest, whose velocity is nothing but rounding).
    pub fn accept(&mut self, v: &[f64], v_free: &[f64], rule: Theta) -> f64 {
        let size = v.iter().chain(&self.v).chain(v_free).fold(0.0f64, |m, v| m.max(v.abs()));
        let change = v.iter().zip(&self.v).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        let reach = self.q_next.iter().fold(0.0f64, |m, q| m.max(q.abs()));
        // Eight units in the last place: a gap divided by hθ carries the rounding of a few operations.
        let rounding = 8.0 * f64::EPSILON * reach;
        let ahead = rule.h * rule.theta;
        let at_rounding = ahead > 0.0 && ahead * change <= rounding && change <= STAGNANT * size;
        let stagnant = at_rounding && change >= self.last_change;
        self.last_change = change;
        self.v.copy_from_slice(v);
        if change == 0.0 || stagnant { 0.0 } else { change / size }
    }

    /// Overwrites every number with NaN.
    pub(crate) fn poison(&mut self) {
        (self.t_next, self.last_change) = (f64::NAN, f64::NAN);
        for x in [&mut self.v, &mut self.q_next, &mut self.q_mass, &mut self.q_jacobian] {
            x.fill(f64::NAN);
        }
    }
}
