//! One of several problems of a step: its rows, its compliance, its multipliers.
//!
//! ```text
//! x = x_free + M̂⁻¹ Hᵀ p,     −(H x + bias) ∈ N_C(p)
//! ```
//!
//! x may be a velocity, or a displacement where the law holds for gaps. Where the response to p is not M̂⁻¹ Hᵀ p, it is given
//! column by column, x = x_free + Σ c_j p_j, and the matrix H (c_1 … c_m) need not be symmetric.

use super::apply::apply;
use super::assemble::{Assembly, assemble};
use super::detect::Rows;
use super::factorize::Factors;
use super::free_motion::Free;
use super::solve::{Impulses, solve};
use crate::error::StepResult;
use crate::integrators::Solving;
use crate::log::StepLog;
use crate::model::{Key, Model};
use nonsmooth_solvers::Report;

/// A problem with its scratch.
#[derive(Default)]
pub struct Stage {
    /// The constraints.
    pub rows: Rows,
    /// x_free, in `v`.
    pub free: Free,
    /// Its matrix.
    pub assembly: Assembly,
    /// p, and H x + bias in `u`.
    pub multipliers: Impulses,
    /// How the last solve ended, if there was anything to solve.
    pub report: Option<Report>,
    /// c_j, one after the other.
    columns: Vec<f64>,
}

impl Stage {
    /// Takes the guess of each multiplier from a list by key.
    pub fn guess(&mut self, by_key: &[f64]) {
        let Stage { rows, multipliers, .. } = self;
        multipliers.p.clear();
        multipliers.p.extend(rows.keys.iter().map(|key| by_key[key.0 as usize]));
    }

    /// Solves for p and writes x.
    pub fn solve(
        &mut self,
        model: &Model,
        factors: &mut Factors,
        solving: &mut Solving,
        log: &mut StepLog,
        x: &mut Vec<f64>,
    ) -> StepResult {
        let Stage { rows, free, assembly, multipliers, report, .. } = self;
        assemble(model, rows, factors, free, assembly);
        // The solver sees the problems of other stages too, whose stamps count apart.
        assembly.problem.matrix_stamp = None;
        let known = log.solves.len();
        solve(rows, assembly, &mut *solving.solver, solving.tolerance, multipliers, log)?;
        *report = log.solves.get(known).copied();
        apply(model, free, rows, &multipliers.p, factors, x);
        Ok(())
    }

    /// Solves for p, where `respond` turns H_jᵀ into c_j, and writes x.
    pub fn solve_by(
        &mut self,
        mut respond: impl FnMut(usize, &mut [f64]),
        solving: &mut Solving,
        log: &mut StepLog,
        x: &mut Vec<f64>,
    ) -> StepResult {
        let Stage { rows, free, assembly, multipliers, report, columns } = self;
        let (m, n) = (rows.keys.len(), free.v.len());
        columns.clear();
        columns.resize(m * n, 0.0);
        for (j, column) in columns.chunks_exact_mut(n.max(1)).enumerate() {
            let (places, values) = rows.jacobian.row(j);
            for (&i, &h) in places.iter().zip(values) {
                column[i as usize] += h;
            }
            respond(j, column);
        }
        assembly.pose(rows, &free.v, columns);
        let known = log.solves.len();
        solve(rows, assembly, &mut *solving.solver, solving.tolerance, multipliers, log)?;
        *report = log.solves.get(known).copied();
        x.clone_from(&free.v);
        for (column, p) in columns.chunks_exact(n.max(1)).zip(&multipliers.p) {
            x.iter_mut().zip(column).for_each(|(x, c)| *x += c * p);
        }
        Ok(())
    }

    /// out ← Hᵀ p, with p from a list by key.
    pub fn push(&self, by_key: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.rows.jacobian.n_columns, 0.0);
        for (i, key) in self.rows.keys.iter().enumerate() {
            let p = by_key[key.0 as usize];
            let (columns, values) = self.rows.jacobian.row(i);
            for (&j, &h) in columns.iter().zip(values) {
                out[j as usize] += h * p;
            }
        }
    }

    /// Writes the multipliers into a list by key.
    pub fn store(&self, by_key: &mut [f64]) {
        for (Key(key), p) in self.rows.keys.iter().zip(&self.multipliers.p) {
            by_key[*key as usize] = *p;
        }
    }

    /// Overwrites every number with NaN.
    pub(crate) fn poison(&mut self) {
        self.rows.poison();
        self.free.poison();
        self.assembly.poison();
        self.multipliers.poison();
        self.report = None;
        self.columns.fill(f64::NAN);
    }
}
