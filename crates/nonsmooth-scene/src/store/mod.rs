//! Result tables in HDF5 that survive a killed process.
//!
//! A file holds tables that only grow. Rows are buffered, `Writer::commit` makes everything
//! appended so far visible to any reader, and a process killed at any instant leaves a readable
//! file: each table is some prefix of what was appended, at least up to the last commit.
//!
//! The tables are written in the order of their specs and the table named [`FRAMES`] is last, so
//! it never claims rows whose data is not there. Readers take `frames` as the truth and ignore
//! longer tails of the others.
//!
//! Layout: a row of width k is one element of a rank-1 dataset, an array of k numbers, which h5py
//! reads as shape (n, k). Width 1 is a plain number. Rows above [`MAX_ELEMENT_BYTES`] are stored
//! flat, as plain numbers, and readers reshape by the attribute `width`. A row of named columns is a record, in which numbers and
//! texts may stand side by side.
//!
//! A kill is safe without `fsync` because the page cache outlives the process, and because the file is laid out in pages: the system
//! may stop a write between two pages, and nothing that is patched in place lies on two of them. A power cut is not safe:
//! only what was there at the last `Writer::sync` is promised, and then only if nothing was
//! committed after it, because commits patch lengths in place.

mod describe;
mod error;
mod lock;
mod reader;
mod record;
mod resume;
mod spec;
mod table;
mod writer;

#[cfg(test)]
mod tests;

pub use describe::TableInfo;
pub use error::{SpecFault, StoreError};
pub use reader::{Reader, Rows};
pub use record::{RecordWriter, Records};
pub use resume::compact;
pub use spec::{FRAMES, Field, Kind, MAX_ELEMENT_BYTES, MAX_WIDTH, Options, TableSpec};
pub use writer::Writer;
