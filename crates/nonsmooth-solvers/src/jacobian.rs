//! J by rows of constraints, stored by kind. u = J v.
//!
//! ```text
//! general   u_i = Σ_j J_ij v_j                                      any velocities
//! contact   u = F (v_b + ω_b × r_b − v_a − ω_a × r_a)               frame F by rows: normal, tangent 1, tangent 2
//! pair      u_i = A_i · (v_a, ω_a) + B_i · (v_b, ω_b)               joints and springs of two bodies
//! ```
//!
//! All vectors are in world axes. Planar bodies have z = 0 and rotate about z only: of the numbers that a pair has for
//! them, the first, second and sixth count.

mod whole;

use crate::mass_groups::{IMMOVABLE, MassGroups, VelocityLayout};
use crate::stamp::next_stamp;
use crate::vector::{Vector, add_rows, add_rows_of, cross, dot, wrench};
use std::ops::Range;
use std::sync::Arc;

/// One contact: u = frame · (v_b + ω_b × r_b − v_a − ω_a × r_a), all in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactRows {
    /// Bodies a and b, or `IMMOVABLE`; the normal points from a to b.
    pub bodies: [u32; 2],
    /// Rows are normal, tangent 1, tangent 2 [–].
    pub frame: [[f64; 3]; 3],
    /// From the centres of mass of a and b to the point of contact [m].
    pub arms: [[f64; 3]; 2],
}

impl ContactRows {
    /// The two ends that a body holds: sign, body and arm.
    #[inline]
    pub(crate) fn ends(&self) -> impl Iterator<Item = (f64, usize, Vector)> + '_ {
        [-1.0, 1.0]
            .into_iter()
            .zip(self.bodies)
            .zip(self.arms)
            .filter(|((_, body), _)| *body != IMMOVABLE)
            .map(|((sign, body), arm)| (sign, body as usize, arm))
    }

    /// u ← u + F (v_b + ω_b × r_b − v_a − ω_a × r_a), as many rows as `u` has; `v` by bodies.
    #[inline]
    pub(crate) fn add_relative(&self, v: &[[f64; 6]], u: &mut [f64]) {
        let mut world = [0.0; 3];
        for (sign, body, arm) in self.ends() {
            let v = &v[body];
            let rotated = cross([v[3], v[4], v[5]], arm);
            (0..3).for_each(|k| world[k] += sign * (v[k] + rotated[k]));
        }
        u.iter_mut().zip(&self.frame).for_each(|(u, row)| *u += dot(*row, world));
    }

    /// Fᵀ p.
    #[inline]
    pub(crate) fn world(&self, p: &[f64]) -> Vector {
        let mut world = [0.0; 3];
        for (p, row) in p.iter().zip(&self.frame) {
            (0..3).for_each(|k| world[k] += row[k] * p);
        }
        world
    }
}

/// Storage of a constraint, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    General(u32),
    Contact(u32),
    Pair(u32),
}

/// Two bodies and where their rows begin.
#[derive(Clone, Copy, Debug)]
struct Pair {
    bodies: [u32; 2],
    first: u32,
}

/// J by rows of constraints.
#[derive(Clone, Debug)]
pub struct Jacobian {
    layout: Arc<VelocityLayout>,
    kinds: Vec<Kind>,
    /// First row of each constraint, and the number of rows.
    row_start: Vec<u32>,
    contacts: Vec<ContactRows>,
    pairs: Vec<Pair>,
    /// Rows of every pair; 0 where they differ.
    pair_dim: usize,
    /// Numbers of each row of a pair on a and on b.
    on: [Vec<[f64; 6]>; 2],
    /// First general row of each general constraint, and their number.
    general: Vec<u32>,
    /// Entries of general rows, in the order in which they were given.
    start: Vec<usize>,
    column: Vec<u32>,
    value: Vec<f64>,
    stamp: u64,
    /// Names which constraints there are, between which bodies, with how many rows; 0 where that is still to be named.
    structure: u64,
}

impl Default for Jacobian {
    fn default() -> Self {
        Self::new(Arc::default())
    }
}

