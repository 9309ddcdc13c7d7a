//! Alternating directions with one sparse factor: friction, rolling, joints and relays, also where W is singular.
//!
//! The two halves of the problem, u = W p + u_free and the law between u and p, are met in turn:
//!
//! ```text
//! z = Π(v),   (W + ρ D) x = ρ D (2 z − v) − u_free,   v ← v + α (x − z)
//! ```
//!
//! with D = diag(λ_max(W_cc)), so that the penalty ρ has no unit, and Coulomb's projection Π of `scaled.rs`, which
//! holds the shift inside: nothing lags behind and no outer loop is needed. At a fixed point x = z is the impulse
//! and −ρ D (v − z) is u. (In the usual letters the multiplier is y = ρ D (v − z), and α is the over-relaxation
//! [Boyd11, sec. 3].) W + ρ D is regular whatever the rank of W and is factored once per ρ.
//!
//! v ← v + α (x − z) is a map of v alone, and Anderson's method accelerates it. ρ balances the residuals of the two
//! halves [Boyd11, sec. 3.4]. Where the residual has not halved in `PATIENCE` iterations ρ walks down the ladder
//! 1, 0.1, 0.01 and begins again: contacts about to slip want a small one. Every other walk goes without acceleration.
//!
//! Without shift and W semi-definite the plain map converges; with Coulomb's shift that is observed, not proven
//! [Acary18]. Hence the best iterate is kept, and the certificate decides.

use super::anderson::Anderson;
use super::scaled::{Scaled, project_coulomb};
use super::{Entry, Outcome, Solver, Status, Unsupported};
use crate::factor::Factor;
use crate::options::{Declared, Kind, Options};
use crate::problem::Problem;
use crate::sparse::Sparse;

pub(super) const ENTRY: Entry = Entry {
    name: "admm",
    about: "alternating directions on one sparse factor; friction of any kind, many more contacts than velocities",
    options: &[&MAX_ITERATIONS, &RELAXATION, &PENALTY, &PENALTY_POLICY, &ACCELERATION],
    make: |options| Box::new(Admm::new(options)),
};

const MAX_ITERATIONS: Declared = Declared {
    name: "max_iterations",
    about: "most iterations before giving up [–]",
    kind: Kind::Count,
    default: "10000",
};

const RELAXATION: Declared = Declared {
    name: "relaxation",
    about: "over-relaxation α [–]",
    kind: Kind::Number { min: 0.1, max: 1.9 },
    default: "1.6",
};

const PENALTY: Declared = Declared {
    name: "penalty",
    about: "penalty ρ at the start, relative to λ_max(W_cc) [–]",
    kind: Kind::Positive,
    default: "1",
};

const PENALTY_POLICY: Declared = Declared {
    name: "penalty_policy",
    about: "whether ρ follows the residuals or stays",
    kind: Kind::Word(&["balanced", "fixed"]),
    default: "balanced",
};

const ACCELERATION: Declared = Declared {
    name: "acceleration",
    about: "how the fixed point is extrapolated",
    kind: Kind::Word(&["anderson", "none"]),
    default: "anderson",
};

/// Iterations between certificates; each costs a product with W, less than a solve.
const CHECK: usize = 10;
/// Iterations between attempts to balance ρ, and the imbalance that is worth a new factor.
const BALANCE: usize = 20;
const IMBALANCE: f64 = 3.0;
/// Iterations in which the residual must halve; else ρ is changed. Of 77 friction problems 74 reach 1e-8 in a second
/// of time with 300 and with 100, 72 without this rule; a pushed wall of 888 contacts takes 570 iterations to 1e-4
/// with 300, 7650 with 100.
const PATIENCE: usize = 300;
/// Changes of ρ in a row without the residual halving, after which no progress is expected.
const ATTEMPTS: usize = 40;
/// Factor between the rungs of the ladder, the rung below which it begins again, and its top.
const RUNG: f64 = 0.1;
const LOWEST: f64 = 3e-3;
const TOP: f64 = 1.0;
/// Asymmetry, relative to the largest entry of W, that counts as rounding.
const ROUNDING: f64 = 1e-13;

