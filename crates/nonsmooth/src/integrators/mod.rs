//! Integrators: recipes for one step, each one file, chosen by name from one list.

mod d1_minus;
mod euler;
mod euler_explicit;
mod euler_implicit;
mod euler_moreau;
mod euler_semi_implicit;
mod event_driven;
pub mod flow;
mod generalized_alpha;
mod high_order;
mod kick_drift;
mod moreau_adaptive;
mod moreau_energy;
mod moreau_jean;
mod moreau_paoli;
mod moreau_projected;
mod refusal;
mod schatzman_paoli;
mod settings;
mod splitting;
mod stewart_trinkle;
mod tracking;

pub use refusal::Refusal;
pub(crate) use refusal::{
    acts_at_once, conservative, frictionless, gaps_only, needs_kick_drift, needs_step_form, needs_theta,
    no_drives, no_rebound, no_relays_on_gaps, no_tangents, one_restitution, restitution,
};
pub use settings::{
    D1Minus, Direction, EndGap, EulerExplicit, EulerImplicit, EulerMoreau, EulerSemiImplicit,
    EventDriven, ForceAt, ForcesAt, GeneralizedAlpha, HighOrder, IntoIntegrator, JacobianAt, KickDrift,
    Level, Locate, MassAt, MethodOrder, MoreauAdaptive, MoreauEnergy, MoreauJean, MoreauPaoli,
    MoreauProjected, Persistent, Projected, ProjectionKind, Root, RungeKutta, SchatzmanPaoli, Scheme,
    Splitting, Start, StewartTrinkle,
};

use crate::error::StepResult;
use crate::log::StepLog;
use crate::model::{Model, State};
use crate::phases::SolverSettings;
use nonsmooth_solvers::{Declared, OptionError, Options, Problem};

/// Every integrator, in the order in which they are listed to users.
pub static INTEGRATORS: &[Entry] = &[
    kick_drift::ENTRY,
    moreau_jean::ENTRY,
    moreau_projected::ENTRY,
    moreau_paoli::ENTRY,
    schatzman_paoli::ENTRY,
    stewart_trinkle::ENTRY,
    moreau_adaptive::ENTRY,
    high_order::ENTRY,
    splitting::ENTRY,
    moreau_energy::ENTRY,
    event_driven::ENTRY,
    d1_minus::ENTRY,
    generalized_alpha::ENTRY,
    euler_explicit::ENTRY,
    euler_semi_implicit::ENTRY,
    euler_implicit::ENTRY,
    euler_moreau::ENTRY,
];

/// The integrator called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    INTEGRATORS.iter().find(|entry| entry.name == name)
}

/// An integrator's name, what it is for, and how to make one.
pub struct Entry {
    /// Name in scene files, on the command line and in Python.
    pub name: &'static str,
    /// One line for users.
    pub about: &'static str,
    /// The options it understands.
    pub options: &'static [&'static Declared],
    make: fn(&Options, SolverSettings) -> Box<dyn Integrator>,
}

impl Entry {
    /// An integrator with these options, or what is wrong with them.
    pub fn build(
        &self,
        options: &Options,
        settings: SolverSettings,
    ) -> Result<Box<dyn Integrator>, Vec<OptionError>> {
        options.check(self.name, self.options)?;
        Ok((self.make)(options, settings))
    }
}

/// How exact a scheme is where its impulses act at the right instants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accuracy {
    /// Order p of the motion in h; 0 where states have errors that no energy shows (`Simulation::accuracy`).
    pub order: u32,
    /// Whether impacts act at their instant; else each shifts the motion by O(h), which the ledger does not show.
    pub resolves_impacts: bool,
}

/// A recipe for one step.
pub trait Integrator: Send {
    /// Says in words why this model is not for this integrator.
    fn accepts(&self, model: &Model) -> Result<(), Refusal>;

    /// Makes one step of size `h`: reads `now`, writes `next` and `log`. On error `next` is unusable
    /// and `now` untouched.
    fn step(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult;

    /// The state with all velocities at the instant of q, for observers, other schemes and `set_state`; by default the state itself.
    fn synchronize(&mut self, _model: &Model, state: &State, out: &mut State) -> StepResult {
        out.copy_from(state);
        Ok(())
    }

    /// Whether velocities of a state may lag behind q, so that observers need `synchronize`.
    fn is_staggered(&self) -> bool {
        false
    }

    /// Its order, and whether impacts act at their instant; by default the first order of schemes that do not resolve them.
    fn accuracy(&self) -> Accuracy {
        Accuracy { order: 1, resolves_impacts: false }
    }

    /// The one-step problem that was posed last, where the scheme keeps it: what to save when a step fails.
    fn last_problem(&self) -> Option<&Problem> {
        None
    }

    /// Forgets all scratch; no bit of any result may depend on it.
    fn reset(&mut self);
}
