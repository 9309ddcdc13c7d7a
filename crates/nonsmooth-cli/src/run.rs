//! `nonsmooth run`: simulate, show progress, print the trust summary.

use crate::{RunArgs, summary};
use indicatif::{ProgressBar, ProgressStyle};
use nonsmooth_scene::{
    CheckpointError, Loaded, LockError, NO_BODIES, NO_RECORDER, Progress as HowFar, RESULT_FILE,
    RunFailure, RunOptions, Start, load,
};
use nonsmooth_studies::clock;
use nonsmooth_studies::command::{Failure, say};
use nonsmooth_studies::study::Scheme;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Puts what the flags ask for into the settings, of which it is a part that a resumed run compares with.
fn flags(args: &RunArgs, loaded: &mut Loaded) -> Result<(), Failure> {
    let output = &mut loaded.output;
    if args.csv && output.without.iter().any(|name| name == "recorder") {
        return Err(Failure::Input(anyhow::anyhow!("--csv: {NO_RECORDER}")));
    }
    output.csv |= args.csv;
    output.vtk |= args.vtk;
    if args.vtk && !loaded.has_bodies() {
        return Err(Failure::Input(anyhow::anyhow!("--vtk: {NO_BODIES}")));
    }
    for (is_asked, key) in [(args.csv, "output.csv"), (args.vtk, "output.vtk")] {
        loaded.overrides.extend(is_asked.then(|| (key.to_owned(), "true".to_owned())));
    }
    Ok(())
}

/// Simulates the scene.
pub(crate) fn run(args: &RunArgs) -> Result<(), Failure> {
    let mut loaded = load(&args.scene, &args.set).map_err(|error| Failure::Input(error.into()))?;
    if let Some(text) = &args.integrator {
        loaded = Scheme::replace(loaded, text)?;
    }
    flags(args, &mut loaded)?;
    let stem = args.scene.file_stem().map_or("scene".into(), |s| s.to_string_lossy().into_owned());
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from("results").join(stem));
    let stop = stop_flag()?;
    let title = if loaded.title.is_empty() { loaded.name.clone() } else { loaded.title.clone() };
    if !args.quiet {
        say(&title);
    }
    let mut progress = Progress::new(args.quiet, loaded.n_steps);
    let begun = Instant::now();
    // Slow runs are saved by the clock as well as by the number of steps.
    let (save, mut saved) = (AtomicBool::new(false), begun);
    // Time of the last step; drawing figures does not count.
    let mut seconds = 0.0;
    let options = RunOptions {
        out: &out,
        start: start(args),
        stop: &stop,
        save: &save,
        progress: &mut |how_far| {
            seconds = begun.elapsed().as_secs_f64();
            if saved.elapsed() >= SAVE_EVERY {
                saved = Instant::now();
                save.store(true, Ordering::Relaxed);
            }
            progress.show(how_far);
        },
        clock: &|| [begun.elapsed().as_secs_f64(), clock::seconds()],
    };
    let (methods, tolerance) = (loaded.methods.clone(), loaded.tolerance);
    let finished = nonsmooth_scene::run(loaded, options);
    progress.finish();
    let finished = finished.map_err(|failure| match failure {
        RunFailure::Occupied { .. }
        | RunFailure::Lock(LockError::Busy { .. })
        | RunFailure::Checkpoint(
            CheckpointError::Missing { .. }
            | CheckpointError::Differs { .. }
            | CheckpointError::Changed { .. }
            | CheckpointError::Damaged { .. },
        ) => Failure::Input(failure.into()),
        failure => Failure::Run(advise(failure)),
    })?;
    if !args.quiet {
        say(summary::table(&finished, &methods, tolerance, seconds).trim_end());
        // A scene may leave out the recorder.
        let results = out.join(RESULT_FILE);
        let results = if results.exists() { results } else { out.clone() };
        say(&format!("results in {}", results.display()));
        for figure in &finished.figures {
            say(&format!("figure     {}", figure.display()));
        }
    }
    if finished.interrupted {
        let hint = anyhow::anyhow!(
            "interrupted at step {} (t = {} s); the results so far are in {}; continue with --resume",
            finished.steps,
            finished.t,
            out.display()
        );
        return Err(Failure::Run(hint));
    }
    Ok(())
}

