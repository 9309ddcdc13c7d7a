//! Lasting contact with friction.

use super::{G, ball, cuboid, floor, run, synchronized, world};

#[test]
fn a_ball_with_vertical_spin_slides_straight() {
    let (mut builder, material) = world(0.3, 0.0);
    floor(&mut builder, material);
    let mut body = ball("ball", 0.1, 1.0, material);
    body.position = [0.0, 0.0, 0.1];
    body.velocity = [3.0, 0.0, 0.0];
    body.angular_velocity = [0.0, 0.0, 100.0];
    builder.body(body);
    let mut simulation = run(builder, 0.01);
    simulation.run(100, &mut []).unwrap();
    let state = synchronized(&simulation.model, &simulation.state);
    assert!(state.q[1].abs() < 1e-9, "y = {}", state.q[1]);
    assert!((state.v[0] - 15.0 / 7.0).abs() < 1e-9, "v = {}", state.v[0]);
}

#[test]
fn a_sliding_block_stops_after_v_squared_over_two_mu_g() {
    let (mut builder, material) = world(0.5, 0.0);
    floor(&mut builder, material);
    let mut body = cuboid("block", [0.1, 0.1, 0.1], 1.0, material);
    body.position = [0.0, 0.0, 0.1];
    body.velocity = [1.0, 0.0, 0.0];
    builder.body(body);
    let mut simulation = run(builder, 1e-3);
    simulation.run(400, &mut []).unwrap();
    let state = synchronized(&simulation.model, &simulation.state);
    let exact = 1.0 / (2.0 * 0.5 * G);
    assert!((state.q[0] - exact).abs() < 1e-6, "x = {}, not {exact}", state.q[0]);
    assert!(state.v[0].abs() < 1e-9, "v = {}", state.v[0]);
}

/// In the step in which sliding ends friction stops, and does not turn the velocity shown: v = max(v₀ − μ g t, 0) at every step, no pitch, and friction
/// has taken what is missing. Other speeds end the sliding elsewhere in a step.
#[test]
fn the_velocity_shown_is_exact_where_sliding_ends() {
    let mu = 0.5;
    for (h, speed, angle, mass) in [
        (1e-3, 1.0, 0.0, 1.0),
        (1e-3, 1.0011, 0.7, 1.0),
        (5e-3, 0.993, 2.0, 1e3),
        (1e-2, 0.97, 4.0, 1e-3),
    ] {
        let (mut builder, material) = world(mu, 0.0);
        floor(&mut builder, material);
        let mut body = cuboid("block", [0.1, 0.15, 0.2], mass, material);
        body.position = [0.0, 0.0, 0.2];
        let along = [f64::cos(angle), f64::sin(angle)];
        body.velocity = [speed * along[0], speed * along[1], 0.0];
        builder.body(body);
        let mut simulation = run(builder, h);
        let mut taken = 0.0;
        for _ in 0..(1.2 * speed / (mu * G * h)) as usize {
            let seen = simulation.step().unwrap();
            let (v, exact) = (&seen.shown.v, (speed - mu * G * seen.shown.t).max(0.0));
            let off = [v[0] - exact * along[0], v[1] - exact * along[1], v[2], v[3], v[4], v[5]];
            let worst = off.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            assert!(worst < 1e-8, "h = {h}, v₀ = {speed}, t = {}: off by {off:?}", seen.shown.t);
            taken += seen.log.works.friction;
            let missing = 0.5 * mass * (exact * exact - speed * speed);
            assert!(
                (taken - missing).abs() < 1e-8 * mass,
                "t = {}: {taken} for {missing}",
                seen.shown.t
            );
        }
    }
}

#[test]
fn a_stack_stays_where_it_is() {
    for e in [0.0, 0.5] {
        let (mut builder, material) = world(0.5, e);
        floor(&mut builder, material);
        for i in 0..5 {
            let mut body = cuboid(&format!("cube{i}"), [0.1; 3], 1.0, material);
            body.position = [0.0, 0.0, 0.1 + 0.2 * i as f64];
            builder.body(body);
        }
        let mut simulation = run(builder, 5e-3);
        let start = simulation.state.q.clone();
        let mut events = 0;
        for _ in 0..500 {
            events += simulation.step().unwrap().log.events.len();
        }
        let moved = start.iter().zip(&simulation.state.q).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(moved < 1e-8, "e = {e}: the stack moved by {moved:.1e} m");
        assert!(events <= 40, "e = {e}: {events} impacts in a stack at rest");
    }
}

