//! The rows that are watched through a grid step: every gap, stop, joint and pair of colliders, however far apart.
//!
//! A row is called by its *key*, its number in this list. The list depends on the model and on the bodies that are present alone, so keys
//! stay the same through a grid step. Springs and dampers are forces here, not rows.

use crate::error::StepResult;
use crate::model::constraints::Column;
use crate::model::instant::Instant;
use crate::model::{Activation, ActiveConstraints, ConstraintId, Model};
use crate::part::Part;
use crate::phases::detect;

/// All rows that may carry, by key.
#[derive(Default)]
pub(crate) struct Watched {
    /// The constraints, ascending.
    ids: Vec<ConstraintId>,
    /// First key of each; one more than ids.
    start: Vec<u32>,
    /// Constraint of each key.
    constraint: Vec<u32>,
    /// Whether a row always holds, with either sign of its force: joints.
    pub(crate) always: Vec<bool>,
    /// Whether a row is a tangent of a contact with friction; its normal comes before it.
    pub(crate) tangent: Vec<bool>,
    /// Where the work of a row is booked.
    pub(crate) column: Vec<Column>,
    active: ActiveConstraints,
}

impl Watched {
    /// Lists all rows.
    pub(crate) fn list(&mut self, model: &Model, at: &Instant<'_>) -> StepResult {
        let Self { ids, start, constraint, always, tangent, column, active } = self;
        detect(model, &Part::whole(at.t, 0.0), at, Activation::All, active)?;
        ids.clear();
        start.clear();
        constraint.clear();
        always.clear();
        tangent.clear();
        column.clear();
        start.push(0);
        for c in 0..active.len() {
            let (id, law) = (active.ids[c], active.laws[c]);
            let forms = model.law(law).forms();
            if !forms.impact {
                continue;
            }
            let n_rows = if forms.bilateral || forms.friction { active.rows(c).len() } else { 1 };
            for row in 0..n_rows {
                constraint.push(ids.len() as u32);
                always.push(forms.bilateral);
                tangent.push(!forms.bilateral && row > 0);
                column.push(model.family(id).column(model, law, row));
            }
            ids.push(id);
            start.push(constraint.len() as u32);
        }
        Ok(())
    }

    /// Number of keys.
    pub(crate) fn len(&self) -> usize {
        self.constraint.len()
    }

    /// The constraint of a key.
    pub(crate) fn id(&self, key: usize) -> ConstraintId {
        self.ids[self.constraint[key] as usize]
    }

    /// The row of a key within its constraint.
    pub(crate) fn row(&self, key: usize) -> usize {
        key - self.start[self.constraint[key] as usize] as usize
    }

    /// The first key of the contact of a key, which is that of its normal; a row of a joint stands alone.
    pub(crate) fn normal(&self, key: usize) -> usize {
        if self.tangent[key] { self.start[self.constraint[key] as usize] as usize } else { key }
    }

    /// Number of tangents of the contact whose normal a key is.
    pub(crate) fn n_tangents(&self, key: usize) -> usize {
        self.tangent[key + 1..].iter().take_while(|tangent| **tangent).count()
    }

    /// All constraints with their keys.
    pub(crate) fn constraints(
        &self,
    ) -> impl Iterator<Item = (ConstraintId, std::ops::Range<usize>)> + '_ {
        let keys = self.start.windows(2).map(|ends| ends[0] as usize..ends[1] as usize);
        self.ids.iter().copied().zip(keys)
    }

    /// The first key of a constraint.
    pub(crate) fn find(&self, id: ConstraintId) -> Option<usize> {
        self.ids.binary_search(&id).ok().map(|c| self.start[c] as usize)
    }

    /// Keys of joints.
    pub(crate) fn joints(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).filter(|&key| self.always[key])
    }
}
