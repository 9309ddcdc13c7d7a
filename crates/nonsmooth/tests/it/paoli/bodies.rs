//! Both schemes with rigid bodies and joints: the same numbers as linear systems where the model is the same, closed forms, orders.

use super::{run, simulate};
use crate::integrator;
use crate::kick_drift::{ball, cuboid, diagonal};
use crate::kit::{
    Built, Coulomb, EnergyLedger, Linear, ModelBuilder, NewtonImpact, Options, Refusal, Simulation,
    Sparse,
};
use crate::order;
use nonsmooth::model::constraints::joints::{Revolute, Spherical};
use nonsmooth::model::rigid::{Body, Collider, KinematicBody, KinematicState, MaterialId};
use nonsmooth::model::{Anchor, Rigid, Spring};
use nonsmooth_geometry::{planar, spatial};

const SCHEMES: [&str; 2] = ["moreau-paoli", "schatzman-paoli"];
const G: f64 = 9.81;

/// A builder with gravity along −z (−y in the plane) and one frictionless law for all pairs.
fn world(restitution: f64, is_planar: bool) -> (ModelBuilder, MaterialId) {
    let mut builder = ModelBuilder::new();
    builder.gravity(if is_planar { [0.0, -G, 0.0] } else { [0.0, 0.0, -G] });
    let law = builder.law("pair", NewtonImpact { restitution });
    let material = builder.material("stuff");
    builder.default_pair(law);
    (builder, material)
}

fn floor(builder: &mut ModelBuilder, material: MaterialId) {
    let shape = spatial::Shape::half_space([0.0, 0.0, 1.0]).expect("it is right");
    builder.kinematic(KinematicBody::new("floor", vec![Collider::space(shape, material)]));
}

fn planar_floor(builder: &mut ModelBuilder, material: MaterialId) {
    let shape = planar::Shape::half_plane([0.0, 1.0]).expect("it is right");
    builder.kinematic(KinematicBody::new("floor", vec![Collider::plane(shape, material)]));
}

fn disk(name: &str, radius: f64, mass: f64, material: MaterialId, at: [f64; 2]) -> Body {
    let mut body = Body::planar(name, mass, 0.5 * mass * radius * radius);
    let shape = planar::Shape::ball(radius).expect("it is right");
    body.colliders = vec![Collider::plane(shape, material)];
    body.position = [at[0], at[1], 0.0];
    body
}

/// Five disks that fall on each other.
pub fn disks() -> Built {
    let (mut builder, material) = world(0.0, true);
    planar_floor(&mut builder, material);
    for (i, [x, y]) in
        [[0.0, 0.11], [0.21, 0.12], [0.1, 0.32], [0.32, 0.35], [0.21, 0.56]].iter().enumerate()
    {
        builder.body(disk(&format!("disk{i}"), 0.1, 1.0 + i as f64, material, [*x, *y]));
    }
    builder.build(0.0).expect("a right model")
}

/// A box that falls on its edge, and a ball that falls on it.
pub fn box_and_ball() -> Built {
    let (mut builder, material) = world(0.0, false);
    floor(&mut builder, material);
    let mut block = cuboid("box", [0.2, 0.15, 0.1], 3.0, material);
    (block.position, block.velocity) = ([0.0, 0.0, 0.3], [0.1, 0.0, 0.0]);
    block.angular_velocity = [0.5, 1.5, 0.2];
    builder.body(block);
    let mut other = ball("ball", 0.1, 1.0, material);
    other.position = [0.02, 0.01, 0.7];
    builder.body(other);
    builder.build(0.0).expect("a right model")
}

/// Three rods in the plane, hinged one after the other.
pub fn hinges() -> Built {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, -G, 0.0]);
    let mut last = Rigid::World;
    for i in 0..3 {
        let mut rod = Body::planar(&format!("rod{i}"), 1.0, 0.2 * 0.2 / 12.0);
        rod.position = [(i as f64 + 0.5) * 0.2, 0.0, 0.0];
        let body = builder.body(rod);
        builder.joint(&format!("hinge{i}"), Revolute::at([i as f64 * 0.2, 0.0, 0.0]), last, body);
        last = body;
    }
    builder.build(0.0).expect("a right model")
}

/// A ball on a damped spring along x.
pub fn springs() -> Built {
    let mut builder = ModelBuilder::new();
    let mut body = Body::new("ball", 2.0, diagonal([0.1; 3]));
    (body.position, body.velocity) = ([1.3, 0.0, 0.0], [0.4, 0.0, 0.0]);
    let body = builder.body(body);
    builder.spring(Spring {
        name: "spring".into(),
        stiffness: 50.0,
        damping: 0.7,
        rest_length: 1.0,
        ends: [Anchor { on: Rigid::World, at: [0.0; 3] }, Anchor { on: body, at: [0.0; 3] }],
    });
    builder.build(0.0).expect("a right model")
}

