//! Obstacles that move: conveyor, vibrating table, turntable; what they do is in the ledger.

use super::prelude::*;
use nonsmooth_geometry::spatial::Shape;

fn half_space() -> Shape {
    Shape::half_space([0.0, 0.0, 1.0]).expect("a right shape")
}

/// The balance closes to rounding, and the obstacle's column is not idle.
fn closes(ledger: &EnergyLedger) {
    let scale = ledger.scale.max(ledger.total.prescribed.abs());
    assert!(ledger.worst_remainder <= 1e-12 * scale, "{:.2e} {scale}", ledger.worst_remainder);
    assert!(ledger.total.prescribed != 0.0, "{:?}", ledger.total);
}

fn on_conveyor(shape: &Shape, height: f64, speed: f64, mu: f64) -> Simulation {
    let mut yard = Yard::new(mu, 0.0);
    yard.drive("belt", half_space(), move |t| shifted([speed * t, 0.0, 0.0], [speed, 0.0, 0.0]));
    yard.add("load", shape, 1000.0, [0.0, 0.0, height]);
    yard.simulation(1e-3)
}

/// A ball at rest on a belt keeps m r v + J ω = 0 about the line of contact: it rolls with v = 2/7 of the belt.
#[test]
fn a_conveyor_takes_a_ball_along() {
    let mut simulation = on_conveyor(&Shape::ball(0.1).unwrap(), 0.1, 1.4, 0.3);
    let (ledger, _) = watch(&mut simulation, 1000);
    let v = &simulation.state.v;
    assert!((v[0] - 0.4).abs() < 1e-9, "{v:?}");
    assert!((v[0] - 0.1 * v[4] - 1.4).abs() < 1e-9, "{v:?}");
    closes(&ledger);
}

/// A box is carried at the belt's speed after t = V/(μ g), V²/(2 μ g) behind.
#[test]
fn a_conveyor_takes_a_box_along() {
    let (speed, mu) = (1.4, 0.3);
    let mut simulation = on_conveyor(&Shape::cuboid([0.2, 0.2, 0.1]).unwrap(), 0.1, speed, mu);
    let (ledger, _) = watch(&mut simulation, 1000);
    let behind = speed - simulation.state.q[0];
    let want = speed * speed / (2.0 * mu * 9.81);
    // The step in which it stops sliding: ½ h² μ g.
    assert!((behind - want).abs() < 2e-6, "{behind} {want}");
    closes(&ledger);
    // Half of the belt's work is friction, half is kinetic energy.
    let mass = simulation.model.rigid.bodies[0].mass;
    let kinetic = 0.5 * mass * speed * speed;
    assert!((ledger.total.prescribed / (2.0 * kinetic) - 1.0).abs() < 1e-3, "{:?}", ledger.total);
    assert!((ledger.total.friction / -kinetic - 1.0).abs() < 1e-3, "{:?}", ledger.total);
}

/// The largest distance between a box and a table z = A sin ωt with A ω² = `ratio` g.
fn largest_gap(ratio: f64, h: f64) -> (f64, EnergyLedger) {
    let omega = 20.0;
    let a = ratio * 9.81 / (omega * omega);
    let mut yard = Yard::new(0.5, 0.0);
    yard.drive("table", half_space(), move |t| {
        let (s, c) = (omega * t).sin_cos();
        shifted([0.0, 0.0, a * s], [0.0, 0.0, a * omega * c])
    });
    let mut body = yard.body(
        "box",
        &Shape::cuboid([0.2, 0.1, 0.1]).expect("a right shape"),
        1000.0,
        [0.0, 0.0, 0.1],
    );
    body.velocity = [0.0, 0.0, a * omega];
    yard.builder.body(body);
    let mut simulation = yard.simulation(h);
    let mut gap = 0.0f64;
    let (ledger, _) = observe(&mut simulation, (2.0 / h) as u64, |frame| {
        gap = gap.max(frame.after.q[2] - 0.1 - a * (omega * frame.after.t).sin());
    });
    (gap, ledger)
}

/// A box stays on a vibrating table iff A ω² < g. The trapezoidal rule loses the table by A ω² h²/12 per turn of its
/// velocity, and a step without contact falls by ½ g h².
#[test]
fn a_box_leaves_a_table_that_outruns_gravity() {
    let h = 1e-3;
    for ratio in [0.5, 0.9, 0.98] {
        let (gap, ledger) = largest_gap(ratio, h);
        assert!(gap < 9.81 * h * h, "{ratio}: {gap:.2e}");
        closes(&ledger);
    }
    let (gap, ledger) = largest_gap(1.2, h);
    assert!(gap > 100.0 * 9.81 * h * h, "{gap:.2e}");
    closes(&ledger);
}

