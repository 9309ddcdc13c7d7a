//! Mixed complementarity problems solved by rounds of Lemke's method.
//!
//! ```text
//! w = M x + q,     lower ≤ x ≤ upper:     x = lower → w ≥ 0,   x = upper → w ≤ 0,   between → w = 0
//! ```
//!
//! Bounds may be infinite; a free x has w = 0. Islands, rows that no other row is coupled to, are solved one by one. Free
//! variables are eliminated (`reduction.rs`), or where that fails split in two nonnegative ones. What remains is a
//! [`Tableau`]. The basis in which a path ends is solved from the original data, with refinement; if the judge is not
//! content, a new path starts from that basis, and after a ray from other bases: every complementary basis is a start,
//! and one leads to solutions that another does not [Cottle92, sec. 4.4].

use super::reduction::Reduced;
use super::tableau::{End, Rules, Tableau};
use super::{Status, Unsupported};
use crate::certificate::certify;
use crate::delassus::Delassus;
use crate::primal::components;
use crate::problem::Problem;
use crate::set::Set;
use crate::sparse::Sparse;

/// Sizes below which a pivot of the scaled tableau counts as zero, tried in this order until the judge is content.
/// On rank-deficient problems no single value serves (tests/it/random_lcp.rs: what_one_solver_solves_auto_and_lemke_solve_too).
const PIVOT_TOLERANCES: [f64; 3] = [1e-9, 1e-11, 1e-7];
/// Negative values that count as rounding: an x that an equation holds at zero comes out as −1e-17, say, and no path
/// leads from there to zero (tests/it/lemke.rs: circuits_whose_joints_alone_are_singular_are_solved).
const SNAP: f64 = 1e-13;
/// Paths from the basis in which the last one ended, while they improve.
const POLISH: usize = 4;
/// Other bases to start from after a ray.
const RESTARTS: usize = 6;

/// The problem as given.
#[derive(Clone, Copy)]
pub(super) struct Mixed<'a> {
    pub matrix: &'a Sparse,
    pub rhs: &'a [f64],
    pub bounds: &'a [(f64, f64)],
}

/// When to stop.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Pivots, for each island.
    pub max_pivots: usize,
    /// Residual that each island must reach; the whole is left to the judge.
    pub tolerance: f64,
}

/// Rows of a dense island beyond which its tableaux (three times n² numbers) pass a gigabyte.
pub(super) const LIMIT: usize = 6000;

/// Refuses a problem with an island of more than `LIMIT` rows, each constraint counting as many as `rows` says.
pub(super) fn fits(
    solver: &'static str,
    problem: &Problem,
    rows: impl Fn(Set) -> usize,
) -> Result<(), Unsupported> {
    let all: usize = problem.sets.iter().map(|&set| rows(set)).sum();
    if all <= LIMIT {
        return Ok(());
    }
    let mut group = components(problem.assembled());
    let root = |group: &[usize], mut i: usize| {
        while group[i] != i {
            i = group[i];
        }
        i
    };
    // Components of one constraint belong together even where W does not join them.
    for (begin, set) in problem.blocks() {
        for i in begin + 1..begin + set.dim() {
            let (a, b) = (root(&group, begin), root(&group, i));
            group[a.max(b)] = a.min(b);
        }
    }
    let mut sizes = vec![0; group.len()];
    for (begin, set) in problem.blocks() {
        sizes[root(&group, begin)] += rows(set);
    }
    match sizes.into_iter().max() {
        Some(rows) if rows > LIMIT => Err(Unsupported::TooLarge { solver, limit: LIMIT, rows }),
        _ => Ok(()),
    }
}

/// Judges x: its residual, and whether that is good enough.
pub(super) type Judge<'a> = dyn FnMut(&[f64]) -> (f64, bool) + 'a;

