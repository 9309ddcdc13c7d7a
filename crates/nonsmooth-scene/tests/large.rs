//! The problems of over 300 kB, which lie beside the clone: what is asked of the committed ones is asked of these.
//! `cargo xtask test --only large` runs it.

#[path = "it/collection/mod.rs"]
mod collection;
#[path = "it/problems.rs"]
mod problems;

use collection::Part;
use nonsmooth_testkit::Problems;

/// The problems that are too large to be committed.
const PART: Part = Part {
    problems: Problems::large,
    count: 10,
    infeasible: &[],
    unrounded: 9,
    velocities: 0,
    residuals: 10,
    tried: 1,
    strengths: 10,
};
