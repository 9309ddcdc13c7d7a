//! The comparison as Markdown: what is printed, and what `docs/bench-solvers.md` holds.

use super::comparison::{Line, Results, SHORTEST, Solve, Summary, has_friction, join, short, summarize};
use super::csv::Csv;
use super::ours::{CHAIN, Entry, MAIN, TOLERANCES};
use std::fmt::Write as _;

/// Stands beside every ratio.
pub(super) const ASSERTS: &str = "Siconos is Debian's build of 4.4 (`python3-siconos`), which has asserts live: its times are an upper bound.";

/// All that is told.
pub(super) struct Report<'a> {
    pub entries: &'a [Entry],
    pub ours: &'a Results,
    pub theirs: &'a Results,
    /// What their table says about itself.
    pub remarks: &'a [String],
    /// Whether their table is from an earlier run.
    pub is_joined_later: bool,
    /// The table of `bench_sweeps`.
    pub sweeps: &'a Csv,
}

/// A table, its columns separated by bars.
#[derive(Default)]
struct Table(String);

impl Table {
    /// `columns` begin with `<` where they are texts.
    fn new(columns: &[&str]) -> Self {
        let names: Vec<&str> = columns.iter().map(|name| name.trim_start_matches('<')).collect();
        let rule = columns.iter().map(|name| if name.starts_with('<') { "---" } else { "---:" });
        let mut table = Self::default();
        table.row(&names);
        table.row(&rule.collect::<Vec<&str>>());
        table
    }

    fn row<S: AsRef<str>>(&mut self, cells: &[S]) {
        let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
        let _ = writeln!(self.0, "| {} |", cells.join(" | "));
    }
}

const NONE: &str = "–";

fn milliseconds(seconds: f64) -> String {
    let ms = 1e3 * seconds;
    let digits = if ms >= 100.0 { 0 } else { (1.0 - ms.log10().floor()).clamp(0.0, 4.0) as usize };
    format!("{ms:.digits$}")
}

fn ratio(value: Option<f64>) -> String {
    value.map_or(NONE.into(), |x| if x < 9.95 { format!("{x:.1}") } else { format!("{x:.0}") })
}

/// The time, or how it ended.
fn outcome(solve: Option<&Solve>) -> String {
    let text = |solve: &Solve| solve.solved_in().map_or_else(|| solve.status.clone(), milliseconds);
    solve.map_or(NONE.into(), text)
}

/// What solved it, of a chain.
fn method(solve: Option<&Solve>) -> &str {
    solve.map_or(NONE, |solve| &solve.method)
}

fn exponent(value: Option<f64>) -> String {
    value.filter(|x| x.is_finite()).map_or(NONE.into(), |x| format!("{x:.0e}"))
}

fn main_tolerance() -> usize {
    TOLERANCES.iter().position(|text| *text == MAIN).unwrap_or(0)
}

