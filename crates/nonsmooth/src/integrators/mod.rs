//! Integrators: recipes for one step, each one file, chosen by name from one list.

mod d1_minus;
mod euler;
mod euler_explicit;
mod euler_implicit;
mod euler_semi_implicit;
mod event_driven;
mod generalized_alpha;
mod high_order;
mod moreau_adaptive;
mod moreau_energy;
mod moreau_jean;
mod moreau_paoli;
mod moreau_projected;
mod schatzman_paoli;
mod splitting;
mod stewart_trinkle;
mod tracking;

pub use moreau_jean::MoreauJean;

use crate::error::StepResult;
use crate::log::StepLog;
use crate::model::{Model, State};
use crate::phases::Policy;
use nonsmooth_solvers::{Declared, OptionError, Options, Problem, Set, Solver};
use thiserror::Error;

/// Every integrator, in the order in which they are listed to users.
pub static INTEGRATORS: &[Entry] = &[
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
    make: fn(&Options, Solving) -> Box<dyn Integrator>,
}

impl Entry {
    /// An integrator with these options, or what is wrong with them.
    pub fn build(
        &self,
        options: &Options,
        solving: Solving,
    ) -> Result<Box<dyn Integrator>, Vec<OptionError>> {
        options.check(self.name, self.options)?;
        Ok((self.make)(options, solving))
    }
}

/// How one-step problems are solved.
pub struct Solving {
    /// The solver.
    pub solver: Box<dyn Solver>,
    /// Largest certificate that counts as solved [–].
    pub tolerance: f64,
    /// What to do beyond that.
    pub policy: Policy,
}

/// Default of [`Solving::tolerance`]: two digits above the rounding of a column of 10⁵ bodies.
pub const DEFAULT_TOLERANCE: f64 = 1e-10;

impl Default for Solving {
    /// `auto` at the default tolerance, stopping on a miss.
    fn default() -> Self {
        let auto = nonsmooth_solvers::find("auto").expect("`auto` is listed");
        let solver = auto.build(&Options::default()).expect("defaults are valid");
        Self { solver, tolerance: DEFAULT_TOLERANCE, policy: Policy::Stop }
    }
}

