//! Rows that may carry at one point, with W = J M⁻¹ Jᵀ.
//!
//! ```text
//! ÿ = J v̇ + curvature,   v̇ = M⁻¹ f + M⁻¹ Jᵀ λ
//! ```
//!
//! Vectors over velocities are in working axes.

use super::rows::{ConstraintStatus, Features, Rows, Scale};
use super::semidefinite::Semidefinite;
use super::watched::Watched;
use crate::error::StepResult;
use crate::laws::Law;
use crate::model::Model;
use crate::model::errors::check_constraint;
use crate::model::instant::Pass;
use nonsmooth_solvers::{MassGroups, Sparse};

/// Chosen rows at one point, with their Delassus matrix.
#[derive(Default)]
pub(crate) struct Closed {
    /// Their constraints.
    pub(crate) rows: Rows,
    /// How each stands.
    pub(crate) status: Vec<ConstraintStatus>,
    /// ÿ at v̇ = 0, where asked for [m/s²].
    pub(crate) curvature: Vec<f64>,
    /// J.
    jacobian: Sparse,
    /// M⁻¹ Jᵀ, one row per key.
    response: Vec<f64>,
    /// W by rows.
    pub(crate) delassus: Vec<f64>,
    /// The block of W of the rows that are held, in factors, with dependent rows left out.
    pub(crate) factor: Semidefinite,
    by_row: Vec<f64>,
    scratch: Vec<f64>,
    n_velocities: usize,
}

impl Closed {
    /// Gathers `keys`, in this order, at a point whose mass matrix is `mass`; the first `n_held` of them are to be held.
    pub(crate) fn fill(
        &mut self,
        model: &Model,
        (watched, keys, n_held): (&Watched, &[usize], usize),
        pass: &Pass<'_>,
        mass: &MassGroups,
        scale: &Scale,
    ) -> StepResult {
        let (m, n) = (keys.len(), model.n_velocities());
        self.n_velocities = n;
        self.status.clear();
        self.jacobian.clear(n);
        self.response.clear();
        self.response.resize(m * n, 0.0);
        self.rows.evaluate(model, watched, keys.iter().copied(), (pass, Features::Listed))?;
        for (&key, response) in keys.iter().zip(self.response.chunks_mut(n.max(1))) {
            self.status.push(self.rows.status(model, watched, key, &pass.now, scale)?);
            let (c, _) = self.rows.place(watched, key);
            self.rows.active.jacobian.for_each_entry(c, watched.row(key), |j, slope| {
                self.jacobian.column.push(j);
                self.jacobian.value.push(slope);
                response[j as usize] += slope;
            });
            self.jacobian.finish_row();
            mass.solve(response, &mut self.scratch);
        }
        self.fill_delassus(m, n_held);
        Ok(())
    }

    fn fill_delassus(&mut self, m: usize, n_held: usize) {
        self.delassus.clear();
        self.delassus.resize(m * m, 0.0);
        for i in 0..m {
            let response = &self.response[i * self.n_velocities..(i + 1) * self.n_velocities];
            for j in 0..=i {
                let w = self.jacobian.row_dot(j, response);
                self.delassus[i * m + j] = w;
                self.delassus[j * m + i] = w;
            }
        }
        self.factor.factor(&self.delassus, m, n_held);
    }

    /// Fills `curvature` for the rows gathered last.
    pub(crate) fn curve(
        &mut self,
        model: &Model,
        (watched, keys): (&Watched, &[usize]),
        pass: &Pass<'_>,
    ) -> StepResult {
        let Closed { rows, by_row, curvature, .. } = self;
        by_row.clear();
        by_row.resize(rows.active.n_rows(), 0.0);
        for (family, own) in model.constraints.iter().zip(&rows.active.own) {
            if !own.is_empty() {
                family.curvature(model, &pass.now, &rows.active, by_row)?;
            }
        }
        curvature.clear();
        for &key in keys {
            let value = by_row[rows.place(watched, key).1];
            check_constraint(model, "acceleration", watched.id(key), value)?;
            curvature.push(value);
        }
        Ok(())
    }

    /// The law of a key that was gathered.
    pub(crate) fn law<'m>(&self, model: &'m Model, watched: &Watched, key: usize) -> &'m dyn Law {
        model.law(self.rows.active.laws[self.rows.place(watched, key).0])
    }

    /// J_i x.
    pub(crate) fn along(&self, i: usize, x: &[f64]) -> f64 {
        self.jacobian.row_dot(i, x)
    }

    /// Σ |J_ij x_j|.
    pub(crate) fn size_along(&self, i: usize, x: &[f64]) -> f64 {
        let (columns, values) = self.jacobian.row(i);
        columns.iter().zip(values).map(|(&j, slope)| (slope * x[j as usize]).abs()).sum()
    }

    /// x ← x + M⁻¹ Jᵀ p.
    pub(crate) fn push(&self, p: &[f64], x: &mut [f64]) {
        for (response, &p) in self.response.chunks(self.n_velocities.max(1)).zip(p) {
            x.iter_mut().zip(response).for_each(|(x, r)| *x += r * p);
        }
    }
}
