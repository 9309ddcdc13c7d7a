//! Tests of the store as a whole, and what they share.

mod damage;
mod kill;
mod round_trip;

use std::path::PathBuf;

use super::{Field, Kind, TableSpec, Writer};

/// A fresh file path that is removed, with its siblings, when dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("store-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder.join("results.h5"))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(self.0.parent().unwrap());
    }
}

fn spec(name: &str, kind: Kind, width: usize) -> TableSpec {
    TableSpec {
        name: name.to_owned(),
        kind,
        width,
        columns: vec![],
        fields: vec![],
        unit: "m".to_owned(),
        about: format!("rows of {name}"),
    }
}

/// A row that tells its table, its number and its column.
fn expected(table: usize, row: u64, width: usize) -> Vec<f64> {
    (0..width).map(|j| row as f64 + 0.25 * table as f64 + 1e-3 * j as f64).collect()
}

/// A table of a number and a name.
fn record(name: &str) -> TableSpec {
    let columns = vec!["x".to_owned(), "name".to_owned()];
    let fields = vec![Field::Float, Field::Text(2)];
    TableSpec { kind: Kind::Record, columns, fields, ..spec(name, Kind::Float, 2) }
}

/// Appends a row to such a table.
fn append_named(writer: &mut Writer, table: usize, row: u64) {
    let append = writer.append_record(table, |to| {
        to.float(0.5 * row as f64);
        to.text(&format!("b[{row}]"));
    });
    append.unwrap();
}
