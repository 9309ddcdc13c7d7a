//! `sensitivity` and `bvp`: closed forms, words, exit codes.

use crate::{Ended, Folder, nonsmooth, scene};
use serde_json::Value;

/// A ball that falls from `height` onto a floor.
const BALL: &str = r#"
[parameters]
height = 1
e = 0.8
g = 10
[[system.linear]]
name = "ball"
coordinates = ["z"]
mass = 2
load = "-2*g"
q = "height"
[[constraint]]
name = "floor"
gap = "ball.z"
law = "rebound"
[law.rebound]
type = "newton-impact"
restitution = "e"
[run]
end = 1
step_size = 0.05
"#;

fn with(folder: &Folder, command: &str, text: &str, arguments: &[&str]) -> Ended {
    folder.write("scene.toml", text);
    let (path, out) = (folder.text("scene.toml"), folder.text("out"));
    let out: &[&str] = if command == "bvp" { &["--out", &out] } else { &[] };
    nonsmooth(&[&[command, &path], out, arguments].concat())
}

fn json(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}{}", ended.stdout, ended.stderr))
}

fn near(found: &Value, exact: f64, tolerance: f64) {
    let found = found.as_f64().unwrap_or_else(|| panic!("{found} is no number"));
    assert!((found - exact).abs() <= tolerance, "{found}, not {exact}");
}

#[test]
fn derivatives_are_those_of_the_closed_form_and_of_runs() {
    let folder = Folder::new("sensitivity-ball");
    let of = "ball.z,ball.v_z,first-impact,max:ball.v_z,time-of-min:ball.v_z";
    let ended = with(
        &folder,
        "sensitivity",
        BALL,
        &["--of", of, "--to", "height,e,ball.v_z", "--check", "--json"],
    );
    ended.expect(0, &[]);
    let told = json(&ended);
    // It hits at t = √(2z/g) with √(2gz), and leaves with e √(2gz).
    let (t, w, e) = (f64::sqrt(0.2), f64::sqrt(20.0), 0.8);
    let s = 1.0 - t;
    let d = |k: usize, name: &str| &told["outputs"][k]["derivatives"][name];
    near(&told["outputs"][0]["value"], e * w * s - 5.0 * s * s, 1e-10);
    near(d(0, "height"), e * (10.0 / w) * s - (e * w - 10.0 * s) / w, 1e-8);
    near(d(0, "e"), w * s, 1e-8);
    near(d(1, "e"), w, 1e-8);
    near(d(2, "height"), 1.0 / w, 1e-8);
    near(d(2, "e"), 0.0, 1e-12);
    // Thrown up with v it hits v/g later in all.
    near(d(2, "ball.v_z"), 0.1, 1e-8);
    near(&told["outputs"][3]["value"], e * w, 1e-10);
    near(d(3, "height"), e * 10.0 / w, 1e-8);
    near(d(4, "height"), 1.0 / w, 1e-8);
    assert_eq!(told["events"].as_array().map(Vec::len), Some(1));
    assert_eq!(told["events"][0]["kind"], "impact");
    near(&told["outputs"][0]["by_runs"]["e"], w * s, 1e-6);
}

#[test]
fn lines_show_outputs_by_targets() {
    let folder = Folder::new("sensitivity-lines");
    with(&folder, "sensitivity", BALL, &["--to", "e"])
        .expect(0, &["d/d e", "ball.z", "until t = 1 s: 1 impacts"]);
}

#[test]
fn where_there_is_no_derivative_it_says_when() {
    let folder = Folder::new("sensitivity-kinks");
    let long = ["--to", "height", "--set", "e=0.5", "--until", "2"];
    with(&folder, "sensitivity", BALL, &long)
        .expect(1, &["no derivative beyond t = 1.34", "accumulate"]);
    let ceiling = BALL.replace(
        "[law.rebound]",
        "[[constraint]]\nname = \"roof\"\ngap = \"1.8 - ball.z\"\nlaw = \"rebound\"\n[law.rebound]",
    );
    let thrown = ceiling.replace("q = \"height\"", "q = \"height\"\nv = 4");
    with(&folder, "sensitivity", &thrown, &["--to", "g"])
        .expect(1, &["no derivative beyond t = 0.39999", "`roof` is grazed"]);
    let missing = ["--to", "height", "--of", "impact:3"];
    with(&folder, "sensitivity", BALL, &missing).expect(1, &["impact:3: the motion has no such impact"]);
}

