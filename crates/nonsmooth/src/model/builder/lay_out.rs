//! Laying a model out: families of systems in their places of q and v, then families of constraints.
//!
//! Systems: linear, Lagrangian, planar bodies, spatial bodies, first-order systems. Constraints: linear gaps, function gaps, velocity constraints, contacts,
//! joints, joint axes, springs. Only families with members are in the model. Members count bodies first, then components of the linear
//! systems, then Lagrangian systems, then first-order ones.

use super::bonds::{Gluable, append_bonds};
use super::given::{GivenConstraint, GivenKind, GivenSystem};
use super::{ModelBuilder, SystemId, bodies, relations};
use crate::model::check;
use crate::model::constraints::{
    FunctionGap, FunctionGaps, Gap, LinearContact, LinearGaps, VelocityConstraints, VelocityRow,
};
use crate::model::controllers;
use crate::model::issue::{Issue, Place};
use crate::model::systems::{
    FirstOrder, LagrangianSystem, LagrangianSystems, LinearSystems, Prescribed, Velocity,
};
use crate::model::{ConstraintId, Contents, RigidId, Signals, State, SystemFamily as _};
use std::ops::Range;
use std::sync::Arc;

/// Where the things of a builder ended up.
#[derive(Default)]
pub(crate) struct Places {
    /// First coordinate of each system in q and v, of first-order systems in v alone, in the order of registration.
    pub(crate) systems: Vec<usize>,
    /// Each moving body, in the order of registration.
    pub(crate) bodies: Vec<RigidId>,
}

impl Places {
    /// The first coordinate of a system or body in q.
    pub(super) fn first(&self, contents: &Contents, system: SystemId) -> usize {
        match system.body() {
            None => self.systems[system.0],
            Some(body) => contents.rigid.bodies[self.bodies[body].0 as usize].q as usize,
        }
    }
}

impl ModelBuilder {
    /// Lays the parts out; what is wrong with the start goes to `issues`.
    pub(super) fn assemble(self, t: f64, issues: &mut Vec<(Place, Issue)>) -> (Contents, State) {
        let allow = self.allow_initial_violation;
        let mut contents = Contents { laws: self.laws, forces: self.forces, ..Contents::default() };
        let (inputs, values) = self.inputs.into_iter().unzip();
        contents.signals = Signals { inputs, expressions: self.expressions };
        contents.rigid.may_overlap = allow;
        let mut state = State { t, inputs: values, ..State::default() };
        let mut places = Places { systems: first_coordinates(&self.systems), ..Places::default() };
        let n_bodies = self.bodies.n_bodies();
        let named = named_velocities(&self.constraints, &places);
        let prescribed = prescribed(self.prescribed, &places);
        let mut laid = (&mut contents, &mut state);
        let (mut first_order, n_dense) =
            append_systems(self.systems, &places, (prescribed, &named, n_bodies), &mut laid, issues);
        self.bodies.assemble(&mut contents, &mut state, &mut places, issues);
        let gluable =
            append_constraints(self.constraints, &places, allow, (&mut contents, &state), issues);
        bodies::append_contacts(&mut contents);
        append_bonds(gluable, &mut contents, &state, issues);
        self.joints.assemble(&mut contents, &mut state, &places, issues);
        let mut first = state.v.len();
        for (number, range, system) in &mut first_order {
            places.systems[*number] = first;
            *range = first..first + system.x.len();
            first = range.end;
        }
        let first_order = first_order.into_iter().map(|(_, range, system)| (range, system)).collect();
        relations::append_first_order(first_order, n_dense, (&mut contents, &mut state));
        let names = &contents.signals.inputs;
        contents.controllers = controllers::lay_out(self.controllers, names, &mut state);
        contents.relations = relations::lay_out(self.relations, &places, &contents);
        contents.n_coordinates = state.q.len();
        contents.velocity_layout.n = state.v.len();
        (contents, state)
    }
}

/// First coordinate of each system: linear ones first.
fn first_coordinates(systems: &[GivenSystem]) -> Vec<usize> {
    let mut first = vec![0; systems.len()];
    let mut n = 0;
    for linear in [true, false] {
        for (i, given) in systems.iter().enumerate() {
            if matches!(given, GivenSystem::Linear(_)) == linear {
                first[i] = n;
                n += given.n_coordinates();
            }
        }
    }
    first
}

/// Velocities of systems that constraints name, ascending.
fn named_velocities(constraints: &[GivenConstraint], places: &Places) -> Vec<u32> {
    let on = constraints.iter().flat_map(|constraint| &constraint.on);
    let on = on.filter(|(system, _)| system.body().is_none());
    let mut named: Vec<u32> = on.map(|&(system, c)| (places.systems[system.0] + c) as u32).collect();
    named.sort_unstable();
    named.dedup();
    named
}

fn prescribed(given: Vec<(SystemId, usize, Velocity)>, places: &Places) -> Vec<Prescribed> {
    let place = |(system, i, velocity): (SystemId, usize, Velocity)| Prescribed {
        index: places.systems[system.0] + i,
        velocity,
    };
    let mut prescribed: Vec<Prescribed> = given.into_iter().map(place).collect();
    prescribed.sort_by_key(|p| p.index);
    prescribed
}

