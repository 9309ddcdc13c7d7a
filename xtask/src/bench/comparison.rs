//! Two tables of times on the same problems, joined: ratios, shares, means, profiles.
//!
//! A ratio is their processor time over ours, so that above 1 we are faster. There is one where both solved the
//! problem and theirs needed at least [`SHORTEST`]: below that, entering their library is what is measured.

use super::csv::Csv;
use super::ours::{CHAIN, Entry, TOLERANCES};
use std::collections::HashMap;

/// Their shortest time that makes a ratio [s].
pub(super) const SHORTEST: f64 = 1e-4;

/// Where `benches/siconos_solvers.py` ends a run: a solver that gets there was not stopped by its own measure but long
/// after it had reached the certificate, so that its time says nothing.
const MOST_ITERATIONS: f64 = 1e7;

/// One solver on one problem at one tolerance.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Solve {
    pub status: String,
    /// Processor time [s].
    pub seconds: Option<f64>,
    pub iterations: Option<f64>,
    /// Our certificate of what it found [–].
    pub certificate: Option<f64>,
    /// The member of a chain that solved it.
    pub method: String,
}

impl Solve {
    /// The time, if it solved the problem [s].
    pub(super) fn solved_in(&self) -> Option<f64> {
        self.seconds.filter(|_| self.status == "solved")
    }

    /// The same, if it stopped because it had solved the problem [s].
    fn stopped_in(&self) -> Option<f64> {
        self.solved_in().filter(|_| self.iterations.is_none_or(|n| n < MOST_ITERATIONS))
    }
}

/// The table of one library.
#[derive(Default)]
pub(super) struct Results {
    /// Every solver, in the order of its first row.
    pub solvers: Vec<String>,
    /// By kind and name of the problem, solver, and place of the tolerance.
    solves: HashMap<(String, String, String, usize), Solve>,
}

impl Results {
    pub(super) fn new(table: &Csv) -> Self {
        let mut found = Self::default();
        for row in table.rows() {
            let Some(tolerance) = row.number("tolerance").and_then(place) else { continue };
            let solver = row.text("solver").to_owned();
            if !found.solvers.contains(&solver) {
                found.solvers.push(solver.clone());
            }
            let solve = Solve {
                status: row.text("status").to_owned(),
                seconds: row.number("cpu_s"),
                iterations: row.number("iterations"),
                certificate: row.number("certificate"),
                method: row.text("method").to_owned(),
            };
            let key = (row.text("kind").to_owned(), row.text("problem").to_owned(), solver, tolerance);
            found.solves.insert(key, solve);
        }
        found
    }

    pub(super) fn get(&self, entry: &Entry, solver: &str, tolerance: usize) -> Option<&Solve> {
        let (kind, name) = (entry.kind.clone(), entry.name.clone());
        self.solves.get(&(kind, name, solver.to_owned(), tolerance))
    }

    /// Whether the problem was given to any solver.
    pub(super) fn has(&self, entry: &Entry) -> bool {
        self.solvers
            .iter()
            .any(|solver| (0..TOLERANCES.len()).any(|t| self.get(entry, solver, t).is_some()))
    }

    /// Time of a solver, if it solved the problem [s].
    fn time(&self, entry: &Entry, solver: &str, tolerance: usize) -> Option<f64> {
        self.get(entry, solver, tolerance)?.solved_in()
    }

