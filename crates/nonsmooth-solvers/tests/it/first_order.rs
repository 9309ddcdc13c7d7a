//! `admm` and `apgd` on piles with friction of every kind.

use crate::oracle::{Verdict, Worst, build_named, norm, run};
use crate::piles::{KINDS, Kind, Pile};
use crate::samples::Random;
use nonsmooth_solvers::{Options, Problem, SOLVERS, Set, Sparse, Status, find};

const BOTH: [&str; 2] = ["admm", "apgd"];
/// What is asked of them.
const TOLERANCE: f64 = 1e-8;

fn zero(problem: &Problem) -> Vec<f64> {
    vec![0.0; problem.size()]
}

#[test]
fn piles_of_every_kind_are_solved_in_factors_and_formed() {
    let mut verdict = Verdict::default();
    for kind in KINDS {
        for name in BOTH {
            let (mut most, mut missed) = (0, Vec::new());
            for seed in 0..20 {
                let pile = Pile::new(kind, 4, 20, seed);
                for (form, problem) in [("factored", pile.factored()), ("formed", pile.assembled())] {
                    let solved = run(&mut *build_named(name), &problem, TOLERANCE, &zero(&problem));
                    most = most.max(solved.report.iterations);
                    let at = || format!("{kind:?} seed {seed}, {form}, by {name}: {:?}", solved.report);
                    if solved.report.status != Status::Converged {
                        missed.push(at());
                    }
                    verdict.expect(solved.report.residual <= 1e-4, at);
                }
            }
            println!("{kind:?} by {name}: at most {most} iterations, missed {missed:?}");
            // Nothing proves convergence with Coulomb's shift: one pile of twenty, in either form, may be missed.
            verdict.expect(missed.len() <= 2, || missed.join("\n"));
        }
    }
    verdict.pass();
}

#[test]
fn units_change_the_impulses_and_not_the_work() {
    for name in BOTH {
        for kind in [Kind::Spatial, Kind::Rolling] {
            let problem = Pile::new(kind, 4, 20, 3).assembled();
            let first = run(&mut *build_named(name), &problem, TOLERANCE, &zero(&problem));
            // Powers of two scale without rounding, so nothing at all may change; 2²⁷ = 1.3e8.
            for (by_matrix, by_velocity) in [(27, 0), (-27, 0), (0, 27), (0, -27), (27, -27), (-27, 27)]
            {
                let (by_matrix, by_velocity) = (2f64.powi(by_matrix), 2f64.powi(by_velocity));
                let mut scaled = problem.clone();
                scaled.delassus.explicit_mut().value.iter_mut().for_each(|w| *w *= by_matrix);
                scaled.u_free.iter_mut().for_each(|u| *u *= by_velocity);
                let second = run(&mut *build_named(name), &scaled, TOLERANCE, &zero(&problem));
                assert_eq!(second.report, first.report, "{name} {kind:?}, {by_matrix} {by_velocity}");
                let back: Vec<f64> = second.p.iter().map(|p| p * by_matrix / by_velocity).collect();
                assert_eq!(back, first.p, "{name} {kind:?}, {by_matrix} {by_velocity}");
            }
            for by_matrix in [1e-8, 1e8] {
                let mut scaled = problem.clone();
                scaled.delassus.explicit_mut().value.iter_mut().for_each(|w| *w *= by_matrix);
                let second = run(&mut *build_named(name), &scaled, TOLERANCE, &zero(&problem));
                assert_eq!(second.report.status, Status::Converged, "{name} {kind:?}, {by_matrix}");
            }
        }
    }
}

#[test]
fn the_order_of_the_contacts_does_not_change_the_velocities() {
    let mut verdict = Verdict::default();
    let mut worst = Worst::new("change of u");
    for name in BOTH {
        for seed in 0..10 {
            let pile = Pile::new(Kind::Planar, 3, 12, seed);
            let order = Random::mixed(seed).permutation(pile.constraints.len());
            let (problem, other) = (pile.factored(), pile.permuted(&order).factored());
            let first = run(&mut *build_named(name), &problem, 1e-10, &zero(&problem));
            let second = run(&mut *build_named(name), &other, 1e-10, &zero(&problem));
            let (mut u, mut converged) = (zero(&problem), true);
            for (c, &k) in order.iter().enumerate() {
                u[2 * k..2 * k + 2].copy_from_slice(&second.u[2 * c..2 * c + 2]);
            }
            for solved in [&first, &second] {
                converged &= solved.report.status == Status::Converged;
            }
            verdict.expect(converged, || format!("{name}, seed {seed}: {:?}", second.report));
            let moved: Vec<f64> = u.iter().zip(&first.u).map(|(a, b)| a - b).collect();
            worst.see(norm(&moved) / norm(&problem.u_free), || format!("{name}, seed {seed}"));
        }
    }
    // 1e−10 in the residual times a condition number of some hundreds.
    worst.within(1e-7, &mut verdict);
    verdict.pass();
}

