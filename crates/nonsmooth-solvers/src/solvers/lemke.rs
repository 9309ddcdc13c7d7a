//! Lemke's method with the lexicographic ratio test, for LCP and mixed LCP with any matrix.
//!
//! The bilateral rows are eliminated first by principal pivots (largest first; rows that turn out
//! redundant are left to the certificate). What remains is w = M z + q, 0 ≤ w ⟂ z ≥ 0, solved in the
//! tableau
//!
//! ```text
//! I w − M z − d z₀ = q,     d = (1, …, 1),
//! ```
//!
//! where z₀ enters first, and each leaving variable is followed by its complement until z₀ leaves.
//! Ties in the ratio are broken lexicographically by the rows of the inverse basis, z₀ first, so that
//! degenerate problems cannot cycle [Cottle92, sec. 4.9]. Rows and columns are scaled to a unit
//! diagonal. The final basis is solved once more from the original data.

use super::{Entry, Outcome, Solver, Status, Unsupported};
use crate::certificate::certify;
use crate::dense::eliminate;
use crate::options::{Declared, Kind};
use crate::problem::Problem;
use crate::set::Set;

pub(super) const ENTRY: Entry = Entry {
    name: "lemke",
    about: "lexicographic Lemke: LCP and mixed LCP with any matrix, dense, safe on degenerate data",
    options: &[&MAX_PIVOTS],
    make: |options| Box::new(Lemke::new(options.count(&MAX_PIVOTS))),
};

const MAX_PIVOTS: Declared = Declared {
    name: "max_pivots",
    about: "most pivots before giving up [–]",
    kind: Kind::Count,
    default: "100000",
};

/// Rows beyond which the dense tableau (2 n² numbers) passes a gigabyte.
const LIMIT: usize = 8000;
/// Sizes below which a pivot of the scaled tableau counts as zero, tried in this order until the
/// certificate is met. On rank-deficient problems no single value serves: of 100 000 random piles 1e-11
/// alone misses 27, 1e-9 alone 5 (tests/it/random_lcp.rs: what_one_solver_solves_auto_and_lemke_solve_too).
const PIVOT_TOLERANCES: [f64; 3] = [1e-9, 1e-11, 1e-7];
/// The same for the elimination of bilateral rows: below it a joint is redundant.
const REDUNDANT: f64 = 1e-11;
/// Two ratios closer than this, relatively, are a tie.
const TIE_TOLERANCE: f64 = 1e-12;

pub(super) struct Lemke {
    max_pivots: usize,
    scale: Vec<f64>,
    reduced: Vec<f64>,
    rhs: Vec<f64>,
    eliminated: Vec<usize>,
    unilateral: Vec<usize>,
    tableau: Tableau,
    found: Vec<f64>,
    trial: Vec<f64>,
    u: Vec<f64>,
}

impl Lemke {
    pub(super) fn new(max_pivots: usize) -> Self {
        Self {
            max_pivots,
            scale: Vec::new(),
            reduced: Vec::new(),
            rhs: Vec::new(),
            eliminated: Vec::new(),
            unilateral: Vec::new(),
            tableau: Tableau::default(),
            found: Vec::new(),
            trial: Vec::new(),
            u: Vec::new(),
        }
    }

    /// Copies W and u_free, scaled to a unit diagonal.
    fn load(&mut self, problem: &Problem) {
        let n = problem.size();
        self.scale.clear();
        self.scale.extend((0..n).map(|i| {
            let w = problem.delassus().get(i, i);
            if w > 0.0 { 1.0 / w.sqrt() } else { 1.0 }
        }));
        self.reduced.clear();
        self.reduced.resize(n * n, 0.0);
        for i in 0..n {
            let (columns, values) = problem.delassus().row(i);
            for (&j, &w) in columns.iter().zip(values) {
                self.reduced[i * n + j as usize] = w * self.scale[i] * self.scale[j as usize];
            }
        }
        self.rhs.clear();
        self.rhs.extend((0..n).map(|i| problem.u_free[i] * self.scale[i]));
    }

