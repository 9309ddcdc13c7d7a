//! Joints.

use super::{G, diagonal, run, synchronized};
use nonsmooth::model::constraints::joints::Revolute;
use nonsmooth::model::rigid::Body;
use nonsmooth::model::{ModelBuilder, Rigid};

/// Ten rods in the plane, hinged one after the other, falling from the horizontal.
#[test]
fn a_chain_of_ten_keeps_its_energy_and_its_joints() {
    let (n, length) = (10, 0.2);
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, -G, 0.0]);
    let mut last = Rigid::World;
    for i in 0..n {
        let mut rod = Body::planar(&format!("rod{i}"), 1.0, length * length / 12.0);
        rod.position = [(i as f64 + 0.5) * length, 0.0, 0.0];
        let body = builder.body(rod);
        builder.joint(&format!("hinge{i}"), Revolute::at([i as f64 * length, 0.0, 0.0]), last, body);
        last = body;
    }
    let _ = diagonal;
    let mut simulation = run(builder, 1e-3);
    let start = simulation.model.energies_of(&simulation.state).unwrap();
    let start = start.kinetic + start.potential;
    let scale = n as f64 * G * length * n as f64 / 2.0;
    let mut worst = 0.0f64;
    for _ in 0..1000 {
        simulation.step().unwrap();
        let state = synchronized(&simulation.model, &simulation.state);
        let now = simulation.model.energies_of(&state).unwrap();
        worst = worst.max((now.kinetic + now.potential - start).abs() / scale);
    }
    assert!(worst < 1e-3, "energy is off by {worst:.1e}");
}
