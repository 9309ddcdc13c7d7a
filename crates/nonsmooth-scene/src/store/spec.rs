//! What a table looks like: the user's description, its checks, and the layout on disk.

use std::collections::BTreeSet;

use hdf5_pure::{
    CharacterSet, CompoundTypeBuilder, Datatype, StringPadding, make_f64_type, make_i64_type,
};

use super::error::{SpecFault, StoreError};

/// The table that says how much of all others is valid; written last.
pub const FRAMES: &str = "frames";

/// Largest row stored as one element, in bytes: 8191 numbers.
///
/// A chunk's size in elements and an element's size in bytes are stored in the fewest bytes that
/// hold both. hdf5-pure 0.47.0 rounds that 3 up to 4, and HDF5 2.0 (h5py 3.16) then refuses the
/// dataset, so neither may lie between 2¹⁶ and 2²⁴ − 1.
pub const MAX_ELEMENT_BYTES: usize = 65_535;

/// Most elements in a chunk, for the same reason.
const MAX_CHUNK: u64 = 65_535;

/// Elements per chunk for flat rows above `MAX_CHUNK`: 64 KiB, an eighth of the row or less.
const WIDE_CHUNK: u64 = 8192;

/// Largest row, in entries: 512 MiB.
pub const MAX_WIDTH: usize = 1 << 26;

/// Most columns with names, and most bytes of their names: the type of a dataset lies in a header of at most 64 KiB.
const MAX_NAMED: (usize, usize) = (500, 16_384);

/// Size of one number on disk [byte].
pub(super) const NUMBER_BYTES: usize = 8;

/// What the numbers of a table are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// 64-bit floating point.
    Float,
    /// 64-bit signed integers.
    Integer,
    /// Columns of different kinds.
    Record,
}

/// What a column of records holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// 64-bit floating point.
    Float,
    /// A text of up to so many times eight bytes, filled up with zeros.
    Text(usize),
}

/// Longest text of a column, in words of eight bytes.
const MAX_TEXT: usize = 64;

impl Field {
    /// A text that holds the longest of these, within reason.
    pub fn text_for<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let longest = texts.into_iter().map(str::len).max().unwrap_or(0);
        Field::Text(longest.div_ceil(NUMBER_BYTES).clamp(1, MAX_TEXT))
    }

    /// Size of a cell [byte].
    pub(super) fn n_bytes(self) -> usize {
        match self {
            Field::Float => NUMBER_BYTES,
            Field::Text(words) => words * NUMBER_BYTES,
        }
    }

    fn datatype(self) -> Datatype {
        match self {
            Field::Float => make_f64_type(),
            Field::Text(_) => Datatype::String {
                size: self.n_bytes() as u32,
                padding: StringPadding::NullPad,
                charset: CharacterSet::Utf8,
            },
        }
    }

    /// As it stands in the attribute `fields`.
    pub(super) fn code(self) -> String {
        match self {
            Field::Float => "float".to_owned(),
            Field::Text(words) => format!("text{words}"),
        }
    }

    /// From the attribute `fields`.
    pub(super) fn from_code(code: &str) -> Option<Self> {
        if code == "float" {
            return Some(Field::Float);
        }
        let words = code.strip_prefix("text")?.parse().ok()?;
        (1..=MAX_TEXT).contains(&words).then_some(Field::Text(words))
    }
}

/// Description of one table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSpec {
    /// Name; parts before a `/` are groups.
    pub name: String,
    /// What its numbers are.
    pub kind: Kind,
    /// Entries per row.
    pub width: usize,
    /// One label per entry, or none at all for wide tables.
    pub columns: Vec<String>,
    /// What each column holds, in a table of records; else empty.
    pub fields: Vec<Field>,
    /// Unit of the entries, as text.
    pub unit: String,
    /// One sentence on what a row is.
    pub about: String,
}

/// How a file is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Shuffle and deflate the chunks.
    pub compress: bool,
    /// Aimed size of a chunk, in bytes.
    pub chunk_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        // A commit moves each table's unfinished chunk to fresh space and abandons the old one, so
        // it costs up to one chunk per table. Width 3, a commit every 1000 rows: the file is 3.7
        // times its data with 64 KiB chunks, 1.7 times with 16 KiB, 1.2 times with 4 KiB, at about
        // the same time per row.
        Self { compress: false, chunk_bytes: 16_384 }
    }
}

/// How one table lies in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    /// Dataset elements per row: 1, or the width if stored flat.
    pub(super) per_row: u64,
    /// Size of one dataset element [byte].
    pub(super) element_bytes: usize,
    /// Elements per chunk.
    pub(super) chunk: u64,
    /// Whether chunks are deflated.
    pub(super) compress: bool,
}

impl TableSpec {
    /// Size of a row [byte].
    pub(super) fn row_bytes(&self) -> usize {
        match self.kind {
            Kind::Record => self.fields.iter().map(|field| field.n_bytes()).sum(),
            Kind::Float | Kind::Integer => self.width * NUMBER_BYTES,
        }
    }

    /// The layout of a new table. A flat row is one chunk if it may, so that no commit splits it.
    pub(super) fn layout(&self, options: Options) -> Layout {
        let row_bytes = self.row_bytes();
        let compress = options.compress;
        if row_bytes > MAX_ELEMENT_BYTES {
            let per_row = self.width as u64;
            let chunk = if per_row <= MAX_CHUNK { per_row } else { WIDE_CHUNK };
            return Layout { per_row, element_bytes: NUMBER_BYTES, chunk, compress };
        }
        let chunk = ((options.chunk_bytes / row_bytes) as u64).clamp(1, MAX_CHUNK);
        Layout { per_row: 1, element_bytes: row_bytes, chunk, compress }
    }

