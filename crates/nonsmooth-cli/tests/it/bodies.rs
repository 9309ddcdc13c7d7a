//! Runs of rigid bodies: tables, summary, figures, checkpoints, problems that could not be solved.

use crate::tables::Tables;
use crate::{Ended, Folder, command, nonsmooth, scene};
use nonsmooth_scene::RESULT_FILE;
use nonsmooth_scene::store::Reader;
use std::time::{Duration, Instant};

/// Boxes and balls fall on a ground, some later than others; one leaves the region.
const HEAP: &str = r#"title = "Heap"

[world]
gravity = [0, 0, -9.81]
region = { low = [-2, -2, -1], high = [2, 2, 5] }

[shape.brick]
type = "box"
size = [0.2, 0.2, 0.1]

[[body]]
name = "ground"
shape = { type = "height-field", heights = "0.05*x^2", columns = 21, rows = 21, spacing = 0.2 }
fixed = true

[[body]]
name = "plate"
shape = { type = "box", size = [0.4, 0.4, 0.02] }
motion = { position = [1, 1, "0.3 + 0.05*sin(20*t)"] }

[[body]]
name = "brick"
repeat = 4
shape = "brick"
density = 1000
position = ["0.02*i", 0, "0.2 + 0.15*i"]
orientation = { axis = [1, 1, 0], angle = "0.1*i" }

[[body]]
name = "ball"
repeat = 3
shape = { type = "ball", radius = 0.08 }
density = 1000
position = ["0.5 + 0.25*i", 1, 0.6]
appears_at = "0.05*i"

[[body]]
name = "runaway"
shape = { type = "capsule", length = 0.1, radius = 0.05 }
mass = 1
position = [-1.9, 0, 2]
velocity = [-5, 0, 0]

[contact]
default = { friction = 0.4, restitution = 0.2 }

# Bricks on a height field have points so close to each other that rounding ends solves at some 1e-9.
[solver]
type = "auto"
tolerance = 1e-8

[run]
end = STEPSe-3
step_size = 1e-3
"#;

fn heap(folder: &Folder, steps: u64) -> String {
    folder.write("heap.toml", &HEAP.replace("STEPS", &steps.to_string()))
}

#[test]
fn a_run_of_bodies_writes_tables_figures_and_a_summary() {
    let folder = Folder::new("heap");
    let text = HEAP.replace("STEPS", "300") + "[output]\ncsv = true\nplot = [\"brick[0].z\"]\n";
    let path = folder.write("heap.toml", &text);
    let words = ["8 bodies in space (2 appear later", "2 kinematic bodies", "1 materials (default)"];
    nonsmooth(&["check", &path]).expect(0, &words);
    let ended = nonsmooth(&["run", &path, "--out", &folder.text("out")]);
    let words = [
        "bodies                  8, at the end 7 are present",
        "most constraints",
        "largest overlap",
        "bodies in and out",
        "of the size  of `",
    ];
    ended.expect(0, &words);
    for name in ["energy", "overlap", "contacts", "residual", "position", "velocity"] {
        assert!(folder.path(&format!("out/{name}.png")).exists(), "{name}.png");
    }
    for name in ["bodies", "contacts", "energy", "events"] {
        assert!(folder.path(&format!("out/{name}.csv")).exists(), "{name}.csv");
    }
    assert!(!folder.path("out/coordinates.csv").exists() && !folder.path("out/impulse.png").exists());
}

