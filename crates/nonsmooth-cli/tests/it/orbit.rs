//! `orbit` against closed forms: states, Floquet multipliers, folds and doublings of forced oscillators, a ball on a shaken table, a family of
//! a Hamiltonian oscillator with a wall, stick–slip on a belt.

use crate::map::{Orbit, SCENE, doubling};
use crate::{Ended, Folder, nonsmooth};
use std::f64::consts::{PI, TAU};

fn orbit(folder: &Folder, scene: &str, more: &[&str]) -> Ended {
    folder.write("scene.toml", scene);
    let (scene, out) = (folder.text("scene.toml"), folder.text("out"));
    nonsmooth(&[&["orbit", &scene, "--out", &out, "--overwrite"][..], more].concat())
}

fn told(ended: &Ended) -> serde_json::Value {
    serde_json::from_str(ended.stdout.trim()).unwrap_or_else(|error| panic!("{error}: {}", ended.stderr))
}

fn numbers(value: &serde_json::Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

/// Sum and product of two multipliers.
fn invariants(told: &serde_json::Value) -> [f64; 2] {
    let m: Vec<Vec<f64>> =
        told["orbit"]["multipliers"].as_array().expect("a list").iter().map(numbers).collect();
    assert_eq!(m.len(), 2, "{told}");
    [m[0][0] + m[1][0], m[0][0] * m[1][0] - m[0][1] * m[1][1]]
}

fn near(found: f64, exact: f64, tolerance: f64) {
    assert!((found - exact).abs() <= tolerance, "{found}, not {exact} ± {tolerance}");
}

/// Rows of the table by the names of their columns; the mark is left out.
fn rows(folder: &Folder) -> Vec<std::collections::BTreeMap<String, f64>> {
    let text = std::fs::read_to_string(folder.path("out/orbits.csv")).expect("written");
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let row = |line: &str| {
        let cells = line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN));
        names.iter().map(|name| (*name).to_owned()).zip(cells).collect()
    };
    lines.map(row).collect()
}

#[test]
fn a_forced_orbit_with_an_impact_has_the_state_and_the_multipliers_of_its_closed_form() {
    let folder = Folder::new("orbit-forced");
    let more = ["--period", "2*pi/w", "--skip", "300", "--json"];
    let told = told(orbit(&folder, SCENE, &more).expect(0, &[]));
    let exact = Orbit::new(1.0, 2.6, 0.8);
    let state = numbers(&told["orbit"]["state"]);
    let section = exact.section(0);
    near(state[0], section[0], 1e-9);
    near(state[1], section[1], 1e-9);
    let [trace, product] = invariants(&told);
    near(trace, exact.trace, 1e-7);
    near(product, 0.64, 1e-7);
    assert_eq!((&told["orbit"]["impacts"], &told["orbit"]["stable"]), (&1.0.into(), &true.into()));
}

#[test]
fn a_branch_doubles_where_the_closed_form_says_and_the_doubled_one_is_stable() {
    let folder = Folder::new("orbit-doubling");
    let more = [
        "--period",
        "2*pi/w",
        "--skip",
        "300",
        "--along",
        "w=2.6:2.67",
        "--double",
        "1",
        "--step",
        "0.1",
        "--json",
    ];
    let told = told(orbit(&folder, SCENE, &more).expect(0, &[]));
    let found = numbers(&told["branches"][0]["doublings"]);
    assert_eq!(found.len(), 1, "{told}");
    near(found[0], doubling(0.8), 1e-7);
    for row in rows(&folder) {
        let (w, trace) = (row["w (followed)"], row["multiplier1_re"] + row["multiplier2_re"]);
        if row["branch"] == 1.0 {
            let exact = Orbit::new(1.0, w, 0.8);
            near(row["m.x"], exact.section(0)[0], 1e-8);
            near(row["max:m.x"], 0.0, 1e-9);
            let lowest = (0..20_000).map(|k| exact.at(1e-4 * f64::from(k))[0]).fold(0.0, f64::min);
            near(row["min:m.x"], lowest, 1e-6);
            near(trace, exact.trace, 1e-6);
            assert!(row["stable"] == f64::from(u8::from(w <= found[0] + 1e-6)), "{row:?}");
        } else {
            near(row["period"], 2.0 * TAU / w, 1e-9);
            assert!(row["impacts"] == 2.0 && w > found[0] - 1e-6, "{row:?}");
            // Another orbit than that of one period: its section moves.
            let one = Orbit::new(1.0, w, 0.8).section(0)[0];
            assert!(
                (row["m.x"] - one).abs() > 1e-4 && row["stable"] == 1.0,
                "{row:?}, not beside {one}"
            );
        }
    }
}

