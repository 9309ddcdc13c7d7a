//! Drives that prescribe a motion, dry friction and readings of free axes, against closed forms.

use crate::body_kit::{INERTIA, about, body, made, order, run, schemes};
use nonsmooth::integrators::{KickDrift, MoreauJean};
use nonsmooth::joints::{AxisReading, Prismatic, Revolute};
use nonsmooth::model::constraints::Drive;
use nonsmooth::model::rigid::Body;
use nonsmooth::model::{Instant, ModelBuilder, Rigid};
use nonsmooth::observers::EnergyLedger;
use nonsmooth::{INTEGRATORS, Integrator, Simulation, SolverSettings};
use nonsmooth_solvers::Options;
use std::sync::Arc;

const GRAVITY: f64 = 9.81;
/// A direction in general position.
const AXIS: [f64; 3] = [0.48, -0.6, 0.64];

fn of_time(
    f: impl Fn(f64) -> f64 + Send + Sync + 'static,
) -> nonsmooth::model::constraints::DriveFunction {
    Arc::new(move |at: &Instant<'_>| Ok(f(at.t)))
}

/// w(t) = 1 + sin 3t, its integral, and its derivative.
fn rate(t: f64) -> f64 {
    1.0 + (3.0 * t).sin()
}

fn turn(t: f64) -> f64 {
    t + (1.0 - (3.0 * t).cos()) / 3.0
}

/// An arm on a hinge in general position, driven as `drive` says, with the rate 1 at the start.
fn driven_arm(drive: Drive) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -GRAVITY]);
    let arm = Body { angular_velocity: AXIS, velocity: arm_velocity(), ..body("arm", 2.0, ARM) };
    let arm = builder.body(arm);
    builder.joint("hinge", Revolute::at([0.0; 3]).axis(AXIS), Rigid::World, arm).drive(drive);
    builder
}

const ARM: [f64; 3] = [0.3, 0.1, -0.2];

/// ω × r with ω = AXIS.
fn arm_velocity() -> [f64; 3] {
    glam::DVec3::from_array(AXIS).cross(glam::DVec3::from_array(ARM)).to_array()
}

/// The arm follows; what the drive gives is the energy of the arm; joint and kinematic columns have no part in it.
#[test]
fn a_drive_turns_its_arm_as_it_says_and_pays_for_it() {
    let by_velocity = || Drive::Velocity(of_time(rate));
    let by_position = || Drive::Position(of_time(turn));
    for (kind, drive) in [("velocity", &by_velocity as &dyn Fn() -> Drive), ("position", &by_position)] {
        for (name, _) in schemes() {
            let scheme = || match name {
                "kick-drift" => made(KickDrift::default()),
                _ => made(MoreauJean::default()),
            };
            let off = |n: u64| {
                let (simulation, ledger) = run(driven_arm(drive()), scheme(), 1.0 / n as f64, n);
                let gained = ledger.energies.kinetic + ledger.energies.potential
                    - ledger.initial.kinetic
                    - ledger.initial.potential;
                let paid = (ledger.total.drive - gained).abs();
                assert!(ledger.total.prescribed.abs() < 1e-9, "{kind} {name}: {:?}", ledger.total);
                assert!(ledger.worst_remainder < 1e-10, "{kind} {name}: {:e}", ledger.worst_remainder);
                ((simulation.state.angles[0] - turn(1.0)).abs(), paid)
            };
            let (coarse, fine) = (off(100), off(200));
            if kind == "position" && name == "kick-drift" {
                assert!(coarse.0 < 1e-12, "exact at the end of every step: {coarse:?}");
            } else {
                // Velocities at mid-step, or at the ends, give the place to second order; θ = 1 gives first.
                let n = order(coarse.0, fine.0, 2.0);
                assert!(fine.0 < 1e-2 && n > 0.9, "{kind} {name}: {coarse:?} {fine:?}, order {n}");
            }
            assert!(fine.1 < 0.05 && fine.1 < 0.6 * coarse.1, "{kind} {name}: {coarse:?} {fine:?}");
        }
    }
}

