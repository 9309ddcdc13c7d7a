//! `nonsmooth sweep`: one scene at many values of its parameters, one row of a table for each.
//!
//! A point depends on its number alone, runs share nothing, and rows carry their point. So the table is the same for any number of threads, a
//! killed sweep goes on where it was, and parts of a sweep can be made on several machines.

mod args;
pub(crate) mod outputs;
mod points;
mod produce;
mod runs;
mod table;

pub use args::SweepArgs;

pub(crate) use args::RunsArgs;
pub(crate) use outputs::{Output, Watch, parse};
pub(crate) use points::{Design, Points};
pub(crate) use produce::produce;
pub(crate) use runs::{Stopped, Subject, outcome, steps, trust};
pub(crate) use table::{Read, TRUST, columns, quoted};

use crate::command::Failure;
use nonsmooth::{Observer as _, Simulation};
use nonsmooth_draw::plot::{Drawing, Figure, Item, draw};
use nonsmooth_scene::Loaded;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The file of the table.
const TABLE_FILE: &str = "sweep.h5";
/// Its copy.
const CSV_FILE: &str = "sweep.csv";

pub(crate) fn input(message: impl std::fmt::Display) -> Failure {
    Failure::Input(anyhow::anyhow!("{message}"))
}

pub(crate) fn failed(path: &Path) -> impl Fn(&dyn std::fmt::Display) -> Failure + '_ {
    move |error| Failure::Run(anyhow::anyhow!("{}: {error}", path.display()))
}

/// The text of a scene file.
pub(crate) fn text_of(scene: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(scene).map_err(|error| input(format!("{}: {error}", scene.display())))
}

/// Makes the sweep; `stop` is set by whoever interrupts it.
pub fn run(args: &SweepArgs, stop: &AtomicBool) -> Result<(), Failure> {
    let points = Points::new(&args.vary, design(args)).map_err(input)?;
    let text = text_of(&args.scene)?;
    let RunsArgs { set, integrator, .. } = &args.runs;
    let subject = Subject::new((&args.scene, &text), set, integrator.as_deref(), &points)?;
    let sample = subject.sample()?;
    let outputs = parse(&args.of, &sample.simulation.model).map_err(input)?;
    let from = from(args, &sample)?;
    let names: Vec<String> = outputs.iter().map(|output| output.name.clone()).collect();
    let mut texts = subject.texts(&args.vary);
    texts.extend(own_texts(args, &names));
    let out = args.runs.folder(&args.scene, "sweep")?;
    let (path, csv) = (out.join(TABLE_FILE), out.join(CSV_FILE));
    let job = |point| {
        let made = values(&subject, point, (&outputs, from), stop);
        outcome(point, names.len() + TRUST.len(), made)
    };
    let produced = produce(&args.runs, &points, (&path, &texts), (&names, 1), &job, stop)?;
    let read = &produced.read;
    let columns = columns(&points, &names);
    std::fs::write(&csv, read.csv(&columns)).map_err(|error| failed(&csv)(&error))?;
    let figures = if points.is_a_line() { draw_all(&out, &points, &outputs, read)? } else { Vec::new() };
    produced.tell(&args.runs, serde_json::json!({}), &[path, csv], &figures);
    produced.judge()
}

/// One run.
fn values(
    subject: &Subject<'_>,
    point: usize,
    (outputs, from): (&[Output], f64),
    stop: &AtomicBool,
) -> Result<Vec<f64>, Stopped> {
    let mut loaded = subject.at(point).map_err(Stopped::failed)?;
    let mut watch = Watch::new(outputs, from);
    let Simulation { model, state, .. } = &loaded.simulation;
    watch.start(model, state).map_err(Stopped::failed)?;
    let n_steps = loaded.n_steps;
    steps(&mut loaded.simulation, n_steps, &mut watch, stop)?;
    let mut values = watch.values();
    values.extend(trust(&loaded, &watch));
    Ok(values)
}

/// The time from which extremes count.
fn from(args: &SweepArgs, loaded: &Loaded) -> Result<f64, Failure> {
    let end = loaded.start + loaded.n_steps as f64 * loaded.step_size;
    match args.from {
        None => Ok(f64::NEG_INFINITY),
        Some(from) if from < end => Ok(from),
        Some(from) => Err(input(format!("--from {from}: the run ends at {end} s"))),
    }
}

/// What makes the table, beside the scene.
fn own_texts(args: &SweepArgs, names: &[String]) -> Vec<(String, String)> {
    let design = format!("random {:?}, latin {:?}, seed {}", args.random, args.latin, args.seed);
    [("design", design), ("--of", names.join(",")), ("--from", format!("{:?}", args.from))]
        .map(|(name, text)| (name.to_owned(), text))
        .to_vec()
}

fn design(args: &SweepArgs) -> Design {
    let seed = args.seed;
    match (args.random, args.latin) {
        (Some(n), _) => Design::Random { n, seed },
        (None, Some(n)) => Design::Latin { n, seed },
        (None, None) => Design::Grid,
    }
}

/// A figure for each output over the one parameter.
fn draw_all(
    out: &Path,
    points: &Points,
    outputs: &[Output],
    read: &Read,
) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for (k, output) in outputs.iter().enumerate() {
        let value = |numbers: &[f64]| (numbers[1], numbers[2 + k]);
        let drawn = read.rows.iter().map(|(numbers, _)| value(numbers)).filter(|(_, y)| y.is_finite());
        let points_drawn: Vec<(f64, f64)> = drawn.collect();
        if points_drawn.len() < 2 {
            continue;
        }
        let items = vec![Item::Marked { label: output.name.clone(), points: points_drawn }];
        let (x_label, y_label) = (points.names()[0].clone(), output.name.clone());
        let figure = Figure { x_label, y_label, items, ..Figure::default() };
        let drawing = draw(&figure).map_err(|error| failed(out)(&error))?;
        files.extend(save(&drawing, out, &output.name)?);
    }
    Ok(files)
}

/// Writes a drawing into the folder, under a name made fit for files.
pub(crate) fn save(drawing: &Drawing, out: &Path, name: &str) -> Result<[PathBuf; 2], Failure> {
    let fit = |c: char| if c.is_alphanumeric() || "._-".contains(c) { c } else { '-' };
    let stem: String = name.chars().map(fit).collect();
    drawing.save(&out.join(&stem)).map_err(|error| failed(out)(&error))?;
    Ok(["png", "svg"].map(|end| out.join(format!("{stem}.{end}"))))
}
