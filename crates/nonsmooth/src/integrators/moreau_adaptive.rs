//! Moreau–Jean with inner steps whose size follows an error estimate of order 0.
//!
//! ```text
//! x₁ by one step h, x_½ by two steps h/2, both by Moreau–Jean
//! error = max( max|2(x_½ ⊖ x₁)|, growth of the largest penetration ) / tolerance          x = (q, v)
//! error ≤ 1: x_½ is kept;     then  h ← h · min(5, max(0.2, 0.9/error))
//! ```
//!
//! At an impact Moreau's scheme is right to O(h) at best, and the error is made in one of the two half steps only:
//! 2(x_½ ⊖ x₁) estimates it, and h follows its first power. [Acary10, eq. (47)] Both solutions miss an impact in the
//! last quarter of the step, and the estimate with them; hence the second term, the penetration that the step leaves
//! behind. Rotations differ by the turn that leads from one to the other; penetrations of bodies are those of their
//! colliders. In smooth motion with θ = ½ the estimate falls as h³, so steps grow to `h_max`, and the error comes from the
//! impacts alone.
//!
//! What the log counts as an inner step is the pair of half steps, with the whole one as its judge. Steps of `h_min`
//! are kept whatever the estimate says, and noted. Inner steps end with the step of the run; the size that was next is
//! what the state remembers.

use super::moreau_jean::{self as inner, MoreauJean};
use super::{Entry, Integrator, Refusal};
use crate::error::{StepError, StepResult};
use crate::log::StepLog;
use crate::model::{Model, State};
use crate::phases::{Merging, Penetration, SolverSettings, merge};
use crate::scratch::Scratch;
use nonsmooth_solvers::{Declared, Kind, Options, Problem, Report};

pub(super) const ENTRY: Entry = Entry {
    name: "moreau-adaptive",
    about: "Moreau–Jean with inner steps chosen by step doubling and by the penetration they leave",
    options: &[
        &TOLERANCE,
        &H_MIN,
        &H_MAX,
        &inner::THETA,
        &inner::GAMMA,
        &inner::LEVEL,
        &inner::MASS_AT,
        &inner::JACOBIAN_AT,
        &inner::NEWTON_TOLERANCE,
        &inner::NEWTON_ITERATIONS,
    ],
    make: |options, settings| Box::new(MoreauAdaptive::new(options, settings)),
};

const TOLERANCE: Declared = Declared {
    name: "tolerance",
    about: "largest 2(x_½ − x_1) of a coordinate [m, rad] or velocity [m/s, rad/s], and growth of a penetration [m], per inner step",
    kind: Kind::Positive,
    default: "1e-4",
};
const H_MIN: Declared = Declared {
    name: "h_min",
    about: "inner step that is kept whatever its error [s]; each one beyond the tolerance is noted",
    kind: Kind::Positive,
    default: "1e-8",
};
const H_MAX: Declared = Declared {
    name: "h_max",
    about: "largest inner step [s]; none is longer than the step of the run",
    kind: Kind::Positive,
    default: "1e9",
};

/// Of the step size that the estimate allows, as much is taken: the estimate is one.
const SAFETY: f64 = 0.9;
/// Bounds of the change of step size from one inner step to the next, as usual for ordinary differential equations.
const SLOWEST: f64 = 0.2;
const FASTEST: f64 = 5.0;

const FORCED: &str = "inner steps of size h_min kept beyond the tolerance [error / tolerance]";
const FAILED: &str = "inner steps that failed and were tried again, shorter [s]";

/// Moreau–Jean with adaptive inner steps.
struct MoreauAdaptive {
    tolerance: f64,
    h_min: f64,
    h_max: f64,
    inner: MoreauJean,
    work: Inner,
}

/// Scratch: the three solutions of an attempt with their logs.
#[derive(Default)]
struct Inner {
    here: State,
    /// After one step h.
    whole: (State, StepLog),
    /// Inner scratch for steps h, so that neither they nor the halves lose their factors while h stays.
    whole_scratch: Scratch,
    /// After the first and after the second step h/2.
    halves: [(State, StepLog); 2],
    /// At `here`, and after the second step h/2.
    penetration: [Penetration; 2],
    /// x_½ ⊖ x₁ of coordinates.
    apart: Vec<f64>,
    merging: Merging,
    /// Which inner step of the last attempt failed.
    failed: Option<Failed>,
}

/// An inner step that failed: its scratch holds its problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failed {
    Whole,
    Half,
}

impl MoreauAdaptive {
    fn new(options: &Options, settings: SolverSettings) -> Self {
        Self {
            tolerance: options.number(&TOLERANCE),
            h_min: options.number(&H_MIN),
            h_max: options.number(&H_MAX),
            inner: MoreauJean::new(options, settings),
            work: Inner::default(),
        }
    }

