//! Analysis: how far a computed motion is from the exact one, and how fast that shrinks with the step.
//!
//! Velocities jump, so the maximum of their error never becomes small: at the node nearest to an impact it is as
//! large as the jump. What does become small is the error in L1, and the distance between filled-in graphs.
//! [Acary10, eq. (32)–(38)]

pub mod exact;
mod graph;
mod hausdorff;
mod ladder;
mod nearest;
mod norms;
mod order;
mod segment;
mod study;

pub use graph::{Graph, GraphError};
pub use hausdorff::{Excess, excess, hausdorff};
pub use ladder::{Ladder, LadderError};
pub use norms::{deviations, l1, lp, maximum};
pub use order::{Order, Rung};
pub use study::{
    Errors, IntegratorFactory, ModelFactory, NORMS, Norm, Reference, Run, Runs, Study, StudyError, Work,
};
