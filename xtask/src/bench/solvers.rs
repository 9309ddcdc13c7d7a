//! `cargo xtask bench solvers`: our solvers and those of Siconos on the shared collection, to the same residual.
//!
//! Measures ours, then Siconos (or takes its table with `--siconos`), then the sweeps; joins, prints, draws and writes.

use super::comparison::{self, Curve, Results, has_friction};
use super::csv::Csv;
use super::ours::{self, Entry, MAIN, Run, TOLERANCES};
use super::report::{ASSERTS, Report};
use crate::Workspace;
use crate::command::{cargo, show, works};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const SCRIPT: &str = "benches/siconos_solvers.py";
/// Rows that `--quick` takes at most, and contacts of its sweeps.
const QUICK: (usize, &str) = (100, "1000");

/// What was asked for.
#[derive(Debug, Default, PartialEq)]
struct Asked {
    is_quick: bool,
    /// Tables of earlier runs instead of measuring.
    siconos: Option<PathBuf>,
    ours: Option<PathBuf>,
}

impl Asked {
    fn parse(words: &[&str]) -> Result<Self, String> {
        let (mut asked, mut words) = (Self::default(), words.iter());
        while let Some(word) = words.next() {
            let mut file = || words.next().map(PathBuf::from).ok_or(format!("{word} needs a file"));
            match *word {
                "--quick" => asked.is_quick = true,
                "--siconos" => asked.siconos = Some(file()?),
                "--ours" => asked.ours = Some(file()?),
                other => return Err(format!("bench solvers does not know `{other}`")),
            }
        }
        Ok(asked)
    }
}

/// Where files are read and written.
struct Places {
    root: PathBuf,
    /// The command, built for release.
    program: PathBuf,
    problems: PathBuf,
    scratch: PathBuf,
    /// Folder of the page.
    docs: PathBuf,
}

