//! Ratios of mass up to 10⁶ and of size up to 10⁴.

use super::{G, ball, cuboid, floor, run, synchronized, world};
use nonsmooth::Simulation;

/// The same with two hundred strikes in a step, more than one is cut at: the others may lose what they like, and gain nothing. Each that rebounds
/// at the start of the step meets the wall as one without restitution: with all of them the energy grew by 6e5.
#[test]
fn strikes_beyond_the_cap_give_no_energy() {
    let mut simulation = driven(1e6, 1e-4);
    let start = kinetic(&simulation);
    while simulation.state.t < 1.2 {
        simulation.step().expect("it is right");
        let now = kinetic(&simulation);
        assert!(now <= start * (1.0 + 1e-9), "{now} J of {start} J at {} s", simulation.state.t);
    }
}

fn kinetic(simulation: &Simulation) -> f64 {
    simulation.model.energies_of(&simulation.state).expect("finite").kinetic
}

/// A ball of 1 kg between a wall and one that is heavier by `ratio` and comes at 1 m/s.
fn driven(ratio: f64, h: f64) -> Simulation {
    let (mut builder, material) = world(0.0, 1.0);
    builder.gravity([0.0; 3]);
    floor(&mut builder, material);
    for (k, mass) in [1.0, ratio].into_iter().enumerate() {
        let mut body = ball(&format!("ball{k}"), 0.05, mass, material);
        body.position = [0.0, 0.0, 0.55 + 0.6 * k as f64];
        body.velocity = [0.0, 0.0, -(k as f64)];
        builder.body(body);
    }
    run(builder, h)
}

/// A heavy ball drives a light one against a wall, without loss: they strike ⌊π √(M/m)⌋ times in all, the digits of π (G. Galperin, 2003).
#[test]
fn elastic_strikes_against_a_wall_count_the_digits_of_pi() {
    for (ratio, exact, h) in [(1e2, 31, 1e-2), (1e4, 314, 1e-3), (1e6, 3141, 2e-5)] {
        let mut simulation = driven(ratio, h);
        let start = kinetic(&simulation);
        let mut n = 0;
        // In the plane of √m x the two are one point on a straight line, mirrored in the sides of an angle θ = atan √(m/M), at a distance of
        // 0.5 √m from its tip: the last strike, at n θ, is at 0.5 + 0.5 cot(π − n θ) √(m/M) = 1.7, 3.5 and 1.3 s.
        while simulation.state.t < if ratio == 1e4 { 4.0 } else { 2.0 } {
            n += simulation.step().expect("it is right").log.events.len();
        }
        let change = (kinetic(&simulation) - start).abs() / start;
        assert_eq!(n, exact, "ratio {ratio:e}: {n} strikes, energy off by {change:.1e}");
        assert!(change < 1e-9, "ratio {ratio:e}: energy off by {change:.1e}");
    }
}

/// Two balls head-on: v⁺ = v − (1 + e) m_b/(m_a + m_b) (v_a − v_b), whatever the ratio.
#[test]
fn collisions_of_any_ratio_of_mass_follow_the_law() {
    for ratio in [1e-6, 1e-3, 1.0, 1e3, 1e6] {
        for e in [0.0, 0.4, 1.0] {
            let (mut builder, material) = world(0.3, e);
            builder.gravity([0.0; 3]);
            for (k, mass) in [1.0, ratio].into_iter().enumerate() {
                let mut body = ball(&format!("ball{k}"), 0.05, mass, material);
                body.position = [0.3 * k as f64, 0.0, 0.0];
                body.velocity = [1.0 - 3.0 * k as f64, 0.0, 0.0];
                builder.body(body);
            }
            let mut simulation = run(builder, 1e-2);
            simulation.run(20, &mut []).expect("it is right");
            let v = [simulation.state.v[0], simulation.state.v[6]];
            let change = 3.0 * (1.0 + e) / (1.0 + ratio);
            let exact = [1.0 - ratio * change, -2.0 + change];
            for (v, exact) in v.iter().zip(exact) {
                assert!((v - exact).abs() < 1e-9, "ratio {ratio:e}, e = {e}: {v}, not {exact}");
            }
        }
    }
}

/// A box that rests on one that is lighter by any ratio, and the force beneath.
#[test]
fn a_box_rests_on_a_light_one() {
    for ratio in [1.0, 1e2, 1e4, 1e6] {
        let (mut builder, material) = world(0.5, 0.0);
        floor(&mut builder, material);
        for (k, mass) in [1.0, ratio].into_iter().enumerate() {
            let mut body = cuboid(&format!("box{k}"), [0.1; 3], mass, material);
            body.position = [0.0, 0.0, 0.1 + 0.2 * k as f64];
            builder.body(body);
        }
        let mut simulation = run(builder, 2e-3);
        for _ in 0..500 {
            let log = simulation.step().expect("it is right").log;
            // At 10⁶ rounding of the light one's velocity, 1e-16 of the impulses on it, is 1e-10 of what it falls in a step.
            let bound = if ratio < 1e6 { 1e-10 } else { 1e-9 };
            assert!(log.residual <= bound, "ratio {ratio:e}: residual {:e}", log.residual);
        }
        let q = &simulation.state.q;
        let off = (q[2] - 0.1).abs().max((q[9] - 0.3).abs()).max(q[0].abs()).max(q[7].abs());
        assert!(off < 1e-9, "ratio {ratio:e}: off by {off:.1e}");
        let log = simulation.contacts();
        let beneath = |c: &usize| log.places[*c][0][2] < 0.1;
        let sum: f64 = (0..log.len()).filter(beneath).map(|c| log.impulse[log.rows(c).start]).sum();
        let weight = (1.0 + ratio) * G;
        let force = sum / log.length;
        assert!((force / weight - 1.0).abs() < 1e-6, "ratio {ratio:e}: {force} N of {weight} N");
    }
}

/// A grain falls on a ball ten thousand times its size, which rests on the floor: e² of the fall, and the large one does not move.
#[test]
fn a_grain_rebounds_from_a_body_ten_thousand_times_its_size() {
    for (radius, e) in [(1e-2, 0.5), (1e-3, 0.8), (1e-4, 1.0)] {
        let (mut builder, material) = world(0.0, e);
        floor(&mut builder, material);
        let mut large = cuboid("large", [1.0; 3], 1000.0, material);
        large.position = [0.0, 0.0, 1.0];
        builder.body(large);
        let mut grain = ball("grain", radius, 4200.0 * radius.powi(3), material);
        grain.position = [0.3, 0.2, 2.0 + radius + 0.2];
        builder.body(grain);
        let mut simulation = run(builder, 1e-3);
        let mut exact = 0.2;
        for _ in 0..500 {
            let log = simulation.step().expect("it is right").log;
            // Impacts of the grain: the large one only rests.
            exact *=
                (e * e).powi(log.events.iter().filter(|event| event.u_minus[0] < -1e-3).count() as i32);
            if exact < 1e-4 {
                break;
            }
            let state = synchronized(&simulation.model, &simulation.state);
            let height = state.q[9] - radius - 2.0 + state.v[8] * state.v[8] / (2.0 * G);
            // The grain gives its momentum to the floor through the box: only their sum is at rest.
            assert!((height - exact).abs() < 1e-9, "radius {radius:e}: {height}, not {exact}");
            assert!((state.q[2] - 1.0).abs() < 1e-9, "the large one is at {}", state.q[2]);
        }
        assert!(exact < 0.2 || e == 1.0, "radius {radius:e}: no impact");
    }
}
