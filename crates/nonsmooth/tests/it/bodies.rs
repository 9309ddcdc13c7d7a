//! Rigid bodies: references, conservation, contact at rest and in motion.

mod arch_limit;
mod collisions;
mod coupled;
mod forced;
mod free;
mod invariants;
mod kit;
mod materials;
mod moving;
mod plane;
mod presence;
mod references;
mod rest;
mod rocking;
mod rods;
mod rolling;
mod sliding;
mod struck;
mod structures;
mod threads;

use prelude::*;

/// What tests of bodies use.
mod prelude {
    pub use super::kit::RandomVectors;
    pub use super::kit::{
        about, bodies_of, contacts, fastest, moved, observe, order, shifted, support, world,
    };
    pub use super::{GRAVITY, Yard, integrator, moreau_jean, watch};
    pub use nonsmooth::integrators::{self, MoreauJean};
    pub use nonsmooth::laws::{Coulomb, NewtonImpact};
    pub use nonsmooth::model::rigid::{
        Body, Collider, KinematicBody, KinematicState, MaterialId, Presence, Region,
    };
    pub use nonsmooth::model::{Anchor, LawId, ModelBuilder, Rigid, Spring};
    pub use nonsmooth::observers::{EnergyLedger, Summary};
    pub use nonsmooth::{
        INTEGRATORS, Integrator, Model, Observation, RunError, Simulation, SolverSettings, State,
        StepError,
    };
    pub use nonsmooth_geometry::{planar, spatial};
    pub use nonsmooth_solvers::Options;
    pub use nonsmooth_testkit::Random;
}

/// The standard gravity along −z [m/s²].
pub const GRAVITY: [f64; 3] = [0.0, 0.0, -9.81];

/// Moreau–Jean with these options.
pub fn moreau_jean(options: &Options) -> Box<dyn Integrator> {
    integrator("moreau-jean", options)
}

/// The integrator of this name with these options.
pub fn integrator(name: &str, options: &Options) -> Box<dyn Integrator> {
    let entry = integrators::find(name).expect("the integrator is listed");
    entry.build(options, SolverSettings::default()).expect("the options are valid")
}

/// A model under construction with one material for all.
pub struct Yard {
    pub builder: ModelBuilder,
    pub material: MaterialId,
}

impl Yard {
    pub fn new(friction: f64, restitution: f64) -> Self {
        Self::with_law(|builder| {
            builder.law("all", Coulomb { friction, restitution, ..Coulomb::default() })
        })
    }

    pub fn with_law(law: impl Fn(&mut ModelBuilder) -> LawId) -> Self {
        let mut builder = ModelBuilder::new();
        builder.gravity(GRAVITY);
        let material = builder.material("stuff");
        let law = law(&mut builder);
        builder.default_pair(law);
        Self { builder, material }
    }

    /// The half-space below z = 0.
    pub fn floor(&mut self) {
        self.slope([0.0, 0.0, 1.0]);
    }

    /// The half-space below the plane through the origin with this normal.
    pub fn slope(&mut self, normal: [f64; 3]) {
        let shape = spatial::Shape::half_space(normal).expect("a right shape");
        let collider = Collider::space(shape, self.material);
        self.builder.kinematic(KinematicBody::new("floor", vec![collider]));
    }

    /// A body of this shape and density at a position, to be changed before it is added.
    pub fn body(&self, name: &str, shape: &spatial::Shape, density: f64, position: [f64; 3]) -> Body {
        let mass = shape.mass_properties(density).expect("a solid");
        let collider = Collider::space(shape.clone(), self.material);
        let body = Body::new(name, mass.mass, mass.inertia);
        Body { position, colliders: vec![collider], ..body }
    }

    pub fn simulation(self, h: f64) -> Simulation {
        let (model, state) = self.builder.build(0.0).expect("a right model");
        Simulation::new(model, state, MoreauJean::default(), h).expect("the scheme takes it")
    }
}

/// Runs and returns ledger and summary.
pub fn watch(simulation: &mut Simulation, n: u64) -> (EnergyLedger, Summary) {
    let (mut ledger, mut summary) = (EnergyLedger::default(), Summary::default());
    if let Err(error) = simulation.run(n, &mut [&mut ledger, &mut summary]) {
        panic!("{error}");
    }
    (ledger, summary)
}
