//! Obstacles that move, bodies that come and go, steps whose size changes.

use super::{G, ball, cuboid, diagonal, floor, run, synchronized, world};
use nonsmooth::Simulation;
use nonsmooth::laws::Coulomb;
use nonsmooth::model::rigid::{Body, Collider, KinematicBody, KinematicState, MaterialId, Region};
use nonsmooth::model::{Anchor, ModelBuilder, Presence, Rigid, Spring};
use nonsmooth_geometry::spatial::Shape;
use nonsmooth_testkit::Random;

/// Adds the half-space z ≤ 0 with a motion.
fn table(
    builder: &mut ModelBuilder,
    material: MaterialId,
    motion: impl Fn(f64) -> KinematicState + Send + Sync + 'static,
) {
    let shape = Shape::half_space([0.0, 0.0, 1.0]).expect("it is right");
    let colliders = vec![Collider::space(shape, material)];
    let motion = Some(Box::new(move |t| Ok(motion(t))) as _);
    builder.kinematic(KinematicBody { motion, ..KinematicBody::new("table", colliders) });
}

/// A motion without turning.
fn shifted(position: [f64; 3], velocity: [f64; 3]) -> KinematicState {
    KinematicState { position, rotation: [1.0, 0.0, 0.0, 0.0], velocity, angular_velocity: [0.0; 3] }
}

/// A body that starts at rest on a belt of speed V lags V²/(2 μ g) behind it in the end: that is a box; a ball rolls with 2/7 of V after
/// t = 2 V/(7 μ g), and has gone μ g t²/2 by then.
#[test]
fn a_belt_takes_a_box_and_a_ball_along() {
    let (speed, mu, h, end) = (1.4, 0.3, 1e-3, 1.0);
    let belt = |builder: &mut ModelBuilder, material| {
        table(builder, material, move |t| shifted([speed * t, 0.0, 0.0], [speed, 0.0, 0.0]));
    };
    let (mut builder, material) = world(mu, 0.0);
    belt(&mut builder, material);
    let mut on_belt = cuboid("box", [0.1, 0.1, 0.05], 3.0, material);
    on_belt.position = [0.0, 0.0, 0.05];
    builder.body(on_belt);
    let mut rolls = ball("ball", 0.1, 2.0, material);
    rolls.position = [0.0, 5.0, 0.1];
    builder.body(rolls);
    let mut simulation = run(builder, h);
    simulation.run((end / h) as u64, &mut []).expect("it is right");
    let state = synchronized(&simulation.model, &simulation.state);
    let [box_exact, ball_exact] = {
        let (slide, roll) = (speed / (mu * G), 2.0 * speed / (7.0 * mu * G));
        [speed * end - 0.5 * speed * slide, 2.0 / 7.0 * speed * (end - 0.5 * roll)]
    };
    // Friction of the step in which sliding ends: h² μ g.
    let off = [state.q[0] - box_exact, state.q[7] - ball_exact];
    assert!(off.iter().all(|x| x.abs() < h * h * mu * G), "off by {off:?}");
    let v = [state.v[0] - speed, state.v[6] - 2.0 / 7.0 * speed];
    assert!(v.iter().all(|x| x.abs() < 1e-9), "velocities off by {v:?}");
}

/// A box on a table z = A sin ωt with A ω² = `ratio` g: the times and distances of its first 2 s.
fn on_vibrating_table(ratio: f64, h: f64) -> Vec<(f64, f64)> {
    let omega = 20.0;
    let a = ratio * G / (omega * omega);
    let (mut builder, material) = world(0.5, 0.0);
    table(&mut builder, material, move |t| {
        let (s, c) = (omega * t).sin_cos();
        shifted([0.0, 0.0, a * s], [0.0, 0.0, a * omega * c])
    });
    let mut body = cuboid("box", [0.2, 0.1, 0.1], 1.0, material);
    (body.position, body.velocity) = ([0.0, 0.0, 0.1], [0.0, 0.0, a * omega]);
    builder.body(body);
    let mut simulation = run(builder, h);
    let one = |simulation: &mut Simulation| {
        simulation.step().expect("it is right");
        let t = simulation.state.t;
        (t, simulation.state.q[2] - 0.1 - a * (omega * t).sin())
    };
    (0..(2.0 / h) as usize).map(|_| one(&mut simulation)).collect()
}

