//! Mechanical systems that touch, hit, stick and slide, with the contact laws solved exactly.
//!
//! A [`Model`] is a list of families of systems tied by families of constraints. An [`Integrator`] makes a step: it reads a
//! [`State`] and writes the next. [`Simulation`] makes many steps and shows each to observers. This crate
//! knows nothing of files, clocks or terminals.

pub mod analysis;
mod collision;
mod error;
mod instant;
pub mod integrators;
pub mod laws;
mod log;
pub mod model;
mod newton;
pub mod observers;
mod part;
mod phases;
mod scratch;
mod simulation;

pub use error::{StepError, StepResult};
pub use instant::{Implicit, Instant, Pass};
pub use integrators::{INTEGRATORS, Integrator, Refusal};
pub use log::{ConstraintLog, Counts, Energies, Event, N_WORKS, Note, StepLog, Works};
pub use model::{Model, State};
pub use part::{Part, Selection};
pub use phases::{DEFAULT_TOLERANCE, KineticAngles, Policy, SolverSettings};
pub use simulation::{Observation, Observer, RunError, Simulation, n_steps};

/// Shapes, poses and distances.
pub use nonsmooth_geometry as geometry;
/// One-step problems and what solves them.
pub use nonsmooth_solvers as solvers;

/// Types of joints.
pub mod joints {
    pub use crate::model::constraints::joints::*;
}
