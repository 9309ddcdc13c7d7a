//! Runs that end badly: what is said, what is saved.

use crate::tables::Tables;
use crate::{Folder, nonsmooth, scene};

const FREE: &str = r#"title = "Free"
[[system.linear]]
name = "ball"
coordinates = ["x", "z"]
mass = 1
force = [0, "FORCE"]
q = [0, 1]

[run]
end = 2
step_size = 0.01
"#;

#[test]
fn a_force_that_is_no_number_stops_the_run_at_the_last_good_state() {
    let folder = Folder::new("nan");
    let path = folder.write("free.toml", &FREE.replace("FORCE", "sqrt(1 - t)"));
    let out = folder.text("out");
    let ended = nonsmooth(&["run", &path, "--out", &out]);
    let words = [
        "error: step 101 at t = 1 s",
        "system `ball`",
        "coordinate `z`",
        "NaN",
        "the last good state (step 100)",
        &out,
        "advice:",
    ];
    ended.expect(1, &words);
    let tables = Tables::read(&folder.path("out"));
    let frame = tables.last("frames");
    assert_eq!((tables.rows("frames"), frame[0], frame[1]), (101, 1.0, 100.0));
    assert!(tables.column("coordinates", 3).iter().all(|z| z.is_finite()));
    assert!(folder.path("out/checkpoint.h5").exists());
    // Resuming meets the same wall and loses nothing.
    nonsmooth(&["run", &path, "--out", &out, "--resume"]).expect(1, &["step 101 at t = 1 s"]);
    Tables::read(&folder.path("out")).assert_same(&tables);
}

#[test]
fn a_gap_that_is_no_number_names_the_constraint() {
    let folder = Folder::new("nan-gap");
    let text = FREE.replace("FORCE", "0")
        + "[[constraint]]\nname = \"floor\"\ngap = \"z + sqrt(1.005 - t)\"\nlaw = \"hit\"\n[law.hit]\ntype = \"newton-impact\"\n";
    let path = folder.write("gap.toml", &text);
    let ended = nonsmooth(&["run", &path, "--out", &folder.text("out")]);
    ended.expect(1, &["t = 1 s", "constraint `floor`", "NaN", "the last good state (step 100)"]);
}

#[test]
fn a_prescribed_velocity_that_is_no_number_names_the_coordinate() {
    let folder = Folder::new("nan-prescribed");
    let text = FREE
        .replace("FORCE", "0")
        .replace("q = [0, 1]", "q = [0, 1]\nprescribed = { z = \"ln(1 - t)\" }");
    let path = folder.write("prescribed.toml", &text);
    let ended = nonsmooth(&["run", &path, "--out", &folder.text("out")]);
    ended.expect(1, &["system `ball`", "coordinate `z`", "the last good state (step 99)"]);
}

#[test]
fn a_scene_that_is_no_number_at_the_start_says_so() {
    let folder = Folder::new("nan-start");
    let path = folder.write("start.toml", &FREE.replace("FORCE", "1/t"));
    let ended = nonsmooth(&["run", &path, "--out", &folder.text("out")]);
    ended.expect(1, &["system `ball`", "coordinate `z`", "inf"]);
}

/// The column of beads with a tolerance that no solver can reach.
fn strict_beads(folder: &Folder, run: &str) -> String {
    let text = std::fs::read_to_string(scene("column-of-beads.toml")).expect("readable");
    let text = text.replacen(
        "[run]",
        &format!("[solver]\ntype = \"auto\"\ntolerance = 1e-30\n\n[run]\n{run}"),
        1,
    );
    folder.write("strict.toml", &text)
}

#[test]
fn a_step_that_misses_the_tolerance_stops_the_run() {
    let folder = Folder::new("strict");
    let path = strict_beads(&folder, "");
    let ended = nonsmooth(&["run", &path, "--out", &folder.text("out")]);
    let words = [
        "error: step ",
        "the contact problem was not solved",
        "tolerance 1.0e-30",
        "worst at constraint `",
        "run.on_unconverged = \"count\"",
        "the problem is saved as",
        "the last good state",
    ];
    ended.expect(1, &words);
    let tables = Tables::read(&folder.path("out"));
    let step = tables.last("frames")[1];
    assert!(ended.stderr.contains(&format!("step {} at t", step + 1.0)), "{}", ended.stderr);
    assert!(tables.column("solver", 4).iter().all(|converged| *converged == 1.0));
}

