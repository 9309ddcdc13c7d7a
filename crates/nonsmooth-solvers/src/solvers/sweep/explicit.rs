//! Sweeps over W as D × D blocks, row by row: q_c = u_free,c + Σ_{j≠c} W_cj p_j.
//!
//! Blocks lie in the order in which a sweep visits them. In the coloured order the new impulses of a colour are
//! written beside the old ones and copied when the colour is done, so that threads share no memory they write.

use super::colours::Colours;
use super::contacts::Trace;
use super::{CHUNK, Node, Places, Plan, Rule, SHARED, Sweeps, Task, load_nodes, reset, store_nodes};
use crate::problem::Problem;
use rayon::prelude::*;

#[derive(Default)]
pub(super) struct Blocks<const D: usize> {
    places: Places,
    place_of: Vec<u32>,
    block_of: Vec<u32>,
    nodes: Vec<Node<D>>,
    /// Where each constraint's neighbours begin.
    start: Vec<usize>,
    neighbour: Vec<u32>,
    value: Vec<[[f64; D]; D]>,
    p: Vec<[f64; D]>,
    slip: Vec<f64>,
    /// Where colours begin; empty in the natural order.
    colours: Vec<usize>,
    /// The way of p, where it is remembered.
    way: Vec<Trace<D>>,
    /// New impulses of one colour, and the change of each chunk of it.
    fresh: Vec<[f64; D]>,
    sums: Vec<f64>,
}

impl<const D: usize> Sweeps for Blocks<D> {
    fn prepare(&mut self, problem: &Problem, plan: Plan) {
        let mut places = std::mem::take(&mut self.places);
        places.fill(problem, plan);
        let n = places.begin.len();
        self.fill(problem, &places);
        self.colours.clear();
        if plan.coloured {
            let of = |c: usize| self.neighbour[self.start[c]..self.start[c + 1]].iter();
            let colours = Colours::of_graph(n, of);
            // Colours were given to places.
            places.order = colours.order.iter().map(|&k| places.order[k as usize]).collect();
            self.fill(problem, &places);
            self.colours = colours.start;
        }
        self.places = places;
        reset(&mut self.p, n, [0.0; D]);
        reset(&mut self.slip, n, 0.0);
        reset(&mut self.fresh, if plan.coloured { n } else { 0 }, [0.0; D]);
    }

    fn load(&mut self, p: &[f64]) {
        load_nodes(&self.nodes, p, &mut self.p);
    }

    fn store(&mut self, p: &mut [f64]) {
        store_nodes(&self.nodes, &self.p, p);
    }

    fn remember(&mut self) {
        self.way.clear();
        self.way.extend(self.p.iter().map(|p| Trace::from(*p)));
    }

    fn extrapolate(&mut self, theta: f64, beta: f64) {
        self.way.iter_mut().zip(&mut self.p).for_each(|(way, p)| way.extrapolate(theta, beta, p));
    }

