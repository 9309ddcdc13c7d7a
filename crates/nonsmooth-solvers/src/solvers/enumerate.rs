//! Solution by enumeration: the slow obvious oracle.
//!
//! Every constraint is put in each of its states in turn (`modes.rs`); a choice of states for all of them leaves the
//! linear system
//!
//! ```text
//! p = offset + C y,     R (W p + u_free) = 0
//! ```
//!
//! whose solution is kept if its certificate is the best so far. Where R W C is singular and the equations agree,
//! the point of the solution space nearest to the basic solution that meets the inequalities of the states is
//! taken, so that the method is complete for LCP, mixed LCP, relays, planar and faceted friction. One contact
//! with a friction cone in space may be among the constraints: how it slides is a quartic (`sliding.rs`).

use super::mixed::{Limits, Mixed};
use super::modes::{Mode, Vector, modes};
use super::rank::{Lu, reveal};
use super::sliding::sliding;
use super::{Entry, Outcome, Solver, Status, Unsupported};
use crate::certificate::certify;
use crate::problem::Problem;
use crate::set::Set;
use crate::sparse::Sparse;

pub(super) const ENTRY: Entry = Entry {
    name: "enumerate",
    about: "tries every state of every contact (at most 2²⁰ choices, one cone in space); the oracle of the tests",
    options: &[],
    make: |_| Box::new(Enumerate),
};

/// Unilateral rows whose 2ⁿ choices take seconds; beyond that the method is of no use.
const ROWS: usize = 20;
const CHOICES: f64 = 1_048_576.0;
/// Relative size of a pivot below which a system is treated as singular, too.
const SUSPECT: f64 = 1e-9;
/// Tangents that stand for a disc; each gains about a digit.
const CUTS: usize = 40;

struct Enumerate;

impl Solver for Enumerate {
    fn accepts(&self, problem: &Problem) -> Result<(), Unsupported> {
        const SOLVER: &str = ENTRY.name;
        let other = |set| matches!(set, Set::Rolling3 { .. } | Set::Spinning3 { .. });
        Unsupported::unless(SOLVER, problem, |set| !other(set))?;
        if problem.sets.iter().filter(|set| matches!(set, Set::Coulomb3 { .. })).count() > 1 {
            let what = "more than one contact with spatial friction";
            return Err(Unsupported::Kind { solver: SOLVER, what });
        }
        // Sliding of the disc is the last state.
        let states = |set| modes(set).len() + usize::from(matches!(set, Set::Coulomb3 { .. }));
        let choices: f64 = problem.sets.iter().map(|&set| states(set) as f64).product();
        if choices <= CHOICES {
            return Ok(());
        }
        if problem.sets.iter().all(|set| matches!(set, Set::Nonnegative | Set::Free)) {
            let rows = problem.sets.iter().filter(|set| **set == Set::Nonnegative).count();
            return Err(Unsupported::TooLarge { solver: SOLVER, limit: ROWS, rows });
        }
        Err(Unsupported::Kind {
            solver: SOLVER, what: "more than 2²⁰ combinations of contact states"
        })
    }

    fn solve(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Outcome {
        let mut search = Search::new(problem);
        let mut choice = vec![0; search.constraints.len()];
        let mut tried = 0;
        loop {
            tried += 1;
            search.try_choice(&choice);
            if search.best <= f64::EPSILON || !search.advance(&mut choice) {
                break;
            }
        }
        p.copy_from_slice(&search.best_p);
        let status = if search.best <= tolerance { Status::Converged } else { Status::Infeasible };
        Outcome { status, iterations: tried, method: ENTRY.name }
    }

    fn forget(&mut self) {}
}

/// Relative distance below which two solutions are the same.
const SAME: f64 = 1e-6;

/// All solutions with a certificate of at most `tolerance`, one of each connected set of them; none where `enumerate` does not take the problem.
///
/// ```
/// use nonsmooth_solvers::{Delassus, Problem, Set, Sparse, all_solutions};
/// // 0 ≤ 1 − p ⟂ p ≥ 0: Painlevé's rod in the region of two solutions.
/// let mut delassus = Delassus::explicit(Sparse::diagonal(&[-1.0]));
/// delassus.symmetric = false;
/// let problem = Problem {
///     delassus,
///     u_free: vec![1.0],
///     sets: vec![Set::Nonnegative],
///     ..Problem::default()
/// };
/// assert_eq!(all_solutions(&problem, 1e-10), Some(vec![vec![0.0], vec![1.0]]));
/// ```
pub fn all_solutions(problem: &Problem, tolerance: f64) -> Option<Vec<Vec<f64>>> {
    Enumerate.accepts(problem).ok()?;
    let mut search = Search::new(problem);
    search.kept = tolerance;
    let mut choice = vec![0; search.constraints.len()];
    loop {
        search.try_choice(&choice);
        if !search.advance(&mut choice) {
            return Some(search.found);
        }
    }
}

/// One constraint: its first row, its components and its states, each with W times its columns.
struct Constraint {
    begin: usize,
    dim: usize,
    states: Vec<(Mode, Vec<Vec<f64>>)>,
    /// Radius of the disc, if the section is one.
    disc: Option<f64>,
}

struct Search<'a> {
    problem: &'a Problem,
    constraints: Vec<Constraint>,
    best: f64,
    best_p: Vec<f64>,
    u: Vec<f64>,
    /// Solutions with a certificate of at most `kept`.
    found: Vec<Vec<f64>>,
    kept: f64,
}

