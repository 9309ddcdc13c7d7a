//! A mass on a spring that is relaxed where it meets the stop: m q̈ + k q = r, q ≥ 0, q̇⁺ = −e q̇⁻.
//!
//! ```text
//! q = A eⁿ |cos(ωt − φ)|,  ω² = k/m,      impacts at ωt = φ + π/2 + nπ
//! ```
//!
//! Flights last half a period whatever their speed: no accumulation. [Acary10]

use super::{Entry, Exact, HEIGHT, MASS, Motion, STIFFNESS, Side, VELOCITY, above_zero};
use crate::model::{Linear, Model, ModelError, State};
use nonsmooth_solvers::{Declared, Kind, Options, Sparse};
use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;

pub(super) const ENTRY: Entry = Entry {
    name: "oscillator",
    about: "oscillator against a stop at its equilibrium: equally spaced impacts",
    options: &[&MASS, &STIFFNESS, &RESTITUTION, &HEIGHT, &VELOCITY],
    make: |options| Ok(Box::new(Oscillator::new(options))),
};

const RESTITUTION: Declared = Declared {
    name: "restitution",
    about: "e of u⁺ = −e u⁻ [–]",
    kind: Kind::Number { min: 0.0, max: 1.0 },
    default: "0.5",
};

struct Oscillator {
    mass: f64,
    stiffness: f64,
    restitution: f64,
    start: [f64; 2],
    /// ω [1/s].
    omega: f64,
    /// A [m].
    amplitude: f64,
    /// φ [rad].
    phase: f64,
}

impl Oscillator {
    fn new(options: &Options) -> Self {
        let (mass, stiffness) = (options.number(&MASS), options.number(&STIFFNESS));
        let start = [options.number(&HEIGHT), options.number(&VELOCITY)];
        let omega = (stiffness / mass).sqrt();
        let [x, y] = [start[0], start[1] / omega];
        let (amplitude, phase) = (x.hypot(y), y.atan2(x));
        Self {
            mass,
            stiffness,
            restitution: options.number(&RESTITUTION),
            start,
            omega,
            amplitude,
            phase,
        }
    }

    /// Time of impact `n`, n = 1, 2, … [s].
    fn impact(&self, n: f64) -> f64 {
        (self.phase + FRAC_PI_2 + (n - 1.0) * PI) / self.omega
    }

    /// Impacts that are over at time `t`.
    fn n_impacts(&self, t: f64, side: Side) -> f64 {
        let guess = ((self.omega * t - self.phase + FRAC_PI_2) / PI).floor();
        // Rounding may have missed by one.
        let near = [guess + 1.0, guess, guess - 1.0];
        near.into_iter().find(|&n| n >= 1.0 && side.is_past(self.impact(n), t)).unwrap_or(0.0)
    }
}

impl Exact for Oscillator {
    fn motion(&self, t: f64, side: Side) -> Motion {
        let (n, omega) = (self.n_impacts(t, side), self.omega);
        // The state at the start, or after the last impact, and how long ago that was.
        let ([q, v], since) = if n == 0.0 {
            (self.start, t)
        } else {
            ([0.0, omega * self.amplitude * self.restitution.powf(n)], t - self.impact(n))
        };
        let (sin, cos) = (omega * since).sin_cos();
        Motion { q: vec![q * cos + v / omega * sin], v: vec![v * cos - omega * q * sin] }
    }

    fn jumps(&self, end: f64) -> Vec<f64> {
        (1..).map(|n| self.impact(f64::from(n))).take_while(|&t| t <= end).collect()
    }

    fn contact_force(&self, _t: f64) -> f64 {
        0.0
    }

    fn horizon(&self) -> f64 {
        // Three impacts; a rational multiple of the period would let nodes meet them.
        10.0 / self.omega
    }

    fn model(&self) -> Result<(Arc<Model>, State), ModelError> {
        let [q, v] = self.start;
        let mass = Linear::new("mass", Sparse::diagonal(&[self.mass]))
            .stiffness(Sparse::diagonal(&[self.stiffness]))
            .initial(&[q], &[v]);
        above_zero(mass, self.restitution)
    }
}
