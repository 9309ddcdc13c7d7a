//! Linear gaps: y = J q + b, u = J v, generalized force Jᵀ λ. J is constant: while the list of active constraints stays the same, nothing
//! of it is written.
//!
//! At position level y⁺ = y + (h − a) u⁻ + a J v⁺ holds exactly, with a = ∂y⁺/∂u⁺.

use super::{Activation, ActiveConstraints, ConstraintFamily, GapsOf, Level, RowWriter};
use crate::error::StepResult;
use crate::model::instant::{Instant, Pass};
use crate::model::{ConstraintId, LawId, Model};
use crate::part::{Part, Selection};
use std::ops::Range;

/// One gap: its terms, its constant, and what rules it.
struct Row {
    /// Where its terms begin and end.
    terms: [u32; 2],
    /// b [m].
    offset: f64,
    law: LawId,
    /// Whether it is active in every step: joints are.
    always: bool,
}

/// The linear gaps of a model, over coordinates of linear and Lagrangian systems, whose places in q and v are the same.
#[derive(Default)]
pub struct LinearGaps {
    index: u8,
    names: Vec<String>,
    rows: Vec<Row>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl LinearGaps {
    /// Appends a gap.
    pub(crate) fn append(
        &mut self,
        name: String,
        (law, always): (LawId, bool),
        terms: impl Iterator<Item = (u32, f64)>,
        offset: f64,
    ) {
        let mut entries: Vec<(u32, f64)> = terms.collect();
        entries.sort_by_key(|&(j, _)| j);
        let begin = self.columns.len() as u32;
        self.columns.extend(entries.iter().map(|(j, _)| j));
        self.values.extend(entries.iter().map(|(_, x)| x));
        self.rows.push(Row { terms: [begin, self.columns.len() as u32], offset, law, always });
        self.names.push(name);
    }

    /// The family at its place in the model.
    pub(crate) fn at(self, index: u8) -> Self {
        Self { index, ..self }
    }

    /// Number of gaps.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The entries of a gap.
    #[inline(always)]
    fn terms(&self, row: &Row) -> (&[u32], &[f64]) {
        let own = row.terms[0] as usize..row.terms[1] as usize;
        (&self.columns[own.clone()], &self.values[own])
    }

    /// y of a gap [m].
    #[inline(always)]
    fn gap(&self, row: &Row, q: &[f64]) -> f64 {
        let (columns, values) = self.terms(row);
        let mut gap = row.offset;
        for (&j, h) in columns.iter().zip(values) {
            gap += h * q[j as usize];
        }
        gap
    }

    /// y [m] and J v [m/s] of a gap.
    #[inline(always)]
    fn gap_and_velocity(&self, row: &Row, q: &[f64], v: &[f64]) -> (f64, f64) {
        let (columns, values) = self.terms(row);
        let (mut gap, mut u) = (row.offset, 0.0);
        for (&j, h) in columns.iter().zip(values) {
            gap += h * q[j as usize];
            u += h * v[j as usize];
        }
        (gap, u)
    }

    /// y of gap `i`, and the size of its terms [m].
    pub(crate) fn with_size(&self, i: usize, q: &[f64]) -> (f64, f64) {
        let row = &self.rows[i];
        let (columns, values) = self.terms(row);
        let terms = columns.iter().zip(values).map(|(&j, h)| h * q[j as usize]);
        let size = terms.clone().map(f64::abs).sum::<f64>() + row.offset.abs();
        (terms.sum::<f64>() + row.offset, size)
    }

    // Out of line: most gaps are open in most steps.
    #[inline(never)]
    fn push(&self, i: usize, gap: f64, u: f64, active: &mut ActiveConstraints) {
        active.push(ConstraintId::member(self.index, i), self.rows[i].law, gap, &[u]);
    }

    /// Whether a member of the part is involved in gap `i`.
    #[inline(never)]
    fn is_of(&self, model: &Model, part: &Part<'_>, i: usize) -> bool {
        model.involves(part, self.terms(&self.rows[i]).0)
    }
}

impl ConstraintFamily for LinearGaps {
    fn name(&self) -> &'static str {
        "linear gaps"
    }

