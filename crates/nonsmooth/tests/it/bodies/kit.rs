//! What several tests of bodies need: shapes posed, motions, measures of what moved.

use super::prelude::*;
use glam::{DQuat, DVec3};
use nonsmooth_geometry::spatial::{Pose, Shape};

/// [w, x, y, z] of a turn about an axis by an angle.
pub fn about(axis: [f64; 3], angle: f64) -> [f64; 4] {
    Pose::turned([0.0; 3], axis, angle).rotation
}

/// A kinematic body that is shifted without turning.
pub fn shifted(position: [f64; 3], velocity: [f64; 3]) -> KinematicState {
    KinematicState { position, rotation: [1.0, 0.0, 0.0, 0.0], velocity, angular_velocity: [0.0; 3] }
}

/// A point of the world as the end of a spring.
pub fn world(at: [f64; 3]) -> Anchor {
    Anchor { on: Rigid::World, at }
}

impl Yard {
    /// Adds a body of this shape, at rest.
    pub fn add(&mut self, name: &str, shape: &Shape, density: f64, position: [f64; 3]) -> Rigid {
        let body = self.body(name, shape, density, position);
        self.builder.body(body)
    }

    /// Adds a fixed body.
    pub fn fix(&mut self, name: &str, shape: Shape, position: [f64; 3]) {
        let collider = Collider::space(shape, self.material);
        self.builder.kinematic(KinematicBody { position, ..KinematicBody::new(name, vec![collider]) });
    }

    /// Adds a body with a prescribed motion.
    pub fn drive(
        &mut self,
        name: &str,
        shape: Shape,
        motion: impl Fn(f64) -> KinematicState + Send + Sync + 'static,
    ) {
        let collider = Collider::space(shape, self.material);
        let motion = Some(Box::new(move |t| Ok(motion(t))) as _);
        self.builder.kinematic(KinematicBody { motion, ..KinematicBody::new(name, vec![collider]) });
    }

    /// A convex body whose centre of mass becomes its origin.
    pub fn hull(&self, name: &str, corners: &[[f64; 3]], density: f64) -> Body {
        let mass =
            Shape::hull(corners).expect("a right shape").mass_properties(density).expect("a solid");
        let c = mass.centre;
        let about: Vec<[f64; 3]> =
            corners.iter().map(|p| [p[0] - c[0], p[1] - c[1], p[2] - c[2]]).collect();
        let collider = Collider::space(Shape::hull(&about).expect("a right shape"), self.material);
        Body { position: c, colliders: vec![collider], ..Body::new(name, mass.mass, mass.inertia) }
    }
}

/// A body of a model in space: place, rotation, velocity, angular velocity in body axes.
pub struct PosedShape {
    pub mass: f64,
    pub position: DVec3,
    pub rotation: DQuat,
    pub velocity: DVec3,
    pub omega: DVec3,
    /// J ω in body axes.
    pub momentum: DVec3,
}

impl PosedShape {
    /// ½ m v² + ½ ω·Jω.
    pub fn kinetic(&self) -> f64 {
        0.5 * (self.mass * self.velocity.length_squared() + self.omega.dot(self.momentum))
    }
}

/// All bodies of a model in space.
pub fn bodies_of(model: &Model, state: &State) -> Vec<PosedShape> {
    let of = |body: &nonsmooth::model::rigid::BodyRow| {
        let (q, v) = (&state.q[body.q as usize..], &state.v[body.v as usize..]);
        let omega = DVec3::from_slice(&v[3..6]);
        PosedShape {
            mass: body.mass,
            position: DVec3::from_slice(&q[..3]),
            rotation: DQuat::from_xyzw(q[4], q[5], q[6], q[3]),
            velocity: DVec3::from_slice(&v[..3]),
            omega,
            momentum: body.inertia.times(omega),
        }
    };
    model.rigid.bodies.iter().map(of).collect()
}

/// A contact point of a step.
pub struct Touching {
    /// The two rigid things.
    pub pair: [usize; 2],
    /// Along normal and tangents [N·s].
    pub impulse: Vec<f64>,
    /// On the second, in world axes [N·s].
    pub world_impulse: DVec3,
}

/// The contact points of a step.
pub fn contacts<'a>(frame: &'a Observation<'_>) -> impl Iterator<Item = Touching> + 'a {
    let (rigid, log) = (&frame.model.rigid, &frame.log.constraints);
    (0..log.len()).filter(|&c| log.places.get(c).is_some_and(|place| place[0][0].is_finite())).map(
        move |c| {
            let colliders = log.ids[c].colliders().map(|k| &rigid.colliders[k as usize]);
            let normal = log.places[c][1];
            let frame = if colliders[0].is_planar() {
                [normal, [-normal[1], normal[0], 0.0], [0.0; 3]]
            } else {
                spatial::frame(normal)
            };
            let impulse = log.impulse[log.rows(c)].to_vec();
            let world_impulse = impulse
                .iter()
                .zip(frame)
                .fold(DVec3::ZERO, |sum, (p, axis)| sum + *p * DVec3::from_array(axis));
            Touching { pair: colliders.map(|row| row.on.0 as usize), impulse, world_impulse }
        },
    )
}

/// Largest change of a coordinate between two states.
pub fn moved(start: &State, end: &State) -> f64 {
    assert_eq!(start.q.len(), end.q.len());
    start.q.iter().zip(&end.q).fold(0.0, |m, (a, b)| (a - b).abs().max(m))
}

/// Largest velocity of a state.
pub fn fastest(state: &State) -> f64 {
    state.v.iter().fold(0.0, |m, v| v.abs().max(m))
}

/// Force of the contacts between kinematic and moving bodies in a step, on the latter [N].
pub fn support(frame: &Observation<'_>) -> [f64; 3] {
    let n = frame.model.rigid.bodies.len();
    let mut sum = DVec3::ZERO;
    for Touching { pair, world_impulse, .. } in contacts(frame) {
        let sides = pair.map(|body| f64::from(u8::from(body >= n)));
        sum += (sides[0] - sides[1]) * world_impulse / frame.after.step_size;
    }
    sum.to_array()
}

/// Makes `n` steps and shows each to `see`, with ledger and summary.
pub fn observe(
    simulation: &mut Simulation,
    n: u64,
    mut see: impl FnMut(&Observation<'_>),
) -> (EnergyLedger, Summary) {
    let mut ledger =
        EnergyLedger::begin(&simulation.model, &simulation.state).expect("energies are finite");
    let mut summary = Summary::default();
    for _ in 0..n {
        match simulation.step() {
            Ok(frame) => {
                ledger.book(frame.log.energies, frame.log.works);
                summary.book(&frame);
                see(&frame);
            }
            Err(error) => panic!("{error}"),
        }
    }
    (ledger, summary)
}

/// Measured order between the errors at step sizes `h` and `h / factor`.
pub fn order(coarse: f64, fine: f64, factor: f64) -> f64 {
    (coarse / fine).ln() / factor.ln()
}

/// More random numbers.
pub trait RandomVectors {
    /// A random turn.
    fn turn(&mut self) -> [f64; 4];
}

impl RandomVectors for Random {
    fn turn(&mut self) -> [f64; 4] {
        std::array::from_fn(|_| self.between(-1.0, 1.0))
    }
}
