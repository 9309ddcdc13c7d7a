//! What tests of several integrators share.

use crate::kit::{
    Built, Integrator, ModelBuilder, Options, Simulation, SolverSettings, find_integrator,
};

/// An integrator by name.
pub fn integrator(name: &str, options: &Options) -> Box<dyn Integrator> {
    let entry = find_integrator(name).expect("it is listed");
    entry.build(options, SolverSettings::default()).expect("the options are valid")
}

/// The model that `fill` describes, from t = 0.
pub fn built(fill: impl FnOnce(&mut ModelBuilder)) -> Built {
    let mut builder = ModelBuilder::new();
    fill(&mut builder);
    builder.build(0.0).expect("a right model")
}

/// A run of the model with steps of `h`.
pub fn run((model, state): Built, name: &str, options: &Options, h: f64) -> Simulation {
    Simulation::new(model, state, integrator(name, options), h).expect("the scheme takes the model")
}
