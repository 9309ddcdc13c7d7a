//! W in factored form, W = J M⁻¹ Jᵀ, as the global form of a step gives it.
//!
//! ```text
//! M v = Jᵀ p + f,   u = J v + w      hence      W = J M⁻¹ Jᵀ,   u_free = J M⁻¹ f + w
//! ```
//!
//! (FCLIB's H is Jᵀ.) Where M falls apart into blocks of at most `BODY_LIMIT` rows, bodies, the rows of
//! J M⁻ᵀ are kept beside those of J, so that W p costs two sparse products and W is formed only if a
//! solver asks for it. Where M couples more (finite elements), W is formed at once by back-substitution.

use crate::dense::{RANK_TOLERANCE, invert};
use crate::eigen::principal_axes;
use crate::factor::{Factor, FactorError};
use crate::jacobian::Jacobian;
use crate::mass_groups::{Dense, Group, MassGroups};
use crate::responses::{Row, Slots};
use crate::sparse::{Sparse, product, transpose};
use crate::vector::{Vector, cross, dot};
use std::sync::OnceLock;

/// Rows of M up to which a block counts as a body, visited without forming W.
const BODY_LIMIT: usize = 12;

/// J and M, and what follows from them.
#[derive(Clone, Debug, Default)]
pub struct Primal {
    /// M.
    pub mass: Sparse,
    /// J, one row per contact component.
    pub jacobian: Sparse,
    /// Row i is M⁻¹ J_iᵀ: the velocity that a unit impulse gives. Empty where M has large blocks.
    response: Sparse,
    assembled: OnceLock<Sparse>,
}

impl Primal {
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

    /// J and M of masses by groups, over velocities along the axes and about the principal axes of I⁻¹ of bodies, without
    /// those that nothing can change; none where rows name a group with a sparse factor.
    pub(crate) fn derive(mass: &MassGroups, jacobian: &Jacobian) -> Option<Self> {
        let velocities = Velocities::new(mass)?;
        let n = velocities.inv_mass.len();
        let slots = (jacobian.contacts().len() < jacobian.n_constraints()).then(|| Slots::new(mass));
        let mut rows = Sparse::empty(n);
        let mut row = Row::default();
        for c in 0..jacobian.n_constraints() {
            let dim = jacobian.rows_of(c).len();
            if let (Some(slots), None) = (&slots, jacobian.contact(c)) {
                for r in 0..dim {
                    slots.gather(jacobian, c, r, &mut row);
                    velocities.push_row(mass, slots, &row, &mut rows)?;
                    rows.finish_row();
                }
            } else if let Some(contact) = jacobian.contact(c) {
                let mut ends: Vec<_> = contact.ends().collect();
                ends.sort_unstable_by_key(|end| end.1);
                for row in &contact.frame[..dim] {
                    for &(sign, body, arm) in &ends {
                        velocities.push(body, sign, *row, cross(arm, *row), &mut rows);
                    }
                    rows.finish_row();
                }
            }
        }
        let response = velocities.respond(&rows);
        Some(Self::part(velocities.mass(), rows, response))
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

    /// Entry (i, j) of W, without forming it where M falls apart into bodies.
    pub(crate) fn entry(&self, i: usize, j: usize) -> f64 {
        match self.response() {
            Some(response) => self.jacobian.dot_rows(i, response, j),
            None => self.assembled().get(i, j),
        }
    }

    /// W, formed on first use.
    pub fn assembled(&self) -> &Sparse {
        self.assembled.get_or_init(|| transpose(&product(&self.response, &transpose(&self.jacobian))))
    }
}

/// The velocities of all groups that an impulse can change.
struct Velocities {
    /// Where each body's begin, linear ones first.
    start: Vec<u32>,
    /// Directions of each body's angular ones.
    axes: Vec<Vector>,
    inv_mass: Vec<f64>,
    /// Whether a body has linear velocities.
    moves: Vec<bool>,
    /// Number of each velocity that belongs to no body, `u32::MAX` where nothing changes it.
    others: Vec<u32>,
    /// Blocks of M and M⁻¹ that are not diagonal: rows, M, M⁻¹.
    blocks: Vec<(Vec<u32>, Vec<f64>, Vec<f64>)>,
}

impl Velocities {
    fn new(mass: &MassGroups) -> Option<Self> {
        let (mut inv_mass, mut axes) = (Vec::new(), Vec::new());
        let (mut start, mut moves) = (vec![0], Vec::new());
        for body in mass.bodies() {
            moves.push(body.inv_mass > 0.0);
            if body.inv_mass > 0.0 {
                inv_mass.extend([body.inv_mass; 3]);
                axes.extend([[0.0; 3]; 3]);
            }
            let (rates, directions) = principal_axes(body.inv_inertia);
            let largest = rates.iter().fold(0.0f64, |m, x| m.max(*x));
            for (rate, axis) in rates.into_iter().zip(directions) {
                if rate > RANK_TOLERANCE * largest {
                    inv_mass.push(rate);
                    axes.push(axis);
                }
            }
            start.push(inv_mass.len() as u32);
        }
        let (others, blocks) = (vec![u32::MAX; mass.layout().n], Vec::new());
        let mut velocities = Self { start, axes, inv_mass, moves, others, blocks };
        velocities.add_others(mass)?;
        Some(velocities)
    }

