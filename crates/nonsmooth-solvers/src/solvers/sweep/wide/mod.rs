//! Sweeps over contacts of rigid bodies, four contacts of one colour at once.
//!
//! ```text
//! u_c = u_free,c + J_c v,    v = M⁻¹ Jᵀ p kept by every change of p
//! ```
//!
//! A block (`balls.rs`) has four contacts that touch different bodies; what does not move is not coloured. Colours follow each
//! other, blocks of one colour are shared by threads in chunks, and lanes have the same bits in any width (`lanes.rs`), so the
//! result depends on neither. Other rows are visited first (`general.rs`). Extrapolation moves the bodies at once, and the
//! impulses of a block when the next sweep visits it. `load` and every `REFRESH`-th sweep compute v anew from p.

mod balls;
mod gradients;
mod lanes;
mod lines;

use super::colours::Colours;
use super::general::{General, Slots};
use super::rows::REFRESH;
use super::{Rule, Sweeps, reset};
use crate::delassus::Form;
use crate::jacobian::ContactRows;
use crate::mass_groups::Inertia;
use crate::posed::{Place, Posed};
use crate::problem::Problem;
use crate::set::Set;
pub(super) use balls::{Balls, takes};
pub(in crate::solvers) use gradients::gradients;
use lanes::{Four, Quad, Width, Work};
use lines::{Line, Shared};
use rayon::prelude::*;
use std::ops::Range;

/// Blocks that one task of a thread takes. Fixed, so that sums do not depend on the threads.
const CHUNK: usize = 64;
/// Blocks of one colour from which threads share them.
const SHARED: usize = 4 * CHUNK;
/// No row.
const NONE: u32 = u32::MAX;

