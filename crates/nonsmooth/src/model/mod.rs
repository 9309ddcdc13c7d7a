//! The model: systems joined by constraints, checked once, constant during a run.
//!
//! All coordinates live in one vector q and all velocities in one vector v. The linear systems come
//! first and form one block-diagonal sparse operator; each Lagrangian system follows as a dense block; up to there a
//! coordinate and its velocity have the same place. Rigid bodies come last.
//! Dispatch is per family and per step, never per contact.

mod blocks;
mod bodies;
mod builder;
mod builder_bodies;
mod check;
mod constraint;
mod differences;
mod first_order;
mod issue;
mod lift;
mod obstacle;
mod state;
mod system;

pub use blocks::{Block, Blocks, CONTACT_LIMIT, DENSE_LIMIT};
pub use bodies::{
    Anchor, Bodies, Body, BodyId, BodyIssue, Dimension, Life, MaterialId, Motion, Moved, Obstacle,
    ObstacleId, Overlap, PairError, Part, PartOf, Placed, Placement, Region, Spring, Symmetric,
    TouchKey, Wrench,
};
pub(crate) use bodies::{Collider, Point, Situation, check_overlaps, exponential};
pub use builder::{LawId, ModelBuilder};
pub use builder_bodies::CONTACT_LAYER;
pub(crate) use constraint::gather;
pub use constraint::{Constraints, Coordinate, Gap, Key, LinearContact, VelocityConstraint};
pub use first_order::FirstOrderForm;
pub use issue::{Issue, ModelError, Place};
pub(crate) use lift::Lift;
pub use obstacle::{ConvexObstacle, ObstacleError};
pub use state::{ContactMemory, State, TouchMemory};
pub use system::{At, FiniteDifferences, Force, Lagrangian, Linear, UserError, Velocity};

use crate::error::{StepError, StepResult, check_constraint};
use crate::laws::StepForm;
use nonsmooth_solvers::Sparse;
use std::ops::Range;

/// Names a system of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemId(pub usize);

/// Where a system sits in q and v.
#[derive(Clone, Debug)]
pub struct System {
    /// Name for messages and results.
    pub name: String,
    /// Names of its coordinates.
    pub coordinates: Vec<String>,
    /// Its places in v (and, without quaternions, in q).
    pub range: Range<usize>,
}

/// All linear systems as one operator over the first `n` velocities.
pub struct LinearFamily {
    /// Number of velocities of all linear systems together.
    pub n: usize,
    /// M.
    pub mass: Sparse,
    /// The diagonal of M if M is diagonal, else empty.
    pub mass_diagonal: Vec<f64>,
    /// C, if any system has it.
    pub damping: Option<Sparse>,
    /// K, if any system has it.
    pub stiffness: Option<Sparse>,
    /// Constant force [N].
    pub load: Vec<f64>,
    /// Forces that depend on time, each over its range.
    pub forces: Vec<(Range<usize>, Force)>,
}

impl LinearFamily {
    /// xᵀ M x.
    #[inline]
    pub fn mass_form(&self, x: &[f64]) -> f64 {
        if self.mass_diagonal.len() == x.len() {
            return self.mass_diagonal.iter().zip(x).map(|(m, x)| m * x * x).sum();
        }
        self.mass.form(x, x)
    }
}

/// A Lagrangian system at its place in q and v.
pub struct UserSystem {
    /// Its places in q and v.
    pub range: Range<usize>,
    /// Its matrices and forces.
    pub dynamics: Box<dyn Lagrangian>,
}

/// A coordinate whose velocity is a given function of time.
pub struct Prescribed {
    /// Its place in v.
    pub index: usize,
    /// Its velocity [m/s].
    pub velocity: Velocity,
}

