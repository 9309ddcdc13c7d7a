//! Velocities of other codes, where W has full rank.

use super::load;
use crate::PART;
use nonsmooth_scene::problems::StoredProblem;
use nonsmooth_solvers::{Options, Status, certify, find, solve};
use nonsmooth_testkit::references::{Line, number};

/// ‖u − u_stored‖ relative to the velocities of the problem, u solved for from p = 0 or from what is stored, and the certificate of that.
fn compare(stored: &StoredProblem, from_stored: bool) -> Option<(f64, f64)> {
    let problem = &stored.problem;
    let solution = stored.solution.as_ref()?;
    let mut auto = find("auto").expect("listed").build(&Options::default()).expect("allowed");
    let mut p = if from_stored { solution.impulse.clone() } else { vec![0.0; problem.size()] };
    let (mut own, mut u) = (Vec::new(), Vec::new());
    let report = solve(&mut *auto, problem, 1e-12, &mut p, &mut own);
    assert_eq!(report.status, Status::Converged, "{}", stored.name);
    let theirs = certify(problem, &solution.impulse, &mut u).residual;
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let moved: Vec<f64> = u.iter().zip(&problem.u_free).map(|(u, free)| u - free).collect();
    let difference: Vec<f64> = own.iter().zip(&solution.relative_velocity).map(|(a, b)| a - b).collect();
    Some((norm(&difference) / norm(&problem.u_free).max(norm(&moved)), theirs))
}

/// A circuit whose matrix is not definite, so that full rank does not make its solution unique: here row 173 is open, there
/// it conducts 3e-5, and both have a residual of 1e-12.
const OTHER: &[&str] = &["deltasigma"];
/// Friction has several solutions too: from p = 0 one that is 3.5e-3 apart, from what is stored that one, both to 1e-12.
const SEVERAL: &[&str] = &["frictioncontactproblem00727"];

#[test]
fn velocities_agree_with_other_codes_where_w_has_full_rank() {
    let problems = (PART.problems)();
    let full = |line: &&Line| {
        line["rank_deficient"] == "0"
            && number(line, "rows") > Some(0.0)
            && matches!(line["ref_status"].as_str(), "converged" | "solved")
    };
    let (mut compared, mut wrong) = (0, Vec::new());
    for line in problems.lines.iter().filter(full) {
        let stored = load(&problems, line);
        let several = SEVERAL.contains(&stored.name.as_str());
        let Some((apart, theirs)) = compare(&stored, several) else { continue };
        // Residuals are errors of u times a factor that the conditioning of W within the contacts allows; 4.1 is the largest
        // met, so ten. 1e-12 is what ours may have left.
        if apart > 10.0 * (theirs + 1e-12) && !OTHER.contains(&stored.name.as_str()) {
            wrong.push(format!("{}: {apart:.1e} apart, residual of theirs {theirs:.1e}", stored.name));
        }
        compared += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(compared, PART.velocities, "velocities compared");
}
