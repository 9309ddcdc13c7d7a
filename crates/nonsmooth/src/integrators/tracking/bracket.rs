//! The event in a step, between two lengths of one Runge–Kutta step from the same point.
//!
//! ```text
//! nothing happened on the step of length τ_a,   something did on that of length τ_b,   τ_b − τ_a ≤ width
//! ```
//!
//! Both ends are true steps of full order; the methods differ in which length they try next. [Acary10, eq. (48)]

use super::course::Course;
use super::dense::Dense;
use super::grip::Grip;
use super::rows::ConstraintStatus;
use super::runge_kutta::Flow;
use super::sample::{Sample, slip};
use crate::error::StepResult;

/// How the next length is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Locate {
    /// The middle.
    Bisection,
    /// Where y + u τ vanishes, or the line through both values.
    Newton,
    /// First where the polynomial of the step vanishes, then as Newton.
    Dense,
}

/// The words under which they are chosen.
pub(crate) const LOCATE: &[&str] = &["bisection", "newton", "dense"];

impl Locate {
    pub(crate) fn from_word(word: &str) -> Self {
        match word {
            "bisection" => Locate::Bisection,
            "dense" => Locate::Dense,
            _ => Locate::Newton,
        }
    }
}

/// Narrowest bracket, relative to its place: two lengths that differ by less give the same rounding.
const NARROWEST: f64 = 4.0 * f64::EPSILON;
/// Widest bracket, relative to its place. A wider one would lift a contact by a share of its last flight and might
/// feed an accumulation of impacts for ever.
const WIDEST: f64 = 1e-6;
/// A guess is moved by this share of the width, so that the next two tries close in from both sides.
const ASIDE: f64 = 0.4;
/// Tries that may fail to halve the bracket before the middle is taken.
const PATIENCE: usize = 3;

/// The two ends, and the try in between.
#[derive(Default)]
pub(crate) struct Bracket {
    pub(crate) left: Sample,
    pub(crate) right: Sample,
    probe: Sample,
    dense: Dense,
    dips: Vec<f64>,
}

impl Bracket {
    /// Tries a step of length `tau`, into `right`.
    pub(crate) fn open(&mut self, flow: Flow<'_>, course: &mut Course, tau: f64) -> StepResult {
        course.attempt(flow, tau, &mut self.right)
    }

    /// Whether something happened in the step tried last; looks into it where a contact may have been entered and
    /// left again.
    pub(crate) fn has_event(&mut self, flow: Flow<'_>, course: &mut Course) -> StepResult<bool> {
        self.right.grow(course.start.len());
        if course.watch.is_event(&course.start, &self.right) {
            return Ok(true);
        }
        course.watch.dips((&course.start, &course.rk.start), &self.right, &mut self.dips);
        for &tau in &self.dips {
            course.attempt(flow, tau, &mut self.probe)?;
            if course.watch.is_event(&course.start, &self.probe) {
                std::mem::swap(&mut self.right, &mut self.probe);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Narrows the bracket around the first event to `width`.
    pub(crate) fn narrow(
        &mut self,
        flow: Flow<'_>,
        course: &mut Course,
        how: Locate,
        width: f64,
    ) -> StepResult {
        self.left.trial.tau = 0.0;
        self.left.status.clone_from(&course.start);
        self.left.rate.margin.clone_from(&course.rk.start.margin);
        let mut guess = match how {
            Locate::Dense => self.dense.guess(flow, course, &self.right)?,
            _ => None,
        };
        let (mut aside, mut late) = (ASIDE, 0);
        loop {
            let (low, high) = (self.left.trial.tau, self.right.trial.tau);
            let goal = width.min(WIDEST * high).max(NARROWEST * high);
            let middle = 0.5 * (low + high);
            if high - low <= goal || middle <= low || middle >= high {
                return Ok(());
            }
            let mut next = middle;
            if how != Locate::Bisection && late < PATIENCE {
                let place = guess.take().or_else(|| self.crossing(course));
                let place = place.map_or(middle, |place| place + aside * goal);
                next = if place > low && place < high { place } else { middle };
            }
            course.attempt(flow, next, &mut self.probe)?;
            self.left.grow(course.start.len());
            self.right.grow(course.start.len());
            let event = course.watch.is_event(&course.start, &self.probe);
            let side = if event { &mut self.right } else { &mut self.left };
            std::mem::swap(side, &mut self.probe);
            // Past the event: come back from the other side next time.
            aside = if event { -ASIDE } else { ASIDE };
            let halved = self.right.trial.tau - self.left.trial.tau <= 0.5 * (high - low);
            late = if halved { 0 } else { late + 1 };
            if late > PATIENCE {
                late = 0;
            }
        }
    }

    /// Where the first of the events would be if its value were linear.
    fn crossing(&self, course: &Course) -> Option<f64> {
        let (a, b) = (&self.left, &self.right);
        let mut first: Option<f64> = None;
        let mut offer = |tau: f64| first = Some(first.map_or(tau, |first| first.min(tau)));
        for key in 0..course.start.len() {
            if course.watch.is_entered(key, &course.start, b) {
                offer(zero_of_gap(a.trial.tau, &a.status[key], b.trial.tau, &b.status[key])?);
            }
        }
        for (i, _) in b.rate.pulls.iter().enumerate().filter(|(_, pulls)| **pulls) {
            let (x, y) = (a.rate.margin[i], b.rate.margin[i]);
            offer(a.trial.tau + (b.trial.tau - a.trial.tau) * x / (x - y));
        }
        let watch = &course.watch;
        let stopped = |contact: &&(usize, Grip)| watch.has_stopped(contact, &course.start, b);
        for contact in watch.sliding.iter().filter(stopped) {
            let ((x, _), (y, _)) = (slip(contact, &a.status), slip(contact, &b.status));
            offer(a.trial.tau + (b.trial.tau - a.trial.tau) * x / (x - y));
        }
        first
    }
}

/// Newton's guess from the end that is nearer to zero; none where the contact does not close there.
fn zero_of_gap(tau_a: f64, a: &ConstraintStatus, tau_b: f64, b: &ConstraintStatus) -> Option<f64> {
    let (tau, near) = if a.gap.abs() < b.gap.abs() { (tau_a, a) } else { (tau_b, b) };
    (near.u < 0.0).then(|| tau - near.gap / near.u)
}
