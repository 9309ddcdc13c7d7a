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
    /// Whether it is active in every step: joints and compliant contacts are.
    always: bool,
}

/// An entry of J.
#[derive(Clone, Copy)]
struct Term {
    column: u32,
    value: f64,
}

/// The linear gaps of a model, over coordinates of linear and Lagrangian systems, whose places in q and v are the same.
#[derive(Default)]
pub struct LinearGaps {
    index: u8,
    names: Vec<String>,
    rows: Vec<Row>,
    terms: Vec<Term>,
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
        let begin = self.terms.len() as u32;
        self.terms.extend(entries.iter().map(|&(column, value)| Term { column, value }));
        self.rows.push(Row { terms: [begin, self.terms.len() as u32], offset, law, always });
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
    fn terms(&self, row: &Row) -> &[Term] {
        &self.terms[row.terms[0] as usize..row.terms[1] as usize]
    }

    /// y of a gap [m].
    #[inline(always)]
    fn gap(&self, row: &Row, q: &[f64]) -> f64 {
        let mut gap = row.offset;
        for term in self.terms(row) {
            gap += term.value * q[term.column as usize];
        }
        gap
    }

    /// y [m] and J v [m/s] of a gap.
    #[inline(always)]
    fn gap_and_velocity(&self, row: &Row, q: &[f64], v: &[f64]) -> (f64, f64) {
        let (mut gap, mut u) = (row.offset, 0.0);
        for term in self.terms(row) {
            gap += term.value * q[term.column as usize];
            u += term.value * v[term.column as usize];
        }
        (gap, u)
    }

    /// y of gap `i`, and the size of its terms [m].
    pub(crate) fn with_size(&self, i: usize, q: &[f64]) -> (f64, f64) {
        let row = &self.rows[i];
        let terms = self.terms(row).iter().map(|term| term.value * q[term.column as usize]);
        let size = terms.clone().map(f64::abs).sum::<f64>() + row.offset.abs();
        (terms.sum::<f64>() + row.offset, size)
    }

    /// y and u of a gap that is closed, y + ahead·u ≤ distance, or always acts.
    #[inline(always)]
    fn is_closed(
        &self,
        row: &Row,
        at: &Instant<'_>,
        (ahead, distance): (f64, f64),
    ) -> Option<(f64, f64)> {
        let (gap, u) = self.gap_and_velocity(row, at.q, at.v);
        (gap + ahead * u <= distance || row.always).then_some((gap, u))
    }

    /// Appends the closed gaps of the part, of which number `first` with its y and u is the first one.
    #[inline(never)]
    fn push_closed(
        &self,
        (first, gap, u): (usize, f64, f64),
        (model, part): (&Model, &Part<'_>),
        at: &Instant<'_>,
        bounds: (f64, f64),
        active: &mut ActiveConstraints,
    ) -> StepResult {
        let whole = matches!(part.members, Selection::All);
        let mut closed = Some((gap, u));
        for i in first..self.rows.len() {
            if let Some((gap, u)) = closed
                && (whole || self.is_of(model, part, i))
            {
                self.push(i, gap, u, active);
            }
            closed = self.rows.get(i + 1).and_then(|row| self.is_closed(row, at, bounds));
        }
        Ok(())
    }

    #[inline(always)]
    fn push(&self, i: usize, gap: f64, u: f64, active: &mut ActiveConstraints) {
        active.push(ConstraintId::member(self.index, i), self.rows[i].law, gap, &[u]);
    }

    #[inline(never)]
    fn gaps_of_all(&self, q: &[f64], out: &mut Vec<f64>) {
        out.extend(self.rows.iter().map(|row| self.gap(row, q)));
    }

    #[inline(never)]
    fn gaps_of(&self, ids: &[ConstraintId], q: &[f64], out: &mut Vec<f64>) {
        out.extend(ids.iter().map(|id| self.gap(&self.rows[id.number()], q)));
    }

    /// Whether a member of the part is involved in gap `i`.
    #[inline(never)]
    fn is_of(&self, model: &Model, part: &Part<'_>, i: usize) -> bool {
        model.involves(part, self.terms(&self.rows[i]).iter().map(|term| term.column))
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
        // Most gaps are open in most steps: nothing is called until one is not.
        let bounds = activation.of_gaps();
        for (first, row) in self.rows.iter().enumerate() {
            if let Some((gap, u)) = self.is_closed(row, at, bounds) {
                return self.push_closed((first, gap, u), (model, part), at, bounds, active);
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
                rows.constant(self.terms(&self.rows[i]).iter().map(|term| (term.column, term.value)));
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
            // There is room from the second step on.
            GapsOf::Members if out.capacity() - out.len() < self.rows.len() => {
                self.gaps_of_all(at.q, out);
            }
            GapsOf::Members => out.extend(self.rows.iter().map(|row| self.gap(row, at.q))),
            GapsOf::Active(active, own) => self.gaps_of(&active.ids[own.clone()], at.q, out),
        }
        Ok(())
    }

    fn bilateral_gaps(&self, model: &Model, out: &mut Vec<bool>) {
        out.extend(self.rows.iter().map(|row| model.law(row.law).forms().bilateral));
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
