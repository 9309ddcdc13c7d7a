//! One of several problems of a step: its rows, its compliance, its multipliers.
//!
//! ```text
//! x = x_free + M̂⁻¹ Jᵀ p,     −(J x + bias + shift) ∈ N_C(p)
//! ```
//!
//! x may be a velocity, or a displacement where the law holds for gaps. Where the response to p is not M̂⁻¹ Jᵀ p, it is given
//! column by column, x = x_free + Σ c_j p_j, and the matrix J (c_1 … c_m) need not be symmetric. There the impulses along tangents may be
//! given: then the normal of a contact with friction is its only unknown.

use crate::error::StepResult;
use crate::log::StepLog;
use crate::model::instant::{Instant, Pass};
use crate::model::{ActiveConstraints, ConstraintId, Free, Level, Model, State};
use crate::part::Part;
use crate::phases::{
    Impulses, LawForm, Mass, SolverSettings, apply, assemble, linearize, set_laws, set_offsets, solve,
};
use nonsmooth_solvers::{Problem, Report, Set};

/// A problem with its scratch.
#[derive(Default)]
pub(super) struct Stage {
    /// The constraints; `offset` is the bias.
    pub(super) active: ActiveConstraints,
    /// y by row.
    pub(super) y: Vec<f64>,
    /// x_free, in `v`.
    pub(super) free: Free,
    /// Its problem.
    pub(super) problem: Problem,
    /// p, and J x + bias + shift in `u`.
    pub(super) multipliers: Impulses,
    /// How the last solve ended, if there was anything to solve.
    pub(super) report: Option<Report>,
    /// c_j, one after the other.
    columns: Vec<f64>,
    /// Entries of the rows of one constraint, by column.
    entries: Vec<[f64; 6]>,
    /// The rows of the problem solved last, where tangents were given; else empty.
    unknowns: Vec<usize>,
    solution: Impulses,
}

impl Stage {
    /// Takes up these constraints at an instant: J, y, and ∂g/∂t in the offsets.
    pub(super) fn evaluate(
        &mut self,
        model: &Model,
        ids: &[ConstraintId],
        at: &Instant<'_>,
    ) -> StepResult {
        let Stage { active, y, problem, report, unknowns, .. } = self;
        problem.delassus.release();
        unknowns.clear();
        *report = None;
        active.open(model);
        for (f, family) in model.constraints.iter().enumerate() {
            let begin = ids.partition_point(|id| id.family() < f);
            let end = ids.partition_point(|id| id.family() <= f);
            family.append(model, &ids[begin..end], at, active)?;
            active.close_family();
        }
        active.close(model);
        let (part, pass) = (Part::whole(at.t, 0.0), Pass::at(at));
        linearize(model, &part, &pass, active)?;
        set_offsets(model, &part, &pass, Level::Velocity, active)?;
        y.clear();
        y.resize(active.n_rows(), 0.0);
        for (family, own) in model.constraints.iter().zip(&active.own) {
            family.positions(model, at, active, own, y)?;
        }
        Ok(())
    }

    /// Solves for p and writes x.
    pub(super) fn solve(
        &mut self,
        (model, now): (&Model, &State),
        form: LawForm,
        mass: &Mass,
        settings: &mut SolverSettings,
        log: &mut StepLog,
        x: &mut Vec<f64>,
    ) -> StepResult {
        self.set_laws(model, now, form);
        let Stage { active, free, problem, multipliers, report, .. } = self;
        assemble(active, mass, free, problem);
        let known = log.solves.len();
        solve(&mut *settings.solver, settings.tolerance, problem, multipliers, log)?;
        *report = log.solves.get(known).copied();
        apply(problem, free, multipliers, x);
        Ok(())
    }

    /// Solves for p, where `respond` turns J_jᵀ of constraint c into c_j, and writes x.
    pub(super) fn solve_by(
        &mut self,
        (model, now): (&Model, &State),
        form: LawForm,
        mut respond: impl FnMut(usize, &mut [f64]) -> StepResult,
        settings: &mut SolverSettings,
        log: &mut StepLog,
        x: &mut Vec<f64>,
    ) -> StepResult {
        self.set_laws(model, now, form);
        let n = self.free.v.len().max(1);
        self.respond(&mut respond)?;
        self.pose(n);
        let Stage { free, problem, multipliers, report, columns, .. } = self;
        let known = log.solves.len();
        solve(&mut *settings.solver, settings.tolerance, problem, multipliers, log)?;
        *report = log.solves.get(known).copied();
        x.clone_from(&free.v);
        for (column, p) in columns.chunks_exact(n).zip(&multipliers.p) {
            x.iter_mut().zip(column).for_each(|(x, c)| *x += c * p);
        }
        Ok(())
    }

