//! What a rigid body is made of, before it becomes part of a model.

use crate::model::UserError;
use nonsmooth_geometry::broad::Groups;
use nonsmooth_geometry::{MassError, planar, spatial};

/// Names a material of a model, in the order of registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MaterialId(pub usize);

/// A shape with its place in the axes of a body, whose origin is the centre of mass.
#[derive(Clone, Debug)]
pub enum PosedShape {
    /// In the plane.
    Plane(planar::Shape, planar::Pose),
    /// In space.
    Space(spatial::Shape, spatial::Pose),
}

/// A shape on a body: what it is made of, and whom it meets.
#[derive(Clone, Debug)]
pub struct Collider {
    /// Shape and place.
    pub posed: PosedShape,
    /// What it is made of.
    pub material: MaterialId,
    /// Whom it meets.
    pub groups: Groups,
}

impl Collider {
    /// A shape in space at the body's origin, meeting everything.
    pub fn space(shape: spatial::Shape, material: MaterialId) -> Self {
        let posed = PosedShape::Space(shape, spatial::Pose::IDENTITY);
        Self { posed, material, groups: Groups::ALL }
    }

    /// A shape in the plane at the body's origin, meeting everything.
    pub fn plane(shape: planar::Shape, material: MaterialId) -> Self {
        let posed = PosedShape::Plane(shape, planar::Pose::IDENTITY);
        Self { posed, material, groups: Groups::ALL }
    }
}

/// A body that moves freely. In the plane z of positions and all but z of angles must be zero.
#[derive(Clone, Debug)]
pub struct Body {
    /// Name for messages and results.
    pub name: String,
    /// Whether it moves in the plane z = 0.
    pub planar: bool,
    /// Mass [kg].
    pub mass: f64,
    /// Inertia about the centre of mass in body axes [kg·m²]; in the plane only the last entry counts.
    pub inertia: [[f64; 3]; 3],
    /// Centre of mass [m].
    pub position: [f64; 3],
    /// Quaternion [w, x, y, z] from body to world axes [–]; need not be normalized.
    pub rotation: [f64; 4],
    /// Of the centre of mass [m/s].
    pub velocity: [f64; 3],
    /// In body axes [rad/s].
    pub angular_velocity: [f64; 3],
    /// Its shapes; a body without shapes meets nothing.
    pub colliders: Vec<Collider>,
    /// When it appears [s]; from the start if not given.
    pub appears_at: Option<f64>,
}

impl Body {
    /// A body in space at rest at the origin, without shape.
    pub fn new(name: &str, mass: f64, inertia: [[f64; 3]; 3]) -> Self {
        Self {
            name: name.to_owned(),
            planar: false,
            mass,
            inertia,
            position: [0.0; 3],
            rotation: [1.0, 0.0, 0.0, 0.0],
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            colliders: Vec::new(),
            appears_at: None,
        }
    }

    /// A solid of uniform density [kg/m³] in space, at rest, with its centre of mass at the origin.
    pub fn solid(
        name: &str,
        shape: spatial::Shape,
        density: f64,
        material: MaterialId,
    ) -> Result<Self, MassError> {
        let spatial::MassProperties { mass, centre, inertia } = shape.mass_properties(density)?;
        let posed = PosedShape::Space(shape, spatial::Pose::at(centre.map(|x| -x)));
        let colliders = vec![Collider { posed, material, groups: Groups::ALL }];
        Ok(Self { colliders, ..Self::new(name, mass, inertia) })
    }

    /// A plate of uniform density [kg/m²] in the plane, at rest, with its centre of mass at the origin.
    pub fn plate(
        name: &str,
        shape: planar::Shape,
        density: f64,
        material: MaterialId,
    ) -> Result<Self, MassError> {
        let planar::MassProperties { mass, centre, inertia } = shape.mass_properties(density)?;
        let posed = PosedShape::Plane(shape, planar::Pose::at(centre.map(|x| -x)));
        let colliders = vec![Collider { posed, material, groups: Groups::ALL }];
        Ok(Self { colliders, ..Self::planar(name, mass, inertia) })
    }

    /// A body in the plane at rest at the origin, without shape; inertia about z [kg·m²].
    pub fn planar(name: &str, mass: f64, inertia: f64) -> Self {
        let rows = [[inertia, 0.0, 0.0], [0.0, inertia, 0.0], [0.0, 0.0, inertia]];
        Self { planar: true, ..Self::new(name, mass, rows) }
    }
}

/// Pose and velocity of a kinematic body at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KinematicState {
    /// Of its origin [m].
    pub position: [f64; 3],
    /// Quaternion [w, x, y, z] from its axes to world axes [–].
    pub rotation: [f64; 4],
    /// Of its origin [m/s].
    pub velocity: [f64; 3],
    /// In world axes [rad/s].
    pub angular_velocity: [f64; 3],
}

/// How a kinematic body moves, as a function of time; its velocities must be those of its pose.
pub type Motion = Box<dyn Fn(f64) -> Result<KinematicState, UserError> + Send + Sync>;

/// A body that feels nothing: fixed, or moved as prescribed.
pub struct KinematicBody {
    /// Name for messages and results.
    pub name: String,
    /// Whether it is in the plane.
    pub planar: bool,
    /// Its shapes.
    pub colliders: Vec<Collider>,
    /// Of its origin, where it does not move [m].
    pub position: [f64; 3],
    /// Quaternion [w, x, y, z] from its axes to world axes, where it does not move [–].
    pub rotation: [f64; 4],
    /// How it moves, if it does.
    pub motion: Option<Motion>,
}

impl KinematicBody {
    /// A fixed body at the origin.
    pub fn new(name: &str, colliders: Vec<Collider>) -> Self {
        let planar = matches!(colliders.first(), Some(Collider { posed: PosedShape::Plane(..), .. }));
        let (position, rotation) = ([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
        Self { name: name.to_owned(), planar, colliders, position, rotation, motion: None }
    }
}

/// The box outside of which bodies are removed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Region {
    /// Lowest corner [m].
    pub low: [f64; 3],
    /// Highest corner [m].
    pub high: [f64; 3],
}
