//! Columns of beads, short and very long: each carries those above it, and pooling gives the exact answer.

use crate::oracle::{Verdict, build_named, distance, norm, pooled_column, run};
use crate::samples::Random;
use nonsmooth_solvers::{Options, Problem, Sparse, Status, find};
use std::time::Instant;

/// Contacts of a column of beads: contact i between beads i − 1 and i, contact 0 with the ground.
pub fn column_of_beads(masses: &[f64], u_free: Vec<f64>) -> Problem {
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
    assert!(problem.delassus.symmetric, "a column of beads has a symmetric matrix");
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
pub fn thrown_column(random: &mut Random, n: usize) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
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
        let (masses, v, u_free) = thrown_column(&mut Random::mixed(seed), n);
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
    let (masses, v, u_free) = thrown_column(&mut Random::mixed(6), n);
    let solved =
        run(&mut *build_named("lemke"), &column_of_beads(&masses, u_free), 1e-10, &vec![0.0; n]);
    assert_eq!(solved.report.status, Status::Converged, "{:?}", solved.report);
    let error = distance(&solved.p, &pooled_column(&masses, &v));
    // Condition of the closed blocks times 1e−10, as above.
    assert!(error <= 1e-8, "{error:e} {:?}", solved.report);
}
