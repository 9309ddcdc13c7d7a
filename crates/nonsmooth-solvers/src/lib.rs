//! One-step problems of nonsmooth mechanics, their solvers, and one certificate for all of them.
//!
//! A time step leaves a [`Problem`]: find impulses p with u = W p + u_free and
//! −(u + shift(u)) ∈ N_C(p). Every
//! solver in [`SOLVERS`] takes it, writes p and says how it ended; [`solve`] then computes the common
//! residual apart from the solver, and that residual alone decides whether the step is solved.
//!
//! ```
//! use nonsmooth_solvers::{Options, Problem, Sparse, Status, find, solve};
//!
//! let w = Sparse::from_rows(&[vec![2.0, -1.0], vec![-1.0, 2.0]]);
//! let problem = Problem::complementarity(w, vec![-1.0, -1.0]).unwrap();
//! let mut lemke = find("lemke").unwrap().build(&Options::default()).unwrap();
//! let mut p = vec![0.0; 2];
//! let report = solve(&mut *lemke, &problem, 1e-12, &mut p, &mut Vec::new());
//! assert_eq!(report.status, Status::Converged);
//! assert!((p[0] - 1.0).abs() < 1e-15 && (p[1] - 1.0).abs() < 1e-15);
//! ```

mod certificate;
mod contradiction;
mod delassus;
mod dense;
mod eigen;
mod factor;
mod incidence;
#[allow(dead_code, unused_imports)]
mod islands;
mod jacobian;
mod linearise;
mod local;
mod mass_groups;
mod nearest;
mod options;
mod posed;
mod primal;
mod problem;
mod responses;
mod set;
pub mod settings;
mod solvers;
mod sparse;
mod stamp;
mod typed;
mod vector;

pub use certificate::{Certificate, certify, published_measure};
pub use contradiction::{Contradiction, contradiction};
pub use delassus::Delassus;
pub use dense::{eliminate, invert};
pub use factor::{Factor, FactorError, is_positive_definite};
pub use incidence::Incidence;
pub use jacobian::{ContactRows, Jacobian};
pub use mass_groups::{BodyVelocities, IMMOVABLE, Inertia, MassGroups, VelocityLayout};
pub use nearest::nearest;
pub use options::{Declared, Kind, OptionError, Options, Value};
pub use primal::Primal;
pub use problem::{Problem, ProblemError, Scale};
pub use set::{MAX_DIM, Part, Set};
pub use settings::SolverChoice;
pub use solvers::{
    Attempt, Entry, FACETED, Factored, Outcome, Report, SOLVERS, Solver, Status, Unsupported,
    all_solutions, find, solve,
};
pub use sparse::{Sparse, SparseError};
pub use typed::{Field, Settings, Word};
