//! The problem of a pass: rows of constraints and of relations, with W given by rows, and what their solution does.

use crate::error::{StepError, StepResult};
use crate::laws::LawRows;
use crate::model::errors::check_finite_from;
use crate::model::relations::{Linearized, RelationLaw};
use crate::model::{ActiveConstraints, Free, Model, Pass, SparseRow, State, Theta};
use crate::phases::Impulses;
use nonsmooth_solvers::{Delassus, MassGroups, Problem, Set, Sparse, invert};

/// What relations add to a step.
#[derive(Default)]
pub(super) struct Relating {
    linear: Linearized,
    coupled: Coupled,
    /// λ of the guess, by row.
    lambda: Vec<f64>,
    /// v of the step without p and λ.
    base: Vec<f64>,
    /// Jᵀp + B h λ, and what it does.
    impulse: Vec<f64>,
    response: Vec<f64>,
    /// What relations and couplings do to all velocities, over the step.
    force: Vec<f64>,
    scratch: Vec<f64>,
}

/// N = (M̂ − K)⁻¹, K = Σ act ⊗ read: v = w + X s, s = (I − S X)⁻¹ S w, with X = M̂⁻¹ act and w = M̂⁻¹ f.
#[derive(Default)]
struct Coupled {
    reads: Vec<SparseRow>,
    columns: Vec<Vec<f64>>,
    inverse: Vec<f64>,
}

impl Coupled {
    fn prepare(&mut self, terms: &[(SparseRow, SparseRow)], mass: &MassGroups, n: usize) -> bool {
        let mut scratch = Vec::new();
        self.reads.clear();
        self.columns.clear();
        for (read, act) in terms {
            let mut column = vec![0.0; n];
            act.add_to(1.0, &mut column);
            mass.solve(&mut column, &mut scratch);
            self.reads.push(read.clone());
            self.columns.push(column);
        }
        let k = terms.len();
        self.inverse.clear();
        self.inverse.resize(k * k, 0.0);
        for i in 0..k {
            for j in 0..k {
                let unit = f64::from(u8::from(i == j));
                self.inverse[i * k + j] = unit - self.reads[i].dot(&self.columns[j]);
            }
        }
        k == 0 || invert(&mut self.inverse, k, &mut Vec::new())
    }

    /// w → v.
    fn close(&self, v: &mut [f64], scratch: &mut Vec<f64>) {
        let k = self.reads.len();
        scratch.clear();
        scratch.extend(self.reads.iter().map(|read| read.dot(v)));
        for i in 0..k {
            let s: f64 = (0..k).map(|j| self.inverse[i * k + j] * scratch[j]).sum();
            // Columns are by variable: the sum over all of them.
            v.iter_mut().zip(&self.columns[i]).for_each(|(v, x)| *v += s * x);
        }
    }
}

impl Relating {
    /// The guess of λ: that of the step before.
    pub(super) fn start(&mut self, model: &Model, now: &State) {
        self.lambda.clone_from(&now.scheme);
        self.lambda.resize(model.n_relation_rows(), 0.0);
    }

    pub(super) fn is_linear(&self, model: &Model) -> bool {
        model.relations.iter().all(|relation| relation.is_linear())
    }

    /// The relations about the guess, N, and the motion without p and λ.
    pub(super) fn linearize(
        &mut self,
        model: &Model,
        at: &Pass<'_>,
        rule: Theta,
        mass: &MassGroups,
        free: &Free,
    ) -> StepResult {
        self.linear.evaluate(model, at, rule, &self.lambda)?;
        let n = model.n_velocities();
        if !self.coupled.prepare(&self.linear.coupled, mass, n) {
            return Err(StepError::SingularCoupling.into());
        }
        self.base.clone_from(&self.linear.impulse);
        mass.solve(&mut self.base, &mut self.scratch);
        self.base.iter_mut().zip(&free.v).for_each(|(base, free)| *base += free);
        self.coupled.close(&mut self.base, &mut self.scratch);
        Ok(())
    }

