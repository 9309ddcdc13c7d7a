//! The schemes beside Moreau–Jean, each against closed forms, slow oracles or reference tables, with its measured
//! order.

mod academic;
mod conformance;
mod euler;
mod moreau_adaptive;
mod moreau_energy;
mod moreau_paoli;
mod schatzman_paoli;

use nonsmooth::{Integrator, Model, Options, Simulation, Solving, State, Trajectory, find_integrator};

/// The integrator of this name with these options.
pub fn build(name: &str, options: &Options) -> Box<dyn Integrator> {
    let entry = find_integrator(name).unwrap_or_else(|| panic!("`{name}` is not listed"));
    entry.build(options, Solving::default()).expect("the options are valid")
}

/// A run that has not begun.
pub fn simulate((model, state): (Model, State), scheme: (&str, &Options), h: f64) -> Simulation {
    let (name, options) = scheme;
    Simulation::new(model, state, build(name, options), h).expect("the model is accepted")
}

/// `n` steps, all kept.
pub fn run(model: (Model, State), scheme: (&str, &Options), h: f64, n: u64) -> Trajectory {
    let mut trajectory = Trajectory::default();
    simulate(model, scheme, h).run(n, &mut [&mut trajectory]).expect("the run ends well");
    trajectory
}
