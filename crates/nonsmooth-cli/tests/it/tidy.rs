//! Tidy tables, the summary for programs, and observers that a scene chooses.

use crate::tables::Tables;
use crate::{Folder, nonsmooth, scene};
use nonsmooth_scene::store::Reader;
use std::collections::BTreeMap;

/// A CSV file as rows by column.
fn read(folder: &Folder, name: &str) -> (String, Vec<BTreeMap<String, String>>) {
    let text = std::fs::read_to_string(folder.path("out").join(name)).expect("the table is there");
    let mut lines = text.lines();
    let head = lines.next().expect("a header").to_owned();
    let columns: Vec<&str> = head.split(',').collect();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells.len(), columns.len(), "{name}: {line}");
        columns.iter().zip(cells).map(|(column, cell)| ((*column).to_owned(), cell.to_owned())).collect()
    };
    let rows = lines.map(row).collect();
    (head, rows)
}

fn number(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column}: {}", row[column]))
}

#[test]
fn tables_of_systems_hold_the_numbers_of_the_result_file() {
    let folder = Folder::new("tidy-systems");
    let text = std::fs::read_to_string(scene("bouncing-ball.toml")).expect("readable");
    let path = folder.write("ball.toml", &format!("{text}\n[output]\nplots = false\nevery = 7\n"));
    let ended = nonsmooth(&["run", &path, "--out", &folder.text("out"), "--csv"]);
    assert!(!ended.expect(0, &[]).stdout.contains("figure"), "plots = false");
    let tables = Tables::read(&folder.path("out"));
    // The start, every seventh step, and the last one, which is no seventh.
    assert_eq!(tables.rows("frames"), 1 + 2000 / 7 + 1);
    let t = tables.column("frames", 0);
    let (head, rows) = read(&folder, "coordinates.csv");
    assert_eq!(head, "t,ball.z,ball.v_z,ball.x,ball.v_x,ball.phi,ball.v_phi");
    let (z, v) = (tables.column("coordinates", 1), tables.column("coordinates", 2));
    assert_eq!(rows.len(), t.len());
    for (k, row) in rows.iter().enumerate() {
        assert_eq!(
            [number(row, "t"), number(row, "ball.z"), number(row, "ball.v_z")],
            [t[k], z[k], v[k]]
        );
    }
    let (head, rows) = read(&folder, "energy.csv");
    let works =
        "external,viscous,impact,contact,friction,joint,drive,prescribed,exchange,scheme,projection";
    assert_eq!(head, format!("t,kinetic,potential,{works},remainder"));
    let (first, last) = (&rows[0], &rows[rows.len() - 1]);
    let energy = |row| number(row, "kinetic") + number(row, "potential");
    let sum: f64 = works.split(',').map(|work| number(last, work)).sum();
    // Rounding of energies near 10 J.
    assert!((energy(last) - energy(first) - sum - number(last, "remainder")).abs() < 1e-12);
    let (head, rows) = read(&folder, "events.csv");
    assert_eq!(head, "t,kind,name,a,b,gap,u_minus,u_plus,impulse,energy");
    assert_eq!(rows.len(), tables.rows("events"));
    for row in &rows {
        assert_eq!((row["kind"].as_str(), row["name"].as_str()), ("impact", "floor"));
        // m = 1 kg, e = 0.9: the ball loses (1 − e²) u²/2, and the impulse g h that holds its weight works at (u⁻ + u⁺)/2.
        let u = number(row, "u_minus");
        let loss = 0.5 * (0.81 - 1.0) * u * u + 9.81 * 0.005 * 0.5 * (1.0 - 0.9) * u;
        assert!((number(row, "energy") - loss).abs() < 1e-12, "{row:?}");
    }
    let (head, rows) = read(&folder, "contacts.csv");
    assert_eq!(head, "t,a,b,x,y,z,n_x,n_y,n_z,gap,u_n,p_n,p_t1,p_t2,f_n,f_t1,f_t2");
    assert!(!rows.is_empty() && rows.iter().all(|row| row["a"] == "floor" && row["x"].is_empty()));
    assert!(!folder.path("out/bodies.csv").exists() && !folder.path("out/joints.csv").exists());
}

