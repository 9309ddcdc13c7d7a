//! A run: steps, results on disk, checkpoints, figures at the end.
//!
//! Whatever happens (an error, an interruption, a full disk) the results so far and a checkpoint of the last
//! good state are on disk when this returns; a killed process leaves those of its last commit.

use crate::build::Loaded;
use crate::observers::{Due, Report, Resumed, RunObserver, Setup, chosen};
use crate::results::{
    CHECKPOINT_FILE, Checkpoint, CheckpointError, CsvError, Ending, FigureError, FolderLock, LockError,
    Memory, RESULT_FILE, SUMMARY_FILE, Segment, SummaryFile, draw_figures, figure_names, n_present,
    overlap_at, penetration_at, write_csv,
};
use crate::tidy;
use crate::unsolved::{forget_unsolved, n_unsolved, save_counted, save_unsolved, unsolved};
use crate::views::n_contacts;
use nonsmooth::model::UserError;
use nonsmooth::observers::{ErrorEstimate, estimate};
use nonsmooth::{Observation, RunError, Simulation, State};
use nonsmooth_solvers::Status;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use thiserror::Error;

/// What a run needs to know beside the scene.
pub struct RunOptions<'a> {
    /// Folder for results; made if needed.
    pub out: &'a Path,
    /// What becomes of results that are there already.
    pub start: Start,
    /// Set by whoever wants the run to stop after the present step.
    pub stop: &'a AtomicBool,
    /// Set by whoever wants a checkpoint after the present step.
    pub save: &'a AtomicBool,
    /// Called now and then, and once after the last step.
    pub progress: &'a mut dyn FnMut(&Progress),
    /// Wall and processor time since the start [s].
    pub clock: Clock<'a>,
}

/// Wall and processor time since the start [s].
pub type Clock<'a> = &'a dyn Fn() -> [f64; 2];

/// What becomes of results in the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// There must be none.
    New,
    /// They are replaced.
    Overwrite,
    /// They are continued from the checkpoint.
    Resume,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Steps made.
    pub step: u64,
    /// Steps in all.
    pub n_steps: u64,
    /// Time reached [s].
    pub t: f64,
    /// Contacts that took part in the last step, of constraints and of bodies.
    pub contacts: usize,
    /// Iterations of the solver in the last step.
    pub iterations: usize,
    /// Bodies that are present.
    pub present: usize,
}

/// How a run ended.
pub struct Finished {
    /// What the observers know.
    pub report: Report,
    /// The error that the step size makes, or why it is not known.
    pub estimate: Result<ErrorEstimate, String>,
    /// Steps made, those before a resume included.
    pub steps: u64,
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
    /// Names of the two bodies with the largest overlap, and when.
    pub overlap_at: Option<([String; 2], f64)>,
    /// Number of moving bodies, and how many are present at the end.
    pub bodies: (usize, usize),
    /// Where the problems of steps above the tolerance are saved, the first ten of them.
    pub unsolved: Vec<PathBuf>,
}

