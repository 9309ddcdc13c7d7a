//! What can go wrong with files for VTK.

use std::path::{Path, PathBuf};

/// Why a file for VTK cannot be written, or a run not be resumed.
#[derive(Debug, thiserror::Error)]
pub enum VtkError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file concerned.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The name of the run cannot be part of the name of a file.
    #[error(
        "`{name}` cannot be the name of a run: it must not be empty nor contain / \\ : or control characters"
    )]
    BadName {
        /// The name given.
        name: String,
    },
    /// A number is NaN or infinite, or a body's is too large for single precision.
    #[error("{what} {index}: {quantity} is not finite, or too large to be written")]
    NotFinite {
        /// `body` or `contact`.
        what: &'static str,
        /// Its number in the frame.
        index: usize,
        /// Which of its numbers.
        quantity: &'static str,
    },
    /// A surface has vertex or normal numbers that do not exist.
    #[error("body {index}: its surface names vertices or normals that it does not have")]
    BadSurfaceMesh {
        /// Number of the body in the frame.
        index: usize,
    },
    /// More points or corners than 32 bits can count.
    #[error("a frame of {got} {what}: at most {most} can be written; use coarser surfaces", most = i32::MAX)]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many.
        got: u64,
    },
    /// Time is not finite or does not go forward.
    #[error("a frame at t = {t} s must be finite and later than the last one{}", after(*last))]
    NotLater {
        /// Time of the new frame [s].
        t: f64,
        /// Time of the last one [s].
        last: Option<f64>,
    },
    /// Fewer frames than are to be kept.
    #[error("{}: has {have} frames, but {want} are to be kept", path.display())]
    TooFewFrames {
        /// The collection.
        path: PathBuf,
        /// Frames it lists.
        have: usize,
        /// Frames asked for.
        want: usize,
    },
    /// A collection was not written by this module, or was changed.
    #[error("{}:{line}: not a line of a collection of frames; create the run anew", path.display())]
    Damaged {
        /// The collection.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
    },
}

fn after(last: Option<f64>) -> String {
    last.map_or_else(String::new, |t| format!(" at {t} s"))
}

/// Adds the path to a system failure; for `map_err`.
pub(super) fn io(path: &Path) -> impl Fn(std::io::Error) -> VtkError {
    move |source| VtkError::Io { path: path.to_owned(), source }
}
