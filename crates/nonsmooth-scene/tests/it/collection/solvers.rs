//! Every solver on every problem it accepts, with small budgets: whatever it reaches, what it claims is true.

use super::judge::judge;
use super::{load, run};
use crate::PART;
use nonsmooth_solvers::{Entry, Kind, Options, Problem, SOLVERS, Status, certify, solve};
use nonsmooth_testkit::references::Line;

const TOLERANCE: f64 = 1e-8;
/// Multiplications that sweeps, or the assembly of second-order systems, may cost per problem.
const WORK: usize = 5_000_000;
/// Rows of friction beyond which the dense tableau of facets, five times as many rows, takes seconds.
const FACETED_ROWS: usize = 400;

/// Options with which this solver is quick on this problem; `None` where nothing makes it so.
fn budget(entry: &Entry, problem: &Problem) -> Option<Options> {
    let entries = problem.assembled().n_entries().max(1);
    let mut options = Options::default();
    for declared in entry.options.iter().filter(|option| option.kind == Kind::Count) {
        let most = match declared.name {
            "max_sweeps" => (WORK / entries).clamp(2, 500),
            "max_iterations" => (WORK / 2 / entries).clamp(2, 60),
            "max_pivots" if problem.size() > FACETED_ROWS && !problem.is_scalar() => return None,
            "max_pivots" => 500,
            _ => continue,
        };
        options = options.with(declared.name, most as f64);
    }
    Some(options)
}

/// What is wrong with this solver's work on this problem; `None` where it was not tried.
fn try_one(entry: &Entry, problem: &Problem) -> Option<Vec<String>> {
    let usual = entry.build(&Options::default()).expect("the defaults are allowed");
    if let Err(reason) = usual.accepts(problem) {
        return Some(wrong_refusal(entry, problem, &reason.to_string()));
    }
    let mut solver = entry.build(&budget(entry, problem)?).expect("the budget is allowed");
    let solved = run(&mut *solver, problem, TOLERANCE);
    let (report, mut wrong) = (solved.report, Vec::new());
    let mut expect = |good: bool, what: String| {
        if !good {
            wrong.push(what);
        }
    };
    let judged = judge(problem, &solved.p);
    let claim = report.status == Status::Converged;
    let true_claim = if claim { judged.meets(TOLERANCE) } else { judged.misses(TOLERANCE) };
    expect(
        true_claim,
        format!("{} at {:.3e} ± {:.0e}", report.status, judged.residual, judged.rounding),
    );
    expect(solved.is_finite(), "a number is not finite".into());
    expect(report.status != Status::Unsupported, "accepted, then not supported".into());
    let named = report.method.starts_with(entry.name) || problem.size() == 0;
    expect(named, format!("`{}` was at work", report.method));
    let again = certify(problem, &solved.p, &mut Vec::new());
    expect(again.residual == report.residual, "the certificate is another".into());
    // Nobody makes the guess worse; twice for norms that solvers weigh in other ways. Facets in place of a disc are another
    // problem, whose solution may be further off than p = 0.
    let before = certify(problem, &vec![0.0; problem.size()], &mut Vec::new());
    let round = problem.sets.iter().any(|set| set.dim() >= 3);
    let worse = report.residual > 2.0 * before.residual && !(entry.name == "lemke-faceted" && round);
    expect(!worse, format!("{:.1e} at first, {:.1e} in the end", before.residual, report.residual));
    Some(wrong)
}

/// A refusal is in words, and leaves the guess alone.
fn wrong_refusal(entry: &Entry, problem: &Problem, words: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if !words.contains(&format!("`{}`", entry.name)) || !words.contains("try `auto`") {
        wrong.push(format!("refused with: {words}"));
    }
    let guess: Vec<f64> = (0..problem.size()).map(|i| 0.25 * i as f64 - 1.0).collect();
    let (mut p, mut u) = (guess.clone(), Vec::new());
    let mut solver = entry.build(&Options::default()).expect("the defaults are allowed");
    let report = solve(&mut *solver, problem, f64::INFINITY, &mut p, &mut u);
    if report.status != Status::Unsupported || report.iterations > 0 || p != guess {
        wrong.push(format!("refused, and then {report:?}"));
    }
    wrong
}

#[test]
fn every_solver_tells_the_truth_on_every_problem_it_accepts() {
    let problems = (PART.problems)();
    let mut wrong = Vec::new();
    let mut tried = vec![0; SOLVERS.len()];
    for line in &problems.lines {
        let problem = load(&problems, line).problem;
        // `auto` has tests of its own.
        for (k, entry) in SOLVERS.iter().enumerate().filter(|(_, entry)| entry.name != "auto") {
            let Some(found) = try_one(entry, &problem) else { continue };
            tried[k] += 1;
            wrong.extend(found.into_iter().map(|what| complaint(entry, line, &what)));
        }
    }
    assert!(wrong.is_empty(), "{} complaints:\n{}", wrong.len(), wrong.join("\n"));
    for (entry, tried) in SOLVERS.iter().zip(tried).filter(|(entry, _)| entry.name != "auto") {
        assert!(tried >= PART.tried, "{} was tried on {tried} problems only", entry.name);
    }
}

fn complaint(entry: &Entry, line: &Line, what: &str) -> String {
    format!("{} on {} ({} rows): {what}", entry.name, line["name"], line["rows"])
}