impl Mixed<'_> {
    /// Solves into `x`; returns how it ended and the number of pivots.
    pub fn solve(self, limits: Limits, judge: &mut Judge, x: &mut [f64]) -> (Status, usize) {
        let islands = self.islands();
        if islands.len() == 1 {
            return self.solve_whole(limits.max_pivots, judge, x);
        }
        let (mut status, mut used) = (Status::Converged, 0);
        for island in &islands {
            let (ended, pivots) = self.solve_island(island, limits, x);
            used += pivots;
            if ended != Status::Converged && status != Status::Infeasible {
                status = ended;
            }
        }
        if judge(x).1 {
            return (Status::Converged, used);
        }
        if status == Status::Infeasible || status == Status::IterationLimit || x.len() > LIMIT {
            return (status, used);
        }
        // The residual of the islands and that of the judge differ: let the judge see all.
        let mut whole = x.to_vec();
        let (ended, pivots) = self.solve_whole(limits.max_pivots, judge, &mut whole);
        if judge(&whole).0 < judge(x).0 {
            x.copy_from_slice(&whole);
        }
        (ended, used + pivots)
    }

    /// Rows by islands, in the order of their first rows.
    fn islands(&self) -> Vec<Vec<usize>> {
        let mut number = vec![usize::MAX; self.rhs.len()];
        let mut islands: Vec<Vec<usize>> = Vec::new();
        for (i, root) in components(self.matrix).into_iter().enumerate() {
            if number[root] == usize::MAX {
                number[root] = islands.len();
                islands.push(Vec::new());
            }
            islands[number[root]].push(i);
        }
        islands
    }

    /// Solves one island, judged by the certificate of its own.
    fn solve_island(self, island: &[usize], limits: Limits, x: &mut [f64]) -> (Status, usize) {
        let mut matrix = Sparse::empty(island.len());
        for &i in island {
            let (columns, values) = self.matrix.row(i);
            for (j, &a) in columns.iter().zip(values) {
                let place = island.binary_search(&(*j as usize));
                matrix.column.push(place.expect("an island holds what its rows name") as u32);
                matrix.value.push(a);
            }
            matrix.finish_row();
        }
        let rhs: Vec<f64> = island.iter().map(|&i| self.rhs[i]).collect();
        let bounds: Vec<(f64, f64)> = island.iter().map(|&i| self.bounds[i]).collect();
        let set = |&(lower, upper): &(f64, f64)| Set::Interval { lower, upper };
        let sets = bounds.iter().map(set).collect();
        let delassus = Delassus { symmetric: false, ..Delassus::explicit(matrix) };
        let problem = Problem { delassus, u_free: rhs, sets, scale: None };
        let mut u = Vec::new();
        let mut judge = |x: &[f64]| {
            let residual = certify(&problem, x, &mut u).residual;
            (residual, residual <= limits.tolerance)
        };
        let mut part = vec![0.0; island.len()];
        let mixed = Mixed { matrix: problem.assembled(), rhs: &problem.u_free, bounds: &bounds };
        let ended = mixed.solve_whole(limits.max_pivots, &mut judge, &mut part);
        island.iter().zip(part).for_each(|(&i, part)| x[i] = part);
        ended
    }

    fn solve_whole(self, max_pivots: usize, judge: &mut Judge, x: &mut [f64]) -> (Status, usize) {
        match Reduced::new(self) {
            Some(reduced) => Rounds::new(&reduced, max_pivots).run(judge, x),
            None => self.split(max_pivots, judge, x),
        }
    }

    /// Free x_f = x_f⁺ − x_f⁻ with 0 ≤ x_f⁺ ⟂ w_f ≥ 0 and 0 ≤ x_f⁻ ⟂ −w_f ≥ 0.
    fn split(self, max_pivots: usize, judge: &mut Judge, x: &mut [f64]) -> (Status, usize) {
        let n = self.rhs.len();
        let free: Vec<usize> = (0..n).filter(|&i| is_free(self.bounds[i])).collect();
        let twin: Vec<Option<usize>> =
            (0..n).map(|i| free.iter().position(|&f| f == i).map(|k| n + k)).collect();
        let mut matrix = Sparse::empty(n + free.len());
        let (mut rhs, mut bounds) = (self.rhs.to_vec(), self.bounds.to_vec());
        free.iter().for_each(|&f| rhs.push(-self.rhs[f]));
        free.iter().for_each(|&f| bounds[f] = (0.0, f64::INFINITY));
        bounds.resize(n + free.len(), (0.0, f64::INFINITY));
        for (i, sign) in (0..n).map(|i| (i, 1.0)).chain(free.iter().map(|&f| (f, -1.0))) {
            let (columns, values) = self.matrix.row(i);
            let entries = || columns.iter().zip(values);
            let twins = entries().filter_map(|(&j, a)| twin[j as usize].map(|t| (t as u32, -sign * a)));
            for (j, a) in entries().map(|(&j, a)| (j, sign * a)).chain(twins) {
                matrix.column.push(j);
                matrix.value.push(a);
            }
            matrix.finish_row();
        }
        let merge = |long: &[f64], x: &mut [f64]| {
            x.copy_from_slice(&long[..n]);
            free.iter().zip(&long[n..]).for_each(|(&f, minus)| x[f] -= minus);
        };
        let (mut long, mut short) = (vec![0.0; rhs.len()], vec![0.0; n]);
        let larger = Mixed { matrix: &matrix, rhs: &rhs, bounds: &bounds };
        let Some(reduced) = Reduced::new(larger) else {
            return (Status::Stalled, 0);
        };
        let mut judge_long = |long: &[f64]| {
            merge(long, &mut short);
            judge(&short)
        };
        let ended = Rounds::new(&reduced, max_pivots).run(&mut judge_long, &mut long);
        merge(&long, x);
        ended
    }
}

