//! The tables of a result file as CSV, one file each, with a header line.

use super::recorder::RESULT_FILE;
use crate::store::{FRAMES, Kind, Reader, StoreError};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use thiserror::Error;

/// Why CSV files could not be written.
#[derive(Debug, Error)]
pub enum CsvError {
    /// The result file cannot be read.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// A file cannot be written.
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

/// Names of the tables of systems, and so of the CSV files.
const TABLES: [&str; 11] = [
    "systems",
    "q",
    "v",
    "energy",
    "contacts",
    "contact_keys",
    "events",
    "event_keys",
    "solver",
    "gaps",
    "frames",
];

/// Names of all tables that a result file may have.
pub fn table_names() -> impl Iterator<Item = &'static str> {
    TABLES.into_iter().chain(super::bodies::NAMES)
}

/// Tables with a row per frame.
const FRAME_TABLES: [&str; 6] = ["q", "v", "energy", "solver", "gaps", "body_frames"];

/// Rows read and written at a time.
const BLOCK: u64 = 4096;

/// Writes `<table>.csv` for every table of the result file in `folder`; frame tables get a column t.
pub fn write_csv(folder: &Path) -> Result<(), CsvError> {
    let reader = Reader::open(folder.join(RESULT_FILE))?;
    let n_frames = reader.table(FRAMES)?.rows;
    let t: Vec<f64> = reader.floats(FRAMES)?.values.chunks(5).map(|row| row[0]).collect();
    for table in reader.tables() {
        let name = &table.spec.name;
        let is_frame_table = FRAME_TABLES.contains(&name.as_str());
        let rows = if is_frame_table { n_frames } else { table.rows };
        let mut file =
            std::io::BufWriter::new(std::fs::File::create(folder.join(format!("{name}.csv")))?);
        let lead = if is_frame_table { "t," } else { "" };
        writeln!(file, "{lead}{}", table.spec.columns.join(","))?;
        for begin in (0..rows).step_by(BLOCK as usize) {
            let range = begin..(begin + BLOCK).min(rows);
            let mut text = String::new();
            match table.spec.kind {
                Kind::Float => {
                    let block = reader.floats_in(name, range)?;
                    for (i, row) in block.values.chunks(block.width).enumerate() {
                        if is_frame_table {
                            let _ = write!(text, "{:?},", t[begin as usize + i]);
                        }
                        push_row(&mut text, row.iter().map(|x| format!("{x:?}")));
                    }
                }
                Kind::Integer => {
                    let block = reader.integers_in(name, range)?;
                    for (i, row) in block.values.chunks(block.width).enumerate() {
                        if is_frame_table {
                            let _ = write!(text, "{:?},", t[begin as usize + i]);
                        }
                        push_row(&mut text, row.iter().map(i64::to_string));
                    }
                }
            }
            file.write_all(text.as_bytes())?;
        }
    }
    Ok(())
}

fn push_row(text: &mut String, cells: impl Iterator<Item = String>) {
    let cells: Vec<String> = cells.collect();
    text.push_str(&cells.join(","));
    text.push('\n');
}