#[test]
fn steps_that_miss_the_tolerance_are_counted_on_request() {
    let folder = Folder::new("count");
    let path = strict_beads(&folder, "on_unconverged = \"count\"\n");
    let ended = nonsmooth(&["run", &path, "--out", &folder.text("out")]);
    let tables = Tables::read(&folder.path("out"));
    let missed = tables.column("solver", 4).iter().filter(|converged| **converged == 0.0).count();
    assert!(missed > 10, "{missed} steps missed 1e-30");
    ended
        .expect(0, &[&format!("steps above tolerance   {missed} of "), "(tolerance 1e-30)", "10 saved"]);
    // The problems of the first ten are there, and can be solved to what is possible.
    let saved = std::fs::read_dir(folder.path("out")).expect("readable").flatten();
    let names = saved.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let saved: Vec<String> =
        names.filter(|name| name.starts_with("unsolved-step-") && !name.ends_with(".mtx")).collect();
    assert_eq!(saved.len(), 10, "{saved:?}");
    nonsmooth(&["solve", &folder.text(&format!("out/{}", saved[0]))]).expect(0, &["converged"]);
    let summary = std::fs::read_to_string(folder.path("out/summary.json")).expect("there");
    let summary: serde_json::Value = serde_json::from_str(&summary).expect("JSON");
    assert_eq!(summary["unconverged"], missed);
    assert!(summary["largest_residual"].as_f64() > Some(1e-30));
}

/// Up to ten times the tolerance a run goes on and says so; beyond it stops.
#[test]
fn steps_a_little_above_the_tolerance_do_not_stop_a_run() {
    let folder = Folder::new("limit");
    let path = strict_beads(&folder, "");
    let text = std::fs::read_to_string(&path).expect("readable");
    let counted = text.replacen("[run]", "[run]\non_unconverged = \"count\"", 1);
    let path = folder.write("counted.toml", &counted);
    nonsmooth(&["run", &path, "-q", "--out", &folder.text("counted")]).expect(0, &[]);
    let summary = std::fs::read_to_string(folder.path("counted/summary.json")).expect("there");
    let summary: serde_json::Value = serde_json::from_str(&summary).expect("JSON");
    // What the solver can do at best in the worst step.
    let best = summary["largest_residual"].as_f64().expect("a number");
    let with = |tolerance: f64| text.replace("1e-30", &format!("{tolerance:e}"));
    let path = folder.write("near.toml", &with(best / 3.0));
    let ended = nonsmooth(&["run", &path, "--out", &folder.text("near")]);
    let missed = Tables::read(&folder.path("near")).column("solver", 4);
    let missed = missed.iter().filter(|converged| **converged == 0.0).count();
    ended.expect(0, &[&format!("steps above tolerance   {missed} of ")]);
    let path = folder.write("far.toml", &with(best / 1000.0));
    nonsmooth(&["run", &path, "--out", &folder.text("far")])
        .expect(1, &["the contact problem was not solved", "the problem is saved as"]);
}

#[test]
fn a_folder_that_cannot_be_made_is_a_failed_run() {
    let folder = Folder::new("folder");
    folder.write("file", "not a folder");
    let out = folder.text("file/out");
    let ended = nonsmooth(&["run", &scene("bouncing-ball.toml"), "--out", &out]);
    ended.expect(1, &["error: ", &out, "Not a directory"]);
    let out = folder.text("file");
    nonsmooth(&["run", &scene("bouncing-ball.toml"), "--out", &out]).expect(1, &["error: ", &out]);
}

#[cfg(unix)]
#[test]
fn a_result_file_that_cannot_be_written_is_a_failed_run() {
    let folder = Folder::new("unwritable");
    std::fs::create_dir_all(folder.path("out/results.h5")).expect("a folder in place of the file");
    let out = folder.text("out");
    let ended = nonsmooth(&["run", &scene("bouncing-ball.toml"), "--out", &out, "--overwrite"]);
    ended.expect(1, &["error: ", "results.h5"]);
}

#[test]
fn a_cause_is_told_once() {
    let folder = Folder::new("told-once");
    let file = folder.write("file", "");
    let ended = nonsmooth(&["run", &scene("bouncing-ball.toml"), "--out", &format!("{file}/out")]);
    ended.expect(1, &["cannot make the results folder", "choose another with --out"]);
    assert_eq!(ended.stderr.matches("os error").count(), 1, "{}", ended.stderr);
}