/// Appends the families of linear and Lagrangian systems; returns first-order systems, which stand behind all others, and the number of
/// dense mass groups.
fn append_systems(
    systems: Vec<GivenSystem>,
    places: &Places,
    (prescribed, named, n_bodies): (Vec<Prescribed>, &[u32], usize),
    (contents, state): &mut (&mut Contents, &mut State),
    issues: &mut Vec<(Place, Issue)>,
) -> (Vec<(usize, Range<usize>, FirstOrder)>, usize) {
    let n: usize = systems.iter().map(GivenSystem::n_coordinates).sum();
    state.q.resize(n, 0.0);
    state.v.resize(n, 0.0);
    let (mut linear, mut lagrangian, mut first_order) = (Vec::new(), Vec::new(), Vec::new());
    for (number, (given, &first)) in systems.into_iter().zip(&places.systems).enumerate() {
        let range = first..first + given.len();
        match given {
            GivenSystem::Linear(given) => {
                state.q[range.clone()].copy_from_slice(&given.q);
                state.v[range.clone()].copy_from_slice(&given.v);
                linear.push((range, *given));
            }
            GivenSystem::Lagrangian { name, coordinates, dynamics, q, v } => {
                state.q[range.clone()].copy_from_slice(&q);
                state.v[range.clone()].copy_from_slice(&v);
                lagrangian.push(LagrangianSystem { number, name, coordinates, range, dynamics });
            }
            GivenSystem::FirstOrder(given) => first_order.push((number, 0..0, *given)),
        }
    }
    let n_linear = linear.last().map_or(0, |(range, _)| range.end);
    let (own, others) = prescribed.into_iter().partition(|p| p.index < n_linear);
    let (mut members, mut n_dense) = (n_bodies, 0);
    if !linear.is_empty() {
        let family = LinearSystems::new(linear, own, named, members);
        (members, n_dense) = (members + family.n_groups(), family.n_dense());
        contents.systems.push(Box::new(family));
    }
    if !lagrangian.is_empty() {
        check::check_masses(&lagrangian, state, issues);
        let family = LagrangianSystems::new(lagrangian, others, members, n_dense);
        n_dense += family.layout().members.len();
        contents.systems.push(Box::new(family));
    }
    (first_order, n_dense)
}

/// Appends the families of gaps and velocity constraints; returns the gaps whose law has a bond.
fn append_constraints(
    given: Vec<GivenConstraint>,
    places: &Places,
    allow_violation: bool,
    (contents, state): (&mut Contents, &State),
    issues: &mut Vec<(Place, Issue)>,
) -> Vec<Gluable> {
    let mut order: Vec<usize> = (0..given.len()).collect();
    order.sort_by_key(|&i| given[i].kind.family());
    let mut given: Vec<Option<GivenConstraint>> = given.into_iter().map(Some).collect();
    let (mut linear, mut gaps, mut velocity) =
        (LinearGaps::default(), FunctionGaps::default(), VelocityConstraints::default());
    let (mut starts, mut gluable) = (Vec::new(), Vec::new());
    for &i in &order {
        let GivenConstraint { name, law, on, kind } = given[i].take().expect("each is laid out once");
        let columns: Vec<u32> =
            on.iter().map(|(system, c)| (places.first(contents, *system) + c) as u32).collect();
        let forms = contents.laws[law.0 as usize].1.forms();
        starts.push((i, name.clone(), forms));
        let mut glue = |function: Arc<dyn Gap>, (family, number): (u8, usize)| {
            if contents.laws[law.0 as usize].1.bond().is_some() {
                let (name, columns) = (name.clone(), columns.clone());
                let id = ConstraintId::member(family, number);
                gluable.push(Gluable { number: i, id, name, law, columns, function });
            }
        };
        match kind {
            GivenKind::Linear { coefficients, offset } => {
                let contact =
                    LinearContact { normal: coefficients.clone(), offset, tangents: Vec::new() };
                glue(Arc::new(contact), (0, linear.len()));
                linear.append(
                    name,
                    (law, forms.always()),
                    columns.into_iter().zip(coefficients),
                    offset,
                );
            }
            GivenKind::Gap(function) => {
                let function: Arc<dyn Gap> = Arc::from(function);
                glue(function.clone(), (u8::from(linear.len() > 0), gaps.len()));
                let gap = FunctionGap::new(name, (law, forms.always()), columns, function, contents);
                gaps.append(gap);
            }
            GivenKind::Velocity(function) => {
                velocity.append(VelocityRow { name, law, columns, function });
            }
        }
    }
    check::check_gaps((&linear, &gaps), &starts, state, allow_violation, issues);
    if !allow_violation {
        check::check_velocities(&velocity, &starts[linear.len() + gaps.len()..], state, issues);
    }
    let mut index = contents.constraints.len() as u8;
    let mut next = || {
        index += 1;
        index - 1
    };
    if linear.len() > 0 {
        contents.constraints.push(Box::new(linear.at(next())));
    }
    if gaps.len() > 0 {
        contents.constraints.push(Box::new(gaps.at(next())));
    }
    if velocity.len() > 0 {
        contents.constraints.push(Box::new(velocity.at(next())));
    }
    gluable
}