#[test]
fn a_branch_goes_round_its_fold() {
    let folder = Folder::new("orbit-fold");
    // Pressed on the stop at −0.1: V² (c² + d²) + 2 σ c V + σ² − γ² = 0 with c = ½(1+e) cot(π/ω), d = ½(1−e)/ω has two roots down to
    // γ² = σ² d²/(c² + d²).
    let (w, e, stop) = (2.6f64, 0.8, -0.1);
    let (c, d) = (0.5 * (1.0 + e) / (PI / w).tan(), 0.5 * (1.0 - e) / w);
    let fold = (1.0 - w * w).abs() * f64::abs(stop) * d / c.hypot(d);
    let more = [
        "--period",
        "2*pi/w",
        "--skip",
        "300",
        "--along",
        "F=0.3:0.06",
        "--set",
        "stop=-0.1",
        "--set",
        "x0=-0.3",
        "--step",
        "0.1",
        "--most",
        "100",
        "--json",
    ];
    let ended = orbit(&folder, SCENE, &more);
    let told = told(&ended);
    let found = numbers(&told["branches"][0]["folds"]);
    assert_eq!(found.len(), 1, "{told}");
    near(found[0], fold, 1e-8);
    // One multiplier is 1 there, so the other is e².
    let at_fold = rows(&folder).into_iter().find(|row| row["F (followed)"] == found[0]).expect("a row");
    near(at_fold["multiplier1_re"], 1.0, 1e-4);
    near(at_fold["multiplier2_re"], 0.64, 1e-4);
    // Beyond the fold V falls while the force grows, until the free motion between two impacts touches the stop.
    let highest = |force: f64| {
        let gamma = force / (1.0 - w * w);
        let (square, half) = (c * c + d * d, stop * c);
        let velocity = (-half - (half * half - square * (stop * stop - gamma * gamma)).sqrt()) / square;
        let phi = (-d * w * velocity / (gamma * w)).atan2((stop + velocity * c) / gamma);
        let (b, tau) = (-0.5 * (1.0 + e) * velocity, TAU / w);
        let a = b / (0.5 * tau).tan();
        let x = |t: f64| a * t.cos() + b * t.sin() + gamma * (w * t + phi).cos();
        (200..800).map(|k| x(tau * f64::from(k) / 1000.0)).fold(f64::NEG_INFINITY, f64::max)
    };
    let (mut low, mut high) = (0.2, 0.3);
    assert!(highest(low) < stop && highest(high) > stop);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if highest(middle) < stop { low = middle } else { high = middle }
    }
    assert!(told["branches"][0]["end"].as_str().expect("a text").contains("graze"), "{told}");
    let last = rows(&folder).last().map_or(f64::NAN, |row| row["F (followed)"]);
    near(last, low, 1e-4);
}

/// A ball on a table z = A sin ωt.
const BALL: &str = r#"
[parameters]
g = 10
e = 0.6
A = 0.06
w = 12
[[system.linear]]
name = "ball"
coordinates = ["z"]
mass = 1
load = "-g"
q = 0.15
v = 1.2
[[constraint]]
name = "table"
gap = "ball.z - A*sin(w*t)"
law = "rebound"
[law.rebound]
type = "newton-impact"
restitution = "e"
[run]
end = 1
step_size = 0.02
"#;

