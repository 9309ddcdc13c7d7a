//! Constraints at one point: how each stands, and for a chosen few W = H M⁻¹ Hᵀ.
//!
//! ```text
//! y = g(q, t),   u = H v + ∂g/∂t,   ÿ = H v̇ + curvature,   v̇ = M⁻¹ f + M⁻¹ Hᵀ λ
//! ```

use super::forces::Point;
use super::semidefinite::Semidefinite;
use crate::error::{StepError, StepResult, check_constraint};
use crate::model::{Key, Model, gather};
use crate::phases::Factors;
use nonsmooth_solvers::Sparse;

/// Rounding of a sum of a few products, relative to the sum of their sizes.
pub(crate) const ROUNDING: f64 = 16.0 * f64::EPSILON;
/// Velocity that counts as none, relative to the velocities that make it up: what projections on u = 0 and solves
/// of small problems leave.
pub(crate) const STANDSTILL: f64 = 1e-13;

/// Sizes against which rounding is judged: a body at rest at the origin has none of its own.
#[derive(Default)]
pub(crate) struct Scale {
    /// Size of each velocity over the step, max(|v|, h |M⁻¹ f|) [m/s].
    pub(crate) pace: Vec<f64>,
    /// Length of the step [s].
    pub(crate) h: f64,
}

/// How a constraint stands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Standing {
    /// y [m].
    pub(crate) gap: f64,
    /// u [m/s].
    pub(crate) u: f64,
    /// ∂g/∂t [m/s].
    pub(crate) rate: f64,
    /// Size of a gap that is nothing but rounding [m].
    pub(crate) closed: f64,
    /// Size of a velocity that is none [m/s].
    pub(crate) still: f64,
}

/// Scratch for one row.
#[derive(Default)]
pub(crate) struct Row {
    q: Vec<f64>,
    v: Vec<f64>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Row {
    /// How constraint `key` stands at a point; leaves its row of H behind.
    pub(crate) fn look(
        &mut self,
        model: &Model,
        key: usize,
        at: &Point,
        scale: &Scale,
    ) -> StepResult<Standing> {
        let (gap, rate) = self.evaluate(model, key, at)?;
        let (mut u, mut terms, mut speeds) = (rate, gap.abs() + (rate * at.t).abs(), rate.abs());
        for (&j, &h) in self.columns.iter().zip(&self.values) {
            let j = j as usize;
            u += h * at.v[j];
            terms += h.abs() * at.q[j].abs().max(scale.h * scale.pace[j]);
            speeds += h.abs() * scale.pace[j].max(at.v[j].abs());
        }
        let name = Key(key as u64);
        check_constraint(model, "gap", name, gap)?;
        check_constraint(model, "velocity", name, u)?;
        Ok(Standing { gap, u, rate, closed: ROUNDING * terms, still: STANDSTILL * speeds })
    }

    /// y and ∂g/∂t; leaves the row of H behind.
    fn evaluate(&mut self, model: &Model, key: usize, at: &Point) -> StepResult<(f64, f64)> {
        let constraints = &model.constraints;
        self.columns.clear();
        self.values.clear();
        if key < constraints.n_linear() {
            let (columns, values) = constraints.jacobian.row(key);
            self.columns.extend_from_slice(columns);
            self.values.extend_from_slice(values);
            return Ok((constraints.offset[key] + constraints.jacobian.row_dot(key, &at.q), 0.0));
        }
        let (columns, function) = &constraints.gaps[key - constraints.n_linear()];
        let user = || StepError::in_constraint(model, Key(key as u64));
        gather(columns, &at.q, &mut self.q);
        self.columns.extend_from_slice(columns);
        self.values.resize(columns.len(), 0.0);
        function.jacobian(at.t, &self.q, &mut self.values).map_err(user())?;
        let gap = function.gap(at.t, &self.q).map_err(user())?;
        Ok((gap, function.rate(at.t, &self.q).map_err(user())?))
    }

    /// ÿ at v̇ = 0.
    fn curvature(&mut self, model: &Model, key: usize, at: &Point) -> StepResult<f64> {
        let constraints = &model.constraints;
        if key < constraints.n_linear() {
            return Ok(0.0);
        }
        let (columns, function) = &constraints.gaps[key - constraints.n_linear()];
        let name = Key(key as u64);
        gather(columns, &at.q, &mut self.q);
        gather(columns, &at.v, &mut self.v);
        let curvature = function.curvature(at.t, &self.q, &self.v);
        let curvature = curvature.map_err(StepError::in_constraint(model, name))?;
        check_constraint(model, "acceleration", name, curvature)?;
        Ok(curvature)
    }
}

/// Chosen constraints at one point, with their Delassus matrix.
#[derive(Default)]
pub(crate) struct Closed {
    /// How each stands.
    pub(crate) standing: Vec<Standing>,
    /// ÿ at v̇ = 0, where asked for [m/s²].
    pub(crate) curvature: Vec<f64>,
    /// H.
    pub(crate) jacobian: Sparse,
    /// M⁻¹ Hᵀ, one row per constraint.
    response: Vec<f64>,
    /// W by rows.
    pub(crate) delassus: Vec<f64>,
    /// W in factors, with dependent rows left out.
    pub(crate) factor: Semidefinite,
    row: Row,
    n_velocities: usize,
}

impl Closed {
    /// Gathers `keys` at a point whose mass matrix is in `factors`.
    pub(crate) fn fill(
        &mut self,
        model: &Model,
        keys: &[usize],
        at: &Point,
        factors: &mut Factors,
        scale: &Scale,
    ) -> StepResult {
        let (m, n) = (keys.len(), model.n_velocities());
        self.n_velocities = n;
        self.standing.clear();
        self.jacobian.clear(n);
        self.response.clear();
        self.response.resize(m * n, 0.0);
        for (&key, response) in keys.iter().zip(self.response.chunks_mut(n.max(1))) {
            self.standing.push(self.row.look(model, key, at, scale)?);
            self.jacobian.column.extend_from_slice(&self.row.columns);
            self.jacobian.value.extend_from_slice(&self.row.values);
            self.jacobian.finish_row();
            for (&j, &h) in self.row.columns.iter().zip(&self.row.values) {
                check_constraint(model, "jacobian", Key(key as u64), h)?;
                response[j as usize] += h;
            }
            factors.solve(model, response);
        }
        self.fill_delassus(m);
        Ok(())
    }

