//! `study`: orders and work of schemes against exact solutions and reference runs, tables, figures, exit codes.

use crate::{Ended, Folder, nonsmooth, scene};
use nonsmooth::INTEGRATORS;

/// A small ladder: quick, and fine enough to see an order.
const SMALL: [&str; 6] = ["--steps", "50:400", "--rungs", "4", "--phases", "5"];

fn study(kind: &str, arguments: &[&str], folder: &Folder) -> Ended {
    let out = folder.text("out");
    nonsmooth(&[&["study", kind][..], arguments, &SMALL, &["--out", &out]].concat())
}

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path(name)).expect("written")
}

/// The rows of a CSV file without quotes, as (column, cell) look-ups.
fn rows(text: &str) -> Vec<impl Fn(&str) -> String> {
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<String>>());
    let head = lines.next().expect("a header");
    let row = |cells: Vec<String>| {
        let head = head.clone();
        assert_eq!(cells.len(), head.len(), "{cells:?}");
        move |name: &str| {
            cells[head.iter().position(|column| column == name).expect("the column")].clone()
        }
    };
    lines.map(row).collect()
}

#[test]
fn help_says_what_exit_codes_mean() {
    for kind in ["order", "work"] {
        nonsmooth(&["study", kind, "--help"]).expect(
            0,
            &["--schemes", "--exact", "--reference", "Exit codes: 0 every scheme that takes"],
        );
    }
}

#[test]
fn orders_against_an_exact_solution_are_found() {
    let folder = Folder::new("study-order");
    let schemes = "moreau-jean,moreau-jean:theta=1:gamma=0,high-order:method=rk4";
    let ended =
        study("order", &["--exact", "oscillator", "--schemes", schemes, "--norms", "all"], &folder);
    ended.expect(
        0,
        &["exact solution `oscillator`", "4 rungs of 5 runs", "hausdorff order", "order-l2.png"],
    );
    assert_eq!(ended.stderr, "");
    let orders = read(&folder, "out/orders.csv");
    let orders = rows(&orders);
    assert_eq!(orders.len(), 3 * 8, "three schemes, four norms of q and of v");
    for row in &orders {
        let slope: f64 = row("slope").parse().expect("a number");
        let expected = match (row("scheme").as_str(), row("norm").as_str(), row("quantity").as_str()) {
            // Between nodes the graph is known to O(h²) in q and O(h) in v, whatever the scheme; over a ladder as
            // short as this one the distances scatter.
            (_, "hausdorff", _) | ("high-order:method=rk4", "l2" | "maximum", "v") => continue,
            ("high-order:method=rk4", ..) => 4.0,
            // A node beside an impact is wrong by the jump: √h in L2, not at all smaller in the maximum.
            (_, "l2", "v") => 0.5,
            (_, "maximum", "v") => 0.0,
            _ => 1.0,
        };
        // The ladder spans a factor 8; orders of the library are tested to 0.1 over longer ones.
        assert!((slope - expected).abs() < 0.35, "{} {}: {slope}", row("scheme"), row("norm"));
    }
    let runs = read(&folder, "out/runs.csv");
    let runs = rows(&runs);
    assert_eq!(runs.len(), 3 * 20);
    assert_eq!(
        (runs[0]("scheme"), runs[0]("rung"), runs[0]("failure")),
        ("moreau-jean".into(), "1".into(), String::new())
    );
    assert_eq!(
        (runs[0]("tolerance"), runs[0]("seconds")),
        (String::new(), String::new()),
        "not measured"
    );
    assert_eq!(runs[0]("steps"), runs[0]("evaluations"), "linear: one evaluation per step");
    let svg = read(&folder, "out/order-l1.svg");
    for text in [
        "step size h [s]",
        "L1 error of q [m·s]",
        "L1 error of v [m]",
        ">order 1<",
        ">order 4<",
        "gamma=0, slopes",
    ] {
        assert!(svg.contains(text), "{text} is missing");
    }
    assert!(folder.path("out/order-hausdorff.png").exists());
}

