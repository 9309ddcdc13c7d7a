//! What is varied, how exactly, and what the derivative of the flow consists of.

use crate::error::StepError;
use crate::integrators::Refusal;
use crate::model::{ConstraintId, Model, State, UserError};
use std::sync::Arc;
use thiserror::Error;

/// A model at a state, and the directions in which derivatives are taken.
#[derive(Clone)]
pub struct Varied {
    /// The model.
    pub model: Arc<Model>,
    /// Where the motion starts; what schemes remember in it is not used.
    pub state: State,
    /// One column of the derivative for each.
    pub directions: Vec<Direction>,
}

/// What changes.
#[derive(Clone)]
pub enum Direction {
    /// The initial coordinates, along this velocity: q ⊕ ε e_j.
    Position(usize),
    /// This initial velocity.
    Velocity(usize),
    /// Initial coordinates and velocities together.
    Tangent(Box<Tangent>),
    /// A parameter of the model, of the initial state, or of both.
    Parameter(Box<Neighbours>),
}

/// A direction of the initial state, with as many numbers as there are velocities: q ⊕ ε position, v + ε velocity.
#[derive(Clone, Debug)]
pub struct Tangent {
    /// What the direction is called.
    pub name: String,
    /// How the coordinates change, as velocities of the state times a time.
    pub position: Vec<f64>,
    /// How the velocities of the state change.
    pub velocity: Vec<f64>,
}

/// Model and initial state at p − 2d, p − d, p + d, p + 2d. All have the same systems and constraints.
#[derive(Clone)]
pub struct Neighbours {
    /// What the parameter is called.
    pub name: String,
    /// d, in the unit of the parameter.
    pub step: f64,
    /// The four.
    pub at: [(Arc<Model>, State); 4],
}

impl Neighbours {
    /// By a function that makes model and initial state from the value `p` of the parameter.
    pub fn by<E>(
        name: &str,
        p: f64,
        step: f64,
        mut make: impl FnMut(f64) -> Result<(Arc<Model>, State), E>,
    ) -> Result<Self, E> {
        let at = [make(p - 2.0 * step)?, make(p - step)?, make(p + step)?, make(p + 2.0 * step)?];
        Ok(Self { name: name.to_owned(), step, at })
    }
}

/// How the flow and its derivative are computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowSettings {
    /// Length of the steps between which the motion is only observed [s]; inner steps are no longer.
    pub step: f64,
    /// Error of an inner step in q and v, relative to max(|x|, 1) [–].
    pub tolerance: f64,
    /// Changes by which derivatives are taken, relative to the largest coordinate or velocity so far [–].
    pub increment: f64,
    /// Most events in one step; more stop the flow.
    pub max_events: usize,
    /// Whether extremes of the quantities are looked for, which takes evaluations in every step.
    pub extremes: bool,
}

impl Default for FlowSettings {
    /// Steps of 0.01 s, tolerance 1e-12, increment 1e-4, 10 000 events, extremes.
    fn default() -> Self {
        Self { step: 0.01, tolerance: 1e-12, increment: 1e-4, max_events: 10_000, extremes: true }
    }
}

/// A number that a state of the model has.
pub type Quantity<'a> = &'a dyn Fn(&Model, &State) -> Result<f64, UserError>;

/// The end of a motion, with derivatives. Each derivative has one entry, or one column, for each direction.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The state at the end.
    pub state: State,
    /// Its rates q̇ and v̇, one after the other: the derivative with respect to the final time.
    pub rate: Vec<f64>,
    /// Derivatives of q and v, one after the other, for each direction.
    pub d_state: Vec<Vec<f64>>,
    /// What happened on the way, in order.
    pub events: Vec<FlowEvent>,
    /// What became of the quantities that were asked for, in their order.
    pub extremes: Vec<Extremes>,
    /// Contacts that are closed at the end.
    pub closed: Vec<ConstraintId>,
}

/// A number with its derivatives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dual {
    /// The number.
    pub value: f64,
    /// One derivative for each direction.
    pub d: Vec<f64>,
}

