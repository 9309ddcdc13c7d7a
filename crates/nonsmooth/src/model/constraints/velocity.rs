//! Constraints on velocities: u = h(q, v, t), generalized force (∂h/∂v)ᵀ λ. They have no gap and are active in every step.
//!
//! ```text
//! offset = h(q⁺, vⁱ, t⁺) − J vⁱ,     J = ∂h/∂v(q⁺, vⁱ, t⁺)          [Acary06, eq. (16)]
//! ```

use super::differences::velocity_curvature;
use super::gap::VelocityConstraint;
use super::{Activation, ActiveConstraints, ConstraintFamily, Level, RowWriter};
use crate::error::{StepError, StepResult};
use crate::model::errors::check_constraint;
use crate::model::instant::{Instant, Pass};
use crate::model::{ConstraintId, LawId, Model, State, UserError};
use crate::part::Part;
use std::ops::Range;

/// A constraint on velocities with the coordinates on which it depends, whose places in q and v are the same.
pub(crate) struct VelocityRow {
    pub(crate) name: String,
    pub(crate) law: LawId,
    pub(crate) columns: Vec<u32>,
    pub(crate) function: Box<dyn VelocityConstraint>,
}

impl VelocityRow {
    fn local(&self, x: &[f64]) -> Vec<f64> {
        self.columns.iter().map(|&j| x[j as usize]).collect()
    }

    /// u and ∂h/∂v at an instant, and J v there.
    fn evaluate(
        &self,
        model: &Model,
        id: ConstraintId,
        at: &Instant<'_>,
    ) -> StepResult<(f64, Vec<f64>, f64)> {
        let user = || StepError::in_constraint(model, id);
        let (q, v) = (self.local(at.q), self.local(at.v));
        let u = self.function.value(at.t, &q, &v).map_err(user())?;
        check_constraint(model, "velocity", id, u)?;
        let mut slope = vec![0.0; v.len()];
        self.function.jacobian(at.t, &q, &v, &mut slope).map_err(user())?;
        slope.iter().try_for_each(|&s| check_constraint(model, "jacobian", id, s))?;
        let along = slope.iter().zip(&v).map(|(s, v)| s * v).sum::<f64>();
        Ok((u, slope, along))
    }
}

/// The velocity constraints of a model.
#[derive(Default)]
pub struct VelocityConstraints {
    index: u8,
    rows: Vec<VelocityRow>,
}

impl VelocityConstraints {
    /// Appends a constraint.
    pub(crate) fn append(&mut self, row: VelocityRow) {
        self.rows.push(row);
    }

    /// The family at its place in the model.
    pub(crate) fn at(self, index: u8) -> Self {
        Self { index, ..self }
    }

    /// Number of constraints.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// u of constraint `i` at a state, and the size of the speeds involved [m/s].
    pub(crate) fn with_size(&self, i: usize, state: &State) -> Result<(f64, f64), UserError> {
        let row = &self.rows[i];
        let (q, v) = (row.local(&state.q), row.local(&state.v));
        let u = row.function.value(state.t, &q, &v)?;
        Ok((u, v.iter().map(|v| v.abs()).sum()))
    }

    fn push(
        &self,
        model: &Model,
        i: usize,
        at: &Instant<'_>,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        let id = ConstraintId::member(self.index, i);
        let (u, _, along) = self.rows[i].evaluate(model, id, at)?;
        let before = active.n_rows();
        active.push(id, self.rows[i].law, 0.0, &[u]);
        active.rates.resize(before, [0.0; 2]);
        // What of u is not J v: the speed of a belt, say.
        active.rates.push([u - along; 2]);
        Ok(())
    }
}

impl ConstraintFamily for VelocityConstraints {
    fn name(&self) -> &'static str {
        "velocity constraints"
    }

    fn n_members(&self) -> usize {
        self.rows.len()
    }

    fn member_name(&self, number: usize) -> &str {
        &self.rows[number].name
    }

    fn describe(&self, _model: &Model, id: ConstraintId) -> String {
        format!("constraint `{}`", self.rows[id.number()].name)
    }

    fn law(&self, _model: &Model, id: ConstraintId) -> LawId {
        self.rows[id.number()].law
    }

    fn is_linear(&self, _model: &Model) -> bool {
        false
    }

    fn spoils_energy(&self, _model: &Model) -> Option<String> {
        self.rows.first().map(|row| row.name.clone())
    }

    fn is_of_velocities(&self) -> bool {
        true
    }

    #[inline(never)]
    fn detect(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Instant<'_>,
        _activation: Activation,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        let columns = |i: usize| self.rows[i].columns.iter().copied();
        let chosen = |i: &usize| part.members.is_all() || model.involves(part, columns(*i));
        (0..self.rows.len()).filter(chosen).try_for_each(|i| self.push(model, i, at, active))
    }

    fn append(
        &self,
        model: &Model,
        ids: &[ConstraintId],
        at: &Instant<'_>,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        ids.iter().try_for_each(|id| self.push(model, id.number(), at, active))
    }

    #[inline(never)]
    fn linearize(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Pass<'_>,
        rows: &mut RowWriter<'_>,
    ) -> StepResult {
        for c in rows.chosen(part, self.index) {
            let id = rows.active().ids[c];
            let row = &self.rows[id.number()];
            let (_, slope, _) = row.evaluate(model, id, &at.end)?;
            rows.general(c, std::iter::once((&row.columns[..], &slope[..])));
        }
        Ok(())
    }

    #[inline(never)]
    fn set_offsets(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Pass<'_>,
        level: Level,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        for c in part.constraints.within(active.own[self.index as usize].clone()) {
            let (id, row) = (active.ids[c], active.row_start[c] as usize);
            let at = if matches!(level, Level::Linearized { .. }) { &at.now } else { &at.end };
            let (u, _, along) = self.rows[id.number()].evaluate(model, id, at)?;
            active.offset[row] = u - along;
            active.rates[row][1] = u - along;
        }
        Ok(())
    }

    fn velocities(
        &self,
        model: &Model,
        at: &Instant<'_>,
        active: &ActiveConstraints,
        own: &Range<usize>,
        out: &mut [f64],
    ) -> StepResult {
        for c in own.clone() {
            let id = active.ids[c];
            out[active.row_start[c] as usize] = self.rows[id.number()].evaluate(model, id, at)?.0;
        }
        Ok(())
    }

    fn curvature(
        &self,
        model: &Model,
        at: &Instant<'_>,
        active: &ActiveConstraints,
        out: &mut [f64],
    ) -> StepResult {
        for c in active.own[self.index as usize].clone() {
            let (id, place) = (active.ids[c], active.row_start[c] as usize);
            let row = &self.rows[id.number()];
            let found = velocity_curvature(&*row.function, at.t, &row.local(at.q), &row.local(at.v));
            out[place] = found.map_err(StepError::in_constraint(model, id))?;
        }
        Ok(())
    }
}