/// Why an integrator cannot honour a model.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Refusal {
    /// The scheme knows no friction, nor any law but those of frictionless contacts and joints.
    #[error(
        "`{integrator}` is for frictionless contacts and joints and cannot honour the law of constraint `{constraint}`; give it a newton-impact or bilateral law, or use moreau-jean"
    )]
    Frictionless {
        /// Name of the integrator.
        integrator: &'static str,
        /// Name of the constraint.
        constraint: String,
    },
    /// The scheme has no impact law.
    #[error(
        "`{integrator}` is inelastic and cannot honour restitution {restitution} of constraint `{constraint}`; use restitution 0 or another integrator, moreau-jean for one"
    )]
    Restitution {
        /// Name of the integrator.
        integrator: &'static str,
        /// Name of the constraint.
        constraint: String,
        /// Its restitution, normal or tangential [–].
        restitution: f64,
    },
    /// The scheme has one coefficient of restitution for all contacts.
    #[error(
        "`{integrator}` has one restitution for all contacts: `{first}` has {e_first}, `{second}` has {e_second}; make them equal, or use moreau-jean"
    )]
    OneRestitution {
        /// Name of the integrator.
        integrator: &'static str,
        /// A constraint.
        first: String,
        /// Its restitution [–].
        e_first: f64,
        /// A constraint that differs.
        second: String,
        /// Its restitution [–].
        e_second: f64,
    },
    /// The scheme works with positions.
    #[error(
        "`{integrator}` imposes gaps and cannot honour constraint `{constraint}`, which is one of velocities; use moreau-jean"
    )]
    GapsOnly {
        /// Name of the integrator.
        integrator: &'static str,
        /// Name of the constraint.
        constraint: String,
    },
    /// The scheme keeps an energy that the model does not have.
    #[error(
        "`{integrator}` keeps the energy of linear systems with constant M, K and load and cannot honour the {what} `{name}`; take it out, or use moreau-jean"
    )]
    NotConservative {
        /// Name of the integrator.
        integrator: &'static str,
        /// What does not keep the energy.
        what: &'static str,
        /// Name of the system or constraint.
        name: String,
    },
    /// The scheme corrects coordinates that do not touch, and there are none.
    #[error(
        "`{integrator}` gives energy to coordinates that do not touch, but a closed `{constraint}` leaves none; use moreau-jean with restitution 1"
    )]
    NoFreeDirection {
        /// Name of the integrator.
        integrator: &'static str,
        /// Name of the constraint.
        constraint: String,
    },
    /// The scheme integrates free motion only.
    #[error(
        "`{integrator}` integrates free motion and cannot honour constraint `{constraint}`; take the constraint out, or use moreau-jean"
    )]
    FreeMotionOnly {
        /// Name of the integrator.
        integrator: &'static str,
        /// Name of the first constraint.
        constraint: String,
    },
    /// Restitution has no meaning at position level.
    #[error(
        "integrator.level = \"position\" cannot honour restitution {restitution} of constraint `{constraint}`; use restitution 0 or level = \"velocity\""
    )]
    RestitutionAtPositionLevel {
        /// Name of the constraint.
        constraint: String,
        /// Its restitution.
        restitution: f64,
    },
    /// Contact points of bodies are known at the start of the step only.
    #[error(
        "integrator.level = \"position\" does not take rigid bodies (`{body}`); use level = \"velocity\", or moreau-projected"
    )]
    BodiesAtPositionLevel {
        /// Name of the first body.
        body: String,
    },
    /// Which points enter during a step is not known for bodies.
    #[error(
        "integrator.projection = \"combined\" does not take rigid bodies (`{body}`); use projection = \"direct\""
    )]
    CombinedWithBodies {
        /// Name of the first body.
        body: String,
    },
    /// An option has no meaning at position level.
    #[error(
        "integrator.level = \"position\" cannot honour `{option}`: every constraint takes part, H is taken at the end of the step; leave it out"
    )]
    IgnoredAtPositionLevel {
        /// The option that was given.
        option: &'static str,
    },
    /// The smallest inner step is larger than the largest.
    #[error("integrator.h_min = {h_min} must not be larger than h_max = {h_max}")]
    StepBounds {
        /// Smallest inner step [s].
        h_min: f64,
        /// Largest inner step [s].
        h_max: f64,
    },
    /// The step size is not a positive number.
    #[error("the step size must be a finite number > 0, got {step_size}")]
    StepSize {
        /// What was given [s].
        step_size: f64,
    },
    /// θ = 0 leaves the end position independent of the impulse.
    #[error(
        "integrator.level = \"position\" needs theta > 0: with theta = 0 no impulse moves the end position"
    )]
    ExplicitAtPositionLevel,
    /// An option has no meaning beside the others.
    #[error("`{option}` has no meaning without {needs}; leave it out")]
    IdleOption {
        /// The option that was given.
        option: &'static str,
        /// What it would need.
        needs: &'static str,
    },
    /// The scheme does not know this kind of law.
    #[error(
        "`{scheme}` does not take {what} (constraint `{constraint}`), only frictionless contacts and joints; use `moreau-jean`"
    )]
    Law {
        /// The integrator.
        scheme: &'static str,
        /// Name of the constraint.
        constraint: String,
        /// The kind of its impulses.
        what: &'static str,
    },
    /// The scheme works with gaps.
    #[error(
        "`{scheme}` needs a gap and does not take constraint `{constraint}` at velocity level; use `moreau-jean`"
    )]
    VelocityLevel {
        /// The integrator.
        scheme: &'static str,
        /// Name of the constraint.
        constraint: String,
    },
    /// The scheme is not made for rigid bodies.
    #[error(
        "this integrator does not take rigid bodies (there are {count}, the first is `{body}`); use moreau-jean or moreau-projected"
    )]
    Bodies {
        /// How many bodies the model has.
        count: usize,
        /// Name of the first.
        body: String,
    },
    /// The scheme needs accelerations, which a prescribed velocity does not give.
    #[error(
        "`{scheme}` does not take the prescribed velocity of coordinate `{coordinate}` of system `{system}`; let the obstacle move instead, with a gap g(q, t), or use `moreau-jean`"
    )]
    Prescribed {
        /// The integrator.
        scheme: &'static str,
        /// Name of the system.
        system: String,
        /// Name of the coordinate.
        coordinate: String,
    },
}

/// Refuses laws that are neither a frictionless contact nor a joint.
fn frictionless(integrator: &'static str, model: &Model) -> Result<(), Refusal> {
    for (name, &law) in model.constraints.names.iter().zip(&model.constraints.laws) {
        if !matches!(model.laws[law].1.set, Set::Nonnegative | Set::Free) {
            return Err(Refusal::Frictionless { integrator, constraint: name.clone() });
        }
    }
    Ok(())
}

/// A recipe for one step.
pub trait Integrator: Send {
    /// Says in words why this model is not for this integrator.
    fn accepts(&self, model: &Model) -> Result<(), Refusal>;

    /// Whether rigid bodies may be part of the model.
    fn takes_bodies(&self) -> bool {
        false
    }

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

    /// The one-step problem that was posed last, where the scheme keeps it: what to save when a step fails.
    fn last_problem(&self) -> Option<&Problem> {
        None
    }

    /// Overwrites all scratch with NaN; no bit of any result may depend on it.
    fn poison(&mut self);
}
