//! Relations: outputs y of states and coordinates, tied by a law to inputs λ that act on them.
//!
//! ```text
//! y = h(z, λ, t),     r = g(z, λ, t),     −y ∈ N_C(λ)          linear: y = C z + D λ + e,     r = B λ
//! ```
//!
//! z are the variables that a relation reads: states of first-order systems, coordinates and velocities of others. r acts on states
//! and, as a generalized force, on velocities. A relation without rows is a **coupling**, r = g(z, t): a motor that drives a
//! mechanism. [Acary06, eq. (6)–(9)]

mod function;
mod linearized;
mod polytope;

pub(crate) use function::Coupling;
pub use function::{CouplingFunction, LinearRelation, Point, RelationFunction, Slopes};
pub(crate) use linearized::Linearized;
pub use polytope::Polytope;

use crate::error::{StepError, StepResult};
use crate::model::instant::Instant;
use crate::model::{LawId, Model, State, SystemId};

/// What a relation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable {
    /// A coordinate of a system or body; of a first-order system there is none.
    Coordinate(SystemId, usize),
    /// A velocity, or a state of a first-order system. Bodies in space have v and ω in world axes.
    Velocity(SystemId, usize),
}

impl Variable {
    /// State number `state` of a first-order system.
    pub fn state(system: SystemId, state: usize) -> Self {
        Self::Velocity(system, state)
    }
}

/// By which law y and λ are tied.
#[derive(Clone, Copy, Debug)]
pub enum RelationLaw {
    /// Each row by itself, by a law without tangents: complementarity, relay, bilateral.
    Rows(LawId),
    /// λ in a polytope: the function must be a [`Polytope`].
    Polytope,
    /// None: a coupling.
    None,
}

/// A relation as given.
pub(crate) struct GivenRelation {
    pub(crate) name: String,
    pub(crate) law: RelationLaw,
    pub(crate) reads: Vec<Variable>,
    pub(crate) acts: Vec<(SystemId, usize)>,
    pub(crate) function: Box<dyn RelationFunction>,
}

/// A variable at its place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Read {
    Coordinate(u32),
    Velocity(u32),
}

/// A relation laid out.
pub struct Relation {
    pub(crate) name: String,
    pub(crate) law: RelationLaw,
    pub(crate) reads: Vec<Read>,
    pub(crate) acts: Vec<u32>,
    pub(crate) function: Box<dyn RelationFunction>,
    /// Whether rotations of bodies in space are read, which are not linear in v⁺.
    pub(crate) reads_rotations: bool,
    /// Its first row among those of all relations.
    pub(crate) first: usize,
}

impl Relation {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of rows: entries of λ, and of y.
    pub fn n_rows(&self) -> usize {
        self.function.n_rows()
    }

    /// Number of rows that results show: those of y and λ, without multipliers of a polytope.
    pub fn n_shown(&self) -> usize {
        self.function.n_shown()
    }

    /// Its rows among those of all relations.
    pub fn rows(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.n_rows()
    }

    /// Whether it is a coupling: nothing but a force or rate that depends on other systems.
    pub fn is_coupling(&self) -> bool {
        self.n_rows() == 0
    }

    /// Whether one pass of a step solves it.
    pub(crate) fn is_linear(&self) -> bool {
        self.function.is_linear() && !self.reads_rotations
    }

    /// An error of its function.
    fn fault(&self) -> impl FnOnce(crate::error::UserError) -> Box<StepError> + '_ {
        let kind = if self.is_coupling() { "coupling" } else { "relation" };
        move |source| StepError::User { place: format!("{kind} `{}`", self.name), source }.into()
    }

    /// z at an instant.
    fn gather(&self, at: &Instant<'_>, z: &mut Vec<f64>) {
        z.clear();
        z.extend(self.reads.iter().map(|read| match *read {
            Read::Coordinate(i) => at.q[i as usize],
            Read::Velocity(i) => at.v[i as usize],
        }));
    }
}

/// y and λ of all relations, by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RelationValues {
    /// Outputs.
    pub y: Vec<f64>,
    /// Inputs.
    pub lambda: Vec<f64>,
}

impl Model {
    /// Number of rows of all relations.
    pub fn n_relation_rows(&self) -> usize {
        self.relations.last().map_or(0, |relation| relation.rows().end)
    }

    /// What only schemes for first-order systems honour, in words, if there is something.
    pub fn beyond_mechanics(&self) -> Option<String> {
        if let Some(family) = self.systems.iter().find(|family| family.is_first_order()) {
            return Some(family.name().to_owned());
        }
        if let Some(controller) = self.controllers.first() {
            return Some(format!("the sampled controller `{}`", controller.name()));
        }
        let relation = self.relations.first()?;
        let kind = if relation.is_coupling() { "coupling" } else { "relation" };
        Some(format!("the {kind} `{}`", relation.name))
    }

    /// y and λ of all relations at a state, those of a polytope followed by its multipliers; λ is that of the step that led there, zero at the start.
    pub fn relation_values(&self, state: &State) -> StepResult<RelationValues> {
        let m = self.n_relation_rows();
        let mut lambda = state.scheme.clone();
        lambda.resize(m, 0.0);
        let mut y = vec![0.0; m];
        self.at_state(state, |at| {
            let mut z = Vec::new();
            for relation in &self.relations {
                relation.gather(at, &mut z);
                let own = relation.rows();
                let point = Point { t: at.t, z: &z, lambda: &lambda[own.clone()], signals: at.signals };
                relation.function.shown(&point, &mut y[own]).map_err(relation.fault())?;
            }
            Ok(())
        })?;
        Ok(RelationValues { y, lambda })
    }
}
