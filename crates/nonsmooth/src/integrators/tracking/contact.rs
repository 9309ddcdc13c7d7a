//! Contact at one point: −(W x + rhs) ∈ N_C(x) by blocks of rows; on joints W x + rhs = 0.
//!
//! At acceleration level x is the force λ and rhs = J M⁻¹ f + curvature; at velocity level x is an impulse. A contact that slides at
//! acceleration level has the normal force alone as its unknown, with λ_T = ratio · λ_N, ratio = −μ u_T/‖u_T‖: its column of W is that of
//! both together, and the matrix need not be symmetric. Any registered solver takes the problem, and the certificate judges.

use super::closed::Closed;
use super::watched::Watched;
use crate::error::StepResult;
use crate::log::{KEPT, LET_GO, StepLog};
use crate::model::Model;
use crate::phases::{SolverSettings, judge_report};
use nonsmooth_solvers::{Problem, Set, Status, all_solutions};

/// Most contacts and rows of joints of which all states are tried, to find out whether accelerations exist.
const MOST_BLOCKS: usize = 8;
/// Accelerations that are not the same, relative to those without forces.
const APART: f64 = 1e-6;

/// The rows of one contact, or one row of a joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    /// Its first row, which is the normal, and how many there are.
    pub(crate) first: usize,
    pub(crate) dim: usize,
    /// The forces that are allowed; of the normal alone where it slides.
    pub(crate) set: Set,
    /// λ_T/λ_N where it slides.
    pub(crate) slides: Option<[f64; 2]>,
}

impl Block {
    /// Rows that are unknowns.
    fn n_unknowns(&self) -> usize {
        if self.slides.is_some() { 1 } else { self.dim }
    }
}

/// Blocks of keys in which the rows of each contact stand together, with what `make` says of each: its key, and its range of rows.
pub(crate) fn fill_blocks(
    watched: &Watched,
    keys: &[usize],
    blocks: &mut Vec<Block>,
    mut make: impl FnMut(usize, std::ops::Range<usize>) -> (Set, Option<[f64; 2]>),
) {
    blocks.clear();
    let mut first = 0;
    while first < keys.len() {
        let key = keys[first];
        let dim = if watched.always[key] { 1 } else { 1 + watched.n_tangents(key) };
        let (set, slides) = match dim {
            1 if watched.always[key] => (Set::Free, None),
            1 => (Set::Nonnegative, None),
            _ => make(key, first..first + dim),
        };
        let set = if slides.is_some() { Set::Nonnegative } else { set };
        blocks.push(Block { first, dim, set, slides });
        first += dim;
    }
}

/// A problem and its solution.
#[derive(Default)]
pub(crate) struct Contact {
    /// The problem posed last.
    pub(crate) problem: Problem,
    /// x: impulses [N·s] or forces [N], by row.
    pub(crate) x: Vec<f64>,
    /// W x + rhs by row [m/s or m/s²].
    pub(crate) slack: Vec<f64>,
    /// The row of each unknown.
    unknowns: Vec<usize>,
    /// What the problem has of x and slack.
    solution: Vec<f64>,
    left: Vec<f64>,
}

impl Contact {
    /// Solves for the rows `keys` that `closed` holds.
    pub(crate) fn solve(
        &mut self,
        model: &Model,
        (watched, keys): (&Watched, &[usize]),
        (closed, blocks): (&Closed, &[Block]),
        rhs: impl Fn(usize) -> f64,
        settings: &mut SolverSettings,
        log: &mut StepLog,
    ) -> StepResult {
        self.pose((closed, keys.len()), blocks, &rhs);
        let SolverSettings { solver, tolerance, policy } = settings;
        let Contact { problem, solution, left, .. } = self;
        solution.clear();
        solution.resize(problem.u_free.len(), 0.0);
        let report = nonsmooth_solvers::solve(&mut **solver, problem, *tolerance, solution, left);
        if report.status == Status::Unsupported {
            solver.accepts(problem).map_err(|unsupported| Box::new(unsupported.into()))?;
        }
        log.solves.push(report);
        log.acted(report.residual, report.status);
        self.expand((closed, keys.len()), blocks, &rhs);
        let key = |i: usize| blocks.get(i).map(|block| keys[block.first]);
        let describe = |i: usize| key(i).map(|key| model.describe(watched.id(key)));
        judge_report(&report, *tolerance, *policy, describe)
    }

