//! The path of one grid step: the present point, the contacts closed there, and what the log will tell.

use super::control::N_MEMORY;
use super::course::Course;
use super::forces::Point;
use super::impact::Impact;
use super::record::Record;
use super::runge_kutta::Leap;
use super::settle::Candidates;
use super::tracker::NOTHING_LEFT;
use crate::error::StepResult;
use crate::integrators::Solving;
use crate::log::StepLog;
use crate::model::{Model, State};

/// Acceleration that counts as none at acceleration level, in tolerances of the solver.
const NOISE: f64 = 10.0;
/// Smallest such tolerance: exact solvers leave rounding, times the condition of W.
const LEAST_TOLERANCE: f64 = 1e-11;

/// A contact that parts after an impact and will come back.
pub(crate) struct Flight {
    pub(crate) key: usize,
    /// When it begins [s].
    pub(crate) t: f64,
    /// How fast the contact came, and how fast it parts [m/s].
    pub(crate) approach: f64,
    pub(crate) speed: f64,
    /// Its length, if the acceleration stays [s].
    pub(crate) length: f64,
    /// Whether it is no higher than the rounding of the gap, or its speed none.
    pub(crate) is_lost: bool,
}

/// The present point and its closed contacts.
#[derive(Default)]
pub(crate) struct Path {
    pub(crate) course: Course,
    /// The constraints held closed: joints, then contacts in the order in which they bear.
    pub(crate) mode: Vec<usize>,
    pub(crate) impact: Impact,
    pub(crate) candidates: Candidates,
    pub(crate) record: Record,
    /// Time of the last change of mode, since the start of the step [s].
    last_change: f64,
    flights: Vec<Flight>,
    before: Point,
    before_a: Vec<f64>,
}

impl Path {
    /// Takes up the state, with the mode from its memory; false if it remembers none.
    pub(crate) fn begin(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        solving: &Solving,
    ) -> StepResult<bool> {
        let course = &mut self.course;
        course.motion.noise = NOISE * solving.tolerance.max(LEAST_TOLERANCE);
        self.candidates.pulling.clear();
        self.last_change = 0.0;
        (course.h, course.begin, course.elapsed) = (h, now.t, 0.0);
        (course.attempts, course.motion.evaluations, course.rk.iterations) = (0, 0, 0);
        course.at.t = now.t;
        course.at.q.clone_from(&now.q);
        course.at.v.clone_from(&now.v);
        let known = recall(model, now, &mut self.mode);
        course.arrive(model, &self.mode)?;
        self.record.begin(&course.start);
        Ok(known)
    }

    /// Decides who among `candidates` stays closed, and evaluates what is needed there.
    pub(crate) fn settle(
        &mut self,
        model: &Model,
        solving: &mut Solving,
        log: &mut StepLog,
    ) -> StepResult {
        self.candidates.settle(model, &mut self.course, &mut self.mode, solving, log)
    }

    /// The contacts that touch at no speed are the candidates. Who pulled is forgotten when time has passed: until
    /// then contacts that carry nothing might otherwise be let go and taken back in turn.
    pub(crate) fn look_for_closed(&mut self) {
        let Course { start, watch, elapsed, h, .. } = &self.course;
        if *elapsed - self.last_change > NOTHING_LEFT * h {
            self.candidates.pulling.clear();
        }
        self.last_change = *elapsed;
        let touching = |key: &usize| {
            let s = &start[*key];
            watch.open[*key] && s.gap <= s.closed && s.u.abs() <= s.still
        };
        self.candidates.closed.clear();
        self.candidates.closed.extend((0..start.len()).filter(touching));
    }

    /// Goes to the end of a step that was tried, and projects it on the closed constraints.
    pub(crate) fn take(&mut self, model: &Model, leap: &Leap) -> StepResult {
        self.course.at.copy_from(&leap.at);
        self.course.pass(leap.tau);
        self.record.smooth(&self.mode, &leap.work, &leap.impulse);
        self.candidates.close(model, &mut self.course, &self.mode)?;
        self.course.arrive(model, &self.mode)
    }

