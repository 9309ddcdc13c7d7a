//! Triangle meshes from the contents of STL and OBJ files.
//!
//! Files are read by the caller; here bytes become vertices and triangles, or an error with its
//! place. Whether they make a sound surface is for [`Shape::mesh`](crate::spatial::Shape::mesh) to say.

mod obj;
mod stl;

pub use obj::read_obj;
pub use stl::read_stl;

use thiserror::Error;

/// Vertices and triangles, three vertex numbers each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triangles {
    /// Positions, in the unit of the file.
    pub vertices: Vec<[f64; 3]>,
    /// Numbers of vertices, counted from 0, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Why a file is not understood.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MeshFileError {
    /// Neither text that begins with `solid` nor a binary header.
    #[error(
        "this is not an STL file: it neither begins with `solid` nor holds a binary header of 84 bytes"
    )]
    NotStl,
    /// The length of a binary file does not fit its count.
    #[error(
        "the STL header declares {declared} triangles, {expected} bytes, but the file has {got}: it is cut off or damaged"
    )]
    Length {
        /// Triangles declared.
        declared: u32,
        /// Bytes that many triangles need.
        expected: u64,
        /// Bytes there are.
        got: u64,
    },
    /// A word stands where another was expected.
    #[error("line {line}: expected {expected}, found `{found}`")]
    Expected {
        /// Counted from 1.
        line: usize,
        /// What would be right.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// The file ends too early.
    #[error("line {line}: the file ends where {expected} was expected")]
    Ends {
        /// The last line.
        line: usize,
        /// What is missing.
        expected: &'static str,
    },
    /// A coordinate is not finite.
    #[error("{place}: a coordinate is not finite")]
    NotFinite {
        /// Line or triangle.
        place: String,
    },
    /// A statement that cannot be read.
    #[error(
        "line {line}: `{found}` is not supported; triangulate the model and export it with `v` and `f` only"
    )]
    Unsupported {
        /// Counted from 1.
        line: usize,
        /// The statement.
        found: String,
    },
    /// A face names a vertex that does not exist.
    #[error(
        "line {line}: vertex {index} does not exist; there are {n_vertices}, counted from 1 (or from −1 backwards)"
    )]
    OutOfRange {
        /// Counted from 1.
        line: usize,
        /// As written.
        index: i64,
        /// Vertices there are.
        n_vertices: usize,
    },
    /// A face of fewer than three corners.
    #[error("line {line}: a face needs at least 3 corners, this one has {got}")]
    Corners {
        /// Counted from 1.
        line: usize,
        /// Corners given.
        got: usize,
    },
    /// Nothing in it.
    #[error("the file holds no triangles")]
    Empty,
    /// More than can be numbered.
    #[error("the file holds more than {} vertices", u32::MAX)]
    TooMany,
}

/// The number in a word, if it is one and finite.
fn number(word: &str, line: usize) -> Result<f64, MeshFileError> {
    let expected = || MeshFileError::Expected { line, expected: "a number", found: shortened(word) };
    let value: f64 = word.parse().map_err(|_| expected())?;
    if value.is_finite() {
        Ok(value)
    } else {
        Err(MeshFileError::NotFinite { place: format!("line {line}") })
    }
}

/// A word short enough for an error message.
fn shortened(word: &str) -> String {
    const MOST: usize = 40;
    if word.chars().count() <= MOST {
        word.to_owned()
    } else {
        word.chars().take(MOST).chain(['…']).collect()
    }
}