impl Report<'_> {
    /// The tables that a terminal has room for: means, what is missing, the hard problems.
    pub(super) fn short(&self) -> String {
        format!("{}\n{}\n{}", self.means(), self.problems(), self.hard())
    }

    /// The whole page.
    pub(super) fn page(&self) -> String {
        let parts = [
            self.opening(),
            self.means(),
            "## Time\n\n![performance profile at 1e-8](figures/solvers-profile-1e-8.svg)\n".into(),
            self.problems(),
            self.hard(),
            self.shares(),
            self.sweep_costs(),
        ];
        parts.join("\n")
    }

    fn opening(&self) -> String {
        let mut text = format!(
            "# Solvers, ours and those of Siconos\n\n\
             `cargo xtask bench solvers` measures both on the shared collection of one-step problems, in one run, and writes\n\
             this page; `--quick` takes the small problems at {MAIN} alone and writes beside the build. Both are judged by the same certificate\n\
             (the natural map of every contact, scaled by its block of W, relative to the velocities), and start from p = 0. Times are\n\
             processor time of the solve alone, on one thread, repeated to at least 10 ms, the shortest counts.\n\n\
             - Siconos stops by measures of its own; its tolerance is tightened until the certificate holds, and only the run that\n  \
             reaches it is timed. Its solvers for reduced problems get W for free where a problem is given by bodies, ours form what they need.\n\
             - A ratio is the time of Siconos over that of `{CHAIN}`: above 1 ours is faster. There is one where both reach the tolerance and\n  \
             Siconos needs at least {:.0} µs and stopped by itself, not at its limit of iterations.\n\
             - {ASSERTS}\n",
            1e6 * SHORTEST
        );
        for remark in self.remarks {
            let _ = writeln!(text, "- Its table: {remark}");
        }
        if self.is_joined_later {
            text += "- The table of Siconos was measured before ours and joined, not in the same run.\n";
        }
        let given = self.entries.iter().filter(|entry| self.theirs.has(entry)).count();
        if given < self.entries.len() {
            let n = self.entries.len();
            let _ = writeln!(
                text,
                "- Siconos' table has {given} of the {n} problems; only those are compared."
            );
        }
        text
    }

    fn lines(&self, tolerance: usize) -> Vec<Line<'_>> {
        join(self.entries, self.ours, self.theirs, tolerance)
    }

    /// One line per tolerance, and what only Siconos solves.
    fn means(&self) -> String {
        let mut table = Table::new(&[
            "tolerance",
            "problems",
            "`auto` solves",
            "Siconos NSGS",
            "any of Siconos",
            "mean ratio, NSGS",
            "mean ratio, best",
            "smallest ratio, best",
        ]);
        let mut missing = String::new();
        for (t, tolerance) in TOLERANCES.iter().enumerate() {
            // `--quick` measures one tolerance alone.
            if self.entries.iter().all(|entry| self.ours.get(entry, CHAIN, t).is_none()) {
                continue;
            }
            let Summary { n_problems, solved, over_gauss_seidel, over_best, worst, unsolved } =
                summarize(&self.lines(t));
            let mean =
                |m: Option<(f64, usize)>| m.map_or(NONE.into(), |m| format!("{:.1} ({})", m.0, m.1));
            let worst = worst.map_or(NONE.into(), |(x, name)| format!("{x:.2} ({name})"));
            let mut cells = vec![(*tolerance).to_owned(), n_problems.to_string()];
            cells.extend(solved.map(|n| n.to_string()));
            cells.extend([mean(over_gauss_seidel), mean(over_best), worst]);
            table.row(&cells);
            let list = if unsolved.is_empty() { "none".into() } else { unsolved.join(", ") };
            let _ = writeln!(missing, "- solved by Siconos and not by `{CHAIN}` at {tolerance}: {list}");
        }
        format!(
            "## Means\n\nGeometric means, in brackets of how many problems. NSGS is the default of Siconos for friction; best is the\n\
             fastest of its solvers, chosen anew for each problem. {ASSERTS}\n\n{}\n{missing}",
            table.0
        )
    }

    fn problems(&self) -> String {
        let mut table = Table::new(&[
            "<problem",
            "contacts",
            "rows",
            "`auto` [ms]",
            "<by",
            "NSGS [ms]",
            "<best of Siconos",
            "[ms]",
            "ratio, NSGS",
            "ratio, best",
        ]);
        for line in self.lines(main_tolerance()) {
            let Line { entry, chain, gauss_seidel, best, over_gauss_seidel, over_best } = line;
            let contacts = if entry.contacts.is_empty() { NONE } else { &entry.contacts };
            let rows = entry.rows.to_string();
            let (name, time) =
                best.map_or((NONE.into(), NONE.into()), |(n, s)| (short(n), milliseconds(s)));
            table.row(&[
                &entry.name,
                contacts,
                &rows,
                &outcome(chain),
                method(chain),
                &outcome(gauss_seidel),
                &name,
                &time,
                &ratio(over_gauss_seidel),
                &ratio(over_best),
            ]);
        }
        format!("## Every problem at {MAIN}\n\n{ASSERTS}\n\n{}", table.0)
    }

    /// Where the reference solver ran out of time, or Siconos' Gauss–Seidel missed the tolerance.
    fn hard(&self) -> String {
        let t = main_tolerance();
        let mut table = Table::new(&[
            "<problem",
            "contacts",
            "reference: residual",
            "after [s]",
            "<NSGS",
            "<best of Siconos [ms]",
            "`auto` [ms]",
            "<by",
            "certificate",
        ]);
        let is_missed = |solve: Option<&Solve>| solve.is_some_and(|solve| solve.solved_in().is_none());
        for entry in self.entries {
            let gauss_seidel = self.theirs.gauss_seidel(entry, t);
            if !entry.is_capped && !is_missed(gauss_seidel) {
                continue;
            }
            let chain = self.ours.get(entry, CHAIN, t);
            let best = self.theirs.fastest(entry, t, |_| true);
            let best =
                best.map_or(NONE.into(), |(name, s)| format!("{} {}", short(name), milliseconds(s)));
            let (residual, seconds) = entry.reference;
            let seconds = if entry.is_capped { format!("{seconds:.0}") } else { NONE.into() };
            table.row(&[
                &entry.name,
                &entry.contacts,
                &exponent(entry.is_capped.then_some(residual)),
                &seconds,
                &outcome(gauss_seidel),
                &best,
                &outcome(chain),
                method(chain),
                &exponent(chain.and_then(|solve| solve.certificate)),
            ]);
        }
        format!(
            "## Where Gauss–Seidel does not get there\n\n\
             Problems whose reference solver was stopped by its time limit, with the residual that it had then (columns of the\n\
             manifest), and those on which Siconos' NSGS missed {MAIN} here; how long it was given is said above. {ASSERTS}\n\n{}",
            table.0
        )
    }

    /// How many problems each solver was given and solved.
    fn shares(&self) -> String {
        let mut text = String::from("## Share solved\n\nOf the problems that a solver takes.\n\n");
        for (results, title) in [(self.ours, "ours"), (self.theirs, "Siconos")] {
            let columns = [format!("<{title}"), "problems".into()];
            let tolerances = TOLERANCES.map(str::to_owned);
            let columns: Vec<&str> = columns.iter().chain(&tolerances).map(String::as_str).collect();
            let mut table = Table::new(&columns);
            for solver in &results.solvers {
                let (given, solved) = results.share(self.entries, solver);
                if given > 0 {
                    let mut cells = vec![format!("`{solver}`"), given.to_string()];
                    cells.extend(solved.map(|n| n.to_string()));
                    table.row(&cells);
                }
            }
            let _ = writeln!(text, "{}", table.0);
        }
        let n_friction = self.entries.iter().filter(|entry| has_friction(entry)).count();
        let _ = writeln!(text, "{n_friction} of the {} problems have friction.", self.entries.len());
        text
    }

    fn sweep_costs(&self) -> String {
        let mut text = String::from("## A sweep of Gauss–Seidel\n\n");
        let cost = |results: &Results, solver: &str| {
            let (cost, n) = results.sweep(self.entries, solver)?;
            Some(format!("{:.3} µs ({n} problems)", 1e6 * cost))
        };
        if let Some(ours) = cost(self.ours, "nsgs") {
            let theirs = cost(self.theirs, "FRICTION_3D_NSGS").unwrap_or(NONE.into());
            let _ = writeln!(
                text,
                "Median time of a sweep per contact in space, over the problems above with at least 100 sweeps and 1 ms: `nsgs` {ours},\n\
                 Siconos NSGS {theirs}. {ASSERTS}\n"
            );
        }
        let mut table =
            Table::new(&["<family", "<W", "contacts", "µs per contact and sweep", "residual after 100"]);
        for row in self.sweeps.rows() {
            let cost = row.number("microseconds").map_or(NONE.into(), |x| format!("{x:.3}"));
            let residual = exponent(row.number("residual"));
            table.row(&[row.text("family"), row.text("form"), row.text("contacts"), &cost, &residual]);
        }
        let _ = writeln!(
            text,
            "How it grows, on generated piles of spheres and walls of bricks; by bodies, W is never formed.\n\n{}\n\
             ![time of a sweep per contact](figures/sweeps.svg)",
            table.0
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_two_digits() {
        let times = [2e-7, 1.234e-5, 2.34e-3, 0.0234, 0.9996, 12.0].map(milliseconds);
        assert_eq!(times, ["0.0002", "0.012", "2.3", "23", "1000", "12000"]);
        assert_eq!([Some(0.52), Some(12.3), None].map(ratio), ["0.5", "12", "–"]);
    }

    #[test]
    fn a_page_names_what_is_missing() {
        let ours = "problem,kind,solver,tolerance,status,cpu_s,certificate,method\na,fc3d,auto,1e-8,stalled,1e-3,1e-5,newton\n";
        let theirs = "problem,kind,solver,tolerance,status,cpu_s\na,fc3d,FRICTION_3D_PROX,1e-08,solved,1e-3\na,fc3d,FRICTION_3D_NSGS,1e-08,timeout,\n";
        let read = |text: &str| Results::new(&Csv::parse(text).expect("a table"));
        let (ours, theirs) = (read(ours), read(theirs));
        let entries = [Entry { name: "a".into(), kind: "fc3d".into(), rows: 3, ..Entry::default() }];
        let (remarks, sweeps) = (["a remark".to_owned()], Csv::default());
        let report = Report {
            entries: &entries,
            ours: &ours,
            theirs: &theirs,
            remarks: &remarks,
            is_joined_later: true,
            sweeps: &sweeps,
        };
        let page = report.page();
        for part in [
            "not by `auto` at 1e-8: a\n",
            "- Its table: a remark",
            "not in the same run",
            "| a | – | 3 | stalled | newton | timeout | PROX | 1.0 | – | – |",
            "| a |  | – | – | timeout | PROX 1.0 | stalled | newton | 1e-5 |",
            "| `FRICTION_3D_PROX` | 1 | 0 | 1 | 0 |",
        ] {
            assert!(page.contains(part), "`{part}` is not in\n{page}");
        }
        assert!(!page.contains("not by `auto` at 1e-4"), "that tolerance was not measured");
        assert_eq!(page.matches("asserts live").count(), 4, "beside every kind of ratio");
    }
}