    fn n_members(&self) -> usize {
        self.names.len()
    }

    fn member_name(&self, number: usize) -> &str {
        &self.names[number]
    }

    fn describe(&self, _model: &Model, id: ConstraintId) -> String {
        format!("constraint `{}`", self.names[id.number()])
    }

    fn law(&self, _model: &Model, id: ConstraintId) -> LawId {
        self.rows[id.number()].law
    }

    fn is_linear(&self, _model: &Model) -> bool {
        true
    }

    fn has_constant_rows(&self) -> bool {
        true
    }

    #[inline]
    fn detect(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Instant<'_>,
        activation: Activation,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        let (ahead, distance) = activation.of_gaps();
        let whole = matches!(part.members, Selection::All);
        for (i, row) in self.rows.iter().enumerate() {
            let (gap, u) = self.gap_and_velocity(row, at.q, at.v);
            if (gap + ahead * u <= distance || row.always) && (whole || self.is_of(model, part, i)) {
                self.push(i, gap, u, active);
            }
        }
        Ok(())
    }

    fn append(
        &self,
        _model: &Model,
        ids: &[ConstraintId],
        at: &Instant<'_>,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        for i in ids.iter().map(|id| id.number()) {
            let (gap, u) = self.gap_and_velocity(&self.rows[i], at.q, at.v);
            self.push(i, gap, u, active);
        }
        Ok(())
    }

    #[inline]
    fn linearize(
        &self,
        _model: &Model,
        _part: &Part<'_>,
        _at: &Pass<'_>,
        rows: &mut RowWriter<'_>,
    ) -> StepResult {
        if rows.is_new() {
            for c in rows.active().own[self.index as usize].clone() {
                let i = rows.active().ids[c].number();
                rows.general(c, std::iter::once(self.terms(&self.rows[i])));
            }
        }
        Ok(())
    }

    #[inline]
    fn set_offsets(
        &self,
        _model: &Model,
        part: &Part<'_>,
        _at: &Pass<'_>,
        level: Level,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        for c in part.constraints.within(active.own[self.index as usize].clone()) {
            let row = active.row_start[c] as usize;
            active.offset[row] = match level {
                Level::Velocity => 0.0,
                Level::Position { ahead } => {
                    (active.gap[c] + (part.h - ahead) * active.u_minus[row]) / ahead
                }
                Level::Linearized { h } => active.gap[c] / h,
            };
        }
        Ok(())
    }

    #[inline]
    fn gaps(&self, _model: &Model, at: &Instant<'_>, of: GapsOf<'_>, out: &mut Vec<f64>) -> StepResult {
        match of {
            GapsOf::Members => self.rows.iter().for_each(|row| out.push(self.gap(row, at.q))),
            GapsOf::Active(active, own) => {
                let rows = active.ids[own.clone()].iter().map(|id| &self.rows[id.number()]);
                out.extend(rows.map(|row| self.gap(row, at.q)));
            }
        }
        Ok(())
    }

    fn bilateral_gaps(&self, _model: &Model, out: &mut Vec<bool>) {
        out.extend(self.rows.iter().map(|row| row.always));
    }

    fn positions(
        &self,
        _model: &Model,
        at: &Instant<'_>,
        active: &ActiveConstraints,
        own: &Range<usize>,
        out: &mut [f64],
    ) -> StepResult {
        for c in own.clone() {
            let row = &self.rows[active.ids[c].number()];
            out[active.row_start[c] as usize] = self.gap(row, at.q);
        }
        Ok(())
    }

    fn curvature(
        &self,
        _model: &Model,
        _at: &Instant<'_>,
        active: &ActiveConstraints,
        out: &mut [f64],
    ) -> StepResult {
        let own = &active.own[self.index as usize];
        if !own.is_empty() {
            out[active.rows_of(own)].fill(0.0);
        }
        Ok(())
    }
}
