//! Closed forms: the ball of Acary's template, impacts between systems, moving floors, and the law imposed
//! on the gap.

mod chains;
mod joints;

use crate::kit::{
    Built, Gap, Linear, ModelBuilder, NewtonImpact, Options, Refusal, Simulation, Sparse, Trajectory,
    UserError,
};
use crate::{moreau_jean, order};

const MASS: f64 = 1.3;
const RADIUS: f64 = 0.1;
const GRAVITY: f64 = 9.81;

/// A vertical force a sin(ω t) as (a [N], ω [1/s]).
type Sine = (f64, f64);

/// The ball of the template, (z, x, angle), dropped from height `z` with some drift and spin.
fn ball(e: f64, (a, omega): Sine, z: f64) -> Built {
    let inertia = 0.6 * MASS * RADIUS * RADIUS;
    let system = Linear::new("ball", Sparse::diagonal(&[MASS, MASS, inertia]))
        .load(&[-MASS * GRAVITY, 0.0, 0.0])
        .force(move |t, out| {
            out[0] = a * (omega * t).sin();
            Ok(())
        })
        .initial(&[z, 0.0, 0.0], &[0.0, 0.5, 2.0]);
    let mut builder = ModelBuilder::new();
    let ball = builder.linear(system);
    let law = builder.law("rebound", NewtonImpact { restitution: e });
    builder.linear_gap("floor", law, &[(ball, 0, 1.0)], -RADIUS);
    builder.build(0.0).expect("the model is sound")
}

fn run((model, state): Built, options: &Options, h: f64, n: u64) -> Trajectory {
    let mut simulation = Simulation::new(model, state, moreau_jean(options), h).expect("accepted");
    let mut trajectory = Trajectory::default();
    simulation.run(n, &mut [&mut trajectory]).expect("the run ends well");
    trajectory
}

/// (z, v, p) of the template's Algorithm 1 for one coordinate, with γ = ½ and p an impulse.
fn by_hand(e: f64, theta: f64, (a, omega): Sine, h: f64, n: usize) -> Vec<[f64; 3]> {
    let (mut z, mut v) = (1.0, 0.0);
    let mut rows = vec![[z, v, 0.0]];
    for i in 0..n {
        let f = |k: usize| a * (omega * k as f64 * h).sin() - MASS * GRAVITY;
        let free = v + h / MASS * (theta * f(i + 1) + (1.0 - theta) * f(i));
        let active = z - RADIUS + 0.5 * h * v <= 0.0;
        let p = if active { f64::max(0.0, -MASS * (free + e * v)) } else { 0.0 };
        let next = free + p / MASS;
        z += h * (theta * next + (1.0 - theta) * v);
        v = next;
        rows.push([z, v, p]);
    }
    rows
}

#[test]
fn ball_follows_the_scheme_written_by_hand() {
    for sine in [(0.0, 1.0), (15.0, 7.0)] {
        for e in [0.0, 0.5, 1.0] {
            for theta in [0.5, 0.75, 1.0] {
                let (h, n) = (1.7e-3, 2500);
                let options = Options::default().with("theta", theta);
                let ours = run(ball(e, sine, 1.0), &options, h, n as u64);
                let hand = by_hand(e, theta, sine, h, n);
                let mut worst = (0.0f64, 0);
                for (k, row) in hand.iter().enumerate() {
                    let ours = [ours.q[k][0], ours.v[k][0], ours.impulses[k][0]];
                    let far = (0..3).fold(0.0f64, |m, i| m.max((ours[i] - row[i]).abs()));
                    worst = if far > worst.0 { (far, k) } else { worst };
                }
                // Rounding: numbers up to 10, 2500 steps, amplified a little by every impact.
                assert!(
                    worst.0 < 1e-11,
                    "e = {e}, θ = {theta}, f = {sine:?}: {:.1e} at step {}",
                    worst.0,
                    worst.1
                );
                // The floor is smooth: drift and spin never change, to rounding of 2500 sums.
                let t = *ours.t.last().unwrap();
                let last = ours.q.last().unwrap();
                assert!((last[1] - 0.5 * t).abs() < 1e-12 && (last[2] - 2.0 * t).abs() < 1e-11);
            }
        }
    }
}