/// Below A ω² = g the box never leaves the table. Above it leaves where sin ωt = g/(A ω²) and flies a parabola to where it lands.
#[test]
fn a_box_stays_on_a_vibrating_table_or_leaves_it_where_it_must() {
    for (t, gap) in on_vibrating_table(0.95, 2e-3) {
        assert!(gap.abs() < 1e-9, "the table is lost by {gap} at {t}");
    }
    let (ratio, omega) = (1.5f64, 20.0f64);
    let a = ratio * G / (omega * omega);
    let leaves = (1.0 / ratio).asin() / omega;
    let height = |t: f64| a * (omega * t).sin();
    let rise = a * omega * (omega * leaves).cos();
    let flight = |t: f64| {
        let s = t - leaves;
        height(leaves) + s * rise - 0.5 * G * s * s
    };
    let exact = (0..30_000)
        .map(|k| leaves + 1e-5 * f64::from(k))
        .map(|t| flight(t) - height(t))
        .take_while(|gap| *gap >= 0.0)
        .fold(0.0, f64::max);
    let found = |h: f64| {
        let first = on_vibrating_table(ratio, h);
        first.iter().take_while(|(t, _)| *t < 0.3).fold(0.0f64, |most, (_, gap)| most.max(*gap))
    };
    let off = [2e-3, 1e-3].map(|h| (found(h) - exact).abs() / exact);
    // It leaves up to a step late or early with a velocity off by h·(0 … g (ωh)): second order.
    assert!(exact > 5e-3 && off[0] < 1e-2 && off[1] < 5e-3, "height {exact}, relative errors {off:?}");
}

/// A box on a turntable that it does not slip on goes round with it.
#[test]
fn a_box_goes_round_with_a_turntable_and_slips_off_a_fast_one() {
    let on = |rate: f64, h: f64| {
        let (radius, mu, end) = (0.5, 0.4, 1.5);
        let (mut builder, material) = world(mu, 0.0);
        table(&mut builder, material, move |t| {
            let (s, c) = (0.5 * rate * t).sin_cos();
            KinematicState {
                position: [0.0; 3],
                rotation: [c, 0.0, 0.0, s],
                velocity: [0.0; 3],
                angular_velocity: [0.0, 0.0, rate],
            }
        });
        let mut body = cuboid("box", [0.05; 3], 1.0, material);
        body.position = [radius, 0.0, 0.05];
        body.velocity = [0.0, rate * radius, 0.0];
        body.angular_velocity = [0.0, 0.0, rate];
        builder.body(body);
        let mut simulation = run(builder, h);
        simulation.run((end / h) as u64, &mut []).expect("it is right");
        let q = &simulation.state.q;
        let t = simulation.state.t;
        let (s, c) = (rate * t).sin_cos();
        let off = (q[0] - radius * c).hypot(q[1] - radius * s) / radius;
        (off, q[0].hypot(q[1]) / radius)
    };
    // r ω² is 3.1 and 5.1 m/s², μ g 3.9 m/s². One chord per step: the way is off by (ωh)²/24 of the angle, the radius by (ωh)²/8.
    let (rate, h) = (2.5, 2e-3);
    let bound = rate * rate * h * h * (1.0 / 8.0 + rate * 1.5 / 24.0);
    let (off, _) = on(rate, h);
    assert!(off < 2.0 * bound, "off by {off:.1e} of the radius, expected {bound:.1e}");
    let (_, radius) = on(3.2, h);
    assert!(radius > 1.2, "a box that must slip is at {radius} of its radius");
}