/// A spinning ball or disk of radius 0.1 m and 2 kg, thrown sideways at this height above a floor.
pub fn dropped(e: f64, height: f64, is_planar: bool) -> Built {
    let (mut builder, material) = world(e, is_planar);
    if is_planar {
        planar_floor(&mut builder, material);
        let mut body = disk("ball", 0.1, 2.0, material, [0.2, height + 0.1]);
        body.velocity = [0.5, 0.3, 0.0];
        builder.body(body);
    } else {
        floor(&mut builder, material);
        let mut body = ball("ball", 0.1, 2.0, material);
        body.position = [0.2, 0.0, height + 0.1];
        (body.velocity, body.angular_velocity) = ([0.5, 0.0, 0.3], [1.0, -2.0, 3.0]);
        builder.body(body);
    }
    builder.build(0.0).expect("a right model")
}

/// A ball or disk that falls on a floor is the ball of one coordinate, bounce for bounce.
#[test]
fn a_ball_bounces_as_the_linear_system_does() {
    let (h, n, height) = (1.7e-3, 900, 0.4);
    for scheme in SCHEMES {
        for e in [0.0, 0.7, 1.0] {
            let mut builder = ModelBuilder::new();
            let system = Linear::new("ball", Sparse::diagonal(&[2.0])).load(&[-2.0 * G]);
            let system = builder.linear(system.initial(&[height], &[0.3]));
            let law = builder.law("rebound", NewtonImpact { restitution: e });
            builder.linear_gap("floor", law, &[(system, 0, 1.0)], 0.0);
            let line = run(builder.build(0.0).unwrap(), (scheme, &Options::default()), h, n);
            for is_planar in [true, false] {
                let up = if is_planar { 1 } else { 2 };
                let made = dropped(e, height, is_planar);
                let ours = run(made, (scheme, &Options::default()), h, n);
                let hits = ours.v.windows(2).filter(|v| v[1][up] > v[0][up] + 0.1).count();
                assert!(hits > 0, "{scheme}: it bounces");
                for k in 0..ours.t.len() {
                    // At rest the gap of a body stays within its activation distance, 1e-9 of 0.1 m; else rounding.
                    let far = (ours.q[k][up] - 0.1 - line.q[k][0]).abs();
                    assert!(far < 1e-10, "{scheme}, e = {e}, planar {is_planar}, step {k}: {far:.1e}");
                    assert!((ours.v[k][0] - 0.5).abs() < 1e-14, "nothing acts sideways");
                }
            }
        }
    }
}

/// Two balls that meet off centre: momentum is kept, the normal part of the relative velocity is turned by −e.
#[test]
fn two_balls_that_meet_keep_their_momentum() {
    for scheme in SCHEMES {
        for e in [0.0, 0.6, 1.0] {
            let (mut builder, material) = world(e, false);
            builder.gravity([0.0; 3]);
            let mut a = ball("a", 0.1, 1.0, material);
            a.velocity = [2.0, 0.0, 0.0];
            a.angular_velocity = [0.0, 3.0, 1.0];
            builder.body(a);
            let mut b = ball("b", 0.2, 3.0, material);
            b.position = [0.6, 0.12, 0.05];
            builder.body(b);
            let mut simulation =
                simulate(builder.build(0.0).unwrap(), (scheme, &Options::default()), 1e-4);
            let mut ledger = EnergyLedger::default();
            simulation.run(4000, &mut [&mut ledger]).expect("it runs");
            let v = &simulation.state.v;
            for k in 0..3 {
                let momentum = v[k] + 3.0 * v[6 + k];
                assert!((momentum - [2.0, 0.0, 0.0][k]).abs() < 1e-13, "{scheme}: {momentum}");
            }
            // ω goes to world axes and back in each of 4000 steps.
            let rounding = 4000.0 * f64::EPSILON;
            let spun = (v[4] - 3.0).abs().max((v[5] - 1.0).abs());
            assert!(spun < rounding, "{scheme}: the spin changes by {spun:.1e}");
            // At contact the centres are 0.3 apart: x_b − x_a = √(0.3² − 0.13²).
            let n = [(0.09f64 - 0.0169).sqrt() / 0.3, 0.4, 0.05 / 0.3];
            let after: f64 = (0..3).map(|k| n[k] * (v[6 + k] - v[k])).sum();
            // The normal is that of an instant within two steps of the contact: 2 h v / 0.3.
            let wanted = e * 2.0 * n[0];
            assert!((after - wanted).abs() < 4e-3, "{scheme}, e = {e}: {after} is not {wanted}");
            assert!(ledger.worst_remainder < 1e-13 * ledger.scale, "{ledger:?}");
        }
    }
}

