//! Every solver on problems with known answers, large ones, and one solver on many problems in a row.

use crate::oracle::{
    Always, Verdict, Worst, build, build_named, distance, norm, pooled_column, projected_gauss_seidel,
    residual, run, run_fresh,
};
use crate::samples::{ANYTHING, FAMILIES, INFEASIBLE, Pile, Random, Sample, gram, multiply};
use nonsmooth_solvers::{
    Options, Outcome, Problem, SOLVERS, Set, Solver, Sparse, Status, Unsupported, certify, find,
};
use std::time::Instant;

/// What is asked of the solvers on the known problems, all well conditioned.
const TOLERANCE: f64 = 1e-12;

/// A problem, its known u, and its known p where that is unique.
struct Known {
    name: &'static str,
    sample: Sample,
    u: Vec<f64>,
    p: Option<Vec<f64>>,
}

fn known(name: &'static str, rows: &[&[f64]], u_free: &[f64], u: &[f64], p: Option<&[f64]>) -> Known {
    let rows = rows.iter().map(|row| row.to_vec()).collect();
    let sample = Sample::unilateral(rows, u_free.to_vec());
    Known { name, sample, u: u.to_vec(), p: p.map(<[f64]>::to_vec) }
}

fn known_problems() -> Vec<Known> {
    let mut joint_and_stop = known(
        "joint and stop",
        &[&[2.0, 1.0], &[1.0, 2.0]],
        &[3.0, -3.0],
        &[0.0; 2],
        Some(&[-3.0, 3.0]),
    );
    joint_and_stop.sample.sets[0] = Set::Free;
    let mut welded =
        known("joint given twice", &[&[1.0, 1.0], &[1.0, 1.0]], &[-2.0, -2.0], &[0.0; 2], None);
    welded.sample.sets.fill(Set::Free);
    // Four legs: vertical velocity and two tilts, legs at (±1, ±1), unit mass and inertia; landing at 1.
    let legs = [[1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [1.0, -1.0, 1.0], [1.0, -1.0, -1.0]].map(Vec::from);
    let w = gram(&legs);
    let table = Sample::unilateral(w, vec![-1.0; 4]);
    // Lemke's longest road, 2ⁿ − 1 pivots [Murty88, sec. 6.2]; p = (1, 0, …, 0) up to order.
    let n = 8;
    let murty: Vec<Vec<f64>> = (0..n)
        .map(|i| (0..n).map(|j| if j < i { 2.0 } else { f64::from(u8::from(i == j)) }).collect())
        .collect();
    let (mut u, mut p) = (vec![1.0; n], vec![0.0; n]);
    (u[0], p[0]) = (0.0, 1.0);
    let murty = Sample::unilateral(murty, vec![-1.0; n]);
    vec![
        known("ball at rest", &[&[0.5]], &[-0.01], &[0.0], Some(&[0.02])),
        known("ball in flight", &[&[0.5]], &[0.01], &[0.01], Some(&[0.0])),
        known("ball that grazes", &[&[0.5]], &[0.0], &[0.0], Some(&[0.0])),
        known("nothing at all", &[&[0.0]], &[0.0], &[0.0], None),
        known("a contact nobody can move", &[&[0.0]], &[1.0], &[1.0], None),
        // Three touching beads, e = 1: v⁺ = (−1/3, 2/3, 2/3).
        known(
            "simultaneous cradle",
            &[&[2.0, -1.0], &[-1.0, 2.0]],
            &[-2.0, 0.0],
            &[0.0, 0.0],
            Some(&[4.0 / 3.0, 2.0 / 3.0]),
        ),
        known("one of two", &[&[2.0, 1.0], &[1.0, 2.0]], &[-2.0, 1.0], &[0.0, 2.0], Some(&[1.0, 0.0])),
        // The guess "all that approach" is wrong here: row 1 approaches, yet row 0 throws it off.
        known("thrown off", &[&[1.0, 2.0], &[2.0, 5.0]], &[-2.0, -1.0], &[0.0, 3.0], Some(&[2.0, 0.0])),
        known("two contacts at one place", &[&[1.0, 1.0], &[1.0, 1.0]], &[-1.0, -1.0], &[0.0; 2], None),
        known("wedge", &[&[1.0, -1.0], &[-1.0, 1.0]], &[-1.0, 1.0], &[0.0; 2], None),
        Known { name: "table on four legs", sample: table, u: vec![0.0; 4], p: None },
        Known { name: "longest road", sample: murty, u, p: Some(p) },
        joint_and_stop,
        welded,
    ]
}

#[test]
fn every_solver_finds_the_known_answers() {
    let mut verdict = Verdict::default();
    for Known { name, sample, u, p } in known_problems() {
        for entry in SOLVERS {
            let mut solver = build(entry);
            for guess in [0.0, 1.0, -1.0] {
                let guess = vec![guess; sample.size()];
                let solved = run(&mut *solver, &sample.problem(), TOLERANCE, &guess);
                // Ten: the largest ‖u_free‖ and ‖W⁻¹‖ of these problems are below 4.
                let near = norm_of_difference(&solved.u, &u) <= 10.0 * TOLERANCE
                    && p.as_ref().is_none_or(|p| norm_of_difference(&solved.p, p) <= 10.0 * TOLERANCE);
                verdict.expect(near && solved.report.status == Status::Converged, || {
                    let (p, u) = (&solved.p, &solved.u);
                    format!(
                        "{name} by {} from {guess:?}: {:?}, p = {p:?}, u = {u:?}",
                        entry.name, solved.report
                    )
                });
            }
        }
    }
    verdict.pass();
}

fn norm_of_difference(a: &[f64], b: &[f64]) -> f64 {
    norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>())
}