/// A flag that Ctrl-C sets.
pub(crate) fn stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed))
        .map_err(|error| Failure::Run(error.into()))?;
    Ok(stop)
}

/// What becomes of results in the folder.
fn start(args: &RunArgs) -> Start {
    match (args.resume, args.overwrite) {
        (true, _) => Start::Resume,
        (false, true) => Start::Overwrite,
        (false, false) => Start::New,
    }
}

/// Adds what the user can do to what went wrong.
fn advise(failure: RunFailure) -> anyhow::Error {
    use nonsmooth::{RunError, StepError};
    let error = match &failure {
        RunFailure::Step { source, .. } => match &**source {
            RunError::Step { source, .. } => Some(source),
            RunError::Observer { .. } => None,
        },
        _ => None,
    };
    let advice = match error {
        Some(StepError::NotConverged { .. }) => {
            "try a larger solver.tolerance, a smaller step, another solver (`nonsmooth list` has all), or accept such steps with run.on_unconverged = \"count\""
        }
        Some(StepError::Newton { change, before, .. }) => match change / before {
            // A thousandth in ten times as many passes at the most.
            ratio if ratio < 0.98 => {
                "each pass still shrinks the change: raise integrator.newton_iterations, or take a smaller run.step_size"
            }
            _ if *change < 1e-8 => {
                "the change no longer shrinks, but is small: functions of the model may be that inexact; raise integrator.newton_tolerance above it"
            }
            _ => "the passes do not contract: take a smaller run.step_size",
        },
        Some(StepError::NotFinite { .. } | StepError::ConstraintNotFinite { .. }) => {
            "look for a division by zero or a root of a negative number in the formulas, or try a smaller step"
        }
        _ => "",
    };
    if advice.is_empty() { failure.into() } else { anyhow::anyhow!("{failure}\nadvice: {advice}") }
}

/// A bar on a terminal, a line now and then elsewhere.
enum Progress {
    Quiet,
    Bar(ProgressBar),
    Log { last: Instant },
}

/// Time after which a checkpoint is written whatever the number of steps.
const SAVE_EVERY: Duration = Duration::from_secs(60);

/// Time between two lines of the log.
const LOG_EVERY: Duration = Duration::from_secs(10);

impl Progress {
    fn new(quiet: bool, n_steps: u64) -> Self {
        if quiet {
            return Progress::Quiet;
        }
        if !std::io::stderr().is_terminal() {
            return Progress::Log { last: Instant::now() };
        }
        let bar = ProgressBar::new(n_steps);
        let style = "{bar:40} {pos}/{len} steps  {msg}  {elapsed} < {eta}";
        bar.set_style(ProgressStyle::with_template(style).unwrap_or(ProgressStyle::default_bar()));
        Progress::Bar(bar)
    }

    fn show(&mut self, how_far: &HowFar) {
        let HowFar { step, n_steps, t, contacts, iterations, .. } = how_far;
        match self {
            Progress::Quiet => {}
            Progress::Bar(bar) => {
                bar.set_position(*step);
                bar.set_message(format!("t = {t:.4} s, {contacts} contacts, {iterations} iterations"));
            }
            Progress::Log { last } if last.elapsed() >= LOG_EVERY => {
                *last = Instant::now();
                eprintln!(
                    "step {step} of {n_steps}, t = {t:.6} s, {contacts} contacts, {iterations} iterations"
                );
            }
            Progress::Log { .. } => {}
        }
    }

    fn finish(&self) {
        if let Progress::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}
