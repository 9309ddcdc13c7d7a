//! A model of some bodies of another one, with everything that acts on them. An island that needs more of a step than the others goes
//! on as such a model, as if it were alone.
//!
//! Bodies, colliders and members of families keep their order, so names of constraints are sorted alike in both.

use super::constraints::joints::{AxisKind, JointRow};
use super::constraints::{ConstraintFamily, LinearGaps};
use super::systems::{Layout, PlanarBodies, SpatialBodies};
use super::{ConstraintId, Contents, JointTable, Model, RigidId, RigidTable, State};
use crate::model::rigid::{BodyRow, ColliderRow};
use nonsmooth_solvers::{BodyVelocities, VelocityLayout};

/// What is chosen of a model: bodies that meet nobody else for a while, and what they may meet.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Chosen {
    /// Bodies, ascending.
    pub(crate) bodies: Vec<u32>,
    /// Pairs of colliders that may meet, ascending.
    pub(crate) pairs: Vec<(u32, u32)>,
    /// Members of each family of constraints that tie them, ascending.
    pub(crate) numbers: Vec<Vec<u32>>,
}

/// How the rigid things and joints of a model are called in an extract.
pub struct Renamed<'a> {
    /// Rigid things of the extract.
    pub table: &'a RigidTable,
    n_whole: usize,
    bodies: &'a [u32],
    kinematic: &'a [u32],
    world: RigidId,
    joints: &'a [u32],
}

impl Renamed<'_> {
    /// A rigid thing.
    pub fn id(&self, id: RigidId) -> Option<RigidId> {
        let i = id.0 as usize;
        if id == self.world {
            return Some(RigidId((self.bodies.len() + self.kinematic.len()) as u32));
        }
        let own = match i.checked_sub(self.n_whole) {
            None => self.bodies.binary_search(&id.0).ok()?,
            Some(k) => self.bodies.len() + self.kinematic.binary_search(&(k as u32)).ok()?,
        };
        Some(RigidId(own as u32))
    }

    /// A joint.
    pub fn joint(&self, number: u32) -> Option<u32> {
        self.joints.binary_search(&number).ok().map(|k| k as u32)
    }
}

/// A model of some bodies, and what they are called in the whole.
pub(crate) struct Extract {
    /// The chosen bodies, with what acts on them.
    pub(crate) model: Model,
    chosen: Chosen,
    /// The whole model.
    of: u64,
    /// The family of contacts of bodies, if there is one.
    contacts: Option<usize>,
    /// Colliders in the whole, ascending.
    colliders: Vec<u32>,
    /// Angles in the whole.
    angles: Vec<u32>,
}

impl Model {
    /// Whether it is of bodies alone, with nothing that acts by functions of all coordinates: then it may be taken apart. Bodies that gaps by
    /// functions name stay with the whole.
    pub(crate) fn is_separable(&self) -> bool {
        self.forces.is_empty()
            && self.signals.is_empty()
            && self.n_members() == self.rigid.bodies.len()
            && self
                .constraints
                .iter()
                .all(|family| family.is_of_bodies() || family.coordinates_of(0).is_some())
    }

    /// The model of some bodies; it must be separable.
    pub(crate) fn extract(&self, chosen: Chosen) -> Option<Extract> {
        let (colliders, kinematic) = self.surroundings(&chosen);
        let mut contents =
            Contents { rigid: self.rigid.of_some(&chosen.bodies, &kinematic), ..Contents::default() };
        lay_out(&mut contents);
        let place = |name: &str| self.constraints.iter().position(|family| family.name() == name);
        let contacts = place("contacts");
        let joints = place("joints").map_or(&[][..], |family| &chosen.numbers[family]);
        let renamed = Renamed {
            table: &RigidTable::default(),
            n_whole: self.rigid.bodies.len(),
            bodies: &chosen.bodies,
            kinematic: &kinematic,
            world: self.rigid.world(),
            joints,
        };
        for &k in &colliders {
            let row = &self.rigid.colliders[k as usize];
            let row = ColliderRow { on: renamed.id(row.on)?, ..row.clone() };
            contents.rigid.colliders.push(row);
        }
        contents.rigid.apart = self.rigid.apart_of(&renamed);
        let (table, angles) = self.joints.of_some(&renamed)?;
        contents.joints = table;
        let renamed = Renamed { table: &contents.rigid, ..renamed };
        for (place, (family, numbers)) in self.constraints.iter().zip(&chosen.numbers).enumerate() {
            // Gaps by functions stay with the whole; their place stays empty.
            let own: Option<Box<dyn ConstraintFamily>> = if family.is_of_bodies() {
                family.extract(&renamed, numbers)
            } else {
                Some(Box::new(LinearGaps::default().at(place as u8)))
            };
            contents.constraints.push(own?);
        }
        let model = Model::with_laws(contents, self.laws.clone());
        Some(Extract { model, of: self.id, contacts, chosen, colliders, angles })
    }

