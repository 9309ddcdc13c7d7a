//! Balls and discs: bounces, rest, impacts of several, a slide off a ball.

use super::{ALL, G, LOCATE, Yard, words};
use crate::kit::{EnergyLedger, Options, Summary};
use crate::order;
use nonsmooth::laws::Poisson;
use nonsmooth::model::rigid::KinematicBody;

/// A ball of radius 0.1 whose lowest point is 1 m above the floor.
pub fn bouncing(planar: bool, restitution: f64) -> Yard {
    let mut yard = Yard::new(planar, restitution);
    yard.floor();
    let mut ball = yard.ball("ball", 2.0, 0.1, yard.at(0.3, 1.1));
    ball.angular_velocity = [0.0, 0.0, 3.0];
    ball.velocity[0] = 0.7;
    yard.builder.body(ball);
    yard
}

#[test]
fn a_ball_bounces_at_the_times_and_speeds_of_the_closed_form() {
    let e = 0.8;
    for (planar, scheme) in [true, false].into_iter().flat_map(|p| LOCATE.map(|s| (p, s))) {
        let mut simulation = bouncing(planar, e).run(scheme, &Options::default(), 0.05);
        let (mut events, mut ledger) = (Vec::new(), EnergyLedger::default());
        crate::kit::Observer::start(&mut ledger, &simulation.model, &simulation.state).expect("finite");
        for _ in 0..60 {
            let frame = simulation.step().expect("the run goes on");
            events.extend(frame.log.events.iter().copied());
            crate::kit::Observer::step(&mut ledger, &frame).expect("finite");
        }
        let (mut t, mut u) = ((2.0 / G).sqrt(), (2.0 * G).sqrt());
        assert!(events.len() >= 5, "{planar}, {scheme}: {}", events.len());
        for event in &events {
            // Flights under gravity are exact; the bracket of high-order is 1e-6 h⁶.
            assert!((event.t - t).abs() < 1e-12, "{planar}, {scheme}: {} {t}", event.t);
            assert!((event.u_minus[0] + u).abs() < 1e-11, "{planar}, {scheme}: {event:?}");
            assert!((event.u_plus[0] - e * u).abs() < 1e-11, "{planar}, {scheme}: {event:?}");
            assert!((event.impulse[0] - 2.0 * (1.0 + e) * u).abs() < 1e-11);
            (t, u) = (t + 2.0 * e * u / G, e * u);
        }
        // It slides and turns as before: nothing rubs.
        let state = &simulation.state;
        assert!((state.q[0] - 0.3 - 0.7 * state.t).abs() < 1e-13 && (state.v[0] - 0.7).abs() < 1e-14);
        assert!((state.v[state.v.len() - 1] - 3.0).abs() < 1e-14, "{:?}", state.v);
        // In the bracket, δ = 1e-6 h⁶ = 1.6e-14 s, the weight does work with v⁺ and v⁻: m g u δ = 1.4e-12 J at the first impact.
        assert!(ledger.remainder.abs() < 2e-11, "{planar}, {scheme}: {:e}", ledger.remainder);
        assert!(ledger.total.impact < -1.0 && ledger.total.contact == 0.0);
    }
}

#[test]
fn every_scheme_brings_a_ball_to_rest_and_carries_its_weight() {
    for (planar, scheme) in [true, false].into_iter().flat_map(|p| ALL.map(|s| (p, s))) {
        if scheme == "event-driven" {
            continue; // It refuses accumulations.
        }
        let options = match scheme {
            "splitting" => words(&[("contact_force", "yes")]),
            "d1-minus" => words(&[("persistent", "inelastic")]),
            _ => Options::default(),
        };
        let (yard, h) = (bouncing(planar, 0.5), 0.002);
        let up = yard.up();
        let mut simulation = yard.run(scheme, &options, h);
        simulation.run(1500, &mut []).expect("the run goes on");
        let rest = simulation.state.q[up];
        let frame = simulation.step().expect("the run goes on");
        assert_eq!(frame.log.constraints.len(), 1, "{planar}, {scheme}");
        let force = frame.log.constraints.impulse[0] / h;
        assert!((force - 2.0 * G).abs() < 1e-9, "{planar}, {scheme}: {force}");
        assert!(frame.log.events.is_empty() && frame.after.v[up].abs() < 1e-13);
        assert!((frame.after.q[up] - rest).abs() < 1e-14, "{planar}, {scheme}");
        // High-order holds the gap at zero; the others keep the overlap of the last impact, its speed times h.
        let most = if scheme == "high-order" { 1e-15 } else { 2.0 * G * h * h };
        assert!((rest - 0.1).abs() < most, "{planar}, {scheme}: {:e}", rest - 0.1);
    }
}

