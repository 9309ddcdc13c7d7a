//! Scenes with first-order systems, relations and couplings against closed forms and independent integrations.

use crate::{from_text, mistakes_of, scene};
use nonsmooth::Simulation;
use nonsmooth::model::relations::RelationValues;
use nonsmooth_scene::{Loaded, RunOptions, Start, line_column, run};
use std::sync::atomic::AtomicBool;

/// t, q, v and the values of the relations at each step, the start included.
struct Shown {
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    values: RelationValues,
}

fn course(loaded: &mut Loaded) -> Vec<Shown> {
    let see = |simulation: &Simulation| {
        let (state, model) = (&simulation.state, &simulation.model);
        let values = model.relation_values(state).expect("finite");
        Shown { t: state.t, q: state.q.clone(), v: state.v.clone(), values }
    };
    let mut all = vec![see(&loaded.simulation)];
    for _ in 0..loaded.n_steps {
        loaded.simulation.step().expect("the step is made");
        all.push(see(&loaded.simulation));
    }
    all
}

/// The diode bridge against an explicit integration of C v̇ = max(|V| − v, 0)/R_s − v/R with steps a hundred times smaller.
#[test]
fn a_bridge_of_four_diodes_rectifies() {
    let ours = course(&mut scene("diode-bridge.toml", &[]));
    let (mut v, h, n) = (0.0f64, 1e-5, 100);
    for (k, shown) in ours.iter().enumerate().skip(1) {
        for j in 0..n {
            let t = h * ((k - 1) as f64 + (f64::from(j) + 0.5) / f64::from(n));
            let source = (10.0 * (2.0 * std::f64::consts::PI * 50.0 * t).sin()).abs();
            v += h / f64::from(n) * ((source - v).max(0.0) - v / 1e3) / 1e-4;
        }
        // Order one: h/2 times the slope of the source, 3100 V/s, is 0.016 V.
        assert!((shown.v[0] - v).abs() < 2e-2, "at {} s: {} for {v}", shown.t, shown.v[0]);
        let RelationValues { y, lambda } = &shown.values;
        for (y, lambda) in y.iter().zip(lambda) {
            assert!(*y > -1e-9 && *lambda > -1e-9 && (y * lambda).abs() < 1e-7, "{y} {lambda}");
        }
    }
    assert!(v > 9.0, "{v}");
}

/// In continuous conduction the mean voltage is duty · V_in and the current rises by (V_in − v) duty T/L while the switch is closed.
#[test]
fn a_buck_converter_gives_its_part_of_the_voltage() {
    let ours = course(&mut scene("buck-converter.toml", &[]));
    let last = &ours[ours.len() - 401..];
    let mean = |k: usize| last[1..].iter().map(|s| s.v[k]).sum::<f64>() / 400.0;
    // Two whole periods; the closed switch drops 1 mΩ · 2 A.
    assert!((mean(1) - 12.0).abs() < 5e-3, "mean voltage {}", mean(1));
    assert!((mean(0) - 2.0).abs() < 2e-3, "mean current {}", mean(0));
    let extreme = |f: fn(f64, f64) -> f64, start| last.iter().map(|s| s.v[0]).fold(start, f);
    let ripple = extreme(f64::max, f64::MIN) - extreme(f64::min, f64::MAX);
    assert!((ripple - 12.0 * 0.5e-4 / 1e-3).abs() < 6e-3, "ripple {ripple}");
    // With a light load the coil runs empty in each period: v/V = 2/(1 + √(1 + 8 L/(R d² T))).
    let mut light = scene("buck-converter.toml", &[("R", "200"), ("C", "1e-5")]);
    let ours = course(&mut light);
    let last = &ours[ours.len() - 401..];
    let mean = last[1..].iter().map(|s| s.v[1]).sum::<f64>() / 400.0;
    let exact = 24.0 * 2.0 / (1.0 + f64::sqrt(1.0 + 8.0 * 1e-3 / (200.0 * 0.25 * 1e-4)));
    assert!((mean - exact).abs() < 0.01 * exact, "{mean} for {exact}");
    assert!(last.iter().all(|s| s.v[0] > -1e-6), "the diode blocks");
}