/// Whatever the steps, a ball rebounds to e² of its height, and a stack stays where it is.
#[test]
fn steps_of_any_size_change_no_rebound_and_no_rest() {
    let e = 0.8;
    let (mut builder, material) = world(0.5, e);
    floor(&mut builder, material);
    let mut falls = ball("ball", 0.1, 1.0, material);
    falls.position = [0.0, 0.0, 1.1];
    builder.body(falls);
    for k in 0..4 {
        let mut body = cuboid(&format!("box{k}"), [0.1; 3], 1.0, material);
        body.position = [3.0, 0.0, 0.1 + 0.2 * f64::from(k)];
        builder.body(body);
    }
    let mut simulation = run(builder, 1e-3);
    let random = &mut Random::new(11);
    let (mut exact, mut bounces) = (1.0, 0);
    for _ in 0..3000 {
        simulation.set_step_size(1e-3 * random.power(-1.0, 0.5)).expect("it is right");
        let log = simulation.step().expect("it is right").log;
        // Boxes that come to bear are events without approach.
        let events = log.events.iter().filter(|event| event.u_minus[0] < -1e-3).count();
        exact *= (e * e).powi(events as i32);
        bounces += events;
        let state = synchronized(&simulation.model, &simulation.state);
        let height = state.q[2] - 0.1 + state.v[2] * state.v[2] / (2.0 * G);
        assert!((height - exact).abs() < 1e-9, "{height}, not {exact}, after {bounces} bounces");
        for k in 1..5 {
            let (q, v) = (&state.q[7 * k..7 * k + 3], &state.v[6 * k..6 * k + 6]);
            let off = (q[0] - 3.0).abs().max(q[1].abs()).max((q[2] + 0.1 - 0.2 * k as f64).abs());
            let fastest = v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            assert!(off < 1e-8 && fastest < 1e-6, "box {k} is off by {off:.1e}, at {fastest:.1e}");
        }
    }
    assert!(bounces >= 2, "{bounces} bounces");
}

/// A ball is born in flight and bounces, another leaves the region: a third that bounces and a box that rests feel nothing of it.
#[test]
fn bodies_that_come_and_go_disturb_nobody() {
    let e = 0.5;
    let make = |born: bool| {
        let (mut builder, material) = world(0.3, e);
        floor(&mut builder, material);
        builder.region(Region { low: [-3.0, -3.0, -1.0], high: [3.0, 3.0, 9.0] });
        let mut bounces = ball("bounces", 0.1, 1.0, material);
        bounces.position = [1.0, 0.0, 0.4];
        builder.body(bounces);
        let mut rests = cuboid("rests", [0.1; 3], 1.0, material);
        rests.position = [0.0, 0.0, 0.1];
        builder.body(rests);
        let mut leaves = ball("leaves", 0.1, 1.0, material);
        (leaves.position, leaves.velocity) = ([2.0, 0.0, 2.0], [5.0, 0.0, 0.0]);
        builder.body(leaves);
        let mut comes = ball("comes", 0.05, 0.1, material);
        (comes.position, comes.appears_at) = ([-1.0, 0.0, 0.55], Some(0.3));
        if !born {
            comes.appears_at = Some(100.0);
        }
        builder.body(comes);
        run(builder, 1e-3)
    };
    let [mut with, mut without] = [make(true), make(false)];
    let (mut exact, mut seen) = (0.5, 0);
    for step in 0..800 {
        let n = with.step().expect("it is right").log.events.len();
        let m = without.step().expect("it is right").log.events.len();
        let [a, b] = [&with.state, &without.state];
        assert_eq!((&a.q[..14], &a.v[..12]), (&b.q[..14], &b.v[..12]), "others at step {step}");
        exact *= (e * e).powi((n - m) as i32);
        seen += n - m;
        let shown = synchronized(&with.model, &with.state);
        // Until a flight is shorter than a step.
        if with.state.t > 0.3 && exact > 1e-4 {
            let height = shown.q[23] - 0.05 + shown.v[20] * shown.v[20] / (2.0 * G);
            assert!(
                (height - exact).abs() < 1e-9,
                "step {step}: the newborn reaches {height}, not {exact}"
            );
        }
    }
    assert!(seen >= 1, "the newborn never landed");
    assert_eq!(with.state.presence[2], Presence::Removed);
}

