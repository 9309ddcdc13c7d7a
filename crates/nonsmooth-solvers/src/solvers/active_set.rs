//! Warm-started block principal pivoting on a sparse factor, for frictionless problems of any size.
//!
//! Guess which unilateral rows carry an impulse (A: those that did in the guess, or that approach);
//! bilateral rows always do. Solve
//!
//! ```text
//! W_AA p_A = −u_free,A,   p_I = 0,   u_I = (W p + u_free)_I
//! ```
//!
//! and exchange every row with p_i < 0 (in A) or u_i < 0 (in I). While the number of such rows falls,
//! all are exchanged at once; when it has not fallen for `PATIENCE` exchanges only the one with the
//! largest index is, which ends for every P-matrix [Judice94, Murty74]. In a run with persistent
//! contact the first guess is right, and a step costs one back-substitution.
//!
//! Where W_AA is singular (more contacts than degrees of freedom) the proximal problem with
//! W + ε diag(W) and u_free − ε diag(W) p_k is solved in its place, repeatedly; its fixed point solves
//! the problem itself, not a softened one [Rockafellar76].

use super::active_block::ActiveBlock;
use super::{Entry, Outcome, Solver, Status, Unsupported};
use crate::certificate::certify;
use crate::options::{Declared, Kind};
use crate::problem::Problem;
use crate::set::Set;

pub(super) const ENTRY: Entry = Entry {
    name: "active-set",
    about: "warm-started block pivoting on a sparse factor; large frictionless problems",
    options: &[&MAX_EXCHANGES],
    make: |options| Box::new(ActiveSet::new(options.count(&MAX_EXCHANGES))),
};

pub(super) const MAX_EXCHANGES: Declared = Declared {
    name: "max_exchanges",
    about: "most exchanges of the active set before giving up [–]",
    kind: Kind::Count,
    default: "1000",
};

/// Block exchanges without progress before single ones; 10 is the value of [Judice94].
const PATIENCE: usize = 10;
/// First and last ε of the proximal problem: from well-conditioned blocks down to what is small against
/// the nonzero eigenvalues of W / diag(W) of real stacks. Each pass gains about log₁₀(λ_min/ε) digits.
const FIRST_SHIFT: f64 = 1e-2;
const LAST_SHIFT: f64 = 1e-7;
/// Proximal passes before giving up; a pass on an unchanged active set is one back-substitution.
const PROXIMAL_PASSES: usize = 100;
/// Relative ‖u_A‖ after refinement beyond which a block counts as singular: rounding leaves 4e-9 on a
/// column of 10⁵ beads (condition number 10¹⁰), a singular block leaves numbers of order 1.
const SINGULAR: f64 = 1e-6;
/// Rounding of one component of W p, in units of ‖row‖ ‖p‖.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

pub(super) struct ActiveSet {
    max_exchanges: usize,
    block: ActiveBlock,
    active: Vec<bool>,
    u: Vec<f64>,
    centre: Vec<f64>,
    best: Vec<f64>,
    /// The guess.
    given: Vec<f64>,
    correction: Vec<f64>,
    /// ‖u_A‖ relative to S of the certificate, after the last evaluation.
    error: f64,
    /// The error at which refinement stops [–].
    enough: f64,
    /// The larger of ‖u_free‖ and ‖W p‖ [m/s].
    scale: f64,
}

/// How a round of exchanges ended.
enum Round {
    Solved,
    Singular,
    Limit,
}

impl ActiveSet {
    pub(super) fn new(max_exchanges: usize) -> Self {
        Self {
            max_exchanges,
            block: ActiveBlock::default(),
            active: Vec::new(),
            u: Vec::new(),
            centre: Vec::new(),
            best: Vec::new(),
            given: Vec::new(),
            correction: Vec::new(),
            error: 0.0,
            scale: 1.0,
            enough: 0.0,
        }
    }

    /// The first guess of A, from the guess of p and the free velocities.
    fn guess(&mut self, problem: &Problem, p: &[f64]) {
        // u_free = 0 counts as approaching: in a stack that falls as one, every inner contact has it.
        let level = 1e-12 * problem.u_free.iter().fold(0.0f64, |m, u| m.max(u.abs()));
        self.active.clear();
        self.active.extend((0..problem.size()).map(|i| {
            // What carried an impulse before can be moved; of the others it must be seen.
            p[i] > 0.0
                || ((problem.sets[i] == Set::Free || problem.u_free[i] <= level) && moves(problem, i))
        }));
    }

