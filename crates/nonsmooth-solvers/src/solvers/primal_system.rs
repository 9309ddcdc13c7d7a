//! The linear systems of Newton's method in velocities, for W = J M⁻¹ Jᵀ + D with more rows than velocities.
//!
//! With C = d (A + α B) + B D, block diagonal and regular for α > 0, and z = M⁻¹ Jᵀ δ:
//!
//! ```text
//! (C + B J M⁻¹ Jᵀ) δ = −F    ⟺    (M + Jᵀ C⁻¹ B J) z = −Jᵀ C⁻¹ F,   δ = −C⁻¹ (F + B J z)
//! ```
//!
//! The matrix on the right has the pattern of bodies in contact; a wall of bricks has five times fewer of its rows than
//! of contact rows, and W is never formed.

use crate::dense::invert;
use crate::factor::Factor;
use crate::linearise::Linear;
use crate::primal::Primal;
use crate::problem::Problem;
use crate::set::MAX_DIM;
use crate::sparse::Sparse;

/// One constraint seen from the velocities.
struct Contact {
    begin: usize,
    dim: usize,
    /// Its velocities: a range of `PrimalSystem::column`.
    columns: (usize, usize),
    /// Its dim × n block of J: where it begins in `PrimalSystem::block`.
    block: usize,
    /// Where its n × n places in the pattern begin in `PrimalSystem::place`.
    place: usize,
}

#[derive(Default)]
pub(super) struct PrimalSystem {
    contacts: Vec<Contact>,
    column: Vec<u32>,
    block: Vec<f64>,
    place: Vec<u32>,
    /// M and the places of all J_cᵀ · J_c, over the velocities that some row names.
    pattern: Sparse,
    mass: Vec<f64>,
    factor: Option<Factor>,
    /// C⁻¹ and C⁻¹ B of each constraint.
    inverse: Vec<[f64; MAX_DIM * MAX_DIM]>,
    stiffness: Vec<[f64; MAX_DIM * MAX_DIM]>,
    pivots: Vec<usize>,
    /// D by rows; empty where there is none.
    compliance: Vec<f64>,
    z: Vec<f64>,
}

impl PrimalSystem {
    /// Takes over J and M; false where a system in contact rows is smaller.
    pub(super) fn load(&mut self, problem: &Problem, primal: &Primal) -> bool {
        self.contacts.clear();
        let Some(number) = named_velocities(primal) else { return false };
        let n = number.iter().filter(|k| **k != u32::MAX).count();
        if n > problem.size() {
            return false;
        }
        self.gather(problem, primal, &number);
        self.lay_out(primal, &number, n);
        self.compliance.clear();
        self.compliance.extend((0..problem.size()).map(|i| problem.delassus.compliance(i)));
        if self.compliance.iter().all(|d| *d == 0.0) {
            self.compliance.clear();
        }
        self.factor = None;
        true
    }

    /// The blocks of J, with velocities renumbered.
    fn gather(&mut self, problem: &Problem, primal: &Primal, number: &[u32]) {
        self.column.clear();
        self.block.clear();
        for (begin, set) in problem.blocks() {
            let (dim, first) = (set.dim(), self.column.len());
            for i in begin..begin + dim {
                self.column.extend(primal.jacobian.row(i).0.iter().map(|&j| number[j as usize]));
            }
            self.column[first..].sort_unstable();
            let mut kept = first;
            for k in first..self.column.len() {
                if k == first || self.column[k] != self.column[kept - 1] {
                    self.column[kept] = self.column[k];
                    kept += 1;
                }
            }
            self.column.truncate(kept);
            let (block, n) = (self.block.len(), kept - first);
            self.block.resize(block + dim * n, 0.0);
            for i in 0..dim {
                let (columns, values) = primal.jacobian.row(begin + i);
                for (&j, &h) in columns.iter().zip(values) {
                    let place = self.column[first..].binary_search(&number[j as usize]);
                    self.block[block + i * n + place.expect("gathered above")] = h;
                }
            }
            self.contacts.push(Contact { begin, dim, columns: (first, kept), block, place: 0 });
        }
    }

