//! What the tests of linear and Lagrangian systems use, under one roof.

pub(crate) use nonsmooth::analysis::FirstOrderForm;
pub(crate) use nonsmooth::integrators::{MoreauJean, find as find_integrator};
pub(crate) use nonsmooth::laws::{Bilateral, Coulomb, NewtonImpact};
pub(crate) use nonsmooth::model::{
    At, ConstraintId, FiniteDifferences, Gap, Issue, Lagrangian, LawId, Linear, ModelBuilder,
    ModelError, Place, SystemId, UserError, VelocityConstraint,
};
pub(crate) use nonsmooth::observers::{EnergyLedger, Summary, Trajectory};
pub(crate) use nonsmooth::{
    Counts, Energies, Event, Integrator, Model, Observation, Observer, Policy, Refusal, RunError,
    Simulation, SolverSettings, State, StepError, StepLog, StepResult, Works,
};
pub(crate) use nonsmooth_solvers::{Options, SOLVERS, Sparse};
pub(crate) use std::sync::Arc;

/// A model and its start.
pub(crate) type Built = (Arc<Model>, State);

/// Default of `SolverSettings::tolerance`.
pub(crate) const DEFAULT_TOLERANCE: f64 = 1e-10;