impl Jacobian {
    /// Without rows.
    pub fn new(layout: Arc<VelocityLayout>) -> Self {
        Self {
            layout,
            kinds: Vec::new(),
            row_start: vec![0],
            contacts: Vec::new(),
            pairs: Vec::new(),
            pair_dim: 0,
            on: Default::default(),
            general: vec![0],
            start: vec![0],
            column: Vec::new(),
            value: Vec::new(),
            stamp: next_stamp(),
            structure: 0,
        }
    }

    /// Forgets all rows and keeps the memory.
    pub fn clear(&mut self) {
        self.kinds.clear();
        self.row_start.truncate(1);
        self.contacts.clear();
        self.pairs.clear();
        self.on.iter_mut().for_each(Vec::clear);
        self.general.truncate(1);
        self.start.truncate(1);
        self.column.clear();
        self.value.clear();
        self.structure = 0;
        self.mark_changed();
    }

    /// Forgets all rows and takes over another layout.
    pub fn clear_for(&mut self, layout: Arc<VelocityLayout>) {
        self.clear();
        self.layout = layout;
    }

    /// One general row of the constraint under construction.
    pub fn push_row(&mut self, columns: &[u32], values: &[f64]) {
        debug_assert_eq!(columns.len(), values.len(), "one value per column");
        self.push_entries(columns.iter().copied().zip(values.iter().copied()));
    }

    /// The same, entry by entry.
    pub fn push_entries(&mut self, entries: impl Iterator<Item = (u32, f64)>) {
        for (column, value) in entries {
            self.column.push(column);
            self.value.push(value);
        }
        self.start.push(self.value.len());
    }

    /// Ends a constraint of general rows: those pushed since the last one ended.
    pub fn finish_rows(&mut self) {
        let (before, end) = (self.general[self.general.len() - 1], self.start.len() as u32 - 1);
        self.kinds.push(Kind::General(self.general.len() as u32 - 1));
        self.general.push(end);
        self.end_rows((end - before) as usize);
    }

    fn end_rows(&mut self, dim: usize) {
        self.structure = 0;
        self.row_start.push(self.n_rows() as u32 + dim as u32);
    }

    /// A contact with its first `dim` rows.
    pub fn push_contact(&mut self, rows: ContactRows, dim: usize) {
        debug_assert!((1..=3).contains(&dim), "a contact has one to three rows");
        self.kinds.push(Kind::Contact(self.contacts.len() as u32));
        self.contacts.push(rows);
        self.end_rows(dim);
    }

    /// A constraint of two bodies: six numbers (force, moment) per row and side; those of an immovable side are ignored.
    pub fn push_pair(&mut self, bodies: [u32; 2], on_a: &[[f64; 6]], on_b: &[[f64; 6]]) {
        debug_assert_eq!(on_a.len(), on_b.len(), "as many rows on both sides");
        self.open_pair(bodies, on_a.len());
        let first = self.on[0].len() - on_a.len();
        self.on[0][first..].copy_from_slice(on_a);
        self.on[1][first..].copy_from_slice(on_b);
    }

    /// A constraint of two bodies with `dim` rows, to be written by `pair_mut`.
    pub fn open_pair(&mut self, bodies: [u32; 2], dim: usize) {
        let first = self.on[0].len();
        if self.pairs.is_empty() {
            self.pair_dim = dim;
        } else if self.pair_dim != dim {
            self.pair_dim = 0;
        }
        self.kinds.push(Kind::Pair(self.pairs.len() as u32));
        self.pairs.push(Pair { bodies, first: first as u32 });
        self.on.iter_mut().for_each(|on| on.resize(first + dim, [0.0; 6]));
        self.end_rows(dim);
    }

    /// Number of constraints.
    pub fn n_constraints(&self) -> usize {
        self.kinds.len()
    }

    /// Number of rows.
    #[inline]
    pub fn n_rows(&self) -> usize {
        self.row_start[self.row_start.len() - 1] as usize
    }

