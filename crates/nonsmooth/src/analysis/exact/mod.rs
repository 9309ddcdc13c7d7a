//! Exact solutions: motions with impacts that are known in closed form, chosen by name from one list.
//!
//! Each begins at t = 0 and is known by its left and right limits at every time, and each has the model that it
//! solves. The ball, the two oscillators and the take-off are the academic examples of [Acary10].

mod ball;
mod bounces;
mod elastic_bar;
mod free_ball;
mod oscillator;
mod pressed_oscillator;
mod sliding_block;
mod take_off;

use crate::laws::NewtonImpact;
use crate::model::{Linear, Model, ModelBuilder, ModelError, State};
use nonsmooth_solvers::{Declared, Kind, OptionError, Options};
use std::sync::Arc;

/// Every exact solution, in the order in which they are listed to users.
pub static EXACT: &[Entry] = &[
    ball::ENTRY,
    oscillator::ENTRY,
    pressed_oscillator::ENTRY,
    take_off::ENTRY,
    free_ball::ENTRY,
    sliding_block::ENTRY,
    elastic_bar::ENTRY,
];

/// The exact solution called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    EXACT.iter().find(|entry| entry.name == name)
}

/// An exact solution's name, what it shows, and how to make one.
pub struct Entry {
    /// Name on the command line and in Python.
    pub name: &'static str,
    /// One line for users.
    pub about: &'static str,
    /// The parameters it has.
    pub options: &'static [&'static Declared],
    make: fn(&Options) -> Result<Box<dyn Exact>, OptionError>,
}

impl Entry {
    /// The solution with these parameters, or what is wrong with them.
    pub fn build(&self, options: &Options) -> Result<Box<dyn Exact>, Vec<OptionError>> {
        options.check(self.name, self.options)?;
        (self.make)(options).map_err(|error| vec![error])
    }
}

/// Coordinates and velocities at one instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motion {
    /// Coordinates [m].
    pub q: Vec<f64>,
    /// Velocities [m/s].
    pub v: Vec<f64>,
}

/// From which side an instant is approached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The limit from before.
    Left,
    /// The limit from after.
    Right,
}

impl Side {
    /// Whether something that happens at `event` is over at `t` [s].
    fn is_past(self, event: f64, t: f64) -> bool {
        match self {
            Side::Left => event < t,
            Side::Right => event <= t,
        }
    }
}

/// A motion known exactly for t ≥ 0.
pub trait Exact: Send + Sync {
    /// q and v at time `t` [s], as a limit from one side. At t = 0 the left limit is the initial state.
    fn motion(&self, t: f64, side: Side) -> Motion;

    /// Right limits at time `t` [s].
    fn at(&self, t: f64) -> Motion {
        self.motion(t, Side::Right)
    }

    /// Left limits at time `t` [s].
    fn before(&self, t: f64) -> Motion {
        self.motion(t, Side::Left)
    }

    /// Times in [0, `end`] at which a velocity jumps [s], ascending. Of impacts that accumulate, those are listed
    /// which doubles can tell apart: the list ends with the first flight shorter than ε t.
    fn jumps(&self, end: f64) -> Vec<f64>;

    /// Time at which impacts accumulate [s].
    fn accumulation(&self) -> Option<f64> {
        None
    }

    /// Normal contact force at time `t`, right limit, impacts apart [N].
    fn contact_force(&self, t: f64) -> f64;

    /// A time by which everything that is worth seeing has happened [s].
    fn horizon(&self) -> f64;

    /// The model that it solves, with its initial state.
    fn model(&self) -> Result<(Arc<Model>, State), ModelError>;
}

/// One coordinate that stays above zero, by Newton's law with `restitution`.
fn above_zero(system: Linear, restitution: f64) -> Result<(Arc<Model>, State), ModelError> {
    let mut builder = ModelBuilder::new();
    let system = builder.linear(system);
    let law = builder.law("rebound", NewtonImpact { restitution });
    builder.linear_gap("floor", law, &[(system, 0, 1.0)], 0.0);
    builder.build(0.0)
}

/// Any number ≥ 0.
const NOT_NEGATIVE: Kind = Kind::Number { min: 0.0, max: f64::MAX };
/// Any number.
const ANY: Kind = Kind::Number { min: f64::MIN, max: f64::MAX };

const MASS: Declared = Declared { name: "mass", about: "m [kg]", kind: Kind::Positive, default: "1" };
const STIFFNESS: Declared =
    Declared { name: "stiffness", about: "k [N/m]", kind: Kind::Positive, default: "1" };
const HEIGHT: Declared =
    Declared { name: "height", about: "q at the start [m]", kind: NOT_NEGATIVE, default: "1" };
const VELOCITY: Declared =
    Declared { name: "velocity", about: "v at the start [m/s]", kind: ANY, default: "0" };
/// Below 1, so that impacts accumulate; 0.9999 makes a list of 4e5 of them.
const RESTITUTION: Declared = Declared {
    name: "restitution",
    about: "e of u⁺ = −e u⁻, below 1 so that impacts accumulate [–]",
    kind: Kind::Number { min: 0.0, max: 0.9999 },
    default: "0.5",
};
