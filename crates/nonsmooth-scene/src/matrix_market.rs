//! Matrices in Matrix Market format: `coordinate real|integer general|symmetric`, indices from 1.
//!
//! A header with one `%` instead of two is read too: published collections have it.

use nonsmooth_solvers::{Sparse, SparseError};
use std::fmt::Write as _;
use thiserror::Error;

/// Why a text is not a matrix.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MatrixError {
    /// The first line is wrong.
    #[error(
        "line 1 must read `%%MatrixMarket matrix coordinate real general` (or integer, symmetric), got `{found}`"
    )]
    Header {
        /// The first line.
        found: String,
    },
    /// A line is wrong.
    #[error("line {line}: expected {expected}, got `{found}`")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What should be there.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// Entries are missing or too many.
    #[error("{declared} entries are declared, {found} are there")]
    Count {
        /// Entries declared.
        declared: usize,
        /// Entries found.
        found: usize,
    },
    /// An index is 0.
    #[error("rows and columns are counted from 1; line {line} has ({row}, {column})")]
    Zero {
        /// Its number, from 1.
        line: usize,
        /// Row found.
        row: usize,
        /// Column found.
        column: usize,
    },
    /// The declared size is not the one needed.
    #[error("must be {needed} × {needed}, is {rows} × {columns}")]
    Size {
        /// Rows declared.
        rows: usize,
        /// Columns declared.
        columns: usize,
        /// Rows and columns needed.
        needed: usize,
    },
    /// An entry lies outside or is not finite.
    #[error("{0}")]
    Entries(#[from] SparseError),
}

const HEADER: &str = "%%matrixmarket";
const HEADER_1: &str = "%matrixmarket";

/// Longest piece of a line that is shown [characters].
const SHOWN: usize = 80;

/// Reads a matrix that must have `needed` rows and columns; nothing is allocated for a size that lies.
pub fn read(text: &str, needed: usize) -> Result<Sparse, MatrixError> {
    let mut lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
    let (_, header) = lines.next().unwrap_or((1, ""));
    let words: Vec<String> = header.split_whitespace().map(str::to_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let symmetric = match words[..] {
        [HEADER | HEADER_1, "matrix", "coordinate", "real" | "integer", "general"] => false,
        [HEADER | HEADER_1, "matrix", "coordinate", "real" | "integer", "symmetric"] => true,
        _ => return Err(MatrixError::Header { found: header.chars().take(SHOWN).collect() }),
    };
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('%'));
    let (line, sizes) = lines.next().unwrap_or((1, ""));
    let expected = "`rows columns entries`";
    let wrong = || MatrixError::Line { line, expected, found: sizes.chars().take(SHOWN).collect() };
    let numbers: Option<Vec<usize>> = sizes.split_whitespace().map(|w| w.parse().ok()).collect();
    let [rows, columns, declared] = numbers.ok_or_else(wrong)?[..] else { return Err(wrong()) };
    if (rows, columns) != (needed, needed) {
        return Err(MatrixError::Size { rows, columns, needed });
    }
    let mut triplets = Vec::new();
    let mut found = 0;
    for (line, text) in lines {
        let (i, j, value) = entry(line, text)?;
        found += 1;
        triplets.push((i, j, value));
        if symmetric && i != j {
            triplets.push((j, i, value));
        }
    }
    if found != declared {
        return Err(MatrixError::Count { declared, found });
    }
    Ok(Sparse::from_triplets(rows, columns, &triplets)?)
}

fn entry(line: usize, text: &str) -> Result<(usize, usize, f64), MatrixError> {
    let found = || text.chars().take(SHOWN).collect();
    let wrong = || MatrixError::Line { line, expected: "`row column value`", found: found() };
    let words: Vec<&str> = text.split_whitespace().take(4).collect();
    let [row, column, value] = words[..] else { return Err(wrong()) };
    let row: usize = row.parse().map_err(|_| wrong())?;
    let column: usize = column.parse().map_err(|_| wrong())?;
    let value: f64 = value.parse().map_err(|_| wrong())?;
    if row == 0 || column == 0 {
        return Err(MatrixError::Zero { line, row, column });
    }
    Ok((row - 1, column - 1, value))
}

/// The text of a matrix; every number is read back to the same bits.
pub fn write(matrix: &Sparse) -> String {
    let (rows, columns, entries) = (matrix.n_rows(), matrix.n_columns, matrix.n_entries());
    let mut text =
        format!("%%MatrixMarket matrix coordinate real general\n{rows} {columns} {entries}\n");
    for i in 0..rows {
        let (columns, values) = matrix.row(i);
        for (j, x) in columns.iter().zip(values) {
            // Writing to a text cannot fail.
            let _ = writeln!(text, "{} {} {x:?}", i + 1, j + 1);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetric_files_are_filled_and_general_ones_taken_as_they_are() {
        let text = "%%MatrixMarket matrix coordinate real symmetric\n% note\n2 2 2\n1 1 4\n2 1 -1.5\n";
        let matrix = read(text, 2).unwrap();
        assert_eq!((matrix.get(0, 1), matrix.get(1, 0), matrix.get(1, 1)), (-1.5, -1.5, 0.0));
        let matrix = read(&text.replace("symmetric", "general"), 2).unwrap();
        assert_eq!((matrix.get(0, 1), matrix.get(1, 0)), (0.0, -1.5));
    }

    #[test]
    fn what_is_written_is_read_to_the_same_bits() {
        let rows = [vec![1.0 / 3.0, 0.0, -1e-310], vec![0.0; 3], vec![f64::MAX, -0.1, 5e-324]];
        let matrix = Sparse::from_rows(&rows);
        assert_eq!(read(&write(&matrix), 3).unwrap(), matrix);
    }

    #[test]
    fn one_percent_sign_is_enough() {
        assert!(read("%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n", 1).is_ok());
    }

    #[test]
    fn every_kind_of_damage_is_an_error() {
        let good = "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 4\n";
        assert!(read(good, 2).is_ok());
        for (from, to) in [
            ("coordinate", "array"),
            ("2 2 1", "2 2"),
            ("2 2 1", "2 2 5"),
            ("2 2 1", "x y z"),
            ("1 1 4", "0 1 4"),
            ("1 1 4", "3 1 4"),
            ("1 1 4", "1 1 nan"),
            ("1 1 4", "1 1"),
            ("1 1 4", "1 1 4 5"),
            ("2 2 1", "999999999999 1 1"),
        ] {
            assert!(read(&good.replace(from, to), 2).is_err(), "{from} -> {to}");
        }
        assert!(read("", 0).is_err());
    }
}
