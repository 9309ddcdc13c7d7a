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

use super::subset::Subset;
use super::{Entry, Outcome, Solver, Status, Unsupported};
use crate::certificate::certify;
use crate::options::{Declared, Kind};
use crate::problem::{Problem, Set};

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
/// ε of the proximal problem: small against the nonzero eigenvalues of W / diag(W) of real stacks,
/// large against rounding. Each pass gains about log₁₀(λ_min/ε) digits.
const PROXIMAL_SHIFT: f64 = 1e-7;
/// Proximal passes before giving up.
const PROXIMAL_PASSES: usize = 60;
/// Rounding of one component of W p, in units of ‖row‖ ‖p‖.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

pub(super) struct ActiveSet {
    max_exchanges: usize,
    subset: Subset,
    active: Vec<bool>,
    u: Vec<f64>,
    centre: Vec<f64>,
    best: Vec<f64>,
    correction: Vec<f64>,
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
            subset: Subset::default(),
            active: Vec::new(),
            u: Vec::new(),
            centre: Vec::new(),
            best: Vec::new(),
            correction: Vec::new(),
        }
    }

    /// The first guess of A, from the guess of p and the free velocities.
    fn guess(&mut self, problem: &Problem, p: &[f64]) {
        self.active.clear();
        self.active.extend(
            (0..problem.size())
                .map(|i| problem.sets[i] == Set::Free || p[i] > 0.0 || problem.u_free[i] < 0.0),
        );
    }

    /// Exchanges until no row is violated, for W + shift·diag(W) around `centre`.
    fn exchange(&mut self, problem: &Problem, shift: f64, p: &mut [f64]) -> (Round, usize) {
        let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
        for count in 1..=self.max_exchanges {
            if !self.subset.prepare(problem, &self.active, shift) {
                return (Round::Singular, count);
            }
            for (i, p) in p.iter_mut().enumerate() {
                *p = -problem.u_free[i];
            }
            if shift > 0.0 {
                for i in 0..problem.size() {
                    p[i] += shift * problem.delassus.get(i, i) * self.centre[i];
                }
            }
            self.subset.solve(p);
            if !self.evaluate(problem, shift, p) {
                return (Round::Singular, count);
            }
            let (violated, last) = self.violations(problem, p);
            if violated == 0 {
                for (p, set) in p.iter_mut().zip(&problem.sets) {
                    *p = set.project(*p);
                }
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
        (Round::Limit, self.max_exchanges)
    }

    /// u ← W p + u_free of the (shifted) problem, mending p_A by one refinement if it needs it;
    /// false if u_A does not vanish even so.
    fn evaluate(&mut self, problem: &Problem, shift: f64, p: &mut [f64]) -> bool {
        for attempt in 0..3 {
            let (mut scale, mut error) = (0.0f64, 0.0f64);
            self.u.clear();
            for i in 0..problem.size() {
                let moved = problem.delassus.row_dot(i, p);
                let mut free = problem.u_free[i];
                if shift > 0.0 {
                    free += shift * problem.delassus.get(i, i) * (p[i] - self.centre[i]);
                }
                self.u.push(moved + free);
                scale = scale.max(moved.abs()).max(problem.u_free[i].abs());
                if self.active[i] {
                    error = error.max((moved + free).abs());
                }
            }
            // 1e-13 is what back-substitution leaves on well-conditioned blocks; a worse start is refined.
            if error <= 1e-13 * scale {
                return true;
            }
            if attempt == 2 || !error.is_finite() {
                return error <= 1e-9 * scale;
            }
            self.correction.clear();
            self.correction.extend(self.u.iter().map(|u| -u));
            self.subset.solve(&mut self.correction);
            for (p, d) in p.iter_mut().zip(&self.correction) {
                *p += d;
            }
        }
        true
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
            (Set::Nonnegative, true) => p[i] < -ROUNDING * largest,
            (Set::Nonnegative, false) => {
                self.u[i] < 0.0 && {
                    let row = problem.delassus.row(i).1.iter().map(|w| w.abs()).sum::<f64>();
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

    /// Proximal passes around the last iterate, for singular blocks.
    fn proximal(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Outcome {
        let mut total = 0;
        let mut best_residual = f64::INFINITY;
        self.best.clear();
        self.best.resize(p.len(), 0.0);
        p.fill(0.0);
        self.guess(problem, p);
        for _ in 0..PROXIMAL_PASSES {
            self.centre.clear();
            self.centre.extend_from_slice(p);
            let (round, count) = self.exchange(problem, PROXIMAL_SHIFT, p);
            total += count;
            let residual = certify(problem, p, &mut self.u).residual;
            if residual < best_residual {
                best_residual = residual;
                self.best.copy_from_slice(p);
            }
            // Rounding is the floor: a digit below the tolerance is enough.
            if best_residual <= 0.1 * tolerance || !matches!(round, Round::Solved) {
                break;
            }
        }
        p.copy_from_slice(&self.best);
        let status = if best_residual <= tolerance { Status::Converged } else { Status::Stalled };
        Outcome { status, iterations: total, method: "active-set (proximal)" }
    }
}

impl Solver for ActiveSet {
    fn accepts(&self, _problem: &Problem) -> Result<(), Unsupported> {
        Ok(())
    }

    fn solve(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Outcome {
        self.guess(problem, p);
        let (round, iterations) = self.exchange(problem, 0.0, p);
        let status = match round {
            Round::Solved => Status::Converged,
            Round::Limit => Status::IterationLimit,
            Round::Singular => {
                let outcome = self.proximal(problem, tolerance, p);
                return Outcome { iterations: outcome.iterations + iterations, ..outcome };
            }
        };
        Outcome { status, iterations, method: "active-set" }
    }

    fn forget(&mut self) {
        self.subset.forget();
    }
}