    /// Exchanges until no row is violated, for W + shift·diag(W) around `centre`.
    fn exchange(&mut self, problem: &Problem, shift: f64, p: &mut [f64], most: usize) -> (Round, usize) {
        let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
        for count in 1..=most {
            if !self.block.prepare(problem, &self.active, shift) {
                return (Round::Singular, count);
            }
            for (i, p) in p.iter_mut().enumerate() {
                *p = -problem.u_free[i];
            }
            if shift > 0.0 {
                for i in 0..problem.size() {
                    p[i] += shift * problem.assembled().get(i, i) * self.centre[i];
                }
            }
            self.block.solve(p);
            if !self.evaluate(problem, shift, p) {
                return (Round::Singular, count);
            }
            let (violated, last) = self.violations(problem, p);
            if violated == 0 {
                self.settle(problem, p);
                return (Round::Solved, count);
            }
            if violated < fewest {
                (fewest, patience) = (violated, PATIENCE);
            } else {
                patience = patience.saturating_sub(1);
            }
            if patience > 0 {
                self.exchange_all(problem, p);
            } else {
                self.active[last] = !self.active[last];
            }
        }
        (Round::Limit, most)
    }

    /// u ← W p + u_free of the (shifted) problem, mending p_A by refinement where u_A does not vanish;
    /// false if it does not vanish even so and the block was not shifted.
    fn evaluate(&mut self, problem: &Problem, shift: f64, p: &mut [f64]) -> bool {
        for attempt in 0..3 {
            // S of the certificate, with the rows in A for those that carry.
            let (mut all, mut acting, mut error) = (0.0f64, 0.0f64, 0.0f64);
            self.u.clear();
            for i in 0..problem.size() {
                let moved = problem.assembled().row_dot(i, p);
                let mut free = problem.u_free[i];
                all += free * free;
                if self.active[i] || free < 0.0 {
                    acting += free * free;
                }
                if shift > 0.0 {
                    free += shift * problem.assembled().get(i, i) * (p[i] - self.centre[i]);
                }
                let u = moved + free;
                self.u.push(u);
                if self.active[i] {
                    error += u * u;
                }
            }
            let scale = if acting > 0.0 { acting } else { all };
            self.scale = if scale > 0.0 { scale.sqrt() } else { 1.0 };
            self.error = error.sqrt() / self.scale;
            if self.error <= self.enough {
                return true;
            }
            if attempt == 2 || !self.error.is_finite() {
                return self.error <= SINGULAR || (shift > 0.0 && self.error.is_finite());
            }
            self.correction.clear();
            self.correction.extend(self.u.iter().map(|u| -u));
            self.block.solve(&mut self.correction);
            for (p, d) in p.iter_mut().zip(&self.correction) {
                *p += d;
            }
        }
        true
    }

    /// Puts p into its sets; what that costs joins the error.
    fn settle(&mut self, problem: &Problem, p: &mut [f64]) {
        let mut sum = 0.0;
        for i in 0..problem.size() {
            if problem.sets[i] == Set::Nonnegative {
                if p[i] < 0.0 {
                    sum += (problem.assembled().get(i, i) * p[i]).powi(2);
                    p[i] = 0.0;
                }
                if self.u[i] < 0.0 && !self.active[i] {
                    sum += self.u[i] * self.u[i];
                }
            }
        }
        self.error += sum.sqrt() / self.scale;
    }

    /// How many rows have the wrong sign, and the last of them.
    fn violations(&self, problem: &Problem, p: &[f64]) -> (usize, usize) {
        let largest = p.iter().fold(0.0f64, |m, p| m.max(p.abs()));
        let (mut count, mut last) = (0, 0);
        for i in 0..problem.size() {
            if self.violated(problem, p, largest, i) {
                (count, last) = (count + 1, i);
            }
        }
        (count, last)
    }

    #[inline]
    fn violated(&self, problem: &Problem, p: &[f64], largest: f64, i: usize) -> bool {
        match (problem.sets[i], self.active[i]) {
            (Set::Free, _) => false,
            (_, true) => p[i] < -ROUNDING * largest,
            (_, false) => {
                self.u[i] < 0.0 && moves(problem, i) && {
                    let row = problem.assembled().row(i).1.iter().map(|w| w.abs()).sum::<f64>();
                    self.u[i] < -ROUNDING * (row * largest + problem.u_free[i].abs())
                }
            }
        }
    }

    fn exchange_all(&mut self, problem: &Problem, p: &[f64]) {
        let largest = p.iter().fold(0.0f64, |m, p| m.max(p.abs()));
        for i in 0..problem.size() {
            if self.violated(problem, p, largest, i) {
                self.active[i] = !self.active[i];
            }
        }
    }

