//! Small dense matrices by the textbook, as an oracle for sparse and blocked code. Rows of rows; no care for speed.

/// A matrix by rows.
pub type Rows = Vec<Vec<f64>>;

/// A x.
pub fn times(a: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    let dot = |row: &Vec<f64>| {
        assert_eq!(row.len(), x.len(), "a row and the vector");
        row.iter().zip(x).map(|(a, x)| a * x).sum()
    };
    a.iter().map(dot).collect()
}

/// A B.
pub fn product(a: &[Vec<f64>], b: &[Vec<f64>]) -> Rows {
    let columns = transpose(b);
    a.iter().map(|row| times(&columns, row)).collect()
}

/// Aᵀ.
pub fn transpose(a: &[Vec<f64>]) -> Rows {
    let n = a.first().map_or(0, Vec::len);
    (0..n).map(|j| a.iter().map(|row| row[j]).collect()).collect()
}

/// A⁻¹ b by Gauss with the largest pivot of each column; `None` if a pivot is below 1e-14 of the largest entry.
pub fn solve(a: &[Vec<f64>], b: &[f64]) -> Option<Vec<f64>> {
    let n = b.len();
    let mut rows: Rows = a.iter().zip(b).map(|(row, b)| [&row[..], &[*b]].concat()).collect();
    let least = 1e-14 * a.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| rows[i][k].abs().total_cmp(&rows[j][k].abs()))?;
        rows.swap(k, pivot);
        if !(rows[k][k].abs() > least) {
            return None;
        }
        let (above, below) = rows.split_at_mut(k + 1);
        for row in below {
            let factor = row[k] / above[k][k];
            row.iter_mut().zip(&above[k]).skip(k).for_each(|(x, y)| *x -= factor * y);
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| rows[k][j] * x[j]).sum();
        x[k] = (rows[k][n] - known) / rows[k][k];
    }
    Some(x)
}

/// W = J M⁻¹ Jᵀ, the Delassus matrix; panics if M is singular.
pub fn delassus(j: &[Vec<f64>], m: &[Vec<f64>]) -> Rows {
    let inverse_times = |row: &Vec<f64>| solve(m, row).expect("M is not singular");
    let columns: Rows = j.iter().map(inverse_times).collect();
    j.iter().map(|row| times(&columns, row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use crate::tolerance::assert_all_close;

    #[test]
    fn what_is_solved_gives_the_right_side_back() {
        let mut random = Random::new(3);
        for n in 1..12 {
            let a: Rows = (0..n).map(|_| random.signed_vector(n)).collect();
            let b = random.signed_vector(n);
            let x = solve(&a, &b).expect("a random matrix is not singular");
            // The worst condition number among these is about 1e3.
            assert_all_close("A x", &times(&a, &x), &b, 1e-12);
        }
        assert!(solve(&[vec![1.0, 2.0], vec![2.0, 4.0]], &[1.0, 0.0]).is_none());
    }

    #[test]
    fn delassus_of_two_masses() {
        let w = delassus(&[vec![1.0, 0.0], vec![-1.0, 1.0]], &[vec![2.0, 0.0], vec![0.0, 4.0]]);
        assert_eq!(w, [[0.5, -0.5], [-0.5, 0.75]]);
        assert_eq!(product(&w, &[vec![1.0], vec![1.0]]), [[0.0], [0.25]]);
    }
}
