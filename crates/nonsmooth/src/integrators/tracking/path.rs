//! The path of one grid step: the present point, the contacts closed there, and what the log will tell.

use super::control::{Control, N_MEMORY};
use super::course::Course;
use super::grip::{Hold, Mode};
use super::impact::Impact;
use super::mode::Candidates;
use super::point::Point;
use super::record::{Record, worst_last};
use super::runge_kutta::TrialStep;
use super::tracker::NOTHING_LEFT;
use super::watched::Watched;
use crate::error::{StepError, StepResult};
use crate::log::{JAMMED, StepLog};
use crate::model::{ConstraintId, Model, State};
use crate::phases::SolverSettings;

/// Acceleration that counts as none at acceleration level, in tolerances of the solver.
const NOISE: f64 = 10.0;
/// Smallest such tolerance: exact solvers leave rounding, times the condition of W.
const LEAST_TOLERANCE: f64 = 1e-11;

/// A contact that parts after an impact and will come back.
pub(crate) struct NextFlight {
    pub(crate) key: usize,
    pub(crate) id: ConstraintId,
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
    /// The constraints held closed.
    pub(crate) mode: Mode,
    pub(crate) impact: Impact,
    pub(crate) candidates: Candidates,
    pub(crate) record: Record,
    /// Time of the last change of mode, since the start of the step [s].
    last_change: f64,
    /// Velocity that is none after the last impact [m/s].
    impact_noise: f64,
    flights: Vec<NextFlight>,
    parting: Vec<(usize, f64, f64)>,
    before: Point,
    before_a: Vec<f64>,
    a: Vec<f64>,
    /// Which rows carry at the end, by key.
    carried: Vec<bool>,
}

impl Path {
    /// Takes up the state, with the mode from its memory; false if it remembers none.
    pub(crate) fn begin(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        settings: &SolverSettings,
    ) -> StepResult<bool> {
        let course = &mut self.course;
        course.motion.noise = NOISE * settings.tolerance.max(LEAST_TOLERANCE);
        self.candidates.pulling.clear();
        self.last_change = 0.0;
        (course.h, course.begin, course.elapsed) = (h, now.t, 0.0);
        (course.attempts, course.motion.evaluations, course.rk.iterations) = (0, 0, 0);
        course.at.t = now.t;
        course.at.q.clone_from(&now.q);
        course.at.v.clone_from(&now.v);
        course.motion.begin(model, now, &course.at)?;
        let known = recall(&course.motion.watched, now, &mut self.mode);
        course.arrive(model, &mut self.mode)?;
        self.record.begin(&course.start);
        Ok(known)
    }

    /// Forgets all scratch; what is done with lasting contacts is a rule of the scheme.
    pub(crate) fn reset(&mut self) {
        let lasting = self.candidates.lasting;
        *self = Self::default();
        self.candidates.lasting = lasting;
    }

    /// Decides who among `candidates` stays closed, and evaluates what is needed there.
    pub(crate) fn choose_mode(
        &mut self,
        model: &Model,
        settings: &mut SolverSettings,
        log: &mut StepLog,
    ) -> StepResult {
        let Path { candidates, course, mode, .. } = self;
        if candidates.choose_mode(model, course, mode, settings, log)? {
            return Ok(());
        }
        self.jam(model, settings, log)?;
        let Path { candidates, course, mode, .. } = self;
        if candidates.choose_mode(model, course, mode, settings, log)? {
            return Ok(());
        }
        let key = candidates.closed.first().copied().unwrap_or(0);
        let constraint = model.describe(course.motion.watched.id(key));
        Err(StepError::Jammed { constraint, t: course.at.t }.into())
    }

