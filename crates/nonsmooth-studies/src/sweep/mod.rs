//! `nonsmooth sweep`: one scene at many values of its parameters, one row of a table for each.
//!
//! A point depends on its number alone, runs share nothing, and rows carry their point. So the table is the same for any number of threads, a
//! killed sweep goes on where it was, and parts of a sweep can be made on several machines.

mod args;
mod outputs;
mod points;
mod runs;
mod table;

pub use args::SweepArgs;

use crate::command::{Failure, say};
use nonsmooth_draw::plot::{Figure, Item, draw};
use outputs::Output;
use points::{Design, Points};
use runs::Subject;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use table::{Read, Table, columns};

/// The file of the table.
const TABLE_FILE: &str = "sweep.h5";
/// Its copy.
const CSV_FILE: &str = "sweep.csv";

fn input(message: impl std::fmt::Display) -> Failure {
    Failure::Input(anyhow::anyhow!("{message}"))
}

fn failed(path: &Path) -> impl Fn(&dyn std::fmt::Display) -> Failure + '_ {
    move |error| Failure::Run(anyhow::anyhow!("{}: {error}", path.display()))
}

/// Makes the sweep; `stop` is set by whoever interrupts it.
pub fn run(args: &SweepArgs, stop: &AtomicBool) -> Result<(), Failure> {
    let points = Points::new(&args.vary, design(args)).map_err(input)?;
    let (shard, threads) = (shard(args.shard.as_deref())?, threads(args)?);
    let subject = Subject::new(args, &points)?;
    let out = folder(args)?;
    let path = out.join(TABLE_FILE);
    let columns = columns(&points, &subject.outputs);
    let (mut table, done) = open(args, &path, &subject, columns.clone())?;
    let mine: Vec<usize> = (0..points.len()).filter(|point| point % shard.1 == shard.0).collect();
    let open: Vec<usize> = mine.iter().copied().filter(|point| !done.contains(point)).collect();
    let begun = Instant::now();
    let told =
        runs::make((&subject, &points), &open, (threads, args.quiet || args.json), stop, &mut table);
    let seconds = begun.elapsed().as_secs_f64();
    table.finish().map_err(|error| failed(&path)(&error))?;
    told.map_err(|error| failed(&path)(&error))?;
    let read = Read::open(&path).map_err(|error| failed(&path)(&error))?;
    let csv = out.join(CSV_FILE);
    std::fs::write(&csv, read.csv(&columns)).map_err(|error| failed(&csv)(&error))?;
    let figures =
        if points.is_a_line() { draw_all(&out, &points, &subject.outputs, &read)? } else { Vec::new() };
    let found = Found { mine: mine.len(), new: open.len(), threads, seconds };
    tell(args, &found, &read, &[path, csv], &figures);
    judge(&found, &read)
}

fn design(args: &SweepArgs) -> Design {
    let seed = args.seed;
    match (args.random, args.latin) {
        (Some(n), _) => Design::Random { n, seed },
        (None, Some(n)) => Design::Latin { n, seed },
        (None, None) => Design::Grid,
    }
}

fn threads(args: &SweepArgs) -> Result<usize, Failure> {
    match args.threads {
        Some(0) => Err(input("--threads must be at least 1")),
        Some(n) => Ok(n),
        None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
    }
}

/// `I/N` as the number of the part from 0, and how many there are.
fn shard(text: Option<&str>) -> Result<(usize, usize), Failure> {
    let Some(text) = text else { return Ok((0, 1)) };
    let parts: Option<(usize, usize)> =
        text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    match parts {
        Some((i, n)) if 1 <= i && i <= n => Ok((i - 1, n)),
        _ => Err(input(format!("--shard {text}: write I/N with I from 1 to N, as in --shard 2/8"))),
    }
}

fn folder(args: &SweepArgs) -> Result<PathBuf, Failure> {
    let stem = args.scene.file_stem().map_or("scene".into(), |stem| stem.to_string_lossy().into_owned());
    let out = args.out.clone().unwrap_or_else(|| Path::new("results").join(format!("{stem}-sweep")));
    std::fs::create_dir_all(&out).map_err(|error| failed(&out)(&error))?;
    Ok(out)
}