pub(super) struct Admm {
    max_iterations: usize,
    relaxation: f64,
    penalty: f64,
    balanced: bool,
    accelerated: bool,
    scaled: Scaled,
    anderson: Anderson,
    system: System,
    /// The point, its projection (now and before), the solution of the linear half, and α (x − z).
    v: Vec<f64>,
    z: Vec<f64>,
    z_before: Vec<f64>,
    x: Vec<f64>,
    change: Vec<f64>,
    /// W z at the last certificate.
    moved: Vec<f64>,
}

impl Admm {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            max_iterations: options.count(&MAX_ITERATIONS),
            relaxation: options.number(&RELAXATION),
            penalty: options.number(&PENALTY),
            balanced: options.word(&PENALTY_POLICY) == "balanced",
            accelerated: options.word(&ACCELERATION) == "anderson",
            scaled: Scaled::default(),
            anderson: Anderson::default(),
            system: System::default(),
            v: Vec::new(),
            z: Vec::new(),
            z_before: Vec::new(),
            x: Vec::new(),
            change: Vec::new(),
            moved: Vec::new(),
        }
    }

    /// At most this many iterations from now on: for chains.
    pub(super) fn limit(&mut self, most: usize) {
        self.max_iterations = most;
    }

    /// The point that belongs to the impulses p: v = p − u/(ρ d).
    fn begin(&mut self, problem: &Problem, p: &[f64], penalty: f64) {
        for i in 0..p.len() {
            let u = self.moved[i] + problem.u_free[i];
            self.v[i] = p[i] - u / (penalty * self.scaled.weight[i]);
        }
        self.z.copy_from_slice(p);
        self.anderson.reset(p.len());
    }

    /// z ← Π(v), the old one kept.
    fn project(&mut self, problem: &Problem) {
        std::mem::swap(&mut self.z, &mut self.z_before);
        self.z.copy_from_slice(&self.v);
        for (begin, set) in problem.blocks() {
            project_coulomb(set, &mut self.z[begin..begin + set.dim()]);
        }
    }

    /// x and the change of v; false if it is not finite.
    fn solve_linear(&mut self, problem: &Problem, penalty: f64) -> bool {
        for i in 0..self.x.len() {
            let reflected = 2.0 * self.z[i] - self.v[i];
            self.x[i] = penalty * self.scaled.weight[i] * reflected - problem.u_free[i];
        }
        self.system.solve(&mut self.x);
        let mut sum = 0.0;
        for i in 0..self.x.len() {
            self.change[i] = self.relaxation * (self.x[i] - self.z[i]);
            sum += self.change[i];
        }
        sum.is_finite()
    }

    /// Same z and same y = ρ D (v − z) under another penalty, with its factors.
    fn change_penalty(&mut self, from: f64, to: f64) -> bool {
        for (v, z) in self.v.iter_mut().zip(&self.z) {
            *v = z + (*v - z) * (from / to);
        }
        self.anderson.restart();
        self.system.factor(&self.scaled.weight, to)
    }

    /// The penalty at which both halves would have the same relative residual.
    fn balance(&self, penalty: f64) -> f64 {
        let (mut primal, mut dual, mut impulse, mut multiplier) = (0.0, 0.0, 0.0, 0.0);
        for i in 0..self.x.len() {
            let d = self.scaled.weight[i];
            primal += d * (self.x[i] - self.z[i]).powi(2);
            dual += d * (self.z[i] - self.z_before[i]).powi(2);
            impulse += d * self.z[i].powi(2);
            multiplier += d * (self.v[i] - self.z[i]).powi(2);
        }
        let ratio: f64 = (primal / impulse) / (dual / multiplier);
        penalty * ratio.powf(0.25).clamp(0.1, 10.0)
    }

    /// Whether the certificate is worth its product with W.
    fn is_due(&self, problem: &Problem, iteration: usize, tolerance: f64) -> bool {
        if iteration.is_multiple_of(CHECK) || iteration == self.max_iterations {
            return true;
        }
        let change: f64 =
            self.change.iter().zip(&self.scaled.weight).map(|(g, d)| (d * g).powi(2)).sum();
        let free: f64 = problem.u_free.iter().map(|u| u * u).sum();
        let moved: f64 = self.moved.iter().map(|u| u * u).sum();
        change <= tolerance * tolerance * f64::max(free, moved)
    }

    /// Iterates from `p`, whose residual is `residual`; leaves the best impulses in `p`.
    fn iterate(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64], residual: f64) -> Outcome {
        let mut ladder = Ladder::new(self.penalty, self.balanced, residual);
        let mut best = residual;
        let ended = |status, iterations| Outcome { status, iterations, method: "admm" };
        if !(self.system.load(problem) && self.system.factor(&self.scaled.weight, ladder.penalty)) {
            return ended(Status::Stalled, 0);
        }
        self.begin(problem, p, ladder.penalty);
        for iteration in 1..=self.max_iterations {
            self.project(problem);
            if let Some(next) = ladder.next.take() {
                if !self.change_penalty(ladder.penalty, next) {
                    return ended(Status::Stalled, iteration);
                }
                ladder.penalty = next;
            }
            if !self.solve_linear(problem, ladder.penalty) {
                return ended(Status::Stalled, iteration);
            }
            if self.is_due(problem, iteration, tolerance) {
                self.scaled.multiply(problem, &self.z, &mut self.moved);
                let residual = self.scaled.residual(problem, &self.z, &self.moved);
                if residual < best {
                    best = residual;
                    p.copy_from_slice(&self.z);
                }
                if best <= tolerance {
                    return ended(Status::Converged, iteration);
                }
            }
            let wanted = ladder.wanted(iteration, best, |penalty| self.balance(penalty));
            if ladder.attempts >= ATTEMPTS {
                return ended(Status::Stalled, iteration);
            }
            if self.advance(ladder.plain) {
                ladder.next = wanted;
            }
        }
        ended(Status::IterationLimit, self.max_iterations)
    }

    /// The next point; false if the last step was taken back.
    fn advance(&mut self, plain: bool) -> bool {
        if self.accelerated && !plain {
            return self.anderson.advance(&self.scaled.weight, &self.change, &mut self.v);
        }
        self.v.iter_mut().zip(&self.change).for_each(|(v, g)| *v += g);
        true
    }
}

