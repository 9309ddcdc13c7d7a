//! A ball that falls and bounces until it rests: m q̈ = −w + r, q ≥ 0, q̇⁺ = −e q̇⁻.
//!
//! ```text
//! flights are parabolas; τ(u) = 2u/g, g = w/m;      t_∞ = t₁ + 2 s e / (g (1 − e)),  then q = 0, r = w
//! ```
//!
//! With the defaults the impacts are at 1, 2, 2.5, 2.75, … and accumulate at 3. [Acary10]

use super::bounces::{Bounces, Phase};
use super::{Entry, Exact, HEIGHT, MASS, Motion, RESTITUTION, Side, VELOCITY, above_zero};
use crate::model::{Linear, Model, ModelError, State};
use nonsmooth_solvers::{Declared, Kind, Options, Sparse};
use std::sync::Arc;

pub(super) const ENTRY: Entry = Entry {
    name: "ball",
    about: "bouncing ball: impacts accumulate, then it rests",
    options: &[&MASS, &WEIGHT, &RESTITUTION, &HEIGHT, &VELOCITY],
    make: |options| Ok(Box::new(Ball::new(options))),
};

const WEIGHT: Declared = Declared {
    name: "weight",
    about: "w, a constant force downwards [N]",
    kind: Kind::Positive,
    default: "2",
};

struct Ball {
    mass: f64,
    weight: f64,
    restitution: f64,
    height: f64,
    velocity: f64,
    bounces: Bounces,
}

impl Ball {
    fn new(options: &Options) -> Self {
        let (mass, weight, e) =
            (options.number(&MASS), options.number(&WEIGHT), options.number(&RESTITUTION));
        let (height, velocity) = (options.number(&HEIGHT), options.number(&VELOCITY));
        let gravity = weight / mass;
        let speed = (velocity * velocity + 2.0 * gravity * height).sqrt();
        let bounces = Bounces::new((velocity + speed) / gravity, speed, e, |u| 2.0 * u / gravity);
        Self { mass, weight, restitution: e, height, velocity, bounces }
    }
}

impl Exact for Ball {
    fn motion(&self, t: f64, side: Side) -> Motion {
        let gravity = self.weight / self.mass;
        let (q, v, since) = match self.bounces.phase(t, side) {
            Phase::First => (self.height, self.velocity, t),
            Phase::Flight { since, speed } => (0.0, speed, since),
            Phase::Rest => return Motion { q: vec![0.0], v: vec![0.0] },
        };
        Motion { q: vec![q + (v - 0.5 * gravity * since) * since], v: vec![v - gravity * since] }
    }

    fn jumps(&self, end: f64) -> Vec<f64> {
        self.bounces.until(end)
    }

    fn accumulation(&self) -> Option<f64> {
        self.bounces.accumulation
    }

    fn contact_force(&self, t: f64) -> f64 {
        if matches!(self.bounces.phase(t, Side::Right), Phase::Rest) { self.weight } else { 0.0 }
    }

    fn horizon(&self) -> f64 {
        // Irrational, so that no node of equal steps meets an impact.
        1.5f64.sqrt() * self.bounces.rest()
    }

    fn model(&self) -> Result<(Arc<Model>, State), ModelError> {
        let ball = Linear::new("ball", Sparse::diagonal(&[self.mass]))
            .load(&[-self.weight])
            .initial(&[self.height], &[self.velocity]);
        above_zero(ball, self.restitution)
    }
}
