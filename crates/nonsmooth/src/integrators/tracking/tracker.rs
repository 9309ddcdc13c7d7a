//! Smooth pieces between events, over one grid step: the path shared by the schemes that resolve events.
//!
//! ```text
//! until the grid step is filled:
//!     try a Runge–Kutta step over what is left (or as long as the error control allows)
//!     nothing happened:   take it
//!     something happened: bracket the first event; take the step to the left end of the bracket
//!         a contact was entered   impact over the bracket; contacts that do not part, or that will not fly
//!                                 farther than the accuracy aimed at, are closed
//!         a closed contact pulls  take the step to the right end instead
//!                                 then the acceleration-level problem says who stays closed
//! ```
//!
//! With the bracket no wider than C h^{p+1} the order p of the method is kept across any number of events, and through
//! accumulations of impacts. [Acary10, eq. (48); Mannshardt78]

use super::bracket::{Bracket, Locate};
use super::closed::Standing;
use super::control::{Control, N_MEMORY};
use super::course::Course;
use super::forces::Point;
use super::impact::Impact;
use super::record::Record;
use super::runge_kutta::Flow;
use super::settle::Candidates;
use crate::error::{StepError, StepResult};
use crate::integrators::Solving;
use crate::log::{Counts, StepLog};
use crate::model::{Key, Model, State};

/// What is left of a grid step is nothing, relative to its size.
const NOTHING_LEFT: f64 = 4.0 * f64::EPSILON;
/// A bracket is never wider than this share of the grid step, whatever C and the time scale.
const WIDEST: f64 = 1e-3;
/// Share of the tolerance that the place of an event may cost.
const EVENT_SHARE: f64 = 0.01;

/// The rules that a scheme plays by.
pub(crate) struct Rules {
    /// How events are located.
    pub(crate) locate: Locate,
    /// Width of a bracket.
    pub(crate) width: Width,
    /// What becomes of impacts that follow each other ever faster.
    pub(crate) accumulation: Accumulation,
    /// Most events in a grid step.
    pub(crate) max_events: usize,
}

/// How wide a bracket may be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Width {
    /// As narrow as rounding allows.
    Rounding,
    /// C h (h/T)^p, or by the tolerance of the error control.
    Order {
        /// C [–].
        factor: f64,
        /// T [s].
        time_scale: f64,
    },
}

/// What becomes of impacts that accumulate.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Accumulation {
    /// The contact is closed when its next flight is shorter than C T (h/T)^p, or its speed below the tolerance.
    Rest {
        /// C [–].
        factor: f64,
        /// T [s].
        time_scale: f64,
    },
    /// The step fails when its next flight is lost in rounding.
    Refuse,
}

/// The path of one grid step.
pub(crate) struct Tracker {
    pub(crate) rules: Rules,
    pub(crate) control: Control,
    course: Course,
    bracket: Bracket,
    candidates: Candidates,
    impact: Impact,
    record: Record,
    /// The constraints held closed: joints, then contacts in the order in which they bear.
    mode: Vec<usize>,
    before: Point,
    events: usize,
}

impl Tracker {
    pub(crate) fn new(rules: Rules, control: Control) -> Self {
        Self {
            rules,
            control,
            course: Course::default(),
            bracket: Bracket::default(),
            candidates: Candidates::default(),
            impact: Impact::default(),
            record: Record::default(),
            mode: Vec::new(),
            before: Point::default(),
            events: 0,
        }
    }

    /// Makes one grid step.
    pub(crate) fn step(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        solving: &mut Solving,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        self.begin(model, now, h, solving, log)?;
        let mut kept = 0;
        loop {
            self.meet(model, solving, log)?;
            let remaining = h - self.course.elapsed;
            if remaining <= NOTHING_LEFT * h {
                break;
            }
            let flow = Flow { model, method: self.control.method(), mode: &self.mode };
            self.control.review(flow, &mut self.course, remaining)?;
            let flow = Flow { method: self.control.method(), ..flow };
            self.bracket.open(flow, &mut self.course, self.control.length(remaining))?;
            if !self.control.accepts(flow, &mut self.course, &self.bracket.right)? {
                continue;
            }
            kept += 1;
            if self.bracket.has_event(flow, &mut self.course)? {
                self.pass_event(model, solving, log)?;
            } else {
                self.take(model, false)?;
            }
        }
        self.finish(model, now, h, next, log)?;
        let (rejected, evaluations) = (self.course.attempts - kept, self.course.motion.evaluations);
        log.counts = Counts { steps: kept, rejected, evaluations };
        log.newton_iterations = self.course.rk.iterations;
        Ok(())
    }

