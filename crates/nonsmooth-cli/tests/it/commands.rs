//! `check`, `schema`, `list`, `--set`, and the exit codes.

use crate::{Folder, nonsmooth, scene};
use nonsmooth::INTEGRATORS;
use nonsmooth::joints::JOINTS;
use nonsmooth::laws::LAWS;
use nonsmooth_solvers::SOLVERS;

#[test]
fn help_says_what_there_is_and_what_exit_codes_mean() {
    nonsmooth(&["--help"]).expect(
        0,
        &[
            "run",
            "check",
            "solve",
            "schema",
            "list",
            "Exit codes: 0 done, 1 the run failed, 2 the input was wrong",
        ],
    );
    nonsmooth(&["run", "--help"]).expect(0, &["--set", "--out", "--resume", "--quiet"]);
    nonsmooth(&["--version"]).expect(0, &[env!("CARGO_PKG_VERSION")]);
}

#[test]
fn wrong_arguments_are_wrong_input() {
    nonsmooth(&[]).expect(2, &["Usage"]);
    nonsmooth(&["rum"]).expect(2, &["rum", "run"]);
    nonsmooth(&["run"]).expect(2, &["<SCENE>"]);
    nonsmooth(&["run", &scene("bouncing-ball.toml"), "--quite"]).expect(2, &["--quite", "--quiet"]);
}

#[test]
fn check_says_what_a_scene_holds() {
    let ended = nonsmooth(&["check", &scene("column-of-beads.toml")]);
    ended.expect(
        0,
        &[
            "no mistakes",
            "10 systems",
            "10 coordinates",
            "10 constraints",
            "moreau-jean",
            "solver auto",
            "4000 steps of 0.0005 s",
        ],
    );
    assert_eq!(ended.stderr, "");
    nonsmooth(&["check", &scene("column-of-beads.toml"), "--set", "n=3"])
        .expect(0, &["3 systems", "3 constraints"]);
}

#[test]
fn check_accepts_every_scene_of_the_project() {
    let folder = scene("");
    for entry in std::fs::read_dir(&folder).expect("the scenes are there") {
        let path = entry.expect("readable").path();
        if path.extension().is_some_and(|e| e == "toml") {
            nonsmooth(&["check", path.to_str().expect("UTF-8")]).expect(0, &["no mistakes"]);
        }
    }
}

#[test]
fn check_and_run_report_every_mistake_and_exit_with_2() {
    let folder = Folder::new("mistakes");
    let text = std::fs::read_to_string(scene("bouncing-ball.toml")).expect("readable");
    let text = text.replacen("gap = \"z - R - h0\"", "gap = \"z - R - h\"", 1).replacen(
        "step_size = 0.005",
        "step_size = -1",
        1,
    );
    let path = folder.write("wrong.toml", &text);
    let out = folder.text("out");
    for arguments in [vec!["check", &path], vec!["run", &path, "--out", &out]] {
        let ended = nonsmooth(&arguments);
        ended.expect(
            2,
            &[
                "wrong.toml:21:16: no name `h`",
                "^",
                "wrong.toml:30:13: `step_size` must be > 0, got -1",
                "2 mistakes in",
            ],
        );
        assert_eq!(ended.stdout, "", "mistakes go to stderr");
    }
    assert!(!folder.path("out").exists(), "a wrong scene leaves no folder behind");
}

/// Joints, expressions and laws: every mistake with its line, exit code 2, nothing written.
#[test]
fn mistakes_in_joints_and_expressions_are_all_told_and_nothing_is_written() {
    let folder = Folder::new("joint-mistakes");
    let text = r#"[world]
gravity = [0, 0, -9.81]

[expressions]
a = "b + 1"
b = "a - 1"

[[body]]
name = "arm"
shape = { type = "box", size = [1, 0.1, 0.1] }
density = 700

[[joint]]
name = "hinge"
type = "revolute"
between = [{ body = "arm" }, { body = "arm" }]
at = [0, 0, 0]
axis = [0, 0, 0]

[run]
end = 1
step_size = 0.01
"#;
    let path = folder.write("wrong.toml", text);
    let out = folder.text("out");
    let words = [
        "wrong.toml:5:6: `b` has no value: expressions refer to each other in a circle",
        "wrong.toml:6:6: `a` has no value",
        "wrong.toml:16:11: `joint[0].between` joint `hinge`: it joins a body to itself",
        "wrong.toml:18:8: `joint[0].axis` joint `hinge`: its axis has length zero",
        "4 mistakes in",
    ];
    for arguments in [vec!["check", &path], vec!["run", &path, "--out", &out]] {
        assert_eq!(nonsmooth(&arguments).expect(2, &words).stdout, "", "mistakes go to stderr");
    }
    assert!(!folder.path("out").exists(), "a wrong scene leaves no folder behind");
    // A law that the scheme does not take is told with the place of the scheme and a remedy.
    let right = text.replace("{ body = \"arm\" }, ", "{}, ").replace("[0, 0, 0]\n\n", "[0, 1, 0]\n\n");
    let right = right.replace("density = 700", "density = 700\nforce = [\"a\", 0, 0]");
    let right = right.replace("b = \"a - 1\"", "b = 2") + "\n[contact]\ndefault = { friction = 0.3 }\n";
    let taken = folder.write("right.toml", &right);
    nonsmooth(&["check", &taken]).expect(0, &["no mistakes"]);
    let refused = folder.write("refused.toml", &(right + "\n[integrator]\ntype = \"moreau-paoli\"\n"));
    nonsmooth(&["run", &refused, "--out", &out])
        .expect(2, &["refused.toml:2", "cannot honour law", "or moreau-jean"]);
    assert!(!folder.path("out").exists());
}