/// A box under a spring from above: the floor carries m g − k δ, to the tolerance; with a stronger one it hangs and swings with √(k/m).
#[test]
fn a_spring_and_a_floor_share_a_box() {
    let (m, side) = (2.0, 0.1);
    let on_spring = |stiffness: f64, stretch: f64, h: f64| {
        let (mut builder, material) = world(0.5, 0.0);
        floor(&mut builder, material);
        let mut body = cuboid("box", [side; 3], m, material);
        body.position = [0.0, 0.0, side];
        let body = builder.body(body);
        let ends = [(Rigid::World, [0.0, 0.0, 2.0]), (body, [0.0, 0.0, side])];
        let ends = ends.map(|(on, at)| Anchor { on, at });
        let rest_length = 2.0 - 2.0 * side - stretch;
        builder.spring(Spring { name: "spring".to_owned(), ends, stiffness, damping: 0.0, rest_length });
        run(builder, h)
    };
    let mut simulation = on_spring(1e5, 1e-4, 2e-3);
    for _ in 0..200 {
        simulation.step().expect("it is right");
    }
    let log = simulation.contacts();
    let of_floor = |c: &usize| log.rows(*c).len() == 3;
    let carried: f64 = (0..log.len()).filter(of_floor).map(|c| log.impulse[log.rows(c).start]).sum();
    let carried = carried / log.length;
    assert!((carried - (m * G - 10.0)).abs() < 1e-6 * m * G, "the floor carries {carried} N");
    assert!((simulation.state.q[2] - side).abs() < 1e-9, "it moved to {}", simulation.state.q[2]);
    // k δ = 60 N lifts 2 kg: z rises by (k δ − m g)/k (1 − cos ωt).
    let (stiffness, stretch) = (3000.0, 0.02);
    let (omega, amplitude) = ((stiffness / m).sqrt(), stretch - m * G / stiffness);
    let off = [2e-3, 1e-3].map(|h| {
        let mut simulation = on_spring(stiffness, stretch, h);
        let mut worst = 0.0f64;
        // Less than one swing: it does not come down to the floor.
        while simulation.state.t < 0.14 {
            simulation.step().expect("it is right");
            let t = simulation.state.t;
            let exact = side + amplitude * (1.0 - (omega * t).cos());
            worst = worst.max((simulation.state.q[2] - exact).abs() / amplitude);
        }
        worst
    });
    let order = (off[0] / off[1]).log2();
    assert!(off[1] < 5e-3 && order > 1.9, "errors {off:?}, order {order:.2}");
}

/// A smooth box stays where it is on a belt that takes a rough one along.
#[test]
fn a_law_of_a_pair_is_its_own_on_an_obstacle_that_moves() {
    let (mut builder, smooth) = world(0.0, 0.0);
    let rough = builder.material("rough");
    let law = builder.law("rough", Coulomb { friction: 0.6, restitution: 0.0, ..Coulomb::default() });
    builder.pair(smooth, rough, law);
    table(&mut builder, smooth, |t| shifted([0.5 * t, 0.0, 0.0], [0.5, 0.0, 0.0]));
    for (k, material) in [smooth, rough].into_iter().enumerate() {
        let mut body = Body::new(&format!("box{k}"), 1.0, diagonal([1e-2; 3]));
        let shape = Shape::cuboid([0.1; 3]).expect("it is right");
        body.colliders = vec![Collider::space(shape, material)];
        body.position = [0.0, 2.0 * k as f64, 0.1];
        builder.body(body);
    }
    let mut simulation = run(builder, 1e-3);
    simulation.run(500, &mut []).expect("it is right");
    let v = &simulation.state.v;
    assert!(v[0].abs() < 1e-12, "the smooth one goes at {}", v[0]);
    assert!((v[6] - 0.5).abs() < 1e-9, "the rough one goes at {}", v[6]);
}
