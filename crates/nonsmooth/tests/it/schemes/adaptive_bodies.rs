//! Adaptive Moreau–Jean with rigid bodies, in the plane and in space: errors follow the tolerance, late impacts, rotations, joints.

use super::build;
use crate::kit::{Coulomb, EnergyLedger, Options, Simulation};
use crate::order;
use crate::stage::{G, Stage, height, pendulum, pendulum_exact};
use nonsmooth::model::ModelBuilder;
use nonsmooth::model::rigid::Body;

fn tolerance(tolerance: f64) -> Options {
    Options::default().with("tolerance", tolerance).with("h_min", 1e-12)
}

fn begin(builder: ModelBuilder, options: &Options, h: f64) -> Simulation {
    let (model, state) = builder.build(0.0).expect("a right model");
    Simulation::new(model, state, build("moreau-adaptive", options), h).expect("accepted")
}

fn dropped(planar: bool, e: f64, at: f64, speed: f64) -> ModelBuilder {
    let mut stage = Stage::new(planar, Coulomb { friction: 0.3, restitution: e, ..Coulomb::default() });
    stage.floor();
    let ball = stage.ball("ball", 0.1, [0.0, 0.1 + at]);
    stage.builder.body(Body { velocity: [0.0, -speed, 0.0], ..ball });
    stage.builder
}

/// Height and velocity of a ball dropped from 0.4 m with e = ½ during its second flight.
#[test]
fn a_bounce_follows_the_tolerance() {
    let fall = (2.0 * 0.4 / G).sqrt();
    let speed = 0.5 * G * fall;
    for planar in [true, false] {
        let error = |size: f64| {
            // Averaged over the phase of the grid of the run, which is coarse.
            let errors = [17, 19, 21, 23, 27].map(|n: u64| {
                let h = 1.6 * fall / n as f64;
                let mut simulation = begin(dropped(planar, 0.5, 0.4, 0.0), &tolerance(size), h);
                simulation.run(n, &mut []).expect("it runs");
                let s = 0.6 * fall;
                let [y, v] = height(&simulation);
                (y - 0.1 - speed * s + 0.5 * G * s * s).abs().max((v - speed + G * s).abs())
            });
            errors.iter().sum::<f64>() / 5.0
        };
        let (coarse, fine) = (error(1e-3), error(1e-5));
        let measured = order(coarse, fine, 100.0);
        eprintln!("planar {planar}: {coarse:.2e} → {fine:.2e}, order {measured:.3} in the tolerance");
        // One impact brings an error of the size of the tolerance; five grids leave some scatter.
        assert!((0.7..1.3).contains(&measured), "order {measured:.3}");
        assert!(coarse < 1e-2 && fine < 1e-4, "{coarse:e} {fine:e}");
    }
}

/// Both solutions of the first attempt miss an impact after 0.075 s of 0.1 s; the overlap of the colliders tells.
#[test]
fn an_impact_late_in_the_step_is_not_missed() {
    for planar in [true, false] {
        for arrival in [0.01, 0.03, 0.06, 0.08, 0.09, 0.099] {
            let mut builder = dropped(planar, 0.5, arrival, 1.0);
            builder.gravity([0.0; 3]);
            let mut simulation = begin(builder, &tolerance(1e-4), 0.1);
            for _ in 0..3 {
                simulation.step().expect("a good step");
                assert!(height(&simulation)[0] - 0.1 >= -1e-4, "arrival {arrival}");
            }
            let [y, v] = height(&simulation);
            let far = (y - 0.1 - 0.5 * (0.3 - arrival)).abs();
            assert!(far < 3e-4, "arrival at {arrival}: {far:.1e} m off");
            assert!((v - 0.5).abs() < 1e-12, "arrival at {arrival}: {v}");
        }
    }
}