/// Runs the bench.
pub(super) fn run(workspace: &Workspace, words: &[&str]) -> Result<(), String> {
    let asked = Asked::parse(words)?;
    let root = workspace.root.clone();
    let name = if asked.is_quick { "bench-solvers-quick" } else { "bench-solvers" };
    let scratch = workspace.target().join(name);
    let docs = if asked.is_quick { scratch.clone() } else { root.join("docs") };
    let program = workspace.release.join("nonsmooth");
    let places = Places { problems: root.join("../shared/problems"), root, program, scratch, docs };
    let made = [&places.scratch, &places.docs.join("figures")].map(std::fs::create_dir_all);
    made.into_iter().collect::<Result<(), _>>().map_err(|error| error.to_string())?;

    let most_rows = if asked.is_quick { QUICK.0 } else { usize::MAX };
    let entries = ours::manifest(&places.problems, most_rows)?;
    let ours = table(&asked.ours, "--ours", || measure_ours(&places, &entries, asked.is_quick))?;
    let theirs = table(&asked.siconos, "--siconos", || measure_siconos(&places, asked.is_quick))?;
    let sweeps = measure_sweeps(&places, asked.is_quick)?;

    let (ours, results) = (Results::new(&ours), Results::new(&theirs));
    draw(&places, &entries, &ours, &results)?;
    let report = Report {
        entries: &entries,
        ours: &ours,
        theirs: &results,
        remarks: &theirs.remarks,
        is_joined_later: asked.siconos.is_some() || asked.ours.is_some(),
        sweeps: &sweeps,
    };
    println!("{}", report.short());
    let page = places.docs.join("bench-solvers.md");
    write(&page, &report.page())?;
    println!("written: {}", page.display());
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// The table given, or the one measured now.
fn table(
    given: &Option<PathBuf>,
    argument: &str,
    measure: impl FnOnce() -> Result<PathBuf, String>,
) -> Result<Csv, String> {
    let Some(path) = given else { return Csv::read(&measure()?) };
    println!("not measured now, {argument} {}", path.display());
    Csv::read(path)
}

fn measure_ours(places: &Places, entries: &[Entry], is_quick: bool) -> Result<PathBuf, String> {
    show(&mut cargo(&places.root, &["build", "--release", "--package", "nonsmooth-cli"]))?;
    let all: &[&str] = if is_quick { &[MAIN] } else { &TOLERANCES };
    let run = Run {
        program: &places.program,
        problems: &places.problems,
        scratch: &places.scratch,
        tolerances: all,
    };
    println!("ours, {} problems:", entries.len());
    let path = places.scratch.join("ours.csv");
    write(&path, &run.measure(entries)?)?;
    Ok(path)
}

fn measure_siconos(places: &Places, is_quick: bool) -> Result<PathBuf, String> {
    let path = places.scratch.join("siconos.csv");
    if !works(Command::new(super::PYTHON).args(["-c", "import siconos"])) {
        println!("Siconos was not measured: apt install python3-siconos python3-h5py python3-scipy");
        write(&path, "problem,kind,solver,tolerance,status,cpu_s\n")?;
        return Ok(path);
    }
    println!("{ASSERTS}");
    let mut command = Command::new(super::PYTHON);
    command.arg(SCRIPT).current_dir(&places.root);
    command.arg("--problems").arg(&places.problems).arg("--out").arg(&path);
    if is_quick {
        command.args(["--tolerances", MAIN, "--cap", "1", "--max-rows", &QUICK.0.to_string()]);
    }
    show(&mut command)?;
    Ok(path)
}

fn measure_sweeps(places: &Places, is_quick: bool) -> Result<Csv, String> {
    let path = places.scratch.join("sweeps.csv");
    let example =
        ["run", "--release", "--package", "nonsmooth-solvers", "--example", "bench_sweeps", "--"];
    let mut command = cargo(&places.root, &example);
    command.arg("--csv").arg(&path);
    if is_quick {
        command.args(["--contacts", QUICK.1]);
    }
    show(&mut command)?;
    Csv::read(&path)
}

/// The performance profile of the problems with friction, and the sweeps, as PNG and SVG.
fn draw(places: &Places, entries: &[Entry], ours: &Results, theirs: &Results) -> Result<(), String> {
    let main = TOLERANCES.iter().position(|text| *text == MAIN).unwrap_or(0);
    let some: Vec<&Entry> = entries.iter().filter(|e| has_friction(e) && theirs.has(e)).collect();
    let path = places.scratch.join("profile.csv");
    write(&path, &lines(&comparison::profile(&some, ours, theirs, main)))?;
    let example =
        ["run", "--release", "--package", "nonsmooth-scene", "--example", "bench_figures", "--"];
    let mut command = cargo(&places.root, &example);
    command.arg(path).arg(places.scratch.join("sweeps.csv")).arg(places.docs.join("figures"));
    show(&mut command)
}

/// One line per curve: its name, then a time per problem, empty where it was not solved.
fn lines(curves: &[Curve]) -> String {
    let mut text = String::new();
    for (name, times) in curves {
        text += name;
        for time in times {
            let _ = write!(text, ",{}", time.map_or(String::new(), |time| format!("{time:e}")));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_understood_or_refused() {
        let asked = Asked::parse(&["--quick", "--siconos", "x.csv"]).unwrap();
        assert_eq!(asked, Asked { is_quick: true, siconos: Some("x.csv".into()), ours: None });
        assert_eq!(Asked::parse(&["--ours"]).unwrap_err(), "--ours needs a file");
        assert_eq!(Asked::parse(&["--slow"]).unwrap_err(), "bench solvers does not know `--slow`");
    }

    #[test]
    fn a_curve_is_a_line() {
        let curves =
            [("a b".to_owned(), vec![Some(1.5e-3), None]), ("c".to_owned(), vec![None, Some(2.0)])];
        assert_eq!(lines(&curves), "a b,1.5e-3,\nc,,2e0\n");
    }
}
