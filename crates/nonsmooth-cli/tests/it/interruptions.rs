//! Runs that are stopped from outside: what is left is a correct beginning, and `--resume` ends it bit by bit.

use crate::tables::Tables;
use crate::{Ended, Folder, command, nonsmooth};
use nonsmooth_scene::store::FRAMES;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A ball kept bouncing by a force, and two coupled pendulums with stops that need Newton's iteration:
/// impacts, lasting contacts, warm starts and nonlinear steps all the way.
const SCENE: &str = r#"title = "Driven"
[parameters]
h = 1e-4
n = N_STEPS

[[system.linear]]
name = "ball"
coordinates = ["z"]
mass = 1
load = -9.81
force = "20*sin(10*t)"
q = 0.3

[[system.lagrangian]]
name = "arm"
coordinates = ["a", "b"]
mass = [[2, "cos(a - b)"], ["cos(a - b)", 1]]
potential = "-20*cos(a) - 10*cos(b)"
internal_force = ["0.01*v_a - 0.2*sin(3*t)", "0.01*v_b"]
q = [0.1, 0.2]

[[constraint]]
name = "floor"
gap = "z"
law = "rebound"

[[constraint]]
name = "wall"
gap = "sin(a)"
law = "rebound"

[law.rebound]
type = "newton-impact"
restitution = 0.6

[run]
end = "n*h"
step_size = "h"

[output]
plots = false
OUTPUT
"#;

fn driven(folder: &Folder, n_steps: u64, output: &str) -> String {
    let text = SCENE.replace("N_STEPS", &n_steps.to_string()).replace("OUTPUT", output);
    folder.write("driven.toml", &text)
}

