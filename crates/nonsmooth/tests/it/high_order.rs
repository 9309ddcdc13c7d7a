//! The order p of the Runge–Kutta method is kept across impacts, through accumulations, on curved walls and with several
//! contacts. Errors are L1 over the grid nodes, right limits, averaged over eight step numbers per level: with one alone
//! the phase of an impact in its step decides.

pub mod oracles;

use crate::by_name::{built, integrator, run};
use crate::kit::{
    Built, EnergyLedger, Gap, Linear, NewtonImpact, Options, Simulation, Sparse, Summary, UserError,
};
use oracles::{Bowl, Chain};

type Exact<'a> = &'a dyn Fn(f64) -> Vec<f64>;
type Make = fn() -> Built;

/// Errors for people.
fn spell(errors: [f64; 3]) -> String {
    errors.map(|e| format!("{e:.1e}")).join(", ")
}

/// h Σ |x − exact| over the nodes of `n` steps.
fn l1(make: Make, options: &Options, end: f64, n: u64, exact: Exact<'_>) -> f64 {
    let h = end / n as f64;
    let mut simulation = run(make(), "high-order", options, h);
    let mut sum = 0.0;
    for _ in 0..n {
        let after = simulation.step().expect("the run goes on").after;
        let x = after.q.iter().chain(&after.v);
        sum += h * x.zip(exact(after.t)).map(|(a, b)| (a - b).abs()).sum::<f64>();
    }
    sum
}

/// Slope of log error over log h through eight step numbers at each of the levels `n`, `2 n` and `4 n`, and the mean
/// errors of the levels.
fn measure(make: Make, options: &Options, end: f64, n: u64, exact: Exact<'_>) -> (f64, [f64; 3]) {
    let (mut points, mut means) = (Vec::new(), [0.0; 3]);
    for (mean, level) in means.iter_mut().zip([n, 2 * n, 4 * n]) {
        for k in 0..8 {
            // From the level up to 1.4 times it; the odd shift keeps nodes off the impacts.
            let steps = level + k * level / 20 + k;
            let error = l1(make, options, end, steps, exact);
            *mean += error / 8.0;
            points.push([(end / steps as f64).ln(), error.ln()]);
        }
    }
    (slope(&points), means)
}

/// Least squares.
fn slope(points: &[[f64; 2]]) -> f64 {
    let n = points.len() as f64;
    let [x, y] = [0, 1].map(|i| points.iter().map(|p| p[i]).sum::<f64>() / n);
    let covariance: f64 = points.iter().map(|p| (p[0] - x) * (p[1] - y)).sum();
    covariance / points.iter().map(|p| (p[0] - x).powi(2)).sum::<f64>()
}

