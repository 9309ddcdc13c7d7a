//! Types of joints against closed forms, by kick-drift: what each leaves free moves as it should, and nothing else moves.

use crate::body_kit::{INERTIA, about};
use glam::{DQuat, DVec3};
use nonsmooth::Simulation;
use nonsmooth::integrators::KickDrift;
use nonsmooth::joints::{
    Belt, Cylindrical, Distance, Gear, Planar, PointOnLine, PointOnPlane, Rack, Revolute, Screw,
    Universal,
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

/// A wheel on a bearing of the world at a place, with a motor: in the plane, or about `AXIS` in space.
fn wheel(m: &mut ModelBuilder, name: &str, place: [f64; 3], planar: bool, torque: f64) -> Rigid {
    let j = INERTIA[2][2];
    let inertia = [[j, 0.0, 0.0], [0.0, j, 0.0], [0.0, 0.0, j]];
    let wheel = m.body(Body { planar, position: place, ..Body::new(name, 1.0, inertia) });
    let bearing = Revolute::at(place).axis(AXIS.to_array());
    let bearing = m.joint(&format!("bearing of {name}"), bearing, Rigid::World, wheel);
    if torque != 0.0 {
        bearing.motor(move |_| Ok(torque));
    }
    wheel
}

/// (J₁ + J₂ i²) φ̈₁ = τ and φ₂ = i φ₁, with i = −n₁/n₂ of a gear, n₁/n₂ of a belt, −n₁/n₂ of a crossed one, through many turns.
#[test]
fn wheels_that_mesh_or_share_a_belt_turn_in_the_ratio_of_their_teeth() {
    // Perpendicular to the axis, and in the plane.
    let across = AXIS.any_orthonormal_vector();
    for planar in [true, false] {
        let to = if planar { [0.3, 0.4, 0.0] } else { (0.5 * across).to_array() };
        let gear = || Gear::new(17.0, 40.0).between([0.0; 3], to);
        let ring = || Gear::new(17.0, -40.0).between([0.0; 3], to);
        let belt = || Belt::new(17.0, 40.0, 0.01).between([0.0; 3], to);
        let crossed = || Belt::new(17.0, -40.0, 0.01).between([0.0; 3], to);
        let ratio = 17.0 / 40.0;
        let cases: [(&str, f64, &dyn Fn() -> nonsmooth::model::JointAt); 4] = [
            ("gear", -ratio, &gear),
            ("ring", ratio, &ring),
            ("belt", ratio, &belt),
            ("crossed belt", -ratio, &crossed),
        ];
        for (name, ratio, mesh) in cases {
            let (torque, end) = (6.0, 4.0);
            let mut builder = ModelBuilder::new();
            let first = wheel(&mut builder, "first", [0.0; 3], planar, torque);
            let second = wheel(&mut builder, "second", to, planar, 0.0);
            builder.joint("mesh", mesh().axis(AXIS.to_array()), first, second);
            let simulation = after(builder, 5e-3, 800);
            let whole = INERTIA[2][2] * (1.0 + ratio * ratio);
            let want = 0.5 * torque / whole * end * end;
            let [first, second] = [0, 1].map(|k| simulation.state.angles[k]);
            assert!((first - want).abs() < 1e-8 * want, "{name}: {first} {want}");
            assert!((second - ratio * first).abs() < 1e-9, "{name}: {second} {}", ratio * first);
            assert!(second.abs() > 2.0 * TAU, "{name}: it turns more than twice, {second}");
        }
    }
}

/// A planet on an arm that turns by ψ: by ψ (1 + n_s/n_p) around a sun at rest, by ψ (1 − n_r/n_p) inside a ring at rest.
#[test]
fn a_planet_rolls_around_its_sun_and_inside_its_ring() {
    for (teeth, factor) in [(30.0, 1.0 + 30.0 / 12.0), (-54.0, 1.0 - 54.0 / 12.0)] {
        let mut builder = ModelBuilder::new();
        let (place, rate, end) = ([0.5, 0.0, 0.0], 2.0, 5.0);
        let spin = |w: f64| [0.0, 0.0, w];
        let arm = Body { planar: true, angular_velocity: spin(rate), ..Body::new("arm", 1.0, INERTIA) };
        let arm = builder.body(arm);
        let planet = Body {
            planar: true,
            position: place,
            velocity: [0.0, 0.5 * rate, 0.0],
            angular_velocity: spin(factor * rate),
            ..Body::new("planet", 1.0, INERTIA)
        };
        let planet = builder.body(planet);
        builder.joint("axle", Revolute::at([0.0; 3]), Rigid::World, arm);
        builder.joint("pin", Revolute::at(place), arm, planet);
        builder.joint("mesh", Gear::new(12.0, teeth).between(place, [0.0; 3]), planet, Rigid::World);
        let simulation = after(builder, 5e-3, 1000);
        let [arm, planet] = [simulation.state.q[2], simulation.state.q[5]];
        // The rate itself is right to (h ω)²/100: second order.
        assert!((arm - rate * end).abs() < 1e-4 * 0.01 * rate * end, "{arm}");
        assert!((planet - factor * arm).abs() < 1e-9, "{teeth} teeth: {planet} {}", factor * arm);
    }
}

/// A pinion rolls down its rack: s̈ = g·e / (1 + J/(m r²)), turned by s/r, in the plane and in space, with the rail on either side.
#[test]
fn a_pinion_rolls_down_its_rack() {
    for planar in [true, false] {
        for radius in [0.2, -0.2] {
            let (mass, end) = (2.0, 2.0);
            let mut builder = ModelBuilder::new();
            let along = if planar { DVec3::new(0.6, -0.8, 0.0) } else { AXIS };
            let about = if planar { DVec3::Z } else { AXIS.any_orthonormal_vector() };
            builder.gravity((-GRAVITY * if planar { DVec3::Y } else { DVec3::Z }).to_array());
            let inertia = if planar { INERTIA } else { INERTIA_ROUND };
            let pinion = builder.body(Body { planar, ..Body::new("pinion", mass, inertia) });
            let rack = Rack { radius }.at([0.0; 3]).axis(along.to_array());
            builder.joint("rack", rack.second_axis(about.to_array()), Rigid::World, pinion);
            let slot = PointOnLine::at([0.0; 3]).axis(along.to_array());
            builder.joint("guide", slot, Rigid::World, pinion);
            if !planar {
                let floor = Planar::at([0.0; 3]).axis(about.to_array());
                builder.joint("table", floor, Rigid::World, pinion);
            }
            let simulation = after(builder, 5e-3, 400);
            let pull = -GRAVITY * if planar { along.y } else { along.z };
            let want = 0.5 * pull / (1.0 + inertia[2][2] / (mass * radius * radius)) * end * end;
            let place = if planar {
                DVec3::new(simulation.state.q[0], simulation.state.q[1], 0.0)
            } else {
                position(&simulation)
            };
            let travel = place.dot(along);
            assert!((travel - want).abs() < 1e-9 * want.abs(), "{planar} {radius}: {travel} {want}");
            let turn = if planar { simulation.state.q[2] } else { simulation.state.angles[0] };
            assert!((turn - travel / radius).abs() < 1e-9, "{planar} {radius}: {turn}");
            assert!(turn.abs() > 4.0, "it turns on through half a turn: {turn}");
        }
    }
}
