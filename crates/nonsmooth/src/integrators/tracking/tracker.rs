//! Smooth pieces between events, over one grid step: what the schemes that resolve events do.
//!
//! ```text
//! until the grid step is filled:
//!     try a Runge–Kutta step over what is left (or as long as the error control allows)
//!     nothing happened:   take it
//!     something happened: bracket the first event; take the step to the left end of the bracket
//!         a contact was entered   impact over the bracket; contacts that do not part, or that will not fly
//!                                 farther than the accuracy aimed at, are closed
//!         a closed contact pulls, one that sticks is beyond its cone, one that slides has stopped:
//!                                 take the step to the right end instead
//!                                 then the acceleration-level problem says who stays closed, who sticks and who slides
//! ```
//!
//! With the bracket no wider than C h^{p+1} the order p of the method is kept across any number of events, and through
//! accumulations of impacts. An overlap in the initial state is removed by the first projection. [Acary10, eq. (48);
//! Mannshardt78]

use super::bracket::{Bracket, Locate};
use super::control::Control;
use super::course::Course;
use super::grip::{Grip, Mode};
use super::path::{NextFlight, Path};
use super::point::Point;
use super::rows::ConstraintStatus;
use super::runge_kutta::Flow;
use super::sample::slip;
use super::trace::{Cause, Leg, Piece, Sign, Turn, begun};
use crate::error::{StepError, StepResult};
use crate::log::StepLog;
use crate::model::{Model, State};
use crate::phases::SolverSettings;
use nonsmooth_solvers::Problem;

/// What is left of a grid step is nothing, relative to its size.
pub(crate) const NOTHING_LEFT: f64 = 4.0 * f64::EPSILON;
/// Share of the tolerance that the place of an event may cost.
const EVENT_SHARE: f64 = 0.01;

/// Error of a step in which a slip turns, relative to (h/T)^{p+1}.
const TURNING: f64 = 1e-2;

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

/// An end of the bracket.
enum End {
    Left,
    Right,
}

/// Makes grid steps by the rules.
pub(crate) struct Tracker {
    rules: Rules,
    control: Control,
    path: Path,
    bracket: Bracket,
    events: usize,
    /// The path of the last step, where somebody wants it.
    pub(crate) trace: Option<Vec<Piece>>,
}

/// What is about to happen: where, in which mode, and the notes that the log has so far. Nothing where no trace is kept.
type Before = Option<(Point, Mode, usize)>;

impl Tracker {
    pub(crate) fn new(rules: Rules, mut control: Control) -> Self {
        if let Width::Order { time_scale, .. } = rules.width {
            control.turning = Some([TURNING, time_scale]);
        }
        Self {
            rules,
            control,
            path: Path::default(),
            bracket: Bracket::default(),
            events: 0,
            trace: None,
        }
    }

    /// Order of the method at work.
    pub(crate) fn order(&self) -> u32 {
        self.control.method().order.unsigned_abs()
    }

    /// The problem posed last.
    pub(crate) fn last_problem(&self) -> &Problem {
        &self.path.course.contact.problem
    }