#[test]
fn a_relay_oscillates_as_its_describing_function_says() {
    let ours = course(&mut scene("relay-oscillator.toml", &[]));
    let late = &ours[5000..];
    let largest = late.iter().map(|s| s.v[0].abs()).fold(0.0, f64::max);
    // Harmonic balance leaves out the third harmonic, 1/27 · |G(3iω)|/|G(iω)| ≈ 1 %.
    let exact = 2.0 / (3.0 * std::f64::consts::PI);
    assert!((largest - exact).abs() < 0.02 * exact, "{largest} for {exact}");
    let crossings: Vec<f64> =
        late.windows(2).filter(|w| w[0].v[0] < 0.0 && w[1].v[0] >= 0.0).map(|w| w[1].t).collect();
    let n = crossings.len() - 1;
    let period = (crossings[n] - crossings[0]) / n as f64;
    let exact = 2.0 * std::f64::consts::PI / 3f64.sqrt();
    assert!((period - exact).abs() < 0.02 * exact, "{period} for {exact}");
}

#[test]
fn sliding_combines_the_fields_that_meet() {
    let ours = course(&mut scene("filippov-sliding.toml", &[]));
    // Reaches x = 0 at 0.75/1.5 s, with ż = −2 before and 1 − 3·0.25 after.
    let last = ours.last().unwrap();
    assert!(last.v[0].abs() < 1e-14, "x = {:e}", last.v[0]);
    let exact = -2.0 * 0.5 + (1.0 - 3.0 * 0.5 / 2.0) * 1.5;
    assert!((last.v[1] - exact).abs() < 1e-12, "z = {} for {exact}", last.v[1]);
    assert!((last.values.lambda[0] + 0.25).abs() < 1e-12);
}

#[test]
fn sliding_mode_control_does_not_chatter() {
    let ours = course(&mut scene("sliding-mode-pendulum.toml", &[]));
    let s = |shown: &Shown| shown.values.y[0];
    let reached = ours.iter().position(|shown| s(shown).abs() < 1e-12).unwrap();
    assert!(reached < 500, "reached at step {reached}");
    for pair in ours[reached + 1..].windows(2) {
        // Newton stops at 1e-12 of the speed, at most 4 rad/s.
        assert!(s(&pair[1]).abs() < 1e-11, "s = {:e} at {} s", s(&pair[1]), pair[1].t);
        let [a, b] = [&pair[0], &pair[1]].map(|shown| shown.q[0] - 1.2);
        // On s = 0 v = −c e: implicit Euler.
        assert!((b - a / 1.006).abs() < 1e-13, "e = {b} after {a}");
        assert!(
            (pair[1].values.lambda[0] - pair[0].values.lambda[0]).abs() < 0.5,
            "the torque is smooth"
        );
    }
    // What holds it is the weight.
    let last = ours.last().unwrap();
    let weight = 9.81 * 0.7 * last.q[0].sin();
    assert!((last.values.lambda[0] - weight).abs() < 1e-2, "{} for {weight}", last.values.lambda[0]);
}

#[test]
fn twisting_control_reaches_the_angle_and_stays() {
    let ours = course(&mut scene("twisting-pendulum.toml", &[]));
    let rest = ours.iter().rposition(|s| (s.q[0] - 1.2).abs() > 1e-10).unwrap();
    assert!(rest < 1500, "still moves at {} s", ours[rest].t);
    let last = ours.last().unwrap();
    assert!((last.q[0] - 1.2).abs() < 1e-11 && last.v[0].abs() < 1e-8, "{:?} {:?}", last.q, last.v);
    let weight = 9.81 * 0.7 * 1.2f64.sin();
    let torque: f64 = last.values.lambda.iter().sum();
    assert!((torque - weight).abs() < 1e-6, "{torque} for {weight}");
}

#[test]
fn a_winch_lifts_with_the_current_that_its_switch_holds() {
    let mut loaded = scene("winch.toml", &[]);
    let ours = course(&mut loaded);
    let (force, weight) = (0.5 * 30.0 / 0.05, 20.0 * 9.81);
    let held = ours.iter().position(|s| (s.v[1] - 30.0).abs() < 1e-10).unwrap();
    // Constant acceleration from there on while 48 V suffice: R i + k ω = 48 at ω = 72 rad/s, 3.6 m/s.
    let a = (force - weight) / 20.0;
    let start = &ours[held];
    let end = ours.iter().rposition(|s| s.v[0] < 3.55).unwrap();
    for shown in &ours[held + 1..=end] {
        assert!((shown.v[1] - 30.0).abs() < 1e-10, "i = {} at {} s", shown.v[1], shown.t);
        let exact = start.v[0] + a * (shown.t - start.t);
        assert!((shown.v[0] - exact).abs() < 1e-10, "v = {} for {exact}", shown.v[0]);
    }
    assert!(end > held + 500, "from {held} to {end}");
    // Until its force is the weight the load stays where it is.
    let lifts = ours.iter().position(|s| s.v[0] > 1e-9).unwrap();
    assert!(ours[..lifts].iter().all(|s| s.q[0].abs() < 1e-12));
    // The current rises by 4.8 A in a step.
    let current = ours[lifts].v[1];
    assert!(current > weight * 0.1 && current < weight * 0.1 + 5.0, "{current}");
}

