//! One Runge–Kutta step of any length from a fixed point.
//!
//! ```text
//! V_i = v + τ Σ a_ij A_j,   Q_i = q + τ Σ a_ij Q̇_j,   A_i = v̇(t + c_i τ, Q_i, V_i),   Q̇_i = T(Q_i) V_i
//! v⁺ = v + τ Σ b_i A_i,     q⁺ = q + τ Σ b_i Q̇_i
//! ```
//!
//! The work of forces without potential and the impulses ∫ λ dt are integrated with the same weights. The stages of
//! implicit methods are found by `stages.rs`.

use super::butcher::Tableau;
use super::grip::Mode;
use super::motion::{Motion, Rate, add_works};
use super::point::{Point, add};
use super::stages::Newton;
use crate::error::StepResult;
use crate::log::Works;
use crate::model::Model;

/// Most points of a polynomial through the stages.
const MOST_POINTS: usize = 8;
/// Places within a step at which it is looked at.
const PLACES: u32 = 16;

/// Where a step led.
#[derive(Debug, Default)]
pub(crate) struct TrialStep {
    /// Its length τ [s].
    pub(crate) tau: f64,
    /// Its end; quaternions are units up to the error of the method.
    pub(crate) at: Point,
    /// Work of what has no potential [J].
    pub(crate) work: Works,
    /// ∫ λ dt of each constraint of the mode [N·s].
    pub(crate) impulse: Vec<f64>,
    /// Times within it at which the stages let one expect that a contact of the mode pulls, or sticks beyond its cone [s].
    pub(crate) pulled: Vec<f64>,
}

/// What is evaluated: a method in a mode of a model.
#[derive(Clone, Copy)]
pub(crate) struct Flow<'a> {
    pub(crate) model: &'a Model,
    pub(crate) method: &'static Tableau,
    /// The constraints held closed.
    pub(crate) mode: &'a Mode,
}

/// One stage.
#[derive(Default)]
pub(crate) struct Stage {
    pub(crate) at: Point,
    pub(crate) rate: Rate,
}

/// Runge–Kutta steps from one point.
#[derive(Default)]
pub(crate) struct RungeKutta {
    /// Where all steps begin.
    pub(crate) from: Point,
    /// Acceleration and forces there.
    pub(crate) start: Rate,
    /// The stages of the last step.
    pub(crate) stages: Vec<Stage>,
    newton: Newton,
    /// Iterations of implicit stages since the count was reset.
    pub(crate) iterations: usize,
}

impl RungeKutta {
    /// Steps begin at `from` from now on.
    pub(crate) fn begin(
        &mut self,
        model: &Model,
        mode: &Mode,
        from: &Point,
        motion: &mut Motion,
    ) -> StepResult {
        self.from.copy_from(from);
        self.newton.forget();
        motion.rate(model, mode, from, &mut self.start)
    }

    /// Makes one step of length `tau`.
    pub(crate) fn step(
        &mut self,
        flow: Flow<'_>,
        tau: f64,
        motion: &mut Motion,
        trial: &mut TrialStep,
    ) -> StepResult {
        let s = flow.method.n_stages();
        self.stages.resize_with(s.max(self.stages.len()), Stage::default);
        if flow.method.is_explicit() {
            self.explicit_stages(flow, tau, motion)?;
        } else {
            let RungeKutta { from, start, stages, newton, iterations } = self;
            *iterations += newton.solve(flow, tau, (from, start), motion, &mut stages[..s])?;
        }
        self.finish(flow, tau, trial);
        Ok(())
    }

