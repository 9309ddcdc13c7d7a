//! The table of a sweep: one row for each point, or for each period of it, as records of an HDF5 file that survives a kill, and as CSV once all are there.
//!
//! Rows stand in the order in which runs ended, each with the number of its point. The CSV file is in the order of the points.

use super::args::RunsArgs;
use super::points::Points;
use super::{failed, input};
use crate::command::Failure;
use nonsmooth_scene::store::{Field, Kind, Options, Reader, StoreError, TableSpec, Writer};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// Name of the table.
const POINTS: &str = "points";
/// Words of eight bytes that a reason may have.
const REASON: usize = 32;
/// Columns that say how far a row can be trusted, before `failure`.
pub(crate) const TRUST: [&str; 5] =
    ["unconverged", "largest_residual", "largest_overlap", "warnings", "error_estimate"];

/// What became of a point.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) point: usize,
    /// Rows one after the other: the outputs, then those of `TRUST`; not a number where there is none.
    pub(crate) values: Vec<f64>,
    /// Number of rows; 1 if it failed.
    pub(crate) rows: usize,
    /// Why the run failed; empty if it did not.
    pub(crate) failure: String,
}

/// The table being written.
pub(crate) struct Table {
    writer: Writer,
    committed: Instant,
}

/// Time between two commits: what a kill costs.
const COMMIT_EVERY: Duration = Duration::from_millis(200);

/// Names of the columns: parameters, what each point has of its own, and how far it can be trusted.
pub(crate) fn columns(points: &Points, own: &[String]) -> Vec<String> {
    let varied = points.names().iter().cloned();
    let own = own.iter().cloned();
    let trust = TRUST.iter().map(|name| (*name).to_owned());
    ["point".to_owned()]
        .into_iter()
        .chain(varied)
        .chain(own)
        .chain(trust)
        .chain(["failure".to_owned()])
        .collect()
}

fn spec(columns: Vec<String>) -> TableSpec {
    let width = columns.len();
    let mut fields = vec![Field::Float; width - 1];
    fields.push(Field::Text(REASON));
    TableSpec {
        name: POINTS.to_owned(),
        kind: Kind::Record,
        width,
        columns,
        fields,
        unit: "as in the scene".to_owned(),
        about:
            "points in the order in which their runs ended: parameters, outputs, trust, why it failed"
                .to_owned(),
    }
}

impl Table {
    /// A new table; `texts` say what makes it.
    pub(crate) fn create(
        path: &Path,
        texts: &[(String, String)],
        columns: Vec<String>,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            writer: Writer::create(path, texts, vec![spec(columns)], Options::default())?,
            committed: Instant::now(),
        })
    }

    /// Goes on with a table.
    pub(crate) fn resume(path: &Path, rows: usize) -> Result<Self, StoreError> {
        Ok(Self {
            writer: Writer::resume(path, &[(POINTS.to_owned(), rows as u64)])?,
            committed: Instant::now(),
        })
    }

    /// Adds the rows of a point; now and then what is there is made readable.
    pub(crate) fn push(&mut self, parameters: &[f64], outcome: &Outcome) -> Result<(), StoreError> {
        for values in outcome.values.chunks_exact(outcome.values.len() / outcome.rows) {
            self.writer.append_record(0, |row| {
                row.float(outcome.point as f64);
                parameters.iter().chain(values).for_each(|x| row.float(*x));
                row.text(&outcome.failure);
            })?;
        }
        if self.committed.elapsed() >= COMMIT_EVERY {
            self.writer.commit()?;
            self.committed = Instant::now();
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<(), StoreError> {
        self.writer.finish()
    }
}

/// The table to write into, and the points that it has, each with `n_rows` rows unless it failed.
pub(crate) fn open(
    args: &RunsArgs,
    (path, n_rows): (&Path, usize),
    texts: &[(String, String)],
    columns: Vec<String>,
) -> Result<(Table, BTreeSet<usize>), Failure> {
    let wrong = |error: &dyn std::fmt::Display| failed(path)(error);
    if path.exists() && !args.overwrite {
        if !args.resume {
            let hint = "continue it with --resume, replace it with --overwrite, or choose another folder with --out";
            return Err(input(format!("{} has an earlier sweep: {hint}", path.display())));
        }
        let read = Read::open(path).map_err(|error| wrong(&error))?;
        for (name, text) in texts {
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
        // Rows of one point are written together, so only the last can lack some of them.
        let of_last = read.rows.iter().filter(|(numbers, _)| Some(numbers[0]) == read.last);
        let is_cut = |(_, failure): &(Vec<f64>, String)| failure.is_empty();
        let n_last = of_last.filter(|row| is_cut(row)).count() % n_rows;
        let mut done = read.done();
        if let Some(last) = read.last.filter(|_| n_last > 0) {
            done.remove(&(last as usize));
        }
        let table = Table::resume(path, read.rows.len() - n_last).map_err(|error| wrong(&error))?;
        return Ok((table, done));
    }
    if args.resume {
        return Err(input(format!("--resume: {} is missing", path.display())));
    }
    let table = Table::create(path, texts, columns).map_err(|error| wrong(&error))?;
    Ok((table, BTreeSet::new()))
}

/// A table that was read: its texts, and the rows sorted by point.
pub(crate) struct Read {
    pub(crate) texts: Vec<(String, String)>,
    pub(crate) rows: Vec<(Vec<f64>, String)>,
    /// The point of the row that was written last.
    last: Option<f64>,
}

impl Read {
    /// Reads a table.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        let reader = Reader::open(path)?;
        let info = reader.table(POINTS)?;
        let width = info.spec.width;
        let records = reader.records_in(POINTS, 0..info.rows)?;
        let row = |k: usize| {
            let numbers = (0..width - 1).map(|column| records.float(k, column)).collect();
            (numbers, records.text(k, width - 1).to_owned())
        };
        let mut rows: Vec<(Vec<f64>, String)> = (0..records.len()).map(row).collect();
        let last = rows.last().map(|(numbers, _)| numbers[0]);
        // Rows of one point keep their order.
        rows.sort_by(|a, b| a.0[0].total_cmp(&b.0[0]));
        let texts = reader.texts().iter().map(|(name, text)| (name.clone(), text.clone())).collect();
        Ok(Self { texts, rows, last })
    }

    /// The points that are there.
    pub(crate) fn done(&self) -> BTreeSet<usize> {
        self.rows.iter().map(|(numbers, _)| numbers[0] as usize).collect()
    }

    /// The table as CSV: empty cells where there is no number.
    pub(crate) fn csv(&self, columns: &[String]) -> String {
        let mut out = columns.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",");
        out.push('\n');
        for (numbers, failure) in &self.rows {
            let _ = write!(out, "{}", numbers[0] as usize);
            for x in &numbers[1..] {
                let _ = if x.is_finite() { write!(out, ",{x:?}") } else { write!(out, ",") };
            }
            let _ = writeln!(out, ",{}", quoted(failure));
        }
        out
    }
}

/// A cell of CSV.
pub(crate) fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