/// A checkpoint is the state: going on from any of them gives the same bits.
#[test]
fn scenes_with_relations_resume_to_the_bit() {
    for name in ["rlc-diode.toml", "winch.toml", "sliding-mode-pendulum.toml"] {
        let mut loaded = scene(name, &[]);
        let simulation = &mut loaded.simulation;
        simulation.run(15, &mut []).expect("it runs");
        let saved = (*simulation.state).clone();
        simulation.run(20, &mut []).expect("it runs");
        let end = (*simulation.state).clone();
        let mut again = scene(name, &[]).simulation;
        again.set_state(saved).expect("a right state");
        again.run(20, &mut []).expect("it runs");
        let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&again.state.v), bits(&end.v), "{name}");
        assert_eq!(bits(&again.state.scheme), bits(&end.scheme), "{name}");
    }
}

#[test]
fn tables_and_figures_show_states_and_relations() {
    let folder = std::env::temp_dir().join(format!("nonsmooth-relations-{}", std::process::id()));
    let text = std::fs::read_to_string(crate::scenes().join("winch.toml")).unwrap();
    let text = text.replace("end = 0.8", "end = 0.02") + "\n[output]\ncsv = true\n";
    let loaded = from_text(&text).unwrap();
    let (stop, save) = (AtomicBool::new(false), AtomicBool::new(false));
    let options = RunOptions {
        out: &folder,
        start: Start::New,
        stop: &stop,
        save: &save,
        progress: &mut |_| {},
        clock: &|| [0.0; 2],
    };
    run(loaded, options).expect("it runs");
    let csv = std::fs::read_to_string(folder.join("states.csv")).unwrap();
    let mut lines = csv.lines().filter(|line| !line.starts_with('#'));
    assert_eq!(lines.next(), Some("t,motor.i_m,chopper.y,chopper.lambda"));
    assert_eq!(lines.clone().count(), 21);
    let last: Vec<f64> = lines.next_back().unwrap().split(',').map(|x| x.parse().unwrap()).collect();
    assert!((last[2] - (last[1] - 30.0)).abs() < 1e-12, "{last:?}");
    // Energies say nothing of currents, so no error is told.
    let summary = std::fs::read_to_string(folder.join("summary.json")).unwrap();
    assert!(summary.contains("does not show the error of first-order systems"), "{summary}");
    assert!(folder.join("states.png").is_file() && folder.join("inputs.png").is_file());
    std::fs::remove_dir_all(folder).unwrap();
}