    /// Colliders of the chosen bodies and of what they may meet, and kinematic bodies that these or ties need; all ascending.
    fn surroundings(&self, chosen: &Chosen) -> (Vec<u32>, Vec<u32>) {
        let table = &self.rigid;
        let is_body = |id: RigidId| (id.0 as usize) < table.bodies.len();
        let n_fixed = table.colliders.partition_point(|row| !is_body(row.on));
        let mut colliders: Vec<u32> =
            chosen.pairs.iter().map(|pair| pair.0).filter(|&k| (k as usize) < n_fixed).collect();
        colliders.sort_unstable();
        colliders.dedup();
        let on = |k: &u32| table.kinematic_number(table.colliders[*k as usize].on).map(|k| k as u32);
        let mut kinematic: Vec<u32> = colliders.iter().filter_map(on).collect();
        for (family, numbers) in self.constraints.iter().zip(&chosen.numbers) {
            let sides = numbers.iter().flat_map(|&k| family.between(self, k as usize));
            kinematic.extend(sides.filter_map(|id| table.kinematic_number(id)).map(|k| k as u32));
        }
        kinematic.sort_unstable();
        kinematic.dedup();
        let own = &table.colliders[n_fixed..];
        for &body in &chosen.bodies {
            let first = own.partition_point(|row| row.on.0 < body);
            let n = own[first..].iter().take_while(|row| row.on.0 == body).count();
            colliders.extend((n_fixed + first..n_fixed + first + n).map(|k| k as u32));
        }
        (colliders, kinematic)
    }
}

impl RigidTable {
    /// The table of some bodies and kinematic bodies, still without colliders.
    fn of_some(&self, bodies: &[u32], kinematic: &[u32]) -> Self {
        Self {
            bodies: bodies.iter().map(|&i| self.bodies[i as usize].clone()).collect(),
            kinematic: kinematic.iter().map(|&k| self.kinematic[k as usize].clone()).collect(),
            colliders: Vec::new(),
            materials: self.materials.clone(),
            pair_laws: self.pair_laws.clone(),
            apart: Vec::new(),
            region: None,
            ..*self
        }
    }

    /// Pairs that do not meet. The first of a pair is a body: the others have higher numbers.
    fn apart_of(&self, renamed: &Renamed<'_>) -> Vec<(RigidId, RigidId)> {
        let mut out = Vec::new();
        for (own, &body) in renamed.bodies.iter().enumerate() {
            let first = self.apart.partition_point(|pair| pair.0.0 < body);
            let pairs = self.apart[first..].iter().take_while(|pair| pair.0.0 == body);
            let others = pairs.filter_map(|pair| renamed.id(pair.1));
            out.extend(others.map(|other| (RigidId(own as u32), other)));
        }
        out.sort_unstable();
        out
    }
}

impl JointTable {
    /// The chosen joints, and the places of their angles in the whole.
    fn of_some(&self, renamed: &Renamed<'_>) -> Option<(Self, Vec<u32>)> {
        let (mut table, mut angles) = (Self::default(), Vec::new());
        for &k in renamed.joints {
            let joint = &self.joints[k as usize];
            let [a, b] = joint.between.map(|id| renamed.id(id));
            let n = joint.free_axes().iter().filter(|kind| **kind == AxisKind::Angle).count() as u32;
            angles.extend(joint.first_angle..joint.first_angle + n);
            let first_angle = table.n_angles as u32;
            table.joints.push(JointRow { between: [a?, b?], first_angle, ..joint.clone() });
            table.n_angles += n as usize;
        }
        Some((table, angles))
    }
}

/// Places of the bodies in q and v, and their families.
fn lay_out(contents: &mut Contents) {
    let bodies = &mut contents.rigid.bodies;
    let n_planar = bodies.partition_point(|body| body.planar);
    let (mut q, mut v) = (0, 0);
    let mut layout = VelocityLayout::default();
    for members in [0..n_planar, n_planar..bodies.len()] {
        if members.is_empty() {
            continue;
        }
        let (first_q, first_v) = (q, v);
        for body in &mut bodies[members.clone()] {
            (body.q, body.v, body.family) = (q as u32, v as u32, contents.systems.len() as u8);
            layout.bodies.push(BodyVelocities { first: v as u32, planar: body.planar });
            (q, v) = (q + n_coordinates(body), v + body.n_velocities());
        }
        let planar = members.end == n_planar;
        let layout = Layout { q: first_q..q, v: first_v..v, members, ..Layout::default() };
        contents.systems.push(if planar {
            Box::new(PlanarBodies::new(layout))
        } else {
            Box::new(SpatialBodies::new(layout))
        });
    }
    contents.n_coordinates = q;
    layout.n = v;
    contents.velocity_layout = layout;
}