/// R W C y = −R (W offset + u_free) of one choice.
struct Pieces<'a> {
    offset: Vec<f64>,
    columns: Vec<(usize, &'a Vector)>,
    rows: Vec<(usize, &'a Vector)>,
    matrix: Vec<f64>,
    rhs: Vec<f64>,
}

fn is_same(a: &[f64], b: &[f64]) -> bool {
    let largest = |x: &[f64]| x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let apart = a.iter().zip(b).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    apart <= SAME * largest(a).max(largest(b))
}

fn dot(a: &Vector, x: &[f64]) -> f64 {
    a.iter().zip(x).map(|(a, x)| a * x).sum()
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem) -> Self {
        let n = problem.size();
        let constraint = |(begin, set): (usize, Set)| {
            let dim = set.dim();
            let respond = |column: &Vector| {
                let mut p = vec![0.0; n];
                p[begin..begin + dim].copy_from_slice(&column[..dim]);
                let mut moved = vec![0.0; n];
                problem.assembled().multiply(&p, &mut moved);
                moved
            };
            let with_response = |mode: Mode| {
                let response = mode.columns.iter().map(respond).collect();
                (mode, response)
            };
            let states = modes(set).into_iter().map(with_response).collect();
            let disc = if let Set::Coulomb3 { mu } = set { Some(mu) } else { None };
            Constraint { begin, dim, states, disc: disc.filter(|mu| *mu > 0.0) }
        };
        let constraints = problem.blocks().map(constraint).collect();
        let (best, best_p) = (f64::INFINITY, vec![0.0; n]);
        Self { problem, constraints, best, best_p, u: Vec::new(), found: Vec::new(), kept: -1.0 }
    }

    /// The next choice of states; false after the last.
    fn advance(&self, choice: &mut [usize]) -> bool {
        for (state, constraint) in choice.iter_mut().zip(&self.constraints) {
            *state += 1;
            // A disc has one state more: sliding.
            if *state < constraint.states.len() + usize::from(constraint.disc.is_some()) {
                return true;
            }
            *state = 0;
        }
        false
    }

    fn try_choice(&mut self, choice: &[usize]) {
        let constraints = std::mem::take(&mut self.constraints);
        let slides = |(c, state): (&Constraint, &usize)| *state == c.states.len();
        match constraints.iter().zip(choice).position(slides) {
            Some(at) => self.slide(&constraints, choice, at),
            None => {
                let pieces = Pieces::new(self.problem, &constraints, choice, None);
                self.rest(&constraints, choice, &pieces);
            }
        }
        self.constraints = constraints;
    }

    fn judge(&mut self, p: &[f64]) -> f64 {
        let residual = certify(self.problem, p, &mut self.u).residual;
        if residual < self.best {
            self.best = residual;
            self.best_p.copy_from_slice(p);
        }
        if residual <= self.kept && !self.found.iter().any(|known| is_same(known, p)) {
            self.found.push(p.to_vec());
        }
        residual
    }

    /// All constraints on linear pieces.
    fn rest(&mut self, constraints: &[Constraint], choice: &[usize], pieces: &Pieces) {
        let factors = Lu::new(pieces.matrix.clone(), pieces.rhs.len());
        let regular = factors.as_ref().is_some_and(|factors| factors.smallest_pivot() > SUSPECT);
        if let Some(factors) = &factors {
            let y = factors.solve_refined(&pieces.matrix, &pieces.rhs);
            if y.iter().all(|y| y.is_finite()) {
                self.judge(&pieces.impulses(constraints, &y));
            }
        }
        if regular {
            return;
        }
        let Some((y, null)) = reveal(pieces.matrix.clone(), pieces.rhs.clone()) else {
            return;
        };
        if self.judge(&pieces.impulses(constraints, &y)) <= f64::EPSILON || null.is_empty() {
            return;
        }
        if let Some(p) = self.feasible(constraints, choice, pieces, &y, &null) {
            self.judge(&p);
        }
    }

    /// The point p(y + N t) with the smallest t that meets the inequalities of the states:
    /// t = Aᵀ μ, 0 ≤ μ ⟂ A Aᵀ μ − b ≥ 0, where A t ≥ b are the inequalities.
    fn feasible(
        &self,
        constraints: &[Constraint],
        choice: &[usize],
        pieces: &Pieces,
        y: &[f64],
        null: &[Vec<f64>],
    ) -> Option<Vec<f64>> {
        let start = pieces.impulses(constraints, y);
        let shifted = |z: &Vec<f64>| -> Vec<f64> {
            let moved: Vec<f64> = y.iter().zip(z).map(|(y, z)| y + z).collect();
            let p = pieces.impulses(constraints, &moved);
            p.iter().zip(&start).map(|(p, s)| p - s).collect()
        };
        let directions: Vec<Vec<f64>> = null.iter().map(shifted).collect();
        let w = self.problem.assembled();
        let multiply = |x: &Vec<f64>| {
            let mut y = vec![0.0; x.len()];
            w.multiply(x, &mut y);
            y
        };
        let moved: Vec<Vec<f64>> = directions.iter().map(multiply).collect();
        let mut velocity = multiply(&start);
        velocity.iter_mut().zip(&self.problem.u_free).for_each(|(u, free)| *u += free);
        let (mut a, mut b): (Vec<Vec<f64>>, Vec<f64>) = (Vec::new(), Vec::new());
        for (c, &state) in constraints.iter().zip(choice) {
            let at = |x: &'_ [f64]| x[c.begin..c.begin + c.dim].to_vec();
            let (mode, _) = &c.states[state];
            for (g, h) in &mode.impulse_limits {
                a.push(directions.iter().map(|d| dot(g, &at(d))).collect());
                b.push(h - dot(g, &at(&start)));
            }
            for g in &mode.velocity_limits {
                a.push(moved.iter().map(|d| dot(g, &at(d))).collect());
                b.push(-dot(g, &at(&velocity)));
            }
        }
        let at = |t: &[f64]| -> Vec<f64> {
            let step = |i: usize| directions.iter().zip(t).map(|(d, t)| d[i] * t).sum::<f64>();
            (0..start.len()).map(|i| start[i] + step(i)).collect()
        };
        let disc = constraints.iter().zip(choice).find(|(c, state)| c.disc.is_some() && **state == 1);
        let Some((Constraint { begin, disc: Some(mu), .. }, _)) = disc else {
            return Some(at(&least_distance(&a, &b, null.len())?));
        };
        // A disc is cut out by its tangents: each pass adds one where the last point is outside.
        for _ in 0..CUTS {
            let p = at(&least_distance(&a, &b, null.len())?);
            let (normal, x, y) = (p[*begin], p[begin + 1], p[begin + 2]);
            let radius = x.hypot(y);
            if radius <= mu * normal * (1.0 + 4.0 * f64::EPSILON) {
                return Some(p);
            }
            let cut = |d: &[f64]| mu * d[*begin] - (x * d[begin + 1] + y * d[begin + 2]) / radius;
            a.push(directions.iter().map(|d| cut(d)).collect());
            b.push(-cut(&start));
        }
        Some(at(&least_distance(&a, &b, null.len())?))
    }

    /// One disc slides, the others rest on linear pieces: y = e − E p of the others leaves 3 × 3.
    fn slide(&mut self, constraints: &[Constraint], choice: &[usize], at: usize) {
        let pieces = Pieces::new(self.problem, constraints, choice, Some(at));
        let (begin, n) = (constraints[at].begin, self.problem.size());
        let w = self.problem.assembled();
        let Some((constant, _)) = reveal(pieces.matrix.clone(), pieces.rhs.clone()) else {
            return;
        };
        let alone = pieces.impulses(constraints, &constant);
        let mut reply = Vec::new();
        for k in 0..3 {
            let b = pieces
                .rows
                .iter()
                .map(|&(c, row)| {
                    let i = constraints[c].begin;
                    -(0..constraints[c].dim).map(|l| row[l] * w.get(i + l, begin + k)).sum::<f64>()
                })
                .collect();
            let Some((y, _)) = reveal(pieces.matrix.clone(), b) else {
                return;
            };
            let mut p = pieces.impulses(constraints, &y);
            p.iter_mut().zip(&pieces.offset).for_each(|(p, offset)| *p -= offset);
            p[begin + k] += 1.0;
            reply.push(p);
        }
        let block: [[f64; 3]; 3] =
            std::array::from_fn(|i| std::array::from_fn(|k| w.row_dot(begin + i, &reply[k])));
        let free: [f64; 3] =
            std::array::from_fn(|i| w.row_dot(begin + i, &alone) + self.problem.u_free[begin + i]);
        for found in sliding(&block, &free, constraints[at].disc.unwrap_or(0.0)) {
            let p: Vec<f64> =
                (0..n).map(|i| alone[i] + (0..3).map(|k| reply[k][i] * found[k]).sum::<f64>()).collect();
            self.judge(&p);
        }
    }
}