#[test]
fn a_missing_scene_is_wrong_input() {
    for verb in ["check", "run"] {
        nonsmooth(&[verb, "nowhere.toml"]).expect(2, &["nowhere.toml", "No such file"]);
    }
    let folder = Folder::new("missing");
    nonsmooth(&["check", &folder.text("")]).expect(2, &["directory"]);
    std::fs::write(folder.path("bytes.toml"), [0xff, 0xfe, 0x00]).expect("writable");
    nonsmooth(&["check", &folder.text("bytes.toml")]).expect(2, &["bytes.toml", "UTF-8"]);
}

#[test]
fn schema_prints_the_json_schema() {
    let ended = nonsmooth(&["schema"]);
    ended.expect(0, &[]);
    let printed: serde_json::Value = serde_json::from_str(&ended.stdout).expect("valid JSON");
    assert_eq!(printed, nonsmooth_scene::schema());
}

#[test]
fn list_has_no_bounds_of_hundreds_of_digits() {
    let ended = nonsmooth(&["list"]);
    let longest = ended.stdout.split(|c: char| !c.is_ascii_digit()).map(str::len).max();
    assert!(longest < Some(20), "{}", ended.stdout);
    ended.expect(0, &["q at the start [m]; a number ≥ 0", "v at the start [m/s]; a number\n"]);
}

#[test]
fn the_command_is_small() {
    let bytes = std::fs::metadata(env!("CARGO_BIN_EXE_nonsmooth")).expect("built").len();
    assert!(bytes < 40_000_000, "{bytes} bytes");
}

#[test]
fn list_names_everything_with_its_options() {
    let ended = nonsmooth(&["list"]);
    let mut words = vec!["integrators", "laws", "solvers", "observers"];
    words.extend(INTEGRATORS.iter().flat_map(|e| [e.name, e.about]));
    words.extend(LAWS.iter().flat_map(|e| [e.name, e.about]));
    words.extend(JOINTS.iter().flat_map(|e| [e.name, e.about]));
    words.extend(SOLVERS.iter().flat_map(|e| [e.name, e.about]));
    words.extend(nonsmooth_scene::OBSERVERS.iter().flat_map(|e| [e.name, e.about]));
    let options = INTEGRATORS.iter().flat_map(|e| e.options).chain(LAWS.iter().flat_map(|e| e.options));
    words.extend(
        options.chain(SOLVERS.iter().flat_map(|e| e.options)).flat_map(|o| [o.name, o.about, o.default]),
    );
    // Every solver has it, so it belongs in the list too.
    words.push(" tolerance = 1e-10");
    ended.expect(0, &words);
}

#[test]
fn set_replaces_a_parameter_by_a_number_or_a_formula() {
    let path = scene("column-of-beads.toml");
    nonsmooth(&["check", &path, "--set", "n=4", "--set", "e = 0.25"]).expect(0, &["4 systems"]);
    nonsmooth(&["check", &path, "--set", "n=2*3 + 1"]).expect(0, &["7 systems"]);
    nonsmooth(&["check", &path, "--set", "n=4", "--set", "n=5"]).expect(2, &["--set n: given twice"]);
}

#[test]
fn set_refuses_what_it_does_not_understand() {
    let path = scene("column-of-beads.toml");
    nonsmooth(&["check", &path, "--set", "spacin=4"])
        .expect(2, &["no parameter `spacin`, did you mean `spacing`?", "it has R, e, g, m, n, spacing"]);
    for wrong in ["n", "=4", "n=", " = "] {
        nonsmooth(&["check", &path, "--set", wrong]).expect(2, &["write NAME=VALUE, as in --set e=0.5"]);
    }
    nonsmooth(&["check", &path, "--set", "n=4+"])
        .expect(2, &["--set n=4+: the formula ends too early", "column-of-beads.toml:6:5"]);
    nonsmooth(&["check", &path, "--set", "n=x"]).expect(2, &["--set n=x: no name `x`"]);
    nonsmooth(&["check", &path, "--set", "n=1/0"])
        .expect(2, &["--set n=1/0: parameter `n` must be finite"]);
    nonsmooth(&["check", &path, "--set", "e=1.5"])
        .expect(2, &["`restitution` must be a number in [0, 1], got 1.5"]);
    nonsmooth(&["run", &path, "--set", "n=2.5"]).expect(2, &["`repeat` must be a whole number"]);
}
