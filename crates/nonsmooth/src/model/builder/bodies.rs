//! Building the rigid things of a model: materials, bodies, kinematic bodies, gravity, region.

use super::{ModelBuilder, Places, Rigid, SystemId};
use crate::laws::Law;
use crate::model::check;
use crate::model::collision::overlaps_at_start;
use crate::model::constraints::Contacts;
use crate::model::forces::{Wrench, WrenchFunction};
use crate::model::issue::{Issue, Place};
use crate::model::rigid::{
    Body, BodyIssue, BodyRow, Collider, ColliderRow, KinematicBody, KinematicRow, MaterialId, Materials,
    PosedShape, Presence, Region, RigidState, Symmetric, quaternion,
};
use crate::model::systems::{Layout, PlanarBodies, SpatialBodies};
use crate::model::{Contents, LawId, Model, RigidId, State};
use glam::{DQuat, DVec3};
use nonsmooth_geometry::{planar, spatial};
use nonsmooth_solvers::BodyVelocities;
use std::sync::Arc;

/// Default of the activation distance, relative to the size of a pair. A contact at rest has a gap that is nothing but rounding, of
/// either sign: without it half of the corners of a stack would be let go in every step.
pub const ACTIVATION_DISTANCE: f64 = 1e-9;

/// Collects the rigid things of a model.
#[derive(Default)]
pub(super) struct GivenBodies {
    gravity: [f64; 3],
    bodies: Vec<Body>,
    kinematic: Vec<KinematicBody>,
    wrenches: Vec<(usize, WrenchFunction, bool)>,
    region: Option<Region>,
    materials: Materials,
    activation_distance: Option<f64>,
}

impl Rigid {
    /// A moving body as a system that constraints may refer to.
    pub fn system(self) -> SystemId {
        match self {
            Rigid::Body(number) => SystemId::of_body(number),
            // No such body: `build` says so.
            _ => SystemId::of_body(usize::from(u16::MAX)),
        }
    }
}

impl ModelBuilder {
    /// The gravity that acts on all bodies [m/s²].
    pub fn gravity(&mut self, gravity: [f64; 3]) {
        self.bodies.gravity = gravity;
    }

    /// Distance up to which contact points are active, relative to the size of a pair [–]; without this call
    /// `ACTIVATION_DISTANCE`.
    pub fn activation_distance(&mut self, relative: f64) {
        self.bodies.activation_distance = Some(relative);
    }

    /// Adds a material.
    pub fn material(&mut self, name: &str) -> MaterialId {
        self.bodies.materials.names.push(name.to_owned());
        MaterialId(self.bodies.materials.names.len() - 1)
    }

    /// The law between two materials.
    pub fn pair(&mut self, a: MaterialId, b: MaterialId, law: LawId) {
        self.bodies.materials.pairs.push((a, b, law));
    }

    /// The law between materials of which the table says nothing.
    pub fn default_pair(&mut self, law: LawId) {
        self.bodies.materials.default = Some(law);
    }

    /// Adds a moving body.
    pub fn body(&mut self, body: Body) -> Rigid {
        self.bodies.bodies.push(body);
        Rigid::Body(self.bodies.bodies.len() - 1)
    }

    /// Adds a fixed or prescribed body.
    pub fn kinematic(&mut self, body: KinematicBody) -> Rigid {
        self.bodies.kinematic.push(body);
        Rigid::Kinematic(self.bodies.kinematic.len() - 1)
    }

    /// Adds a force [N] and torque [N·m] on a moving body, in world axes; `depends_on_state` says whether it reads coordinates or
    /// velocities.
    pub fn wrench(&mut self, body: Rigid, depends_on_state: bool, function: WrenchFunction) {
        let number = if let Rigid::Body(number) = body { number } else { usize::MAX };
        self.bodies.wrenches.push((number, function, depends_on_state));
    }

    /// Bodies whose centre of mass leaves this region are taken out of the run.
    pub fn region(&mut self, region: Region) {
        self.bodies.region = Some(region);
    }
}

impl GivenBodies {
    /// Number of moving bodies.
    pub(super) fn n_bodies(&self) -> usize {
        self.bodies.len()
    }

