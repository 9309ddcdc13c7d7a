//! All relations of a model about a guess of the end of a step, linear in v⁺ and λ.
//!
//! ```text
//! y⁺ = y₀ + Ĉ v⁺ + D λ              M̂ (v⁺ − v_free) = Jᵀp + f₀ + h B λ + K v⁺
//! coupling:  h (θ g(z⁺, t⁺) + (1−θ) g(z, t))          relation:  h g(z⁺, λ, t⁺)
//! ```
//!
//! z⁺ − zⁱ = S (v⁺ − vⁱ): S is 1 for a velocity or state, hθ T(q) for a coordinate. K is kept as Σ act ⊗ read, one term for each
//! variable that an r depends on.

use super::{Point, Read, Relation, Slopes};
use crate::error::StepResult;
use crate::model::instant::{Instant, Pass};
use crate::model::{Model, SparseRow, Theta};

/// The relations of a model, linear about a guess.
#[derive(Default)]
pub(crate) struct Linearized {
    /// y₀ by row.
    pub(crate) y: Vec<f64>,
    /// Ĉ by row, over velocities.
    pub(crate) reads: Vec<SparseRow>,
    /// D as (row, column, value).
    pub(crate) feedthrough: Vec<(u32, u32, f64)>,
    /// B by column, over velocities.
    pub(crate) acts: Vec<SparseRow>,
    /// f₀ over all velocities; an impulse.
    pub(crate) impulse: Vec<f64>,
    /// K: what is read, and what it does.
    pub(crate) coupled: Vec<(SparseRow, SparseRow)>,
    slopes: Slopes,
    z: Vec<f64>,
    y_own: Vec<f64>,
    r_own: Vec<f64>,
}

impl SparseRow {
    /// Σ value · x over its columns.
    pub(crate) fn dot(&self, x: &[f64]) -> f64 {
        self.columns.iter().zip(&self.values).map(|(&j, a)| a * x[j as usize]).sum()
    }

    /// x += a · row.
    pub(crate) fn add_to(&self, a: f64, x: &mut [f64]) {
        self.columns.iter().zip(&self.values).for_each(|(&j, value)| x[j as usize] += a * value);
    }
}

impl Linearized {
    /// Evaluates all relations at the guess of `at.end` and of λ.
    pub(crate) fn evaluate(
        &mut self,
        model: &Model,
        at: &Pass<'_>,
        rule: Theta,
        lambda: &[f64],
    ) -> StepResult {
        let m = model.n_relation_rows();
        self.y.clear();
        self.y.resize(m, 0.0);
        for rows in [&mut self.reads, &mut self.acts] {
            rows.iter_mut().for_each(SparseRow::clear);
            rows.resize(m, SparseRow::default());
        }
        self.feedthrough.clear();
        self.coupled.clear();
        self.impulse.clear();
        self.impulse.resize(model.n_velocities(), 0.0);
        model.relations.iter().try_for_each(|relation| self.add(model, relation, at, rule, lambda))
    }

    fn add(
        &mut self,
        model: &Model,
        relation: &Relation,
        at: &Pass<'_>,
        rule: Theta,
        lambda: &[f64],
    ) -> StepResult {
        let Theta { h, theta } = rule;
        let (n, m, k) = (relation.reads.len(), relation.n_rows(), relation.acts.len());
        let lambda = &lambda[relation.rows()];
        let length = if relation.is_coupling() { h * theta } else { h };
        // The start, of a coupling alone.
        if relation.is_coupling() && theta != 1.0 {
            self.force(relation, &at.now, &[])?;
            self.push(relation, h * (1.0 - theta));
        }
        if length == 0.0 {
            return Ok(());
        }
        self.force(relation, &at.end, lambda)?;
        let point = Point { t: at.end.t, z: &self.z, lambda, signals: at.end.signals };
        self.slopes.reset(m, n, k);
        relation.function.slopes(&point, k, &mut self.slopes).map_err(relation.fault())?;
        let Slopes { y_z, y_lambda, r_z, r_lambda } = &self.slopes;
        for slopes in [y_z, y_lambda, r_z, r_lambda] {
            check(relation, "a slope", slopes)?;
        }
        self.y_own.clear();
        self.y_own.resize(m, 0.0);
        relation.function.output(&point, &mut self.y_own).map_err(relation.fault())?;
        check(relation, "y", &self.y_own)?;
        self.shift(lambda);
        let mut read = SparseRow::default();
        for (j, variable) in relation.reads.iter().enumerate() {
            read.clear();
            match *variable {
                Read::Velocity(i) => read.add(i as usize, 1.0),
                Read::Coordinate(c) => model.pull_back(c as usize, at.end.q, h * theta, &mut read),
            }
            self.spread(relation, j, &read, (length, at.end.v));
        }
        self.push(relation, length);
        self.write_rows(relation);
        Ok(())
    }

