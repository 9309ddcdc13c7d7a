//! The part of HDF5 that FCLIB uses, read with nothing taken on trust.
//!
//! All calls of hdf5-pure that read are in this file. An array is read only if the bytes stored for it can give
//! as many numbers as it declares: deflate packs at most 1032 bytes into one.

use super::error::{Fault, finite, length};
use hdf5_pure::{DType, Dataset, Error, File, FormatError, Layout};

/// Bytes that one byte of a deflated stream can unpack to: two bits for a run of 258.
const DEFLATE_RATIO: u64 = 1032;

/// The length that a list must have and why, where that is known before it is read.
type Length<'a> = Option<(usize, &'a str)>;

/// An opened file.
pub(super) struct Tree {
    file: File,
    bytes: u64,
}

impl Tree {
    pub(super) fn open(bytes: Vec<u8>) -> Result<Self, Fault> {
        let n_bytes = bytes.len() as u64;
        let file = guarded("", || File::from_bytes(bytes))?;
        Ok(Self { file, bytes: n_bytes })
    }

    /// Names of the groups and datasets in a group; "" is the root.
    pub(super) fn names(&self, group: &str) -> Result<Vec<String>, Fault> {
        guarded(group, || {
            let group = if group.is_empty() { self.file.root() } else { self.file.group(group)? };
            Ok([group.groups()?, group.datasets()?].concat())
        })
    }

    /// A whole number.
    pub(super) fn integer(&self, key: &str) -> Result<i64, Fault> {
        Ok(self.integers(key, Some((1, "a number")))?[0])
    }

    /// A list of whole numbers, of this length and why, if that is known.
    pub(super) fn integers(&self, key: &str, expected: Length<'_>) -> Result<Vec<i64>, Fault> {
        let dataset = self.dataset(key)?;
        match self.check(key, &dataset, expected)? {
            DType::I32 | DType::I64 => {
                let values = guarded(key, || dataset.read_i64())?;
                check_length(key, values.len(), expected)?;
                Ok(values)
            }
            found => Err(Fault::wrong(key, found, "whole numbers of 32 or 64 bits")),
        }
    }

    /// A list of finite numbers, of this length and why, if that is known.
    pub(super) fn floats(&self, key: &str, expected: Length<'_>) -> Result<Vec<f64>, Fault> {
        let dataset = self.dataset(key)?;
        let values = match self.check(key, &dataset, expected)? {
            DType::F64 => guarded(key, || dataset.read_f64())?,
            found => return Err(Fault::wrong(key, found, "64-bit floating-point numbers")),
        };
        check_length(key, values.len(), expected)?;
        finite(key, &values)?;
        Ok(values)
    }

    /// A text; empty if it is not there.
    pub(super) fn text(&self, key: &str) -> Result<String, Fault> {
        let dataset = match self.dataset(key) {
            Err(Fault::Missing { .. }) => return Ok(String::new()),
            found => found?,
        };
        match self.check(key, &dataset, None)? {
            DType::String | DType::VariableLengthString => {
                let texts = guarded(key, || dataset.read_string())?;
                Ok(texts.into_iter().next().unwrap_or_default())
            }
            found => Err(Fault::wrong(key, found, "a text")),
        }
    }

    fn dataset(&self, key: &str) -> Result<Dataset, Fault> {
        guarded(key, || match self.file.dataset(key) {
            Err(Error::Format(FormatError::PathNotFound(_))) => Ok(None),
            found => found.map(Some),
        })?
        .ok_or_else(|| Fault::Missing { key: key.to_owned(), expected: "a dataset".into() })
    }

    /// The type of a dataset that has the expected length, and whose stored bytes can fill it.
    fn check(&self, key: &str, dataset: &Dataset, expected: Length<'_>) -> Result<DType, Fault> {
        let (kind, shape, size) =
            guarded(key, || Ok((dataset.dtype()?, dataset.shape()?, dataset.element_size()?)))?;
        if shape.iter().filter(|&&n| n != 1).count() > 1 {
            return Err(Fault::wrong(key, format!("shape {shape:?}"), "a list"));
        }
        // At most one factor is not 1. What is read is counted again: a damaged file may hold less.
        check_length(key, shape.iter().product::<u64>() as usize, expected)?;
        let declared = shape.iter().try_fold(size, |product, &n| product.checked_mul(n));
        let room = guarded(key, || self.room(dataset))?;
        if declared.is_none_or(|declared| declared > room) {
            let found = format!("shape {shape:?} of {size}-byte entries");
            return Err(Fault::wrong(key, found, format!("at most the {room} bytes stored for it")));
        }
        Ok(kind)
    }

    /// Bytes that the stored part of a dataset can unpack to, at most.
    fn room(&self, dataset: &Dataset) -> Result<u64, Error> {
        Ok(match dataset.layout()? {
            Layout::Compact { size } => size,
            Layout::Contiguous { size, .. } => size.min(self.bytes),
            Layout::Chunked { .. } => {
                let stored: u64 = dataset
                    .chunks()?
                    .iter()
                    .fold(0, |sum, chunk| sum.saturating_add(chunk.storage_size.min(self.bytes)));
                let ratio = if dataset.filters().is_empty() { 1 } else { DEFLATE_RATIO };
                stored.saturating_mul(ratio)
            }
            _ => 0,
        })
    }
}

fn check_length(key: &str, found: usize, expected: Length<'_>) -> Result<(), Fault> {
    expected.map_or(Ok(()), |(n, why)| length(key, found, n, why))
}

/// The one place where hdf5-pure is called: its refusals become ours.
///
/// Nothing catches a panic of it, because none was found (`examples/fuzz_problems`, 3.9 million inputs).
fn guarded<T>(key: &str, call: impl FnOnce() -> Result<T, Error>) -> Result<T, Fault> {
    call().map_err(|error| Fault::Hdf5 { key: key.to_owned(), message: error.to_string() })
}