    /// Rows of a constraint.
    #[inline]
    pub fn rows_of(&self, c: usize) -> Range<usize> {
        self.row_start[c] as usize..self.row_start[c + 1] as usize
    }

    /// out = J_c v.
    #[inline(always)]
    pub fn dot(&self, c: usize, v: &[f64], out: &mut [f64]) {
        let Kind::General(number) = self.kinds[c] else { return self.dot_bodies(c, v, out) };
        let first = self.general[number as usize] as usize;
        for (row, out) in (first..).zip(out) {
            let (columns, values) = self.general_row(row);
            *out = columns.iter().zip(values).map(|(&j, h)| h * v[j as usize]).sum();
        }
    }

    /// The same of rows between bodies.
    fn dot_bodies(&self, c: usize, v: &[f64], out: &mut [f64]) {
        match self.kinds[c] {
            Kind::General(_) => unreachable!("`dot` has them"),
            Kind::Contact(number) => {
                let contact = &self.contacts[number as usize];
                let mut world = [0.0; 3];
                for (sign, body, arm) in contact.ends() {
                    let v = self.layout.bodies[body].read(v);
                    let rotated = cross([v[3], v[4], v[5]], arm);
                    (0..3).for_each(|k| world[k] += sign * (v[k] + rotated[k]));
                }
                out.iter_mut().zip(&contact.frame).for_each(|(u, row)| *u = dot(*row, world));
            }
            Kind::Pair(number) => self.dot_pair(self.pairs[number as usize], v, out),
        }
    }

