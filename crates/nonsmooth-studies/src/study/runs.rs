//! The runs of a study: which schemes take the model, one run, and what all runs of a rung give together.

use super::progress::Ticks;
use super::scheme::Scheme;
use super::subject::Subject;
use crate::command::Failure;
use indicatif::ProgressBar;
use nonsmooth::analysis::{Errors, NORMS, Norm, Order, Record, Run, Rung};

/// q or v.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Q,
    V,
}

impl Of {
    pub(super) fn name(self) -> &'static str {
        match self {
            Of::Q => "q",
            Of::V => "v",
        }
    }

    pub(super) fn errors(self, run: &Run) -> &Errors {
        match self {
            Of::Q => &run.q,
            Of::V => &run.v,
        }
    }
}

/// One norm of the error of q or v.
#[derive(Clone, Copy)]
pub(super) struct Measure {
    pub(super) of: Of,
    /// Place in [`NORMS`].
    pub(super) norm: usize,
}

impl Measure {
    pub(super) fn name(self) -> &'static str {
        NORMS[self.norm].0
    }

    pub(super) fn error(self, run: &Run) -> f64 {
        let (_, norm): (_, Norm) = NORMS[self.norm];
        norm(self.of.errors(run))
    }
}

/// One run that was made.
pub(super) struct Made {
    pub(super) steps: u64,
    /// Of an adaptive scheme.
    pub(super) tolerance: Option<f64>,
    /// Processor time, if it was taken [s].
    pub(super) seconds: Option<f64>,
    /// Its errors and costs, or why it failed.
    pub(super) run: Result<Run, String>,
}

/// All runs of a scheme, by rung.
pub(super) struct Studied {
    pub(super) label: String,
    pub(super) rungs: Vec<Vec<Made>>,
}

impl Studied {
    /// The rungs of which all runs went well, in one measure.
    pub(super) fn counted(&self, measure: Measure) -> Vec<Rung> {
        let rungs = self.rungs.iter().filter_map(|rung| good(rung));
        rungs
            .filter_map(|runs| Rung::new(runs.iter().map(|run| (run.step_size, measure.error(run)))))
            .collect()
    }

    /// The order in one measure, of the worst phases of the rungs above `floor`.
    pub(super) fn order(&self, measure: Measure, floor: f64) -> Option<Order> {
        Order::of_maxima(&self.counted(measure), floor)
    }

    /// The same of the means of all phases: a phase that happens to be exact pulls it anywhere.
    pub(super) fn mean_order(&self, measure: Measure, floor: f64) -> Option<Order> {
        Order::of_means(&self.counted(measure), floor)
    }

    /// How many runs failed, of how many, and what the first said.
    pub(super) fn failures(&self) -> Option<(usize, usize, &str)> {
        let all = || self.rungs.iter().flatten();
        let failed: Vec<&str> =
            all().filter_map(|made| made.run.as_ref().err().map(String::as_str)).collect();
        Some((failed.len(), all().count(), *failed.first()?))
    }
}

/// A scheme that does not take the model.
pub(super) struct Refused {
    pub(super) label: String,
    pub(super) reason: String,
}

/// The runs of a rung, if all went well.
pub(super) fn good(rung: &[Made]) -> Option<Vec<&Run>> {
    rung.iter().map(|made| made.run.as_ref().ok()).collect()
}

/// The schemes that take the model, and the others with their reason.
pub(super) fn takers(
    subject: &Subject,
    schemes: Vec<Scheme>,
) -> Result<(Vec<Scheme>, Vec<Refused>), Failure> {
    let (mut takers, mut refused) = (Vec::new(), Vec::new());
    for scheme in schemes {
        match subject.refusal(&scheme)? {
            None => takers.push(scheme),
            Some(reason) => refused.push(Refused { label: scheme.label, reason }),
        }
    }
    Ok((takers, refused))
}

/// One run of `steps` steps over the whole interval.
pub(super) fn record(
    subject: &Subject,
    scheme: &Scheme,
    steps: u64,
    bar: &ProgressBar,
) -> Result<Record, String> {
    let model = subject.model().map_err(|failure| failure.to_string())?;
    let integrator = subject.integrator(scheme);
    let (start, end) = subject.interval;
    let h = (end - start) / steps as f64;
    let mut ticks = Ticks::new(bar);
    let made = Record::new(model, integrator, h, steps, &subject.places, Some(&mut ticks));
    made.map_err(|error| error.to_string())
}
