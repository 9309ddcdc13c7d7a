//! Rigid bodies: structure of arrays, all in the plane or all in space.
//!
//! ```text
//! space   m v̇ = m g + f + …,     J ω̇ + ω × J ω = Rᵀ τ + …,     ẋ = v,   q̇ = ½ q (0, ω)      ω in body axes
//! plane   m v̇ = m g + f + …,     J φ̈ = τ + …
//! ```
//!
//! Bodies follow the linear and Lagrangian systems in q and v: body i has q at `first_q + i·n_q` and v at
//! `first_v + i·n_v`. Obstacles are bodies that feel nothing; they have no place in q and v and are numbered after
//! the moving ones. The centre of mass is the origin of a body. [Trinkle08; Acary10]

mod births;
mod body;
mod check;
mod collide;
mod materials;
mod rotation;

pub use body::{
    Anchor, Body, BodyId, Dimension, MaterialId, Motion, Moved, Obstacle, ObstacleId, Part, Placed,
    Region, Spring, Wrench,
};
pub(crate) use check::check_overlaps;
pub use check::{BodyIssue, Overlap};
pub(super) use check::{check_bodies, check_laws};
pub use collide::TouchKey;
pub(crate) use collide::{Collider, Point, Situation};
pub(super) use materials::Materials;
pub use materials::PairError;
pub use rotation::Symmetric;
pub(crate) use rotation::{components, exponential, quaternion};

use super::{State, UserError};
use crate::error::{StepError, StepResult};
use glam::{DMat3, DQuat, DVec3};
use std::ops::Range;

/// Bodies from which phases give their memory back: below this all their lists together stay under 100 MiB (10⁵ touching
/// spheres take 1 KiB for each of their three contacts), and to keep them spares the system's work.
const MANY: usize = 30_000;

/// Whether a body takes part at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Life {
    /// Its time has not come.
    Unborn,
    /// It moves and touches.
    #[default]
    Present,
    /// It has left the region of the run.
    Gone,
}

/// All rigid bodies of a model.
#[derive(Default)]
pub struct Bodies {
    /// Plane or space.
    pub dimension: Dimension,
    /// Number of moving bodies.
    pub n: usize,
    /// Names: of the moving bodies, then of the obstacles.
    pub names: Vec<String>,
    /// Place of the first body in q.
    pub first_q: usize,
    /// Place of the first body in v.
    pub first_v: usize,
    /// Masses [kg].
    pub mass: Vec<f64>,
    /// Inertias about the centres of mass in body axes [kg·m²].
    pub inertia: Vec<Symmetric>,
    /// Their inverses [1/(kg·m²)].
    pub inv_inertia: Vec<Symmetric>,
    /// g [m/s²].
    pub gravity: DVec3,
    /// What acts beside gravity, by body.
    pub wrenches: Vec<(u32, Wrench)>,
    /// Springs and dampers.
    pub springs: Vec<Spring>,
    /// When each body appears [s]; empty if all are there from the start.
    pub born: Vec<f64>,
    /// Outside of it bodies are taken out.
    pub region: Option<Region>,
    /// Fixed and prescribed bodies.
    pub obstacles: Vec<Obstacle>,
    /// The pieces of all bodies.
    pub parts: Vec<PartOf>,
    /// Radius of a ball about the origin that holds the body, obstacles last [m].
    pub reach: Vec<f64>,
    /// Whether an obstacle moves.
    pub has_moving_obstacles: bool,
    /// Law of each pair of materials (an index into the model's laws), row by row.
    pub pair_laws: Vec<Option<usize>>,
    /// Whether bodies may overlap at the start and where they appear.
    pub may_overlap: bool,
    /// Distance up to which bodies count as touching [m].
    pub layer: f64,
    /// Number of materials.
    pub n_materials: usize,
}

/// A piece of a body of the model.
pub struct PartOf {
    /// Which body; obstacles after the moving ones.
    pub body: u32,
    /// The piece.
    pub part: Part,
    /// Radius of a ball about the body's origin that holds it [m].
    pub reach: f64,
}

/// Pose and velocity of a body in world axes.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// Of the origin [m].
    pub position: DVec3,
    /// From body to world axes.
    pub rotation: DQuat,
    /// Of the origin [m/s].
    pub velocity: DVec3,
    /// Angular velocity in world axes [rad/s].
    pub spin: DVec3,
}

impl Placement {
    /// Velocity of the point at `arm` from the origin [m/s].
    #[inline]
    pub fn velocity_at(&self, arm: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(arm)
    }
}

impl Bodies {
    /// Whether there is no moving body.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Whether there are so many that what one phase of a step needs is given back for the next.
    #[inline]
    pub(crate) fn are_many(&self) -> bool {
        self.n >= MANY
    }

    /// Coordinates of one body.
    #[inline]
    pub fn n_q(&self) -> usize {
        if self.dimension == Dimension::Space { 7 } else { 3 }
    }