#[test]
fn each_solver_has_a_name_of_its_own_and_says_what_it_is_for() {
    for (k, entry) in SOLVERS.iter().enumerate() {
        assert!(SOLVERS[..k].iter().all(|other| other.name != entry.name), "{} twice", entry.name);
        assert!(!entry.about.is_empty(), "{}", entry.name);
        assert_eq!(nonsmooth_solvers::find(entry.name).map(|found| found.name), Some(entry.name));
    }
    assert!(nonsmooth_solvers::find("Lemke").is_none(), "names are exact");
}

/// Contacts of a column of beads: contact i between beads i − 1 and i, contact 0 with the ground.
fn column_of_beads(masses: &[f64], u_free: Vec<f64>) -> Problem {
    let n = masses.len();
    let mut w = Sparse::empty(n);
    for i in 0..n {
        let below = if i > 0 { 1.0 / masses[i - 1] } else { 0.0 };
        let mut push = |j: usize, x: f64| {
            w.column.push(j as u32);
            w.value.push(x);
        };
        if i > 0 {
            push(i - 1, -below);
        }
        push(i, below + 1.0 / masses[i]);
        if i + 1 < n {
            push(i + 1, -1.0 / masses[i]);
        }
        w.finish_row();
    }
    let problem = Problem::complementarity(w, u_free).expect("a column is well posed");
    assert!(problem.symmetric, "a column of beads has a symmetric matrix");
    problem
}

/// The residual of a column, without the crate's certificate.
fn column_residual(masses: &[f64], u_free: &[f64], p: &[f64]) -> f64 {
    let n = masses.len();
    let (mut r, mut moved) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..n {
        let above = if i + 1 < n { p[i + 1] } else { 0.0 };
        let mut diagonal = 1.0 / masses[i];
        moved[i] = (p[i] - above) / masses[i];
        if i > 0 {
            moved[i] -= (p[i - 1] - p[i]) / masses[i - 1];
            diagonal += 1.0 / masses[i - 1];
        }
        r[i] = f64::min(diagonal * p[i], moved[i] + u_free[i]);
    }
    norm(&r) / f64::max(norm(u_free), norm(&moved))
}

