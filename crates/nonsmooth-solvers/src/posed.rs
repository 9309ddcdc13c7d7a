//! W = J M̂⁻¹ Jᵀ + D by masses and rows, never formed unless a method asks for it.
//!
//! ```text
//! u_c = F (v_b + ω_b × r_b − v_a − ω_a × r_a),      P = Fᵀ p_c acts on b at r_b, −P on a at r_a,
//! v_b ← v_b + P/m_b,   ω_b ← ω_b + I_b⁻¹ (r_b × P)
//! ```
//!
//! Contacts are visited by frames and arms, pairs by their rows on two bodies, general rows by their entries of J and M̂⁻¹ Jᵀ (`responses.rs`). Velocities stand
//! in slots: six for each body, in the plane too, then one for each velocity of the other groups.

mod faults;

pub(crate) use faults::Fault;

use crate::eigen::largest_eigenvalue;
use crate::jacobian::{ContactRows, Jacobian, Kind};
use crate::mass_groups::{IMMOVABLE, Inertia, MassGroups};
use crate::primal::Primal;
use crate::responses::{Responses, add_diagonal, assemble};
use crate::set::{MAX_DIM, Set};
use crate::sparse::Sparse;
use crate::vector::{add6, cross, dot, dot6, six};
use rayon::prelude::*;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Rows up to which W of general rows is formed at once: it is kept while nothing changes, and small ones are solved by pivots.
pub(crate) const FORMED: usize = 300;

/// Sets that a thread weighs at least.
const FEW: usize = 1024;

/// Contacts from which threads share the bodies: 0.1 ms of work, tens of times what it takes to wake a thread.
const SHARED: usize = 4096;

/// Masses, rows and compliance, and what follows from them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Posed {
    pub(crate) mass: Arc<MassGroups>,
    pub(crate) jacobian: Arc<Jacobian>,
    /// D per row; empty: none.
    pub(crate) compliance: Vec<f64>,
    responses: OnceLock<Responses>,
    primal: OnceLock<Option<Primal>>,
    blocks: OnceLock<Blocks>,
    /// Memory for the next blocks.
    spare: Spare,
    assembled: OnceLock<Sparse>,
}

/// Where the sets of a problem lie, and how much they weigh.
#[derive(Clone, Debug, Default)]
struct Blocks {
    /// Of each set, and its first row; empty where set i is contact i.
    place: Vec<Place>,
    begin: Vec<u32>,
    weights: Vec<f64>,
}

/// Memory that is used again, without its contents.
#[derive(Debug, Default)]
struct Spare(Mutex<Blocks>);

