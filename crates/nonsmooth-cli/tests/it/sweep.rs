//! `sweep`: values against closed forms, the same table however it is made, failures, words, exit codes.

use crate::{Ended, Folder, command, nonsmooth};
use std::time::Duration;

/// A stone thrown upwards with the speed `v` under gravity `g`, over a floor at −1 m.
const STONE: &str = r#"
[parameters]
v = 3
g = 9.81
e = 0.5
[[system.linear]]
name = "stone"
coordinates = ["z"]
mass = 2
load = "-2*g"
force = "wind"
q = 0
v = "v"
[expressions]
wind = "0*stone.z"
[[constraint]]
name = "floor"
gap = "z + 1"
law = "rebound"
[law.rebound]
type = "newton-impact"
restitution = "e"
[run]
end = 0.5
step_size = 0.001
[integrator]
type = "event-driven"
"#;

fn sweep(folder: &Folder, arguments: &[&str]) -> Ended {
    let (scene, out) = (folder.path("stone.toml"), folder.text("out"));
    if !scene.exists() {
        folder.write("stone.toml", STONE);
    }
    nonsmooth(&[&["sweep", &folder.text("stone.toml"), "--out", &out][..], arguments].concat())
}

fn csv(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path(name)).expect("written")
}

/// Cells by row, without the header.
fn cells(text: &str) -> Vec<Vec<String>> {
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn number(cell: &str) -> f64 {
    cell.parse().expect("a number")
}

#[test]
fn outputs_are_those_of_closed_forms() {
    let folder = Folder::new("sweep-closed");
    let of = "stone.z,max:stone.z,time-of-max:stone.z,mean:stone.v_z,min:energy,impacts,first-impact";
    let ended = sweep(&folder, &["--vary", "v=1.1:4.1:4", "--vary", "g=5,20", "--of", of]);
    ended.expect(0, &["8 of 8 points, 0 failed", "sweep.csv"]);
    for row in cells(&csv(&folder, "out/sweep.csv")) {
        let (v, g) = (number(&row[1]), number(&row[2]));
        let fall = (v + (v * v + 2.0 * g).sqrt()) / g;
        let near = |cell: &str, exact: f64, tolerance: f64| {
            assert!((number(cell) - exact).abs() < tolerance, "v = {v}, g = {g}: {cell}, not {exact}");
        };
        let (top, end) = ((v / g).min(0.5), fall.min(0.5));
        if fall > 0.5 {
            near(&row[3], v * 0.5 - 0.5 * g * 0.25, 1e-10);
            // The mean of 501 values in equal differences is that of the first and the last.
            near(&row[6], v - 0.25 * g, 1e-10);
            assert_eq!((row[8].as_str(), row[9].as_str()), ("0.0", ""), "{row:?}");
            near(&row[7], v * v, 1e-10);
        } else {
            near(&row[9], end, 1e-10);
            near(&row[7], 0.25 * (v * v + 2.0 * g) - 2.0 * g, 1e-9);
        }
        // The top is met within half a step.
        near(&row[4], v * top - 0.5 * g * top * top, 0.5 * g * 0.25e-6 + 1e-10);
        near(&row[5], top, 0.5e-3 + 1e-10);
    }
}

#[test]
fn the_table_is_the_same_however_it_is_made() {
    let folder = Folder::new("sweep-same");
    let points = ["--vary", "v=0:4", "--vary", "e=0:1", "--latin", "60", "--seed", "5"];
    let with =
        |more: &[&'static str]| [&points[..], &["--of", "stone.z,max:wind,impacts"], more].concat();
    sweep(&folder, &with(&["--threads", "1"])).expect(0, &["60 of 60 points"]);
    let whole = csv(&folder, "out/sweep.csv");
    sweep(&folder, &with(&["--threads", "3"])).expect(2, &["has an earlier sweep", "--resume"]);
    sweep(&folder, &with(&["--threads", "3", "--overwrite"])).expect(0, &[]);
    assert!(csv(&folder, "out/sweep.csv") == whole, "three threads make another table than one");
    let mut lines: Vec<String> = Vec::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let out = folder.text(&format!("shard{}", &shard[..1]));
        let scene = folder.text("stone.toml");
        nonsmooth(&[&["sweep", &scene, "--shard", shard, "--out", &out][..], &with(&[])].concat())
            .expect(0, &["20 of 20 points"]);
        let part = std::fs::read_to_string(format!("{out}/sweep.csv")).expect("written");
        lines.extend(part.lines().skip(1).map(str::to_owned));
    }
    lines.sort_by_key(|line| line.split(',').next().map(number).unwrap_or(0.0) as usize);
    assert_eq!(lines, whole.lines().skip(1).collect::<Vec<_>>());
    let told = sweep(&folder, &with(&["--resume", "--json"]));
    let told: serde_json::Value =
        serde_json::from_str(told.expect(0, &[]).stdout.trim()).expect("one object");
    assert_eq!((&told["points"], &told["failed"]), (&60.into(), &0.into()));
    sweep(&folder, &[&points[..], &["--of", "stone.z", "--resume"]].concat())
        .expect(2, &["--of is another than in"]);
}

#[test]
fn a_sweep_that_was_cut_off_or_killed_goes_on_to_the_same_table() {
    let folder = Folder::new("sweep-killed");
    let points = ["--vary", "v=0:4:2000", "--set", "e=0.3", "--of", "stone.z,impacts"];
    sweep(&folder, &points).expect(0, &["2000 of 2000"]);
    let whole = csv(&folder, "out/sweep.csv");
    let keep = [("points".to_owned(), 700)];
    let cut = nonsmooth_scene::store::Writer::resume(folder.path("out/sweep.h5"), &keep);
    cut.and_then(|writer| writer.finish()).expect("it can be cut to 700 rows");
    sweep(&folder, &[&points[..], &["--resume"]].concat()).expect(0, &["2000 of 2000"]);
    assert!(csv(&folder, "out/sweep.csv") == whole, "the table that was cut off and resumed differs");

    let (out, scene) = (folder.text("killed"), folder.text("stone.toml"));
    let arguments = [&["sweep", &scene, "--out", &out, "--quiet"][..], &points].concat();
    let mut child = command(&arguments).spawn().expect("it starts");
    let table = folder.path("killed/sweep.h5");
    let n_there = || match nonsmooth_scene::store::Reader::open(&table) {
        Ok(reader) => reader.table("points").map_or(0, |info| info.rows),
        Err(_) => 0,
    };
    let is_running = |child: &mut std::process::Child| child.try_wait().expect("known").is_none();
    while n_there() == 0 && is_running(&mut child) {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    assert!(n_there() > 0, "no rows can be read after the kill");
    nonsmooth(&[&arguments[..], &["--resume"]].concat()).expect(0, &[]);
    assert!(csv(&folder, "killed/sweep.csv") == whole, "the table that was killed and resumed differs");
}

#[test]
fn points_that_fail_have_their_reason_and_the_others_their_numbers() {
    let folder = Folder::new("sweep-failures");
    let ended = sweep(&folder, &["--vary", "e=0.5,1.5,0.7", "--of", "stone.z"]);
    ended.expect(1, &["3 of 3 points, 1 failed", "1 of 3 points failed", "restitution"]);
    let text = csv(&folder, "out/sweep.csv");
    let lines: Vec<&str> = text.lines().skip(1).collect();
    assert!(lines[1].starts_with("1,1.5,,,,,,,") && lines[1].contains("restitution"), "{}", lines[1]);
    assert!(lines[0].ends_with(',') && lines[2].ends_with(','), "{text}");
}

#[test]
fn mistakes_are_told() {
    let folder = Folder::new("sweep-mistakes");
    let cases: [(&[&str], &[&str]); 9] = [
        (&["--vary", "w=0:1:3"], &["no parameter `w`"]),
        (&["--vary", "v=0:1"], &["FROM:TO:COUNT"]),
        (&["--vary", "v=0:1:3", "--of", "stone.y"], &["--of stone.y", "did you mean"]),
        (&["--vary", "v=0:1:3", "--of", "most:stone.z"], &["no `most`", "max"]),
        (&["--vary", "v=0:1:3", "--of", "stone.z,stone.z"], &["given twice"]),
        (&["--vary", "v=0:1:3", "--set", "v=2"], &["--set v: it is varied"]),
        (&["--vary", "v=0:1:3", "--shard", "4/3"], &["--shard 4/3", "I from 1 to N"]),
        (&["--vary", "v=0:1:3", "--threads", "0"], &["--threads"]),
        (&["--vary", "v=0:1:3", "--from", "0.6"], &["--from 0.6", "ends at 0.5"]),
    ];
    for (arguments, words) in cases {
        sweep(&folder, arguments).expect(2, words);
        assert!(!folder.path("out/sweep.h5").exists(), "{arguments:?} left a table");
    }
    sweep(&folder, &["--vary", "v=0:1:3", "--resume"]).expect(2, &["--resume", "is missing"]);
}
