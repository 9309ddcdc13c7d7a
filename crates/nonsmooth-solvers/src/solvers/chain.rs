//! The methods for friction in the order in which they are tried: one table, for files and for runs.
//!
//! A heap of balls is nearly isostatic: sweeps and gradients stand still until the sets of open and slipping contacts are right and then fall
//! by decades. Time to solution has a long tail and depends on start and order like a draw. So heaps have several starts, orders and methods,
//! and no stage is left early because of its rate, except on a limit cycle.
//!
//! Work is counted in sweeps over the whole problem, so that one bound (`budget`) holds for all methods. The bound cuts the sequence of
//! iterates and does not change it: what a smaller budget finds a larger one finds too. The best impulses of all stages are returned.
//! Conditions are those of `kinds.rs`.

use super::kinds::Kind;

/// A method of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Lemke,
    Newton,
    Sweeps,
    /// Sweeps in an order drawn once, from this seed.
    ShuffledSweeps(u64),
    InteriorPoint,
    Admm,
    /// Projected gradients.
    Gradients,
    /// Friction in the plane as an LCP.
    LemkeFaceted,
}

/// Where a stage starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// The best impulses so far.
    Best,
    /// Where the stage before ended.
    End,
    /// The one of guess and p = 0 that the chain did not begin with.
    Other,
    /// p = 0.
    Zero,
}

/// One row of the table.
#[derive(Clone, Copy)]
pub(super) struct Stage {
    pub(super) method: Method,
    pub(super) start: Start,
    /// Most sweeps, iterations or linear systems; Lemke's methods and the interior point have limits of their own.
    pub(super) most: usize,
    /// Whether it ends where nothing moves: sweeps on a limit cycle, gradients that have not halved the residual in half of their bound.
    pub(super) leaves: bool,
    pub(super) fits: fn(&Kind) -> bool,
}

const fn stage(method: Method, start: Start, most: usize, fits: fn(&Kind) -> bool) -> Stage {
    Stage { method, start, most, leaves: false, fits }
}

/// A stage of jammed heaps.
const fn jammed(method: Method, start: Start, most: usize, fits: fn(&Kind) -> bool) -> Stage {
    Stage { method, start, most, leaves: true, fits }
}

use Method::{Admm, Gradients, InteriorPoint, LemkeFaceted, Newton, ShuffledSweeps, Sweeps};
use Start::{Best, End, Other, Zero};

/// Linear systems of the first attempt of Newton; piles need 15 from the end of the sweeps.
const FIRST_SYSTEMS: usize = 25;
/// Linear systems of an attempt of Newton after the first.
pub(super) const NEWTON_SYSTEMS: usize = 300;
/// Iterations of alternating directions on walls, where one factor serves tens of them: those of the collection that it
/// solves at all take 24 to 80 at 1e-8.
const FEW_DIRECTIONS: usize = 200;
/// Iterations of alternating directions to their end, and sweeps and gradients of the last resort; a column of ten boxes that slides and tips
/// takes 5700 gradients to 1e-10.
const ALL_DIRECTIONS: usize = 10_000;
const LONG: usize = 20_000;
/// Steps of the interior point.
pub(super) const INTERIOR_STEPS: usize = 400;