    /// Exchanges u_k = 0 for p_k on the bilateral rows: afterwards row k reads p_k = … .
    fn eliminate_bilateral(&mut self, problem: &Problem) {
        let n = problem.size();
        let mut left: Vec<usize> = (0..n).filter(|&i| problem.sets[i] == Set::Free).collect();
        self.eliminated.clear();
        let a = &mut self.reduced;
        while let Some(place) = (0..left.len())
            .max_by(|&x, &y| a[left[x] * n + left[x]].abs().total_cmp(&a[left[y] * n + left[y]].abs()))
        {
            let k = left.swap_remove(place);
            if a[k * n + k].abs() <= REDUNDANT {
                break;
            }
            let pivot = 1.0 / a[k * n + k];
            for j in 0..n {
                a[k * n + j] *= -pivot;
            }
            self.rhs[k] *= -pivot;
            a[k * n + k] = 0.0;
            for i in (0..n).filter(|&i| i != k) {
                let factor = a[i * n + k];
                a[i * n + k] = 0.0;
                if factor != 0.0 {
                    for j in 0..n {
                        a[i * n + j] += factor * a[k * n + j];
                    }
                    self.rhs[i] += factor * self.rhs[k];
                }
            }
            self.eliminated.push(k);
        }
        self.unilateral.clear();
        self.unilateral.extend((0..n).filter(|&i| problem.sets[i] == Set::Nonnegative));
    }

    /// `found` from the basis, then once more from the original data where that is better.
    fn recover(&mut self, problem: &Problem) {
        let n = problem.size();
        let mut p = std::mem::take(&mut self.found);
        p.clear();
        p.resize(n, 0.0);
        for (k, &i) in self.unilateral.iter().enumerate() {
            p[i] = self.tableau.z(k);
        }
        for &k in &self.eliminated {
            let (row, rhs) = (&self.reduced[k * n..(k + 1) * n], self.rhs[k]);
            let sum: f64 = self.unilateral.iter().map(|&j| row[j] * p[j]).sum();
            p[k] = rhs + sum;
        }
        for (p, s) in p.iter_mut().zip(&self.scale) {
            *p *= s;
        }
        let active: Vec<usize> = (0..n).filter(|i| p[*i] > 0.0 || self.eliminated.contains(i)).collect();
        let mut a: Vec<f64> = active
            .iter()
            .flat_map(|&i| active.iter().map(move |&j| problem.delassus().get(i, j)))
            .collect();
        let mut x: Vec<f64> = active.iter().map(|&i| -problem.u_free[i]).collect();
        if eliminate(&mut a, &mut x) {
            self.trial.clear();
            self.trial.resize(n, 0.0);
            for (&i, x) in active.iter().zip(x) {
                self.trial[i] = problem.sets[i].project(x);
            }
            let before = certify(problem, &p, &mut self.u).residual;
            if certify(problem, &self.trial, &mut self.u).residual < before {
                p.copy_from_slice(&self.trial);
            }
        }
        self.found = p;
    }
}

impl Solver for Lemke {
    fn accepts(&self, problem: &Problem) -> Result<(), Unsupported> {
        if problem.size() > LIMIT {
            let rows = problem.size();
            return Err(Unsupported::TooLarge { solver: "lemke", limit: LIMIT, rows });
        }
        Unsupported::unless("lemke", problem, |set| matches!(set, Set::Nonnegative | Set::Free))
    }

    fn solve(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Outcome {
        self.load(problem);
        self.eliminate_bilateral(problem);
        let mut total = 0;
        let mut best = (f64::INFINITY, Status::Stalled);
        for pivot_tolerance in PIVOT_TOLERANCES {
            self.tableau.fill(&self.reduced, &self.rhs, &self.unilateral);
            let (status, pivots) = self.tableau.run(self.max_pivots, pivot_tolerance);
            total += pivots;
            self.recover(problem);
            let residual = certify(problem, &self.found, &mut self.u).residual;
            if !(residual >= best.0) {
                best = (residual, status);
                p.copy_from_slice(&self.found);
            }
            if residual <= tolerance || status == Status::IterationLimit {
                break;
            }
        }
        Outcome { status: best.1, iterations: total, method: "lemke" }
    }

    fn forget(&mut self) {}
}

/// The tableau [w | z | z₀ | q], q divided by `size`, and which variable each row holds.
#[derive(Default)]
struct Tableau {
    n: usize,
    width: usize,
    entries: Vec<f64>,
    basis: Vec<usize>,
    size: f64,
}

impl Tableau {
    /// I w − M z − d z₀ = q for the rows and columns `keep` of an n × n matrix.
    fn fill(&mut self, matrix: &[f64], rhs: &[f64], keep: &[usize]) {
        let stride = rhs.len();
        self.n = keep.len();
        self.width = 2 * self.n + 2;
        self.entries.clear();
        self.entries.resize(self.n * self.width, 0.0);
        // The covering vector is scaled like q, so that one tolerance fits all columns.
        let size = keep.iter().fold(0.0f64, |m, &i| m.max(rhs[i].abs())).max(f64::MIN_POSITIVE);
        for (k, &i) in keep.iter().enumerate() {
            let row = &mut self.entries[k * self.width..(k + 1) * self.width];
            row[k] = 1.0;
            for (l, &j) in keep.iter().enumerate() {
                row[self.n + l] = -matrix[i * stride + j];
            }
            row[2 * self.n] = -1.0;
            row[2 * self.n + 1] = rhs[i] / size;
        }
        self.basis.clear();
        self.basis.extend(0..self.n);
        self.size = size;
    }