/// Height of the lowest point at time `t` of a ball dropped from `y0`: parabolas between impacts.
fn parabolas(y0: f64, e: f64, t: f64) -> f64 {
    let fall = (2.0 * y0 / GRAVITY).sqrt();
    if t < fall {
        return y0 - 0.5 * GRAVITY * t * t;
    }
    let (mut since, mut u) = (t - fall, e * GRAVITY * fall);
    while u > 1e-12 {
        let flight = 2.0 * u / GRAVITY;
        if since < flight {
            return u * since - 0.5 * GRAVITY * since * since;
        }
        since -= flight;
        u *= e;
    }
    0.0
}

#[test]
fn ball_converges_to_the_parabolas_with_order_one() {
    let end = 2.3;
    for e in [0.0, 0.5, 1.0] {
        for theta in [0.5, 0.75, 1.0] {
            let options = Options::default().with("theta", theta);
            // Steps that no impact time is a multiple of, at 40 phases that cover the step evenly.
            let mean = |first: u64| -> f64 {
                let l1 = |n: u64| -> f64 {
                    let h = end / n as f64;
                    let ours = run(ball(e, (0.0, 1.0), 1.0), &options, h, n);
                    let far = |k: usize| (ours.q[k][0] - RADIUS - parabolas(0.9, e, ours.t[k])).abs();
                    h * (0..ours.t.len()).map(far).sum::<f64>()
                };
                (0..40).map(|i| l1(first + 7 * i)).sum::<f64>() / 40.0
            };
            let [coarse, fine] = [1009, 8017].map(mean);
            let measured = order(coarse, fine, 8017.0 / 1009.0);
            eprintln!("e = {e}, θ = {theta}: {coarse:.2e} → {fine:.2e}, order {measured:.3}");
            // The mean over the phases still scatters by some per cent, over two octaves and a half.
            assert!(
                (measured - 1.0).abs() < 0.12,
                "e = {e}, θ = {theta}: order {measured:.3} ({coarse:.2e} → {fine:.2e})"
            );
        }
    }
}

#[test]
fn ball_under_a_sine_falls_with_order_two() {
    let (a, omega) = (4.0, 5.0);
    let [coarse, fine] = [40, 80].map(|n| {
        let h = 0.4 / n as f64;
        let ours = run(ball(0.5, (a, omega), 2.0), &Options::default(), h, n);
        let exact = |t: f64| {
            2.0 - 0.5 * GRAVITY * t * t + a / MASS * (t / omega - (omega * t).sin() / omega.powi(2))
        };
        ours.t.iter().zip(&ours.q).fold(0.0f64, |m, (&t, q)| m.max((q[0] - exact(t)).abs()))
    });
    let measured = order(coarse, fine, 2.0);
    // θ = ½ is the trapezoidal rule; ω h = 0.05 leaves a per cent for the next term.
    assert!((measured - 2.0).abs() < 0.05, "order {measured:.3} ({coarse:.2e} → {fine:.2e})");
}

#[test]
fn ball_rests_after_accumulation_and_each_step_carries_its_weight() {
    for e in [0.0, 0.5, 0.8] {
        for h in [1e-3, 4e-3] {
            let ours = run(ball(e, (0.0, 1.0), 1.0), &Options::default(), h, (6.0 / h) as u64);
            // Impacts accumulate at 0.43 s × (1 + 2e/(1−e)) ≤ 3.9 s; then u⁺ = −e u dies out in 180 steps.
            let first = ours.t.iter().position(|&t| t > 5.0).unwrap();
            for k in first..ours.t.len() {
                let (v, p) = (ours.v[k][0], ours.impulses[k][0]);
                // Rounding of numbers of the size of g h and m g h. p is an impulse: p/h is the weight.
                assert!(v.abs() <= 1e-16, "e = {e}, h = {h}: v = {v:e} at step {k}");
                let weight = MASS * GRAVITY;
                assert!((p / h - weight).abs() <= 1e-14 * weight, "e = {e}, h = {h}: p/h = {:e}", p / h);
            }
            // No drift: the overlap of the last impact stays, bit by bit.
            assert_eq!(ours.q[first][0], ours.q.last().unwrap()[0]);
        }
    }
}

#[test]
fn impulse_of_an_impact_does_not_depend_on_the_step() {
    let expected = MASS * 1.5 * (2.0 * GRAVITY * 0.9f64).sqrt();
    for h in [1e-2, 1e-3, 1e-4] {
        let ours = run(ball(0.5, (0.0, 1.0), 1.0), &Options::default(), h, (0.5 / h) as u64);
        let p = ours.impulses.iter().fold(0.0f64, |m, p| m.max(p[0]));
        // The impact is taken up to one step late, at a speed larger by g h, plus the weight m g h.
        let late = MASS * GRAVITY * h * 2.5;
        assert!((p - expected).abs() < late, "h = {h}: p = {p}, expected {expected} ± {late:.1e}");
    }
}

