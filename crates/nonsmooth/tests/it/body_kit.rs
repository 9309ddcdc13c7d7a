//! What tests share: bodies, runs, orders.

use nonsmooth::integrators::{IntoIntegrator, KickDrift, MoreauJean};
use nonsmooth::model::rigid::Body;
use nonsmooth::model::{ModelBuilder, State};
use nonsmooth::observers::EnergyLedger;
use nonsmooth::{Integrator, Simulation};

/// An inertia that differs about all axes.
pub const INERTIA: [[f64; 3]; 3] = [[0.2, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.4]];

/// The integrator of a scheme.
pub fn made(scheme: impl IntoIntegrator) -> Box<dyn Integrator> {
    scheme.into_integrator().expect("right settings")
}

/// The default schemes for bodies.
pub fn schemes() -> Vec<(&'static str, Box<dyn Integrator>)> {
    vec![("moreau-jean", made(MoreauJean::default())), ("kick-drift", made(KickDrift::default()))]
}

/// A body at a place, at rest.
pub fn body(name: &str, mass: f64, position: [f64; 3]) -> Body {
    Body { position, ..Body::new(name, mass, INERTIA) }
}

/// Quaternion of a turn by `angle` about a unit axis.
pub fn about([x, y, z]: [f64; 3], angle: f64) -> [f64; 4] {
    let (s, c) = (0.5 * angle).sin_cos();
    [c, s * x, s * y, s * z]
}

/// A run of `n` steps of `h` with its ledger.
pub fn run(
    builder: ModelBuilder,
    integrator: Box<dyn Integrator>,
    h: f64,
    n: u64,
) -> (Simulation, EnergyLedger) {
    let (model, state) = builder.build(0.0).expect("a right model");
    let mut simulation = Simulation::new(model, state, integrator, h).expect("the scheme takes it");
    let mut ledger = EnergyLedger::default();
    simulation.run(n, &mut [&mut ledger]).expect("the run succeeds");
    (simulation, ledger)
}

/// The observed order of convergence when h is divided by `ratio`.
pub fn order(coarse: f64, fine: f64, ratio: f64) -> f64 {
    (coarse / fine).ln() / ratio.ln()
}

/// The gaps of all members in a state.
pub fn gaps(simulation: &Simulation, state: &State) -> Vec<f64> {
    let mut out = Vec::new();
    simulation.model.gaps_of(state, &mut out).expect("finite gaps");
    out
}