/// (method, order, coarsest number of steps) so that errors lie between 1e-3 and 1e-11.
type Cases<'a> = &'a [(&'a str, f64, u64)];

fn check(make: Make, end: f64, exact: Exact<'_>, cases: Cases<'_>) {
    let mut bad = Vec::new();
    for &(method, p, n) in cases {
        let options = Options::default().with_word("method", method);
        let (order, errors) = measure(make, &options, end, n, exact);
        let told = format!("{method}, n = {n}: order {order:.3}, errors {}", spell(errors));
        eprintln!("{told}");
        let window = if p <= 4.0 { 0.1 } else { 0.25 };
        let seen = errors.iter().all(|e| (1e-11..1e-3).contains(e));
        if !((order - p).abs() < window && seen) {
            bad.push(told);
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

/// q'' + k q = load + r, q ≥ 0, e = ½, from (1, 0).
fn oscillator(k: f64, load: f64) -> Built {
    built(|builder| {
        let mass = Linear::new("mass", Sparse::diagonal(&[1.0])).stiffness(Sparse::diagonal(&[k]));
        let mass = builder.linear(mass.load(&[load]).initial(&[1.0], &[0.0]));
        let law = builder.law("rebound", NewtonImpact { restitution: 0.5 });
        builder.linear_gap("floor", law, &[(mass, 0, 1.0)], 0.0);
    })
}

#[test]
fn the_oscillator_is_integrated_with_the_order_of_the_method() {
    let cases: Cases<'_> = &[
        ("midpoint", 2.0, 320),
        ("gauss2", 2.0, 320),
        ("lobatto2", 2.0, 320),
        ("radau3", 3.0, 40),
        ("rk4", 4.0, 40),
        ("rkf45", 4.0, 40),
        ("gauss4", 4.0, 40),
        ("lobatto4", 4.0, 40),
        ("dormand-prince", 5.0, 20),
        ("radau5", 5.0, 20),
        ("gauss6", 6.0, 12),
    ];
    check(|| oscillator(1.0, 0.0), 5.0, &oracles::oscillator, cases);
}

#[test]
fn the_order_survives_the_accumulation_of_the_pressed_oscillator() {
    let cases: Cases<'_> = &[
        ("midpoint", 2.0, 320),
        ("gauss2", 2.0, 320),
        ("radau3", 3.0, 80),
        ("rk4", 4.0, 160),
        ("gauss4", 4.0, 40),
        ("lobatto4", 4.0, 40),
        ("dormand-prince", 5.0, 20),
        ("radau5", 5.0, 20),
        ("gauss6", 6.0, 12),
    ];
    check(|| oscillator(1.0, -1.0), 5.0, &oracles::pressed, cases);
}

/// y − x²/2 ≥ 0.
struct Parabola;

impl Gap for Parabola {
    fn gap(&self, _t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(q[1] - 0.5 * q[0] * q[0])
    }
    fn jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out.copy_from_slice(&[-q[0], 1.0]);
        Ok(())
    }
}

fn bowl() -> Built {
    built(|builder| {
        let ball = Linear::new("ball", Sparse::diagonal(&[1.0, 1.0])).load(&[0.0, -oracles::GRAVITY]);
        let ball = builder.linear(ball.initial(&[-0.8, 1.5], &[0.3, 0.0]));
        let law = builder.law("rebound", NewtonImpact { restitution: oracles::BOWL_RESTITUTION });
        builder.gap("bowl", law, &[(ball, 0), (ball, 1)], Parabola);
    })
}

#[test]
fn a_ball_bounces_and_then_slides_in_a_bowl_with_the_order_of_the_method() {
    let exact = Bowl::new();
    let cases: Cases<'_> = &[
        ("radau3", 3.0, 320),
        ("rk4", 4.0, 160),
        ("rkf45", 4.0, 320),
        ("gauss4", 4.0, 160),
        ("dormand-prince", 5.0, 80),
        ("radau5", 5.0, 80),
        ("gauss6", 6.0, 40),
    ];
    check(bowl, 3.0, &|t| exact.at(t), cases);
}

/// Three unit masses in a row; the first is pressed against its stop, the second falls on its own.
fn chain() -> Built {
    built(|builder| {
        let stiffness = Sparse::from_rows(&oracles::CHAIN_STIFFNESS.map(|row| row.to_vec()));
        let chain = Linear::new("chain", Sparse::diagonal(&[1.0; 3])).stiffness(stiffness);
        let (q, v) = oracles::CHAIN_START;
        let chain = builder.linear(chain.load(&oracles::CHAIN_LOAD).initial(&q, &v));
        let law = builder.law("rebound", NewtonImpact { restitution: oracles::CHAIN_RESTITUTION });
        builder.linear_gap("first", law, &[(chain, 0, 1.0)], 0.0);
        builder.linear_gap("second", law, &[(chain, 1, 1.0)], 0.0);
    })
}

#[test]
fn one_contact_sticks_while_another_accumulates_with_the_order_of_the_method() {
    let exact = Chain::new(oracles::CHAIN_END);
    eprintln!("impacts {}, take-offs {}", exact.impacts, exact.releases);
    assert!(exact.impacts > 50 && exact.releases > 0);
    let cases: Cases<'_> = &[
        ("midpoint", 2.0, 960),
        ("radau3", 3.0, 160),
        ("rk4", 4.0, 80),
        ("gauss4", 4.0, 80),
        ("dormand-prince", 5.0, 40),
        ("radau5", 5.0, 40),
        ("gauss6", 6.0, 20),
    ];
    check(chain, oracles::CHAIN_END, &|t| exact.at(t), cases);
}

#[test]
fn every_way_to_locate_an_event_gives_the_order() {
    for locate in ["bisection", "newton", "dense"] {
        for (method, p, n) in [("rk4", 4.0, 160), ("dormand-prince", 5.0, 20), ("gauss6", 6.0, 12)] {
            let options = Options::default().with_word("method", method).with_word("locate", locate);
            let (order, errors) = measure(|| oscillator(1.0, -1.0), &options, 5.0, n, &oracles::pressed);
            eprintln!("{locate}, {method}: order {order:.3}, errors {}", spell(errors));
            assert!((order - p).abs() < 0.25, "{locate}, {method}: {order}");
        }
    }
}

/// The ball of the slides: m = 1, f = −2, e = ½, from height 1; impacts at 1, 2, 2.5, …, at rest from t = 3.
fn ball() -> Built {
    oscillator(0.0, -2.0)
}

#[test]
fn the_flight_of_a_ball_is_exact_and_only_rounding_and_the_bracket_remain() {
    for method in ["midpoint", "rk4", "dormand-prince", "gauss6"] {
        let options = Options::default().with_word("method", method);
        let errors = [41, 83, 149].map(|n| l1(ball, &options, 3.7, n, &oracles::ball));
        eprintln!("{method}: {}", spell(errors));
        let p = if method == "midpoint" { 2 } else { 4 };
        for (n, error) in [41.0, 83.0, 149.0f64].into_iter().zip(errors) {
            // Brackets of 1e-6 h^{p+1} at speeds up to 2, at most 50 of them; below that rounding.
            let h = 3.7 / n;
            assert!(error < 1e-4 * f64::powi(h, p + 1) + 1e-13, "{method}, {n}: {error:.1e}");
        }
    }
}