    /// Takes up the state: the mode from its memory, or by looking where there is none.
    fn begin(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        solving: &mut Solving,
        log: &mut StepLog,
    ) -> StepResult {
        let course = &mut self.course;
        (course.h, course.attempts, course.motion.evaluations, course.rk.iterations) = (h, 0, 0, 0);
        (course.begin, course.elapsed, self.events) = (now.t, 0.0, 0);
        course.at.t = now.t;
        course.at.q.clone_from(&now.q);
        course.at.v.clone_from(&now.v);
        self.control.load(now);
        self.mode.clear();
        let known = recall(model, now, &mut self.mode);
        course.arrive(model, &self.mode)?;
        self.record.begin(&course.start);
        if known {
            return Ok(());
        }
        let touching = |s: &Standing| s.gap <= s.closed && s.u.abs() <= s.still;
        let closed = course.start.iter().enumerate().filter(|(key, s)| course.watch.open[*key] && touching(s));
        self.candidates.closed.clear();
        self.candidates.closed.extend(closed.map(|(key, _)| key));
        self.candidates.pulling.clear();
        self.candidates.settle(model, course, &mut self.mode, solving, log)
    }

    /// Contacts that are closed and approaching at the present point are hit at once.
    fn meet(&mut self, model: &Model, solving: &mut Solving, log: &mut StepLog) -> StepResult {
        loop {
            let Course { start, watch, .. } = &self.course;
            let hit = |&key: &usize| {
                let s = &start[key];
                watch.open[key] && s.gap <= s.closed && s.u < -s.still
            };
            self.impact.gather(&self.mode, (0..start.len()).filter(hit));
            if self.impact.rows.len() == self.mode.len() {
                return Ok(());
            }
            self.count_event(model)?;
            self.hit(model, 0.0, solving, log)?;
        }
    }

    /// Brackets the first event of the step tried last and goes past it.
    fn pass_event(&mut self, model: &Model, solving: &mut Solving, log: &mut StepLog) -> StepResult {
        let flow = Flow { model, method: self.control.method(), mode: &self.mode };
        let width = self.width();
        self.bracket.narrow(flow, &mut self.course, self.rules.locate, width)?;
        let (left, right) = (self.bracket.left.leap.tau, &self.bracket.right);
        let delta = right.leap.tau - left;
        let watch = &self.course.watch;
        let hit = |&key: &usize| {
            let s = &right.standing[key];
            watch.open[key] && s.u < -s.still && s.gap <= delta * -s.u + s.closed
        };
        self.impact.gather(&self.mode, (0..right.standing.len()).filter(hit));
        if self.impact.rows.len() > self.mode.len() {
            if left > 0.0 {
                self.take(model, true)?;
            }
            self.count_event(model)?;
            return self.hit(model, delta, solving, log);
        }
        let pulls = self.mode.iter().zip(&right.rate.pulls).filter(|(_, pulls)| **pulls);
        self.candidates.pulling.clear();
        self.candidates.pulling.extend(pulls.map(|(key, _)| key));
        let soft = |&key: &usize| {
            let s = &right.standing[key];
            watch.open[key] && s.gap <= s.closed && s.u.abs() <= s.still
        };
        self.candidates.closed.clear();
        let contacts = self.mode.iter().copied().filter(|&key| !model.constraints.always[key]);
        self.candidates.closed.extend(contacts.chain((0..right.standing.len()).filter(soft)));
        self.candidates.closed.sort_unstable();
        self.take(model, false)?;
        self.impact.rows.clone_from(&self.candidates.closed);
        self.count_event(model)?;
        self.candidates.settle(model, &mut self.course, &mut self.mode, solving, log)
    }

    /// The impact over a bracket of width `delta` from the present point; who stays closed is settled after it.
    fn hit(&mut self, model: &Model, delta: f64, solving: &mut Solving, log: &mut StepLog) -> StepResult {
        let Tracker { course, impact, candidates, mode, before, .. } = self;
        before.copy_from(&course.at);
        let elapsed = course.elapsed;
        let start = course.rk.start.a.clone();
        impact.strike(model, course, delta, solving, log)?;
        impact.closing(model, candidates);
        candidates.settle(model, course, mode, solving, log)?;
        self.find_resting(model)?;
        let Tracker { course, impact, candidates, mode, before, record, .. } = self;
        if !impact.resting.is_empty() {
            course.at.copy_from(before);
            course.elapsed = elapsed;
            course.rk.start.a = start;
            impact.strike(model, course, delta, solving, log)?;
            impact.closing(model, candidates);
            candidates.settle(model, course, mode, solving, log)?;
        }
        impact.book(model, course.at.t, record, log);
        Ok(())
    }