    /// The layout of a table found in a file.
    pub(super) fn stored_layout(&self, chunk: u64, compress: bool) -> Layout {
        Layout { chunk, ..self.layout(Options { compress, chunk_bytes: 0 }) }
    }

    /// The HDF5 type of one element.
    pub(super) fn datatype(&self) -> Datatype {
        if self.kind == Kind::Record {
            let columns = self.columns.iter().zip(&self.fields);
            let fields = columns.fold(CompoundTypeBuilder::new(), |all, (name, field)| {
                all.field(name, field.datatype())
            });
            return fields.build().unwrap_or_else(|_| make_f64_type());
        }
        let number = self.kind.datatype();
        if self.width == 1 || self.width * NUMBER_BYTES > MAX_ELEMENT_BYTES {
            return number;
        }
        if self.has_named_columns() {
            let fields = CompoundTypeBuilder::new();
            let fields = self.columns.iter().fold(fields, |all, name| all.field(name, number.clone()));
            return fields.build().expect("at least two fields of eight bytes");
        }
        let dimensions = vec![u32::try_from(self.width).expect("at most 8191 by the test above")];
        Datatype::Array { base_type: Box::new(number), dimensions }
    }

    /// Whether a row is stored as a record, so that other programs see the names of its columns.
    fn has_named_columns(&self) -> bool {
        let letters: usize = self.columns.iter().map(String::len).sum();
        let names: BTreeSet<&String> = self.columns.iter().collect();
        names.len() == self.width
            && self.width <= MAX_NAMED.0
            && letters <= MAX_NAMED.1
            && !names.iter().any(|name| name.is_empty())
    }

    /// The groups the table lies in, outermost first.
    pub(super) fn groups(&self) -> impl Iterator<Item = &str> {
        self.name.match_indices('/').map(|(end, _)| &self.name[..end])
    }

    fn fault(&self) -> Option<SpecFault> {
        if self.name.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Some(SpecFault::Name);
        }
        if self.width == 0 || self.width > MAX_WIDTH {
            return Some(SpecFault::Width { got: self.width });
        }
        let labels = self.columns.len();
        if labels != 0 && labels != self.width {
            return Some(SpecFault::Columns { labels, width: self.width });
        }
        let is_record = self.kind == Kind::Record;
        let cells = if is_record { self.width } else { 0 };
        let too_long = is_record && self.row_bytes() > MAX_ELEMENT_BYTES;
        if self.fields.len() != cells || is_record && !self.has_named_columns() || too_long {
            return Some(SpecFault::Fields);
        }
        let has_zero = |text: &String| text.contains('\0');
        let texts = [&self.name, &self.unit, &self.about];
        let bad_label = |label: &String| has_zero(label) || label.contains(',');
        let bad = texts.into_iter().any(has_zero) || self.columns.iter().any(bad_label);
        bad.then_some(SpecFault::Text)
    }
}

impl Kind {
    /// The HDF5 type of one number.
    pub(super) fn datatype(self) -> Datatype {
        match self {
            Kind::Float => make_f64_type(),
            Kind::Integer => make_i64_type(),
            // A record has the types of its fields.
            Kind::Record => make_f64_type(),
        }
    }
}

/// Checks all descriptions of a file; the first fault found is returned.
pub(super) fn check_specs(specs: &[TableSpec]) -> Result<(), StoreError> {
    let bad = |table: &TableSpec, fault| StoreError::BadSpec { table: table.name.clone(), fault };
    let mut names = BTreeSet::new();
    for (i, spec) in specs.iter().enumerate() {
        if let Some(fault) = spec.fault() {
            return Err(bad(spec, fault));
        }
        if !names.insert(spec.name.as_str()) {
            return Err(bad(spec, SpecFault::Clash { other: spec.name.clone() }));
        }
        if spec.name == FRAMES && i + 1 != specs.len() {
            return Err(bad(spec, SpecFault::FramesNotLast));
        }
    }
    // A name cannot be a table and a group at once.
    for spec in specs {
        if let Some(other) = spec.groups().find(|group| names.contains(group)) {
            return Err(bad(spec, SpecFault::Clash { other: other.to_owned() }));
        }
    }
    Ok(())
}

/// Checks the text attributes of a file.
pub(super) fn check_attributes(attributes: &[(String, String)]) -> Result<(), StoreError> {
    let mut names = BTreeSet::new();
    for (name, text) in attributes {
        let zero = name.contains('\0') || text.contains('\0');
        if name.is_empty() || zero || !names.insert(name) {
            return Err(StoreError::BadAttribute { name: name.clone() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_is_one_that_h5py_opens() {
        for width in [1, 2, 3, 31, 32, 8191, 8192, 8193, 65_535, 65_536, 1 << 24, MAX_WIDTH] {
            let (name, unit, about) = ("q".to_owned(), String::new(), String::new());
            let (columns, fields) = (vec![], vec![]);
            let spec = TableSpec { name, kind: Kind::Float, width, columns, fields, unit, about };
            for chunk_bytes in [0, 1000, 65_536, 1 << 20, usize::MAX] {
                let layout = spec.layout(Options { compress: false, chunk_bytes });
                assert!((1..=MAX_CHUNK).contains(&layout.chunk), "{width} {layout:?}");
                assert!(layout.element_bytes <= MAX_ELEMENT_BYTES, "{width} {layout:?}");
                let row_bytes = layout.element_bytes * layout.per_row as usize;
                assert_eq!(row_bytes, width * NUMBER_BYTES);
            }
        }
    }
}