#[test]
fn two_systems_rebound_with_newton_and_keep_momentum() {
    let (m, start) = ([1.0, 3.0], [2.0, -1.0]);
    for e in [0.0, 0.5, 1.0] {
        for theta in [0.5, 1.0] {
            let mut builder = ModelBuilder::new();
            let mut add = |name: &str, i: usize, q: f64| {
                let mass = Sparse::diagonal(&[m[i], m[i]]);
                builder.linear(Linear::new(name, mass).initial(&[0.7, q], &[0.0, start[i]]))
            };
            let (left, right) = (add("left", 0, 0.0), add("right", 1, 1.0));
            let law = builder.law("rebound", NewtonImpact { restitution: e });
            builder.linear_gap("between", law, &[(right, 1, 1.0), (left, 1, -1.0)], -0.2);
            let model = builder.build(0.0).unwrap();
            let ours = run(model, &Options::default().with("theta", theta), 1e-3, 400);
            let p = m[0] * m[1] / (m[0] + m[1]) * (1.0 + e) * (start[0] - start[1]);
            let v = ours.v.last().unwrap();
            // Rounding: one division and one sum.
            assert!((v[1] - (start[0] - p / m[0])).abs() < 1e-14, "e = {e}: left {}", v[1]);
            assert!((v[3] - (start[1] + p / m[1])).abs() < 1e-14, "e = {e}: right {}", v[3]);
            let total: f64 = ours.impulses.iter().map(|p| p[0]).sum();
            assert!((total - p).abs() < 1e-14, "e = {e}: impulse {total}, expected {p}");
        }
    }
}

/// y = q − s(t).
#[derive(Clone, Copy)]
struct MovingFloor {
    position: fn(f64) -> f64,
    velocity: fn(f64) -> f64,
    linear: bool,
}

impl Gap for MovingFloor {
    fn gap(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(q[0] - (self.position)(t))
    }
    fn jacobian(&self, _t: f64, _q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out[0] = 1.0;
        Ok(())
    }
    fn rate(&self, t: f64, _q: &[f64]) -> Result<f64, UserError> {
        Ok(-(self.velocity)(t))
    }
    fn is_linear(&self) -> bool {
        self.linear
    }
}

/// A ball above the floor, which is a gap that depends on time or a plane with prescribed velocity.
fn above_floor(floor: MovingFloor, e: f64, prescribed: bool) -> Built {
    let mut builder = ModelBuilder::new();
    let ball = Linear::new("ball", Sparse::diagonal(&[2.0])).load(&[-19.62]).initial(&[0.5], &[0.0]);
    let ball = builder.linear(ball);
    let law = builder.law("rebound", NewtonImpact { restitution: e });
    if prescribed {
        let start = [(floor.position)(0.0)];
        let plane = Linear::new("plane", Sparse::diagonal(&[1.0]));
        let plane = builder.linear(plane.initial(&start, &[(floor.velocity)(0.0)]));
        builder.prescribe(plane, 0, move |t| Ok((floor.velocity)(t)));
        builder.linear_gap("contact", law, &[(ball, 0, 1.0), (plane, 0, -1.0)], 0.0);
    } else {
        builder.gap("contact", law, &[(ball, 0)], floor);
    }
    builder.build(0.0).expect("the model is sound")
}

/// Largest difference of the ball's height between the two models of the floor.
fn floors_apart(floor: MovingFloor, e: f64, h: f64) -> f64 {
    let n = (2.0 / h) as u64;
    let [gap, plane] = [false, true].map(|p| run(above_floor(floor, e, p), &Options::default(), h, n));
    gap.q.iter().zip(&plane.q).fold(0.0, |m, (a, b)| m.max((a[0] - b[0]).abs()))
}