#[test]
fn the_tables_of_bodies_fit_together() {
    let folder = Folder::new("heap-tables");
    nonsmooth(&["run", &heap(&folder, 200), "-q", "--out", &folder.text("out")]).expect(0, &[]);
    let reader = Reader::open(folder.path("out").join(RESULT_FILE)).expect("readable");
    let names: Vec<String> = reader.texts()["bodies"].lines().map(str::to_owned).collect();
    assert_eq!((names.len(), names[7].as_str(), names[8].as_str()), (10, "runaway", "ground"));
    let integers = |name: &str| reader.integers(name).expect("readable").values;
    let floats = |name: &str| reader.floats(name).expect("readable").values;
    // Box, ball, capsule, field, plate: what is shared stands once.
    let shapes = integers("shapes");
    assert_eq!(shapes.len(), 4 * 5);
    assert_eq!(integers("colliders").len(), 3 * 10);
    assert_eq!(floats("body_masses").len(), 9 * 8);
    let ends = shapes.chunks(4).map(|row| [row[2], row[3]]);
    assert_eq!(ends.max(), Some([21 * 21, 2 * 20 * 20]));
    assert_eq!(floats("shape_vertices").len(), 3 * 21 * 21);
    assert!(integers("shape_triangles").iter().all(|i| (0..21 * 21).contains(i)));
    // Ends grow; rows are of those present and of the plate, which moves as it should.
    let count = |name: &str| reader.table(name).expect("there").rows;
    let bodies = reader.records_in("bodies", 0..count("bodies")).expect("readable");
    let contacts = reader.records_in("contacts", 0..count("contacts")).expect("readable");
    let mut begin = [0, 0];
    for frame in floats("frames").chunks(8) {
        let end = [frame[3] as usize, frame[4] as usize];
        assert_eq!(end[0] - begin[0], frame[7] as usize + 1, "those present and the plate");
        let plate = end[0] - 1;
        assert_eq!((bodies.text(plate, 1), bodies.float(plate, 0)), ("plate", frame[0]));
        let (z, v_z) = (bodies.float(plate, 4), bodies.float(plate, 11));
        let phase = 20.0 * frame[0];
        assert!((z - 0.3 - 0.05 * phase.sin()).abs() < 1e-15 && (v_z - phase.cos()).abs() < 1e-14);
        for i in begin[1]..end[1] {
            let normal: [f64; 3] = contacts.floats(i, 6);
            let length: f64 = normal.iter().map(|n| n * n).sum();
            let (p, f) = (contacts.float(i, 11), contacts.float(i, 14));
            // An impulse acts over the kicks of a step, which take up to a step and a half.
            let is_mean = p == 0.0 && f == 0.0 || (0.0..=1.5e-3 + 1e-12).contains(&(p / f));
            assert!((length - 1.0).abs() < 1e-12 && p >= 0.0 && is_mean, "{p} N s, {f} N");
            assert!(names.iter().any(|name| name == contacts.text(i, 1)), "{}", contacts.text(i, 1));
            assert_ne!(contacts.text(i, 1), contacts.text(i, 2));
        }
        begin = end;
    }
    assert_eq!(begin, [bodies.len(), contacts.len()]);
    assert!(!contacts.is_empty(), "bodies met");
}

/// The heap of `steps` steps, with a checkpoint every `every` steps.
fn heap_with_checkpoints(folder: &Folder, name: &str, (steps, every): (u64, u64)) -> String {
    let output = format!("[output]\ncheckpoint_every = {every}\n");
    folder.write(name, &(HEAP.replace("STEPS", &steps.to_string()) + &output))
}

/// Resumes the run in `cut` and returns the step from which it went on.
fn resume(path: &str, cut: &str) -> u64 {
    let ended = nonsmooth(&["run", path, "--out", cut, "--resume"]);
    ended.expect(0, &["resumed from step"]);
    let line = ended.stdout.lines().find_map(|line| line.trim().strip_prefix("resumed from step"));
    let step = line.and_then(|rest| rest.trim().parse().ok());
    step.unwrap_or_else(|| panic!("no step in\n{}", ended.stdout))
}

