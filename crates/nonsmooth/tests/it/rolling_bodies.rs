//! Rolling and spinning friction of bodies in space and in the plane.

use crate::body_kit::{about, made};
use crate::kick_drift::{ball, cuboid, floor};
use nonsmooth::integrators::{INTEGRATORS, MoreauJean};
use nonsmooth::laws::{Law, Rolling};
use nonsmooth::model::ModelBuilder;
use nonsmooth::model::rigid::{Body, Collider, KinematicBody, KinematicState, MaterialId};
use nonsmooth::observers::EnergyLedger;
use nonsmooth::{Refusal, Simulation, SolverSettings};
use nonsmooth_geometry::{planar, spatial};
use nonsmooth_solvers::Options;
use nonsmooth_testkit::Table;

const G: f64 = 9.81;
const R: f64 = 0.1;

fn yard(law: impl Law + 'static) -> (ModelBuilder, MaterialId) {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -G]);
    let material = builder.material("stuff");
    let law = builder.law("ground", law);
    builder.default_pair(law);
    (builder, material)
}

/// A ball on a floor, with velocity and angular velocity; mass 2.
fn on_floor(
    law: Rolling,
    velocity: [f64; 3],
    angular_velocity: [f64; 3],
    turn: [f64; 4],
) -> ModelBuilder {
    let (mut builder, material) = yard(law);
    floor(&mut builder, material);
    let body = ball("ball", R, 2.0, material);
    // The state keeps ω in body axes; `Body` takes them too.
    let q = glam::DQuat::from_xyzw(turn[1], turn[2], turn[3], turn[0]);
    let omega = q.inverse() * glam::DVec3::from_array(angular_velocity);
    builder.body(Body {
        position: [0.0, 0.0, R],
        rotation: turn,
        velocity,
        angular_velocity: omega.to_array(),
        ..body
    });
    builder
}

fn run(builder: ModelBuilder, h: f64, n: u64) -> Simulation {
    let (model, state) = builder.build(0.0).expect("a right model");
    let mut simulation = Simulation::new(model, state, made(MoreauJean::default()), h).expect("taken");
    let mut ledger = EnergyLedger::default();
    simulation.run(n, &mut [&mut ledger]).expect("it runs");
    assert!(ledger.worst_remainder < 1e-10 * ledger.scale, "{:e}", ledger.worst_remainder);
    assert!(ledger.total.friction <= 1e-12, "{:?}", ledger.total);
    simulation
}

/// The power μ_r m g v/R of rolling friction brakes m + J/R²: a = (5/7) μ_r g/R, in any direction and however the ball is turned; it
/// stops at v/a and stays.
#[test]
fn a_ball_that_rolls_is_braked_and_stops() {
    let law = Rolling { friction: 0.5, rolling_friction: 2e-3, ..Rolling::default() };
    let brake = 5.0 / 7.0 * 2e-3 * G / R;
    for (angle, turn) in [(0.0f64, [1.0, 0.0, 0.0, 0.0]), (0.7, about([0.6, 0.0, 0.8], 1.1))] {
        for spinning_friction in [0.0, 1e-3] {
            let v = 0.1;
            let (x, y) = (v * angle.cos(), v * angle.sin());
            let law = Rolling { spinning_friction, ..law };
            let start = on_floor(law, [x, y, 0.0], [-y / R, x / R, 0.0], turn);
            let moving = run(start, 1e-3, 500);
            let speed = moving.state.v[0].hypot(moving.state.v[1]);
            assert!((speed - (v - brake * 0.5)).abs() < 1e-7, "{angle}: {speed}");
            let along = moving.state.v[0] * angle.cos() + moving.state.v[1] * angle.sin();
            assert!((along - speed).abs() < 1e-9, "{along} {speed}");
            let start = on_floor(law, [x, y, 0.0], [-y / R, x / R, 0.0], turn);
            let end = run(start, 1e-3, 1000);
            let way = end.state.q[0].hypot(end.state.q[1]);
            assert!((way - v * v / (2.0 * brake)).abs() < 2e-3 * way, "{way}");
            assert!(end.state.v.iter().all(|v| v.abs() < 1e-9), "{:?}", end.state.v);
        }
    }
}

/// A ball that spins about the normal stops after J ω/(μ_s m g), at that step and not before.
#[test]
fn a_ball_that_spins_stops_at_its_time() {
    let (mu, omega) = (1e-3, 3.0);
    let law = Rolling { friction: 0.5, spinning_friction: mu, ..Rolling::default() };
    let stop = 0.4 * R * R * omega / (mu * G);
    for h in [stop / 400.5, stop / 97.3] {
        let at = |t: f64| {
            let n = (t / h).round();
            let end = run(on_floor(law, [0.0; 3], [0.0, 0.0, omega], [1.0, 0.0, 0.0, 0.0]), h, n as u64);
            (end.state.v[5], n * h)
        };
        let (spin, t) = at(0.9 * stop);
        assert!((spin - omega * (1.0 - t / stop)).abs() < 1e-7 * omega, "{spin}");
        assert!(at(stop + 2.0 * h).0.abs() < 1e-9, "{h}");
    }
}