    /// Exchanges from the guess, at most `most`.
    fn pivot(
        &mut self,
        problem: &Problem,
        tolerance: f64,
        p: &mut [f64],
        most: usize,
    ) -> (Round, usize) {
        if single(problem, p).is_some() {
            self.error = 0.0;
            return (Round::Solved, 1);
        }
        // Refine until rounding is left: a chain of n bodies has a condition number of n². Beyond half the
        // tolerance there is nothing to gain.
        let rounding = f64::EPSILON * (problem.size() as f64).powi(2);
        self.enough = rounding.min(0.5 * tolerance).max(ROUNDING);
        self.guess(problem, p);
        self.exchange(problem, 0.0, p, most)
    }

    /// At most `most` exchanges and no proximal passes: the solution, if the guess was nearly right.
    pub(super) fn near_guess(
        &mut self,
        problem: &Problem,
        tolerance: f64,
        p: &mut [f64],
        most: usize,
    ) -> Option<Outcome> {
        let (round, iterations) = self.pivot(problem, tolerance, p, most);
        let solved = matches!(round, Round::Solved) && self.error <= tolerance;
        solved.then_some(Outcome { status: Status::Converged, iterations, method: "active-set" })
    }

    /// Proximal passes around the last iterate, for singular blocks. The shift falls from pass to pass, so
    /// that the first passes find the active set on a well-conditioned block.
    fn proximal(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Outcome {
        let mut total = 0;
        let mut best_residual = f64::INFINITY;
        let mut shift = FIRST_SHIFT;
        self.enough = ROUNDING;
        self.best.clear();
        self.best.resize(p.len(), 0.0);
        p.fill(0.0);
        self.guess(problem, p);
        for _ in 0..PROXIMAL_PASSES {
            self.centre.clear();
            self.centre.extend_from_slice(p);
            let (round, count) = self.exchange(problem, shift, p, self.max_exchanges);
            total += count;
            let residual = certify(problem, p, &mut self.u).residual;
            if residual < best_residual {
                best_residual = residual;
                self.best.copy_from_slice(p);
            }
            // Rounding is the floor: a digit below the tolerance is enough.
            if best_residual <= 0.1 * tolerance || total >= self.max_exchanges {
                break;
            }
            match round {
                Round::Solved => shift = (0.1 * shift).max(LAST_SHIFT),
                // Rounding decides signs on this block: go back to the best iterate and a larger shift.
                Round::Limit | Round::Singular => {
                    shift = (100.0 * shift).min(FIRST_SHIFT);
                    p.copy_from_slice(&self.best);
                    self.guess(problem, p);
                }
            }
        }
        p.copy_from_slice(&self.best);
        let status = if best_residual <= tolerance { Status::Converged } else { Status::Stalled };
        Outcome { status, iterations: total, method: "active-set (proximal)" }
    }
}

/// A single row in ℝ₊ or ℝ, the most common problem of all, has a closed form: p = P_C(−u_free/W).
#[inline]
pub(super) fn single(problem: &Problem, p: &mut [f64]) -> Option<Outcome> {
    let ([set @ (Set::Nonnegative | Set::Free)], [u]) = (&problem.sets[..], &problem.u_free[..]) else {
        return None;
    };
    // W of a contact of bodies is not formed.
    if problem.delassus.has_contacts() {
        return None;
    }
    let [w] = problem.assembled().value[..] else { return None };
    if !(w > 0.0) {
        return None;
    }
    p[0] = set.project(-u / w);
    Some(Outcome { status: Status::Converged, iterations: 1, method: "active-set" })
}

/// Whether any impulse moves row i. A row of zeros can only be left alone; if it is violated the
/// certificate says so, and the other rows are solved all the same.
fn moves(problem: &Problem, i: usize) -> bool {
    problem.assembled().row(i).1.iter().any(|w| *w != 0.0)
}

impl Solver for ActiveSet {
    fn accepts(&self, problem: &Problem) -> Result<(), Unsupported> {
        Unsupported::unless("active-set", problem, |set| matches!(set, Set::Nonnegative | Set::Free))
    }

    fn solve(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Outcome {
        self.given.clear();
        self.given.extend_from_slice(p);
        let (round, iterations) = self.pivot(problem, tolerance, p, self.max_exchanges);
        let made = |status| Outcome { status, iterations, method: "active-set" };
        let outcome = match round {
            Round::Solved if self.error <= tolerance => return made(Status::Converged),
            Round::Solved => made(Status::Stalled),
            Round::Limit => made(Status::IterationLimit),
            Round::Singular => {
                let outcome = self.proximal(problem, tolerance, p);
                Outcome { iterations: outcome.iterations + iterations, ..outcome }
            }
        };
        // What is no solution may be worse than the guess.
        if certify(problem, p, &mut self.u).residual
            > certify(problem, &self.given, &mut self.u).residual
        {
            p.copy_from_slice(&self.given);
        }
        outcome
    }

    fn forget(&mut self) {
        self.block.forget();
    }
}
