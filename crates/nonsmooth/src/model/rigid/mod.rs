//! Rigid things: bodies that move, kinematic bodies, the world; their colliders and materials.
//!
//! One table for plane and space. Contacts, joints and springs see pose and twist in three dimensions; planar bodies have z = 0
//! and spin about z. Which family a body belongs to is a field of the table.

mod body;
mod issue;
mod materials;
mod rotation;

pub use body::{Body, Collider, KinematicBody, KinematicState, MaterialId, Motion, PosedShape, Region};
pub(crate) use issue::FARTHEST;
pub use issue::{BodyIssue, Overlap, PairError};
pub(super) use materials::Materials;
pub use rotation::{Symmetric, components, cross_matrix, exponential, logarithm, quaternion, to_body};

use super::LawId;
use crate::error::{StepError, StepResult};
use glam::{DMat3, DQuat, DVec3};
use std::sync::Arc;

/// Names a rigid thing: moving bodies first (0 … n−1, as in the solver), then kinematic bodies, then the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RigidId(pub u32);

/// Pose and twist of a rigid thing in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidState {
    /// Of the origin (bodies: centre of mass) [m].
    pub position: DVec3,
    /// From body to world axes.
    pub rotation: DQuat,
    /// Of the origin [m/s].
    pub velocity: DVec3,
    /// Angular velocity in world axes [rad/s].
    pub spin: DVec3,
}

impl Default for RigidState {
    /// The world: at rest at the origin.
    fn default() -> Self {
        let (position, rotation) = (DVec3::ZERO, DQuat::IDENTITY);
        Self { position, rotation, velocity: DVec3::ZERO, spin: DVec3::ZERO }
    }
}

impl RigidState {
    /// Velocity of the point at `arm` from the origin [m/s].
    #[inline]
    pub fn velocity_at(&self, arm: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(arm)
    }

    /// A point of the body in world axes [m].
    #[inline]
    pub fn point(&self, own: DVec3) -> DVec3 {
        self.position + self.rotation * own
    }
}

/// Whether a body is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Presence {
    /// Its time has not come.
    Pending,
    /// It moves and meets others.
    #[default]
    Present,
    /// It has left the region of the run.
    Removed,
}

/// Whether body `i` is there; an empty list means that all are.
#[inline]
pub fn is_present(presence: &[Presence], i: usize) -> bool {
    presence.get(i).is_none_or(|presence| *presence == Presence::Present)
}

/// A moving body of the model.
#[derive(Clone, Debug)]
pub struct BodyRow {
    /// Name for messages and results.
    pub name: String,
    /// Its family of systems: a place in `Model::systems`.
    pub family: u8,
    /// Whether it is in the plane.
    pub planar: bool,
    /// Mass [kg].
    pub mass: f64,
    /// Inertia about the centre of mass in body axes [kg·m²]; in the plane that about z on all axes.
    pub inertia: Symmetric,
    /// Its inverse [1/(kg·m²)].
    pub inv_inertia: Symmetric,
    /// Whether the inertia is the same about all axes, so that no rotation changes it.
    pub is_round: bool,
    /// First place in q.
    pub q: u32,
    /// First place in v.
    pub v: u32,
    /// Radius of a ball about the centre of mass that holds it [m]; 0 without colliders.
    pub bounding_radius: f64,
    /// Least width of its colliders [m]; infinite without any, 0 for sheets.
    pub thickness: f64,
    /// When it appears [s]; −∞ from the start.
    pub appears_at: f64,
}

impl BodyRow {
    /// Linear and angular part of its places of a vector over velocities, which begin with it.
    #[inline]
    pub fn twist(&self, v: &[f64]) -> (DVec3, DVec3) {
        if self.planar {
            (DVec3::new(v[0], v[1], 0.0), DVec3::new(0.0, 0.0, v[2]))
        } else {
            (DVec3::new(v[0], v[1], v[2]), DVec3::new(v[3], v[4], v[5]))
        }
    }

    /// Whether it is one ball about its centre of mass, which looks the same however it turns.
    #[inline]
    pub fn is_ball(&self) -> bool {
        self.thickness >= 2.0 * self.bounding_radius * (1.0 - 1e-12)
    }

    /// Number of its velocities.
    #[inline]
    pub fn n_velocities(&self) -> usize {
        if self.planar { 3 } else { 6 }
    }

    /// Inverse inertia in world axes [1/(kg·m²)].
    #[inline]
    pub fn world_inv_inertia(&self, rotation: DQuat) -> Symmetric {
        if self.is_round {
            self.inv_inertia
        } else {
            self.inv_inertia.rotated(&DMat3::from_quat(rotation))
        }
    }