/// A run that would take days is killed in the midst of it. It goes on for some steps and has the bits of one that was left alone.
#[test]
fn bodies_that_are_killed_resume_to_the_bit() {
    let folder = Folder::new("heap-killed");
    let cut = folder.text("cut");
    let endless = heap_with_checkpoints(&folder, "endless.toml", (100_000_000, 50));
    let mut child =
        command(&["run", &endless, "-q", "--out", &cut]).spawn().expect("the command starts");
    let frames = || -> Option<u64> {
        Some(Reader::open(folder.path("cut").join(RESULT_FILE)).ok()?.table("frames").ok()?.rows)
    };
    let begun = Instant::now();
    while frames().unwrap_or(0) < 180 || !folder.path("cut/checkpoint.h5").exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{:?} frames after a minute", frames());
        assert!(child.try_wait().expect("a child").is_none(), "it ended by itself");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let killed_at = frames().expect("readable") - 1;
    let end = killed_at + 60;
    let path = heap_with_checkpoints(&folder, "finite.toml", (end, 50));
    let step = resume(&path, &cut);
    assert!(step > 0 && step.is_multiple_of(50) && step <= killed_at, "cut at {step} of {killed_at}");
    let whole = folder.text("whole");
    nonsmooth(&["run", &path, "-q", "--out", &whole]).expect(0, &[]);
    let whole = Tables::read(&folder.path("whole"));
    assert_eq!(whole.rows("frames") as u64, end + 1);
    Tables::read(&folder.path("cut")).assert_same(&whole);
}

/// A run that ends at a known step, with contacts, bodies still to appear and one that has left, goes on to the same bits.
#[test]
fn bodies_resume_from_a_known_step_to_the_bit() {
    let folder = Folder::new("heap-known");
    let path = heap(&folder, 300);
    let whole = folder.text("whole");
    nonsmooth(&["run", &path, "-q", "--out", &whole]).expect(0, &[]);
    let whole = Tables::read(&folder.path("whole"));
    for (steps, contacts, present) in [(1, 0, 6), (73, 0, 6), (240, 1, 7)] {
        let out = format!("cut-{steps}");
        let cut = folder.text(&out);
        let short = folder.write("short.toml", &HEAP.replace("STEPS", &steps.to_string()));
        nonsmooth(&["run", &short, "-q", "--out", &cut]).expect(0, &[]);
        let before = Tables::read(&folder.path(&out));
        // What there was to lose: frames hold the number of those present last.
        assert_eq!(before.rows("frames"), steps + 1);
        assert_eq!(before.last("frames")[7], f64::from(present), "present at step {steps}");
        assert!(before.rows("contacts") >= contacts, "contacts until step {steps}");
        assert_eq!(resume(&path, &cut), steps as u64);
        Tables::read(&folder.path(&out)).assert_same(&whole);
    }
}

#[test]
fn a_problem_that_could_not_be_solved_is_saved_and_can_be_read() {
    let folder = Folder::new("heap-unsolved");
    let strict = "type = \"nsgs\"\ntolerance = 1e-30";
    let text = HEAP.replace("STEPS", "300").replace("type = \"auto\"\ntolerance = 1e-8", strict);
    let path = folder.write("strict.toml", &text);
    let ended = nonsmooth(&["run", &path, "--out", &folder.text("out")]);
    let words =
        ["the contact problem was not solved", "worst at the contact of `", "the problem is saved as"];
    ended.expect(1, &words);
    let saved = std::fs::read_dir(folder.path("out")).expect("readable").flatten().map(|e| e.path());
    let saved: Vec<_> = saved.filter(|p| p.to_string_lossy().contains("unsolved-step-")).collect();
    assert_eq!(saved.len(), 1, "{saved:?}");
    assert!(ended.stderr.contains(&*saved[0].to_string_lossy()), "{}", ended.stderr);
    nonsmooth(&["solve", &saved[0].to_string_lossy()]).expect(0, &["fc3d", "converged"]);
    // A new run takes it away.
    let path = heap(&folder, 10);
    nonsmooth(&["run", &path, "-q", "--out", &folder.text("out"), "--overwrite"]).expect(0, &[]);
    assert!(!saved[0].exists());
}

/// Two bricks on a floor, the upper one tied to a line and held down by a stop.
const TIED: &str = r#"title = "Tied"

[world]
gravity = [0, 0, -9.81]

[[body]]
name = "floor"
shape = { type = "half-space", normal = [0, 0, 1] }
fixed = true

