//! Analysis: how far a computed motion is from the exact one, and how fast that shrinks with the step.
//!
//! Velocities jump, so the maximum of their error never becomes small: at the node nearest to an impact it is as
//! large as the jump. What does become small is the error in L1, and the distance between filled-in graphs.
//! [Acary10, eq. (32)–(38)]
//!
//! The order of Moreau–Jean on a bouncing ball:
//!
//! ```
//! use nonsmooth::analysis::{Ladder, Reference, Study, exact};
//! use nonsmooth::integrators::{IntoIntegrator, MoreauJean};
//! use nonsmooth_solvers::Options;
//!
//! let ball = exact::find("ball").unwrap().build(&Options::default()).unwrap();
//! let ladder = Ladder::new((0.0, ball.horizon()), (1e-2, 1e-3), 3, 8).unwrap();
//! let study = Study {
//!     ladder: &ladder,
//!     model: &|| ball.model(),
//!     integrator: &|| MoreauJean::default().into_integrator().unwrap(),
//!     reference: Reference::Exact(&*ball),
//!     coordinates: &[],
//!     threads: 2,
//!     progress: &|| (),
//! };
//! let runs = study.run().unwrap();
//! let order = runs.order(|run| run.q.l1, 0.0).unwrap();
//! assert!((order.slope - 1.0).abs() < 0.2, "{order:?}");
//! ```

pub mod exact;
mod first_order_form;
mod graph;
mod hausdorff;
mod ladder;
mod nearest;
mod norms;
mod order;
mod segment;
mod study;

pub use first_order_form::FirstOrderForm;
pub use graph::{Graph, GraphError};
pub use hausdorff::{Excess, excess, hausdorff};
pub use ladder::{Ladder, LadderError, next_prime};
pub use norms::{deviations, l1, lp, maximum};
pub use order::{Order, Rung};
pub use study::{
    Errors, IntegratorFactory, Known, ModelFactory, NORMS, Norm, Places, Record, Reference, Run, Runs,
    Study, StudyError, Work, in_parallel,
};
