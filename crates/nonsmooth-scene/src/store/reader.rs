//! Reading a result file: list the tables, read rows, read the texts.

use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use hdf5_pure::File;

use super::describe::{TableInfo, describe};
use super::error::{StoreError, hdf5, io};
use super::record::Records;
use super::spec::{Kind, NUMBER_BYTES};

/// Where a superblock of version 2 or 3, with offsets of 8 bytes, has the address of the end of the file.
const END_OF_FILE: Range<usize> = 28..36;
/// Bytes read at once.
const BLOCK_BYTES: usize = 8 << 20;

/// Rows of a table, one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows<T> {
    /// Entries per row.
    pub width: usize,
    /// All entries, row by row.
    pub values: Vec<T>,
}

/// A result file opened for reading. It takes no lock and keeps only what it is asked for in memory.
#[derive(Debug)]
pub struct Reader {
    path: PathBuf,
    file: File,
    tables: Vec<TableInfo>,
    texts: BTreeMap<String, String>,
}

impl Reader {
    /// Opens a file, finished or left behind by a killed process.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        let file = File::open_streaming(path).map_err(hdf5(path))?;
        check_length(path)?;
        Self::from_file(path, file)
    }

    pub(super) fn from_file(path: &Path, file: File) -> Result<Self, StoreError> {
        let tables = describe(&file, path)?;
        let attributes = file.root().attrs().map_err(hdf5(path))?;
        let texts = attributes
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.as_str()?.to_owned())))
            .collect();
        Ok(Self { path: path.to_owned(), file, tables, texts })
    }

    /// All tables, in the order they were described.
    pub fn tables(&self) -> &[TableInfo] {
        &self.tables
    }

    /// One table.
    pub fn table(&self, name: &str) -> Result<&TableInfo, StoreError> {
        let found = self.tables.iter().find(|info| info.spec.name == name);
        found.ok_or_else(|| self.no_table(name))
    }

    /// What to say of a table or a column that is not there.
    pub(crate) fn no_table(&self, name: &str) -> StoreError {
        StoreError::NoTable { path: self.path.clone(), table: name.to_owned() }
    }

    /// The text attributes of the file, by name.
    pub fn texts(&self) -> &BTreeMap<String, String> {
        &self.texts
    }

    /// Reads a whole table of floats.
    pub fn floats(&self, name: &str) -> Result<Rows<f64>, StoreError> {
        self.floats_in(name, 0..self.table(name)?.rows)
    }

    /// Reads some rows of a table of floats.
    pub fn floats_in(&self, name: &str, rows: Range<u64>) -> Result<Rows<f64>, StoreError> {
        self.read(name, Kind::Float, rows, f64::from_le_bytes)
    }

    /// Reads a whole table of integers.
    pub fn integers(&self, name: &str) -> Result<Rows<i64>, StoreError> {
        self.integers_in(name, 0..self.table(name)?.rows)
    }

    /// Reads some rows of a table of integers.
    pub fn integers_in(&self, name: &str, rows: Range<u64>) -> Result<Rows<i64>, StoreError> {
        self.read(name, Kind::Integer, rows, i64::from_le_bytes)
    }

    /// Reads some rows of a table of records.
    pub fn records_in(&self, name: &str, rows: Range<u64>) -> Result<Records, StoreError> {
        let info = self.table(name)?;
        if info.spec.kind != Kind::Record {
            return Err(StoreError::WrongKind { table: name.to_owned(), kind: info.spec.kind });
        }
        let mut bytes = Vec::new();
        self.for_each_block(info, rows, |block| {
            bytes.extend_from_slice(block);
            Ok(())
        })?;
        Ok(Records::new(&info.spec, bytes))
    }

    fn read<T>(
        &self,
        name: &str,
        kind: Kind,
        rows: Range<u64>,
        decode: fn([u8; NUMBER_BYTES]) -> T,
    ) -> Result<Rows<T>, StoreError> {
        let info = self.table(name)?;
        if info.spec.kind != kind {
            return Err(StoreError::WrongKind { table: name.to_owned(), kind: info.spec.kind });
        }
        let width = info.spec.width;
        let n_rows = rows.end.saturating_sub(rows.start) as usize;
        let mut values = Vec::with_capacity(n_rows.min(info.rows as usize) * width);
        self.for_each_block(info, rows, |bytes| {
            let (numbers, _) = bytes.as_chunks::<NUMBER_BYTES>();
            values.extend(numbers.iter().map(|number| decode(*number)));
            Ok(())
        })?;
        Ok(Rows { width, values })
    }

    /// Hands out the raw bytes of some rows, block by block.
    pub(super) fn for_each_block(
        &self,
        info: &TableInfo,
        rows: Range<u64>,
        mut use_block: impl FnMut(&[u8]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let table = || info.spec.name.clone();
        if rows.end > info.rows {
            let (path, want, have) = (self.path.clone(), rows.end, info.rows);
            return Err(StoreError::TooFewRows { path, table: table(), want, have });
        }
        let dataset = self.file.dataset(&info.spec.name).map_err(hdf5(&self.path))?;
        let row_bytes = info.spec.row_bytes();
        let step = (BLOCK_BYTES / row_bytes).max(1);
        for start in rows.clone().step_by(step) {
            let n_rows = (rows.end - start).min(step as u64);
            let per_row = info.layout.per_row;
            let block = dataset.read_raw_rows(start * per_row, n_rows * per_row);
            let block = block.map_err(hdf5(&self.path))?;
            if block.len() != n_rows as usize * row_bytes {
                return Err(StoreError::BadTable { path: self.path.clone(), table: table() });
            }
            use_block(&block)?;
        }
        Ok(())
    }
}

/// Refuses a file that is shorter than its superblock says. What is cut from its last page may hold no row that anyone reads, but then no
/// one knows what else is missing.
fn check_length(path: &Path) -> Result<(), StoreError> {
    let mut file = std::fs::File::open(path).map_err(io(path))?;
    let mut superblock = [0; END_OF_FILE.end];
    file.read_exact(&mut superblock).map_err(io(path))?;
    let mut end = [0; 8];
    end.copy_from_slice(&superblock[END_OF_FILE]);
    let (end, length) = (u64::from_le_bytes(end), file.metadata().map_err(io(path))?.len());
    if length < end {
        return Err(StoreError::Truncated { path: path.to_owned(), length, end });
    }
    Ok(())
}
