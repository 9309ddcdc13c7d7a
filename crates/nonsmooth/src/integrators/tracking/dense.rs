//! Positions inside a step that has been made, without further evaluations of the forces.
//!
//! By the method's own polynomial, q(s) = q + τ Σ b_i(s) Q̇_i, where it has one; else by the polynomial of degree five
//! through q, v and v̇ at both ends. Both only guess where a contact was entered: the bracket is made of true steps.

use super::course::Course;
use super::motion::{Motion, Rate};
use super::point::{Point, add};
use super::rows::ConstraintStatus;
use super::runge_kutta::{Flow, RungeKutta};
use super::sample::Sample;
use crate::error::StepResult;

/// Halvings of the unit interval; the guess need not be better than the polynomial.
const HALVINGS: usize = 40;

/// A polynomial for the positions of one step.
#[derive(Default)]
pub(crate) struct Dense {
    at: Point,
    end: Rate,
    /// T(q) v̇ at both ends: q̈ but for what turns.
    accelerations: [Vec<f64>; 2],
}

impl Dense {
    /// Length at which the first contact was entered in `sample`, the step made last.
    pub(crate) fn guess(
        &mut self,
        flow: Flow<'_>,
        course: &mut Course,
        sample: &Sample,
    ) -> StepResult<Option<f64>> {
        let Course { motion, rk, watch, start, .. } = course;
        if flow.method.dense.is_none() {
            motion.rate(flow.model, flow.mode, &sample.trial.at, &mut self.end)?;
            self.accelerate(flow, rk, &sample.trial.at, motion);
        }
        let mut first = None;
        for key in 0..start.len() {
            if !watch.is_entered(key, start, sample) {
                continue;
            }
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (low + high);
                self.position(flow, rk, sample, middle);
                let now = watch.look(flow.model, key, &self.at, motion)?;
                if is_below(&start[key], &now) { high = middle } else { low = middle }
            }
            first = Some(first.map_or(high, |first: f64| first.min(high)));
        }
        Ok(first.map(|s| s * sample.trial.tau))
    }

    /// T(q) v̇ at both ends.
    fn accelerate(&mut self, flow: Flow<'_>, rk: &RungeKutta, to: &Point, motion: &mut Motion) {
        for (out, (at, a)) in
            self.accelerations.iter_mut().zip([(&rk.from, &rk.start.a), (to, &self.end.a)])
        {
            self.at.copy_from(at);
            self.at.v.clone_from(a);
            motion.drift(flow.model, &self.at, out);
        }
    }

    /// The point a fraction `s` into the step; its velocity is the one of the start.
    fn position(&mut self, flow: Flow<'_>, rk: &RungeKutta, sample: &Sample, s: f64) {
        let (from, to, tau) = (&rk.from, &sample.trial.at, sample.trial.tau);
        self.at.copy_from(from);
        self.at.t += s * tau;
        if let Some(dense) = flow.method.dense {
            for (stage, d) in rk.stages.iter().zip(dense) {
                let weight = s * (d[0] + s * (d[1] + s * (d[2] + s * d[3])));
                add(tau * weight, &stage.rate.q_dot, &mut self.at.q);
            }
            return;
        }
        for k in 0..from.q.len() {
            let change = to.q[k] - from.q[k];
            let (v, w) = (tau * rk.start.q_dot[k], tau * self.end.q_dot[k]);
            let [a, b] = [0, 1].map(|side| 0.5 * tau * tau * self.accelerations[side][k]);
            let cubic = 10.0 * change - 6.0 * v - 4.0 * w - 3.0 * a + b;
            let quartic = -15.0 * change + 8.0 * v + 7.0 * w + 3.0 * a - 2.0 * b;
            let quintic = 6.0 * change - 3.0 * v - 3.0 * w - a + b;
            self.at.q[k] += s * (v + s * (a + s * (cubic + s * (quartic + s * quintic))));
        }
    }
}

/// Below zero, and lower than at the start; the velocity of the polynomial is not looked at.
fn is_below(start: &ConstraintStatus, now: &ConstraintStatus) -> bool {
    now.gap < start.gap.min(0.0)
}
