//! Our solvers on the whole collection: one process per problem, solver and tolerance, ended at a cap.

use super::csv::Csv;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Tolerances as one types them, the loosest first.
pub(super) const TOLERANCES: [&str; 3] = ["1e-4", "1e-8", "1e-12"];
/// The tolerance of the tables per problem.
pub(super) const MAIN: &str = "1e-8";
/// The chain, which is what a user gets.
pub(super) const CHAIN: &str = "auto";

/// Processor time of one process [s], reading included: for the chain, for any other solver.
const CAPS: (f64, f64) = (60.0, 10.0);
const HEADER: &str = "problem,kind,rows,contacts,solver,tolerance,status,cpu_s,iterations,certificate,fclib_residual,method\n";

/// A problem of the manifest.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    pub name: String,
    pub kind: String,
    pub file: String,
    pub rows: usize,
    pub contacts: String,
    /// Whether its reference solver was stopped by the time limit, and the residual and time then [–, s].
    pub is_capped: bool,
    pub reference: (f64, f64),
}

/// The problems with rows, by size, at most `most_rows` large.
pub(super) fn manifest(folder: &Path, most_rows: usize) -> Result<Vec<Entry>, String> {
    let table = Csv::read(&folder.join("manifest.csv"))?;
    let entry = |row: super::csv::Row<'_>| Entry {
        name: row.text("name").to_owned(),
        kind: row.text("kind").to_owned(),
        file: row.text("file").to_owned(),
        rows: row.number("rows").unwrap_or(0.0) as usize,
        contacts: row.text("contacts").to_owned(),
        is_capped: row.text("ref_status") == "cap",
        reference: (
            row.number("ref_residual_rel").unwrap_or(f64::NAN),
            row.number("ref_cpu_s").unwrap_or(f64::NAN),
        ),
    };
    let mut entries: Vec<Entry> = table.rows().map(entry).collect();
    entries.retain(|entry| entry.rows > 0 && entry.rows <= most_rows);
    entries.sort_by(|a, b| (a.rows, &a.name).cmp(&(b.rows, &b.name)));
    Ok(entries)
}

/// What is measured, and where.
pub(super) struct Run<'a> {
    pub program: &'a Path,
    pub problems: &'a Path,
    /// Folder for passing files.
    pub scratch: &'a Path,
    pub tolerances: &'a [&'a str],
}

impl Run<'_> {
    /// The table of all solvers on all problems.
    pub(super) fn measure(&self, entries: &[Entry]) -> Result<String, String> {
        let solvers = self.solvers()?;
        let mut table = HEADER.to_owned();
        for entry in entries {
            let begin = table.len();
            for solver in &solvers {
                for tolerance in self.tolerances {
                    let (line, goes_on) = self.one(entry, solver, tolerance)?;
                    table += &line;
                    if !goes_on {
                        break;
                    }
                }
            }
            let chain = format!(",{CHAIN},{MAIN},");
            let told = table[begin..].lines().find(|line| line.contains(&chain));
            println!("  {}", told.unwrap_or(&entry.name));
        }
        Ok(table)
    }

    /// Names of all solvers, as the program lists them.
    fn solvers(&self) -> Result<Vec<String>, String> {
        let output = Command::new(self.program).arg("list").output();
        let output = output.map_err(|error| format!("{}: {error}", self.program.display()))?;
        let names = listed(&String::from_utf8_lossy(&output.stdout));
        if names.is_empty() { Err("`nonsmooth list` names no solvers".into()) } else { Ok(names) }
    }

    /// One line of the table, and whether a tighter tolerance is worth trying.
    fn one(&self, entry: &Entry, solver: &str, tolerance: &str) -> Result<(String, bool), String> {
        let result = self.scratch.join("one.csv");
        let _ = std::fs::remove_file(&result);
        let mut command = Command::new(self.program);
        command.arg("solve").arg(self.problems.join(&entry.file));
        command.args(["--quiet", "--repeat", "--solver", solver, "--tol", tolerance, "--csv"]);
        command.arg(&result).env("RAYON_NUM_THREADS", "1");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().map_err(|error| format!("{}: {error}", self.program.display()))?;
        let ended = wait(child, if solver == CHAIN { CAPS.0 } else { CAPS.1 })?;
        let Entry { name, kind, rows, contacts, .. } = entry;
        let mut line = format!("{name},{kind},{rows},{contacts},{solver},{tolerance},");
        if !ended || !result.is_file() {
            let status = if ended { "aborted" } else { "timeout" };
            let _ = writeln!(line, "{status},,,,,");
            return Ok((line, false));
        }
        let found = Csv::read(&result)?;
        let row = found.rows().next().ok_or("an empty table of `nonsmooth solve`")?;
        let status = match row.text("status") {
            "converged" => "solved",
            other => other,
        };
        let cells = ["seconds", "iterations", "residual", "fclib_measure", "method"];
        let _ = writeln!(line, "{status},{}", cells.map(|name| row.text(name)).join(","));
        Ok((line, status != "unsupported"))
    }
}

/// The entries below the line `solvers`.
fn listed(text: &str) -> Vec<String> {
    let below = text.lines().skip_while(|line| *line != "solvers").skip(1);
    let mine = below.take_while(|line| line.starts_with(' ') || line.is_empty());
    let entry = |line: &str| {
        let line = line.strip_prefix("  ").filter(|line| !line.starts_with(' '))?;
        line.split_whitespace().next().map(str::to_owned)
    };
    mine.filter_map(entry).collect()
}

/// Waits for the end, or ends it when it has used `cap` seconds of processor time; says whether it ended by itself.
fn wait(mut child: Child, cap: f64) -> Result<bool, String> {
    let wrong = |error: std::io::Error| error.to_string();
    let mut pause = 1;
    loop {
        if child.try_wait().map_err(wrong)?.is_some() {
            return Ok(true);
        }
        if processor_seconds(child.id()).is_some_and(|seconds| seconds > cap) {
            child.kill().and_then(|()| child.wait()).map_err(wrong)?;
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(pause));
        pause = (2 * pause).min(50);
    }
}

/// Processor time of a process so far [s]. A limit set for it (`ulimit -t`) would make its own clock move by ticks.
fn processor_seconds(process: u32) -> Option<f64> {
    /// Linux tells it in these, whatever its own ticks are.
    const PER_SECOND: f64 = 100.0;
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let after_name = text.rsplit_once(')')?.1;
    let ticks = |at: usize| after_name.split_whitespace().nth(at)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / PER_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solvers_are_read_from_the_list() {
        let text = "laws\n  bilateral  joint\nsolvers\n  auto   the chain\n           tolerance = 1\n\n  nsgs  x\nobservers\n  summary  y\n";
        assert_eq!(listed(text), ["auto", "nsgs"]);
        assert!(listed("laws\n  a  b\n").is_empty());
    }

    #[test]
    fn a_long_run_is_ended_and_a_short_one_is_not() {
        let busy = Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        assert!(!wait(busy, 0.05).unwrap());
        assert!(wait(Command::new("true").spawn().unwrap(), 1.0).unwrap());
    }
}
