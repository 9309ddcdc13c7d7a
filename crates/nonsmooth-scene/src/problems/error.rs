//! What can be wrong with a problem file, each case with its place.

use crate::matrix_market::MatrixError;
use nonsmooth_solvers::ProblemError;
use std::path::PathBuf;
use thiserror::Error;

/// A problem file that cannot be read or written.
#[derive(Debug, Error)]
#[error("{}: {fault}", path.display())]
pub struct ProblemFileError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a problem file.
#[derive(Debug, Error)]
pub enum Fault {
    /// The operating system refused.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The extension says nothing.
    #[error(
        "`.{found}` is not the extension of a problem; expected .hdf5 or .h5 (FCLIB), or .json (LCP, MLCP, relay)"
    )]
    Extension {
        /// Extension found.
        found: String,
    },
    /// The problem does not go into a file of that extension.
    #[error("a problem of kind {kind} is written as .{expected}")]
    WriteAs {
        /// Kind of the problem.
        kind: &'static str,
        /// Extension it needs.
        expected: &'static str,
    },
    /// The HDF5 layer refused.
    #[error(
        "{}{message}; the file is truncated or damaged, or no HDF5 file, or newer than HDF5 1.14",
        place(key)
    )]
    Hdf5 {
        /// Dataset or group; empty for the file as a whole.
        key: String,
        /// What the HDF5 layer said.
        message: String,
    },
    /// It is HDF5, but not FCLIB.
    #[error("none of the groups {expected} is there, found: {found}")]
    NoGroup {
        /// Groups that would do.
        expected: String,
        /// What is at the root.
        found: String,
    },
    /// Something is not there.
    #[error("`{key}` is missing; expected {expected}")]
    Missing {
        /// Dataset or key.
        key: String,
        /// What should be there.
        expected: String,
    },
    /// Something is there, but wrong.
    #[error("`{key}`: found {found}, expected {expected}")]
    Wrong {
        /// Dataset or key, with the index of the entry.
        key: String,
        /// What is there.
        found: String,
        /// What should be there.
        expected: String,
    },
    /// M has no inverse.
    #[error("`{key}`: {message}; a global problem needs an invertible M")]
    Singular {
        /// Group of M.
        key: String,
        /// What the factorization said.
        message: String,
    },
    /// The numbers make no problem.
    #[error("{0}")]
    Problem(#[from] Box<ProblemError>),
    /// It is no JSON.
    #[error("line {line}, column {column}: {message}")]
    Json {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What the parser said.
        message: String,
    },
    /// The matrix beside a JSON file is wrong.
    #[error("`M`: {file}: {source}")]
    Matrix {
        /// Its file.
        file: String,
        /// What is wrong with it.
        source: MatrixError,
    },
}

fn place(key: &str) -> String {
    if key.is_empty() { String::new() } else { format!("`{key}`: ") }
}

impl Fault {
    /// Something is there, but wrong.
    pub(super) fn wrong(
        key: impl Into<String>,
        found: impl std::fmt::Display,
        expected: impl Into<String>,
    ) -> Self {
        Fault::Wrong { key: key.into(), found: found.to_string(), expected: expected.into() }
    }
}

/// Refuses the first number that is not finite.
pub(super) fn finite(key: &str, values: &[f64]) -> Result<(), Fault> {
    match values.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(i) => Err(Fault::wrong(format!("{key}[{i}]"), values[i], "a finite number")),
    }
}

/// Refuses a list of another length.
pub(super) fn length(key: &str, found: usize, expected: usize, why: &str) -> Result<(), Fault> {
    if found == expected {
        return Ok(());
    }
    Err(Fault::wrong(key, format!("{found} entries"), format!("{expected} ({why})")))
}