/// A box set down flat stays where it is and is carried with its weight.
#[test]
fn a_box_at_rest_is_carried() {
    for scheme in SCHEMES {
        let (mut builder, material) = world(0.0, false);
        floor(&mut builder, material);
        let mut block = cuboid("box", [0.2, 0.15, 0.1], 3.0, material);
        block.position = [0.0, 0.0, 0.1];
        builder.body(block);
        let options = Options::default();
        let mut simulation = simulate(builder.build(0.0).unwrap(), (scheme, &options), 1e-2);
        for step in 0..300 {
            let frame = simulation.step().expect("a good step");
            if step > 2 {
                let p: f64 = frame.log.constraints.impulse.iter().sum();
                assert!((p - 3.0 * G * 1e-2).abs() < 1e-9, "{scheme}, step {step}: {p}");
            }
            let far = (frame.after.q[2] - 0.1)
                .abs()
                .max(frame.after.v.iter().fold(0.0, |m, v| v.abs().max(m)));
            // The start-up of the two-step scheme is w₀ = ½ g h, 0.05 m/s.
            assert!(
                far < if scheme == "schatzman-paoli" { 0.06 } else { 1e-7 },
                "{scheme}, step {step}: {far:.1e}"
            );
        }
        let still = simulation.state.v.iter().fold(0.0f64, |m, v| v.abs().max(m));
        assert!(still < 1e-7, "{scheme}: {still:.1e}");
    }
}