/// The table: method, start, most iterations, condition.
pub(super) static STAGES: &[Stage] = &[
    // Heaps: sweeps, gradients and Newton's method from several starts and in several orders, each of which costs 0.3 s for 500 spheres. Of 60
    // jammed steps (friction 0.8) to 1e-4 sweeps solve 32, gradients 7 more, Newton 9; 4 of the 12 that are left fall to the second order.
    jammed(Sweeps, Best, 4000, |kind| kind.jammed),
    jammed(Gradients, End, 4000, |kind| kind.jammed && kind.gradients),
    jammed(Newton, Best, FIRST_SYSTEMS, |kind| kind.jammed && kind.factors),
    jammed(ShuffledSweeps(1), Zero, 5000, |kind| kind.jammed),
    jammed(Gradients, End, 4000, |kind| kind.jammed && kind.gradients),
    jammed(Newton, End, FIRST_SYSTEMS, |kind| kind.jammed && kind.factors),
    jammed(Sweeps, Other, 4000, |kind| kind.jammed && kind.guess),
    jammed(Gradients, End, 4000, |kind| kind.jammed && kind.guess && kind.gradients),
    jammed(Newton, End, FIRST_SYSTEMS, |kind| kind.jammed && kind.guess && kind.factors),
    jammed(ShuffledSweeps(2), Zero, 5000, |kind| kind.jammed),
    jammed(Gradients, End, 4000, |kind| kind.jammed && kind.gradients),
    jammed(Newton, End, FIRST_SYSTEMS, |kind| kind.jammed && kind.factors),
    // What takes long, for runs that must not stop: 10 000 directions take 2 s.
    jammed(Admm, Best, ALL_DIRECTIONS, |kind| kind.jammed && kind.factors),
    jammed(Gradients, Best, LONG, |kind| kind.jammed && kind.gradients),
    jammed(Sweeps, Best, LONG, |kind| kind.jammed),
    jammed(InteriorPoint, Best, INTERIOR_STEPS, |kind| kind.jammed && kind.interior),
    jammed(Newton, Best, FIRST_SYSTEMS, |kind| kind.jammed && kind.factors && !kind.thorough),
    jammed(Newton, Best, NEWTON_SYSTEMS, |kind| kind.jammed && kind.factors && kind.thorough),
    // Other contacts of bodies: sweeps, whatever they promise, for a system of Newton's costs hundreds.
    stage(Sweeps, Best, 2000, |kind| kind.bodies),
    stage(Newton, Best, FIRST_SYSTEMS, |kind| kind.bodies && kind.factors),
    stage(LemkeFaceted, Best, 0, |kind| kind.bodies && kind.plane),
    stage(Gradients, Best, LONG, |kind| kind.bodies && kind.gradients),
    stage(Admm, Best, ALL_DIRECTIONS, |kind| kind.bodies && kind.factors),
    // Other rows: `newton` does in tens of systems what sweeps do in thousands, alternating directions need one factor.
    stage(Admm, Best, FEW_DIRECTIONS, |kind| kind.rows && kind.factors && kind.one_factor),
    stage(Newton, Best, FIRST_SYSTEMS, |kind| kind.rows && kind.factors && !kind.one_factor),
    // All: the interior point solves what Newton's iterates cycle on.
    stage(InteriorPoint, Best, INTERIOR_STEPS, |kind| !kind.jammed && kind.interior),
    stage(Newton, Best, NEWTON_SYSTEMS, |kind| !kind.jammed && kind.factors),
    stage(Newton, Zero, NEWTON_SYSTEMS, |kind| kind.factors && kind.thorough),
    stage(Sweeps, Best, LONG, |kind| kind.thorough),
];

/// Rows of 500 jammed spheres, and what a linear system of these costs [sweeps]; 2000 spheres take 5 times, 5000 take 15 times as many.
const MEASURED: (f64, f64) = (3000.0, 400.0);
const GROWTH: f64 = 1.24;
/// Least cost of a linear system, that of 60 rows [sweeps].
const LEAST_SYSTEM: f64 = 50.0;

impl Stage {
    /// A stage outside of the table.
    pub(super) fn new(method: Method, start: Start, most: usize) -> Self {
        stage(method, start, most, |_| true)
    }
}

impl Method {
    /// Cost of one iteration on a problem of `rows` rows [sweeps over it]; one of all for methods that are not counted.
    pub(super) fn cost(self, rows: usize) -> f64 {
        let system = LEAST_SYSTEM.max(MEASURED.1 * (rows as f64 / MEASURED.0).powf(GROWTH));
        match self {
            Sweeps | ShuffledSweeps(_) => 1.0,
            Gradients => 1.2,
            Newton => system,
            Admm => 0.1 * system,
            InteriorPoint => 9.0 * system,
            Method::Lemke | LemkeFaceted => rows as f64,
        }
    }

    /// Its iterations come in groups of this many, after each of which it can be stopped without another result; none where it cannot.
    pub(super) fn group(self) -> Option<usize> {
        match self {
            Sweeps | ShuffledSweeps(_) | Newton => Some(1),
            Gradients | Admm => Some(10),
            InteriorPoint | Method::Lemke | LemkeFaceted => None,
        }
    }
}
