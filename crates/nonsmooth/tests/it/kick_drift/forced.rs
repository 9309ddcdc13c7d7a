//! Forces that depend on the velocity act with the velocity at q, not with the staggered one.

use super::{G, diagonal, run, synchronized};
use crate::body_kit::order;
use crate::kit::{Linear, Sparse};
use crate::nonlinear::DoublePendulum;
use nonsmooth::Simulation;
use nonsmooth::joints::Revolute;
use nonsmooth::model::rigid::Body;
use nonsmooth::model::{ModelBuilder, Rigid, WrenchFunction};

/// Errors at h and h/2; of second order where their ratio is 4.
fn assert_second_order(what: &str, error: impl Fn(f64) -> f64) {
    let (coarse, fine) = (error(4e-3), error(2e-3));
    let measured = order(coarse, fine, 2.0);
    assert!((1.9..2.1).contains(&measured), "{what}: {coarse:e}, {fine:e}, order {measured:.3}");
}

/// A body of 1 kg that a force of its own velocity acts on, after the time `end`.
fn pushed(force: fn([f64; 3]) -> [f64; 3], velocity: [f64; 3], h: f64, end: f64) -> Simulation {
    let mut builder = ModelBuilder::new();
    let body = Body { velocity, ..Body::new("body", 1.0, diagonal([0.1, 0.1, 0.1])) };
    let body = builder.body(body);
    let function: WrenchFunction = Box::new(move |at| {
        let [x, y, z] = force(at.rigid[0].velocity.to_array());
        Ok([x, y, z, 0.0, 0.0, 0.0])
    });
    builder.wrench(body, true, function);
    let mut simulation = run(builder, h);
    simulation.run((end / h).round() as u64, &mut []).expect("it runs");
    simulation
}

#[test]
fn drag_is_of_second_order() {
    // v̇ = −g − v: v(1) = −g (1 − 1/e), z(1) = −g/e.
    let fall = |h| pushed(|[_, _, v]| [0.0, 0.0, -G - v], [0.0; 3], h, 1.0);
    assert_second_order("z", |h| (fall(h).state.q[2] + G * (-1.0f64).exp()).abs());
    assert_second_order("v", |h| {
        let end = fall(h);
        (synchronized(&end.model, &end.state).v[2] + G * (1.0 - (-1.0f64).exp())).abs()
    });
}

#[test]
fn a_force_across_the_velocity_does_no_work() {
    // v̇ = 5 v × e_z turns v and keeps its size. With the staggered velocity it grew by 8 % in five turns at h = 1 ms.
    let turns = |h| pushed(|[x, y, _]| [5.0 * y, -5.0 * x, 0.0], [1.0, 0.0, 0.0], h, 6.0);
    let end = turns(1e-3);
    let v = synchronized(&end.model, &end.state).v;
    // With z = 5 h: |1 + iz − z²/2| − 1 = z⁴/8 per step, and |1 + iz/2| − 1 = z²/8 in the first kick and in the half kick to what is shown.
    let z = 5e-3f64;
    let grown = 6000.0 * z.powi(4) / 8.0 + 2.0 * z * z / 8.0;
    assert!((v[0].hypot(v[1]) - 1.0).abs() < 1.01 * grown, "{}", v[0].hypot(v[1]));
    // It is not fast, whichever way the velocity points.
    let mut simulation = turns(1e-3);
    for step in 0..2000 {
        let frame = simulation.step().expect("it runs");
        assert!(frame.log.notes.is_empty(), "step {step}: {:?}", frame.log.notes[0].what);
    }
    assert_second_order("angle", |h| {
        let end = turns(h);
        let v = synchronized(&end.model, &end.state).v;
        (v[0] - 30f64.cos()).hypot(v[1] + 30f64.sin())
    });
}

