//! The one-step problem: W = H M̂⁻¹ Hᵀ and u_free = H v_free + bias.
//!
//! W is rebuilt only when M̂ or H changed, which their stamps tell; its own stamp lets the solver keep
//! its factors. Row i of W is (H_i M̂⁻¹) Hᵀ, gathered through the columns of H.

use super::assemble_touches::assemble_touches;
use super::detect::Rows;
use super::factorize::Factors;
use super::free_motion::Free;
use crate::model::Model;
use nonsmooth_solvers::{Problem, Sparse};
use std::sync::atomic::{AtomicU64, Ordering};

/// Matrices built so far by this process. A solver may meet those of several assemblies, and compares stamps.
static N_MATRICES: AtomicU64 = AtomicU64::new(1);

/// The problem, and the scratch to build it.
#[derive(Default)]
pub struct Assembly {
    /// What the solver gets.
    pub problem: Problem,
    /// Stamps of M̂ and H to which W belongs.
    pub(super) known: Option<(u64, u64)>,
    /// Column lists of H: `start[j]..start[j + 1]` of `entry` are (row, value) of velocity j.
    start: Vec<u32>,
    entry: Vec<(u32, f64)>,
    sum: Vec<f64>,
    touched: Vec<u32>,
    is_touched: Vec<bool>,
    /// H of constraints and contact points together, where both take part.
    pub(super) combined: Sparse,
}

/// Fills `assembly.problem`.
#[inline]
pub fn assemble(
    model: &Model,
    rows: &Rows,
    factors: &mut Factors,
    free: &Free,
    assembly: &mut Assembly,
) {
    if rows.is_empty() {
        assembly.problem.u_free.clear();
    } else if !rows.touches.is_empty() {
        assemble_touches(model, rows, factors, free, assembly);
    } else {
        assemble_rows(model, rows, factors, free, assembly);
    }
}

#[inline(never)]
fn assemble_rows(
    model: &Model,
    rows: &Rows,
    factors: &mut Factors,
    free: &Free,
    assembly: &mut Assembly,
) {
    let stamps = Some((factors.stamp, rows.stamp));
    if assembly.known != stamps {
        assembly.build(model, rows, factors);
        assembly.known = stamps;
    }
    let u_free = &mut assembly.problem.u_free;
    u_free.clear();
    for i in 0..rows.keys.len() {
        u_free.push(rows.jacobian.row_dot(i, &free.v) + rows.bias[i]);
    }
}

impl Assembly {
    /// W and the sets of the problem.
    pub(super) fn build(&mut self, model: &Model, rows: &Rows, factors: &mut Factors) {
        self.problem.sets.clear();
        let normals = rows.forms.iter().zip(&rows.components).filter(|(_, component)| **component == 0);
        self.problem.sets.extend(normals.map(|(form, _)| form.set));
        self.form(model, &rows.jacobian, factors);
    }

    /// W = H M̂⁻¹ Hᵀ.
    pub(super) fn form(&mut self, model: &Model, jacobian: &Sparse, factors: &mut Factors) {
        let n = jacobian.n_rows();
        self.problem.matrix_stamp = Some(N_MATRICES.fetch_add(1, Ordering::Relaxed));
        self.problem.symmetric = factors.is_symmetric(model);
        self.fill_columns(jacobian, model.n_velocities());
        let Assembly { problem, start, entry, sum, touched, is_touched, .. } = self;
        sum.clear();
        sum.resize(n, 0.0);
        is_touched.clear();
        is_touched.resize(n, false);
        let w = problem.delassus_mut();
        w.clear(n);
        for i in 0..n {
            touched.clear();
            let (columns, values) = jacobian.row(i);
            for (&d, &h) in columns.iter().zip(values) {
                factors.for_each_in_row(model, d as usize, |k, inverse| {
                    for &(j, h_j) in &entry[start[k] as usize..start[k + 1] as usize] {
                        if !is_touched[j as usize] {
                            is_touched[j as usize] = true;
                            touched.push(j);
                        }
                        sum[j as usize] += h * inverse * h_j;
                    }
                });
            }
            // The diagonal is always stored, so that solvers may shift it.
            if !is_touched[i] {
                is_touched[i] = true;
                touched.push(i as u32);
            }
            touched.sort_unstable();
            for &j in &*touched {
                w.column.push(j);
                w.value.push(sum[j as usize]);
                sum[j as usize] = 0.0;
                is_touched[j as usize] = false;
            }
            w.finish_row();
        }
    }

    /// Poses the problem with the matrix H (c_1 … c_m), the columns given one after the other.
    pub(super) fn pose(&mut self, rows: &Rows, v_free: &[f64], columns: &[f64]) {
        let n = v_free.len().max(1);
        self.known = None;
        let problem = &mut self.problem;
        problem.matrix_stamp = None;
        problem.symmetric = false;
        problem.sets.clear();
        problem.sets.extend(rows.forms.iter().map(|form| form.set));
        problem.u_free.clear();
        let m = rows.keys.len();
        problem.u_free.extend((0..m).map(|i| rows.jacobian.row_dot(i, v_free) + rows.bias[i]));
        let w = problem.delassus_mut();
        w.clear(m);
        for i in 0..m {
            for (j, column) in columns.chunks_exact(n).enumerate() {
                let entry = rows.jacobian.row_dot(i, column);
                if entry != 0.0 || i == j {
                    w.column.push(j as u32);
                    w.value.push(entry);
                }
            }
            w.finish_row();
        }
    }

    fn fill_columns(&mut self, jacobian: &Sparse, n_velocities: usize) {
        self.start.clear();
        self.start.resize(n_velocities + 2, 0);
        for &j in &jacobian.column {
            self.start[j as usize + 2] += 1;
        }
        for j in 0..n_velocities {
            self.start[j + 2] += self.start[j + 1];
        }
        self.entry.clear();
        self.entry.resize(jacobian.n_entries(), (0, 0.0));
        for i in 0..jacobian.n_rows() {
            let (columns, values) = jacobian.row(i);
            for (&j, &h) in columns.iter().zip(values) {
                let place = &mut self.start[j as usize + 1];
                self.entry[*place as usize] = (i as u32, h);
                *place += 1;
            }
        }
    }

    /// Overwrites every number with NaN and forgets what was assembled.
    pub(crate) fn poison(&mut self) {
        self.known = None;
        self.problem.delassus_mut().value.fill(f64::NAN);
        self.problem.u_free.fill(f64::NAN);
        self.sum.fill(f64::NAN);
        self.entry.fill((u32::MAX, f64::NAN));
    }
}