    fn explicit_stages(&mut self, flow: Flow<'_>, tau: f64, motion: &mut Motion) -> StepResult {
        let (s, a) = (flow.method.n_stages(), flow.method.a);
        for i in 0..s {
            let (known, rest) = self.stages.split_at_mut(i);
            let Stage { at, rate } = &mut rest[0];
            at.copy_from(&self.from);
            if i == 0 {
                rate.copy_from(&self.start);
                continue;
            }
            at.t += flow.method.c[i] * tau;
            for (stage, &a) in known.iter().zip(&a[i * s..]).filter(|(_, a)| **a != 0.0) {
                add(tau * a, &stage.rate.a, &mut at.v);
                add(tau * a, &stage.rate.q_dot, &mut at.q);
            }
            motion.rate(flow.model, flow.mode, at, rate)?;
        }
        Ok(())
    }

    /// x⁺ and the integrals from the stages.
    fn finish(&self, flow: Flow<'_>, tau: f64, trial: &mut TrialStep) {
        trial.tau = tau;
        trial.at.copy_from(&self.from);
        trial.at.t += tau;
        trial.work = Works::default();
        trial.impulse.clear();
        trial.impulse.resize(flow.mode.rows.len(), 0.0);
        for (Stage { rate, .. }, &b) in self.stages.iter().zip(flow.method.b) {
            add(tau * b, &rate.a, &mut trial.at.v);
            add(tau * b, &rate.q_dot, &mut trial.at.q);
            add_works(&mut trial.work, tau * b, &rate.power);
            add(tau * b, &rate.lambda, &mut trial.impulse);
        }
        trial.pulled.clear();
        if !trial.impulse.is_empty() {
            let stages =
                self.stages.iter().zip(flow.method.c).map(|(stage, c)| (*c, &stage.rate.margin));
            for row in 0..flow.mode.rows.len() {
                let (mut at, mut n) = ([(0.0, 0.0); MOST_POINTS], 0);
                for (c, margin) in stages.clone() {
                    if n < MOST_POINTS && at[..n].iter().all(|(known, _)| *known != c) {
                        at[n] = (c, margin[row]);
                        n += 1;
                    }
                }
                trial.pulled.extend(lowest(&at[..n]).map(|c| c * tau));
            }
        }
    }

    /// Error of the last step by the embedded weights, in q and v: the largest entry, each relative to
    /// `max(|x|, 1)`. `None` if the method has no such weights.
    pub(crate) fn embedded_error(&self, method: &Tableau, trial: &TrialStep) -> Option<f64> {
        let hat = method.embedded.as_ref()?.b;
        let mut worst = 0.0f64;
        let mut compare = |x: &[f64], rate: fn(&Rate) -> &[f64]| {
            for (k, x) in x.iter().enumerate() {
                let weights = method.b.iter().zip(hat).map(|(b, hat)| b - hat);
                let d: f64 = self.stages.iter().zip(weights).map(|(s, w)| w * rate(&s.rate)[k]).sum();
                worst = worst.max((trial.tau * d).abs() / x.abs().max(1.0));
            }
        };
        compare(&trial.at.q, |rate| &rate.q_dot);
        compare(&trial.at.v, |rate| &rate.a);
        Some(worst)
    }
}

/// The place within (0, 1) at which the polynomial through these points is lowest, if it is negative there and not at their ends.
fn lowest(points: &[(f64, f64)]) -> Option<f64> {
    let (low, high) =
        points.iter().fold((f64::INFINITY, 0.0f64), |(low, high), (_, y)| (low.min(*y), high.max(*y)));
    // What changes little does not reach zero between the points.
    if !high.is_finite() || low > high - low {
        return None;
    }
    let value = |x: f64| -> f64 {
        let weight = |i: usize| -> f64 {
            let others = points.iter().enumerate().filter(|(k, _)| *k != i);
            others.map(|(_, (c, _))| (x - c) / (points[i].0 - c)).product()
        };
        (0..points.len()).map(|i| points[i].1 * weight(i)).sum()
    };
    let places = (1..PLACES).map(|k| f64::from(k) / f64::from(PLACES)).map(|x| (x, value(x)));
    let (place, least) = places.min_by(|a, b| a.1.total_cmp(&b.1))?;
    (least < 0.0).then_some(place)
}
