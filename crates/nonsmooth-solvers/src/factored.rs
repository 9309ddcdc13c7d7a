//! W in factored form, W = J M⁻¹ Jᵀ, as the global form of a step gives it.
//!
//! ```text
//! M v = Jᵀ p + f,   u = J v + w      hence      W = J M⁻¹ Jᵀ,   u_free = J M⁻¹ f + w
//! ```
//!
//! (FCLIB's H is Jᵀ.) Where M falls apart into blocks of at most `BODY_LIMIT` rows, bodies, the rows of
//! J M⁻ᵀ are kept beside those of J, so that W p costs two sparse products and W is formed only if a
//! solver asks for it. Where M couples more (finite elements), W is formed at once by back-substitution.

use crate::dense::invert;
use crate::factor::{Factor, FactorError};
use crate::sparse::Sparse;
use std::sync::OnceLock;

/// Rows of M up to which a block counts as a body, visited without forming W.
const BODY_LIMIT: usize = 12;

/// J and M, and what follows from them.
#[derive(Clone, Debug, Default)]
pub struct Factored {
    /// M.
    pub mass: Sparse,
    /// J, one row per contact component.
    pub jacobian: Sparse,
    /// Row i is M⁻¹ J_iᵀ: the velocity that a unit impulse gives. Empty where M has large blocks.
    response: Sparse,
    assembled: OnceLock<Sparse>,
}

impl Factored {
    /// Checks sizes and prepares M⁻¹; fails if M is singular.
    ///
    /// Both matrices must be finite, and J must have one column per row of M.
    pub fn new(mass: Sparse, jacobian: Sparse) -> Result<Self, FactorError> {
        assert_eq!(mass.n_rows(), jacobian.n_columns, "J has one column per velocity");
        let n = mass.n_rows();
        let group = components(&mass);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (i, &g) in group.iter().enumerate() {
            members[g].push(i);
        }
        if members.iter().any(|m| m.len() > BODY_LIMIT) {
            return Self::by_back_substitution(mass, jacobian);
        }
        let inverse = invert_bodies(&mass, &members)?;
        let transposed = transpose(&inverse);
        let response = product(&jacobian, &transposed);
        Ok(Self { mass, jacobian, response, assembled: OnceLock::new() })
    }

    fn by_back_substitution(mass: Sparse, jacobian: Sparse) -> Result<Self, FactorError> {
        let mut factor = Factor::analyse(&mass, mass.is_symmetric(0.0))?;
        factor.factor(|k, _, _| mass.value[k])?;
        let n = jacobian.n_rows();
        let mut columns = Vec::with_capacity(n);
        for i in 0..n {
            let mut x = vec![0.0; mass.n_rows()];
            let (index, value) = jacobian.row(i);
            index.iter().zip(value).for_each(|(&j, &h)| x[j as usize] = h);
            factor.solve(&mut x);
            columns.push((0..n).map(|k| jacobian.row_dot(k, &x)).collect::<Vec<f64>>());
        }
        let rows: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| columns[j][i]).collect()).collect();
        let assembled = OnceLock::from(Sparse::from_rows(&rows));
        Ok(Self { mass, jacobian, response: Sparse::default(), assembled })
    }

    /// u_free = J M⁻¹ f + w, by a solve with M.
    pub fn free_velocity(&self, force: &[f64], offset: &[f64]) -> Result<Vec<f64>, FactorError> {
        let mut v = force.to_vec();
        let mut factor = Factor::analyse(&self.mass, self.mass.is_symmetric(0.0))?;
        factor.factor(|k, _, _| self.mass.value[k])?;
        factor.solve(&mut v);
        Ok((0..self.jacobian.n_rows()).map(|i| self.jacobian.row_dot(i, &v) + offset[i]).collect())
    }

    /// A part that does not feel the rest: its rows and velocities, taken out of M, J and M⁻¹ Jᵀ.
    pub(crate) fn part(mass: Sparse, jacobian: Sparse, response: Sparse) -> Self {
        Self { mass, jacobian, response, assembled: OnceLock::new() }
    }

    /// M⁻¹ Jᵀ by rows, where M falls apart into bodies.
    pub fn response(&self) -> Option<&Sparse> {
        (self.response.n_rows() == self.jacobian.n_rows()).then_some(&self.response)
    }

    /// W, formed on first use.
    pub fn delassus(&self) -> &Sparse {
        self.assembled.get_or_init(|| {
            let mut w = product(&self.response, &transpose(&self.jacobian));
            transpose_in_place(&mut w);
            w
        })
    }
}

