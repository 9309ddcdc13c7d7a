//! Enumeration: the slow obvious oracle.
//!
//! For every choice of which unilateral constraints carry an impulse (u_i = 0) and which do not
//! (p_i = 0) it solves the linear system and keeps the choice whose certificate is best. Complete for
//! problems whose solution has a nonsingular active block; 2ⁿ work.

use super::{Entry, Outcome, Solver, Status, Unsupported};
use crate::certificate::certify;
use crate::dense::eliminate;
use crate::problem::Problem;
use crate::set::Set;

pub(super) const ENTRY: Entry = Entry {
    name: "enumerate",
    about: "tries every active set (at most 20 unilateral rows); the oracle of the tests",
    options: &[],
    make: |_| Box::new(Enumerate),
};

/// 2²⁰ small systems take seconds; beyond that the method is of no use.
const LIMIT: usize = 20;

struct Enumerate;

impl Solver for Enumerate {
    fn accepts(&self, problem: &Problem) -> Result<(), Unsupported> {
        let rows = problem.sets.iter().filter(|s| **s == Set::Nonnegative).count();
        if rows > LIMIT {
            return Err(Unsupported::TooLarge { solver: "enumerate", limit: LIMIT, rows });
        }
        Unsupported::unless("enumerate", problem, |set| matches!(set, Set::Nonnegative | Set::Free))
    }

    fn solve(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Outcome {
        let n = problem.size();
        let unilateral: Vec<usize> = (0..n).filter(|&i| problem.sets[i] == Set::Nonnegative).collect();
        let (mut best, mut best_residual) = (vec![0.0; n], f64::INFINITY);
        let (mut trial, mut u) = (vec![0.0; n], Vec::new());
        let mut tried = 0;
        for choice in 0..1u32 << unilateral.len() {
            tried += 1;
            let carries = |i: usize| {
                let place = unilateral.iter().position(|&j| j == i);
                place.is_none_or(|k| choice >> k & 1 == 1)
            };
            let active: Vec<usize> = (0..n).filter(|&i| carries(i)).collect();
            if !solve_active(problem, &active, &mut trial) {
                continue;
            }
            let residual = certify(problem, &trial, &mut u).residual;
            if residual < best_residual {
                best_residual = residual;
                best.copy_from_slice(&trial);
            }
            if best_residual <= f64::EPSILON {
                break;
            }
        }
        p.copy_from_slice(&best);
        let status = if best_residual <= tolerance { Status::Converged } else { Status::Infeasible };
        Outcome { status, iterations: tried, method: "enumerate" }
    }

    fn forget(&mut self) {}
}

/// p with (W p + u_free)_i = 0 on the active rows and p_i = 0 elsewhere; false if there is no unique one.
fn solve_active(problem: &Problem, active: &[usize], p: &mut [f64]) -> bool {
    let mut a: Vec<f64> =
        active.iter().flat_map(|&i| active.iter().map(move |&j| problem.delassus().get(i, j))).collect();
    let mut x: Vec<f64> = active.iter().map(|&i| -problem.u_free[i]).collect();
    if !eliminate(&mut a, &mut x) {
        return false;
    }
    p.fill(0.0);
    for (&i, x) in active.iter().zip(x) {
        p[i] = x;
    }
    true
}