    /// An impact without collision: the velocities jump to where the contacts that are closed can go on, by the limit of a step whose length
    /// tends to zero and in which something presses, u_N⁻ → 0 from below. [Genot99]
    fn jam(&mut self, model: &Model, settings: &mut SolverSettings, log: &mut StepLog) -> StepResult {
        log.note(JAMMED, 1.0);
        let Path { candidates, course, mode, impact, record, .. } = self;
        let watched = &course.motion.watched;
        mode.assemble(watched, &[]);
        impact.gather(watched, mode, candidates.closed.iter().copied());
        impact.presses = true;
        let struck = impact.strike(model, course, 0.0, settings, log);
        let motion = &course.motion;
        impact.closing(&motion.watched, motion.noise, candidates);
        impact.presses = false;
        struck?;
        impact.book(&motion.watched, course.at.t, record, log);
        Ok(())
    }

    /// The contacts that are closed at no speed are the candidates. Who pulled is forgotten when time has passed: until
    /// then contacts that carry nothing might otherwise be let go and taken back in turn.
    pub(crate) fn look_for_closed(&mut self) {
        let Course { start, watch, elapsed, h, .. } = &self.course;
        if *elapsed - self.last_change > NOTHING_LEFT * h {
            self.candidates.pulling.clear();
        }
        self.last_change = *elapsed;
        let closed = |key: &usize| {
            let s = &start[*key];
            watch.open[*key] && s.gap <= s.closed && s.u.abs() <= s.still
        };
        self.candidates.closed.clear();
        self.candidates.closed.extend((0..start.len()).filter(closed));
    }

    /// A contact of the mode whose features do not face each other here.
    pub(crate) fn passed(&self) -> Option<usize> {
        let Course { watch, start, .. } = &self.course;
        watch.passing.iter().copied().find(|&key| start[key].is_absent())
    }

    /// Who is in the mode and whose features still face each other is a candidate too.
    pub(crate) fn keep_closed(&mut self) {
        let Path { candidates, mode, course, .. } = self;
        let held = mode.contacts(&course.motion.watched).map(|(key, _)| key);
        candidates.closed.extend(held.filter(|&key| !course.start[key].is_absent()));
        candidates.closed.sort_unstable();
    }

    /// Goes to the end of a step that was tried, and projects it on the closed constraints.
    pub(crate) fn take(&mut self, model: &Model, trial: &TrialStep) -> StepResult {
        self.course.at.copy_from(&trial.at);
        model.normalize(&mut self.course.at.q);
        self.course.pass(trial.tau);
        self.record.smooth(&self.mode.rows, &trial.work, &trial.impulse);
        let Mode { rows, n_placed, n_held, .. } = &self.mode;
        self.candidates.close(model, &mut self.course, &rows[..*n_held], *n_placed)?;
        self.course.arrive(model, &mut self.mode)?;
        self.record.follow(&self.course.start);
        Ok(())
    }