/// One column solved once: what is wrong with it, if anything.
fn check_column(name: &str, masses: &[f64], gh: f64, guess: f64, tolerance: f64) -> Result<(), String> {
    let n = masses.len();
    let mut u_free = vec![0.0; n];
    u_free[0] = -gh;
    let problem = column_of_beads(masses, u_free.clone());
    let begin = Instant::now();
    // A tenth of the default: an exchange factors the whole column (7 ms for 100 000 beads), so their
    // number must not grow with its length. Columns thrown at random take 30 at every length.
    let options =
        if n > 1000 { Options::default().with("max_exchanges", 100.0) } else { Options::default() };
    let mut solver = find(name).expect("listed").build(&options).expect("100 is a count");
    let solved = run(&mut *solver, &problem, tolerance, &vec![guess; n]);
    let time = begin.elapsed();
    let expected = |i: usize| (n - i) as f64 * masses[0] * gh;
    let worst = (0..n).map(|i| (solved.p[i] / expected(i) - 1.0).abs()).fold(0.0, f64::max);
    let own = column_residual(masses, &u_free, &solved.p);
    let text = format!(
        "{n} beads of {} kg by {name} from {guess}: {:?}, own residual {own:.1e}, p to {worst:.1e}, {time:?}",
        masses[0], solved.report
    );
    println!("{text}");
    // 1e−6 in p: the condition number of the column is n², and the residual lies on few rows. One per
    // mille in the residual: another order of summation.
    let good = solved.report.status == Status::Converged && own <= 1.001 * tolerance && worst <= 1e-6;
    if good { Ok(()) } else { Err(text) }
}

#[test]
fn each_bead_of_a_column_carries_those_above_it() {
    let mut verdict = Verdict::default();
    for name in ["auto", "active-set"] {
        for (m, gh, n) in [(0.3, 9.81e-3, 33), (0.3, 9.81e-3, 1000), (1.0, 1.0 / 128.0, 1000)] {
            let checked = check_column(name, &vec![m; n], gh, 0.0, 1e-10);
            verdict.expect(checked.is_ok(), || checked.unwrap_err());
        }
    }
    verdict.pass();
}

#[test]
fn a_column_of_a_hundred_thousand_beads_is_solved_from_nothing() {
    // m = 1 and gh = 1/128: the impulses are binary fractions. With other numbers p alone rounds to
    // ε n^{3/2} = 7e−9 of residual (measured: the rounded exact solution has 4e−9 for m = 0.3 kg).
    let mut verdict = Verdict::default();
    for name in ["auto", "active-set"] {
        let checked = check_column(name, &vec![1.0; 100_000], 1.0 / 128.0, 0.0, 1e-10);
        verdict.expect(checked.is_ok(), || checked.unwrap_err());
    }
    verdict.pass();
}

#[test]
fn a_column_of_a_hundred_thousand_beads_is_solved_from_a_guess_of_all_closed() {
    let mut verdict = Verdict::default();
    for name in ["auto", "active-set"] {
        // Rounding as above for the second.
        for (m, gh, tolerance) in [(1.0, 1.0 / 128.0, 1e-10), (0.3, 9.81e-3, 1e-8)] {
            let checked = check_column(name, &vec![m; 100_000], gh, 1.0, tolerance);
            verdict.expect(checked.is_ok(), || checked.unwrap_err());
        }
    }
    verdict.pass();
}

/// Beads thrown about at random, with u_free_i = v_i − v_{i−1}.
fn thrown_column(random: &mut Random, n: usize) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let masses: Vec<f64> = (0..n).map(|_| random.power(-1.0, 1.0)).collect();
    // The lowest forty or so fall on the ground; above them a slow rise leaves some contacts open.
    let v: Vec<f64> = (0..n).map(|i| random.signed() + 0.5 * i as f64 - 20.0).collect();
    let u_free = (0..n).map(|i| v[i] - if i > 0 { v[i - 1] } else { 0.0 }).collect();
    (masses, v, u_free)
}

