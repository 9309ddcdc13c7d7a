//! Friction at its limits: at rest, without friction, with all of it, contacts given twice, rows that nothing moves.

use super::{KINDS, Kind, heap, rows_of, sets, softened, truth};
use crate::oracle::{Always, Verdict, Worst, build, build_named, norm, run};
use crate::samples::{Random, Sample};
use nonsmooth_solvers::{SOLVERS, Set, Status};

/// All solvers tell the truth about these samples, and `auto` solves them.
fn auto_solves_and_all_are_honest(what: &str, tolerance: f64, samples: &[Sample]) {
    let mut verdict = Verdict::default();
    for entry in SOLVERS {
        let mut good = Always::new(format!("{what} by {}", entry.name));
        for (k, sample) in samples.iter().enumerate() {
            let mut solver = build(entry);
            let (found, wrong) = truth(&mut *solver, sample, tolerance);
            let solved = entry.name != "auto" || found.report.status == Status::Converged;
            good.expect(solved && wrong.is_none(), sample.size(), || {
                format!("sample {k}: {:?}, {wrong:?}, {:?}, {sample:?}", found.report, solver.attempts())
            });
        }
        good.holds(&mut verdict);
    }
    verdict.pass();
}

/// A heap of this kind with velocities for most of its rows.
fn usual(kind: Kind, seed: u64) -> Sample {
    let random = &mut Random::mixed(seed);
    let sets = sets(kind, random, 4);
    let velocities = rows_of(&sets).saturating_sub(2).max(2);
    heap(random, sets, velocities)
}

#[test]
fn what_is_at_rest_needs_no_impulse() {
    let mut verdict = Verdict::default();
    for kind in KINDS {
        for seed in 0..10 {
            let mut sample = usual(kind, seed);
            sample.u_free.fill(0.0);
            for entry in SOLVERS {
                let mut solver = build(entry);
                let (found, wrong) = truth(&mut *solver, &sample, 1e-12);
                if found.report.status == Status::Unsupported {
                    continue;
                }
                // Without velocities the residual is absolute, and zero.
                let good = found.report.status == Status::Converged && norm(&found.u) == 0.0;
                verdict.expect(good && wrong.is_none(), || {
                    format!(
                        "{kind:?} seed {seed} by {}: {:?}, u = {:?}",
                        entry.name, found.report, found.u
                    )
                });
            }
        }
    }
    verdict.pass();
}

#[test]
fn any_guess_comes_to_rest_where_there_is_no_velocity() {
    let mut verdict = Verdict::default();
    let mut auto = build_named("auto");
    for kind in KINDS {
        for seed in 0..10 {
            let mut sample = usual(kind, seed);
            sample.u_free.fill(0.0);
            let guess = Random::mixed(seed).signed_vector(sample.size());
            let found = run(&mut *auto, &sample.problem(), 1e-9, &guess);
            verdict.expect(found.report.status == Status::Converged, || {
                format!("{kind:?} seed {seed}: {:?} after {:?}", found.report, auto.attempts())
            });
        }
    }
    verdict.pass();
}

/// Cones without friction have the normal velocities of the complementarity problem of their normals.
#[test]
fn without_friction_the_normals_are_a_complementarity_problem() {
    let mut verdict = Verdict::default();
    for kind in [Kind::Planar, Kind::Spatial, Kind::Faceted, Kind::Rolling, Kind::Spinning] {
        for seed in 0..20 {
            let mut sample = softened(usual(kind, seed), 0.5);
            let smooth = |set: &Set| match set.dim() {
                2 => Set::Coulomb2 { mu: 0.0 },
                3 if kind == Kind::Faceted => Set::Pyramid { mu: 0.0, sides: 5 },
                3 => Set::Coulomb3 { mu: 0.0 },
                5 => Set::Rolling3 { mu: 0.0, mu_r: 0.0 },
                _ => Set::Spinning3 { mu: 0.0, mu_r: 0.0, mu_s: 0.0 },
            };
            sample.sets = sample.sets.iter().map(smooth).collect();
            let normals = super::begins(&sample.sets);
            let rows = normals.iter().map(|&i| normals.iter().map(|&j| sample.rows[i][j]).collect());
            let u_free = normals.iter().map(|&i| sample.u_free[i]).collect();
            let alone = Sample::unilateral(rows.collect(), u_free);
            let expected =
                run(&mut *build_named("lemke"), &alone.problem(), 1e-13, &vec![0.0; normals.len()]);
            for entry in SOLVERS {
                let (found, wrong) = truth(&mut *build(entry), &sample, 1e-12);
                if found.report.status == Status::Unsupported {
                    continue;
                }
                let apart: Vec<f64> =
                    normals.iter().zip(&expected.p).map(|(&i, p)| found.p[i] - p).collect();
                // 1e-12 of ‖u_free‖ < 10 over the least eigenvalue of W, a half.
                let good = found.report.status == Status::Converged && norm(&apart) < 1e-10;
                verdict.expect(good && wrong.is_none(), || {
                    format!(
                        "{kind:?} seed {seed} by {}: {:?}, {:.1e} off, {wrong:?}",
                        entry.name,
                        found.report,
                        norm(&apart)
                    )
                });
            }
        }
    }
    verdict.pass();
}