    /// The same with the impulses along tangents as they are in `multipliers`: 0 ≤ J_N x + bias ⟂ p_N ≥ 0 on contacts.
    pub(super) fn solve_normals(
        &mut self,
        (model, now): (&Model, &State),
        mut respond: impl FnMut(usize, &mut [f64]) -> StepResult,
        settings: &mut SolverSettings,
        log: &mut StepLog,
        x: &mut Vec<f64>,
    ) -> StepResult {
        self.set_laws(model, now, LawForm::Contact);
        let n = self.free.v.len().max(1);
        self.respond(&mut respond)?;
        self.unknowns.clear();
        for c in 0..self.active.len() {
            let (rows, is_rough) = (self.active.rows(c), is_rough(model, &self.active, c));
            self.unknowns.extend(if is_rough { rows.start..rows.start + 1 } else { rows.clone() });
            for row in rows.skip(if is_rough { 1 } else { usize::MAX }) {
                let (column, p) = (&self.columns[row * n..(row + 1) * n], self.multipliers.p[row]);
                self.free.v.iter_mut().zip(column).for_each(|(x, c)| *x += c * p);
            }
        }
        self.pose(n);
        self.keep_unknowns(model);
        let Stage { free, problem, multipliers, solution, report, columns, unknowns, .. } = self;
        solution.p.clear();
        solution.p.extend(unknowns.iter().map(|&row| multipliers.p[row]));
        let known = log.solves.len();
        solve(&mut *settings.solver, settings.tolerance, problem, solution, log)?;
        *report = log.solves.get(known).copied();
        x.clone_from(&free.v);
        multipliers.u.resize(multipliers.p.len(), 0.0);
        for (&row, (p, u)) in unknowns.iter().zip(solution.p.iter().zip(&solution.u)) {
            (multipliers.p[row], multipliers.u[row]) = (*p, *u);
            x.iter_mut().zip(&columns[row * n..]).for_each(|(x, c)| *x += c * p);
        }
        Ok(())
    }

    /// Leaves the rows of `unknowns` in the problem that was posed.
    fn keep_unknowns(&mut self, model: &Model) {
        let Stage { active, problem, unknowns, .. } = self;
        problem.sets.clear();
        for c in 0..active.len() {
            if is_rough(model, active, c) {
                problem.sets.push(Set::Nonnegative);
            } else {
                let sets = active.set_start[c] as usize..active.set_start[c + 1] as usize;
                problem.sets.extend_from_slice(&active.sets[sets]);
            }
        }
        let u: Vec<f64> = unknowns.iter().map(|&row| problem.u_free[row]).collect();
        problem.u_free.clone_from(&u);
        let whole = problem.assembled().clone();
        let w = problem.delassus.explicit_mut();
        w.clear(unknowns.len());
        for &row in &*unknowns {
            for (j, &column) in unknowns.iter().enumerate() {
                let entry = whole.get(row, column);
                if entry != 0.0 || row == column {
                    w.column.push(j as u32);
                    w.value.push(entry);
                }
            }
            w.finish_row();
        }
    }

    /// The diagonal entry of the matrix at a row.
    pub(super) fn weight(&self, row: usize) -> f64 {
        let place = self.unknowns.binary_search(&row).unwrap_or(row);
        self.problem.assembled().get(place, place)
    }

    /// c_j of all rows.
    fn respond(&mut self, respond: &mut dyn FnMut(usize, &mut [f64]) -> StepResult) -> StepResult {
        let n = self.free.v.len().max(1);
        let Stage { active, columns, .. } = self;
        columns.clear();
        columns.resize(active.n_rows() * n, 0.0);
        for c in 0..active.len() {
            let dim = active.rows(c).len();
            for (k, row) in active.rows(c).enumerate() {
                let (mut unit, column) = ([0.0; 6], &mut columns[row * n..(row + 1) * n]);
                unit[k] = 1.0;
                active.jacobian.add_transposed(c, &unit[..dim], column);
                respond(c, column)?;
            }
        }
        Ok(())
    }