/// Without spinning friction nothing brakes the spin, and rolling friction leaves it alone.
#[test]
fn rolling_friction_leaves_the_spin_alone() {
    let law = Rolling { friction: 0.5, rolling_friction: 1e-3, ..Rolling::default() };
    let end = run(on_floor(law, [0.0; 3], [0.0, 0.0, 3.0], [1.0, 0.0, 0.0, 0.0]), 1e-3, 300);
    assert!((end.state.v[5] - 3.0).abs() < 1e-9, "{:?}", end.state.v);
}

/// In the plane: a disc is braked by (2/3) μ_r g/R, and holds on a slope below tan α = μ_r/R.
#[test]
fn a_disc_in_the_plane_is_braked_and_holds() {
    let disc = |law: Rolling, slope: f64, v: f64| {
        let mut builder = ModelBuilder::new();
        builder.gravity([G * slope.sin(), -G * slope.cos(), 0.0]);
        let material = builder.material("stuff");
        let law = builder.law("ground", law);
        builder.default_pair(law);
        let shape = planar::Shape::half_plane([0.0, 1.0]).expect("right");
        builder.kinematic(KinematicBody::new("floor", vec![Collider::plane(shape, material)]));
        let shape = planar::Shape::ball(R).expect("right");
        builder.body(Body {
            position: [0.0, R, 0.0],
            velocity: [v, 0.0, 0.0],
            angular_velocity: [0.0, 0.0, -v / R],
            colliders: vec![Collider::plane(shape, material)],
            ..Body::planar("disc", 3.0, 0.5 * 3.0 * R * R)
        });
        builder
    };
    let law = Rolling { friction: 0.5, rolling_friction: 2e-3, ..Rolling::default() };
    let end = run(disc(law, 0.0, 0.3), 1e-3, 500);
    let want = 0.3 - 2.0 / 3.0 * 2e-3 * G / R * 0.5;
    assert!((end.state.v[0] - want).abs() < 1e-7, "{} {want}", end.state.v[0]);
    for (slope, holds) in [(0.019f64, true), (0.021, false)] {
        let alpha = slope.atan();
        let end = run(disc(law, alpha, 0.0), 1e-3, 500);
        let want = if holds { 0.0 } else { 2.0 / 3.0 * G * (alpha.sin() - 0.02 * alpha.cos()) * 0.5 };
        assert!((end.state.v[0] - want).abs() < 1e-8, "{slope}: {} {want}", end.state.v[0]);
    }
}

/// On a table that turns about its normal a ball is taken along by spinning friction until it turns with it.
#[test]
fn a_turning_table_takes_a_ball_along() {
    let (mu, omega) = (1e-3, 2.0);
    let (mut builder, material) =
        yard(Rolling { friction: 0.5, spinning_friction: mu, ..Rolling::default() });
    let shape = spatial::Shape::half_space([0.0, 0.0, 1.0]).expect("right");
    let motion = move |t: f64| {
        let (s, c) = (0.5 * omega * t).sin_cos();
        Ok(KinematicState {
            position: [0.0; 3],
            rotation: [c, 0.0, 0.0, s],
            velocity: [0.0; 3],
            angular_velocity: [0.0, 0.0, omega],
        })
    };
    let table = KinematicBody::new("table", vec![Collider::space(shape, material)]);
    builder.kinematic(KinematicBody { motion: Some(Box::new(motion)), ..table });
    builder.body(Body { position: [0.0, 0.0, R], ..ball("ball", R, 2.0, material) });
    let (model, state) = builder.build(0.0).expect("right");
    let mut simulation =
        Simulation::new(model, state, made(MoreauJean::default()), 1e-3).expect("taken");
    let time = 0.4 * R * R * omega / (mu * G);
    let half = (0.5 * time / 1e-3) as u64;
    simulation.run(half, &mut []).expect("it runs");
    let want = mu * G / (0.4 * R * R) * half as f64 * 1e-3;
    assert!((simulation.state.v[5] - want).abs() < 1e-6, "{} {want}", simulation.state.v[5]);
    simulation.run(half + 20, &mut []).expect("it runs");
    assert!((simulation.state.v[5] - omega).abs() < 1e-8, "{}", simulation.state.v[5]);
}