pub(super) fn is_free((lower, upper): (f64, f64)) -> bool {
    lower == f64::NEG_INFINITY && upper == f64::INFINITY
}

/// The rounds of one solve.
struct Rounds<'a> {
    reduced: &'a Reduced<'a>,
    left: usize,
    used: usize,
    best: f64,
    best_x: Vec<f64>,
    status: Status,
}

impl<'a> Rounds<'a> {
    fn new(reduced: &'a Reduced<'a>, max_pivots: usize) -> Self {
        let best_x = vec![0.0; reduced.given.rhs.len()];
        let (best, status) = (f64::INFINITY, Status::Infeasible);
        Self { reduced, left: max_pivots, used: 0, best, best_x, status }
    }

    fn run(mut self, judge: &mut Judge, x: &mut [f64]) -> (Status, usize) {
        let solved = self.all(judge);
        x.copy_from_slice(&self.best_x);
        let status = match solved {
            true => Status::Converged,
            false if self.left == 0 => Status::IterationLimit,
            false => self.status,
        };
        (status, self.used)
    }

    fn all(&mut self, judge: &mut Judge) -> bool {
        let m = self.reduced.pairs.len();
        for tolerance in PIVOT_TOLERANCES {
            if self.follow(self.reduced.tableau.clone(), tolerance, |_| 1.0, judge) {
                return true;
            }
            if self.left == 0 {
                return false;
            }
        }
        for restart in 0..RESTARTS {
            let mut tableau = self.reduced.tableau.clone();
            // The golden ratio spreads the choices evenly; the first takes all in.
            let fraction = |k: usize| ((k + 1) as f64 * 0.618_034 * (restart + 1) as f64).fract();
            let inside: Vec<bool> = (0..m).map(|k| restart == 0 || fraction(k) < 0.5).collect();
            tableau.exchange_pairs(&inside);
            if self.follow(tableau, PIVOT_TOLERANCES[0], |k| 1.0 + fraction(k), judge) {
                return true;
            }
            if self.left == 0 {
                return false;
            }
        }
        false
    }

    /// Paths from one basis, each starting where the last one ended, while that helps.
    fn follow(
        &mut self,
        mut tableau: Tableau,
        tolerance: f64,
        weight: impl Fn(usize) -> f64,
        judge: &mut Judge,
    ) -> bool {
        let mut before = f64::INFINITY;
        for pass in 0..=POLISH {
            // Rounding is ignored once; if the judge minds, it is followed.
            let rules = Rules { pivot: tolerance, snap: if pass == 0 { SNAP } else { 0.0 } };
            let (end, pivots) = tableau.path(self.left, rules, &weight);
            self.used += pivots;
            self.left = self.left.saturating_sub(pivots);
            let (residual, good) = self.try_basis(&tableau, judge);
            if good {
                return true;
            }
            if end != End::Solved || !(residual < before) {
                return false;
            }
            self.status = Status::Stalled;
            before = residual;
            // Anew from the reduced data, in the basis just found.
            let inside: Vec<bool> = (0..tableau.n).map(|k| tableau.carries(k)).collect();
            let mut anew = self.reduced.tableau.clone();
            (0..anew.n).filter(|&k| tableau.rest(k) > 0.0).for_each(|k| anew.reflect(k));
            anew.exchange_pairs(&inside);
            tableau = anew;
        }
        false
    }

