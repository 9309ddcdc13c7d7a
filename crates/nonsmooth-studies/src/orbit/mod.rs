//! `nonsmooth orbit`: periodic motions through impacts and sticking, their stability, and their branches.
//!
//! One mechanism: the derivative of the event-driven flow. Newton's method closes the orbit (`newton.rs`, `shoot.rs`), its eigenvalues are the
//! Floquet multipliers, and `branch.rs` follows it.

mod args;
mod branch;
mod linear;
mod newton;
mod shoot;
mod table;

pub use args::OrbitArgs;

use crate::command::{Failure, say, short};
use crate::sweep::{Stopped, failed, input, text_of};
use branch::{Branch, Course, Mark, doubled, first, follow};
use nonsmooth::Simulation;
use nonsmooth_scene::{Loaded, Reading};
use shoot::{Energy, Problem};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use table::Table;

/// Time between two lines of progress.
const LOG_EVERY: Duration = Duration::from_secs(10);

/// Finds an orbit and follows it; `stop` is set by whoever interrupts it.
pub fn run(args: &OrbitArgs, stop: &AtomicBool) -> Result<(), Failure> {
    let text = text_of(&args.scene)?;
    let folder = args.scene.parent().map_or_else(PathBuf::new, PathBuf::from);
    let reading = Reading::new(&args.scene.display().to_string(), &text, folder);
    let asked = Asked::new(args)?;
    let mut problem = asked.problem(args, &reading);
    let start = asked.range.map(|range| range[0]);
    let loaded = problem.load(start.filter(|_| problem.along.is_some())).map_err(input)?;
    let u = begin(args, &problem, loaded, start, stop)?;
    let course = course(args, &problem, &u, asked.range)?;
    let out = place(args)?;
    let found = first(&problem, u, &course).map_err(|why| no_orbit(args, &why))?;
    let mut table = Table::new(&problem, &found.u, asked.name()).map_err(run_failure)?;
    if !problem.is_followed() {
        let branch = Branch { points: vec![found], end: String::new(), is_whole: true };
        table.add(&problem, &branch).map_err(run_failure)?;
        return finish(args, &table, &[branch], (&out, &text));
    }
    let mut branches = vec![follow(&problem, found, &course, stop, progress(args, &asked))];
    table.add(&problem, &branches[0]).map_err(run_failure)?;
    for _ in 0..args.double {
        let last = branches.len() - 1;
        let Some(at) = branches[last].points.iter().find(|p| p.mark == Some(Mark::Doubling)) else {
            break;
        };
        problem.factor *= 2.0;
        let branch = match doubled(&problem, at, &course) {
            Ok(first) => follow(&problem, first, &course, stop, progress(args, &asked)),
            Err(end) => Branch { points: Vec::new(), end, is_whole: false },
        };
        table.add(&problem, &branch).map_err(run_failure)?;
        branches.push(branch);
    }
    finish(args, &table, &branches, (&out, &text))
}

fn run_failure(why: String) -> Failure {
    Failure::Run(anyhow::anyhow!("{why}"))
}

/// What Newton's method said, with what may help.
fn no_orbit(args: &OrbitArgs, why: &str) -> Failure {
    let hint = if args.skip == 0 {
        "begin nearer to one: let a stable one be reached with --skip, or change the initial values of the scene"
    } else {
        "begin nearer to one: another --skip, other initial values, or --periods"
    };
    run_failure(format!("no periodic motion was found: {why}; {hint}"))
}

/// What was asked for, checked.
struct Asked {
    name: Option<String>,
    energy: Energy,
    range: Option<[f64; 2]>,
}

impl Asked {
    fn new(args: &OrbitArgs) -> Result<Self, Failure> {
        check(args)?;
        if let Some((name, text)) = &args.along {
            let range = range("--along", text)?;
            if args.set.iter().any(|(set, _)| set == name) {
                return Err(input(format!("--set {name}: it is followed; leave one of them out")));
            }
            return Ok(Self { name: Some(name.clone()), energy: Energy::Any, range: Some(range) });
        }
        let Some(text) = &args.energy else {
            return Ok(Self { name: None, energy: Energy::Any, range: None });
        };
        if text.contains(':') {
            let range = range("--energy", text)?;
            return Ok(Self { name: None, energy: Energy::Followed, range: Some(range) });
        }
        let energy = text.trim().parse().ok().filter(|x: &f64| x.is_finite());
        let energy = energy.ok_or_else(|| input(format!("--energy {text}: write FROM or FROM:TO")))?;
        Ok(Self { name: None, energy: Energy::At(energy), range: None })
    }

