//! Sweeps without W, on the velocities that impulses give to bodies.
//!
//! ```text
//! v = M⁻¹ Jᵀ p,   q_c = u_free,c + J_c v − W_cc p_c,   W_cc = J_c (M⁻¹ Jᵀ)_c,   v ← v + (M⁻¹ Jᵀ)_c δp_c
//! ```
//!
//! Each constraint keeps the columns that it names, with D entries of J and D of M⁻¹ Jᵀ for each. Constraints of one
//! colour name different columns, and threads write different entries of v. Those are atomic numbers, read and
//! written without order: on common processors the same instructions as plain ones, without unsafe code.
//! `load` and every `REFRESH`-th sweep compute v anew from p, so that the rounding of many small changes does not add up.

use super::colours::Colours;
use super::contacts::Trace;
use super::{CHUNK, Node, Places, Plan, Rule, SHARED, Sweeps, Task, load_nodes, reset, store_nodes};
use crate::problem::Problem;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Sweeps after which v is computed anew; it costs a third of a sweep.
pub(super) const REFRESH: usize = 50;

#[derive(Default)]
pub(super) struct Rows<const D: usize> {
    places: Places,
    nodes: Vec<Node<D>>,
    /// Where each constraint's columns begin.
    start: Vec<usize>,
    column: Vec<u32>,
    jacobian: Vec<[f64; D]>,
    response: Vec<[f64; D]>,
    /// D of each constraint; empty where there is none.
    compliance: Vec<[f64; D]>,
    velocity: Vec<Atom>,
    p: Vec<[f64; D]>,
    slip: Vec<f64>,
    /// Where colours begin; empty in the natural order.
    colours: Vec<usize>,
    sums: Vec<f64>,
    /// The ways of p and v, where they are remembered.
    way: (Vec<Trace<D>>, Vec<Trace<1>>),
    /// Sweeps since v was computed.
    age: usize,
}

/// An f64 that threads may write, each its own.
#[derive(Default)]
pub(super) struct Atom(AtomicU64);

impl Atom {
    #[inline(always)]
    pub(super) fn get(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }

    #[inline(always)]
    pub(super) fn set(&self, x: f64) {
        self.0.store(x.to_bits(), Ordering::Relaxed);
    }
}

impl<const D: usize> Sweeps for Rows<D> {
    fn prepare(&mut self, problem: &Problem, plan: Plan) {
        let mut places = std::mem::take(&mut self.places);
        places.fill(problem, plan);
        let n = places.begin.len();
        self.fill(problem, &places);
        self.colours.clear();
        if plan.coloured {
            let of = |c: usize| self.column[self.start[c]..self.start[c + 1]].iter();
            let colours = Colours::greedy(n, self.velocity.len(), of);
            // Colours were given to places.
            places.order = colours.order.iter().map(|&k| places.order[k as usize]).collect();
            self.fill(problem, &places);
            self.colours = colours.start;
        }
        self.places = places;
        reset(&mut self.p, n, [0.0; D]);
        reset(&mut self.slip, n, 0.0);
    }

    fn load(&mut self, p: &[f64]) {
        load_nodes(&self.nodes, p, &mut self.p);
        self.refresh();
    }

    fn store(&mut self, p: &mut [f64]) {
        store_nodes(&self.nodes, &self.p, p);
    }

    fn remember(&mut self) {
        self.way.0.clear();
        self.way.0.extend(self.p.iter().map(|p| Trace::from(*p)));
        self.way.1.clear();
        self.way.1.extend(self.velocity.iter().map(|v| Trace::from([v.get()])));
    }

    fn extrapolate(&mut self, theta: f64, beta: f64) {
        self.way.0.iter_mut().zip(&mut self.p).for_each(|(way, p)| way.extrapolate(theta, beta, p));
        for (way, atom) in self.way.1.iter_mut().zip(&self.velocity) {
            let mut v = [atom.get()];
            way.extrapolate(theta, beta, &mut v);
            atom.set(v[0]);
        }
    }

