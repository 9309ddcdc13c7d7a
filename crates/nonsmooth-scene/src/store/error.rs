//! What can go wrong with a result file, each case with its place.

use std::path::{Path, PathBuf};

use super::spec::Kind;

/// Any failure of reading or writing a result file.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The HDF5 layer refused: a damaged file, a lock held by another process, a full disk.
    #[error("{}: {source}", path.display())]
    Hdf5 {
        /// The result file.
        path: PathBuf,
        /// What hdf5-pure said.
        source: Box<hdf5_pure::Error>,
    },
    /// The end of the file is missing.
    #[error("{}: cut to {length} of {end} bytes", path.display())]
    Truncated {
        /// The result file.
        path: PathBuf,
        /// Its length.
        length: u64,
        /// The length it says it has.
        end: u64,
    },
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file concerned.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is HDF5, but a table in it is not laid out as this module does it.
    #[error("{}: table `{table}` is damaged or not a result table", path.display())]
    BadTable {
        /// The result file.
        path: PathBuf,
        /// Name of the table.
        table: String,
    },
    /// There is no table of that name.
    #[error("{}: no table `{table}`", path.display())]
    NoTable {
        /// The result file.
        path: PathBuf,
        /// The name asked for.
        table: String,
    },
    /// There is no table of that index.
    #[error("{}: no table number {index}, there are {n_tables}", path.display())]
    NoIndex {
        /// The result file.
        path: PathBuf,
        /// The index asked for, from 0.
        index: usize,
        /// How many tables there are.
        n_tables: usize,
    },
    /// Floats were asked of, or given to, an integer table, or the other way round.
    #[error("table `{table}` holds {kind:?} values")]
    WrongKind {
        /// Name of the table.
        table: String,
        /// What the table holds.
        kind: Kind,
    },
    /// A row does not have the width of its table.
    #[error("table `{table}` has rows of {width} entries, got {got}")]
    WrongWidth {
        /// Name of the table.
        table: String,
        /// Entries per row.
        width: usize,
        /// Entries given.
        got: usize,
    },
    /// A row range reaches past the end of a table.
    #[error("{}: table `{table}` has {have} rows, asked for {want}", path.display())]
    TooFewRows {
        /// The result file.
        path: PathBuf,
        /// Name of the table.
        table: String,
        /// Rows needed.
        want: u64,
        /// Rows there are.
        have: u64,
    },
    /// A resume did not say how many rows of a table to keep.
    #[error("{}: the list of rows to keep does not mention table `{table}`", path.display())]
    NotKept {
        /// The result file.
        path: PathBuf,
        /// Name of the table.
        table: String,
    },
    /// A table cannot be created as described.
    #[error("table `{table}`: {fault}")]
    BadSpec {
        /// Name of the table.
        table: String,
        /// What is wrong with it.
        fault: SpecFault,
    },
    /// A text attribute has an empty or repeated name, or contains a zero byte.
    #[error("attribute `{name}`: names must be unique and not empty, texts free of zero bytes")]
    BadAttribute {
        /// Name of the attribute.
        name: String,
    },
    /// An earlier write failed, so the buffers no longer match the file; resume from it instead.
    #[error("{}: an earlier write failed; resume the file to continue", path.display())]
    Broken {
        /// The result file.
        path: PathBuf,
    },
}

/// What is wrong with a table's description.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecFault {
    /// Empty, or with an empty, `.` or `..` part between slashes.
    #[error("the name is not a path of non-empty parts separated by `/`")]
    Name,
    /// Another table has the same name, or lies below this one as if it were a group.
    #[error("the name clashes with table `{other}`")]
    Clash {
        /// The other table.
        other: String,
    },
    /// The width is 0 or too large.
    #[error("the width must be 1 to {max}, got {got}", max = super::MAX_WIDTH)]
    Width {
        /// Entries per row asked for.
        got: usize,
    },
    /// Labels were given, but not one per entry.
    #[error("{labels} column labels for {width} entries")]
    Columns {
        /// Labels given.
        labels: usize,
        /// Entries per row.
        width: usize,
    },
    /// The kinds of the columns of records do not match their names, or there are too many.
    #[error(
        "a table of records needs one kind and one name of its own per column, of at most 64 KiB a row"
    )]
    Fields,
    /// A text contains a zero byte, or a column label contains a comma.
    #[error("texts must not contain zero bytes, nor column labels commas")]
    Text,
    /// The table `frames` is not the last one.
    #[error("must be the last table, because it vouches for the others")]
    FramesNotLast,
}

/// Adds the path to an hdf5-pure failure; for `map_err`.
pub(super) fn hdf5(path: &Path) -> impl Fn(hdf5_pure::Error) -> StoreError {
    move |source| StoreError::Hdf5 { path: path.to_owned(), source: Box::new(source) }
}

/// Adds the path to a system failure; for `map_err`.
pub(super) fn io(path: &Path) -> impl Fn(std::io::Error) -> StoreError {
    move |source| StoreError::Io { path: path.to_owned(), source }
}
