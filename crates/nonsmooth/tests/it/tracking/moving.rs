//! Kinematic bodies that move, bodies that appear.

use super::{ALL, G, LOCATE, Yard};
use crate::kit::{EnergyLedger, Observer, Options, Summary};
use nonsmooth::model::rigid::{KinematicBody, KinematicState};

/// A ball on a floor that shakes as a sin(w t).
fn shaken(planar: bool, (a, w): (f64, f64)) -> Yard {
    let mut yard = Yard::new(planar, 0.0);
    let ground = yard.ground();
    let up = yard.up();
    let motion = move |t: f64| {
        let (mut position, mut velocity) = ([0.0; 3], [0.0; 3]);
        position[up] = a * (w * t).sin();
        velocity[up] = a * w * (w * t).cos();
        let (rotation, angular_velocity) = ([1.0, 0.0, 0.0, 0.0], [0.0; 3]);
        Ok(KinematicState { position, rotation, velocity, angular_velocity })
    };
    let floor = KinematicBody::new("floor", vec![ground]);
    yard.builder.kinematic(KinematicBody { motion: Some(Box::new(motion)), ..floor });
    let mut ball = yard.ball("ball", 1.0, 0.1, yard.at(0.0, 0.1));
    ball.velocity[up] = a * w;
    yard.builder.body(ball);
    yard
}

#[test]
fn a_shaken_ball_rides_takes_off_and_lands() {
    let (a, w) = (0.05, 20.0);
    let leave = f64::asin(G / (a * w * w)) / w;
    let (q, v) = (a * (w * leave).sin(), a * w * (w * leave).cos());
    let above = |s: f64| q + v * s - 0.5 * G * s * s - a * (w * (leave + s)).sin();
    let (mut low, mut high) = (0.05, 0.4);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if above(middle) > 0.0 { low = middle } else { high = middle }
    }
    for (planar, scheme) in [true, false].into_iter().flat_map(|p| LOCATE.map(|s| (p, s))) {
        let yard = shaken(planar, (a, w));
        let up = yard.up();
        let mut simulation = yard.run(scheme, &Options::default(), 0.003);
        let (mut ledger, mut landed) = (EnergyLedger::default(), Vec::new());
        ledger.start(&simulation.model, &simulation.state).expect("finite");
        for _ in 0..130 {
            let frame = simulation.step().expect("the run goes on");
            ledger.step(&frame).expect("finite");
            landed.extend(frame.log.events.iter().map(|event| event.t));
            let t = frame.after.t;
            if t < leave {
                let gap = frame.after.q[up] - 0.1 - a * (w * t).sin();
                assert!(gap.abs() < 1e-15, "{planar}, {scheme}, t = {t}: {gap:e}");
            }
        }
        // The acceleration of the floor is a difference with 1e-10 of its size: it moves the instant of the take-off.
        assert!(
            (landed[0] - leave - low).abs() < 1e-9,
            "{planar}, {scheme}: {}",
            landed[0] - leave - low
        );
        assert!(ledger.total.prescribed > 0.5, "{:?}", ledger.total);
        assert!(ledger.remainder.abs() < 1e-7, "{planar}, {scheme}: {:e}", ledger.remainder);
    }
}

#[test]
fn a_body_that_appears_falls_on_one_that_lies() {
    for (planar, scheme) in [true, false].into_iter().flat_map(|p| ALL.map(|s| (p, s))) {
        let mut yard = Yard::new(planar, 0.0);
        yard.floor();
        let lies = yard.ball("lies", 1.0, 0.1, yard.at(0.0, 0.1));
        yard.builder.body(lies);
        let mut falls = yard.ball("falls", 1.0, 0.1, yard.at(0.0, 0.8));
        falls.appears_at = Some(0.2);
        falls.velocity[yard.up()] = -1.0;
        yard.builder.body(falls);
        let up = yard.up();
        let mut simulation = yard.run(scheme, &Options::default(), 0.01);
        let (mut ledger, mut summary) = (EnergyLedger::default(), Summary::default());
        simulation.run(19, &mut [&mut ledger, &mut summary]).expect("the run goes on");
        let second = simulation.state.q.len() / 2;
        assert_eq!(simulation.state.q[second + up], 0.8, "{planar}, {scheme}: it waits");
        simulation.run(40, &mut [&mut ledger, &mut summary]).expect("the run goes on");
        // One on the other, up to the overlap of schemes that do not locate impacts.
        let height = simulation.state.q[second + up];
        let most = if LOCATE.contains(&scheme) { 1e-13 } else { 0.1 };
        assert!((height - 0.3).abs() < most, "{planar}, {scheme}: {height}");
        assert!((ledger.total.exchange - 0.5 - G * 0.8).abs() < 1e-12, "{:?}", ledger.total);
        assert!(ledger.remainder.abs() < 1e-10, "{planar}, {scheme}: {:e}", ledger.remainder);
    }
}
