//! The chain of `auto`: the same for every storage of W, and monotone in what it may cost.

use crate::oracle::build_named;
use crate::pile::Pile;
use nonsmooth_solvers::{Options, Status, find, solve};

/// What is solved as a file, W by rows, is solved in a run, by masses and rows.
#[test]
fn what_is_solved_with_w_formed_is_solved_by_bodies() {
    for (contacts, mu) in [(30, 0.3), (60, 0.8), (120, 0.5)] {
        let pile = Pile::new(contacts, mu);
        for tolerance in [1e-4, 1e-8] {
            for problem in [pile.formed(), pile.factored()] {
                for guess in [0.0, 0.1] {
                    let mut p = vec![guess; problem.size()];
                    let report =
                        solve(&mut *build_named("auto"), &problem, tolerance, &mut p, &mut Vec::new());
                    assert_eq!(
                        report.status,
                        Status::Converged,
                        "{contacts} contacts, {mu}, {tolerance}, from {guess}: {report:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn asking_for_more_never_gives_less() {
    let problem = Pile::new(120, 0.8).formed();
    let mut last = f64::INFINITY;
    for cost in [1.0, 10.0, 100.0, 1000.0, 10_000.0, 100_000.0] {
        let options = Options::default().with("max_cost", cost);
        let mut solver = find("auto").expect("listed").build(&options).expect("an option of it");
        let mut p = vec![0.0; problem.size()];
        let report = solve(&mut *solver, &problem, 1e-11, &mut p, &mut Vec::new());
        assert!(report.residual <= last, "{cost}: {report:?} after {last:e}");
        last = report.residual;
    }
    assert!(last <= 1e-11, "{last:e}");
}