[[body]]
name = "lower"
shape = { type = "box", size = [0.2, 0.2, 0.1] }
density = 1000
position = [0, 0, 0.05]

[[body]]
name = "upper"
shape = { type = "box", size = [0.2, 0.2, 0.1] }
density = 1000
position = [0.01, 0.02, 0.15]

[contact]
default = { friction = 0.4 FACETS }

[law.stop]
type = "newton-impact"

[law.joint]
type = "bilateral"

[[constraint]]
name = "line"
gap = "upper.x - 0.01"
law = "joint"

[[constraint]]
name = "lid"
gap = "0.15 - upper.z"
law = "stop"

[run]
end = 0.01
step_size = 1e-3

[solver]
type = "nsgs"
tolerance = 1e-30
"#;

/// FCLIB has no place for these: they are saved all the same, and solved from the file.
#[test]
fn problems_of_several_kinds_are_saved_too() {
    for facets in ["", ", facets = 6"] {
        let folder = Folder::new("tied-unsolved");
        let path = folder.write("tied.toml", &TIED.replace("FACETS", facets));
        let ended = nonsmooth(&["run", &path, "--out", &folder.text("out")]);
        ended.expect(1, &["the contact problem was not solved", "the problem is saved as"]);
        let saved = folder.path("out").join("unsolved-step-1.hdf5");
        assert!(ended.stderr.contains(&*saved.to_string_lossy()), "{}", ended.stderr);
        let found = nonsmooth_scene::problems::read(&saved).expect("it can be read");
        let mut names: Vec<&str> = found.problem.sets.iter().map(|set| set.name()).collect();
        names.dedup();
        let friction = if facets.is_empty() { "spatial friction" } else { "faceted friction" };
        assert_eq!(names, ["bilateral rows", "unilateral rows", friction]);
        nonsmooth(&["solve", &saved.to_string_lossy()]).expect(0, &["mixed", "converged"]);
    }
}

/// A source whose place is taken ends the run with both names.
#[test]
fn a_body_that_appears_inside_of_another_ends_the_run() {
    let folder = Folder::new("heap-appears");
    let text = HEAP.replace("STEPS", "300").replace("0.5 + 0.25*i", "1 + 0.01*i");
    let path = folder.write("appears.toml", &text);
    nonsmooth(&["check", &path]).expect(0, &[]);
    let ended = nonsmooth(&["run", &path, "-q", "--out", &folder.text("out")]);
    let words = [
        "body `ball[1]` would appear inside of `ball[0]`",
        "m deep, at t = 0.05 s",
        "later or elsewhere",
    ];
    ended.expect(1, &words);
}

#[test]
fn overlapping_bodies_are_reported_with_their_depth() {
    let folder = Folder::new("heap-overlap");
    let text = HEAP.replace("STEPS", "300").replace("0.2 + 0.15*i", "0.2 + 0.05*i");
    let path = folder.write("overlap.toml", &text);
    let words = [
        "`brick[0]` and `brick[1]` overlap by",
        "m at the start",
        "allow_initial_violation",
        "overlap.toml:26:12:",
    ];
    nonsmooth(&["check", &path]).expect(2, &words);
}

#[test]
fn schemes_that_take_no_bodies_say_so() {
    let folder = Folder::new("heap-scheme");
    let path = heap(&folder, 10);
    let out = folder.text("out");
    let ended = nonsmooth(&["run", &path, "--out", &out, "--integrator", "euler-implicit"]);
    ended.expect(2, &["integrates free motion", "`contacts`", "moreau-jean"]);
}