    /// Number of coordinates of moving body `body`, in the order of registration; 0 if there is none.
    pub(super) fn n_coordinates(&self, body: usize) -> usize {
        self.bodies.get(body).map_or(0, |body| if body.planar { 3 } else { 7 })
    }

    /// What is wrong with single parts.
    pub(super) fn check(&self, _laws: &[(String, Box<dyn Law>)], issues: &mut Vec<(Place, Issue)>) {
        self.bodies.iter().enumerate().for_each(|(i, body)| check::check_body(i, body, issues));
        self.kinematic.iter().enumerate().for_each(|(i, body)| check::check_kinematic(i, body, issues));
        self.region.iter().for_each(|region| check::check_region(region, issues));
        self.check_materials(issues);
        self.check_names(issues);
        if !self.gravity.iter().all(|x| x.is_finite()) {
            let (what, value) = ("gravity", self.gravity.to_vec());
            issues.push((Place::Bodies, BodyIssue::Far { what, value }.into()));
        }
        if let Some(value) = self.activation_distance.filter(|d| !(*d >= 0.0 && d.is_finite())) {
            let issue = BodyIssue::Negative { what: "the activation distance", value };
            issues.push((Place::Bodies, issue.into()));
        }
        for &(body, ..) in &self.wrenches {
            let n = self.bodies.len();
            if body >= n {
                issues.push((Place::Bodies, BodyIssue::NoSuchBody { body, n }.into()));
            }
        }
    }

    /// Tables of results name bodies, so no two of them, kinematic ones included, may have one name.
    fn check_names(&self, issues: &mut Vec<(Place, Issue)>) {
        let mut known = std::collections::HashSet::new();
        let bodies =
            self.bodies.iter().enumerate().map(|(i, body)| (Place::Body(i, "name"), &body.name));
        let kinematic = self.kinematic.iter().enumerate();
        let kinematic = kinematic.map(|(i, body)| (Place::Kinematic(i, "name"), &body.name));
        for (place, name) in bodies.chain(kinematic).filter(|(_, name)| !known.insert(name.as_str())) {
            issues.push((place, BodyIssue::NameTwice(name.clone()).into()));
        }
    }

    /// Materials that were not added to this model.
    fn check_materials(&self, issues: &mut Vec<(Place, Issue)>) {
        let n = self.materials.names.len();
        let mut check = |place: Place, material: MaterialId| {
            if material.0 >= n {
                let issue = BodyIssue::NoSuchMaterial { material: material.0, n };
                issues.push((place, issue.into()));
            }
        };
        for (i, body) in self.bodies.iter().enumerate() {
            body.colliders.iter().for_each(|c| check(Place::Body(i, "material"), c.material));
        }
        for (i, body) in self.kinematic.iter().enumerate() {
            body.colliders.iter().for_each(|c| check(Place::Kinematic(i, "material"), c.material));
        }
        for &(a, b, _) in &self.materials.pairs {
            check(Place::Materials, a);
            check(Place::Materials, b);
        }
    }

    /// Lays the bodies out behind the coordinates of `state`: appends their families of systems, fills the table of rigid things and
    /// the layout of velocities, appends q and v to the state, and writes `places.bodies`.
    pub(super) fn assemble(
        self,
        contents: &mut Contents,
        state: &mut State,
        places: &mut Places,
        issues: &mut Vec<(Place, Issue)>,
    ) {
        let Self { gravity, bodies, kinematic, wrenches, region, materials, activation_distance } = self;
        contents.rigid.gravity = DVec3::from_array(gravity);
        contents.rigid.activation_distance = activation_distance.unwrap_or(ACTIVATION_DISTANCE);
        contents.rigid.pair_laws = materials.table();
        contents.rigid.region = region;
        let n = bodies.len();
        let n_planar = bodies.iter().filter(|body| body.planar).count();
        places.bodies = numbers(&bodies, n_planar);
        let changes = region.is_some() || bodies.iter().any(|body| body.appears_at.is_some());
        for (k, body) in kinematic.into_iter().enumerate() {
            append_kinematic(RigidId((n + k) as u32), body, contents);
        }
        let mut ordered: Vec<Option<Body>> = std::iter::repeat_with(|| None).take(n).collect();
        for (body, id) in bodies.into_iter().zip(&places.bodies) {
            ordered[id.0 as usize] = Some(body);
        }
        let mut ordered = ordered.into_iter().flatten();
        append_family(ordered.by_ref().take(n_planar), (true, n_planar), contents, state);
        append_family(ordered, (false, n - n_planar), contents, state);
        for (body, function, depends_on_state) in wrenches {
            contents.forces.push(Box::new(Wrench {
                body: places.bodies[body],
                function,
                depends_on_state,
            }));
        }
        contents.rigid.materials = materials.names.clone();
        contents.rigid.bound();
        if changes {
            state.presence = vec![Presence::Pending; n];
            contents.rigid.update_presence(state.t, &state.q, &mut state.presence);
        }
        check::check_materials(&contents.rigid, &materials, &contents.laws, issues);
    }
}

