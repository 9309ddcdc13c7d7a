//! Reads matrices in Matrix Market format: `coordinate real|integer general|symmetric`, indices from 1.

use nonsmooth_solvers::{Sparse, SparseError};
use thiserror::Error;

/// Why a text is not a matrix.
#[derive(Clone, Debug, Error, PartialEq)]
pub(crate) enum MatrixError {
    #[error(
        "line 1 must read `%%MatrixMarket matrix coordinate real general` (or integer, symmetric), got `{found}`"
    )]
    Header { found: String },
    #[error("line {line}: expected {expected}, got `{found}`")]
    Line { line: usize, expected: &'static str, found: String },
    #[error("{declared} entries are declared, {found} are there")]
    Count { declared: usize, found: usize },
    #[error("rows and columns are counted from 1; line {line} has ({row}, {column})")]
    Zero { line: usize, row: usize, column: usize },
    #[error("{rows} × {columns} is larger than the {limit} rows supported")]
    TooLarge { rows: usize, columns: usize, limit: usize },
    #[error("{0}")]
    Entries(#[from] SparseError),
}

/// Rows beyond which a declared size is taken for a mistake.
const LIMIT: usize = 100_000_000;

pub(crate) fn read(text: &str) -> Result<Sparse, MatrixError> {
    let mut lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
    let (_, header) = lines.next().unwrap_or((1, ""));
    let words: Vec<String> = header.split_whitespace().map(str::to_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let symmetric = match words[..] {
        ["%%matrixmarket", "matrix", "coordinate", "real" | "integer", "general"] => false,
        ["%%matrixmarket", "matrix", "coordinate", "real" | "integer", "symmetric"] => true,
        _ => return Err(MatrixError::Header { found: header.chars().take(80).collect() }),
    };
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('%'));
    let (line, sizes) = lines.next().unwrap_or((1, ""));
    let expected = "`rows columns entries`";
    let wrong = || MatrixError::Line { line, expected, found: sizes.to_owned() };
    let numbers: Option<Vec<usize>> = sizes.split_whitespace().map(|w| w.parse().ok()).collect();
    let [rows, columns, declared] = numbers.ok_or_else(wrong)?[..] else { return Err(wrong()) };
    if rows.max(columns) > LIMIT {
        return Err(MatrixError::TooLarge { rows, columns, limit: LIMIT });
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
    let wrong = || MatrixError::Line { line, expected: "`row column value`", found: text.to_owned() };
    let mut words = text.split_whitespace();
    let mut next = || words.next().ok_or_else(wrong);
    let (row, column, value) = (next()?, next()?, next()?);
    let row: usize = row.parse().map_err(|_| wrong())?;
    let column: usize = column.parse().map_err(|_| wrong())?;
    let value: f64 = value.parse().map_err(|_| wrong())?;
    if row == 0 || column == 0 {
        return Err(MatrixError::Zero { line, row, column });
    }
    Ok((row - 1, column - 1, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetric_files_are_filled_and_general_ones_taken_as_they_are() {
        let text = "%%MatrixMarket matrix coordinate real symmetric\n% note\n2 2 2\n1 1 4\n2 1 -1.5\n";
        let matrix = read(text).unwrap();
        assert_eq!((matrix.get(0, 1), matrix.get(1, 0), matrix.get(1, 1)), (-1.5, -1.5, 0.0));
        let matrix = read(&text.replace("symmetric", "general")).unwrap();
        assert_eq!((matrix.get(0, 1), matrix.get(1, 0)), (0.0, -1.5));
    }

    #[test]
    fn every_kind_of_damage_is_an_error() {
        let good = "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 4\n";
        assert!(read(good).is_ok());
        for (from, to) in [
            ("coordinate", "array"),
            ("2 2 1", "2 2"),
            ("2 2 1", "2 2 5"),
            ("2 2 1", "x y z"),
            ("1 1 4", "0 1 4"),
            ("1 1 4", "3 1 4"),
            ("1 1 4", "1 1 nan"),
            ("1 1 4", "1 1"),
            ("2 2 1", "999999999999 1 1"),
        ] {
            assert!(read(&good.replace(from, to)).is_err(), "{from} -> {to}");
        }
        assert!(read("").is_err());
    }
}