#[test]
fn open_and_closed_contacts_of_a_column_agree_with_pooling() {
    let mut verdict = Verdict::default();
    for (seed, n) in [(1, 10), (2, 200), (3, 2000), (4, 2000), (5, 100_000)] {
        let (masses, v, u_free) = thrown_column(&mut Random::new(seed), n);
        let expected = pooled_column(&masses, &v);
        let problem = column_of_beads(&masses, u_free.clone());
        let closed = expected.iter().filter(|p| **p > 0.0).count();
        for name in ["auto", "active-set"] {
            let begin = Instant::now();
            let solved = run(&mut *build_named(name), &problem, 1e-10, &vec![0.0; n]);
            let error = distance(&solved.p, &expected);
            let again = column_residual(&masses, &u_free, &solved.p);
            let text = format!(
                "seed {seed}, {closed} of {n} closed, by {name}: {:?}, own {again:.1e}, p to {error:.1e}, {:?}",
                solved.report,
                begin.elapsed()
            );
            println!("{text}");
            // 1e−8: 1e−10 in the residual times the condition of the closed blocks, of some ten beads.
            let good = solved.report.status == Status::Converged && again <= 1.001e-10 && error <= 1e-8;
            verdict.expect(good, || text);
        }
    }
    verdict.pass();
}

#[test]
fn lemke_agrees_with_pooling_on_a_column_of_moderate_length() {
    let n = 300;
    let (masses, v, u_free) = thrown_column(&mut Random::new(6), n);
    let solved =
        run(&mut *build_named("lemke"), &column_of_beads(&masses, u_free), 1e-10, &vec![0.0; n]);
    assert_eq!(solved.report.status, Status::Converged, "{:?}", solved.report);
    let error = distance(&solved.p, &pooled_column(&masses, &v));
    // Condition of the closed blocks times 1e−10, as above.
    assert!(error <= 1e-8, "{error:e} {:?}", solved.report);
}

/// A sparse dominant matrix: n rows, each coupled to about `band` others on either side of the diagonal.
fn dominant(random: &mut Random, n: usize, symmetric: bool) -> Vec<Vec<(usize, f64)>> {
    let mut dense: Vec<std::collections::BTreeMap<usize, f64>> = vec![Default::default(); n];
    for i in 0..n {
        for _ in 0..3 {
            let j = random.size(0, n - 1);
            if j != i {
                let x = random.signed();
                dense[i].insert(j, x);
                dense[j].insert(i, if symmetric { x } else { random.signed() });
            }
        }
    }
    for i in 0..n {
        // By 20 per cent, so that Gauss–Seidel gains a digit in about 13 sweeps.
        let rest: f64 = dense[i].values().map(|x| x.abs()).sum();
        dense[i].insert(i, 1.2 * rest + 0.1);
    }
    dense.into_iter().map(|row| row.into_iter().collect()).collect()
}

#[test]
fn large_sparse_problems_agree_with_projected_gauss_seidel() {
    let mut verdict = Verdict::default();
    for (seed, symmetric) in [(1, true), (2, false)] {
        let n = 2000;
        let random = &mut Random::new(seed);
        let rows = dominant(random, n, symmetric);
        let u_free = random.signed_vector(n);
        let expected = projected_gauss_seidel(&rows, &u_free, 2000);
        let triplets: Vec<(usize, usize, f64)> = rows
            .iter()
            .enumerate()
            .flat_map(|(i, row)| row.iter().map(move |&(j, w)| (i, j, w)))
            .collect();
        let w = Sparse::from_triplets(n, n, &triplets).expect("entries lie inside");
        let problem = Problem::complementarity(w, u_free).expect("well posed");
        assert_eq!(problem.symmetric, symmetric);
        let told = Problem { symmetric: false, ..problem.clone() };
        for (name, problem) in [("auto", &problem), ("active-set", &problem), ("active-set", &told)] {
            let begin = Instant::now();
            let solved = run(&mut *build_named(name), problem, 1e-12, &vec![0.0; n]);
            let error = distance(&solved.p, &expected);
            let text = format!(
                "seed {seed} by {name}: {:?}, p to {error:.1e}, {:?}",
                solved.report,
                begin.elapsed()
            );
            println!("{text}");
            // Gauss–Seidel ends at rounding; dominance bounds the condition number by about 10.
            verdict.expect(solved.report.status == Status::Converged && error <= 1e-11, || text);
        }
    }
    verdict.pass();
}

