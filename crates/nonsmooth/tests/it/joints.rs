//! Joints: pendulums, closed loops, momentum, reactions, resuming.

mod axes;
mod drives;
mod mistakes;
mod rows;
mod types;

use crate::body_kit::{INERTIA, about, body, gaps, made, run, schemes};
use glam::DVec3;
use nonsmooth::integrators::{KickDrift, MoreauJean};
use nonsmooth::model::constraints::joints::{Fixed, Prismatic, Revolute};
use nonsmooth::model::rigid::{Body, Collider, KinematicBody, KinematicState, exponential};
use nonsmooth::model::{ModelBuilder, Rigid};
use nonsmooth::{Integrator, Simulation};
use rows::{every_joint, joined};
use std::f64::consts::TAU;

/// A compound pendulum about each axis: T = 2π √((J + m r²)/(m g r)) (1 + φ²/16 + 11 φ⁴/3072).
#[test]
fn a_pendulum_has_its_period_about_every_axis() {
    let (mass, r, start, g) = (2.0, 0.8, 0.2f64, 9.81);
    for (axis, gravity, down) in [
        ([0.0, 1.0, 0.0], [0.0, 0.0, -g], [0.0, 0.0, -1.0]),
        ([0.0, 0.0, 1.0], [-g, 0.0, 0.0], [-1.0, 0.0, 0.0]),
        ([1.0, 0.0, 0.0], [0.0, -g, 0.0], [0.0, -1.0, 0.0]),
    ] {
        let turn = exponential(DVec3::from_array(axis) * start);
        let position = (turn * (r * DVec3::from_array(down))).to_array();
        let rotation = about(axis, start);
        let k = axis.iter().position(|x| *x == 1.0).unwrap();
        let series = 1.0 + start.powi(2) / 16.0 + 11.0 * start.powi(4) / 3072.0;
        let want = TAU * ((INERTIA[k][k] + mass * r * r) / (mass * g * r)).sqrt() * series;
        for (scheme, integrator) in schemes() {
            let mut builder = ModelBuilder::new();
            builder.gravity(gravity);
            let bob = builder.body(Body { position, rotation, ..Body::new("bob", mass, INERTIA) });
            builder.joint("hinge", Revolute::at([0.0; 3]).axis(axis), Rigid::World, bob);
            let period = period(builder, integrator, 2e-3, 5000);
            // At velocity level the swing loses height at first order, and with it period.
            let bound = if scheme == "kick-drift" { 2e-5 } else { 3e-4 };
            assert!((period / want - 1.0).abs() < bound, "{scheme} about {axis:?}: {period} {want}");
        }
    }
}

