//! Every exact solution satisfies its equation of motion, its impact law and its initial state; each is also
//! held against what is known of it by other means.

use crate::kit::{Arc, FirstOrderForm, Model, Options, State};
use nonsmooth::analysis::exact::{EXACT, Exact, find};

fn exact(name: &str, options: &Options) -> Box<dyn Exact> {
    find(name).expect("listed").build(options).expect("the parameters are valid")
}

/// Every solution with its defaults, and with other parameters.
fn all() -> Vec<(String, Box<dyn Exact>)> {
    let numbers = |pairs: &[(&str, f64)]| {
        pairs.iter().fold(Options::default(), |options, (name, x)| options.with(name, *x))
    };
    let other = [
        ("ball", numbers(&[("mass", 0.3), ("weight", 5.0), ("restitution", 0.8), ("velocity", 1.5)])),
        ("ball", numbers(&[("restitution", 0.0), ("height", 2.0), ("velocity", -3.0)])),
        ("oscillator", numbers(&[("mass", 0.3), ("stiffness", 5.0), ("velocity", -0.7)])),
        ("oscillator", numbers(&[("restitution", 1.0), ("height", 0.0), ("velocity", 2.0)])),
        ("pressed-oscillator", numbers(&[("mass", 0.3), ("stiffness", 5.0), ("velocity", 2.0)])),
        (
            "pressed-oscillator",
            numbers(&[("press", 0.1), ("restitution", 0.9), ("height", 0.0), ("velocity", 1.0)]),
        ),
        ("take-off", numbers(&[("mass", 0.3), ("rate", 5.0), ("time", 0.4)])),
        ("free-ball", numbers(&[("mass", 0.3), ("velocity", 5.0)])),
    ];
    let defaults = EXACT.iter().map(|entry| (entry.name, Options::default()));
    let name = |(name, options): (&str, Options)| (format!("{name} {options:?}"), exact(name, &options));
    defaults.chain(other).map(name).collect()
}

/// Those of one coordinate: not the bar, whose model has elements, nor the block, which slides.
fn of_one_coordinate() -> impl Iterator<Item = (String, Box<dyn Exact>, Arc<Model>, State)> {
    let made = |(name, exact): (String, Box<dyn Exact>)| {
        let (model, state) = exact.model().expect("the model is sound");
        (model.n_velocities() == 1).then_some((name, exact, model, state))
    };
    all().into_iter().filter_map(made)
}

/// Instants well inside the phases between jumps: three in each that is long enough.
fn instants(exact: &dyn Exact, margin: f64) -> Vec<f64> {
    let end = exact.horizon();
    let mut cuts = vec![0.0];
    cuts.extend(exact.jumps(end));
    cuts.extend(exact.accumulation());
    cuts.push(end);
    let inside = |w: &[f64]| [0.2, 0.5, 0.77].map(|s| w[0] + s * (w[1] - w[0]));
    let long = |w: &&[f64]| 0.2 * (w[1] - w[0]) > margin;
    cuts.windows(2).filter(long).flat_map(inside).collect()
}

#[test]
fn motion_satisfies_its_differential_equation() {
    for (name, exact, model, state) in of_one_coordinate() {
        let mut form = FirstOrderForm::new(&model, &state).expect("linear systems have accelerations");
        let d = 1e-4;
        for t in instants(&*exact, d) {
            let (x, before, after) = (exact.at(t), exact.at(t - d), exact.at(t + d));
            let r = if model.constraints.is_empty() { 0.0 } else { exact.contact_force(t) };
            let rate = form.derivative(t, &[&x.q[..], &x.v[..]].concat(), &[r]).expect("ẋ");
            let differences =
                [(after.q[0] - before.q[0]) / (2.0 * d), (after.v[0] - before.v[0]) / (2.0 * d)];
            // Central differences: d²/6 times a third derivative, at most ω⁴ = 280, and 1e-16/d of rounding.
            for (rate, found) in rate.iter().zip(differences) {
                assert!((rate - found).abs() < 6e-7, "{name} at t = {t}: {found}, expected {rate}");
            }
        }
    }
}

