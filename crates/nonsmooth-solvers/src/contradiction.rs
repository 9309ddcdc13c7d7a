//! Proofs that a problem has no solution: constraints that cannot be reconciled (Farkas).
//!
//! ```text
//! z_N ≥ 0 on one-sided rows and normals, z any on bilateral rows, 0 elsewhere,   W z = 0
//! zᵀ u = zᵀ W p + zᵀ u_free = zᵀ u_free   for every p, W symmetric
//! ```
//!
//! A solution has u_N ≥ 0 and u = 0 on bilateral rows, so zᵀ u ≥ 0, and zᵀ u_free < 0 proves that there is none. With a residual r of the
//! certificate u_N ≥ −√(1 + μ²) ‖r‖ holds, therefore
//!
//! ```text
//! residual ≥ β = −zᵀ u_free / (‖y‖ ‖u_free‖),   y_c = √(1 + μ_c²) z_c
//! ```
//!
//! for every p, and a tolerance below β cannot be met. z is a state of self-stress without friction: a body between walls that approach each
//! other, joints that demand two velocities. It is found as the limit of ε p_ε, p_ε the solution of the rows above with W + ε in place of W,
//! and then brought into the kernel of W by inverse iteration.
//!
//! Silence proves nothing: islands beyond `MOST_ROWS` are not looked at.

use crate::dense::invert;
use crate::islands::islands;
use crate::problem::Problem;
use crate::set::Set;
use crate::solvers::find;
use crate::sparse::Sparse;
use crate::{Options, certify};

/// Rows up to which an island is looked at: its matrix is full.
const MOST_ROWS: usize = 300;
/// ε, relative to the diagonal of W.
const SHIFT: f64 = 1e-8;
/// Part of the largest |z| below which a row does not take part; ε p_ε of the others is of the size of ε.
const PART: f64 = 1e-6;
/// Steps of inverse iteration; each reduces what is not in the kernel by ε.
const STEPS: usize = 3;
/// Rounding of W z, relative to |W| |z|.
const ROUNDING: f64 = 1e-12;
/// Least β: W z = 0 to `ROUNDING` leaves ‖Jᵀ z‖² = zᵀ W z of that size, and with it zᵀ u_free of its root in problems that have a solution.
const LEAST: f64 = 1e-5;
/// Part of z below which a number is rounding.
const NOTHING: f64 = 1e-9;

/// Constraints that cannot be reconciled, and the proof.
#[derive(Clone, Debug, PartialEq)]
pub struct Contradiction {
    /// The constraints with z ≠ 0, ascending.
    pub constraints: Vec<usize>,
    /// z by rows.
    pub multipliers: Vec<f64>,
    /// β: no impulses have a smaller residual [–].
    pub bound: f64,
}

/// Why no impulses bring the residual of `problem` below `tolerance`, where that is found.
pub fn contradiction(problem: &Problem, tolerance: f64) -> Option<Contradiction> {
    if !problem.delassus.symmetric || problem.size() == 0 {
        return None;
    }
    let free = problem.u_free.iter().map(|u| u * u).sum::<f64>().sqrt();
    for island in islands(problem) {
        if island.rows.len() > 6 * MOST_ROWS {
            continue;
        }
        let own = island.problem(problem);
        let Some((z, weighted)) = self_stress(&own) else { continue };
        let bound = -dot(&z, &own.u_free) / (weighted * free);
        if bound > tolerance.max(LEAST) && bound.is_finite() {
            let mut multipliers = vec![0.0; problem.size()];
            island.rows.iter().zip(&z).for_each(|(&i, &z)| multipliers[i] = z);
            let acts = |(begin, set): (usize, Set)| {
                multipliers[begin..begin + set.dim()].iter().any(|z| *z != 0.0)
            };
            let constraints = problem.blocks().enumerate().filter(|(_, block)| acts(*block));
            let constraints = constraints.map(|(c, _)| c).collect();
            return Some(Contradiction { constraints, multipliers, bound });
        }
    }
    None
}

/// A row whose u has a sign: its place, √(1 + μ²), and its set by itself.
struct Signed {
    row: usize,
    steepness: f64,
    set: Set,
}

