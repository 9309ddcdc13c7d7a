//! What a scheme notes is told in the summary, survives a checkpoint, and angles at the start are told by `check`.

use crate::{Folder, nonsmooth};

/// A point that comes into the tip of an obtuse corner and stays there.
const CORNER: &str = r#"title = "Corner"
[[system.linear]]
name = "point"
coordinates = ["x", "y"]
mass = 1
load = ["0.1", "-1"]
q = [0, START]

[[constraint]]
name = "left"
gap = "0.8*x + 0.6*y"
law = "stop"

[[constraint]]
name = "right"
gap = "-0.6*x + 0.8*y"
law = "stop"

[[constraint]]
name = "below"
gap = "y"
law = "stop"

[law.stop]
type = "newton-impact"
restitution = 0

[integrator]
type = "moreau-paoli"

[run]
end = 2
step_size = 0.01

[output]
plots = false
checkpoint_every = CHECKPOINT
"#;

fn corner(folder: &Folder, name: &str, start: &str, checkpoint: &str) -> String {
    folder.write(name, &CORNER.replace("START", start).replace("CHECKPOINT", checkpoint))
}

fn notes(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with("  note: ")).collect()
}

#[test]
fn the_summary_tells_what_the_scheme_noted_also_after_a_checkpoint() {
    let folder = Folder::new("notes");
    let path = corner(&folder, "corner.toml", "0.5", "50");
    let whole = nonsmooth(&["run", &path, "--out", &folder.text("out")]);
    whole
        .expect(0, &["two or more closed contacts", "against (H'4)", "against (H'5)", "times, largest"]);
    let told = notes(&whole.stdout);
    assert_eq!(told.len(), 3, "{}", whole.stdout);
    // The checkpoint at the end holds them all.
    let again = nonsmooth(&["run", &path, "--out", &folder.text("out"), "--resume"]);
    again.expect(0, &["resumed from step"]);
    assert_eq!(notes(&again.stdout), told);
}

#[test]
fn check_tells_the_angles_of_contacts_that_are_closed_at_the_start() {
    let folder = Folder::new("angles");
    let path = corner(&folder, "closed.toml", "0", "50");
    nonsmooth(&["check", &path]).expect(
        0,
        &[
            "3 contacts are closed at the start, 2 gradients of them independent (H'4)",
            "kinetic angle of `right` and `below`: cos = 0.800000",
            "kinetic angle of `left` and `below`: cos = 0.600000",
            "kinetic angle of `left` and `right`: cos = 0.000000",
            "(H'5)",
        ],
    );
    let path = corner(&folder, "apart.toml", "0.5", "50");
    let ended = nonsmooth(&["check", &path]);
    ended.expect(0, &["no mistakes"]);
    assert!(!ended.stdout.contains("closed"), "{}", ended.stdout);
}

/// A turning box with e = 1 and friction: Newton's law gains energy at one of its impacts (Kane's paradox).
const DROPPED: &str = r#"
[world]
gravity = [0, 0, -9.81]
[[body]]
name = "ground"
shape = { type = "half-space", normal = [0, 0, 1] }
fixed = true
[[body]]
name = "box"
shape = { type = "box", size = [0.2, 0.3, 0.1] }
mass = 1
position = [0, 0, 0.6]
velocity = [1, 0.3, 0]
angular_velocity = [3, 1, 5]
[contact]
default = { friction = 0.3, restitution = 1 }
[run]
end = 0.6
step_size = 1e-3
[output]
plots = false
checkpoint_every = 100
"#;

#[test]
fn an_impact_that_gains_energy_is_named_with_its_time_and_bodies() {
    let folder = Folder::new("gain");
    let path = folder.write("box.toml", DROPPED);
    let whole = nonsmooth(&["run", &path, "--out", &folder.text("out")]);
    whole.expect(
        0,
        &["impacts in which the law gains energy [J]", "`ground` and `box`", "error of the step size"],
    );
    let told = notes(&whole.stdout);
    let again = nonsmooth(&["run", &path, "--out", &folder.text("out"), "--resume"]);
    again.expect(0, &["resumed from step"]);
    assert_eq!(notes(&again.stdout), told);
    let text = std::fs::read_to_string(folder.path("out/summary.json")).expect("there");
    let summary: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let gain = &summary["warnings"][0];
    // 15 % of the energy at the start, 6.6 J; the event table of a fine run agrees.
    assert!(gain["worst"].as_f64().is_some_and(|gain| gain > 0.8 && gain < 1.2), "{gain}");
    assert_eq!(gain["names"], serde_json::json!(["ground", "box"]));
    // Without friction no law gains, and nothing is said.
    let smooth = folder.write("smooth.toml", &DROPPED.replace("friction = 0.3", "friction = 0"));
    let silent = nonsmooth(&["run", &smooth, "--out", &folder.text("smooth")]);
    silent.expect(0, &["impacts"]);
    assert!(notes(&silent.stdout).is_empty(), "{}", silent.stdout);
}