/// A stack of boxes with rolling friction stays, and its laws mix with those of pairs without.
#[test]
fn boxes_with_rolling_friction_rest() {
    let (mut builder, material) =
        yard(Rolling { friction: 0.5, rolling_friction: 1e-3, ..Rolling::default() });
    floor(&mut builder, material);
    for k in 0..3 {
        let place = [0.0, 0.0, 0.1 + 0.2 * f64::from(k)];
        builder.body(Body { position: place, ..cuboid(&format!("box {k}"), [0.1; 3], 1.0, material) });
    }
    let end = run(builder, 1e-2, 100);
    assert!(end.state.v.iter().all(|v| v.abs() < 1e-7), "{:?}", end.state.v);
}

/// The reference of the Siconos tutorials: the height to 1e-8 until the second impact at t = 1.54, as its page says; at the end it carries its weight and does
/// not turn. Along the tangent the table has the arm R + y of the start of the step (its p5 and lam_r1 at t = 1.545: 0.120 m) and ours is R + y/2. There our own
/// impact is held against its two equations, u_T⁺ = −e u_T⁻ and p_R = μ_r p_N.
#[test]
fn rolling_friction_ball() {
    let table = Table::read("rolling_friction_ball");
    let mut builder = ModelBuilder::new();
    builder.gravity([-G, 0.0, 0.0]);
    let material = builder.material("stuff");
    let law = Rolling {
        friction: 0.6,
        rolling_friction: 0.01,
        spinning_friction: 0.0,
        restitution: 0.9,
        tangential_restitution: 0.9,
    };
    let law = builder.law("ground", law);
    builder.default_pair(law);
    let shape = spatial::Shape::half_space([1.0, 0.0, 0.0]).expect("right");
    builder.kinematic(KinematicBody::new("ground", vec![Collider::space(shape, material)]));
    let shape = spatial::Shape::ball(R).expect("right");
    let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    builder.body(Body {
        position: [1.0, 0.0, 0.0],
        velocity: [2.0, 0.0, 0.0],
        angular_velocity: [0.0, 0.0, 1.0],
        colliders: vec![Collider::space(shape, material)],
        ..Body::new("ball", 1.0, unit)
    });
    let (model, state) = builder.build(0.0).expect("right");
    let mut simulation =
        Simulation::new(model, state, made(MoreauJean::default()), 0.005).expect("taken");
    let [x, vx, p] = ["x", "vx", "lam_n"].map(|name| table.column(name));
    let (mut worst, mut first) = (0.0f64, None);
    for row in &table.rows {
        let State { q, v } = State { q: &simulation.state.q, v: &simulation.state.v };
        if row[0] < 1.5425 {
            worst = worst.max((row[x] - q[0]).abs()).max((row[vx] - v[0]).abs());
        }
        let before = [q[0], v[0]];
        simulation.run(1, &mut []).expect("it runs");
        if first.is_none() && simulation.state.v[0] > before[1] {
            let v = &simulation.state.v;
            first = Some((before[0], v[0] - before[1] + G * 0.005, v[1], v[5]));
        }
    }
    eprintln!("{worst:e}");
    assert!(worst < 1e-8, "{worst:e}");
    // Unit mass and inertia, ω = 1 before: p_T = v, ω⁺ = 1 − r p_T − p_R, slip v − r ω. The point lies midway between the surfaces of the start of the step.
    let (x, p_n, v, spin) = first.expect("it falls");
    let arm = R + 0.5 * (x - R);
    assert!((v - arm * spin - 0.9 * arm).abs() < 1e-9, "{v} {spin}");
    assert!((1.0 - arm * v - spin - 0.01 * p_n).abs() < 1e-9, "{v} {spin} {p_n}");
    let end = &table.rows[table.rows.len() - 1];
    let force = simulation.state.memory.forces[0];
    assert!((force * 0.005 - end[p]).abs() < 1e-9, "{force} {}", end[p]);
    assert!(simulation.state.v[3..6].iter().all(|w| w.abs() < 1e-9), "{:?}", simulation.state.v);
}

struct State<'a> {
    q: &'a [f64],
    v: &'a [f64],
}

/// Every scheme but `moreau-jean` and `moreau-adaptive` refuses it by name.
#[test]
fn schemes_without_rows_of_rolling_say_so() {
    let law = Rolling { friction: 0.5, rolling_friction: 1e-3, ..Rolling::default() };
    for entry in INTEGRATORS {
        let start = on_floor(law, [0.0; 3], [0.0; 3], [1.0, 0.0, 0.0, 0.0]);
        let (model, state) = start.build(0.0).expect("right");
        let scheme = entry.build(&Options::default(), SolverSettings::default()).expect("defaults");
        match Simulation::new(model, state, scheme, 1e-3) {
            Ok(_) => assert!(["moreau-jean", "moreau-adaptive"].contains(&entry.name), "{}", entry.name),
            Err(Refusal::Rolls { integrator, law }) => {
                assert_eq!((integrator, law.as_str()), (entry.name, "ground"));
            }
            Err(other) => assert_eq!(entry.name, "none", "{other}"),
        }
    }
}
