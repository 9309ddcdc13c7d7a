//! J of the active constraints, written row by row by their families.

use super::{ActiveConstraints, RELEASED};
use crate::model::id::ConstraintId;
use crate::part::{Chosen, Part, Selection};
use nonsmooth_solvers::ContactRows;
use std::ops::Range;
use std::sync::Arc;

/// Writes rows of J: appends them where the list of constraints is new, else writes in place.
pub struct RowWriter<'a> {
    active: &'a mut ActiveConstraints,
    changed: bool,
}

impl<'a> RowWriter<'a> {
    pub(crate) fn new(active: &'a mut ActiveConstraints) -> Self {
        let is_new = active.is_new;
        if is_new {
            active.written.clear();
            active.jacobian_mut().clear();
        }
        Self { active, changed: is_new }
    }

    /// The constraints.
    #[inline]
    pub fn active(&self) -> &ActiveConstraints {
        self.active
    }

    /// Whether all rows must be written, those too that are constant.
    #[inline]
    pub fn is_new(&self) -> bool {
        self.active.is_new
    }

    /// The chosen constraints of a family; all where the list is new, which has to be written whole.
    pub fn chosen<'p>(&self, part: &Part<'p>, family: u8) -> Chosen<'p> {
        let own = self.active.own[family as usize].clone();
        if self.is_new() { Selection::All.within(own) } else { part.constraints.within(own) }
    }

    /// Writes the general rows of constraint `c`, one after the other.
    pub fn general<'r>(&mut self, c: usize, rows: impl Iterator<Item = (&'r [u32], &'r [f64])>) {
        self.changed = true;
        let (is_new, own) = (self.active.is_new, self.active.rows(c));
        let jacobian = self.active.jacobian_mut();
        if is_new {
            rows.for_each(|(columns, values)| jacobian.push_row(columns, values));
            jacobian.finish_rows();
        } else {
            for (row, (_, values)) in own.zip(rows) {
                jacobian.row_mut(row).copy_from_slice(values);
            }
        }
    }

    /// Writes the one general row of constraint `c`, which is constant: where the list of constraints is new.
    pub fn constant(&mut self, entries: impl Iterator<Item = (u32, f64)>) {
        self.changed = true;
        let jacobian = self.active.jacobian_mut();
        jacobian.push_entries(entries);
        jacobian.finish_rows();
    }

    /// Whether this is the first time that rows are written since detection.
    #[inline]
    pub fn is_first(&self) -> bool {
        self.active.is_first
    }

    /// Writes the rows of contact points, all of their family, from name, point and normal.
    pub fn contacts(
        &mut self,
        own: Range<usize>,
        make: impl Fn(ConstraintId, [[f64; 3]; 2]) -> ContactRows,
    ) {
        self.changed |= !own.is_empty();
        let ActiveConstraints { jacobian, ids, places, row_start, is_new, .. } = &mut *self.active;
        let jacobian = Arc::get_mut(jacobian).expect(RELEASED);
        for (c, place) in own.zip(places) {
            let rows = make(ids[c], *place);
            if *is_new {
                jacobian.push_contact(rows, (row_start[c + 1] - row_start[c]) as usize);
            } else {
                *jacobian.contact_mut(c).expect("constraint c is a contact") = rows;
            }
        }
    }

    /// Writes the rows of the contact point that is constraint `c`.
    pub fn contact(&mut self, c: usize, rows: ContactRows) {
        self.changed = true;
        let (is_new, dim) = (self.active.is_new, self.active.rows(c).len());
        let jacobian = self.active.jacobian_mut();
        if is_new {
            jacobian.push_contact(rows, dim);
        } else {
            *jacobian.contact_mut(c).expect("constraint c is a contact") = rows;
        }
    }

    /// Writes the rows of a joint or spring: two blocks of six numbers per row.
    pub fn pair(&mut self, c: usize, bodies: [u32; 2], on_a: &[[f64; 6]], on_b: &[[f64; 6]]) {
        self.changed = true;
        let is_new = self.active.is_new;
        let jacobian = self.active.jacobian_mut();
        if is_new {
            jacobian.push_pair(bodies, on_a, on_b);
        } else {
            let [a, b] = jacobian.pair_mut(c).expect("constraint c is a pair");
            a.copy_from_slice(on_a);
            b.copy_from_slice(on_b);
        }
    }

    /// Writes the rows of joints or springs in place: `write` fills the rows on both sides of each constraint of the list.
    #[inline]
    pub fn pairs(
        &mut self,
        own: Chosen<'_>,
        bodies: impl Fn(ConstraintId) -> [u32; 2],
        mut write: impl FnMut(ConstraintId, [&mut [[f64; 6]]; 2]),
    ) {
        let ActiveConstraints { jacobian, ids, row_start, is_new, .. } = &mut *self.active;
        let jacobian = Arc::get_mut(jacobian).expect(RELEASED);
        for c in own {
            self.changed = true;
            if *is_new {
                jacobian.open_pair(bodies(ids[c]), (row_start[c + 1] - row_start[c]) as usize);
            }
            write(ids[c], jacobian.pair_mut(c).expect("constraint c is a pair"));
        }
    }

    /// Ends the writing; J gets a new stamp where a number may have changed.
    pub(crate) fn finish(self) {
        if self.changed {
            self.active.jacobian_mut().mark_changed();
        }
        let active = self.active;
        if active.is_new {
            active.written.clone_from(&active.ids);
            active.written_rows.clone_from(&active.row_start);
            active.runs_are_written = true;
        }
        active.is_new = false;
        active.is_first = false;
    }
}
