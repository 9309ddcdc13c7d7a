//! The collection of one-step problems: every file is read, and what is read is what the manifest says.

use crate::PART;
use crate::collection::load;
use nonsmooth_scene::problems::{Kind, StoredProblem, read, write};
use nonsmooth_solvers::{certify, published_measure};
use nonsmooth_testkit::references::number;
use std::path::Path;

#[test]
fn every_problem_is_read_with_the_sizes_of_the_manifest() {
    let problems = (PART.problems)();
    assert_eq!(problems.lines.len(), PART.count, "problems");
    for line in &problems.lines {
        let stored = load(&problems, line);
        let name = &line["name"];
        assert_eq!(stored.name, *name);
        assert_eq!(stored.kind.name(), line["kind"], "{name}");
        assert_eq!(stored.problem.size().to_string(), line["rows"], "{name}");
        let contacts = stored.n_contacts().map_or(String::new(), |n| n.to_string());
        assert_eq!(contacts, line["contacts"], "{name}");
        let norm = stored.problem.u_free.iter().map(|x| x * x).sum::<f64>().sqrt();
        if let Some(expected) = number(line, "norm_q") {
            // Six digits are printed; that of 4e-18 is what rounding left of zero.
            assert!((norm - expected).abs() <= 1e-6 * expected, "{name}: ‖q‖ = {norm}, not {expected}");
        }
        let dofs = stored.global.as_ref().map_or(stored.problem.size(), |global| global.force.len());
        assert_eq!(dofs.to_string(), line["dofs"], "{name}");
    }
}

/// Cross-checks reader, problem and measure with an independent code.
#[test]
fn stored_solutions_have_the_residuals_of_the_manifest() {
    let problems = (PART.problems)();
    let mut compared = 0;
    for line in &problems.lines {
        let stored = load(&problems, line);
        let (Some(solution), Some(expected)) = (&stored.solution, number(line, "ref_residual_rel"))
        else {
            continue;
        };
        let mut u = Vec::new();
        certify(&stored.problem, &solution.impulse, &mut u);
        let measure = published_measure(&stored.problem, &solution.impulse, &u);
        // Four digits are printed. Below 1e-12 both are rounding, in W r of numbers up to 1e6 times ‖q‖.
        let close = (measure - expected).abs() <= 2e-3 * expected + 1e-12;
        assert!(close, "{}: {measure:.3e}, the manifest has {expected:.3e}", line["name"]);
        compared += 1;
    }
    eprintln!("{compared} residuals compared");
    assert_eq!(compared, PART.residuals, "residuals compared");
}

#[test]
fn what_is_written_is_read_back_to_the_same_bits() {
    let problems = (PART.problems)();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("problems-round-trip");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    for line in problems.lines.iter().filter(|line| number(line, "rows").is_some_and(|n| n < 1000.0)) {
        let stored = load(&problems, line);
        let path = folder.join(format!("{}.{}", stored.name, stored.extension()));
        write(&path, &stored).unwrap_or_else(|error| panic!("{error}"));
        let again = read(&path).unwrap_or_else(|error| panic!("{error}"));
        assert_same(&stored, &again);
        std::fs::remove_file(&path).expect("removable");
        if matches!(stored.kind, Kind::Lcp | Kind::Mlcp | Kind::Relay) {
            std::fs::remove_file(path.with_extension("M.mtx")).expect("removable");
        }
    }
}

fn assert_same(a: &StoredProblem, b: &StoredProblem) {
    let name = &a.name;
    assert_eq!((a.kind, &a.info, &a.source), (b.kind, &b.info, &b.source), "{name}");
    assert_eq!(a.problem.sets, b.problem.sets, "{name}");
    assert_eq!(a.problem.u_free, b.problem.u_free, "{name}");
    assert_eq!(a.problem.assembled(), b.problem.assembled(), "{name}");
    assert_eq!(a.problem.delassus.symmetric, b.problem.delassus.symmetric, "{name}");
    assert_eq!(a.global, b.global, "{name}");
    assert_eq!(a.solution, b.solution, "{name}");
}
