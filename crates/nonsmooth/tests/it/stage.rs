//! Small scenes of rigid bodies that schemes share: plane and space alike, gravity along −y.

use crate::kit::{Integrator, ModelBuilder, Simulation};
use nonsmooth::laws::Coulomb;
use nonsmooth::model::Rigid;
use nonsmooth::model::constraints::joints::Revolute;
use nonsmooth::model::rigid::{Body, Collider, KinematicBody, KinematicState, MaterialId, exponential};
use nonsmooth_geometry::{planar, spatial};

/// Gravity [m/s²].
pub const G: f64 = 10.0;

/// A model under construction, in the plane or in space.
pub struct Stage {
    pub builder: ModelBuilder,
    pub material: MaterialId,
    pub planar: bool,
}

impl Stage {
    /// One law for all.
    pub fn new(planar: bool, law: Coulomb) -> Self {
        let mut builder = ModelBuilder::new();
        builder.gravity([0.0, -G, 0.0]);
        let material = builder.material("stuff");
        let law = builder.law("all", law);
        builder.default_pair(law);
        Self { builder, material, planar }
    }

    /// Friction μ, no restitution.
    pub fn rough(planar: bool, friction: f64) -> Self {
        Self::new(planar, Coulomb { friction, ..Coulomb::default() })
    }

    /// What is below y = 0.
    pub fn ground(&self) -> Collider {
        if self.planar {
            Collider::plane(planar::Shape::half_plane([0.0, 1.0]).expect("a shape"), self.material)
        } else {
            Collider::space(spatial::Shape::half_space([0.0, 1.0, 0.0]).expect("a shape"), self.material)
        }
    }

    /// The ground, fixed.
    pub fn floor(&mut self) {
        let ground = self.ground();
        self.builder.kinematic(KinematicBody::new("ground", vec![ground]));
    }

    /// The ground, lifted to y = `place(t)` at the speed `speed(t)`.
    pub fn lift(&mut self, place: fn(f64) -> f64, speed: fn(f64) -> f64) {
        let colliders = vec![self.ground()];
        let motion = move |t: f64| {
            Ok(KinematicState {
                position: [0.0, place(t), 0.0],
                rotation: [1.0, 0.0, 0.0, 0.0],
                velocity: [0.0, speed(t), 0.0],
                angular_velocity: [0.0; 3],
            })
        };
        let motion = Some(Box::new(motion) as _);
        self.builder.kinematic(KinematicBody { motion, ..KinematicBody::new("ground", colliders) });
    }

    /// A disk or ball of radius `radius`, not yet added.
    pub fn ball(&self, name: &str, radius: f64, at: [f64; 2]) -> Body {
        let position = [at[0], at[1], 0.0];
        if self.planar {
            let shape = planar::Shape::ball(radius).expect("a disk");
            let mass = shape.mass_properties(100.0).expect("a solid");
            let colliders = vec![Collider::plane(shape, self.material)];
            return Body { position, colliders, ..Body::planar(name, mass.mass, mass.inertia) };
        }
        let shape = spatial::Shape::ball(radius).expect("a ball");
        let mass = shape.mass_properties(100.0).expect("a solid");
        let colliders = vec![Collider::space(shape, self.material)];
        Body { position, colliders, ..Body::new(name, mass.mass, mass.inertia) }
    }

    /// A box with these half lengths, turned about z, not yet added.
    pub fn block(&self, name: &str, half: [f64; 2], at: [f64; 2], angle: f64) -> Body {
        let (s, c) = (0.5 * angle).sin_cos();
        let (position, rotation) = ([at[0], at[1], 0.0], [c, 0.0, 0.0, s]);
        if self.planar {
            let shape = planar::Shape::rectangle(half).expect("a rectangle");
            let mass = shape.mass_properties(100.0).expect("a solid");
            let colliders = vec![Collider::plane(shape, self.material)];
            let body = Body::planar(name, mass.mass, mass.inertia);
            return Body { position, rotation, colliders, ..body };
        }
        let shape = spatial::Shape::cuboid([half[0], half[1], half[0]]).expect("a cuboid");
        let mass = shape.mass_properties(100.0).expect("a solid");
        let colliders = vec![Collider::space(shape, self.material)];
        Body { position, rotation, colliders, ..Body::new(name, mass.mass, mass.inertia) }
    }

    /// A run.
    pub fn simulation(self, integrator: Box<dyn Integrator>, h: f64) -> Simulation {
        let (model, state) = self.builder.build(0.0).expect("a right model");
        Simulation::new(model, state, integrator, h).expect("the scheme takes it")
    }
}

/// First place of body `i` in q and in v.
pub fn places(simulation: &Simulation, i: usize) -> (usize, usize) {
    let body = &simulation.model.rigid.bodies[i];
    (body.q as usize, body.v as usize)
}

/// The height of body 0 and its velocity upwards.
pub fn height(simulation: &Simulation) -> [f64; 2] {
    let (q, v) = places(simulation, 0);
    [simulation.state.q[q + 1], simulation.state.v[v + 1]]
}

/// Mass, distance from the hinge and moment of inertia about z of the compound pendulum.
pub const BOB: (f64, f64, f64) = (2.0, 0.8, 0.4);

/// A compound pendulum on a hinge about z, let go at `angle` from below.
pub fn pendulum(planar: bool, angle: f64) -> ModelBuilder {
    let (mass, r, inertia) = BOB;
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, -G, 0.0]);
    let turn = exponential(glam::DVec3::Z * angle);
    let position = (turn * glam::DVec3::new(0.0, -r, 0.0)).to_array();
    let rotation = [turn.w, turn.x, turn.y, turn.z];
    let tensor = [[0.2, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, inertia]];
    let bob = builder.body(Body { planar, position, rotation, ..Body::new("bob", mass, tensor) });
    builder.joint("hinge", Revolute::at([0.0; 3]).axis([0.0, 0.0, 1.0]), Rigid::World, bob);
    builder
}

/// Its angle after the time `end`, by Runge–Kutta of order 4 with 20 000 steps: φ̈ = −m g r sin φ/(J + m r²).
pub fn pendulum_exact(angle: f64, end: f64) -> f64 {
    let (mass, r, inertia) = BOB;
    let rate = |[phi, w]: [f64; 2]| [w, -mass * G * r * phi.sin() / (inertia + mass * r * r)];
    let (n, mut x) = (20_000, [angle, 0.0]);
    let h = end / f64::from(n);
    for _ in 0..n {
        let add = |k: [f64; 2], a: f64| [x[0] + a * k[0], x[1] + a * k[1]];
        let k1 = rate(x);
        let k2 = rate(add(k1, 0.5 * h));
        let k3 = rate(add(k2, 0.5 * h));
        let k4 = rate(add(k3, h));
        let sum = [0, 1].map(|i| h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
        x = [x[0] + sum[0], x[1] + sum[1]];
    }
    x[0]
}