/// φ(1) of J φ̈ = −m g l cos φ (φ from the horizontal), by Runge–Kutta with steps of 1e-4.
pub fn swing(inertia: f64, torque: f64) -> f64 {
    let f = |x: [f64; 2]| [x[1], -torque / inertia * x[0].cos()];
    let (mut x, h) = ([0.0, 0.0], 1e-4);
    let add = |x: [f64; 2], k: [f64; 2], h: f64| [x[0] + h * k[0], x[1] + h * k[1]];
    for _ in 0..10_000 {
        let k1 = f(x);
        let k2 = f(add(x, k1, 0.5 * h));
        let k3 = f(add(x, k2, 0.5 * h));
        let k4 = f(add(x, k3, h));
        for i in 0..2 {
            x[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
    x[0]
}

/// A rod on a hinge in the plane, and a body on a spherical joint in space, against the pendulum in one angle. J is that of q⁺ in both
/// schemes, half a step late: order one.
#[test]
fn a_pendulum_by_joints_converges_to_the_pendulum() {
    let (m, l, j) = (1.3, 0.4, 0.05);
    let exact = swing(j + m * l * l, m * G * l);
    for scheme in SCHEMES {
        for is_planar in [true, false] {
            let angle = |n: u64| {
                let mut builder = ModelBuilder::new();
                if is_planar {
                    builder.gravity([0.0, -G, 0.0]);
                    let mut rod = Body::planar("rod", m, j);
                    rod.position = [l, 0.0, 0.0];
                    let rod = builder.body(rod);
                    builder.joint("hinge", Revolute::at([0.0; 3]), Rigid::World, rod);
                } else {
                    builder.gravity([0.0, 0.0, -G]);
                    let mut rod = Body::new("rod", m, diagonal([0.2, j, 0.17]));
                    rod.position = [l, 0.0, 0.0];
                    let rod = builder.body(rod);
                    builder.joint("pin", Spherical::at([0.0; 3]), Rigid::World, rod);
                }
                let made = builder.build(0.0).expect("a right model");
                let mut simulation = simulate(made, (scheme, &Options::default()), 1.0 / n as f64);
                for _ in 0..n {
                    let frame = simulation.step().expect("a good step");
                    if scheme == "schatzman-paoli" {
                        // Imposed on positions: Newton leaves 1e-12 of the velocity, times h.
                        assert!(frame.log.gaps[0].abs() < 1e-12, "{}", frame.log.gaps[0]);
                    }
                }
                let q = &simulation.state.q;
                let up = if is_planar { q[1] } else { q[2] };
                up.atan2(q[0])
            };
            let off = |n: u64| {
                let turn = (angle(n) - exact).rem_euclid(std::f64::consts::TAU);
                turn.min(std::f64::consts::TAU - turn)
            };
            let (coarse, fine) = (off(500), off(2000));
            let measured = order(coarse, fine, 4.0);
            eprintln!("{scheme}, planar {is_planar}: {coarse:.1e} → {fine:.1e}, order {measured:.3}");
            assert!((measured - 1.0).abs() < 0.1, "{scheme}: order {measured:.3}");
        }
    }
}

/// J = (a, a, c): in body axes ω_z stays and (ω_x, ω_y) turns at (c − a)/a ω_z.
#[test]
fn a_free_top_converges_with_order_one() {
    let (a, c, omega) = (2.0, 3.0, [0.4, 0.0, 1.5]);
    let phase: f64 = (c - a) / a * omega[2];
    for scheme in SCHEMES {
        let error = |n: u64| {
            let mut builder = ModelBuilder::new();
            let mut top = Body::new("top", 1.0, diagonal([a, a, c]));
            top.angular_velocity = omega;
            builder.body(top);
            let made = builder.build(0.0).expect("a right model");
            let mut simulation = simulate(made, (scheme, &Options::default()), 1.0 / n as f64);
            simulation.run(n, &mut []).expect("it runs");
            let v = &simulation.state.v;
            (v[3] - 0.4 * phase.cos()).hypot(v[4] - 0.4 * phase.sin())
        };
        let (coarse, fine) = (error(100), error(800));
        let measured = order(coarse, fine, 8.0);
        eprintln!("{scheme}: {coarse:.1e} → {fine:.1e}, order {measured:.3}");
        assert!((measured - 1.0).abs() < 0.1, "{scheme}: order {measured:.3}");
    }
}

/// A body on a spring and a damper is the linear system with the same k and c.
#[test]
fn a_body_on_a_spring_is_the_linear_oscillator() {
    let (h, n) = (5e-3, 600);
    for scheme in SCHEMES {
        let ours = run(springs(), (scheme, &Options::default()), h, n);
        let mut builder = ModelBuilder::new();
        let system = Linear::new("mass", Sparse::diagonal(&[2.0]))
            .stiffness(Sparse::diagonal(&[50.0]))
            .damping(Sparse::diagonal(&[0.7]));
        builder.linear(system.initial(&[0.3], &[0.4]));
        let line = run(builder.build(0.0).unwrap(), (scheme, &Options::default()), h, n);
        for k in 0..ours.t.len() {
            let far = (ours.q[k][0] - 1.0 - line.q[k][0]).abs();
            // The row of the damper is solved to 1e-10.
            assert!(far < 1e-9, "{scheme}, step {k}: {far:.1e}");
        }
    }
}

/// A plate that rises at 0.4 m/s under a ball of 2 kg.
pub fn rising_plate(e: f64) -> Built {
    let (mut builder, material) = world(e, false);
    builder.gravity([0.0; 3]);
    let shape = spatial::Shape::half_space([0.0, 0.0, 1.0]).expect("it is right");
    let motion = |t: f64| {
        Ok(KinematicState {
            position: [0.0, 0.0, 0.4 * t],
            rotation: [1.0, 0.0, 0.0, 0.0],
            velocity: [0.0, 0.0, 0.4],
            angular_velocity: [0.0; 3],
        })
    };
    let plate = KinematicBody::new("plate", vec![Collider::space(shape, material)]);
    builder.kinematic(KinematicBody { motion: Some(Box::new(motion)), ..plate });
    let mut body = ball("ball", 0.1, 2.0, material);
    (body.position, body.velocity) = ([0.0, 0.0, 0.6], [0.0, 0.0, -1.0]);
    builder.body(body);
    builder.build(0.0).expect("a right model")
}

/// The ball leaves the plate with u⁺ = −e u⁻.
#[test]
fn a_rising_plate_carries_and_throws() {
    for scheme in SCHEMES.into_iter().chain(["generalized-alpha"]) {
        for (e, after) in [(0.0, 0.4), (0.5, 0.4 + 0.5 * 1.4)] {
            let mut simulation = simulate(rising_plate(e), (scheme, &Options::default()), 0.0123);
            let mut ledger = EnergyLedger::default();
            simulation.run(100, &mut [&mut ledger]).expect("it runs");
            let v = simulation.state.v[2];
            assert!((v - after).abs() < 1e-6, "{scheme}, e = {e}: {v} is not {after}");
            assert!(ledger.worst_remainder < 1e-13 && ledger.total.prescribed > 0.0, "{ledger:?}");
        }
    }
}

/// A hinge with a stop at −0.5 rad, let go from the horizontal: until the stop J φ̈ = −m g l cos φ, then φ̇⁺ = −e φ̇⁻.
#[test]
fn a_stop_of_a_hinge_throws_the_rod_back() {
    let (m, l, j, e) = (1.3, 0.4, 0.05, 0.6);
    for scheme in SCHEMES.into_iter().chain(["generalized-alpha"]) {
        let mut builder = ModelBuilder::new();
        builder.gravity([0.0, -G, 0.0]);
        let mut rod = Body::planar("rod", m, j);
        rod.position = [l, 0.0, 0.0];
        let rod = builder.body(rod);
        builder.joint("hinge", Revolute::at([0.0; 3]), Rigid::World, rod).stop(-0.5..3.0, e);
        let made = builder.build(0.0).expect("a right model");
        let mut simulation = simulate(made, (scheme, &Options::default()), 1e-4);
        let (mut lowest, mut fastest, mut thrown) = (0.0f64, 0.0f64, 0.0f64);
        for _ in 0..5000 {
            let after = simulation.step().expect("a good step").after;
            lowest = lowest.min(after.q[2]);
            fastest = fastest.min(after.v[2]);
            thrown = thrown.max(after.v[2]);
        }
        // ½ (J + m l²) φ̇² = m g l sin 0.5.
        let speed = (2.0 * m * G * l * 0.5f64.sin() / (j + m * l * l)).sqrt();
        // First order: some h φ̇ of angle, some h g/l of speed, h = 1e-4.
        assert!(lowest > -0.5 - 2.0 * 1e-4 * speed, "{scheme}: the stop gives way to {lowest}");
        assert!((fastest + speed).abs() < 0.01, "{scheme}: {fastest} is not {}", -speed);
        assert!((thrown - e * speed).abs() < 0.01, "{scheme}: {thrown} is not {}", e * speed);
    }
}

/// A ball that appears in flight falls from then on.
#[test]
fn a_body_that_appears_falls_from_then_on() {
    for scheme in SCHEMES.into_iter().chain(["generalized-alpha", "moreau-energy"]) {
        let (mut builder, material) = world(0.0, false);
        floor(&mut builder, material);
        let mut late = ball("late", 0.1, 1.0, material);
        (late.position, late.velocity, late.appears_at) = ([0.0, 0.0, 5.0], [1.0, 0.0, 0.0], Some(0.2));
        builder.body(late);
        let made = builder.build(0.0).expect("a right model");
        let mut simulation = simulate(made, (scheme, &Options::default()), 1e-3);
        simulation.run(150, &mut []).expect("it runs");
        assert_eq!(simulation.state.q[..3], [0.0, 0.0, 5.0], "{scheme}: it is not there yet");
        simulation.run(550, &mut []).expect("it runs");
        let q = &simulation.state.q;
        // First order: a step or two of the time of appearance, h = 1e-3, at 1 and 5 m/s.
        assert!((q[0] - 0.5).abs() < 3e-3, "{scheme}: {q:?}");
        assert!((q[2] - 5.0 + 0.5 * G * 0.25).abs() < 15e-3, "{scheme}: {q:?}");
    }
}

#[test]
fn friction_and_unequal_restitution_of_bodies_are_refused() {
    let refusal = |scheme: &str, builder: ModelBuilder| {
        let (model, state) = builder.build(0.0).expect("a right model");
        let made = Simulation::new(model, state, integrator(scheme, &Options::default()), 0.01);
        made.err().expect("it is refused")
    };
    for scheme in SCHEMES {
        let mut builder = ModelBuilder::new();
        let law = builder.law("rough", Coulomb { friction: 0.3, ..Coulomb::default() });
        let material = builder.material("stuff");
        builder.default_pair(law);
        floor(&mut builder, material);
        let mut body = ball("ball", 0.1, 1.0, material);
        body.position = [0.0, 0.0, 1.0];
        builder.body(body);
        assert!(matches!(refusal(scheme, builder), Refusal::Frictionless { .. }));
        let (mut builder, material) = world(0.5, false);
        floor(&mut builder, material);
        let mut body = ball("ball", 0.1, 1.0, material);
        body.position = [0.0, 0.0, 1.0];
        builder.body(body);
        let hard = builder.law("hard", NewtonImpact { restitution: 0.9 });
        builder.pair(material, material, hard);
        let text = refusal(scheme, builder).to_string();
        assert!(text.contains("`pair` has 0.5") && text.contains("moreau-jean"), "{text}");
    }
}