    fn run(&mut self, max_pivots: usize, pivot_tolerance: f64) -> (Status, usize) {
        let n = self.n;
        let rhs = |row: usize, t: &Self| t.entries[row * t.width + 2 * n + 1];
        if (0..n).all(|i| rhs(i, self) >= 0.0) {
            return (Status::Converged, 0);
        }
        // z₀ enters at the lexicographically smallest row (all pivot candidates are −1).
        let first = (1..n).fold(0, |best, i| if self.lex_less(i, 1.0, best, 1.0) { i } else { best });
        let mut leaving = self.pivot(first, 2 * n);
        for count in 1..max_pivots {
            let entering = if leaving < n { leaving + n } else { leaving - n };
            let Some(row) = self.ratio_test(entering, pivot_tolerance) else {
                return (Status::Infeasible, count);
            };
            leaving = self.pivot(row, entering);
            if leaving == 2 * n {
                return (Status::Converged, count + 1);
            }
        }
        (Status::IterationLimit, max_pivots)
    }

    /// The row that leaves when `entering` grows; z₀ leaves on ties.
    fn ratio_test(&self, entering: usize, pivot_tolerance: f64) -> Option<usize> {
        let mut best: Option<usize> = None;
        for i in 0..self.n {
            let a = self.entries[i * self.width + entering];
            if a <= pivot_tolerance {
                continue;
            }
            best = match best {
                None => Some(i),
                Some(b) => {
                    let c = self.entries[b * self.width + entering];
                    Some(if self.lex_less(i, a, b, c) { i } else { b })
                }
            };
        }
        let best = best?;
        let rhs = 2 * self.n + 1;
        let ratio =
            |i: usize| self.entries[i * self.width + rhs] / self.entries[i * self.width + entering];
        let covering = self.basis.iter().position(|&variable| variable == 2 * self.n);
        covering
            .filter(|&i| self.entries[i * self.width + entering] > pivot_tolerance)
            .filter(|&i| ratio(i) <= ratio(best) + TIE_TOLERANCE * (1.0 + ratio(best).abs()))
            .or(Some(best))
    }

    /// Whether row i / a comes before row j / b: right-hand side first, then the inverse basis.
    fn lex_less(&self, i: usize, a: f64, j: usize, b: f64) -> bool {
        let rhs = 2 * self.n + 1;
        let (row_i, row_j) = (&self.entries[i * self.width..], &self.entries[j * self.width..]);
        for column in std::iter::once(rhs).chain(0..self.n) {
            let (x, y) = (row_i[column] / a, row_j[column] / b);
            if (x - y).abs() > TIE_TOLERANCE * (1.0 + x.abs().max(y.abs())) {
                return x < y;
            }
        }
        i < j
    }

    /// Brings `entering` into the basis at `row`; returns the variable that leaves.
    fn pivot(&mut self, row: usize, entering: usize) -> usize {
        let w = self.width;
        let scale = 1.0 / self.entries[row * w + entering];
        for x in &mut self.entries[row * w..(row + 1) * w] {
            *x *= scale;
        }
        let (before, rest) = self.entries.split_at_mut(row * w);
        let (pivot, after) = rest.split_at_mut(w);
        for other in before.chunks_exact_mut(w).chain(after.chunks_exact_mut(w)) {
            let factor = other[entering];
            if factor != 0.0 {
                for (x, y) in other.iter_mut().zip(&*pivot) {
                    *x -= factor * y;
                }
                other[entering] = 0.0;
            }
        }
        std::mem::replace(&mut self.basis[row], entering)
    }

    /// Value of z_k in the current basis.
    fn z(&self, k: usize) -> f64 {
        let row = self.basis.iter().position(|&variable| variable == self.n + k);
        row.map_or(0.0, |i| (self.entries[i * self.width + 2 * self.n + 1] * self.size).max(0.0))
    }
}
