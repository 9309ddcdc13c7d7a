//! The frames of a result file: their times, and where their rows in other tables are.

use crate::store::{FRAMES, Reader, Records, StoreError};
use std::ops::Range;

/// The place of a column of `frames`.
pub(super) fn column(reader: &Reader, name: &str) -> Result<usize, StoreError> {
    place(reader, FRAMES, name)
}

/// The place of a column of a table.
pub(super) fn place(reader: &Reader, table: &str, name: &str) -> Result<usize, StoreError> {
    let columns = &reader.table(table)?.spec.columns;
    let found = columns.iter().position(|column| column == name);
    found.ok_or_else(|| reader.no_table(&format!("{table}/{name}")))
}

/// Number of frames.
pub(super) fn n_frames(reader: &Reader) -> Result<u64, StoreError> {
    Ok(reader.table(FRAMES)?.rows)
}

/// A column of `frames`.
pub(super) fn frames(reader: &Reader, name: &str) -> Result<Vec<f64>, StoreError> {
    let k = column(reader, name)?;
    let rows = reader.floats(FRAMES)?;
    Ok(rows.values.chunks_exact(rows.width).map(|row| row[k]).collect())
}

/// A column of ends of `frames`: ascending.
pub(super) fn ends(reader: &Reader, name: &str) -> Result<Vec<u64>, StoreError> {
    let mut last = 0;
    let ends = frames(reader, name)?.into_iter().map(|end| {
        last = last.max(end as u64);
        last
    });
    Ok(ends.collect())
}

/// The rows of a frame.
pub(super) fn rows_of(ends: &[u64], frame: usize) -> Range<u64> {
    frame.checked_sub(1).map_or(0, |before| ends[before])..ends[frame]
}

/// A table of records with the places of some of its columns.
pub(super) struct Columns<const N: usize> {
    table: &'static str,
    places: [usize; N],
}

impl<const N: usize> Columns<N> {
    /// These columns of a table.
    pub(super) fn new(
        reader: &Reader,
        table: &'static str,
        names: [&str; N],
    ) -> Result<Self, StoreError> {
        let mut places = [0; N];
        for (to, name) in places.iter_mut().zip(names) {
            *to = place(reader, table, name)?;
        }
        Ok(Self { table, places })
    }

    /// Some rows.
    pub(super) fn read(&self, reader: &Reader, rows: Range<u64>) -> Result<Records, StoreError> {
        reader.records_in(self.table, rows)
    }

    /// The numbers of a row.
    pub(super) fn floats(&self, rows: &Records, row: usize) -> [f64; N] {
        self.places.map(|column| rows.float(row, column))
    }
}
