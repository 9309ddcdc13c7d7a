//! Machines: a linkage, a toy that walks down a pole, a gripper.

use super::{play, position};
use nonsmooth::observers::estimate;
use std::f64::consts::PI;

const G: f64 = 9.81;

/// The four-bar linkage by hand: one coordinate, the crank's angle.
mod linkage {
    use super::G;

    const LENGTHS: [f64; 3] = [0.3, 0.8, 0.7];
    const GROUND: f64 = 0.9;
    const WIDTH: f64 = 0.03;
    const DENSITY: f64 = 10.0;

    /// Place and angle of the middle of each bar, by the closure of the loop.
    fn poses(crank: f64) -> [[f64; 3]; 3] {
        let [a, b, c] = LENGTHS;
        let (ax, ay) = (a * crank.cos(), a * crank.sin());
        let line = (GROUND - ax).hypot(ay);
        let above = ((b * b + line * line - c * c) / (2.0 * b * line)).acos();
        let coupler = (-ay).atan2(GROUND - ax) + above;
        let (bx, by) = (ax + b * coupler.cos(), ay + b * coupler.sin());
        let rocker = by.atan2(bx - GROUND);
        [
            [0.5 * ax, 0.5 * ay, crank],
            [0.5 * (ax + bx), 0.5 * (ay + by), coupler],
            [0.5 * (GROUND + bx), 0.5 * by, rocker],
        ]
    }

    /// I(θ) of T = ½ I θ̇², by central differences.
    fn inertia(crank: f64) -> f64 {
        let e = 1e-5;
        let (after, before) = (poses(crank + e), poses(crank - e));
        (0..3)
            .map(|k| {
                let length = LENGTHS[k];
                let mass = DENSITY * length * WIDTH;
                let turn = mass * (length * length + WIDTH * WIDTH) / 12.0;
                let rate = |i: usize| (after[k][i] - before[k][i]) / (2.0 * e);
                mass * (rate(0).powi(2) + rate(1).powi(2)) + turn * rate(2).powi(2)
            })
            .sum()
    }

    fn potential(crank: f64) -> f64 {
        (0..3).map(|k| DENSITY * LENGTHS[k] * WIDTH * G * poses(crank)[k][1]).sum()
    }

    /// θ̈ = −(½ I′ θ̇² + V′) / I.
    fn acceleration(crank: f64, rate: f64) -> f64 {
        let e = 1e-4;
        let slope = |f: fn(f64) -> f64| (f(crank + e) - f(crank - e)) / (2.0 * e);
        -(0.5 * slope(inertia) * rate * rate + slope(potential)) / inertia(crank)
    }

    /// The crank's angle after the time `end`, let go at `start`: Runge–Kutta of order 4 with n steps.
    pub fn crank(start: f64, end: f64, n: u32) -> f64 {
        let h = end / f64::from(n);
        let (mut x, mut v) = (start, 0.0);
        for _ in 0..n {
            let k1 = (v, acceleration(x, v));
            let k2 = (v + 0.5 * h * k1.1, acceleration(x + 0.5 * h * k1.0, v + 0.5 * h * k1.1));
            let k3 = (v + 0.5 * h * k2.1, acceleration(x + 0.5 * h * k2.0, v + 0.5 * h * k2.1));
            let k4 = (v + h * k3.1, acceleration(x + h * k3.0, v + h * k3.1));
            x += h / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0);
            v += h / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1);
        }
        x
    }
}

/// Through both dead centres of the rocker; joints closed to 1e-12 of the size, no work but O(h²).
#[test]
fn a_four_bar_linkage_falls_as_its_one_equation_says() {
    let (start, exact) = (1.2, linkage::crank(1.2, 3.0, 3000));
    let errors = [1e-3, 5e-4].map(|h| {
        let mut text =
            std::fs::read_to_string(crate::scenes().join("four-bar.toml")).expect("it is there");
        text = text.replace("step_size = 0.001", &format!("step_size = {h}"));
        let mut simulation = crate::from_text(&text).expect("it is good").simulation;
        simulation.run((3.0 / h) as u64, &mut []).expect("it runs");
        simulation.state.angles[0] + start - exact
    });
    // An angle that changes by 6 rad at up to 15 rad/s.
    assert!(errors[0].abs() < 1e-4, "{errors:?}");
    let ratio = errors[0] / errors[1];
    assert!((3.0..5.0).contains(&ratio), "second order: {errors:?}");
}

