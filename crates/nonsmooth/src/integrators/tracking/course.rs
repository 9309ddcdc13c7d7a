//! Where the motion is, and the steps tried from there.

use super::closed::Standing;
use super::contact::Contact;
use super::forces::Point;
use super::motion::Motion;
use super::runge_kutta::{Flow, RungeKutta};
use super::sample::{Sample, Watch};
use crate::error::{StepResult, check_finite};
use crate::model::Model;

/// The present point and everything that is evaluated there.
#[derive(Default)]
pub(crate) struct Course {
    pub(crate) motion: Motion,
    pub(crate) rk: RungeKutta,
    pub(crate) watch: Watch,
    pub(crate) contact: Contact,
    /// The present point.
    pub(crate) at: Point,
    /// How the constraints stand there, by key.
    pub(crate) start: Vec<Standing>,
    /// Time at the start of the grid step [s].
    pub(crate) begin: f64,
    /// Time since then, kept apart so that short flights are not lost in the rounding of t [s].
    pub(crate) elapsed: f64,
    /// Length of the grid step [s].
    pub(crate) h: f64,
    /// Steps tried since the count was reset.
    pub(crate) attempts: u64,
}

impl Course {
    /// Evaluates all that is needed at the present point, with the constraints `mode` closed.
    pub(crate) fn arrive(&mut self, model: &Model, mode: &[usize]) -> StepResult {
        let Course { motion, rk, watch, at, start, h, .. } = self;
        check_finite(model, "position", &at.q)?;
        check_finite(model, "velocity", &at.v)?;
        motion.scale.h = *h;
        motion.scale.pace.clear();
        motion.scale.pace.resize(at.v.len(), 0.0);
        rk.begin(model, mode, at, motion)?;
        for (pace, (v, a)) in motion.scale.pace.iter_mut().zip(at.v.iter().zip(&motion.unheld)) {
            *pace = v.abs().max(*h * a.abs());
        }
        watch.set(model, mode);
        watch.survey(model, at, &motion.scale, start)
    }

    /// Lets time pass.
    pub(crate) fn pass(&mut self, time: f64) {
        self.elapsed += time;
        self.at.t = self.begin + self.elapsed;
    }

    /// Tries a step of length `tau` from the present point.
    pub(crate) fn attempt(&mut self, flow: Flow<'_>, tau: f64, sample: &mut Sample) -> StepResult {
        let Course { motion, rk, watch, .. } = self;
        self.attempts += 1;
        rk.step(flow, tau, motion, &mut sample.leap)?;
        check_finite(flow.model, "position", &sample.leap.at.q)?;
        check_finite(flow.model, "velocity", &sample.leap.at.v)?;
        watch.complete(flow.model, flow.mode, motion, sample)
    }

    pub(crate) fn poison(&mut self) {
        self.motion.poison();
        self.rk.poison();
        self.contact.poison();
        self.at.poison();
    }
}
