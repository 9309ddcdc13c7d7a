//! Rest is free and silent: nothing creeps, nothing strikes, and what moves a little is not taken for rest.

use super::{G, ball, cuboid, floor, run, world};
use nonsmooth::Simulation;
use nonsmooth::laws::Coulomb;
use nonsmooth::model::ModelBuilder;
use nonsmooth::model::WrenchFunction;
use nonsmooth::model::rigid::{Collider, KinematicBody};
use nonsmooth_geometry::spatial::Shape;

/// A tower of cubes of 0.2 m.
fn tower(n: usize, restitution: f64, h: f64) -> Simulation {
    let (mut builder, material) = world(0.5, restitution);
    floor(&mut builder, material);
    for i in 0..n {
        let mut body = cuboid(&format!("cube{i}"), [0.1; 3], 8.0, material);
        body.position = [0.0, 0.0, 0.1 + 0.2 * i as f64];
        builder.body(body);
    }
    run(builder, h)
}

#[test]
fn towers_stand_for_a_hundred_thousand_steps() {
    for (n, restitution, h) in [(5, 0.0, 5e-3), (5, 0.5, 2e-3), (20, 0.0, 2e-3)] {
        let mut simulation = tower(n, restitution, h);
        let start = simulation.state.q.clone();
        let (mut struck, mut solved) = (0, 0);
        for step in 0..100_000 {
            let seen = simulation.step().expect("it runs");
            assert!(seen.log.notes.is_empty(), "{n} cubes, step {step}: {:?}", seen.log.notes);
            struck += seen.log.events.len();
            solved += seen.log.solves.iter().filter(|report| report.iterations > 0).count();
            let off = |(a, b): (&f64, &f64)| (a - b).abs();
            let creep = seen.after.q.iter().zip(&start).map(off).fold(0.0, f64::max);
            assert!(creep < 1e-8, "{n} cubes creep by {creep:.1e} to step {step}");
        }
        assert_eq!(struck, 0, "{n} cubes strike");
        assert!(solved < 1000, "{n} cubes: {solved} steps were solved anew");
    }
}

/// Speeds far below what a step of gravity makes, but real.
#[test]
fn what_hardly_moves_is_not_at_rest() {
    // Without gravity there is no speed that is none.
    let (mut builder, material) = world(0.5, 0.0);
    builder.gravity([0.0; 3]);
    let mut body = ball("ball", 0.1, 1.0, material);
    body.velocity = [1e-13, 0.0, 0.0];
    builder.body(body);
    let mut simulation = run(builder, 1e-3);
    (0..1000).for_each(|_| drop(simulation.step().expect("it runs")));
    assert!((simulation.state.q[0] - 1e-13).abs() < 1e-26, "{:e}", simulation.state.q[0]);
    // A ball at the apex of its flight.
    let (mut builder, material) = world(0.5, 0.0);
    let mut body = ball("ball", 0.1, 1.0, material);
    body.position = [0.0, 0.0, 1.0];
    builder.body(body);
    let mut simulation = run(builder, 1e-3);
    (0..100).for_each(|_| drop(simulation.step().expect("it runs")));
    let fallen = 1.0 - simulation.state.q[2];
    assert!((fallen - 0.5 * G * 0.01).abs() < 1e-12, "{fallen}");
    // A slope that is steeper than friction holds by 1e-6.
    let tan = 0.5 * (1.0 + 1e-6);
    let (sin, cos) = (tan / f64::hypot(1.0, tan), 1.0 / f64::hypot(1.0, tan));
    let (mut builder, material) = world(0.5, 0.0);
    builder.gravity([G * sin, 0.0, -G * cos]);
    floor(&mut builder, material);
    let mut body = cuboid("block", [0.1, 0.1, 0.02], 1.0, material);
    body.position = [0.0, 0.0, 0.02];
    builder.body(body);
    let mut simulation = run(builder, 1e-3);
    (0..1000).for_each(|_| drop(simulation.step().expect("it runs")));
    let exact = 0.5 * (G * sin - 0.5 * G * cos);
    let x = simulation.state.q[0];
    assert!((x - exact).abs() < 1e-2 * exact, "{x:e} instead of {exact:e} m");
}

/// A tower that rests until something begins.
#[test]
fn what_begins_later_wakes_what_rests() {
    // A push that begins after a second.
    let (mut builder, material) = world(0.5, 0.0);
    floor(&mut builder, material);
    let mut body = cuboid("block", [0.1, 0.1, 0.02], 1.0, material);
    body.position = [0.0, 0.0, 0.02];
    let body = builder.body(body);
    let push: WrenchFunction =
        Box::new(|at| Ok([if at.t > 1.0 { 10.0 } else { 0.0 }, 0.0, 0.0, 0.0, 0.0, 0.0]));
    builder.wrench(body, false, push);
    let mut simulation = run(builder, 1e-3);
    (0..2000).for_each(|_| drop(simulation.step().expect("it runs")));
    let exact = 0.5 * (10.0 - 0.5 * G);
    assert!((simulation.state.q[0] - exact).abs() < 2e-2, "{} m", simulation.state.q[0]);
    // A ball that falls onto a tower at rest.
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -G]);
    let law = builder.law("pair", Coulomb { friction: 0.5, restitution: 0.0, ..Coulomb::default() });
    let material = builder.material("stuff");
    builder.default_pair(law);
    let shape = Shape::half_space([0.0, 0.0, 1.0]).expect("it is right");
    builder.kinematic(KinematicBody::new("floor", vec![Collider::space(shape, material)]));
    let mut cube = cuboid("cube", [0.1; 3], 1.0, material);
    cube.position = [0.0, 0.0, 0.1];
    builder.body(cube);
    let mut falls = ball("ball", 0.05, 0.5, material);
    falls.position = [0.08, 0.0, 5.0];
    builder.body(falls);
    let mut simulation = run(builder, 2e-3);
    (0..1500).for_each(|_| drop(simulation.step().expect("it runs")));
    assert!(simulation.state.q[9] < 0.5, "the ball hangs at {} m", simulation.state.q[9]);
}

/// Setting a state from outside ends what was known of rest.
#[test]
fn a_tower_that_is_pushed_from_outside_moves() {
    let mut simulation = tower(2, 0.0, 2e-3);
    (0..100).for_each(|_| drop(simulation.step().expect("it runs")));
    let mut state = simulation.state.clone();
    state.v[6] = 1.0;
    simulation.resume(state, 0.0);
    let x = simulation.state.q[7];
    (0..50).for_each(|_| drop(simulation.step().expect("it runs")));
    // It slides by v t − ½ μ g t².
    let exact = 0.1 - 0.5 * 0.5 * G * 0.01;
    assert!((simulation.state.q[7] - x - exact).abs() < 5e-3, "{}", simulation.state.q[7] - x);
}
