//! One solver on many problems in a row: what it remembers may save work, and changes nothing else.

use crate::columns::{column_of_beads, thrown_column};
use crate::oracle::{Always, Verdict, build, build_named, distance, run};
use crate::samples::{ANYTHING, FAMILIES, INFEASIBLE, Random};
use nonsmooth_solvers::{SOLVERS, Set, Status};

/// Bit for bit, so that −0 and 0 differ.
fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn the_same_matrix_stamp_gives_bit_for_bit_what_a_fresh_solver_gives() {
    let mut verdict = Verdict::default();
    for family in FAMILIES {
        for entry in SOLVERS {
            let mut same = Always::new(format!("{} by {}", family.name, entry.name));
            for seed in 40_000..40_050 {
                let random = &mut Random::mixed(!seed);
                let mut problem = family.sample(seed).problem();
                problem.delassus.stamp = Some(7);
                let zero = vec![0.0; problem.size()];
                let mut used = build(entry);
                for round in 0..6 {
                    let again = run(&mut *used, &problem, 1e-12, &zero);
                    let fresh = run(&mut *build(entry), &problem, 1e-12, &zero);
                    let equal = bits(&again.p) == bits(&fresh.p) && again.report == fresh.report;
                    same.expect(equal, problem.size(), || {
                        format!(
                            "seed {seed}, round {round}: {:?} {:?} against fresh {:?} {:?}",
                            again.p, again.report, fresh.p, fresh.report
                        )
                    });
                    // Other velocities, and in the end other sets, before the same matrix.
                    problem.u_free = random.signed_vector(problem.size());
                    if round == 2 {
                        used.forget();
                    }
                    if round == 3 {
                        problem.sets.reverse();
                    }
                    if round == 4 {
                        problem.sets.fill(Set::Nonnegative);
                    }
                }
            }
            same.holds(&mut verdict);
        }
    }
    verdict.pass();
}

#[test]
fn nothing_depends_on_the_problems_solved_before() {
    let mut verdict = Verdict::default();
    for entry in SOLVERS {
        let mut used = build(entry);
        let mut same = Always::new(entry.name);
        for seed in 0..600u64 {
            for family in FAMILIES.iter().chain(INFEASIBLE).chain([&ANYTHING]) {
                let sample = family.sample(50_000 + seed);
                let mut problem = sample.problem();
                // A stamp of its own for each matrix, or none.
                let name: u64 = family.name.bytes().map(u64::from).sum();
                problem.delassus.stamp = (seed % 3 > 0).then_some(1000 * seed + name);
                if seed % 7 == 0 {
                    used.forget();
                }
                let guess = Random::mixed(seed).signed_vector(sample.size());
                let again = run(&mut *used, &problem, 1e-12, &guess);
                let fresh = run(&mut *build(entry), &problem, 1e-12, &guess);
                let equal = bits(&again.p) == bits(&fresh.p) && again.report == fresh.report;
                same.expect(equal, sample.size(), || {
                    format!("{} seed {}: {again:?}\nagainst fresh {fresh:?}", family.name, 50_000 + seed)
                });
            }
        }
        same.holds(&mut verdict);
    }
    verdict.pass();
}

#[test]
fn large_problems_with_the_same_stamp_are_bit_for_bit_those_of_a_fresh_solver() {
    let n = 2000;
    for name in ["auto", "active-set"] {
        let mut used = build_named(name);
        for seed in 0..5 {
            let (_, _, u_free) = thrown_column(&mut Random::mixed(seed), n);
            let mut problem = column_of_beads(&vec![0.7; n], u_free);
            problem.delassus.stamp = Some(1);
            let again = run(&mut *used, &problem, 1e-10, &vec![0.0; n]);
            let fresh = run(&mut *build_named(name), &problem, 1e-10, &vec![0.0; n]);
            assert_eq!(again.report, fresh.report, "seed {seed} by {name}");
            assert!(bits(&again.p) == bits(&fresh.p), "seed {seed} by {name}");
            assert_eq!(
                again.report.status,
                Status::Converged,
                "seed {seed} by {name}: {:?}",
                again.report
            );
        }
    }
}

#[test]
fn a_guess_that_is_the_solution_takes_no_more_work_than_zero() {
    let n = 2000;
    let (masses, _, u_free) = thrown_column(&mut Random::mixed(9), n);
    let problem = column_of_beads(&masses, u_free);
    for name in ["auto", "active-set"] {
        let cold = run(&mut *build_named(name), &problem, 1e-10, &vec![0.0; n]);
        let warm = run(&mut *build_named(name), &problem, 1e-10, &cold.p);
        println!("{name}: cold {:?}, warm {:?}", cold.report, warm.report);
        assert_eq!(warm.report.status, Status::Converged);
        assert!(warm.report.iterations <= cold.report.iterations, "{:?} {:?}", warm.report, cold.report);
        // Both end at rounding times the condition of blocks of some ten beads.
        assert!(distance(&warm.p, &cold.p) <= 1e-12);
    }
}
