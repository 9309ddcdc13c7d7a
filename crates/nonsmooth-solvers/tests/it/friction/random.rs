//! Random heaps: `auto` solves them, the others tell the truth about them, and tiny ones agree with `enumerate`.

use super::{KINDS, Kind, heap, rows_of, sets, softened, truth};
use crate::oracle::{Always, Verdict, Worst, build, build_named, norm, run_fresh};
use crate::samples::{Random, Sample};
use nonsmooth_solvers::{Options, SOLVERS, Set, Status, find};

/// A heap of this kind with at most so many contacts: as many velocities as rows or more, or half as many.
fn sample(kind: Kind, hyperstatic: bool, most: usize, seed: u64) -> Sample {
    let random = &mut Random::mixed(seed);
    let contacts = random.count(1, most);
    let sets = sets(kind, random, contacts);
    let n = rows_of(&sets);
    let velocities = if hyperstatic { n.div_ceil(2).max(2) } else { n + random.count(0, 3) };
    heap(random, sets, velocities)
}

#[test]
fn auto_solves_random_heaps_of_every_kind() {
    let mut verdict = Verdict::default();
    for kind in KINDS {
        for hyperstatic in [false, true] {
            let mut solved = Always::new(format!("{kind:?}, hyperstatic {hyperstatic}"));
            let mut auto = build_named("auto");
            for seed in 0..150 {
                let sample = sample(kind, hyperstatic, 7, seed);
                let (found, wrong) = truth(&mut *auto, &sample, 1e-10);
                let good = found.report.status == Status::Converged && wrong.is_none();
                solved.expect(good, sample.size(), || {
                    format!("seed {seed}: {:?} {wrong:?} after {:?}", found.report, auto.attempts())
                });
            }
            solved.holds(&mut verdict);
        }
    }
    verdict.pass();
}

#[test]
fn every_solver_tells_the_truth_on_random_heaps() {
    let mut verdict = Verdict::default();
    for entry in SOLVERS {
        let mut honest = Always::new(entry.name);
        let (mut taken, mut solved) = (0, 0);
        // Enumeration of seven contacts takes seconds.
        let most = if entry.name == "enumerate" { 2 } else { 7 };
        for kind in KINDS {
            for hyperstatic in [false, true] {
                for seed in 0..40 {
                    let sample = sample(kind, hyperstatic, most, 1000 + seed);
                    let mut options = Options::default();
                    if entry.options.iter().any(|option| option.name == "max_sweeps") {
                        options = options.with("max_sweeps", 2000.0);
                    }
                    let mut solver = entry.build(&options).expect("2000 is a count");
                    let (found, wrong) = truth(&mut *solver, &sample, 1e-9);
                    honest.expect(wrong.is_none(), sample.size(), || {
                        format!("{kind:?} {hyperstatic} seed {seed}: {}", wrong.unwrap_or_default())
                    });
                    taken += usize::from(found.report.status != Status::Unsupported);
                    solved += usize::from(found.report.status == Status::Converged);
                }
            }
        }
        honest.holds(&mut verdict);
        println!("{}: {solved} of {taken} solved", entry.name);
        // Eight facets solve what sticks in space, no more; the others miss one in 560 today.
        let share = if entry.name == "lemke-faceted" { 50 } else { 98 };
        verdict.expect(100 * solved >= share * taken, || format!("{}: {solved} of {taken}", entry.name));
    }
    verdict.pass();
}

/// Few contacts on a W near the identity with little friction, so that each solution is unique.
fn tiny(seed: u64) -> Sample {
    let random = &mut Random::mixed(seed);
    let contacts = random.count(1, 3);
    let mut spatial = 0;
    let sets: Vec<Set> = (0..contacts)
        .map(|_| {
            let mu = 0.4 * random.unit();
            match random.count(0, 6) {
                0 => Set::Nonnegative,
                1 => Set::Free,
                2 => Set::Interval { lower: -0.3, upper: mu },
                3 => Set::Pyramid { mu, sides: random.count(3, 5) as u32 },
                4 => Set::Rolling2 { mu, mu_r: 0.5 * mu },
                5 if spatial == 0 => {
                    spatial += 1;
                    Set::Coulomb3 { mu }
                }
                _ => Set::Coulomb2 { mu },
            }
        })
        .collect();
    let n = rows_of(&sets);
    let mut sample = heap(random, sets, n);
    // ‖H Hᵀ‖ ≤ 2n, so that W/λ is within a fifth of the identity.
    sample.rows.iter_mut().flatten().for_each(|w| *w *= 0.1 / n as f64);
    sample.u_free = random.signed_vector(n);
    softened(sample, 1.0)
}