#[test]
fn the_adaptive_step_meets_its_tolerance_and_the_adaptive_order_does_less_work() {
    let far = |options: &Options| {
        let mut simulation = run(oscillator(1.0, -1.0), "high-order", options, 0.7);
        let (mut summary, mut worst) = (Summary::default(), 0.0f64);
        for _ in 0..7 {
            let frame = simulation.step().expect("the run goes on");
            summary.book(&frame);
            let (x, after) = (oracles::pressed(frame.after.t), frame.after);
            worst = worst.max((after.q[0] - x[0]).abs()).max((after.v[0] - x[1]).abs());
        }
        (worst, summary.counts)
    };
    for method in ["rk4", "rkf45", "dormand-prince", "gauss4", "radau5"] {
        for tolerance in [1e-5, 1e-8, 1e-10] {
            let options = Options::default().with_word("method", method).with_word("adaptive", "yes");
            let options = options.with("tolerance", tolerance);
            let (worst, counts) = far(&options);
            eprintln!("{method}, {tolerance:.0e}: {worst:.1e}, {counts:?}");
            // The tolerance is for one inner step; there are up to 200, and errors add up.
            assert!(worst < 200.0 * tolerance, "{method}, {tolerance:.0e}: {worst:.1e}");
        }
    }
    for (first, tolerance) in [("midpoint", 1e-8), ("gauss2", 1e-8)] {
        let options = Options::default().with_word("method", first).with_word("adaptive", "yes");
        let options = options.with("tolerance", tolerance);
        let (_, fixed) = far(&options);
        let (worst, counts) = far(&options.with_word("order", "adaptive"));
        eprintln!("{first}, {tolerance:.0e}: {fixed:?} → {worst:.1e}, {counts:?}");
        assert!(worst < 200.0 * tolerance);
        // The search for some thirty impacts costs the same with both.
        let ratio = counts.evaluations as f64 / fixed.evaluations as f64;
        assert!(ratio < 0.6, "{first}: {fixed:?} {counts:?}");
    }
}

#[test]
fn the_ledger_closes_with_the_order_of_the_method() {
    // Damped, driven and hit: what remains is the error of the quadrature.
    let make = || {
        built(|builder| {
            let mass = Linear::new("mass", Sparse::diagonal(&[2.0])).stiffness(Sparse::diagonal(&[5.0]));
            let mass = mass.damping(Sparse::diagonal(&[0.3])).initial(&[0.3], &[0.0]);
            let mass = builder.linear(mass.force(|t, out| {
                out[0] = 4.0 * (3.0 * t).sin();
                Ok(())
            }));
            let law = builder.law("rebound", NewtonImpact { restitution: 0.7 });
            builder.linear_gap("floor", law, &[(mass, 0, 1.0)], 0.0);
        })
    };
    for (method, p, n) in [("rk4", 4.0, 160), ("gauss6", 6.0, 12)] {
        let options = Options::default().with_word("method", method);
        let remainder = |n: u64| {
            let mut simulation = run(make(), "high-order", &options, 4.0 / n as f64);
            let mut ledger = EnergyLedger::default();
            simulation.run(n, &mut [&mut ledger]).expect("the run goes on");
            assert!(ledger.total.impact < -0.01 && ledger.total.viscous < -0.01);
            ledger.remainder.abs()
        };
        let mean = |n: u64| (0..8).map(|k| remainder(n + k * n / 20)).sum::<f64>() / 8.0;
        let (coarse, fine) = (mean(n), mean(2 * n));
        eprintln!("{method}: remainder {coarse:.1e} → {fine:.1e}");
        // At least the order, less what the phases of impacts make of it.
        assert!(fine < coarse * 0.5f64.powf(p - 0.5), "{method}: {coarse:.1e} {fine:.1e}");
    }
}

#[test]
fn a_run_resumed_in_the_middle_of_an_accumulation_has_the_same_bits() {
    let options = |words: [(&str, &str); 2]| {
        words.iter().fold(Options::default(), |options, (name, word)| options.with_word(name, word))
    };
    for (scheme, options) in [
        ("high-order", options([("method", "dormand-prince"), ("adaptive", "no")])),
        ("high-order", options([("method", "rk4"), ("adaptive", "yes")])),
        ("high-order", options([("method", "gauss4"), ("locate", "dense")])),
        ("splitting", options([("method", "rkf45"), ("contact_force", "yes")])),
        ("splitting", options([("adaptive", "yes"), ("contact_force", "no")])),
    ] {
        let h = 0.03;
        let mut whole = run(chain(), scheme, &options, h);
        let mut states = vec![whole.state.clone()];
        for _ in 0..100 {
            whole.step().expect("the run goes on");
            states.push(whole.state.clone());
        }
        for at in [1, 20, 40, 77] {
            let (model, _) = chain();
            let scheme = integrator(scheme, &options);
            let mut half = Simulation::new(model, states[at].clone(), scheme, h).expect("accepted");
            half.resume(states[at].clone(), 0.0);
            for state in &states[at + 1..] {
                half.reset();
                half.step().expect("the run goes on");
                assert_eq!(&half.state, state, "{options:?}, resumed at step {at}");
            }
        }
    }
}
