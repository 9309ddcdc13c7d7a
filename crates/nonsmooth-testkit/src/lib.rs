//! What the tests of several crates share. It depends on no crate of the workspace, so that each of them can use it.
//!
//! | module | holds |
//! |---|---|
//! | [`references`] | the reference trajectories and one-step problems of the repository |
//! | [`tolerance`] | differences with the worst offender named |
//! | [`random`] | numbers from a seed, the same on every machine |
//! | [`scenes`] | texts of scenes: a pile of balls, a stack of boxes, a chain |
//! | [`order`] | orders of convergence from errors |
//! | [`dense`] | small dense matrices by the textbook, as an oracle |
//!
//! Everything here panics with a sentence instead of returning errors: a test that cannot be made has failed.

pub mod dense;
pub mod order;
pub mod random;
pub mod references;
pub mod scenes;
pub mod tolerance;

pub use random::Random;
pub use references::{Problems, Table};
