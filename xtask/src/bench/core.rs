//! `cargo xtask bench core`: instructions per step by callgrind and their ratios against the aims, in docs/bench-core.md.
//!
//! Each scene is run twice, with few steps and with many; the difference of the counts, over the steps between, is the cost of a step
//! without start and end. Scenes share the processors: a count does not depend on what runs beside it. Bits for several numbers of
//! threads and memory are seen in runs without callgrind.

use crate::Workspace;
use crate::command::{cargo, show, works};
use crate::instructions::{AIM, GUARDED};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// What the count of a scene may be at most.
#[derive(Clone, Copy)]
enum Most {
    /// So many instructions.
    Count(f64),
    /// So many times the count of another scene.
    Times(&'static str, f64),
    /// So many times the count of another scene for each body, where this one has so many times its bodies.
    PerBody(&'static str, f64, f64),
}

/// Instructions per step, or why there is no count.
type Counted = Result<f64, String>;

/// A scene of the bench, few and many steps, and its aims.
struct Line {
    scene: &'static str,
    steps: [u64; 2],
    aims: &'static [Most],
}

/// Most growth of the cost of a body between two lengths of a chain: linear but for what does not fit into it.
const LINEAR: f64 = 1.2;

const LINES: &[Line] = &[
    Line { scene: "ball", steps: [2000, 12_000], aims: &[Most::Count(GUARDED), Most::Count(AIM)] },
    Line { scene: "sphere", steps: [2000, 6000], aims: &[] },
    Line { scene: "pendulum", steps: [2000, 6000], aims: &[] },
    Line { scene: "packing", steps: [2, 3], aims: &[] },
    Line { scene: "packing-spring", steps: [2, 3], aims: &[Most::Times("packing", 1.1)] },
    Line { scene: "packing-gap", steps: [2, 3], aims: &[Most::Times("packing", 1.1)] },
    Line { scene: "packing-joint", steps: [2, 3], aims: &[Most::Times("packing", 1.2)] },
    Line { scene: "packing-pendulum", steps: [2, 3], aims: &[Most::Times("packing", 1.1)] },
    Line { scene: "free-100", steps: [2, 12], aims: &[] },
    Line { scene: "free-1000", steps: [2, 12], aims: &[Most::PerBody("free-100", 10.0, LINEAR)] },
    Line { scene: "free-10000", steps: [2, 4], aims: &[Most::PerBody("free-100", 100.0, LINEAR)] },
    Line { scene: "springs-100", steps: [2, 12], aims: &[Most::Times("free-100", 3.0)] },
    Line {
        scene: "springs-1000",
        steps: [2, 12],
        aims: &[Most::Times("free-1000", 3.0), Most::PerBody("springs-100", 10.0, LINEAR)],
    },
    Line {
        scene: "springs-10000",
        steps: [2, 4],
        aims: &[Most::Times("free-10000", 3.0), Most::PerBody("springs-100", 100.0, LINEAR)],
    },
    Line { scene: "joints-100", steps: [2, 12], aims: &[Most::Times("free-100", 8.0)] },
    Line {
        scene: "joints-1000",
        steps: [2, 12],
        aims: &[Most::Times("free-1000", 8.0), Most::PerBody("joints-100", 10.0, LINEAR)],
    },
    Line {
        scene: "joints-10000",
        steps: [2, 4],
        aims: &[Most::Times("free-10000", 8.0), Most::PerBody("joints-100", 100.0, LINEAR)],
    },
    Line { scene: "beads", steps: [5, 25], aims: &[] },
    Line { scene: "wall", steps: [2, 6], aims: &[] },
    Line { scene: "tower", steps: [2, 6], aims: &[] },
    Line { scene: "arch", steps: [2, 12], aims: &[] },
    Line { scene: "capsules", steps: [2, 12], aims: &[] },
    Line { scene: "disks", steps: [2, 6], aims: &[] },
    Line { scene: "packing-10000", steps: [1, 2], aims: &[] },
];

/// Scenes of which every bit is compared for these numbers of threads, and their steps.
const BITS: &[(&str, u64)] = &[("packing-10000", 2), ("capsules", 20), ("joints-1000", 20)];
const THREADS: [&str; 3] = ["1", "2", "8"];
/// The scene whose memory is shown.
const LARGEST: (&str, u64) = ("packing-100000", 1);

/// Runs the bench and writes its page. Words name scenes: then only those are counted, and the page says so of the others.
pub(super) fn run(workspace: &Workspace, words: &[&str]) -> Result<(), String> {
    if !works(Command::new("valgrind").arg("--version")) {
        return Err("bench core counts instructions with valgrind, which is not installed".into());
    }
    let build = ["build", "--release", "--package", "nonsmooth", "--example", "bench_core"];
    show(&mut cargo(&workspace.root, &build))?;
    let program = workspace.target().join("release/examples/bench_core");
    let is_asked = |scene: &str| words.is_empty() || words.contains(&scene);
    let counted = count_all(&program, is_asked);
    let seen = if words.is_empty() { see(&program) } else { "Left out of this run.\n".to_owned() };
    let path = workspace.root.join("docs/bench-core.md");
    let text = page(&counted, &seen);
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Counts the lines that are asked for, as many at once as there are processors; the order is that of the list.
fn count_all(program: &Path, is_asked: impl Fn(&str) -> bool + Sync) -> Vec<(&'static Line, Counted)> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let counted = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((k, line)) = LINES.iter().enumerate().nth(next.fetch_add(1, Relaxed)) {
                    let count = match is_asked(line.scene) {
                        true => per_step(program, line),
                        false => Err("left out of this run".to_owned()),
                    };
                    match &count {
                        Ok(count) => println!("{:18} {count:.0} instructions per step", line.scene),
                        Err(wrong) => println!("{:18} not counted: {wrong}", line.scene),
                    }
                    counted.lock().unwrap_or_else(PoisonError::into_inner).push((k, line, count));
                }
            });
        }
    });
    let mut counted = counted.into_inner().unwrap_or_else(PoisonError::into_inner);
    counted.sort_by_key(|(k, ..)| *k);
    counted.into_iter().map(|(_, line, count)| (line, count)).collect()
}

