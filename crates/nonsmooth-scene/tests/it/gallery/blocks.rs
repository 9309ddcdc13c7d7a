//! Bodies that tip, rock, wobble and tumble: dominoes, Housner's block, Euler's disk, a boulder.

use super::{play, pose, position};
use glam::DVec3;
use nonsmooth::Observation;

const G: f64 = 9.81;

/// Angle of a body in the plane.
fn angle(frame: &Observation<'_>) -> f64 {
    frame.after.q[2]
}

/// Dominoes of height 1 that push each other without friction, all the fallen ones in touch: each is tied to the next by
/// sin(θ_n − θ_{n+1}) = (s + d) cos θ_{n+1} − d, so that the first one decides. [Leeuwen10]
struct Chain {
    /// Free distance and thickness in heights.
    s: f64,
    d: f64,
}

impl Chain {
    /// The angle of the one behind, and how fast it follows.
    fn behind(&self, theta: f64) -> (f64, f64) {
        let (sine, cosine) = theta.sin_cos();
        let reach = (self.s + self.d) * cosine - self.d;
        (theta + reach.asin(), 1.0 - (self.s + self.d) * sine / (1.0 - reach * reach).sqrt())
    }

    /// Of n dominoes Σ r², with the rates r of all in that of the first, and Σ (cos θ + d sin θ), which is potential energy.
    fn sums(&self, theta: f64, n: usize) -> (f64, f64) {
        let (mut theta, mut rate, mut inertia, mut height) = (theta, 1.0, 0.0, 0.0);
        for _ in 0..n {
            inertia += rate * rate;
            height += theta.cos() + self.d * theta.sin();
            let (next, factor) = self.behind(theta);
            (theta, rate) = (next, rate * factor);
        }
        (inertia, height)
    }

    /// Time in √(height/g) from where domino k leads until it touches the next, for each k < n, the first of them with this rate. While k
    /// leads, k + 1 dominoes move.
    fn times(&self, n: usize, first: f64) -> Vec<f64> {
        let (touch, steps) = (self.s.asin(), 400);
        // I = (1 + d²)/3 and V = Σ (cos θ + d sin θ)/2, per m h² and m g h.
        let (moment, mut square) = ((1.0 + self.d * self.d) / 3.0, first * first);
        let mut times = Vec::with_capacity(n);
        for k in 0..n {
            let (inertia, height) = self.sums(0.0, k + 1);
            let energy = 0.5 * moment * inertia * square + 0.5 * height;
            let rate = |theta: f64| {
                let (inertia, height) = self.sums(theta, k + 1);
                ((energy - 0.5 * height) * 2.0 / (moment * inertia)).sqrt()
            };
            let dt = |k: usize| touch / steps as f64 / rate((k as f64 + 0.5) / steps as f64 * touch);
            times.push((0..steps).map(dt).sum());
            // The next one is taken along at rest: the new motion is the old one, projected by the masses.
            let (old, _) = self.sums(touch, k + 1);
            let follow = self.behind(0.0).1;
            let rate = rate(touch) * follow * old / (1.0 + follow * follow * old);
            square = rate * rate;
        }
        times
    }
}

/// The front speeds up as the theory says, all the way from the push, and settles.
#[test]
fn the_front_of_falling_dominoes_gets_its_speed() {
    let (height, thick, pitch, push): (f64, f64, f64, f64) = (0.05, 0.0075, 0.02, 6.0);
    let touch = ((pitch - thick) / height).asin();
    let mut fell = vec![0.0; 30];
    play("dominoes.toml", &[("mu", "0")], |frame| {
        for (i, time) in fell.iter_mut().enumerate().filter(|(_, time)| **time == 0.0) {
            let rotation = pose(frame, i).rotation;
            // Where the upright axis points to.
            let axis = rotation * DVec3::Z;
            if axis.x >= touch.sin() {
                *time = frame.after.t;
            }
        }
    });
    assert!(fell.iter().all(|time| *time > 0.0), "all fall: {fell:?}");
    let speed = |a: usize, b: usize| pitch * (b - a) as f64 / (fell[b] - fell[a]);
    let chain = Chain { s: (pitch - thick) / height, d: thick / height };
    let times = chain.times(30, push * (height / G).sqrt());
    let theory = |a: usize, b: usize| {
        let time: f64 = times[a + 1..=b].iter().sum();
        pitch * (b - a) as f64 / (time * (height / G).sqrt())
    };
    for (a, b) in [(0, 4), (4, 10), (10, 18), (18, 26)] {
        let (found, want) = (speed(a, b), theory(a, b));
        eprintln!("dominoes {a} to {b}: {found} m/s, theory {want} m/s");
        // The theory has all fallen ones in touch; a step is 1 % of the shortest of these times.
        assert!((found / want - 1.0).abs() < 0.05, "dominoes {a} to {b}: {found} m/s, not {want}");
    }
    // By the theory it settles to 2 % from the sixteenth on.
    let (middle, late) = (speed(18, 22), speed(22, 26));
    assert!((late / middle - 1.0).abs() < 0.02, "it settles: {middle} then {late} m/s");
}