/// The table to write into, and the points that it has.
fn open(
    args: &SweepArgs,
    path: &Path,
    subject: &Subject,
    columns: Vec<String>,
) -> Result<(Table, std::collections::BTreeSet<usize>), Failure> {
    let wrong = |error: &dyn std::fmt::Display| failed(path)(error);
    let texts = subject.texts(args);
    if path.exists() && !args.overwrite {
        if !args.resume {
            let hint = "continue it with --resume, replace it with --overwrite, or choose another folder with --out";
            return Err(input(format!("{} has an earlier sweep: {hint}", path.display())));
        }
        let read = Read::open(path).map_err(|error| wrong(&error))?;
        for (name, text) in &texts {
            if read.texts.iter().find(|(known, _)| known == name).is_none_or(|(_, known)| known != text)
            {
                let hint =
                    "a sweep is resumed as it was begun; start anew with --overwrite or another --out";
                return Err(input(format!(
                    "--resume: {name} is another than in {}: {hint}",
                    path.display()
                )));
            }
        }
        let table = Table::resume(path, read.rows.len()).map_err(|error| wrong(&error))?;
        return Ok((table, read.done()));
    }
    if args.resume {
        return Err(input(format!("--resume: {} is missing", path.display())));
    }
    let table = Table::create(path, &texts, columns).map_err(|error| wrong(&error))?;
    Ok((table, Default::default()))
}

/// How a sweep went.
struct Found {
    /// Points of this part.
    mine: usize,
    /// Points that were open when it began.
    new: usize,
    threads: usize,
    seconds: f64,
}

fn n_failed(read: &Read) -> usize {
    read.rows.iter().filter(|(_, failure)| !failure.is_empty()).count()
}

/// Rows whose run had steps above the tolerance.
fn n_unconverged(read: &Read) -> usize {
    let unconverged = |numbers: &[f64]| numbers[numbers.len() - table::TRUST.len()] > 0.0;
    read.rows.iter().filter(|(numbers, _)| unconverged(numbers)).count()
}

fn tell(args: &SweepArgs, found: &Found, read: &Read, files: &[PathBuf; 2], figures: &[PathBuf]) {
    let (failed, unconverged) = (n_failed(read), n_unconverged(read));
    let rate = found.new as f64 / found.seconds / found.threads as f64;
    if args.json {
        let names = |list: &[PathBuf]| list.iter().map(|f| f.display().to_string()).collect::<Vec<_>>();
        let told = serde_json::json!({
            "points": found.mine, "computed": read.rows.len(), "failed": failed, "unconverged": unconverged,
            "seconds": found.seconds, "points_per_second_and_thread": rate, "threads": found.threads,
            "files": names(files), "figures": names(figures),
        });
        say(&told.to_string());
    } else if !args.quiet {
        say(&format!(
            "{} of {} points, {failed} failed, {unconverged} with steps above the tolerance",
            read.rows.len(),
            found.mine
        ));
        say(&format!(
            "{:.1} s, {rate:.1} points per second and thread, {} threads",
            found.seconds, found.threads
        ));
        for (_, failure) in read.rows.iter().filter(|(_, failure)| !failure.is_empty()).take(1) {
            say(&format!("the first failure: {failure}"));
        }
        files.iter().for_each(|file| say(&format!("table    {}", file.display())));
        figures.iter().for_each(|file| say(&format!("figure   {}", file.display())));
    }
}

/// The exit code.
fn judge(found: &Found, read: &Read) -> Result<(), Failure> {
    let open = found.mine.saturating_sub(read.rows.len());
    if open > 0 {
        return Err(Failure::Run(anyhow::anyhow!(
            "interrupted: {open} points are open; continue with --resume"
        )));
    }
    match n_failed(read) {
        0 => Ok(()),
        n => Err(Failure::Run(anyhow::anyhow!(
            "{n} of {} points failed; the column `failure` says why",
            found.mine
        ))),
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
        let stem: String = output
            .name
            .chars()
            .map(|c| if c.is_alphanumeric() || "._-".contains(c) { c } else { '-' })
            .collect();
        for (end, bytes) in [("png", &drawing.png[..]), ("svg", drawing.svg.as_bytes())] {
            let path = out.join(format!("{stem}.{end}"));
            std::fs::write(&path, bytes).map_err(|error| failed(&path)(&error))?;
            files.push(path);
        }
    }
    Ok(files)
}
