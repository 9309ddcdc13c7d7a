//! `cargo xtask bench scenes`: whole steps of rigid bodies; ours, Siconos and Rapier on the same scenes in one run.
//!
//! A generator writes the scenes as JSON, every engine reads them and leaves a table of its steps and some poses. Overlaps
//! are measured from the poses by one program for all; so is the certificate of Rapier's impulses.

use super::csv::Csv;
use super::scenes_page::{Engine, Measured, page};
use crate::Workspace;
use crate::command::{cargo, show, works};
use std::path::{Path, PathBuf};
use std::process::Command;

const SCRIPT: &str = "benches/siconos_scenes.py";
const MUTE: &str = "benches/siconos_mute.c";
/// Runs of engines that repeat bit by bit; the least time of every step counts.
const TURNS: usize = 3;
/// A run that takes more processor time than this is not repeated [s].
const LONG: f64 = 10.0;

/// What was asked for.
#[derive(Debug, Default, PartialEq)]
struct Asked {
    /// Scenes by name; all if there are none.
    only: Vec<String>,
    /// Processor seconds for Siconos on one scene.
    limit: String,
    /// Nothing is written to the docs.
    is_quick: bool,
    /// Scenes that an earlier run has written are taken as they are, also those of an older generator: the largest takes a
    /// while to settle.
    is_kept: bool,
    /// Nothing is measured: the page is made of the tables that earlier runs have left.
    is_joined: bool,
}

impl Asked {
    fn parse(words: &[&str]) -> Result<Self, String> {
        let mut asked = Self { limit: "120".into(), ..Self::default() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "--quick" => (asked.is_quick, asked.limit) = (true, "5".into()),
                "--keep" => asked.is_kept = true,
                "--join" => asked.is_joined = true,
                "--limit" => {
                    let limit = words.next().filter(|limit| limit.parse::<f64>().is_ok_and(|x| x > 0.0));
                    asked.limit = (*limit.ok_or("--limit needs seconds")?).to_owned();
                }
                other if other.starts_with('-') => {
                    return Err(format!("bench scenes does not know `{other}`"));
                }
                name => asked.only.push(name.to_owned()),
            }
        }
        Ok(asked)
    }
}

/// Programs and folders.
struct Bench<'a> {
    root: &'a Path,
    folder: PathBuf,
    /// Our example program: generator, engine, judge.
    ours: PathBuf,
    rapier: Option<PathBuf>,
    siconos: Option<Siconos>,
    limit: String,
    is_joined: bool,
}

struct Siconos {
    /// Library that silences the checks of its graphs; `None` where there is no compiler.
    mute: Option<PathBuf>,
}

/// Runs the bench.
pub(super) fn run(workspace: &Workspace, words: &[&str]) -> Result<(), String> {
    let asked = Asked::parse(words)?;
    let folder = workspace.target().join("bench-scenes");
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let example = ["build", "--release", "--package", "nonsmooth-scene", "--example", "bench_scenes"];
    show(&mut cargo(&workspace.root, &example))?;
    let bench = Bench {
        root: &workspace.root,
        ours: workspace.release.join("examples/bench_scenes"),
        rapier: super::rapier(workspace),
        siconos: siconos(&workspace.root, &folder),
        limit: asked.limit,
        is_joined: asked.is_joined,
        folder,
    };
    let mut measured = Vec::new();
    for name in names(&bench.ours)? {
        if asked.only.is_empty() || asked.only.contains(&name) {
            let is_there = bench.is_joined || asked.is_kept && bench.scene(&name).exists();
            if !is_there {
                show(Command::new(&bench.ours).arg("write").arg(&bench.folder).arg(&name))?;
            }
            measured.push(bench.measure(&name)?);
        }
    }
    let text = page(&measured, bench.is_joined);
    println!("{text}");
    // A joined page may lack scenes, and says so.
    let is_whole = asked.only.is_empty() && !asked.is_quick;
    let folder = if is_whole { workspace.root.join("docs") } else { bench.folder };
    let path = folder.join("bench-scenes.md");
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("written: {}", path.display());
    Ok(())
}

