//! One growing table: rows wait in memory as little-endian bytes until they are flushed.

use hdf5_pure::{Dataset, Error};

use super::describe::TableInfo;
use super::record::RecordWriter;
use super::spec::{FRAMES, Layout, NUMBER_BYTES, TableSpec};

/// Buffered rows are written early once they reach this size [byte].
const FLUSH_BYTES: usize = 1 << 20;

/// A table being written.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) spec: TableSpec,
    layout: Layout,
    dataset: Dataset,
    /// Elements in the file.
    n_written: u64,
    /// Elements that are not yet in the file, as bytes.
    pending: Vec<u8>,
    /// Buffer size that triggers an early flush [byte]; `frames` waits for the commit.
    flush_bytes: usize,
}

impl Table {
    pub(super) fn new(info: TableInfo, dataset: Dataset) -> Self {
        let flush_bytes = if info.spec.name == FRAMES { usize::MAX } else { FLUSH_BYTES };
        Self {
            spec: info.spec,
            layout: info.layout,
            dataset,
            n_written: info.n_elements,
            pending: Vec::new(),
            flush_bytes,
        }
    }

    /// Buffers numbers; true if the buffer is now large enough for `flush_chunks`.
    #[inline]
    pub(super) fn push(&mut self, numbers: impl Iterator<Item = [u8; NUMBER_BYTES]>) -> bool {
        for number in numbers {
            self.pending.extend_from_slice(&number);
        }
        self.pending.len() >= self.flush_bytes
    }

    /// Buffers a row of cells that `fill` writes; `None` if they are not those of the table.
    #[inline]
    pub(super) fn push_record(&mut self, fill: impl FnOnce(&mut RecordWriter<'_>)) -> Option<bool> {
        let before = self.pending.len();
        let mut to = RecordWriter::new(&self.spec.fields, &mut self.pending);
        fill(&mut to);
        if to.end() != (self.spec.fields.len(), true) {
            self.pending.truncate(before);
            return None;
        }
        Some(self.pending.len() >= self.flush_bytes)
    }

    /// Rows appended so far, in the file or not.
    pub(super) fn rows(&self) -> u64 {
        let n_pending = (self.pending.len() / self.layout.element_bytes) as u64;
        (self.n_written + n_pending) / self.layout.per_row
    }

    /// Writes only what completes chunks, so that no chunk has to be moved later.
    pub(super) fn flush_chunks(&mut self) -> Result<(), Error> {
        let n_pending = (self.pending.len() / self.layout.element_bytes) as u64;
        let loose = (self.n_written + n_pending) % self.layout.chunk;
        self.write(n_pending.saturating_sub(loose))
    }

    /// Writes everything.
    pub(super) fn flush(&mut self) -> Result<(), Error> {
        self.write((self.pending.len() / self.layout.element_bytes) as u64)
    }

    /// Writes the first `n` buffered elements; they are readable when this returns.
    fn write(&mut self, n: u64) -> Result<(), Error> {
        if n == 0 {
            return Ok(());
        }
        let n_bytes = n as usize * self.layout.element_bytes;
        self.dataset.append_raw(&self.pending[..n_bytes])?;
        self.pending.drain(..n_bytes);
        self.n_written += n;
        Ok(())
    }
}
