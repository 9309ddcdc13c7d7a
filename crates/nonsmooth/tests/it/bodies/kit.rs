//! What several tests of bodies need: shapes placed, motions, random numbers, measures of what moved.

use super::Yard;
use nonsmooth::{Body, BodyId, EnergyLedger, Frame, Moved, Obstacle, Part, Simulation, State, Summary};
use nonsmooth_geometry::spatial::{Pose, Shape};

/// [w, x, y, z] of a turn about an axis by an angle.
pub fn about(axis: [f64; 3], angle: f64) -> [f64; 4] {
    Pose::turned([0.0; 3], axis, angle).rotation
}

/// An obstacle that is shifted without turning.
pub fn shifted(position: [f64; 3], velocity: [f64; 3]) -> Moved {
    Moved { position, rotation: [1.0, 0.0, 0.0, 0.0], velocity, angular_velocity: [0.0; 3] }
}

impl Yard {
    /// Adds a body of this shape, at rest.
    pub fn add(&mut self, name: &str, shape: &Shape, density: f64, position: [f64; 3]) -> BodyId {
        let body = self.body(name, shape, density, position);
        self.builder.body(body)
    }

    /// Adds a fixed obstacle.
    pub fn fix(&mut self, name: &str, shape: Shape, position: [f64; 3]) {
        let part = Part::space(shape, self.material);
        self.builder.obstacle(Obstacle { position, ..Obstacle::new(name, vec![part]) });
    }

    /// Adds an obstacle with a prescribed motion.
    pub fn drive(
        &mut self,
        name: &str,
        shape: Shape,
        motion: impl Fn(f64) -> Moved + Send + Sync + 'static,
    ) {
        let part = Part::space(shape, self.material);
        let motion = Some(Box::new(move |t| Ok(motion(t))) as _);
        self.builder.obstacle(Obstacle { motion, ..Obstacle::new(name, vec![part]) });
    }

    /// A convex body whose centre of mass becomes its origin.
    pub fn hull(&self, name: &str, corners: &[[f64; 3]], density: f64) -> Body {
        let mass =
            Shape::hull(corners).expect("a right shape").mass_properties(density).expect("a solid");
        let c = mass.centre;
        let about: Vec<[f64; 3]> =
            corners.iter().map(|p| [p[0] - c[0], p[1] - c[1], p[2] - c[2]]).collect();
        let part = Part::space(Shape::hull(&about).expect("a right shape"), self.material);
        Body { position: c, parts: vec![part], ..Body::new(name, mass.mass, mass.inertia) }
    }
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

/// Force of the contacts between obstacles and bodies in a step, on the bodies [N].
pub fn support(frame: &Frame<'_>) -> [f64; 3] {
    let (n, touches) = (frame.model.bodies.n as u32, &frame.log.touches);
    let mut sum = [0.0; 3];
    for i in 0..touches.len() {
        let sides = touches.bodies[i].map(|body| body >= n);
        let sign = f64::from(u8::from(sides[0])) - f64::from(u8::from(sides[1]));
        let p = touches.world_impulse(i);
        (0..3).for_each(|k| sum[k] += sign * p[k] / frame.after.step_size);
    }
    sum
}

/// Makes `n` steps and shows each to `see`, with ledger and summary.
pub fn observe(
    simulation: &mut Simulation,
    n: u64,
    mut see: impl FnMut(&Frame<'_>),
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

/// splitmix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [a, b).
    pub fn within(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Each component uniform in [−a, a).
    pub fn vector(&mut self, a: f64) -> [f64; 3] {
        std::array::from_fn(|_| self.within(-a, a))
    }

    /// A random turn.
    pub fn turn(&mut self) -> [f64; 4] {
        std::array::from_fn(|_| self.within(-1.0, 1.0))
    }
}
