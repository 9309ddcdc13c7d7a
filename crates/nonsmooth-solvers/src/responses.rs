//! Rows of J and of M̂⁻¹ Jᵀ by slots, for constraints that are no contacts.
//!
//! ```text
//! row i of `jacobian` is J_i,     row i of `response` is M̂⁻¹ J_iᵀ: the velocity that a unit impulse gives
//! ```
//!
//! Slots 6 b … 6 b + 5 are v and ω of body b, in the plane too; one for each velocity of the other groups follows. Of a group
//! with a sparse factor only velocities that some row names have values, by columns of the inverse between its interface
//! velocities.

use crate::jacobian::{Jacobian, Kind};
use crate::mass_groups::{BodyVelocities, Group, IMMOVABLE, MassGroups};
use crate::sparse::{Sparse, product, transpose};

/// The rows of all general and pair constraints, one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Responses {
    pub(crate) jacobian: Sparse,
    pub(crate) response: Sparse,
    /// First row of each constraint, `u32::MAX` for contacts.
    first: Vec<u32>,
    pub(crate) n_slots: usize,
}

impl Responses {
    pub(crate) fn new(mass: &MassGroups, jacobian: &Jacobian) -> Self {
        let slots = Slots::new(mass);
        let (mut rows, mut response) = (Sparse::empty(slots.n), Sparse::empty(slots.n));
        let (mut own, mut moved) = (Row::default(), Row::default());
        let mut first = vec![u32::MAX; jacobian.n_constraints()];
        for c in 0..jacobian.n_constraints() {
            if matches!(jacobian.kind(c), Kind::Contact(_)) {
                continue;
            }
            first[c] = rows.n_rows() as u32;
            slots.append(mass, jacobian, c, (&mut own, &mut moved), (&mut rows, &mut response));
        }
        Self { jacobian: rows, response, first, n_slots: slots.n }
    }

    /// Its first row of constraint `c`, if that is no contact.
    #[inline]
    pub(crate) fn first(&self, c: usize) -> Option<usize> {
        (self.first[c] != u32::MAX).then_some(self.first[c] as usize)
    }
}

/// Entries of one row: (slot, value).
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub(crate) entries: Vec<(u32, f64)>,
}

impl Row {
    /// Sorts by slot and adds up what stands in the same.
    fn sort(&mut self) {
        self.entries.sort_unstable_by_key(|entry| entry.0);
        self.entries.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
    }

    /// Takes over the entries of a row of a matrix.
    pub(crate) fn copy(&mut self, (slots, values): (&[u32], &[f64])) {
        self.entries.clear();
        self.entries.extend(slots.iter().copied().zip(values.iter().copied()));
    }

    fn append(&self, out: &mut Sparse) {
        out.column.extend(self.entries.iter().map(|entry| entry.0));
        out.value.extend(self.entries.iter().map(|entry| entry.1));
        out.finish_row();
    }
}

/// Where velocities stand.
pub(crate) struct Slots {
    pub(crate) n: usize,
    /// Slot of each velocity.
    of: Vec<u32>,
    /// Velocities of no body, by slot.
    others: Vec<u32>,
}

impl Slots {
    pub(crate) fn new(mass: &MassGroups) -> Self {
        let layout = mass.layout();
        let mut of = vec![u32::MAX; layout.n];
        for (body, velocities) in layout.bodies.iter().enumerate() {
            for (j, &k) in (velocities.first as usize..).zip(velocities.components()) {
                of[j] = (6 * body + k) as u32;
            }
        }
        let mut n = 6 * layout.bodies.len();
        let mut others = Vec::new();
        for (j, slot) in of.iter_mut().enumerate().filter(|(_, slot)| **slot == u32::MAX) {
            *slot = n as u32;
            n += 1;
            others.push(j as u32);
        }
        Self { n, of, others }
    }

    /// Appends the rows of constraint `c` to J and to M̂⁻¹ Jᵀ; `own` and `moved` are scratch.
    fn append(
        &self,
        mass: &MassGroups,
        jacobian: &Jacobian,
        c: usize,
        (own, moved): (&mut Row, &mut Row),
        (rows, responses): (&mut Sparse, &mut Sparse),
    ) {
        if matches!(jacobian.bodies(c), Some([a, b]) if a != b) {
            return append_pair(mass, jacobian, c, rows, responses);
        }
        for r in 0..jacobian.rows_of(c).len() {
            self.gather(jacobian, c, r, own);
            self.respond(mass, own, moved);
            own.append(rows);
            moved.append(responses);
        }
    }

    /// Row `r` of constraint `c`; zeros are left out.
    pub(crate) fn gather(&self, jacobian: &Jacobian, c: usize, r: usize, row: &mut Row) {
        row.entries.clear();
        jacobian.for_each_entry(c, r, |j, value| {
            if value != 0.0 {
                row.entries.push((self.of[j as usize], value));
            }
        });
        row.sort();
    }

