//! Building a model: register systems, laws, constraints, forces and signals, then have everything checked at once.
//!
//! Nothing is checked before `build`, which tells everything that is wrong. Coordinates of all systems may be named by constraints;
//! those of bodies too, through [`BodyId::system`].

mod bodies;
mod bonds;
mod given;
mod joints;
mod lay_out;
mod lay_out_joints;
mod relations;

pub use given::{LinearTerm, SystemId};
pub use joints::{Anchor, FreeAxis, GivenJoint, JointAt, Rigid, Spring};

use super::check;
use super::constraints::{Gap, LinearContact, VelocityConstraint};
use super::controllers::GivenController;
use super::forces::Force;
use super::issue::{Issue, ModelError, Place};
use super::relations::GivenRelation;
use super::signals::{self, Signal};
use super::systems::{Lagrangian, Linear, Velocity};
use super::{LawId, Model, State, UserError};
use crate::laws::Law;
use bodies::GivenBodies;
pub(crate) use given::{GivenConstraint, GivenKind, GivenSystem};
use joints::GivenJoints;
pub(crate) use lay_out::Places;
use std::sync::Arc;

/// A coordinate of a system: its place among those of the system.
pub type Coordinate = usize;

/// Collects the parts of a model.
#[derive(Default)]
pub struct ModelBuilder {
    systems: Vec<GivenSystem>,
    laws: Vec<(String, Box<dyn Law>)>,
    constraints: Vec<GivenConstraint>,
    prescribed: Vec<(SystemId, Coordinate, Velocity)>,
    forces: Vec<Box<dyn Force>>,
    inputs: Vec<(String, f64)>,
    expressions: Vec<(String, Signal)>,
    allow_initial_violation: bool,
    bodies: GivenBodies,
    joints: GivenJoints,
    relations: Vec<GivenRelation>,
    controllers: Vec<GivenController>,
}

impl ModelBuilder {
    /// An empty model.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a linear system.
    pub fn linear(&mut self, system: Linear) -> SystemId {
        self.systems.push(GivenSystem::Linear(Box::new(system)));
        SystemId(self.systems.len() - 1)
    }

    /// Adds a Lagrangian system with the coordinates `coordinates`, starting at (q, v).
    pub fn lagrangian(
        &mut self,
        name: &str,
        coordinates: &[&str],
        dynamics: impl Lagrangian + 'static,
        q: &[f64],
        v: &[f64],
    ) -> SystemId {
        self.systems.push(GivenSystem::Lagrangian {
            name: name.to_owned(),
            coordinates: coordinates.iter().map(|&c| c.to_owned()).collect(),
            dynamics: Box::new(dynamics),
            q: q.to_vec(),
            v: v.to_vec(),
        });
        SystemId(self.systems.len() - 1)
    }

    /// Adds a law.
    pub fn law(&mut self, name: &str, law: impl Law + 'static) -> LawId {
        self.boxed_law(name, Box::new(law))
    }

    /// Adds a law that was made by name.
    pub fn boxed_law(&mut self, name: &str, law: Box<dyn Law>) -> LawId {
        self.laws.push((name.to_owned(), law));
        LawId(self.laws.len() as u32 - 1)
    }

    /// Adds the constraint y = Σ coefficient·coordinate + offset.
    pub fn linear_gap(&mut self, name: &str, law: LawId, terms: &[LinearTerm], offset: f64) {
        if terms.iter().any(|(system, ..)| system.body().is_some()) {
            return self.linear_contact(name, law, terms, offset, &[]);
        }
        let on = terms.iter().map(|&(system, coordinate, _)| (system, coordinate)).collect();
        let coefficients = terms.iter().map(|&(_, _, coefficient)| coefficient).collect();
        let kind = GivenKind::Linear { coefficients, offset };
        self.constraints.push(GivenConstraint { name: name.to_owned(), law, on, kind });
    }

    /// Adds the constraint y = g(q, t) on the given coordinates.
    pub fn gap(
        &mut self,
        name: &str,
        law: LawId,
        on: &[(SystemId, Coordinate)],
        gap: impl Gap + 'static,
    ) {
        let kind = GivenKind::Gap(Box::new(gap));
        self.constraints.push(GivenConstraint { name: name.to_owned(), law, on: on.to_vec(), kind });
    }

    /// Adds a contact with the gap y = Σ coefficient·coordinate + offset and the sliding velocity
    /// u_T = Σ coefficient·velocity of each tangent.
    pub fn linear_contact(
        &mut self,
        name: &str,
        law: LawId,
        normal: &[LinearTerm],
        offset: f64,
        tangents: &[&[LinearTerm]],
    ) {
        let mut on: Vec<(SystemId, Coordinate)> = Vec::new();
        for &(system, coordinate, _) in normal.iter().chain(tangents.iter().copied().flatten()) {
            if !on.contains(&(system, coordinate)) {
                on.push((system, coordinate));
            }
        }
        let dense = |terms: &[LinearTerm]| -> Vec<f64> {
            let sum = |place: &(SystemId, Coordinate)| {
                terms.iter().filter(|(s, c, _)| (*s, *c) == *place).map(|(_, _, x)| x).sum()
            };
            on.iter().map(sum).collect()
        };
        let tangents = tangents.iter().map(|terms| dense(terms)).collect();
        let contact = LinearContact { normal: dense(normal), offset, tangents };
        self.gap(name, law, &on, contact);
    }

