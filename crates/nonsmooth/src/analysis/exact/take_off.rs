//! A mass at rest on the floor under a force that turns: m q̈ = k (t − t₁) + r, q ≥ 0, from q = q̇ = 0.
//!
//! ```text
//! t ≤ t₁:  q = 0,  r = k (t₁ − t)            t ≥ t₁:  q = k (t − t₁)³ / 6m,  r = 0
//! ```
//!
//! No impact: what is tested is that the contact holds and opens in time. [Acary10]

use super::{Entry, Exact, MASS, Motion, Side, above_zero};
use crate::model::{Linear, Model, ModelError, State};
use nonsmooth_solvers::{Declared, Kind, Sparse};
use std::sync::Arc;

pub(super) const ENTRY: Entry = Entry {
    name: "take-off",
    about: "mass at rest in contact that a growing force lifts off",
    options: &[&MASS, &RATE, &TIME],
    make: |options| {
        let (mass, rate, time) = (options.number(&MASS), options.number(&RATE), options.number(&TIME));
        Ok(Box::new(TakeOff { mass, rate, time }))
    },
};

const RATE: Declared =
    Declared { name: "rate", about: "k, growth of the force [N/s]", kind: Kind::Positive, default: "1" };
const TIME: Declared =
    Declared {
        name: "time", about: "t₁, when the force turns [s]", kind: Kind::Positive, default: "1"
    };

struct TakeOff {
    mass: f64,
    rate: f64,
    time: f64,
}

impl Exact for TakeOff {
    fn motion(&self, t: f64, _side: Side) -> Motion {
        let (jerk, since) = (self.rate / self.mass, (t - self.time).max(0.0));
        Motion { q: vec![jerk * since.powi(3) / 6.0], v: vec![jerk * since.powi(2) / 2.0] }
    }

    fn jumps(&self, _end: f64) -> Vec<f64> {
        Vec::new()
    }

    fn contact_force(&self, t: f64) -> f64 {
        self.rate * (self.time - t).max(0.0)
    }

    fn horizon(&self) -> f64 {
        // Irrational, so that no node of equal steps meets the opening.
        6f64.sqrt() * self.time
    }

    fn model(&self) -> Result<(Arc<Model>, State), ModelError> {
        let (rate, time) = (self.rate, self.time);
        let mass = Linear::new("mass", Sparse::diagonal(&[self.mass])).force(move |t, out| {
            out[0] = rate * (t - time);
            Ok(())
        });
        above_zero(mass, 0.0)
    }
}