    fn problem<'a>(&'a self, args: &'a OrbitArgs, reading: &'a Reading<'a>) -> Problem<'a> {
        let period = args.period.as_deref().or(args.guess.as_deref()).unwrap_or_default();
        Problem {
            reading,
            set: &args.set,
            along: self.name.as_deref(),
            energy: self.energy,
            period,
            is_free: args.guess.is_some(),
            factor: f64::from(args.periods),
        }
    }

    /// Name of what is followed.
    fn name(&self) -> Option<&str> {
        let energy = (self.energy == Energy::Followed).then_some("energy");
        self.name.as_deref().or(energy)
    }
}

fn check(args: &OrbitArgs) -> Result<(), Failure> {
    if args.periods == 0 {
        return Err(input("--periods must be at least 1"));
    }
    if args.most < 2 {
        return Err(input("--most must be at least 2"));
    }
    for (name, x, most) in [("step", args.step, 1.0), ("tolerance", args.tolerance, 1.0)] {
        if !(x > 0.0 && x <= most) {
            return Err(input(format!("--{name} {x}: must be in (0, {most}]")));
        }
    }
    Ok(())
}

/// FROM:TO.
fn range(option: &str, text: &str) -> Result<[f64; 2], Failure> {
    let ends =
        text.split_once(':').and_then(|(a, b)| Some([a.trim().parse().ok()?, b.trim().parse().ok()?]));
    match ends {
        Some([a, b]) if f64::is_finite(a) && f64::is_finite(b) && a != b => Ok([a, b]),
        _ => Err(input(format!("{option} {text}: write FROM:TO, two different numbers"))),
    }
}

/// The unknowns to begin with: the state of the scene after the periods left out.
fn begin(
    args: &OrbitArgs,
    problem: &Problem<'_>,
    mut loaded: Loaded,
    start: Option<f64>,
    stop: &AtomicBool,
) -> Result<Vec<f64>, Failure> {
    let Simulation { model, .. } = &loaded.simulation;
    if model.n_coordinates() != model.n_velocities() {
        return Err(input(
            "orbits of bodies in space are not taken: their coordinates are not as many as their velocities",
        ));
    }
    let option = if problem.is_free { "--guess" } else { "--period" };
    let period = loaded
        .number(problem.period)
        .map_err(|why| input(format!("{option} {}: {why}", problem.period)))?;
    if !(period > 0.0) {
        return Err(input(format!("{option} {}: must be > 0, but it is {period}", problem.period)));
    }
    let n = (period / loaded.step_size).ceil().max(1.0);
    let simulation = &mut loaded.simulation;
    simulation.set_step_size(period / n).map_err(input)?;
    let state = settle(simulation, args.skip.saturating_mul(n as u64), stop)?;
    let mut u = [&state.q[..], &state.v].concat();
    if problem.is_free {
        u.push(closest_return(simulation, &u, period * problem.factor, stop)?);
    }
    u.extend(start.filter(|_| problem.is_followed()));
    Ok(u)
}

/// The time between a half and three halves of the guess at which the motion comes nearest to where it began [s]: Newton's method needs a
/// guess in the same phase of sticking or sliding.
fn closest_return(
    simulation: &mut Simulation,
    u: &[f64],
    guess: f64,
    stop: &AtomicBool,
) -> Result<f64, Failure> {
    let (begun, pace, n) = (simulation.state.t, std::f64::consts::TAU / guess, u.len() / 2);
    let mut nearest = (f64::INFINITY, guess);
    loop {
        let state = settle(simulation, 1, stop)?;
        let time = state.t - begun;
        if time > 1.5 * guess {
            return Ok(nearest.1);
        }
        let apart = |(a, b): (&f64, &f64)| (a - b).abs();
        let q = state.q.iter().zip(&u[..n]).map(apart).fold(0.0, f64::max);
        let v = state.v.iter().zip(&u[n..]).map(apart).fold(0.0, f64::max);
        if time >= 0.5 * guess && q.max(v / pace) < nearest.0 {
            nearest = (q.max(v / pace), time);
        }
    }
}

/// The state shown after `n` steps.
fn settle(simulation: &mut Simulation, n: u64, stop: &AtomicBool) -> Result<nonsmooth::State, Failure> {
    let mut shown = nonsmooth::State::clone(&simulation.state);
    for k in 0..n {
        if k.is_multiple_of(1000) && stop.load(std::sync::atomic::Ordering::Relaxed) {
            return Err(run_failure("interrupted before the search began".to_owned()));
        }
        let frame = simulation.step().map_err(|error| match Stopped::failed(error) {
            Stopped::Failed(why) => run_failure(format!("before the search: {why}")),
            Stopped::Interrupted => run_failure("interrupted".to_owned()),
        })?;
        if k + 1 == n {
            shown.copy_from(frame.shown);
        }
    }
    Ok(shown)
}

