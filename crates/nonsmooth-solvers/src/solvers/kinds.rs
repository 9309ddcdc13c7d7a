//! What kind of contact problem it is: in the plane, small enough for factors, isostatic, hyperstatic.

use crate::problem::Problem;
use crate::set::Set;

/// Rows per velocity up to which bodies in space count as isostatic: spheres have 1, capsules 1.3, arches 2, walls 3.6, towers 6.
const ISOSTATIC_ROWS: f64 = 1.5;
/// Entries per row of W from which contacts outnumber velocities: piles of spheres and capsules have 10 to 20, stacks
/// 30 to 35, walls and towers 60 to 120.
const HYPERSTATIC: usize = 40;
/// Bodies and contacts of an island up to which factors are tried: a bound on their memory, chosen, not measured.
const MOST_BODIES: usize = 1500;
pub(super) const MOST_CONTACTS: usize = 20_000;

/// Whether all friction is that of the plane.
pub(super) fn is_plane(problem: &Problem) -> bool {
    problem.sets.iter().all(|set| matches!(set, Set::Nonnegative | Set::Free | Set::Coulomb2 { .. }))
}

/// Whether an island has few enough bodies and constraints for factors.
pub(super) fn is_moderate(problem: &Problem) -> bool {
    let n_groups = problem.delassus.n_groups().unwrap_or(0);
    n_groups <= MOST_BODIES && problem.sets.len() <= MOST_CONTACTS
}

/// Whether bodies in space have few contacts each: a system of Newton's costs 200 to 400 sweeps there (in walls and towers 30 to 60).
pub(super) fn is_isostatic(problem: &Problem) -> bool {
    let Some(n_groups) = problem.delassus.n_groups() else { return false };
    !is_plane(problem) && problem.size() as f64 <= ISOSTATIC_ROWS * 6.0 * n_groups as f64
}

/// Whether contacts outnumber velocities, seen from the entries of W; where W is in factors Newton's systems are small.
pub(super) fn is_hyperstatic(problem: &Problem) -> bool {
    let Some(w) = problem.delassus.given() else { return false };
    w.n_entries() > HYPERSTATIC * w.n_rows()
}