/// Where each body stands among rigid things: planar ones first.
fn numbers(bodies: &[Body], n_planar: usize) -> Vec<RigidId> {
    let mut next = [n_planar as u32, 0];
    let number = |body: &Body| {
        let place = &mut next[usize::from(body.planar)];
        *place += 1;
        RigidId(*place - 1)
    };
    bodies.iter().map(number).collect()
}

/// Appends a family of `n` bodies.
fn append_family(
    bodies: impl Iterator<Item = Body>,
    (planar, n): (bool, usize),
    contents: &mut Contents,
    state: &mut State,
) {
    if n == 0 {
        return;
    }
    let (q, v, first) = (state.q.len(), state.v.len(), contents.rigid.bodies.len());
    let (n_q, n_v) = if planar { (3, 3) } else { (7, 6) };
    state.q.reserve_exact(n * n_q);
    state.v.reserve_exact(n * n_v);
    contents.rigid.bodies.reserve_exact(n);
    bodies.for_each(|body| append_body(body, contents, state));
    let layout = Layout {
        q: q..state.q.len(),
        v: v..state.v.len(),
        members: first..first + n,
        ..Layout::default()
    };
    if planar {
        contents.systems.push(Box::new(PlanarBodies::new(layout)));
    } else {
        contents.systems.push(Box::new(SpatialBodies::new(layout)));
    }
}

fn append_body(body: Body, contents: &mut Contents, state: &mut State) {
    let Body { name, planar, mass, inertia, appears_at, colliders, .. } = body;
    let id = RigidId(contents.rigid.bodies.len() as u32);
    let inertia = if planar {
        // Only turns about z exist; the others are given the inertia of that one.
        let j = inertia[2][2];
        Symmetric([j, j, j, 0.0, 0.0, 0.0])
    } else {
        Symmetric::from_rows(&inertia)
    };
    contents.rigid.bodies.push(BodyRow {
        name,
        family: contents.systems.len() as u8,
        planar,
        mass,
        inertia,
        inv_inertia: inertia.inverse(),
        is_round: inertia.is_round(),
        q: state.q.len() as u32,
        v: state.v.len() as u32,
        bounding_radius: 0.0,
        thickness: f64::INFINITY,
        appears_at: appears_at.unwrap_or(f64::NEG_INFINITY),
    });
    let first = state.v.len() as u32;
    contents.velocity_layout.bodies.push(BodyVelocities { first, planar });
    let Body { position, rotation, velocity, angular_velocity, .. } =
        Body { name: String::new(), colliders: Vec::new(), ..body };
    if planar {
        let angle = 2.0 * rotation[3].atan2(rotation[0]);
        state.q.extend_from_slice(&[position[0], position[1], angle]);
        state.v.extend_from_slice(&[velocity[0], velocity[1], angular_velocity[2]]);
    } else {
        let norm = rotation.iter().map(|x| x * x).sum::<f64>().sqrt();
        state.q.extend_from_slice(&position);
        state.q.extend(rotation.iter().map(|x| x / norm));
        state.v.extend_from_slice(&velocity);
        state.v.extend_from_slice(&angular_velocity);
    }
    append_colliders(id, colliders, contents);
}

fn append_kinematic(id: RigidId, body: KinematicBody, contents: &mut Contents) {
    let KinematicBody { name, planar, colliders, position, rotation, motion } = body;
    let at = RigidState {
        position: DVec3::from_array(position),
        rotation: quaternion(&rotation).normalize(),
        ..RigidState::default()
    };
    let motion = motion.map(Arc::new);
    contents.rigid.kinematic.push(KinematicRow { name, planar, at, motion, bounding_radius: 0.0 });
    append_colliders(id, colliders, contents);
}

