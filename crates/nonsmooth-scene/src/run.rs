//! A run: steps, results on disk, checkpoints, figures at the end.
//!
//! Whatever happens (an error, an interruption, a full disk) the results so far and a checkpoint of the last
//! good state are on disk when this returns; a killed process leaves those of its last commit.

use crate::build::Loaded;
use crate::results::{
    Checkpoint, CheckpointError, CsvError, FigureError, FrameError, RecordError, Recorder, VtkFrames,
    draw_figures, figure_names, table_names, write_csv,
};
use crate::store::{FRAMES, StoreError};
use crate::unsolved::{forget_unsolved, save_unsolved};
use nonsmooth::{EnergyLedger, RunError, Simulation, StepError, StepLog, Summary, Touched};
use std::borrow::Cow;
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
    /// Called now and then, and once after the last step.
    pub progress: &'a mut dyn FnMut(&Progress),
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
    /// Names of the two bodies with the largest overlap, and when.
    pub overlap_at: Option<([String; 2], f64)>,
    /// Number of moving bodies, and how many are present at the end.
    pub bodies: (usize, usize),
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
    /// A frame for ParaView cannot be written.
    #[error("{0}")]
    Vtk(#[from] FrameError),
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
    vtk: Option<VtkFrames>,
    ledger: EnergyLedger,
    summary: Summary,
}

/// Runs the scene to its end, or until it is stopped.
pub fn run(mut loaded: Loaded, mut options: RunOptions<'_>) -> Result<Finished, RunFailure> {
    let RunOptions { out, resume, .. } = options;
    let mut books = if resume { Books::resume(out, &mut loaded)? } else { Books::begin(out, &loaded)? };
    let resumed_from = resume.then_some(loaded.simulation.state.step);
    let stepped = step_all(&mut loaded, &mut options, &mut books);
    let saved = books.save(out, &loaded);
    let Books { recorder, ledger, summary, .. } = books;
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
    let names = &loaded.simulation.model.bodies.names;
    let overlap_at =
        summary.overlap_at.map(|(bodies, t)| (bodies.map(|i| names[i as usize].clone()), t));
    let bodies = (loaded.simulation.model.bodies.n, present(&loaded.simulation));
    let Simulation { state, .. } = &loaded.simulation;
    let (t, interrupted) = (state.t, state.step < loaded.n_steps);
    Ok(Finished {
        summary,
        ledger,
        t,
        interrupted,
        resumed_from,
        figures,
        penetration_at,
        overlap_at,
        bodies,
    })
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
        let mut vtk = None;
        if loaded.output.vtk {
            let mut frames = VtkFrames::open(out, model, None).map_err(FrameError::from)?;
            frames.frame(model, state, &Touched::default())?;
            vtk = Some(frames);
        }
        let mut books = Self { recorder, vtk, ledger, summary: Summary::default() };
        books.save(out, loaded)?;
        Ok(books)
    }

    /// Goes on where the checkpoint was written.
    fn resume(out: &Path, loaded: &mut Loaded) -> Result<Self, RunFailure> {
        let Checkpoint { state, ledger, summary, rows } = Checkpoint::read(out, loaded)?;
        let recorder = Recorder::resume(out, loaded, &rows)?;
        let mut vtk = None;
        if loaded.output.vtk {
            let n = rows.iter().find(|(name, _)| name == FRAMES).map_or(0, |(_, n)| *n as usize);
            let frames = VtkFrames::open(out, &loaded.simulation.model, Some(n));
            vtk = Some(frames.map_err(FrameError::from)?);
        }
        loaded.simulation.resume(state.into_owned(), loaded.start);
        Ok(Self { recorder, vtk, ledger, summary })
    }

    fn save(&mut self, out: &Path, loaded: &Loaded) -> Result<(), RunFailure> {
        let rows = self.recorder.sync(&loaded.simulation.model)?;
        let state = Cow::Borrowed(&loaded.simulation.state);
        let (ledger, summary) = (self.ledger, self.summary.clone());
        Ok(Checkpoint { state, ledger, summary, rows }.write(out, loaded)?)
    }
}

/// Removes figures and CSV files of an earlier run, so that none is taken for one of this run.
fn forget_old(out: &Path) {
    forget_unsolved(out);
    for name in figure_names() {
        for ending in ["png", "svg"] {
            let _ = std::fs::remove_file(out.join(format!("{name}.{ending}")));
        }
    }
    for name in table_names() {
        let _ = std::fs::remove_file(out.join(format!("{name}.csv")));
    }
}

/// Bodies that take part at the moment.
fn present(simulation: &Simulation) -> usize {
    let Simulation { model, state, .. } = simulation;
    (0..model.bodies.n).filter(|&i| model.bodies.is_present(state, i)).count()
}

fn step_all(
    loaded: &mut Loaded,
    options: &mut RunOptions<'_>,
    books: &mut Books,
) -> Result<(), RunFailure> {
    let RunOptions { out, stop, save, progress, .. } = options;
    let look_every = (LOOK_EVERY / loaded.simulation.model.n_velocities().max(1) as u64).clamp(1, 64);
    let mut last = (0, 0);
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
        last = cost(frame.log);
        books.ledger.book(frame.log.energies, frame.log.works);
        books.summary.book(&frame);
        let is_last = frame.after.step == loaded.n_steps;
        let written = books.recorder.step(&frame, &books.ledger, is_last)?;
        if let (true, Some(vtk)) = (written, &mut books.vtk) {
            vtk.frame(frame.model, frame.after, &frame.log.touches)?;
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
fn cost(log: &StepLog) -> (usize, usize) {
    let normals = log.contacts.components.iter().filter(|component| **component == 0).count();
    (normals + log.touches.len(), log.solves.iter().map(|report| report.iterations).sum())
}

fn how_far(loaded: &Loaded, (contacts, iterations): (usize, usize)) -> Progress {
    let (simulation, n_steps) = (&loaded.simulation, loaded.n_steps);
    let (step, t) = (simulation.state.step, simulation.state.t);
    Progress { step, n_steps, t, contacts, iterations, present: present(simulation) }
}