#[test]
fn mistakes_of_sensitivity_are_told() {
    let folder = Folder::new("sensitivity-mistakes");
    let of = |of: &str| with(&folder, "sensitivity", BALL, &["--to", "e", "--of", of]);
    of("ball.y").expect(2, &["--of ball.y: no state of the scene has `ball.y`, did you mean `ball.z`?"]);
    of("peak:ball.z").expect(2, &["--of peak:ball.z: no `peak`; there are: final, max"]);
    of("impact").expect(2, &["`impact`"]);
    of("friction").expect(2, &["no state of the scene has `friction`"]);
    let to =
        |to: &str, more: &[&str]| with(&folder, "sensitivity", BALL, &[&["--to", to], more].concat());
    to("f", &[]).expect(2, &["--to f: the scene has no parameter or initial value `f`", "ball.v_z"]);
    to("e,e", &[]).expect(2, &["--to e: given twice"]);
    to("e", &["--set", "e=1"]).expect(2, &["e = 1.0001, beside 1", "restitution"]);
    to("e", &["--until", "-1"]).expect(2, &["--until -1: the scene begins at 0 s"]);
    to("e", &["--step", "f=1"]).expect(2, &["--step f"]);
}

#[test]
fn a_throw_over_a_wall_meets_its_target_after_two_bounces() {
    let folder = Folder::new("bvp-throw");
    let (path, out) = (scene("throw-over-wall.toml"), folder.text("out"));
    let ended = nonsmooth(&["bvp", &path, "--out", &out, "--json"]);
    ended.expect(0, &[]);
    let told = json(&ended);
    assert_eq!(told["solved"], true);
    let [x, z] = ["v_x", "v_z"].map(|name| told["unknowns"][name].as_f64().expect("a number"));
    // 9 m in 3 s; then two bounces of which each keeps 0.8 of the speed.
    assert!((x - 3.0).abs() < 1e-9, "{x}");
    let g = 9.81;
    let root = f64::sqrt(z * z + 2.0 * g);
    let left = 3.0 - (z + root) / g - 2.0 * 0.8 * root / g;
    let height = 0.64 * root * left - 0.5 * g * left * left;
    assert!(left > 0.0 && (height - 0.4).abs() < 1e-8, "{height} after {left}");
    assert_eq!(told["impacts"][0]["count"], 2);
    for file in ["motion.png", "motion.svg", "path.png", "path.svg"] {
        assert!(folder.path("out").join(file).exists(), "{file}");
    }
    // By three parts, from nearby, it is the same throw.
    let nearby = ["--segments", "3", "--set", "v_x=3", "--set", "v_z=6.9"];
    let parts = nonsmooth(&[&["bvp", &path, "--out", &out, "--json"][..], &nearby].concat());
    parts.expect(0, &[]);
    let parts = json(&parts);
    near(&parts["unknowns"]["v_z"], z, 1e-7);
    assert_eq!(parts["segments"], 3);
}

#[test]
fn a_crane_and_its_load_are_at_rest_at_the_end() {
    let folder = Folder::new("bvp-crane");
    let out = folder.text("out");
    let ended = nonsmooth(&["bvp", &scene("crane-rest-to-rest.toml"), "--out", &out, "--json"]);
    ended.expect(0, &[]);
    let told = json(&ended);
    for condition in told["conditions"].as_array().expect("a list") {
        near(&condition["residual"], 0.0, 1e-9);
    }
    // The run by its own scheme ends there too, to its accuracy.
    let set: Vec<String> = told["unknowns"]
        .as_object()
        .expect("a table")
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let run = folder.text("run");
    let mut arguments =
        vec!["run", "scenes", "--out", &run, "--csv", "--quiet", "--integrator", "event-driven"];
    let path = scene("crane-rest-to-rest.toml");
    arguments[1] = &path;
    for set in &set {
        arguments.extend(["--set", set]);
    }
    nonsmooth(&arguments).expect(0, &[]);
    let text = std::fs::read_to_string(folder.path("run").join("coordinates.csv")).expect("written");
    let last: Vec<f64> =
        text.lines().last().expect("rows").split(',').filter_map(|cell| cell.parse().ok()).collect();
    assert!((last[1] - 2.0).abs() < 1e-8 && last[2..].iter().all(|x| x.abs() < 1e-8), "{last:?}");
}