    /// The same of a pair. The usual numbers of rows are known where it is compiled.
    #[inline(always)]
    fn dot_pair(&self, pair: Pair, v: &[f64], out: &mut [f64]) {
        match out.len() {
            1 => self.dot_rows_of_pair::<1>(pair, v, out),
            2 => self.dot_rows_of_pair::<2>(pair, v, out),
            3 => self.dot_rows_of_pair::<3>(pair, v, out),
            5 => self.dot_rows_of_pair::<5>(pair, v, out),
            _ => {
                out.fill(0.0);
                for (body, on) in pair.bodies.into_iter().zip(&self.on) {
                    if body != IMMOVABLE {
                        let v = self.layout.bodies[body as usize].read(v);
                        add_rows(&on[pair.first as usize..], &v, out);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn dot_rows_of_pair<const N: usize>(&self, pair: Pair, v: &[f64], out: &mut [f64]) {
        let mut sum = [0.0; N];
        for (body, on) in pair.bodies.into_iter().zip(&self.on) {
            if body != IMMOVABLE {
                let velocities = self.layout.bodies[body as usize];
                let rows = &on[pair.first as usize..][..N];
                match v[velocities.first as usize..].first_chunk() {
                    Some(v) if !velocities.planar => add_rows_of::<N>(rows, v, &mut sum),
                    _ => add_rows_of::<N>(rows, &velocities.read(v), &mut sum),
                }
            }
        }
        out.copy_from_slice(&sum);
    }

    /// out ← out + J_cᵀ p.
    #[inline]
    pub fn add_transposed(&self, c: usize, p: &[f64], out: &mut [f64]) {
        match self.kinds[c] {
            Kind::General(number) => {
                let first = self.general[number as usize] as usize;
                for (row, p) in (first..).zip(p) {
                    let (columns, values) = self.general_row(row);
                    columns.iter().zip(values).for_each(|(&j, h)| out[j as usize] += h * p);
                }
            }
            Kind::Contact(number) => {
                let contact = &self.contacts[number as usize];
                let world = contact.world(p);
                for (sign, body, arm) in contact.ends() {
                    let moment = cross(arm, world);
                    let [x, y, z, a, b, c] =
                        [world[0], world[1], world[2], moment[0], moment[1], moment[2]]
                            .map(|x| sign * x);
                    self.layout.bodies[body].add(&[x, y, z, a, b, c], out);
                }
            }
            Kind::Pair(_) => {
                for (body, rows) in self.sides(c) {
                    self.layout.bodies[body].add(&wrench(rows, p), out);
                }
            }
        }
    }

    /// Values of a row of general kind, in the order in which they were given.
    pub fn row_mut(&mut self, row: usize) -> &mut [f64] {
        let c = self.row_start.partition_point(|&first| first as usize <= row) - 1;
        let Kind::General(number) = self.kinds[c] else { panic!("row {row} is not general") };
        let own = self.general[number as usize] as usize + row - self.row_start[c] as usize;
        &mut self.value[self.start[own]..self.start[own + 1]]
    }

    /// The rows of a constraint that is a contact.
    pub fn contact(&self, c: usize) -> Option<&ContactRows> {
        match self.kinds[c] {
            Kind::Contact(number) => Some(&self.contacts[number as usize]),
            _ => None,
        }
    }

    /// The rows of a constraint that is a contact, to be changed.
    pub fn contact_mut(&mut self, c: usize) -> Option<&mut ContactRows> {
        match self.kinds[c] {
            Kind::Contact(number) => Some(&mut self.contacts[number as usize]),
            _ => None,
        }
    }

    /// The rows on a and on b of a constraint that is a pair, to be changed.
    pub fn pair_mut(&mut self, c: usize) -> Option<[&mut [[f64; 6]]; 2]> {
        let Kind::Pair(number) = self.kinds[c] else { return None };
        let first = self.pairs[number as usize].first as usize;
        let own = first..first + self.rows_of(c).len();
        Some(self.on.each_mut().map(|on| &mut on[own.clone()]))
    }

    /// Must follow every change of numbers: gives a new stamp.
    pub fn mark_changed(&mut self) {
        self.stamp = next_stamp();
        if self.structure == 0 {
            self.structure = self.stamp;
        }
    }

    /// Names which constraints there are, between which bodies, with how many rows; none where `mark_changed` did not follow the last of
    /// them.
    pub(crate) fn structure(&self) -> Option<u64> {
        Some(self.structure).filter(|structure| *structure != 0)
    }

    /// The numbers of all pairs on a (`end` 0) or b (`end` 1). Where every constraint is a pair they stand at the rows of the problem.
    #[inline]
    pub(crate) fn rows_on(&self, end: usize) -> &[[f64; 6]] {
        &self.on[end]
    }

    /// Names the numbers: unique in the process.
    pub fn stamp(&self) -> u64 {
        self.stamp
    }

    /// Where the velocities of bodies stand.
    pub fn layout(&self) -> &Arc<VelocityLayout> {
        &self.layout
    }

    #[inline]
    pub(crate) fn kind(&self, c: usize) -> Kind {
        self.kinds[c]
    }

    /// Whether all rows are general: no contact, no pair.
    pub(crate) fn is_general(&self) -> bool {
        self.contacts.is_empty() && self.pairs.is_empty()
    }

    /// Whether some constraint is a pair.
    pub(crate) fn has_pairs(&self) -> bool {
        !self.pairs.is_empty()
    }

    /// Whether every constraint is a pair.
    pub(crate) fn is_pairs(&self) -> bool {
        self.pairs.len() == self.kinds.len()
    }

    /// Whether some rows are general.
    pub(crate) fn has_general(&self) -> bool {
        self.general.len() > 1
    }

    /// All contacts, in order.
    #[inline]
    pub(crate) fn contacts(&self) -> &[ContactRows] {
        &self.contacts
    }

    #[inline]
    fn general_row(&self, row: usize) -> (&[u32], &[f64]) {
        let range = self.start[row]..self.start[row + 1];
        (&self.column[range.clone()], &self.value[range])
    }

    /// Columns and values of a general constraint's rows.
    pub(crate) fn general_rows(&self, c: usize) -> impl Iterator<Item = (&[u32], &[f64])> + '_ {
        let first = match self.kinds[c] {
            Kind::General(number) => self.general[number as usize] as usize,
            _ => 0,
        };
        let dim = if matches!(self.kinds[c], Kind::General(_)) { self.rows_of(c).len() } else { 0 };
        (first..first + dim).map(|row| self.general_row(row))
    }

    /// The bodies of a pair that can move, with the rows on them.
    #[inline]
    pub(crate) fn sides(&self, c: usize) -> impl Iterator<Item = (usize, &[[f64; 6]])> + '_ {
        let bodies = self.bodies(c).unwrap_or([IMMOVABLE; 2]);
        let side = move |end: usize| (bodies[end] as usize, self.side(c, end));
        (0..2).filter(move |&end| bodies[end] != IMMOVABLE).map(side)
    }

    /// Bodies a and b of a pair, or `IMMOVABLE`.
    #[inline]
    pub(crate) fn bodies(&self, c: usize) -> Option<[u32; 2]> {
        match self.kinds[c] {
            Kind::Pair(number) => Some(self.pairs[number as usize].bodies),
            _ => None,
        }
    }

    /// The rows of a pair on a (`end` 0) or b (`end` 1); none of other constraints.
    #[inline(always)]
    pub(crate) fn side(&self, c: usize, end: usize) -> &[[f64; 6]] {
        let Kind::Pair(number) = self.kinds[c] else { return &[] };
        let first = self.pairs[number as usize].first as usize;
        &self.on[end][first..first + self.rows_of(c).len()]
    }

    /// The entries of row `r` of a constraint as (velocity, value), in any order.
    pub fn for_each_entry(&self, c: usize, r: usize, mut visit: impl FnMut(u32, f64)) {
        let mut act = |body: usize, row: &[f64; 6], sign: f64| {
            let velocities = self.layout.bodies[body];
            let components = (velocities.first..).zip(velocities.components());
            components.for_each(|(j, &k)| visit(j, sign * row[k]));
        };
        match self.kinds[c] {
            Kind::General(number) => {
                let (columns, values) = self.general_row(self.general[number as usize] as usize + r);
                columns.iter().zip(values).for_each(|(&j, &h)| visit(j, h));
            }
            Kind::Contact(number) => {
                let contact = &self.contacts[number as usize];
                let [x, y, z] = contact.frame[r];
                for (sign, body, arm) in contact.ends() {
                    let [a, b, c] = cross(arm, [x, y, z]);
                    act(body, &[x, y, z, a, b, c], sign);
                }
            }
            Kind::Pair(_) => self.sides(c).for_each(|(body, rows)| act(body, &rows[r], 1.0)),
        }
    }

    /// v ← v + M⁻¹ of a force and a moment on a body.
    #[inline(always)]
    fn respond(&self, mass: &MassGroups, body: usize, wrench: &[f64; 6], v: &mut [f64]) {
        self.layout.bodies[body].add(&mass.bodies()[body].respond(wrench), v);
    }

    /// v ← v + M̂⁻¹ J_cᵀ p, but for velocities of factored groups.
    #[inline(always)]
    pub(crate) fn push(&self, c: usize, mass: &MassGroups, p: &[f64], v: &mut [f64]) {
        let Kind::General(number) = self.kinds[c] else { return self.push_bodies(c, mass, p, v) };
        let first = self.general[number as usize] as usize;
        for (row, p) in (first..).zip(p).filter(|(_, p)| **p != 0.0) {
            let (columns, values) = self.general_row(row);
            for (&j, h) in columns.iter().zip(values) {
                mass.push_unit(j, h * p, v);
            }
        }
    }

    /// The same of rows between bodies.
    fn push_bodies(&self, c: usize, mass: &MassGroups, p: &[f64], v: &mut [f64]) {
        match self.kinds[c] {
            Kind::General(_) => unreachable!("`push` has them"),
            Kind::Contact(number) => {
                let contact = &self.contacts[number as usize];
                let [x, y, z] = contact.world(p);
                for (sign, body, arm) in contact.ends() {
                    let [a, b, c] = cross(arm, [x, y, z]);
                    self.respond(mass, body, &[x, y, z, a, b, c].map(|x| sign * x), v);
                }
            }
            Kind::Pair(number) => self.respond_pair(self.pairs[number as usize], mass, p, v),
        }
    }

    /// The same of a pair.
    #[inline(always)]
    fn respond_pair(&self, pair: Pair, mass: &MassGroups, p: &[f64], v: &mut [f64]) {
        for (body, on) in pair.bodies.into_iter().zip(&self.on) {
            if body != IMMOVABLE {
                self.respond(mass, body as usize, &wrench(&on[pair.first as usize..], p), v);
            }
        }
    }

    /// Force and moment of the impulses `p` of a pair on its body a (`end` 0) or b (`end` 1) [N·s, N·m·s].
    #[inline]
    pub fn pair_wrench(&self, c: usize, end: usize, p: &[f64]) -> [f64; 6] {
        wrench(self.side(c, end), p)
    }

    /// f ← f + J_cᵀ p at the velocities of one group that is no body, by place in it.
    pub(crate) fn add_group_force(
        &self,
        c: usize,
        p: &[f64],
        group: usize,
        mass: &MassGroups,
        f: &mut [f64],
    ) {
        for ((columns, values), p) in self.general_rows(c).zip(p) {
            for (&j, h) in columns.iter().zip(values) {
                if let Some((_, place)) = mass.owner(j).filter(|owner| owner.0 == group) {
                    f[place] += h * p;
                }
            }
        }
    }

    /// Contacts alone, filled in by `fill`; `dims` has the rows of each.
    pub(crate) fn fill_contacts(
        &mut self,
        dims: impl Iterator<Item = usize>,
        fill: impl FnOnce(&mut Vec<ContactRows>),
    ) {
        let mut contacts = std::mem::take(&mut self.contacts);
        self.clear();
        fill(&mut contacts);
        self.kinds.extend((0..contacts.len() as u32).map(Kind::Contact));
        self.contacts = contacts;
        let mut row = 0;
        self.row_start.extend(dims.map(|dim| {
            row += dim as u32;
            row
        }));
    }

    /// These constraints alone, with the groups that they name, renumbered.
    pub(crate) fn part(&self, list: &[u32], mass: &MassGroups) -> (MassGroups, Self) {
        let mut groups = Vec::new();
        for &c in list {
            let c = c as usize;
            match self.kinds[c] {
                Kind::Contact(number) => {
                    groups.extend(self.contacts[number as usize].ends().map(|(_, body, _)| body as u32));
                }
                Kind::Pair(_) => groups.extend(self.sides(c).map(|(body, _)| body as u32)),
                Kind::General(_) => {
                    let columns = self.general_rows(c).flat_map(|(columns, _)| columns);
                    groups.extend(columns.filter_map(|&j| Some(mass.owner(j)?.0 as u32)));
                }
            }
        }
        groups.sort_unstable();
        groups.dedup();
        let mut number = Vec::new();
        let own = mass.part(&groups, &mut number);
        let body = |body: u32| match groups.binary_search(&body) {
            Ok(place) if body != IMMOVABLE => place as u32,
            _ => IMMOVABLE,
        };
        let mut part = Self::new(own.layout().clone());
        for &c in list {
            let c = c as usize;
            match self.kinds[c] {
                Kind::Contact(k) => {
                    let contact = &self.contacts[k as usize];
                    part.push_contact(
                        ContactRows { bodies: contact.bodies.map(body), ..*contact },
                        self.rows_of(c).len(),
                    );
                }
                Kind::Pair(k) => {
                    let Pair { bodies, first } = self.pairs[k as usize];
                    let rows = first as usize..first as usize + self.rows_of(c).len();
                    part.push_pair(bodies.map(body), &self.on[0][rows.clone()], &self.on[1][rows]);
                }
                Kind::General(_) => {
                    for (columns, values) in self.general_rows(c) {
                        let named =
                            columns.iter().zip(values).filter(|(j, _)| number[**j as usize] != u32::MAX);
                        for (&j, &h) in named {
                            part.column.push(number[j as usize]);
                            part.value.push(h);
                        }
                        part.start.push(part.value.len());
                    }
                    part.finish_rows();
                }
            }
        }
        (own, part)
    }
}