    /// The fastest of these solvers and its time [s].
    pub(super) fn fastest<'a>(
        &'a self,
        entry: &Entry,
        tolerance: usize,
        among: impl Fn(&str) -> bool,
    ) -> Option<(&'a str, f64)> {
        let timed = |solver: &'a String| Some((solver.as_str(), self.time(entry, solver, tolerance)?));
        let times = self.solvers.iter().filter(|solver| among(solver)).filter_map(timed);
        times.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Gauss–Seidel as it is by default, the usual choice for friction: the first of that name that was run.
    pub(super) fn gauss_seidel(&self, entry: &Entry, tolerance: usize) -> Option<&Solve> {
        let mut named = self.solvers.iter().filter(|solver| short(solver) == "NSGS");
        named.find_map(|solver| self.get(entry, solver, tolerance))
    }

    /// How many problems a solver was given, and how many it solved at each tolerance.
    pub(super) fn share(&self, entries: &[Entry], solver: &str) -> (usize, [usize; 3]) {
        let is_given = |entry: &&Entry| {
            (0..3).filter_map(|t| self.get(entry, solver, t)).any(|solve| solve.status != "unsupported")
        };
        let solved = |t: usize| entries.iter().filter(|e| self.time(e, solver, t).is_some()).count();
        (entries.iter().filter(is_given).count(), [solved(0), solved(1), solved(2)])
    }

    /// Median processor time of a sweep per contact [s], over solves of at least 100 sweeps and 1 ms.
    pub(super) fn sweep(&self, entries: &[Entry], solver: &str) -> Option<(f64, usize)> {
        let mut costs: Vec<f64> = Vec::new();
        for entry in entries.iter().filter(|entry| is_spatial(&entry.kind)) {
            // The tightest tolerance has the most sweeps.
            let solves = (0..TOLERANCES.len()).rev().filter_map(|t| self.get(entry, solver, t));
            let long = |solve: &&Solve| {
                solve.iterations.is_some_and(|n| n >= 100.0) && solve.seconds.is_some_and(|s| s >= 1e-3)
            };
            if let (Some(solve), Ok(contacts)) =
                (solves.clone().find(long), entry.contacts.parse::<f64>())
                && let (Some(seconds), Some(sweeps)) = (solve.seconds, solve.iterations)
            {
                costs.push(seconds / (sweeps * contacts));
            }
        }
        costs.sort_by(f64::total_cmp);
        Some((*costs.get(costs.len() / 2)?, costs.len()))
    }
}

/// The place of a tolerance among ours.
fn place(tolerance: f64) -> Option<usize> {
    let same = |text: &&str| text.parse::<f64>().is_ok_and(|ours| (tolerance / ours - 1.0).abs() < 1e-6);
    TOLERANCES.iter().position(same)
}

/// A contact in space without rolling: three rows each, so that costs per contact compare.
fn is_spatial(kind: &str) -> bool {
    matches!(kind, "fc3d" | "gfc3d")
}

/// Problems with friction.
pub(super) fn has_friction(entry: &Entry) -> bool {
    ["fc2d", "fc3d"].iter().any(|kind| entry.kind.ends_with(kind))
}

/// A name of Siconos without the kind of problem: `NSGS`, `global ADMM`.
pub(super) fn short(solver: &str) -> String {
    let (whole, local) = match solver.strip_prefix("GLOBAL_") {
        Some(rest) => ("global ", rest),
        None => ("", solver),
    };
    let kinds = ["ROLLING_FRICTION_3D_", "FRICTION_3D_", "FRICTION_2D_", "LCP_", "MLCP_", "RELAY_"];
    let name = kinds.iter().find_map(|kind| local.strip_prefix(kind)).unwrap_or(local);
    format!("{whole}{name}")
}

/// One problem at one tolerance.
pub(super) struct Line<'a> {
    pub entry: &'a Entry,
    pub chain: Option<&'a Solve>,
    pub gauss_seidel: Option<&'a Solve>,
    /// Their fastest solver and its time [s].
    pub best: Option<(&'a str, f64)>,
    pub over_gauss_seidel: Option<f64>,
    pub over_best: Option<f64>,
}

/// The problems that both libraries were given.
pub(super) fn join<'a>(
    entries: &'a [Entry],
    ours: &'a Results,
    theirs: &'a Results,
    tolerance: usize,
) -> Vec<Line<'a>> {
    let line = |entry: &'a Entry| {
        let chain = ours.get(entry, CHAIN, tolerance);
        let gauss_seidel = theirs.gauss_seidel(entry, tolerance);
        let best = theirs.fastest(entry, tolerance, |_| true);
        let mine = chain.and_then(Solve::solved_in);
        let ratio = |theirs: Option<f64>| Some(theirs.filter(|&t| t >= SHORTEST)? / mine?.max(1e-9));
        let over_gauss_seidel = ratio(gauss_seidel.and_then(Solve::stopped_in));
        let stopped = |(solver, _): (&str, f64)| theirs.get(entry, solver, tolerance)?.stopped_in();
        let over_best = ratio(best.and_then(stopped));
        Line { entry, chain, gauss_seidel, best, over_gauss_seidel, over_best }
    };
    entries.iter().filter(|entry| theirs.has(entry)).map(line).collect()
}