/// The scenes there are, in order.
fn names(program: &Path) -> Result<Vec<String>, String> {
    let text = output(Command::new(program).arg("list"))?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// What a program prints; `Err` with what it said if it fails.
fn output(command: &mut Command) -> Result<String, String> {
    let out = command.output().map_err(|error| error.to_string())?;
    if !out.status.success() {
        return Err(String::from_utf8_lossy(&out.stderr).into_owned());
    }
    String::from_utf8(out.stdout).map_err(|error| error.to_string())
}

/// Whether Siconos is there, and the library that silences its checks.
fn siconos(root: &Path, folder: &Path) -> Option<Siconos> {
    let module = "import scipy.sparse, siconos.mechanics.collision.bullet";
    if !works(Command::new(super::PYTHON).args(["-c", module])) {
        println!(
            "Siconos was not measured: apt install python3-siconos siconos-mechanics-tools python3-scipy"
        );
        return None;
    }
    let mute = folder.join("siconos_mute.so");
    let mut compile = Command::new("cc");
    compile.args(["-shared", "-fPIC", "-O2", "-o"]).arg(&mute).arg(root.join(MUTE));
    let mute = match show(&mut compile) {
        Ok(()) => Some(mute),
        Err(wrong) => {
            println!("Siconos is measured with the checks of its graphs only: {wrong}");
            None
        }
    };
    Some(Siconos { mute })
}

impl Bench<'_> {
    fn measure(&self, name: &str) -> Result<Measured, String> {
        let tolerance = self.tolerance(name)?;
        let mut measured = Measured { name: name.to_owned(), tolerance, engines: Vec::new() };
        let mut add = |engine: &'static str, found: Result<Engine, String>| match found {
            Ok(found) => measured.engines.push((engine, found)),
            Err(wrong) => println!("{name}: {engine} was not measured: {wrong}"),
        };
        add("ours", self.ours(name, "ours", "1"));
        add("ours-two", self.ours(name, "ours-two", "2"));
        if let Some(program) = &self.rapier {
            add("rapier", self.rapier(program, name, "coulomb"));
            add("rapier-default", self.rapier(program, name, "default"));
        }
        if let Some(siconos) = &self.siconos {
            if let Some(mute) = &siconos.mute {
                add("siconos-muted", self.siconos(name, Some(mute)));
            }
            add("siconos", self.siconos(name, None));
        }
        Ok(measured)
    }

    /// Certificate that a scene asks for; 1e-4 where it was not written.
    fn tolerance(&self, name: &str) -> Result<f64, String> {
        let Ok(text) = std::fs::read_to_string(self.scene(name)) else { return Ok(1e-4) };
        let after = text.split("\"tolerance\":").nth(1);
        let word = after.and_then(|rest| rest.split([',', '}']).next());
        word.and_then(|word| word.trim().parse().ok()).ok_or_else(|| format!("{name} has no tolerance"))
    }

    fn scene(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.json"))
    }

    /// A file of an engine for a scene.
    fn file(&self, name: &str, engine: &str, what: &str) -> PathBuf {
        self.folder.join(format!("{name}.{engine}.{what}"))
    }

    /// The tables of several runs, or the one that an earlier run has left.
    fn tables(&self, command: &mut Command, steps: &Path) -> Result<Vec<Csv>, String> {
        if self.is_joined {
            return Ok(vec![Csv::read(steps)?]);
        }
        let mut tables = Vec::new();
        for _ in 0..TURNS {
            show(command)?;
            let table = Csv::read(steps)?;
            let used: f64 = table.rows().filter_map(|row| row.number("cpu_s")).sum();
            tables.push(table);
            if used > LONG {
                break;
            }
        }
        Ok(tables)
    }

    fn ours(&self, name: &str, engine: &str, threads: &str) -> Result<Engine, String> {
        let [steps, frames] = ["csv", "txt"].map(|what| self.file(name, engine, what));
        let mut command = Command::new(&self.ours);
        command
            .env("RAYON_NUM_THREADS", threads)
            .arg("run")
            .arg(self.scene(name))
            .args([&steps, &frames]);
        let tables = self.tables(&mut command, &steps)?;
        Ok(Engine::new(&tables, &self.overlaps(name, &frames)?))
    }

    fn rapier(&self, program: &Path, name: &str, friction: &str) -> Result<Engine, String> {
        let engine = format!("rapier-{friction}");
        let [steps, frames, contacts] =
            ["csv", "txt", "contacts"].map(|what| self.file(name, &engine, what));
        let mut command = Command::new(program);
        command.arg("scene").arg(self.scene(name)).args([&steps, &frames, &contacts]).arg(friction);
        let tables = self.tables(&mut command, &steps)?;
        let mut found = Engine::new(&tables, &self.overlaps(name, &frames)?);
        // Simplified friction has no impulse per contact.
        if friction == "coulomb" {
            let text =
                output(Command::new(&self.ours).arg("judge").arg(self.scene(name)).arg(&contacts))?;
            found.judged(&Csv::parse(&text)?);
        }
        Ok(found)
    }

    fn siconos(&self, name: &str, mute: Option<&Path>) -> Result<Engine, String> {
        let engine = if mute.is_some() { "siconos-muted" } else { "siconos" };
        let [steps, frames] = ["csv", "txt"].map(|what| self.file(name, engine, what));
        let mut command = Command::new(super::PYTHON);
        command.arg(SCRIPT).current_dir(self.root).arg(self.scene(name)).arg(&steps).arg(&frames);
        command.args(["--limit", &self.limit]);
        if let Some(mute) = mute {
            command.env("LD_PRELOAD", mute);
        }
        // A step that never ends was ended by the system; the steps before it count.
        if !self.is_joined
            && let Err(wrong) = show(&mut command)
        {
            println!("{wrong}; the steps before count");
        }
        Ok(Engine::new(&[Csv::read(&steps)?], &self.overlaps(name, &frames)?))
    }

    fn overlaps(&self, name: &str, frames: &Path) -> Result<Csv, String> {
        Csv::parse(&output(Command::new(&self.ours).arg("overlap").arg(self.scene(name)).arg(frames))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_understood_or_refused() {
        let asked = Asked::parse(&["arch", "--limit", "30", "wall"]).unwrap();
        let only = vec!["arch".to_owned(), "wall".to_owned()];
        assert_eq!(asked, Asked { only, limit: "30".into(), ..Asked::default() });
        assert!(Asked::parse(&["--keep"]).unwrap().is_kept);
        assert_eq!(Asked::parse(&["--limit", "soon"]).unwrap_err(), "--limit needs seconds");
        assert_eq!(Asked::parse(&["--slow"]).unwrap_err(), "bench scenes does not know `--slow`");
    }
}