/// The same box by a law that is energetic along the path: `check` warns of Newton's law alone, and no impact gains energy.
#[test]
fn what_may_gain_energy_is_said_before_the_run_and_stronges_law_does_not() {
    let folder = Folder::new("stronge");
    let newton = folder.write("newton.toml", DROPPED);
    let words = ["warning: impacts by law `default of contacts` may give energy"];
    nonsmooth(&["check", &newton]).expect(0, &words);
    let text = DROPPED
        .replace("default = { friction = 0.3, restitution = 1 }", "default = { law = \"hit\" }")
        + "[law.hit]\ntype = \"stronge\"\nfriction = 0.3\nrestitution = 1\n";
    let stronge = folder.write("stronge.toml", &text);
    let checked = nonsmooth(&["check", &stronge]);
    checked.expect(0, &["no mistakes"]);
    assert!(!checked.stdout.contains("warning"), "{}", checked.stdout);
    for scheme in ["kick-drift", "moreau-jean"] {
        let out = folder.text(scheme);
        let ran = nonsmooth(&["run", &stronge, "--integrator", scheme, "--out", &out]);
        ran.expect(0, &["error of the step size"]);
        assert!(!ran.stdout.contains("gains energy"), "{scheme}: {}", ran.stdout);
    }
    let both = text.replace("default = {", "default = { friction = 0.1,");
    let both = folder.write("both.toml", &both);
    nonsmooth(&["check", &both]).expect(2, &["both.toml", "belongs into the table [law.hit]"]);
}

/// A rod that stands on its tip and moves down: every law of impact side by side, as text and as JSON.
#[test]
fn impact_shows_every_law_on_one_state() {
    let folder = Folder::new("impact");
    let path = folder.write("rod.toml", ROD);
    let table = nonsmooth(&["impact", &path]);
    table.expect(0, &["coulomb", "fremond", "stronge", "lzb", "newton-impact: takes no friction"]);
    let shown = nonsmooth(&["impact", &path, "--json", "--set", "e=0.5"]);
    shown.expect(0, &[]);
    let shown: serde_json::Value = serde_json::from_str(&shown.stdout).expect("one object");
    let laws = shown["laws"].as_array().expect("a list");
    let mut impulses = Vec::new();
    for law in laws.iter().filter(|law| law["refused"].is_null()) {
        let contact = &law["contacts"][0];
        assert_eq!(contact["name"], "constraint `tip`");
        let number = |key: &str, k: usize| contact[key][k].as_f64().expect("a number");
        let work: f64 = (0..2)
            .map(|k| 0.5 * number("impulse", k) * (number("u_minus", k) + number("u_plus", k)))
            .sum();
        let energy = |key: &str| law[key].as_f64().expect("a number");
        let change = energy("kinetic_after") - energy("kinetic_before");
        assert!((work - change).abs() < 1e-12, "{law}");
        impulses.push((law["law"].to_string(), number("impulse", 0)));
    }
    assert!(impulses.len() >= 6, "{impulses:?}");
    nonsmooth(&["impact", &path, "--law", "strong"]).expect(2, &["is no law of impact"]);
}

const ROD: &str = r#"
[parameters]
e = 0.7
[[system.linear]]
name = "rod"
coordinates = ["x", "y", "phi"]
mass = [1, 1, 0.08]
q = 0
v = [-0.25, -1, 0]
[[constraint]]
name = "tip"
gap = "y + 0.25*phi"
tangents = ["v_x + 0.4*v_phi"]
law = "hit"
[law.hit]
type = "stronge"
friction = 0.3
restitution = "e"
[run]
end = 1
step_size = 1e-3
"#;