    /// Makes one grid step.
    pub(crate) fn step(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        settings: &mut SolverSettings,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        self.begin(model, now, h, settings, log)?;
        loop {
            self.pass_features(model, settings, log)?;
            self.meet(model, settings, log)?;
            let remaining = h - self.path.course.elapsed;
            if remaining <= NOTHING_LEFT * h {
                break;
            }
            let Path { course, mode, .. } = &mut self.path;
            let flow = Flow { model, method: self.control.method(), mode };
            self.control.review(flow, course, remaining)?;
            let flow = Flow { method: self.control.method(), ..flow };
            course.watch.rest = self.control.rest(flow, h);
            let tau = self.control.length(remaining);
            if let Err(error) = self.bracket.open(flow, course, tau) {
                self.control.forgive(error, flow, course, tau)?;
                continue;
            }
            match self.control.accepts(flow, course, &self.bracket.right) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(error) => {
                    self.control.forgive(error, flow, course, tau)?;
                    continue;
                }
            }
            log.counts.steps += 1;
            if self.bracket.has_event(flow, course)? {
                self.pass_event(model, settings, log)?;
            } else {
                self.take(model, End::Right)?;
            }
        }
        log.counts.rejected = self.path.course.attempts - log.counts.steps;
        self.path.finish(model, now, &self.control, next, log)
    }

    /// Takes up the state; where it remembers nothing, contacts that are closed at no speed are settled first.
    fn begin(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        settings: &mut SolverSettings,
        log: &mut StepLog,
    ) -> StepResult {
        self.events = 0;
        self.control.load(now);
        self.trace.iter_mut().for_each(Vec::clear);
        if self.path.begin(model, now, h, settings)? {
            return Ok(());
        }
        self.path.look_for_closed();
        let before = self.before(log);
        self.path.choose_mode(model, settings, log)?;
        self.note_turn(before, || Cause::Start, log);
        Ok(())
    }

    /// Goes to an end of the bracket.
    fn take(&mut self, model: &Model, end: End) -> StepResult {
        let Self { path, bracket, control, trace, .. } = self;
        let sample = match end {
            End::Left => &bracket.left,
            End::Right => &bracket.right,
        };
        if let Some(trace) = trace {
            trace.push(Piece::Step(Leg {
                from: path.course.at.clone(),
                tau: sample.trial.tau,
                method: control.method(),
                mode: path.mode.clone(),
            }));
        }
        path.take(model, &sample.trial)
    }

    fn before(&self, log: &StepLog) -> Before {
        let Path { course, mode, .. } = &self.path;
        self.trace.as_ref().map(|_| (course.at.clone(), mode.clone(), log.notes.len()))
    }

    /// Writes what happened since `before` into the trace.
    fn note_turn(&mut self, before: Before, cause: impl FnOnce() -> Cause, log: &StepLog) {
        let (Some(trace), Some((before, mode, n_notes))) = (&mut self.trace, before) else { return };
        let Path { course, mode: next, .. } = &self.path;
        trace.push(Piece::Turn(Box::new(Turn {
            cause: cause(),
            before,
            mode,
            after: course.at.clone(),
            next: next.clone(),
            is_paradox: log.notes.len() > n_notes,
        })));
    }

    /// Contacts that are closed and approaching at the present point are hit at once.
    fn meet(&mut self, model: &Model, settings: &mut SolverSettings, log: &mut StepLog) -> StepResult {
        loop {
            let Path { course, mode, impact, .. } = &mut self.path;
            let Course { start, watch, motion, .. } = course;
            let hit = |&key: &usize| {
                let s = &start[key];
                watch.open[key] && s.gap <= s.closed && s.u < -s.still
            };
            if !impact.gather(&motion.watched, mode, (0..start.len()).filter(hit)) {
                return Ok(());
            }
            self.hit(model, 0.0, settings, log)?;
        }
    }

    /// Where contacts of the mode have no features here that face each other, those take their place that do.
    fn pass_features(
        &mut self,
        model: &Model,
        settings: &mut SolverSettings,
        log: &mut StepLog,
    ) -> StepResult {
        let Some(key) = self.path.passed() else { return Ok(()) };
        self.path.look_for_closed();
        self.path.keep_closed();
        self.count_event(model, Some(key))?;
        self.path.choose_mode(model, settings, log)
    }

    /// Brackets the first event of the step tried last and goes past it.
    fn pass_event(
        &mut self,
        model: &Model,
        settings: &mut SolverSettings,
        log: &mut StepLog,
    ) -> StepResult {
        let width = self.width();
        let Path { course, mode, impact, .. } = &mut self.path;
        let flow = Flow { model, method: self.control.method(), mode };
        let tau = self.bracket.right.trial.tau;
        if let Err(error) = self.bracket.narrow(flow, course, self.rules.locate, width) {
            log.counts.steps -= 1;
            return self.control.forgive(error, flow, course, tau);
        }
        let Bracket { left, right, .. } = &self.bracket;
        let delta = right.trial.tau - left.trial.tau;
        // Who closes at the same time, up to the width of the bracket and rounding, is hit at the same time.
        let hit = |&key: &usize| {
            let s = &right.status[key];
            course.watch.open[key] && s.u < -s.still && s.gap <= delta * -s.u + s.closed
        };
        if !impact.gather(&course.motion.watched, mode, (0..right.status.len()).filter(hit)) {
            return self.change_mode(model, settings, log);
        }
        if left.trial.tau > 0.0 {
            self.take(model, End::Left)?;
        }
        self.hit(model, delta, settings, log)
    }

    /// Goes to the right end of the bracket, where contacts pull or closed at no speed.
    fn change_mode(
        &mut self,
        model: &Model,
        settings: &mut SolverSettings,
        log: &mut StepLog,
    ) -> StepResult {
        let Bracket { left, right, .. } = &self.bracket;
        let Path { candidates, course, .. } = &mut self.path;
        let ends = |contact: &(usize, Grip)| [&left.status, &right.status].map(|s| slip(contact, s));
        let stops = |contact: &&(usize, Grip)| {
            if right.status[contact.0].is_absent() {
                return false;
            }
            let [(before, _), (after, still)] = ends(contact);
            let slows = after <= 2.0 * (before - after).max(0.0) + still;
            slows || course.watch.has_stopped(contact, &course.start, right)
        };
        let stopped = course.watch.sliding.iter().filter(stops).map(|contact| contact.0);
        candidates.stopped.extend(stopped);
        self.take(model, End::Right)?;
        self.path.look_for_closed();
        let before = self.before(log);
        let Bracket { right, .. } = &self.bracket;
        let Path { mode, candidates, course, .. } = &mut self.path;
        let watched = &course.motion.watched;
        let mut signs = Vec::new();
        if before.is_some() {
            signs.extend(candidates.stopped.iter().map(|&key| Sign::Stops(key)));
            signs.extend(candidates.closed.iter().map(|&key| Sign::Closes(key)));
        }
        for (&key, _) in mode.rows.iter().zip(&right.rate.pulls).filter(|(_, pulls)| **pulls) {
            let list =
                if watched.tangent[key] { &mut candidates.released } else { &mut candidates.pulling };
            list.push(watched.normal(key));
            if before.is_some() {
                let sign = if watched.tangent[key] { Sign::Slips } else { Sign::Pulls };
                signs.push(sign(watched.normal(key)));
            }
        }
        candidates.pulling.sort_unstable();
        candidates.pulling.dedup();
        self.path.keep_closed();
        let candidates = &self.path.candidates;
        let first = candidates.pulling.first().or(candidates.closed.first());
        let first = first.copied();
        self.count_event(model, first)?;
        self.path.choose_mode(model, settings, log)?;
        self.note_turn(before, || Cause::Change(signs), log);
        Ok(())
    }

    fn hit(
        &mut self,
        model: &Model,
        delta: f64,
        settings: &mut SolverSettings,
        log: &mut StepLog,
    ) -> StepResult {
        let first = self.path.impact.rows.iter().copied().find(|&key| !self.path.mode.contains(key));
        self.count_event(model, first)?;
        let (h, order) = (self.path.course.h, self.control.method().order);
        let (accumulation, tolerance) = (self.rules.accumulation, self.control.tolerance);
        let rests = |flight: &NextFlight| match accumulation {
            Accumulation::Refuse if flight.is_lost => Err(accumulated(model, flight)),
            Accumulation::Refuse => Ok(false),
            Accumulation::Rest { factor, time_scale } => Ok(flight.is_lost
                || match tolerance {
                    Some(tolerance) => flight.speed <= EVENT_SHARE * tolerance,
                    None => flight.length <= factor * time_scale * (h / time_scale).powi(order),
                }),
        };
        let before = self.before(log);
        self.path.hit(model, delta, rests, settings, log)?;
        if let Some((_, mode, _)) = &before {
            let hit = begun(&self.path.course.motion.watched, &self.path.impact.rows, mode);
            self.note_turn(before, || Cause::Impact(hit), log);
        }
        Ok(())
    }

    /// Width of the bracket for the event in the step tried last.
    fn width(&self) -> f64 {
        let h = self.path.course.h;
        let fastest = |m: f64, s: &ConstraintStatus| m.max(s.u.abs());
        match (self.rules.width, self.control.tolerance) {
            (Width::Rounding, _) => 0.0,
            (Width::Order { .. }, Some(tolerance)) => {
                let speed = self.bracket.right.status.iter().fold(0.0, fastest);
                EVENT_SHARE * tolerance / speed
            }
            (Width::Order { factor, time_scale }, None) => {
                let order = self.control.method().order;
                factor * h * (h / time_scale).powi(order)
            }
        }
    }

    /// Forgets all scratch.
    pub(crate) fn reset(&mut self) {
        self.path.reset();
        self.bracket = Bracket::default();
    }

    fn count_event(&mut self, model: &Model, key: Option<usize>) -> StepResult {
        self.events += 1;
        if self.events <= self.rules.max_events {
            return Ok(());
        }
        let constraint = model.describe(self.path.course.motion.watched.id(key.unwrap_or(0)));
        let (limit, t) = (self.rules.max_events, self.path.course.at.t);
        Err(StepError::TooManyEvents { limit, t, constraint }.into())
    }
}

/// Flights that shrink by one factor end after length/(1 − factor); where the contact was thrown up by others the factor
/// is not known, and the flight itself is lost in rounding.
fn accumulated(model: &Model, flight: &NextFlight) -> Box<StepError> {
    let factor = if flight.speed < flight.approach { flight.speed / flight.approach } else { 0.0 };
    let t = flight.t + flight.length / (1.0 - factor);
    let constraint = model.describe(flight.id);
    StepError::Accumulation { constraint, t }.into()
}