    /// Numbers the velocities of groups that are no bodies.
    fn add_others(&mut self, mass: &MassGroups) -> Option<()> {
        for group in mass.others() {
            match *group {
                Group::Scalar(number) if mass.scalar(number) > 0.0 => {
                    self.others[mass.scalar_velocity(number) as usize] = self.inv_mass.len() as u32;
                    self.inv_mass.push(mass.scalar(number));
                }
                Group::Dense(number) => {
                    let Dense { velocities, inverse } = mass.dense(number);
                    let n = velocities.len();
                    let moved: Vec<usize> = (0..n).filter(|&i| inverse[i * n + i] != 0.0).collect();
                    let mut rows = Vec::new();
                    for &i in &moved {
                        self.others[velocities[i] as usize] = self.inv_mass.len() as u32;
                        rows.push(self.inv_mass.len() as u32);
                        self.inv_mass.push(inverse[i * n + i]);
                    }
                    let pairs = moved.iter().flat_map(|&i| moved.iter().map(move |&j| (i, j)));
                    let own: Vec<f64> = pairs.map(|(i, j)| inverse[i * n + j]).collect();
                    let mut block = own.clone();
                    if !invert(&mut block, moved.len(), &mut Vec::new()) {
                        return None;
                    }
                    self.blocks.push((rows, block, own));
                }
                // Rows that name one are refused in `push_row`.
                Group::Scalar(_) | Group::Factored(_) => {}
            }
        }
        Some(())
    }

    /// The entries of one row given by slots; none where it names a group with a sparse factor.
    fn push_row(&self, mass: &MassGroups, slots: &Slots, row: &Row, out: &mut Sparse) -> Option<()> {
        let mut k = 0;
        while k < row.entries.len() {
            let (slot, value) = row.entries[k];
            let body = slot as usize / 6;
            if body < mass.bodies().len() {
                let mut wrench = [0.0; 6];
                while k < row.entries.len() && row.entries[k].0 as usize / 6 == body {
                    wrench[row.entries[k].0 as usize % 6] = row.entries[k].1;
                    k += 1;
                }
                let [x, y, z, a, b, c] = wrench;
                self.push(body, 1.0, [x, y, z], [a, b, c], out);
                continue;
            }
            k += 1;
            let velocity = slots.velocity(mass, slot);
            if mass.is_factored(velocity) {
                return None;
            }
            if self.others[velocity as usize] != u32::MAX {
                out.column.push(self.others[velocity as usize]);
                out.value.push(value);
            }
        }
        let first = out.start[out.start.len() - 1];
        // Velocities of other groups stand in the order of their groups.
        if !out.column[first..].is_sorted() {
            let mut entries: Vec<(u32, f64)> =
                out.column.drain(first..).zip(out.value.drain(first..)).collect();
            entries.sort_unstable_by_key(|entry| entry.0);
            out.column.extend(entries.iter().map(|entry| entry.0));
            out.value.extend(entries.iter().map(|entry| entry.1));
        }
        Some(())
    }

