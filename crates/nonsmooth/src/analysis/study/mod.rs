//! A study: one integrator on one model over a ladder of step sizes, its errors in all norms and what it cost.
//!
//! ```text
//! at the nodes tᵢ:     L1, L2 and maximum of qᵢ − q(tᵢ) and vᵢ − v(tᵢ⁺)            norms.rs
//! between graphs:      Hausdorff distance of the filled-in graphs of q and v       hausdorff.rs
//! ```
//!
//! [Acary10, eq. (32)–(38)]. Between its nodes the computed q is taken as linear, the computed v as steps,
//! continuous from the right; that alone costs O(h) in the distance of v and O(h²) in that of q, so for schemes
//! of higher order the norms at the nodes tell more. The reference is an exact solution, or another run,
//! interpolated as `reference.rs` says. Vectors are measured by their largest component.
//!
//! [`Study`] does it all. Who wants several integrators against one reference, or a clock around each run, takes its
//! parts: [`Places`], [`Record::new`], [`Known::compare`].

mod places;
mod record;
mod reference;
mod threads;

pub use places::Places;
pub use record::Record;
pub use reference::Known;
pub use threads::in_parallel;

use super::exact::Exact;
use super::ladder::Ladder;
use super::order::{Order, Rung};
use crate::integrators::{Integrator, Refusal};
use crate::log::Counts;
use crate::model::{Model, ModelError, State};
use crate::simulation::RunError;
use std::sync::Arc;
use thiserror::Error;

/// Makes the model and its initial state anew for every run.
pub type ModelFactory<'a> = dyn Fn() -> Result<(Arc<Model>, State), ModelError> + Sync + 'a;

/// Makes the integrator anew for every run.
pub type IntegratorFactory<'a> = dyn Fn() -> Box<dyn Integrator> + Sync + 'a;

/// What is studied.
pub struct Study<'a> {
    /// The interval of time, which must begin where the model does, and the numbers of steps.
    pub ladder: &'a Ladder,
    /// What moves.
    pub model: &'a ModelFactory<'a>,
    /// What steps it.
    pub integrator: &'a IntegratorFactory<'a>,
    /// What it is compared with.
    pub reference: Reference<'a>,
    /// Places in q and in v that count; empty for all.
    pub coordinates: &'a [usize],
    /// Runs made at the same time. The results do not depend on it.
    pub threads: usize,
    /// Called after each of the [`Study::n_runs`] runs, from any thread.
    pub progress: &'a (dyn Fn() + Sync),
}

/// What a run is compared with.
#[derive(Clone, Copy)]
pub enum Reference<'a> {
    /// The exact solution, right limits at the nodes.
    Exact(&'a dyn Exact),
    /// A run with many more steps than any of the ladder, of the same or another integrator.
    Run {
        /// What makes it.
        integrator: &'a IntegratorFactory<'a>,
        /// Its number of steps.
        steps: u64,
    },
}

/// The error of q or of v in one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Errors {
    /// h Σ |e| [unit of e · s].
    pub l1: f64,
    /// (h Σ e²)^½ [unit of e · s^½].
    pub l2: f64,
    /// max |e| [unit of e].
    pub maximum: f64,
    /// Hausdorff distance of the filled-in graphs [unit of e, or s].
    pub hausdorff: f64,
}

/// Reads one norm.
pub type Norm = fn(&Errors) -> f64;

/// The norms of [`Errors`], by name.
pub static NORMS: &[(&str, Norm)] = &[
    ("l1", |errors| errors.l1),
    ("l2", |errors| errors.l2),
    ("maximum", |errors| errors.maximum),
    ("hausdorff", |errors| errors.hausdorff),
];

/// What a run cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Steps of the grid.
    pub steps: u64,
    /// Inner steps and evaluations.
    pub counts: Counts,
    /// One-step problems.
    pub problems: u64,
}

/// One run of a study.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// h [s].
    pub step_size: f64,
    /// Error of the coordinates.
    pub q: Errors,
    /// Error of the velocities.
    pub v: Errors,
    /// What it cost.
    pub work: Work,
}

