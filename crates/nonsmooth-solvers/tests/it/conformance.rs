//! Every solver on problems with known answers, and on large ones.

use crate::oracle::{
    Always, Verdict, Worst, build, build_named, distance, norm, projected_gauss_seidel, residual, run,
};
use crate::samples::{Pile, Random, Sample, gram, multiply};
use nonsmooth_solvers::{Problem, SOLVERS, Set, Sparse, Status};
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

/// A sparse dominant matrix: n rows, each coupled to about `band` others on either side of the diagonal.
fn dominant(random: &mut Random, n: usize, symmetric: bool) -> Vec<Vec<(usize, f64)>> {
    let mut dense: Vec<std::collections::BTreeMap<usize, f64>> = vec![Default::default(); n];
    for i in 0..n {
        for _ in 0..3 {
            let j = random.count(0, n - 1);
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
        let random = &mut Random::mixed(seed);
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
        assert_eq!(problem.delassus.symmetric, symmetric);
        let mut told = problem.clone();
        told.delassus.symmetric = false;
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
        let random = &mut Random::mixed(seed);
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