#[test]
fn results_do_not_depend_on_threads_and_quiet_is_quiet() {
    let folder = Folder::new("study-threads");
    let mut tables = Vec::new();
    for threads in ["1", "3"] {
        let csv = folder.text(&format!("{threads}.csv"));
        let arguments = [
            "--exact",
            "ball",
            "--schemes",
            "moreau-jean,moreau-paoli",
            "--threads",
            threads,
            "--csv",
            &csv,
            "-q",
        ];
        let ended = study("order", &arguments, &folder);
        ended.expect(0, &[]);
        assert_eq!((ended.stdout, ended.stderr), (String::new(), String::new()));
        tables.push(std::fs::read_to_string(csv).expect("written"));
    }
    assert_eq!(tables[0], tables[1]);
    assert!(!folder.path("out/runs.csv").exists(), "it went elsewhere");
}

#[test]
fn a_reference_run_is_made_by_the_most_exact_scheme_that_takes_the_scene() {
    let folder = Folder::new("study-reference");
    let ball = scene("bouncing-ball.toml");
    let arguments = [
        &ball,
        "--end",
        "2",
        "--coordinates",
        "z",
        "--schemes",
        "euler-explicit,scene,moreau-jean:theta=1",
    ];
    let ended = study("order", &arguments, &folder);
    // The finest rung is near 400 steps, the reference has 16 times as many.
    ended.expect(
        0,
        &[
            "reference  run of `high-order` with 6",
            "(the reference from half its steps)",
            "and above 4 times the last line",
            "`euler-explicit` does not take the model",
        ],
    );
    assert_eq!(rows(&read(&folder, "out/orders.csv")).len(), 2 * 8);
    assert!(read(&folder, "out/order-l1.svg").contains("[unit of q · s]"));
    let named = ["--reference", "event-driven", "--reference-steps", "1000", "--set", "e=0.8"];
    let ended = study("order", &[&arguments[..], &named].concat(), &folder);
    ended.expect(0, &["reference  run of `event-driven` with 1000 steps"]);
    // With e = 0.5 impacts accumulate at t = 1.29 s, which that scheme cannot pass; no other takes its place unasked.
    let named = ["--reference", "event-driven", "--set", "e=0.5"];
    let ended = study("order", &[&arguments[..], &named].concat(), &folder);
    ended.expect(1, &["no reference: `event-driven`: the run of"]);
    let ended = study("order", &[&arguments[..], &["--set", "e=0.5"]].concat(), &folder);
    ended.expect(0, &["reference  run of `high-order` with"]);
}

#[test]
fn runs_that_fail_are_told_and_another_scheme_makes_the_reference() {
    let folder = Folder::new("study-failures");
    let pendulum = scene("double-pendulum.toml");
    let schemes = "moreau-jean:newton_iterations=1,moreau-jean";
    let arguments = [&pendulum, "--end", "0.5", "--schemes", schemes, "--norms", "l1"];
    study("order", &arguments, &folder).expect(
        1,
        &[
            "reference  run of `",
            "`moreau-jean:newton_iterations=1`: 20 of 20 runs failed; the first: the run of",
        ],
    );
    let orders = read(&folder, "out/orders.csv");
    let slope = |row: &dyn Fn(&str) -> String| row("slope");
    assert!(slope(&rows(&orders)[0]).is_empty() && !slope(&rows(&orders)[8]).is_empty(), "{orders}");
    assert!(read(&folder, "out/runs.csv").contains("Newton"));
    // Nobody takes the model: nothing was studied.
    let arguments = [&scene("bouncing-ball.toml"), "--schemes", "euler-explicit,euler-implicit"];
    study("order", &arguments, &folder).expect(1, &["no scheme takes the model: `euler-explicit`: "]);
    study("work", &arguments, &folder).expect(1, &["no scheme takes the model: `euler-explicit`: "]);
}

#[test]
fn every_integrator_can_be_studied() {
    let folder = Folder::new("study-all");
    let names: Vec<&str> = INTEGRATORS.iter().map(|entry| entry.name).collect();
    for exact in ["free-ball", "oscillator"] {
        let arguments = ["--exact", exact, "--schemes", &names.join(",")];
        study("order", &arguments, &folder).expect(0, &names);
        study("work", &arguments, &folder).expect(0, &names);
    }
}