/// For each row of a square matrix, the least row of the connected component it belongs to.
pub(crate) fn components(matrix: &Sparse) -> Vec<usize> {
    fn root(parent: &mut [usize], mut i: usize) -> usize {
        while parent[i] != i {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        i
    }
    let mut parent: Vec<usize> = (0..matrix.n_rows()).collect();
    for i in 0..matrix.n_rows() {
        for &j in matrix.row(i).0 {
            let (a, b) = (root(&mut parent, i), root(&mut parent, j as usize));
            parent[a.max(b)] = a.min(b);
        }
    }
    (0..parent.len()).map(|i| root(&mut parent, i)).collect()
}

fn invert_bodies(mass: &Sparse, members: &[Vec<usize>]) -> Result<Sparse, FactorError> {
    let mut triplets = Vec::new();
    let mut pivots = Vec::new();
    for body in members.iter().filter(|m| !m.is_empty()) {
        let n = body.len();
        let mut a: Vec<f64> =
            body.iter().flat_map(|&i| body.iter().map(move |&j| mass.get(i, j))).collect();
        if !invert(&mut a, n, &mut pivots) {
            return Err(FactorError::Singular);
        }
        for (k, &i) in body.iter().enumerate() {
            for (l, &j) in body.iter().enumerate() {
                if a[k * n + l] != 0.0 {
                    triplets.push((i, j, a[k * n + l]));
                }
            }
        }
    }
    Sparse::from_triplets(mass.n_rows(), mass.n_rows(), &triplets).map_err(|_| FactorError::Singular)
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

fn transpose_in_place(a: &mut Sparse) {
    *a = transpose(a);
}

/// A B, row by row, with the diagonal of a square product always stored.
fn product(a: &Sparse, b: &Sparse) -> Sparse {
    let square = a.n_rows() == b.n_columns;
    let mut c = Sparse::empty(b.n_columns);
    let mut sum = vec![0.0; b.n_columns];
    let mut touched: Vec<u32> = Vec::new();
    let mut is_touched = vec![false; b.n_columns];
    let touch = |touched: &mut Vec<u32>, is_touched: &mut Vec<bool>, j: u32| {
        if !is_touched[j as usize] {
            is_touched[j as usize] = true;
            touched.push(j);
        }
    };
    for i in 0..a.n_rows() {
        let (columns, values) = a.row(i);
        for (&k, &x) in columns.iter().zip(values) {
            let (columns, values) = b.row(k as usize);
            for (&j, &y) in columns.iter().zip(values) {
                touch(&mut touched, &mut is_touched, j);
                sum[j as usize] += x * y;
            }
        }
        if square {
            touch(&mut touched, &mut is_touched, i as u32);
        }
        touched.sort_unstable();
        for j in touched.drain(..) {
            c.column.push(j);
            c.value.push(std::mem::take(&mut sum[j as usize]));
            is_touched[j as usize] = false;
        }
        c.finish_row();
    }
    c
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two bodies of two velocities each, M unsymmetric, three contacts.
    fn example(coupling: f64) -> (Sparse, Sparse) {
        let mass = Sparse::from_rows(&[
            vec![2.0, 0.5, 0.0, 0.0],
            vec![0.3, 1.0, coupling, 0.0],
            vec![0.0, 0.0, 3.0, 0.1],
            vec![0.0, 0.0, 0.0, 1.5],
        ]);
        let jacobian = Sparse::from_rows(&[
            vec![1.0, 0.0, -1.0, 0.2],
            vec![0.0, 1.0, 0.0, 0.0],
            vec![0.5, 0.0, 0.0, 1.0],
        ]);
        (mass, jacobian)
    }

    fn slow(mass: &Sparse, jacobian: &Sparse) -> Vec<Vec<f64>> {
        let n = mass.n_rows();
        let mut a: Vec<f64> = (0..n * n).map(|k| mass.get(k / n, k % n)).collect();
        assert!(invert(&mut a, n, &mut Vec::new()));
        let m = jacobian.n_rows();
        let h = |i: usize, k: usize| jacobian.get(i, k);
        (0..m)
            .map(|i| {
                (0..m)
                    .map(|j| (0..n * n).map(|k| h(i, k / n) * a[k] * h(j, k % n)).sum::<f64>())
                    .collect()
            })
            .collect()
    }

    #[test]
    fn the_product_is_w_also_where_the_mass_is_unsymmetric() {
        for coupling in [0.0, 0.4] {
            let (mass, jacobian) = example(coupling);
            let factored = Factored::new(mass.clone(), jacobian.clone()).unwrap();
            let expected = slow(&mass, &jacobian);
            for (i, row) in expected.iter().enumerate() {
                for (j, w) in row.iter().enumerate() {
                    // Condition number below 10.
                    assert!((factored.delassus().get(i, j) - w).abs() < 1e-14, "({i}, {j})");
                }
            }
        }
    }

    #[test]
    fn finite_elements_are_reduced_by_back_substitution() {
        let n = 30;
        let mut triplets = Vec::new();
        for i in 0..n {
            triplets.push((i, i, 2.5));
            if i + 1 < n {
                triplets.push((i, i + 1, -1.0));
                triplets.push((i + 1, i, -1.0));
            }
        }
        let mass = Sparse::from_triplets(n, n, &triplets).unwrap();
        let jacobian =
            Sparse::from_triplets(2, n, &[(0, 0, 1.0), (1, n - 1, 1.0), (1, 3, -0.5)]).unwrap();
        let factored = Factored::new(mass.clone(), jacobian.clone()).unwrap();
        assert!(factored.response().is_none());
        let expected = slow(&mass, &jacobian);
        for i in 0..2 {
            for j in 0..2 {
                assert!((factored.delassus().get(i, j) - expected[i][j]).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn a_massless_body_is_an_error() {
        let mass = Sparse::diagonal(&[1.0, 0.0]);
        let jacobian = Sparse::from_rows(&[vec![1.0, 1.0]]);
        assert_eq!(Factored::new(mass, jacobian).unwrap_err(), FactorError::Singular);
    }
}
