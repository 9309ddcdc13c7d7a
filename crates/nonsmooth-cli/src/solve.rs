//! `nonsmooth solve`: problems from files, one or several solvers, a table, a performance profile.

mod table;

use crate::SolveArgs;
use nonsmooth_draw::plot;
use nonsmooth_scene::problems::{self, Solution, StoredProblem, profile};
use nonsmooth_solvers::{
    Attempt, Entry, FACETED, Options, SOLVERS, Solver, Status, Unsupported, Value, nearest,
    published_measure, solve,
};
use nonsmooth_studies::clock;
use nonsmooth_studies::command::{self, Failure};
use std::path::{Path, PathBuf};
use table::{Outcome, Row};

/// `--repeat` goes on to this total time [s] and this many solves, but not beyond that time [s] and that many.
const REPEAT: (f64, usize) = (0.01, 3);
const MOST: (f64, usize) = (3.0, 100_000);

/// Files of `--save` end so; folders are searched for others.
const SOLVED: &str = ".solved";

/// A solver that was chosen.
struct Chosen {
    entry: &'static Entry,
    options: Options,
    solver: Box<dyn Solver>,
}

impl Chosen {
    fn new(entry: &'static Entry, options: Options) -> Result<Self, Failure> {
        let solver = entry.build(&options).map_err(|errors| {
            let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
            input(lines.join("\n"))
        })?;
        Ok(Self { entry, options, solver })
    }

    /// Nothing is left of earlier solves, not even memory.
    fn renew(&mut self) {
        if let Ok(solver) = self.entry.build(&self.options) {
            self.solver = solver;
        }
    }
}

/// Solves every problem with every solver.
pub(crate) fn run(args: &SolveArgs) -> Result<(), Failure> {
    if !(args.tolerance > 0.0 && args.tolerance.is_finite()) {
        return Err(input(format!("--tol must be a number > 0, got {}", args.tolerance)));
    }
    let mut solvers = choose(&args.solver, &args.option)?;
    let files = collect(&args.files)?;
    if args.save {
        check_names(&files)?;
    }
    let width = files.iter().map(|file| stem(file).chars().count()).max().unwrap_or(0).max(7);
    let mut rows = Vec::new();
    let mut unreadable = Vec::new();
    say(args, &table::header(width));
    for (k, file) in files.iter().enumerate() {
        let stored = match problems::read(file) {
            Ok(stored) => stored,
            Err(error) => {
                eprintln!("{error}");
                unreadable.push(error.to_string());
                continue;
            }
        };
        let mut best: Option<(f64, Solution)> = None;
        for chosen in &mut solvers {
            let (row, solution) = solve_one(args, (k, &stored), chosen);
            say(args, &row.line(width));
            tell_attempts(args, &*chosen.solver);
            if let (Outcome::Solved { report, .. }, Some(solution)) = (&row.outcome, solution)
                && report.status == Status::Converged
                && best.as_ref().is_none_or(|(residual, _)| report.residual < *residual)
            {
                best = Some((report.residual, solution));
            }
            rows.push(row);
        }
        if let (true, Some((_, solution))) = (args.save, best) {
            save(args, stored, solution)?;
        }
    }
    finish(args, &solvers, &files, &rows)?;
    judge(&rows, &unreadable, files.len())
}

fn input(message: String) -> Failure {
    Failure::Input(anyhow::anyhow!(message))
}

/// A line on the terminal, unless it is to be quiet.
fn say(args: &SolveArgs, line: &str) {
    if !args.quiet {
        command::say(line);
    }
}