#[test]
fn impacts_obey_newton_and_nothing_penetrates() {
    for (name, exact, model, _) in of_one_coordinate() {
        let end = exact.horizon();
        if model.constraints.is_empty() {
            assert!(exact.jumps(end).is_empty());
            continue;
        }
        // A model does not tell its coefficients: the first impact does, and all others must have the same.
        let first = exact.jumps(end).first().map(|&t| -exact.at(t).v[0] / exact.before(t).v[0]);
        let e = first.unwrap_or(0.0);
        assert!((0.0..=1.0).contains(&e), "{name}: e = {e}");
        for t in exact.jumps(end) {
            let (minus, plus) = (exact.before(t), exact.at(t));
            // Rounding of t moves q by ε t v, and v by ε t a: numbers up to 10.
            assert!(
                minus.q[0].abs() < 4e-15 && plus.q[0].abs() < 4e-15,
                "{name}: q at {t}: {minus:?} {plus:?}"
            );
            assert!(minus.v[0] <= 4e-15, "{name}: hits with {}", minus.v[0]);
            assert!((plus.v[0] + e * minus.v[0]).abs() < 1e-14, "{name} at t = {t}: {minus:?} {plus:?}");
        }
        for k in 0..=20_000 {
            let t = end * f64::from(k) / 20_000.0;
            let (q, r) = (exact.at(t).q[0], exact.contact_force(t));
            assert!(q >= -4e-15 && r >= 0.0 && q * r == 0.0, "{name} at t = {t}: q = {q:e}, r = {r}");
        }
    }
}

#[test]
fn jumps_are_all_jumps_there_are() {
    for (name, exact) in all() {
        let end = exact.horizon();
        let jumps = exact.jumps(end);
        assert!(jumps.is_sorted_by(|a, b| a < b), "{name}");
        let n = 50_000;
        for k in 0..n {
            let [from, to] = [k, k + 1].map(|k| end * f64::from(k) / f64::from(n));
            if jumps.iter().any(|&t| from <= t && t <= to) {
                continue;
            }
            // Without a jump v changes by a h: accelerations are at most 30, h = end/n.
            let (v, w) = (exact.at(from).v, exact.before(to).v);
            let far = v.iter().zip(&w).fold(0.0f64, |m, (v, w)| m.max((v - w).abs()));
            assert!(far < 30.0 * end / f64::from(n), "{name}: v jumps by {far} between {from} and {to}");
        }
    }
}

#[test]
fn initial_state_of_the_model_is_that_of_the_motion() {
    let mut n = 0;
    for (name, exact) in all() {
        let made = exact.model();
        let (_, state) = made.expect("the model is sound");
        let start = exact.before(0.0);
        assert!(state.t == 0.0 && state.q == start.q && state.v == start.v, "{name}: {start:?}");
        n += 1;
    }
    assert!(n >= 14);
}

#[test]
fn ball_with_the_defaults_bounces_at_whole_halves_and_quarters() {
    let ball = exact("ball", &Options::default());
    let jumps = ball.jumps(10.0);
    // Rounding of sums up to 3.
    for (n, t) in jumps.iter().enumerate() {
        assert!((t - (3.0 - 2.0 * 0.5f64.powi(n as i32))).abs() < 1e-15, "impact {n} at {t}");
    }
    // 2^{-n} < ε: about 53 impacts can be told apart.
    assert!((50..=55).contains(&jumps.len()), "{} impacts", jumps.len());
    assert!((ball.accumulation().unwrap() - 3.0).abs() < 1e-15);
    assert_eq!((ball.at(3.5).q[0], ball.at(3.5).v[0], ball.contact_force(3.5)), (0.0, 0.0, 2.0));
    assert_eq!(ball.before(1.0).v[0], -2.0);
    assert_eq!(ball.at(1.0).v[0], 1.0);
    // Highest between the first two impacts: ½·1·½.
    assert!((ball.at(1.5).q[0] - 0.25).abs() < 1e-15);
    // For other parameters, the geometric series.
    let options = Options::default().with("restitution", 0.9).with("height", 3.0).with("weight", 7.0);
    let (fall, e) = ((6.0f64 / 7.0).sqrt(), 0.9);
    let series = fall * (1.0 + 2.0 * e / (1.0 - e));
    // Rounding of a sum of some 350 flights.
    assert!((exact("ball", &options).accumulation().unwrap() - series).abs() < 1e-13);
}

