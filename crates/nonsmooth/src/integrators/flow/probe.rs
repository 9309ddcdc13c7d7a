//! A model that is evaluated beside the path: one smooth step, one impact, rows and rates at a point.

use crate::error::StepResult;
use crate::integrators::tracking::{
    Candidates, ConstraintStatus, Course, Flow, Impact, Leg, Mode, Point, Rate, TrialStep,
};
use crate::log::StepLog;
use crate::model::{Model, State, UserError};
use crate::phases::SolverSettings;
use std::sync::Arc;

/// Acceleration that counts as none at acceleration level: rounding, times the condition of W.
const NOISE: f64 = 1e-10;

/// A model with all that its evaluation needs.
pub(super) struct Probe {
    pub(super) model: Arc<Model>,
    /// What the state has beside its point.
    pub(super) state: State,
    pub(super) course: Course,
    candidates: Candidates,
    impact: Impact,
    trial: TrialStep,
}

/// Coordinates and velocities, one after the other.
pub(super) fn joined(at: &Point) -> Vec<f64> {
    at.q.iter().chain(&at.v).copied().collect()
}

impl Probe {
    pub(super) fn new(model: Arc<Model>, state: State) -> Self {
        Self {
            model,
            state,
            course: Course::default(),
            candidates: Candidates::default(),
            impact: Impact::default(),
            trial: TrialStep::default(),
        }
    }

    /// A grid step begins at `now`, which may be a state of another model.
    pub(super) fn begin(&mut self, now: &State, h: f64) -> StepResult {
        let Self { model, state, course, .. } = self;
        state.presence.clone_from(&now.presence);
        state.angles.clone_from(&now.angles);
        state.held.clone_from(&now.held);
        course.at = Point { t: now.t, q: now.q.clone(), v: now.v.clone() };
        (course.begin, course.elapsed, course.h) = (now.t, 0.0, h);
        course.motion.noise = NOISE;
        course.motion.begin(model, state, &course.at)?;
        course.arrive(model, &mut Mode::default())
    }

    /// Where a smooth step leads from a point.
    pub(super) fn step(&mut self, at: &Point, leg: &Leg) -> StepResult<Point> {
        let Self { model, course, trial, .. } = self;
        let Course { motion, rk, .. } = course;
        rk.begin(model, &leg.mode, at, motion)?;
        rk.step(Flow { model, method: leg.method, mode: &leg.mode }, leg.tau, motion, trial)?;
        let mut to = trial.at.clone();
        model.normalize(&mut to.q);
        Ok(to)
    }

    /// Goes to a point, with `mode` closed: rows in `course.start`, rates in `course.rk.start`.
    pub(super) fn look(&mut self, at: &Point, mode: &Mode) -> StepResult {
        self.course.at.copy_from(at);
        self.course.arrive(&self.model, &mut mode.clone())
    }

    pub(super) fn status(&self, key: usize) -> ConstraintStatus {
        self.course.start[key]
    }

    pub(super) fn rate(&self) -> &Rate {
        &self.course.rk.start
    }

    /// q̇ and v̇ at a point.
    pub(super) fn rates(&mut self, at: &Point, mode: &Mode) -> StepResult<Vec<f64>> {
        self.look(at, mode)?;
        let Rate { q_dot, a, .. } = self.rate();
        Ok(q_dot.iter().chain(a).copied().collect())
    }

    /// The impact of the contacts `hit`, with `mode` closed; the position stays.
    pub(super) fn strike(
        &mut self,
        at: &Point,
        mode: &Mode,
        hit: &[usize],
        settings: &mut SolverSettings,
    ) -> StepResult<Point> {
        self.look(at, mode)?;
        let Self { model, course, impact, .. } = self;
        impact.gather(&course.motion.watched, mode, hit.iter().copied());
        impact.strike(model, course, 0.0, settings, &mut StepLog::default())?;
        // The course counts time from the start of the grid step; a probe has none.
        Ok(Point { t: at.t, ..course.at.clone() })
    }

    /// The point nearest to `at` where the rows of `mode` are closed and at rest.
    pub(super) fn close(&mut self, at: &Point, mode: &Mode) -> StepResult<Point> {
        if mode.n_held == 0 {
            return Ok(at.clone());
        }
        self.look(at, mode)?;
        let Self { model, course, candidates, .. } = self;
        candidates.close(model, course, &mode.rows[..mode.n_held], mode.n_placed)?;
        model.normalize(&mut course.at.q);
        Ok(course.at.clone())
    }

    /// A quantity at a point.
    pub(super) fn quantity(
        &mut self,
        quantity: super::Quantity<'_>,
        at: &Point,
    ) -> Result<f64, UserError> {
        self.state.t = at.t;
        self.state.q.clone_from(&at.q);
        self.state.v.clone_from(&at.v);
        quantity(&self.model, &self.state)
    }
}
