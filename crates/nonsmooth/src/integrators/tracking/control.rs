//! Inner steps chosen by their error, and the method of a family chosen by its work.
//!
//! ```text
//! error = |x̂ − x| by embedded weights, or |x_½ − x| 2^p/(2^p − 1) from two half steps, relative to max(|x|, 1)
//! τ ← τ · clamp(0.9 (tolerance/error)^{1/(p+1)}, 0.2, 5)                                 [Hairer93, sec. II.4]
//! ```
//!
//! Where a slip turns in space the friction is singular at no slip, and steps of fixed length have no order: there they are chosen by their
//! error in any case, to a tolerance of the order aimed at.
//!
//! With the order adaptive every few inner steps all methods of the family are tried once from the present point; the
//! one that promises the longest step per evaluation goes on.

use super::butcher::Tableau;
use super::course::Course;
use super::runge_kutta::{Flow, RungeKutta, TrialStep};
use super::sample::Sample;
use crate::error::{StepError, StepResult};
use crate::model::State;

/// Safety factor and bounds of a change of the step size.
const SAFETY: f64 = 0.9;
const SHRINK: f64 = 0.2;
const GROW: f64 = 5.0;
/// Smallest inner step, relative to the grid step.
const SMALLEST: f64 = 1e-12;
/// Slip that counts as none where it turns, in tolerances of a step.
const REST: f64 = 10.0;
/// Smallest tolerance of the order aimed at: rounding of a step.
const LEAST_TOLERANCE: f64 = 1e-13;
/// Inner steps between two comparisons of the methods: these then cost less than half of the work.
const REVIEW: f64 = 10.0;

/// How inner steps are chosen. Its numbers live in the state.
pub(crate) struct Control {
    /// Largest error of an inner step, relative to max(|x|, 1) [–]; `None` for one inner step per grid step.
    pub(crate) tolerance: Option<f64>,
    /// C and T of the tolerance C (h/T)^{p+1} of a step where a slip turns and `tolerance` says nothing.
    pub(crate) turning: Option<[f64; 2]>,
    /// Whether the method may change within its family.
    pub(crate) any_order: bool,
    family: &'static [&'static Tableau],
    /// The method asked for.
    first: usize,
    /// The method at work.
    place: usize,
    /// Length of the next inner step [s].
    stride: f64,
    /// Inner steps until the next comparison.
    until_review: f64,
    other: RungeKutta,
    half: TrialStep,
    whole: TrialStep,
}

/// Numbers that [`Control`] keeps in the state.
pub(crate) const N_MEMORY: usize = 3;