fn n_coordinates(body: &BodyRow) -> usize {
    if body.planar { 3 } else { 7 }
}

impl Extract {
    /// Whether it is this of this model.
    pub(crate) fn is_of(&self, model: &Model, chosen: &Chosen) -> bool {
        self.of == model.id && self.chosen == *chosen
    }

    /// Its bodies in the whole, ascending.
    pub(crate) fn bodies(&self) -> &[u32] {
        &self.chosen.bodies
    }

    /// The name of one of its constraints in the whole.
    pub(crate) fn to_whole(&self, id: ConstraintId) -> ConstraintId {
        let family = id.family();
        if self.contacts == Some(family) {
            let colliders = id.colliders().map(|k| self.colliders[k as usize]);
            return ConstraintId::contact(family as u8, colliders, id.features());
        }
        let number = self.chosen.numbers[family][id.number()];
        ConstraintId::member_part(family as u8, number as usize, id.part())
    }

    /// The name of a constraint of the whole here.
    fn to_own(&self, id: ConstraintId) -> Option<ConstraintId> {
        let (family, numbers) = (id.family(), &self.chosen.numbers[id.family()]);
        if self.contacts == Some(family) {
            let [a, b] = id.colliders().map(|k| self.colliders.binary_search(&k).ok());
            return Some(ConstraintId::contact(family as u8, [a? as u32, b? as u32], id.features()));
        }
        let number = numbers.binary_search(&(id.number() as u32)).ok()?;
        Some(ConstraintId::member_part(family as u8, number, id.part()))
    }

    /// Its share of a state of the whole.
    pub(crate) fn take(&self, whole: &Model, state: &State, out: &mut State) {
        (out.t, out.step, out.step_size) = (state.t, state.step, state.step_size);
        out.q.clear();
        out.v.clear();
        out.lag.clear();
        for &i in &self.chosen.bodies {
            let body = &whole.rigid.bodies[i as usize];
            out.q.extend_from_slice(&state.q[body.q as usize..][..n_coordinates(body)]);
            out.v.extend_from_slice(&state.v[body.v as usize..][..body.n_velocities()]);
            out.lag.extend(state.lag.get(i as usize));
        }
        out.angles.clear();
        out.angles.extend(self.angles.iter().map(|&k| state.angles[k as usize]));
        out.scheme.clear();
        out.presence.clear();
        out.memory.clear();
        out.memory.force_start.push(0);
        let known = &state.memory;
        for (family, members) in self.chosen.numbers.iter().enumerate() {
            let mut add = |begin: ConstraintId, end: ConstraintId| {
                let first = known.ids.partition_point(|id| *id < begin);
                let own = known.ids[first..].iter().take_while(|id| **id < end).count();
                for k in first..first + own {
                    if let Some(id) = self.to_own(known.ids[k]) {
                        out.memory.push(id, &known.at(k));
                    }
                }
            };
            let family = family as u8;
            for &k in members {
                let k = k as usize;
                add(ConstraintId::member(family, k), ConstraintId::member(family, k + 1));
            }
            if self.contacts == Some(family as usize) {
                for &(a, b) in &self.chosen.pairs {
                    let id = |b| ConstraintId::contact(family, [a, b], [0; 2]);
                    add(id(b), id(b + 1));
                }
            }
        }
    }

    /// Puts coordinates, velocities and lags in their places of the whole.
    pub(crate) fn put(&self, whole: &Model, state: &State, out: &mut State) {
        let (mut q, mut v) = (0, 0);
        for (k, &i) in self.chosen.bodies.iter().enumerate() {
            let body = &whole.rigid.bodies[i as usize];
            let (n_q, n_v) = (n_coordinates(body), body.n_velocities());
            out.q[body.q as usize..][..n_q].copy_from_slice(&state.q[q..q + n_q]);
            out.v[body.v as usize..][..n_v].copy_from_slice(&state.v[v..v + n_v]);
            out.lag[i as usize] = state.lag[k];
            (q, v) = (q + n_q, v + n_v);
        }
    }
}
