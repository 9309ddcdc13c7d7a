//! Moreau–Jean with projection: no overlap is left.

use super::Yard;
use crate::integrator;
use nonsmooth::{EnergyLedger, Options, Simulation, Summary};
use nonsmooth_geometry::spatial::Shape;

/// Balls and boxes that fall into a corner and on each other.
#[test]
fn a_heap_does_not_overlap() {
    let mut yard = Yard::new(0.4, 0.2);
    yard.floor();
    yard.slope([1.0, 0.0, 0.3]);
    let (ball, cube) = (Shape::ball(0.1).unwrap(), Shape::cuboid([0.1, 0.08, 0.06]).unwrap());
    for i in 0..12 {
        let shape = if i % 2 == 0 { &ball } else { &cube };
        let at = [0.35 + 0.05 * (i % 3) as f64, 0.02 * i as f64, 0.3 + 0.22 * i as f64];
        let body = yard.body(&format!("body {i}"), shape, 1000.0, at);
        yard.builder.body(body);
    }
    let (model, state) = yard.builder.build(0.0).unwrap();
    let scheme = integrator("moreau-projected", &Options::default());
    let mut simulation = Simulation::new(model, state, scheme, 2e-3).unwrap();
    let (mut ledger, mut summary) = (EnergyLedger::default(), Summary::default());
    if let Err(error) = simulation.run(1000, &mut [&mut ledger, &mut summary]) {
        panic!("{error}");
    }
    // Overlap at the start of a step is what the projection of the step before left.
    assert!(summary.overlap <= 1e-10, "{:.2e}", summary.overlap);
    assert!(summary.impacts > 20, "they did meet");
    assert!(ledger.total.projection != 0.0);
    assert!(ledger.worst_remainder <= 1e-12 * ledger.scale, "{:.2e}", ledger.worst_remainder);
}