    fn sweep(&mut self, rule: Rule) -> f64 {
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

impl<const D: usize> Blocks<D> {
    /// Copies W block by block, constraint `places.order[k]` to place k.
    fn fill(&mut self, problem: &Problem, places: &Places) {
        const NONE: u32 = u32::MAX;
        let (w, n) = (problem.assembled(), places.begin.len());
        reset(&mut self.place_of, n, 0);
        places.order.iter().enumerate().for_each(|(k, &c)| self.place_of[c as usize] = k as u32);
        self.nodes.clear();
        self.start.clear();
        self.start.push(0);
        self.neighbour.clear();
        self.value.clear();
        // Where the block of each neighbour of the constraint at hand lies.
        reset(&mut self.block_of, n, NONE);
        for &c in &places.order {
            let (begin, set) = (places.begin[c as usize], problem.sets[c as usize]);
            let first = self.value.len();
            let mut diagonal = [[0.0; D]; D];
            for r in 0..set.dim() {
                let (columns, values) = w.row(begin + r);
                for (&i, &x) in columns.iter().zip(values) {
                    let j = places.owner[i as usize];
                    let k = i as usize - places.begin[j as usize];
                    if j == c {
                        diagonal[r][k] = x;
                        continue;
                    }
                    let at = self.block_of[j as usize];
                    let at = if at != NONE && at as usize >= first {
                        at as usize
                    } else {
                        self.block_of[j as usize] = self.value.len() as u32;
                        self.neighbour.push(self.place_of[j as usize]);
                        self.value.push([[0.0; D]; D]);
                        self.value.len() - 1
                    };
                    self.value[at][r][k] = x;
                }
            }
            self.start.push(self.value.len());
            self.nodes.push(Node::new(problem, begin, set, diagonal));
        }
    }

    /// q_c, with the normal component first: an open contact needs no other while that is not negative.
    #[inline(always)]
    fn gather(&self, c: usize) -> Option<[f64; D]> {
        let (node, range) = (&self.nodes[c], self.start[c]..self.start[c + 1]);
        let (neighbours, values) = (&self.neighbour[range.clone()], &self.value[range]);
        if node.is_open(&self.p[c]) {
            let mut sum = [0.0; D];
            for (&j, block) in neighbours.iter().zip(values) {
                let p = &self.p[j as usize];
                (0..D).for_each(|k| sum[k] += block[0][k] * p[k]);
            }
            if node.u_free[0] + sum.iter().sum::<f64>() >= 0.0 {
                return None;
            }
        }
        // D² sums that do not wait for each other; with D > 3 they would not fit into registers.
        let mut q = node.u_free;
        if D <= 3 {
            let mut sum = [[0.0; D]; D];
            for (&j, block) in neighbours.iter().zip(values) {
                let p = &self.p[j as usize];
                for r in 0..D {
                    for k in 0..D {
                        sum[r][k] += block[r][k] * p[k];
                    }
                }
            }
            (0..D).for_each(|r| q[r] += sum[r].iter().sum::<f64>());
        } else {
            for (&j, block) in neighbours.iter().zip(values) {
                let p = &self.p[j as usize];
                for r in 0..D {
                    q[r] += (0..D).map(|k| block[r][k] * p[k]).sum::<f64>();
                }
            }
        }
        Some(q)
    }

    #[inline(always)]
    fn natural(&mut self, update: impl Fn(&Node<D>, &[f64; D], &mut [f64; D], &mut f64)) -> f64 {
        let mut change = 0.0;
        for c in 0..self.nodes.len() {
            let Some(q) = self.gather(c) else { continue };
            let node = &self.nodes[c];
            let mut p = self.p[c];
            update(node, &q, &mut p, &mut self.slip[c]);
            change += node.change(&self.p[c], &p);
            self.p[c] = p;
        }
        change
    }

    fn coloured(&mut self, update: impl Fn(&Node<D>, &[f64; D], &mut [f64; D], &mut f64) + Sync) -> f64 {
        let (mut slip, mut fresh) = (std::mem::take(&mut self.slip), std::mem::take(&mut self.fresh));
        let mut sums = std::mem::take(&mut self.sums);
        let mut change = 0.0;
        for k in 1..self.colours.len() {
            let (begin, end) = (self.colours[k - 1], self.colours[k]);
            let (fresh, slip) = (&mut fresh[begin..end], &mut slip[begin..end]);
            reset(&mut sums, fresh.len().div_ceil(CHUNK), 0.0);
            let this = &*self;
            let chunk = |((i, sum), (fresh, slip)): Task<D>| {
                for (l, (fresh, slip)) in fresh.iter_mut().zip(slip).enumerate() {
                    let c = begin + CHUNK * i + l;
                    *fresh = this.p[c];
                    let Some(q) = this.gather(c) else { continue };
                    update(&this.nodes[c], &q, fresh, slip);
                    *sum += this.nodes[c].change(&this.p[c], fresh);
                }
            };
            if fresh.len() >= SHARED && rayon::current_num_threads() > 1 {
                let parts = fresh.par_chunks_mut(CHUNK).zip(slip.par_chunks_mut(CHUNK));
                sums.par_iter_mut().enumerate().zip(parts).for_each(chunk);
            } else {
                let parts = fresh.chunks_mut(CHUNK).zip(slip.chunks_mut(CHUNK));
                sums.iter_mut().enumerate().zip(parts).for_each(chunk);
            }
            self.p[begin..end].copy_from_slice(fresh);
            change += sums.iter().sum::<f64>();
        }
        (self.slip, self.fresh, self.sums) = (slip, fresh, sums);
        change
    }
}