#[test]
fn work_is_counted_and_extrapolated() {
    let folder = Folder::new("study-work");
    let schemes = "moreau-jean,high-order:method=rk4,splitting:adaptive=yes";
    let arguments = [
        "--exact",
        "oscillator",
        "--schemes",
        schemes,
        "--tolerances",
        "1e-3,1e-5",
        "--grid",
        "20",
        "--reach",
        "1e-6",
    ];
    let ended = study("work", &arguments, &folder);
    ended.expect(
        0,
        &[
            "error      L1 error of q [m·s]",
            "evaluations",
            "time [ms]",
            "to an error of 1e-6 (~ extrapolated)",
            "work.png",
        ],
    );
    let reach: Vec<&str> =
        ended.stdout.split("(~ extrapolated)").nth(1).expect("a table").lines().collect();
    assert!(reach[1].starts_with("moreau-jean ") && reach[1].contains('~'), "{reach:?}");
    // 400 steps of order 4 are enough.
    assert!(reach[2].starts_with("high-order:method=rk4 ") && !reach[2].contains('~'), "{reach:?}");
    let runs = read(&folder, "out/runs.csv");
    let runs = rows(&runs);
    assert_eq!(runs.len(), 20 + 20 + 10, "two ladders and two tolerances");
    let tight = &runs[49];
    assert_eq!((tight("scheme"), tight("tolerance")), ("splitting:adaptive=yes".into(), "1e-5".into()));
    let count = |name: &str| tight(name).parse::<u64>().expect("a number");
    assert!(
        count("steps") < count("inner_steps") && count("steps") < 50,
        "it chooses its steps on a coarse grid"
    );
    for row in &runs {
        assert!(row("seconds").parse::<f64>().expect("a number") >= 0.0);
    }
    let svg = read(&folder, "out/work.svg");
    for text in [
        "steps made",
        "evaluations of the forces",
        "one-step problems",
        "processor time [s]",
        "error 1e-6",
        ">extrapolated<",
    ] {
        assert!(svg.contains(text), "{text} is missing");
    }
}

#[test]
fn an_exact_solution_judges_a_scene_of_the_same_problem() {
    let folder = Folder::new("study-exact-scene");
    let block = scene("sliding-block.toml");
    let exact = "sliding-block:velocity=6:friction=0.5";
    let arguments = [&block, "--exact", exact, "--schemes", "scene", "--end", "1.4142"];
    let ended = study("order", &arguments, &folder);
    ended.expect(0, &["exact solution `sliding-block:velocity=6:friction=0.5`"]);
    let orders = read(&folder, "out/orders.csv");
    let slope: f64 = rows(&orders)[0]("slope").parse().expect("a number");
    // θ = ½ is exact but for the step in which the block stops, which moves it by O(h²).
    assert!((slope - 2.0).abs() < 0.5, "{slope}");
    let other = [&block, "--exact", "sliding-block", "--schemes", "scene"];
    study("order", &other, &folder).expect(2, &["begins with v[0] = 6", "with 1: not the same problem"]);
    study("order", &["--exact", "ball", "--set", "height=2", "--schemes", "moreau-jean"], &folder)
        .expect(0, &["ball:height=2, t = 0 …"]);
}

