//! The certificate: one residual for every solver, free of units and of scaling.
//!
//! ```text
//! d_c = λ_max(W_cc),   r_c = d_c (p_c − P_C(p_c − (u_c + shift_c)/d_c)),   u = W p + u_free
//! residual = ‖r‖ / S,     S² = Σ ‖u_free,c‖² over the constraints that act
//! ```
//!
//! u is computed here from the problem, never taken from the solver. λ_max is that of the symmetric part. A constraint with
//! λ_max ≤ 0 cannot be moved by its own impulse; it is weighed with the mean of the others, or with the mean of the largest entries of
//! the rows of W where all are such. A constraint **acts** if it is violated at p = 0 (u_free,N < 0; bilateral rows and relays
//! always) or carries: P_C(p_c − (u_c + shift_c)/d_c) ≠ 0.
//!
//! **No ray fools it.** A problem without solution may have a ray, impulses t d that leave r bounded while W p grows with t on
//! constraints that open or slip. With a scale that has W p in it the quotient falls below any tolerance. Here
//!
//! ```text
//! S ≤ ‖u_free‖ for every p,     so     residual ≥ inf ‖r‖ / ‖u_free‖
//! ```
//!
//! and the bound has data alone. Of linear complementarity problems and of friction with polygons r is piecewise linear in p, so its range is
//! closed: without solution inf ‖r‖ > 0. Conversely residual ≤ ε proves that p − r/d is an exact solution of the problem with
//! u_free changed by (W d⁻¹ − 1) r, that is by ε ‖u_free‖ times a number of the matrix alone.
//!
//! **Nothing is lost by leaving W p out.** What carries without slip has u = r, so W p = r − u_free there: at a solution both have the
//! same norm. W p is large only where constraints open or slip, and that is no measure of what had to be undone.
//!
//! **Far gaps.** A constraint that opens freely does not act, however large its u_free, and leaves the residual of the others alone.
//! Where nothing is violated at p = 0, which is then a solution, all of u_free counts; else at least the part δ = 10⁻¹² of it, so that
//! what is violated by rounding alone is not asked for more than rounding.
//!
//! **Soft springs.** A scalar row with compliance D gives others the part s = (W_cc − D)/W_cc of its own u_free, and that is what it adds to S:
//! s u_free. Its own residual is relative to max(S, ‖u_free‖ of such rows). So a soft spring that is far stretched leaves the residual of a heap alone.
//!
//! **Relays** add at least d_c |P_C(0)|, the velocity of the impulse that they are forced to have.
//!
//! Where S vanishes the residual is absolute. For bodies in contact, threads share the constraints in chunks of fixed size, so that the
//! sums do not depend on them.
//!
//! Beside it stands the measure by which collections of such problems are published, with d = 1 for all:
//! ‖p − P_C(p − (u + shift))‖ / ‖u_free‖ [Acary18].

use crate::delassus::Form;
use crate::eigen::largest_eigenvalue;
use crate::mass_groups::IMMOVABLE;
use crate::posed::Posed;
use crate::problem::Problem;
use crate::set::{MAX_DIM, Set};
use crate::sparse::Sparse;
use rayon::prelude::*;
use std::ops::Range;

/// Constraints that one task of a thread judges.
const CHUNK: usize = 1024;
/// δ: the part of all velocities that S has at least.
const LEAST: f64 = 1e-12;

/// How well impulses solve a problem.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Certificate {
    /// Relative residual of the natural map [–].
    pub residual: f64,
    /// S, the velocity by which it measures [m/s]; 1 where there is none.
    pub scale: f64,
    /// The constraint that contributes most, if there is any constraint.
    pub worst: Option<usize>,
}