    /// The impact of those gathered, over a bracket of width `delta` from the present point. Contacts that part and
    /// of which `rests` says so come to rest instead.
    pub(crate) fn hit(
        &mut self,
        model: &Model,
        delta: f64,
        rests: impl Fn(&NextFlight) -> StepResult<bool>,
        settings: &mut SolverSettings,
        log: &mut StepLog,
    ) -> StepResult {
        let elapsed = self.course.elapsed;
        self.before.copy_from(&self.course.at);
        self.before_a.clone_from(&self.course.rk.start.a);
        self.strike(model, delta, settings, log)?;
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
            self.strike(model, delta, settings, log)?;
        }
        let watched = &self.course.motion.watched;
        self.record.follow(&self.course.start);
        self.impact.book(watched, self.course.at.t, &mut self.record, log);
        Ok(())
    }

    fn strike(
        &mut self,
        model: &Model,
        delta: f64,
        settings: &mut SolverSettings,
        log: &mut StepLog,
    ) -> StepResult {
        self.impact.strike(model, &mut self.course, delta, settings, log)?;
        let motion = &self.course.motion;
        self.impact.closing(&motion.watched, motion.noise, &mut self.candidates);
        self.impact_noise = self.candidates.slip_noise;
        self.choose_mode(model, settings, log)
    }

    /// Finds the contacts that part and will come back.
    fn find_flights(&mut self, model: &Model) -> StepResult {
        self.flights.clear();
        let Course { motion, rk, at, start, .. } = &mut self.course;
        self.parting.clear();
        self.parting.extend(self.impact.parting(&motion.watched, &self.mode, self.impact_noise));
        for &(key, approach, speed) in &self.parting {
            let (t, id) = (at.t, motion.watched.id(key));
            if self.mode.contains(key) {
                self.flights.push(NextFlight {
                    key,
                    id,
                    t,
                    approach,
                    speed,
                    length: 0.0,
                    is_lost: true,
                });
                continue;
            }
            motion.gather(model, &[key], at)?;
            motion.curve(model, &[key])?;
            self.a.resize(at.v.len(), 0.0);
            model.to_working(&motion.place.q, &rk.start.a, &mut self.a);
            let back = -(motion.closed.along(0, &self.a) + motion.closed.curvature[0]);
            if back > 0.0 {
                let is_lost = speed * speed <= 2.0 * back * start[key].closed;
                let length = 2.0 * speed / back;
                self.flights.push(NextFlight { key, id, t, approach, speed, length, is_lost });
            }
        }
        Ok(())
    }

    /// Writes the next state and the log.
    pub(crate) fn finish(
        &mut self,
        model: &Model,
        now: &State,
        control: &Control,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        let Path { course, record, mode, carried, .. } = self;
        record.follow(&course.start);
        // What is closed is remembered, even where it has not yet carried.
        mode.rows.iter().for_each(|&key| record.took_part[key] = true);
        carried.clone_from(&record.carrying);
        mode.rows.iter().for_each(|&key| carried[key] = true);
        let Course { at, h, start, motion, rk, watch, .. } = course;
        let end = (&*at, &start[..], &watch.rows);
        record.finish(model, (now, *h), motion, end, |key| carried[key], (&mut *next, &mut *log))?;
        control.save(next);
        for (key, hold) in mode.contacts(&motion.watched) {
            // Whose features do not face each other at the end is not remembered, and the next step decides anew.
            let place = next.memory.ids.binary_search(&motion.watched.id(key)).ok();
            let place = place.filter(|_| !start[key].is_absent());
            next.scheme.push(place.map_or(FORGOTTEN, |place| place as f64));
            let direction = if let Hold::Slides(direction) = hold { direction } else { [0.0; 2] };
            next.scheme.extend_from_slice(&direction);
        }
        worst_last(log);
        log.counts.evaluations = motion.evaluations;
        log.newton_iterations = rk.iterations;
        Ok(())
    }
}

/// Place of a contact that is not remembered.
const FORGOTTEN: f64 = -1.0;

/// The mode that the state remembers; false if it remembers none, or its memory is another scheme's. Three numbers of a contact: its place in
/// the memory, and the direction in which it slides, zero where it does not.
fn recall(watched: &Watched, now: &State, mode: &mut Mode) -> bool {
    mode.assemble(watched, &[]);
    let Some(rest) = now.scheme.get(N_MEMORY..) else { return false };
    let mut contacts = Vec::new();
    for contact in rest.chunks(3) {
        let &[place, x, y] = contact else { return false };
        let index = place as usize;
        let known = now.memory.ids.get(index).filter(|_| place == index as f64);
        let Some(&id) = known else { return false };
        let Some(key) = watched.find(id).filter(|&key| !watched.always[key]) else {
            if watched.changes {
                return false;
            }
            // A body that has left took its contacts along.
            continue;
        };
        let hold = match watched.n_tangents(key) {
            0 => Hold::Smooth,
            _ if x == 0.0 && y == 0.0 => Hold::Sticks,
            _ => Hold::Slides([x, y]),
        };
        contacts.push((key, hold));
    }
    mode.assemble(watched, &contacts);
    true
}