/// Time and speed at the end of a fall from rest at θ₀ to θ = 0: θ̈ = −p² sin(α − θ), p² = 3g/(4R), so that
/// ω² = 2p² (cos(α − θ₀) − cos(α − θ)), and t = ∫ dθ/ω. With θ = θ₀ (1 − s²) the integrand is smooth.
fn fall(alpha: f64, p_square: f64, start: f64) -> (f64, f64) {
    let omega = |theta: f64| (2.0 * p_square * ((alpha - start).cos() - (alpha - theta).cos())).sqrt();
    let n = 1000;
    let middles = (0..n).map(|k| (f64::from(k) + 0.5) / f64::from(n));
    let time: f64 = middles.map(|s| 2.0 * start * s / omega(start * (1.0 - s * s))).sum();
    (time / f64::from(n), omega(0.0))
}

#[test]
fn a_rocking_block_keeps_housners_time_and_restitution() {
    let (width, height) = (0.2f64, 1.0f64);
    let (half, alpha) = (0.5 * width.hypot(height), width.atan2(height));
    // (Time, angle, angular velocity) at each end of a swing, and when it passes the upright.
    let (mut peaks, mut crossings, mut last) = (vec![0.4 * alpha], Vec::new(), [0.0; 2]);
    let played = play("rocking-block.toml", &[], |frame| {
        let now = [angle(frame), frame.shown.v[2]];
        if last[0] != 0.0 && now[0] * last[0] < 0.0 {
            crossings.push(frame.after.t);
        }
        if last[1] != 0.0 && now[1] * last[1] < 0.0 && now[0].abs() > 1e-3 {
            peaks.push(now[0].abs());
        }
        last = now;
    });
    let p_square = 3.0 * G / (4.0 * half);
    let keeps = 1.0 - 1.5 * alpha.sin().powi(2);
    let (mut time, mut start, mut late) = (0.0, 0.4 * alpha, 0.0);
    for i in 0..4 {
        let (quarter, speed) = fall(alpha, p_square, start);
        time += quarter;
        // Half a step at each change of edge, amplified on the way.
        assert!((crossings[i] - time).abs() < 0.01 * (i + 1) as f64, "{i}: {} not {time}", crossings[i]);
        // T + V of the next peak: cos(α − θ) = 1·cos α + (keeps ω)²/(2 p²).
        let next = alpha - (alpha.cos() + (keeps * speed).powi(2) / (2.0 * p_square)).min(1.0).acos();
        // Each change of edge is seen up to a step late, so that the block has turned by ω h too far.
        late += speed * played.simulation.state.step_size;
        assert!((peaks[i + 1] - next).abs() < late, "{i}: {} not {next}", peaks[i + 1]);
        (start, time) = (next, time + fall(alpha, p_square, next).0);
    }
    assert!(played.gain() < 0.0);
}