/// Judges `p`, leaving u = W p + u_free in `u`.
pub fn certify(problem: &Problem, p: &[f64], u: &mut Vec<f64>) -> Certificate {
    let sums = sum_up(problem, p, u, 1.0);
    let found = sums.ended();
    // Squares of very large or very small numbers leave the range: measure again in other units.
    let square = sums.square();
    if square > 1e-290 && square < 1e290 && found.residual.is_finite() {
        return found;
    }
    certify_scaled(problem, p, u, found)
}

/// The same where squares leave the range; `found` is what it seemed.
#[cold]
fn certify_scaled(problem: &Problem, p: &[f64], u: &mut Vec<f64>, found: Certificate) -> Certificate {
    let largest = problem.u_free.iter().chain(&*u).fold(0.0f64, |m, x| m.max(x.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return found;
    }
    // 1e300 where even 1/largest leaves the range: what is smaller than 1e-300 then counts absolutely.
    let unit = (1.0 / largest).min(1e300);
    let found = sum_up(problem, p, u, unit).ended();
    Certificate { scale: found.scale / unit, ..found }
}

/// The sums over all constraints, with velocities measured in units of 1/unit.
#[inline(always)]
fn sum_up(problem: &Problem, p: &[f64], u: &mut Vec<f64>, unit: f64) -> Sums {
    assert_eq!(p.len(), problem.size(), "one impulse per row of the problem");
    match &problem.delassus.form {
        Form::Explicit(w) if problem.is_scalar() => certify_scalar(problem, w, p, u, unit),
        Form::Posed(posed) if posed.is_bilateral(&problem.sets) => {
            certify_bilateral(problem, posed, p, u, unit)
        }
        Form::Posed(posed) => certify_posed(problem, posed, p, u, unit),
        _ => certify_blocks(problem, p, u, unit),
    }
}

/// The sums where W is given by rows or by factors.
#[inline(never)]
fn certify_blocks(problem: &Problem, p: &[f64], u: &mut Vec<f64>, unit: f64) -> Sums {
    u.clear();
    let rows = Rows::new(problem, p);
    let mut sums = Sums::NONE;
    let mut spare = None;
    for (c, (begin, set)) in problem.blocks().enumerate() {
        let range = begin..begin + set.dim();
        let mut weight = rows.fill(range.clone(), p, u);
        if !(weight > 0.0) {
            weight = *spare.get_or_insert_with(|| spare_weight(problem));
        }
        let free = &problem.u_free[range.clone()];
        let own = &mut u[range.clone()];
        own.iter_mut().zip(free).for_each(|(u, free)| *u += free);
        let share = share(problem.delassus.compliance(begin), set, weight);
        sums.see((c, set), &p[range], (free, own), (weight, share), unit);
    }
    sums
}

/// The sums where every constraint is one row of W.
#[inline(always)]
fn certify_scalar(problem: &Problem, w: &Sparse, p: &[f64], u: &mut Vec<f64>, unit: f64) -> Sums {
    let (mut sums, mut spare) = (Sums::NONE, None);
    let n = p.len();
    if u.len() != n {
        u.resize(n, 0.0);
    }
    let (sets, u_free, u) = (&problem.sets[..n], &problem.u_free[..n], &mut u[..n]);
    let compliance = problem.delassus.compliances();
    for i in 0..n {
        let (set, free) = (sets[i], u_free[i]);
        let (columns, values) = w.row(i);
        let (mut moved, mut weight) = (0.0, 0.0);
        for (&j, &w) in columns.iter().zip(values) {
            moved += w * p[j as usize];
            if j as usize == i {
                weight = w;
            }
        }
        if !(weight > 0.0) {
            weight = *spare.get_or_insert_with(|| spare_weight(problem));
        }
        let now = moved + free;
        u[i] = now;
        let share = share(compliance.get(i).copied().unwrap_or(0.0), set, weight);
        sums.see((i, set), &[p[i]], (&[free], &[now]), (weight, share), unit);
    }
    sums
}

/// The residual of p with W p and the weights of all rows at hand: what `certify` computes.
pub(crate) fn residual_by_weights(problem: &Problem, p: &[f64], moved: &[f64], weight: &[f64]) -> f64 {
    let mut sums = Sums::NONE;
    for (c, (begin, set)) in problem.blocks().enumerate() {
        let rows = begin..begin + set.dim();
        let free = &problem.u_free[rows.clone()];
        let mut u = [0.0; MAX_DIM];
        for (u, (moved, free)) in u.iter_mut().zip(moved[rows.clone()].iter().zip(free)) {
            *u = moved + free;
        }
        let weight = weight[begin];
        let share = share(problem.delassus.compliance(begin), set, weight);
        sums.see((c, set), &p[rows], (free, &u[..set.dim()]), (weight, share), 1.0);
    }
    sums.ended().residual
}

/// s: the part of its own velocity that a scalar row of compliance d gives to others; 1 without compliance.
#[inline(always)]
fn share(d: f64, set: Set, weight: f64) -> f64 {
    if d > 0.0 && set.is_scalar() { ((weight - d) / weight).max(0.0) } else { 1.0 }
}

/// What is summed over constraints.
#[derive(Clone, Copy)]
struct Sums {
    /// ‖r‖² of rigid constraints, and of those with compliance.
    natural: [f64; 2],
    /// ‖s u_free‖² of the constraints that act.
    acting: f64,
    /// ‖u_free‖² of all, and of those with compliance.
    free: [f64; 2],
    /// Whether p = 0 violates any.
    violated: bool,
    /// The constraint with the largest square, and that square; −1 where there is none.
    worst: (usize, f64),
}

impl Sums {
    const NONE: Self =
        Self { natural: [0.0; 2], acting: 0.0, free: [0.0; 2], violated: false, worst: (0, -1.0) };

    /// Adds one constraint with its u_free and u.
    #[inline(always)]
    fn see(
        &mut self,
        (c, set): (usize, Set),
        p: &[f64],
        (free, u): (&[f64], &[f64]),
        (weight, share): (f64, f64),
        unit: f64,
    ) {
        let (square, carries) = natural(set, p, u, weight, unit);
        let mut size: f64 = free.iter().map(|x| (unit * x) * (unit * x)).sum();
        let violated = match set {
            Set::Free => size > 0.0,
            Set::Interval { .. } => {
                let forced = unit * weight * set.project(0.0);
                size = size.max(forced * forced);
                size > 0.0
            }
            _ => free[0] < 0.0,
        };
        self.violated |= violated;
        if violated || carries {
            self.acting += share * share * size;
        }
        self.free[0] += size;
        if share < 1.0 {
            self.natural[1] += square;
            self.free[1] += size;
        } else {
            self.natural[0] += square;
        }
        self.compare(c, square);
    }

    /// Keeps the worse one; `!(a <= b)` lets a NaN win, so that it is seen.
    #[inline(always)]
    fn compare(&mut self, c: usize, square: f64) {
        if !(square <= self.worst.1) {
            self.worst = (c, square);
        }
    }

    fn add(&mut self, other: &Sums) {
        for k in 0..2 {
            self.natural[k] += other.natural[k];
            self.free[k] += other.free[k];
        }
        self.acting += other.acting;
        self.violated |= other.violated;
        self.compare(other.worst.0, other.worst.1);
    }

    /// S².
    fn square(&self) -> f64 {
        let least = if self.violated { LEAST * LEAST } else { 1.0 };
        self.acting.max(least * self.free[0])
    }

    fn ended(&self) -> Certificate {
        let square = self.square();
        let scale = if square > 0.0 { square } else { 1.0 };
        let mut relative = self.natural[0] / scale;
        if self.free[1] > 0.0 {
            relative += self.natural[1] / scale.max(self.free[1]);
        }
        // Data beyond the range of numbers measure nothing.
        let residual = if scale.is_finite() { relative.sqrt() } else { f64::INFINITY };
        let (worst, square) = self.worst;
        Certificate { residual, scale: scale.sqrt(), worst: (square != -1.0).then_some(worst) }
    }
}

/// The sums of such rows: r = u, and only the share of those with compliance needs a weight.
#[inline(never)]
fn certify_bilateral(problem: &Problem, posed: &Posed, p: &[f64], u: &mut Vec<f64>, unit: f64) -> Sums {
    let (rows, n) = (&posed.jacobian, p.len());
    // Velocities stand behind the rows until these are known.
    u.clear();
    u.resize(n + rows.layout().n, 0.0);
    let (own, v) = u.split_at_mut(n);
    rows.push_all(&posed.mass, p, v);
    rows.multiply(v, own);
    u.truncate(n);
    let mut sums = Sums::NONE;
    for c in 0..rows.n_constraints() {
        for i in rows.rows_of(c) {
            let (free, d) = (problem.u_free[i], posed.compliance(i));
            u[i] += d * p[i] + free;
            let (mut weight, mut share) = (1.0, 1.0);
            if d > 0.0 {
                let moved = posed.pair_diagonal(rows.bodies(c).unwrap_or([IMMOVABLE; 2]), i);
                weight = moved + d;
                share = (moved / weight).max(0.0);
            }
            sums.see((i, Set::Free), &p[i..=i], (&[free], &u[i..=i]), (weight, share), unit);
        }
    }
    sums
}

/// The sums of masses and rows, chunk by chunk.
#[inline(never)]
fn certify_posed(problem: &Problem, posed: &Posed, p: &[f64], u: &mut Vec<f64>, unit: f64) -> Sums {
    let (weights, n) = (posed.weights(&problem.sets), p.len());
    // Velocities stand behind the rows until these are known.
    u.clear();
    u.resize(n, 0.0);
    posed.append_velocities(p, u);
    let (own, v) = u.split_at_mut(n);
    let v = &*v;
    let spare = if weights.iter().all(|&w| w > 0.0) { 1.0 } else { spare_weight(problem) };
    let judge = |(k, (begin, u)): (usize, (usize, &mut [f64]))| {
        let (mut sums, mut place) = (Sums::NONE, 0);
        let first = CHUNK * k;
        let last = (first + CHUNK).min(problem.sets.len());
        for c in first..last {
            let set = problem.sets[c];
            let rows = begin + place..begin + place + set.dim();
            let u = &mut u[place..place + set.dim()];
            place += set.dim();
            posed.add_relative(posed.place(&problem.sets, c), rows.start, (p, v), u);
            let weight = if weights[c] > 0.0 { weights[c] } else { spare };
            let free = &problem.u_free[rows.clone()];
            u.iter_mut().zip(free).for_each(|(u, free)| *u += free);
            let share = share(problem.delassus.compliance(rows.start), set, weight);
            sums.see((c, set), &p[rows], (free, u), (weight, share), unit);
        }
        sums
    };
    let (mut rest, mut begin) = (own, 0);
    let chunks = problem.sets.chunks(CHUNK).map(|sets| {
        let rows: usize = sets.iter().map(|set| set.dim()).sum();
        let (own, others) = std::mem::take(&mut rest).split_at_mut(rows);
        rest = others;
        begin += rows;
        (begin - rows, own)
    });
    let mut total = Sums::NONE;
    if problem.sets.len() > CHUNK && rayon::current_num_threads() > 1 {
        let chunks: Vec<(usize, &mut [f64])> = chunks.collect();
        let parts: Vec<Sums> = chunks.into_par_iter().enumerate().map(judge).collect();
        parts.iter().for_each(|part| total.add(part));
    } else {
        chunks.enumerate().map(judge).for_each(|part| total.add(&part));
    }
    u.truncate(n);
    total
}

/// ‖(p − P_C(p − (u + shift)/d)) d‖² of one constraint, in units of 1/unit².
#[inline]
pub(crate) fn natural_square(set: Set, p: &[f64], u: &[f64], d: f64, unit: f64) -> f64 {
    natural(set, p, u, d, unit).0
}

/// The same, and whether the constraint carries: P_C(p − (u + shift)/d) ≠ 0.
#[inline(always)]
fn natural(set: Set, p: &[f64], u: &[f64], d: f64, unit: f64) -> (f64, bool) {
    if !set.is_scalar() {
        return natural_block(set, p, u, d, unit);
    }
    // 0·p makes an infinite impulse show as NaN.
    let r = unit * set.natural_map(p[0], u[0], d) + 0.0 * p[0];
    (r * r, set != Set::Nonnegative || p[0] * d > u[0])
}

/// The same of a cone.
#[inline]
fn natural_block(set: Set, p: &[f64], u: &[f64], d: f64, unit: f64) -> (f64, bool) {
    // C is a cone: d P_C(x) = P_C(d x).
    let dim = p.len();
    let (mut shifted, mut x) = ([0.0; MAX_DIM], [0.0; MAX_DIM]);
    shifted[..dim].copy_from_slice(&u[..dim]);
    shifted[0] += set.shift(&u[..dim]);
    for k in 0..dim {
        x[k] = unit * d * p[k] - unit * shifted[k];
    }
    let before = x;
    set.project_block(&mut x[..dim]);
    let component = |k: usize| {
        // A large p must not hide u where the projection changes nothing.
        let unchanged = x[k] == before[k];
        if unchanged { unit * shifted[k] } else { unit * d * p[k] - x[k] }
    };
    ((0..dim).map(component).map(|r| r * r).sum(), x[0] > 0.0)
}

/// Rows of W, formed or in factors, ready to be multiplied with one p.
enum Rows<'a> {
    Assembled(&'a Sparse),
    /// J, M⁻¹ Jᵀ by rows, and M⁻¹ Jᵀ p.
    Bodies(&'a Sparse, &'a Sparse, Vec<f64>),
}

impl<'a> Rows<'a> {
    #[inline]
    fn new(problem: &'a Problem, p: &[f64]) -> Self {
        match &problem.delassus.form {
            Form::Explicit(w) => Rows::Assembled(w),
            Form::Posed(_) => unreachable!("masses and rows have their own certificate"),
            Form::Primal(factored) => match factored.response() {
                None => Rows::Assembled(factored.assembled()),
                Some(response) => {
                    let mut v = vec![0.0; response.n_columns];
                    response.add_combination(p, &mut v);
                    Rows::Bodies(&factored.jacobian, response, v)
                }
            },
        }
    }

    /// Appends (W p)_i of one constraint's rows to `moved`; returns λ_max of its block.
    #[inline]
    fn fill(&self, range: Range<usize>, p: &[f64], moved: &mut Vec<f64>) -> f64 {
        if range.len() > 1 {
            return self.fill_block(range, p, moved);
        }
        let mut diagonal = [0.0];
        moved.push(self.row(range.start, range.start, p, &mut diagonal));
        diagonal[0]
    }

    #[inline(never)]
    fn fill_block(&self, range: Range<usize>, p: &[f64], moved: &mut Vec<f64>) -> f64 {
        let dim = range.len();
        let mut block = [0.0; MAX_DIM * MAX_DIM];
        for (row, i) in block.chunks_exact_mut(dim).zip(range.clone()) {
            moved.push(self.row(i, range.start, p, row));
        }
        largest_eigenvalue(&block[..dim * dim], dim)
    }

    /// (W p)_i, and the entries of row i from column `begin` on in `block`.
    #[inline]
    fn row(&self, i: usize, begin: usize, p: &[f64], block: &mut [f64]) -> f64 {
        match self {
            Rows::Assembled(w) => {
                let (columns, values) = w.row(i);
                let mut moved = 0.0;
                for (&j, &w) in columns.iter().zip(values) {
                    moved += w * p[j as usize];
                    let place = (j as usize).wrapping_sub(begin);
                    if place < block.len() {
                        block[place] = w;
                    }
                }
                moved
            }
            Rows::Bodies(jacobian, response, v) => {
                for (k, w) in block.iter_mut().enumerate() {
                    *w = jacobian.dot_rows(i, response, begin + k);
                }
                jacobian.row_dot(i, v)
            }
        }
    }
}

/// The weight of constraints that their own impulse does not move: the mean of the others, or of the largest entries of all rows of W.
pub(crate) fn spare_weight(problem: &Problem) -> f64 {
    let mut block = [0.0; MAX_DIM * MAX_DIM];
    let (mut sum, mut count) = (0.0, 0.0);
    for (c, (begin, set)) in problem.blocks().enumerate() {
        let dim = set.dim();
        problem.block(c, begin, &mut block);
        let weight = largest_eigenvalue(&block[..dim * dim], dim);
        if weight > 0.0 {
            (sum, count) = (sum + weight, count + 1.0);
        }
    }
    if count > 0.0 {
        return sum / count;
    }
    let w = problem.assembled();
    for i in 0..problem.size() {
        sum += w.row(i).1.iter().fold(0.0f64, |m, w| m.max(w.abs()));
    }
    if sum > 0.0 { sum / problem.size() as f64 } else { 1.0 }
}

/// ‖p − P_C(p − (u + shift))‖ / ‖u_free‖, the measure of published collections; `u` is W p + u_free.
///
/// Absolute where u_free vanishes. It depends on units: a problem in grams has another value than in kilograms.
pub fn published_measure(problem: &Problem, p: &[f64], u: &[f64]) -> f64 {
    let sum: f64 = problem
        .blocks()
        .map(|(begin, set)| {
            let range = begin..begin + set.dim();
            natural_square(set, &p[range.clone()], &u[range], 1.0, 1.0)
        })
        .sum();
    let free: f64 = problem.u_free.iter().map(|u| u * u).sum();
    if free > 0.0 { (sum / free).sqrt() } else { sum.sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delassus::Delassus;
    use crate::primal::Primal;

    fn problem(w: &[Vec<f64>], u_free: &[f64]) -> Problem {
        Problem::complementarity(Sparse::from_rows(w), u_free.to_vec()).unwrap()
    }

    #[test]
    fn an_exact_solution_has_residual_zero_and_a_wrong_one_has_not() {
        let problem = problem(&[vec![2.0, 1.0], vec![1.0, 2.0]], &[-2.0, 1.0]);
        let mut u = Vec::new();
        assert_eq!(certify(&problem, &[1.0, 0.0], &mut u).residual, 0.0);
        assert_eq!(u, [0.0, 2.0]);
        let wrong = certify(&problem, &[0.0, 0.0], &mut u);
        // r = (−2, 0) relative to 2: row 1 opens and carries nothing.
        assert_eq!((wrong.residual, wrong.scale), (1.0, 2.0));
        assert_eq!(wrong.worst, Some(0));
    }

    #[test]
    fn units_do_not_change_the_residual() {
        let rows = [vec![2.0, 1.0], vec![1.0, 3.0]];
        let (u_free, p) = ([-2.0, 1.0], [0.7, 0.2]);
        let mut u = Vec::new();
        let here = certify(&problem(&rows, &u_free), &p, &mut u).residual;
        for scale in [1e-8, 1e8] {
            let scaled: Vec<Vec<f64>> =
                rows.iter().map(|r| r.iter().map(|x| x * scale).collect()).collect();
            let p: Vec<f64> = p.iter().map(|x| x / scale).collect();
            let there = certify(&problem(&scaled, &u_free), &p, &mut u).residual;
            assert!((here - there).abs() < 1e-14 * here, "{here} {there}");
        }
    }

    #[test]
    fn a_nan_shows_in_residual_and_worst() {
        let problem = problem(&[vec![1.0, 0.0], vec![0.0, 1.0]], &[-1.0, -1.0]);
        let found = certify(&problem, &[1.0, f64::NAN], &mut Vec::new());
        assert!(found.residual.is_nan());
        assert_eq!(found.worst, Some(1));
    }

    /// Squeezed between walls with p = (t, …, t, …): u_N = −1 for all t.
    #[test]
    fn large_impulses_do_not_hide_the_velocity_of_a_cone() {
        let w = Sparse::from_rows(&[
            vec![1.0, 0.0, -1.0, 0.0],
            vec![0.0, 1.0, 0.0, 1.0],
            vec![-1.0, 0.0, 1.0, 0.0],
            vec![0.0, 1.0, 0.0, 1.0],
        ]);
        for mu in [0.0, 0.5] {
            let sets = vec![Set::Coulomb2 { mu }; 2];
            let problem = Problem::new(w.clone(), vec![-1.0, 0.0, -1.0, 0.0], sets).unwrap();
            for t in [1.0, 1e8, 1e16, 1e100] {
                let found = certify(&problem, &[t, 0.0, t, 0.0], &mut Vec::new());
                assert_eq!(found.residual, 1.0, "μ = {mu}, t = {t:e}");
            }
        }
    }

    /// One contact, u_free = (−1, 1, 0), W = 2 I, μ = ½: p = (½, −¼, 0) leaves u = (0, ½, 0), sliding.
    #[test]
    fn a_sliding_contact_has_residual_zero_and_a_sticking_guess_has_not() {
        let sets = vec![Set::Coulomb3 { mu: 0.5 }];
        let w = Sparse::diagonal(&[2.0; 3]);
        let problem = Problem::new(w, vec![-1.0, 1.0, 0.0], sets).unwrap();
        let mut u = Vec::new();
        assert!(certify(&problem, &[0.5, -0.25, 0.0], &mut u).residual < 1e-16);
        assert_eq!(u, [0.0, 0.5, 0.0]);
        assert!(published_measure(&problem, &[0.5, -0.25, 0.0], &u) < 1e-16);
        // p = 0: x = −(u + shift) = (½, −1, 0), P_C(x) = (0.8, −0.4, 0).
        let wrong = certify(&problem, &[0.0; 3], &mut u);
        assert!((wrong.residual - 0.8f64.sqrt() / 2f64.sqrt()).abs() < 1e-15, "{wrong:?}");
    }

    #[test]
    fn factored_and_formed_problems_have_the_same_certificate() {
        let mass = Sparse::diagonal(&[2.0, 3.0, 0.5, 1.0]);
        let jacobian = Sparse::from_rows(&[
            vec![1.0, 0.0, -1.0, 0.0],
            vec![0.0, 1.0, 0.3, -1.0],
            vec![1.0, 0.2, 0.0, 0.0],
        ]);
        let sets = vec![Set::Coulomb2 { mu: 0.4 }, Set::Nonnegative];
        let factored = Primal::new(mass, jacobian).unwrap();
        let formed =
            Problem::new(factored.assembled().clone(), vec![-1.0, 0.3, -0.2], sets.clone()).unwrap();
        let free =
            Problem::posed(Delassus::from_primal(factored, true), vec![-1.0, 0.3, -0.2], sets).unwrap();
        let (mut u, mut v) = (Vec::new(), Vec::new());
        let p = [0.7, 0.1, 0.2];
        let (a, b) = (certify(&formed, &p, &mut u), certify(&free, &p, &mut v));
        assert!((a.residual - b.residual).abs() < 1e-15 && a.worst == b.worst, "{a:?} {b:?}");
        assert!(u.iter().zip(&v).all(|(u, v)| (u - v).abs() < 1e-15));
    }
}