    /// The problem with the matrix J (c_1 … c_m).
    fn pose(&mut self, n: usize) {
        let Stage { active, free, problem, columns, entries, .. } = self;
        let m = active.n_rows();
        problem.sets.clone_from(&active.sets);
        problem.u_free.clear();
        problem.u_free.resize(m, 0.0);
        for c in 0..active.len() {
            active.jacobian.dot(c, &free.v, &mut problem.u_free[active.rows(c)]);
        }
        let added = active.offset.iter().zip(&active.shift);
        problem.u_free.iter_mut().zip(added).for_each(|(u, (offset, shift))| *u += offset + shift);
        problem.delassus.stamp = None;
        problem.delassus.symmetric = false;
        let w = problem.delassus.explicit_mut();
        w.clear(m);
        for c in 0..active.len() {
            let rows = active.rows(c);
            entries.resize(m, [0.0; 6]);
            for (column, entry) in columns.chunks_exact(n).zip(&mut *entries) {
                active.jacobian.dot(c, column, &mut entry[..rows.len()]);
            }
            for (k, row) in rows.enumerate() {
                for (j, entry) in entries.iter().enumerate().filter(|(j, e)| e[k] != 0.0 || *j == row) {
                    w.column.push(j as u32);
                    w.value.push(entry[k]);
                }
                w.finish_row();
            }
        }
    }

    fn set_laws(&mut self, model: &Model, now: &State, form: LawForm) {
        let Stage { active, multipliers, .. } = self;
        multipliers.before.clear();
        multipliers.before.resize(active.n_rows(), 0.0);
        set_laws(model, now, form, (0.0, 0.0), multipliers, active);
    }

    /// out ← Jᵀ p, with p from a list by constraint, of the constraints that `takes` takes.
    pub(super) fn push(&self, p: &ByConstraint, takes: impl Fn(usize) -> bool, out: &mut [f64]) {
        out.fill(0.0);
        for c in (0..self.active.len()).filter(|&c| takes(c)) {
            let known = p.of(self.active.ids[c]);
            if !known.is_empty() {
                self.active.jacobian.add_transposed(c, known, out);
            }
        }
    }
}

/// Whether a constraint has friction: its tangents have no position.
pub(super) fn is_rough(model: &Model, active: &ActiveConstraints, c: usize) -> bool {
    model.law(active.laws[c]).forms().friction
}

/// Numbers by constraint and row, sorted by name.
#[derive(Default)]
pub(super) struct ByConstraint {
    ids: Vec<ConstraintId>,
    start: Vec<u32>,
    values: Vec<f64>,
}

impl ByConstraint {
    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.ids.clear();
        self.start.clear();
        self.values.clear();
    }

    /// Takes the numbers of these constraints in place of all others.
    pub(super) fn store(&mut self, active: &ActiveConstraints, values: &[f64]) {
        self.ids.clone_from(&active.ids);
        self.start.clone_from(&active.row_start);
        self.values.clear();
        self.values.extend_from_slice(values);
    }

    /// Writes the numbers of a constraint that is known.
    pub(super) fn set(&mut self, id: ConstraintId, values: &[f64]) {
        if let Ok(k) = self.ids.binary_search(&id) {
            self.values[self.start[k] as usize..self.start[k + 1] as usize].copy_from_slice(values);
        }
    }

    /// The numbers of one constraint; none where it is not known.
    pub(super) fn of(&self, id: ConstraintId) -> &[f64] {
        match self.ids.binary_search(&id) {
            Ok(k) => &self.values[self.start[k] as usize..self.start[k + 1] as usize],
            Err(_) => &[],
        }
    }

    /// out ← the numbers of these constraints by row, 0 where they are not known.
    pub(super) fn read(&self, active: &ActiveConstraints, out: &mut Vec<f64>) {
        out.clear();
        out.resize(active.n_rows(), 0.0);
        for (c, id) in active.ids.iter().enumerate() {
            let known = self.of(*id);
            out[active.rows(c)][..known.len()].copy_from_slice(known);
        }
    }
}