/// Why a run failed.
#[derive(Debug, Error)]
pub enum RunFailure {
    /// A step failed; the last good state is saved.
    #[error("{source}{problem}\nthe last good state (step {step}) is saved in {folder}")]
    Step {
        /// What happened.
        source: Box<RunError>,
        /// Last good step.
        step: u64,
        /// Where it is saved.
        folder: PathBuf,
        /// Where the problem is saved that could not be solved, on a line of its own; empty if there is none.
        problem: String,
    },
    /// An observer failed; step 0 is the initial state.
    #[error("observer `{name}`, after step {step}: {source}")]
    Observer {
        /// Which one.
        name: &'static str,
        /// Step after which it failed.
        step: u64,
        /// What it said.
        source: UserError,
    },
    /// There are results already.
    #[error("{} has results of an earlier run: continue it with --resume, replace it with --overwrite, or choose another folder with --out", folder.display())]
    Occupied {
        /// The folder.
        folder: PathBuf,
    },
    /// Another run writes there.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The checkpoint cannot be used or written.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The summary cannot be written.
    #[error("cannot write {path}: {source}")]
    Summary {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The folder cannot be made.
    #[error("cannot make the results folder {path}: {source}; choose another with --out")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The CSV files cannot be written.
    #[error(transparent)]
    Csv(#[from] CsvError),
    /// The figures cannot be drawn.
    #[error("the results are complete, but a figure failed: {0}")]
    Figure(#[from] FigureError),
}

/// Coordinates times steps between two calls of `progress`: large models are slow, and watched at each step.
const LOOK_EVERY: u64 = 1000;

/// The observers of a run with their names.
struct Books(Vec<(&'static str, Box<dyn RunObserver>)>);

/// Runs the scene to its end, or until it is stopped.
pub fn run(mut loaded: Loaded, mut options: RunOptions<'_>) -> Result<Finished, RunFailure> {
    let (out, start) = (options.out, options.start);
    let _lock = prepare(out, start)?;
    let is_resumed = start == Start::Resume;
    let mut books =
        if is_resumed { Books::resume(out, &mut loaded)? } else { Books::begin(out, &loaded)? };
    let resumed_from = is_resumed.then_some(loaded.simulation.state.step);
    let stepped = step_all(&mut loaded, &mut options, &mut books);
    let saved = books.save(out, &loaded);
    let report = books.report();
    let closed = books.close(loaded.simulation.state.step);
    let interrupted = loaded.simulation.state.step < loaded.n_steps;
    let status = match &stepped {
        Err(_) => "failed",
        Ok(()) if interrupted => "interrupted",
        Ok(()) => "finished",
    };
    let error = stepped.as_ref().err().map(ToString::to_string);
    let (times, segments) = ((options.clock)(), Segment::all(out));
    let estimate = estimated(&report, &loaded);
    let ending = Ending { status, error, resumed_from, times, segments };
    let known = (report.summary.as_ref(), report.ledger.as_ref());
    let summed = SummaryFile::new(&loaded, known, &estimate, ending).write(out);
    // What went wrong first is told first.
    stepped?;
    saved?;
    closed?;
    summed.map_err(|source| RunFailure::Summary { path: out.join(SUMMARY_FILE), source })?;
    if loaded.output.csv {
        write_csv(out)?;
    }
    let figures = if loaded.output.plots { draw_figures(out, &loaded.plot)? } else { Vec::new() };
    let Simulation { model, state, .. } = &loaded.simulation;
    let summary = report.summary.as_ref();
    let penetration_at = summary.and_then(|summary| penetration_at(model, summary));
    let overlap_at = summary.and_then(|summary| overlap_at(model, summary));
    let bodies = (model.rigid.bodies.len(), n_present(model, state));
    let unsolved = unsolved(out);
    let (t, steps) = (state.t, state.step);
    Ok(Finished {
        report,
        estimate,
        steps,
        t,
        interrupted,
        resumed_from,
        figures,
        penetration_at,
        overlap_at,
        bodies,
        unsolved,
    })
}

/// The error that the step size makes, or why it is not known.
fn estimated(report: &Report, loaded: &Loaded) -> Result<ErrorEstimate, String> {
    let (Some(summary), Some(ledger)) = (&report.summary, &report.ledger) else {
        return Err(
            "it takes `summary` and `energy-ledger`, and the scene leaves one of them out".into()
        );
    };
    let known = estimate(ledger, summary, loaded.simulation.accuracy(), loaded.step_size);
    known.map_err(|reason| reason.to_string())
}

/// Makes and locks the folder, and sees to results that are there.
fn prepare(out: &Path, start: Start) -> Result<FolderLock, RunFailure> {
    if start == Start::Resume && !out.is_dir() {
        return Err(CheckpointError::Missing { path: out.to_owned() }.into());
    }
    std::fs::create_dir_all(out)
        .map_err(|source| RunFailure::Folder { path: out.to_owned(), source })?;
    let lock = FolderLock::take(out)?;
    let has_results = written().any(|name| out.join(name).exists());
    match start {
        Start::New if has_results => return Err(RunFailure::Occupied { folder: out.to_owned() }),
        Start::New | Start::Overwrite => forget_old(out),
        Start::Resume => {}
    }
    Ok(lock)
}

impl Books {
    /// All observers that the scene has; each gets the memory of its name.
    fn make<'a>(
        out: &Path,
        loaded: &Loaded,
        resumed: impl Fn(&str) -> Option<Resumed<'a>>,
    ) -> Result<Self, RunFailure> {
        let (output, step) = (&loaded.output, loaded.simulation.state.step);
        let made = chosen(output).map(|entry| {
            let (name, due) = (entry.name, Due::new(output.every, loaded.n_steps));
            let setup = Setup { out, loaded, due, resumed: resumed(name) };
            let observer = entry.build(&setup);
            Ok((name, observer.map_err(|source| RunFailure::Observer { name, step, source })?))
        });
        Ok(Self(made.collect::<Result<_, RunFailure>>()?))
    }

    /// Shows the initial state to every observer, and saves it.
    fn begin(out: &Path, loaded: &Loaded) -> Result<Self, RunFailure> {
        let Simulation { model, state, .. } = &loaded.simulation;
        let mut books = Self::make(out, loaded, |_| None)?;
        books.each(0, |observer| observer.start(model, state))?;
        books.save(out, loaded)?;
        Ok(books)
    }

    /// Goes on where the checkpoint was written.
    fn resume(out: &Path, loaded: &mut Loaded) -> Result<Self, RunFailure> {
        let (Checkpoint { state, memories }, changes) = Checkpoint::read(out, loaded)?;
        let (step, t, none) = (state.step, state.t, Memory::default());
        let books = Self::make(out, loaded, |name| {
            let memory = memories.iter().find(|(known, _)| known == name);
            let memory = memory.map_or(&none, |(_, memory)| memory);
            Some(Resumed { step, t, changes: &changes, memory })
        })?;
        loaded.simulation.resume(state.into_owned(), loaded.start);
        Ok(books)
    }

    /// Does something with every observer; `step` is told where one fails.
    fn each(
        &mut self,
        step: u64,
        mut act: impl FnMut(&mut dyn RunObserver) -> Result<(), UserError>,
    ) -> Result<(), RunFailure> {
        for (name, observer) in &mut self.0 {
            act(&mut **observer).map_err(|source| RunFailure::Observer { name, step, source })?;
        }
        Ok(())
    }

    /// Shows a step to every observer.
    fn step(&mut self, frame: &Observation<'_>) -> Result<(), RunFailure> {
        self.each(frame.after.step, |observer| observer.step(frame))
    }

    /// Observers write what they hold back before the checkpoint that counts on it.
    fn save(&mut self, out: &Path, loaded: &Loaded) -> Result<(), RunFailure> {
        let state: &State = &loaded.simulation.state;
        self.each(state.step, |observer| observer.save())?;
        let memories = self.0.iter().map(|(name, observer)| ((*name).to_owned(), observer.memory()));
        let memories = memories.collect();
        Ok(Checkpoint { state: Cow::Borrowed(state), memories }.write(out, loaded)?)
    }

    /// What all of them know.
    fn report(&self) -> Report {
        let mut report = Report::default();
        self.0.iter().for_each(|(_, observer)| observer.report(&mut report));
        report
    }

    /// Closes their files.
    fn close(self, step: u64) -> Result<(), RunFailure> {
        let failed = |name| move |source| RunFailure::Observer { name, step, source };
        self.0.into_iter().try_for_each(|(name, observer)| observer.close().map_err(failed(name)))
    }
}

/// The files that a run writes or removes, beside those of observers and of unsolved steps.
fn written() -> impl Iterator<Item = String> {
    let figures = figure_names().flat_map(|name| ["png", "svg"].map(|end| format!("{name}.{end}")));
    let tables = tidy::TABLES.iter().map(|name| format!("{name}.csv"));
    [RESULT_FILE, SUMMARY_FILE, CHECKPOINT_FILE]
        .map(str::to_owned)
        .into_iter()
        .chain(figures)
        .chain(tables)
}

/// Removes what an earlier run left, so that none of it is taken for a result of this run.
fn forget_old(out: &Path) {
    forget_unsolved(out);
    for name in written() {
        let _ = std::fs::remove_file(out.join(name));
    }
}

fn step_all(
    loaded: &mut Loaded,
    options: &mut RunOptions<'_>,
    books: &mut Books,
) -> Result<(), RunFailure> {
    let RunOptions { out, stop, save, progress, .. } = options;
    let look_every = (LOOK_EVERY / loaded.simulation.model.n_velocities().max(1) as u64).clamp(1, 64);
    let (mut last, mut n_saved) = ((0, 0), n_unsolved(out, loaded.simulation.state.step));
    while loaded.simulation.state.step < loaded.n_steps {
        let step = loaded.simulation.state.step;
        if step.is_multiple_of(look_every) {
            progress(&how_far(loaded, last));
        }
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let frame = match loaded.simulation.step() {
            Ok(frame) => frame,
            Err(source) => {
                let problem = save_unsolved(loaded, &source, out).unwrap_or_default();
                let (source, folder) = (Box::new(source), out.to_owned());
                return Err(RunFailure::Step { source, step, folder, problem });
            }
        };
        last = cost(&frame);
        let missed = frame.log.solves.last().filter(|report| report.status != Status::Converged);
        let missed = missed.map(|report| report.residual);
        books.step(&frame)?;
        if let Some(residual) = missed {
            save_counted(loaded, &mut n_saved, residual, out);
        }
        let is_due = (step + 1).is_multiple_of(loaded.output.checkpoint_every);
        if is_due || save.swap(false, Ordering::Relaxed) {
            books.save(out, loaded)?;
        }
    }
    progress(&how_far(loaded, last));
    Ok(())
}

/// Contacts and iterations of a step.
fn cost(step: &Observation<'_>) -> (usize, usize) {
    let iterations = step.log.solves.iter().map(|report| report.iterations).sum();
    (n_contacts(step.model, &step.log.constraints), iterations)
}

fn how_far(loaded: &Loaded, (contacts, iterations): (usize, usize)) -> Progress {
    let Simulation { model, state, .. } = &loaded.simulation;
    let (n_steps, present) = (loaded.n_steps, n_present(model, state));
    Progress { step: state.step, n_steps, t: state.t, contacts, iterations, present }
}
