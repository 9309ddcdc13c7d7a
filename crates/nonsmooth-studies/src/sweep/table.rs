//! The table of a sweep: one row for each point, as records of an HDF5 file that survives a kill, and as CSV once all are there.
//!
//! Rows stand in the order in which runs ended, each with the number of its point. The CSV file is in the order of the points.

use super::outputs::Output;
use super::points::Points;
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
pub(super) const TRUST: [&str; 3] = ["unconverged", "largest_residual", "error_estimate"];

/// What became of a point.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outcome {
    pub(super) point: usize,
    /// The outputs, then those of `TRUST`; not a number where there is none.
    pub(super) values: Vec<f64>,
    /// Why the run failed; empty if it did not.
    pub(super) failure: String,
}

/// The table being written.
pub(super) struct Table {
    writer: Writer,
    committed: Instant,
}

/// Time between two commits: what a kill costs.
const COMMIT_EVERY: Duration = Duration::from_millis(200);

/// Names of the columns.
pub(super) fn columns(points: &Points, outputs: &[Output]) -> Vec<String> {
    let varied = points.names().iter().cloned();
    let own = outputs.iter().map(|output| output.name.clone());
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
        about: "points of the sweep in the order in which their runs ended: parameters, outputs, trust, why it failed".to_owned(),
    }
}

impl Table {
    /// A new table; `texts` say what makes it.
    pub(super) fn create(
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
    pub(super) fn resume(path: &Path, rows: usize) -> Result<Self, StoreError> {
        Ok(Self {
            writer: Writer::resume(path, &[(POINTS.to_owned(), rows as u64)])?,
            committed: Instant::now(),
        })
    }

    /// Adds a row; now and then what is there is made readable.
    pub(super) fn push(&mut self, parameters: &[f64], outcome: &Outcome) -> Result<(), StoreError> {
        self.writer.append_record(0, |row| {
            row.float(outcome.point as f64);
            parameters.iter().chain(&outcome.values).for_each(|x| row.float(*x));
            row.text(&outcome.failure);
        })?;
        if self.committed.elapsed() >= COMMIT_EVERY {
            self.writer.commit()?;
            self.committed = Instant::now();
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<(), StoreError> {
        self.writer.finish()
    }
}

/// A table that was read: its texts, and the rows sorted by point.
pub(super) struct Read {
    pub(super) texts: Vec<(String, String)>,
    pub(super) rows: Vec<(Vec<f64>, String)>,
}

impl Read {
    /// Reads a table.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let reader = Reader::open(path)?;
        let info = reader.table(POINTS)?;
        let width = info.spec.width;
        let records = reader.records_in(POINTS, 0..info.rows)?;
        let row = |k: usize| {
            let numbers = (0..width - 1).map(|column| records.float(k, column)).collect();
            (numbers, records.text(k, width - 1).to_owned())
        };
        let mut rows: Vec<(Vec<f64>, String)> = (0..records.len()).map(row).collect();
        rows.sort_by(|a, b| a.0[0].total_cmp(&b.0[0]));
        let texts = reader.texts().iter().map(|(name, text)| (name.clone(), text.clone())).collect();
        Ok(Self { texts, rows })
    }

    /// The points that are there.
    pub(super) fn done(&self) -> BTreeSet<usize> {
        self.rows.iter().map(|(numbers, _)| numbers[0] as usize).collect()
    }

    /// The table as CSV: empty cells where there is no number.
    pub(super) fn csv(&self, columns: &[String]) -> String {
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
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
