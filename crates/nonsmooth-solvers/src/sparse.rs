//! Sparse matrices by compressed rows, the one storage of the project.
//!
//! Row i holds the entries `start[i]..start[i + 1]` of `column` and `value`, columns ascending.
//! Everything that reads a matrix reads these three arrays; everything that factors one is in
//! `factor.rs`.

use thiserror::Error;

/// A matrix stored by compressed rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sparse {
    /// Number of columns.
    pub n_columns: usize,
    /// Where each row begins in `column` and `value`; one more entry than rows.
    pub start: Vec<usize>,
    /// Column of each entry, ascending within a row.
    pub column: Vec<u32>,
    /// Value of each entry.
    pub value: Vec<f64>,
}

/// Why a list of triplets is not a matrix.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SparseError {
    /// An entry lies outside the matrix.
    #[error("entry ({row}, {column}) lies outside a {n_rows} × {n_columns} matrix")]
    Outside {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// Rows of the matrix.
        n_rows: usize,
        /// Columns of the matrix.
        n_columns: usize,
    },
    /// An entry is not a finite number.
    #[error("entry ({row}, {column}) is {value}; every entry must be finite")]
    NotFinite {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// The value found there.
        value: f64,
    },
}

impl Sparse {
    /// A matrix without rows, to be filled by `finish_row`.
    pub fn empty(n_columns: usize) -> Self {
        Self { n_columns, start: vec![0], column: Vec::new(), value: Vec::new() }
    }

    /// The diagonal matrix with these entries.
    pub fn diagonal(entries: &[f64]) -> Self {
        Self {
            n_columns: entries.len(),
            start: (0..=entries.len()).collect(),
            column: (0..entries.len() as u32).collect(),
            value: entries.to_vec(),
        }
    }

    /// A matrix from dense rows; zeros are not stored.
    pub fn from_rows(rows: &[Vec<f64>]) -> Self {
        let mut matrix = Self::empty(rows.first().map_or(0, Vec::len));
        for row in rows {
            for (j, &x) in row.iter().enumerate() {
                if x != 0.0 {
                    matrix.column.push(j as u32);
                    matrix.value.push(x);
                }
            }
            matrix.finish_row();
        }
        matrix
    }

    /// A matrix from (row, column, value) triplets in any order; duplicates are added up.
    pub fn from_triplets(
        n_rows: usize,
        n_columns: usize,
        triplets: &[(usize, usize, f64)],
    ) -> Result<Self, SparseError> {
        for &(row, column, value) in triplets {
            if row >= n_rows || column >= n_columns {
                return Err(SparseError::Outside { row, column, n_rows, n_columns });
            }
            if !value.is_finite() {
                return Err(SparseError::NotFinite { row, column, value });
            }
        }
        let mut order: Vec<usize> = (0..triplets.len()).collect();
        order.sort_by_key(|&k| (triplets[k].0, triplets[k].1));
        let mut matrix = Self::empty(n_columns);
        for &k in &order {
            let (row, column, value) = triplets[k];
            while matrix.n_rows() < row {
                matrix.finish_row();
            }
            let begin = *matrix.start.last().expect("a matrix has at least one row start");
            if matrix.column.len() > begin && matrix.column.last() == Some(&(column as u32)) {
                let last = matrix.value.len() - 1;
                matrix.value[last] += value;
            } else {
                matrix.column.push(column as u32);
                matrix.value.push(value);
            }
        }
        while matrix.n_rows() < n_rows {
            matrix.finish_row();
        }
        Ok(matrix)
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// Number of stored entries.
    pub fn n_entries(&self) -> usize {
        self.value.len()
    }

    /// Forgets all rows and keeps the memory.
    pub fn clear(&mut self, n_columns: usize) {
        self.n_columns = n_columns;
        self.start.clear();
        self.start.push(0);
        self.column.clear();
        self.value.clear();
    }

    /// Declares the entries pushed since the last call to be one row.
    pub fn finish_row(&mut self) {
        self.start.push(self.value.len());
    }

    /// Columns and values of row `i`.
    #[inline]
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.start[i]..self.start[i + 1];
        (&self.column[range.clone()], &self.value[range])
    }

    /// Row `i` times `x`.
    #[inline(always)]
    pub fn row_dot(&self, i: usize, x: &[f64]) -> f64 {
        let (columns, values) = self.row(i);
        let mut sum = 0.0;
        for (&j, &a) in columns.iter().zip(values) {
            sum += a * x[j as usize];
        }
        sum
    }

