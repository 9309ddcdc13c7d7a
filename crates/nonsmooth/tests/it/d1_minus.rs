//! D1-minus: second order in smooth phases, with and without lasting contact, first through impacts.

use crate::kit::{
    Built, EnergyLedger, Linear, ModelBuilder, NewtonImpact, Options, Refusal, Simulation, Sparse,
    Trajectory,
};
use crate::models::{self, ball, bob, bowl, bowl_that_rebounds, pressed};
use crate::nonlinear::DoublePendulum;
use crate::{integrator, order};

fn simulation((model, state): Built, options: &Options, h: f64) -> Simulation {
    Simulation::new(model, state, integrator("d1-minus", options), h).expect("accepted")
}

fn run(made: Built, options: &Options, h: f64, n: u64) -> (Trajectory, EnergyLedger) {
    let (mut trajectory, mut ledger) = (Trajectory::default(), EnergyLedger::default());
    let mut simulation = simulation(made, options, h);
    simulation.run(n, &mut [&mut trajectory, &mut ledger]).expect("the run ends well");
    (trajectory, ledger)
}

fn double_pendulum() -> Built {
    let mut builder = ModelBuilder::new();
    let pendulum = DoublePendulum { gravity: 10.0 };
    builder.lagrangian("pendulum", &["a", "b"], pendulum, &[0.9, -0.4], &[0.2, 1.0]);
    builder.build(0.0).expect("a right model")
}

/// The end of a run of n steps up to t = 1, as (q, v).
fn end(made: Built, n: u64) -> Vec<f64> {
    let (ours, _) = run(made, &Options::default(), 1.0 / n as f64, n);
    [ours.q[n as usize].clone(), ours.v[n as usize].clone()].concat()
}

fn far(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
}

/// Largest error over 200 instants up to t = 1, against 200 · 64 steps, whose own error changes the order by 1/1000.
#[test]
fn free_motion_is_of_order_two() {
    let states = |n: u64| {
        let (ours, _) = run(double_pendulum(), &Options::default(), 1.0 / n as f64, n);
        let all: Vec<Vec<f64>> = ours.q.iter().zip(&ours.v).map(|(q, v)| [&q[..], v].concat()).collect();
        all.into_iter().step_by(n as usize / 200).flatten().collect::<Vec<f64>>()
    };
    let fine = states(200 * 64);
    let [coarse, finer] = [200, 800].map(|n| far(&states(n), &fine));
    let measured = order(coarse, finer, 4.0);
    eprintln!("{coarse:.2e} → {finer:.2e}, order {measured:.3}");
    assert!((measured - 2.0).abs() < 0.1, "{measured}");
}

#[test]
fn lasting_contact_is_of_order_two() {
    let n = 100;
    let (ours, _) = run(pressed(), &Options::default(), 1.0 / n as f64, n);
    for k in 1..=n as usize {
        assert!(ours.q[k][0].abs() < 1e-15 && ours.v[k][0].abs() < 1e-15, "{:?}", ours.q[k]);
        // λ = 20 − 9 q₂, positive throughout.
        assert!(ours.impulses[k][0] > 0.0);
    }
    let exact = |n: u64| {
        let found = end(pressed(), n);
        far(&found, &[0.0, 3f64.cos(), 0.0, -3.0 * 3f64.sin()])
    };
    let measured = order(exact(100), exact(400), 4.0);
    eprintln!("pressed: order {measured:.3}");
    assert!((measured - 2.0).abs() < 0.05, "{measured}");
    let fine = end(bowl(), 25_600);
    let [coarse, finer] = [100, 400].map(|n| far(&end(bowl(), n), &fine));
    let measured = order(coarse, finer, 4.0);
    eprintln!("bowl: {coarse:.2e} → {finer:.2e}, order {measured:.3}");
    assert!((measured - 2.0).abs() < 0.1, "{measured}");
}

/// What is pressed against a curved wall does not rebound from the error of the method, whatever its restitution: the same digits as without.
#[test]
fn lasting_contact_with_restitution_is_of_order_two() {
    for restitution in [0.3, 0.8, 1.0] {
        for n in [100, 400] {
            let off = far(&end(bowl_that_rebounds(restitution), n), &end(bowl(), n));
            assert!(off < 1e-12, "e = {restitution}, {n} steps: {off:.1e}");
        }
    }
}