    fn sweep(&mut self, rule: Rule) -> f64 {
        self.age += 1;
        if self.age >= REFRESH {
            self.refresh();
        }
        match (rule, self.colours.is_empty()) {
            (Rule::Exact, true) => self.natural(Node::exact),
            (Rule::Exact, false) => self.coloured(Node::exact),
            (Rule::Relaxed(w), true) => self.natural(|node, q, p, slip| node.relaxed(w, q, p, slip)),
            (Rule::Relaxed(w), false) => self.coloured(|node, q, p, slip| node.relaxed(w, q, p, slip)),
            (Rule::Projected(w), true) => self.natural(|node, q, p, _| node.project(w, q, p)),
            (Rule::Projected(w), false) => self.coloured(|node, q, p, _| node.project(w, q, p)),
        }
    }
}

impl<const D: usize> Rows<D> {
    /// Copies J and M⁻¹ Jᵀ column by column, constraint `places.order[k]` to place k.
    fn fill(&mut self, problem: &Problem, places: &Places) {
        let primal = problem.primal().expect("the storage is chosen by the form");
        let response = primal.response().expect("rows are chosen where there is a response");
        let n_columns = primal.jacobian.n_columns;
        self.velocity.resize_with(n_columns, Atom::default);
        self.nodes.clear();
        self.start.clear();
        self.start.push(0);
        self.column.clear();
        self.jacobian.clear();
        self.response.clear();
        self.compliance.clear();
        let compliant = (0..problem.size()).any(|i| problem.delassus.compliance(i) > 0.0);
        for &c in &places.order {
            let (begin, set) = (places.begin[c as usize], problem.sets[c as usize]);
            let first = self.column.len();
            for i in begin..begin + set.dim() {
                self.column.extend_from_slice(primal.jacobian.row(i).0);
                self.column.extend_from_slice(response.row(i).0);
            }
            self.column[first..].sort_unstable();
            let mut last = first;
            for k in first..self.column.len() {
                if k == first || self.column[k] != self.column[last - 1] {
                    self.column[last] = self.column[k];
                    last += 1;
                }
            }
            self.column.truncate(last);
            self.jacobian.resize(last, [0.0; D]);
            self.response.resize(last, [0.0; D]);
            let columns = &self.column[first..];
            for r in 0..set.dim() {
                for (matrix, into) in
                    [(&primal.jacobian, &mut self.jacobian), (response, &mut self.response)]
                {
                    let (index, value) = matrix.row(begin + r);
                    let mut k = 0;
                    for (j, x) in index.iter().zip(value) {
                        while columns[k] != *j {
                            k += 1;
                        }
                        into[first + k][r] = *x;
                    }
                }
            }
            let mut block = [[0.0; D]; D];
            for (j, m) in self.jacobian[first..].iter().zip(&self.response[first..]) {
                for r in 0..D {
                    (0..D).for_each(|k| block[r][k] += j[r] * m[k]);
                }
            }
            if compliant {
                let mut own = [0.0; D];
                (0..set.dim()).for_each(|r| own[r] = problem.delassus.compliance(begin + r));
                (0..D).for_each(|r| block[r][r] += own[r]);
                self.compliance.push(own);
            }
            self.start.push(last);
            self.nodes.push(Node::new(problem, begin, set, block));
        }
    }

    /// v ← M⁻¹ Jᵀ p.
    fn refresh(&mut self) {
        self.age = 0;
        self.velocity.iter().for_each(|v| v.set(0.0));
        for (c, p) in self.p.iter().enumerate() {
            if p.iter().any(|p| *p != 0.0) {
                self.push(c, p);
            }
        }
    }

    /// v ← v + (M⁻¹ Jᵀ)_c δp.
    #[inline(always)]
    fn push(&self, c: usize, step: &[f64; D]) {
        let range = self.start[c]..self.start[c + 1];
        for (&j, m) in self.column[range.clone()].iter().zip(&self.response[range]) {
            let v = &self.velocity[j as usize];
            v.set(v.get() + (0..D).map(|k| m[k] * step[k]).sum::<f64>());
        }
    }

