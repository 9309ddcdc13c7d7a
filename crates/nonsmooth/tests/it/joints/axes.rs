//! Free axes of joints: springs, stops, motors, angles.

use crate::body_kit::{INERTIA, about, body, run, schemes};
use nonsmooth::model::constraints::joints::{Prismatic, Revolute};
use nonsmooth::model::rigid::Body;
use nonsmooth::model::{ModelBuilder, Rigid};

/// Angles go on through whole turns.
#[test]
fn angles_are_counted_through_whole_turns() {
    for (scheme, integrator) in schemes() {
        let mut builder = ModelBuilder::new();
        let spin = 7.0;
        let rotor = Body { angular_velocity: [0.0, 0.0, spin], ..Body::new("rotor", 1.0, INERTIA) };
        let rotor = builder.body(rotor);
        builder.joint("bearing", Revolute::at([0.0; 3]).axis([0.0, 0.0, 1.0]), Rigid::World, rotor);
        let (simulation, _) = run(builder, integrator, 0.05, 100);
        let angle = simulation.state.angles[0];
        assert!((angle - 5.0 * spin).abs() < 1e-9, "{scheme}: {angle}");
    }
}

/// A slider with a spring along its axis: ω² = k/m; its stop turns it round with e.
#[test]
fn a_slider_swings_on_its_spring_and_turns_at_its_stop() {
    for (scheme, integrator) in schemes() {
        let (mass, stiffness) = (2.0, 50.0);
        let mut builder = ModelBuilder::new();
        let axis = [0.6, 0.0, 0.8];
        let slider = Body {
            velocity: axis.map(|x| 0.5 * x),
            rotation: about([0.0, 1.0, 0.0], 0.3),
            ..Body::new("slider", mass, INERTIA)
        };
        let slider = builder.body(slider);
        builder
            .joint("guide", Prismatic::at([0.1, 0.2, 0.3]).axis(axis), Rigid::World, slider)
            .spring(stiffness, 0.0);
        let omega = (stiffness / mass).sqrt();
        let (simulation, ledger) = run(builder, integrator, 1e-3, 1000);
        let q = &simulation.state.q;
        let travel: f64 = (0..3).map(|k| q[k] * axis[k]).sum();
        let want = 0.5 / omega * (omega * 1.0).sin();
        assert!((travel - want).abs() < 2e-6, "{scheme}: {travel} {want}");
        let energy = |e: nonsmooth::Energies| e.kinetic + e.potential;
        let change = energy(ledger.energies) - energy(ledger.initial);
        assert!(change.abs() < 1e-5, "{scheme}: {change}");
        assert!(ledger.worst_remainder < 1e-12, "{scheme}: {:e}", ledger.worst_remainder);
    }
}

#[test]
fn a_stop_turns_a_rotor_round_with_its_restitution() {
    for (scheme, integrator) in schemes() {
        let mut builder = ModelBuilder::new();
        let rotor = Body { angular_velocity: [0.0, 0.0, 2.0], ..Body::new("rotor", 1.0, INERTIA) };
        let rotor = builder.body(rotor);
        builder
            .joint("bearing", Revolute::at([0.0; 3]).axis([0.0, 0.0, 1.0]), Rigid::World, rotor)
            .stop(-10.0..5.0, 0.5);
        // 2.5 s to the stop at 5 rad, then back at 1 rad/s.
        let (simulation, ledger) = run(builder, integrator, 1e-2, 400);
        let angle = simulation.state.angles[0];
        let bound = if scheme == "kick-drift" { 1e-9 } else { 2e-2 };
        assert!((angle - 3.5).abs() < bound, "{scheme}: {angle}");
        assert!((simulation.state.v[5] + 1.0).abs() < 1e-9, "{scheme}: {}", simulation.state.v[5]);
        let lost = -0.5 * INERTIA[2][2] * 3.0;
        assert!((ledger.total.impact - lost).abs() < 1e-9, "{scheme}: {:?}", ledger.total);
    }
}

/// A motor of constant torque: φ = ½ (τ/J) t², its work is that of a drive.
#[test]
fn a_motor_drives_a_rotor() {
    for (scheme, integrator) in schemes() {
        let mut builder = ModelBuilder::new();
        let rotor = builder.body(Body::new("rotor", 1.0, INERTIA));
        builder
            .joint("bearing", Revolute::at([0.0; 3]).axis([0.0, 1.0, 0.0]), Rigid::World, rotor)
            .motor(|at| Ok(if at.t >= 0.0 { 0.6 } else { 0.0 }));
        let (simulation, ledger) = run(builder, integrator, 1e-2, 100);
        let angle = simulation.state.angles[0];
        assert!((angle - 0.5 * 0.6 / INERTIA[1][1]).abs() < 1e-9, "{scheme}: {angle}");
        let work = 0.6 * angle;
        // In kick–drift the last half kick of a step is booked with the next.
        let bound = if scheme == "kick-drift" { 0.02 } else { 1e-9 };
        assert!((ledger.total.drive - work).abs() < bound * work, "{scheme}: {:?}", ledger.total);
        assert!(ledger.total.external.abs() < 1e-12, "{scheme}: {:?}", ledger.total);
    }
}

/// A motor between two free bodies is inner: what it gives to one it takes from the other, and both momenta stay zero.
#[test]
fn a_motor_between_two_bodies_keeps_their_momenta() {
    for (scheme, integrator) in schemes() {
        let mut builder = ModelBuilder::new();
        let a = builder.body(body("a", 1.0, [-0.5, 0.0, 0.0]));
        let b = builder.body(body("b", 2.0, [0.5, 0.0, 0.0]));
        builder
            .joint("hinge", Revolute::at([0.1, 0.0, 0.0]).axis([0.0, 1.0, 0.0]), a, b)
            .motor(|at| Ok(0.4 + 0.2 * (5.0 * at.t).sin()));
        let (simulation, ledger) = run(builder, integrator, 2e-3, 250);
        let (q, v) = (&simulation.state.q, &simulation.state.v);
        let moment = |q: &[f64], v: &[f64], mass: f64| {
            // About the y axis: the bodies turn about it alone, with the inertia 0.3.
            mass * (q[2] * v[0] - q[0] * v[2]) + 0.3 * v[4]
        };
        let sum = moment(&q[..7], &v[..6], 1.0) + moment(&q[7..], &v[6..], 2.0);
        let force = (v[0] + 2.0 * v[6]).abs() + (v[2] + 2.0 * v[8]).abs();
        assert!(v[4].abs() > 0.1 && ledger.total.drive > 0.01, "{scheme}: it drives: {v:?}");
        // A θ-step has the arms of both ends of the step.
        let tolerance = if scheme == "kick-drift" { 1e-10 } else { 1e-4 };
        assert!(sum.abs() < tolerance && force < 1e-10, "{scheme}: {sum:e}, {force:e}");
    }
}
