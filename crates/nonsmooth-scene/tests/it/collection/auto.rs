//! `auto` on the whole collection: what it promises, and the better that it reaches today.

use super::judge::judge;
use super::{Solved, load, run};
use crate::PART;
use nonsmooth_solvers::{Attempt, Options, SOLVERS, Status, find};
use nonsmooth_testkit::references::Line;

/// What became of one problem.
struct Row {
    line: Line,
    solved: Solved,
    attempts: Vec<Attempt>,
    /// What is wrong with it, whatever its residual.
    wrong: Vec<String>,
}

impl Row {
    fn name(&self) -> &str {
        &self.line["name"]
    }

    fn is_solved(&self) -> bool {
        self.solved.report.status == Status::Converged
    }

    /// Whether a code that is not ours solved it.
    fn was_solved_before(&self) -> bool {
        matches!(self.line["ref_status"].as_str(), "converged" | "solved")
    }

    fn is_rounded(&self) -> bool {
        self.line["note"].contains("rounded")
    }

    fn text(&self) -> String {
        let report = &self.solved.report;
        let chain: Vec<String> =
            self.attempts.iter().take(8).map(|a| format!("{} {:.0e}", a.method, a.residual)).collect();
        format!(
            "{:<44} {:>6} rows  reference {:<9}  {:.1e} {} by {} after {}  [{}]",
            self.name(),
            self.line["rows"],
            self.line["ref_status"],
            report.residual,
            report.status,
            report.method,
            report.iterations,
            chain.join(", ")
        )
    }
}

/// `auto` on every problem.
fn solve_all(tolerance: f64) -> Vec<Row> {
    let problems = (PART.problems)();
    // One for all: what it remembers must not matter.
    let mut auto = find("auto").expect("listed").build(&Options::default()).expect("allowed");
    let mut rows = Vec::new();
    for line in problems.lines.iter().cloned() {
        let problem = load(&problems, &line).problem;
        let solved = run(&mut *auto, &problem, tolerance);
        let attempts = auto.attempts().to_vec();
        let mut wrong = Vec::new();
        let judged = judge(&problem, &solved.p);
        let agree = if solved.report.status == Status::Converged {
            judged.meets(tolerance)
        } else {
            judged.misses(tolerance)
        };
        if !agree {
            wrong.push(format!("the residual is {:.3e} ± {:.0e}", judged.residual, judged.rounding));
        }
        if !solved.is_finite() {
            wrong.push("a number is not finite".into());
        }
        wrong.extend(wrong_words(&solved, &attempts, problem.size()));
        rows.push(Row { line, solved, attempts, wrong });
    }
    assert_eq!(rows.len(), PART.count, "problems");
    rows
}

/// What the report and the list of attempts must say.
fn wrong_words(solved: &Solved, attempts: &[Attempt], size: usize) -> Option<String> {
    let method = solved.report.method;
    if size == 0 {
        return (method != "none").then(|| format!("no rows, yet `{method}` was at work"));
    }
    // `active-set (proximal)` is `active-set` on W + ε diag(W).
    let listed =
        |name: &str| SOLVERS.iter().any(|entry| entry.name != "auto" && name.starts_with(entry.name));
    if !listed(method) {
        return Some(format!("`{method}` is no method at work"));
    }
    if let Some(other) = attempts.iter().find(|attempt| !listed(attempt.method)) {
        return Some(format!("attempt by `{}`, which is not listed", other.method));
    }
    // A chain that went further than its first link says so.
    let chained = attempts.len() > 1 && !attempts.iter().any(|attempt| attempt.method == method);
    chained.then(|| format!("`{method}` at work, but no attempt names it"))
}

fn table<'a>(rows: impl Iterator<Item = &'a Row>) -> String {
    rows.map(Row::text).collect::<Vec<_>>().join("\n")
}

/// What is asked of every run, whatever the tolerance.
fn check(rows: &[Row]) {
    let wrong: Vec<String> = rows
        .iter()
        .filter(|row| !row.wrong.is_empty())
        .map(|row| format!("{}\n    {}", row.text(), row.wrong.join("; ")))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let unsolved = || rows.iter().filter(|row| !row.is_solved());
    let infeasible: Vec<&Row> =
        rows.iter().filter(|row| row.solved.report.status == Status::Infeasible).collect();
    let names: Vec<&str> = infeasible.iter().map(|row| row.name()).collect();
    assert_eq!(names, PART.infeasible, "{}", table(unsolved()));
    // Today's floor: all but those that have no solution.
    assert!(unsolved().count() <= PART.infeasible.len(), "unsolved:\n{}", table(unsolved()));
}

#[test]
fn auto_solves_to_1e_8_what_other_codes_solve_and_seven_in_ten_of_the_rest() {
    let rows = solve_all(1e-8);
    let lost = || rows.iter().filter(|row| row.was_solved_before() && !row.is_solved());
    assert_eq!(lost().count(), 0, "{}", table(lost()));
    let capped: Vec<&Row> = rows.iter().filter(|row| row.line["ref_status"] == "cap").collect();
    let solved = capped.iter().filter(|row| row.is_solved()).count();
    eprintln!("{solved} of {} capped problems solved", capped.len());
    assert!(capped.len() >= 5, "{}", capped.len());
    assert!(10 * solved >= 7 * capped.len(), "{}", table(capped.iter().copied()));
    check(&rows);
}

#[test]
fn auto_solves_nine_tenths_of_the_unrounded_problems_to_1e_12() {
    let rows = solve_all(1e-12);
    let exact: Vec<&Row> = rows.iter().filter(|row| !row.is_rounded()).collect();
    let solved = exact.iter().filter(|row| row.is_solved()).count();
    eprintln!("{solved} of {} problems that are not rounded solved", exact.len());
    assert_eq!(exact.len(), PART.unrounded, "problems that are not rounded");
    let missed = exact.iter().copied().filter(|row| !row.is_solved());
    assert!(10 * solved >= 9 * exact.len(), "{}", table(missed));
    check(&rows);
}