#[test]
fn a_good_guess_saves_work_and_a_bad_one_does_no_harm() {
    for name in BOTH {
        let problem = Pile::new(Kind::Spatial, 4, 20, 1).factored();
        let cold = run(&mut *build_named(name), &problem, TOLERANCE, &zero(&problem));
        let again = run(&mut *build_named(name), &problem, TOLERANCE, &cold.p);
        assert_eq!((again.report.iterations, &again.p), (0, &cold.p), "{name}");
        let mut later = problem.clone();
        later.u_free.iter_mut().enumerate().for_each(|(i, u)| *u *= 1.0 + 1e-6 * (i as f64).sin());
        let warm = run(&mut *build_named(name), &later, TOLERANCE, &cold.p);
        println!("{name}: cold {}, warm {}", cold.report.iterations, warm.report.iterations);
        assert!(warm.report.iterations < cold.report.iterations, "{name}: {:?}", warm.report);
        for bad in [f64::NAN, f64::INFINITY, -1.0, 1e9] {
            let solved = run(&mut *build_named(name), &problem, TOLERANCE, &vec![bad; problem.size()]);
            assert_eq!(solved.report.status, Status::Converged, "{name} from {bad}");
        }
    }
}

#[test]
fn limits_are_reported_and_leave_the_best_impulses() {
    let problem = Pile::new(Kind::Rolling, 4, 20, 2).factored();
    for name in BOTH {
        let mut last = f64::INFINITY;
        for limit in [1, 10, 20, 40] {
            let options = Options::default().with("max_iterations", f64::from(limit));
            let mut solver = find(name).unwrap().build(&options).unwrap();
            let solved = run(&mut *solver, &problem, 1e-13, &zero(&problem));
            assert_eq!(solved.report.status, Status::IterationLimit, "{name}: {:?}", solved.report);
            assert_eq!(solved.report.iterations, limit as usize);
            assert!(solved.report.residual <= last, "{name}: {:?} after {last}", solved.report);
            last = solved.report.residual;
        }
    }
    // A wedge that closes from both sides: no impulse stops it.
    let w = Sparse::from_rows(&[vec![1.0, -1.0], vec![-1.0, 1.0]]);
    let squeezed = Problem::new(w, vec![-1.0, -1.0], vec![Set::Nonnegative; 2]).unwrap();
    for name in BOTH {
        let solved = run(&mut *build_named(name), &squeezed, TOLERANCE, &[0.0, 0.0]);
        assert_ne!(solved.report.status, Status::Converged, "{name}");
        assert!(solved.p.iter().all(|p| p.is_finite()), "{name}: {:?}", solved.p);
    }
}

#[test]
fn options_are_read() {
    let problem = Pile::new(Kind::Spatial, 3, 12, 5).factored();
    let plain = |name: &str, option: &str, word: &str| {
        let options = Options::default().with_word(option, word);
        let mut solver = find(name).unwrap().build(&options).unwrap();
        run(&mut *solver, &problem, TOLERANCE, &zero(&problem)).report
    };
    let reports = [
        plain("admm", "acceleration", "anderson"),
        plain("admm", "acceleration", "none"),
        plain("admm", "penalty_policy", "fixed"),
        plain("apgd", "step", "accelerated"),
        plain("apgd", "step", "extragradient"),
    ];
    for report in reports {
        println!("{report:?}");
        assert_eq!(report.status, Status::Converged, "{report:?}");
    }
    assert!(reports[0] != reports[1] && reports[0] != reports[2]);
    assert!(reports[3].iterations < reports[4].iterations);
}

#[test]
fn a_used_solver_gives_bit_for_bit_what_a_fresh_one_gives_on_piles() {
    for entry in SOLVERS.iter().filter(|entry| BOTH.contains(&entry.name)) {
        let mut used = build_named(entry.name);
        for seed in 0..30 {
            let kind = KINDS[seed as usize % KINDS.len()];
            let mut problem = Pile::new(kind, 3, 8 + seed as usize % 5, seed / 3).factored();
            problem.delassus.stamp = (seed % 2 == 0).then_some(seed);
            for round in 0..2 {
                let again = run(&mut *used, &problem, TOLERANCE, &zero(&problem));
                let fresh = run(&mut *build_named(entry.name), &problem, TOLERANCE, &zero(&problem));
                assert_eq!(again.report, fresh.report, "{} seed {seed} round {round}", entry.name);
                assert_eq!(again.p, fresh.p, "{} seed {seed} round {round}", entry.name);
                problem.u_free.iter_mut().for_each(|u| *u *= 0.9);
            }
        }
    }
}