/// A body tumbles: the estimate sees how far rotations are apart, whatever the sign of quaternions; smaller tolerances, smaller steps.
#[test]
fn a_tumbling_body_takes_steps_by_its_rotation() {
    let make = || {
        let mut builder = ModelBuilder::new();
        let inertia = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]];
        let angular_velocity = [0.3, 2.0, -0.1];
        builder.body(Body { angular_velocity, ..Body::new("top", 1.0, inertia) });
        builder
    };
    let run = |size: f64| {
        let mut simulation = begin(make(), &tolerance(size), 0.5);
        let mut steps = 0;
        for _ in 0..40 {
            steps += simulation.step().expect("a good step").log.counts.steps;
        }
        (simulation.state.q, steps)
    };
    let (fine, _) = run(1e-9);
    let errors = [1e-4, 1e-7].map(|size| {
        let (q, steps) = run(size);
        // Quaternions of both signs are the same rotation.
        let along: f64 = (3..7).map(|k| q[k] * fine[k]).sum();
        let far = (3..7).map(|k| (q[k] - along.signum() * fine[k]).abs()).fold(0.0, f64::max);
        eprintln!("tolerance {size:.0e}: {steps} steps, {far:.1e} off");
        (far, steps as f64)
    });
    // One step has an error of h³, so steps are as its cube root, and the error of all as tolerance^⅔.
    let measured = order(errors[0].0, errors[1].0, 1e3);
    assert!((0.5..0.9).contains(&measured), "order {measured:.3}");
    let more = order(errors[1].1, errors[0].1, 1e3);
    assert!((0.25..0.45).contains(&more), "steps grow with power {more:.3}");
}

#[test]
fn a_pendulum_on_a_hinge_follows_the_tolerance() {
    let (start, end) = (0.9, 1.3);
    let exact = pendulum_exact(start, end);
    for planar in [true, false] {
        let error = |size: f64| {
            let mut simulation = begin(pendulum(planar, start), &tolerance(size), end / 10.0);
            let mut ledger = EnergyLedger::default();
            simulation.run(10, &mut [&mut ledger]).expect("it runs");
            assert!(ledger.worst_remainder < 1e-12 * ledger.scale, "{ledger:?}");
            (simulation.state.angles[0] + start - exact).abs()
        };
        let (coarse, fine) = (error(1e-3), error(1e-5));
        eprintln!("planar {planar}: {coarse:.2e} → {fine:.2e}");
        assert!(fine < 0.2 * coarse && fine < 1e-3, "planar {planar}: {coarse:e} {fine:e}");
    }
}

/// Balls and a block that fall on each other: the ledger closes, logs add up, no bit depends on scratch, and a run can be cut.
#[test]
fn a_small_heap_is_served() {
    for planar in [true, false] {
        let make = || {
            let mut stage =
                Stage::new(planar, Coulomb { friction: 0.4, restitution: 0.2, ..Coulomb::default() });
            stage.floor();
            for (name, x, y) in [("a", 0.0, 0.3), ("b", 0.05, 0.6)] {
                let ball = stage.ball(name, 0.1, [x, y]);
                stage.builder.body(ball);
            }
            let block = stage.block("block", [0.1, 0.05], [0.02, 0.12], 0.3);
            stage.builder.body(block);
            begin(stage.builder, &Options::default().with("tolerance", 1e-3).with("h_min", 1e-5), 0.02)
        };
        let (mut kept, mut other) = (make(), make());
        let mut ledger = EnergyLedger::begin(&kept.model, &kept.state).expect("finite energies");
        let mut events = 0;
        for k in 0..40 {
            other.reset();
            other.step().expect("a good step");
            let frame = kept.step().expect("a good step");
            let log = frame.log;
            ledger.book(log.energies, log.works);
            events += log.events.len();
            let work: f64 = log.constraints.work.iter().sum();
            let booked = log.works.contact + log.works.impact + log.works.friction;
            assert!((work - booked).abs() < 1e-12, "step {k}: {work} {booked}");
            assert!(log.constraints.ids.is_sorted());
            assert_eq!(log.constraints.places.len(), log.constraints.len());
            assert_eq!(kept.state, other.state, "planar {planar}, step {k}");
            if k == 20 {
                let state = kept.state.clone();
                kept = make();
                kept.resume(state, 0.0);
            }
        }
        assert!(events > 3, "{events}");
        // Inner steps add their rounding.
        assert!(ledger.worst_remainder < 1e-12 * ledger.scale, "{ledger:?}");
    }
}