#[test]
fn a_ball_on_a_shaken_table_bounces_as_its_closed_form() {
    let folder = Folder::new("orbit-ball");
    let (g, e, a, w) = (10.0f64, 0.6, 0.06, 12.0);
    // Up and down with U = gT/2; the table moves with gT(1 − e)/(2(1 + e)) at the impact, and on the branch that can be stable it slows.
    let period = TAU / w;
    let up = 0.5 * g * period;
    let pace = up * (1.0 - e) / (1.0 + e);
    let angle = (pace / (a * w)).acos();
    let left = period - angle / w;
    let exact = [a * angle.sin() + up * left - 0.5 * g * left * left, up - g * left];
    let approach = -(up + pace);
    let k = -(1.0 + e) * (g - a * w * w * angle.sin()) / approach;
    let more = ["--period", "2*pi/w", "--json"];
    let scene = BALL.replace("q = 0.15", &format!("q = {}", exact[0] + 2e-3));
    let scene = scene.replace("v = 1.2", &format!("v = {}", exact[1] - 0.02));
    let told = told(orbit(&folder, &scene, &more).expect(0, &[]));
    let state = numbers(&told["orbit"]["state"]);
    near(state[0], exact[0], 1e-9);
    near(state[1], exact[1], 1e-8);
    let [trace, product] = invariants(&told);
    near(product, e * e, 1e-7);
    near(trace, -2.0 * e + k * period, 1e-6);
}

#[test]
fn a_family_of_energies_has_the_periods_of_the_reflected_circle() {
    let folder = Folder::new("orbit-energy");
    let more = [
        "--set", "F=0", "--set", "e=1", "--set", "stop=0.5", "--set", "x0=-1", "--guess", "4",
        "--energy", "0.5:2", "--json",
    ];
    let told = told(orbit(&folder, SCENE, &more).expect(0, &[]));
    assert_eq!(told["branches"][0]["complete"], true);
    let rows = rows(&folder);
    assert!(rows.len() > 10);
    for row in rows {
        let energy = row["energy (followed)"];
        near(row["energy"], energy, 1e-8);
        // The arc of the circle of radius √(2E) that is left of the wall.
        near(row["period"], TAU - 2.0 * (0.5 / (2.0 * energy).sqrt()).acos(), 1e-8);
        near(row["min:m.x"], -(2.0 * energy).sqrt(), 1e-6);
        // The largest is at the impact, wherever that is between two steps.
        near(row["max:m.x"], 0.5, 1e-9);
        // Both multipliers are 1; they are one, and rounding splits them by its root.
        near(
            row["multiplier1_re"] * row["multiplier2_re"]
                - row["multiplier1_im"] * row["multiplier2_im"],
            1.0,
            1e-6,
        );
        near(row["multiplier1_re"] + row["multiplier2_re"], 2.0, 1e-6);
    }
}

/// Two masses on two springs, the second before a wall that keeps the energy.
const MASSES: &str = r#"
[parameters]
e = 1
a = 0.8
[[system.linear]]
name = "m"
coordinates = ["x1", "x2"]
mass = 1
stiffness = [[2, -1], [-1, 1]]
q = ["-a", "-a*(1+sqrt(5))/2"]
[[constraint]]
name = "wall"
gap = "1 - x2"
law = "rebound"
[law.rebound]
type = "newton-impact"
restitution = "e"
[run]
end = 10
step_size = 0.1
[integrator]
type = "event-driven"
"#;

