//! Problems without solution are never called converged, whatever the solver, the tolerance and the units.
//!
//! Farkas' alternative proves that there is no solution: y ≥ 0 on normal rows (any sign on bilateral ones) with
//!
//! ```text
//! yᵀ W p = −k·p ≤ 0 for all p ∈ C, that is k ∈ C*,     y·u_free = −m < 0
//! ```
//!
//! so that y·u < 0 for every p, where a solution has y·u ≥ 0. The same y bounds the residual from below: with p' = p − r/d ∈ C and
//! u_N ≥ −(1 + μ) ‖r_c‖ of every contact,
//!
//! ```text
//! m ≤ Σ y_i (1 + μ) ‖r_i‖ + ‖k/d‖ ‖r‖,     ‖r‖ ≥ m / ((1 + μ) ‖y‖ + ‖k/d‖)
//! ```

use crate::judge::largest_eigenvalue;
use crate::oracle::{Always, Verdict, build, build_named, norm, run};
use crate::samples::{INFEASIBLE, Random, Sample, gram, multiply};
use nonsmooth_solvers::{SOLVERS, Set, Status, certify};

/// The two problems that were called converged, W in units of `matrix` and u_free in those of `velocity`.
fn known(matrix: f64, velocity: f64) -> [(&'static str, Sample); 2] {
    let skew = Sample::unilateral(vec![vec![0.0, 1.0], vec![-1.0, 0.0]], vec![-1.0, -1.0]);
    let mut mixed = Sample::unilateral(vec![vec![0.0, 1.0], vec![1.0, 1.0]], vec![1.0, 1.0]);
    mixed.sets[0] = Set::Free;
    [("skew", skew.scaled(matrix, velocity)), ("mixed", mixed.scaled(matrix, velocity))]
}

#[test]
fn impulses_that_run_off_along_a_ray_are_never_called_converged() {
    for (matrix, velocity) in [(1.0, 1.0), (1e6, 1.0), (1e-6, 1.0), (1.0, 1e6), (1.0, 1e-6), (1e6, 1e-6)]
    {
        for (name, sample) in known(matrix, velocity) {
            for exponent in -12..=-1 {
                let tolerance = 10f64.powi(exponent);
                for guess in [[0.0, 0.0], [0.0, 1e3], [1e9, 0.0], [0.0, 1e12], [1e12, 1e12]] {
                    let guess = guess.map(|p| p * velocity / matrix);
                    for entry in SOLVERS {
                        let report =
                            run(&mut *build(entry), &sample.problem(), tolerance, &guess).report;
                        assert!(
                            report.status != Status::Converged,
                            "{name} ({matrix:e}, {velocity:e}) by {} at {tolerance:e} from {guess:?}: {report:?}",
                            entry.name
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn units_do_not_change_the_residual_of_rows_that_nothing_of_their_own_moves() {
    let p = [0.3, 7.0];
    for (matrix, velocity) in [(1e6, 1.0), (1e-6, 1e-6), (1e3, 1e6)] {
        for ((name, here), (_, there)) in known(1.0, 1.0).iter().zip(&known(matrix, velocity)) {
            let moved = p.map(|p| p * velocity / matrix);
            let [a, b] = [(here, p), (there, moved)]
                .map(|(sample, p)| certify(&sample.problem(), &p, &mut Vec::new()).residual);
            assert!((a - b).abs() <= 1e-14 * a, "{name}: {a} and {b}");
        }
    }
}

/// A problem without solution, and a bound that no residual falls below.
struct Unsolvable {
    sample: Sample,
    bound: f64,
}

/// Random sets and W; one normal row is changed so that y and k prove that there is no solution.
fn unsolvable(random: &mut Random, set: Draw) -> Unsolvable {
    let count = random.count(2, 5);
    let sets: Vec<Set> = (0..count).map(|_| set(random)).collect();
    let begins: Vec<usize> =
        sets.iter().scan(0, |next, set| Some(std::mem::replace(next, *next + set.dim()))).collect();
    let n = sets.iter().map(|set| set.dim()).sum();
    let mut rows = random.signed_matrix(n, n);
    // Impulses move their own rows, as they do in mechanics, but for one problem in four.
    let own = if random.count(0, 3) == 0 { 0.0 } else { 1.0 };
    (0..n).for_each(|i| rows[i][i] += own * (1.0 + random.unit()));
    let (mut y, mut k) = (vec![0.0; n], vec![0.0; n]);
    for (set, &begin) in sets.iter().zip(&begins) {
        y[begin] = if *set == Set::Free { 0.5 * random.signed() } else { 0.5 * random.unit() };
        let end = begin + set.dim();
        let dual = if *set == Set::Free { 0.0 } else { 0.5 * random.unit() };
        (begin + 1..end).for_each(|i| k[i] = 0.3 * random.signed());
        k[begin] = dual + set.shift(&k[begin..end]);
    }
    // The row that pays for all others.
    let payer = begins[random.count(0, count - 1)];
    y[payer] = 1.0;
    for j in 0..n {
        let others: f64 = (0..n).filter(|&i| i != payer).map(|i| y[i] * rows[i][j]).sum();
        rows[payer][j] = -others - k[j];
    }
    let mut u_free = random.signed_vector(n);
    let others: f64 = (0..n).filter(|&i| i != payer).map(|i| y[i] * u_free[i]).sum();
    let missing = 0.5 + random.unit();
    u_free[payer] = -others - missing;
    let sample = Sample { rows, u_free, sets };
    Unsolvable { bound: bound(&sample, &y, &k, missing) / norm(&sample.u_free), sample }
}

/// m / ((1 + μ) ‖y‖ + ‖k/d‖).
fn bound(sample: &Sample, y: &[f64], k: &[f64], missing: f64) -> f64 {
    let problem = sample.problem();
    let weights: Vec<f64> =
        problem.blocks().map(|(begin, set)| largest_eigenvalue(&problem, begin, set)).collect();
    let positive: Vec<f64> = weights.iter().copied().filter(|d| *d > 0.0).collect();
    let largest = |row: &Vec<f64>| row.iter().fold(0.0f64, |m, w| m.max(w.abs()));
    let spare = if positive.is_empty() {
        sample.rows.iter().map(largest).sum::<f64>() / sample.size() as f64
    } else {
        positive.iter().sum::<f64>() / positive.len() as f64
    };
    let (mut push, mut lean) = (Vec::new(), Vec::new());
    for ((begin, set), weight) in problem.blocks().zip(weights) {
        // h_S ≤ Σ μ_j ‖u_j‖ ≤ √3 times the largest coefficient.
        let mut unit = vec![0.0; set.dim()];
        let mut steepest = 0.0f64;
        for j in 1..set.dim() {
            unit.fill(0.0);
            unit[j] = -1.0;
            steepest = steepest.max(set.shift(&unit));
        }
        push.push(y[begin] * (1.0 + 3f64.sqrt() * steepest));
        let d = if weight > 0.0 { weight } else { spare };
        lean.extend(k[begin..begin + set.dim()].iter().map(|k| k / d));
    }
    missing / (norm(&push) + norm(&lean))
}

type Draw = fn(&mut Random) -> Set;

const KINDS: [(&str, Draw); 5] = [
    ("rows", |_| Set::Nonnegative),
    ("rows and joints", |random| if random.count(0, 2) == 0 { Set::Free } else { Set::Nonnegative }),
    ("friction in the plane", |random| Set::Coulomb2 { mu: random.unit() }),
    ("friction in space", |random| Set::Coulomb3 { mu: random.unit() }),
    ("facets and joints", |random| {
        if random.count(0, 2) == 0 { Set::Free } else { Set::Pyramid { mu: random.unit(), sides: 4 } }
    }),
];

/// Every kind, every solver, from nothing and from far along a ray; the residual is above the bound of Farkas' proof.
#[test]
fn what_farkas_proves_unsolvable_is_never_called_converged() {
    let mut verdict = Verdict::default();
    for (name, set) in KINDS {
        for entry in SOLVERS {
            let mut honest = Always::new(format!("{name} by {}", entry.name));
            for seed in 0..60 {
                let random = &mut Random::mixed(seed);
                let Unsolvable { sample, bound } = unsolvable(random, set);
                let (matrix, velocity) = [(1.0, 1.0), (1e6, 1e-6), (1e-6, 1e6)][seed as usize % 3];
                let sample = sample.scaled(matrix, velocity);
                assert!(bound > 0.0 && bound.is_finite(), "{name}, seed {seed}: {bound}");
                let tolerance = f64::min(0.9 * bound, 10f64.powi(-2 - (seed % 11) as i32));
                let far = random.power(0.0, 12.0) * velocity / matrix;
                let guess: Vec<f64> = (0..sample.size()).map(|_| far * random.unit()).collect();
                for guess in [vec![0.0; sample.size()], guess] {
                    let report = run(&mut *build(entry), &sample.problem(), tolerance, &guess).report;
                    let good = report.status != Status::Converged && !(report.residual < 0.999 * bound);
                    honest.expect(good, sample.size(), || {
                        format!("seed {seed} at {tolerance:e}: {report:?}, bound {bound:e}, {sample:?}")
                    });
                }
            }
            honest.holds(&mut verdict);
        }
    }
    verdict.pass();
}

/// A solvable heap and an unsolvable block, their constraints in turn: the block does not hide behind the others.
#[test]
fn an_unsolvable_block_does_not_hide_in_a_heap() {
    let mut verdict = Verdict::default();
    for entry in SOLVERS {
        let mut honest = Always::new(entry.name);
        for seed in 0..12 {
            let random = &mut Random::mixed(seed);
            let Unsolvable { sample: block, bound } = unsolvable(random, KINDS[seed as usize % 5].1);
            // As many contacts as velocities; v = 0 is feasible.
            let contacts = if entry.name == "enumerate" { 2 } else { 40 };
            let set = if entry.name == "active-set" || entry.name == "lemke" {
                Set::Nonnegative
            } else {
                Set::Coulomb2 { mu: 0.5 }
            };
            let heap = random.signed_matrix(contacts * set.dim(), 60);
            let u_heap = multiply(&heap, &random.signed_vector(60));
            let heap = gram(&heap);
            let (h, b) = (u_heap.len(), block.size());
            let mut rows = vec![vec![0.0; h + b]; h + b];
            (0..h).for_each(|i| rows[i][..h].copy_from_slice(&heap[i]));
            (0..b).for_each(|i| rows[h + i][h..].copy_from_slice(&block.rows[i]));
            let u_free = [&u_heap[..], &block.u_free[..]].concat();
            let sets = [vec![set; contacts], block.sets.clone()].concat();
            let bound = bound * norm(&block.u_free) / norm(&u_free);
            let tolerance = f64::min(0.9 * bound, 10f64.powi(-2 - (seed % 8) as i32));
            let sample = Sample { rows, u_free, sets };
            let report = run(&mut *build(entry), &sample.problem(), tolerance, &vec![0.0; h + b]).report;
            let good = report.status != Status::Converged && !(report.residual < 0.999 * bound);
            honest.expect(good, h + b, || {
                format!("seed {seed} at {tolerance:e}: {report:?}, bound {bound:e}")
            });
        }
        honest.holds(&mut verdict);
    }
    verdict.pass();
}

/// Families without a solution; the margin is 0.1 of the data.
#[test]
fn no_tolerance_calls_a_problem_without_solution_converged() {
    let mut verdict = Verdict::default();
    for family in INFEASIBLE {
        for entry in SOLVERS {
            let mut honest = Always::new(format!("{} by {}", family.name, entry.name));
            for seed in 0..100 {
                let sample = family.sample(90_000 + seed);
                let tolerance = 10f64.powi(-2 - (seed % 11) as i32);
                let report =
                    run(&mut *build(entry), &sample.problem(), tolerance, &vec![0.0; sample.size()])
                        .report;
                honest.expect(report.status != Status::Converged, sample.size(), || {
                    format!("seed {seed} at {tolerance:e}: {report:?}")
                });
            }
            honest.holds(&mut verdict);
        }
    }
    verdict.pass();
}

/// Solvable, and the nearer to the two kinds of no solution the smaller ε: impulses are 1/ε.
#[test]
fn what_is_nearly_unsolvable_is_solved() {
    for exponent in 1..=7 {
        let e = 10f64.powi(-exponent);
        let skew = Sample::unilateral(vec![vec![e, 1.0], vec![-1.0, e]], vec![-1.0, -1.0]);
        let squeezed =
            Sample::unilateral(vec![vec![1.0, e - 1.0], vec![e - 1.0, 1.0]], vec![-1.0, -1.0]);
        for (name, sample) in [("skew", skew), ("squeezed", squeezed)] {
            for solver in ["auto", "lemke", "enumerate"] {
                let solved = run(&mut *build_named(solver), &sample.problem(), 1e-8, &[0.0, 0.0]);
                assert_eq!(
                    solved.report.status,
                    Status::Converged,
                    "{name}, ε = {e:e} by {solver}: {:?}, p = {:?}",
                    solved.report,
                    solved.p
                );
                assert!((e * norm(&solved.p) - 1.0).abs() < 0.5, "{name}, ε = {e:e}: {:?}", solved.p);
            }
        }
    }
}