/// The solvers of these names, `all` for all, with their options.
fn choose(names: &[String], given: &[(String, String)]) -> Result<Vec<Chosen>, Failure> {
    let mut used = vec![false; given.len()];
    let mut chosen = Vec::new();
    for entry in entries(names)? {
        let mut options = Options::default();
        for ((name, value), used) in given.iter().zip(&mut used) {
            let name = match name.split_once('.') {
                Some((owner, name)) if owner == entry.name => name,
                // Without a solver's name it is for all that know it.
                None if entry.options.iter().any(|option| option.name == name) => name,
                _ => continue,
            };
            *used = true;
            options.set(name, value_of(value));
        }
        chosen.push(Chosen::new(entry, options)?);
    }
    let Some(unused) = used.iter().position(|used| !used) else { return Ok(chosen) };
    let options =
        |c: &Chosen| c.entry.options.iter().map(|o| format!("{}.{}", c.entry.name, o.name)).collect();
    let known: Vec<String> = chosen.iter().flat_map::<Vec<String>, _>(options).collect();
    let known = if known.is_empty() { "none".into() } else { known.join(", ") };
    Err(input(format!("no chosen solver has the option `{}`; they have: {known}", given[unused].0)))
}

/// The entries of these names, each once.
fn entries(names: &[String]) -> Result<Vec<&'static Entry>, Failure> {
    let mut entries: Vec<&'static Entry> = Vec::new();
    for name in names {
        let mut found = SOLVERS.iter().filter(|entry| name == "all" || entry.name == name).peekable();
        if found.peek().is_none() {
            let all: Vec<&str> = SOLVERS.iter().map(|entry| entry.name).collect();
            let near = nearest(name, all.iter().copied());
            let near = near.map_or(String::new(), |near| format!(", did you mean `{near}`?"));
            let all = all.join(", ");
            return Err(input(format!("no solver `{name}`{near}; there are: {all}; or `all`")));
        }
        for entry in found {
            if !entries.iter().any(|known| known.name == entry.name) {
                entries.push(entry);
            }
        }
    }
    Ok(entries)
}

fn value_of(text: &str) -> Value {
    match (text.parse::<f64>(), text.parse::<bool>()) {
        (Ok(number), _) => Value::Number(number),
        (_, Ok(flag)) => Value::Flag(flag),
        _ => Value::Word(text.to_owned()),
    }
}

/// The files given, and the problems in the folders given, sorted by path.
fn collect(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in given {
        if path.is_dir() {
            let begin = files.len();
            walk(path, &mut files).map_err(|error| input(format!("{}: {error}", path.display())))?;
            if files.len() == begin {
                let expected = "no problems in it (.hdf5, .h5, .json)";
                return Err(input(format!("{}: {expected}", path.display())));
            }
            files[begin..].sort();
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        // Links to folders are not followed: they may lead in circles.
        if entry.file_type()?.is_dir() {
            walk(&path, files)?;
        } else if problems::is_problem(&path) && !stem(&path).ends_with(SOLVED) {
            files.push(path);
        }
    }
    Ok(())
}

/// Two problems of one name would be saved as the same file.
fn check_names(files: &[PathBuf]) -> Result<(), Failure> {
    let mut names: Vec<String> = files.iter().map(|file| stem(file)).collect();
    names.sort();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(pair) => Err(input(format!(
            "two problems are named `{}`, and --save would write one over the other; save them in two runs with --out",
            pair[0]
        ))),
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned())
}

/// One solver on one problem, from p = 0.
fn solve_one(
    args: &SolveArgs,
    (file, stored): (usize, &StoredProblem),
    chosen: &mut Chosen,
) -> (Row, Option<Solution>) {
    if let Err(why) = chosen.solver.accepts(&stored.problem) {
        return (Row::new(file, stored, chosen.entry.name, Outcome::Refused(why)), None);
    }
    let mut times = Times::default();
    loop {
        // A problem given by bodies keeps W once it is formed: every solve gets a fresh copy and forms its own.
        let problem = stored.problem.clone();
        chosen.renew();
        let (mut p, mut u) = (vec![0.0; problem.size()], Vec::new());
        let begun = clock::seconds();
        let report = solve(&mut *chosen.solver, &problem, args.tolerance, &mut p, &mut u);
        times.add(clock::seconds() - begun);
        if !args.repeat || times.are_enough() {
            // The sum over no contacts is −0.
            let measure = published_measure(&problem, &p, &u).abs();
            let outcome = Outcome::Solved { report, measure, seconds: times.shortest() };
            let solution = Solution { impulse: p, relative_velocity: u, velocity: None };
            return (Row::new(file, stored, chosen.entry.name, outcome), Some(solution));
        }
    }
}