#[test]
fn floor_in_time_equals_a_plane_with_prescribed_velocity() {
    for linear in [true, false] {
        for e in [0.5, 0.9] {
            // The θ-rule with θ = ½ follows a parabola without error, so the models are one: rounding.
            let (position, velocity) = (|t| t * (0.2 * t - 0.3), |t| 0.4 * t - 0.3);
            let far = floors_apart(MovingFloor { position, velocity, linear }, e, 1e-3);
            assert!(far < 1e-11, "parabola, e = {e}, linear = {linear}: {far:.2e}");
            // Elsewhere the plane is O(h²) off; an impact may then come one step apart, which moves the
            // ball by (1 + e) h |u|, |u| < 5 m/s, and the few that follow add up: 20 h.
            let (position, velocity) = (|t: f64| 0.1 * (3.0 * t).sin(), |t: f64| 0.3 * (3.0 * t).cos());
            for h in [2e-3, 2.5e-4] {
                let far = floors_apart(MovingFloor { position, velocity, linear }, e, h);
                eprintln!("sine, e = {e}, h = {h}, linear = {linear}: {far:.2e}");
                assert!(far < 20.0 * h, "sine, e = {e}, h = {h}: {far:.2e}");
            }
        }
    }
}

/// A mass inside the unit circle: y = 1 − x² − z².
struct Bowl;

impl Gap for Bowl {
    fn gap(&self, _t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(1.0 - q[0] * q[0] - q[1] * q[1])
    }
    fn jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out.copy_from_slice(&[-2.0 * q[0], -2.0 * q[1]]);
        Ok(())
    }
}

/// Two balls above each other over a moving floor, and a mass in a bowl; `law` everywhere.
fn crowd(e: f64) -> Built {
    let mut builder = ModelBuilder::new();
    let mut add = |name: &str, q: &[f64]| {
        let weight = [-9.81, 0.0];
        let system = Linear::new(name, Sparse::diagonal(&vec![1.0; q.len()])).load(&weight[..q.len()]);
        builder.linear(system.initial(q, &vec![0.0; q.len()]))
    };
    let (lower, upper, mass) = (add("lower", &[0.4]), add("upper", &[0.7]), add("mass", &[0.1, 0.6]));
    let law = builder.law("contact", NewtonImpact { restitution: e });
    builder.linear_gap("between", law, &[(upper, 0, 1.0), (lower, 0, -1.0)], -0.2);
    let (position, velocity) = (|t: f64| 0.1 * (5.0 * t).sin(), |t: f64| 0.5 * (5.0 * t).cos());
    builder.gap("floor", law, &[(lower, 0)], MovingFloor { position, velocity, linear: true });
    builder.gap("bowl", law, &[(mass, 0), (mass, 1)], Bowl);
    builder.build(0.0).expect("the model is sound")
}

#[test]
fn position_level_ends_every_step_without_overlap() {
    for theta in [0.5, 0.75, 1.0] {
        let options = Options::default().with("theta", theta).with_word("level", "position");
        let ours = run(crowd(0.0), &options, 2e-3, 1000);
        let mut touched = [0; 3];
        for (k, (gaps, impulses)) in ours.gaps.iter().zip(&ours.impulses).enumerate() {
            for (i, (&y, &p)) in gaps.iter().zip(impulses).enumerate() {
                // The certificate (1e-10) and Newton (1e-12) are on velocities; the gap has a factor h.
                assert!(y >= -1e-12, "θ = {theta}: gap {y:e} of constraint {i} at step {k}");
                assert!(p >= 0.0, "θ = {theta}: impulse {p:e} of constraint {i} at step {k}");
                // Open beyond the same rounding: no impulse, exactly.
                assert!(y < 1e-11 || p == 0.0, "θ = {theta}: p = {p:e}, y = {y:e}, {i}, step {k}");
                touched[i] += usize::from(p > 0.0);
            }
        }
        assert!(touched.iter().all(|&n| n > 10), "θ = {theta}: contacts {touched:?}");
    }
}

#[test]
fn position_level_refuses_what_it_cannot_honour() {
    let refused = |e: f64, options: Options| {
        let (model, state) = crowd(e);
        Simulation::new(model, state, moreau_jean(&options), 1e-3).err()
    };
    let position = || Options::default().with_word("level", "position");
    let refusal = refused(0.3, position()).expect("restitution is refused");
    let text = refusal.to_string();
    assert!(matches!(refusal, Refusal::Rebound { .. }), "{text}");
    for word in ["position", "restitution", "`contact`", "moreau-jean"] {
        assert!(text.contains(word), "`{word}` is not in: {text}");
    }
    let refusal = refused(0.0, position().with("theta", 0.0)).expect("theta = 0 is refused");
    assert_eq!(refusal, Refusal::ExplicitAtPositionLevel);
    assert!(refusal.to_string().contains("theta > 0"), "{refusal}");
    assert!(refused(0.0, position()).is_none());
    assert!(refused(0.3, Options::default().with("theta", 0.0)).is_none());
}
