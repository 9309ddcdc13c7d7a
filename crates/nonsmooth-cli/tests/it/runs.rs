//! Runs that end well: results, figures, CSV, the trust summary.

use crate::tables::Tables;
use crate::{Folder, command, nonsmooth, scene};
use nonsmooth_scene::RESULT_FILE;
use nonsmooth_scene::store::Reader;

#[test]
fn a_run_writes_results_and_figures_and_says_where() {
    let folder = Folder::new("results");
    let ended = nonsmooth(&["run", &scene("bouncing-ball.toml"), "--out", &folder.text("out")]);
    ended.expect(0, &["Bouncing ball\n", "results in", RESULT_FILE]);
    for name in ["position", "velocity", "impulse", "energy", "force"] {
        let png = std::fs::read(folder.path(&format!("out/{name}.png"))).expect("the picture is there");
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n") && png.len() > 5_000, "{name}.png");
        let svg = std::fs::read_to_string(folder.path(&format!("out/{name}.svg")))
            .expect("the drawing is there");
        assert!(svg.contains("<svg") && svg.contains("Bouncing ball"), "{name}.svg");
        assert!(
            ended.stdout.contains(&folder.text(&format!("out/{name}.png"))),
            "{name}.png is not named"
        );
    }
    let tables = Tables::read(&folder.path("out"));
    assert_eq!((tables.rows("coordinates"), tables.rows("frames")), (2001, 2001));
    assert!(folder.path("out/checkpoint.h5").exists());
    assert!(!folder.path("out/energy.csv").exists(), "CSV only on request");
    assert!(!folder.path("out/run.lock").exists(), "the folder is free");
    assert!(!folder.path("out/checkpoint.new.h5").exists(), "nothing temporary is left");
}

#[test]
fn the_result_file_remembers_scene_and_parameters() {
    let folder = Folder::new("remembers");
    let path = scene("bouncing-ball.toml");
    nonsmooth(&["run", &path, "--set", "e=0.25", "--out", &folder.text("out")]).expect(0, &[]);
    let reader = Reader::open(folder.path("out").join(RESULT_FILE)).expect("readable");
    let text =
        |key: &str| reader.texts().get(key).unwrap_or_else(|| panic!("no attribute {key}")).as_str();
    assert_eq!(text("scene"), std::fs::read_to_string(path).expect("readable"));
    assert_eq!((text("set"), text("title")), ("e=0.25", "Bouncing ball"));
    assert!(text("parameters").lines().any(|line| line == "e=0.25"), "{}", text("parameters"));
}

#[test]
fn the_summary_holds_every_promised_line() {
    let folder = Folder::new("summary");
    let driven = nonsmooth(&["run", &scene("oscillator-stop.toml"), "--out", &folder.text("a")]);
    let lines = [
        "scheme, solver          moreau-jean, auto",
        "steps                   20000, to t = 20 s",
        "impacts                 19",
        "largest penetration",
        "m  at `stop`, t = ",
        "largest residual",
        "(tolerance 1e-10)",
        "steps above tolerance   0 of 20000\n",
        "energy ledger",
        "at the start",
        "external work",
        "viscous work",
        "impact work",
        "remainder",
        "at the end",
        "kinetic",
        "potential",
        "time ",
        "steps/s",
    ];
    driven.expect(0, &lines);
    assert_eq!(driven.stderr, "");
    // What was not solved is told first.
    let first = driven.stdout.lines().nth(1).expect("the line after the title");
    assert!(first.trim().starts_with("steps above tolerance"), "{first}");
    let moving = [
        ("moving-floor.toml", "prescribed motion"),
        ("ball-on-moving-plane.toml", "prescribed motion"),
        ("double-pendulum.toml", "Newton iterations"),
        ("double-pendulum.toml", "scheme  "),
    ];
    for (name, line) in moving {
        nonsmooth(&["run", &scene(name), "--out", &folder.text("b"), "--overwrite"]).expect(0, &[line]);
    }
}

/// The number after `name` in the ledger.
fn ledger(stdout: &str, name: &str) -> f64 {
    let lines = stdout.lines().map(str::trim);
    let rest =
        lines.filter_map(|line| line.strip_prefix(name)).find_map(|rest| rest.trim().strip_suffix(" J"));
    rest.map_or(0.0, |text| text.trim().parse().unwrap_or_else(|_| panic!("{name}: {text}")))
}

#[test]
fn the_ledger_of_the_summary_adds_up() {
    let folder = Folder::new("ledger");
    for name in
        ["oscillator-stop.toml", "moving-floor.toml", "ball-on-moving-plane.toml", "pendulum-rod.toml"]
    {
        let ended = nonsmooth(&["run", &scene(name), "--out", &folder.text("out"), "--overwrite"]);
        let of = |line: &str| ledger(&ended.stdout, line);
        let works = [
            "external work",
            "viscous work",
            "impact work",
            "contact work",
            "friction work",
            "joint work",
            "drive work",
            "prescribed motion",
            "scheme  ",
            "projection",
            "remainder",
        ];
        let sum: f64 = works.iter().map(|line| of(line)).sum();
        let (start, end) = (of("at the start"), of("at the end"));
        let scale = works.iter().map(|line| of(line).abs()).fold(start.abs().max(end.abs()), f64::max);
        // Twelve digits are printed.
        assert!(
            (start + sum - end).abs() < 1e-11 * scale,
            "{name}: {start} + {sum} is not {end}\n{}",
            ended.stdout
        );
    }
}