#[test]
fn huge_coefficients_of_friction_are_solved() {
    let mut samples = Vec::new();
    for kind in [Kind::Planar, Kind::Spatial, Kind::Faceted] {
        for (seed, mu) in [(0, 1e2), (1, 1e4), (2, 1e6), (3, 1e2), (4, 1e4), (5, 1e6)] {
            let mut sample = softened(usual(kind, seed), 0.1);
            for set in &mut sample.sets {
                *set = match set {
                    Set::Coulomb2 { .. } => Set::Coulomb2 { mu },
                    Set::Coulomb3 { .. } => Set::Coulomb3 { mu },
                    _ => Set::Pyramid { mu, sides: 4 },
                };
            }
            samples.push(sample);
        }
    }
    auto_solves_and_all_are_honest("much friction", 1e-8, &samples);
}

/// The sample with every constraint given twice.
fn doubled(sample: &Sample) -> Sample {
    let n = sample.size();
    let both = |x: &[f64]| -> Vec<f64> { x.iter().chain(x).copied().collect() };
    Sample {
        rows: (0..2 * n).map(|i| both(&sample.rows[i % n])).collect(),
        u_free: both(&sample.u_free),
        sets: sample.sets.iter().chain(&sample.sets).copied().collect(),
    }
}

#[test]
fn contacts_at_one_place_share_the_load_and_have_one_velocity() {
    let mut verdict = Verdict::default();
    let mut worst = Worst::new("u with and without copies");
    for kind in [Kind::Planar, Kind::Spatial, Kind::Faceted, Kind::Rolling, Kind::Spinning] {
        for seed in 0..20 {
            // Near the identity, so that u is unique.
            let mut sample = usual(kind, seed);
            let n = sample.size() as f64;
            sample.rows.iter_mut().flatten().for_each(|w| *w *= 0.1 / n);
            let sample = softened(sample, 1.0);
            let mut auto = build_named("auto");
            let (once, _) = truth(&mut *auto, &sample, 1e-12);
            let (twice, wrong) = truth(&mut *auto, &doubled(&sample), 1e-12);
            let good = [&once, &twice].iter().all(|s| s.report.status == Status::Converged);
            verdict.expect(good && wrong.is_none(), || {
                format!("{kind:?} seed {seed}: {:?}, {:?}, {wrong:?}", once.report, twice.report)
            });
            let apart: Vec<f64> = once.u.iter().zip(&twice.u).map(|(a, b)| a - b).collect();
            worst.see(norm(&apart), || format!("{kind:?} seed {seed}"));
        }
    }
    // 1e-12 of ‖u_free‖ < 30, with a condition number below 2.
    worst.within(1e-9, &mut verdict);
    verdict.pass();
}

#[test]
fn contacts_given_twice_are_solved_by_auto_and_no_solver_lies_about_them() {
    let samples: Vec<Sample> =
        (0..4).flat_map(|seed| KINDS.map(|kind| doubled(&usual(kind, 100 + seed)))).collect();
    auto_solves_and_all_are_honest("doubled", 1e-9, &samples);
}

/// Rows and columns `fixed` of W vanish: nothing moves them.
fn fixed(mut sample: Sample, fixed: impl Iterator<Item = usize>) -> Sample {
    for k in fixed {
        for i in 0..sample.size() {
            (sample.rows[i][k], sample.rows[k][i]) = (0.0, 0.0);
        }
    }
    sample
}

#[test]
fn contacts_that_nothing_moves_and_that_open_are_left_alone() {
    let mut samples = Vec::new();
    for kind in KINDS.into_iter().filter(|&kind| kind != Kind::Mixed) {
        for seed in 0..5 {
            let sample = usual(kind, seed);
            let dim = sample.sets[1].dim();
            let begin = sample.sets[0].dim();
            let mut sample = fixed(sample, begin..begin + dim);
            sample.u_free[begin] = 0.3;
            samples.push(sample);
        }
    }
    auto_solves_and_all_are_honest("blocks of zeros", 1e-9, &samples);
}

#[test]
fn contacts_with_a_tangent_that_nothing_moves_and_that_is_at_rest_are_solved() {
    let mut samples = Vec::new();
    for kind in KINDS.into_iter().filter(|&kind| kind != Kind::Mixed) {
        for seed in 0..5 {
            let begin = rows_of(&usual(kind, seed).sets[..1]);
            let mut sample = fixed(usual(kind, seed), begin + 1..begin + 2);
            sample.u_free[begin + 1] = 0.0;
            samples.push(sample);
        }
    }
    auto_solves_and_all_are_honest("rows of zeros", 1e-9, &samples);
}

#[test]
fn a_matrix_that_is_slightly_unsymmetric_is_solved() {
    let mut samples = Vec::new();
    for kind in KINDS {
        for (seed, size) in [(0, 1e-9), (1, 1e-6), (2, 1e-3), (3, 1e-2)] {
            let mut sample = softened(usual(kind, seed), 0.1);
            let random = &mut Random::mixed(seed);
            for i in 0..sample.size() {
                for j in 0..i {
                    let skew = size * random.signed();
                    sample.rows[i][j] += skew;
                    sample.rows[j][i] -= skew;
                }
            }
            assert!(!sample.problem().delassus.symmetric);
            samples.push(sample);
        }
    }
    auto_solves_and_all_are_honest("unsymmetric", 1e-9, &samples);
}