    /// Poses a problem with contacts that slide and says how many accelerations solve it, up to two: none or several where sliding is
    /// Painlevé's. None where that is not asked, for it takes as many trials as there are states of all contacts.
    pub(crate) fn count_solutions(
        &mut self,
        closed: &Closed,
        blocks: &[Block],
        rhs: impl Fn(usize) -> f64,
        tolerance: f64,
    ) -> Option<usize> {
        let slides = blocks.iter().any(|block| block.slides.is_some());
        if !slides || blocks.len() > MOST_BLOCKS {
            return None;
        }
        let m = blocks.iter().map(|block| block.dim).sum();
        self.pose((closed, m), blocks, &rhs);
        let problem = &self.problem;
        let solutions = all_solutions(problem, tolerance)?;
        let acceleration = |p: &Vec<f64>| {
            let mut u = problem.u_free.clone();
            let pushed = (0..u.len()).map(|i| problem.assembled().row_dot(i, p));
            u.iter_mut().zip(pushed).for_each(|(u, pushed)| *u += pushed);
            u
        };
        let size = problem.u_free.iter().fold(0.0f64, |m, u| m.max(u.abs()));
        let mut found = solutions.iter().map(acceleration);
        let Some(first) = found.next() else { return Some(0) };
        let differs = |u: Vec<f64>| u.iter().zip(&first).any(|(u, v)| (u - v).abs() > APART * size);
        Some(if found.any(differs) { 2 } else { 1 })
    }

    /// What the solution does where there are several: a contact that slides parts, or all go on.
    pub(crate) fn choice(&self, blocks: &[Block]) -> &'static str {
        let parts = |block: &Block| block.slides.is_some() && self.x[block.first] <= 0.0;
        if blocks.iter().any(parts) { LET_GO } else { KEPT }
    }

    fn pose(&mut self, (closed, m): (&Closed, usize), blocks: &[Block], rhs: &impl Fn(usize) -> f64) {
        let Contact { problem, unknowns, .. } = self;
        problem.delassus.symmetric = blocks.iter().all(|block| block.slides.is_none());
        problem.delassus.stamp = None;
        problem.sets.clear();
        problem.sets.extend(blocks.iter().map(|block| block.set));
        unknowns.clear();
        unknowns.extend(blocks.iter().flat_map(|block| block.first..block.first + block.n_unknowns()));
        problem.u_free.clear();
        problem.u_free.extend(unknowns.iter().map(|&row| rhs(row)));
        let w = problem.delassus.explicit_mut();
        w.clear(unknowns.len());
        for (i, &row) in unknowns.iter().enumerate() {
            let response = &closed.delassus[row * m..(row + 1) * m];
            let mut j = 0;
            for block in blocks {
                for column in block.first..block.first + block.n_unknowns() {
                    let entry = response[column] + along_slide(block, response);
                    if entry != 0.0 || i == j {
                        w.column.push(j as u32);
                        w.value.push(entry);
                    }
                    j += 1;
                }
            }
            w.finish_row();
        }
    }

    /// x and slack of all rows from those of the unknowns.
    fn expand(&mut self, (closed, m): (&Closed, usize), blocks: &[Block], rhs: &impl Fn(usize) -> f64) {
        let Contact { x, slack, unknowns, solution, left, .. } = self;
        for out in [&mut *x, &mut *slack] {
            out.clear();
            out.resize(m, 0.0);
        }
        for (&row, (p, u)) in unknowns.iter().zip(solution.iter().zip(&*left)) {
            (x[row], slack[row]) = (*p, *u);
        }
        for block in blocks {
            for (k, ratio) in block.slides.iter().flatten().take(block.dim - 1).enumerate() {
                x[block.first + 1 + k] = ratio * x[block.first];
            }
        }
        for block in blocks.iter().filter(|block| block.slides.is_some()) {
            for row in block.first + 1..block.first + block.dim {
                let response = closed.delassus[row * m..(row + 1) * m].iter();
                slack[row] = rhs(row) + response.zip(&*x).map(|(w, x)| w * x).sum::<f64>();
            }
        }
    }
}

/// What the friction of a block that slides adds to the response to its normal force.
fn along_slide(block: &Block, response: &[f64]) -> f64 {
    let Some(ratio) = block.slides else { return 0.0 };
    let tangents = &response[block.first + 1..block.first + block.dim];
    tangents.iter().zip(ratio).map(|(w, ratio)| w * ratio).sum()
}