#[test]
fn oscillator_with_the_defaults_is_a_cosine_that_halves() {
    let oscillator = exact("oscillator", &Options::default());
    for k in 0..2000 {
        let t = 0.01 * f64::from(k);
        let n = (t / std::f64::consts::PI + 0.5).floor();
        // Rounding of angles up to 20.
        let expected = 0.5f64.powf(n) * t.cos().abs();
        assert!((oscillator.at(t).q[0] - expected).abs() < 4e-15, "t = {t}");
    }
    assert_eq!(oscillator.accumulation(), None);
    assert_eq!(oscillator.jumps(10.0).len(), 3);
}

#[test]
fn pressed_oscillator_loses_the_energy_of_its_impacts_and_rests() {
    let pressed = exact("pressed-oscillator", &Options::default());
    // From q = 1: (q + 1) = 2 cos t, first impact at π/3 with speed √3, halved each time.
    let mut t = std::f64::consts::FRAC_PI_3;
    let mut u = 3f64.sqrt() / 2.0;
    for impact in pressed.jumps(10.0) {
        // Rounding of sums up to 4.
        assert!((impact - t).abs() < 4e-15, "impact at {impact}, expected {t}");
        t += 2.0 * u.atan();
        u *= 0.5;
    }
    let rest = pressed.accumulation().unwrap();
    assert!((rest - t).abs() < 4e-15 && rest > 4.0 && rest < 4.2, "{rest}");
    assert_eq!(
        (pressed.at(4.3).q[0], pressed.at(4.3).v[0], pressed.contact_force(4.3)),
        (0.0, 0.0, 1.0)
    );
    // Energy is constant in flight: ½v² + ½q² + q.
    let energy = |t: f64| {
        let (q, v) = (pressed.at(t).q[0], pressed.at(t).v[0]);
        0.5 * v * v + 0.5 * q * q + q
    };
    for (at, expected) in [(0.3, 1.5), (1.0, 1.5), (1.2, 0.375), (2.4, 0.375)] {
        assert!((energy(at) - expected).abs() < 1e-15, "{at}: {}", energy(at));
    }
}

#[test]
fn sliding_block_stops_after_v_over_mu_g() {
    for v in [2.0, -2.0] {
        let options = Options::default().with("velocity", v).with("friction", 0.5).with("gravity", 10.0);
        let block = exact("sliding-block", &options);
        let (d, stop) = (1e-4, 0.4);
        for t in [0.1, 0.2, 0.39] {
            let (before, here, after) = (block.at(t - d), block.at(t), block.at(t + d));
            // A parabola: central differences are exact to rounding, 1e-16/d.
            assert!(((after.q[0] - before.q[0]) / (2.0 * d) - here.v[0]).abs() < 1e-11);
            assert!(((after.v[0] - before.v[0]) / (2.0 * d) + 5.0 * v.signum()).abs() < 1e-11);
            assert!(here.v[0] * v > 0.0);
        }
        let at_rest = block.at(stop + 0.1);
        assert!((at_rest.q[0] - v * v.abs() / 10.0).abs() < 1e-15 && at_rest.v == [0.0, 0.0]);
        assert!((block.before(stop).q[0] - at_rest.q[0]).abs() < 1e-15);
        assert_eq!(block.contact_force(0.1), 10.0);
    }
}

