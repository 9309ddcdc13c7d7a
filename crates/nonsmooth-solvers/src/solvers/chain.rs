//! The methods for friction in the order in which they are tried: one table, for files and for runs.
//!
//! A heap of balls is nearly isostatic: sweeps and gradients stand still until the sets of open and slipping contacts are right and then fall by
//! decades, so that time to solution has a long tail and depends on start and order like a draw.
//!
//! The best impulses of all stages are returned, so that a later stage never makes worse what an earlier one found. Conditions are those of `kinds.rs`.

use super::kinds::Kind;

/// A method of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Lemke,
    Newton,
    Sweeps,
    InteriorPoint,
    Admm,
    /// Projected gradients.
    Apgd,
    /// Friction in the plane as an LCP.
    LemkeFaceted,
}

/// Where a stage starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// The best impulses so far.
    Best,
    /// p = 0.
    Zero,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stage {
    pub(super) method: Method,
    pub(super) start: Start,
    /// Most sweeps, iterations or linear systems; Lemke's methods and the interior point have limits of their own.
    pub(super) most: usize,
    pub(super) fits: fn(&Kind) -> bool,
}

const fn stage(method: Method, start: Start, most: usize, fits: fn(&Kind) -> bool) -> Stage {
    Stage { method, start, most, fits }
}

use Method::{Admm, Apgd, InteriorPoint, LemkeFaceted, Newton, Sweeps};
use Start::{Best, Zero};

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
    // Heaps. Of 60 jammed steps of 500 spheres (μ = 0.8, one seed) 59 reach 1e-4 this way; with the long sweeps at the end 58, with short stages from
    // both starts before long ones 55 to 57.
    stage(Sweeps, Best, 2000, |kind| kind.heap),
    stage(Apgd, Best, LONG, |kind| kind.heap && kind.gradients),
    stage(Newton, Best, FIRST_SYSTEMS, |kind| kind.heap && kind.factors),
    stage(Sweeps, Best, LONG, |kind| kind.heap),
    stage(Admm, Best, ALL_DIRECTIONS, |kind| kind.heap && kind.factors),
    stage(InteriorPoint, Best, INTERIOR_STEPS, |kind| kind.heap && kind.interior),
    stage(Newton, Best, FIRST_SYSTEMS, |kind| kind.heap && kind.factors && !kind.thorough),
    stage(Newton, Best, NEWTON_SYSTEMS, |kind| kind.heap && kind.factors && kind.thorough),
    // Other contacts of bodies: sweeps, whatever they promise, for a system of Newton's costs hundreds.
    stage(Sweeps, Best, 2000, |kind| kind.bodies),
    stage(Newton, Best, FIRST_SYSTEMS, |kind| kind.bodies && kind.factors),
    stage(LemkeFaceted, Best, 0, |kind| kind.bodies && kind.plane),
    stage(Apgd, Best, LONG, |kind| kind.bodies && kind.gradients),
    stage(Admm, Best, ALL_DIRECTIONS, |kind| kind.bodies && kind.factors),
    // Other rows: `newton` does in tens of systems what sweeps do in thousands, alternating directions need one factor.
    stage(Admm, Best, FEW_DIRECTIONS, |kind| kind.rows && kind.factors && kind.one_factor),
    stage(Newton, Best, FIRST_SYSTEMS, |kind| kind.rows && kind.factors && !kind.one_factor),
    // All: the interior point solves what Newton's iterates cycle on.
    stage(InteriorPoint, Best, INTERIOR_STEPS, |kind| !kind.heap && kind.interior),
    stage(Newton, Best, NEWTON_SYSTEMS, |kind| !kind.heap && kind.factors),
    stage(Newton, Zero, NEWTON_SYSTEMS, |kind| kind.factors && kind.thorough),
    stage(Sweeps, Best, LONG, |kind| kind.thorough),
];
