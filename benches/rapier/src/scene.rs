//! The scene as the generator writes it; its fields are explained there.

use rapier3d_f64::prelude::*;
use serde::Deserialize;
use std::error::Error;
use std::path::Path;

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    Ball(f64),
    Box([f64; 3]),
    Capsule([f64; 2]),
    Hull(Vec<[f64; 3]>),
}

#[derive(Deserialize)]
pub struct Body {
    pub shape: Shape,
    pub mass: f64,
    pub inertia: [f64; 3],
    pub position: [f64; 3],
    pub quaternion: [f64; 4],
    pub velocity: [f64; 3],
    pub angular_velocity: [f64; 3],
}

#[derive(Deserialize)]
pub struct Fixed {
    pub shape: Shape,
    pub position: [f64; 3],
    pub quaternion: [f64; 4],
}

#[derive(Deserialize)]
pub struct Scene {
    pub gravity: [f64; 3],
    pub friction: f64,
    pub restitution: f64,
    pub step_size: f64,
    pub steps: u64,
    pub frames: Vec<u64>,
    pub bodies: Vec<Body>,
    pub fixed: Vec<Fixed>,
}

impl Scene {
    pub fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        Ok(serde_json::from_str(&std::fs::read_to_string(path)?)?)
    }

    /// The world at the start, and the moving bodies in the order of the scene. Bodies never sleep, so that all engines
    /// do the same work.
    pub fn world(&self, friction_model: FrictionModel) -> (PhysicsWorld, Vec<RigidBodyHandle>) {
        let mut world = PhysicsWorld { gravity: Vector::from(self.gravity), ..PhysicsWorld::default() };
        world.integration_parameters.dt = self.step_size;
        world.integration_parameters.friction_model = friction_model;
        let mut insert = |shape: &Shape, body: RigidBodyBuilder| {
            let collider = shape.collider().friction(self.friction).restitution(self.restitution);
            world.insert(body, collider.density(0.0)).0
        };
        for fixed in &self.fixed {
            insert(&fixed.shape, RigidBodyBuilder::fixed().pose(pose(fixed.position, fixed.quaternion)));
        }
        let moving = |body: &Body| {
            let inertia = Vector::from(body.inertia);
            let pose = pose(body.position, body.quaternion);
            let builder = RigidBodyBuilder::dynamic().pose(pose).can_sleep(false);
            let builder = builder.linvel(Vector::from(body.velocity));
            let builder = builder.angvel(pose.rotation * Vector::from(body.angular_velocity));
            let mass = MassProperties::new(Vector::ZERO, body.mass, inertia);
            insert(&body.shape, builder.additional_mass_properties(mass))
        };
        let bodies = self.bodies.iter().map(moving).collect();
        (world, bodies)
    }
}

impl Shape {
    fn collider(&self) -> ColliderBuilder {
        match self {
            Self::Ball(radius) => ColliderBuilder::ball(*radius),
            Self::Box([x, y, z]) => ColliderBuilder::cuboid(*x, *y, *z),
            Self::Capsule([half, radius]) => ColliderBuilder::capsule_z(*half, *radius),
            Self::Hull(corners) => {
                let corners: Vec<Vector> = corners.iter().copied().map(Vector::from).collect();
                ColliderBuilder::convex_hull(&corners).expect("scenes hold solid hulls")
            }
        }
    }
}

fn pose(position: [f64; 3], [w, x, y, z]: [f64; 4]) -> Pose {
    Pose { translation: Vector::from(position), rotation: Rotation::from_xyzw(x, y, z, w) }
}
