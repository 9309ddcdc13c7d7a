//! A mass on a spring that presses it against the stop: m q̈ + k q = −f + r, q ≥ 0, q̇⁺ = −e q̇⁻.
//!
//! ```text
//! q = −s + A cos(ωt − φ) until the first impact,  s = f/k,  ω² = k/m
//! q = (u/ω) sin ωτ − 2s sin²(ωτ/2) in flights,    which last (2/ω) atan(u/(ωs))
//! ```
//!
//! Impacts accumulate, then it rests with r = f. [Acary10]

use super::bounces::{Bounces, Phase};
use super::{Entry, Exact, HEIGHT, MASS, Motion, RESTITUTION, STIFFNESS, Side, VELOCITY, above_zero};
use crate::model::{Linear, Model, ModelError, State};
use nonsmooth_solvers::{Declared, Kind, Options, Sparse};
use std::sync::Arc;

pub(super) const ENTRY: Entry = Entry {
    name: "pressed-oscillator",
    about: "oscillator pressed against a stop: impacts accumulate, then it rests under load",
    options: &[&MASS, &STIFFNESS, &PRESS, &RESTITUTION, &HEIGHT, &VELOCITY],
    make: |options| Ok(Box::new(Pressed::new(options))),
};

const PRESS: Declared = Declared {
    name: "press",
    about: "f, a constant force towards the stop [N]",
    kind: Kind::Positive,
    default: "1",
};

struct Pressed {
    mass: f64,
    stiffness: f64,
    press: f64,
    restitution: f64,
    start: [f64; 2],
    /// ω [1/s].
    omega: f64,
    bounces: Bounces,
}

impl Pressed {
    fn new(options: &Options) -> Self {
        let (mass, stiffness, press) =
            (options.number(&MASS), options.number(&STIFFNESS), options.number(&PRESS));
        let (e, start) =
            (options.number(&RESTITUTION), [options.number(&HEIGHT), options.number(&VELOCITY)]);
        let (omega, s) = ((stiffness / mass).sqrt(), press / stiffness);
        let [x, y] = [start[0], start[1] / omega];
        // A² − s² without cancellation; at the stop the speed is ω times its root.
        let reach = (x * (x + 2.0 * s) + y * y).sqrt();
        let first = (y.atan2(x + s) + reach.atan2(s)) / omega;
        let flight = |u: f64| 2.0 * (u / omega).atan2(s) / omega;
        let bounces = Bounces::new(first, omega * reach, e, flight);
        Self { mass, stiffness, press, restitution: e, start, omega, bounces }
    }
}

impl Exact for Pressed {
    fn motion(&self, t: f64, side: Side) -> Motion {
        let (s, omega) = (self.press / self.stiffness, self.omega);
        let ([q, v], since) = match self.bounces.phase(t, side) {
            Phase::First => (self.start, t),
            Phase::Flight { since, speed } => ([0.0, speed], since),
            Phase::Rest => return Motion { q: vec![0.0], v: vec![0.0] },
        };
        let ((sin, cos), half) = ((omega * since).sin_cos(), (0.5 * omega * since).sin());
        Motion {
            q: vec![q * cos + v / omega * sin - 2.0 * s * half * half],
            v: vec![v * cos - omega * (q + s) * sin],
        }
    }

    fn jumps(&self, end: f64) -> Vec<f64> {
        self.bounces.until(end)
    }

    fn accumulation(&self) -> Option<f64> {
        self.bounces.accumulation
    }

    fn contact_force(&self, t: f64) -> f64 {
        if matches!(self.bounces.phase(t, Side::Right), Phase::Rest) { self.press } else { 0.0 }
    }

    fn horizon(&self) -> f64 {
        1.25 * self.bounces.rest()
    }

    fn model(&self) -> Result<(Arc<Model>, State), ModelError> {
        let [q, v] = self.start;
        let mass = Linear::new("mass", Sparse::diagonal(&[self.mass]))
            .stiffness(Sparse::diagonal(&[self.stiffness]))
            .load(&[-self.press])
            .initial(&[q], &[v]);
        above_zero(mass, self.restitution)
    }
}
