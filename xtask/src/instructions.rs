//! The tiers `instructions` and `files`: how many instructions a ball's step takes, and which files it enters, by callgrind.
//!
//! Instructions are counted, not seconds: the count is the same on a busy machine. Two runs of different length are
//! subtracted, so that starting up does not count.

use crate::Workspace;
use crate::command::{cargo, show, works};
use crate::outcome::{Outcome, Why};
use crate::tidy::BALL_STEP;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Most instructions per step of the bouncing ball, ledger, summary and certificate included. Never raised.
pub(crate) const GUARDED: f64 = 1350.0;
/// What the plan aims at.
pub(crate) const AIM: f64 = 1200.0;

/// The program counted: an example of the crate `nonsmooth` that takes `--ball STEPS`.
const COUNTED: &str = "bench_small";
/// Steps of the two runs.
const STEPS: [u64; 2] = [2_000, 12_000];

/// What callgrind saw: instructions by the file of their source.
type Cost = BTreeMap<String, f64>;

/// One step of the ball.
struct Step {
    /// Instructions.
    instructions: f64,
    /// Files of the workspace that it enters.
    files: BTreeSet<String>,
}

/// Sets up valgrind where it is missing, counts and compares with [`GUARDED`]. The program is the one of the tests, without lines.
pub(crate) fn tier(workspace: &Workspace) -> Outcome {
    let instructions = match valgrind().map(|()| count(workspace, "none")) {
        Err(why) => return Outcome::Fail(why),
        Ok(Err(wrong)) => return Outcome::of(&[wrong], "see above"),
        Ok(Ok(step)) => step.instructions,
    };
    println!("a ball's step: {instructions:.0} instructions; at most {GUARDED}, the aim is {AIM}");
    let over = instructions > GUARDED;
    let wrong = over.then(|| format!("{instructions:.0} instructions, at most {GUARDED}"));
    Outcome::of(
        &wrong.into_iter().collect::<Vec<_>>(),
        "find what costs more instructions; the guard is not raised",
    )
}

/// Lists the files that a step enters, by the lines of the debug information, for which everything is compiled again.
pub(crate) fn files_tier(workspace: &Workspace) -> Outcome {
    let step = match valgrind().map(|()| count(workspace, "line-tables-only")) {
        Err(why) => return Outcome::Fail(why),
        Ok(Err(wrong)) => return Outcome::of(&[wrong], "see above"),
        Ok(Ok(step)) => step,
    };
    println!("a ball's step enters {} files:", step.files.len());
    step.files.iter().for_each(|file| println!("  {file}"));
    // For `cargo xtask tidy`, which prints it among the numbers of the house.
    let line = format!("{} ({:.0} instructions)\n", step.files.len(), step.instructions);
    let written = std::fs::write(workspace.root.join(BALL_STEP), line);
    let wrong = written.err().map(|error| format!("{BALL_STEP}: {error}"));
    Outcome::of(&wrong.into_iter().collect::<Vec<_>>(), "make room for it")
}

/// Whether valgrind is there; installed now where it can be.
fn valgrind() -> Result<(), Why> {
    let is_there = || works(Command::new("valgrind").arg("--version"));
    if is_there() {
        return Ok(());
    }
    println!("valgrind is missing");
    let mut installed = show(Command::new("apt-get").args(["install", "--yes", "--quiet", "valgrind"]));
    if installed.is_err() {
        // As an ordinary user, where no password is asked for.
        installed = show(Command::new("sudo").args([
            "--non-interactive",
            "apt-get",
            "install",
            "--yes",
            "valgrind",
        ]));
    }
    match installed {
        Ok(()) if is_there() => Ok(()),
        Ok(()) => {
            Err(Why::new("valgrind was installed, but does not start", "install valgrind by hand"))
        }
        Err(wrong) => Err(Why::new(
            format!("valgrind is missing and could not be installed: {wrong}"),
            "install valgrind (Debian: `apt-get install valgrind` as root, after `apt-get update`)",
        )),
    }
}

/// Builds the example with this debug information and counts; `Err` says in words why not. Callgrind tells files by lines.
fn count(workspace: &Workspace, debug: &str) -> Result<Step, String> {
    // The selection of packages of the tests: with another one dependencies are compiled again.
    let words = ["build", "--release", "--workspace", "--example", COUNTED];
    show(cargo(&workspace.root, &words).env("CARGO_PROFILE_RELEASE_DEBUG", debug))?;
    let program = workspace.release.join("examples").join(COUNTED);
    let [few, many] = STEPS;
    let count = |steps| run(workspace, &program, "--ball", steps);
    let (short, long) = (count(few)?, count(many)?);
    let per_step = |cost: f64| cost / (many - few) as f64;
    let difference = |file: &String| long[file] - short.get(file).unwrap_or(&0.0);
    let instructions = per_step(long.keys().map(difference).sum());
    let is_ours = |file: &&String| {
        file.contains("/crates/") && file.ends_with(".rs") && !file.contains("/examples/")
    };
    // Less than one instruction in a hundred steps is no part of a step.
    let entered = long.keys().filter(is_ours).filter(|file| per_step(difference(file)) > 0.01);
    let files = entered
        .filter_map(|file| file.split_once("/crates/"))
        .map(|(_, file)| file.to_owned())
        .collect();
    Ok(Step { instructions, files })
}

/// Instructions by file of one run.
fn run(workspace: &Workspace, program: &Path, scene: &str, steps: u64) -> Result<Cost, String> {
    let out: PathBuf = workspace.target().join(format!("callgrind.{}.{steps}", std::process::id()));
    let mut command = Command::new("valgrind");
    command.arg("--tool=callgrind").arg(format!("--callgrind-out-file={}", out.display()));
    command.arg("--compress-strings=no").arg("--compress-pos=no").arg(program);
    let ended = show(command.args([scene, &steps.to_string()]));
    let text = std::fs::read_to_string(&out);
    // What is left behind in the build folder is no failure.
    let _ = std::fs::remove_file(&out);
    ended?;
    Ok(cost_by_file(&text.map_err(|error| format!("{}: {error}", out.display()))?))
}

/// Reads callgrind's file: `fl=`, `fi=` and `fe=` name the file of the lines of cost below; the line after `calls=` is the
/// cost of a callee, which stands in its own place.
fn cost_by_file(text: &str) -> Cost {
    let (mut cost, mut file, mut skip) = (Cost::new(), String::new(), false);
    for line in text.lines() {
        let name = ["fl=", "fi=", "fe="].iter().find_map(|prefix| line.strip_prefix(prefix));
        if let Some(name) = name {
            file = name.to_owned();
        } else if line.starts_with("calls=") {
            skip = true;
        } else if line.starts_with(|c: char| c.is_ascii_digit()) {
            let own = line.split_whitespace().nth(1).and_then(|word| word.parse::<f64>().ok());
            if !std::mem::take(&mut skip) {
                *cost.entry(file.clone()).or_insert(0.0) += own.unwrap_or(0.0);
            }
        }
    }
    cost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cost_belongs_to_the_file_named_last() {
        let text = "version: 1\nevents: Ir\nfl=a.rs\nfn=f\n12 3\n13 4\nfi=b.rs\n7 10\nfe=a.rs\n14 1\n\
                    cfi=c.rs\ncfn=g\ncalls=2 5\n15 1000\n16 2\n\nfl=c.rs\nfn=g\n5 1000\ntotals: 1020\n";
        let cost = cost_by_file(text);
        assert_eq!(cost["a.rs"], 10.0);
        assert_eq!(cost["b.rs"], 10.0);
        assert_eq!(cost["c.rs"], 1000.0);
    }
}
