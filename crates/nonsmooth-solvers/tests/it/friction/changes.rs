//! What must not matter: units, order, what was solved before, threads; and what must help: the solution as a guess.

use super::{KINDS, Kind, begins, heap, rows_of, sets, softened};
use crate::oracle::{Always, Verdict, Worst, build, build_named, norm, run, run_fresh};
use crate::pile::Pile;
use crate::samples::{Random, Sample};
use nonsmooth_solvers::{SOLVERS, Set, Status};

/// A definite heap with one solution, without relays, whose bounds have units.
fn definite(kind: Kind, seed: u64) -> Sample {
    let random = &mut Random::mixed(seed);
    let mut sets = sets(kind, random, 5);
    sets.retain(|set| !matches!(set, Set::Interval { .. }));
    let n = rows_of(&sets);
    let mut sample = heap(random, sets, n);
    // As in `tiny`, nearer to what friction allows: ‖H Hᵀ‖ is about n.
    sample.rows.iter_mut().flatten().for_each(|w| *w *= 0.2 / n as f64);
    softened(sample, 1.0)
}

/// ‖a − b‖ relative to what u_free asks for: W is near the identity, and p = 0 where all contacts open.
fn apart(a: &[f64], b: &[f64], sample: &Sample) -> f64 {
    norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>()) / norm(&sample.u_free)
}

#[test]
fn units_change_neither_status_nor_impulses() {
    let mut verdict = Verdict::default();
    for entry in SOLVERS {
        let mut worst = Worst::new(format!("p in other units by {}", entry.name));
        let mut same = Always::new(format!("status in other units by {}", entry.name));
        for kind in KINDS {
            for seed in 0..4 {
                let sample = definite(kind, seed);
                let Some(here) = run_fresh(entry, &sample.problem(), 1e-10) else { continue };
                let scales =
                    [(1e8, 1.0), (1e-8, 1.0), (1.0, 1e8), (1.0, 1e-8), (1e8, 1e-8), (1e-8, 1e8)];
                for (by_matrix, by_velocity) in scales {
                    let other = sample.scaled(by_matrix, by_velocity).problem();
                    let mut there = run_fresh(entry, &other, 1e-10).expect("taken");
                    there.p.iter_mut().for_each(|p| *p *= by_matrix / by_velocity);
                    let at =
                        || format!("{kind:?} seed {seed}, W by {by_matrix:e}, u by {by_velocity:e}");
                    same.expect(there.report.status == here.report.status, sample.size(), || {
                        format!("{}: {:?} and {:?}", at(), here.report, there.report)
                    });
                    if here.report.status == Status::Converged {
                        worst.see(apart(&there.p, &here.p, &sample), at);
                    }
                }
            }
        }
        same.holds(&mut verdict);
        // Each ends at 1e-10, with a condition number below 2 and friction below one.
        worst.within(2e-9, &mut verdict);
    }
    verdict.pass();
}

#[test]
fn the_order_of_the_contacts_changes_nothing_beyond_the_tolerance() {
    let mut verdict = Verdict::default();
    for entry in SOLVERS {
        let mut worst = Worst::new(format!("p in another order by {}", entry.name));
        let mut same = Always::new(format!("status in another order by {}", entry.name));
        for kind in KINDS {
            for seed in 0..5 {
                let sample = definite(kind, seed);
                let Some(here) = run_fresh(entry, &sample.problem(), 1e-10) else { continue };
                let (shuffled, rows) = shuffle(&sample, &mut Random::mixed(seed));
                let there = run_fresh(entry, &shuffled.problem(), 1e-10).expect("taken");
                same.expect(there.report.status == here.report.status, sample.size(), || {
                    format!("{kind:?} seed {seed}: {:?} and {:?}", here.report, there.report)
                });
                let mut back = vec![0.0; rows.len()];
                rows.iter().zip(&there.p).for_each(|(&i, &p)| back[i] = p);
                if here.report.status == Status::Converged {
                    worst.see(apart(&back, &here.p, &sample), || format!("{kind:?} seed {seed}"));
                }
            }
        }
        same.holds(&mut verdict);
        // As above.
        worst.within(2e-9, &mut verdict);
    }
    verdict.pass();
}

/// The constraints in another order, and the row of old in each place.
fn shuffle(sample: &Sample, random: &mut Random) -> (Sample, Vec<usize>) {
    let order = random.permutation(sample.sets.len());
    let begins = begins(&sample.sets);
    let rows: Vec<usize> =
        order.iter().flat_map(|&c| begins[c]..begins[c] + sample.sets[c].dim()).collect();
    let matrix = rows.iter().map(|&i| rows.iter().map(|&j| sample.rows[i][j]).collect()).collect();
    let u_free = rows.iter().map(|&i| sample.u_free[i]).collect();
    let sets = order.iter().map(|&c| sample.sets[c]).collect();
    (Sample { rows: matrix, u_free, sets }, rows)
}