    /// z and r at an instant.
    fn force(&mut self, relation: &Relation, at: &Instant<'_>, lambda: &[f64]) -> StepResult {
        relation.gather(at, &mut self.z);
        self.r_own.clear();
        self.r_own.resize(relation.acts.len(), 0.0);
        let point = Point { t: at.t, z: &self.z, lambda, signals: at.signals };
        relation.function.input(&point, &mut self.r_own).map_err(relation.fault())?;
        check(relation, "r", &self.r_own)
    }

    /// Takes λⁱ out: y and r at λ = 0 of the linear model.
    fn shift(&mut self, lambda: &[f64]) {
        let m = lambda.len();
        for (j, lambda) in lambda.iter().enumerate() {
            for (i, y) in self.y_own.iter_mut().enumerate() {
                *y -= self.slopes.y_lambda[i * m + j] * lambda;
            }
            for (i, r) in self.r_own.iter_mut().enumerate() {
                *r -= self.slopes.r_lambda[i * m + j] * lambda;
            }
        }
    }

    /// What depends on variable `j`, whose row over velocities is `read`.
    fn spread(&mut self, relation: &Relation, j: usize, read: &SparseRow, (length, v): (f64, &[f64])) {
        let (n, first) = (relation.reads.len(), relation.first);
        let guess = read.dot(v);
        for (i, y) in self.y_own.iter_mut().enumerate() {
            let slope = self.slopes.y_z[i * n + j];
            if slope != 0.0 {
                *y -= slope * guess;
                let own = &mut self.reads[first + i];
                read.columns.iter().zip(&read.values).for_each(|(&c, x)| own.add(c as usize, slope * x));
            }
        }
        let mut act = SparseRow::default();
        for (i, &place) in relation.acts.iter().enumerate() {
            let slope = self.slopes.r_z[i * n + j];
            if slope != 0.0 {
                self.r_own[i] -= slope * guess;
                act.add(place as usize, length * slope);
            }
        }
        if !act.columns.is_empty() {
            self.coupled.push((read.clone(), act));
        }
    }

    /// length · r, into f₀.
    fn push(&mut self, relation: &Relation, length: f64) {
        for (&place, r) in relation.acts.iter().zip(&self.r_own) {
            self.impulse[place as usize] += length * r;
        }
    }

    /// y₀, D and B of a relation.
    fn write_rows(&mut self, relation: &Relation) {
        let (m, first) = (relation.n_rows(), relation.first);
        self.y[relation.rows()].copy_from_slice(&self.y_own);
        for j in 0..m {
            for i in 0..m {
                let d = self.slopes.y_lambda[i * m + j];
                if d != 0.0 {
                    self.feedthrough.push(((first + i) as u32, (first + j) as u32, d));
                }
            }
            for (i, &place) in relation.acts.iter().enumerate() {
                let b = self.slopes.r_lambda[i * m + j];
                if b != 0.0 {
                    self.acts[first + j].add(place as usize, b);
                }
            }
        }
    }
}

/// Refuses numbers that are not finite.
fn check(relation: &Relation, what: &str, x: &[f64]) -> StepResult {
    match x.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(i) => Err(relation.fault()(format!("{what} {i} is {}; it must be finite", x[i]).into())),
    }
}
