//! Orders in h, and what sliding does.

use super::{LinearRelation, Variable, circuit, relay_system, run, theta};
use crate::kit::{ModelBuilder, Sparse};
use crate::order;
use nonsmooth::laws::{Bilateral, Complementarity};
use nonsmooth::model::FirstOrder;

/// ẋ = −x + cos t: x = ½ (cos t + sin t) + ½ e^{−t} from x(0) = 1.
fn forced(t_end: f64, scheme: f64, n: usize) -> f64 {
    let mut builder = ModelBuilder::new();
    let system = FirstOrder::new("lag", &[1.0]).matrix(Sparse::diagonal(&[-1.0])).input(|t, b| {
        b[0] = t.cos();
        Ok(())
    });
    builder.first_order(system);
    let (model, state) = builder.build(0.0).expect("a right model");
    let ours = run(&model, &state, theta(scheme), t_end / n as f64, n);
    let exact = 0.5 * (t_end.cos() + t_end.sin() + (-t_end).exp());
    (ours.x[n][0] - exact).abs()
}

#[test]
fn theta_one_has_order_one_and_one_half_order_two() {
    let first = order(forced(2.0, 1.0, 200), forced(2.0, 1.0, 400), 2.0);
    let second = order(forced(2.0, 0.5, 200), forced(2.0, 0.5, 400), 2.0);
    assert!((first - 1.0).abs() < 0.02, "θ = 1: order {first}");
    assert!((second - 2.0).abs() < 0.02, "θ = ½: order {second}");
}

/// While the diode conducts v_C obeys C R v̈ + L... : a damped oscillation; when it blocks, an undamped one. The time of switching is
/// not on the grid, which leaves order one for either θ at most.
#[test]
fn a_diode_circuit_approaches_its_closed_form() {
    let (l, c, r) = (1e-2, 1e-6, 1e3);
    // Conducting: C v̇ = −i − v/R, L i̇ = v, from v = 10, i = 0, until v = 0.
    let (decay, omega0) = (0.5 / (r * c), 1.0 / f64::sqrt(l * c));
    let omega = f64::sqrt(omega0 * omega0 - decay * decay);
    // v = e^{−δt} (10 cos ωt + b sin ωt), v̇(0) = −10/(RC).
    let b = (-10.0 / (r * c) + decay * 10.0) / omega;
    let t_off = (std::f64::consts::PI - f64::atan2(10.0, b)) / omega;
    let v = |t: f64| (-decay * t).exp() * (10.0 * (omega * t).cos() + b * (omega * t).sin());
    assert!(v(t_off).abs() < 1e-12, "switches at {t_off} s");
    let rate = |t: f64| (v(t + 1e-9) - v(t - 1e-9)) / 2e-9;
    // Blocking: v = v̇_off/ω₀ sin ω₀ (t − t_off), half a period.
    let end = 4e-4;
    let exact = rate(t_off) / omega0 * (omega0 * (end - t_off)).sin();
    let (model, state) = circuit();
    let error = |n: usize| {
        let ours = run(&model, &state, theta(0.5), end / n as f64, n);
        (ours.x[n][0] - exact).abs()
    };
    let errors = [400, 1600, 6400].map(error);
    assert!(errors[2] < 1e-3 && errors[0] < 2e-2, "errors in V: {errors:?}");
    assert!(errors[2] < 0.25 * errors[0], "errors in V: {errors:?}");
}

#[test]
fn an_implicit_relay_slides_without_chattering() {
    // ẋ = ½ sin t − sgn x: reaches zero and stays, with λ = −½ sin t there.
    let mut builder = ModelBuilder::new();
    let system = FirstOrder::new("plant", &[0.3]).input(|t, b| {
        b[0] = 0.5 * t.sin();
        Ok(())
    });
    let plant = builder.first_order(system);
    let law = builder.law("relay", nonsmooth::laws::Relay { lower: -1.0, upper: 1.0 });
    let x = Variable::state(plant, 0);
    builder.relation("relay", law, &[x], &[(plant, 0)], LinearRelation::new(1, &[1.0], &[1.0]));
    let (model, state) = builder.build(0.0).unwrap();
    let ours = run(&model, &state, theta(1.0), 1e-2, 500);
    for k in 60..=500 {
        assert!(ours.x[k][0].abs() < 1e-14, "at t = {}: x = {:e}", ours.t[k], ours.x[k][0]);
        let exact = -0.5 * ours.t[k].sin();
        assert!((ours.lambda[k][0] - exact).abs() < 1e-11, "λ {} for {exact}", ours.lambda[k][0]);
    }
}