/// Mean time between downward crossings of the middle of the first angle's range.
fn period(builder: ModelBuilder, integrator: Box<dyn Integrator>, h: f64, n: u64) -> f64 {
    let (model, state) = builder.build(0.0).expect("it is right");
    let mut simulation = Simulation::new(model, state, integrator, h).expect("it is right");
    let (mut least, mut crossings) = (0.0f64, Vec::new());
    let mut angles = vec![0.0];
    for _ in 0..n {
        simulation.step().expect("it is right");
        angles.push(simulation.state.angles[0]);
        least = least.min(simulation.state.angles[0]);
    }
    for (k, pair) in angles.windows(2).enumerate() {
        let (a, b) = (pair[0] - 0.5 * least, pair[1] - 0.5 * least);
        if a > 0.0 && b <= 0.0 {
            crossings.push(h * (k as f64 + a / (a - b)));
        }
    }
    (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64
}

/// A pendulum in the plane swings as its twin in space.
#[test]
fn plane_and_space_swing_alike() {
    for (scheme, _) in schemes() {
        let ends = [true, false].map(|planar| {
            let mut builder = ModelBuilder::new();
            builder.gravity([0.0, -9.81, 0.0]);
            let bob = builder.body(Body {
                planar,
                position: [1.0, 0.0, 0.0],
                ..Body::new("bob", 1.0, INERTIA)
            });
            let hinge = Revolute::at([0.0; 3]);
            let hinge = if planar { hinge } else { hinge.axis([0.0, 0.0, 1.0]) };
            builder.joint("hinge", hinge, Rigid::World, bob);
            let integrator = schemes().into_iter().find(|(name, _)| *name == scheme).unwrap().1;
            run(builder, integrator, 5e-3, 400).0.state.angles[0]
        });
        assert!((ends[0] - ends[1]).abs() < 1e-9, "{scheme}: {ends:?}");
    }
}

/// Crank, coupler and rocker in a plane, hinged in space with parallel axes: three rows too many.
#[test]
fn a_redundant_four_bar_runs() {
    for (scheme, integrator) in schemes() {
        let mut builder = ModelBuilder::new();
        builder.gravity([0.0, 0.0, -9.81]);
        let corners = [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [2.0, 0.0, 1.5], [2.0, 0.0, 0.0]];
        let bars: Vec<Rigid> = (0..3)
            .map(|k| {
                let middle = std::array::from_fn(|i| 0.5 * (corners[k][i] + corners[k + 1][i]));
                builder.body(body(["crank", "coupler", "rocker"][k], 1.0 + k as f64, middle))
            })
            .collect();
        let sides = [Rigid::World, bars[0], bars[1], bars[2], Rigid::World];
        for k in 0..4 {
            let hinge = Revolute::at(corners[k]).axis([0.0, 1.0, 0.0]);
            builder.joint(&format!("hinge {k}"), hinge, sides[k], sides[k + 1]);
        }
        let (simulation, ledger) = run(builder, integrator, 1e-3, 2000);
        let worst = gaps(&simulation, &simulation.state).into_iter().fold(0.0f64, |m, g| m.max(g.abs()));
        let bound = if scheme == "kick-drift" { 1e-9 } else { 1e-4 };
        assert!(worst < bound, "{scheme}: joints off by {worst:e}");
        let energy = |e: nonsmooth::Energies| e.kinetic + e.potential;
        let change = energy(ledger.energies) - energy(ledger.initial);
        assert!(change.abs() < 2e-2, "{scheme}: {change}");
    }
}

/// At position level joints hold to the tolerance of Newton's iteration, in every way of joining.
#[test]
fn joints_hold_at_position_level() {
    for planar in [false, true] {
        for (name, posed) in every_joint(planar) {
            let mut builder = joined(posed, planar);
            builder.gravity([0.0, -9.81, 0.0]);
            let a = Rigid::Body(0);
            let pivot = Revolute::at([-0.5, 0.5, 0.0]);
            builder.joint(
                "pivot",
                if planar { pivot } else { pivot.axis([0.0, 0.6, 0.8]) },
                Rigid::World,
                a,
            );
            let options = nonsmooth_solvers::Options::default().with_word("level", "position");
            let (simulation, _) = run(builder, crate::integrator("moreau-jean", &options), 2e-3, 250);
            let worst =
                gaps(&simulation, &simulation.state).into_iter().fold(0.0f64, |m, g| m.max(g.abs()));
            assert!(worst < 1e-10, "{name}, planar {planar}: off by {worst:e}");
        }
    }
}

/// Two bodies joined in every way tumble freely: momentum and angular momentum stay.
#[test]
fn joined_bodies_keep_momentum() {
    for (scheme, _) in schemes() {
        for (name, posed) in every_joint(false) {
            let mut builder = joined(posed, false);
            builder.allow_initial_violation();
            // They start as one rigid body that turns.
            let spin = DVec3::new(1.0, -2.0, 0.5);
            let (model, mut state) = builder.build(0.0).unwrap();
            for k in 0..2 {
                let (x, v) = (7 * k, 6 * k);
                let place = DVec3::from_slice(&state.q[x..x + 3]);
                let velocity = spin.cross(place) + DVec3::new(0.3, 0.2, -0.1);
                state.v[v..v + 3].copy_from_slice(&velocity.to_array());
                let q = &state.q[x + 3..x + 7];
                let back = glam::DQuat::from_xyzw(q[1], q[2], q[3], q[0]).inverse();
                state.v[v + 3..v + 6].copy_from_slice(&(back * spin).to_array());
            }
            let integrator = schemes().into_iter().find(|(other, _)| *other == scheme).unwrap().1;
            let mut simulation = Simulation::new(model, state, integrator, 1e-3).unwrap();
            let before = momentum(&simulation);
            simulation.run(500, &mut []).unwrap();
            let after = momentum(&simulation);
            let off = (after.0 - before.0).length();
            assert!(off < 1e-12, "{scheme} {name}: momentum {off:e}");
            let off = (after.1 - before.1).length();
            let bound = if scheme == "kick-drift" { 1e-11 } else { 2e-3 };
            assert!(off < bound, "{scheme} {name}: angular momentum {off:e}");
        }
    }
}

fn momentum(simulation: &Simulation) -> (DVec3, DVec3) {
    let state = &simulation.state;
    let (mut p, mut l) = (DVec3::ZERO, DVec3::ZERO);
    for k in 0..2 {
        let (x, v) = (&state.q[7 * k..], &state.v[6 * k..]);
        let rotation = glam::DQuat::from_xyzw(x[4], x[5], x[6], x[3]);
        let own = (1.0 + k as f64) * DVec3::from_slice(&v[..3]);
        let omega = DVec3::from_slice(&v[3..6]);
        let spin: [f64; 3] = std::array::from_fn(|i| INERTIA[i][i] * omega[i]);
        p += own;
        l += DVec3::from_slice(&x[..3]).cross(own) + rotation * DVec3::from_array(spin);
    }
    (p, l)
}

/// What holds a pendulum at rest: its weight, and no torque about the hinge.
#[test]
fn the_reaction_of_a_resting_pendulum_is_its_weight() {
    for (scheme, integrator) in schemes() {
        let mut builder = ModelBuilder::new();
        builder.gravity([0.0, 0.0, -10.0]);
        let bob = builder.body(body("bob", 2.0, [0.3, 0.0, -1.0]));
        builder.joint("weld", Fixed::at([0.0; 3]), Rigid::World, bob);
        let (model, state) = builder.build(0.0).unwrap();
        let mut simulation = Simulation::new(model.clone(), state, integrator, 1e-2).unwrap();
        simulation.run(10, &mut []).unwrap();
        let frame = simulation.step().unwrap();
        let force: Vec<f64> = frame.log.constraints.impulse.iter().map(|p| p / 1e-2).collect();
        let reaction =
            model.at_state(frame.after, |at| Ok(model.joints.joints[0].reaction(at, &force))).unwrap();
        let near = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-8);
        assert!(near(reaction.force, [0.0, 0.0, 20.0]), "{scheme}: {reaction:?}");
        assert!(near(reaction.torque, [0.0, -6.0, 0.0]), "{scheme}: {reaction:?}");
    }
}