#[test]
fn wrong_input_exits_with_2_and_says_what_is_wrong() {
    let folder = Folder::new("study-wrong");
    let wrong = |arguments: &[&str], words: &[&str]| {
        for kind in ["order", "work"] {
            let ended = nonsmooth(&[&["study", kind][..], arguments].concat());
            ended.expect(2, words);
            assert_eq!(ended.stdout, "");
        }
    };
    let exact = |more: &[&str], words: &[&str]| wrong(&[&["--exact", "ball"][..], more].concat(), words);
    let by = ["--schemes", "moreau-jean"];
    wrong(&["--exact", "ball"], &["--schemes"]);
    exact(&["--schemes", ""], &["no schemes"]);
    exact(&["--schemes", "moreau-jaen"], &["no scheme `moreau-jaen`, did you mean `moreau-jean`?"]);
    exact(&["--schemes", "moreau-jean:theta=2"], &["`theta` must be a number in [0, 1], got 2"]);
    exact(&["--schemes", "moreau-jean,moreau-jean"], &["`moreau-jean` is given twice"]);
    exact(&["--schemes", "scene"], &["no scheme `scene`"]);
    wrong(&by, &["give a scene, or --exact"]);
    wrong(&[&["--exact", "bal"][..], &by].concat(), &["no exact solution `bal`, did you mean `ball`?"]);
    wrong(&[&["--exact", "ball:mass=-1"][..], &by].concat(), &["`mass` must be a number > 0"]);
    wrong(&[&["nowhere.toml"][..], &by].concat(), &["nowhere.toml: "]);
    let with = |more: &[&str], words: &[&str]| exact(&[&by[..], more].concat(), words);
    with(&["--set", "height=high"], &["`height` must be"]);
    with(&["--steps", "400:50"], &["the finest rung must have the most steps"]);
    with(&["--steps", "50"], &["COARSEST:FINEST"]);
    with(&["--steps", "50:1e12"], &["between 1 and 1e8 steps"]);
    with(&["--h", "1e-2:nan"], &["--h must be numbers > 0"]);
    with(&["--h", "1e-2:1e-3", "--steps", "5:6"], &["cannot be used with"]);
    with(&["--rungs", "101"], &["--rungs must be from"]);
    with(&["--phases", "0"], &["--phases must be from 1"]);
    with(&["--end", "nan"], &["has no length"]);
    with(&["--end", "-3"], &["has no length"]);
    with(&["--floor", "-1"], &["--floor must be a number ≥ 0"]);
    with(&["--reference", "moreau-jean"], &["cannot be used with"]);
    with(&["--coordinates", "z"], &["no coordinate `z`; there are"]);
    let ball = scene("bouncing-ball.toml");
    let of_scene =
        |more: &[&str], words: &[&str]| wrong(&[&[ball.as_str()][..], &by, more].concat(), words);
    of_scene(
        &["--reference", "euler-explicit"],
        &["--reference euler-explicit: `euler-explicit` integrates free"],
    );
    of_scene(&["--reference", "euler"], &["--reference: no scheme `euler`"]);
    of_scene(&["--reference-steps", "1"], &["--reference-steps must be a whole number from 2"]);
    of_scene(&["--reference-steps", "1e9"], &["GB of memory"]);
    of_scene(&["--set", "ee=1"], &["the scene has no parameter `ee`"]);
    let order = ["study", "order", "--exact", "ball", "--schemes", "moreau-jean"];
    nonsmooth(&[&order[..], &["--norms", "l3"]].concat())
        .expect(2, &["no norm `l3`, did you mean `l1`?"]);
    nonsmooth(&[&order[..], &["--threads", "0"]].concat()).expect(2, &["--threads must be at least 1"]);
    nonsmooth(&[&order[..], &["--rungs", "1"]].concat()).expect(2, &["--rungs must be from 2"]);
    let work = ["study", "work", "--exact", "ball", "--schemes", "moreau-jean"];
    nonsmooth(&[&work[..], &["--norm", "l3"]].concat()).expect(2, &["no norm `l3`"]);
    nonsmooth(&[&work[..], &["--of", "x"]].concat()).expect(2, &["--of must be q or v"]);
    nonsmooth(&[&work[..], &["--tolerances", "1e-3,nan"]].concat())
        .expect(2, &["--tolerances must be numbers > 0"]);
    nonsmooth(&[&work[..], &["--reach", "0"]].concat()).expect(2, &["--reach must be a number > 0"]);
    nonsmooth(&[&work[..], &["--grid", "0"]].concat()).expect(2, &["--grid must be at least 1"]);
    // A folder that cannot be made is no mistake of the input.
    let file = folder.write("file", "");
    nonsmooth(&[&order[..], &["--steps", "5:9", "--out", &file]].concat()).expect(1, &["file: "]);
}

#[test]
fn a_scheme_that_refuses_the_model_is_left_out() {
    let folder = Folder::new("study-refusal");
    // Rigid bodies are refused by the driver, friction by the scheme itself.
    for (name, refusing) in
        [("box-stack.toml", "schatzman-paoli"), ("sliding-block.toml", "moreau-energy")]
    {
        let schemes = format!("moreau-jean,{refusing}");
        let few = ["--steps", "10:20", "--rungs", "2", "--phases", "1", "--out", &folder.text("out")];
        let ended =
            nonsmooth(&[&["study", "order", &scene(name), "--schemes", &schemes][..], &few].concat());
        ended.expect(0, &[&format!("`{refusing}` does not take the model")]);
        assert_eq!(ended.stderr, "");
    }
}
