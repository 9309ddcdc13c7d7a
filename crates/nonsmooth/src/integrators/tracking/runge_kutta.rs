//! One Runge–Kutta step of any length from a fixed point.
//!
//! ```text
//! V_i = v + τ Σ a_ij A_j,   Q_i = q + τ Σ a_ij V_j,   A_i = v̇(t + c_i τ, Q_i, V_i)
//! v⁺ = v + τ Σ b_i A_i,     q⁺ = q + τ Σ b_i V_i
//! ```
//!
//! The work of forces without potential and the impulses ∫ λ dt are integrated with the same weights. The stages of
//! implicit methods are found by `stages.rs`.

use super::butcher::Tableau;
use super::forces::{Point, Power};
use super::motion::{Motion, Rate};
use super::stages::Newton;
use crate::error::StepResult;
use crate::model::Model;

/// Where a step led.
#[derive(Clone, Debug, Default)]
pub(crate) struct Leap {
    /// Its length τ [s].
    pub(crate) tau: f64,
    /// Its end.
    pub(crate) at: Point,
    /// Work of what has no potential [J].
    pub(crate) work: Power,
    /// ∫ λ dt of each constraint of the mode [N·s].
    pub(crate) impulse: Vec<f64>,
}

/// What is evaluated: a method in a mode of a model.
#[derive(Clone, Copy)]
pub(crate) struct Flow<'a> {
    pub(crate) model: &'a Model,
    pub(crate) method: &'static Tableau,
    /// The constraints held closed.
    pub(crate) mode: &'a [usize],
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
        mode: &[usize],
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
        leap: &mut Leap,
    ) -> StepResult {
        let s = flow.method.n_stages();
        self.stages.resize_with(s.max(self.stages.len()), Stage::default);
        if flow.method.is_explicit() {
            self.explicit_stages(flow, tau, motion)?;
        } else {
            let RungeKutta { from, start, stages, newton, iterations } = self;
            *iterations += newton.solve(flow, tau, (from, start), motion, &mut stages[..s])?;
        }
        self.finish(flow, tau, leap);
        Ok(())
    }

    fn explicit_stages(&mut self, flow: Flow<'_>, tau: f64, motion: &mut Motion) -> StepResult {
        let (s, a) = (flow.method.n_stages(), flow.method.a);
        for i in 0..s {
            let (known, rest) = self.stages.split_at_mut(i);
            let Stage { at, rate } = &mut rest[0];
            at.copy_from(&self.from);
            if i == 0 {
                rate.clone_from(&self.start);
                continue;
            }
            at.t += flow.method.c[i] * tau;
            for (stage, &a) in known.iter().zip(&a[i * s..]).filter(|(_, a)| **a != 0.0) {
                add(tau * a, &stage.rate.a, &mut at.v);
                add(tau * a, &stage.at.v, &mut at.q);
            }
            motion.rate(flow.model, flow.mode, at, rate)?;
        }
        Ok(())
    }

    /// x⁺ and the integrals from the stages.
    fn finish(&self, flow: Flow<'_>, tau: f64, leap: &mut Leap) {
        leap.tau = tau;
        leap.at.copy_from(&self.from);
        leap.at.t += tau;
        leap.work = Power::default();
        leap.impulse.clear();
        leap.impulse.resize(flow.mode.len(), 0.0);
        for (Stage { at, rate }, &b) in self.stages.iter().zip(flow.method.b) {
            add(tau * b, &rate.a, &mut leap.at.v);
            add(tau * b, &at.v, &mut leap.at.q);
            leap.work.add(tau * b, &rate.power);
            add(tau * b, &rate.lambda, &mut leap.impulse);
        }
    }

    /// Error of the last step by the embedded weights, in q and v: the largest entry, each relative to
    /// `max(|x|, 1)`. `None` if the method has no such weights.
    pub(crate) fn embedded_error(&self, method: &Tableau, leap: &Leap) -> Option<f64> {
        let hat = method.embedded.as_ref()?.b;
        let mut worst = 0.0f64;
        for k in 0..leap.at.v.len() {
            let (mut dq, mut dv) = (0.0, 0.0);
            for ((stage, b), hat) in self.stages.iter().zip(method.b).zip(hat) {
                dq += (b - hat) * stage.at.v[k];
                dv += (b - hat) * stage.rate.a[k];
            }
            let relative = |d: f64, x: f64| (leap.tau * d).abs() / x.abs().max(1.0);
            worst = worst.max(relative(dq, leap.at.q[k])).max(relative(dv, leap.at.v[k]));
        }
        Some(worst)
    }

    pub(crate) fn poison(&mut self) {
        self.from.poison();
        self.start.poison();
        for stage in &mut self.stages {
            stage.at.poison();
            stage.rate.poison();
        }
        self.newton.poison();
    }
}

/// y ← y + a x.
pub(super) fn add(a: f64, x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}