    /// y ← A x.
    #[inline]
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        for (i, y) in y.iter_mut().enumerate() {
            *y = self.row_dot(i, x);
        }
    }

    /// y ← y + a A x.
    #[inline]
    pub fn multiply_add(&self, a: f64, x: &[f64], y: &mut [f64]) {
        for (i, y) in y.iter_mut().enumerate() {
            *y += a * self.row_dot(i, x);
        }
    }

    /// y ← y + Aᵀ x, row by row.
    #[inline]
    pub fn add_combination(&self, x: &[f64], y: &mut [f64]) {
        for (i, &x) in x.iter().enumerate() {
            let (columns, values) = self.row(i);
            for (&j, &a) in columns.iter().zip(values) {
                y[j as usize] += a * x;
            }
        }
    }

    /// Row `i` times row `k` of `other`.
    pub fn dot_rows(&self, i: usize, other: &Sparse, k: usize) -> f64 {
        let ((a, x), (b, y)) = (self.row(i), other.row(k));
        let (mut m, mut n, mut sum) = (0, 0, 0.0);
        while m < a.len() && n < b.len() {
            match a[m].cmp(&b[n]) {
                std::cmp::Ordering::Less => m += 1,
                std::cmp::Ordering::Greater => n += 1,
                std::cmp::Ordering::Equal => {
                    sum += x[m] * y[n];
                    (m, n) = (m + 1, n + 1);
                }
            }
        }
        sum
    }

    /// xᵀ A y.
    #[inline]
    pub fn form(&self, x: &[f64], y: &[f64]) -> f64 {
        x.iter().enumerate().map(|(i, x)| x * self.row_dot(i, y)).sum()
    }

    /// Entry (i, j), zero where nothing is stored.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        let (columns, values) = self.row(i);
        columns.binary_search(&(j as u32)).map_or(0.0, |k| values[k])
    }

    /// Whether A = Aᵀ up to `tolerance` times the largest entry.
    pub fn is_symmetric(&self, tolerance: f64) -> bool {
        let largest = self.value.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        self.n_rows() == self.n_columns
            && (0..self.n_rows()).all(|i| {
                let (columns, values) = self.row(i);
                columns
                    .iter()
                    .zip(values)
                    .all(|(&j, x)| (x - self.get(j as usize, i)).abs() <= tolerance * largest)
            })
    }

    /// Whether every stored entry lies on the diagonal.
    pub fn is_diagonal(&self) -> bool {
        (0..self.n_rows()).all(|i| self.row(i).0.iter().all(|&j| j as usize == i))
    }
}

/// Aᵀ.
pub(crate) fn transpose(a: &Sparse) -> Sparse {
    let mut start = vec![0usize; a.n_columns + 1];
    for &j in &a.column {
        start[j as usize + 1] += 1;
    }
    for j in 0..a.n_columns {
        start[j + 1] += start[j];
    }
    let mut next = start.clone();
    let (mut column, mut value) = (vec![0u32; a.n_entries()], vec![0.0; a.n_entries()]);
    for i in 0..a.n_rows() {
        let (columns, values) = a.row(i);
        for (&j, &x) in columns.iter().zip(values) {
            let place = &mut next[j as usize];
            (column[*place], value[*place]) = (i as u32, x);
            *place += 1;
        }
    }
    Sparse { n_columns: a.n_rows(), start, column, value }
}

/// A B, row by row, with the diagonal of a square product always stored.
pub(crate) fn product(a: &Sparse, b: &Sparse) -> Sparse {
    let square = a.n_rows() == b.n_columns;
    let mut c = Sparse::empty(b.n_columns);
    let mut sum = vec![0.0; b.n_columns];
    let mut marked: Vec<u32> = Vec::new();
    let mut is_marked = vec![false; b.n_columns];
    let mark = |marked: &mut Vec<u32>, is_marked: &mut Vec<bool>, j: u32| {
        if !is_marked[j as usize] {
            is_marked[j as usize] = true;
            marked.push(j);
        }
    };
    for i in 0..a.n_rows() {
        let (columns, values) = a.row(i);
        for (&k, &x) in columns.iter().zip(values) {
            let (columns, values) = b.row(k as usize);
            for (&j, &y) in columns.iter().zip(values) {
                mark(&mut marked, &mut is_marked, j);
                sum[j as usize] += x * y;
            }
        }
        if square {
            mark(&mut marked, &mut is_marked, i as u32);
        }
        marked.sort_unstable();
        for j in marked.drain(..) {
            c.column.push(j);
            c.value.push(std::mem::take(&mut sum[j as usize]));
            is_marked[j as usize] = false;
        }
        c.finish_row();
    }
    c
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triplets_in_any_order_give_sorted_rows_and_add_up() {
        let a =
            Sparse::from_triplets(3, 3, &[(2, 1, 4.0), (0, 0, 1.0), (2, 0, 3.0), (0, 0, 1.0)]).unwrap();
        assert_eq!(a.row(0), (&[0u32][..], &[2.0][..]));
        assert_eq!(a.row(1).0.len(), 0);
        assert_eq!(a.row(2), (&[0u32, 1][..], &[3.0, 4.0][..]));
        assert_eq!(a.get(2, 1), 4.0);
        assert_eq!(a.get(1, 1), 0.0);
    }

    #[test]
    fn triplets_outside_or_not_finite_are_refused() {
        assert!(matches!(
            Sparse::from_triplets(2, 2, &[(2, 0, 1.0)]),
            Err(SparseError::Outside { row: 2, .. })
        ));
        assert!(matches!(
            Sparse::from_triplets(2, 2, &[(1, 0, f64::NAN)]),
            Err(SparseError::NotFinite { row: 1, .. })
        ));
    }
}