/// A body welded to a carriage that moves as prescribed follows it, and the carriage does the work.
#[test]
fn a_joint_to_a_moving_body_does_the_work_of_the_motion() {
    for (scheme, integrator) in schemes() {
        let (amplitude, omega) = (0.3, 2.0f64);
        let mut carriage = KinematicBody::new("carriage", Vec::new());
        carriage.motion = Some(Box::new(move |t: f64| {
            let (s, c) = (omega * t).sin_cos();
            Ok(KinematicState {
                position: [amplitude * (1.0 - c), 0.0, 0.0],
                rotation: about([0.0, 0.0, 1.0], 0.5 * (1.0 - c)),
                velocity: [amplitude * omega * s, 0.0, 0.0],
                angular_velocity: [0.0, 0.0, 0.5 * omega * s],
            })
        }));
        let mut builder = ModelBuilder::new();
        let carriage = builder.kinematic(carriage);
        let load = builder.body(body("load", 2.0, [0.5, 0.2, 0.1]));
        builder.joint("weld", Fixed::at([0.1, 0.0, 0.0]), carriage, load);
        let (simulation, ledger) = run(builder, integrator, 1e-3, 700);
        let turn = 0.5 * (1.0 - (omega * 0.7).cos());
        let (s, c) = turn.sin_cos();
        let x = amplitude * (1.0 - (omega * 0.7).cos()) + 0.5 * c - 0.2 * s;
        let off = (simulation.state.q[0] - x).abs();
        assert!(off < if scheme == "kick-drift" { 1e-9 } else { 1e-5 }, "{scheme}: {off:e}");
        let done = ledger.energies.kinetic - ledger.initial.kinetic;
        let total = &ledger.total;
        assert!((total.prescribed - done).abs() < 2e-3 * done, "{scheme}: {done} {total:?}");
        assert!(ledger.worst_remainder < 1e-12, "{scheme}: {:e}", ledger.worst_remainder);
    }
}