/// Four scenes, cut short, with 1, 2 and 8 threads.
#[test]
fn scenes_of_bodies_do_not_depend_on_threads() {
    let folder = Folder::new("bodies-threads");
    for (name, end) in [("box-stack", 0.2), ("sphere-pile", 0.45), ("hopper", 0.8), ("dominoes", 0.2)] {
        let text = std::fs::read_to_string(scene(&format!("{name}.toml"))).expect("readable");
        let is_end = |line: &&str| line.starts_with("end = ");
        let line = text.lines().find(is_end).expect("every scene has its end").to_owned();
        let path = folder.write(&format!("{name}.toml"), &text.replace(&line, &format!("end = {end}")));
        let run = |threads: &str| {
            let out = folder.text(&format!("{name}-{threads}"));
            let mut run = command(&["run", &path, "-q", "--out", &out]);
            let ended = run.env("RAYON_NUM_THREADS", threads).output().expect("the command starts");
            Ended::from(ended).expect(0, &[]);
            Tables::read(&folder.path(&format!("{name}-{threads}")))
        };
        let one = run("1");
        assert!(one.rows("contacts") > 0, "{name}: bodies meet");
        for threads in ["2", "8"] {
            run(threads).assert_same(&one);
        }
    }
}

/// A rotor against a weak spring, which turns more than once before it comes back, and two blocks of a law with a history: one is held by more
/// than it could be while it slides, one slides.
const REMEMBERED: &str = r#"title = "Turns and histories"

[world]
gravity = [0, 0, -9.81]

[[body]]
name = "rotor"
shape = { type = "ball", radius = 0.1 }
mass = 1
position = [0, 0, 0]
angular_velocity = [0, 20, 0]

[[joint]]
name = "hinge"
type = "revolute"
between = [{}, { body = "rotor" }]
at = [0, 0, 0]
axis = [0, 1, 0]
axes = [{ stiffness = 0.01 }]

[[system.linear]]
name = "blocks"
coordinates = ["x", "z", "x_2", "z_2"]
mass = [1, 1, 1, 1]
load = [0, -9.81, 0, -9.81]
force = ["4*(1 + 0.1*sin(30*t))", 0, 0, 0]
q = [0, 0, 0, 0]
v = [0, 0, 10, 0]

[[constraint]]
name = "held"
gap = "z"
tangents = ["v_x"]
law = "rough"

[[constraint]]
name = "sliding"
gap = "z_2"
tangents = ["v_x_2"]
law = "rough"

[law.rough]
type = "static-dynamic"
friction_static = 0.5
friction_dynamic = 0.3

[run]
end = STEPSe-3
step_size = 1e-3
"#;

/// What only a checkpoint holds: the angle of a joint through whole turns, and histories of laws (1 stuck, 2 slid).
#[test]
fn whole_turns_and_histories_are_in_the_checkpoint_and_resume_to_the_bit() {
    let folder = Folder::new("remembered");
    let scene =
        |name: &str, steps: usize| folder.write(name, &REMEMBERED.replace("STEPS", &steps.to_string()));
    let path = scene("long.toml", 900);
    nonsmooth(&["run", &path, "-q", "--out", &folder.text("whole")]).expect(0, &[]);
    let whole = Tables::read(&folder.path("whole"));
    // The spring pulls with k times the angle: ω cos(√(k/I) t), I = ⅖ m r².
    let rate = (0.01f64 / (0.4 * 0.01)).sqrt();
    for steps in [200, 500, 700] {
        let out = format!("cut-{steps}");
        let short = scene("short.toml", steps);
        nonsmooth(&["run", &short, "-q", "--out", &folder.text(&out)]).expect(0, &[]);
        let checkpoint = Reader::open(folder.path(&out).join("checkpoint.h5")).expect("readable");
        let floats = |name: &str| checkpoint.floats(name).expect("readable").values;
        let angle = 20.0 / rate * (rate * steps as f64 * 1e-3).sin();
        assert!((floats("angles")[0] - angle).abs() < 2e-2, "{:?}, should be {angle}", floats("angles"));
        assert!(steps == 200 || angle > 2.0 * std::f64::consts::PI, "{angle} is beyond a turn");
        assert_eq!(floats("histories"), [1.0, 2.0], "one block sticks, one slides");
        assert_eq!(resume(&path, &folder.text(&out)), steps as u64);
        Tables::read(&folder.path(&out)).assert_same(&whole);
    }
}