/// Four contacts, visited at once.
pub(super) trait Block: Copy + Send + Sync + 'static {
    /// Without contacts; `still` is the line of what does not move.
    fn empty(still: u32) -> Self;

    /// The line of a body.
    fn line(inertia: &Inertia) -> Line;

    /// Puts a contact into lane `l`; false, with nothing changed, where no impulse moves anything.
    fn fill(&mut self, l: usize, lane: &Lane<'_>) -> bool;

    /// p by lanes.
    fn impulse(&mut self) -> &mut [Quad; 3];

    /// Begins to remember the way of p.
    fn remember(&mut self);

    /// d ← θ d + δ, δ the change of p since the last call; returns p + β d and remembers it, but leaves p as it is.
    fn advance<V: Four>(&mut self, step: [V; 2]) -> [V; 3];

    /// Renews the impulses `p` and what they move; returns (λ_max ‖δp‖)² by lanes.
    fn renew<V: Four>(&mut self, lines: Shared<'_>, p: [V; 3]) -> V;

    /// v ← v + M⁻¹ Jᵀ p.
    fn push<V: Four>(&self, lines: Shared<'_>);

    /// y ← p + β (p − p before) where β is given, then p ← Π(y − u(y) rate/λ_max), u(y) by the first lines; adds M⁻¹ Jᵀ (p − y) to
    /// the second. Returns Σ λ_max ‖p − y‖² and Σ λ_max (y − p)·(p − p before) by lanes.
    fn descend<V: Four>(&mut self, lines: [Shared<'_>; 2], beta: Option<V>, rate: V) -> [V; 2];

    /// The squares of the certificate's natural map and scale by lanes.
    fn natural_square<V: Four>(&self, lines: Shared<'_>) -> [V; 2];
}

/// A contact on its way into a lane.
pub(super) struct Lane<'a> {
    contact: &'a ContactRows,
    /// Places of both bodies among the lines.
    places: [u32; 2],
    inertias: [Inertia; 2],
    set: Set,
    u_free: &'a [f64],
}

/// Rows of the four contacts of a block.
#[derive(Clone, Copy)]
struct Member {
    /// First row, or `NONE`.
    row: [u32; 4],
    dim: [u8; 4],
}

/// Memory of `fill`.
#[derive(Default)]
struct Filling {
    /// Sets that are contacts.
    sets: Vec<u32>,
    colours: Colours,
    /// First row of each set.
    begin: Vec<u32>,
    /// The number of each block in its colour, and its contacts among the order of the colours.
    chosen: Vec<(usize, Range<usize>)>,
}

/// Contacts, other rows and bodies prepared for sweeps.
pub(super) struct Wide<B> {
    width: Width,
    blocks: Vec<B>,
    members: Vec<Member>,
    /// Contacts that nothing can move: first row and number of rows.
    idle: Vec<(u32, u8)>,
    /// The bodies, then one line for all that does not move for each chunk of a colour.
    lines: Vec<Line>,
    n_bodies: usize,
    /// Velocities of groups that are no bodies.
    others: Vec<f64>,
    general: General,
    /// Where colours begin among the blocks.
    colours: Vec<usize>,
    filling: Filling,
    sums: Vec<[f64; 2]>,
    /// Sweeps since v was computed.
    age: usize,
    /// Where the velocities stood after the last extrapolation, and their direction.
    ways: Vec<[Line; 2]>,
    other_ways: Vec<[f64; 2]>,
    /// θ and β of an extrapolation that the blocks have not made yet.
    step: Option<[f64; 2]>,
}

impl<B> Default for Wide<B> {
    fn default() -> Self {
        Self {
            width: Width::detect(),
            blocks: Vec::new(),
            members: Vec::new(),
            idle: Vec::new(),
            lines: Vec::new(),
            n_bodies: 0,
            others: Vec::new(),
            general: General::default(),
            colours: Vec::new(),
            filling: Filling::default(),
            sums: Vec::new(),
            age: 0,
            ways: Vec::new(),
            other_ways: Vec::new(),
            step: None,
        }
    }
}

/// Velocities by slots: six for each body, then one for each of the other groups.
struct WideSlots<'a> {
    lines: &'a mut [Line],
    others: &'a mut [f64],
}

impl WideSlots<'_> {
    fn at(&mut self, slot: u32) -> &mut f64 {
        let (body, n) = (slot as usize / 6, self.lines.len());
        if body < n {
            return self.lines[body].velocity(slot as usize % 6);
        }
        &mut self.others[slot as usize - 6 * n]
    }
}

impl Slots for WideSlots<'_> {
    fn get(&mut self, slot: u32) -> f64 {
        *self.at(slot)
    }

    fn set(&mut self, slot: u32, x: f64) {
        *self.at(slot) = x;
    }
}

impl<B: Block> Sweeps for Wide<B> {
    fn prepare(&mut self, problem: &Problem, _order: super::Order) {
        let Form::Posed(posed) = &problem.delassus.form else {
            unreachable!("the storage is chosen by the form")
        };
        (self.step, self.age) = (None, 0);
        self.n_bodies = posed.bodies().len();
        let mut filling = std::mem::take(&mut self.filling);
        let sets = &mut filling.sets;
        sets.clear();
        self.others.clear();
        self.general = General::default();
        let pure = posed.is_contacts() && !posed.is_compliant();
        if !pure {
            let n = posed.responses().n_slots.max(6 * self.n_bodies);
            self.others.resize(n - 6 * self.n_bodies, 0.0);
            *sets = self.general.prepare(problem, posed);
        } else {
            sets.extend(0..problem.sets.len() as u32);
        }
        self.fill(problem, posed, &mut filling);
        self.filling = filling;
    }

    fn load(&mut self, p: &[f64]) {
        self.step = None;
        for (block, member) in self.blocks.iter_mut().zip(&self.members) {
            let own = block.impulse();
            for l in (0..4).filter(|&l| member.row[l] != NONE) {
                let (row, dim) = (member.row[l] as usize, member.dim[l] as usize);
                (0..dim).for_each(|k| own[k].0[l] = p[row + k]);
            }
        }
        self.general.load(p);
        self.refresh();
    }

    fn store(&mut self, p: &mut [f64]) {
        for (block, member) in self.blocks.iter_mut().zip(&self.members) {
            let own = block.impulse();
            for l in (0..4).filter(|&l| member.row[l] != NONE) {
                let (row, dim) = (member.row[l] as usize, member.dim[l] as usize);
                (0..dim).for_each(|k| p[row + k] = own[k].0[l]);
            }
        }
        for &(row, dim) in &self.idle {
            p[row as usize..row as usize + dim as usize].fill(0.0);
        }
        self.general.store(p);
    }

    fn remember(&mut self) {
        self.blocks.iter_mut().for_each(B::remember);
        self.ways.clear();
        self.ways.extend(self.lines.iter().map(|line| [*line, Line::default()]));
        self.other_ways.clear();
        self.other_ways.extend(self.others.iter().map(|v| [*v, 0.0]));
        self.general.remember();
    }

    fn extrapolate(&mut self, theta: f64, beta: f64) {
        // 1/m and 1/I do not change, so their direction stays 0.
        for (line, [last, along]) in self.lines.iter_mut().zip(&mut self.ways) {
            for (half, k) in (0..8).map(|k| (k / 4, k % 4)) {
                let (v, d) = (&mut line.0[half].0[k], &mut along.0[half].0[k]);
                *d = theta * *d + (*v - last.0[half].0[k]);
                *v += beta * *d;
                last.0[half].0[k] = *v;
            }
        }
        for (v, [last, along]) in self.others.iter_mut().zip(&mut self.other_ways) {
            *along = theta * *along + (*v - *last);
            *v += beta * *along;
            *last = *v;
        }
        self.general.extrapolate(theta, beta);
        self.step = Some([theta, beta]);
    }

    fn sweep(&mut self, rule: Rule) -> f64 {
        debug_assert_eq!(rule, Rule::Exact, "the storage is chosen by the rule");
        self.age += 1;
        if self.age >= REFRESH {
            self.refresh();
        }
        let mut change = 0.0;
        if !self.general.is_empty() {
            let (lines, others) = (&mut self.lines[..self.n_bodies], &mut self.others[..]);
            change += self.general.sweep(rule, &mut WideSlots { lines, others });
        }
        let step = self.step.take();
        change + self.pass(|blocks, lines| Renewal { blocks, lines, step })[0]
    }
}

impl<B: Block> Wide<B> {
    /// Colours the contacts of `sets` and fills the blocks.
    fn fill(&mut self, problem: &Problem, posed: &Posed, filling: &mut Filling) {
        let Filling { sets, colours, begin, chosen } = filling;
        let sets = &**sets;
        let number_of = |set: u32| match posed.place(&problem.sets, set as usize) {
            Place::Contact(number) => number as usize,
            Place::Row(_) | Place::Pair(..) => unreachable!("rows stand in the general segment"),
        };
        let contact_of = |k: usize| &posed.contacts()[number_of(sets[k])];
        let moves =
            |body: &&u32| posed.bodies().get(**body as usize).is_some_and(|inertia| !inertia.is_fixed());
        let of = |k: usize| contact_of(k).bodies.iter().filter(moves);
        colours.find_greedy(sets.len(), self.n_bodies, of);
        let Colours { order, start, .. } = &*colours;
        begin.clear();
        begin.extend(problem.blocks().map(|(begin, _)| begin as u32));
        chosen.clear();
        chosen.reserve(sets.len() / 4 + start.len());
        reset(&mut self.colours, 1, 0);
        for range in start.windows(2) {
            let firsts = (range[0]..range[1]).step_by(4);
            chosen.extend(firsts.map(|first| first..range[1].min(first + 4)).enumerate());
            self.colours.push(chosen.len());
        }
        let lanes = |(number, contacts): &(usize, Range<usize>)| {
            let (number, contacts) = (*number, &order[contacts.clone()]);
            let still = (self.n_bodies + number / CHUNK) as u32;
            let mut block = B::empty(still);
            let mut member = Member { row: [NONE; 4], dim: [0; 4] };
            for (l, &k) in contacts.iter().enumerate() {
                let (set, contact) = (sets[k as usize] as usize, contact_of(k as usize));
                let inertia = |body: u32| posed.bodies().get(body as usize).copied().unwrap_or_default();
                let inertias = contact.bodies.map(inertia);
                let place = |side: usize| match inertias[side].is_fixed() {
                    true => still,
                    false => contact.bodies[side],
                };
                let (row, dim) = (begin[set], problem.sets[set].dim());
                let u_free = &problem.u_free[row as usize..row as usize + dim];
                let (places, set) = ([place(0), place(1)], problem.sets[set]);
                let filled = block.fill(l, &Lane { contact, places, inertias, set, u_free });
                member.dim[l] = dim as u8;
                member.row[l] = row;
                if !filled {
                    member.row[l] = NONE;
                }
            }
            (block, member)
        };
        let filled = chosen.par_iter().with_min_len(CHUNK).map(lanes);
        filled.unzip_into_vecs(&mut self.blocks, &mut self.members);
        self.idle.clear();
        let visited: usize = self.members.iter().flat_map(|m| m.row).filter(|row| *row != NONE).count();
        if visited < sets.len() {
            let still = |&set: &u32| contact_is_idle(posed, &posed.contacts()[number_of(set)]);
            let idle = sets.iter().filter(|set| still(set));
            let rows = idle.map(|&set| (begin[set as usize], problem.sets[set as usize].dim() as u8));
            self.idle.extend(rows);
        }
        let most = self.colours.windows(2).map(|range| range[1] - range[0]).max().unwrap_or(0);
        self.lines.clear();
        self.lines.reserve_exact(self.n_bodies + most.div_ceil(CHUNK).max(1));
        self.lines.extend(posed.bodies().iter().map(B::line));
        self.lines.resize(self.n_bodies + most.div_ceil(CHUNK).max(1), Line::default());
    }

    /// v ← M⁻¹ Jᵀ p, p extrapolated first where that is due.
    fn refresh(&mut self) {
        self.age = 0;
        self.lines.iter_mut().for_each(Line::stop);
        if !self.general.is_empty() {
            self.others.fill(0.0);
            let (lines, others) = (&mut self.lines[..self.n_bodies], &mut self.others[..]);
            self.general.push_all(&mut WideSlots { lines, others });
        }
        let step = self.step.take();
        self.pass(|blocks, lines| Refresh { blocks, lines, step });
    }

    /// Does the work of `of` on every chunk of blocks, colour by colour; returns the sums of what it returns.
    fn pass<'a, W>(&'a mut self, of: impl Fn(&'a mut [B], Shared<'a>) -> W + Sync) -> [f64; 2]
    where
        W: Work<Result = [f64; 2]>,
    {
        let width = self.width;
        let lines = Shared::new(&mut self.lines);
        let (mut blocks, mut total) = (&mut self.blocks[..], [0.0; 2]);
        for range in self.colours.windows(2) {
            let (colour, rest) = blocks.split_at_mut(range[1] - range[0]);
            blocks = rest;
            reset(&mut self.sums, colour.len().div_ceil(CHUNK), [0.0; 2]);
            let chunk =
                |(sum, blocks): (&mut [f64; 2], &'a mut [B])| *sum = width.run(of(blocks, lines));
            if colour.len() >= SHARED && rayon::current_num_threads() > 1 {
                self.sums.par_iter_mut().zip(colour.par_chunks_mut(CHUNK)).for_each(chunk);
            } else {
                self.sums.iter_mut().zip(colour.chunks_mut(CHUNK)).for_each(chunk);
            }
            (0..2).for_each(|k| total[k] += self.sums.iter().map(|sum| sum[k]).sum::<f64>());
        }
        total
    }
}

/// Whether no impulse at this contact moves anything.
fn contact_is_idle(posed: &Posed, contact: &ContactRows) -> bool {
    contact.ends().all(|(_, body, _)| posed.bodies()[body].is_fixed())
}

/// Renews every contact of some blocks.
struct Renewal<'a, B> {
    blocks: &'a mut [B],
    lines: Shared<'a>,
    step: Option<[f64; 2]>,
}

