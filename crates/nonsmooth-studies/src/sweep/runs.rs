//! The runs of a sweep: threads take one point after the other, the table gets rows as they come.

use super::args::SweepArgs;
use super::input;
use super::outputs::{self, Output, Watch};
use super::points::Points;
use super::table::{Outcome, TRUST, Table};
use crate::command::Failure;
use crate::study::Scheme;
use indicatif::{ProgressBar, ProgressStyle};
use nonsmooth::observers::estimate;
use nonsmooth::{Observer, Simulation};
use nonsmooth_scene::store::StoreError;
use nonsmooth_scene::{Loaded, load_text};
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Steps between two looks at `stop`.
const LOOK_EVERY: u64 = 1000;
/// Time between two lines where there is no terminal.
const LOG_EVERY: Duration = Duration::from_secs(10);

/// What is run, but for the values of the parameters.
pub(super) struct Subject {
    name: String,
    text: String,
    folder: PathBuf,
    set: Vec<(String, String)>,
    integrator: Option<String>,
    from: f64,
    pub(super) outputs: Vec<Output>,
}

impl Subject {
    /// Reads the scene and finds its outputs.
    pub(super) fn new(args: &SweepArgs, points: &Points) -> Result<Self, Failure> {
        let name = args.scene.display().to_string();
        let text =
            std::fs::read_to_string(&args.scene).map_err(|error| input(format!("{name}: {error}")))?;
        let folder = args.scene.parent().map_or_else(PathBuf::new, PathBuf::from);
        let twice = args.set.iter().find(|(name, _)| points.names().contains(name));
        if let Some((name, _)) = twice {
            return Err(input(format!("--set {name}: it is varied; leave one of them out")));
        }
        let (set, integrator) = (args.set.clone(), args.integrator.clone());
        let mut subject =
            Self { name, text, folder, set, integrator, from: f64::NEG_INFINITY, outputs: Vec::new() };
        // The first point may be one that no run can have; the scene itself must be right.
        let loaded = subject.load(points, &points.at(0)).or_else(|_| subject.load(points, &[]))?;
        subject.outputs = outputs::parse(&args.of, &loaded.simulation.model).map_err(input)?;
        let known: Vec<&str> = loaded.parameters.keys().map(String::as_str).collect();
        if let Some(name) = points.names().iter().find(|name| !known.contains(&name.as_str())) {
            let has = known.join(", ");
            return Err(input(format!(
                "--vary {name}: the scene has no parameter `{name}`; it has {has}"
            )));
        }
        let end = loaded.start + loaded.n_steps as f64 * loaded.step_size;
        if let Some(from) = args.from {
            if !(from < end) {
                return Err(input(format!("--from {from}: the run ends at {end} s")));
            }
            subject.from = from;
        }
        Ok(subject)
    }

    /// What makes the table, so that it is resumed as it was begun.
    pub(super) fn texts(&self, args: &SweepArgs) -> Vec<(String, String)> {
        let pairs = |list: &[(String, String)]| {
            list.iter().map(|(a, b)| format!("{a}={b}")).collect::<Vec<_>>().join(" ")
        };
        let design = format!("random {:?}, latin {:?}, seed {}", args.random, args.latin, args.seed);
        let outputs: Vec<&str> = self.outputs.iter().map(|output| output.name.as_str()).collect();
        [
            ("scene", self.text.clone()),
            ("--vary", pairs(&args.vary)),
            ("design", design),
            ("--set", pairs(&args.set)),
            ("--integrator", self.integrator.clone().unwrap_or_default()),
            ("--of", outputs.join(",")),
            ("--from", format!("{:?}", args.from)),
            ("--shard", args.shard.clone().unwrap_or_default()),
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ]
        .map(|(name, text)| (name.to_owned(), text))
        .to_vec()
    }

    /// The scene at a point; without values it is the scene itself.
    fn load(&self, points: &Points, values: &[f64]) -> Result<Loaded, Failure> {
        let varied = points.names().iter().zip(values).map(|(name, x)| (name.clone(), format!("{x:?}")));
        let set: Vec<(String, String)> = self.set.iter().cloned().chain(varied).collect();
        let loaded = load_text(&self.name, self.text.clone(), self.folder.clone(), &set);
        let loaded = loaded.map_err(|error| Failure::Input(error.into()))?;
        match &self.integrator {
            Some(text) => Scheme::replace(loaded, text),
            None => Ok(loaded),
        }
    }