#[test]
fn bar_satisfies_the_wave_equation_and_its_ends() {
    let (length, stiffness, density, speed) = (2.0, 3.0, 0.75, 0.4);
    let n = 64;
    let options = Options::default()
        .with("length", length)
        .with("stiffness", stiffness)
        .with("density", density)
        .with("speed", speed)
        .with("gap", 0.1)
        .with("elements", f64::from(n));
    let bar = exact("elastic-bar", &options);
    let (c, dx) = ((stiffness / density).sqrt(), length / f64::from(n));
    let (touch, leave) = (0.1 / speed, 0.1 / speed + 2.0 * length / c);
    // d'Alembert: on the grid of characteristics dx = c dt the wave equation is
    // u(x, t + dt) + u(x, t − dt) = u(x + dx, t) + u(x − dx, t), without any error, kinks included.
    let dt = dx / c;
    for k in 2..200 {
        let [below, here, above] =
            [k - 1, k, k + 1].map(|k| bar.at(touch + (f64::from(k) - 40.5) * dt).q);
        for i in 1..n as usize {
            let far = above[i] + below[i] - here[i + 1] - here[i - 1];
            assert!(far.abs() < 1e-15, "x = {}, step {k}: {far:e}", i as f64 * dx);
        }
    }
    for k in 0..400 {
        let t = 1.3 * leave * f64::from(k) / 400.0;
        let (motion, force) = (bar.at(t), bar.contact_force(t));
        // The wall: no penetration, pushes only while it is touched. The strain there is −force/EA.
        assert!(motion.q[0] >= -1e-15 && force >= 0.0 && force * motion.q[0] < 1e-15, "t = {t}");
        let front = (c * (t - touch)).min(c * (leave - t));
        if force > 0.0 && front > dx {
            let strain = (motion.q[1] - motion.q[0]) / dx;
            assert!(
                (stiffness * strain + force).abs() < 1e-12,
                "t = {t}: strain {strain}, force {force}"
            );
        }
        // The free end has no strain.
        let strain = (motion.q[n as usize] - motion.q[n as usize - 1]) / dx;
        if (c * (t - touch) - length).abs() > dx {
            assert!(strain.abs() < 1e-12, "t = {t}: strain {strain} at the free end");
        }
    }
    // The impulse of the wall turns the momentum.
    let impulse = bar.contact_force(touch) * (leave - touch);
    assert!((impulse - 2.0 * density * length * speed).abs() < 1e-14);
    assert!(bar.at(leave).v.iter().all(|&v| v == speed) && bar.at(0.0).v.iter().all(|&v| v == -speed));
    assert!(bar.contact_force(leave) == 0.0 && bar.contact_force(0.9 * touch) == 0.0);
}

#[test]
fn parameters_out_of_range_are_refused() {
    let refused = |name: &str, option: &str, x: f64| {
        find(name).expect("listed").build(&Options::default().with(option, x)).is_err()
    };
    assert!(refused("ball", "restitution", 1.0) && refused("ball", "mass", 0.0));
    assert!(refused("ball", "height", -1.0) && refused("ball", "stiffness", 1.0));
    assert!(refused("oscillator", "restitution", 1.1) && refused("take-off", "time", f64::NAN));
    assert!(refused("elastic-bar", "elements", 0.0) && refused("elastic-bar", "elements", 1e12));
    assert!(find("bal").is_none());
    // Numbers that overflow end in infinities or in a model that says so, not in a loop.
    let huge = Options::default().with("height", 1e308).with("velocity", 1e200);
    assert!(!exact("ball", &huge).at(1.0).q.is_empty());
    let huge = Options::default().with("stiffness", 1e308).with("elements", 1e3);
    assert!(exact("elastic-bar", &huge).model().is_err());
}

#[test]
fn a_run_of_the_block_follows_its_exact_motion() {
    let block = exact("sliding-block", &Options::default());
    let (model, state) = block.model().expect("a right model");
    let h = block.horizon() / 1009.0;
    let mut simulation =
        crate::kit::Simulation::new(model, state, crate::moreau_jean(&Options::default()), h)
            .expect("accepted");
    for _ in 0..1009 {
        simulation.step().expect("a good step");
        let (found, exact) = (&simulation.state, block.at(simulation.state.t));
        // Constant deceleration is exact for θ = ½; the step that stops is at most μ g h²/8 off.
        assert!((found.q[0] - exact.q[0]).abs() < 0.3 * 9.81 * h * h / 8.0 + 1e-12, "t = {}", found.t);
    }
}