#[test]
fn auto_solves_many_more_contacts_than_velocities() {
    let mut verdict = Verdict::default();
    let mut worst = Worst::new("200 contacts, 50 velocities, own residual");
    for seed in 0..10 {
        let random = &mut Random::new(seed);
        let (n, k) = (200, 50);
        let h = random.signed_matrix(n, k);
        let mut u_free = multiply(&h, &random.signed_vector(k));
        // Half of the problems with contacts that are still apart: H v + s ≥ 0 contains v = 0.
        if seed % 2 == 1 {
            u_free.iter_mut().for_each(|u| *u += random.signed().max(0.0));
        }
        let sample = Sample::unilateral(gram(&h), u_free);
        let solved = run(&mut *build_named("auto"), &sample.problem(), 1e-10, &vec![0.0; n]);
        let (own, rounding) = residual(&sample, &solved.p);
        println!(
            "seed {seed}: {:?}, |p| = {:.1e}, rounding {rounding:.1e}",
            solved.report,
            norm(&solved.p)
        );
        verdict.expect(solved.report.status == Status::Converged, || {
            format!("seed {seed}: {:?}, |p| = {:.1e}", solved.report, norm(&solved.p))
        });
        worst.see(own, || format!("seed {seed}"));
    }
    // The tolerance asked for, and one per mille for another order of summation.
    worst.within(1.001e-10, &mut verdict);
    verdict.pass();
}

#[test]
fn piles_with_more_contacts_than_velocities_are_solved() {
    let mut verdict = Verdict::default();
    let cases = [
        ("auto", 30, 6, 300),
        ("auto", 200, 40, 10),
        ("auto", 400, 80, 2),
        ("auto", 1000, 200, 1),
        ("lemke", 30, 6, 500),
        ("lemke", 200, 40, 20),
        ("active-set", 16, 4, 500),
        ("active-set", 120, 30, 50),
    ];
    for (name, contacts, bodies, problems) in cases {
        for slack in [false, true] {
            let pile = Pile { contacts, bodies, slack, regular: true };
            let what = format!("{contacts} contacts of {bodies} bodies, slack {slack}, by {name}");
            let mut solved = Always::new(what);
            for seed in 0..problems {
                let sample = pile.sample(seed);
                let found = run(&mut *build_named(name), &sample.problem(), 1e-10, &vec![0.0; contacts]);
                let own = residual(&sample, &found.p).0;
                // The tolerance asked for, and one per mille for another order of summation.
                let good = found.report.status == Status::Converged && own <= 1.001e-10;
                solved.expect(good, contacts, || {
                    format!("seed {seed}: {:?}, |p| = {:.1e}", found.report, norm(&found.p))
                });
            }
            solved.holds(&mut verdict);
        }
    }
    verdict.pass();
}

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
                let random = &mut Random::new(!seed);
                let mut problem = family.sample(seed).problem();
                problem.matrix_stamp = Some(7);
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
                problem.matrix_stamp = (seed % 3 > 0).then_some(1000 * seed + name);
                if seed % 7 == 0 {
                    used.forget();
                }
                let guess = Random::new(seed).signed_vector(sample.size());
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
            let (_, _, u_free) = thrown_column(&mut Random::new(seed), n);
            let mut problem = column_of_beads(&vec![0.7; n], u_free);
            problem.matrix_stamp = Some(1);
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
    let (masses, _, u_free) = thrown_column(&mut Random::new(9), n);
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

#[test]
fn what_solve_reports_is_what_the_certificate_says() {
    for family in FAMILIES {
        for entry in SOLVERS {
            let sample = family.sample(60_000);
            let problem = sample.problem();
            let Some(solved) = run_fresh(entry, &problem, 1e-12) else { continue };
            let mut u = Vec::new();
            let certificate = certify(&problem, &solved.p, &mut u);
            assert_eq!(
                certificate.residual, solved.report.residual,
                "{} by {}",
                family.name, entry.name
            );
            assert_eq!(certificate.worst, solved.report.worst, "{} by {}", family.name, entry.name);
            assert_eq!(u, solved.u, "{} by {}", family.name, entry.name);
        }
    }
}

/// Claims success whatever it is given, with impulses of its own.
struct Liar(f64);