    /// Renews p_c and what it moves; returns its change.
    #[inline(always)]
    fn renew(
        &self,
        c: usize,
        p: &mut [f64; D],
        slip: &mut f64,
        update: &impl Fn(&Node<D>, &[f64; D], &mut [f64; D], &mut f64),
    ) -> f64 {
        let (node, range) = (&self.nodes[c], self.start[c]..self.start[c + 1]);
        let mut q = node.u_free;
        // Two sums each, so that additions wait less for each other.
        let mut odd = [0.0; D];
        let (columns, rows) = (&self.column[range.clone()], &self.jacobian[range]);
        let mut pairs = columns.chunks_exact(2).zip(rows.chunks_exact(2));
        for (j, h) in &mut pairs {
            let (v, w) = (self.velocity[j[0] as usize].get(), self.velocity[j[1] as usize].get());
            for r in 0..D {
                q[r] += h[0][r] * v;
                odd[r] += h[1][r] * w;
            }
        }
        if columns.len() % 2 == 1 {
            let v = self.velocity[columns[columns.len() - 1] as usize].get();
            (0..D).for_each(|r| q[r] += rows[rows.len() - 1][r] * v);
        }
        (0..D).for_each(|r| q[r] += odd[r]);
        if node.is_open(p) {
            if q[0] >= 0.0 {
                return 0.0;
            }
        } else {
            if let Some(compliance) = self.compliance.get(c) {
                (0..D).for_each(|r| q[r] += compliance[r] * p[r]);
            }
            for r in 0..D {
                q[r] -= (0..D).map(|k| node.block[r][k] * p[k]).sum::<f64>();
            }
        }
        let before = *p;
        update(node, &q, p, slip);
        let mut step = [0.0; D];
        (0..D).for_each(|k| step[k] = p[k] - before[k]);
        if step.iter().all(|x| *x == 0.0) {
            return 0.0;
        }
        self.push(c, &step);
        node.change(&before, p)
    }

    #[inline(always)]
    fn natural(&mut self, update: impl Fn(&Node<D>, &[f64; D], &mut [f64; D], &mut f64)) -> f64 {
        let (mut p, mut slip) = (std::mem::take(&mut self.p), std::mem::take(&mut self.slip));
        let mut change = 0.0;
        for (c, (p, slip)) in p.iter_mut().zip(&mut slip).enumerate() {
            change += self.renew(c, p, slip, &update);
        }
        (self.p, self.slip) = (p, slip);
        change
    }

    fn coloured(&mut self, update: impl Fn(&Node<D>, &[f64; D], &mut [f64; D], &mut f64) + Sync) -> f64 {
        let (mut p, mut slip) = (std::mem::take(&mut self.p), std::mem::take(&mut self.slip));
        let mut sums = std::mem::take(&mut self.sums);
        let mut change = 0.0;
        for k in 1..self.colours.len() {
            let (begin, end) = (self.colours[k - 1], self.colours[k]);
            let (p, slip) = (&mut p[begin..end], &mut slip[begin..end]);
            reset(&mut sums, p.len().div_ceil(CHUNK), 0.0);
            let this = &*self;
            let chunk = |((i, sum), (p, slip)): Task<D>| {
                for (l, (p, slip)) in p.iter_mut().zip(slip).enumerate() {
                    *sum += this.renew(begin + CHUNK * i + l, p, slip, &update);
                }
            };
            if p.len() >= SHARED && rayon::current_num_threads() > 1 {
                let parts = p.par_chunks_mut(CHUNK).zip(slip.par_chunks_mut(CHUNK));
                sums.par_iter_mut().enumerate().zip(parts).for_each(chunk);
            } else {
                let parts = p.chunks_mut(CHUNK).zip(slip.chunks_mut(CHUNK));
                sums.iter_mut().enumerate().zip(parts).for_each(chunk);
            }
            change += sums.iter().sum::<f64>();
        }
        (self.p, self.slip, self.sums) = (p, slip, sums);
        change
    }
}