impl Spare {
    fn take(&self) -> Blocks {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Clone for Spare {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The rows of one set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// This contact.
    Contact(u32),
    /// A constraint that is a pair, from this row of it on.
    Pair(u32, u32),
    /// From this row of `Responses` on.
    Row(u32),
}

impl Posed {
    pub(crate) fn new(mass: Arc<MassGroups>, jacobian: Arc<Jacobian>, compliance: Vec<f64>) -> Self {
        Self { mass, jacobian, compliance, ..Self::default() }
    }

    /// Forgets what was derived.
    pub(crate) fn forget(&mut self) {
        self.responses = OnceLock::new();
        self.primal = OnceLock::new();
        if let Some(blocks) = self.blocks.take() {
            self.spare = Spare(Mutex::new(blocks));
        }
        self.assembled = OnceLock::new();
    }

    #[inline]
    pub(crate) fn bodies(&self) -> &[Inertia] {
        self.mass.bodies()
    }

    #[inline]
    pub(crate) fn contacts(&self) -> &[ContactRows] {
        self.jacobian.contacts()
    }

    /// Whether every constraint is a contact.
    #[inline]
    pub(crate) fn is_contacts(&self) -> bool {
        self.contacts().len() == self.jacobian.n_constraints()
    }

    /// Whether all rows are bilateral and join bodies.
    pub(crate) fn is_bilateral(&self, sets: &[Set]) -> bool {
        self.jacobian.is_pairs() && sets.iter().all(|set| *set == Set::Free)
    }

    /// Whether some row has a compliance.
    pub(crate) fn is_compliant(&self) -> bool {
        self.compliance.iter().any(|d| *d > 0.0)
    }

    /// D of a row.
    #[inline]
    pub(crate) fn compliance(&self, row: usize) -> f64 {
        self.compliance.get(row).copied().unwrap_or(0.0)
    }

    /// Entries of J and M̂⁻¹ Jᵀ of all rows that are no contacts.
    pub(crate) fn responses(&self) -> &Responses {
        self.responses.get_or_init(|| Responses::new(&self.mass, &self.jacobian))
    }

    /// J, M and M⁻¹ Jᵀ over velocities that make M block diagonal; none where a group is a sparse factor.
    pub(crate) fn primal(&self) -> Option<&Primal> {
        self.primal.get_or_init(|| Primal::derive(&self.mass, &self.jacobian)).as_ref()
    }

    /// W by rows, formed on first use.
    pub(crate) fn assembled(&self) -> &Sparse {
        let is_small = self.contacts().is_empty() && self.jacobian.n_rows() <= FORMED;
        let primal = if is_small { None } else { self.primal() };
        if let (Some(primal), false) = (primal, self.is_compliant()) {
            return primal.assembled();
        }
        self.assembled.get_or_init(|| {
            let mut w = Sparse::default();
            match primal {
                Some(primal) => {
                    w.clone_from(primal.assembled());
                    add_diagonal(&self.compliance, &mut w);
                }
                None => assemble(&self.mass, &self.jacobian, &self.compliance, &mut w),
            }
            w
        })
    }

    /// Where the rows of set `c` lie.
    #[inline]
    pub(crate) fn place(&self, sets: &[Set], c: usize) -> Place {
        if self.is_contacts() {
            return Place::Contact(c as u32);
        }
        self.blocks(sets).place[c]
    }

    /// λ_max(W_cc) of every set [1/kg], computed on first use.
    pub(crate) fn weights(&self, sets: &[Set]) -> &[f64] {
        &self.blocks(sets).weights
    }

    fn blocks(&self, sets: &[Set]) -> &Blocks {
        self.blocks.get_or_init(|| {
            let mut blocks = self.spare.take();
            let Blocks { place, begin, weights } = &mut blocks;
            self.find_places(sets, (place, begin));
            let weight = |c: usize| {
                let (place, begin) = match place.get(c) {
                    Some(place) => (*place, begin[c] as usize),
                    None => (Place::Contact(c as u32), self.jacobian.rows_of(c).start),
                };
                let mut block = [0.0; MAX_DIM * MAX_DIM];
                let dim = sets[c].dim();
                self.fill_block(place, begin, dim, &mut block);
                largest_eigenvalue(&block[..dim * dim], dim)
            };
            weights.clear();
            if sets.len() < 2 * FEW {
                weights.extend((0..sets.len()).map(weight));
            } else {
                (0..sets.len()).into_par_iter().with_min_len(FEW).map(weight).collect_into_vec(weights);
            }
            blocks
        })
    }

    /// The place and the first row of each set; nothing where set i is contact i.
    fn find_places(&self, sets: &[Set], (places, begins): (&mut Vec<Place>, &mut Vec<u32>)) {
        places.clear();
        begins.clear();
        if self.is_contacts() {
            return;
        }
        let (mut c, mut begin, mut row) = (0, 0, 0);
        for set in sets {
            while self.jacobian.rows_of(c).end <= begin {
                c += 1;
            }
            let own = (begin - self.jacobian.rows_of(c).start) as u32;
            places.push(match self.jacobian.kind(c) {
                Kind::Contact(number) => Place::Contact(number),
                Kind::Pair(_) => Place::Pair(c as u32, own),
                Kind::General(_) => Place::Row(row as u32),
            });
            if !matches!(self.jacobian.kind(c), Kind::Contact(_)) {
                row += set.dim();
            }
            begins.push(begin as u32);
            begin += set.dim();
        }
    }

    /// W_cc of the set at `place`, whose first row is `begin`, by rows.
    pub(crate) fn fill_block(&self, place: Place, begin: usize, dim: usize, block: &mut [f64]) {
        match place {
            Place::Contact(number) => {
                let own = self.contact_block(number as usize, dim);
                (0..dim * dim).for_each(|k| block[k] = own[k / dim][k % dim]);
            }
            Place::Pair(c, own) => self.fill_pair_block(c as usize, own as usize, dim, block),
            Place::Row(row) => {
                let (rows, first) = (self.responses(), row as usize);
                for k in 0..dim * dim {
                    block[k] = rows.jacobian.dot_rows(first + k / dim, &rows.response, first + k % dim);
                }
            }
        }
        if !self.compliance.is_empty() {
            (0..dim).for_each(|k| block[k * (dim + 1)] += self.compliance[begin + k]);
        }
    }

    /// J_c M̂⁻¹ J_cᵀ of rows of a pair.
    pub(crate) fn fill_pair_block(&self, c: usize, own: usize, dim: usize, block: &mut [f64]) {
        block[..dim * dim].fill(0.0);
        for (body, rows) in self.jacobian.sides(c) {
            let rows = &rows[own..own + dim];
            for (j, column) in rows.iter().enumerate() {
                let moved = self.respond(body, column);
                for (i, row) in rows.iter().enumerate() {
                    block[i * dim + j] += dot6(row, &moved);
                }
            }
        }
    }

    /// J_i M̂⁻¹ J_iᵀ of row `i`, where every constraint is a pair; `bodies` are those of its constraint.
    #[inline(always)]
    pub(crate) fn pair_diagonal(&self, bodies: [u32; 2], i: usize) -> f64 {
        let mut sum = 0.0;
        for (end, body) in bodies.into_iter().enumerate().filter(|(_, body)| *body != IMMOVABLE) {
            let row = &self.jacobian.rows_on(end)[i];
            sum += dot6(row, &self.respond(body as usize, row));
        }
        sum
    }

    /// M⁻¹ of a force and a moment on a body.
    #[inline]
    fn respond(&self, body: usize, wrench: &[f64; 6]) -> [f64; 6] {
        let mut moved = self.bodies()[body].respond(wrench);
        if self.mass.layout().bodies[body].planar {
            (moved[2], moved[3], moved[4]) = (0.0, 0.0, 0.0);
        }
        moved
    }

    /// J_c M̂⁻¹ J_cᵀ of a contact, the first `dim` rows and columns of it.
    pub(crate) fn contact_block(&self, number: usize, dim: usize) -> [[f64; 3]; 3] {
        let contact = &self.contacts()[number];
        let mut block = [[0.0; 3]; 3];
        for (_, body, arm) in contact.ends() {
            let inertia = &self.bodies()[body];
            let moment = contact.frame.map(|row| cross(arm, row));
            for k in 0..dim {
                let moved = inertia.rotate(moment[k]);
                for r in 0..dim {
                    let along = inertia.inv_mass * dot(contact.frame[r], contact.frame[k]);
                    block[r][k] += along + dot(moment[r], moved);
                }
            }
        }
        block
    }

    /// v = M̂⁻¹ Jᵀ p by slots, in `v`.
    pub(crate) fn velocities(&self, p: &[f64], v: &mut Vec<f64>) {
        v.clear();
        self.append_velocities(p, v);
    }

    /// The same behind what `v` has. Each thread goes through all contacts for a part of the bodies, so that every body
    /// adds up its impulses in the same order whatever the threads.
    pub(crate) fn append_velocities(&self, p: &[f64], v: &mut Vec<f64>) {
        let (first, n) = (v.len(), 6 * self.bodies().len());
        let has_rows = self.jacobian.has_general();
        v.resize(first + if has_rows { self.responses().n_slots.max(n) } else { n }, 0.0);
        let v = &mut v[first..];
        let (moving, _) = v[..n].as_chunks_mut::<6>();
        let threads = rayon::current_num_threads();
        if threads == 1 || self.contacts().len() < SHARED {
            self.add_contacts(p, 0, moving);
        } else {
            let share = moving.len().div_ceil(threads).max(1);
            let parts = moving.par_chunks_mut(share).enumerate();
            parts.for_each(|(k, part)| self.add_contacts(p, k * share, part));
        }
        if self.is_contacts() {
            return;
        }
        self.add_pairs(p, v);
        if has_rows {
            self.add_rows(p, v);
        }
    }

    /// Adds the pairs to the velocities.
    fn add_pairs(&self, p: &[f64], v: &mut [f64]) {
        for c in 0..self.jacobian.n_constraints() {
            let p = &p[self.jacobian.rows_of(c)];
            for (body, rows) in self.jacobian.sides(c) {
                let mut wrench = [0.0; 6];
                rows.iter().zip(p).for_each(|(row, p)| add6(&mut wrench, *p, row));
                let moved = self.respond(body, &wrench);
                if let Some(v) = v[6 * body..].first_chunk_mut() {
                    add6(v, 1.0, &moved);
                }
            }
        }
    }

    /// Adds the general rows to the velocities.
    fn add_rows(&self, p: &[f64], v: &mut [f64]) {
        let rows = self.responses();
        for c in 0..self.jacobian.n_constraints() {
            if !matches!(self.jacobian.kind(c), Kind::General(_)) {
                continue;
            }
            let Some(first) = rows.first(c) else { continue };
            for (k, i) in self.jacobian.rows_of(c).enumerate() {
                let (slots, values) = rows.response.row(first + k);
                slots.iter().zip(values).for_each(|(&j, x)| v[j as usize] += x * p[i]);
            }
        }
    }

    /// Adds the contacts to the velocities of the bodies from number `first` on that `moving` has place for.
    fn add_contacts(&self, p: &[f64], first: usize, moving: &mut [[f64; 6]]) {
        let pure = self.is_contacts();
        for c in 0..self.jacobian.n_constraints() {
            let number = match self.jacobian.kind(c) {
                _ if pure => c,
                Kind::Contact(number) => number as usize,
                _ => continue,
            };
            let contact = &self.contacts()[number];
            let p = &p[self.jacobian.rows_of(c)];
            let place = |body: u32| (body as usize).wrapping_sub(first);
            let here = contact.bodies.iter().any(|&body| place(body) < moving.len());
            if !here || p.iter().all(|p| *p == 0.0) {
                continue;
            }
            let world = contact.world(p);
            for (sign, body, arm) in contact.ends() {
                let Some(v) = moving.get_mut(body.wrapping_sub(first)) else { continue };
                let inertia = &self.bodies()[body];
                let rotated = inertia.rotate(cross(arm, world));
                for k in 0..3 {
                    v[k] += sign * inertia.inv_mass * world[k];
                    v[3 + k] += sign * rotated[k];
                }
            }
        }
    }

    /// u_c ← u_c + J_c v + D_c p_c of the set at `place`, whose first row is `begin`; `v` by slots.
    #[inline]
    pub(crate) fn add_relative(
        &self,
        place: Place,
        begin: usize,
        (p, v): (&[f64], &[f64]),
        u: &mut [f64],
    ) {
        match place {
            Place::Contact(number) => {
                self.contacts()[number as usize].add_relative(v.as_chunks::<6>().0, u);
            }
            Place::Pair(c, own) => {
                for (body, rows) in self.jacobian.sides(c as usize) {
                    let v = six(v, 6 * body);
                    u.iter_mut().zip(&rows[own as usize..]).for_each(|(u, row)| *u += dot6(row, v));
                }
            }
            Place::Row(row) => {
                let rows = self.responses();
                (row as usize..).zip(&mut *u).for_each(|(i, u)| *u += rows.jacobian.row_dot(i, v));
            }
        }
        if !self.compliance.is_empty() {
            let dim = u.len();
            let terms = self.compliance[begin..begin + dim].iter().zip(&p[begin..begin + dim]);
            u.iter_mut().zip(terms).for_each(|(u, (d, p))| *u += d * p);
        }
    }

    /// u ← u + W p; `v` is scratch.
    pub(crate) fn add_product(&self, p: &[f64], v: &mut Vec<f64>, u: &mut [f64]) {
        self.velocities(p, v);
        for c in 0..self.jacobian.n_constraints() {
            let rows = self.jacobian.rows_of(c);
            let place = match self.jacobian.kind(c) {
                Kind::Contact(number) => Place::Contact(number),
                Kind::Pair(_) => Place::Pair(c as u32, 0),
                Kind::General(_) => Place::Row(self.responses().first(c).unwrap_or(0) as u32),
            };
            self.add_relative(place, rows.start, (p, v), &mut u[rows]);
        }
    }
}