    /// N f of the impulse at hand, into `response`.
    fn respond(&mut self, mass: &MassGroups) {
        self.response.clone_from(&self.impulse);
        mass.solve(&mut self.response, &mut self.scratch);
        self.coupled.close(&mut self.response, &mut self.scratch);
    }

    /// W, u_free and sets of all rows.
    pub(super) fn pose(
        &mut self,
        model: &Model,
        h: f64,
        (active, mass): (&ActiveConstraints, &MassGroups),
        problem: &mut Problem,
    ) {
        let (n_own, m) = (active.n_rows(), self.linear.y.len());
        let size = n_own + m;
        problem.sets.clear();
        problem.sets.extend_from_slice(&active.sets);
        problem.u_free.clear();
        problem.u_free.resize(size, 0.0);
        let mut w = vec![0.0; size * size];
        let mut unit = [0.0; 6];
        for c in 0..active.len() {
            let rows = active.rows(c);
            active.jacobian.dot(c, &self.base, &mut problem.u_free[rows.clone()]);
            for (k, column) in rows.clone().enumerate() {
                unit.fill(0.0);
                unit[k] = 1.0;
                self.impulse.clear();
                self.impulse.resize(self.base.len(), 0.0);
                active.jacobian.add_transposed(c, &unit[..rows.len()], &mut self.impulse);
                self.respond(mass);
                self.fill_column(active, column, size, &mut w);
                w[column * size + column] += active.compliance.get(column).copied().unwrap_or(0.0);
            }
        }
        let added = active.offset.iter().zip(&active.shift);
        problem.u_free.iter_mut().zip(added).for_each(|(u, (offset, shift))| *u += offset + shift);
        for row in 0..m {
            self.impulse.clear();
            self.impulse.resize(self.base.len(), 0.0);
            self.linear.acts[row].add_to(1.0, &mut self.impulse);
            self.respond(mass);
            self.fill_column(active, n_own + row, size, &mut w);
            problem.u_free[n_own + row] = self.linear.y[row] + self.linear.reads[row].dot(&self.base);
        }
        for &(i, j, d) in &self.linear.feedthrough {
            w[(n_own + i as usize) * size + n_own + j as usize] += d / h;
        }
        self.add_laws(model, h, (n_own, size), &mut w, problem);
        let mut rows = Sparse::empty(size);
        for row in w.chunks_exact(size.max(1)) {
            for (j, &x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                rows.column.push(j as u32);
                rows.value.push(x);
            }
            rows.finish_row();
        }
        problem.delassus = Delassus::explicit(rows);
    }

    /// Rows of `response`, into a column of W.
    fn fill_column(&self, active: &ActiveConstraints, column: usize, size: usize, w: &mut [f64]) {
        let mut u = [0.0; 6];
        for c in 0..active.len() {
            let rows = active.rows(c);
            active.jacobian.dot(c, &self.response, &mut u[..rows.len()]);
            rows.zip(u).for_each(|(row, u)| w[row * size + column] = u);
        }
        for (row, read) in self.linear.reads.iter().enumerate() {
            w[(active.n_rows() + row) * size + column] = read.dot(&self.response);
        }
    }

    /// Sets, shifts and compliances of the relations.
    fn add_laws(
        &self,
        model: &Model,
        h: f64,
        (n_own, size): (usize, usize),
        w: &mut [f64],
        problem: &mut Problem,
    ) {
        for relation in &model.relations {
            let shown = relation.function.n_shown();
            for (k, row) in relation.rows().enumerate() {
                let at = n_own + row;
                let RelationLaw::Rows(law) = relation.law else {
                    problem.sets.push(if k < shown { Set::Free } else { Set::Nonnegative });
                    continue;
                };
                let (mut set, mut shift, mut compliance) = ([Set::Free], [0.0], [0.0]);
                let mut rows = LawRows {
                    dim: 1,
                    h,
                    ahead: 0.0,
                    gap: &[0.0],
                    u_minus: &[0.0],
                    p_before: &[h * self.lambda[row]],
                    history: &[],
                    coupled: &[],
                    sets: &mut set,
                    shift: &mut shift,
                    compliance: &mut compliance,
                    given: &mut [],
                };
                model.law(law).step(&mut rows);
                problem.sets.push(set[0]);
                problem.u_free[at] += shift[0];
                w[at * size + at] += compliance[0];
            }
        }
    }

