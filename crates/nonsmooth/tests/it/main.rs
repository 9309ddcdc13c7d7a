//! Integration tests from the specification alone. One binary, so linking is cheap.

mod analysis;
mod analytic;
mod bodies;
mod body_kit;
mod by_name;
mod cohesion;
mod d1_minus;
mod events;
mod examples;
mod first_order;
mod flight;
mod flow;
mod friction;
mod gaps;
mod generalized_alpha;
mod high_order;
mod impacts;
mod invariants;
mod joints;
mod kick_drift;
mod kit;
mod laws;
mod ledger;
mod mechanisms;
mod models;
mod moreau_energy;
mod moreau_projected;
mod newton;
mod nonlinear;
mod paoli;
mod random_contacts;
mod references;
mod robust;
mod rolling;
mod rolling_bodies;
mod schemes;
mod several_problems;
mod softened;
mod splitting;
mod springs;
mod stage;
mod stewart_trinkle;
mod tracking;

use kit::{Integrator, Options, SolverSettings, find_integrator};

/// Moreau–Jean with these options.
fn moreau_jean(options: &Options) -> Box<dyn Integrator> {
    integrator("moreau-jean", options)
}

/// The integrator of this name with these options.
fn integrator(name: &str, options: &Options) -> Box<dyn Integrator> {
    let entry = find_integrator(name).expect("the integrator is listed");
    entry.build(options, SolverSettings::default()).expect("the options are valid")
}

/// Measured order between the errors at step sizes `h` and `h / factor`.
fn order(coarse: f64, fine: f64, factor: f64) -> f64 {
    (coarse / fine).ln() / factor.ln()
}
