//! Coulomb friction in the schemes that work with accelerations, and in generalized-α.

use super::Yard;
use crate::by_name::integrator;
use crate::kit::{
    Built, Coulomb, Gap, Linear, ModelBuilder, Options, Simulation, Sparse, State, UserError,
};
use nonsmooth::laws::Law;

const G: f64 = 9.81;
/// All that take friction with accelerations.
pub const SCHEMES: [&str; 5] =
    ["event-driven", "high-order", "splitting", "d1-minus", "generalized-alpha"];

pub fn coulomb(friction: f64) -> Coulomb {
    Coulomb { friction, ..Coulomb::default() }
}

pub fn simulation((model, state): Built, scheme: &str, options: &Options, h: f64) -> Simulation {
    Simulation::new(model, state, integrator(scheme, options), h).expect("the scheme takes friction")
}

pub fn run(built: Built, scheme: &str, h: f64, n: u64) -> State {
    let mut simulation = simulation(built, scheme, &Options::default(), h);
    simulation.run(n, &mut []).unwrap_or_else(|error| panic!("{scheme}: {error}"));
    *simulation.state
}

/// A block with this load along n, s (and r) that touches n ≥ 0.
fn block(law: impl Law + 'static, load: &[f64], v: &[f64]) -> Built {
    let mut builder = ModelBuilder::new();
    let block = Linear::new("block", Sparse::diagonal(&vec![1.0; load.len()])).load(load);
    let block = builder.linear(block.initial(&vec![0.0; load.len()], v));
    let law = builder.law("rough", law);
    let tangents: Vec<_> = (1..load.len()).map(|k| [(block, k, 1.0)]).collect();
    let tangents: Vec<&[_]> = tangents.iter().map(|t| &t[..]).collect();
    builder.linear_contact("floor", law, &[(block, 0, 1.0)], 0.0, &tangents);
    builder.build(0.0).expect("a right model")
}

/// On a slope of tan α = ½ a block holds with μ = 0.55 and slides ½ g (sin α − μ cos α) t² with μ = 0.4, downhill in the plane of two
/// tangents too.
#[test]
fn a_block_on_a_slope_holds_or_slides() {
    let (sine, cosine) = 0.5f64.atan().sin_cos();
    for scheme in SCHEMES {
        for load in [vec![-cosine, sine], vec![-cosine, 0.6 * sine, -0.8 * sine]] {
            let load: Vec<f64> = load.iter().map(|x| G * x).collect();
            for (mu, exact) in [(0.55, 0.0), (0.4, 0.5 * G * (sine - 0.4 * cosine))] {
                let end = run(block(coulomb(mu), &load, &vec![0.0; load.len()]), scheme, 0.01, 100);
                let s = end.q[1..].iter().map(|q| q * q).sum::<f64>().sqrt();
                assert!((s - exact).abs() < 1e-9, "{scheme}, μ = {mu}: {:?}, not {exact}", end.q);
                assert!(end.q[0].abs() < 1e-12, "{scheme}: {:?}", end.q);
            }
        }
    }
}

/// Sliding at 1 m/s with μ = 0.3 a block stops after 1/(μ g) and stays.
#[test]
fn a_sliding_block_stops_and_stays() {
    let (mu, n) = (0.3, 100u64);
    for scheme in SCHEMES {
        for v in [vec![0.0, 1.0], vec![0.0, -0.6, 0.8]] {
            let mut load = vec![0.0; v.len()];
            load[0] = -G;
            let end = run(block(coulomb(mu), &load, &v), scheme, 1.0 / n as f64, n);
            let s = end.q[1..].iter().map(|q| q * q).sum::<f64>().sqrt();
            let exact = 0.5 / (mu * G);
            let tolerance = match scheme {
                "event-driven" | "high-order" => 1e-9,
                _ => 2e-3,
            };
            assert!((s - exact).abs() < tolerance, "{scheme}: {:?}, not {exact}", end.q);
            assert!(end.v.iter().all(|v| v.abs() < 1e-12), "{scheme}: {:?}", end.v);
        }
    }
}

/// y = q₀ over a belt that runs with a speed along q₁.
struct Belt(f64);

impl Gap for Belt {
    fn gap(&self, _t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(q[0])
    }
    fn jacobian(&self, _t: f64, _q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out.copy_from_slice(&[1.0, 0.0]);
        Ok(())
    }
    fn n_tangents(&self) -> usize {
        1
    }
    fn tangents(&self, _t: f64, _q: &[f64], j: &mut [f64], rate: &mut [f64]) -> Result<(), UserError> {
        j.copy_from_slice(&[0.0, 1.0]);
        rate[0] = -self.0;
        Ok(())
    }
}

