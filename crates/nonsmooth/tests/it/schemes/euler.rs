//! The three Euler schemes: the tables of the lecture, orders, growth and decay of an oscillator, the ledger.

use super::{build, run, simulate};
use crate::kit::{
    Built, EnergyLedger, Linear, ModelBuilder, NewtonImpact, Options, Refusal, Simulation, Sparse,
};
use crate::nonlinear::{free_double_pendulum, linear_system, runge_kutta, spring_pendulum};
use crate::order;

const SCHEMES: [&str; 3] = ["euler-explicit", "euler-semi-implicit", "euler-implicit"];

/// A unit mass under a unit force, from rest.
fn particle() -> Built {
    let mut builder = ModelBuilder::new();
    builder.linear(Linear::new("particle", Sparse::diagonal(&[1.0])).load(&[1.0]));
    builder.build(0.0).expect("the model is sound")
}

/// A mass of 2 kg on a spring, ω = 3 rad/s.
fn oscillator() -> Built {
    let mut builder = ModelBuilder::new();
    let system = Linear::new("oscillator", Sparse::diagonal(&[2.0]));
    builder.linear(system.stiffness(Sparse::diagonal(&[18.0])).initial(&[0.7], &[-0.4]));
    builder.build(0.0).expect("the model is sound")
}

/// (q, v) of the oscillator at time t.
fn oscillation(t: f64) -> [f64; 2] {
    let (s, c) = (3.0 * t).sin_cos();
    [0.7 * c - 0.4 / 3.0 * s, -0.4 * c - 2.1 * s]
}

#[test]
fn the_tables_of_the_lecture_are_met_exactly() {
    let tables: [(&str, [f64; 6]); 3] = [
        ("euler-explicit", [0.0, 0.0, 1.0, 3.0, 6.0, 10.0]),
        ("euler-semi-implicit", [0.0, 1.0, 3.0, 6.0, 10.0, 15.0]),
        // With a constant force the implicit scheme is the semi-implicit one.
        ("euler-implicit", [0.0, 1.0, 3.0, 6.0, 10.0, 15.0]),
    ];
    for (name, positions) in tables {
        let ours = run(particle(), (name, &Options::default()), 1.0, 5);
        for (k, x) in positions.into_iter().enumerate() {
            assert_eq!((ours.q[k][0], ours.v[k][0]), (x, k as f64), "{name}, step {k}");
        }
    }
}

/// Largest difference of q and v at `end` from `exact` after `n` steps.
fn error(model: Built, name: &str, end: f64, n: u64, exact: &[f64]) -> f64 {
    let mut simulation = simulate(model, (name, &Options::default()), end / n as f64);
    simulation.run(n, &mut []).expect("smooth motion");
    let x = simulation.state.q.iter().chain(&simulation.state.v);
    x.zip(exact).fold(0.0, |m, (x, exact)| m.max((x - exact).abs()))
}

type Make = fn() -> Built;
const SMOOTH: [(&str, Make); 3] = [
    ("spring pendulum", spring_pendulum),
    ("double pendulum", free_double_pendulum),
    ("linear", linear_system),
];

#[test]
fn the_global_order_is_one() {
    for (model, make) in SMOOTH {
        let exact = runge_kutta(&make(), 1.5);
        for name in SCHEMES {
            let [coarse, fine] = [4000, 8000].map(|n| error(make(), name, 1.5, n, &exact));
            let measured = order(coarse, fine, 2.0);
            eprintln!("{model}, {name}: {coarse:.2e} → {fine:.2e}, order {measured:.3}");
            // The next term of the expansion is a few per cent of the first at these steps.
            assert!((measured - 1.0).abs() < 0.1, "{model}, {name}: order {measured:.3}");
        }
    }
}

#[test]
fn the_error_of_one_step_is_of_order_two() {
    for (model, make) in SMOOTH {
        for name in SCHEMES {
            let one = |h: f64| error(make(), name, h, 1, &runge_kutta(&make(), h));
            let measured = order(one(1e-3), one(5e-4), 2.0);
            eprintln!("{model}, {name}: one step, order {measured:.3}");
            // ω h is about 1e-2: the next term is a per cent or two.
            assert!((measured - 2.0).abs() < 0.05, "{model}, {name}: order {measured:.3}");
        }
    }
    for name in SCHEMES {
        let one = |h: f64| error(oscillator(), name, h, 1, &oscillation(h));
        let measured = order(one(1e-3), one(5e-4), 2.0);
        assert!((measured - 2.0).abs() < 0.01, "oscillator, {name}: order {measured:.3}");
    }
}