    /// Inertia in world axes times x.
    #[inline]
    pub fn world_inertia_times(&self, rotation: DQuat, x: DVec3) -> DVec3 {
        if self.is_round {
            return self.inertia.times(x);
        }
        rotation * self.inertia.times(rotation.inverse() * x)
    }
}

/// A kinematic body of the model.
#[derive(Clone)]
pub struct KinematicRow {
    /// Name for messages and results.
    pub name: String,
    /// Whether it is in the plane.
    pub planar: bool,
    /// Pose where it does not move.
    pub at: RigidState,
    /// How it moves, if it does.
    pub motion: Option<Arc<Motion>>,
    /// Radius of a ball about its origin that holds it [m]; infinite for half-spaces.
    pub bounding_radius: f64,
}

/// A collider of the model: one simple shape.
#[derive(Clone, Debug)]
pub struct ColliderRow {
    /// The rigid thing that carries it.
    pub on: RigidId,
    /// Shape, place, material and groups.
    pub collider: Collider,
    /// Radius of a ball about the carrier's origin that holds it [m].
    pub bounding_radius: f64,
    /// Least width of its shape [m]; infinite for half-spaces, 0 for sheets.
    pub thickness: f64,
}

impl ColliderRow {
    /// Whether its contacts never change their features: balls, discs, half-spaces.
    pub fn has_one_feature(&self) -> bool {
        match &self.collider.posed {
            PosedShape::Space(shape, _) => shape.has_one_feature(),
            PosedShape::Plane(shape, _) => shape.has_one_feature(),
        }
    }

    /// Whether its shape has no hollow.
    pub fn is_convex(&self) -> bool {
        match &self.collider.posed {
            PosedShape::Space(shape, _) => shape.is_convex(),
            PosedShape::Plane(shape, _) => shape.is_convex(),
        }
    }

    /// Whether the contact points of this collider with another have other features in other places. All corners stand over a half-space
    /// at all times.
    pub fn changes_features(&self, other: &Self) -> bool {
        let has_rim = |row: &Self| match &row.collider.posed {
            PosedShape::Space(shape, _) => shape.has_rim(),
            PosedShape::Plane(..) => false,
        };
        let over = |flat: &Self, row: &Self| flat.thickness.is_infinite() && !has_rim(row);
        let is_round = self.has_one_feature() && other.has_one_feature();
        !(is_round || over(self, other) || over(other, self))
    }

    /// Whether it is in the plane.
    #[inline]
    pub fn is_planar(&self) -> bool {
        matches!(self.collider.posed, PosedShape::Plane(..))
    }
}

impl RigidTable {
    /// Pairs of colliders that may meet and whose contact points change their features.
    pub fn changing_pairs(&self) -> impl Iterator<Item = [&ColliderRow; 2]> {
        let rows = &self.colliders;
        let edged = rows.iter().enumerate().filter(|(_, row)| !row.has_one_feature());
        let pairs = edged.flat_map(|(k, a)| {
            // A pair of two edged ones is seen once.
            let others = rows.iter().enumerate();
            let others = others.filter(move |&(i, b)| i > k || i < k && b.has_one_feature());
            others.map(move |(_, b)| [a, b])
        });
        pairs.filter(|&[a, b]| a.changes_features(b) && self.may_meet([a, b]))
    }
}

/// All rigid things of a model.
#[derive(Default)]
pub struct RigidTable {
    /// Moving bodies.
    pub bodies: Vec<BodyRow>,
    /// Kinematic bodies.
    pub kinematic: Vec<KinematicRow>,
    /// Colliders, those of kinematic bodies first.
    pub colliders: Vec<ColliderRow>,
    /// Names of materials.
    pub materials: Vec<String>,
    /// Law of each pair of materials in space, row by row.
    pub pair_laws: Vec<Option<LawId>>,
    /// Pairs of rigid things that do not meet (joined bodies), sorted, smaller first.
    pub apart: Vec<(RigidId, RigidId)>,
    /// Outside of it bodies are removed.
    pub region: Option<Region>,
    /// Activation distance of contacts, relative to the size of a pair [–].
    pub activation_distance: f64,
    /// Whether bodies may overlap at the start and where they appear.
    pub may_overlap: bool,
    /// Gravity on all bodies [m/s²].
    pub gravity: DVec3,
}

impl RigidTable {
    /// The world.
    #[inline]
    pub fn world(&self) -> RigidId {
        RigidId((self.bodies.len() + self.kinematic.len()) as u32)
    }

    /// The number of a moving body in the solver, or `IMMOVABLE`.
    #[inline]
    pub fn solver_body(&self, id: RigidId) -> u32 {
        if (id.0 as usize) < self.bodies.len() { id.0 } else { nonsmooth_solvers::IMMOVABLE }
    }