    /// M̂⁻¹ of a row.
    pub(crate) fn respond(&self, mass: &MassGroups, row: &Row, out: &mut Row) {
        out.entries.clear();
        let n_bodies = mass.bodies().len();
        let mut k = 0;
        while k < row.entries.len() {
            let (slot, value) = row.entries[k];
            let body = slot as usize / 6;
            if body < n_bodies {
                let mut wrench = [0.0; 6];
                while k < row.entries.len() && row.entries[k].0 as usize / 6 == body {
                    wrench[row.entries[k].0 as usize % 6] = row.entries[k].1;
                    k += 1;
                }
                let moved = mass.bodies()[body].respond(&wrench);
                for &component in mass.layout().bodies[body].components() {
                    if moved[component] != 0.0 {
                        out.entries.push(((6 * body + component) as u32, moved[component]));
                    }
                }
                continue;
            }
            k += 1;
            self.respond_other(mass, slot, value, out);
        }
        out.sort();
    }

    /// The velocity of no body at `slot`.
    pub(crate) fn velocity(&self, mass: &MassGroups, slot: u32) -> u32 {
        self.others[slot as usize - 6 * mass.bodies().len()]
    }

    /// The velocities that an impulse on one velocity of no body gives.
    fn respond_other(&self, mass: &MassGroups, slot: u32, value: f64, out: &mut Row) {
        let velocity = self.velocity(mass, slot);
        let Some((group, place)) = mass.owner(velocity) else { return };
        let mut push = |j: u32, x: f64| {
            if x != 0.0 {
                out.entries.push((self.of[j as usize], x * value));
            }
        };
        match mass.others()[group - mass.bodies().len()] {
            Group::Scalar(number) => push(velocity, mass.scalar(number)),
            Group::Dense(number) => {
                let dense = mass.dense(number);
                let n = dense.velocities.len();
                let column = |i: usize| dense.inverse[i * n + place];
                dense.velocities.iter().enumerate().for_each(|(i, &j)| push(j, column(i)));
            }
            Group::Factored(number) => {
                let group = mass.factored(number);
                let column = group.column(place);
                group.interface.iter().zip(column).for_each(|(&j, &x)| push(j, x));
            }
        }
    }
}

/// Appends the rows of a pair of two bodies: their slots are in order, so that nothing is sorted. Zeros are left out.
fn append_pair(
    mass: &MassGroups,
    jacobian: &Jacobian,
    c: usize,
    rows: &mut Sparse,
    responses: &mut Sparse,
) {
    let layout = &mass.layout().bodies;
    let mut ends = [0, 1].map(|end| (jacobian.bodies(c).map_or(IMMOVABLE, |bodies| bodies[end]), end));
    ends.sort_unstable();
    for r in 0..jacobian.rows_of(c).len() {
        for &(body, end) in ends.iter().filter(|(body, _)| *body != IMMOVABLE) {
            let (body, row) = (body as usize, &jacobian.side(c, end)[r]);
            let moved = mass.bodies()[body].respond(&masked(layout[body], row));
            for &k in layout[body].components() {
                let slot = (6 * body + k) as u32;
                for (x, out) in [(row[k], &mut *rows), (moved[k], &mut *responses)] {
                    if x != 0.0 {
                        out.column.push(slot);
                        out.value.push(x);
                    }
                }
            }
        }
        rows.finish_row();
        responses.finish_row();
    }
}

/// A wrench without the components that a planar body does not feel.
fn masked(velocities: BodyVelocities, wrench: &[f64; 6]) -> [f64; 6] {
    let mut out = [0.0; 6];
    velocities.components().iter().for_each(|&k| out[k] = wrench[k]);
    out
}

/// W = J M̂⁻¹ Jᵀ + D by rows, in memory that is kept; the diagonal is always stored.
pub(crate) fn assemble(mass: &MassGroups, jacobian: &Jacobian, compliance: &[f64], w: &mut Sparse) {
    let slots = Slots::new(mass);
    let (mut rows, mut responses) = (Sparse::empty(slots.n), Sparse::empty(slots.n));
    let (mut own, mut moved) = (Row::default(), Row::default());
    for c in 0..jacobian.n_constraints() {
        slots.append(mass, jacobian, c, (&mut own, &mut moved), (&mut rows, &mut responses));
    }
    *w = transpose(&product(&responses, &transpose(&rows)));
    add_diagonal(compliance, w);
}

/// W + D.
pub(crate) fn add_diagonal(compliance: &[f64], w: &mut Sparse) {
    for (i, d) in compliance.iter().enumerate() {
        if let Ok(place) = w.row(i).0.binary_search(&(i as u32)) {
            w.value[w.start[i] + place] += d;
        }
    }
}
