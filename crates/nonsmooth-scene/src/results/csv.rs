//! The tidy tables of a run as CSV: copies of those of its result file.

use super::RESULT_FILE;
use super::frames::{column, ends, n_frames};
use crate::store::{Kind, Reader, StoreError};
use crate::tidy::{Cells, TABLES, TidyTable};
use std::path::Path;
use thiserror::Error;

/// Why CSV files could not be written.
#[derive(Debug, Error)]
pub enum CsvError {
    /// The result file cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file cannot be written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// Numbers that are read at a time, at least a row.
const BLOCK: u64 = 1 << 20;

/// Writes the tidy tables of the result file in `folder`.
pub fn write_csv(folder: &Path) -> Result<(), CsvError> {
    let reader = Reader::open(folder.join(RESULT_FILE))?;
    for name in TABLES {
        if reader.table(name).is_ok() {
            copy(&reader, name, folder)?;
        }
    }
    Ok(())
}

/// Copies the valid rows of a table.
fn copy(reader: &Reader, name: &str, folder: &Path) -> Result<(), CsvError> {
    let spec = &reader.table(name)?.spec;
    let mut table = TidyTable::create(folder, name, spec.columns.iter().map(String::as_str))?;
    let n_rows = valid_rows(reader, name)?;
    let block = (BLOCK / spec.width as u64).max(1);
    for begin in (0..n_rows).step_by(block as usize) {
        let range = begin..(begin + block).min(n_rows);
        if spec.kind == Kind::Record {
            let rows = reader.records_in(name, range)?;
            for row in 0..rows.len() {
                for column in 0..rows.width() {
                    match rows.float(row, column) {
                        _ if rows.is_text(column) => table.text(rows.text(row, column)),
                        x if x.is_nan() => table.skip(),
                        x => table.number(x),
                    }
                }
                table.end_line()?;
            }
        } else {
            let rows = reader.floats_in(name, range)?;
            for row in rows.values.chunks_exact(rows.width) {
                table.numbers(row);
                table.end_line()?;
            }
        }
    }
    Ok(table.finish()?)
}

/// Rows of a table that `frames` vouches for.
fn valid_rows(reader: &Reader, name: &str) -> Result<u64, StoreError> {
    let end = format!("{name}_end");
    if column(reader, &end).is_err() {
        return n_frames(reader);
    }
    // Impacts after the last frame are whole steps, too, and a run that failed has them.
    if name == "events" {
        return Ok(reader.table(name)?.rows);
    }
    Ok(ends(reader, &end)?.last().copied().unwrap_or(0))
}