/// The penalty and when to change it.
struct Ladder {
    penalty: f64,
    /// The penalty from the next iteration on, where it changes.
    next: Option<f64>,
    policy: Policy,
    /// The iteration of the next attempt to balance.
    due: usize,
    /// The last iteration by which the residual had halved or patience had ended, and the residual then.
    mark: (usize, f64),
    /// How often patience has ended since the residual last halved.
    attempts: usize,
    /// Whether this walk goes without acceleration.
    plain: bool,
}

#[derive(PartialEq)]
enum Policy {
    Fixed,
    Balance,
    Walk,
}

impl Ladder {
    fn new(penalty: f64, balanced: bool, residual: f64) -> Self {
        let policy = if balanced { Policy::Balance } else { Policy::Fixed };
        Self {
            penalty,
            next: None,
            policy,
            due: BALANCE / 2,
            mark: (0, residual),
            attempts: 0,
            plain: false,
        }
    }

    /// The penalty wanted next, if another one is; `best` is the least residual so far.
    fn wanted(&mut self, iteration: usize, best: f64, balance: impl Fn(f64) -> f64) -> Option<f64> {
        if best < 0.5 * self.mark.1 {
            self.mark = (iteration, best);
            self.attempts = 0;
        }
        if iteration >= self.mark.0 + PATIENCE {
            self.mark.0 = iteration;
            self.attempts += 1;
            if self.policy == Policy::Fixed {
                return None;
            }
            self.policy = Policy::Walk;
            if self.penalty < LOWEST {
                self.plain = !self.plain;
                return Some(TOP);
            }
            return Some(RUNG * self.penalty);
        }
        if self.policy != Policy::Balance || iteration < self.due {
            return None;
        }
        self.due = iteration + BALANCE;
        let penalty = balance(self.penalty);
        let factor = penalty / self.penalty;
        if factor.is_nan() || (1.0 / IMBALANCE..=IMBALANCE).contains(&factor) {
            return None;
        }
        // Ever less often, so that the plain iteration has the last word.
        self.due = iteration + (iteration / 2).max(BALANCE);
        Some(penalty)
    }
}