#[test]
fn quiet_prints_nothing() {
    let folder = Folder::new("quiet");
    for flag in ["--quiet", "-q"] {
        let ended = nonsmooth(&["run", &scene("bouncing-ball.toml"), flag, "--out", &folder.text(flag)]);
        ended.expect(0, &[]);
        assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("", ""));
        assert!(folder.path(flag).join("results.h5").exists());
    }
}

#[test]
fn results_go_to_a_folder_named_after_the_scene_by_default() {
    let folder = Folder::new("default");
    let output =
        command(&["run", &scene("moving-floor.toml"), "-q"]).current_dir(folder.path("")).output();
    assert!(output.expect("the command starts").status.success());
    assert!(folder.path("results/moving-floor/results.h5").exists());
}

#[test]
fn two_runs_of_a_scene_give_the_same_bits() {
    let folder = Folder::new("twice");
    for name in ["column-of-beads.toml", "double-pendulum.toml"] {
        for out in ["a", "b"] {
            nonsmooth(&["run", &scene(name), "-q", "--out", &folder.text(out), "--overwrite"])
                .expect(0, &[]);
        }
        Tables::read(&folder.path("a")).assert_same(&Tables::read(&folder.path("b")));
    }
}

#[test]
fn a_new_run_does_not_erase_an_old_one_unless_told_to() {
    let folder = Folder::new("occupied");
    let (path, out) = (scene("moving-floor.toml"), folder.text("out"));
    nonsmooth(&["run", &path, "-q", "--out", &out]).expect(0, &[]);
    let before = Tables::read(&folder.path("out"));
    let other = scene("column-of-beads.toml");
    nonsmooth(&["run", &other, "-q", "--out", &out])
        .expect(2, &["has results of an earlier run", "--overwrite", "--resume", "--out"]);
    Tables::read(&folder.path("out")).assert_same(&before);
    assert!(!folder.path("out/run.lock").exists());
    nonsmooth(&["run", &path, "--out", &out, "--overwrite", "--resume"]).expect(2, &["--overwrite"]);
    // Nor what is left of it when the large file was moved away.
    for name in ["results.h5", "summary.json", "checkpoint.h5"] {
        std::fs::remove_file(folder.path("out").join(name)).expect("removable");
    }
    nonsmooth(&["run", &other, "-q", "--out", &out]).expect(2, &["has results of an earlier run"]);
    assert!(folder.path("out/position.png").exists());
}

#[test]
fn a_new_run_replaces_the_results_of_an_old_one_if_told_to() {
    let folder = Folder::new("replaces");
    let out = folder.text("out");
    nonsmooth(&["run", &scene("column-of-beads.toml"), "-q", "--out", &out]).expect(0, &[]);
    nonsmooth(&["run", &scene("moving-floor.toml"), "-q", "--out", &out, "--overwrite"]).expect(0, &[]);
    assert_eq!(Tables::read(&folder.path("out")).rows("coordinates"), 2001);
}

#[test]
fn a_new_run_leaves_no_figure_or_csv_of_an_old_one() {
    let folder = Folder::new("stale");
    let out = folder.text("out");
    nonsmooth(&["run", &scene("column-of-beads.toml"), "-q", "--out", &out]).expect(0, &[]);
    assert!(folder.path("out/force.png").exists());
    nonsmooth(&["run", &scene("moving-floor.toml"), "-q", "--out", &out, "--overwrite"]).expect(0, &[]);
    // The moving floor has no lasting contact, so no figure of its force.
    assert!(!folder.path("out/force.png").exists(), "force.png is left of the run before");
}

#[test]
fn joints_do_not_separate() {
    let folder = Folder::new("joints");
    for name in ["knife-edge.toml", "pendulum-rod.toml"] {
        let ended = nonsmooth(&["run", &scene(name), "--out", &folder.text("out"), "--overwrite"]);
        // An impulse of a bilateral law pulls as well as pushes: there is nothing to look at.
        assert!(!ended.expect(0, &[]).stdout.contains("separating"), "{name}:\n{}", ended.stdout);
    }
}

#[test]
fn the_integrator_can_be_chosen_on_the_command_line() {
    let folder = Folder::new("run-integrator");
    let (scene, out) = (crate::scene("bouncing-ball.toml"), folder.text("out"));
    let run =
        |name: &str| nonsmooth(&["run", &scene, "--integrator", name, "--out", &out, "--overwrite"]);
    run("high-order:method=rk4").expect(0, &["high-order:method=rk4, auto", "energy ledger"]);
    run("moreau-joan").expect(2, &["--integrator", "did you mean `moreau-jean`?"]);
    run("moreau-jean:theta=2").expect(2, &["--integrator", "theta"]);
    run("euler-implicit").expect(2, &["--integrator", "free motion", "floor"]);
}