/// Appends the simple shapes of colliders: a piece of a compound is a collider of its own.
fn append_colliders(on: RigidId, colliders: Vec<Collider>, contents: &mut Contents) {
    for Collider { posed, material, groups } in colliders {
        for posed in pieces(&posed) {
            let bounding_radius = bounding_radius(&posed);
            let thickness = match &posed {
                PosedShape::Space(shape, _) => shape.thickness(),
                PosedShape::Plane(shape, _) => shape.thickness(),
            };
            let collider = Collider { posed, material, groups };
            contents.rigid.colliders.push(ColliderRow { on, collider, bounding_radius, thickness });
        }
    }
}

/// The simple shapes of a collider with their places on the body.
fn pieces(posed: &PosedShape) -> Vec<PosedShape> {
    match posed {
        PosedShape::Space(shape, own) => {
            let at = RigidState {
                position: DVec3::from_array(own.position),
                rotation: quaternion(&own.rotation).normalize(),
                ..RigidState::default()
            };
            let place = |pose: &spatial::Pose| {
                if *pose == spatial::Pose::IDENTITY {
                    *own
                } else {
                    crate::model::collision::spatial_pose(pose, &at)
                }
            };
            shape
                .pieces()
                .into_iter()
                .map(|(pose, shape)| PosedShape::Space(shape, place(&pose)))
                .collect()
        }
        PosedShape::Plane(shape, own) => {
            let at = RigidState {
                position: DVec3::new(own.position[0], own.position[1], 0.0),
                rotation: DQuat::from_rotation_z(own.angle),
                ..RigidState::default()
            };
            let place = |pose: &planar::Pose| {
                if *pose == planar::Pose::IDENTITY {
                    *own
                } else {
                    crate::model::collision::planar_pose(pose, &at)
                }
            };
            shape
                .pieces()
                .into_iter()
                .map(|(pose, shape)| PosedShape::Plane(shape, place(&pose)))
                .collect()
        }
    }
}

/// Radius of a ball about the carrier's origin that holds a collider [m].
fn bounding_radius(posed: &PosedShape) -> f64 {
    match posed {
        PosedShape::Space(shape, pose) => {
            let back = quaternion(&pose.rotation).normalize().inverse();
            shape.bounding_radius((back * -DVec3::from_array(pose.position)).to_array())
        }
        PosedShape::Plane(shape, pose) => {
            let back = DQuat::from_rotation_z(-pose.angle);
            let centre = back * -DVec3::new(pose.position[0], pose.position[1], 0.0);
            shape.bounding_radius([centre.x, centre.y])
        }
    }
}

/// Appends the family of contacts, where there are colliders that may meet.
pub(super) fn append_contacts(contents: &mut Contents) {
    let table = &contents.rigid;
    let moving = table.colliders.iter().any(|row| (row.on.0 as usize) < table.bodies.len());
    let several = table.colliders.iter().any(|row| row.on != table.colliders[0].on);
    if moving && several {
        let mut pairs: Vec<LawId> = table.pair_laws.iter().flatten().copied().collect();
        pairs.sort_unstable_by_key(|law| law.0);
        let dim = |(k, (_, law)): (usize, &(String, Box<dyn Law>))| {
            let is_used = pairs.binary_search_by_key(&k, |law| law.0 as usize).is_ok();
            [true, false].map(|planar| law.dim_of_bodies(planar).filter(|_| is_used).unwrap_or(0) as u8)
        };
        let dims = contents.laws.iter().enumerate().map(dim).collect();
        let family = contents.constraints.len() as u8;
        contents.constraints.push(Box::new(Contacts::new(family, dims, table)));
    }
}

/// Bodies that overlap at the start.
pub(super) fn check_start(model: &Model, state: &State, issues: &mut Vec<(Place, Issue)>) {
    match overlaps_at_start(model, state) {
        Err(error) => issues.push((Place::Bodies, BodyIssue::Motion(error.to_string()).into())),
        Ok(found) => issues.extend(found.map(|found| (Place::Bodies, found.into()))),
    }
}