    /// The pattern of M + Σ J_cᵀ · J_c, M's values in it, and where each contact adds.
    fn lay_out(&mut self, primal: &Primal, number: &[u32], n: usize) {
        let mut rows: Vec<Vec<u32>> = (0..n as u32).map(|i| vec![i]).collect();
        let mass = &primal.mass;
        let kept = |i: usize| number[i] != u32::MAX;
        for i in (0..mass.n_rows()).filter(|&i| kept(i)) {
            let columns = mass.row(i).0.iter().filter(|&&j| kept(j as usize));
            rows[number[i] as usize].extend(columns.map(|&j| number[j as usize]));
        }
        for contact in &self.contacts {
            let columns = &self.column[contact.columns.0..contact.columns.1];
            columns.iter().for_each(|&i| rows[i as usize].extend_from_slice(columns));
        }
        self.pattern.clear(n);
        for row in &mut rows {
            row.sort_unstable();
            row.dedup();
            self.pattern.column.extend_from_slice(row);
            self.pattern.value.resize(self.pattern.column.len(), 0.0);
            self.pattern.finish_row();
        }
        let pattern = &self.pattern;
        let find = |i: u32, j: u32| {
            let place = pattern.row(i as usize).0.binary_search(&j).expect("in the pattern");
            pattern.start[i as usize] + place
        };
        self.mass.clear();
        self.mass.resize(pattern.n_entries(), 0.0);
        for i in (0..mass.n_rows()).filter(|&i| kept(i)) {
            let (columns, values) = mass.row(i);
            for (&j, &m) in columns.iter().zip(values).filter(|(j, _)| kept(**j as usize)) {
                self.mass[find(number[i], number[j as usize])] = m;
            }
        }
        self.place.clear();
        for contact in &mut self.contacts {
            contact.place = self.place.len();
            let columns = &self.column[contact.columns.0..contact.columns.1];
            for &i in columns {
                self.place.extend(columns.iter().map(|&j| find(i, j) as u32));
            }
        }
    }

    /// δ with (C + B W) δ = −F; false if the system is singular.
    pub(super) fn solve(
        &mut self,
        linear: &[Linear],
        weight: &[f64],
        alpha: f64,
        delta: &mut [f64],
    ) -> bool {
        if !self.stiffen(linear, weight, alpha) {
            return false;
        }
        self.assemble(linear);
        if self.factor.is_none() {
            self.factor = Factor::analyse(&self.pattern, false).ok();
        }
        let Some(factor) = &mut self.factor else { return false };
        if factor.factor(|k, _, _| self.pattern.value[k]).is_err() {
            return false;
        }
        factor.solve(&mut self.z);
        for (c, contact) in self.contacts.iter().enumerate() {
            let dim = contact.dim;
            let mut moved = [0.0; MAX_DIM];
            let (columns, block) = self.of(contact);
            for (i, row) in block.chunks_exact(columns.len().max(1)).enumerate() {
                moved[i] = columns.iter().zip(row).map(|(&j, h)| h * self.z[j as usize]).sum();
            }
            let mut right = [0.0; MAX_DIM];
            for i in 0..dim {
                let b = &linear[c].b[i * dim..(i + 1) * dim];
                right[i] = linear[c].f[i] + (0..dim).map(|k| b[k] * moved[k]).sum::<f64>();
            }
            for i in 0..dim {
                let row = &self.inverse[c][i * dim..(i + 1) * dim];
                delta[contact.begin + i] = -(0..dim).map(|k| row[k] * right[k]).sum::<f64>();
            }
        }
        delta.iter().all(|x| x.is_finite())
    }

    fn of(&self, contact: &Contact) -> (&[u32], &[f64]) {
        let columns = &self.column[contact.columns.0..contact.columns.1];
        (columns, &self.block[contact.block..contact.block + contact.dim * columns.len()])
    }

