//! Mechanical systems that meet, hit, stick and slide, with the contact laws solved exactly.
//!
//! A [`Model`] is a list of families of systems tied by families of constraints; [`model::ModelBuilder`] collects and checks it. An
//! [`Integrator`] makes a step: it reads a [`State`] and writes the next. [`Simulation`] makes many steps and shows each to observers.
//! This crate knows nothing of files, clocks or terminals. Units are SI; quaternions are [w, x, y, z].
//!
//! An arm on a hinge with stops, driven by a torque that is set from outside:
//!
//! ```
//! use nonsmooth::{Simulation, integrators::KickDrift, joints::Revolute, laws::Coulomb, shapes::Shape};
//! use nonsmooth::model::{ModelBuilder, rigid::{Body, Collider, KinematicBody}};
//!
//! let mut builder = ModelBuilder::new();
//! builder.gravity([0.0, 0.0, -9.81]);
//! let oak = builder.material("oak");
//! let on_oak = builder.law("oak on oak", Coulomb { friction: 0.4, ..Coulomb::default() });
//! builder.pair(oak, oak, on_oak);
//! let ground = Collider::space(Shape::half_space([0.0, 0.0, 1.0])?, oak);
//! let ground = builder.kinematic(KinematicBody::new("ground", vec![ground]));
//! let arm = Body::solid("arm", Shape::cuboid([0.5, 0.05, 0.05])?, 700.0, oak)?;
//! let arm = builder.body(Body { position: [0.5, 0.0, 2.0], ..arm });
//! builder.input("torque", 0.0);
//! let torque = builder.signal("torque").expect("just added");
//! builder
//!     .joint("hinge", Revolute::at([0.0, 0.0, 2.0]).axis([0.0, 1.0, 0.0]), ground, arm)
//!     .stop(-0.5..0.5, 0.3)
//!     .motor(move |at| Ok(at.signals[torque]));
//! let (model, state) = builder.build(0.0)?;
//!
//! let saved = state.clone();
//! let mut simulation = Simulation::new(model, state, KickDrift::default(), 1e-3)?;
//! simulation.set_input("torque", 2.0)?;
//! simulation.step()?;
//! assert!(simulation.contacts().len() >= 1); // the hinge
//! assert!(simulation.body("arm").is_some_and(|arm| arm.position.z < 2.0)); // it falls
//! simulation.set_state(saved)?; // back to the start; the input too
//! simulation.reset(); // forgets scratch: no bit of a result depends on it
//! assert_eq!(simulation.state.inputs, [0.0]);
//! # Ok::<(), nonsmooth::Error>(())
//! ```
//!
//! | to | see |
//! |---|---|
//! | describe systems, bodies, joints, forces, inputs | [`model`], [`joints`], [`shapes`] |
//! | choose a law of contact, or write one | [`laws`], [`laws::Law`]; `examples/own_law.rs` |
//! | choose a scheme and its settings | [`integrators`]: `MoreauJean { theta: 1.0, ..Default::default() }` |
//! | choose a solver and its settings | [`solvers::settings`], [`SolverSettings`], [`integrators::Scheme::with_solver`] |
//! | write a joint or a solver | [`joints::Joint`], [`solvers::Solver`]; `examples/own_joint.rs`, `examples/own_solver.rs` |
//! | ask where a body is | [`Simulation::body`], [`Simulation::contacts`]; [`Simulation::state`] has all of it as numbers |
//! | watch a run | [`Observer`], [`observers`]; [`Observation::shown`] is what results show |
//! | have the derivative of a motion | [`integrators::flow::flow_with_derivative`] |
//! | measure errors and orders | [`analysis`] |

pub mod analysis;
mod energy;
mod error;
mod instants;
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
pub use integrators::{INTEGRATORS, Integrator, Refusal};
pub use log::{ConstraintLog, Counts, Energies, Event, N_WORKS, Note, StepLog, Works};
pub use model::{Implicit, Instant, Model, Pass, State};
pub use part::{Part, Selection};
pub use phases::{
    DEFAULT_TOLERANCE, KineticAngles, Policy, SolverSettings, Strike, StruckConstraint, strike_at,
};
pub use simulation::{Error, Observation, Observer, RunError, Simulation, StateError, n_steps};

/// Vectors and quaternions, as poses and twists have them.
pub use glam;
/// Shapes, poses and distances.
pub use nonsmooth_geometry as geometry;
/// One-step problems and what solves them.
pub use nonsmooth_solvers as solvers;

/// Shapes in space; those in the plane are in `geometry::planar`.
pub mod shapes {
    pub use nonsmooth_geometry::spatial::{Pose, Shape};
    pub use nonsmooth_geometry::{MassError, ShapeError};
}

/// Types of joints.
pub mod joints {
    pub use crate::model::constraints::joints::*;
}