/// Filippov: two relays on a line where both fields point inwards; the sliding motion is the convex combination.
#[test]
fn sliding_follows_filippov() {
    // ẋ = −sgn x, ż = 1 − ½ sgn x: on x = 0 ż = 1.
    let (b, c) = ([1.0, 0.5], [1.0, 0.0]);
    let (model, state) = relay_system(&[0.2, 0.0], None, &b, &c);
    // Before: z falls by ½·0.2 behind t.
    let mut with_drift = state.clone();
    with_drift.v[1] = 0.0;
    let ours = run(&model, &with_drift, theta(1.0), 1e-3, 1000);
    assert!(ours.x[1000][0].abs() < 1e-15, "x = {:e}", ours.x[1000][0]);
    assert!((ours.x[1000][1] + 0.1).abs() < 1e-12, "z = {}", ours.x[1000][1]);
}

/// Bilateral rows make a differential-algebraic system: C v̇ = λ, 0 = v − sin t.
#[test]
fn bilateral_rows_are_algebraic_equations() {
    let mut builder = ModelBuilder::new();
    let capacitor = builder.first_order(FirstOrder::new("capacitor", &[0.0]));
    let law = builder.law("source", Bilateral);
    let source = LinearRelation::new(1, &[1.0], &[2.0]).offset(|t, e| {
        e[0] = -t.sin();
        Ok(())
    });
    let v = Variable::state(capacitor, 0);
    builder.relation("source", law, &[v], &[(capacitor, 0)], source);
    let (model, state) = builder.build(0.0).unwrap();
    let ours = run(&model, &state, theta(1.0), 1e-3, 1000);
    assert!((ours.x[1000][0] - 1f64.sin()).abs() < 1e-14);
    // i = C v̇ at the middle of the step, C = ½.
    assert!((ours.lambda[1000][0] - 0.5 * 0.9995f64.cos()).abs() < 1e-7);
}

/// A diode bridge with a capacitor and a load behind it: four diodes, the load voltage never falls faster than the load draws.
#[test]
fn a_diode_bridge_charges_a_capacitor() {
    // Source of 10 sin ωt behind R_s; load R, C. States: v. Rows: i_s free, bridge currents.
    let (r_s, r, c) = (1.0, 1e3, 1e-4);
    let omega = 2.0 * std::f64::consts::PI * 50.0;
    let mut builder = ModelBuilder::new();
    let system = FirstOrder::new("load", &[0.0]).matrix(Sparse::diagonal(&[-1.0 / (r * c)]));
    let load = builder.first_order(system);
    let law = builder.law("diode", Complementarity);
    // Ideal bridge by symmetry: i+ conducts while V > v, i− while −V > v; y± = v ∓ V(t) + R_s i±.
    let bridge = LinearRelation::new(2, &[1.0, 1.0], &[1.0 / c, 1.0 / c])
        .feedthrough(&[r_s, 0.0, 0.0, r_s])
        .offset(move |t, e| {
            let v = 10.0 * (omega * t).sin();
            e.copy_from_slice(&[-v, v]);
            Ok(())
        });
    builder.relation("bridge", law, &[Variable::state(load, 0)], &[(load, 0)], bridge);
    let (model, state) = builder.build(0.0).unwrap();
    let h = 1e-5;
    let ours = run(&model, &state, theta(1.0), h, 10_000);
    // An independent integration with steps a hundred times smaller.
    let (mut v, n) = (0.0f64, 100);
    for k in 0..10_000 {
        for j in 0..n {
            let t = h * (k as f64 + (j as f64 + 0.5) / n as f64);
            let source = (10.0 * (omega * t).sin()).abs();
            let current = ((source - v) / r_s).max(0.0);
            v += h / n as f64 * (current - v / r) / c;
        }
        let error = (ours.x[k + 1][0] - v).abs();
        // Order one: the charge of a pulse of 10 A/ms begins within a step.
        assert!(error < 2e-2, "at step {k}: {} for {v}", ours.x[k + 1][0]);
    }
    assert!(v > 9.0, "{v}");
}