    /// C⁻¹ and C⁻¹ B of every constraint; false if a C is singular.
    fn stiffen(&mut self, linear: &[Linear], weight: &[f64], alpha: f64) -> bool {
        self.inverse.clear();
        self.stiffness.clear();
        for ((contact, at), d) in self.contacts.iter().zip(linear).zip(weight) {
            let dim = contact.dim;
            let mut inverse = [0.0; MAX_DIM * MAX_DIM];
            for k in 0..dim * dim {
                inverse[k] = d * (at.a[k] + alpha * at.b[k]);
                if let Some(own) = self.compliance.get(contact.begin + k % dim) {
                    inverse[k] += at.b[k] * own;
                }
            }
            // Rows of very different size, of order α where it sticks and 1 where it slides, are no singularity.
            let mut scale = [0.0; MAX_DIM];
            for i in 0..dim {
                let row = &mut inverse[i * dim..(i + 1) * dim];
                scale[i] = row.iter().fold(0.0f64, |m, x| m.max(x.abs()));
                row.iter_mut().for_each(|x| *x /= scale[i]);
            }
            if !invert(&mut inverse[..dim * dim], dim, &mut self.pivots) {
                return false;
            }
            let mut stiffness = [0.0; MAX_DIM * MAX_DIM];
            for i in 0..dim {
                for j in 0..dim {
                    inverse[i * dim + j] /= scale[j];
                }
                for j in 0..dim {
                    stiffness[i * dim + j] =
                        (0..dim).map(|k| inverse[i * dim + k] * at.b[k * dim + j]).sum();
                }
            }
            self.inverse.push(inverse);
            self.stiffness.push(stiffness);
        }
        true
    }

    /// M + Jᵀ C⁻¹ B J into the pattern, −Jᵀ C⁻¹ F into z.
    fn assemble(&mut self, linear: &[Linear]) {
        let mut value = std::mem::take(&mut self.pattern.value);
        let mut z = std::mem::take(&mut self.z);
        value.copy_from_slice(&self.mass);
        z.clear();
        z.resize(self.pattern.n_columns, 0.0);
        let mut product = Vec::new();
        for (c, contact) in self.contacts.iter().enumerate() {
            let dim = contact.dim;
            let (columns, block) = self.of(contact);
            let n = columns.len();
            let (stiffness, inverse) = (&self.stiffness[c], &self.inverse[c]);
            // K J, then Jᵀ (K J).
            product.clear();
            product.resize(dim * n, 0.0);
            for i in 0..dim {
                let impulse: f64 = (0..dim).map(|k| inverse[i * dim + k] * linear[c].f[k]).sum();
                for j in 0..n {
                    z[columns[j] as usize] -= block[i * n + j] * impulse;
                }
                for k in (0..dim).filter(|k| stiffness[i * dim + k] != 0.0) {
                    for j in 0..n {
                        product[i * n + j] += stiffness[i * dim + k] * block[k * n + j];
                    }
                }
            }
            for i in 0..dim {
                for a in 0..n {
                    let h = block[i * n + a];
                    let places = &self.place[contact.place + a * n..contact.place + (a + 1) * n];
                    for (&place, x) in places.iter().zip(&product[i * n..(i + 1) * n]) {
                        value[place as usize] += h * x;
                    }
                }
            }
        }
        self.pattern.value = value;
        self.z = z;
    }

    /// Forgets factors and patterns.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }
}

/// New numbers of the velocities of bodies that some row names, `u32::MAX` for the others; none where M has
/// large blocks.
fn named_velocities(primal: &Primal) -> Option<Vec<u32>> {
    primal.response()?;
    let mass = &primal.mass;
    let group = crate::primal::components(mass);
    let mut named = vec![false; mass.n_rows()];
    primal.jacobian.column.iter().for_each(|&j| named[group[j as usize]] = true);
    let mut next = 0;
    Some(
        group
            .iter()
            .map(|&g| {
                if !named[g] {
                    return u32::MAX;
                }
                next += 1;
                next - 1
            })
            .collect(),
    )
}