/// A slider with m v² / 2 = F s stops there and stays; the friction takes all of its energy.
#[test]
fn dry_friction_stops_a_slider_where_its_energy_is_used_up() {
    for (scheme, integrator) in schemes() {
        println!("{scheme}");
        let (mass, bound, speed) = (2.0, 3.0, 1.2);
        let mut builder = ModelBuilder::new();
        let velocity = AXIS.map(|x| speed * x);
        let slider = builder.body(Body { velocity, ..Body::new("slider", mass, INERTIA) });
        builder
            .joint("guide", Prismatic::at([0.1, 0.2, 0.3]).axis(AXIS), Rigid::World, slider)
            .friction(bound);
        let (simulation, ledger) = run(builder, integrator, 1e-3, 1500);
        let travel: f64 = (0..3).map(|k| simulation.state.q[k] * AXIS[k]).sum();
        let want = mass * speed * speed / (2.0 * bound);
        assert!((travel - want).abs() < 2e-3 * want, "{scheme}: {travel} {want}");
        let still = simulation.state.v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        assert!(still < 1e-12, "{scheme}: {still:e}");
        let used = 0.5 * mass * speed * speed;
        assert!((ledger.total.friction + used).abs() < 1e-9, "{scheme}: {:?}", ledger.total);
        assert!(ledger.worst_remainder < 1e-12, "{scheme}: {:e}", ledger.worst_remainder);
    }
}

/// A pendulum rests where m g r sin φ is below the bound, and moves above it.
#[test]
fn a_stiff_hinge_holds_a_pendulum_up_to_its_bound() {
    for (share, moves) in [(0.99, true), (1.01, false)] {
        for (scheme, integrator) in schemes() {
            let (mass, r, lean) = (2.0, 0.5, 0.4f64);
            let needed = mass * GRAVITY * r * lean.sin();
            let mut builder = ModelBuilder::new();
            builder.gravity([0.0, 0.0, -GRAVITY]);
            let place = [-r * lean.sin(), 0.0, -r * lean.cos()];
            let bob = Body { rotation: about([0.0, 1.0, 0.0], lean), ..body("bob", mass, place) };
            let bob = builder.body(bob);
            let hinge = Revolute::at([0.0; 3]).axis([0.0, 1.0, 0.0]);
            builder.joint("hinge", hinge, Rigid::World, bob).friction(share * needed);
            let (simulation, _) = run(builder, integrator, 1e-3, 1000);
            let turned = simulation.state.angles[0].abs();
            assert_eq!(turned > 1e-9, moves, "{scheme}, {share} of the torque: {turned:e}");
        }
    }
}

/// ẍ = −k x − c ẋ by a motor that reads the axis: damped oscillation, through whole turns.
#[test]
fn a_motor_that_reads_its_axis_is_a_spring_and_damper() {
    for (scheme, integrator) in schemes() {
        let (inertia, stiffness, damping, start) = (INERTIA[2][2], 3.0, 0.4, 40.0);
        let mut builder = ModelBuilder::new();
        let rotor = Body { angular_velocity: [0.0, 0.0, start], ..Body::new("rotor", 1.0, INERTIA) };
        let rotor = builder.body(rotor);
        let turn = AxisReading::new("bearing", 0);
        builder.read_axis(&turn);
        builder
            .joint("bearing", Revolute::at([0.0; 3]).axis([0.0, 0.0, 1.0]), Rigid::World, rotor)
            .motor(move |at| Ok(-stiffness * turn.value(at) - damping * turn.rate(at)));
        let (simulation, _) = run(builder, integrator, 5e-4, 2000);
        let decay = damping / (2.0 * inertia);
        let omega = (stiffness / inertia - decay * decay).sqrt();
        let want = start / omega * (-decay).exp() * omega.sin();
        let got = simulation.state.angles[0];
        assert!((got - want).abs() < 1e-3, "{scheme}: {got} {want}");
        assert!(want.abs() > 0.1, "the test sees something: {want}");
    }
}

