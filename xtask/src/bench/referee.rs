//! `cargo xtask bench referee`: three problems with known answers on which softened engines err; ours and the peers' in one run.
//!
//! Every program prints `problem,setting,parameter,value`, the peers in Python with their name in front.

use super::csv::Csv;
use crate::Workspace;
use crate::command::{cargo, show, works};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const SCRIPT: &str = "benches/referee.py";
/// Name, package of pip, module.
const PYTHON_PEERS: [(&str, &str, &str); 2] =
    [("MuJoCo", "mujoco", "mujoco"), ("Drake", "drake", "pydrake")];
const GRAVITY: f64 = 9.81;

const INTRODUCTION: &str = "\
# Three referee problems

`cargo xtask bench referee` runs these in every engine that can be installed, and writes this page.

- *Rebound*: a ball of radius 0.1 m falls from 1 m on a floor; height of the first rebound. Exact: e² m.
- *Creep*: a cube of side 0.2 m and 1 kg on a slope of tan α = 0.4 with μ = ½; way in 60 s, after one second of settling. Exact: 0.
- *Slide*: the same cube on the level at 6 m/s; way until rest, exact v²/(2μg) = 3.6697 m, and *rise*, the largest height that any of
  its lower corners reaches. Exact: 0.

The settings of each engine, its defaults and the best that its documentation offers, are explained in `benches/referee.py` and
`benches/rapier/src/referee.rs`. MuJoCo and Drake have no coefficient of restitution: there e is made from a stiffness and a damping that are computed
from it, and the defaults cannot rebound. `best` was chosen knowing the answers: for MuJoCo the best of 64 combinations on creep and rise, for
Drake of a dozen. Rapier's settings and ours were not tuned.
";

const READING: &str = "\n\
- nonsmooth: creep and lift are at rounding level. The error of the rebounds depends on where in a step the impact falls: the ball stops or turns up to
  h v = 4 mm below the floor, and `moreau-jean` does not correct that (with e = 0 it rests 4 mm deep). `moreau-projected` moves the ball onto the
  floor without changing its speed: with e = 0 it rests on the floor to rounding, and rebounds are at most 2 mm (0.2 %) too high.
- Rapier with its defaults passes all three. At the same step its rebounds are closer to e² than those of `moreau-jean` to e = 0.6, and farther
  than those of `moreau-projected` from e = 0.3 on. With friction per contact point it slides 7 % too far.
- MuJoCo lifts the sliding cube, by 1 cm or more in each of the 64 combinations; creep is 0.2 m with its defaults and small with no-slip iterations.
- Drake's regularised friction creeps; a smaller stiction tolerance helps down to 0.3 mm. Its rebounds are 3 to 17 % low.
";

/// One engine in one setting.
struct Column {
    engine: String,
    setting: String,
}

/// Runs the bench.
pub(super) fn run(workspace: &Workspace, words: &[&str]) -> Result<(), String> {
    if !words.is_empty() {
        return Err("bench referee takes no arguments".into());
    }
    let mut tables = Vec::new();
    let ours = [
        "run",
        "--release",
        "--package",
        "nonsmooth-scene",
        "--example",
        "bench_scenes",
        "--",
        "referee",
    ];
    tables.push(("nonsmooth".to_owned(), table(&mut cargo(&workspace.root, &ours))?));
    if let Some(program) = super::rapier(workspace) {
        tables.push(("Rapier 0.36.1".to_owned(), table(Command::new(program).arg("referee"))?));
    }
    for (name, package, module) in PYTHON_PEERS {
        match python(&workspace.target().join("venv-referee"), package, module) {
            Ok(python) => {
                let mut command = Command::new(python);
                let made = table(command.arg(SCRIPT).arg(package).current_dir(&workspace.root))?;
                let version = made.rows().find(|row| row.text("problem") == "version");
                let version = version.map_or("", |row| row.text("value")).to_owned();
                tables.push((format!("{name} {version}"), made));
            }
            Err(wrong) => println!("{name} was not measured: {wrong}"),
        }
    }
    let text = page(&tables);
    println!("{text}");
    let path = workspace.root.join("docs/referee.md");
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("written: {}", path.display());
    Ok(())
}