impl<'a> Pieces<'a> {
    /// The system of a choice, without the constraint `except`.
    fn new(
        problem: &Problem,
        constraints: &'a [Constraint],
        choice: &[usize],
        except: Option<usize>,
    ) -> Self {
        let mut offset = vec![0.0; problem.size()];
        let (mut columns, mut rows, mut responses) = (Vec::new(), Vec::new(), Vec::new());
        for (k, (c, &state)) in constraints.iter().zip(choice).enumerate() {
            if Some(k) == except {
                continue;
            }
            let (mode, response) = &c.states[state];
            offset[c.begin..c.begin + c.dim].copy_from_slice(&mode.offset[..c.dim]);
            columns.extend(mode.columns.iter().map(|column| (k, column)));
            rows.extend(mode.rows.iter().map(|row| (k, row)));
            responses.extend(response);
        }
        let at = |k: usize, row: &Vector, x: &[f64]| {
            dot(row, &x[constraints[k].begin..][..constraints[k].dim])
        };
        let mut free = problem.u_free.clone();
        if offset.iter().any(|x| *x != 0.0) {
            problem.assembled().multiply_add(1.0, &offset, &mut free);
        }
        let mut matrix = Vec::with_capacity(rows.len() * rows.len());
        for &(k, row) in &rows {
            matrix.extend(responses.iter().map(|response: &&Vec<f64>| at(k, row, response)));
        }
        let rhs = rows.iter().map(|&(k, row)| -at(k, row, &free)).collect();
        Self { offset, columns, rows, matrix, rhs }
    }