impl<B: Block> Work for Renewal<'_, B> {
    type Result = [f64; 2];

    #[inline(always)]
    fn run<V: Four>(self) -> [f64; 2] {
        let mut sum = V::splat(0.0);
        if let Some(step) = self.step {
            let step = [V::splat(step[0]), V::splat(step[1])];
            for block in self.blocks {
                let p = block.advance(step);
                sum = sum + block.renew(self.lines, p);
            }
        } else {
            for block in self.blocks {
                let p = lanes::load(block.impulse());
                sum = sum + block.renew(self.lines, p);
            }
        }
        [sum.total(), 0.0]
    }
}

/// Applies the impulses of some blocks.
struct Refresh<'a, B> {
    blocks: &'a mut [B],
    lines: Shared<'a>,
    step: Option<[f64; 2]>,
}

impl<B: Block> Work for Refresh<'_, B> {
    type Result = [f64; 2];

    #[inline(always)]
    fn run<V: Four>(self) -> [f64; 2] {
        for block in self.blocks {
            if let Some(step) = self.step {
                let p = block.advance([V::splat(step[0]), V::splat(step[1])]);
                for k in 0..3 {
                    p[k].store(&mut block.impulse()[k]);
                }
            }
            block.push::<V>(self.lines);
        }
        [0.0; 2]
    }
}

#[cfg(test)]
mod tests;
