//! `nonsmooth map`: bifurcation diagrams, sections once in each period, basins of attraction.
//!
//! Points are made as those of a sweep, so tables and pictures are the same for any number of threads and a killed map goes on where it was.

mod args;
mod basins;
mod periods;

pub use args::{BasinsArgs, BifurcationArgs, Map, SectionArgs};

use crate::command::Failure;
use crate::sweep::{
    Design, Points, Read, RunsArgs, Subject, TRUST, columns, failed, input, outcome, parse, produce,
    save, text_of,
};
use args::MapArgs;
use nonsmooth_draw::plot::{Figure, Item, draw};
use periods::Periods;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The file of the table.
const TABLE_FILE: &str = "map.h5";
/// Its copy.
const CSV_FILE: &str = "map.csv";
/// Most periods kept of a run.
const MOST_KEPT: u64 = 10_000_000;
/// Most series of a section that have a colour and a name each.
const MOST_SERIES: usize = 12;

/// Makes the map; `stop` is set by whoever interrupts it.
pub fn run(map: &Map, stop: &AtomicBool) -> Result<(), Failure> {
    match map {
        Map::Bifurcation(args) => {
            let asked = Asked { of: &args.of, keep: args.keep, command: "bifurcation" };
            kept(&args.map, &args.vary, &asked, bifurcation, stop)
        }
        Map::Section(args) => {
            if args.of.len() < 2 {
                return Err(input("--of: a section needs two outputs, as in --of mass.x,mass.v_x"));
            }
            let asked = Asked { of: &args.of, keep: args.keep, command: "section" };
            kept(&args.map, &args.vary, &asked, section, stop)
        }
        Map::Basins(args) => basins::run(args, stop),
    }
}

/// What is kept of each run.
struct Asked<'a> {
    of: &'a [String],
    keep: u64,
    command: &'static str,
}

/// Names and files of a map that keeps periods.
struct Kept<'a> {
    title: String,
    points: &'a Points,
    outputs: Vec<String>,
    read: &'a Read,
}

/// Draws a map.
type Draw = fn(&Kept<'_>, &Path) -> Result<Vec<PathBuf>, Failure>;

fn kept(
    args: &MapArgs,
    vary: &[(String, String)],
    asked: &Asked<'_>,
    drawn: Draw,
    stop: &AtomicBool,
) -> Result<(), Failure> {
    let Asked { keep, .. } = *asked;
    if !(1..=MOST_KEPT).contains(&keep) {
        return Err(input(format!("--keep {keep}: must be from 1 to {MOST_KEPT}")));
    }
    let points = Points::new(vary, Design::Grid).map_err(input)?;
    let text = text_of(&args.scene)?;
    let RunsArgs { set, integrator, .. } = &args.runs;
    let subject = Subject::new((&args.scene, &text), set, integrator.as_deref(), &points)?;
    let sample = subject.sample()?;
    let outputs = parse(asked.of, &sample.simulation.model).map_err(input)?;
    let periods = Periods::new(args, (&subject, &sample), &outputs, stop)?;
    let names: Vec<String> = outputs.iter().map(|output| output.name.clone()).collect();
    let own = [&["period".to_owned()][..], &names].concat();
    let mut texts = subject.texts(vary);
    texts.extend(texts_of(args, asked.command));
    texts.push(("--keep".to_owned(), keep.to_string()));
    texts.push(("--of".to_owned(), names.join(",")));
    let out = args.runs.folder(&args.scene, asked.command)?;
    let (path, csv) = (out.join(TABLE_FILE), out.join(CSV_FILE));
    let job = |point| {
        let mut found = Vec::new();
        let made = periods.run(point, |values, _| {
            found.push(values);
            (found.len() as u64) < keep
        });
        let row =
            |(k, values): (usize, &Vec<f64>), trust: &[f64]| [&[k as f64], &values[..], trust].concat();
        let made =
            made.map(|trust| found.iter().enumerate().flat_map(|values| row(values, &trust)).collect());
        outcome(point, own.len() + TRUST.len(), made)
    };
    let produced = produce(&args.runs, &points, (&path, &texts), (&own, keep as usize), &job, stop)?;
    let title = sample.title.clone();
    let kept = Kept { title, points: &points, outputs: names, read: &produced.read };
    let columns = columns(&points, &own);
    std::fs::write(&csv, produced.read.csv(&columns)).map_err(|error| failed(&csv)(&error))?;
    let figures = drawn(&kept, &out)?;
    produced.tell(&args.runs, serde_json::json!({}), &[path, csv], &figures);
    produced.judge()
}

/// What makes a map, beside the scene.
fn texts_of(args: &MapArgs, command: &str) -> [(String, String); 3] {
    [("map", command.to_owned()), ("--period", args.period.clone()), ("--skip", args.skip.to_string())]
        .map(|(name, text)| (name.to_owned(), text))
}

impl Kept<'_> {
    /// Output `k` of a row.
    fn value(&self, numbers: &[f64], k: usize) -> f64 {
        numbers[2 + self.points.names().len() + k]
    }
}

/// A picture of each output over the first parameter.
fn bifurcation(kept: &Kept<'_>, out: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for (k, name) in kept.outputs.iter().enumerate() {
        let row = |numbers: &[f64]| (numbers[1], kept.value(numbers, k));
        let rows = kept.read.rows.iter().map(|(numbers, _)| row(numbers));
        let points: Vec<(f64, f64)> = rows.filter(|(_, y)| y.is_finite()).collect();
        if points.is_empty() {
            continue;
        }
        let figure = Figure {
            title: kept.title.clone(),
            x_label: kept.points.names()[0].clone(),
            y_label: name.clone(),
            items: vec![Item::Dots { label: String::new(), points }],
            ..Figure::default()
        };
        let drawing = draw(&figure).map_err(|error| failed(out)(&error))?;
        files.extend(save(&drawing, out, name)?);
    }
    Ok(files)
}

/// The second output over the first, a series for each point.
fn section(kept: &Kept<'_>, out: &Path) -> Result<Vec<PathBuf>, Failure> {
    let rows = &kept.read.rows;
    let name = |numbers: &[f64]| {
        let pairs = kept.points.names().iter().zip(&numbers[1..]);
        pairs.map(|(name, x)| format!("{name} = {x}")).collect::<Vec<_>>().join(", ")
    };
    let series: Vec<&[(Vec<f64>, String)]> = rows.chunk_by(|(a, _), (b, _)| a[0] == b[0]).collect();
    let mut items = Vec::new();
    for rows in &series {
        let pair = |numbers: &[f64]| (kept.value(numbers, 0), kept.value(numbers, 1));
        let pairs = rows.iter().map(|(numbers, _)| pair(numbers));
        let points: Vec<(f64, f64)> = pairs.filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
        let label = if series.len() <= MOST_SERIES { name(&rows[0].0) } else { String::new() };
        if !points.is_empty() {
            items.push(Item::Dots { label, points });
        }
    }
    if items.is_empty() {
        return Ok(Vec::new());
    }
    let (x_label, y_label) = (kept.outputs[0].clone(), kept.outputs[1].clone());
    let figure = Figure { title: kept.title.clone(), x_label, y_label, items, ..Figure::default() };
    let drawing = draw(&figure).map_err(|error| failed(out)(&error))?;
    Ok(save(&drawing, out, "section")?.to_vec())
}
