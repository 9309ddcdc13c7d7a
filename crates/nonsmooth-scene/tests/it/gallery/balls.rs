//! Balls: a column that buckles, Newton's cradle, a belt, a turntable.

use super::{play, position, velocity};
use glam::DVec3;

const G: f64 = 9.81;

/// Smooth balls in line, ball k at x_k: with d_k = x_{k+1} − x_k and N_k the weight above, the normal force has the part
/// N_k d_k/(2R) across the line, so that m ẍ_{k+1} = N_k d_k/(2R) − N_{k+1} d_{k+1}/(2R) to first order.
fn buckle(x: &mut [f64; 6], v: &mut [f64; 6], radius: f64, dt: f64) {
    let mut a = [0.0; 6];
    for k in 0..5 {
        let push = (5 - k) as f64 * G * (x[k + 1] - x[k]) / (2.0 * radius);
        a[k] -= push;
        a[k + 1] += push;
    }
    for k in 0..6 {
        v[k] += dt * a[k];
        x[k] += dt * v[k];
    }
}

#[test]
fn a_column_of_balls_buckles_as_linear_theory_says() {
    let (mut x, mut v) = ([0.0; 6], [0.0; 6]);
    x[3] = 1e-5;
    let (mut worst, mut reached) = (0.0f64, 0.0f64);
    let played = play("column-of-balls.toml", &[], |frame| {
        for _ in 0..100 {
            buckle(&mut x, &mut v, 0.1, 1e-5);
        }
        let size = x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        // As long as angles are small.
        if size < 0.005 {
            let off = (0..6).fold(0.0f64, |m, k| m.max((position(frame, k).x - x[k]).abs()));
            (worst, reached) = (worst.max(off / size), size);
        }
    });
    assert!(reached > 0.004, "{reached}");
    // It grows by e⁶, with rates near λ = 20/s that a scheme of first order gets right to λh/2 = 1 %. Measured: 0.06.
    assert!(worst < 0.1, "off by {worst:.3} of the deflection");
    // All of them have come down, and nothing was gained.
    assert!((0..6).all(|k| played.position(k).z < 0.4));
    assert!(played.gain() < 0.0);
}

#[test]
fn newtons_cradle_sends_out_what_came_in() {
    // On the far side the last two rise as high as the first two were, the other three hang still.
    let (mut best, mut others) = (0.0f64, 0.0f64);
    let rise = 0.5 * (1.0 - 0.3f64.cos());
    let fastest = (2.0 * G * rise).sqrt();
    let played = play("newtons-cradle.toml", &[], |frame| {
        let height = position(frame, 4).y + 0.5;
        if frame.after.t < 1.0 && height > best {
            best = height;
            others = (0..3).fold(0.0f64, |m, k| m.max(velocity(frame, k).length()));
            assert!((position(frame, 3).y + 0.5 - height).abs() < 0.05 * rise);
        }
    });
    // The gaps let the balls meet up to 2 mm from the lowest points of their circles of 0.5 m.
    assert!((best - rise).abs() < 0.01 * rise, "{best} of {rise}");
    assert!(others < 0.03 * fastest, "{others} of {fastest}");
    // Elastic impacts keep the energy; the strings take a little, as the balls meet beside their lowest points. Measured: 0.4 %.
    assert!(played.gain() < 0.0 && played.gain() > -0.01 * 2.0 * G * rise, "{} J", played.gain());
}

#[test]
fn a_belt_takes_along_a_crate_wholly_and_a_ball_by_two_sevenths() {
    let (v, mu, h) = (2.0, 0.3, 1e-3);
    let mut arrived = [0.0; 2];
    play("conveyor-belt.toml", &[], |frame| {
        let want = [2.0 / 7.0 * v, v];
        for i in 0..2 {
            let along = velocity(frame, i).x;
            // Sliding, both feel μ m g.
            let sliding = mu * G * frame.after.t;
            if sliding < want[i] {
                assert!((along - sliding).abs() < 1e-9, "{i}: {along} {sliding}");
                arrived[i] = frame.after.t;
            } else {
                // The step in which sliding ends is solved exactly, too.
                assert!((along - want[i]).abs() < 1e-9, "{i}: {along} {}", want[i]);
            }
        }
    });
    for (i, time) in [2.0 * v / (7.0 * mu * G), v / (mu * G)].into_iter().enumerate() {
        assert!((arrived[i] - time).abs() <= h + 1e-12, "{i}");
    }
}

#[test]
fn a_ball_on_a_turntable_goes_round_in_a_circle() {
    let (table, x0, v0) = (6.0, DVec3::new(0.4, 0.0, 0.05), 0.2);
    // v = (2/7) Ω e_z × (x − c).
    let rate = 2.0 / 7.0 * table;
    let centre = x0 + DVec3::new(0.0, v0 / rate, 0.0);
    let mut worst = 0.0f64;
    let played = play("ball-on-turntable.toml", &[], |frame| {
        let (sine, cosine) = (rate * frame.after.t).sin_cos();
        let arm = x0 - centre;
        let want =
            centre + DVec3::new(cosine * arm.x - sine * arm.y, sine * arm.x + cosine * arm.y, 0.0);
        worst = worst.max((position(frame, 0) - want).length());
    });
    // A scheme of first order: v is off by a few h (2/7 Ω) v, which adds up to a few h 2π v over one round. Measured: 1.2 of them.
    let allowed = 2e-3 * std::f64::consts::TAU * v0;
    assert!(worst < allowed, "{worst:.2e} m of {allowed:.2e} m");
    assert!((played.position(0) - x0).length() < allowed);
}
