//! A four-bar linkage in the plane: two equal cranks carry a coupler, which stays level; the first crank has a stop.

use nonsmooth::model::{ModelBuilder, Rigid, rigid::Body};
use nonsmooth::{Error, Simulation, integrators::KickDrift, joints::Revolute, observers::EnergyLedger};

pub(crate) fn main() -> Result<(), Error> {
    let (length, width, mass, gravity) = (1.0, 2.0, 1.0, 9.81);
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, -gravity, 0.0]);
    // Cranks point along x, the coupler joins their ends.
    let bar = |name: &str, position| Body {
        position,
        ..Body::planar(name, mass, mass * length * length / 12.0)
    };
    let left = builder.body(bar("left crank", [0.5 * length, 0.0, 0.0]));
    let right = builder.body(bar("right crank", [0.5 * length, width, 0.0]));
    let coupler = builder.body(bar("coupler", [length, 0.5 * width, 0.0]));
    let (stop, restitution) = (-1.0, 0.5);
    builder
        .joint("left pin", Revolute::at([0.0, 0.0, 0.0]), Rigid::World, left)
        .stop(stop..2.0, restitution);
    builder.joint("right pin", Revolute::at([0.0, width, 0.0]), Rigid::World, right);
    builder.joint("left knee", Revolute::at([length, 0.0, 0.0]), left, coupler);
    builder.joint("right knee", Revolute::at([length, width, 0.0]), right, coupler);
    let (model, state) = builder.build(0.0)?;

    let mut simulation = Simulation::new(model, state, KickDrift::default(), 1e-3)?;
    let mut ledger = EnergyLedger::default();
    let (mut lowest, mut rebound) = (0.0f64, f64::NAN);
    for _ in 0..1000 {
        let before = simulation.state.v[2];
        simulation.run(1, &mut [&mut ledger])?;
        let [angle, spin] = [simulation.state.q[2], simulation.state.v[2]];
        lowest = lowest.min(angle);
        if rebound.is_nan() && before < 0.0 && spin > 0.0 {
            rebound = -spin / before;
        }
        let level = simulation.state.q[8].abs();
        assert!(level < 1e-9, "the coupler is turned by {level} rad");
    }
    println!("lowest angle {lowest} rad, rebound {rebound}, unexplained {:e} J", ledger.remainder);
    assert!(lowest >= stop - 1e-9 && lowest < stop + 1e-2, "the stop is met and holds");
    // Gravity acts for a part of the step before and after the impact.
    assert!((rebound - restitution).abs() < 0.02, "it rebounds with {rebound}");
    assert!(ledger.total.impact < -0.1 && ledger.worst_remainder < 1e-9);
    Ok(())
}
