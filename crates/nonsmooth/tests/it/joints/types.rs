//! Types of joints against closed forms, by kick-drift: what each leaves free moves as it should, and nothing else moves.

use crate::body_kit::{INERTIA, about};
use glam::{DQuat, DVec3};
use nonsmooth::Simulation;
use nonsmooth::integrators::KickDrift;
use nonsmooth::joints::{
    Cylindrical, Distance, Planar, PointOnLine, PointOnPlane, Revolute, Screw, Universal,
};
use nonsmooth::model::rigid::{Body, KinematicBody, KinematicState, exponential};
use nonsmooth::model::{ModelBuilder, Rigid};
use std::f64::consts::TAU;

const GRAVITY: f64 = 9.81;
/// A direction in general position.
const AXIS: DVec3 = DVec3::new(0.48, -0.6, 0.64);

fn world() -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -GRAVITY]);
    builder
}

fn after(builder: ModelBuilder, h: f64, n: u64) -> Simulation {
    let (model, state) = builder.build(0.0).expect("a right model");
    let mut simulation = Simulation::new(model, state, KickDrift::default(), h).expect("accepted");
    simulation.run(n, &mut []).expect("the run ends well");
    simulation
}

fn position(simulation: &Simulation) -> DVec3 {
    DVec3::from_slice(&simulation.state.q[..3])
}

fn rotation(q: &[f64]) -> DQuat {
    DQuat::from_xyzw(q[4], q[5], q[6], q[3])
}

/// Along an inclined axis the weight has the part g·e; about it nothing acts.
#[test]
fn a_sleeve_slides_down_its_rod_and_keeps_its_spin() {
    let (spin, end) = (2.0, 1.0);
    let mut builder = world();
    let spin_world = (spin * AXIS).to_array();
    let body = Body { angular_velocity: spin_world, ..Body::new("sleeve", 2.0, INERTIA_ROUND) };
    let body = builder.body(body);
    builder.joint("rod", Cylindrical::at([0.0; 3]).axis(AXIS.to_array()), Rigid::World, body);
    let simulation = after(builder, 1e-2, 100);
    let want = -0.5 * GRAVITY * AXIS.z * end * end * AXIS;
    assert!((position(&simulation) - want).length() < 1e-11, "{} {want}", position(&simulation));
    assert!((simulation.state.angles[0] - spin * end).abs() < 1e-11, "{:?}", simulation.state.angles);
}

/// The same inertia about every axis, so that nothing but the joint turns the body.
const INERTIA_ROUND: [[f64; 3]; 3] = [[0.3, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.3]];

/// m z̈ = −m g + F, J φ̈ = −F p, z = p φ with p = lead / 2π: z̈ = −g / (1 + J / (m p²)), for right-handed and left-handed threads, through many turns.
#[test]
fn a_nut_runs_down_its_thread() {
    let (mass, inertia) = (2.0, INERTIA[2][2]);
    for (lead, h, n) in [(0.5, 1e-2, 400), (-0.5, 1e-2, 400), (-3.0, 4e-3, 500)] {
        let mut builder = world();
        let nut = builder.body(Body::new("nut", mass, INERTIA));
        builder.joint("thread", Screw { lead }.at([0.0; 3]).axis([0.0, 0.0, 1.0]), Rigid::World, nut);
        let simulation = after(builder, h, n);
        let (p, end) = (lead / TAU, h * n as f64);
        let z = -0.5 * GRAVITY / (1.0 + inertia / (mass * p * p)) * end * end;
        let got = position(&simulation);
        assert!((got - DVec3::new(0.0, 0.0, z)).length() < 1e-10 * z.abs(), "lead {lead}: {got} {z}");
        let angle = simulation.state.angles[0];
        assert!((angle - z / p).abs() < 1e-9 * (z / p).abs(), "lead {lead}: {angle} {}", z / p);
        assert!(angle.abs() > 2.0 * TAU, "it turns more than twice: {angle}");
    }
}

/// Hooke's joint: tan θ_out = cos β tan θ_in, both angles from where the first axis is perpendicular to both shafts, for shafts at the angle β, whatever the second shaft weighs.
#[test]
fn a_cross_turns_the_second_shaft_unevenly() {
    let (rate, bend) = (3.0, 0.5f64);
    let mut builder = ModelBuilder::new();
    let turning = move |t: f64| {
        let turn = exponential(DVec3::new(0.0, 0.0, rate * t));
        Ok(KinematicState {
            position: [0.0; 3],
            rotation: [turn.w, turn.x, turn.y, turn.z],
            velocity: [0.0; 3],
            angular_velocity: [0.0, 0.0, rate],
        })
    };
    let motion = Some(Box::new(turning) as _);
    let input = builder.kinematic(KinematicBody { motion, ..KinematicBody::new("input", Vec::new()) });
    // The second shaft lies in the plane of y and z; the cross starts with its first axis along x, on the input.
    let shaft = exponential(DVec3::new(bend, 0.0, 0.0)) * DVec3::Z;
    let across = shaft.cross(DVec3::X);
    let start = rate * bend.cos();
    let output =
        Body { angular_velocity: (start * shaft).to_array(), ..Body::new("output", 1.5, INERTIA_ROUND) };
    let output = builder.body(output);
    let cross = Universal::at([0.0; 3]).axis([1.0, 0.0, 0.0]).second_axis(across.to_array());
    builder.joint("cross", cross, input, output);
    builder.joint("bearing", Revolute::at([0.0; 3]).axis(shaft.to_array()), Rigid::World, output);
    let (model, state) = builder.build(0.0).unwrap();
    let mut simulation = Simulation::new(model, state, KickDrift::default(), 1e-3).unwrap();
    for _ in 0..2000 {
        simulation.step().unwrap();
        let input = rate * simulation.state.t;
        let want = (input.sin() * bend.cos()).atan2(input.cos());
        let turned = rotation(&simulation.state.q) * DVec3::X;
        let got = turned.dot(across).atan2(turned.dot(DVec3::X));
        let off = (0.5 * (got - want)).sin().abs();
        assert!(off < 1e-10, "at {}: {got} {want}", simulation.state.t);
    }
}