    /// The entries of one row at one body, for the force `along` and the moment `about`; zeros are left out.
    fn push(&self, body: usize, sign: f64, along: Vector, about: Vector, row: &mut Sparse) {
        let mut next = self.start[body];
        let mut entry = |x: f64| {
            if x != 0.0 {
                row.column.push(next);
                row.value.push(sign * x);
            }
            next += 1;
        };
        if self.moves[body] {
            along.into_iter().for_each(&mut entry);
        }
        let first = self.start[body] as usize + if self.moves[body] { 3 } else { 0 };
        for axis in &self.axes[first..self.start[body + 1] as usize] {
            entry(dot(*axis, about));
        }
    }

    /// M⁻¹ Jᵀ by rows.
    fn respond(&self, jacobian: &Sparse) -> Sparse {
        if self.blocks.is_empty() {
            let moved = |(&j, x): (&u32, &f64)| self.inv_mass[j as usize] * x;
            let value = jacobian.column.iter().zip(&jacobian.value).map(moved).collect();
            return Sparse { value, ..jacobian.clone() };
        }
        product(jacobian, &transpose(&self.matrix(|inv| inv, |block| &block.2)))
    }

    fn mass(&self) -> Sparse {
        self.matrix(|inv| 1.0 / inv, |block| &block.1)
    }

    /// A matrix by groups.
    fn matrix(
        &self,
        diagonal: impl Fn(f64) -> f64,
        of: impl Fn(&(Vec<u32>, Vec<f64>, Vec<f64>)) -> &Vec<f64>,
    ) -> Sparse {
        let n = self.inv_mass.len();
        let entries: Vec<f64> = self.inv_mass.iter().map(|x| diagonal(*x)).collect();
        if self.blocks.is_empty() {
            return Sparse::diagonal(&entries);
        }
        let mut block_of = vec![None; n];
        for block in &self.blocks {
            block.0.iter().enumerate().for_each(|(k, &i)| block_of[i as usize] = Some((block, k)));
        }
        let mut matrix = Sparse::empty(n);
        for i in 0..n {
            match block_of[i] {
                None => {
                    matrix.column.push(i as u32);
                    matrix.value.push(entries[i]);
                }
                Some((block, k)) => {
                    let size = block.0.len();
                    matrix.column.extend_from_slice(&block.0);
                    matrix.value.extend_from_slice(&of(block)[k * size..(k + 1) * size]);
                }
            }
            matrix.finish_row();
        }
        matrix
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
            let factored = Primal::new(mass.clone(), jacobian.clone()).unwrap();
            let expected = slow(&mass, &jacobian);
            for (i, row) in expected.iter().enumerate() {
                for (j, w) in row.iter().enumerate() {
                    // Condition number below 10.
                    assert!((factored.assembled().get(i, j) - w).abs() < 1e-14, "({i}, {j})");
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
        let factored = Primal::new(mass.clone(), jacobian.clone()).unwrap();
        assert!(factored.response().is_none());
        let expected = slow(&mass, &jacobian);
        for i in 0..2 {
            for j in 0..2 {
                assert!((factored.assembled().get(i, j) - expected[i][j]).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn a_massless_body_is_an_error() {
        let mass = Sparse::diagonal(&[1.0, 0.0]);
        let jacobian = Sparse::from_rows(&[vec![1.0, 1.0]]);
        assert_eq!(Primal::new(mass, jacobian).unwrap_err(), FactorError::Singular);
    }
}
