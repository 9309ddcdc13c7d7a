//! What kind of friction problem it is, for the conditions of the chain.

use crate::problem::Problem;
use crate::set::Set;

/// Rows per velocity up to which bodies in space count as isostatic: spheres have 1, capsules 1.3, arches 2, walls 3.6, towers 6.
const ISOSTATIC_ROWS: f64 = 1.5;
/// Entries per row of W from which contacts outnumber velocities: piles of spheres and capsules have 10 to 20, stacks
/// 30 to 35, walls and towers 60 to 120.
const HYPERSTATIC: f64 = 40.0;
/// Entries per row and rows of a W that counts as that of a jammed heap.
const HEAP_ENTRIES: f64 = 28.0;
const HEAP_ROWS: usize = 1000;
/// Bodies and contacts of an island up to which factors are tried: a bound on their memory, chosen, not measured.
const MOST_BODIES: usize = 1500;
pub(super) const MOST_CONTACTS: usize = 20_000;
/// Rows up to which direct factors of W are tried on friction.
const DIRECT_ROWS: usize = 60_000;
/// Tolerance from which isostatic ones count as heaps, and alternating directions come before Newton's method on rows: at 1e-4
/// the collection is 3 % faster with them and its worst case 2.8 times, at 1e-8 it is 3 % slower.
const LOOSE: f64 = 1e-6;
/// Rows up to which a jammed heap goes down the whole list: at 470 rows the interior point took 60 ms to 1e-6 where the
/// methods before it ended at 1.7e-5; at 3000 the end of the list took 12 s and solved no step of 500 spheres.
const THOROUGH: usize = 1500;
/// Rows up to which the interior point is tried on contacts of bodies: it forms W.
const INTERIOR_ROWS: usize = 3000;
/// Rows up to which Lemke's method is tried on bodies in the plane: grains that avalanche in a drum, 290 rows on which all
/// other methods end between 1e-5 and 1e-3, take 63 ms to 1e-15.
const PLANE_ROWS: usize = 1000;
/// Contacts up to which projected gradients are tried: they keep six vectors, 150 bytes per contact.
const GRADIENT_CONTACTS: usize = 100_000;

/// What the conditions of the chain look at; exactly one of `jammed`, `bodies` and `rows` holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    /// Bodies in space with few contacts each, asked for few digits: a system of Newton's costs hundreds of sweeps there.
    pub(super) jammed: bool,
    /// Whether the chain began from a guess or might have.
    pub(super) guess: bool,
    /// Other contacts of bodies.
    pub(super) bodies: bool,
    /// Anything else.
    pub(super) rows: bool,
    /// Whether it is small enough for Lemke's method in the plane.
    pub(super) plane: bool,
    /// Whether one factor for tens of iterations is the better way: from nothing, and to few digits or where contacts outnumber velocities.
    pub(super) one_factor: bool,
    pub(super) factors: bool,
    pub(super) gradients: bool,
    pub(super) interior: bool,
    pub(super) thorough: bool,
}

impl Kind {
    pub(super) fn of(problem: &Problem, tolerance: f64, cold: bool) -> Self {
        let (size, contacts) = (problem.size(), problem.delassus.has_contacts());
        let loose = tolerance >= LOOSE;
        let coupling = coupling(problem);
        let looks_jammed =
            || size >= HEAP_ROWS && in_space(problem) && coupling.is_some_and(|x| x <= HEAP_ENTRIES);
        let jammed = loose && if contacts { is_isostatic(problem) } else { looks_jammed() };
        let thorough = !jammed || size <= THOROUGH;
        Self {
            jammed,
            guess: !cold,
            bodies: contacts && !jammed,
            rows: !contacts && !jammed,
            plane: size <= PLANE_ROWS && is_plane(problem),
            one_factor: cold && (loose || coupling.is_some_and(|x| x > HYPERSTATIC)),
            factors: if contacts { is_moderate(problem) } else { size <= DIRECT_ROWS },
            gradients: problem.sets.len() <= GRADIENT_CONTACTS,
            interior: thorough && size <= if contacts { INTERIOR_ROWS } else { DIRECT_ROWS },
            thorough,
        }
    }
}

/// Whether all friction is that of the plane.
fn is_plane(problem: &Problem) -> bool {
    problem.sets.iter().all(|set| matches!(set, Set::Nonnegative | Set::Free | Set::Coulomb2 { .. }))
}

/// Whether all rows are friction in space.
fn in_space(problem: &Problem) -> bool {
    problem.sets.iter().all(|set| matches!(set, Set::Coulomb3 { .. }))
}

/// Whether an island has few enough bodies and constraints for factors.
fn is_moderate(problem: &Problem) -> bool {
    let n_groups = problem.delassus.n_groups().unwrap_or(0);
    n_groups <= MOST_BODIES && problem.sets.len() <= MOST_CONTACTS
}

/// Whether bodies in space have few contacts each: a system of Newton's costs 200 to 400 sweeps there (in walls and towers 30 to 60).
fn is_isostatic(problem: &Problem) -> bool {
    let Some(n_groups) = problem.delassus.n_groups() else { return false };
    !is_plane(problem) && problem.size() as f64 <= ISOSTATIC_ROWS * 6.0 * n_groups as f64
}

/// Entries per row of W; none where it is in factors, for Newton's systems are small there.
fn coupling(problem: &Problem) -> Option<f64> {
    let w = problem.delassus.given()?;
    Some(w.n_entries() as f64 / problem.size().max(1) as f64)
}
