//! Bodies at rest stay at rest; what slides stops where it must.

use super::prelude::*;
use nonsmooth_geometry::spatial::Shape;

/// Five cubes on each other for 10⁴ steps.
#[test]
fn a_stack_stays() {
    let mut yard = Yard::new(0.5, 0.0);
    yard.floor();
    let cube = Shape::cuboid([0.1; 3]).unwrap();
    for i in 0..5 {
        let body = yard.body(&format!("cube {i}"), &cube, 1000.0, [0.0, 0.0, 0.1 + 0.2 * i as f64]);
        yard.builder.body(body);
    }
    let mut simulation = yard.simulation(1e-3);
    let start = simulation.state.clone();
    let weight = 9.81 * simulation.model.rigid.bodies.iter().map(|b| b.mass).sum::<f64>();
    let (mut speed, mut off) = (0.0f64, 0.0f64);
    let (ledger, summary) = observe(&mut simulation, 10_000, |frame| {
        let [x, y, z] = support(frame);
        (speed, off) = (speed.max(fastest(frame.after)), off.max(x.hypot(y).hypot(z - weight)));
    });
    // One step's residual of 1e-10 h g, with a lever of some tens for five cubes.
    assert!(speed < 1e-8 * 9.81e-3, "speed {speed:.2e}");
    assert!(off < 1e-8 * weight, "the floor's force is off by {off:.2e} N");
    let gain = ledger.energies.kinetic + ledger.energies.potential
        - (ledger.initial.kinetic + ledger.initial.potential);
    assert!(gain.abs() < 1e-11 * ledger.scale, "energy changed by {gain:.2e} J");
    let moved = start.q.iter().zip(&simulation.state.q).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    // Residuals of 1e-10 of h g in 10⁴ steps of 1e-3 s.
    assert!(moved < 1e-10, "moved {moved:.2e}");
    assert!(summary.overlap < 1e-10, "overlap {:.2e}", summary.overlap);
    assert_eq!(summary.unconverged, 0);
    assert!(ledger.worst_remainder <= 1e-13 * ledger.scale, "{:.2e}", ledger.worst_remainder);
}

/// The forces of the floor sum to the weight.
#[test]
fn contact_forces_sum_to_the_weight() {
    let mut yard = Yard::new(0.5, 0.0);
    yard.floor();
    let cube = Shape::cuboid([0.1; 3]).unwrap();
    for i in 0..3 {
        let body = yard.body(&format!("cube {i}"), &cube, 1000.0, [0.0, 0.0, 0.1 + 0.2 * i as f64]);
        yard.builder.body(body);
    }
    let mut simulation = yard.simulation(1e-3);
    simulation.run(10, &mut []).unwrap();
    let frame = simulation.step().unwrap();
    let force = support(&frame)[2];
    let weight = 3.0 * 8.0 * 9.81;
    assert!((force / weight - 1.0).abs() < 1e-9, "{force} {weight}");
}

/// A cube that slides at 6 m/s with μ = ½ stops after v²/(2μg), does not turn and does not lift.
#[test]
fn a_sliding_cube_stops_where_it_must() {
    let (v, mu, h) = (6.0, 0.5, 1e-3);
    let mut yard = Yard::new(mu, 0.0);
    yard.floor();
    let cube = Shape::cuboid([0.1; 3]).unwrap();
    let mut body = yard.body("cube", &cube, 1000.0, [0.0, 0.0, 0.1]);
    body.velocity = [v, 0.0, 0.0];
    yard.builder.body(body);
    let mut simulation = yard.simulation(h);
    let (ledger, _) = watch(&mut simulation, 2000);
    let q = &simulation.state.q;
    let want = v * v / (2.0 * mu * -GRAVITY[2]);
    // θ = ½ is exact while the deceleration is constant; the last step stops within itself: h v_last.
    assert!((q[0] - want).abs() < 0.5 * h * h * mu * 9.81, "{} {want}", q[0]);
    assert!(q[1].abs() < 1e-10 && (q[2] - 0.1).abs() < 1e-10, "{q:?}");
    assert!(q[4..7].iter().all(|x| x.abs() < 1e-9), "turned: {q:?}");
    assert!(ledger.worst_remainder <= 1e-13 * ledger.scale);
}

/// A block on a slope with tan α < μ does not creep.
#[test]
fn a_block_on_a_slope_does_not_creep() {
    let angle = 0.4f64.atan();
    let mut yard = Yard::new(0.5, 0.0);
    yard.slope([angle.sin(), 0.0, angle.cos()]);
    let block = Shape::cuboid([0.2, 0.1, 0.05]).unwrap();
    let (s, c) = angle.sin_cos();
    let mut body = yard.body("block", &block, 1000.0, [0.05 * s, 0.0, 0.05 * c]);
    body.rotation = [(0.5 * angle).cos(), 0.0, (0.5 * angle).sin(), 0.0];
    yard.builder.body(body);
    let mut simulation = yard.simulation(1e-3);
    let start = simulation.state.q.clone();
    watch(&mut simulation, 10_000);
    let moved = start.iter().zip(&simulation.state.q).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(moved < 1e-10, "crept {moved:.2e}");
}
