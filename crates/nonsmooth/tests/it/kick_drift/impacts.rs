//! Impacts at their instant.

use super::{G, ball, cuboid, floor, run, synchronized, world};

/// Heights of the flights after each bounce: z + v_z²/2g − r at the rows between.
fn peaks(e: f64, h: f64, steps: u64) -> Vec<f64> {
    let (mut builder, material) = world(0.0, e);
    floor(&mut builder, material);
    let mut body = ball("ball", 0.1, 1.0, material);
    body.position = [0.0, 0.0, 1.1];
    builder.body(body);
    let mut simulation = run(builder, h);
    let mut heights = Vec::new();
    for _ in 0..steps {
        let events = simulation.step().expect("it is right").log.events.len();
        let state = synchronized(&simulation.model, &simulation.state);
        let height = state.q[2] - 0.1 + state.v[2] * state.v[2] / (2.0 * G);
        if events > 0 || heights.is_empty() {
            heights.push(height);
        }
        // Beyond that the flight is shorter than the step, and the ball comes to rest.
        let last = heights.last().copied().expect("it is right");
        if (8.0 * last / G).sqrt() < 2.0 * h {
            break;
        }
        assert!((height - last).abs() < 1e-9, "in flight the energy is {height}, was {last}");
    }
    heights
}

#[test]
fn rebounds_reach_e_squared_of_the_height() {
    for h in [1e-3, 5e-3] {
        for e in [0.3, 0.6, 0.9, 1.0] {
            let mut exact = 1.0;
            for (k, height) in peaks(e, h, (1.2 / h) as u64).into_iter().enumerate() {
                // Until the flight is shorter than a step.
                if (8.0 * exact / G).sqrt() < 2.0 * h {
                    break;
                }
                assert!(
                    (height - exact).abs() < 1e-9,
                    "e = {e}, h = {h}: {height} after {k} bounces, not {exact}"
                );
                exact *= e * e;
            }
        }
    }
}

/// Speeds of five balls in a row, the first of which strikes, with these gaps between them.
fn cradle(gap: f64) -> Vec<f64> {
    let (mut builder, material) = world(0.0, 1.0);
    builder.gravity([0.0; 3]);
    for i in 0..5 {
        let mut body = ball(&format!("ball{i}"), 0.1, 1.0, material);
        body.position = [i as f64 * (0.2 + gap), 0.0, 0.0];
        if i == 0 {
            body.position[0] -= 0.01;
            body.velocity = [1.0, 0.0, 0.0];
        }
        builder.body(body);
    }
    let mut simulation = run(builder, 1e-3);
    simulation.run(30, &mut []).expect("it is right");
    simulation.state.v.chunks(6).map(|v| v[0]).collect()
}

#[test]
fn the_last_ball_of_a_cradle_with_gaps_takes_all() {
    for gap in [1e-9, 1e-6, 1e-4] {
        let v = cradle(gap);
        for (i, v) in v.iter().enumerate() {
            let exact = if i == 4 { 1.0 } else { 0.0 };
            assert!((v - exact).abs() < 1e-9, "gap {gap}: ball {i} has {v}");
        }
    }
}

#[test]
fn an_elastic_box_that_tumbles_keeps_its_energy() {
    let mut worst = 0.0f64;
    for k in 0..20 {
        let (mut builder, material) = world(0.0, 1.0);
        floor(&mut builder, material);
        let mut body = cuboid("box", [0.1, 0.07, 0.05], 1.0, material);
        let a = 0.3 + 0.29 * k as f64;
        let (s, c) = (0.5 * a).sin_cos();
        body.position = [0.0, 0.0, 0.5 + 0.01 * k as f64];
        body.rotation = [c, 0.6 * s, 0.0, 0.8 * s];
        body.angular_velocity = [1.0 + 0.3 * k as f64, -2.0, 0.7 * k as f64];
        builder.body(body);
        let mut simulation = run(builder, 1e-3);
        let energy = |simulation: &nonsmooth::Simulation| {
            let state = synchronized(&simulation.model, &simulation.state);
            let energies = simulation.model.energies_of(&state).unwrap();
            energies.kinetic + energies.potential
        };
        let start = energy(&simulation);
        for _ in 0..1000 {
            simulation.step().unwrap();
            worst = worst.max((energy(&simulation) - start) / start);
        }
    }
    assert!(worst < 1e-11, "an elastic box gained {worst:.1e} of its energy");
}

#[test]
fn a_ball_dropped_on_a_resting_box_does_not_move_it() {
    for e in [0.0, 0.5, 1.0] {
        let (mut builder, material) = world(0.3, e);
        floor(&mut builder, material);
        let mut block = cuboid("block", [0.2, 0.2, 0.1], 1.0, material);
        block.position = [0.0, 0.0, 0.1];
        builder.body(block);
        let mut body = ball("ball", 0.05, 0.2, material);
        body.position = [0.0, 0.0, 0.6];
        builder.body(body);
        let mut simulation = run(builder, 5e-3);
        for _ in 0..400 {
            simulation.step().unwrap();
            let z = simulation.state.q[2];
            assert!(
                (z - 0.1).abs() < 1e-9,
                "e = {e}: the block is at {z} at t = {}",
                simulation.state.t
            );
        }
    }
}

/// Total linear and angular momentum.
fn momenta(simulation: &nonsmooth::Simulation, mass: f64, inertia: f64) -> [f64; 6] {
    let mut sum = [0.0; 6];
    let state = &simulation.state;
    for (q, v) in state.q.chunks(7).zip(state.v.chunks(6)) {
        let x = glam::DVec3::new(q[0], q[1], q[2]);
        let u = glam::DVec3::new(v[0], v[1], v[2]);
        let turn = glam::DQuat::from_xyzw(q[4], q[5], q[6], q[3]);
        let spin = turn * glam::DVec3::new(v[3], v[4], v[5]);
        let l = mass * x.cross(u) + inertia * spin;
        for k in 0..3 {
            sum[k] += mass * u[k];
            sum[3 + k] += l[k];
        }
    }
    sum
}

#[test]
fn balls_that_collide_and_rub_keep_their_momenta() {
    for h in [1e-2, 1e-3] {
        let (mut builder, material) = world(0.4, 0.6);
        builder.gravity([0.0; 3]);
        let starts = [([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]), ([0.4, 0.05, 0.03], [-1.0, 0.1, 0.0])];
        for (i, (x, v)) in starts.into_iter().enumerate() {
            let mut body = ball(&format!("ball{i}"), 0.1, 1.0, material);
            (body.position, body.velocity) = (x, v);
            body.angular_velocity = [10.0, -20.0, 30.0];
            builder.body(body);
        }
        let mut simulation = run(builder, h);
        let start = momenta(&simulation, 1.0, 0.4 * 0.01);
        let events =
            (0..(0.5 / h) as usize).map(|_| simulation.step().unwrap().log.events.len()).sum::<usize>();
        assert!(events > 0, "the balls missed each other");
        let end = momenta(&simulation, 1.0, 0.4 * 0.01);
        for k in 0..6 {
            assert!((end[k] - start[k]).abs() < 1e-12, "h = {h}: {start:?} became {end:?}");
        }
    }
}