    /// The impact of those gathered, over a bracket of width `delta` from the present point. Contacts that part and
    /// of which `rests` says so come to rest instead.
    pub(crate) fn hit(
        &mut self,
        model: &Model,
        delta: f64,
        rests: impl Fn(&Flight) -> StepResult<bool>,
        solving: &mut Solving,
        log: &mut StepLog,
    ) -> StepResult {
        let elapsed = self.course.elapsed;
        self.before.copy_from(&self.course.at);
        self.before_a.clone_from(&self.course.rk.start.a);
        self.strike(model, delta, solving, log)?;
        self.find_flights(model)?;
        for flight in &self.flights {
            if rests(flight)? {
                self.impact.resting.push(flight.key);
            }
        }
        if !self.impact.resting.is_empty() {
            self.course.at.copy_from(&self.before);
            self.course.elapsed = elapsed;
            self.course.rk.start.a.clone_from(&self.before_a);
            self.strike(model, delta, solving, log)?;
        }
        self.impact.book(model, self.course.at.t, &mut self.record, log);
        Ok(())
    }

    fn strike(
        &mut self,
        model: &Model,
        delta: f64,
        solving: &mut Solving,
        log: &mut StepLog,
    ) -> StepResult {
        self.impact.strike(model, &mut self.course, delta, solving, log)?;
        self.impact.closing(model, &mut self.candidates);
        self.settle(model, solving, log)
    }

    /// Finds the contacts that part and will come back.
    fn find_flights(&mut self, model: &Model) -> StepResult {
        self.flights.clear();
        for (key, approach, speed) in self.impact.parting(model, &self.mode) {
            let Course { motion, rk, at, start, .. } = &mut self.course;
            let t = at.t;
            if self.mode.contains(&key) {
                self.flights.push(Flight { key, t, approach, speed, length: 0.0, is_lost: true });
                continue;
            }
            motion.closed.fill(model, &[key], at, &mut motion.factors, &motion.scale)?;
            motion.closed.curve(model, &[key], at)?;
            let back = -(motion.closed.along(0, &rk.start.a) + motion.closed.curvature[0]);
            if back > 0.0 {
                let is_lost = speed * speed <= 2.0 * back * start[key].closed;
                let length = 2.0 * speed / back;
                self.flights.push(Flight { key, t, approach, speed, length, is_lost });
            }
        }
        Ok(())
    }

    /// Writes the next state, its memory beyond the closed contacts excepted, and the log.
    pub(crate) fn finish(
        &mut self,
        model: &Model,
        now: &State,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        let Course { at, h, start, motion, rk, .. } = &self.course;
        (next.t, next.step, next.step_size) = (now.t + h, now.step + 1, *h);
        next.q.clone_from(&at.q);
        next.v.clone_from(&at.v);
        let contacts = self.mode.iter().filter(|&&key| !model.constraints.always[key]);
        next.memory.extend(contacts.map(|&key| key as f64));
        // A step is judged by its last solve; here all count, so the worst goes there.
        let worst = (0..log.solves.len())
            .max_by(|&i, &j| log.solves[i].residual.total_cmp(&log.solves[j].residual));
        if let Some(worst) = worst {
            log.solves[worst..].rotate_left(1);
        }
        log.counts.evaluations = motion.evaluations;
        log.newton_iterations = rk.iterations;
        self.record.finish(model, next, start, log)
    }

    pub(crate) fn poison(&mut self) {
        self.course.poison();
        self.candidates.poison();
        self.impact.poison();
        self.record.poison();
        self.before.poison();
        self.before_a.fill(f64::NAN);
        self.mode.clear();
    }
}

/// The mode that the state remembers; false if it remembers none, or its memory is another scheme's.
fn recall(model: &Model, now: &State, mode: &mut Vec<usize>) -> bool {
    let constraints = &model.constraints;
    mode.clear();
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