/// Bits for several numbers of threads, and memory.
fn see(program: &Path) -> String {
    let mut text = String::new();
    for (scene, steps) in BITS {
        let found: Vec<Result<String, String>> =
            THREADS.iter().map(|threads| printed(program, (scene, *steps), threads, "bits")).collect();
        let said = match &found[0] {
            Ok(first) if found.iter().all(|other| other.as_ref() == Ok(first)) => "the same bits",
            _ if found.iter().any(Result::is_err) => "not seen: the program failed",
            _ => "MISSED: other bits",
        };
        let _ =
            writeln!(text, "- `{scene}`, {steps} steps with {} threads: {said}.", THREADS.join(", "));
    }
    let (scene, steps) = LARGEST;
    let _ = match printed(program, LARGEST, "1", "memory") {
        Ok(memory) => writeln!(text, "- `{scene}`, {steps} step: at most {memory} of memory."),
        Err(wrong) => writeln!(text, "- `{scene}`: memory not seen: {wrong}."),
    };
    print!("{text}");
    text
}

/// What the program prints after a word.
fn printed(
    program: &Path,
    (scene, steps): (&str, u64),
    threads: &str,
    word: &str,
) -> Result<String, String> {
    let mut run = Command::new(program);
    run.arg(scene).arg(steps.to_string()).env("RAYON_NUM_THREADS", threads);
    let output = run.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find_map(|line| line.strip_prefix(word));
    line.map(|rest| rest.trim().to_owned()).ok_or_else(|| "the program failed".to_owned())
}

fn per_step(program: &Path, line: &Line) -> Result<f64, String> {
    let [few, many] = line.steps;
    let (less, more) =
        (instructions(program, line.scene, few)?, instructions(program, line.scene, many)?);
    Ok((more - less) / (many - few) as f64)
}

/// Instructions of a whole run.
fn instructions(program: &Path, scene: &str, steps: u64) -> Result<f64, String> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    valgrind.arg(program).arg(scene).arg(steps.to_string()).env("RAYON_NUM_THREADS", "1");
    let output = valgrind.output().map_err(|error| format!("valgrind: {error}"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let last = text.lines().find(|line| line.contains("panicked") || line.contains("error"));
        return Err(last.unwrap_or("the program failed").trim().to_owned());
    }
    let collected = text.lines().find_map(|line| line.split("Collected :").nth(1));
    let collected = collected.and_then(|number| number.trim().parse().ok());
    collected.ok_or_else(|| "callgrind printed no count".to_owned())
}