    /// One run; `None` where it was stopped.
    fn outcome(&self, points: &Points, point: usize, stop: &AtomicBool) -> Option<Outcome> {
        let missing = vec![f64::NAN; self.outputs.len() + TRUST.len()];
        let fail = |failure: String| {
            let mut lines = failure.lines();
            let failure = lines.next().unwrap_or("failed").to_owned();
            Some(Outcome { point, values: missing.clone(), failure })
        };
        let mut loaded = match self.load(points, &points.at(point)) {
            Ok(loaded) => loaded,
            Err(failure) => return fail(failure.to_string()),
        };
        let mut watch = Watch::new(&self.outputs, self.from);
        let Simulation { model, state, .. } = &loaded.simulation;
        if let Err(error) = watch.start(model, state) {
            return fail(error.to_string());
        }
        while loaded.simulation.state.step < loaded.n_steps {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let n = (loaded.n_steps - loaded.simulation.state.step).min(LOOK_EVERY);
            for _ in 0..n {
                let stepped = loaded.simulation.step().map_err(|error| error.to_string());
                if let Err(error) =
                    stepped.and_then(|frame| watch.step(&frame).map_err(|e| e.to_string()))
                {
                    return fail(error);
                }
            }
        }
        let mut values = watch.values();
        let estimate =
            estimate(&watch.ledger, &watch.summary, loaded.simulation.accuracy(), loaded.step_size);
        let estimate = estimate.map_or(f64::NAN, |estimate| estimate.relative);
        values.extend([watch.summary.unconverged as f64, watch.summary.residual, estimate]);
        Some(Outcome { point, values, failure: String::new() })
    }
}

/// Makes the runs of the points `open`, in any order, and writes their rows.
pub(super) fn make(
    (subject, points): (&Subject, &Points),
    open: &[usize],
    (threads, is_quiet): (usize, bool),
    stop: &AtomicBool,
    table: &mut Table,
) -> Result<(), StoreError> {
    let (next, broken) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    let mut progress = Progress::new(is_quiet, open.len());
    std::thread::scope(|scope| {
        for _ in 0..threads.min(open.len()) {
            let (sender, next, broken) = (sender.clone(), &next, &broken);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) && !broken.load(Ordering::Relaxed) {
                    let Some(&point) = open.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                    let Some(outcome) = subject.outcome(points, point, stop) else { break };
                    if sender.send(outcome).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for outcome in &receiver {
            if let Err(error) = table.push(&points.at(outcome.point), &outcome) {
                broken.store(true, Ordering::Relaxed);
                return Err(error);
            }
            progress.one_more();
        }
        Ok(())
    })
}

/// A bar on a terminal, a line now and then elsewhere.
struct Progress {
    bar: ProgressBar,
    logs: bool,
    n: usize,
    done: usize,
    begun: Instant,
    last: Instant,
}

impl Progress {
    fn new(is_quiet: bool, n: usize) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        let bar =
            if is_quiet || !is_terminal { ProgressBar::hidden() } else { ProgressBar::new(n as u64) };
        let style = "{bar:40} {human_pos}/{human_len} points  {elapsed} < {eta}";
        bar.set_style(ProgressStyle::with_template(style).unwrap_or(ProgressStyle::default_bar()));
        let now = Instant::now();
        Self { bar, logs: !is_quiet && !is_terminal, n, done: 0, begun: now, last: now }
    }

    fn one_more(&mut self) {
        self.done += 1;
        self.bar.inc(1);
        if self.logs && self.last.elapsed() >= LOG_EVERY {
            self.last = Instant::now();
            let passed = self.begun.elapsed().as_secs_f64();
            let left = passed / self.done as f64 * (self.n - self.done) as f64;
            eprintln!("{} of {} points, {passed:.0} s, {left:.0} s left", self.done, self.n);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