/// Sizes of the unknowns, and how far to go.
fn course(
    args: &OrbitArgs,
    problem: &Problem<'_>,
    u: &[f64],
    range: Option<[f64; 2]>,
) -> Result<Course, Failure> {
    let n = problem.n(u);
    let start = range.map(|range| range[0]).filter(|_| problem.along.is_some());
    let loaded = problem.load(start).map_err(input)?;
    let time = problem.time(&loaded, u).map_err(input)? / problem.factor;
    let largest = |x: &[f64]| x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let pace = std::f64::consts::TAU / time;
    let size = largest(&u[..n]).max(largest(&u[n..2 * n]) / pace);
    let size = if size > 0.0 { size } else { 1.0 };
    let mut scales = vec![size; n];
    scales.resize(2 * n, size * pace);
    if problem.is_free {
        scales.push(u[2 * n]);
    }
    let range = range.unwrap_or([0.0, 1.0]);
    if problem.is_followed() {
        scales.push((range[1] - range[0]).abs());
    }
    Ok(Course { scales, range, step: args.step, most: args.most, tolerance: args.tolerance })
}

/// The folder, made and free.
fn place(args: &OrbitArgs) -> Result<PathBuf, Failure> {
    let stem = args.scene.file_stem().map_or("scene".into(), |stem| stem.to_string_lossy().into_owned());
    let out = args.out.clone().unwrap_or_else(|| Path::new("results").join(format!("{stem}-orbit")));
    let table = out.join(table::TABLE_FILE);
    if table.exists() && !args.overwrite {
        let hint = "replace it with --overwrite, or choose another folder with --out";
        return Err(input(format!("{} has an earlier orbit: {hint}", table.display())));
    }
    std::fs::create_dir_all(&out).map_err(|error| failed(&out)(&error))?;
    Ok(out)
}

/// A line now and then, with the time left by the share of the range.
fn progress(args: &OrbitArgs, asked: &Asked) -> impl FnMut(&branch::Point) {
    let is_silent = args.quiet || args.json;
    let name = asked.name().unwrap_or_default().to_owned();
    let range = asked.range.unwrap_or([0.0, 1.0]);
    let (begun, mut last, mut n) = (Instant::now(), Instant::now(), 0);
    move |point| {
        n += 1;
        if is_silent || last.elapsed() < LOG_EVERY {
            return;
        }
        last = Instant::now();
        let value = point.u.last().copied().unwrap_or(f64::NAN);
        let share = ((value - range[0]) / (range[1] - range[0])).clamp(1e-6, 1.0);
        let passed = begun.elapsed().as_secs_f64();
        let left = passed / share * (1.0 - share);
        eprintln!("{name} = {value:.6}, {n} points, {passed:.0} s, about {left:.0} s left");
    }
}

/// Writes tables and figures, and tells.
fn finish(
    args: &OrbitArgs,
    table: &Table,
    branches: &[Branch],
    (out, text): (&Path, &str),
) -> Result<(), Failure> {
    let files = table.write(out, text)?;
    let figures = table.draw(out)?;
    let special = |branch: &Branch, mark| -> Vec<f64> {
        let points = branch.points.iter().filter(|point| point.mark == Some(mark));
        points.filter_map(|point| point.u.last().copied()).collect()
    };
    if args.json {
        let names = |list: &[PathBuf]| list.iter().map(|f| f.display().to_string()).collect::<Vec<_>>();
        let told: Vec<serde_json::Value> = branches
            .iter()
            .map(|branch| {
                serde_json::json!({
                    "points": branch.points.len(), "end": branch.end, "complete": branch.is_whole,
                    "folds": special(branch, Mark::Fold), "doublings": special(branch, Mark::Doubling),
                })
            })
            .collect();
        let told = serde_json::json!({
            "orbit": table.first(), "branches": told, "files": names(&files), "figures": names(&figures),
        });
        say(&told.to_string());
    } else if !args.quiet {
        table.lines().iter().for_each(|line| say(line));
        for (k, branch) in branches.iter().enumerate().filter(|(_, branch)| !branch.end.is_empty()) {
            say(&format!("branch {}: {} points, until {}", k + 1, branch.points.len(), branch.end));
            for (name, mark) in [("fold", Mark::Fold), ("doubling", Mark::Doubling)] {
                special(branch, mark).iter().for_each(|x| say(&format!("  {name} at {}", short(*x))));
            }
        }
        files.iter().for_each(|file| say(&format!("table    {}", file.display())));
        figures.iter().for_each(|file| say(&format!("figure   {}", file.display())));
    }
    match branches.iter().enumerate().find(|(_, branch)| !branch.is_whole) {
        None => Ok(()),
        Some((k, branch)) => Err(run_failure(format!("branch {} ends early: {}", k + 1, branch.end))),
    }
}
