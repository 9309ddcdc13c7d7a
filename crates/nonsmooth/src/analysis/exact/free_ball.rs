//! A ball that nothing stops: q = q₀ + v₀ t − g t²/2. The baseline of studies.

use super::{ANY, Entry, Exact, MASS, Motion, Side};
use crate::model::{Linear, Model, ModelBuilder, ModelError, State};
use nonsmooth_solvers::{Declared, Sparse};
use std::sync::Arc;

pub(super) const ENTRY: Entry = Entry {
    name: "free-ball",
    about: "ball in flight without contact",
    options: &[&MASS, &GRAVITY, &HEIGHT, &VELOCITY],
    make: |options| {
        let start = [options.number(&HEIGHT), options.number(&VELOCITY)];
        Ok(Box::new(FreeBall { mass: options.number(&MASS), gravity: options.number(&GRAVITY), start }))
    },
};

const GRAVITY: Declared =
    Declared { name: "gravity", about: "g, downwards [m/s²]", kind: ANY, default: "9.81" };
const HEIGHT: Declared =
    Declared { name: "height", about: "q at the start [m]", kind: ANY, default: "1" };
const VELOCITY: Declared =
    Declared { name: "velocity", about: "v at the start [m/s]", kind: ANY, default: "0" };

struct FreeBall {
    mass: f64,
    gravity: f64,
    start: [f64; 2],
}

impl Exact for FreeBall {
    fn motion(&self, t: f64, _side: Side) -> Motion {
        let [q, v] = self.start;
        Motion { q: vec![q + (v - 0.5 * self.gravity * t) * t], v: vec![v - self.gravity * t] }
    }

    fn jumps(&self, _end: f64) -> Vec<f64> {
        Vec::new()
    }

    fn contact_force(&self, _t: f64) -> f64 {
        0.0
    }

    fn horizon(&self) -> f64 {
        1.0
    }

    fn model(&self) -> Result<(Arc<Model>, State), ModelError> {
        let [q, v] = self.start;
        let mut builder = ModelBuilder::new();
        builder.linear(
            Linear::new("ball", Sparse::diagonal(&[self.mass]))
                .load(&[-self.mass * self.gravity])
                .initial(&[q], &[v]),
        );
        builder.build(0.0)
    }
}
