//! Writing a result file: create, append rows, commit.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hdf5_pure::{AttrValue, Error, File, FileCreateProperties, FileSpaceStrategy, MaxExtent};

use super::describe::{FIELDS, ORDER, describe};
use super::error::{StoreError, hdf5, io};
use super::lock::{access, open_locked};
use super::record::RecordWriter;
use super::spec::{Kind, Layout, NUMBER_BYTES, Options, TableSpec, check_attributes, check_specs};
use super::table::Table;

/// Deflate level. On smooth trajectories level 6 takes twice the time and saves 2 % more space.
const DEFLATE_LEVEL: u32 = 1;

/// Pages of the file: not larger than those of any system.
const PAGE_BYTES: u64 = 4096;

/// An open result file. Dropping it loses what was appended after the last commit.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    file: File,
    tables: Vec<Table>,
    /// Set by a failed write: part of the buffer may be in the file, so it must not go there again.
    broken: bool,
}

impl Writer {
    /// Creates a file with empty tables, replacing any file of that name.
    ///
    /// The attributes become variable-length strings on the root group, which have no size limit.
    pub fn create(
        path: impl AsRef<Path>,
        attributes: &[(String, String)],
        specs: Vec<TableSpec>,
        options: Options,
    ) -> Result<Self, StoreError> {
        check_specs(&specs)?;
        check_attributes(attributes)?;
        let path = path.as_ref();
        let tables: Vec<_> = specs.into_iter().map(|s| (s.layout(options), s)).collect();
        // Complete under another name first: a kill during creation leaves no half-made file.
        let part = sibling(path, ".part");
        Self::create_with_layouts(&part, attributes, &tables)?.finish()?;
        replace(&part, path)?;
        Self::open(path)
    }

    /// Creates a file in place, from checked descriptions with given layouts.
    pub(super) fn create_with_layouts(
        path: &Path,
        attributes: &[(String, String)],
        tables: &[(Layout, TableSpec)],
    ) -> Result<Self, StoreError> {
        lay_out(path, attributes, tables).map_err(hdf5(path))?;
        Self::open(path)
    }

