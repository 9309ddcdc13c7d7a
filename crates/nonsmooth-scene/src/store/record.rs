//! Rows of columns of different kinds: numbers and names side by side, as other programs like to read them.

use super::spec::{Field, NUMBER_BYTES, TableSpec};

/// Where the cells of a row go, in the order of the columns.
#[derive(Debug)]
pub struct RecordWriter<'a> {
    fields: &'a [Field],
    bytes: &'a mut Vec<u8>,
    /// Cells written so far.
    n_cells: usize,
    /// Whether each of them was of the kind of its column.
    fits: bool,
}

impl<'a> RecordWriter<'a> {
    pub(super) fn new(fields: &'a [Field], bytes: &'a mut Vec<u8>) -> Self {
        Self { fields, bytes, n_cells: 0, fits: true }
    }

    /// Writes a number.
    pub fn float(&mut self, x: f64) {
        self.fits &= self.fields.get(self.n_cells) == Some(&Field::Float);
        self.n_cells += 1;
        self.bytes.extend_from_slice(&x.to_le_bytes());
    }

    /// Writes a text; what does not fit into its column is cut off, between two letters.
    pub fn text(&mut self, text: &str) {
        let size = match self.fields.get(self.n_cells) {
            Some(Field::Text(words)) => words * NUMBER_BYTES,
            _ => {
                self.fits = false;
                0
            }
        };
        self.n_cells += 1;
        let n = text.floor_char_boundary(size);
        self.bytes.extend_from_slice(&text.as_bytes()[..n]);
        self.bytes.resize(self.bytes.len() + size - n, 0);
    }

    /// Leaves a cell empty: not a number, or no letters.
    pub fn empty(&mut self) {
        match self.fields.get(self.n_cells) {
            Some(Field::Text(_)) => self.text(""),
            _ => self.float(f64::NAN),
        }
    }

    /// Cells written, and whether they are of the kinds of their columns.
    pub(super) fn end(self) -> (usize, bool) {
        (self.n_cells, self.fits)
    }
}

/// Rows of a table of records.
#[derive(Debug, Clone, PartialEq)]
pub struct Records {
    fields: Vec<Field>,
    /// Where each column begins in a row [byte], and the size of a row.
    starts: Vec<usize>,
    bytes: Vec<u8>,
}

impl Records {
    pub(super) fn new(spec: &TableSpec, bytes: Vec<u8>) -> Self {
        let mut starts = vec![0];
        let mut end = 0;
        for field in &spec.fields {
            end += field.n_bytes();
            starts.push(end);
        }
        Self { fields: spec.fields.clone(), starts, bytes }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.row_bytes()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.fields.len()
    }

    fn row_bytes(&self) -> usize {
        self.starts.last().copied().unwrap_or(0).max(1)
    }

    fn cell(&self, row: usize, column: usize) -> &[u8] {
        let begin = row * self.row_bytes();
        &self.bytes[begin + self.starts[column]..begin + self.starts[column + 1]]
    }

    /// The number in a cell; not a number in a column of texts.
    pub fn float(&self, row: usize, column: usize) -> f64 {
        match self.cell(row, column).first_chunk() {
            Some(bytes) if self.fields[column] == Field::Float => f64::from_le_bytes(*bytes),
            _ => f64::NAN,
        }
    }

    /// N numbers from a column on.
    pub fn floats<const N: usize>(&self, row: usize, first: usize) -> [f64; N] {
        std::array::from_fn(|k| self.float(row, first + k))
    }

    /// The text in a cell; empty in a column of numbers.
    pub fn text(&self, row: usize, column: usize) -> &str {
        if self.fields[column] == Field::Float {
            return "";
        }
        let bytes = self.cell(row, column);
        let n = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        std::str::from_utf8(&bytes[..n]).unwrap_or_default()
    }

    /// Whether a column holds texts.
    pub fn is_text(&self, column: usize) -> bool {
        self.fields[column] != Field::Float
    }
}
