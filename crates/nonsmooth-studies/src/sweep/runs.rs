//! The runs of a sweep: threads take one point after the other, the table gets rows as they come.

use super::input;
use super::outputs::Watch;
use super::points::Points;
use super::table::{Outcome, TRUST, Table};
use crate::command::Failure;
use crate::study::Scheme;
use indicatif::{ProgressBar, ProgressStyle};
use nonsmooth::observers::estimate;
use nonsmooth::{Observer, Simulation};
use nonsmooth_scene::store::StoreError;
use nonsmooth_scene::{Loaded, Reading};
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Steps between two looks at `stop`.
const LOOK_EVERY: u64 = 1000;
/// Time between two lines where there is no terminal.
const LOG_EVERY: Duration = Duration::from_secs(10);

/// What is run, but for the values of the parameters.
pub(crate) struct Subject<'a> {
    reading: Reading<'a>,
    text: &'a str,
    set: &'a [(String, String)],
    integrator: Option<&'a str>,
    points: &'a Points,
}

impl<'a> Subject<'a> {
    /// Reads the scene once; `text` is that of the file.
    pub(crate) fn new(
        (scene, text): (&Path, &'a str),
        set: &'a [(String, String)],
        integrator: Option<&'a str>,
        points: &'a Points,
    ) -> Result<Self, Failure> {
        let twice = set.iter().find(|(name, _)| points.names().contains(name));
        if let Some((name, _)) = twice {
            return Err(input(format!("--set {name}: it is varied; leave one of them out")));
        }
        let folder = scene.parent().map_or_else(PathBuf::new, PathBuf::from);
        let reading = Reading::new(&scene.display().to_string(), text, folder);
        Ok(Self { reading, text, set, integrator, points })
    }

    /// The scene at the first point, or if that is one that no run can have, as it is.
    pub(crate) fn sample(&self) -> Result<Loaded, Failure> {
        let loaded = self.load(&self.points.at(0)).or_else(|_| self.load(&[]))?;
        let known: Vec<&str> = loaded.parameters.keys().map(String::as_str).collect();
        match self.points.names().iter().find(|name| !known.contains(&name.as_str())) {
            None => Ok(loaded),
            Some(name) => {
                let has = known.join(", ");
                Err(input(format!("--vary {name}: the scene has no parameter `{name}`; it has {has}")))
            }
        }
    }

    /// What makes a point, so that a table is resumed as it was begun.
    pub(crate) fn texts(&self, vary: &[(String, String)]) -> Vec<(String, String)> {
        let pairs = |list: &[(String, String)]| {
            list.iter().map(|(a, b)| format!("{a}={b}")).collect::<Vec<_>>().join(" ")
        };
        [
            ("scene", self.text.to_owned()),
            ("--vary", pairs(vary)),
            ("--set", pairs(self.set)),
            ("--integrator", self.integrator.unwrap_or_default().to_owned()),
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ]
        .map(|(name, text)| (name.to_owned(), text))
        .to_vec()
    }

    /// The scene at a point.
    pub(crate) fn at(&self, point: usize) -> Result<Loaded, Failure> {
        self.load(&self.points.at(point))
    }

    /// The scene with values of the varied parameters; without values it is the scene itself.
    fn load(&self, values: &[f64]) -> Result<Loaded, Failure> {
        let names = self.points.names().iter();
        let varied = names.zip(values).map(|(name, x)| (name.clone(), format!("{x:?}")));
        let set: Vec<(String, String)> = self.set.iter().cloned().chain(varied).collect();
        let loaded = self.reading.build(&set).map_err(|error| Failure::Input(error.into()))?;
        match self.integrator {
            Some(text) => Scheme::replace(loaded, text),
            None => Ok(loaded),
        }
    }
}

/// Why a run was not made to its end.
pub(crate) enum Stopped {
    /// Somebody interrupted it.
    Interrupted,
    /// It failed: the first line of why.
    Failed(String),
}

impl Stopped {
    /// A failure, whatever it is.
    pub(crate) fn failed(why: impl std::fmt::Display) -> Self {
        let why = why.to_string();
        Self::Failed(why.lines().next().unwrap_or("failed").to_owned())
    }
}

/// Makes `n` steps and shows them to `watch`.
pub(crate) fn steps(
    simulation: &mut Simulation,
    n: u64,
    watch: &mut Watch<'_>,
    stop: &AtomicBool,
) -> Result<(), Stopped> {
    for k in 0..n {
        if k.is_multiple_of(LOOK_EVERY) && stop.load(Ordering::Relaxed) {
            return Err(Stopped::Interrupted);
        }
        let frame = simulation.step().map_err(Stopped::failed)?;
        watch.step(&frame).map_err(Stopped::failed)?;
    }
    Ok(())
}

/// A point as it became; `None` where it was stopped. `width` is the number of values in each of its rows.
pub(crate) fn outcome(point: usize, width: usize, made: Result<Vec<f64>, Stopped>) -> Option<Outcome> {
    match made {
        Ok(values) => {
            Some(Outcome { point, rows: values.len() / width, values, failure: String::new() })
        }
        Err(Stopped::Failed(failure)) => {
            Some(Outcome { point, rows: 1, values: vec![f64::NAN; width], failure })
        }
        Err(Stopped::Interrupted) => None,
    }
}

/// The values of `TRUST` for a run.
pub(crate) fn trust(loaded: &Loaded, watch: &Watch<'_>) -> [f64; TRUST.len()] {
    let (ledger, summary) = (&watch.ledger, &watch.summary);
    let estimate = estimate(ledger, summary, loaded.simulation.accuracy(), loaded.step_size);
    let estimate = estimate.map_or(f64::NAN, |estimate| estimate.relative);
    let overlap = summary.penetration.max(summary.overlap);
    [summary.unconverged as f64, summary.residual, overlap, summary.notes.len() as f64, estimate]
}

/// Makes the runs of the points `open`, in any order, and writes their rows.
pub(crate) fn make(
    run: &(dyn Fn(usize) -> Option<Outcome> + Sync),
    (points, open): (&Points, &[usize]),
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
                    let Some(outcome) = run(point) else { break };
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
