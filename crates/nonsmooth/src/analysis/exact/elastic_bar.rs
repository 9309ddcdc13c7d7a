//! An elastic bar that flies against a wall: ρA ü = EA u″, u(0, t) ≥ 0, the other end free.
//!
//! ```text
//! u = d − v₀ t           until the wave from the wall arrives, at t₀ + x/c,         t₀ = d/v₀, c² = EA/ρA
//! u = −v₀ x/c            until it comes back from the free end, at t₀ + (2L − x)/c
//! u = v₀ (t − t₀ − 2L/c) afterwards
//! ```
//!
//! (d'Alembert.) The wall pushes with EA v₀/c from t₀ to t₀ + 2L/c, when the whole bar leaves with v₀: no energy is lost. Every
//! point of the bar has its own two jumps. The model is the bar cut into linear elements; it converges to this
//! solution with the element size, so a study should refine both.

use super::{Entry, Exact, Motion, NOT_NEGATIVE, Side};
use crate::laws::NewtonImpact;
use crate::model::{Linear, Model, ModelBuilder, ModelError, State};
use nonsmooth_solvers::{Declared, Kind, OptionError, Options, Sparse};
use std::sync::Arc;

pub(super) const ENTRY: Entry = Entry {
    name: "elastic-bar",
    about: "elastic bar against a wall: a wave runs through it and back, then it leaves",
    options: &[&LENGTH, &STIFFNESS, &DENSITY, &SPEED, &GAP, &ELEMENTS, &MASS],
    make: |options| Ok(Box::new(ElasticBar::new(options)?)),
};

const LENGTH: Declared = Declared { name: "length", about: "L [m]", kind: Kind::Positive, default: "1" };
const STIFFNESS: Declared = Declared {
    name: "stiffness",
    about: "EA, Young's modulus times section [N]",
    kind: Kind::Positive,
    default: "1",
};
const DENSITY: Declared = Declared {
    name: "density",
    about: "ρA, mass per length [kg/m]",
    kind: Kind::Positive,
    default: "1",
};
const SPEED: Declared =
    Declared { name: "speed", about: "v₀ towards the wall [m/s]", kind: Kind::Positive, default: "1" };
const GAP: Declared =
    Declared { name: "gap", about: "d, distance to the wall [m]", kind: NOT_NEGATIVE, default: "0.5" };
const ELEMENTS: Declared =
    Declared {
        name: "elements", about: "elements of the model [–]", kind: Kind::Count, default: "100"
    };
const MASS: Declared = Declared {
    name: "mass",
    about: "mass matrix of the model",
    kind: Kind::Word(&["consistent", "lumped"]),
    default: "consistent",
};

/// A model with more does not fit into memory.
const MOST_ELEMENTS: usize = 10_000_000;

struct ElasticBar {
    length: f64,
    stiffness: f64,
    density: f64,
    speed: f64,
    gap: f64,
    elements: usize,
    lumped: bool,
}

impl ElasticBar {
    fn new(options: &Options) -> Result<Self, OptionError> {
        let elements = options.count(&ELEMENTS);
        if elements > MOST_ELEMENTS {
            let (name, must) =
                (ELEMENTS.name.to_owned(), format!("a whole number in [1, {MOST_ELEMENTS}]"));
            return Err(OptionError::Value { name, must, got: elements.to_string() });
        }
        Ok(Self {
            length: options.number(&LENGTH),
            stiffness: options.number(&STIFFNESS),
            density: options.number(&DENSITY),
            speed: options.number(&SPEED),
            gap: options.number(&GAP),
            elements,
            lumped: options.word(&MASS) == "lumped",
        })
    }

    /// c [m/s].
    fn wave_speed(&self) -> f64 {
        (self.stiffness / self.density).sqrt()
    }

    /// Place of node `i` in the bar at rest [m].
    fn node(&self, i: usize) -> f64 {
        self.length * i as f64 / self.elements as f64
    }

    /// When the wave passes the place `x`, on its way out and back [s].
    fn passages(&self, x: f64) -> [f64; 2] {
        [x, 2.0 * self.length - x].map(|path| self.gap / self.speed + path / self.wave_speed())
    }

    /// (u, u̇) at the place `x`.
    fn point(&self, x: f64, t: f64, side: Side) -> (f64, f64) {
        let passed = self.passages(x).map(|passage| side.is_past(passage, t));
        match passed {
            [false, _] => (self.gap - self.speed * t, -self.speed),
            [true, false] => (-self.speed * x / self.wave_speed(), 0.0),
            [true, true] => (self.speed * (t - self.passages(0.0)[1]), self.speed),
        }
    }

    /// M and K of the elements.
    fn matrices(&self) -> (Sparse, Sparse) {
        let (n, l) = (self.elements, self.length / self.elements as f64);
        let [near, far] = if self.lumped { [0.5, 0.0] } else { [1.0 / 3.0, 1.0 / 6.0] };
        let assemble = |scale: f64, near: f64, far: f64| {
            let mut triplets = Vec::with_capacity(4 * n);
            for i in 0..n {
                triplets.extend([(i, i, scale * near), (i + 1, i + 1, scale * near)]);
                if far != 0.0 {
                    triplets.extend([(i, i + 1, scale * far), (i + 1, i, scale * far)]);
                }
            }
            // Parameters that overflow are the model's to report.
            Sparse::from_triplets(n + 1, n + 1, &triplets)
                .unwrap_or_else(|_| Sparse::diagonal(&vec![f64::NAN; n + 1]))
        };
        (assemble(self.density * l, near, far), assemble(self.stiffness / l, 1.0, -1.0))
    }
}

impl Exact for ElasticBar {
    fn motion(&self, t: f64, side: Side) -> Motion {
        let (q, v) = (0..=self.elements).map(|i| self.point(self.node(i), t, side)).unzip();
        Motion { q, v }
    }

    fn jumps(&self, end: f64) -> Vec<f64> {
        let nodes = 0..=self.elements;
        let mut times: Vec<f64> = nodes.flat_map(|i| self.passages(self.node(i))).collect();
        times.retain(|&t| t <= end);
        times.sort_by(f64::total_cmp);
        times.dedup();
        times
    }

    fn contact_force(&self, t: f64) -> f64 {
        let [from, to] = self.passages(0.0);
        if from <= t && t < to { self.stiffness * self.speed / self.wave_speed() } else { 0.0 }
    }

    fn horizon(&self) -> f64 {
        self.passages(0.0)[1] + 0.5 * self.length / self.wave_speed()
    }

    fn model(&self) -> Result<(Arc<Model>, State), ModelError> {
        let (mass, stiffness) = self.matrices();
        let n = self.elements + 1;
        let mut builder = ModelBuilder::new();
        let bar = Linear::new("bar", mass)
            .stiffness(stiffness)
            .initial(&vec![self.gap; n], &vec![-self.speed; n]);
        let bar = builder.linear(bar);
        let law = builder.law("plastic", NewtonImpact { restitution: 0.0 });
        builder.linear_gap("wall", law, &[(bar, 0, 1.0)], 0.0);
        builder.build(0.0)
    }
}