/// Times of the same solve [s].
#[derive(Default)]
struct Times {
    least: Option<f64>,
    total: f64,
    count: usize,
}

impl Times {
    fn add(&mut self, seconds: f64) {
        self.least = Some(self.least.map_or(seconds, |least| least.min(seconds)));
        self.total += seconds;
        self.count += 1;
    }

    fn are_enough(&self) -> bool {
        let is_past = |(total, count): (f64, usize)| (self.total >= total, self.count >= count);
        is_past(REPEAT) == (true, true) || is_past(MOST) != (false, false)
    }

    /// The shortest; the mean where the clock moves by ticks longer than a solve, as Linux' does under `ulimit -t`.
    fn shortest(&self) -> f64 {
        match self.least {
            Some(least) if least > 0.0 => least,
            _ => self.total / self.count.max(1) as f64,
        }
    }
}

fn tell_attempts(args: &SolveArgs, solver: &dyn Solver) {
    for attempt in solver.attempts() {
        let (number, rows) = attempt.island;
        let island = if number == 0 { "whole".to_owned() } else { format!("island {number}") };
        let Attempt { method, status, iterations, residual, .. } = attempt;
        if *method == FACETED {
            // Always told: the table has the residual of the true cone.
            say(
                args,
                &format!(
                    "    {method} ({rows} rows): {status}, residual {residual:.2e}; above: that of the true cone"
                ),
            );
        } else if args.verbose {
            say(
                args,
                &format!(
                    "    {island} ({rows} rows): {method} {status}, {iterations} iterations, residual {residual:.2e}"
                ),
            );
        }
    }
}

/// Writes a copy with the best solution found.
fn save(args: &SolveArgs, mut stored: StoredProblem, mut solution: Solution) -> Result<(), Failure> {
    let velocity = stored.velocity(&solution.impulse);
    solution.velocity = velocity.map_err(|error| Failure::Run(error.into()))?;
    stored.solution = Some(solution);
    std::fs::create_dir_all(&args.out).map_err(|error| written(&args.out, &error))?;
    let path = args.out.join(format!("{}{SOLVED}.{}", stored.name, stored.extension()));
    problems::write(&path, &stored).map_err(|error| Failure::Run(error.into()))?;
    say(args, &format!("    saved {}", path.display()));
    Ok(())
}

fn written(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::Run(anyhow::anyhow!("{}: {error}", path.display()))
}

/// Reasons of refusals, one line per solver, profile and CSV.
fn finish(args: &SolveArgs, solvers: &[Chosen], files: &[PathBuf], rows: &[Row]) -> Result<(), Failure> {
    let mut reasons: Vec<(String, usize)> = Vec::new();
    for why in rows.iter().filter_map(Row::refused) {
        let why = match why {
            // The same words for all sizes.
            Unsupported::TooLarge { solver, limit, .. } => {
                format!("`{solver}` takes at most {limit} rows")
            }
            other => other.to_string(),
        };
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, count)) => *count += 1,
            None => reasons.push((why, 1)),
        }
    }
    for (why, count) in reasons {
        say(args, &format!("unsupported ({count}): {why}"));
    }
    for chosen in solvers {
        say(args, &totals(chosen.entry.name, rows));
    }
    if let Some(path) = &args.csv {
        std::fs::write(path, table::csv(rows)).map_err(|error| written(path, &error))?;
        say(args, &format!("table {}", path.display()));
    }
    if args.profile.is_some() || (solvers.len() > 1 && files.len() > 1) {
        draw_profile(args, solvers, rows)?;
    }
    Ok(())
}

