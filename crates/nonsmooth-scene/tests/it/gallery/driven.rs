//! Bodies on kinematic bodies that move: a table that shakes, a drum that turns.

use super::{play, position, support};
use glam::DVec3;
use std::f64::consts::PI;

const G: f64 = 9.81;

#[test]
fn a_box_stays_on_a_table_that_shakes_softly() {
    let mut apart = 0.0f64;
    play("vibrating-table.toml", &[("strength", "0.99")], |frame| {
        let omega = 10.0 * PI;
        let table = 0.99 * G / omega.powi(2) * (1.0 - (omega * frame.after.t).cos());
        apart = apart.max(position(frame, 0).z - 0.05 - table);
    });
    // The table's motion is taken at steps of h: h² × jerk × h ~ 1e-6 of the amplitude.
    assert!(apart < 1e-5, "{apart:.1e} m apart");
}

#[test]
fn a_box_takes_off_and_lands_when_it_must() {
    let omega = 10.0 * PI;
    let amplitude = 1.5 * G / omega.powi(2);
    let table = |t: f64| amplitude * (1.0 - (omega * t).cos());
    // It takes off where the table's acceleration A ω² cos ω t is −g, and flies a parabola.
    let start = (-1.0f64 / 1.5).acos() / omega;
    let speed = amplitude * omega * (omega * start).sin();
    let flight = |t: f64| table(start) + speed * (t - start) - 0.5 * G * (t - start).powi(2);
    let mut land = start + 0.02;
    while flight(land) > table(land) {
        land += 1e-6;
    }
    let (mut left, mut landed, mut worst) = (0.0, 0.0, 0.0f64);
    play("vibrating-table.toml", &[], |frame| {
        let (t, z) = (frame.after.t, position(frame, 0).z - 0.05);
        if left == 0.0 && z - table(t) > 1e-6 {
            left = t;
        }
        if left > 0.0 && landed == 0.0 && z - table(t) < 1e-4 && t > left + 0.05 {
            landed = t;
        }
        if t > start && t < land - 1e-3 {
            worst = worst.max((z - flight(t)).abs());
        }
    });
    // 1e-6 m of gap need (6 · 1e-6/(A ω³ sin ω t))^(1/3) = 3 ms; landing is found within steps of 0.5 ms.
    assert!((left - start).abs() < 4e-3, "left at {left}, not {start}");
    assert!((landed - land).abs() < 2e-3, "landed at {landed}, not {land}");
    // The take-off speed is right to g h.
    assert!(worst < G * 5e-4 * (land - start), "{worst:.1e} m off the parabola");
}

/// In the steady state the drum's torque holds the weight at its lever, and its work is what contacts dissipate.
#[test]
fn a_drum_bears_the_torque_of_its_grains() {
    let (from, mut centre, mut torque, mut worked) = (2.0, DVec3::ZERO, 0.0, 0.0);
    let played = play("rotating-drum.toml", &[], |frame| {
        if frame.after.t > from {
            let bodies = &frame.model.rigid.bodies;
            let h = frame.after.step_size;
            (0..bodies.len()).for_each(|i| centre += h * bodies[i].mass * position(frame, i));
            torque += support(frame).1.z;
            worked += frame.log.works.prescribed;
        }
    });
    let (omega, time) = (1.5, played.simulation.state.t - from);
    let weight = G * played.bodies().bodies.iter().map(|body| body.mass).sum::<f64>();
    let (centre, torque, power) = (G / weight * centre / time, torque / time, worked / time);
    let angle = centre.x.atan2(-centre.y).to_degrees();
    eprintln!("angle {angle}°, torque {torque} N m, lever {} N m, power {power} W", weight * centre.x);
    // Angles of flowing grains of friction 0.6 are between 20° and 35°; atan 0.6 = 31°.
    assert!((15.0..40.0).contains(&angle), "the grains hang at {angle}°");
    // What remains of the torque is Δ(angular momentum)/time.
    assert!(
        (torque / (weight * centre.x) - 1.0).abs() < 0.03,
        "{torque} N m, not {}",
        weight * centre.x
    );
    // All staves turn with one angular velocity about one axis.
    assert!((power / (omega * torque) - 1.0).abs() < 0.02, "{power} W of {torque} N m");
    let out = (0..played.n()).filter(|&i| played.position(i).length() > 0.15).count();
    assert_eq!(out, 0, "grains left the drum");
}
