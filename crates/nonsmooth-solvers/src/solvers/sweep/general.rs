//! The segment of a sweep that visits general and pair rows, and contacts with compliance.
//!
//! ```text
//! q_c = u_free,c + J_c v + D_c p_c − W_cc p_c,     W_cc = J_c (M̂⁻¹ Jᵀ)_c + D_c,     v ← v + (M̂⁻¹ Jᵀ)_c δp_c
//! ```
//!
//! v are the velocities that the segment of contacts visits too, by slots. A constraint all of whose rows are bilateral is solved
//! as one block, p_c = −W_cc⁻¹ q_c, whatever sets it has.

use super::Rule;
use super::contacts::Trace;
use crate::dense::invert;
use crate::eigen::largest_eigenvalue;
use crate::jacobian::Kind;
use crate::local::Local;
use crate::posed::Posed;
use crate::problem::Problem;
use crate::responses::{Row, Slots as Places};
use crate::set::{MAX_DIM, Set};
use std::ops::Range;

/// Velocities by slots: six for each body, then one for each of the other groups.
pub(super) trait Slots {
    fn get(&mut self, slot: u32) -> f64;
    fn set(&mut self, slot: u32, x: f64);
}

/// How a block is solved.
#[derive(Clone, Copy, Debug)]
enum Solution {
    /// By the inverse of its block, which begins here.
    Inverse(usize),
    /// By its set.
    Local(Local, Set),
}

#[derive(Clone, Copy, Debug)]
struct Block {
    /// First row in the problem.
    begin: usize,
    dim: usize,
    /// First row in this segment.
    row: usize,
    /// Where its columns and their numbers begin.
    column: usize,
    number: usize,
    /// Where W_cc begins.
    block: usize,
    solution: Solution,
    /// λ_max of W_cc, and of W_cc − D_c: what an impulse moves of others.
    weight: f64,
    moved: f64,
}

/// Blocks of rows prepared for sweeps.
#[derive(Default)]
pub(super) struct General {
    blocks: Vec<Block>,
    slot: Vec<u32>,
    /// J and M̂⁻¹ Jᵀ: one number per row of the block for each of its columns.
    jacobian: Vec<f64>,
    response: Vec<f64>,
    block: Vec<f64>,
    inverse: Vec<f64>,
    /// By row of the segment.
    u_free: Vec<f64>,
    compliance: Vec<f64>,
    p: Vec<f64>,
    /// By block.
    slip: Vec<f64>,
    way: Vec<Trace<1>>,
}

/// Rows of one constraint, by slots.
#[derive(Default)]
struct Gathered {
    rows: Vec<Row>,
    responses: Vec<Row>,
}

impl General {
    /// Takes over all rows that are not visited by contacts; returns the sets of those that are.
    pub(super) fn prepare(&mut self, problem: &Problem, posed: &Posed) -> Vec<u32> {
        *self = Self::default();
        let mut contacts = Vec::new();
        let mut slots = None;
        let (mut set, mut gathered) = (0, Gathered::default());
        for c in 0..posed.jacobian.n_constraints() {
            let (first, rows) = (set, posed.jacobian.rows_of(c));
            let mut begin = rows.start;
            while begin < rows.end {
                begin += problem.sets[set].dim();
                set += 1;
            }
            let is_contact = matches!(posed.jacobian.kind(c), Kind::Contact(_));
            if is_contact && rows.clone().all(|i| posed.compliance(i) == 0.0) {
                contacts.push(first as u32);
                continue;
            }
            gathered.fill(posed, c, &mut slots);
            self.push_constraint(problem, posed, (rows, first..set), &gathered);
        }
        self.p.resize(self.u_free.len(), 0.0);
        self.slip.resize(self.blocks.len(), 0.0);
        contacts
    }

    /// One constraint: a block of all its rows if they are bilateral, else one for each set.
    fn push_constraint(
        &mut self,
        problem: &Problem,
        posed: &Posed,
        (rows, sets): (Range<usize>, Range<usize>),
        gathered: &Gathered,
    ) {
        let own = &problem.sets[sets];
        let bilateral = own.iter().all(|set| *set == Set::Free) && rows.len() <= MAX_DIM;
        let all = 0..rows.len();
        if bilateral && self.push(problem, posed, (rows.start, all), gathered, None) {
            return;
        }
        let mut begin = 0;
        for set in own {
            self.push(problem, posed, (rows.start, begin..begin + set.dim()), gathered, Some(*set));
            begin += set.dim();
        }
    }

