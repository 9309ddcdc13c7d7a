//! A rocking block: what an impact takes, and how long a quarter of a period is.
//!
//! A block of half width b and half height a, R² = a² + b², sin α = b/R, that turns about one corner and lands on the
//! other. With friction that sticks and e = 0 both corners are closed; the old one opens again (ω⁺ > 0) and carries no
//! impulse, so the angular momentum about the new one is kept [Housner63]:
//!
//! ```text
//! ω⁺/ω⁻ = 1 − ³⁄₂ sin²α          if that is positive; else the old corner holds too and the block stops
//! ω⁺/ω⁻ = (1 − 3 sin²α)/(1 + 3 sin²α)          without friction: only the vertical impulse acts; or 0
//! ```

use super::prelude::*;
use glam::DVec3;
use nonsmooth_geometry::spatial::Shape;

/// A block (half width b, half height a) that stands on its right corner, turned by `angle` and turning back.
fn block(b: f64, a: f64, angle: f64, omega: f64, mu: f64, yaw: f64, h: f64) -> Simulation {
    let mut yard = Yard::new(mu, 0.0);
    yard.floor();
    let cuboid = Shape::cuboid([b, 0.3, a]).expect("a right shape");
    // Turned about −y by the angle, the corner (−b, −a) is the lowest; it is put at the origin.
    let tilt = glam::DQuat::from_axis_angle(DVec3::Y, -angle);
    let turn = glam::DQuat::from_axis_angle(DVec3::Z, yaw);
    let arm = turn * (tilt * DVec3::new(b, 0.0, a));
    let spin = turn * DVec3::new(0.0, omega, 0.0);
    let q = turn * tilt;
    let body: Body = yard.body("block", &cuboid, 1000.0, arm.to_array());
    let body = Body {
        rotation: [q.w, q.x, q.y, q.z],
        velocity: spin.cross(arm).to_array(),
        angular_velocity: (q.inverse() * spin).to_array(),
        ..body
    };
    yard.builder.body(body);
    yard.simulation(h)
}

fn omega(simulation: &Simulation) -> f64 {
    simulation.state.v[4]
}

#[test]
fn an_impact_takes_what_housner_says() {
    // sin²α: slender, moderate, and so squat that the block stops.
    for (b, a) in [(0.1, 0.5), (0.2, 0.4), (0.4, 0.4), (0.5, 0.3)] {
        let square = b * b / (a * a + b * b);
        for (mu, free) in
            [(10.0, 1.0 - 1.5 * square), (0.0, (1.0 - 3.0 * square) / (1.0 + 3.0 * square))]
        {
            for yaw in [0.0, 0.5] {
                let (h, angle) = (1e-6, 1e-9);
                let mut simulation = block(b, a, angle, 1.0, mu, yaw, h);
                simulation.run(1, &mut []).unwrap();
                let want: f64 = f64::max(free, 0.0);
                // The step adds gravity's h g/R.
                let got = omega(&simulation);
                assert!((got - want).abs() < 1e-4, "{b} {a} {mu} {yaw}: {got} {want}");
            }
        }
    }
}

/// Time and speed at the end of a fall from rest at θ₀ to θ = 0: θ̈ = −p² sin(α − θ), p² = 3g/(4R), so that
/// ω² = 2p² (cos(α − θ₀) − cos(α − θ)), and t = ∫ dθ/ω. With θ = θ₀ (1 − s²) the integrand is smooth.
fn quarter(alpha: f64, p_square: f64, start: f64) -> (f64, f64) {
    let omega = |theta: f64| (2.0 * p_square * ((alpha - start).cos() - (alpha - theta).cos())).sqrt();
    let n = 1000;
    let middles = (0..n).map(|k| (f64::from(k) + 0.5) / f64::from(n));
    let time: f64 = middles.map(|s| 2.0 * start * s / omega(start * (1.0 - s * s))).sum();
    (time / f64::from(n), omega(0.0))
}

/// A quarter of a period from rest, the speed at its end, and the swing after the impact.
#[test]
fn a_block_rocks_as_it_should() {
    let (b, a) = (0.1f64, 0.5f64);
    let (radius, alpha) = (b.hypot(a), (b / a).atan());
    let p_square = 3.0 * 9.81 / (4.0 * radius);
    let start = 0.6 * alpha;
    let (time, speed) = quarter(alpha, p_square, start);
    // Housner's linearised quarter is near.
    let linear = (1.0 / (1.0 - start / alpha)).acosh() / p_square.sqrt();
    assert!((time / linear - 1.0).abs() < 0.02);
    let h = 2e-4;
    let mut simulation = block(b, a, start, 0.0, 1.0, 0.3, h);
    let mut before = 0.0f64;
    let mut landed = None;
    for _ in 0..(3.0 * time / h) as usize {
        simulation.step().unwrap_or_else(|error| panic!("{error}"));
        let (omega, tilt) = (omega(&simulation), simulation.state.q[2]);
        if landed.is_none() && omega < 0.999 * before {
            landed = Some((simulation.state.t, before, omega));
        }
        before = omega;
        // The swing ends where it comes to rest on the other side.
        if let Some((t, before, after)) = landed.filter(|_| omega < 0.0) {
            let left = (tilt / radius).acos() - alpha;
            // Energy: cos(α − θ₁) − cos α = r² (cos(α − θ₀) − cos α).
            let ratio = 1.0 - 1.5 * alpha.sin().powi(2);
            let height = (alpha - start).cos() - alpha.cos();
            let want = (alpha.cos() + ratio * ratio * height).acos();
            let left = left.abs();
            assert!((alpha - left - want).abs() < 0.01 * alpha, "{left} {want} {alpha}");
            // The scheme is of first order at a turning contact: some steps.
            assert!((t - time).abs() < 5.0 * h + 1e-2 * time, "{t} {time}");
            assert!((before - speed).abs() < 0.01 * speed, "{before} {speed}");
            assert!((after / before - ratio).abs() < 2e-3, "{} {ratio}", after / before);
            return;
        }
    }
    panic!("the block did not swing back: {landed:?}");
}

/// Left alone a block at rest on one edge falls to its face and stays, turned by nothing but the tilt.
#[test]
fn a_block_comes_to_rest_on_its_face() {
    let mut simulation = block(0.1, 0.3, 0.05, 0.0, 0.8, 0.2, 1e-3);
    simulation.run(4000, &mut []).unwrap();
    let q = &simulation.state.q;
    // Rest: the rocking dies out; overlap of the landings is h v at most: 1e-3 · 0.1.
    assert!((q[2] - 0.3).abs() < 1e-4, "{q:?}");
    let yaw = about([0.0, 0.0, 1.0], 0.2);
    assert!((q[3] - yaw[0]).abs() < 1e-4 && (q[6] - yaw[3]).abs() < 1e-4, "{q:?}");
    assert!(simulation.state.v.iter().all(|v| v.abs() < 1e-3), "{:?}", simulation.state.v);
}