#[test]
fn the_solution_as_a_guess_is_taken_at_once() {
    let mut verdict = Verdict::default();
    for name in ["auto", "nsgs", "pgs", "psor", "newton", "interior-point"] {
        for kind in KINDS {
            for seed in 0..5 {
                let random = &mut Random::mixed(seed);
                let sets = sets(kind, random, 5);
                let velocities = rows_of(&sets).div_ceil(2).max(2);
                let problem = heap(random, sets, velocities).problem();
                let zero = vec![0.0; problem.size()];
                let cold = run(&mut *build_named("auto"), &problem, 1e-12, &zero);
                let warm = run(&mut *build_named(name), &problem, 1e-9, &cold.p);
                // Scalar problems go to `active-set`, which counts the first guess as an exchange.
                let good = warm.report.status == Status::Converged && warm.report.iterations <= 1;
                verdict.expect(good || cold.report.status != Status::Converged, || {
                    format!("{kind:?} seed {seed} by {name}: {:?} from {:?}", warm.report, cold.report)
                });
            }
        }
    }
    verdict.pass();
}

#[test]
fn a_guess_near_the_solution_takes_fewer_iterations_than_none() {
    for name in ["auto", "nsgs", "pgs", "psor", "newton"] {
        let (mut cold_work, mut warm_work) = (0, 0);
        for kind in KINDS {
            for seed in 0..5 {
                let mut sample = definite(kind, seed);
                let zero = vec![0.0; sample.size()];
                let before = run(&mut *build_named(name), &sample.problem(), 1e-9, &zero);
                // The next time step: velocities have changed by a millionth.
                let random = &mut Random::mixed(seed);
                sample.u_free.iter_mut().for_each(|u| *u *= 1.0 + 1e-6 * random.signed());
                let cold = run(&mut *build_named(name), &sample.problem(), 1e-9, &zero);
                let warm = run(&mut *build_named(name), &sample.problem(), 1e-9, &before.p);
                let statuses = [before.report.status, cold.report.status, warm.report.status];
                assert_eq!(statuses, [Status::Converged; 3], "{name}, {kind:?} seed {seed}");
                cold_work += cold.report.iterations;
                warm_work += warm.report.iterations;
            }
        }
        println!("{name}: {cold_work} iterations from nothing, {warm_work} from the step before");
        assert!(warm_work < cold_work, "{name}: {warm_work} against {cold_work}");
    }
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn a_solver_that_has_solved_others_gives_the_bits_of_a_fresh_one() {
    let mut verdict = Verdict::default();
    for entry in SOLVERS {
        let mut used = build(entry);
        let mut same = Always::new(entry.name);
        for seed in 0..12 {
            for kind in KINDS {
                let random = &mut Random::mixed(seed);
                let contacts = random.count(1, 5);
                let sets = sets(kind, random, contacts);
                let velocities = random.count(2, rows_of(&sets) + 2);
                let mut problem = heap(random, sets, velocities).problem();
                problem.delassus.stamp = (seed % 3 > 0).then_some(100 * seed + kind as u64);
                if used.accepts(&problem).is_err() {
                    continue;
                }
                let guess = if seed % 2 == 0 {
                    vec![0.0; problem.size()]
                } else {
                    random.signed_vector(problem.size())
                };
                let again = run(&mut *used, &problem, 1e-10, &guess);
                let mut anew = build(entry);
                let fresh = run(&mut *anew, &problem, 1e-10, &guess);
                let equal = bits(&again.p) == bits(&fresh.p)
                    && again.report == fresh.report
                    && used.attempts() == anew.attempts();
                same.expect(equal, problem.size(), || {
                    format!("{kind:?} seed {seed}: {:?} against fresh {:?}", again.report, fresh.report)
                });
                if seed % 5 == 4 {
                    used.forget();
                }
            }
        }
        same.holds(&mut verdict);
    }
    verdict.pass();
}

#[test]
fn one_thread_and_many_give_the_same_bits() {
    let pile = Pile::new(150, 0.4);
    for entry in SOLVERS.iter().filter(|entry| entry.name != "lemke-faceted") {
        for problem in [pile.formed(), pile.factored()] {
            if build(entry).accepts(&problem).is_err() {
                continue;
            }
            let with = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                pool.expect("threads start")
                    .install(|| run(&mut *build(entry), &problem, 1e-9, &vec![0.0; problem.size()]))
            };
            let (one, many) = (with(1), with(4));
            assert_eq!(one.report, many.report, "{}", entry.name);
            assert!(bits(&one.p) == bits(&many.p), "{}", entry.name);
        }
    }
}