#[test]
fn splitting_and_d1_minus_are_of_order_one_through_bounces() {
    for scheme in ["splitting", "d1-minus"] {
        let error = |n: u64| {
            let mean = (0..16).map(|k| {
                let n = n + k * n / 24;
                let mut simulation =
                    bouncing(true, 0.8).run(scheme, &Options::default(), 0.8 / n as f64);
                simulation.run(n, &mut []).expect("the run goes on");
                let s = 0.8 - (2.0f64 / G).sqrt();
                let exact = 0.1 + s * (0.8 * (2.0f64 * G).sqrt() - 0.5 * G * s);
                (simulation.state.q[1] - exact).abs() * n as f64
            });
            mean.sum::<f64>() / (16 * n) as f64
        };
        let measured = order(error(200), error(1600), 8.0);
        // One impact, whose phase in its step is averaged over 16 runs only.
        assert!((measured - 1.0).abs() < 0.15, "{scheme}: {measured}");
    }
}

#[test]
fn two_balls_exchange_normal_momentum_alone() {
    for (planar, scheme) in [true, false].into_iter().flat_map(|p| LOCATE.map(|s| (p, s))) {
        let (e, masses) = (0.6, [1.0, 3.0]);
        let mut yard = Yard::new(planar, e);
        yard.builder.gravity([0.0; 3]);
        // At contact the centres are 0.3 apart: 0.18 along x, 0.24 up.
        let places = [yard.at(-0.5, 0.0), yard.at(0.18, 0.24)];
        for (k, name) in ["a", "b"].into_iter().enumerate() {
            let mut ball = yard.ball(name, masses[k], 0.1 + 0.1 * k as f64, places[k]);
            if k == 0 {
                ball.velocity[0] = 2.0;
            }
            yard.builder.body(ball);
        }
        let up = yard.up();
        let mut simulation = yard.run(scheme, &Options::default(), 0.1);
        let mut events = Vec::new();
        for _ in 0..5 {
            events.extend(simulation.step().expect("the run goes on").log.events.iter().copied());
        }
        assert_eq!(events.len(), 1, "{planar}, {scheme}");
        assert!((events[0].t - 0.25).abs() < 1e-12, "{planar}, {scheme}: {}", events[0].t);
        // n = (0.6, 0.8), u⁻ = −1.2, p = (1 + e) 1.2 m₁m₂/(m₁ + m₂).
        let p = (1.0 + e) * 1.2 * 0.75;
        let v = &simulation.state.v;
        let second = v.len() / 2;
        for (got, want) in [
            (v[0], 2.0 - 0.6 * p),
            (v[up], -0.8 * p),
            (v[second], 0.2 * p),
            (v[second + up], 0.8 * p / 3.0),
        ] {
            assert!((got - want).abs() < 1e-11, "{planar}, {scheme}: {got} {want}");
        }
    }
}

/// Speeds of three equal balls in a row that touch, the first of which is struck.
fn cradle(scheme: &str, poisson: bool) -> Vec<f64> {
    let mut yard = Yard::new(true, 1.0);
    yard.builder.gravity([0.0; 3]);
    if poisson {
        let law = yard.builder.law("poisson", Poisson { restitution: 1.0 });
        yard.builder.default_pair(law);
    }
    for (k, x) in [-0.3, 0.0, 0.25, 0.5].into_iter().enumerate() {
        let mut ball = yard.ball(&format!("ball {k}"), 1.0, 0.125, yard.at(x, 0.0));
        if k == 0 {
            ball.velocity[0] = 1.0;
        }
        yard.builder.body(ball);
    }
    let mut simulation = yard.run(scheme, &Options::default(), 0.05);
    simulation.run(10, &mut []).expect("the run goes on");
    simulation.state.v.iter().step_by(3).copied().collect()
}

#[test]
fn balls_in_a_row_follow_the_law_of_their_impact() {
    // Newton's law throws back the one that came: the others, at rest in contact, stay together.
    // 0 ≤ u⁺ + e u⁻ with u⁻ = (−1, 0, 0): v = (−½, ½, ½, ½).
    // Poisson's law returns the impulses of compression, v_c = ¼ each, p_c = (¾, ½, ¼): v = (−½, ½, ½, ½).
    for poisson in [false, true] {
        for scheme in LOCATE {
            let v = cradle(scheme, poisson);
            for (got, want) in v.iter().zip([-0.5, 0.5, 0.5, 0.5]) {
                assert!((got - want).abs() < 1e-12, "{scheme}, poisson {poisson}: {v:?}");
            }
        }
    }
}