const BODIES: &str = r#"title = "Three"
[world]
gravity = [0, 0, 0]
[[body]]
name = "top"
repeat = 2
shape = { type = "box", size = [0.2, 0.2, 0.1] }
mass = 1
position = ["i", 0, 0]
orientation = { axis = [1, 0, 0], angle = 1.5707963267948966 }
velocity = [0, 0.25, 0]
angular_velocity = [0, 0, 2]
[[body]]
name = "plate"
shape = { type = "box", size = [1, 1, 0.1] }
motion = { position = [0, 0, "3*t - 5"] }
[[body]]
name = "wall"
shape = { type = "half-space", normal = [0, 0, 1] }
position = [0, 0, -9]
fixed = true
[contact]
default = { friction = 0 }
[run]
end = 0.1
step_size = 0.01
[output]
plots = false
csv = true
observers = ["solver-log"]
"#;

#[test]
fn bodies_have_velocities_in_world_axes_and_moving_ones_are_there_from_the_start() {
    let folder = Folder::new("tidy-bodies");
    let path = folder.write("bodies.toml", BODIES);
    nonsmooth(&["run", &path, "-q", "--out", &folder.text("out")]).expect(0, &[]);
    let (head, rows) = read(&folder, "bodies.csv");
    assert_eq!(head, "t,body,x,y,z,q_w,q_x,q_y,q_z,v_x,v_y,v_z,omega_x,omega_y,omega_z");
    let names: Vec<&str> = rows[..3].iter().map(|row| row["body"].as_str()).collect();
    assert_eq!(names, ["top[0]", "top[1]", "plate"], "what is fixed is not there");
    assert_eq!(rows.len(), 3 * 11);
    assert_eq!(number(&rows[0], "t"), 0.0);
    for row in &rows {
        let t = number(row, "t");
        if row["body"] == "plate" {
            assert!((number(row, "z") - (3.0 * t - 5.0)).abs() < 1e-12);
            assert!((number(row, "v_z") - 3.0).abs() < 1e-6, "{row:?}");
            continue;
        }
        assert!((number(row, "y") - 0.25 * t).abs() < 1e-12 && number(row, "v_y") == 0.25, "{row:?}");
        // The spin about the body's z, an axis of inertia, is about −y of the world after a quarter turn about x.
        let omega = ["omega_x", "omega_y", "omega_z"].map(|column| number(row, column));
        let away = [omega[0], omega[1] + 2.0, omega[2]].map(f64::abs);
        assert!(away.iter().all(|x| *x < 1e-9), "{omega:?}");
    }
    let turn = ["q_w", "q_x", "q_y", "q_z"].map(|column| number(&rows[0], column));
    assert!((turn[0] - turn[1]).abs() < 1e-12 && turn[2] == 0.0, "a quarter turn about x: {turn:?}");
    // The observer of the scene saw every step.
    let (head, rows) = read(&folder, "solver-log.csv");
    assert!(head.starts_with("t,step,residual,iterations"));
    assert_eq!(rows.len(), 10);
}

#[test]
fn observers_are_chosen_by_name() {
    let folder = Folder::new("observers");
    let path = folder.write("wrong.toml", &BODIES.replace("solver-log", "solver-lag"));
    nonsmooth(&["check", &path]).expect(
        2,
        &[
            "no observer `solver-lag`, did you mean `solver-log`?",
            "there are energy-ledger, summary, recorder, solver-log, vtk",
        ],
    );
    let path = folder.write("vtk.toml", &BODIES.replace("solver-log", "vtk"));
    nonsmooth(&["run", &path, "-q", "--out", &folder.text("out")]).expect(0, &[]);
    assert!(folder.path("out/vtk/run_bodies.pvd").exists());
    let words = [
        "observers of every run, unless output.without names them\n  energy-ledger",
        "observers, for output.observers\n  solver-log",
    ];
    nonsmooth(&["list"]).expect(0, &words);
}

/// The scene with other lines in its table of output.
fn with_output(folder: &Folder, name: &str, lines: &str) -> String {
    let lines = format!("plots = false\n{lines}\n");
    folder.write(
        name,
        &BODIES.replace("plots = false\ncsv = true\nobservers = [\"solver-log\"]\n", &lines),
    )
}