    fn fill_delassus(&mut self, m: usize) {
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
        self.factor.factor(&self.delassus, m);
    }

    /// Fills `curvature` for the constraints gathered last.
    pub(crate) fn curve(&mut self, model: &Model, keys: &[usize], at: &Point) -> StepResult {
        self.curvature.clear();
        for &key in keys {
            let curvature = self.row.curvature(model, key, at)?;
            self.curvature.push(curvature);
        }
        Ok(())
    }

    /// H_i x.
    pub(crate) fn along(&self, i: usize, x: &[f64]) -> f64 {
        self.jacobian.row_dot(i, x)
    }

    /// Σ |H_ij x_j|.
    pub(crate) fn size_along(&self, i: usize, x: &[f64]) -> f64 {
        let (columns, values) = self.jacobian.row(i);
        columns.iter().zip(values).map(|(&j, h)| (h * x[j as usize]).abs()).sum()
    }

    /// x ← x + M⁻¹ Hᵀ p.
    pub(crate) fn push(&self, p: &[f64], x: &mut [f64]) {
        for (response, &p) in self.response.chunks(self.n_velocities.max(1)).zip(p) {
            x.iter_mut().zip(response).for_each(|(x, r)| *x += r * p);
        }
    }

    pub(crate) fn poison(&mut self) {
        self.standing.fill(Standing {
            gap: f64::NAN,
            u: f64::NAN,
            rate: f64::NAN,
            closed: f64::NAN,
            still: f64::NAN,
        });
        self.jacobian.value.fill(f64::NAN);
        let Closed { curvature, response, delassus, .. } = self;
        for x in [curvature, response, delassus, &mut self.row.q, &mut self.row.v, &mut self.row.values]
        {
            x.fill(f64::NAN);
        }
        self.factor.poison();
    }
}