#[test]
fn eulers_disk_wobbles_at_its_rate() {
    let (r, alpha) = (0.1, 0.3f64);
    let rate = 2.0 * (G / (r * alpha.sin())).sqrt();
    let (mut turned, mut last, mut highest) = (0.0, None::<f64>, 0.0f64);
    let mut drift = 0.0f64;
    let played = play("eulers-disk.toml", &[], |frame| {
        let (at, rotation) = (pose(frame, 0).position, pose(frame, 0).rotation);
        let axis = rotation * DVec3::Z;
        let now = axis.y.atan2(axis.x);
        let step = last.map_or(0.0, |last| now - last);
        turned += step - std::f64::consts::TAU * (step / std::f64::consts::TAU).round();
        last = Some(now);
        drift = drift.max(at.x.hypot(at.y));
        highest = highest.max(frame.log.energies.kinetic + frame.log.energies.potential);
    });
    let start = played.ledger.initial.kinetic + played.ledger.initial.potential;
    let measured: f64 = turned.abs() / played.simulation.state.t;
    eprintln!(
        "{measured} rad/s of {rate}, drift {drift}, energy {start}, gain {} {}",
        highest - start,
        played.gain()
    );
    assert!((measured / rate - 1.0).abs() < 0.03, "{measured} rad/s, not {rate}");
    // Nothing drives it; the explicit turn of the axes may gain a little.
    assert!(highest - start < 1e-4 * start, "gained {:.1e} J", highest - start);
    assert!(played.gain() < 0.0);
    assert!(drift < 0.1 * r, "the centre went {drift} m away");
}

#[test]
fn a_boulder_comes_to_rest_in_the_valley() {
    let mut highest = f64::INFINITY;
    let mut worst = 0.0f64;
    let played = play("rockfall.toml", &[], |frame| {
        let energy = frame.log.energies.kinetic + frame.log.energies.potential;
        worst = worst.max(energy - highest);
        highest = energy;
        assert!(position(frame, 0).z > -1.0, "through the ground at t = {}", frame.after.t);
    });
    let end = played.position(0);
    eprintln!("rest at {end}, gained at most {worst:.1e} J of {:.1e} J in a step", played.ledger.scale);
    // Newton's law with friction may gain where several corners hit at once, and the turn of the axes is not exact.
    assert!(worst <= 1e-6 * played.ledger.scale, "gained {worst:.1e} J in a step");
    assert!(end.x > 0.0, "{end}");
    let speed = played.simulation.state.v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    assert!(speed < 1e-3, "still moves with {speed:.1e}");
    // All that was lost went into contacts.
    let total = &played.ledger.total;
    let lost = total.impact + total.contact + total.friction + total.scheme;
    assert!((lost - played.gain()).abs() < 1e-9 * played.ledger.scale);
}

/// The glue holds until weight and pull are 2 √(w C), and takes the energy 2 w.
#[test]
fn a_glued_block_tears_off_at_its_pull_and_the_glue_takes_its_energy() {
    let (mut torn, mut lowest) = (0.0, 0.0f64);
    let played = play("glued-block.toml", &[], |frame| {
        let drop = -0.1 - frame.after.q[1];
        lowest = lowest.max(drop);
        // Beyond y = √(w/C) the glue weakens.
        if torn == 0.0 && drop > (0.1f64 / 4e4).sqrt() {
            torn = frame.after.t;
        }
    });
    let want = 2.0 * (0.1f64 * 4e4).sqrt() / 150.0;
    // It swings a little about its place: by 7e-6 m, or 4e-3 s of the pull.
    assert!((torn - want).abs() < 6e-3, "{torn} {want}");
    assert!(lowest > 0.1, "{lowest}");
    // The energy is of first order in the step: the second half of it goes in 20 ms.
    assert!((played.ledger.total.contact + 0.2).abs() < 8e-3, "{:?}", played.ledger.total);
}

/// The ball rolls v²/(2 a) far with a = (5/7) μ_r g/R; its spin is gone after J ω/(μ_s m g).
#[test]
fn a_braked_ball_stops_rolling_and_spinning_at_its_times() {
    let mut stop = [0.0f64; 2];
    let played = play("braked-ball.toml", &[], |frame| {
        let v = &frame.after.v;
        for (stop, x) in stop.iter_mut().zip([v[0], v[5]]) {
            if x.abs() > 1e-9 {
                *stop = frame.after.t;
            }
        }
    });
    let brake = 5.0 / 7.0 * 2e-3 * G / 0.1;
    let want = [0.1 / brake, 0.4 * 0.01 * 2.0 / (1e-3 * G)];
    let late = stop.iter().zip(want).map(|(t, want)| (t - want).abs()).fold(0.0, f64::max);
    assert!(late < 2e-3, "{stop:?} {want:?}");
    let way = played.simulation.state.q[0];
    assert!((way - 0.005 / brake).abs() < 2e-3 * way, "{way}");
}
