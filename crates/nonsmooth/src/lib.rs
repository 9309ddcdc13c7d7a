//! Mechanical systems that touch, hit, stick and slide, with the contact laws solved exactly.
//!
//! A [`Model`] is a list of systems joined by constraints. An [`Integrator`] makes a step: it reads a
//! [`State`] and writes the next. [`Simulation`] makes many steps and shows each to observers. This crate
//! knows nothing of files, clocks or terminals.
//!
//! A bouncing ball:
//!
//! ```
//! use nonsmooth::{EnergyLedger, Linear, ModelBuilder, MoreauJean, NewtonImpact, Simulation, Sparse};
//!
//! let (mass, radius, gravity) = (1.0, 0.1, 9.81);
//! let mut builder = ModelBuilder::new();
//! let ball = builder.linear(
//!     Linear::new("ball", Sparse::diagonal(&[mass, mass, 0.6 * mass * radius * radius]))
//!         .load(&[-mass * gravity, 0.0, 0.0])
//!         .initial(&[1.0, 0.0, 0.0], &[0.0; 3]),
//! );
//! let law = builder.law("rebound", NewtonImpact { restitution: 0.9 });
//! builder.linear_gap("floor", law, &[(ball, 0, 1.0)], -radius);
//! let (model, state) = builder.build(0.0).unwrap();
//!
//! let mut simulation = Simulation::new(model, state, Box::new(MoreauJean::default()), 0.005).unwrap();
//! let mut ledger = EnergyLedger::default();
//! simulation.run(2000, &mut [&mut ledger]).unwrap();
//! assert!(simulation.state.q[0] > 0.099);
//! assert!(ledger.worst_remainder < 1e-13 * ledger.scale);
//! ```

pub mod analysis;
mod error;
mod integrators;
mod laws;
mod log;
mod model;
mod observers;
mod phases;
mod simulation;

pub use error::{StepError, StepResult};
pub use integrators::{
    DEFAULT_TOLERANCE, Entry as IntegratorEntry, INTEGRATORS, Integrator, MoreauJean, Refusal, Solving,
    find as find_integrator,
};
pub use laws::{
    Bilateral, Coulomb, Entry as LawEntry, LAWS, Law, NewtonImpact, StepForm, find as find_law,
};
pub use log::{Contacts, Counts, Event, Note, StepLog, Touched};
pub use model::*;
pub use nonsmooth_solvers::{
    Declared, Options, Report, SOLVERS, Set, Sparse, Status, Value, find as find_solver,
};
pub use observers::{EnergyLedger, Noted, OBSERVERS, Summary, Trajectory};
pub use phases::{Energies, KineticAngles, Policy, Works};
pub use simulation::{Frame, Observer, RunError, Simulation, n_steps};

/// The README's Rust example compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