    /// Appends the guess of h λ to the impulses of the constraints.
    pub(super) fn extend(&self, h: f64, impulses: &mut Impulses) {
        impulses.p.extend(self.lambda.iter().map(|lambda| h * lambda));
    }

    /// Takes h λ from the impulses; by how much λ changed, relatively.
    pub(super) fn take(&mut self, h: f64, impulses: &mut Impulses) -> f64 {
        let first = impulses.p.len() - self.lambda.len();
        let (mut change, mut size) = (0.0f64, 0.0f64);
        for (lambda, p) in self.lambda.iter_mut().zip(&impulses.p[first..]) {
            let new = p / h;
            change = change.max((new - *lambda).abs());
            size = size.max(new.abs()).max(lambda.abs());
            *lambda = new;
        }
        impulses.p.truncate(first);
        if change == 0.0 { 0.0 } else { change / size }
    }

    /// v⁺ = v_base + N (Jᵀp + B h λ).
    pub(super) fn apply(
        &mut self,
        h: f64,
        (active, mass): (&ActiveConstraints, &MassGroups),
        impulses: &Impulses,
        v_plus: &mut Vec<f64>,
    ) {
        self.impulse.clear();
        self.impulse.resize(self.base.len(), 0.0);
        for (row, lambda) in self.linear.acts.iter().zip(&self.lambda) {
            row.add_to(h * lambda, &mut self.impulse);
        }
        self.force.clone_from(&self.impulse);
        for c in 0..active.len() {
            active.jacobian.add_transposed(c, &impulses.p[active.rows(c)], &mut self.impulse);
        }
        self.respond(mass);
        v_plus.clone_from(&self.base);
        v_plus.iter_mut().zip(&self.response).for_each(|(v, dv)| *v += dv);
        self.force.iter_mut().zip(&self.linear.impulse).for_each(|(force, own)| *force += own);
        for (read, act) in &self.linear.coupled {
            act.add_to(read.dot(v_plus), &mut self.force);
        }
    }

    /// Keeps λ for the next step and for results.
    pub(super) fn store(&self, next: &mut State) {
        next.scheme.clone_from(&self.lambda);
    }

    /// Refuses λ that is not finite, and states: `advance` has seen the others.
    pub(super) fn check(&self, model: &Model, next: &State) -> StepResult {
        let first = next.q.len().min(next.v.len());
        check_finite_from(model, "state", first, &next.v[first..])?;
        let Some(bad) = self.lambda.iter().position(|lambda| !lambda.is_finite()) else { return Ok(()) };
        let relation = model.relations.iter().find(|relation| relation.rows().contains(&bad));
        let place = format!("relation `{}`", relation.map_or("", |relation| relation.name()));
        let source = format!("its λ is {}", self.lambda[bad]).into();
        Err(StepError::User { place, source }.into())
    }

    /// What relations do to mechanical systems is the work of drives.
    pub(super) fn add_works(&self, model: &Model, free: &mut Free) {
        if model.relations.is_empty() {
            return;
        }
        let n = model.n_velocities();
        let states = model.systems.iter().find(|family| family.is_first_order());
        let n_mechanical = states.map_or(n, |family| family.layout().v.start);
        if self.force[..n_mechanical].iter().all(|f| *f == 0.0) {
            return;
        }
        for sum in [&mut free.external, &mut free.drives] {
            sum.resize(n, 0.0);
            let own = sum[..n_mechanical].iter_mut().zip(&self.force);
            own.for_each(|(sum, f)| *sum += f);
        }
    }
}