impl Solver for Liar {
    fn accepts(&self, _problem: &Problem) -> Result<(), Unsupported> {
        Ok(())
    }

    fn solve(&mut self, _problem: &Problem, _tolerance: f64, p: &mut [f64]) -> Outcome {
        p.fill(self.0);
        Outcome { status: Status::Converged, iterations: 1, method: "lie" }
    }

    fn forget(&mut self) {}
}

#[test]
fn a_solver_that_claims_success_is_not_believed() {
    let mut caught = 0;
    for family in FAMILIES.iter().chain(INFEASIBLE) {
        for seed in 0..100 {
            let sample = family.sample(seed);
            let n = sample.size();
            for lie in [0.0, 1.0, -1.0, 1e3, f64::NAN, f64::INFINITY] {
                let solved = run(&mut Liar(lie), &sample.problem(), 1e-10, &vec![0.0; n]);
                // A NaN is no small residual.
                let right = residual(&sample, &solved.p).0 <= 1e-10;
                let status = if right { Status::Converged } else { Status::Stalled };
                assert_eq!(solved.report.status, status, "{} seed {seed}, p = {lie}", family.name);
                caught += usize::from(!right);
            }
        }
    }
    assert!(caught > 5000, "most lies are lies: {caught}");
}

#[test]
fn numbers_whose_squares_leave_the_range_do_not_blind_the_certificate() {
    // One contact, W = 1, and impulses that are wrong by one per cent.
    for u_free in [-1e-170, -1e-100, -1.0, -1e100, -1e155, -1e200] {
        let sample = Sample::unilateral(vec![vec![1.0]], vec![u_free]);
        let solved = run(&mut Liar(-0.99 * u_free), &sample.problem(), 1e-6, &[0.0]);
        assert_eq!(solved.report.status, Status::Stalled, "u_free = {u_free:e}: {:?}", solved.report);
    }
}

#[test]
fn a_large_impulse_does_not_hide_the_velocity() {
    // Squeezed from both sides: u = (−1, −1) for all p = (t, t), so r = (−1, −1) and the residual is 1.
    // Computed as p − max(0, p − u), it is the rounding of p: lost for t ≥ 1e16.
    let squeezed = Sample::unilateral(vec![vec![1.0, -1.0], vec![-1.0, 1.0]], vec![-1.0, -1.0]);
    // The same with a joint given twice, from 1 m/s to rest.
    let mut joints = squeezed.clone();
    joints.sets.fill(Set::Free);
    let mut worst = Worst::new("error of the certificate");
    for (name, sample) in [("contacts", &squeezed), ("joints", &joints)] {
        for t in [0.0, 1.0, 1e4, 1e8, 1e12, 1e15, 1e17, 1e100] {
            let found = certify(&sample.problem(), &[t, t], &mut Vec::new()).residual;
            worst.see((found - 1.0).abs(), || format!("{name}, t = {t:e}: residual {found}"));
        }
    }
    let mut verdict = Verdict::default();
    // W p is exact here, so nothing but the rounding of a norm of two numbers remains.
    worst.within(1e-15, &mut verdict);
    verdict.pass();
}

#[test]
fn a_ray_of_an_unsymmetric_matrix_fools_the_certificate() {
    // Not as it should be: row 0 has no impulse that helps it, so there is no solution, yet along
    // p = (t, 0) the residual falls like 1/t, because ‖W p‖ in the denominator grows with row 1.
    // Symmetric semi-definite matrices have no such rays: pᵀ W p = 0 implies W p = 0.
    let sample = Sample::unilateral(vec![vec![0.0, 0.0], vec![1.0, 1.0]], vec![-1.0, 0.0]);
    let found = certify(&sample.problem(), &[1e12, 0.0], &mut Vec::new());
    assert_eq!(found.residual, 1e-12);
    // No solver follows it, even when it is handed the ray.
    for entry in SOLVERS {
        let solved = run(&mut *build(entry), &sample.problem(), 1e-10, &[1e12, 0.0]);
        assert_ne!(solved.report.status, Status::Converged, "{}: {:?}", entry.name, solved.report);
    }
}
