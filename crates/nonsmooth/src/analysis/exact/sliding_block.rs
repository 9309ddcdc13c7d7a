//! A block that slides on a floor until friction stops it: m ẍ = −μ m g sign(ẋ), y = 0.
//!
//! ```text
//! x = v₀ t − sign(v₀) μ g t²/2  until  t = |v₀|/(μ g),  then it sticks
//! ```
//!
//! Coordinates are x, along the floor, and y, above it.

use super::{ANY, Entry, Exact, MASS, Motion, Side};
use crate::laws::Coulomb;
use crate::model::{Linear, Model, ModelBuilder, ModelError, State};
use nonsmooth_solvers::{Declared, Kind, Sparse};
use std::sync::Arc;

pub(super) const ENTRY: Entry = Entry {
    name: "sliding-block",
    about: "block that slides with Coulomb friction and stops",
    options: &[&MASS, &GRAVITY, &FRICTION, &VELOCITY],
    make: |options| {
        Ok(Box::new(SlidingBlock {
            mass: options.number(&MASS),
            gravity: options.number(&GRAVITY),
            friction: options.number(&FRICTION),
            velocity: options.number(&VELOCITY),
        }))
    },
};

const GRAVITY: Declared = Declared {
    name: "gravity",
    about: "g, towards the floor [m/s²]",
    kind: Kind::Positive,
    default: "9.81",
};
const FRICTION: Declared =
    Declared { name: "friction", about: "μ [–]", kind: Kind::Positive, default: "0.3" };
const VELOCITY: Declared =
    Declared { name: "velocity", about: "v₀, along the floor [m/s]", kind: ANY, default: "1" };

struct SlidingBlock {
    mass: f64,
    gravity: f64,
    friction: f64,
    velocity: f64,
}

impl SlidingBlock {
    /// When it stops [s].
    fn stop(&self) -> f64 {
        self.velocity.abs() / (self.friction * self.gravity)
    }
}

impl Exact for SlidingBlock {
    fn motion(&self, t: f64, _side: Side) -> Motion {
        let stop = self.stop();
        if t >= stop {
            return Motion { q: vec![0.5 * self.velocity * stop, 0.0], v: vec![0.0; 2] };
        }
        let brake = self.friction * self.gravity * self.velocity.signum();
        let (x, v) = ((self.velocity - 0.5 * brake * t) * t, self.velocity - brake * t);
        Motion { q: vec![x, 0.0], v: vec![v, 0.0] }
    }

    fn jumps(&self, _end: f64) -> Vec<f64> {
        Vec::new()
    }

    fn contact_force(&self, _t: f64) -> f64 {
        self.mass * self.gravity
    }

    fn horizon(&self) -> f64 {
        // Irrational, so that no node of equal steps meets the stop.
        2f64.sqrt() * self.stop()
    }

    fn model(&self) -> Result<(Arc<Model>, State), ModelError> {
        let mut builder = ModelBuilder::new();
        let block = Linear::new("block", Sparse::diagonal(&[self.mass; 2]))
            .load(&[0.0, -self.mass * self.gravity])
            .initial(&[0.0; 2], &[self.velocity, 0.0]);
        let block = builder.linear(block);
        let law = builder.law("rough", Coulomb { friction: self.friction, ..Coulomb::default() });
        builder.linear_contact("floor", law, &[(block, 1, 1.0)], 0.0, &[&[(block, 0, 1.0)]]);
        builder.build(0.0)
    }
}
