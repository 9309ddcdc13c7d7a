//! Going on with an interrupted file: cut every table to given rows and append after them.
//!
//! HDF5 could shorten a dataset, hdf5-pure cannot, so the kept rows are copied to a new file next
//! to the old one, which then takes its name. If nothing has to be cut, nothing is copied.

use std::path::Path;

use super::describe::TableInfo;
use super::error::StoreError;
use super::lock::open_locked;
use super::reader::Reader;
use super::writer::{Writer, replace, sibling};

impl Writer {
    /// Opens a file so that each table has exactly the given rows and appending goes on.
    ///
    /// Every table must be named in `keep`. A kill at any moment leaves either the old file or
    /// the cut one.
    pub fn resume(path: impl AsRef<Path>, keep: &[(String, u64)]) -> Result<Self, StoreError> {
        Self::resume_with(path, keep, &[])
    }

    /// The same, with these texts in place of those of the same name.
    pub fn resume_with(
        path: impl AsRef<Path>,
        keep: &[(String, u64)],
        texts: &[(String, String)],
    ) -> Result<Self, StoreError> {
        let path = path.as_ref();
        let source = read_locked(path)?;
        let kept = kept_rows(&source, path, keep)?;
        let is_exact = |(info, rows): (&TableInfo, &u64)| info.n_elements == rows * info.layout.per_row;
        if !texts.is_empty() || !source.tables().iter().zip(&kept).all(is_exact) {
            copy(source, path, &kept, texts)?;
        } else {
            // The lock goes with the reader, or the writer could not take it.
            drop(source);
        }
        Self::open(path)
    }
}

/// Rewrites a file without the space that commits and kills left unused.
pub fn compact(path: impl AsRef<Path>) -> Result<(), StoreError> {
    let path = path.as_ref();
    let source = read_locked(path)?;
    let kept: Vec<u64> = source.tables().iter().map(|info| info.rows).collect();
    copy(source, path, &kept, &[])
}

/// Opens a file for reading under the writer's lock, so that no running process is disturbed.
fn read_locked(path: &Path) -> Result<Reader, StoreError> {
    Reader::from_file(path, open_locked(path)?)
}

/// Rows to keep of each table, in the order of the tables.
fn kept_rows(source: &Reader, path: &Path, keep: &[(String, u64)]) -> Result<Vec<u64>, StoreError> {
    for (name, want) in keep {
        let (want, have) = (*want, source.table(name)?.rows);
        if want > have {
            let (path, table) = (path.to_owned(), name.clone());
            return Err(StoreError::TooFewRows { path, table, want, have });
        }
    }
    let rows_of = |info: &TableInfo| {
        let found = keep.iter().find(|(name, _)| *name == info.spec.name);
        let missing = || StoreError::NotKept { path: path.to_owned(), table: info.spec.name.clone() };
        found.map(|(_, rows)| *rows).ok_or_else(missing)
    };
    source.tables().iter().map(rows_of).collect()
}

/// Copies the first rows of each table, block by block, and puts the copy in place of the file.
fn copy(
    source: Reader,
    path: &Path,
    kept: &[u64],
    others: &[(String, String)],
) -> Result<(), StoreError> {
    let mut texts = source.texts().clone();
    texts.extend(others.iter().cloned());
    let texts: Vec<_> = texts.into_iter().collect();
    let tables: Vec<_> = source.tables().iter().map(|info| (info.layout, info.spec.clone())).collect();
    let part = sibling(path, ".part");
    let mut writer = Writer::create_with_layouts(&part, &texts, &tables)?;
    for (i, (info, rows)) in source.tables().iter().zip(kept).enumerate() {
        source.for_each_block(info, 0..*rows, |bytes| writer.push_raw(i, bytes))?;
    }
    writer.finish()?;
    drop(source);
    replace(&part, path)
}