/// `auto: solved 9 of 11, 1 not taken, geometric mean 0.12 ms`.
fn totals(name: &str, rows: &[Row]) -> String {
    let mine: Vec<&Row> = rows.iter().filter(|row| row.solver == name).collect();
    let times: Vec<f64> = mine.iter().filter_map(|row| row.solved_in()).collect();
    let refused = mine.iter().filter(|row| row.refused().is_some()).count();
    let mut text = format!("{name}: solved {} of {}", times.len(), mine.len());
    if refused > 0 {
        text += &format!(", {refused} not taken");
    }
    if !times.is_empty() {
        let mean = times.iter().map(|t| t.max(1e-9).ln()).sum::<f64>() / times.len() as f64;
        text += &format!(", geometric mean {:.4} ms", 1e3 * mean.exp());
    }
    text
}

fn draw_profile(args: &SolveArgs, solvers: &[Chosen], rows: &[Row]) -> Result<(), Failure> {
    let names: Vec<String> = solvers.iter().map(|chosen| chosen.entry.name.to_owned()).collect();
    let times: Vec<Vec<Option<f64>>> = names
        .iter()
        .map(|name| rows.iter().filter(|row| row.solver == name).map(Row::solved_in).collect())
        .collect();
    let n_problems = times.first().map_or(0, Vec::len);
    let title = format!("{n_problems} problems to a residual of {:e}", args.tolerance);
    let drawing = plot::draw(&profile::figure(&title, &names, &times));
    let drawing = drawing.map_err(|error| Failure::Run(error.into()))?;
    let paths = match &args.profile {
        Some(path) => vec![path.clone()],
        None => ["png", "svg"].map(|e| args.out.join(format!("performance-profile.{e}"))).to_vec(),
    };
    for path in paths {
        let is_svg = path.extension().is_some_and(|e| e == "svg");
        let bytes = if is_svg { drawing.svg.as_bytes() } else { &drawing.png };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| written(&path, &error))?;
        }
        std::fs::write(&path, bytes).map_err(|error| written(&path, &error))?;
        say(args, &format!("profile {}", path.display()));
    }
    Ok(())
}

/// The exit code: wrong files first, then what was not solved.
fn judge(rows: &[Row], unreadable: &[String], n_files: usize) -> Result<(), Failure> {
    if !unreadable.is_empty() {
        return Err(input(format!("{} of {n_files} files could not be read", unreadable.len())));
    }
    let failed = rows.iter().filter(|row| row.refused().is_none() && row.solved_in().is_none()).count();
    let mut untouched: Vec<&str> = Vec::new();
    for group in rows.chunk_by(|a, b| a.file == b.file) {
        if group.iter().all(|row| row.refused().is_some()) {
            untouched.push(&group[0].problem);
        }
    }
    let mut reasons = Vec::new();
    if failed > 0 {
        reasons.push(format!("{failed} of {} solves missed the tolerance", rows.len()));
    }
    if !untouched.is_empty() {
        let n = untouched.len();
        let few =
            if n > 3 { format!("{}, …", untouched[..3].join(", ")) } else { untouched.join(", ") };
        reasons.push(format!("{n} problems are taken by no chosen solver: {few}"));
    }
    if reasons.is_empty() { Ok(()) } else { Err(Failure::Run(anyhow::anyhow!(reasons.join("; ")))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(all: &[f64]) -> Times {
        let mut times = Times::default();
        all.iter().for_each(|&seconds| times.add(seconds));
        times
    }

    #[test]
    fn solves_are_repeated_to_ten_milliseconds_and_three_times() {
        assert!(!times(&[0.1, 0.1]).are_enough() && times(&[0.1; 3]).are_enough());
        assert!(!times(&[1e-6; 9000]).are_enough() && times(&[1e-6; 10_001]).are_enough());
        assert!(times(&[4.0]).are_enough(), "three would take long");
        assert!(times(&vec![0.0; 100_000]).are_enough(), "a clock that stands still");
    }

    #[test]
    fn ticks_longer_than_a_solve_give_the_mean() {
        assert_eq!(times(&[3e-3, 2e-3]).shortest(), 2e-3);
        assert_eq!(times(&[0.0, 4e-3, 0.0, 0.0]).shortest(), 1e-3);
    }
}