    /// Adds the constraint h(q, v, t) at velocity level on the given coordinates.
    pub fn velocity_constraint(
        &mut self,
        name: &str,
        law: LawId,
        on: &[(SystemId, Coordinate)],
        constraint: impl VelocityConstraint + 'static,
    ) {
        let kind = GivenKind::Velocity(Box::new(constraint));
        self.constraints.push(GivenConstraint { name: name.to_owned(), law, on: on.to_vec(), kind });
    }

    /// Prescribes the velocity of a coordinate.
    pub fn prescribe(
        &mut self,
        system: SystemId,
        coordinate: Coordinate,
        velocity: impl Fn(f64) -> Result<f64, UserError> + Send + Sync + 'static,
    ) {
        self.prescribed.push((system, coordinate, Box::new(velocity)));
    }

    /// Adds a force.
    pub fn force(&mut self, force: impl Force + 'static) {
        self.forces.push(Box::new(force));
    }

    /// Adds a number that may be set from outside during a run.
    pub fn input(&mut self, name: &str, value: f64) {
        self.inputs.push((name.to_owned(), value));
    }

    /// Adds a named expression. It may read inputs and the expressions before it.
    pub fn expression(&mut self, name: &str, signal: Signal) {
        self.expressions.push((name.to_owned(), signal));
    }

    /// The place in `Instant::signals` of a signal that is registered; inputs must be registered before all expressions.
    pub fn signal(&self, name: &str) -> Option<usize> {
        let inputs = self.inputs.iter().map(|(known, _)| known);
        inputs.chain(self.expressions.iter().map(|(known, _)| known)).position(|known| known == name)
    }

    /// Accepts an initial state that violates constraints, and bodies that appear inside of others.
    pub fn allow_initial_violation(&mut self) {
        self.allow_initial_violation = true;
    }

    /// What is wrong with single parts, whatever else may be missing from the model.
    pub fn check_parts(&self) -> Vec<(Place, Issue)> {
        let mut issues = Vec::new();
        self.check(&mut issues);
        issues
    }

    /// The model and its initial state at time `t`, or everything that is wrong.
    pub fn build(mut self, t: f64) -> Result<(Arc<Model>, State), ModelError> {
        let mut issues = self.check_parts();
        // Joints and springs with mistakes are left out, so that those of the others are found in the same go.
        if !issues.iter().all(|(place, _)| self.joints.leave_out(place)) {
            return Err(ModelError { issues });
        }
        let allow = self.allow_initial_violation;
        let (contents, state) = self.assemble(t, &mut issues);
        let model = Model::new(contents);
        if issues.is_empty() {
            signals::check_start(&model, &state, &mut issues);
        }
        if !allow && issues.is_empty() {
            bodies::check_start(&model, &state, &mut issues);
        }
        if issues.is_empty() { Ok((Arc::new(model), state)) } else { Err(ModelError { issues }) }
    }

    /// What is wrong with single parts, before they are laid out.
    fn check(&self, issues: &mut Vec<(Place, Issue)>) {
        for (i, system) in self.systems.iter().enumerate() {
            check::check_system(i, system, issues);
        }
        self.bodies.check(&self.laws, issues);
        self.joints.check(&self.bodies, issues);
        let coordinates = |system: SystemId| self.n_coordinates(system);
        for (i, constraint) in self.constraints.iter().enumerate() {
            check::check_constraint(i, constraint, &coordinates, &self.laws, issues);
        }
        for (i, (system, coordinate, _)) in self.prescribed.iter().enumerate() {
            let place = Place::Prescribed(i);
            issues
                .extend(check::missing(*system, *coordinate, &coordinates).map(|m| (place.clone(), m)));
            if system.body().is_some() {
                issues.push((place.clone(), Issue::PrescribedBody));
            }
            if self.prescribed[..i].iter().any(|(s, c, _)| s == system && c == coordinate) {
                issues.push((place, Issue::PrescribedTwice));
            }
        }
        self.check_relations(issues);
        self.check_controllers(issues);
        self.check_signals(issues);
    }

    /// Number of coordinates of a system or body; first-order systems have none.
    fn n_coordinates(&self, system: SystemId) -> usize {
        match system.body() {
            None => self.systems.get(system.0).map_or(0, GivenSystem::n_coordinates),
            Some(body) => self.bodies.n_coordinates(body),
        }
    }

    /// Names of signals must differ; inputs must be finite.
    fn check_signals(&self, issues: &mut Vec<(Place, Issue)>) {
        let inputs = self.inputs.iter().map(|(name, _)| name);
        let names: Vec<&String> = inputs.chain(self.expressions.iter().map(|(name, _)| name)).collect();
        for (i, name) in names.iter().enumerate() {
            if names[..i].contains(name) {
                issues.push((Place::Signal((*name).clone()), Issue::SignalTwice));
            }
        }
        for (name, value) in &self.inputs {
            if !value.is_finite() {
                let issue = Issue::NotFinite { index: 0, value: *value };
                issues.push((Place::Signal(name.clone()), issue));
            }
        }
    }
}