/// All runs of a study, by rung, coarsest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Runs(pub Vec<Vec<Run>>);

impl Runs {
    /// The rungs in one measure of the error, as in `runs.rungs(|run| run.q.l1)`.
    pub fn rungs(&self, error: impl Fn(&Run) -> f64) -> Vec<Rung> {
        let rung = |runs: &Vec<Run>| Rung::new(runs.iter().map(|run| (run.step_size, error(run))));
        self.0.iter().filter_map(rung).collect()
    }

    /// The order of the mean errors in one measure; rungs below `floor` do not count.
    pub fn order(&self, error: impl Fn(&Run) -> f64, floor: f64) -> Option<Order> {
        Order::of_means(&self.rungs(error), floor)
    }
}

/// Why a study could not be made.
#[derive(Debug, Error)]
pub enum StudyError {
    /// The model is wrong.
    #[error("{0}")]
    Model(#[from] ModelError),
    /// The integrator does not take the model.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// A run failed.
    #[error("the run of {steps} steps failed at {source}")]
    Run {
        /// Its number of steps.
        steps: u64,
        /// What happened.
        source: RunError,
    },
    /// The ladder does not begin where the model does.
    #[error("the model begins at t = {model} s, the ladder at {ladder} s")]
    Start {
        /// Time of the initial state [s].
        model: f64,
        /// Start of the ladder [s].
        ladder: f64,
    },
    /// There is no such coordinate.
    #[error(
        "there is no coordinate {index} to compare: the model has {} in q and {} in v, the reference {} and {}",
        model[0], model[1], reference[0], reference[1]
    )]
    Coordinate {
        /// The place asked for.
        index: usize,
        /// Numbers of coordinates and velocities of the model.
        model: [usize; 2],
        /// Numbers of coordinates and velocities of the reference.
        reference: [usize; 2],
    },
}

impl Study<'_> {
    /// Runs to be made, the reference included.
    pub fn n_runs(&self) -> usize {
        self.ladder.n_runs() + usize::from(matches!(self.reference, Reference::Run { .. }))
    }

    /// Makes all runs. Of several that fail, the coarsest is reported.
    pub fn run(&self) -> Result<Runs, StudyError> {
        let places = self.places()?;
        let known = match self.reference {
            Reference::Exact(exact) => Known::exact(exact, &places),
            Reference::Run { integrator, steps } => Known::run(self.one(integrator, steps, &places)?),
        };
        let steps: Vec<u64> = self.ladder.rungs.iter().flatten().copied().collect();
        // The long runs first, so that no thread is left with one at the end.
        let mut made = in_parallel(self.threads, steps.len(), |i| {
            let steps = steps[steps.len() - 1 - i];
            Ok(known.compare(&self.one(self.integrator, steps, &places)?))
        });
        made.reverse();
        let made = made.into_iter().collect::<Result<Vec<Run>, StudyError>>()?;
        let mut rest = &made[..];
        let rungs = self.ladder.rungs.iter().map(|rung| {
            let (runs, others) = rest.split_at(rung.len());
            rest = others;
            runs.to_vec()
        });
        Ok(Runs(rungs.collect()))
    }

    /// The places in q and v that count, checked.
    fn places(&self) -> Result<Places, StudyError> {
        let (_, state) = (self.model)()?;
        if state.t != self.ladder.start {
            return Err(StudyError::Start { model: state.t, ladder: self.ladder.start });
        }
        match self.reference {
            Reference::Exact(exact) => Places::shared(&state, exact, self.coordinates),
            Reference::Run { .. } => Places::new(&state, self.coordinates),
        }
    }

    fn one(
        &self,
        integrator: &IntegratorFactory,
        steps: u64,
        places: &Places,
    ) -> Result<Record, StudyError> {
        let h = self.ladder.step_size(steps);
        let made = Record::new((self.model)()?, integrator(), h, steps, places, None);
        (self.progress)();
        made
    }
}