    /// Opens a file to append at the end of every table.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let file = open_locked(path)?;
        let mut tables = Vec::new();
        for info in describe(&file, path)? {
            let dataset = file.dataset(&info.spec.name).map_err(hdf5(path))?;
            tables.push(Table::new(info, dataset));
        }
        Ok(Self { path: path.to_owned(), file, tables, broken: false })
    }

    /// Appends one row of floats to the table of that index, in the order of the specs.
    pub fn append(&mut self, table: usize, row: &[f64]) -> Result<(), StoreError> {
        self.push(table, Kind::Float, row.len(), row.iter().map(|x| x.to_le_bytes()))
    }

    /// Appends one row of integers to the table of that index, in the order of the specs.
    pub fn append_integers(&mut self, table: usize, row: &[i64]) -> Result<(), StoreError> {
        self.push(table, Kind::Integer, row.len(), row.iter().map(|x| x.to_le_bytes()))
    }

    /// Appends one row to a table of records: `fill` writes its cells in the order of the columns.
    pub fn append_record(
        &mut self,
        index: usize,
        fill: impl FnOnce(&mut RecordWriter<'_>),
    ) -> Result<(), StoreError> {
        let table = self.table_mut(index)?;
        let Some(is_full) = table.push_record(fill) else {
            let (table, kind) = (table.spec.name.clone(), table.spec.kind);
            return Err(StoreError::WrongKind { table, kind });
        };
        let outcome = if is_full { table.flush_chunks() } else { Ok(()) };
        self.settle(outcome)
    }

    #[inline]
    fn push(
        &mut self,
        index: usize,
        kind: Kind,
        width: usize,
        row: impl Iterator<Item = [u8; NUMBER_BYTES]>,
    ) -> Result<(), StoreError> {
        let table = self.table_mut(index)?;
        if table.spec.kind != kind {
            let (table, kind) = (table.spec.name.clone(), table.spec.kind);
            return Err(StoreError::WrongKind { table, kind });
        }
        if table.spec.width != width {
            let (table, want) = (table.spec.name.clone(), table.spec.width);
            return Err(StoreError::WrongWidth { table, width: want, got: width });
        }
        if table.push(row) {
            let outcome = table.flush_chunks();
            return self.settle(outcome);
        }
        Ok(())
    }

    /// Appends rows of the right kind and width, as they lie in another file.
    pub(super) fn push_raw(&mut self, index: usize, bytes: &[u8]) -> Result<(), StoreError> {
        let table = self.table_mut(index)?;
        let (numbers, _) = bytes.as_chunks::<NUMBER_BYTES>();
        let outcome = if table.push(numbers.iter().copied()) { table.flush_chunks() } else { Ok(()) };
        self.settle(outcome)
    }

    fn table_mut(&mut self, index: usize) -> Result<&mut Table, StoreError> {
        if self.broken {
            return Err(StoreError::Broken { path: self.path.clone() });
        }
        let n_tables = self.tables.len();
        let path = &self.path;
        let missing = || StoreError::NoIndex { path: path.clone(), index, n_tables };
        self.tables.get_mut(index).ok_or_else(missing)
    }

    /// Remembers a failed write.
    fn settle(&mut self, outcome: Result<(), Error>) -> Result<(), StoreError> {
        self.broken |= outcome.is_err();
        outcome.map_err(hdf5(&self.path))
    }

    /// Makes all rows appended so far readable, even if this process is killed right after.
    ///
    /// Costs tens of microseconds per table with new rows, plus up to a chunk of file space each.
    pub fn commit(&mut self) -> Result<(), StoreError> {
        if self.broken {
            return Err(StoreError::Broken { path: self.path.clone() });
        }
        // Each append publishes its new length last and reaches the system before it returns, so
        // the order of this loop is the order a reader sees: `frames` after all it vouches for.
        let outcome = self.tables.iter_mut().try_for_each(Table::flush);
        self.settle(outcome)
    }

    /// Commits and waits until everything is on the disk, so that it survives a power cut.
    pub fn sync(&mut self) -> Result<(), StoreError> {
        self.commit()?;
        let outcome = self.file.sync();
        self.settle(outcome)
    }

    /// Commits, waits for the disk, and closes the file.
    pub fn finish(mut self) -> Result<(), StoreError> {
        self.commit()?;
        self.file.close().map_err(hdf5(&self.path))
    }

    /// Rows of a table appended so far, in the file or not.
    pub fn rows(&self, table: usize) -> Option<u64> {
        self.tables.get(table).map(Table::rows)
    }

    /// Every table with its rows appended so far.
    pub fn lengths(&self) -> impl Iterator<Item = (&str, u64)> {
        self.tables.iter().map(|table| (table.spec.name.as_str(), table.rows()))
    }

    /// The index of a table.
    pub fn index(&self, name: &str) -> Option<usize> {
        self.tables.iter().position(|table| table.spec.name == name)
    }

    /// The file being written.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The kinds of the columns of records, for the attribute.
fn codes(spec: &TableSpec) -> String {
    let codes: Vec<String> = spec.fields.iter().map(|field| field.code()).collect();
    codes.join(",")
}

/// Writes a new file with empty tables.
fn lay_out(
    path: &Path,
    attributes: &[(String, String)],
    tables: &[(Layout, TableSpec)],
) -> Result<(), Error> {
    // In pages nothing that a commit patches crosses a page of the system's cache: a kill in the midst of a write leaves it old or new.
    let paged = FileCreateProperties::new()
        .with_file_space_strategy(FileSpaceStrategy::Page, true, 1)
        .with_file_space_page_size(PAGE_BYTES);
    let file = File::create_with_options(path, paged, access())?;
    let root = file.root();
    for (name, text) in attributes {
        root.set_attr(name, AttrValue::VarLenString(text.clone()))?;
    }
    // Sorted, a group comes before those inside it; hdf5-pure does not create parents by itself.
    let groups: BTreeSet<_> = tables.iter().flat_map(|(_, spec)| spec.groups()).collect();
    for group in groups {
        root.create_group(group)?;
    }
    for (order, (layout, spec)) in tables.iter().enumerate() {
        root.create_dataset(&spec.name, |dataset| {
            dataset
                .with_dtype(spec.datatype())
                .with_shape(&[0])
                .with_maxshape(&[MaxExtent::Unlimited])
                .with_chunks(&[layout.chunk])
                .set_attr("unit", AttrValue::VarLenString(spec.unit.clone()))
                .set_attr("columns", AttrValue::VarLenString(spec.columns.join(",")))
                .set_attr("about", AttrValue::VarLenString(spec.about.clone()))
                .set_attr(FIELDS, AttrValue::VarLenString(codes(spec)))
                .set_attr("width", AttrValue::I64(spec.width as i64))
                .set_attr(ORDER, AttrValue::I64(order as i64));
            if layout.compress {
                dataset.with_shuffle().with_deflate(DEFLATE_LEVEL);
            }
            // A checksum per chunk, for at most 0.02 µs per row, or damaged numbers would go unnoticed.
            dataset.with_fletcher32();
        })?;
    }
    file.commit()?;
    drop(root);
    file.close()
}

/// The path with a suffix added, in the same folder and so on the same file system.
pub(super) fn sibling(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Renames a finished file over another, for good once this returns.
pub(super) fn replace(from: &Path, to: &Path) -> Result<(), StoreError> {
    std::fs::rename(from, to).map_err(io(to))?;
    #[cfg(unix)]
    {
        let folder = to.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::File::open(folder).and_then(|f| f.sync_all()).map_err(io(folder))?;
    }
    Ok(())
}