    /// Makes the three steps from `here`; returns the error over the tolerance.
    fn attempt(&mut self, model: &Model, h: f64, log: &mut StepLog) -> StepResult<f64> {
        let Inner {
            here,
            whole,
            whole_scratch,
            halves: [first, second],
            penetration,
            apart,
            failed,
            ..
        } = &mut self.work;
        let mut make =
            |inner: &mut MoreauJean, from: &State, h: f64, (to, made): &mut (State, StepLog)| {
                made.clear();
                let result = inner.step(model, from, h, to, made);
                log.solves.extend_from_slice(&made.solves);
                log.counts.evaluations += made.counts.evaluations;
                result
            };
        self.inner.exchange(whole_scratch);
        let made = make(&mut self.inner, here, h, whole);
        self.inner.exchange(whole_scratch);
        *failed = Some(Failed::Whole);
        made?;
        *failed = Some(Failed::Half);
        make(&mut self.inner, here, 0.5 * h, first)?;
        make(&mut self.inner, &first.0, 0.5 * h, second)?;
        *failed = None;
        apart.resize(whole.0.v.len(), 0.0);
        model.difference(&whole.0.q, &second.0.q, apart);
        let far =
            apart.iter().fold(0.0f64, |m, x| m.max(x.abs())).max(distance(&whole.0.v, &second.0.v));
        let [before, after] = penetration;
        after.measure(model, &second.0)?;
        let sunk = after.growth_since(model, before);
        Ok((2.0 * far).max(sunk) / self.tolerance)
    }

    /// Keeps the half steps: they lead to `here`.
    fn keep(&mut self, log: &mut StepLog, worst: &mut Option<Report>) {
        let Inner { here, halves, penetration, merging, .. } = &mut self.work;
        for (_, made) in &*halves {
            merge(made, merging, log);
            let report = made.solves.last();
            let is_worse = |report: &&Report| worst.is_none_or(|w| !(report.residual <= w.residual));
            *worst = report.filter(is_worse).copied().or(*worst);
        }
        penetration.swap(0, 1);
        here.copy_from(&halves[1].0);
        log.counts.steps += 1;
    }
}

impl Integrator for MoreauAdaptive {
    fn accepts(&self, model: &Model) -> Result<(), Refusal> {
        let (h_min, h_max) = (self.h_min, self.h_max);
        if h_min > h_max {
            return Err(Refusal::StepBounds { h_min, h_max });
        }
        self.inner.accepts(model)
    }

    fn step(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        self.work.here.copy_from(now);
        self.work.penetration[0].measure(model, now)?;
        let mut size = Size::new(now, h.min(self.h_max));
        let (mut left, mut worst) = (h, None);
        log.newton_iterations = 0;
        log.works = Default::default();
        while left > 0.0 {
            let try_now = size.fitted(left);
            let is_smallest = try_now <= self.h_min;
            let error = match self.attempt(model, try_now, log) {
                Ok(error) => error,
                Err(failure) if is_smallest || matches!(*failure, StepError::User { .. }) => {
                    return Err(failure);
                }
                Err(_) => {
                    log.note(FAILED, try_now);
                    f64::INFINITY
                }
            };
            if error > 1.0 && is_smallest {
                log.note(FORCED, error);
            }
            let kept = error <= 1.0 || is_smallest;
            size.follow(try_now, error, kept);
            size.next = size.next.max(self.h_min).min(self.h_max);
            if kept {
                left = if try_now == left { 0.0 } else { left - try_now };
                self.keep(log, &mut worst);
            } else {
                log.counts.rejected += 1;
            }
        }
        judged_by(worst, log);
        finish(now, h, &self.work.here, size.next, next);
        // Inner times are sums; what happened at the end happened at t + h.
        let end = self.work.here.t;
        log.events.iter_mut().filter(|event| event.t == end).for_each(|event| event.t = next.t);
        Ok(())
    }

    fn last_problem(&self) -> Option<&Problem> {
        match self.work.failed? {
            Failed::Whole => Some(&self.work.whole_scratch.problem),
            Failed::Half => self.inner.last_problem(),
        }
    }

    fn reset(&mut self) {
        self.work = Inner::default();
        self.inner.reset();
    }
}

/// The size of the next inner step.
struct Size {
    next: f64,
    /// Whether the last attempt was rejected: then the next step must not grow.
    was_rejected: bool,
}

impl Size {
    /// What the state remembers, or `largest`.
    fn new(now: &State, largest: f64) -> Self {
        let known = now.scheme.first().copied().filter(|h| *h > 0.0);
        Self { next: known.map_or(largest, |h| h.min(largest)), was_rejected: false }
    }

    /// The next size, such that no sliver is left at the end of the step of the run.
    fn fitted(&self, left: f64) -> f64 {
        match self.next {
            next if next >= left => left,
            next if 2.0 * next > left => 0.5 * left,
            next => next,
        }
    }

    /// Takes in the error of a step of size `made`.
    fn follow(&mut self, made: f64, error: f64, kept: bool) {
        let fastest = if kept && !self.was_rejected { FASTEST } else { 1.0 };
        let wanted = made * (SAFETY / error).clamp(SLOWEST, fastest);
        // A step cut short by the end of the step of the run says nothing against longer ones.
        self.next = if kept && error <= SAFETY { wanted.max(self.next) } else { wanted };
        self.was_rejected = !kept;
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
}

/// The last solve is the one by which a step is judged: the worst of those that were kept.
fn judged_by(worst: Option<Report>, log: &mut StepLog) {
    let Some(worst) = worst else { return };
    if let Some(place) = log.solves.iter().rposition(|report| *report == worst) {
        let last = log.solves.len() - 1;
        log.solves.swap(place, last);
    }
}

/// The state at the end of the step of the run.
fn finish(now: &State, h: f64, here: &State, size: f64, next: &mut State) {
    next.copy_from(here);
    (next.t, next.step, next.step_size) = (now.t + h, now.step + 1, h);
    next.scheme.clear();
    next.scheme.push(size);
}
