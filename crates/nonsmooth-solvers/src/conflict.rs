//! Why a problem has no solution: which contacts and joints contradict each other.
//!
//! With W = J M⁻¹ Jᵀ a solution needs velocities v with u_N = (J v + u_free)_N ≥ 0 at contacts and u = 0 at bilateral rows, whatever the
//! friction. By Farkas there are none exactly if some y proves it:
//!
//! ```text
//! y_N ≥ 0 at contacts, any sign at bilateral rows, 0 elsewhere,     W y = 0,     yᵀ u_free < 0
//! ```
//!
//! for then 0 ≤ yᵀu = pᵀ W y + yᵀ u_free < 0. y are impulses in equilibrium: those of walls that squeeze a body, of joints that pull against each
//! other. It is the limit ε → 0 of y = ε p, p the solution of the contacts alone, without friction, made soft:
//!
//! ```text
//! p ≥ 0,   (W + ε) p + u_free ≥ 0,   pᵀ((W + ε) p + u_free) = 0
//! ```
//!
//! and vanishes where there is a solution. In rounding W y is not zero; what is proved is that no impulses below |yᵀ u_free| / ‖W y‖ solve the
//! problem. `REACH` says how large that must be. All in units in which W has the diagonal 1.

use crate::problem::Problem;
use crate::set::Set;
use crate::solvers::active_set_alone;
use crate::sparse::Sparse;

/// ε.
const SOFTNESS: f64 = 1e-11;
/// Impulses, relative to what would stop u_free at a contact alone, that a proof must exclude. A mass ratio of 10⁶ needs 10⁶ of these.
const REACH: f64 = 1e9;
/// Rows up to which a conflict is looked for: a factor, after everything else has failed.
const MOST_ROWS: usize = 3000;
/// Part of the largest y from which a constraint takes part.
const TAKES_PART: f64 = 0.05;
/// Constraints that are named.
const NAMED: usize = 4;

/// Constraints that cannot be reconciled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    named: [usize; NAMED],
    /// How many constraints take part.
    pub n_constraints: usize,
}

impl Conflict {
    /// Those with the largest part, at most four.
    pub fn constraints(&self) -> &[usize] {
        &self.named[..self.n_constraints.min(NAMED)]
    }
}

/// The conflict of a problem, where there is one and it can be proved; W must be symmetric.
pub fn conflict(problem: &Problem) -> Option<Conflict> {
    if !problem.delassus.symmetric || problem.size() > MOST_ROWS {
        return None;
    }
    let w = problem.assembled();
    let unit: Vec<f64> = (0..problem.size())
        .map(|i| w.get(i, i))
        .map(|d| if d > 0.0 { 1.0 / d.sqrt() } else { 1.0 })
        .collect();
    let rows: Vec<(usize, usize, Set)> = problem
        .blocks()
        .enumerate()
        .filter(|(_, (_, set))| !matches!(set, Set::Interval { .. }))
        .map(|(c, (begin, set))| (c, begin, if set == Set::Free { set } else { Set::Nonnegative }))
        .collect();
    let soft = softened(problem, &rows, &unit)?;
    let mut y = vec![0.0; soft.size()];
    active_set_alone(&soft, &mut y);
    for (y, (_, _, set)) in y.iter_mut().zip(&rows) {
        *y = set.project(*y);
    }
    proof(problem, &rows, &unit, &y)
}

/// The contacts' normals and bilateral rows of W + ε.
fn softened(problem: &Problem, rows: &[(usize, usize, Set)], unit: &[f64]) -> Option<Problem> {
    let mut place = vec![u32::MAX; problem.size()];
    rows.iter().enumerate().for_each(|(k, &(_, row, _))| place[row] = k as u32);
    let w = problem.assembled();
    let mut entries = Vec::new();
    for (k, &(_, row, _)) in rows.iter().enumerate() {
        let (columns, values) = w.row(row);
        for (&j, &x) in columns.iter().zip(values) {
            if place[j as usize] != u32::MAX {
                entries.push((k, place[j as usize] as usize, x * unit[row] * unit[j as usize]));
            }
        }
        entries.push((k, k, SOFTNESS));
    }
    // Data beyond the range of numbers prove nothing.
    let soft = Sparse::from_triplets(rows.len(), rows.len(), &entries).ok()?;
    let u_free = rows.iter().map(|&(_, row, _)| unit[row] * problem.u_free[row]).collect();
    let sets = rows.iter().map(|row| row.2).collect();
    let mut soft = Problem::new(soft, u_free, sets).ok()?;
    soft.delassus.symmetric = true;
    Some(soft)
}

/// Whether y proves that there is no solution, and who takes part.
fn proof(problem: &Problem, rows: &[(usize, usize, Set)], unit: &[f64], y: &[f64]) -> Option<Conflict> {
    let largest = y.iter().fold(0.0f64, |m, y| m.max(y.abs()));
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    let (mut full, mut moved) = (vec![0.0; problem.size()], vec![0.0; problem.size()]);
    rows.iter().zip(y).for_each(|(&(_, row, _), y)| full[row] = unit[row] * y / largest);
    problem.assembled().multiply(&full, &mut moved);
    let size = |x: &[f64]| x.iter().zip(unit).map(|(x, unit)| (unit * x).powi(2)).sum::<f64>().sqrt();
    let gained: f64 = -full.iter().zip(&problem.u_free).map(|(y, u)| y * u).sum::<f64>();
    let free = size(&problem.u_free);
    // Impulses of the size REACH ‖u_free‖ give at most this to yᵀu.
    if !(gained > REACH * free * size(&moved) && gained > SOFTNESS * free) {
        return None;
    }
    let mut parts: Vec<(f64, usize)> = Vec::new();
    for (&(c, _, _), y) in rows.iter().zip(y) {
        if y.abs() >= TAKES_PART * largest {
            parts.push((y.abs(), c));
        }
    }
    parts.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut named = [0; NAMED];
    named.iter_mut().zip(&parts).for_each(|(name, (_, c))| *name = *c);
    Some(Conflict { named, n_constraints: parts.len() })
}