/// q̈ = t − 1 + r from rest in contact: it lifts at t = 1, and q = (t − 1)³/6.
#[test]
fn a_contact_opens_when_nothing_presses_it() {
    let n = 200;
    let made = || {
        let mut builder = ModelBuilder::new();
        let mass = Linear::new("mass", Sparse::diagonal(&[1.0])).force(|t, out| {
            out[0] = t - 1.0;
            Ok(())
        });
        let mass = builder.linear(mass);
        let law = builder.law("floor", NewtonImpact { restitution: 0.5 });
        builder.linear_gap("floor", law, &[(mass, 0, 1.0)], 0.0);
        builder.build(0.0).expect("a right model")
    };
    let (ours, _) = run(made(), &Options::default(), 2.0 / n as f64, n);
    assert!(ours.q[..=100].iter().all(|q| q[0] == 0.0));
    let error = |n: u64| {
        let (ours, _) = run(made(), &Options::default(), 2.0 / n as f64, n);
        (ours.q[n as usize][0] - 1.0 / 6.0).abs()
    };
    // An odd number of steps: the take-off falls between two nodes.
    let measured = order(error(101), error(807), 807.0 / 101.0);
    assert!((measured - 2.0).abs() < 0.1, "{measured}");
}

#[test]
fn impacts_are_of_order_one() {
    models::assert_order_one(|n| {
        models::ball_errors(&run(ball(1.0, 0.5), &Options::default(), 2.3 / n as f64, n).0)
    });
}

/// After the accumulation the scheme rests; as published it rattles and sinks, as its header says.
#[test]
fn the_end_of_an_accumulation_is_what_the_option_says() {
    let (h, n, e) = (1e-3, 5000, 0.5);
    let published = Options::default().with_word("persistent", "impact");
    let (ours, _) = run(ball(1.0, e), &published, h, n);
    let (speed, sinks) = (e * 2.0 * h / (2.0 + 2.0 * e), 2.0 * h / (2.0 + 2.0 * e));
    let (first, last) = (ours.q[4000][0], ours.q[5000][0]);
    assert!((ours.v[5000][0] - speed).abs() < 1e-12, "{} {speed}", ours.v[5000][0]);
    assert!(((first - last) / (1000.0 * h) - sinks).abs() < 1e-12, "{first} {last}");
    for rule in ["resting", "inelastic"] {
        let rests = Options::default().with_word("persistent", rule);
        let (ours, _) = run(ball(1.0, e), &rests, h, n);
        for k in 4000..=5000 {
            assert!((ours.q[k][0] - ours.q[4000][0]).abs() < 1e-14 && ours.v[k][0].abs() < 1e-14);
            assert!((ours.impulses[k][0] - 2.0 * h).abs() < 1e-14, "{}", ours.impulses[k][0]);
        }
        assert!(ours.q[5000][0] > -2.0 * h, "{rule}: {}", ours.q[5000][0]);
    }
}

#[test]
fn the_ledger_books_impacts_exactly() {
    // Under a constant load the flight is exact too: all that is lost is lost at impacts.
    let (ours, ledger) = run(ball(1.0, 0.5), &Options::default(), 0.013, 170);
    assert!(ledger.worst_remainder < 1e-14, "{ledger:?}");
    assert!((ledger.total.impact + 1.875).abs() < 0.1, "{:?}", ledger.total);
    assert!(ours.impulses.iter().any(|p| p[0] > 0.0));
    // With springs the scheme has its share, O(h³) per step, and says so.
    let (_, ledger) = run(pressed(), &Options::default(), 0.01, 300);
    assert!(ledger.worst_remainder < 1e-13 * ledger.scale, "{ledger:?}");
    assert!(ledger.total.scheme != 0.0, "{:?}", ledger.total);
}

#[test]
fn joints_hold_their_velocity_and_drift_with_the_square_of_the_step() {
    let drift = |n: u64| {
        let (ours, _) = run(bob(), &Options::default(), 2.0 / n as f64, n);
        for (q, v) in ours.q.iter().zip(&ours.v) {
            assert!((q[0] * v[0] + q[1] * v[1]).abs() < 1e-12, "{q:?} {v:?}");
        }
        ours.gaps.iter().fold(0.0f64, |m, gaps| m.max(gaps[0].abs()))
    };
    let measured = order(drift(500), drift(2000), 4.0);
    assert!((measured - 2.0).abs() < 0.1, "{measured}");
}

#[test]
fn prescribed_motion_is_refused() {
    let mut builder = ModelBuilder::new();
    let p = builder.linear(Linear::new("piston", Sparse::diagonal(&[1.0])));
    builder.prescribe(p, 0, |t| Ok(t.sin()));
    let (model, state) = builder.build(0.0).expect("a right model");
    let scheme = integrator("d1-minus", &Options::default());
    let refusal = Simulation::new(model, state, scheme, 0.1).err().expect("refused");
    assert!(matches!(refusal, Refusal::Prescribed { .. }), "{refusal}");
}

/// No bit depends on scratch.
#[test]
fn scratch_does_not_matter() {
    for made in [bowl as fn() -> Built, pressed, || ball(1.0, 0.8)] {
        let (mut plain, mut poisoned) = (
            simulation(made(), &Options::default(), 0.01),
            simulation(made(), &Options::default(), 0.01),
        );
        for k in 0..300 {
            poisoned.reset();
            plain.step().expect("a good step");
            poisoned.step().expect("a good step");
            assert_eq!(plain.state, poisoned.state, "step {k}");
        }
    }
}