/// An event of the flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowEvent {
    /// When [s]; the derivative is that of the instant.
    pub t: Dual,
    /// What happened.
    pub kind: FlowEventKind,
    /// To which constraints.
    pub constraints: Vec<ConstraintId>,
}

/// What happens in an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowEventKind {
    /// A contact was hit.
    Impact,
    /// A contact was left, because its force had gone.
    Leaves,
    /// A contact that stuck begins to slide.
    Slips,
    /// A contact that slid comes to a stop; it sticks, or slides back.
    Stops,
    /// A contact closes at no speed.
    Closes,
}

/// A quantity at both ends, and its extremes over the motion, with derivatives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extremes {
    /// At the start.
    pub first: Dual,
    /// At the end.
    pub last: Dual,
    /// Its rate at the end: the derivative with respect to the final time.
    pub rate: f64,
    /// Largest value, and when [s]; only where extremes are asked for.
    pub max: [Dual; 2],
    /// Smallest value, and when [s].
    pub min: [Dual; 2],
}

/// Why there is no derivative.
#[derive(Debug, Error)]
pub enum FlowError {
    /// The scheme does not take the model.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The motion itself fails.
    #[error("after t = {t} s: {source}")]
    Step {
        /// When the step began [s].
        t: f64,
        /// What happened.
        source: Box<StepError>,
    },
    /// A quantity has no value.
    #[error("at t = {t} s: {source}")]
    Quantity {
        /// When [s].
        t: f64,
        /// What it said.
        source: UserError,
    },
    /// The flow is not differentiable.
    #[error("no derivative beyond t = {t} s: {why}")]
    NotDifferentiable {
        /// When [s].
        t: f64,
        /// Why.
        why: Kink,
    },
    /// Models and states do not belong together, or a number is wrong.
    #[error("{0}")]
    Input(String),
}

/// Why a flow is not differentiable.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Kink {
    /// A contact is touched at no normal velocity, or a force or slip vanishes without changing its sign.
    #[error("{constraint} is grazed")]
    Grazing {
        /// Which.
        constraint: String,
    },
    /// Several things happen at one instant, and what follows depends on their order.
    #[error("events at one instant whose order matters: {}", constraints.join(", "))]
    Simultaneous {
        /// To which constraints.
        constraints: Vec<String>,
    },
    /// The initial state is on a contact, and the direction leads away from it.
    #[error("{constraint} is closed at the start, and {direction} opens it or presses into it")]
    StartsClosed {
        /// Which contact.
        constraint: String,
        /// In which direction.
        direction: String,
    },
    /// An impact at the very start.
    #[error("{constraint} is hit at the very start")]
    StartsWithImpact {
        /// Which contact.
        constraint: String,
    },
    /// A contact is closed and carries nothing: pressed it holds, pulled it opens.
    #[error("{constraint} is closed without force, and {direction} would press or open it")]
    Closed {
        /// Which contact.
        constraint: String,
        /// In which direction.
        direction: String,
    },
    /// The law of impact has a kink there: contacts begin to stick, to slide or to carry.
    #[error(
        "the impact of {constraint} is at the border between two kinds (sticking or sliding, carrying or not)"
    )]
    Border {
        /// Which contact.
        constraint: String,
    },
    /// A force jumps where no contact changes.
    #[error(
        "the inner steps shrink to {tau:.1e} s without an event: a force that jumps, or a motion far faster than the steps; let what jumps be a contact, or take a smaller step_size"
    )]
    Jump {
        /// Length of the step [s].
        tau: f64,
    },
    /// Painlevé's paradox.
    #[error("sliding has no solution or several (Painlevé)")]
    Paradox,
    /// Impacts follow each other ever faster.
    #[error("the impacts of {constraint} accumulate at about t = {t} s")]
    Accumulation {
        /// Which contact.
        constraint: String,
        /// When [s].
        t: f64,
    },
    /// Two extremes are equal.
    #[error("the extreme of quantity {number} is reached at two instants, here and at t = {other} s")]
    Tie {
        /// Which quantity, from 0.
        number: usize,
        /// The other instant [s].
        other: f64,
    },
}