/// How far from the axis of a turntable a box gets that begins at radius r, turning with the table.
fn on_turntable(rate: f64, radius: f64, mu: f64, h: f64, time: f64) -> (f64, EnergyLedger) {
    let mut yard = Yard::new(mu, 0.0);
    yard.drive("table", half_space(), move |t| KinematicState {
        rotation: about([0.0, 0.0, 1.0], rate * t),
        angular_velocity: [0.0, 0.0, rate],
        ..shifted([0.0; 3], [0.0; 3])
    });
    let shape = Shape::cuboid([0.1, 0.1, 0.02]).expect("a right shape");
    let mut body = yard.body("box", &shape, 1000.0, [radius, 0.0, 0.02]);
    body.velocity = [0.0, rate * radius, 0.0];
    body.angular_velocity = [0.0, 0.0, rate];
    yard.builder.body(body);
    let mut simulation = yard.simulation(h);
    let (ledger, _) = observe(&mut simulation, (time / h) as u64, |_| {});
    let q = &simulation.state.q;
    (q[0].hypot(q[1]), ledger)
}

/// A box slides off a turntable iff ω² r > μ g. Below that it stays, but for the error of second order that the
/// trapezoidal rule makes on a circle.
#[test]
fn a_box_slides_off_a_turntable_that_is_too_fast() {
    let (mu, radius, time) = (0.4f64, 1.0f64, 2.0);
    let limit = (mu * 9.81 / radius).sqrt();
    let drift = |h: f64| {
        let (end, ledger) = on_turntable(0.9 * limit, radius, mu, h, time);
        closes(&ledger);
        end / radius - 1.0
    };
    let (coarse, fine) = (drift(2e-3), drift(1e-3));
    // ω h is 3.6e-3; of its square some in every turn.
    assert!(coarse.abs() < 1e-4, "{coarse:e}");
    assert!(fine.abs() < 0.3 * coarse.abs() + 1e-8, "{coarse:e} {fine:e}");
    let (end, ledger) = on_turntable(1.05 * limit, radius, mu, 1e-3, time);
    closes(&ledger);
    assert!(end > 1.3 * radius, "{end}");
}

/// A piston lifts a box: the obstacle's work is the rise of potential energy.
#[test]
fn a_lift_does_the_work_of_rising() {
    let speed = 0.5;
    let mut yard = Yard::new(0.5, 0.0);
    let plate = Shape::cuboid([1.0, 1.0, 0.1]).unwrap();
    yard.drive("plate", plate, move |t| shifted([0.0, 0.0, speed * t - 0.1], [0.0, 0.0, speed]));
    let mut body = yard.body("box", &Shape::cuboid([0.1; 3]).unwrap(), 1000.0, [0.0, 0.0, 0.1]);
    body.velocity = [0.0, 0.0, speed];
    yard.builder.body(body);
    let mut simulation = yard.simulation(1e-3);
    let (ledger, _) = watch(&mut simulation, 1000);
    closes(&ledger);
    assert!((simulation.state.q[2] - 0.6).abs() < 1e-9);
    let rise = 8.0 * 9.81 * speed;
    assert!((ledger.total.prescribed / rise - 1.0).abs() < 1e-9, "{:?}", ledger.total);
}

/// A motion that is not finite at the start is refused with the obstacle's name.
#[test]
fn a_motion_that_fails_at_the_start_is_refused() {
    let mut yard = Yard::new(0.5, 0.0);
    yard.drive("mad table", half_space(), |_| shifted([f64::NAN; 3], [0.0; 3]));
    yard.add("box", &Shape::cuboid([0.1; 3]).unwrap(), 1000.0, [0.0, 0.0, 0.1]);
    let error = yard.builder.build(0.0).err().expect("refused").to_string();
    assert!(error.contains("`mad table`") && error.contains("not finite at t = 0 s"), "{error}");
}

/// A motion that fails or is not finite stops the run with the obstacle's name, and the state stays.
#[test]
fn a_motion_that_fails_stops_the_run() {
    let mut yard = Yard::new(0.5, 0.0);
    yard.drive("mad table", half_space(), |t| {
        let z = if t > 0.0095 { f64::NAN } else { 0.0 };
        shifted([0.0, 0.0, z], [0.0; 3])
    });
    yard.add("box", &Shape::cuboid([0.1; 3]).unwrap(), 1000.0, [0.0, 0.0, 0.1]);
    let mut simulation = yard.simulation(1e-3);
    let error = simulation.run(100, &mut []).unwrap_err().to_string();
    assert!(error.contains("mad table"), "{error}");
    assert!(simulation.state.step < 11, "{}", simulation.state.step);
    assert!(simulation.state.q.iter().all(|x| x.is_finite()));
}
