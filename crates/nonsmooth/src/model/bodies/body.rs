//! What a rigid body is made of, before it becomes part of a model.

use crate::model::UserError;
use nonsmooth_geometry::broad::Groups;
use nonsmooth_geometry::{planar, spatial};

/// Names a moving body of a model, in the order of registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BodyId(pub usize);

/// Names an obstacle of a model, in the order of registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObstacleId(pub usize);

/// Names a material of a model, in the order of registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MaterialId(pub usize);

/// Where all bodies of a model live.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dimension {
    /// In the plane: q = (x, y, φ), v = (ẋ, ẏ, φ̇).
    Plane,
    /// In space: q = (position, unit quaternion [w, x, y, z]), v = (velocity, angular velocity in body axes).
    #[default]
    Space,
}

/// A shape with its place in the frame of a body, whose origin is the centre of mass.
#[derive(Clone, Debug)]
pub enum Placed {
    /// In the plane.
    Plane(planar::Shape, planar::Pose),
    /// In space.
    Space(spatial::Shape, spatial::Pose),
}

/// A piece of a body: a shape, what it is made of, and whom it meets.
#[derive(Clone, Debug)]
pub struct Part {
    /// Shape and place.
    pub placed: Placed,
    /// What it is made of.
    pub material: MaterialId,
    /// Whom it meets.
    pub groups: Groups,
}

impl Part {
    /// A shape in space at the body's origin, meeting everything.
    pub fn space(shape: spatial::Shape, material: MaterialId) -> Self {
        let placed = Placed::Space(shape, spatial::Pose::IDENTITY);
        Self { placed, material, groups: Groups::ALL }
    }

    /// A shape in the plane at the body's origin, meeting everything.
    pub fn plane(shape: planar::Shape, material: MaterialId) -> Self {
        let placed = Placed::Plane(shape, planar::Pose::IDENTITY);
        Self { placed, material, groups: Groups::ALL }
    }
}

/// Force [N] and torque about the centre of mass [N·m] in world axes, as a function of time.
pub type Wrench = Box<dyn Fn(f64) -> Result<[f64; 6], UserError> + Send + Sync>;

/// A body that moves freely. In the plane z of positions and all but z of angles must be zero.
pub struct Body {
    /// Name for messages and results.
    pub name: String,
    /// Mass [kg].
    pub mass: f64,
    /// Inertia about the centre of mass in body axes [kg·m²]; in the plane only the last entry counts.
    pub inertia: [[f64; 3]; 3],
    /// Centre of mass [m].
    pub position: [f64; 3],
    /// Quaternion [w, x, y, z] from body to world axes [–]; need not be normalised.
    pub rotation: [f64; 4],
    /// Of the centre of mass [m/s].
    pub velocity: [f64; 3],
    /// In body axes [rad/s].
    pub angular_velocity: [f64; 3],
    /// Its shapes; a body without shapes touches nothing.
    pub parts: Vec<Part>,
    /// What acts on it beside gravity, as a function of time.
    pub wrench: Option<Wrench>,
    /// When it appears [s]; from the start if not given.
    pub born: Option<f64>,
}

impl Body {
    /// A body at rest at the origin, without shape.
    pub fn new(name: &str, mass: f64, inertia: [[f64; 3]; 3]) -> Self {
        Self {
            name: name.to_owned(),
            mass,
            inertia,
            position: [0.0; 3],
            rotation: [1.0, 0.0, 0.0, 0.0],
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            parts: Vec::new(),
            wrench: None,
            born: None,
        }
    }
}

/// Pose and velocity of an obstacle at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// Of its origin [m].
    pub position: [f64; 3],
    /// Quaternion [w, x, y, z] from its axes to world axes [–].
    pub rotation: [f64; 4],
    /// Of its origin [m/s].
    pub velocity: [f64; 3],
    /// In world axes [rad/s].
    pub angular_velocity: [f64; 3],
}

/// How an obstacle moves, as a function of time; its velocities must be those of its pose.
pub type Motion = Box<dyn Fn(f64) -> Result<Moved, UserError> + Send + Sync>;

/// A body that does not feel anything: fixed, or moved as prescribed.
pub struct Obstacle {
    /// Name for messages and results.
    pub name: String,
    /// Its shapes.
    pub parts: Vec<Part>,
    /// Of its origin, where it does not move [m].
    pub position: [f64; 3],
    /// Quaternion [w, x, y, z] from its axes to world axes, where it does not move [–].
    pub rotation: [f64; 4],
    /// How it moves, if it does.
    pub motion: Option<Motion>,
}

impl Obstacle {
    /// A fixed obstacle at the origin.
    pub fn new(name: &str, parts: Vec<Part>) -> Self {
        let (position, rotation) = ([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
        Self { name: name.to_owned(), parts, position, rotation, motion: None }
    }
}

/// An end of a spring: a point of a body in its own axes, or a point of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor {
    /// A point of a body, from its centre of mass in body axes [m].
    On(BodyId, [f64; 3]),
    /// A point of the world [m].
    World([f64; 3]),
}

/// A spring and damper along the line between two points: force k (l − l₀) + c l̇.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Its two ends, of which at least one is on a body.
    pub ends: [Anchor; 2],
    /// k ≥ 0 [N/m].
    pub stiffness: f64,
    /// c ≥ 0 [N·s/m].
    pub damping: f64,
    /// l₀ ≥ 0 [m].
    pub rest_length: f64,
}

/// The box outside of which bodies are taken out of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Region {
    /// Lowest corner [m].
    pub low: [f64; 3],
    /// Highest corner [m].
    pub high: [f64; 3],
}
