//! Kick–drift against closed forms and conserved quantities.

mod boxes;
mod extremes;
mod forced;
mod free;
mod impacts;
mod islands;
mod joints;
mod lasting;
mod moving_bodies;
mod rest;
mod seams;
mod stairs;
mod turning;
mod units;

use nonsmooth::integrators::KickDrift;
use nonsmooth::laws::Coulomb;
use nonsmooth::model::rigid::{Body, Collider, KinematicBody, MaterialId};
use nonsmooth::model::{ModelBuilder, State};
use nonsmooth::{Model, Simulation};
use nonsmooth_geometry::spatial::Shape;
use std::sync::Arc;

pub const G: f64 = 9.81;

/// A builder with gravity, one material and one law for all pairs.
pub fn world(friction: f64, restitution: f64) -> (ModelBuilder, MaterialId) {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -G]);
    let law = builder.law("pair", Coulomb { friction, restitution, ..Coulomb::default() });
    let material = builder.material("stuff");
    builder.default_pair(law);
    (builder, material)
}

/// Adds the floor z ≤ 0.
pub fn floor(builder: &mut ModelBuilder, material: MaterialId) {
    let shape = Shape::half_space([0.0, 0.0, 1.0]).expect("it is right");
    builder.kinematic(KinematicBody::new("floor", vec![Collider::space(shape, material)]));
}

/// A solid ball.
pub fn ball(name: &str, radius: f64, mass: f64, material: MaterialId) -> Body {
    let j = 0.4 * mass * radius * radius;
    let mut body = Body::new(name, mass, diagonal([j, j, j]));
    body.colliders = vec![Collider::space(Shape::ball(radius).expect("it is right"), material)];
    body
}

/// A solid box with half edges `half`.
pub fn cuboid(name: &str, half: [f64; 3], mass: f64, material: MaterialId) -> Body {
    let [a, b, c] = half.map(|x| x * x * mass / 3.0);
    let mut body = Body::new(name, mass, diagonal([b + c, a + c, a + b]));
    body.colliders = vec![Collider::space(Shape::cuboid(half).expect("it is right"), material)];
    body
}

pub fn diagonal(j: [f64; 3]) -> [[f64; 3]; 3] {
    [[j[0], 0.0, 0.0], [0.0, j[1], 0.0], [0.0, 0.0, j[2]]]
}

/// A run with steps of size `h`.
pub fn run(builder: ModelBuilder, h: f64) -> Simulation {
    let (model, state) = builder.build(0.0).expect("it is right");
    Simulation::new(model, state, KickDrift::default(), h).expect("it is right")
}

/// The state with velocities at the instant of q.
pub fn synchronized(model: &Arc<Model>, state: &State) -> State {
    let mut out = State::default();
    crate::body_kit::made(KickDrift::default())
        .synchronize(model, state, &mut out)
        .expect("it is right");
    out
}