/// Systems joined by constraints. Does not change during a step.
pub struct Model {
    /// Number of the model within the process; caches of an integrator belong to one model.
    pub id: u64,
    /// Every system in the order of registration.
    pub systems: Vec<System>,
    /// The linear systems.
    pub linear: LinearFamily,
    /// The Lagrangian systems.
    pub user: Vec<UserSystem>,
    /// The rigid bodies.
    pub bodies: Bodies,
    /// Coordinates with prescribed velocity, by index.
    pub prescribed: Vec<Prescribed>,
    /// Contacts, stops and joints.
    pub constraints: Constraints,
    /// The laws that constraints refer to, with their names.
    pub laws: Vec<(String, StepForm)>,
    /// How M̂ falls into independent blocks.
    pub blocks: Blocks,
    /// Whether everything is linear, so that a step needs no Newton iteration.
    pub is_linear: bool,
    /// Whether nothing but constant loads acts on independent coordinates: free motion is then one line.
    pub is_ballistic: bool,
}

impl Model {
    /// Number of velocities.
    pub fn n_velocities(&self) -> usize {
        self.bodies.first_v + self.bodies.n * self.bodies.n_v()
    }

    /// Number of coordinates.
    pub fn n_coordinates(&self) -> usize {
        self.bodies.first_q + self.bodies.n * self.bodies.n_q()
    }

    #[inline(never)]
    fn function_gaps(&self, state: &State, scratch: &mut Vec<f64>, out: &mut Vec<f64>) -> StepResult {
        for (columns, gap) in &self.constraints.gaps {
            let key = Key(out.len() as u64);
            gather(columns, &state.q, scratch);
            let value = gap.gap(state.t, scratch).map_err(StepError::in_constraint(self, key))?;
            check_constraint(self, "gap", key, value)?;
            out.push(value);
        }
        Ok(())
    }

    /// Velocity of a prescribed coordinate at time `t` [m/s]; finite.
    pub(crate) fn prescribed_velocity(&self, prescribed: &Prescribed, t: f64) -> StepResult<f64> {
        let i = prescribed.index;
        let value = (prescribed.velocity)(t).map_err(StepError::in_system(self, i))?;
        if value.is_finite() {
            return Ok(value);
        }
        let (system, coordinate) = self.coordinate_name(i);
        let (system, coordinate) = (system.to_owned(), coordinate.to_owned());
        Err(StepError::NotFinite { what: "velocity", system, coordinate, value }.into())
    }

    /// The law of a constraint.
    pub fn law(&self, key: Key) -> StepForm {
        self.laws[self.constraints.laws[key.0 as usize]].1
    }

    /// System and coordinate name of place `i` in v.
    pub fn coordinate_name(&self, i: usize) -> (&str, &str) {
        let bodies = &self.bodies;
        if i >= bodies.first_v {
            let place = i - bodies.first_v;
            return (&bodies.names[place / bodies.n_v()], bodies.velocities()[place % bodies.n_v()]);
        }
        let system = self.systems.iter().find(|s| s.range.contains(&i));
        let system = system.expect("every coordinate belongs to a system");
        (&system.name, &system.coordinates[i - system.range.start])
    }

    /// The system called `name`.
    pub fn system(&self, name: &str) -> Option<&System> {
        self.systems.iter().find(|s| s.name == name)
    }

    /// Gaps of all constraints that have one, at a state [m]; each is finite.
    #[inline(always)]
    pub fn gaps(&self, state: &State, scratch: &mut Vec<f64>, out: &mut Vec<f64>) -> StepResult {
        let constraints = &self.constraints;
        let n = constraints.n_linear();
        out.resize(n, 0.0);
        for i in 0..n {
            let (columns, values) = constraints.jacobian.row(i);
            let mut gap = constraints.offset[i];
            for k in 0..columns.len() {
                gap += values[k] * state.q[columns[k] as usize];
            }
            out[i] = gap;
        }
        if constraints.gaps.is_empty() { Ok(()) } else { self.function_gaps(state, scratch, out) }
    }
}