#[test]
fn two_masses_before_a_wall_have_the_family_that_their_modes_have() {
    let folder = Folder::new("orbit-masses");
    let more = ["--guess", "9", "--energy", "1.6:3", "--step", "0.2", "--json"];
    let told = told(orbit(&folder, MASSES, &more).expect(0, &[]));
    assert_eq!(told["branches"][0]["complete"], true);
    for row in rows(&folder) {
        // It begins at rest, so it is its own mirror image in time: half a period later the second mass hits and the first is at rest.
        let (half, state) =
            (0.5 * row["period"], [row["m.x1"], row["m.x2"], row["m.v_x1"], row["m.v_x2"]]);
        near(state[2].abs().max(state[3].abs()), 0.0, 1e-5);
        let mut end = [0.0; 3];
        for sign in [-1.0, 1.0] {
            let square: f64 = 0.5 * (3.0 + sign * 5f64.sqrt());
            let shape = [1.0, 2.0 - square];
            let part = (state[0] + shape[1] * state[1]) / (1.0 + shape[1] * shape[1]);
            let (s, c) = (square.sqrt() * half).sin_cos();
            end[0] += part * shape[1] * c;
            end[1] -= part * shape[0] * square.sqrt() * s;
            end[2] += 0.5 * square * part * part * (1.0 + shape[1] * shape[1]);
        }
        near(end[0], 1.0, 1e-5);
        near(end[1], 0.0, 1e-5);
        near(end[2], row["energy (followed)"], 1e-5);
        // Two multipliers are 1, and those of a system that keeps its energy come in pairs μ, 1/μ.
        near(row["multiplier1_re"] * row["multiplier4_re"], 1.0, 1e-4);
        assert!(row["largest_multiplier"] > 1.1 && row["stable"] == 0.0, "{row:?}");
    }
}

/// A block on a belt, held by a spring.
const BELT: &str = r#"
[parameters]
vb = 0.5
[[system.linear]]
name = "block"
coordinates = ["x", "y"]
mass = 1
stiffness = [[1, 0], [0, 0]]
load = [0, -10]
q = [4.0, 0]
v = [0, 0]
[[constraint]]
name = "belt"
gap = "block.y"
tangents = ["block.v_x - vb"]
law = "dry"
[law.dry]
type = "static-dynamic"
friction_static = 0.4
friction_dynamic = 0.2
[run]
end = 1
step_size = 0.05
"#;

#[test]
fn stick_slip_on_a_belt_has_the_period_of_its_closed_form() {
    let folder = Folder::new("orbit-belt");
    // It sticks from x_d − Δ to x_d + Δ = x_s, and slides along A cos(t − α), tan α = v/Δ, for π + 2α.
    let (delta, belt) = (2.0f64, 0.5);
    let exact = 2.0 * delta / belt + PI + 2.0 * (belt / delta).atan();
    let told = told(orbit(&folder, BELT, &["--guess", "11", "--json"]).expect(0, &[]));
    near(told["orbit"]["period"].as_f64().expect("a number"), exact, 1e-8);
    assert_eq!((&told["orbit"]["changes"], &told["orbit"]["stable"]), (&2.0.into(), &true.into()));
    let multipliers: Vec<Vec<f64>> =
        told["orbit"]["multipliers"].as_array().expect("a list").iter().map(numbers).collect();
    // Once along the orbit; sticking forgets everything else.
    near(multipliers[0][0], 1.0, 1e-7);
    multipliers[1..].iter().for_each(|m| near(m[0].hypot(m[1]), 0.0, 1e-6));
}

#[test]
fn mistakes_are_told() {
    let folder = Folder::new("orbit-mistakes");
    let cases: [(&[&str], i32, &[&str]); 8] = [
        (&[], 2, &["--period"]),
        (&["--period", "2*pi/u"], 2, &["--period 2*pi/u", "`u`"]),
        (&["--period", "0"], 2, &["must be > 0"]),
        (&["--period", "1", "--along", "w=1"], 2, &["--along 1", "FROM:TO"]),
        (&["--period", "1", "--along", "u=1:2"], 2, &["no parameter `u`"]),
        (&["--guess", "1", "--energy", "high"], 2, &["--energy high"]),
        (&["--period", "1", "--periods", "0"], 2, &["--periods"]),
        (&["--guess", "6.3", "--set", "F=0", "--set", "x0=0", "--set", "stop=1"], 1, &["at rest"]),
    ];
    for (more, code, words) in cases {
        orbit(&folder, SCENE, more).expect(code, words);
    }
}