/// Factors of W + ρ D.
#[derive(Default)]
struct System {
    /// W with all of its diagonal stored, whether it counts as symmetric, and the factors of this pattern.
    known: Option<(Sparse, bool, Factor)>,
    /// The stamp of W, and whether it was called symmetric.
    stamp: (Option<u64>, bool),
    /// ρ and D of the factors; 0 if there are none.
    penalty: f64,
    weight: Vec<f64>,
}

impl System {
    /// Takes over W, and analyses its pattern if that is a new one; false if that fails.
    fn load(&mut self, problem: &Problem) -> bool {
        let stamp = (problem.delassus.stamp, problem.delassus.symmetric);
        if stamp.0.is_some() && stamp == self.stamp {
            return true;
        }
        self.stamp = (None, false);
        self.penalty = 0.0;
        let w = with_diagonal(problem.assembled());
        let symmetric = problem.delassus.symmetric || w.is_symmetric(ROUNDING);
        if let Some((old, was_symmetric, _)) = &mut self.known
            && *was_symmetric == symmetric
            && old.start == w.start
            && old.column == w.column
        {
            old.value.copy_from_slice(&w.value);
        } else {
            self.known = Factor::analyse(&w, symmetric).ok().map(|factor| (w, symmetric, factor));
        }
        if self.known.is_some() {
            self.stamp = stamp;
        }
        self.known.is_some()
    }

    /// Factors W + ρ D unless these are the factors at hand; false if it is singular.
    fn factor(&mut self, weight: &[f64], penalty: f64) -> bool {
        if self.penalty == penalty && self.weight == weight {
            return true;
        }
        self.penalty = 0.0;
        let Some((w, _, factor)) = &mut self.known else { return false };
        let value = |k: usize, i: usize, j: usize| {
            if i == j { w.value[k] + penalty * weight[i] } else { w.value[k] }
        };
        if factor.factor(value).is_err() {
            return false;
        }
        self.penalty = penalty;
        self.weight.clear();
        self.weight.extend_from_slice(weight);
        true
    }

    fn solve(&mut self, x: &mut [f64]) {
        let (_, _, factor) = self.known.as_mut().expect("`factor` must succeed before `solve`");
        factor.solve(x);
    }
}

/// W with every entry of its diagonal stored, if only as zero.
fn with_diagonal(w: &Sparse) -> Sparse {
    let mut full = Sparse::empty(w.n_columns);
    for i in 0..w.n_rows() {
        let (columns, values) = w.row(i);
        let place = columns.partition_point(|&j| (j as usize) < i);
        full.column.extend_from_slice(&columns[..place]);
        full.value.extend_from_slice(&values[..place]);
        if columns.get(place) != Some(&(i as u32)) {
            full.column.push(i as u32);
            full.value.push(0.0);
        }
        full.column.extend_from_slice(&columns[place..]);
        full.value.extend_from_slice(&values[place..]);
        full.finish_row();
    }
    full
}

impl Solver for Admm {
    fn accepts(&self, _problem: &Problem) -> Result<(), Unsupported> {
        Ok(())
    }

    fn solve(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Outcome {
        for scratch in [&mut self.v, &mut self.z, &mut self.z_before, &mut self.x, &mut self.change] {
            scratch.clear();
            scratch.resize(p.len(), 0.0);
        }
        self.moved.resize(p.len(), 0.0);
        self.scaled.prepare(problem);
        let residual = self.scaled.start(problem, p, &mut self.moved);
        if residual <= tolerance {
            return Outcome { status: Status::Converged, iterations: 0, method: "admm" };
        }
        self.iterate(problem, tolerance, p, residual)
    }

    fn forget(&mut self) {
        self.system = System::default();
    }
}