/// The final time, and a periodic condition: a stone thrown up is back when v = −v₀.
#[test]
fn the_final_time_and_the_start_may_take_part() {
    let folder = Folder::new("bvp-end");
    let text = format!(
        "{BALL}{}",
        r#"
[[bvp.unknown]]
name = "end"
guess = 0.7
[[bvp.unknown]]
name = "ball.v_z"
guess = 2.5
min = 0
[[bvp.condition]]
end = "ball.z"
start = "ball.z"
[[bvp.condition]]
end = "t"
start = "0.6 + t"
"#
    );
    let ended = with(&folder, "bvp", &text, &["--json"]);
    ended.expect(0, &[]);
    let told = json(&ended);
    near(&told["unknowns"]["end"], 0.6, 1e-9);
    near(&told["unknowns"]["ball.v_z"], 3.0, 1e-8);
}

/// Where Newton's iteration has no derivative one unknown is bracketed; and honest words where nothing helps.
#[test]
fn brackets_help_and_failures_say_what_remains() {
    let folder = Folder::new("bvp-failures");
    let pose = |condition: &str, more: &str| {
        format!(
            "{BALL}\n[[bvp.unknown]]\nname = \"height\"\n{more}\n[[bvp.condition]]\nend = \"{condition}\"\n"
        )
    };
    // At z = 0 the ball rests on the floor, where the flow has no derivative by z; from 0.6125 m it falls by 0.3125 m.
    let text = pose("ball.z - 0.3", "guess = 0\nmin = 0\nmax = 1.25")
        .replace("end = 1\n", "end = 0.25\n")
        .replace("name = \"height\"", "name = \"ball.z\"");
    let found = with(&folder, "bvp", &text, &["--json"]);
    found.expect(0, &[]);
    let told = json(&found);
    assert_eq!(told["method"], "bracketing");
    near(&told["unknowns"]["ball.z"], 0.6125, 1e-8);
    // No height makes it faster than it can be.
    let text = pose("ball.z - 100", "min = 0.5\nmax = 2");
    let ended = with(&folder, "bvp", &text, &[]);
    ended.expect(1, &["not solved", "stops at its bound", "has one sign", "residual -"]);
    let told = json(&with(&folder, "bvp", &text, &["--json"]));
    assert_eq!(told["solved"], false);
    assert!(told["failure"].as_str().is_some_and(|why| why.contains("bound")));
    // The conditions do not depend on the unknown.
    let text = pose("ball.z - ball.z + e", "");
    with(&folder, "bvp", &text, &[]).expect(1, &["do not determine them", "nothing to bracket"]);
}

#[test]
fn mistakes_of_boundary_values_are_told_with_their_place() {
    let folder = Folder::new("bvp-mistakes");
    let bvp = |text: &str| with(&folder, "bvp", &format!("{BALL}{text}"), &[]);
    bvp("").expect(2, &["the scene poses no boundary value problem", "[bvp]"]);
    bvp("[[bvp.unknown]]\nname = \"height\"\n")
        .expect(2, &["as many unknowns as conditions", "1 and 0"]);
    let one = "[[bvp.condition]]\nend = \"ball.z\"\n[[bvp.unknown]]\n";
    bvp(&format!("{one}name = \"width\"\n"))
        .expect(2, &["bvp.unknown `width`", "no parameter or initial value"]);
    bvp(&format!("{one}name = \"height\"\nmin = 2\nmax = 1\n"))
        .expect(2, &["`max` must be above `min` = 2"]);
    bvp(&format!("{one}name = \"height\"\nguess = 3\nmax = 1\n"))
        .expect(2, &["`guess` must lie between"]);
    bvp(&format!("{one}name = \"height\"\ncolour = 1\n")).expect(2, &["colour"]);
    bvp(&format!("{one}name = \"height\"\n[bvp.impacts]\nflor = 1\n"))
        .expect(2, &["no constraint or body `flor`, did you mean `floor`?"]);
    let wrong = one.replace("ball.z", "bell.z");
    bvp(&format!("{wrong}name = \"height\"\n")).expect(2, &["bell.z"]);
    bvp(&format!("{}name = \"height\"\n", one.replace("end = ", "tolerance = 0\nend = ")))
        .expect(2, &["`tolerance` must be > 0"]);
}