/// Every integrator moves the arm as the drive says, or says that it does not take drives.
#[test]
fn every_scheme_takes_drives_and_friction_or_says_why_not() {
    let mut taken = Vec::new();
    for entry in INTEGRATORS {
        let make = || entry.build(&Options::default(), SolverSettings::default()).expect("defaults");
        let drives = [Drive::Velocity(of_time(rate)), Drive::Position(of_time(turn))];
        for drive in drives {
            let kind = if matches!(drive, Drive::Velocity(_)) { "velocity" } else { "position" };
            let Some(angle) = angle_after(entry.name, driven_arm(drive), make()) else { continue };
            assert!((angle - turn(1.0)).abs() < 2e-2, "{} by {kind}: {angle} {}", entry.name, turn(1.0));
            taken.push(entry.name);
        }
        let mut builder = ModelBuilder::new();
        let rotor = Body { angular_velocity: [0.0, 0.0, 2.0], ..Body::new("rotor", 1.0, INERTIA) };
        let rotor = builder.body(rotor);
        let bearing = Revolute::at([0.0; 3]).axis([0.0, 0.0, 1.0]);
        builder.joint("bearing", bearing, Rigid::World, rotor).friction(1.0);
        if let Some(angle) = angle_after(entry.name, builder, make()) {
            let want = 0.5 * INERTIA[2][2] * 4.0;
            assert!((angle - want).abs() < 2e-2, "{}, friction: {angle} {want}", entry.name);
            taken.push(entry.name);
        }
    }
    for scheme in ["kick-drift", "moreau-jean"] {
        assert_eq!(taken.iter().filter(|name| **name == scheme).count(), 3, "{taken:?}");
    }
}

fn angle_after(name: &str, builder: ModelBuilder, integrator: Box<dyn Integrator>) -> Option<f64> {
    let (model, state) = builder.build(0.0).expect("a right model");
    let mut simulation = match Simulation::new(model, state, integrator, 5e-3) {
        Ok(simulation) => simulation,
        Err(error) => {
            assert!(error.to_string().contains("use"), "{error}");
            return None;
        }
    };
    let mut ledger = EnergyLedger::default();
    let run = simulation.run(200, &mut [&mut ledger]);
    assert!(run.is_ok(), "{name}: {run:?}");
    Some(simulation.state.angles[0])
}

/// A drive that has no number stops the step with its name.
#[test]
fn a_drive_without_a_number_stops_the_run_with_its_name() {
    let drive = Drive::Velocity(of_time(|t| if t < 0.1 { rate(t) } else { f64::NAN }));
    let (model, state) = driven_arm(drive).build(0.0).expect("a right model");
    let mut simulation = Simulation::new(model, state, KickDrift::default(), 1e-2).expect("accepted");
    let error = simulation.run(100, &mut []).expect_err("it has no number").to_string();
    assert!(error.contains("drive of joint `hinge`") && error.contains("NaN"), "{error}");
    assert!(simulation.state.t < 0.11, "{}", simulation.state.t);
}

/// A reading of what is not there is refused, and so is a drive beside a motor.
#[test]
fn readings_and_drives_that_make_no_sense_are_refused() {
    let refused = |spoil: &dyn Fn(&mut ModelBuilder)| {
        let mut builder = driven_arm(Drive::Velocity(of_time(rate)));
        spoil(&mut builder);
        builder.build(0.0).map(|_| ()).expect_err("something is wrong").to_string()
    };
    let text = refused(&|builder| builder.read_axis(&AxisReading::new("knee", 0)));
    assert!(text.contains("knee") && text.contains("no such joint"), "{text}");
    let text = refused(&|builder| builder.read_axis(&AxisReading::new("hinge", 1)));
    assert!(text.contains("1 free axes"), "{text}");
    let text = refused(&|builder| {
        let arm = builder.body(body("second", 1.0, [0.0; 3]));
        builder
            .joint("slide", Prismatic::at([0.0; 3]).axis(AXIS), Rigid::World, arm)
            .drive(Drive::Velocity(of_time(rate)))
            .motor(|_| Ok(1.0));
    });
    assert!(text.contains("drive that prescribes"), "{text}");
    let text = refused(&|builder| {
        let arm = builder.body(body("second", 1.0, [0.0; 3]));
        builder.joint("slide", Prismatic::at([0.0; 3]).axis(AXIS), Rigid::World, arm).friction(-1.0);
    });
    assert!(text.contains("friction must be ≥ 0"), "{text}");
}