/// Springs, stops, motors and joints go on to the bit from any state, and with fresh scratch.
#[test]
fn runs_with_joints_resume_to_the_bit() {
    let make: [fn() -> Box<dyn Integrator>; 2] =
        [|| made(MoreauJean::default()), || made(KickDrift::default())];
    let model = || {
        let mut builder = ModelBuilder::new();
        builder.gravity([0.0, 0.0, -9.81]);
        let arm = builder.body(body("arm", 1.0, [0.5, 0.0, 0.0]));
        let hand = builder.body(body("hand", 0.5, [1.5, 0.0, 0.0]));
        builder
            .joint("shoulder", Revolute::at([0.0; 3]).axis([0.0, 1.0, 0.0]), Rigid::World, arm)
            .stop(-0.4..1.1, 0.5)
            .spring(3.0, 0.1);
        builder
            .joint("elbow", Revolute::at([1.0, 0.0, 0.0]).axis([0.0, 1.0, 0.0]), arm, hand)
            .motor(|at| Ok(0.3 * (7.0 * at.t).sin()));
        builder.build(0.0).unwrap()
    };
    for make in make {
        let (model, state) = model();
        let start = |state: &nonsmooth::State| {
            Simulation::new(model.clone(), state.clone(), make(), 2e-3).unwrap()
        };
        let mut whole = start(&state);
        whole.run(400, &mut []).unwrap();
        let mut kept = start(&state);
        for step in 0..400 {
            kept.step().unwrap();
            if [1, 2, 150, 399].contains(&step) {
                let mut rest = start(&kept.state);
                rest.run(399 - step, &mut []).unwrap();
                assert_eq!(whole.state, rest.state, "cut after {step}");
                kept.reset();
            }
        }
        assert_eq!(whole.state, kept.state);
    }
}

/// Bodies that are joined do not meet, unless they are asked to.
#[test]
fn joined_bodies_meet_only_when_asked_to() {
    for collide in [false, true] {
        let mut builder = ModelBuilder::new();
        let stone = builder.material("stone");
        let law = builder.law("contact", nonsmooth::laws::NewtonImpact { restitution: 0.0 });
        builder.default_pair(law);
        let ball = || Collider::space(nonsmooth_geometry::spatial::Shape::ball(0.5).unwrap(), stone);
        let [a, b] = [0.0, 1.0].map(|x| {
            let name = if x == 0.0 { "a" } else { "b" };
            builder.body(Body { colliders: vec![ball()], ..body(name, 1.0, [x, 0.0, 0.0]) })
        });
        let joint = builder.joint("pin", Prismatic::at([0.0; 3]).axis([1.0, 0.0, 0.0]), a, b);
        if collide {
            joint.collide();
        }
        let (simulation, _) = run(builder, made(MoreauJean::default()), 1e-3, 2);
        let n = simulation.state.memory.ids.len();
        assert_eq!(n, if collide { 2 } else { 1 }, "collide = {collide}");
    }
}