fn signed_rows(problem: &Problem) -> Vec<Signed> {
    let of = |(row, set): (usize, Set)| {
        let (mu, set) = match set {
            Set::Nonnegative | Set::Free => (0.0, set),
            Set::Coulomb2 { mu } | Set::Coulomb3 { mu } => (mu, Set::Nonnegative),
            _ => return None,
        };
        Some(Signed { row, steepness: (1.0 + mu * mu).sqrt(), set })
    };
    problem.blocks().filter_map(of).collect()
}

/// z and ‖y‖, if W z = 0 to rounding and z has its signs.
fn self_stress(problem: &Problem) -> Option<(Vec<f64>, f64)> {
    let rows = signed_rows(problem);
    if rows.is_empty() || rows.len() > MOST_ROWS {
        return None;
    }
    let w = problem.assembled();
    let size = |i: usize| if w.get(i, i) > 0.0 { w.get(i, i).sqrt() } else { 1.0 };
    let sizes: Vec<f64> = rows.iter().map(|own| size(own.row)).collect();
    let entry = |i: usize, j: usize| {
        w.get(rows[i].row, rows[j].row) / (sizes[i] * sizes[j]) + if i == j { SHIFT } else { 0.0 }
    };
    let n = rows.len();
    let full: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
    let q: Vec<f64> =
        rows.iter().zip(&sizes).map(|(own, size)| problem.u_free[own.row] / size).collect();
    let sets = rows.iter().map(|own| own.set).collect();
    let shifted = Problem::new(Sparse::from_rows(&full), q, sets).ok()?;
    let mut p = vec![0.0; n];
    let mut solver = find("active-set")?.build(&Options::default()).ok()?;
    solver.solve(&shifted, 1e-10, &mut p);
    // A pivot rule may end anywhere; what it says is not needed.
    if !certify(&shifted, &p, &mut Vec::new()).residual.is_finite() {
        return None;
    }
    let largest = p.iter().fold(0.0f64, |m, p| m.max(p.abs()));
    let taken: Vec<usize> = (0..n).filter(|&i| p[i].abs() > PART * largest).collect();
    let x = into_kernel(&full, &taken, &p)?;
    let mut z = vec![0.0; problem.size()];
    let mut square = 0.0;
    for (&i, x) in taken.iter().zip(x).filter(|(_, x)| x.abs() > NOTHING) {
        if rows[i].set == Set::Nonnegative && x < 0.0 {
            return None;
        }
        z[rows[i].row] = x / sizes[i];
        square += (rows[i].steepness * x / sizes[i]).powi(2);
    }
    is_in_kernel(w, &z).then_some((z, square.sqrt()))
}

/// The part of p on the rows `taken` that lies in the kernel of their matrix, of length 1.
fn into_kernel(full: &[Vec<f64>], taken: &[usize], p: &[f64]) -> Option<Vec<f64>> {
    let n = taken.len();
    let mut inverse: Vec<f64> =
        taken.iter().flat_map(|&i| taken.iter().map(move |&j| full[i][j])).collect();
    if n == 0 || !invert(&mut inverse, n, &mut Vec::new()) {
        return None;
    }
    let mut x: Vec<f64> = taken.iter().map(|&i| p[i]).collect();
    for _ in 0..STEPS {
        let next: Vec<f64> = inverse.chunks(n).map(|row| dot(row, &x)).collect();
        let size = dot(&next, &next).sqrt();
        if !(size > 0.0 && size.is_finite()) {
            return None;
        }
        x = next.iter().map(|x| x / size).collect();
    }
    Some(x)
}

/// Whether W z = 0 to rounding, in every row.
fn is_in_kernel(w: &Sparse, z: &[f64]) -> bool {
    (0..z.len()).all(|i| {
        let (columns, values) = w.row(i);
        let (mut sum, mut size) = (0.0, 0.0);
        for (&j, &x) in columns.iter().zip(values) {
            sum += x * z[j as usize];
            size += (x * z[j as usize]).abs();
        }
        f64::abs(sum) <= ROUNDING * size
    })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