#[test]
fn what_watches_every_run_can_be_left_out_and_the_summary_says_so() {
    let folder = Folder::new("observers-left-out");
    for (lines, words) in [
        ("without = [\"ledger\"]", "no observer `ledger`; there are energy-ledger"),
        ("without = [\"recoder\"]", "no observer `recoder`, did you mean `recorder`?"),
        ("without = [\"vtk\"]", "`vtk` watches only runs that choose it"),
        ("without = [\"summary\", \"summary\"]", "`summary` is given twice"),
        ("without = [\"summary\"]\nobservers = [\"summary\"]", "`summary` is also in `observers`"),
        (
            "without = [\"recorder\"]\ncsv = true",
            "CSV files and figures are made from the file of `recorder`",
        ),
    ] {
        let path = with_output(&folder, "wrong.toml", lines);
        nonsmooth(&["check", &path]).expect(2, &[words, "wrong.toml:"]);
    }
    let whole = with_output(&folder, "whole.toml", "");
    nonsmooth(&["run", &whole, "-q", "--out", &folder.text("whole")]).expect(0, &[]);
    // Without any of them nothing is known, and nothing is said to be good; the motion is the same.
    let none = "without = [\"energy-ledger\", \"summary\", \"recorder\"]";
    let none = with_output(&folder, "none.toml", none);
    let out = folder.text("out");
    let words = [
        "steps above tolerance   not known: left out by output.without",
        "energy ledger           not known: left out by output.without",
        "error of the step size  not known: it takes `summary` and `energy-ledger`",
    ];
    let ended = nonsmooth(&["run", &none, "--out", &out]);
    assert!(!ended.stdout.contains("largest residual"), "{}", ended.stdout);
    ended.expect(0, &words);
    let written = |name: &str| folder.path("out").join(name);
    assert!(!written("results.h5").exists() && written("checkpoint.h5").exists());
    let text = std::fs::read_to_string(written("summary.json")).expect("there");
    let summary: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    for key in ["unconverged", "largest_residual", "largest_overlap", "impacts", "energy", "warnings"] {
        assert_eq!(summary.get(key), Some(&serde_json::Value::Null), "{key}");
    }
    nonsmooth(&["run", &none, "--out", &out, "--csv", "--overwrite"])
        .expect(2, &["--csv: CSV files and figures are made from the file of `recorder`"]);
    let state = |of: &str| {
        let reader = Reader::open(folder.path(of).join("checkpoint.h5")).expect("readable");
        ["q", "v", "t"].map(|name| reader.floats(name).expect("there").values)
    };
    assert_eq!(state("out"), state("whole"));
    // It can be resumed, but not with an observer that missed the beginning.
    let later = |lines: &str| {
        let path = with_output(&folder, "later.toml", lines);
        folder.write(
            "later.toml",
            &std::fs::read_to_string(path).expect("there").replace("end = 0.1", "end = 0.2"),
        )
    };
    nonsmooth(&["run", &later("without = [\"energy-ledger\", \"summary\"]"), "--out", &out, "--resume"])
        .expect(2, &["`output.without[2]` was \"recorder\" and is not there"]);
    let all = later("without = [\"energy-ledger\", \"summary\", \"recorder\"]");
    nonsmooth(&["run", &all, "--out", &out, "--resume"])
        .expect(0, &["steps                   20, to t = 0.2 s"]);
}

#[test]
fn the_summary_for_programs_is_always_written() {
    let folder = Folder::new("summary-json");
    let out = folder.text("out");
    nonsmooth(&["run", &scene("box-stack.toml"), "-q", "--out", &out]).expect(0, &[]);
    let text = std::fs::read_to_string(folder.path("out/summary.json")).expect("there");
    let summary: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    for key in [
        "steps",
        "end_time",
        "scheme",
        "solver",
        "tolerance",
        "unconverged",
        "largest_residual",
        "largest_overlap",
        "largest_overlap_of_size",
        "impacts",
        "energy",
        "error_estimate",
        "warnings",
        "wall_time",
        "cpu_time",
        "version",
    ] {
        assert!(summary.get(key).is_some(), "no `{key}` in\n{text}");
    }
    assert_eq!((&summary["steps"], &summary["status"]), (&200.into(), &"finished".into()));
    assert_eq!(summary["scheme"], "kick-drift");
    // What was not solved is told first.
    let first = text.lines().nth(1).expect("a line").trim();
    assert!(first.starts_with("\"unconverged\""), "{first}");
    assert!((summary["end_time"].as_f64().expect("a number") - 1.0).abs() < 1e-12);
    assert!(summary["energy"]["kinetic"].is_number() && summary["cpu_time"].as_f64() > Some(0.0));
    // Also after a step that failed, with the reason.
    let text = "[[system.linear]]\nname = \"s\"\ncoordinates = [\"x\"]\nmass = 1\nforce = \"sqrt(0.5 - t)\"\nq = 0\n\
                [run]\nend = 1\nstep_size = 0.1\n";
    let path = folder.write("fails.toml", text);
    nonsmooth(&["run", &path, "-q", "--out", &folder.text("failed")]).expect(1, &[]);
    let text = std::fs::read_to_string(folder.path("failed/summary.json")).expect("there");
    let summary: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(summary["status"], "failed");
    assert!(summary["error"].as_str().is_some_and(|error| error.contains("step 6")), "{text}");
}
