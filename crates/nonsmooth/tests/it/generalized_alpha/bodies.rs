//! Generalized-α with bodies in the plane, balls in space and joints.

use super::{rho, run, simulation};
use crate::integrator;
use crate::kick_drift::diagonal;
use crate::kit::{Built, Linear, ModelBuilder, NewtonImpact, Options, Refusal, Simulation, Sparse};
use crate::order;
use crate::paoli::bodies as shared;
use nonsmooth::model::constraints::joints::{Revolute, Spherical};
use nonsmooth::model::rigid::Body;
use nonsmooth::model::{ModelBuilder as Builder, Rigid};

const G: f64 = 9.81;

/// A ball or disk that falls on a floor is the ball of one coordinate, bounce for bounce.
#[test]
fn a_ball_bounces_as_the_linear_system_does() {
    let (h, n, height) = (1.7e-3, 900, 0.4);
    for e in [0.0, 0.7] {
        let mut builder = ModelBuilder::new();
        let system = Linear::new("ball", Sparse::diagonal(&[2.0])).load(&[-2.0 * G]);
        let system = builder.linear(system.initial(&[height], &[0.3]));
        let law = builder.law("rebound", NewtonImpact { restitution: e });
        builder.linear_gap("floor", law, &[(system, 0, 1.0)], 0.0);
        let (line, _) = run(builder.build(0.0).unwrap(), &rho(0.8), h, n);
        for is_planar in [true, false] {
            let (ours, ledger) = run(shared::dropped(e, height, is_planar), &rho(0.8), h, n);
            let up = if is_planar { 1 } else { 2 };
            for k in 0..ours.t.len() {
                let far = (ours.q[k][up] - 0.1 - line.q[k][0]).abs();
                // Rounding of the gap of a ball, through 900 steps and a few impacts.
                assert!(far < 1e-11, "e = {e}, planar {is_planar}, step {k}: {far:.1e}");
                assert!((ours.v[k][0] - 0.5).abs() < 1e-13, "nothing acts sideways");
            }
            if !is_planar {
                let spun = ours.v.last().unwrap()[3..6].to_vec();
                let off = (0..3).fold(0.0f64, |m, i| m.max((spun[i] - [1.0, -2.0, 3.0][i]).abs()));
                assert!(off < 1e-12, "spin changes by {off:.1e}");
            }
            assert!(ledger.worst_remainder < 1e-12 * ledger.scale, "{ledger:?}");
        }
    }
}

/// A pendulum by joints: J φ̈ = −m g l cos φ.
fn pendulum(is_planar: bool) -> Built {
    let (m, l, j) = (1.3, 0.4, 0.05);
    let mut builder = Builder::new();
    if is_planar {
        builder.gravity([0.0, -G, 0.0]);
        let mut rod = Body::planar("rod", m, j);
        rod.position = [l, 0.0, 0.0];
        let rod = builder.body(rod);
        builder.joint("hinge", Revolute::at([0.0; 3]), Rigid::World, rod);
    } else {
        builder.gravity([0.0, 0.0, -G]);
        let mut rod = Body::new("rod", m, diagonal([j; 3]));
        rod.position = [l, 0.0, 0.0];
        let rod = builder.body(rod);
        builder.joint("pin", Spherical::at([0.0; 3]), Rigid::World, rod);
    }
    builder.build(0.0).expect("a right model")
}

#[test]
fn a_pendulum_by_joints_is_of_order_two_and_meets_both_levels() {
    let exact = shared::swing(0.05 + 1.3 * 0.16, 1.3 * G * 0.4);
    for is_planar in [true, false] {
        for options in [rho(1.0), rho(0.8)] {
            let off = |n: u64| {
                let mut simulation = simulation(pendulum(is_planar), &options, 1.0 / n as f64);
                for _ in 0..n {
                    let frame = simulation.step().expect("a good step");
                    // Newton leaves 1e-12 of velocities of about 5.
                    assert!(frame.log.gaps[0].abs() < 1e-11, "{:e}", frame.log.gaps[0]);
                    let (q, v) = (&frame.after.q, &frame.after.v);
                    let up = if is_planar { 1 } else { 2 };
                    let along = q[0] * v[0] + q[up] * v[up];
                    assert!(along.abs() < 1e-10, "the rod gets longer at {along:e}");
                }
                let q = &simulation.state.q;
                let up = if is_planar { q[1] } else { q[2] };
                let turn = (up.atan2(q[0]) - exact).rem_euclid(std::f64::consts::TAU);
                turn.min(std::f64::consts::TAU - turn)
            };
            let (coarse, fine) = (off(200), off(800));
            let measured = order(coarse, fine, 4.0);
            eprintln!("planar {is_planar}: {coarse:.1e} → {fine:.1e}, order {measured:.3}");
            assert!((measured - 2.0).abs() < 0.1, "planar {is_planar}: order {measured:.3}");
        }
    }
}

#[test]
fn heaps_and_chains_run_and_resume_to_the_bit() {
    for make in [shared::disks as fn() -> Built, shared::hinges, shared::springs, || pendulum(false)] {
        let mut whole = simulation(make(), &rho(0.8), 2e-3);
        for step in 0..150 {
            whole.step().unwrap_or_else(|error| panic!("step {step}: {error}"));
        }
        let mut resumed = simulation(make(), &rho(0.8), 2e-3);
        resumed.resume(whole.state.clone(), 0.0);
        for step in 0..150 {
            resumed.reset();
            whole.step().unwrap_or_else(|error| panic!("step {step}: {error}"));
            resumed.step().expect("a good step");
            assert_eq!(whole.state, resumed.state, "step {step}");
        }
    }
}

/// A body on a damped spring along a line is the linear oscillator with implicit forces.
#[test]
fn a_body_on_a_spring_is_the_linear_oscillator() {
    let (ours, ledger) = run(shared::springs(), &rho(0.9), 5e-3, 600);
    let mut builder = ModelBuilder::new();
    let system = Linear::new("mass", Sparse::diagonal(&[2.0]))
        .stiffness(Sparse::diagonal(&[50.0]))
        .damping(Sparse::diagonal(&[0.7]));
    builder.linear(system.initial(&[0.3], &[0.4]));
    let (line, _) = run(builder.build(0.0).unwrap(), &rho(0.9), 5e-3, 600);
    for k in 0..ours.t.len() {
        let far = (ours.q[k][0] - 1.0 - line.q[k][0]).abs();
        // Newton leaves 1e-12 of the velocity in each step.
        assert!(far < 1e-10, "step {k}: {far:.1e}");
    }
    assert!(ledger.worst_remainder < 1e-12 * ledger.scale && ledger.total.viscous < -1.0, "{ledger:?}");
}

#[test]
fn what_it_cannot_do_is_refused() {
    let refusal = |builder: ModelBuilder| {
        let (model, state) = builder.build(0.0).expect("a right model");
        let scheme = integrator("generalized-alpha", &Options::default());
        Simulation::new(model, state, scheme, 0.01).err().expect("it is refused")
    };
    let mut builder = ModelBuilder::new();
    let block = builder.linear(Linear::new("block", Sparse::diagonal(&[1.0])));
    builder.prescribe(block, 0, Ok);
    assert!(matches!(refusal(builder), Refusal::Prescribed { .. }));
}
