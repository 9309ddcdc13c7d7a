//! A CSV file with a header.

use super::{Cells, Row};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Result, Write};
use std::path::Path;

/// An open table.
pub struct TidyTable {
    file: BufWriter<File>,
    line: String,
}

impl TidyTable {
    /// Creates `<name>.csv` in a folder with these columns.
    pub fn create<'a>(
        folder: &Path,
        name: &str,
        columns: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self> {
        let file = BufWriter::new(File::create(folder.join(format!("{name}.csv")))?);
        let mut table = Self { file, line: String::new() };
        for column in columns {
            table.text(column);
        }
        table.end_line()?;
        Ok(table)
    }

    /// Creates the table of one kind of rows.
    pub fn of<R: Row>(folder: &Path) -> Result<Self> {
        Self::create(folder, R::NAME, R::COLUMNS.iter().copied())
    }

    /// Appends a row.
    pub fn push<R: Row>(&mut self, row: &R) -> Result<()> {
        row.cells(self);
        self.end_line()
    }

    /// Ends the line.
    pub fn end_line(&mut self) -> Result<()> {
        self.line.pop();
        self.line.push('\n');
        self.file.write_all(self.line.as_bytes())?;
        self.line.clear();
        Ok(())
    }

    /// Writes what is left in memory.
    pub fn finish(mut self) -> Result<()> {
        self.file.flush()
    }
}

impl Cells for TidyTable {
    /// The number reads back to the same bits.
    fn number(&mut self, x: f64) {
        let _ = write!(self.line, "{x:?},");
    }

    /// In quotes if the text needs them.
    fn text(&mut self, text: &str) {
        if text.contains([',', '"', '\n']) {
            let _ = write!(self.line, "\"{}\",", text.replace('"', "\"\""));
        } else {
            let _ = write!(self.line, "{text},");
        }
    }

    fn skip(&mut self) {
        self.line.push(',');
    }
}