fn start(path: &str, out: &str, more: &[&str]) -> Child {
    let arguments = [&["run", path, "--out", out], more].concat();
    command(&arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts")
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(sent.expect("kill exists").success());
}

/// Waits until the run has written its first checkpoint.
fn wait_for_checkpoint(folder: &Folder) {
    let begun = Instant::now();
    while !folder.path("out/checkpoint.h5").exists() {
        assert!(begun.elapsed() < Duration::from_secs(30), "no checkpoint after 30 s");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The tables of the whole run, and how long it took.
fn uninterrupted(path: &str, folder: &Folder) -> (Tables, Duration) {
    let begun = Instant::now();
    nonsmooth(&["run", path, "--out", &folder.text("whole"), "--quiet"]).expect(0, &[]);
    (Tables::read(&folder.path("whole")), begun.elapsed())
}

#[test]
fn ctrl_c_stops_a_long_run_which_can_be_read() {
    let folder = Folder::new("ctrl-c");
    let path = driven(&folder, 100_000_000, "every = 100");
    let child = start(&path, &folder.text("out"), &[]);
    wait_for_checkpoint(&folder);
    std::thread::sleep(Duration::from_millis(300));
    let asked = Instant::now();
    signal(&child, "-INT");
    let ended = Ended::from(child.wait_with_output().expect("it ends"));
    assert!(asked.elapsed() < Duration::from_secs(5), "it took {:?} to stop", asked.elapsed());
    ended.expect(
        1,
        &["error: interrupted at step ", "continue with --resume", "energy ledger", "steps/s"],
    );
    let tables = Tables::read(&folder.path("out"));
    let step = tables.last(FRAMES)[1];
    assert!(step > 0.0 && step < 1e8, "last frame at step {step}");
    tables.assert_prefix_of(&tables);
}

#[test]
fn an_interrupted_run_ends_with_the_bits_of_an_uninterrupted_one() {
    let folder = Folder::new("resume");
    let path = driven(&folder, 300_000, "compress = true");
    let (whole, time) = uninterrupted(&path, &folder);
    assert_eq!(whole.rows(FRAMES), 300_001);
    assert!(whole.rows("events") > 50 && whole.rows("contacts") > 100, "there is something to lose");
    let out = folder.text("out");
    let mut child = start(&path, &out, &[]);
    wait_for_checkpoint(&folder);
    let mut interruptions = 0;
    // Three times, so that a resumed run is interrupted and resumed again.
    for _ in 0..3 {
        std::thread::sleep(time / 5);
        signal(&child, "-INT");
        let ended = Ended::from(child.wait_with_output().expect("it ends"));
        if ended.code == Some(1) {
            interruptions += 1;
            ended.expect(1, &["interrupted at step "]);
            Tables::read(&folder.path("out")).assert_prefix_of(&whole);
        }
        child = start(&path, &out, &["--resume"]);
    }
    let ended = Ended::from(child.wait_with_output().expect("it ends"));
    ended.expect(0, &["resumed from step", "steps                   300000, to t = 30 s"]);
    assert!(interruptions >= 1, "every interruption came too late");
    Tables::read(&folder.path("out")).assert_same(&whole);
    // The summary is that of the whole run too.
    let again = nonsmooth(&["run", &path, "--out", &out, "--resume"]);
    again.expect(0, &["resumed from step       300000"]);
    Tables::read(&folder.path("out")).assert_same(&whole);
}

/// The lines that the observer `solver-log` wrote.
fn logged(folder: &Folder, out: &str) -> String {
    std::fs::read_to_string(folder.path(out).join("solver-log.csv")).expect("there")
}

/// Fractions of the run, from quotients without structure.
fn moments() -> impl Iterator<Item = f64> {
    (1..=10).map(|k| (f64::from(k) * 0.618_034 + 0.35).fract())
}

#[test]
fn a_killed_run_leaves_a_correct_beginning_and_ends_with_the_same_bits() {
    let folder = Folder::new("kill");
    // Frames and checkpoints that fall together only now and then.
    let output = "every = 3\ncheckpoint_every = 7001\nobservers = [\"solver-log\"]";
    let path = driven(&folder, 100_000, output);
    let (whole, time) = uninterrupted(&path, &folder);
    let out = folder.text("out");
    let mut cut = 0;
    for moment in moments() {
        let _ = std::fs::remove_dir_all(&out);
        let child = start(&path, &out, &["--quiet"]);
        wait_for_checkpoint(&folder);
        std::thread::sleep(time.mul_f64(0.9 * moment));
        signal(&child, "-KILL");
        child.wait_with_output().expect("it ends");
        let left = Tables::read(&folder.path("out"));
        left.assert_prefix_of(&whole);
        cut += usize::from(left.rows(FRAMES) < whole.rows(FRAMES));
        // A second kill, while the file is being taken up again or shortly after.
        let child = start(&path, &out, &["--quiet", "--resume"]);
        std::thread::sleep(Duration::from_millis(1) + time.mul_f64(0.05 * moment));
        signal(&child, "-KILL");
        child.wait_with_output().expect("it ends");
        Tables::read(&folder.path("out")).assert_prefix_of(&whole);
        let ended = nonsmooth(&["run", &path, "--out", &out, "--resume"]);
        ended.expect(0, &["resumed from step", "steps                   100000"]);
        Tables::read(&folder.path("out")).assert_same(&whole);
        let (ours, whole) = (logged(&folder, "out"), logged(&folder, "whole"));
        let differs = ours.lines().zip(whole.lines()).find(|(ours, whole)| ours != whole);
        assert!(ours == whole, "the log of an observer: {differs:?}");
    }
    assert!(cut >= 5, "only {cut} of 10 kills came in time");
}

#[test]
fn resuming_what_is_not_there_or_has_changed_is_wrong_input() {
    let folder = Folder::new("refuse");
    let path = driven(&folder, 500, "");
    let out = folder.text("out");
    nonsmooth(&["run", &path, "--out", &out, "--resume"])
        .expect(2, &["no checkpoint to resume from", "run without --resume"]);
    nonsmooth(&["run", &path, "--out", &out, "--set", "h=2e-4", "-q"]).expect(0, &[]);
    let tables = Tables::read(&folder.path("out"));
    for other in [&["--set", "h=3e-4"][..], &[]] {
        let arguments = [&["run", &path, "--out", &out, "--resume"], other].concat();
        nonsmooth(&arguments).expect(2, &["checkpoint.h5", "`parameters.h` was 0.0002", "--overwrite"]);
    }
    let changed = std::fs::read_to_string(&path)
        .expect("readable")
        .replace("restitution = 0.6", "restitution = 0.7");
    let changed = folder.write("changed.toml", &changed);
    let arguments = ["run", &changed, "--out", &out, "--resume", "--set", "h=2e-4"];
    nonsmooth(&arguments).expect(2, &["`law.rebound.restitution` was 0.6 and is 0.7", "--overwrite"]);
    // Nothing of it touches the results.
    Tables::read(&folder.path("out")).assert_same(&tables);
    // The same scene under another name is the same scene.
    std::fs::rename(folder.path("driven.toml"), folder.path("renamed.toml")).expect("renamable");
    let renamed = folder.text("renamed.toml");
    nonsmooth(&["run", &renamed, "--out", &out, "--resume", "--set", "h=2e-4"]).expect(0, &[]);
}

#[test]
fn a_damaged_checkpoint_is_refused_in_words() {
    let folder = Folder::new("damaged");
    let path = driven(&folder, 500, "");
    let out = folder.text("out");
    nonsmooth(&["run", &path, "--out", &out, "-q"]).expect(0, &[]);
    let whole = std::fs::read(folder.path("out/checkpoint.h5")).expect("readable");
    for bytes in [&whole[..whole.len() / 2], &[][..], b"not a checkpoint"] {
        std::fs::write(folder.path("out/checkpoint.h5"), bytes).expect("writable");
        nonsmooth(&["run", &path, "--out", &out, "--resume"]).expect(2, &["checkpoint.h5"]);
    }
    std::fs::write(folder.path("out/checkpoint.h5"), &whole).expect("writable");
    std::fs::remove_file(folder.path("out/results.h5")).expect("removable");
    let ended = nonsmooth(&["run", &path, "--out", &out, "--resume"]);
    assert!(
        matches!(ended.code, Some(1 | 2)) && ended.stderr.contains("results.h5"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_refused_resume_leaves_no_folder_behind() {
    let folder = Folder::new("no-folder");
    let path = driven(&folder, 500, "");
    nonsmooth(&["run", &path, "--out", &folder.text("mistyped"), "--resume"]).expect(2, &["mistyped"]);
    assert!(!folder.path("mistyped").exists());
}

#[test]
fn a_flag_at_resume_is_a_segment_too() {
    let folder = Folder::new("flags");
    let out = folder.text("out");
    let segments = || {
        let summary = std::fs::read_to_string(folder.path("out/summary.json")).expect("there");
        let summary: serde_json::Value = serde_json::from_str(&summary).expect("JSON");
        summary["segments"].as_array().expect("a list").clone()
    };
    let short = settings(&folder, "short.toml", "0.02", "");
    let long = settings(&folder, "long.toml", "0.05", "");
    nonsmooth(&["run", &short, "-q", "--out", &out]).expect(0, &[]);
    nonsmooth(&["run", &long, "-q", "--out", &out, "--resume", "--csv"]).expect(0, &[]);
    let found = segments();
    let change =
        |key: &str, from: &str, to: &str| serde_json::json!({"key": key, "from": from, "to": to});
    let both = [change("output.csv", "", "true"), change("run.end", "0.02", "0.05")];
    assert_eq!(found[1]["changes"], serde_json::json!(both), "{found:?}");
    // The flag and the key are the same setting; without either it is another one.
    let written = settings(&folder, "written.toml", "0.05", "csv = true");
    nonsmooth(&["run", &written, "-q", "--out", &out, "--resume"]).expect(0, &[]);
    assert_eq!(segments(), found);
    nonsmooth(&["run", &long, "-q", "--out", &out, "--resume"]).expect(0, &[]);
    assert_eq!(segments()[2]["changes"], serde_json::json!([change("output.csv", "true", "")]));
}

/// The driven scene with settings of the run that a resumed run may change.
fn settings(folder: &Folder, name: &str, end: &str, more: &str) -> String {
    let text = SCENE.replace("N_STEPS", "1000").replace("OUTPUT", "").replace("\"n*h\"", end);
    folder.write(name, &(text + more))
}

#[test]
fn a_resumed_run_may_have_a_later_end_another_solver_and_other_output() {
    let folder = Folder::new("segments");
    let out = folder.text("out");
    let first = settings(&folder, "first.toml", "0.05", "");
    nonsmooth(&["run", &first, "-q", "--out", &out]).expect(0, &[]);
    // The end, the policy, the solver and what is written, all at once.
    let solver = "every = 10\n[solver]\ntype = \"nsgs\"\n";
    let later = settings(&folder, "later.toml", "0.1\non_unconverged = \"count\"", solver);
    nonsmooth(&["run", &later, "--out", &out, "--resume"])
        .expect(0, &["resumed from step       500", "steps                   1000, to t = 0.1 s"]);
    let tables = Tables::read(&folder.path("out"));
    assert_eq!(tables.rows(FRAMES), 501 + 50);
    // The record of it.
    let summary = std::fs::read_to_string(folder.path("out/summary.json")).expect("there");
    let summary: serde_json::Value = serde_json::from_str(&summary).expect("JSON");
    let segments = summary["segments"].as_array().expect("a list");
    assert_eq!((segments.len(), &segments[1]["step"]), (2, &serde_json::json!(500)), "{segments:?}");
    let changes = segments[1]["changes"].as_array().expect("a list");
    let keys: Vec<&str> = changes.iter().filter_map(|change| change["key"].as_str()).collect();
    assert_eq!(keys, ["output.every", "run.end", "run.on_unconverged", "solver.type"]);
    // An end before the time reached, and any other key, are refused by name.
    let early = settings(&folder, "early.toml", "0.02\non_unconverged = \"count\"", solver);
    nonsmooth(&["run", &early, "--out", &out, "--resume"])
        .expect(2, &["`run.end` was 0.1 and is 0.02", "not before t = 0.1 s"]);
    let titled = std::fs::read_to_string(&later).expect("readable").replace("Driven", "Other");
    let titled = folder.write("titled.toml", &titled);
    nonsmooth(&["run", &titled, "--out", &out, "--resume"]).expect(2, &["`title` was"]);
    Tables::read(&folder.path("out")).assert_same(&tables);
}

#[test]
fn two_runs_do_not_share_a_folder() {
    let folder = Folder::new("shared");
    let path = driven(&folder, 100_000_000, "every = 1000");
    let out = folder.text("out");
    let child = start(&path, &out, &["-q"]);
    wait_for_checkpoint(&folder);
    let words = ["is in use by another run", &format!("process {}", child.id())];
    for more in [&[][..], &["--overwrite"], &["--resume"]] {
        nonsmooth(&[&["run", &path, "--out", &out], more].concat()).expect(2, &words);
    }
    // The lock of a killed process is stale.
    signal(&child, "-KILL");
    child.wait_with_output().expect("it ends");
    assert!(folder.path("out/run.lock").exists());
    let short = driven(&folder, 100, "every = 1000");
    nonsmooth(&["run", &short, "-q", "--out", &out, "--overwrite"]).expect(0, &[]);
    assert!(!folder.path("out/run.lock").exists());
}