/// A ball of radius 0.2 starts at rest at angle 0.3 from the top of a fixed ball of radius 0.8, at distance 1 of the centres.
pub fn sliding(planar: bool) -> Yard {
    let mut yard = Yard::new(planar, 0.0);
    let hill = yard.round(0.8);
    yard.builder.kinematic(KinematicBody { planar, ..KinematicBody::new("hill", vec![hill]) });
    let (s, c) = 0.3f64.sin_cos();
    let ball = yard.ball("ball", 1.5, 0.2, yard.at(s, c));
    yard.builder.body(ball);
    yard
}

#[test]
fn a_ball_leaves_another_where_the_closed_form_says() {
    // Energy and N = m (g cos φ − v²/R) = 0: it leaves at cos φ = ⅔ cos 0.3 with v² = ⅔ g R cos 0.3.
    let cosine = 2.0 / 3.0 * 0.3f64.cos();
    for (planar, scheme) in [true, false].into_iter().flat_map(|p| LOCATE.map(|s| (p, s))) {
        let yard = sliding(planar);
        let up = yard.up();
        let mut simulation = yard.run(scheme, &Options::default(), 0.005);
        let mut ledger = EnergyLedger::default();
        let mut summary = Summary::default();
        simulation.run(180, &mut [&mut ledger, &mut summary]).expect("the run goes on");
        let (q, v) = (&simulation.state.q, &simulation.state.v);
        assert!(q[0].hypot(q[up]) > 1.05, "{planar}, {scheme}: it has left: {q:?}");
        // The parabola back to where it touches the circle: v_x is that of the take-off.
        let speed = (G * cosine).sqrt();
        let leave = (cosine, (1.0 - cosine * cosine).sqrt());
        assert!(
            (v[0] - speed * leave.0).abs() < 1e-10,
            "{planar}, {scheme}: {} ",
            v[0] - speed * leave.0
        );
        let s = (q[0] - leave.1) / v[0];
        let height = leave.0 - speed * leave.1 * s - 0.5 * G * s * s;
        assert!((q[up] - height).abs() < 1e-10, "{planar}, {scheme}: {}", q[up] - height);
        assert!(summary.impacts == 0 && ledger.remainder.abs() < 1e-10, "{:e}", ledger.remainder);
    }
}

#[test]
fn a_lasting_contact_of_balls_keeps_the_order() {
    // While it lasts: a pendulum upside down, φ̈ = g sin φ.
    let end = |scheme: &str, options: &Options, n: u64| {
        let mut simulation = sliding(false).run(scheme, options, 0.4 / n as f64);
        simulation.run(n, &mut []).expect("the run goes on");
        simulation.state.q[0]
    };
    let exact = end("high-order", &words(&[("method", "gauss6")]), 400);
    let rk4 = words(&[("method", "rk4")]);
    for (scheme, options, p, n) in [
        ("high-order", &rk4, 4.0, 20),
        ("high-order", &words(&[("method", "gauss4")]), 4.0, 20),
        ("d1-minus", &Options::default(), 2.0, 50),
    ] {
        let [coarse, fine] = [n, 4 * n].map(|n| (end(scheme, options, n) - exact).abs());
        let measured = order(coarse, fine, 4.0);
        assert!((measured - p).abs() < 0.25, "{scheme}: {coarse:e} {fine:e}, order {measured}");
    }
}

#[test]
fn a_run_of_bodies_resumes_with_the_same_bits() {
    let cases = ALL.map(|scheme| match scheme {
        "high-order" => (scheme, words(&[("adaptive", "yes"), ("method", "rk4")])),
        "splitting" => (scheme, words(&[("contact_force", "yes")])),
        _ => (scheme, Options::default()),
    });
    for (scheme, options) in cases {
        let h = 0.01;
        let mut whole = sliding(false).run(scheme, &options, h);
        let mut states = vec![whole.state.clone()];
        for _ in 0..60 {
            whole.step().expect("the run goes on");
            states.push(whole.state.clone());
        }
        for at in [1, 17, 44] {
            let mut half = sliding(false).run(scheme, &options, h);
            half.resume(states[at].clone(), 0.0);
            for state in &states[at + 1..] {
                half.reset();
                half.step().expect("the run goes on");
                assert_eq!(&half.state, state, "{scheme}, resumed at step {at}");
            }
        }
    }
}