/// A block of mass 1 on a spring of stiffness `k`, on a belt of speed `w`.
pub fn on_belt(law: impl Law + 'static, k: f64, w: f64) -> Built {
    let mut builder = ModelBuilder::new();
    let block = Linear::new("block", Sparse::diagonal(&[1.0, 1.0])).load(&[-G, 0.0]);
    let block = block.stiffness(Sparse::diagonal(&[0.0, k])).initial(&[0.0; 2], &[0.0, w]);
    let block = builder.linear(block);
    let law = builder.law("rough", law);
    builder.gap("belt", law, &[(block, 0), (block, 1)], Belt(w));
    builder.build(0.0).expect("a right model")
}

/// Position of a block that starts at rest on a belt: it is carried to x = μ_s g/k, then swings about c = μ_d g/k until it has the speed
/// of the belt again, is carried, and so on.
fn carried(t: f64, k: f64, w: f64, mu_s: f64, mu_d: f64) -> f64 {
    let (omega, c, release) = (k.sqrt(), mu_d * G / k, mu_s * G / k);
    let amplitude = (release - c).hypot(w / omega);
    let phase = (release - c).atan2(w / omega);
    // x = c + A sin(ω s + phase) has the speed A ω cos, again w at ω s + phase = 2π − phase.
    let slides = (2.0 * std::f64::consts::PI - 2.0 * phase) / omega;
    let (mut x, mut left) = (0.0, t);
    loop {
        let carried = (release - x) / w;
        if left <= carried {
            return x + w * left;
        }
        left -= carried;
        if left <= slides {
            return c + amplitude * (omega * left + phase).sin();
        }
        left -= slides;
        x = c + amplitude * (omega * slides + phase).sin();
    }
}

#[test]
fn on_a_belt_it_sticks_and_slips_as_the_closed_form_says() {
    use nonsmooth::laws::StaticDynamic;
    let (k, w) = (20.0, 0.4);
    for (mu_s, mu_d) in [(0.5, 0.5), (0.5, 0.3)] {
        let law = StaticDynamic { friction_static: mu_s, friction_dynamic: mu_d, restitution: 0.0 };
        for scheme in SCHEMES {
            let mut simulation = simulation(on_belt(law, k, w), scheme, &Options::default(), 0.01);
            let mut worst = 0.0f64;
            for _ in 0..400 {
                let after = simulation.step().unwrap_or_else(|e| panic!("{scheme}: {e}")).after;
                worst = worst.max((after.q[1] - carried(after.t, k, w, mu_s, mu_d)).abs());
            }
            eprintln!("{scheme}, μ_s {mu_s}, μ_d {mu_d}: {worst:.1e}");
            let tolerance = match scheme {
                "event-driven" => 1e-10,
                "high-order" => 1e-8,
                _ => 1e-2,
            };
            assert!(worst < tolerance, "{scheme}, {mu_s} {mu_d}: {worst:e}");
        }
    }
}

/// A ball of mass 1 and radius 0.1 on a floor in a field of gravity, with Coulomb friction.
fn rolling(planar: bool, mu: f64, gravity: [f64; 3], velocity: [f64; 3]) -> Built {
    let mut yard = Yard::new(planar, 0.0);
    let law = yard.builder.law("rough", coulomb(mu));
    yard.builder.default_pair(law);
    yard.builder.gravity(gravity);
    yard.floor();
    let ball = yard.ball("ball", 1.0, 0.1, yard.at(0.0, 0.1));
    yard.builder.body(nonsmooth::model::rigid::Body { velocity, ..ball });
    yard.build()
}

/// A ball that is thrown along the floor without spin slides for 2 v/(7 μ g), then rolls with 5/7 of its speed.
#[test]
fn a_ball_slides_then_rolls() {
    let (mu, v) = (0.2, 1.0);
    let (stop, rolls) = (2.0 * v / (7.0 * mu * G), 5.0 / 7.0 * v);
    let exact = v * stop - 0.5 * mu * G * stop * stop + rolls * (0.5 - stop);
    for scheme in SCHEMES {
        for planar in [true, false] {
            let (gravity, velocity) = match planar {
                true => ([0.0, -G, 0.0], [v, 0.0, 0.0]),
                false => ([0.0, 0.0, -G], [0.6 * v, -0.8 * v, 0.0]),
            };
            let end = run(rolling(planar, mu, gravity, velocity), scheme, 0.01, 50);
            let way = if planar { end.q[0] } else { end.q[0].hypot(end.q[1]) };
            let speed = if planar { end.v[0] } else { end.v[0].hypot(end.v[1]) };
            eprintln!("{scheme}, plane {planar}: {:.1e} {:.1e}", way - exact, speed - rolls);
            let tolerance = match scheme {
                "event-driven" | "high-order" => 1e-9,
                _ => 1e-3,
            };
            assert!((way - exact).abs() < tolerance, "{scheme}: {way}, not {exact}");
            assert!((speed - rolls).abs() < 1e-9, "{scheme}: {speed}, not {rolls}");
        }
    }
}

