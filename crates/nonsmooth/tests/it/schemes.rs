//! The schemes beside Moreau–Jean, each against closed forms, slow oracles or reference tables, with its measured
//! order.

pub mod academic;
mod adaptive_bodies;
mod conformance;
mod euler;
mod euler_bodies;
mod impulses;
mod moreau_adaptive;
mod page;
mod past;

use crate::integrator as build;
use crate::kit::{Built, Options, Simulation, Trajectory};

/// A run that has not begun.
pub fn simulate((model, state): Built, scheme: (&str, &Options), h: f64) -> Simulation {
    let (name, options) = scheme;
    Simulation::new(model, state, build(name, options), h).expect("the model is accepted")
}

/// `n` steps, all kept.
pub fn run(model: Built, scheme: (&str, &Options), h: f64, n: u64) -> Trajectory {
    let mut trajectory = Trajectory::default();
    simulate(model, scheme, h).run(n, &mut [&mut trajectory]).expect("the run ends well");
    trajectory
}