/// Each edit of a right scene is told at its place, in words.
#[test]
fn mistakes_of_relations_are_told_with_place_and_remedy() {
    let good = std::fs::read_to_string(crate::scenes().join("winch.toml")).unwrap();
    let relay = std::fs::read_to_string(crate::scenes().join("relay-oscillator.toml")).unwrap();
    from_text(&good).unwrap();
    let cases = [
        (&good, "law = \"switch\"", "law = \"swich\"", "no law `swich`, did you mean `switch`?"),
        (
            &good,
            "inputs = [\"u\"]",
            "inputs = [\"u\", \"w\"]",
            "must have one output for each input (2), has 1",
        ),
        (&good, "inputs = [\"u\"]", "inputs = [\"i\"]", "`i` has a meaning of its own"),
        (&good, "outputs = [\"i_m - target\"]", "outputs = [\"j - target\"]", "`j`"),
        (
            &good,
            "\"motor.i_m\" = \"u/L\"",
            "\"motor.i_n\" = \"u/L\"",
            "no state or coordinate `motor.i_n` to act on, did you mean `motor.i_m`?",
        ),
        (&good, "states = [\"i_m\"]", "states = [\"i_m\", \"i_m\"]", "`i_m` is given twice"),
        (
            &good,
            "rate = [\"-(R*i_m + k*v_z/r)/L\"]",
            "rate = [1, 2]",
            "must have one entry per state (1), has 2",
        ),
        (&good, "x = [0]", "x = [0, 1]", "must have one entry per coordinate (1), has 2"),
        (
            &good,
            "type = \"euler-moreau\"",
            "type = \"moreau-jean\"",
            "does not take first-order systems; use euler-moreau",
        ),
        (
            &good,
            "law = \"switch\"",
            "law = \"rigid\"\npolytope = { normals = [[1]], bounds = [1] }",
            "exactly one of `law` and `polytope`",
        ),
        (&good, "type = \"relay\"", "type = \"coulomb\"", "ties gaps and impulses, not y and λ"),
        (&relay, "C = [[1, 0, 0]]", "C = [[1, 0]]", "row 0 must have 3 entries, has 2"),
        (&relay, "B = [[0], [0], [1]]", "B = [[0], [1]]", "must have 3 rows, has 2"),
        (
            &relay,
            "system = \"plant\"",
            "system = \"plan\"",
            "no first-order system `plan`; the scene has plant",
        ),
        (
            &relay,
            "system = \"plant\"",
            "system = \"plant\"\ninputs = [\"u\"]",
            "belongs to formulas, not to `system`",
        ),
        (
            &relay,
            "A = [[0, 1, 0], [0, 0, 1], [0, -3, -2]]",
            "A = [[0, 1], [0, 0]]",
            "must have one row per coordinate (3), has 2",
        ),
    ];
    for (text, from, to, words) in cases {
        assert!(text.contains(from), "{from}");
        let wrong = text.replacen(from, to, 1);
        let wrong =
            if words.starts_with("ties") { wrong.replace("lower = 0\nupper = 48\n", "") } else { wrong };
        let told = mistakes_of(&wrong);
        assert!(told.iter().any(|mistake| mistake.message.contains(words)), "`{words}` not in {told:?}");
        for mistake in &told {
            assert!(line_column(&wrong, mistake.span.start).0 > 1, "{mistake:?} has no place");
        }
    }
}

/// The explicit control leaves s within what a period lets it move, in proportion to it; and a longer step changes nothing.
#[test]
fn sampled_sliding_mode_control_chatters_with_its_period() {
    let chatter = |period: &str, h: f64| {
        let mut loaded = scene("sliding-mode-sampled.toml", &[("period", period)]);
        let simulation = loaded.simulation;
        let (model, state) = (simulation.model.clone(), (*simulation.state).clone());
        let (entry, options) = loaded.recipe.scheme();
        let scheme = entry.build(options, loaded.recipe.solving()).expect("checked");
        loaded.simulation = Simulation::new(model, state, scheme, h).expect("accepted");
        loaded.n_steps = (4.0 / h).round() as u64;
        let ours = course(&mut loaded);
        let s = |shown: &Shown| (shown.v[0] + 3.0 * (shown.q[0] - 1.2)).abs();
        ours.iter().filter(|shown| shown.t > 2.0).map(s).fold(0.0, f64::max)
    };
    let [slow, fast] = [chatter("0.02", 0.002), chatter("0.01", 0.002)];
    assert!((slow / fast - 2.0).abs() < 0.3, "{slow} and {fast}");
    // In a period s moves by at most (15 + weight)/(m l²) times it.
    assert!(fast < 0.01 * (15.0 + 6.9) / 0.49 && fast > 0.02, "{fast}");
    let cut = chatter("0.01", 0.0037);
    assert!((cut / fast - 1.0).abs() < 0.3, "{cut} and {fast}");
}

#[test]
fn mistakes_of_controllers_are_told_with_their_place() {
    let good = std::fs::read_to_string(crate::scenes().join("sliding-mode-sampled.toml")).unwrap();
    let cases = [
        ("period = \"period\"", "period = 0", "must be a finite number > 0, got 0"),
        ("delay = \"delay\"", "delay = -1", "must be a finite number ≥ 0, got -1"),
        ("torque = \"-15", "phi = \"-15", "`phi` is taken"),
        ("sign(v_phi + c", "sign(v_psi + c", "`v_psi`"),
        ("delay = \"delay\"", "initial = { u = 1 }", "the controller has no output `u`"),
        ("type = \"euler-moreau\"\ntheta = 0.5", "type = \"kick-drift\"", "use euler-moreau"),
    ];
    for (from, to, words) in cases {
        assert!(good.contains(from), "{from}");
        let wrong = good.replacen(from, to, 1);
        let told = mistakes_of(&wrong);
        assert!(told.iter().any(|mistake| mistake.message.contains(words)), "`{words}` not in {told:?}");
    }
}
