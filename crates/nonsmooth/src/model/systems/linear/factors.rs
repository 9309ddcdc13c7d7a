//! M̂⁻¹ of the linear systems: factored once per (c, k). Rows and columns of prescribed coordinates are taken out: they do not move.

use super::LinearSystems;
use crate::error::{StepError, StepResult};
use crate::model::systems::prescribed::invert_masked;
use crate::model::{Coeffs, Model};
use nonsmooth_solvers::{Factor, MassGroups, Sparse};

impl LinearSystems {
    /// Writes the numbers of all groups.
    #[inline(never)]
    pub(super) fn factor(&self, model: &Model, coeffs: Coeffs, mass: &mut MassGroups) -> StepResult {
        for (&i, out) in self.groups.single.iter().zip(mass.scalars_mut()) {
            let i = i as usize;
            let entry = self.entry(coeffs, i, i);
            if !(entry.abs() > 0.0 && entry.is_finite()) {
                return Err(singular(model, i));
            }
            *out = if self.fixed[i] { 0.0 } else { 1.0 / entry };
        }
        let mut pivots = Vec::new();
        for (number, group) in self.groups.dense.iter().enumerate() {
            let inverse = mass.dense_mut(number);
            let entries =
                group.iter().flat_map(|&i| group.iter().map(move |&j| (i as usize, j as usize)));
            inverse.iter_mut().zip(entries).for_each(|(x, (i, j))| *x = self.entry(coeffs, i, j));
            let fixed = |k: usize| self.fixed[group[k] as usize];
            if !invert_masked(inverse, group.len(), fixed, &mut pivots) {
                return Err(singular(model, group[0] as usize));
            }
        }
        for (number, group) in self.groups.sparse.iter().enumerate() {
            let factor = self.sparse_factor(coeffs, group);
            let factor = factor.ok_or_else(|| singular(model, group[0] as usize))?;
            let fixed = group.iter().map(|&i| self.fixed[i as usize]).collect();
            mass.set_factor(number, factor, fixed);
        }
        mass.mark_changed();
        Ok(())
    }

    /// The factor of one component; `None` if it is singular.
    fn sparse_factor(&self, coeffs: Coeffs, group: &[u32]) -> Option<Factor> {
        let matrix = self.local_matrix(coeffs, group);
        let mut factor = Factor::analyse(&matrix, matrix.is_symmetric(1e-14)).ok()?;
        factor.factor(|k, _, _| matrix.value[k]).ok()?;
        // A sparse factor can be silently wrong: solve A x = A 1 once. 1e-6 leaves room for condition numbers up to 1e9 and
        // catches nonsense.
        let mut x = vec![0.0; group.len()];
        matrix.multiply(&vec![1.0; group.len()], &mut x);
        factor.solve(&mut x);
        x.iter().all(|x| (x - 1.0).abs() < 1e-6).then_some(factor)
    }

    fn entry(&self, coeffs: Coeffs, i: usize, j: usize) -> f64 {
        let mut entry = self.mass.get(i, j);
        if let Some(damping) = &self.damping {
            entry += coeffs.damping * damping.get(i, j);
        }
        if let Some(stiffness) = &self.stiffness {
            entry += coeffs.stiffness * stiffness.get(i, j);
        }
        entry
    }

    /// M̂ of one component, with the identity in the rows and columns of prescribed coordinates.
    fn local_matrix(&self, coeffs: Coeffs, group: &[u32]) -> Sparse {
        let weighted = [
            (1.0, Some(&self.mass)),
            (coeffs.damping, self.damping.as_ref()),
            (coeffs.stiffness, self.stiffness.as_ref()),
        ];
        let mut matrix = Sparse::empty(group.len());
        let mut row: Vec<(u32, f64)> = Vec::new();
        for &i in group {
            row.clear();
            for (weight, part) in weighted {
                let Some(part) = part else { continue };
                let (columns, values) = part.row(i as usize);
                row.extend(columns.iter().zip(values).map(|(&j, &x)| (j, weight * x)));
            }
            row.sort_by_key(|&(j, _)| j);
            for &(j, x) in &row {
                let place = self.groups.place[j as usize];
                let cut = self.fixed[i as usize] || self.fixed[j as usize];
                let x = if cut { 0.0 } else { x };
                let begin = matrix.start[matrix.n_rows()];
                if matrix.column.len() > begin && matrix.column.last() == Some(&place) {
                    let last = matrix.value.len() - 1;
                    matrix.value[last] += x;
                } else {
                    matrix.column.push(place);
                    matrix.value.push(x);
                }
                if i == j && self.fixed[i as usize] {
                    let last = matrix.value.len() - 1;
                    matrix.value[last] = 1.0;
                }
            }
            matrix.finish_row();
        }
        matrix
    }
}

#[cold]
fn singular(model: &Model, index: usize) -> Box<StepError> {
    StepError::Singular { system: model.velocity_name(index).0 }.into()
}