/// What the lines of one tolerance come to.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Summary {
    pub n_problems: usize,
    /// Solved by our chain, by their Gauss–Seidel, by any of their solvers.
    pub solved: [usize; 3],
    /// Geometric mean over their Gauss–Seidel, and of how many.
    pub over_gauss_seidel: Option<(f64, usize)>,
    /// Geometric mean over the best of theirs per problem, and of how many.
    pub over_best: Option<(f64, usize)>,
    /// The smallest ratio to the best, and its problem.
    pub worst: Option<(f64, String)>,
    /// Problems that any of theirs solves and our chain does not.
    pub unsolved: Vec<String>,
}

pub(super) fn summarize(lines: &[Line<'_>]) -> Summary {
    let solved = |solve: Option<&Solve>| solve.and_then(Solve::solved_in).is_some();
    let count = |is: &dyn Fn(&Line<'_>) -> bool| lines.iter().filter(|line| is(line)).count();
    let missed = lines.iter().filter(|line| line.best.is_some() && !solved(line.chain));
    let ratios = lines.iter().filter_map(|line| Some((line.over_best?, line.entry.name.clone())));
    Summary {
        n_problems: lines.len(),
        solved: [
            count(&|line| solved(line.chain)),
            count(&|line| solved(line.gauss_seidel)),
            count(&|line| line.best.is_some()),
        ],
        over_gauss_seidel: mean(lines.iter().filter_map(|line| line.over_gauss_seidel)),
        over_best: mean(lines.iter().filter_map(|line| line.over_best)),
        worst: ratios.min_by(|a, b| a.0.total_cmp(&b.0)),
        unsolved: missed.map(|line| line.entry.name.clone()).collect(),
    }
}

/// Geometric mean, and of how many.
fn mean(ratios: impl Iterator<Item = f64>) -> Option<(f64, usize)> {
    let logs: Vec<f64> = ratios.map(f64::ln).collect();
    (!logs.is_empty()).then(|| ((logs.iter().sum::<f64>() / logs.len() as f64).exp(), logs.len()))
}

/// A curve of the performance profile: its name and the time on each problem [s].
pub(super) type Curve = (String, Vec<Option<f64>>);

/// Our chain and four other solvers, the best of Siconos per problem, and six solvers of Siconos, on these problems.
pub(super) fn profile(
    entries: &[&Entry],
    ours: &Results,
    theirs: &Results,
    tolerance: usize,
) -> Vec<Curve> {
    /// Always shown; what else solves the most problems is added.
    const NAMED: [&str; 5] = ["NSGS", "PROX", "ADMM", "NSN_AC", "EG"];
    let times = |results: &Results, among: &dyn Fn(&str) -> bool| -> Vec<Option<f64>> {
        entries.iter().map(|e| Some(results.fastest(e, tolerance, among)?.1)).collect()
    };
    let solved = |times: &[Option<f64>]| times.iter().flatten().count();
    let mut curves = vec![(CHAIN.to_owned(), times(ours, &|solver| solver == CHAIN))];
    let others = ours.solvers.iter().filter(|solver| *solver != CHAIN);
    let mut others: Vec<Curve> =
        others.map(|name| (name.clone(), times(ours, &|solver| solver == name))).collect();
    others.sort_by_key(|(_, times)| std::cmp::Reverse(solved(times)));
    curves.extend(others.into_iter().take(4));
    curves.push(("best of Siconos per problem".into(), times(theirs, &|_| true)));
    let mut names: Vec<String> = theirs.solvers.iter().map(|solver| short(solver)).collect();
    names.sort();
    names.dedup();
    let curve = |name: String| {
        let mine = times(theirs, &|solver| short(solver) == name);
        (format!("Siconos {name}"), mine)
    };
    let (named, rest): (Vec<String>, Vec<String>) =
        names.into_iter().partition(|name| NAMED.contains(&name.as_str()));
    let more = rest.into_iter().map(curve).max_by_key(|(_, times)| solved(times));
    curves.extend(named.into_iter().map(curve));
    curves.extend(more);
    curves.retain(|(_, times)| solved(times) > 0);
    curves
}

#[cfg(test)]
mod tests;