    /// Velocities of one body.
    #[inline]
    pub fn n_v(&self) -> usize {
        if self.dimension == Dimension::Space { 6 } else { 3 }
    }

    /// Tangents of a contact.
    #[inline]
    pub fn n_tangents(&self) -> usize {
        if self.dimension == Dimension::Space { 2 } else { 1 }
    }

    /// Places of body `i` in q.
    #[inline]
    pub fn q_range(&self, i: usize) -> Range<usize> {
        let begin = self.first_q + i * self.n_q();
        begin..begin + self.n_q()
    }

    /// Places of body `i` in v.
    #[inline]
    pub fn v_range(&self, i: usize) -> Range<usize> {
        let begin = self.first_v + i * self.n_v();
        begin..begin + self.n_v()
    }

    /// Places of all bodies in v.
    pub fn v_all(&self) -> Range<usize> {
        self.first_v..self.first_v + self.n * self.n_v()
    }

    /// Names of the coordinates of a body.
    pub fn coordinates(&self) -> &'static [&'static str] {
        match self.dimension {
            Dimension::Space => &["x", "y", "z", "q_w", "q_x", "q_y", "q_z"],
            Dimension::Plane => &["x", "y", "phi"],
        }
    }

    /// Names of the velocities of a body.
    pub fn velocities(&self) -> &'static [&'static str] {
        match self.dimension {
            Dimension::Space => &["v_x", "v_y", "v_z", "omega_x", "omega_y", "omega_z"],
            Dimension::Plane => &["v_x", "v_y", "v_phi"],
        }
    }

    /// Whether body `i` takes part in `state`.
    #[inline]
    pub fn is_present(&self, state: &State, i: usize) -> bool {
        state.lives.get(i).is_none_or(|life| *life == Life::Present)
    }

    /// Position and rotation of body `i`.
    #[inline]
    pub fn pose(&self, q: &[f64], i: usize) -> (DVec3, DQuat) {
        let q = &q[self.q_range(i)];
        match self.dimension {
            Dimension::Space => (DVec3::new(q[0], q[1], q[2]), quaternion(&q[3..7])),
            Dimension::Plane => (DVec3::new(q[0], q[1], 0.0), DQuat::from_rotation_z(q[2])),
        }
    }

    /// Velocity, and angular velocity in body axes, of body `i`; in the plane those are the world's.
    #[inline]
    pub fn twist(&self, v: &[f64], i: usize) -> (DVec3, DVec3) {
        let v = &v[self.v_range(i)];
        match self.dimension {
            Dimension::Space => (DVec3::new(v[0], v[1], v[2]), DVec3::new(v[3], v[4], v[5])),
            Dimension::Plane => (DVec3::new(v[0], v[1], 0.0), DVec3::new(0.0, 0.0, v[2])),
        }
    }

    /// Writes velocity and angular velocity (body axes) of body `i`.
    #[inline]
    pub fn set_twist(&self, v: &mut [f64], i: usize, velocity: DVec3, omega: DVec3) {
        let v = &mut v[self.v_range(i)];
        match self.dimension {
            Dimension::Space => {
                velocity.write_to_slice(&mut v[..3]);
                omega.write_to_slice(&mut v[3..]);
            }
            Dimension::Plane => (v[0], v[1], v[2]) = (velocity.x, velocity.y, omega.z),
        }
    }

    /// q ← q ⊕ (shift, turn) of body `i`, the turn in body axes.
    #[inline]
    pub fn displace(&self, q: &mut [f64], i: usize, shift: DVec3, turn: DVec3) {
        let q = &mut q[self.q_range(i)];
        q[0] += shift.x;
        q[1] += shift.y;
        match self.dimension {
            Dimension::Space => {
                q[2] += shift.z;
                let turned = (quaternion(&q[3..7]) * exponential(turn)).normalize();
                q[3..7].copy_from_slice(&components(turned));
            }
            Dimension::Plane => q[2] += turn.z,
        }
    }

    /// q⁺ = q ⊕ h v for all bodies that take part; the others stay.
    pub(crate) fn advance(&self, now: &State, h: f64, mean: impl Fn(usize) -> f64, q_next: &mut [f64]) {
        for i in 0..self.n {
            let range = self.q_range(i);
            q_next[range.clone()].copy_from_slice(&now.q[range]);
            if !self.is_present(now, i) {
                continue;
            }
            let begin = self.v_range(i).start;
            let (shift, turn) = match self.dimension {
                Dimension::Space => (
                    DVec3::new(mean(begin), mean(begin + 1), mean(begin + 2)),
                    DVec3::new(mean(begin + 3), mean(begin + 4), mean(begin + 5)),
                ),
                Dimension::Plane => (
                    DVec3::new(mean(begin), mean(begin + 1), 0.0),
                    DVec3::new(0.0, 0.0, mean(begin + 2)),
                ),
            };
            self.displace(q_next, i, h * shift, h * turn);
        }
    }

    /// Where moving body `i` is and how it moves.
    #[inline]
    pub fn placement(&self, state: &State, i: usize) -> Placement {
        let (position, rotation) = self.pose(&state.q, i);
        let (velocity, omega) = self.twist(&state.v, i);
        let spin = if self.dimension == Dimension::Space { rotation * omega } else { omega };
        Placement { position, rotation, velocity, spin }
    }

    /// Where everything is in `state`, obstacles last.
    pub(crate) fn place(&self, state: &State, placements: &mut Vec<Placement>) -> StepResult {
        placements.clear();
        placements.reserve_exact(self.n + self.obstacles.len());
        placements.extend((0..self.n).map(|i| self.placement(state, i)));
        for k in 0..self.obstacles.len() {
            placements.push(self.finite_obstacle(k, state.t)?);
        }
        Ok(())
    }

    /// `obstacle`, with an error that names it where its motion fails or is not finite.
    pub(crate) fn finite_obstacle(&self, number: usize, t: f64) -> StepResult<Placement> {
        let name = &self.names[self.n + number];
        let at = self.obstacle(number, t).map_err(StepError::in_body(name))?;
        let Placement { position, rotation, velocity, spin } = at;
        let finite =
            position.is_finite() && rotation.is_finite() && velocity.is_finite() && spin.is_finite();
        if finite {
            return Ok(at);
        }
        let source = format!("its motion is not finite at t = {t} s").into();
        Err(StepError::in_body(name)(source))
    }

    /// Where an obstacle is at time `t` and how it moves.
    pub fn obstacle(&self, number: usize, t: f64) -> Result<Placement, UserError> {
        let obstacle = &self.obstacles[number];
        let still = Moved {
            position: obstacle.position,
            rotation: obstacle.rotation,
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
        };
        let at = obstacle.motion.as_ref().map_or(Ok(still), |motion| motion(t))?;
        Ok(Placement {
            position: DVec3::from_array(at.position),
            rotation: quaternion(&at.rotation).normalize(),
            velocity: DVec3::from_array(at.velocity),
            spin: DVec3::from_array(at.angular_velocity),
        })
    }

    /// A vector of world axes in the axes of a body; in the plane they are the same.
    #[inline]
    pub fn to_body(&self, rotation: DQuat, x: DVec3) -> DVec3 {
        if self.dimension == Dimension::Space { rotation.inverse() * x } else { x }
    }

    /// Adds an impulse and an angular impulse in body axes to the entries of body `i` in `out`.
    #[inline]
    pub fn add_to(&self, out: &mut [f64], i: usize, impulse: DVec3, turn: DVec3) {
        let (a, b) = self.twist(out, i);
        self.set_twist(out, i, a + impulse, b + turn);
    }

    /// M⁻¹ (impulse, angular impulse in body axes) of body `i`.
    #[inline]
    pub fn inverse_times(&self, i: usize, impulse: DVec3, turn: DVec3) -> (DVec3, DVec3) {
        (impulse / self.mass[i], self.inv_inertia[i].times(turn))
    }

    /// Inverse inertia of body `i` in world axes.
    #[inline]
    pub fn world_inv_inertia(&self, rotation: DQuat, i: usize) -> Symmetric {
        self.inv_inertia[i].turned(&DMat3::from_quat(rotation))
    }

    /// The law of two materials, an index into the model's laws.
    #[inline]
    pub fn pair_law(&self, a: MaterialId, b: MaterialId) -> Option<usize> {
        self.pair_laws[a.0 * self.n_materials + b.0]
    }

    /// Marks who is present at the time and place of `state`: bodies whose time has come, less those outside the region.
    pub(crate) fn census(&self, state: &mut State) {
        for i in 0..state.lives.len() {
            if state.lives[i] == Life::Unborn && self.born.get(i).is_none_or(|t| *t <= state.t) {
                state.lives[i] = Life::Present;
            }
            if let (Life::Present, Some(region)) = (state.lives[i], &self.region) {
                let q = &state.q[self.q_range(i)];
                let n = if self.dimension == Dimension::Space { 3 } else { 2 };
                if (0..n).any(|k| !(region.low[k]..=region.high[k]).contains(&q[k])) {
                    state.lives[i] = Life::Gone;
                }
            }
        }
    }

    /// Kinetic and potential energy of body `i` [J], springs apart.
    #[inline]
    pub fn energies(&self, state: &State, i: usize) -> (f64, f64) {
        let (position, _) = self.pose(&state.q, i);
        let (velocity, omega) = self.twist(&state.v, i);
        let turning = omega.dot(self.inertia[i].times(omega));
        let kinetic = 0.5 * (self.mass[i] * velocity.length_squared() + turning);
        (kinetic, -self.mass[i] * self.gravity.dot(position))
    }
}