/// What a program prints, as a table.
fn table(command: &mut Command) -> Result<Csv, String> {
    let out = command.output().map_err(|error| error.to_string())?;
    if !out.status.success() {
        return Err(String::from_utf8_lossy(&out.stderr).into_owned());
    }
    Csv::parse(&String::from_utf8_lossy(&out.stdout))
}

/// An interpreter that has the module, set up with pip if need be.
pub(super) fn python(folder: &Path, package: &str, module: &str) -> Result<PathBuf, String> {
    let python = folder.join("bin/python");
    let import = format!("import {module}");
    if works(Command::new(&python).args(["-c", &import])) {
        return Ok(python);
    }
    if !python.is_file() {
        show(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    }
    show(Command::new(&python).args(["-m", "pip", "install", "--quiet", package]))?;
    Ok(python)
}

fn page(tables: &[(String, Csv)]) -> String {
    let mut columns: Vec<Column> = Vec::new();
    for (engine, table) in tables {
        for row in table.rows().filter(|row| row.text("problem") != "version") {
            let setting = row.text("setting");
            if !columns.iter().any(|known| known.engine == *engine && known.setting == setting) {
                columns.push(Column { engine: engine.clone(), setting: setting.to_owned() });
            }
        }
    }
    let find = |column: &Column, problem: &str, parameter: f64| {
        let (_, table) = tables.iter().find(|(engine, _)| *engine == column.engine)?;
        let is_it = |row: &super::csv::Row<'_>| {
            let same = row.text("setting") == column.setting && row.text("problem") == problem;
            same && row.number("parameter") == Some(parameter)
        };
        table.rows().find(is_it)?.number("value")
    };
    let mut text = format!("{INTRODUCTION}\n| engine | setting |");
    let rebounds = [0.0, 0.3, 0.6, 0.9, 1.0];
    for e in rebounds {
        let _ = write!(text, " rebound [m], e = {e} |");
    }
    text += " creep [m] | slide [m] | rise [m] |\n| :--- | :--- |";
    text += &" ---: |".repeat(rebounds.len() + 3);
    let slide = 36.0 / GRAVITY;
    text += "\n| exact | |";
    rebounds.iter().for_each(|e| {
        let _ = write!(text, " {:.4} |", e * e);
    });
    let _ = writeln!(text, " 0 | {slide:.4} | 0 |");
    for column in &columns {
        let _ = write!(text, "| {} | {} |", column.engine, column.setting);
        for e in rebounds {
            let _ = write!(text, " {} |", length(find(column, "rebound", e)));
        }
        for (problem, parameter) in [("creep", 0.4), ("slide", 6.0), ("rise", 6.0)] {
            let _ = write!(text, " {} |", length(find(column, problem, parameter)));
        }
        text.push('\n');
    }
    text + READING
}

/// A length [m]: four places, or a power of ten where these would be zeros.
fn length(value: Option<f64>) -> String {
    match value {
        None => "–".into(),
        Some(0.0) => "0".into(),
        Some(x) if x.abs() < 1e-3 => format!("{x:.0e}"),
        Some(x) => format!("{x:.4}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_per_engine_and_setting() {
        let ours = "problem,setting,parameter,value\nrebound,1 ms,0.3,0.0899\ncreep,1 ms,0.4,0\nslide,1 ms,6,3.668\n";
        let theirs = "engine,problem,setting,parameter,value\nx,version,,,4\nx,rise,best,6,2e-8\n";
        let read = |text: &str| Csv::parse(text).unwrap();
        let page = page(&[("nonsmooth".into(), read(ours)), ("X 4".into(), read(theirs))]);
        for part in [
            "| exact | | 0.0000 | 0.0900 | 0.3600 | 0.8100 | 1.0000 | 0 | 3.6697 | 0 |",
            "| nonsmooth | 1 ms | – | 0.0899 | – | – | – | 0 | 3.6680 | – |",
            "| X 4 | best | – | – | – | – | – | – | – | 2e-8 |",
        ] {
            assert!(page.contains(part), "`{part}` is not in\n{page}");
        }
    }
}
