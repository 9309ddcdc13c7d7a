//! The methods for friction in the order in which they are tried: one table, for files and for runs.
//!
//! ```text
//! unit of cost   one sweep over the problem;   an iteration of gradients 1.2,   a linear system of n rows max(50, n/11)
//! start          A = guess or 0, the better by the certificate;   B = the other;   best = of all stages so far
//! ```
//!
//! A linear system costs 50 sweeps at 60 rows, 270 at 3000 (500 spheres), 1500 at 13 000, 4500 at 32 000. Time to solution of a dense heap has
//! a long tail and depends on start and order like a draw: sweeps fall by decades once the sets of open and slipping contacts stand, and may
//! cycle before; gradients solve many steps that sweeps do not, and the other way round. So stages differ in method, start and order.
//!
//! The sequence does not depend on the budget, which only ends it, and the best impulses of all stages are returned: asking for more never gives
//! less. Conditions are on sizes, sets, the coupling of constraints and the tolerance, never on how W is stored.

use super::kinds::Traits;

/// A method of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Lemke,
    /// Gauss–Seidel, extrapolated.
    Sweeps,
    /// The same over shuffled contacts, with steps 1.2 times as long.
    Shuffled,
    /// Projected gradients.
    Gradients,
    Newton,
    InteriorPoint,
    Admm,
    /// Friction in the plane as an LCP.
    LemkeFaceted,
}

/// Where a stage starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// The best impulses so far.
    Best,
    /// B, the start that was not taken first.
    Other,
    /// Where the stage before ended, better or not.
    Last,
    /// p = 0.
    Zero,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stage {
    pub(super) method: Method,
    pub(super) start: Start,
    /// Most iterations of the method.
    pub(super) most: usize,
    pub(super) fits: fn(&Traits) -> bool,
}

const fn stage(method: Method, start: Start, most: usize, fits: fn(&Traits) -> bool) -> Stage {
    Stage { method, start, most, fits }
}

impl Method {
    /// Units of cost of one iteration.
    pub(super) fn price(self, rows: usize) -> f64 {
        match self {
            Method::Sweeps | Method::Shuffled => 1.0,
            Method::Gradients => 1.2,
            Method::Admm => 5.0,
            Method::Lemke | Method::LemkeFaceted | Method::Newton | Method::InteriorPoint => {
                (rows as f64 / 11.0).max(50.0)
            }
        }
    }
}

/// Iterations to the end of a method's own patience.
const TO_THE_END: usize = 10_000;
/// Linear systems after each stage on a heap.
const TRIAL_SYSTEMS: usize = 10;
/// Linear systems of the first attempt of Newton; piles need 15 from the end of the sweeps.
const FIRST_SYSTEMS: usize = 25;
/// Linear systems of a later attempt.
const MORE_SYSTEMS: usize = 300;
/// Iterations of alternating directions on walls, where one factor serves tens of them: those of the collection that it
/// solves at all take 24 to 80 at 1e-8.
const FEW_DIRECTIONS: usize = 200;

const HEAP: fn(&Traits) -> bool = |t| t.is_heap();
const GRADED_HEAP: fn(&Traits) -> bool = |t| t.is_heap() && t.gradients();
const FACTORED_HEAP: fn(&Traits) -> bool = |t| t.is_heap() && t.factors();
const OTHER: fn(&Traits) -> bool = |t| !t.is_heap();

use Method::{Admm, Gradients, InteriorPoint, LemkeFaceted, Newton, Shuffled, Sweeps};
use Start::{Best, Last, Other, Zero};

/// The table: method, start, most iterations, condition.
///
/// Dense heaps: on 45 hard steps of 500 spheres (μ = 0.8, three seeds) Newton's method ends within ten systems or not at all, from the end of any stage before it;
/// sweeps solve 27 of them, Newton 15, alternating directions 3 where all else fails.
pub(super) static STAGES: &[Stage] = &[
    // Dense heaps asked for few digits.
    stage(Sweeps, Best, 4000, HEAP),
    stage(Newton, Last, TRIAL_SYSTEMS, FACTORED_HEAP),
    stage(Shuffled, Zero, 4000, HEAP),
    stage(Gradients, Last, 4000, GRADED_HEAP),
    stage(Newton, Last, TRIAL_SYSTEMS, FACTORED_HEAP),
    stage(Gradients, Other, 4000, GRADED_HEAP),
    stage(Newton, Last, TRIAL_SYSTEMS, FACTORED_HEAP),
    stage(Gradients, Best, 8000, GRADED_HEAP),
    stage(Newton, Last, TRIAL_SYSTEMS, FACTORED_HEAP),
    stage(Gradients, Best, 20_000, GRADED_HEAP),
    stage(Sweeps, Best, 20_000, HEAP),
    // All others.
    stage(Sweeps, Best, 2000, |t| OTHER(t) && t.is_large()),
    stage(Admm, Best, FEW_DIRECTIONS, |t| OTHER(t) && t.factors() && t.one_factor()),
    stage(Newton, Best, FIRST_SYSTEMS, |t| OTHER(t) && t.factors() && !t.one_factor()),
    stage(LemkeFaceted, Best, TO_THE_END, |t| t.plane && t.rows <= PLANE_ROWS),
    stage(InteriorPoint, Best, TO_THE_END, |t| OTHER(t) && t.interior()),
    stage(Gradients, Best, 20_000, |t| OTHER(t) && t.gradients()),
    // What takes long.
    stage(InteriorPoint, Best, TO_THE_END, |t| t.is_heap() && t.interior()),
    stage(Newton, Best, FIRST_SYSTEMS, FACTORED_HEAP),
    stage(Admm, Best, TO_THE_END, |t| t.factors()),
    stage(Admm, Zero, TO_THE_END, FACTORED_HEAP),
    stage(Newton, Best, MORE_SYSTEMS, |t| t.factors() && t.thorough()),
    stage(Newton, Zero, MORE_SYSTEMS, |t| t.factors() && t.thorough()),
    stage(Sweeps, Best, 20_000, OTHER),
];

/// Rows up to which Lemke's method is tried on bodies in the plane: grains that avalanche in a drum, 290 rows on which all
/// other methods end between 1e-5 and 1e-3, take 63 ms to 1e-15.
const PLANE_ROWS: usize = 1000;