#[test]
fn an_oscillator_grows_keeps_or_shrinks_by_the_known_factor() {
    let (h, n, omega) = (0.02, 400, 3.0f64);
    let z = (omega * h).powi(2);
    let twice = |q: f64, v: f64| v * v + omega * omega * q * q;
    for (name, factor) in [("euler-explicit", 1.0 + z), ("euler-implicit", 1.0 / (1.0 + z))] {
        let ours = run(oscillator(), (name, &Options::default()), h, n);
        for k in 0..n as usize {
            let [a, b] = [k, k + 1].map(|k| twice(ours.q[k][0], ours.v[k][0]));
            assert!((b / a - factor).abs() < 1e-14, "{name}, step {k}: factor {}", b / a);
        }
    }
    let ours = run(oscillator(), ("euler-semi-implicit", &Options::default()), h, n);
    let kept = |k: usize| {
        let (q, v) = (ours.q[k][0], ours.v[k][0]);
        twice(q, v) - omega * omega * h * q * v
    };
    for k in 0..=n as usize {
        // Rounding of 400 steps.
        assert!((kept(k) / kept(0) - 1.0).abs() < 1e-13, "step {k}: {}", kept(k));
    }
}

#[test]
fn the_ledger_of_a_linear_system_closes_to_rounding() {
    for name in SCHEMES {
        for make in [linear_system as Make, oscillator, particle] {
            let mut simulation = simulate(make(), (name, &Options::default()), 0.01);
            let mut ledger = EnergyLedger::default();
            simulation.run(500, &mut [&mut ledger]).expect("smooth motion");
            // Rounding of one step's sums: a few units in the last place of the energy.
            let relative = ledger.worst_remainder / ledger.scale;
            assert!(relative < 2e-15, "{name}: remainder {relative:.1e} of the energy, {ledger:?}");
        }
        let mut simulation = simulate(oscillator(), (name, &Options::default()), 0.01);
        let mut ledger = EnergyLedger::default();
        simulation.run(500, &mut [&mut ledger]).expect("smooth motion");
        let scheme = ledger.total.scheme;
        let right = match name {
            "euler-explicit" => scheme > 0.1,
            "euler-implicit" => scheme < -0.1,
            // It swings by ω h / 2 of the energy to either side.
            _ => scheme.abs() < 0.03 * ledger.scale,
        };
        assert!(right, "{name}: the scheme added {scheme} J");
    }
}

#[test]
fn the_ledger_of_a_nonlinear_system_leaves_a_remainder_of_order_one() {
    for name in SCHEMES {
        let remainder = |n: u64| {
            let mut simulation =
                simulate(free_double_pendulum(), (name, &Options::default()), 1.5 / n as f64);
            let mut ledger = EnergyLedger::default();
            simulation.run(n, &mut [&mut ledger]).expect("smooth motion");
            ledger.remainder.abs()
        };
        let measured = order(remainder(2000), remainder(4000), 2.0);
        eprintln!("{name}: remainder of order {measured:.3}");
        // T is that of M(q), while the step takes M at one end: an error of O(h²) in each step.
        assert!((measured - 1.0).abs() < 0.1, "{name}: remainder of order {measured:.3}");
    }
}

#[test]
fn implicit_euler_is_moreau_jean_with_theta_one() {
    for (model, make) in SMOOTH {
        let options = Options::default().with("theta", 1.0);
        let [a, b] = [("euler-implicit", &Options::default()), ("moreau-jean", &options)]
            .map(|scheme| run(make(), scheme, 0.01, 200));
        assert!(a.q == b.q && a.v == b.v, "{model}");
    }
}

#[test]
fn constraints_are_refused_by_name_with_a_remedy() {
    for name in SCHEMES {
        let mut builder = ModelBuilder::new();
        let ball = builder.linear(Linear::new("ball", Sparse::diagonal(&[1.0])));
        let law = builder.law("rebound", NewtonImpact { restitution: 0.5 });
        builder.linear_gap("floor", law, &[(ball, 0, 1.0)], 0.0);
        let (model, state) = builder.build(0.0).expect("the model is sound");
        let refusal = Simulation::new(model, state, build(name, &Options::default()), 0.01);
        let refusal = refusal.err().expect("it has no way to honour a floor");
        assert!(matches!(refusal, Refusal::FreeMotionOnly { .. }));
        let text = refusal.to_string();
        for word in [name, "`floor`", "moreau-jean"] {
            assert!(text.contains(word), "{text}");
        }
    }
}
