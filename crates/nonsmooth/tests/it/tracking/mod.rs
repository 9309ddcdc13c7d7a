//! Schemes that work with accelerations on rigid bodies: event-driven, high-order, splitting and d1-minus.

pub mod contacts;
mod crowds;
mod features;
mod friction;
pub mod joints;
mod moving;
mod refusals;
mod rough;
mod several;
mod within;

use crate::by_name::integrator;
use crate::kit::{Built, NewtonImpact, Options, Simulation};
use nonsmooth::model::ModelBuilder;
use nonsmooth::model::rigid::{Body, Collider, KinematicBody, MaterialId};
use nonsmooth_geometry::{planar, spatial};

pub const G: f64 = 9.81;
/// All of them.
pub const ALL: [&str; 4] = ["event-driven", "high-order", "splitting", "d1-minus"];
/// Those that locate impacts.
pub const LOCATE: [&str; 2] = ["event-driven", "high-order"];

/// Bodies under construction, in the plane (weight along −y) or in space (weight along −z).
pub struct Yard {
    pub builder: ModelBuilder,
    pub material: MaterialId,
    pub planar: bool,
}

impl Yard {
    pub fn new(planar: bool, restitution: f64) -> Self {
        let mut builder = ModelBuilder::new();
        builder.gravity(if planar { [0.0, -G, 0.0] } else { [0.0, 0.0, -G] });
        let material = builder.material("stuff");
        let law = builder.law("contact", NewtonImpact { restitution });
        builder.default_pair(law);
        Self { builder, material, planar }
    }

    /// The place at these horizontal and vertical coordinates.
    pub fn at(&self, x: f64, height: f64) -> [f64; 3] {
        if self.planar { [x, height, 0.0] } else { [x, 0.0, height] }
    }

    /// Places of the vertical coordinate in q and v of a body that is alone.
    pub fn up(&self) -> usize {
        if self.planar { 1 } else { 2 }
    }

    /// Everything below height 0.
    pub fn ground(&self) -> Collider {
        if self.planar {
            let shape = planar::Shape::half_plane([0.0, 1.0]).expect("a right shape");
            Collider::plane(shape, self.material)
        } else {
            let shape = spatial::Shape::half_space([0.0, 0.0, 1.0]).expect("a right shape");
            Collider::space(shape, self.material)
        }
    }

    pub fn floor(&mut self) {
        let ground = self.ground();
        self.builder.kinematic(KinematicBody::new("floor", vec![ground]));
    }

    pub fn round(&self, radius: f64) -> Collider {
        if self.planar {
            Collider::plane(planar::Shape::ball(radius).expect("a right shape"), self.material)
        } else {
            Collider::space(spatial::Shape::ball(radius).expect("a right shape"), self.material)
        }
    }

    /// A disc or ball at rest.
    pub fn ball(&self, name: &str, mass: f64, radius: f64, position: [f64; 3]) -> Body {
        let j = 0.4 * mass * radius * radius;
        let inertia = [[j, 0.0, 0.0], [0.0, j, 0.0], [0.0, 0.0, j]];
        let colliders = vec![self.round(radius)];
        Body { planar: self.planar, position, colliders, ..Body::new(name, mass, inertia) }
    }

    pub fn build(self) -> Built {
        self.builder.build(0.0).expect("a right model")
    }

    pub fn run(self, scheme: &str, options: &Options, h: f64) -> Simulation {
        run(self.builder, scheme, options, h)
    }
}

/// A run of a model with steps of `h`.
pub fn run(builder: ModelBuilder, scheme: &str, options: &Options, h: f64) -> Simulation {
    let (model, state) = builder.build(0.0).expect("a right model");
    Simulation::new(model, state, integrator(scheme, options), h).expect("the scheme takes the model")
}

/// Options from words.
pub fn words(words: &[(&str, &str)]) -> Options {
    words.iter().fold(Options::default(), |options, (name, word)| options.with_word(name, word))
}
