//! Many balls and discs: impacts of all with all, rest with more contacts than freedoms.

use super::{G, LOCATE, Yard};
use crate::kit::{EnergyLedger, Options, RunError, StepError, Summary};
use nonsmooth::model::rigid::{Collider, KinematicBody};
use nonsmooth_geometry::{planar, spatial};
use nonsmooth_testkit::Random;

/// A box with walls at ±1 in all directions.
fn walls(yard: &mut Yard) {
    let directions: &[[f64; 3]] = if yard.planar {
        &[[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]
    } else {
        &[
            [1.0, 0.0, 0.0],
            [-1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, -1.0, 0.0],
            [0.0, 0.0, 1.0],
            [0.0, 0.0, -1.0],
        ]
    };
    for (k, n) in directions.iter().enumerate() {
        let collider = if yard.planar {
            let shape = planar::Shape::half_plane([n[0], n[1]]).expect("a right shape");
            Collider::plane(shape, yard.material)
        } else {
            Collider::space(spatial::Shape::half_space(*n).expect("a right shape"), yard.material)
        };
        let wall = KinematicBody::new(&format!("wall {k}"), vec![collider]);
        yard.builder.kinematic(KinematicBody { position: n.map(|x| -x), ..wall });
    }
}

/// Balls of different sizes on a grid in the box, thrown at random.
fn crowd(planar: bool, restitution: f64, seed: u64) -> Yard {
    let mut yard = Yard::new(planar, restitution);
    walls(&mut yard);
    let mut random = Random::new(seed);
    for k in 0..6 {
        let (x, y) = (-0.6 + 0.6 * f64::from(k % 3), -0.4 + 0.8 * f64::from(k / 3));
        let radius = 0.12 + 0.1 * random.unit();
        let mut ball = yard.ball(&format!("ball {k}"), 1.0 + random.unit(), radius, yard.at(x, y));
        ball.velocity = yard.at(2.0 * random.signed(), 2.0 * random.signed());
        if !planar {
            ball.velocity[1] = random.signed();
        }
        yard.builder.body(ball);
    }
    yard
}

/// The deepest overlap among balls and walls [m].
fn overlap(simulation: &crate::kit::Simulation) -> f64 {
    let (model, state) = (&simulation.model, &simulation.state);
    let bodies = &model.rigid.bodies;
    let place = |k: usize| {
        let at = bodies[k].q as usize;
        let n = if bodies[k].planar { 2 } else { 3 };
        let mut x = [0.0; 3];
        x[..n].copy_from_slice(&state.q[at..at + n]);
        x
    };
    let mut worst = 0.0f64;
    for i in 0..bodies.len() {
        let (a, r) = (place(i), bodies[i].bounding_radius);
        worst = a.iter().fold(worst, |m, x| m.max(x.abs() + r - 1.0));
        for (j, other) in bodies.iter().enumerate().skip(i + 1) {
            let b = place(j);
            let far = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
            worst = worst.max(r + other.bounding_radius - far);
        }
    }
    worst
}

#[test]
fn an_elastic_gas_keeps_its_energy_and_nothing_overlaps() {
    for (planar, scheme) in [true, false].into_iter().flat_map(|p| LOCATE.map(|s| (p, s))) {
        for seed in 1..=4 {
            let mut yard = crowd(planar, 1.0, seed);
            yard.builder.gravity([0.0; 3]);
            let mut simulation = yard.run(scheme, &Options::default(), 0.1);
            let start = simulation.model.energies_of(&simulation.state).expect("finite").kinetic;
            let mut summary = Summary::default();
            let mut deepest = 0.0f64;
            for _ in 0..30 {
                let frame = simulation.step().expect("the run goes on");
                summary.book(&frame);
                deepest = deepest.max(overlap(&simulation));
            }
            let end = simulation.model.energies_of(&simulation.state).expect("finite").kinetic;
            assert!(summary.impacts > 15, "{planar}, {scheme}, {seed}: {}", summary.impacts);
            // Rounding at each impact.
            assert!((end - start).abs() < 1e-12 * start, "{planar}, {scheme}, {seed}: {start} {end}");
            assert!(deepest < 1e-14, "{planar}, {scheme}, {seed}: {deepest:e}");
        }
    }
}

#[test]
fn a_crowd_falls_to_rest_or_its_accumulations_are_named() {
    let mut named = 0;
    for (planar, scheme) in [true, false].into_iter().flat_map(|p| LOCATE.map(|s| (p, s))) {
        for seed in 2..=3 {
            let mut simulation = crowd(planar, 0.4, seed).run(scheme, &Options::default(), 0.01);
            let mut ledger = EnergyLedger::default();
            match simulation.run(150, &mut [&mut ledger]) {
                Ok(()) => {}
                Err(RunError::Step { source: StepError::Accumulation { .. }, .. })
                    if scheme == "event-driven" =>
                {
                    named += 1;
                    continue;
                }
                Err(error) => panic!("{planar}, {scheme}, {seed}: {error}"),
            }
            let deepest = overlap(&simulation);
            assert!(deepest < 1e-13, "{planar}, {scheme}, {seed}: {deepest:e}");
            // Quadrature of order five of balls that roll over each other, energies of 50 J.
            assert!(ledger.remainder.abs() < 1e-5, "{planar}, {scheme}, {seed}: {:e}", ledger.remainder);
        }
    }
    assert!(named >= 3, "{named}");
}

#[test]
fn a_pyramid_of_discs_between_walls_stands() {
    // Five discs of diameter ½ in a box of width 2: four on the floor touch both walls, one lies in the middle between two.
    let mut yard = Yard::new(true, 0.5);
    walls(&mut yard);
    for k in 0..4 {
        let ball =
            yard.ball(&format!("disc {k}"), 1.0, 0.25, yard.at(-0.75 + 0.5 * f64::from(k), -0.75));
        yard.builder.body(ball);
    }
    let ball = yard.ball("top", 1.0, 0.25, yard.at(0.0, -0.75 + 0.25 * 3f64.sqrt()));
    yard.builder.body(ball);
    let mut simulation = yard.run("high-order", &Options::default(), 0.01);
    let start = simulation.state.q.clone();
    for _ in 0..50 {
        let frame = simulation.step().expect("the run goes on");
        assert!(frame.log.events.is_empty(), "{:?}", frame.log.events);
        // The floor carries five weights.
        let floor = frame.log.constraints.places.iter().zip(&frame.log.constraints.impulse);
        let sum: f64 = floor.filter(|(place, _)| place[0][1] < -0.99).map(|(_, p)| p).sum();
        assert!((sum / 0.01 - 5.0 * G).abs() < 1e-9, "{sum}");
    }
    let moved = start.iter().zip(&simulation.state.q).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(moved < 1e-13, "{moved:e}");
}