/// On an inclined plane the centre follows a parabola in the plane, and the spin about the normal stays.
#[test]
fn a_puck_stays_in_its_plane() {
    let (spin, end) = (4.0, 1.0);
    let along = AXIS.any_orthonormal_vector();
    let mut builder = world();
    let turn = exponential(DVec3::new(0.18, 0.0, 0.24));
    let puck = Body {
        velocity: (1.5 * along).to_array(),
        angular_velocity: (turn.inverse() * (spin * AXIS)).to_array(),
        rotation: about([0.6, 0.0, 0.8], 0.3),
        ..Body::new("puck", 2.0, INERTIA)
    };
    let puck = builder.body(puck);
    builder.joint("table", Planar::at([0.0; 3]).axis(AXIS.to_array()), Rigid::World, puck);
    let simulation = after(builder, 1e-3, 1000);
    let pull = DVec3::new(0.0, 0.0, -GRAVITY);
    let want = 1.5 * end * along + 0.5 * end * end * (pull - pull.dot(AXIS) * AXIS);
    assert!((position(&simulation) - want).length() < 1e-10, "{} {want}", position(&simulation));
    assert!((simulation.state.angles[0] - spin * end).abs() < 1e-9, "{:?}", simulation.state.angles);
}

/// Conical pendulum on a massless rod: ω² = g / (L cos α); the body hangs at its centre and does not turn.
#[test]
fn a_rod_makes_a_conical_pendulum() {
    let (length, tilt) = (1.3f64, 0.7f64);
    let rate = (GRAVITY / (length * tilt.cos())).sqrt();
    let (radius, height) = (length * tilt.sin(), -length * tilt.cos());
    let errors = [2e-3, 1e-3].map(|h| {
        let mut builder = world();
        let bob = builder.body(Body {
            position: [radius, 0.0, height],
            velocity: [0.0, radius * rate, 0.0],
            ..Body::new("bob", 2.0, INERTIA)
        });
        builder.joint("rod", Distance::between([0.0; 3], [radius, 0.0, height]), Rigid::World, bob);
        let n = (2.0 / h) as u64;
        let simulation = after(builder, h, n);
        let (sin, cos) = (rate * 2.0).sin_cos();
        assert!((position(&simulation).length() - length).abs() < 1e-11 * length, "the rod holds");
        assert_eq!(simulation.state.q[3..7], [1.0, 0.0, 0.0, 0.0], "nothing turns it");
        (position(&simulation) - DVec3::new(radius * cos, radius * sin, height)).length()
    });
    // Second order: halving h quarters the error.
    assert!(errors[1] < 1e-5 && (3.7..4.3).contains(&(errors[0] / errors[1])), "{errors:?}");
}

/// In the plane and in space: a bead on an inclined line, while its body turns freely.
#[test]
fn a_bead_slides_along_its_line() {
    for planar in [true, false] {
        let axis = if planar { DVec3::new(0.6, 0.8, 0.0) } else { AXIS };
        let mut builder = ModelBuilder::new();
        builder.gravity([0.0, -GRAVITY, 0.0]);
        let bead =
            Body { planar, angular_velocity: [0.0, 0.0, 5.0], ..Body::new("bead", 1.0, INERTIA_ROUND) };
        let bead = builder.body(bead);
        builder.joint("wire", PointOnLine::at([0.0; 3]).axis(axis.to_array()), Rigid::World, bead);
        let simulation = after(builder, 1e-2, 100);
        let want = -0.5 * GRAVITY * axis.y * axis;
        let q = &simulation.state.q;
        let got = DVec3::new(q[0], q[1], if planar { 0.0 } else { q[2] });
        assert!((got - want).length() < 1e-11, "{got} {want}");
        let turned = if planar { q[2] } else { 2.0 * q[6].atan2(q[3]) };
        let half = (0.5 * (turned - 5.0)).sin();
        assert!(half.abs() < 1e-11, "it turns freely: {turned}");
    }
}

/// A point at the centre that stays in an inclined plane, while the body tumbles as it would alone.
#[test]
fn a_ball_between_plates_tumbles_freely() {
    let end = |joined: bool| {
        let mut builder = world();
        let ball = Body { angular_velocity: [1.0, -2.0, 3.0], ..Body::new("ball", 1.0, INERTIA) };
        let ball = builder.body(ball);
        if joined {
            builder.joint(
                "plates",
                PointOnPlane::at([0.0; 3]).axis(AXIS.to_array()),
                Rigid::World,
                ball,
            );
        }
        after(builder, 1e-2, 100)
    };
    let (held, free) = (end(true), end(false));
    let want = position(&free) - position(&free).dot(AXIS) * AXIS;
    assert!((position(&held) - want).length() < 1e-11, "{} {want}", position(&held));
    let apart = rotation(&held.state.q).angle_between(rotation(&free.state.q));
    assert!(apart < 1e-7, "{apart}");
}
