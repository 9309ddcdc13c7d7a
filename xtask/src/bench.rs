//! `cargo xtask bench NAME`: our measurement, then the peers' where they are installed, in the same run.

mod comparison;
mod core;
mod csv;
mod import;
mod motion;
mod ours;
mod referee;
mod report;
mod scenes;
mod scenes_page;
mod solvers;
mod sweep;

use crate::Workspace;
use crate::command::{cargo, show, works};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A bench: its name and what it runs with the other words.
struct Bench {
    name: &'static str,
    run: fn(&Workspace, &[&str]) -> Result<(), String>,
}

const BENCHES: &[Bench] = &[
    Bench { name: "small", run: small },
    Bench { name: "core", run: core::run },
    Bench { name: "schemes", run: schemes },
    Bench { name: "solvers", run: solvers::run },
    Bench { name: "scenes", run: scenes::run },
    Bench { name: "referee", run: referee::run },
    Bench { name: "motion", run: motion::run },
    Bench { name: "sweep", run: sweep::run },
    Bench { name: "import", run: import::run },
    Bench { name: "shots", run: shots },
];

/// Debian's Siconos is seen by Debian's Python only.
const PYTHON: &str = "/usr/bin/python3";

/// Runs the bench named by the first word with the others as arguments; `Err` if there is none such.
pub(crate) fn run(workspace: &Workspace, words: &[&str]) -> Result<bool, String> {
    let names: Vec<&str> = BENCHES.iter().map(|bench| bench.name).collect();
    let [name, arguments @ ..] = words else {
        return Err(format!("bench needs a name; there are: {}", names.join(", ")));
    };
    let bench = BENCHES.iter().find(|bench| bench.name == *name);
    let bench = bench.ok_or_else(|| format!("no bench `{name}`; there are: {}", names.join(", ")))?;
    let done = (bench.run)(workspace, arguments);
    if let Err(wrong) = &done {
        eprintln!("error: {wrong}");
    }
    Ok(done.is_ok())
}

/// Rapier's program, built now; `None`, said aloud, where that cannot be done. It is no member of the workspace.
fn rapier(workspace: &Workspace) -> Option<PathBuf> {
    let target = workspace.target().join("rapier");
    let mut build = cargo(&workspace.root.join("benches/rapier"), &["build", "--release", "--locked"]);
    match show(build.arg("--target-dir").arg(&target)) {
        Ok(()) => Some(target.join("release/rapier-peer")),
        Err(wrong) => {
            println!("Rapier was not measured: {wrong}");
            None
        }
    }
}

/// Every integrator beside `moreau-jean`.
fn schemes(workspace: &Workspace, arguments: &[&str]) -> Result<(), String> {
    if !arguments.is_empty() {
        return Err("bench schemes takes no arguments".into());
    }
    let ours = ["run", "--release", "--package", "nonsmooth", "--example", "bench_schemes"];
    show(&mut cargo(&workspace.root, &ours))
}

/// The tests of random shots, with ten thousand of them or as many as the first word says, and drops, sweeps and heaps in proportion.
fn shots(workspace: &Workspace, arguments: &[&str]) -> Result<(), String> {
    let number: u64 = match arguments {
        [] => 10_000,
        [number] => number.parse().map_err(|_| format!("`{number}` is no number of shots"))?,
        _ => return Err("bench shots takes one argument, the number of shots".into()),
    };
    let tests = ["test", "--release", "--package", "nonsmooth-scene", "--test", "it", "--", "shots::"];
    show(cargo(&workspace.root, &tests).env("NONSMOOTH_SHOTS", number.to_string()))?;
    println!("{number} shots: none was lost");
    Ok(())
}

/// Whole steps of small systems.
fn small(workspace: &Workspace, arguments: &[&str]) -> Result<(), String> {
    let root: &Path = &workspace.root;
    let ours = ["run", "--release", "--package", "nonsmooth", "--example", "bench_small", "--"];
    show(cargo(root, &ours).args(arguments))?;
    // Arguments ask for something of ours alone.
    if !arguments.is_empty() {
        return Ok(());
    }
    let script = "benches/siconos_small.py";
    if !root.join(script).is_file() {
        println!("Siconos was not measured: there is no {script}");
        return Ok(());
    }
    if !works(Command::new(PYTHON).args(["-c", "import siconos"])) {
        println!(
            "Siconos was not measured: `{PYTHON} -c \"import siconos\"` fails (apt install python3-siconos)"
        );
        return Ok(());
    }
    show(Command::new(PYTHON).arg(script).current_dir(root))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_benches_list_what_exists() {
        let workspace = Workspace::find();
        let wrong = run(&workspace, &["large"]).unwrap_err();
        assert_eq!(
            wrong,
            "no bench `large`; there are: small, core, schemes, solvers, scenes, referee, motion, sweep, import, shots"
        );
        assert!(run(&workspace, &[]).unwrap_err().ends_with(
            "there are: small, core, schemes, solvers, scenes, referee, motion, sweep, import, shots"
        ));
    }
}
