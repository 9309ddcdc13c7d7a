//! Where the motion is, and the steps tried from there.

use super::contact::Contact;
use super::grip::Mode;
use super::motion::{Motion, instant};
use super::point::Point;
use super::rows::ConstraintStatus;
use super::runge_kutta::{Flow, RungeKutta};
use super::sample::{Sample, Watch};
use crate::error::StepResult;
use crate::model::Model;
use crate::model::errors::{check_coordinates, check_finite};

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
    pub(crate) start: Vec<ConstraintStatus>,
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
    pub(crate) fn arrive(&mut self, model: &Model, mode: &mut Mode) -> StepResult {
        let Course { motion, rk, watch, at, start, h, .. } = self;
        check_coordinates(model, &at.q)?;
        check_finite(model, "velocity", &at.v)?;
        motion.scale.h = *h;
        motion.scale.pace.clear();
        motion.scale.pace.resize(at.v.len(), 0.0);
        rk.begin(model, mode, at, motion)?;
        motion.go_to(model, at)?;
        if motion.watched.changes {
            let Motion { watched, place, presence, .. } = motion;
            watched.discover(model, &instant(place, presence), |key| !mode.contains(key))?;
        }
        let sizes = motion.place.v.iter().zip(&motion.unheld).map(|(v, a)| v.abs().max(*h * a.abs()));
        motion.scale.pace.clear();
        motion.scale.pace.extend(sizes);
        watch.hold(&motion.watched, mode);
        watch.evaluate(model, at, motion, start)?;
        mode.turn(start);
        watch.set(&motion.watched, mode);
        Ok(())
    }

    /// Lets time pass.
    pub(crate) fn pass(&mut self, time: f64) {
        self.elapsed += time;
        self.at.t = self.begin + self.elapsed;
    }

    /// Tries a step of length `tau` from the present point.
    pub(crate) fn attempt(&mut self, flow: Flow<'_>, tau: f64, sample: &mut Sample) -> StepResult {
        let Course { motion, rk, watch, start, .. } = self;
        self.attempts += 1;
        rk.step(flow, tau, motion, &mut sample.trial)?;
        check_coordinates(flow.model, &sample.trial.at.q)?;
        check_finite(flow.model, "velocity", &sample.trial.at.v)?;
        if motion.watched.changes {
            motion.go_to(flow.model, &sample.trial.at)?;
            let Motion { watched, place, presence, .. } = motion;
            watched.discover(flow.model, &instant(place, presence), |_| false)?;
            watch.grow(watched);
            start.resize(watched.len(), ConstraintStatus::ABSENT);
        }
        watch.complete(flow.model, flow.mode, motion, sample)
    }
}
