//! A run: steps, results on disk, checkpoints, figures at the end.
//!
//! Whatever happens (an error, an interruption, a full disk) the results so far and a checkpoint of the last
//! good state are on disk when this returns; a killed process leaves those of its last commit.

use crate::build::Loaded;
use crate::results::{
    Checkpoint, CheckpointError, CsvError, FIGURES, FigureError, RecordError, Recorder, draw_figures,
    table_names, write_csv,
};
use crate::store::StoreError;
use nonsmooth::{EnergyLedger, RunError, StepError, Summary};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use thiserror::Error;

/// What a run needs to know beside the scene.
pub struct RunOptions<'a> {
    /// Folder for results; made if needed.
    pub out: &'a Path,
    /// Whether to go on from the checkpoint in that folder.
    pub resume: bool,
    /// Set by whoever wants the run to stop after the present step.
    pub stop: &'a AtomicBool,
    /// Set by whoever wants a checkpoint after the present step.
    pub save: &'a AtomicBool,
    /// Called now and then, and once after the last step, with (steps made, steps in all, time reached).
    pub progress: &'a mut dyn FnMut(u64, u64, f64),
}

/// How a run ended.
pub struct Finished {
    /// Counts and extremes.
    pub summary: Summary,
    /// The energy ledger.
    pub ledger: EnergyLedger,
    /// Time reached [s].
    pub t: f64,
    /// Whether it was stopped before its end.
    pub interrupted: bool,
    /// Step from which it was resumed, if it was.
    pub resumed_from: Option<u64>,
    /// Pictures that were drawn.
    pub figures: Vec<PathBuf>,
    /// Name of the constraint with the largest penetration, and when.
    pub penetration_at: Option<(String, f64)>,
}

/// Why a run failed.
#[derive(Debug, Error)]
pub enum RunFailure {
    /// A step failed; the last good state is saved.
    #[error("{source}\nthe last good state (step {step}) is saved in {folder}")]
    Step {
        /// What happened.
        source: RunError,
        /// Last good step.
        step: u64,
        /// Where it is saved.
        folder: PathBuf,
    },
    /// The initial state cannot be evaluated.
    #[error("at the initial state: {0}")]
    Start(#[from] Box<StepError>),
    /// The checkpoint cannot be used or written.
    #[error("{0}")]
    Checkpoint(#[from] CheckpointError),
    /// The results cannot be written.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// A frame cannot be written.
    #[error("{0}")]
    Record(#[from] RecordError),
    /// The folder cannot be made.
    #[error("cannot make the results folder {path}: {source}; choose another with --out")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The CSV files cannot be written.
    #[error("{0}")]
    Csv(#[from] CsvError),
    /// The figures cannot be drawn.
    #[error("the results are complete, but a figure failed: {0}")]
    Figure(#[from] FigureError),
}

/// Coordinates times steps between two calls of `progress`: large models are slow, and watched at each step.
const LOOK_EVERY: u64 = 1000;

/// What is kept while running.
struct Books {
    recorder: Recorder,
    ledger: EnergyLedger,
    summary: Summary,
}

/// Runs the scene to its end, or until it is stopped.
pub fn run(mut loaded: Loaded, options: RunOptions<'_>) -> Result<Finished, RunFailure> {
    let RunOptions { out, resume, stop, save, progress } = options;
    let mut books = if resume { Books::resume(out, &mut loaded)? } else { Books::begin(out, &loaded)? };
    let resumed_from = resume.then_some(loaded.simulation.state.step);
    let stepped = step_all(&mut loaded, (out, stop, save, progress), &mut books);
    let saved = books.save(out, &loaded);
    let Books { recorder, ledger, summary } = books;
    let finished = recorder.finish();
    // What went wrong first is told first.
    stepped?;
    saved?;
    finished?;
    if loaded.output.csv {
        write_csv(out)?;
    }
    let figures = if loaded.output.plots { draw_figures(out, &loaded.plot)? } else { Vec::new() };
    let name = |key| loaded.simulation.model.constraints.name(key).to_owned();
    let penetration_at = summary.penetration_at.map(|(key, t)| (name(key), t));
    let state = &loaded.simulation.state;
    let interrupted = state.step < loaded.n_steps;
    Ok(Finished { summary, ledger, t: state.t, interrupted, resumed_from, figures, penetration_at })
}

impl Books {
    /// Opens the result file with the initial state in it.
    fn begin(out: &Path, loaded: &Loaded) -> Result<Self, RunFailure> {
        std::fs::create_dir_all(out)
            .map_err(|source| RunFailure::Folder { path: out.to_owned(), source })?;
        forget_old(out);
        let (model, state) = (&loaded.simulation.model, &loaded.simulation.state);
        let ledger = EnergyLedger::begin(model, state)?;
        let mut recorder = Recorder::create(out, loaded)?;
        let mut gaps = Vec::new();
        model.gaps(state, &mut Vec::new(), &mut gaps)?;
        recorder.start((model, state), &gaps, &ledger)?;
        let mut books = Self { recorder, ledger, summary: Summary::default() };
        books.save(out, loaded)?;
        Ok(books)
    }

    /// Goes on where the checkpoint was written.
    fn resume(out: &Path, loaded: &mut Loaded) -> Result<Self, RunFailure> {
        let Checkpoint { state, ledger, summary, rows } = Checkpoint::read(out, loaded)?;
        let recorder = Recorder::resume(out, loaded, &rows)?;
        loaded.simulation.resume(state, loaded.start);
        Ok(Self { recorder, ledger, summary })
    }

    fn save(&mut self, out: &Path, loaded: &Loaded) -> Result<(), RunFailure> {
        let rows = self.recorder.sync(&loaded.simulation.model)?;
        let state = loaded.simulation.state.clone();
        let (ledger, summary) = (self.ledger, self.summary.clone());
        Ok(Checkpoint { state, ledger, summary, rows }.write(out, loaded)?)
    }
}

/// Removes figures and CSV files of an earlier run, so that none is taken for one of this run.
fn forget_old(out: &Path) {
    for name in FIGURES {
        for ending in ["png", "svg"] {
            let _ = std::fs::remove_file(out.join(format!("{name}.{ending}")));
        }
    }
    for name in table_names() {
        let _ = std::fs::remove_file(out.join(format!("{name}.csv")));
    }
}

fn step_all(
    loaded: &mut Loaded,
    (out, stop, save, progress): (&Path, &AtomicBool, &AtomicBool, &mut dyn FnMut(u64, u64, f64)),
    books: &mut Books,
) -> Result<(), RunFailure> {
    let look_every = (LOOK_EVERY / loaded.simulation.model.n_velocities() as u64).clamp(1, 64);
    while loaded.simulation.state.step < loaded.n_steps {
        let step = loaded.simulation.state.step;
        if step.is_multiple_of(look_every) {
            progress(step, loaded.n_steps, loaded.simulation.state.t);
        }
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let frame = loaded.simulation.step().map_err(|source| RunFailure::Step {
            source,
            step,
            folder: out.to_owned(),
        })?;
        books.ledger.book(frame.log.energies, frame.log.works);
        books.summary.book(&frame);
        let is_last = frame.after.step == loaded.n_steps;
        books.recorder.step(&frame, &books.ledger, is_last)?;
        let is_due = (step + 1).is_multiple_of(loaded.output.checkpoint_every);
        if is_due || save.swap(false, Ordering::Relaxed) {
            books.save(out, loaded)?;
        }
    }
    progress(loaded.simulation.state.step, loaded.n_steps, loaded.simulation.state.t);
    Ok(())
}
