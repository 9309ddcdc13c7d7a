//! The schemes of Paoli, Moreau and Schatzman against closed forms, slow oracles and reference tables, with their measured order; with
//! bodies and joints too.

pub mod bodies;
mod moreau_paoli;
mod promises;
mod refused;
mod schatzman_paoli;

use crate::integrator;
use crate::kit::{Built, Options, Simulation, Trajectory};

/// A run that has not begun.
pub fn simulate((model, state): Built, scheme: (&str, &Options), h: f64) -> Simulation {
    let (name, options) = scheme;
    Simulation::new(model, state, integrator(name, options), h).expect("the model is accepted")
}

/// `n` steps, all kept.
pub fn run(model: Built, scheme: (&str, &Options), h: f64, n: u64) -> Trajectory {
    let mut trajectory = Trajectory::default();
    simulate(model, scheme, h).run(n, &mut [&mut trajectory]).expect("the run ends well");
    trajectory
}