#[test]
fn a_motor_that_damps_a_hinge_is_of_second_order() {
    // I ω̇ = −c ω about the hinge, I = J + m/4.
    let (inertia, c) = (0.08 + 0.25, 0.5);
    assert_second_order("ω", |h| {
        let mut builder = ModelBuilder::new();
        let mut arm = Body::new("arm", 1.0, diagonal([0.01, 0.08, 0.08]));
        (arm.position, arm.velocity, arm.angular_velocity) =
            ([0.5, 0.0, 0.0], [0.0, 0.0, -0.5], [0.0, 1.0, 0.0]);
        let arm = builder.body(arm);
        let hinge = Revolute::at([0.0; 3]).axis([0.0, 1.0, 0.0]);
        builder.joint("hinge", hinge, Rigid::World, arm).motor(move |at| Ok(-c * at.rigid[0].spin.y));
        let mut simulation = run(builder, h);
        simulation.run((1.0 / h).round() as u64, &mut []).unwrap();
        let v = synchronized(&simulation.model, &simulation.state).v;
        (v[4] - (-c / inertia).exp()).abs()
    });
}

#[test]
fn damping_of_linear_systems_is_of_second_order() {
    // q̈ + 2 q̇ + 5 q = 0 from q = 1 at rest: q = e^{−t} (cos 2t + ½ sin 2t).
    let exact = (-1.0f64).exp() * (2f64.cos() + 0.5 * 2f64.sin());
    assert_second_order("q", |h| {
        let mut builder = ModelBuilder::new();
        let one = |x: f64| Sparse::diagonal(&[x]);
        let mass = Linear::new("mass", one(1.0)).damping(one(2.0)).stiffness(one(5.0));
        builder.linear(mass.initial(&[1.0], &[0.0]));
        let mut simulation = run(builder, h);
        simulation.run((1.0 / h).round() as u64, &mut []).unwrap();
        (simulation.state.q[0] - exact).abs()
    });
}

#[test]
fn inertial_forces_of_lagrangian_systems_are_of_second_order() {
    let angles = |h: f64| {
        let mut builder = ModelBuilder::new();
        builder.lagrangian("arm", &["a", "b"], DoublePendulum { gravity: G }, &[1.0, 2.0], &[0.0; 2]);
        let mut simulation = run(builder, h);
        simulation.run((1.0 / h).round() as u64, &mut []).unwrap();
        simulation.state.q
    };
    // Its own error is 1/400 of that at 4 ms.
    let fine = angles(2e-4);
    assert_second_order("angles", |h| {
        let q = angles(h);
        (q[0] - fine[0]).hypot(q[1] - fine[1])
    });
}

/// Velocities along z that are shown at the ends of `steps` steps of 1 ms, from `v` at the start, for v̇ = `acceleration`(v).
fn shown(acceleration: impl Fn(f64) -> f64 + Send + Sync + 'static, v: f64, steps: u64) -> Vec<f64> {
    let mut builder = ModelBuilder::new();
    let body = Body { velocity: [0.0, 0.0, v], ..Body::new("body", 2.0, diagonal([0.1, 0.1, 0.1])) };
    let body = builder.body(body);
    let function: WrenchFunction =
        Box::new(move |at| Ok([0.0, 0.0, 2.0 * acceleration(at.rigid[0].velocity.z), 0.0, 0.0, 0.0]));
    builder.wrench(body, true, function);
    let mut simulation = run(builder, 1e-3);
    (0..steps)
        .map(|_| {
            simulation.run(1, &mut []).expect("it runs");
            synchronized(&simulation.model, &simulation.state).v[2]
        })
        .collect()
}