/// A ball on an incline that slides across it. Its slip u = s (cos θ, sin θ), θ from the line of fall, obeys u̇ = b e − a u/‖u‖ with
/// b = g sin α and a = 7/2 μ g cos α, so that with x = tan θ/2 and p = a/b: s = C x^{p−1} (1 + x²)/2, dt = −C/(2b) x^{p−2} (1 + x²) dx.
/// From θ = 90°, where x = 1, it stops at x = 0 and rolls from then on. Returns the position of the centre along and across the fall.
fn turned(t: f64, b: f64, p: f64, c: f64) -> ([f64; 2], f64) {
    let stop = c / (2.0 * b) * (1.0 / (p - 1.0) + 1.0 / (p + 1.0));
    let along = c * c / (4.0 * b) * (1.0 / (2.0 * p - 2.0) - 1.0 / (2.0 * p + 2.0));
    let across = c * c / (2.0 * b) * (1.0 / (2.0 * p - 1.0) + 1.0 / (2.0 * p + 1.0));
    // v = v₀ + 5/7 b t e + 2/7 (u − u₀), at first v₀ = u₀ = (0, c).
    let fall = 5.0 / 14.0 * b * t * t + 2.0 / 7.0 * along;
    ([fall, c * t + 2.0 / 7.0 * (across - c * t)], stop)
}

fn on_incline(mu: f64, alpha: f64, c: f64) -> Built {
    let (sine, cosine) = alpha.sin_cos();
    rolling(false, mu, [G * sine, 0.0, -G * cosine], [0.0, c, 0.0])
}

#[test]
fn the_slip_of_a_ball_on_an_incline_turns_and_stops() {
    let (alpha, p, c, t) = (0.3f64, 1.6, 1.0, 0.6);
    let mu = p * 2.0 / 7.0 * alpha.tan();
    let (exact, stop) = turned(t, G * alpha.sin(), p, c);
    assert!(stop < 0.95 * t, "{stop}");
    for scheme in SCHEMES {
        let off = |n: u64| {
            let end = run(on_incline(mu, alpha, c), scheme, t / n as f64, n);
            (end.q[0] - exact[0]).hypot(end.q[1] - exact[1])
        };
        let (coarse, fine) = (off(30), off(60));
        eprintln!("{scheme}: {coarse:.1e} {fine:.1e}, order {:.1}", (coarse / fine).log2());
        let tolerance = match scheme {
            "event-driven" => 1e-9,
            "high-order" => 1e-7,
            _ => 2e-3,
        };
        assert!(fine < tolerance, "{scheme}: {coarse:e} {fine:e}");
    }
}

/// Order of `high-order` with its methods through changes between sticking and sliding.
#[test]
fn the_order_of_the_method_is_kept_through_stick_and_slip() {
    use nonsmooth::laws::StaticDynamic;
    let (k, w, mu_s, mu_d) = (20.0, 0.4, 0.5, 0.3);
    let (alpha, p, c, t) = (0.3f64, 1.6, 1.0, 0.6);
    let (exact, _) = turned(t, G * alpha.sin(), p, c);
    for (method, order) in [("midpoint", 2.0), ("rk4", 4.0), ("dormand-prince", 5.0), ("gauss4", 4.0)] {
        let options = Options::default().with_word("method", method);
        let belt = |n: u64| {
            let law = StaticDynamic { friction_static: mu_s, friction_dynamic: mu_d, restitution: 0.0 };
            let mut simulation = simulation(on_belt(law, k, w), "high-order", &options, 4.0 / n as f64);
            simulation.run(n, &mut []).expect("it runs");
            (simulation.state.q[1] - carried(4.0, k, w, mu_s, mu_d)).abs()
        };
        let ball = |n: u64| {
            let built = on_incline(p * 2.0 / 7.0 * alpha.tan(), alpha, c);
            let mut simulation = simulation(built, "high-order", &options, t / n as f64);
            simulation.run(n, &mut []).expect("it runs");
            let q = &simulation.state.q;
            (q[0] - exact[0]).hypot(q[1] - exact[1])
        };
        let measure = |off: &dyn Fn(u64) -> f64, n: u64| {
            let (coarse, fine) = (off(n), off(4 * n));
            eprintln!("{method}: {coarse:.1e} {fine:.1e}, order {:.2}", (coarse / fine).log2() / 2.0);
            (coarse / fine).log2() / 2.0
        };
        let (on_belt, on_incline) =
            (measure(&belt, 80), measure(&ball, if order < 3.0 { 40 } else { 8 }));
        assert!(on_belt > order - 0.4, "{method}, belt: {on_belt}");
        assert!(on_incline > order - 0.4, "{method}, incline: {on_incline}");
    }
}