    /// Solves the basis from the original data and lets the judge decide.
    fn try_basis(&mut self, tableau: &Tableau, judge: &mut Judge) -> (f64, bool) {
        let mut x = self.reduced.recover(tableau);
        let (mut residual, mut good) = judge(&x);
        if !good && let Some(other) = self.reduced.read_values(tableau) {
            let (again, fine) = judge(&other);
            if again < residual {
                (residual, good, x) = (again, fine, other);
            }
        }
        if residual < self.best || self.best == f64::INFINITY && x.iter().all(|x| x.is_finite()) {
            self.best = residual;
            self.best_x = x;
        }
        (residual, good)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSITIVE: (f64, f64) = (0.0, f64::INFINITY);
    const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

    fn solve(rows: &[Vec<f64>], rhs: &[f64], bounds: &[(f64, f64)]) -> (Status, Vec<f64>) {
        let matrix = Sparse::from_rows(rows);
        let mixed = Mixed { matrix: &matrix, rhs, bounds };
        let mut judge = |x: &[f64]| {
            let miss = |i: usize| {
                let (w, (lower, upper)) = (matrix.row_dot(i, x) + rhs[i], bounds[i]);
                (x[i] - (x[i] - w).max(lower).min(upper)).abs()
            };
            let residual = (0..rhs.len()).map(miss).fold(0.0, f64::max);
            (residual, residual < 1e-14)
        };
        let mut x = vec![0.0; rhs.len()];
        let limits = Limits { max_pivots: 1000, tolerance: 1e-14 };
        let (status, _) = mixed.solve(limits, &mut judge, &mut x);
        (status, x)
    }

    /// A game: the path from x = 0 ends on a ray at once, the path from the full basis does not.
    #[test]
    fn a_ray_is_not_the_end_where_another_basis_leads_on() {
        let rows = [
            vec![0.0, 0.0, 10.0, 20.0],
            vec![0.0, 0.0, 30.0, 15.0],
            vec![10.0, 20.0, 0.0, 0.0],
            vec![30.0, 15.0, 0.0, 0.0],
        ];
        let (status, x) = solve(&rows, &[-1.0; 4], &[POSITIVE; 4]);
        assert_eq!(status, Status::Converged);
        assert!((x[0] - 1.0 / 90.0).abs() < 1e-16 && (x[1] - 4.0 / 90.0).abs() < 1e-16, "{x:?}");
    }

    /// w₀ = 1e-4 too small for any x: infeasible by little.
    #[test]
    fn a_problem_without_solution_is_infeasible() {
        let rows = [vec![0.0, -1.0, -1.0], vec![1.0, 0.0, 0.0], vec![-1.0, 0.0, 0.0]];
        assert_eq!(solve(&rows, &[-1e-4, -1.0, 1.0], &[POSITIVE; 3]).0, Status::Infeasible);
        assert_eq!(
            solve(&rows, &[0.0, -1.0, 1.0], &[POSITIVE; 3]),
            (Status::Converged, vec![1.0, 0.0, 0.0])
        );
    }

    /// The free equation knows x₁ alone, the free variable moves w₂ alone: no principal pivot, so it is split.
    #[test]
    fn a_free_variable_far_from_its_equation_is_split() {
        let rows = [vec![0.0, 1.0, 0.0], vec![0.0, 1.0, 1.0], vec![1.0, 0.0, 1.0]];
        let (status, x) = solve(&rows, &[-1.0, -2.0, 0.0], &[FREE, POSITIVE, POSITIVE]);
        assert_eq!(status, Status::Converged);
        assert!(x.iter().zip([-1.0, 1.0, 1.0]).all(|(x, y)| (x - y).abs() < 1e-14), "{x:?}");
    }

    #[test]
    fn islands_are_found_in_any_order() {
        let rows = [vec![2.0, 0.0, 1.0], vec![0.0, 3.0, 0.0], vec![0.0, 0.0, 2.0]];
        let matrix = Sparse::from_rows(&rows);
        let mixed = Mixed { matrix: &matrix, rhs: &[0.0; 3], bounds: &[POSITIVE; 3] };
        assert_eq!(mixed.islands(), [vec![0, 2], vec![1]]);
    }
}