#[test]
fn tiny_problems_have_the_velocities_of_enumeration_where_they_are_unique() {
    let mut verdict = Verdict::default();
    for entry in SOLVERS.iter().filter(|entry| entry.name != "enumerate") {
        let mut worst = Worst::new(format!("u of {}", entry.name));
        let mut solved = Always::new(format!("tiny problems by {}", entry.name));
        for seed in 0..300 {
            let sample = tiny(seed);
            let problem = sample.problem();
            let Some(found) = run_fresh(entry, &problem, 1e-11) else { continue };
            let round = problem.sets.iter().any(|set| matches!(set, Set::Coulomb3 { .. }));
            if entry.name == "lemke-faceted" && round {
                continue;
            }
            let expected = run_fresh(find("enumerate").expect("listed"), &problem, 1e-11);
            let expected = expected.expect("tiny problems are for enumeration");
            let good = [&found, &expected].iter().all(|s| s.report.status == Status::Converged);
            solved.expect(good, sample.size(), || format!("seed {seed}: {:?}", found.report));
            let apart: Vec<f64> = found.u.iter().zip(&expected.u).map(|(a, b)| a - b).collect();
            worst.see(norm(&apart), || format!("seed {seed}, {:?}", sample.sets));
        }
        solved.holds(&mut verdict);
        // 1e-11 of ‖u_free‖ < 4, twice, with a condition number below 2 and friction below a half.
        worst.within(1e-10, &mut verdict);
    }
    verdict.pass();
}

#[test]
fn tiny_problems_with_much_friction_are_solved_by_auto_whenever_by_enumeration() {
    let mut verdict = Verdict::default();
    let (mut honest, mut unsolved) = (Always::new("auto on tiny problems"), Vec::new());
    let (mut auto, mut enumerate) = (build_named("auto"), build(find("enumerate").expect("listed")));
    let mut compared = 0;
    for seed in 0..1500 {
        let random = &mut Random::mixed(seed);
        let kind = [Kind::Planar, Kind::Faceted, Kind::PlanarRolling][random.count(0, 2)];
        let contacts = random.count(1, 3);
        let mut sets = sets(kind, random, contacts);
        for set in &mut sets {
            if let Set::Coulomb2 { mu } | Set::Pyramid { mu, .. } | Set::Rolling2 { mu, .. } = set {
                *mu *= 3.0;
            }
        }
        let velocities = random.count(2, rows_of(&sets) + 1);
        let mut sample = heap(random, sets, velocities);
        // Half of them with velocities that no motion makes: some have no solution.
        let compatible = random.count(0, 1) == 1;
        if !compatible {
            sample.u_free = random.signed_vector(sample.size());
        }
        let (exact, _) = truth(&mut *enumerate, &sample, 1e-10);
        let (found, wrong) = truth(&mut *auto, &sample, 1e-10);
        let solvable = exact.report.status == Status::Converged;
        compared += usize::from(solvable);
        honest.expect(wrong.is_none(), sample.size(), || format!("seed {seed}: {wrong:?}"));
        if solvable && found.report.status != Status::Converged {
            unsolved.push((compatible, format!("seed {seed}: {:?}, {sample:?}", found.report)));
        }
    }
    assert!(compared > 750, "{compared} of 1500 have a solution");
    // Not as it should be: where no motion makes u_free, two that have a solution are left.
    let all = || unsolved.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n");
    assert!(unsolved.len() <= 2 && unsolved.iter().all(|(compatible, _)| !compatible), "{}", all());
    honest.holds(&mut verdict);
    verdict.pass();
}