/// The bird's fixed point of the literature: sleeve jammed, bird at −0.2788 rad with ẏ = −0.3411 m/s and −7.4583 rad/s. It was found by time
/// stepping; here the map is seen to contract to a point within 0.5 % of it, from one side and the other.
#[test]
fn the_woodpecker_has_a_limit_cycle() {
    let (mut last, mut returns) = (None::<(f64, [f64; 3], f64)>, Vec::new());
    play("woodpecker.toml", &[], |frame| {
        let (q, v) = (&frame.after.q, &frame.shown.v);
        let now = (frame.after.t, [v[0], q[2], v[2]], q[0]);
        if let Some(before) = last
            && before.1[1] > -0.2788
            && now.1[1] <= -0.2788
        {
            let w = (before.1[1] + 0.2788) / (before.1[1] - now.1[1]);
            let between = |a: f64, b: f64| a + w * (b - a);
            returns.push([
                between(before.0, now.0),
                between(before.1[0], now.1[0]),
                between(before.1[2], now.1[2]),
                between(before.2, now.2),
            ]);
        }
        last = Some(now);
    });
    assert!(returns.len() >= 9, "{returns:?}");
    let steps: Vec<f64> = returns.windows(2).map(|pair| pair[1][2] - pair[0][2]).collect();
    for pair in steps.windows(2) {
        let factor = pair[1] / pair[0];
        assert!((-0.95..-0.7).contains(&factor), "each return overshoots, and less: {steps:?}");
    }
    let [before, end] = [&returns[returns.len() - 2], &returns[returns.len() - 1]];
    assert!((end[2] + 7.4583).abs() < 0.005 * 7.4583, "{returns:?}");
    assert!((end[1] + 0.3411).abs() < 0.005 * 0.3411, "{returns:?}");
    // Each cycle takes 0.146 s and 19.4 mm.
    let (period, way) = (end[0] - before[0], before[3] - end[3]);
    assert!((period - 0.146).abs() < 1e-4 && (way - 0.01945).abs() < 5e-5, "{period} s, {way} m");
}

/// Largest acceleration of the hand: 2π rise/time².
#[test]
fn a_gripper_lifts_what_friction_can_hold() {
    let (mass, friction, rise) = (2.0, 0.5, 0.3);
    let needed = mass * (G + 2.0 * PI * rise) / (2.0 * friction);
    for (squeeze, holds) in [(1.005 * needed, true), (0.995 * needed, false)] {
        let mut slip = 0.0f64;
        let played = play("gripper.toml", &[("squeeze", &squeeze.to_string())], |frame| {
            let time = frame.after.t;
            let s = (time - 0.2).clamp(0.0, 1.0);
            let hand = rise * (s - (2.0 * PI * s).sin() / (2.0 * PI));
            slip = slip.max(hand + 0.05 - position(frame, 0).z);
        });
        // Held, it follows the hand to the solver's tolerance; else it slides until the hand is slower again.
        assert!(if holds { slip < 1e-9 } else { slip > 1e-5 }, "squeeze {squeeze} N: slip {slip} m");
        if holds {
            // Noise of the solver turned round in every step, and was told as an error of 30 %; (2π h/time)² is 4e-5.
            let accuracy = played.simulation.accuracy();
            let told = estimate(&played.ledger, &played.summary, accuracy, 1e-3);
            assert!(
                told.is_err() || told.unwrap().relative < 1e-4,
                "what only sticks has no error of slip: {told:?}"
            );
        }
    }
    // Less than the weight at rest: it stays on the table.
    let played = play("gripper.toml", &[("squeeze", "17")], |_| {});
    assert!(17.0 < mass * G / (2.0 * friction));
    assert!((played.position(0).z - 0.05).abs() < 1e-9, "{}", played.position(0));
}