    /// p = offset + C y.
    fn impulses(&self, constraints: &[Constraint], y: &[f64]) -> Vec<f64> {
        let mut p = self.offset.clone();
        for (&(k, column), y) in self.columns.iter().zip(y) {
            let Constraint { begin, dim, .. } = constraints[k];
            p[begin..begin + dim].iter_mut().zip(column).for_each(|(p, c)| *p += c * y);
        }
        p
    }
}

/// The smallest t with A t ≥ b, if there is one.
fn least_distance(a: &[Vec<f64>], b: &[f64], n: usize) -> Option<Vec<f64>> {
    let inner = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let gram: Vec<Vec<f64>> = a.iter().map(|x| a.iter().map(|y| inner(x, y)).collect()).collect();
    let (matrix, rhs): (Sparse, Vec<f64>) = (Sparse::from_rows(&gram), b.iter().map(|b| -b).collect());
    let bounds = vec![(0.0, f64::INFINITY); b.len()];
    let combine = |mu: &[f64]| -> Vec<f64> {
        (0..n).map(|k| a.iter().zip(mu).map(|(a, mu)| a[k] * mu).sum()).collect()
    };
    let size = b.iter().fold(0.0f64, |m, b| m.max(b.abs()));
    let mut judge = |mu: &[f64]| {
        let t = combine(mu);
        let worst = a.iter().zip(b).fold(0.0f64, |m, (a, b)| m.max(b - inner(a, &t)));
        (worst, worst <= 1e-13 * size)
    };
    let mut mu = vec![0.0; b.len()];
    let limits = Limits { max_pivots: 1000, tolerance: 1e-13 };
    let mixed = Mixed { matrix: &matrix, rhs: &rhs, bounds: &bounds };
    mixed.solve(limits, &mut judge, &mut mu);
    // A thousand times rounding: the certificate of the whole problem has the last word.
    (judge(&mu).0 <= 1e-10 * size).then(|| combine(&mu))
}