#[test]
fn drag_of_any_stiffness_only_brakes() {
    // v̇ = −c (v − w): of a kick with the velocity before it |v − w| would grow from c h = 2 on, at c h = 3 to 10⁴ of the start in 20 steps.
    let w = -0.5;
    for c in [10.0, 2000.0, 3000.0, 1e5, 1e8] {
        let all = shown(move |v| -c * (v - w), 1.0, 100);
        let mut last = 1.0 - w;
        for (k, v) in all.iter().enumerate() {
            // The midpoint rule turns v − w by (1 − z/2)/(1 + z/2), and shows 1/(1 + z/2) of it.
            // The search for the velocity leaves 1e-7 of the change of 1.5 m/s.
            assert!((v - w).abs() <= last + 1.5e-7, "c = {c:e}, step {k}: {v}");
            last = (v - w).abs();
        }
        let z: f64 = 1e-3 * c;
        let first = (1.0 - 0.25 * z) / (1.0 + 0.25 * z);
        let turned = ((1.0 - 0.5 * z) / (1.0 + 0.5 * z)).powi(99);
        let expected = w + 1.5 * first * turned / (1.0 + 0.5 * z);
        assert!((all[99] - expected).abs() < 1e-6, "c = {c:e}: {} is not {expected}", all[99]);
    }
}

#[test]
fn drag_with_the_square_of_the_velocity_only_brakes() {
    // v̇ = −k v |v|: v = v₀/(1 + k v₀ t). At k v₀ h = 100 the velocity before the kick would throw the body back with 50 times its speed.
    let all = shown(|v| -1e4 * v * v.abs(), 10.0, 50);
    assert!(all.iter().all(|v| v.abs() < 10.0), "{all:?}");
    assert!(all[49].abs() < 1.0, "{}", all[49]);
    let resolved = shown(|v| -v * v.abs(), 10.0, 100);
    assert!((resolved[99] - 10.0 / 2.0).abs() < 1e-3, "{}", resolved[99]);
}

#[test]
fn a_force_that_jumps_with_the_velocity_is_told() {
    // No velocity solves v = v̂ − κ sgn(v) near rest.
    let mut builder = ModelBuilder::new();
    let body = builder.body(Body {
        velocity: [0.0, 0.0, 1.5e-3],
        ..Body::new("body", 1.0, diagonal([0.1, 0.1, 0.1]))
    });
    let function: WrenchFunction =
        Box::new(|at| Ok([0.0, 0.0, -at.rigid[0].velocity.z.signum(), 0.0, 0.0, 0.0]));
    builder.wrench(body, true, function);
    let mut simulation = run(builder, 1e-3);
    let notes = |simulation: &mut Simulation| {
        let step = simulation.step().expect("it runs");
        step.log.notes.iter().filter(|note| note.what.contains("forces of velocities")).count()
    };
    assert_eq!(notes(&mut simulation), 0, "it slides");
    let told: usize = (0..5).map(|_| notes(&mut simulation)).sum();
    assert!(told > 0, "it rests, and no note says that the force was not resolved");
    assert!(simulation.state.v[2].abs() < 1.5e-3);
}

#[test]
fn a_stiff_damper_between_two_bodies_keeps_their_momentum() {
    // f = −c (v_a − v_b) on a, its opposite on b: they move together, with masses 1 and 1000.
    let mut builder = ModelBuilder::new();
    let inertia = diagonal([0.1, 0.1, 0.1]);
    let light = builder.body(Body { velocity: [1.0, 0.0, 0.0], ..Body::new("light", 1.0, inertia) });
    let heavy = builder.body(Body::new("heavy", 1000.0, inertia));
    for (body, sign) in [(light, -1.0), (heavy, 1.0)] {
        let function: WrenchFunction = Box::new(move |at| {
            let along = at.rigid[0].velocity.x - at.rigid[1].velocity.x;
            Ok([sign * 5e3 * along, 0.0, 0.0, 0.0, 0.0, 0.0])
        });
        builder.wrench(body, true, function);
    }
    let mut simulation = run(builder, 1e-3);
    simulation.run(200, &mut []).unwrap();
    let v = synchronized(&simulation.model, &simulation.state).v;
    assert!((v[0] + 1000.0 * v[6] - 1.0).abs() < 1e-12, "momentum {}", v[0] + 1000.0 * v[6]);
    assert!((v[0] - v[6]).abs() < 1e-6, "{} and {}", v[0], v[6]);
}