    /// Finds the contacts whose next flight does not matter.
    fn find_resting(&mut self, model: &Model) -> StepResult {
        let parting: Vec<(usize, f64)> = self.impact.parting(model, &self.mode).collect();
        for (key, u) in parting {
            let Course { motion, rk, at, start, .. } = &mut self.course;
            motion.closed.fill(model, &[key], at, &mut motion.factors, &motion.pace)?;
            motion.closed.curve(model, &[key], at)?;
            let a = motion.closed.along(0, &rk.start.a) + motion.closed.curvature[0];
            if !(a < 0.0) {
                continue;
            }
            let lost = u * u <= -2.0 * a * start[key].closed;
            if let (true, Accumulation::Refuse) = (lost, self.rules.accumulation) {
                let ratio = u / self.impact.approach(key);
                let t = at.t - 2.0 * u / a / (1.0 - ratio.min(1.0 - f64::EPSILON));
                let constraint = model.constraints.name(Key(key as u64)).to_owned();
                return Err(StepError::Accumulation { constraint, t }.into());
            }
            if lost || self.is_short(u, -2.0 * u / a) {
                self.impact.resting.push(key);
            }
        }
        Ok(())
    }

    /// Whether a flight that begins at speed `u` and lasts `flight` seconds is below the accuracy aimed at.
    fn is_short(&self, u: f64, flight: f64) -> bool {
        match (self.rules.accumulation, self.control.tolerance) {
            (Accumulation::Refuse, _) => false,
            (Accumulation::Rest { .. }, Some(tolerance)) => u <= EVENT_SHARE * tolerance,
            (Accumulation::Rest { factor, time_scale }, None) => {
                let order = self.control.method().order;
                flight <= factor * time_scale * (self.course.h / time_scale).powi(order)
            }
        }
    }

    /// Width of the bracket for the event in the step tried last.
    fn width(&self) -> f64 {
        let h = self.course.h;
        let fastest = |m: f64, s: &Standing| m.max(s.u.abs());
        match (self.rules.width, self.control.tolerance) {
            (Width::Rounding, _) => 0.0,
            (Width::Order { .. }, Some(tolerance)) => {
                let speed = self.bracket.right.standing.iter().fold(0.0, fastest);
                (EVENT_SHARE * tolerance / speed).min(WIDEST * h)
            }
            (Width::Order { factor, time_scale }, None) => {
                let order = self.control.method().order;
                (factor * h * (h / time_scale).powi(order)).min(WIDEST * h)
            }
        }
    }

    /// Takes the step to an end of the bracket, and projects it on the closed constraints.
    fn take(&mut self, model: &Model, left: bool) -> StepResult {
        let sample = if left { &self.bracket.left } else { &self.bracket.right };
        self.course.at.copy_from(&sample.leap.at);
        self.course.pass(sample.leap.tau);
        self.record.smooth(&self.mode, &sample.leap.work, &sample.leap.impulse);
        if !self.mode.is_empty() {
            self.candidates.close(model, &mut self.course, &self.mode)?;
        }
        self.course.arrive(model, &self.mode)
    }

    fn count_event(&mut self, model: &Model) -> StepResult {
        self.events += 1;
        if self.events <= self.rules.max_events {
            return Ok(());
        }
        let key = self.impact.rows.iter().find(|&key| !self.mode.contains(key));
        let key = key.or(self.impact.rows.first()).map_or(0, |&key| key);
        let constraint = model.constraints.name(Key(key as u64)).to_owned();
        let (limit, t) = (self.rules.max_events, self.course.at.t);
        Err(StepError::TooManyEvents { limit, t, constraint }.into())
    }

    fn finish(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        let at = &self.course.at;
        (next.t, next.step, next.step_size) = (now.t + h, now.step + 1, h);
        next.q.clone_from(&at.q);
        next.v.clone_from(&at.v);
        self.control.save(next);
        let contacts = self.mode.iter().filter(|&&key| !model.constraints.always[key]);
        next.memory.extend(contacts.map(|&key| key as f64));
        self.record.finish(model, next, &self.course.start, log)
    }

    pub(crate) fn poison(&mut self) {
        self.control.poison();
        self.course.poison();
        self.bracket.poison();
        self.candidates.poison();
        self.impact.poison();
        self.record.poison();
        self.before.poison();
        self.mode.clear();
    }
}

/// The mode that the state remembers; false if it remembers none, or its memory is another scheme's.
fn recall(model: &Model, now: &State, mode: &mut Vec<usize>) -> bool {
    let constraints = &model.constraints;
    mode.extend((0..constraints.n_gaps()).filter(|&key| constraints.always[key]));
    let Some(keys) = now.memory.get(N_MEMORY..) else { return false };
    let is_contact = |&key: &f64| {
        let index = key as usize;
        key == index as f64 && index < constraints.n_gaps() && !constraints.always[index]
    };
    let known = keys.iter().all(is_contact);
    if known {
        mode.extend(keys.iter().map(|&key| key as usize));
    }
    known
}