    /// The kinematic body, if it is one.
    #[inline]
    pub fn kinematic_number(&self, id: RigidId) -> Option<usize> {
        (id.0 as usize).checked_sub(self.bodies.len()).filter(|k| *k < self.kinematic.len())
    }

    /// What a rigid thing is called.
    pub fn name(&self, id: RigidId) -> &str {
        let i = id.0 as usize;
        match self.bodies.get(i) {
            Some(body) => &body.name,
            None => self.kinematic.get(i - self.bodies.len()).map_or("the world", |k| &k.name),
        }
    }

    /// Whether a kinematic body has a motion.
    pub fn has_motion(&self) -> bool {
        self.kinematic.iter().any(|body| body.motion.is_some())
    }

    /// Radius of a ball about the origin of a rigid thing that holds it [m]; infinite for half-spaces.
    pub fn bounding_radius(&self, id: RigidId) -> f64 {
        let i = id.0 as usize;
        match self.bodies.get(i) {
            Some(body) => body.bounding_radius,
            None => self.kinematic.get(i - self.bodies.len()).map_or(0.0, |body| body.bounding_radius),
        }
    }

    /// The size of a pair: the smaller bounding radius of its moving bodies [m].
    #[inline]
    pub fn size(&self, a: RigidId, b: RigidId) -> f64 {
        let radius =
            |id: RigidId| self.bodies.get(id.0 as usize).map_or(f64::INFINITY, |b| b.bounding_radius);
        radius(a).min(radius(b))
    }

    /// Distance up to which contact points of a pair are active [m].
    #[inline]
    pub fn activation_of(&self, [a, b]: [RigidId; 2]) -> f64 {
        self.activation_distance * self.size(a, b)
    }

    /// The law of two materials.
    #[inline]
    pub fn pair_law(&self, a: MaterialId, b: MaterialId) -> Option<LawId> {
        self.pair_laws[a.0 * self.materials.len() + b.0]
    }

    /// Writes bounding radii and thicknesses of bodies from their colliders.
    pub(crate) fn bound(&mut self) {
        let Self { bodies, kinematic, colliders, .. } = self;
        for row in colliders {
            let i = row.on.0 as usize;
            let thickness = row.thickness;
            let radius = match bodies.get_mut(i) {
                Some(body) => {
                    body.thickness = body.thickness.min(thickness);
                    &mut body.bounding_radius
                }
                None => &mut kinematic[i - bodies.len()].bounding_radius,
            };
            *radius = radius.max(row.bounding_radius);
        }
    }

    /// Whether two rigid things are kept from meeting.
    pub fn are_apart(&self, a: RigidId, b: RigidId) -> bool {
        !self.apart.is_empty() && self.apart.binary_search(&(a.min(b), a.max(b))).is_ok()
    }
}

impl KinematicRow {
    /// Pose and twist at time `t`; finite.
    pub fn state(&self, t: f64) -> StepResult<RigidState> {
        let Some(motion) = &self.motion else { return Ok(self.at) };
        let at = motion(t).map_err(StepError::in_body(&self.name))?;
        let state = RigidState {
            position: DVec3::from_array(at.position),
            rotation: quaternion(&at.rotation).normalize(),
            velocity: DVec3::from_array(at.velocity),
            spin: DVec3::from_array(at.angular_velocity),
        };
        let RigidState { position, rotation, velocity, spin } = state;
        if position.is_finite() && rotation.is_finite() && velocity.is_finite() && spin.is_finite() {
            return Ok(state);
        }
        let source = format!("its motion is not finite at t = {t} s").into();
        Err(StepError::in_body(&self.name)(source))
    }
}

impl RigidTable {
    /// Bodies that are not there do not move: their places of a step over all velocities become zero.
    #[inline]
    pub fn hold_absent(&self, presence: &[Presence], step: &mut [f64]) {
        for (body, presence) in self.bodies.iter().zip(presence) {
            if *presence != Presence::Present {
                let first = body.v as usize;
                step[first..first + body.n_velocities()].fill(0.0);
            }
        }
    }

    /// Bodies whose time has come appear; bodies outside the region are removed.
    pub fn update_presence(&self, t: f64, q: &[f64], presence: &mut [Presence]) {
        for (body, presence) in self.bodies.iter().zip(presence) {
            if *presence == Presence::Pending && body.appears_at <= t {
                *presence = Presence::Present;
            }
            if let (Presence::Present, Some(region)) = (*presence, &self.region) {
                let q = &q[body.q as usize..];
                let n = if body.planar { 2 } else { 3 };
                if (0..n).any(|k| !(region.low[k]..=region.high[k]).contains(&q[k])) {
                    *presence = Presence::Removed;
                }
            }
        }
    }
}