    /// One block of rows; false where it is to be solved by its inverse and has none.
    fn push(
        &mut self,
        problem: &Problem,
        posed: &Posed,
        (first, rows): (usize, Range<usize>),
        gathered: &Gathered,
        set: Option<Set>,
    ) -> bool {
        let (dim, begin) = (rows.len(), first + rows.start);
        let (column, number) = (self.slot.len(), self.jacobian.len());
        let both = gathered.rows[rows.clone()].iter().chain(&gathered.responses[rows.clone()]);
        self.slot.extend(both.flat_map(|row| row.entries.iter().map(|entry| entry.0)));
        self.slot[column..].sort_unstable();
        let mut kept = column;
        for k in column..self.slot.len() {
            if k == column || self.slot[k] != self.slot[kept - 1] {
                self.slot[kept] = self.slot[k];
                kept += 1;
            }
        }
        self.slot.truncate(kept);
        let n = kept - column;
        self.jacobian.resize(number + n * dim, 0.0);
        self.response.resize(number + n * dim, 0.0);
        let slots = &self.slot[column..];
        for (from, into) in
            [(&gathered.rows, &mut self.jacobian), (&gathered.responses, &mut self.response)]
        {
            for (r, row) in from[rows.clone()].iter().enumerate() {
                for &(slot, x) in &row.entries {
                    let place = slots.partition_point(|other| *other < slot);
                    into[number + place * dim + r] = x;
                }
            }
        }
        let mut block = [0.0; MAX_DIM * MAX_DIM];
        for k in 0..n {
            let at = number + k * dim;
            for r in 0..dim {
                for s in 0..dim {
                    block[r * dim + s] += self.jacobian[at + r] * self.response[at + s];
                }
            }
        }
        let moved = largest_eigenvalue(&block[..dim * dim], dim).max(0.0);
        (0..dim).for_each(|r| block[r * (dim + 1)] += posed.compliance(begin + r));
        let block = &block[..dim * dim];
        let solution = match set {
            Some(set) => Solution::Local(Local::new(set, block), set),
            None => {
                let mut inverse = [0.0; MAX_DIM * MAX_DIM];
                inverse[..dim * dim].copy_from_slice(block);
                if !invert(&mut inverse[..dim * dim], dim, &mut Vec::new()) {
                    self.slot.truncate(column);
                    self.jacobian.truncate(number);
                    self.response.truncate(number);
                    return false;
                }
                self.inverse.extend_from_slice(&inverse[..dim * dim]);
                Solution::Inverse(self.inverse.len() - dim * dim)
            }
        };
        let weight = largest_eigenvalue(block, dim).max(0.0);
        let (row, at) = (self.u_free.len(), self.block.len());
        let places = Block { begin, dim, row, column, number, block: at, solution, weight, moved };
        self.blocks.push(places);
        self.block.extend_from_slice(block);
        self.u_free.extend_from_slice(&problem.u_free[begin..begin + dim]);
        self.compliance.extend((begin..begin + dim).map(|i| posed.compliance(i)));
        true
    }

    pub(super) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    pub(super) fn load(&mut self, p: &[f64]) {
        for block in &self.blocks {
            let Block { begin, dim, row, .. } = *block;
            self.p[row..row + dim].copy_from_slice(&p[begin..begin + dim]);
        }
    }

    pub(super) fn store(&self, p: &mut [f64]) {
        for block in &self.blocks {
            let Block { begin, dim, row, .. } = *block;
            p[begin..begin + dim].copy_from_slice(&self.p[row..row + dim]);
        }
    }

    pub(super) fn remember(&mut self) {
        self.way.clear();
        self.way.extend(self.p.iter().map(|p| Trace::from([*p])));
    }

    pub(super) fn extrapolate(&mut self, theta: f64, beta: f64) {
        for (p, way) in self.p.iter_mut().zip(&mut self.way) {
            let mut own = [*p];
            way.extrapolate(theta, beta, &mut own);
            *p = own[0];
        }
    }