impl Control {
    pub(crate) fn new(
        (family, first): (&'static [&'static Tableau], usize),
        tolerance: Option<f64>,
        any_order: bool,
    ) -> Self {
        Self {
            tolerance,
            turning: None,
            any_order,
            family,
            first,
            place: first,
            stride: f64::INFINITY,
            until_review: 0.0,
            other: RungeKutta::default(),
            half: TrialStep::default(),
            whole: TrialStep::default(),
        }
    }

    pub(crate) fn method(&self) -> &'static Tableau {
        self.family[self.place]
    }

    /// Takes up what the state remembers.
    pub(crate) fn load(&mut self, now: &State) {
        (self.place, self.stride, self.until_review) = (self.first, f64::INFINITY, 0.0);
        if let [stride, place, until_review, ..] = now.scheme[..] {
            self.stride = if stride > 0.0 { stride } else { f64::INFINITY };
            self.place = (place as usize).min(self.family.len() - 1);
            self.until_review = until_review;
        }
    }

    /// Leaves it to the next state.
    pub(crate) fn save(&self, next: &mut State) {
        next.scheme.clear();
        let stride = if self.stride.is_finite() { self.stride } else { 0.0 };
        next.scheme.extend([stride, self.place as f64, self.until_review]);
    }

    /// Length of the next inner step.
    pub(crate) fn length(&self, remaining: f64) -> f64 {
        remaining.min(self.stride)
    }

    /// The tolerance of steps of a flow, where they are chosen by their error.
    fn tolerance_of(&self, flow: Flow<'_>, h: f64) -> Option<f64> {
        let turning = self.turning.filter(|_| flow.mode.turns());
        let of_order = |[factor, scale]: [f64; 2]| factor * (h / scale).powi(flow.method.order + 1);
        self.tolerance.or(turning.map(|turning| of_order(turning).max(LEAST_TOLERANCE)))
    }

    /// Slip in space that cannot be told from none: a few errors of a step [m/s].
    pub(crate) fn rest(&self, flow: Flow<'_>, h: f64) -> f64 {
        self.tolerance_of(flow, h).map_or(0.0, |tolerance| REST * tolerance)
    }

    /// Whether the step just tried is good enough; chooses the next length.
    pub(crate) fn accepts(
        &mut self,
        flow: Flow<'_>,
        course: &mut Course,
        sample: &Sample,
    ) -> StepResult<bool> {
        let Some(tolerance) = self.tolerance_of(flow, course.h) else {
            self.stride = f64::INFINITY;
            return Ok(true);
        };
        let error = match course.rk.embedded_error(flow.method, &sample.trial) {
            Some(error) => error,
            None => self.doubling_error(flow, course, sample.trial.tau, &sample.trial)?,
        };
        let stride = sample.trial.tau * growth(flow.method, tolerance, error);
        let accepted = error <= tolerance;
        // A step cut short by the end of the grid step says little about longer ones.
        if !accepted || stride < self.stride || sample.trial.tau >= self.stride {
            self.stride = stride;
        }
        if !accepted && !(self.stride >= SMALLEST * course.h) {
            return Err(StepError::InnerStep { smallest: SMALLEST * course.h, t: course.at.t }.into());
        }
        Ok(accepted)
    }

    /// Asks for shorter steps than the one just tried, for reasons of the scheme; false if they would be too short.
    pub(crate) fn shorten(&mut self, course: &Course, tau: f64) -> bool {
        self.stride = 0.5 * tau;
        self.stride >= SMALLEST * course.h
    }

    /// Stages that were not found are a reason for a shorter step where steps may be shortened.
    pub(crate) fn forgive(
        &mut self,
        error: Box<StepError>,
        flow: Flow<'_>,
        course: &Course,
        tau: f64,
    ) -> StepResult {
        let controls = self.tolerance_of(flow, course.h).is_some();
        let forgiven = matches!(*error, StepError::Stages { .. }) && controls;
        if forgiven && self.shorten(course, tau) { Ok(()) } else { Err(error) }
    }

    /// Error of a whole step against two halves.
    fn doubling_error(
        &mut self,
        flow: Flow<'_>,
        course: &mut Course,
        tau: f64,
        whole: &TrialStep,
    ) -> StepResult<f64> {
        let Control { other, half, .. } = self;
        let motion = &mut course.motion;
        other.begin(flow.model, flow.mode, &course.at, motion)?;
        other.step(flow, 0.5 * tau, motion, half)?;
        let middle = std::mem::take(&mut half.at);
        other.begin(flow.model, flow.mode, &middle, motion)?;
        half.at = middle;
        other.step(flow, 0.5 * tau, motion, half)?;
        let relative = |(x, y): (&f64, &f64)| (x - y).abs() / x.abs().max(1.0);
        let (a, b) = (&whole.at, &half.at);
        let pairs = a.q.iter().zip(&b.q).chain(a.v.iter().zip(&b.v));
        let power = 2.0f64.powi(flow.method.order);
        Ok(pairs.map(relative).fold(0.0, f64::max) * power / (power - 1.0))
    }

    /// Compares the methods of the family with steps of about the present length, when it is time to.
    pub(crate) fn review(&mut self, flow: Flow<'_>, course: &mut Course, remaining: f64) -> StepResult {
        let Some(tolerance) = self.tolerance.filter(|_| self.any_order) else { return Ok(()) };
        if self.until_review > 0.0 {
            self.until_review -= 1.0;
            return Ok(());
        }
        self.until_review = REVIEW;
        let tau = self.length(remaining);
        let mut best = (0.0, self.place, self.stride);
        for place in 0..self.family.len() {
            let flow = Flow { method: self.family[place], ..flow };
            let before = course.motion.evaluations;
            let mut whole = std::mem::take(&mut self.whole);
            course.rk.step(flow, tau, &mut course.motion, &mut whole)?;
            let error = match course.rk.embedded_error(flow.method, &whole) {
                Some(error) => error,
                None => self.doubling_error(flow, course, tau, &whole)?,
            };
            self.whole = whole;
            let work = (course.motion.evaluations - before) as f64;
            let stride = tau * growth(flow.method, tolerance, error);
            if stride / work > best.0 {
                best = (stride / work, place, stride);
            }
        }
        (self.place, self.stride) = (best.1, best.2);
        Ok(())
    }
}

fn growth(method: &Tableau, tolerance: f64, error: f64) -> f64 {
    let order = method.embedded.as_ref().map_or(method.order, |e| e.order.min(method.order));
    let exponent = 1.0 / f64::from(order + 1);
    // No error at all, as in a flight under gravity: as long as allowed.
    (SAFETY * (tolerance / error).powf(exponent)).clamp(SHRINK, GROW)
}
