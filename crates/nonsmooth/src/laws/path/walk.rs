//! The path from its begin to its end: steps of extrapolation, cut at events.

use super::PathError;
use super::extrapolate::Extrapolation;
use super::flow::{Event, Flow};

/// Most steps along a path. A ball in a row of ten takes some hundreds.
const MOST_STEPS: usize = 50_000;
/// Columns of a step with which it counts as resolved.
const MOST_COLUMNS: usize = 8;
/// Most halvings of a step.
const MOST_HALVINGS: usize = 200;
/// Most trials to find an event; a secant needs about six.
const MOST_TRIALS: usize = 200;

/// The impulses at the end of the path, by row.
pub(super) fn walk(mut flow: Flow<'_>) -> Result<Vec<f64>, PathError> {
    let n = flow.contacts.len();
    let mut z = flow.start();
    if flow.is_over(&z) {
        return Ok(z.split_off(n));
    }
    let mut walker =
        Walker { extrapolation: Extrapolation::default(), slope: z.clone(), next: z.clone() };
    let mut length = flow.first_step();
    for steps in 0..MOST_STEPS {
        flow.weigh(&z);
        if let Some(event) = flow.passed(&z, None) {
            flow.happen(event, &mut z);
        } else {
            let made = walker.step(&mut flow, &z, length).ok_or(PathError::Unresolved { steps })?;
            length = made.proposal;
            z.clone_from(&walker.next);
            if let Some(event) = made.event {
                flow.happen(event, &mut z);
            }
            flow.settle(&mut z);
        }
        if flow.is_over(&z) {
            return Ok(z.split_off(n));
        }
    }
    Err(PathError::Endless { steps: MOST_STEPS })
}

/// What a step did.
struct Made {
    /// The event at which it ends.
    event: Option<Event>,
    /// Length of the next step.
    proposal: f64,
}

/// Scratch of steps.
struct Walker {
    extrapolation: Extrapolation,
    slope: Vec<f64>,
    next: Vec<f64>,
}

impl Walker {
    /// A step from `z` of about this length, or to the first event on it; the end stands in `next`.
    fn step(&mut self, flow: &mut Flow<'_>, z: &[f64], length: f64) -> Option<Made> {
        flow.slope(z, &mut self.slope);
        let limit = flow.longest(z, &self.slope);
        let mut length = length.min(limit);
        let mut columns = None;
        for _ in 0..MOST_HALVINGS {
            columns = self.try_step(flow, z, length);
            // The last columns are kept for events within the step, so that these are sure to agree too.
            columns = columns.filter(|k| *k < MOST_COLUMNS);
            if columns.is_some() {
                break;
            }
            length *= 0.3;
        }
        let proposal = length
            * match columns? {
                0..=4 => 2.5,
                5..=6 => 1.4,
                _ => 0.8,
            };
        let (mut event, mut end) = (None, length);
        while let Some(passed) = flow.passed(&self.next, event) {
            end = self.locate(flow, z, passed, end);
            event = Some(passed);
        }
        Some(Made { event, proposal })
    }

    fn try_step(&mut self, flow: &mut Flow<'_>, z: &[f64], length: f64) -> Option<usize> {
        let Self { extrapolation, slope, next } = self;
        let scale = std::mem::take(&mut flow.scale);
        let mut f = |z: &[f64], out: &mut [f64]| flow.slope(z, out);
        let columns = extrapolation.step(&mut f, (z, slope), length, &scale, next);
        flow.scale = scale;
        columns
    }

    /// The length at which an event happens that lies between 0 and `end`, by the Illinois method; leaves z there in `next`.
    fn locate(&mut self, flow: &mut Flow<'_>, z: &[f64], event: Event, end: f64) -> f64 {
        let (mut a, mut fa) = (0.0, flow.distance(event, z));
        let (mut b, mut fb) = (end, flow.distance(event, &self.next));
        if fa <= 0.0 {
            self.next.clear();
            self.next.extend_from_slice(z);
            return 0.0;
        }
        let small = 1e-16 * fa.max(-fb);
        let mut before = None;
        for _ in 0..MOST_TRIALS {
            if b - a <= 1e-15 * end {
                break;
            }
            let secant = b - fb * (b - a) / (fb - fa);
            let middle = if secant > a && secant < b { secant } else { 0.5 * (a + b) };
            self.try_step(flow, z, middle);
            let f = flow.distance(event, &self.next);
            if f.abs() <= small {
                return middle;
            }
            let is_past = f < 0.0;
            // The end that stays twice is given less weight, so that it moves too.
            let stays = before == Some(is_past);
            if is_past {
                (b, fb) = (middle, f);
                fa *= if stays { 0.5 } else { 1.0 };
            } else {
                (a, fa) = (middle, f);
                fb *= if stays { 0.5 } else { 1.0 };
            }
            before = Some(is_past);
        }
        self.try_step(flow, z, b);
        b
    }
}