    /// v ← v + M̂⁻¹ Jᵀ p.
    pub(super) fn push_all(&self, v: &mut impl Slots) {
        for k in 0..self.blocks.len() {
            let Block { dim, row, .. } = self.blocks[k];
            self.push_step(k, &self.p[row..row + dim], v);
        }
    }

    fn columns(&self, k: usize) -> (&[u32], usize) {
        let end = self.blocks.get(k + 1).map_or(self.slot.len(), |next| next.column);
        (&self.slot[self.blocks[k].column..end], self.blocks[k].number)
    }

    fn push_step(&self, k: usize, step: &[f64], v: &mut impl Slots) {
        let (slots, mut at) = self.columns(k);
        for &slot in slots {
            let response = &self.response[at..at + step.len()];
            at += step.len();
            let x = v.get(slot) + response.iter().zip(step).map(|(m, x)| m * x).sum::<f64>();
            v.set(slot, x);
        }
    }

    /// Renews every block once; returns Σ (λ_max ‖δp_c‖)², λ_max without compliance: a soft spring that is far stretched moves nobody.
    pub(super) fn sweep(&mut self, rule: Rule, v: &mut impl Slots) -> f64 {
        (0..self.blocks.len()).map(|k| self.renew(k, rule, v)).sum()
    }

    fn renew(&mut self, k: usize, rule: Rule, v: &mut impl Slots) -> f64 {
        let Block { dim, row, block, solution, weight, moved, .. } = self.blocks[k];
        let mut u = [0.0; MAX_DIM];
        let (slots, mut at) = self.columns(k);
        for &slot in slots {
            let x = v.get(slot);
            (0..dim).for_each(|r| u[r] += self.jacobian[at + r] * x);
            at += dim;
        }
        let mut p = [0.0; MAX_DIM];
        p[..dim].copy_from_slice(&self.p[row..row + dim]);
        (0..dim).for_each(|r| u[r] += self.u_free[row + r] + self.compliance[row + r] * p[r]);
        let before = p;
        let own = &self.block[block..block + dim * dim];
        match (rule, solution) {
            (Rule::Projected(by), _) if weight > 0.0 => {
                let rho = by / weight;
                if let Solution::Local(_, set) = solution {
                    u[0] += set.shift(&u[..dim]);
                    (0..dim).for_each(|r| p[r] -= rho * u[r]);
                    set.project_block(&mut p[..dim]);
                } else {
                    (0..dim).for_each(|r| p[r] -= rho * u[r]);
                }
            }
            (_, Solution::Inverse(first)) => {
                let inverse = &self.inverse[first..first + dim * dim];
                for r in 0..dim {
                    p[r] -= (0..dim).map(|s| inverse[r * dim + s] * u[s]).sum::<f64>();
                }
            }
            (_, Solution::Local(local, _)) => {
                for r in 0..dim {
                    u[r] -= (0..dim).map(|s| own[r * dim + s] * before[s]).sum::<f64>();
                }
                local.solve(own, &u[..dim], &mut p[..dim], &mut self.slip[k]);
            }
        }
        let mut step = [0.0; MAX_DIM];
        (0..dim).for_each(|r| step[r] = p[r] - before[r]);
        if step[..dim].iter().all(|x| *x == 0.0) {
            return 0.0;
        }
        self.p[row..row + dim].copy_from_slice(&p[..dim]);
        self.push_step(k, &step[..dim], v);
        moved * moved * step.iter().map(|x| x * x).sum::<f64>()
    }
}

impl Gathered {
    /// The rows of constraint `c` and what they move.
    fn fill(&mut self, posed: &Posed, c: usize, slots: &mut Option<Places>) {
        let dim = posed.jacobian.rows_of(c).len();
        self.rows.resize_with(dim, Row::default);
        self.responses.resize_with(dim, Row::default);
        for r in 0..dim {
            let (row, response) = (&mut self.rows[r], &mut self.responses[r]);
            if let Some(first) = posed.responses().first(c) {
                let known = posed.responses();
                row.copy(known.jacobian.row(first + r));
                response.copy(known.response.row(first + r));
            } else {
                let slots = slots.get_or_insert_with(|| Places::new(&posed.mass));
                slots.gather(&posed.jacobian, c, r, row);
                slots.respond(&posed.mass, row, response);
            }
        }
    }
}