fn page(counted: &[(&Line, Counted)], seen: &str) -> String {
    let mut text = String::from(
        "# Instructions per step\n\n\
         Written by `cargo xtask bench core`; counted by callgrind on one thread, start and end of the program left out. Ratios are\n\
         those of two counts of this table.\n\n\
         | scene | instructions per step | against | is | at most | |\n|---|---|---|---|---|---|\n",
    );
    let known = |scene: &str| {
        counted.iter().find(|(line, _)| line.scene == scene).and_then(|(_, count)| count.as_ref().ok())
    };
    for (line, count) in counted {
        let scene = line.scene;
        let _ = match count {
            Err(wrong) => writeln!(text, "| {scene} | not counted: {wrong} | | | | MISSED |"),
            Ok(count) if line.aims.is_empty() => {
                writeln!(text, "| {scene} | {count:.0} | | | | no aim |")
            }
            Ok(count) => line.aims.iter().try_for_each(|aim| {
                writeln!(text, "| {scene} | {count:.0} | {} |", judged(*aim, *count, &known))
            }),
        };
    }
    text.push_str(
        "\n`ball` is that of `bench small`, `sphere` the same as a rigid body, `pendulum` a body in space on a revolute joint; these three\n\
         with ledger and summary. `packing` is 1000 balls pressed together in a box; the scenes after it have one soft spring between two\n\
         balls, one mass on a gap of its own, or one spherical joint between two balls more; what is counted is their third step, because\n\
         callgrind needs minutes for the fourth. `springs-n` and `joints-n` are chains of n\n\
         bodies, `free-n` the same bodies without links. `beads` is a column of 1000 masses on gaps, `wall` 64 bricks, `tower` 20 plates,\n\
         `arch` 11 wedges, `capsules` 64 of them that fall, `disks` 300 in the plane; `packing-10000` has 10 648 balls and is solved to\n\
         1e-3, the others of this row to 1e-4 (capsules, disks), 1e-6 (wall, tower, arch) and 1e-8 (beads). `sphere` and `pendulum` go by\n\
         kick-drift, the others by moreau-jean.\n\n",
    );
    text.push_str(seen);
    text.push_str(
        "\nThat a step in steady contact allocates nothing is a test, `crates/nonsmooth/tests/allocations.rs`; resuming to the bit is one too.\n\
         Left out: ratios against the core before this one, which is gone, so beads, wall, tower, arch, capsules, disks and large packings\n\
         have no aim here; times; instructions of 10⁵ balls; the collection of problems (`cargo xtask bench solvers`).\n",
    );
    text
}

/// The columns of an aim: against what, how much it is, at most, and whether that holds.
fn judged<'a>(aim: Most, count: f64, known: &impl Fn(&str) -> Option<&'a f64>) -> String {
    let (against, is, most) = match aim {
        Most::Count(most) => ("instructions".to_owned(), Some(count), most),
        Most::Times(other, most) => (other.to_owned(), known(other).map(|of| count / of), most),
        Most::PerBody(other, bodies, most) => {
            (format!("{other}, per body"), known(other).map(|of| count / (bodies * of)), most)
        }
    };
    match is {
        None => format!("{against} | not counted | {most} | MISSED"),
        Some(is) => {
            let digits = if matches!(aim, Most::Count(_)) { 0 } else { 2 };
            let word = if is <= most { "holds" } else { "MISSED" };
            format!("{against} | {is:.digits$} | {most} | {word}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_says_what_holds_what_is_missed_and_what_was_not_counted() {
        let line = |scene| LINES.iter().find(|line| line.scene == scene).unwrap();
        let counted = [
            (line("ball"), Ok(1300.0)),
            (line("sphere"), Ok(5000.0)),
            (line("packing"), Ok(1e6)),
            (line("packing-spring"), Ok(1.05e6)),
            (line("packing-joint"), Err("the program failed".to_owned())),
            (line("springs-100"), Ok(1e5)),
            (line("springs-1000"), Ok(1.5e6)),
        ];
        let page = page(&counted, "");
        for expected in [
            "| ball | 1300 | instructions | 1300 | 1350 | holds |",
            "| ball | 1300 | instructions | 1300 | 1200 | MISSED |",
            "| sphere | 5000 | | | | no aim |",
            "| packing-spring | 1050000 | packing | 1.05 | 1.1 | holds |",
            "| packing-joint | not counted: the program failed | | | | MISSED |",
            "| springs-100 | 100000 | free-100 | not counted | 3 | MISSED |",
            "| springs-1000 | 1500000 | springs-100, per body | 1.50 | 1.2 | MISSED |",
        ] {
            assert!(page.contains(expected), "{expected}\n{page}");
        }
    }

    #[test]
    fn what_a_scene_is_compared_with_is_counted() {
        for aim in LINES.iter().flat_map(|line| line.aims) {
            if let Most::Times(other, _) | Most::PerBody(other, _, _) = aim {
                assert!(LINES.iter().any(|line| line.scene == *other), "{other}");
            }
        }
    }
}