/// Corners of bricks in bond meet corners and edges, so that rounding decides which feature a contact point is named by, and which of the points
/// carry. A wall at rest shows no velocity all the same (a force that is lost with its name shows τ g), and no point that carries anew is an
/// impact. The bound of the velocity is 1000 times the tolerance of the solver.
#[test]
fn a_wall_whose_contact_points_change_their_names_is_at_rest() {
    for (h, unit) in [(2e-3, 1.0), (1e-2, 1e-3)] {
        let (mut builder, material) = world(0.6, 0.0);
        floor(&mut builder, material);
        builder.gravity([0.0, 0.0, -G * unit]);
        let half = [0.125, 0.06, 0.04].map(|x| x * unit);
        for i in 0..12 {
            let (course, k) = (i / 3, i % 3);
            let mut body = cuboid(&format!("brick{i}"), half, 3.0, material);
            let shift = if course % 2 == 1 { half[0] } else { 0.0 };
            let x = 2.0 * half[0] * f64::from(k) + shift;
            body.position = [x, 0.0, half[2] * f64::from(2 * course + 1)];
            builder.body(body);
        }
        let mut simulation = run(builder, h);
        let start = simulation.state.q.clone();
        for step in 0..200 {
            let seen = simulation.step().unwrap();
            let lengths = [1.0, 1.0, 1.0, half[0], half[0], half[0]].into_iter().cycle();
            let speeds = seen.shown.v.iter().zip(lengths).map(|(v, length)| v.abs() * length);
            let fastest = speeds.fold(0.0, f64::max);
            assert!(fastest < 1e-5 * G * unit * h, "h = {h}, step {step}: {fastest:.1e} is shown");
            let events = seen.log.events.len();
            assert!(step == 0 || events == 0, "h = {h}, step {step}: {events} impacts at rest");
            assert!(seen.log.notes.is_empty(), "h = {h}, step {step}: {:?}", seen.log.notes);
        }
        let moved = start.iter().zip(&simulation.state.q).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(moved < 1e-8 * unit, "h = {h}: the wall moved by {moved:.1e} m");
    }
}

/// A heavy top on a sharp tip that does not slip: tilt after `time`.
fn top_tilt(h: f64, time: f64) -> f64 {
    let (mut builder, material) = world(10.0, 0.0);
    floor(&mut builder, material);
    let (mass, height, tip) = (1.0, 0.1, 1e-3);
    let mut body = nonsmooth::model::rigid::Body::new("top", mass, super::diagonal([2e-3, 2e-3, 1e-3]));
    let shape = nonsmooth_geometry::spatial::Shape::ball(tip).expect("it is right");
    let pose = nonsmooth_geometry::spatial::Pose::at([0.0, 0.0, -height]);
    body.colliders = vec![nonsmooth::model::rigid::Collider {
        posed: nonsmooth::model::rigid::PosedShape::Space(shape, pose),
        material,
        groups: nonsmooth_geometry::broad::Groups::ALL,
    }];
    let tilt = 0.4f64;
    body.rotation = [(0.5 * tilt).cos(), (0.5 * tilt).sin(), 0.0, 0.0];
    body.position = [0.0, -height * tilt.sin(), tip + height * tilt.cos()];
    body.angular_velocity = [0.0, 0.0, 400.0];
    builder.body(body);
    let mut simulation = run(builder, h);
    simulation.run((time / h).round() as u64, &mut []).expect("it is right");
    let q = &simulation.state.q;
    let turn = glam::DQuat::from_xyzw(q[4], q[5], q[6], q[3]);
    (turn * glam::DVec3::Z).z.acos()
}

#[test]
fn a_fast_top_does_not_fall_over() {
    let fine = top_tilt(1e-4, 1.0);
    let coarse = top_tilt(4e-4, 1.0);
    // A fast top nods by about m g l J₁ sin α / (J₃ ω)² around its tilt.
    assert!((fine - 0.4).abs() < 0.02, "tilt {fine} after 1 s");
    assert!((coarse - fine).abs() < 2e-3, "tilt {coarse} with large steps, {fine} with small ones");
}
