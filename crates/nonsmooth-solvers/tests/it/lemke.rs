//! `lemke` on relays and mixed problems with singular joints, `lemke-faceted` on friction, both against `enumerate`.

use crate::oracle::{Always, Solved, Verdict, Worst, build_named, distance, run};
use crate::samples::{Random, Sample, gram, multiply};
use nonsmooth_solvers::{Options, Set, Status, find};

const TOLERANCE: f64 = 1e-12;

fn solved_by(name: &str, sample: &Sample, tolerance: f64) -> Solved {
    run(&mut *build_named(name), &sample.problem(), tolerance, &vec![0.0; sample.size()])
}

fn faceted(sample: &Sample, options: &Options, tolerance: f64) -> Solved {
    let mut solver = find("lemke-faceted").expect("listed").build(options).expect("allowed");
    run(&mut *solver, &sample.problem(), tolerance, &vec![0.0; sample.size()])
}

fn converged(solved: &Solved) -> bool {
    solved.report.status == Status::Converged
}

/// Relays between finite bounds with any matrix at all: the set is compact, so a solution exists.
fn relays(random: &mut Random) -> Sample {
    let n = random.count(1, 7);
    let whole = random.count(0, 2) == 0;
    let rows = if whole { random.whole_matrix(n, n, 2) } else { random.signed_matrix(n, n) };
    let u_free = if whole { random.whole_vector(n, 2) } else { random.signed_vector(n) };
    let mut bounds = || {
        let lower = if whole { random.whole(-2, 1) as f64 } else { 2.0 * random.signed() };
        // One in six is a single point.
        let length = if random.count(0, 5) == 0 { 0.0 } else { 1.0 + random.count(0, 2) as f64 };
        Set::Interval { lower, upper: lower + length }
    };
    let sets = (0..n).map(|_| bounds()).collect();
    Sample { rows, u_free, sets }
}

#[test]
fn a_relay_between_finite_bounds_is_always_solved() {
    let mut verdict = Verdict::default();
    let mut always = Always::new("relays with any matrix");
    for seed in 0..5000 {
        let sample = relays(&mut Random::mixed(seed));
        for name in ["lemke", "enumerate"] {
            let solved = solved_by(name, &sample, TOLERANCE);
            always.expect(converged(&solved), sample.size(), || {
                format!("seed {seed} by {name}: {:?}, {sample:?}", solved.report)
            });
        }
    }
    always.holds(&mut verdict);
    verdict.pass();
}

/// Bounds of every kind on a positive definite matrix: one solution.
#[test]
fn half_open_and_mixed_bounds_agree_with_enumeration() {
    let mut verdict = Verdict::default();
    let mut worst = Worst::new("p of lemke against enumerate");
    let mut always = Always::new("mixed bounds solved");
    for seed in 0..3000 {
        let random = &mut Random::mixed(seed);
        let mut sample = relays(random);
        let n = sample.size();
        sample.rows = gram(&random.signed_matrix(n, n));
        (0..n).for_each(|i| sample.rows[i][i] += 0.1);
        for set in &mut sample.sets {
            let (lower, upper) = set.bounds();
            *set = match random.count(0, 4) {
                0 => Set::Free,
                1 => Set::Nonnegative,
                2 => Set::Interval { lower, upper: f64::INFINITY },
                3 => Set::Interval { lower: f64::NEG_INFINITY, upper },
                _ => *set,
            };
        }
        let (a, b) =
            (solved_by("lemke", &sample, TOLERANCE), solved_by("enumerate", &sample, TOLERANCE));
        let at = || format!("seed {seed}: {:?} {:?}, {sample:?}", a.report, b.report);
        always.expect(converged(&a) && converged(&b), n, at);
        worst.see(distance(&a.p, &b.p), || format!("seed {seed}"));
    }
    always.holds(&mut verdict);
    // Condition number below n²/0.1 + 1, about 500.
    worst.within(1e-10, &mut verdict);
    verdict.pass();
}

/// A passive circuit: joints F and diodes, W = [A C; −Cᵀ B] with A singular or zero, A and B positive semi-definite.
/// Feasible and monotone, hence solvable.
fn circuit(random: &mut Random) -> Sample {
    let (f, m) = (random.count(1, 5), random.count(1, 6));
    let n = f + m;
    let whole = random.count(0, 1) == 0;
    let mut matrix = |rows: usize, columns: usize| {
        if whole { random.whole_matrix(rows, columns, 1) } else { random.signed_matrix(rows, columns) }
    };
    let (low, high) = (gram(&matrix(f, f / 2)), gram(&matrix(m, m / 2)));
    let c = matrix(f, m);
    let entry = |i: usize, j: usize| match (i < f, j < f) {
        (true, true) => low[i][j],
        (true, false) => c[i][j - f],
        (false, true) => -c[j][i - f],
        (false, false) => high[i - f][j - f],
    };
    let rows: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
    // A feasible point: p_F any, p_B ≥ 0 with u_F = 0, u_B ≥ 0.
    let p: Vec<f64> = (0..n)
        .map(|i| if i < f { random.whole(-2, 2) as f64 } else { random.whole(0, 2) as f64 })
        .collect();
    let moved = multiply(&rows, &p);
    let slack = |i: usize, random: &mut Random| if i < f { 0.0 } else { random.whole(0, 2) as f64 };
    let u_free = (0..n).map(|i| slack(i, random) - moved[i]).collect();
    let sets = (0..n).map(|i| if i < f { Set::Free } else { Set::Nonnegative }).collect();
    let sample = Sample { rows, u_free, sets };
    let order = random.permutation(n);
    sample.permuted(&order)
}

#[test]
fn circuits_whose_joints_alone_are_singular_are_solved() {
    let mut verdict = Verdict::default();
    let mut always = Always::new("circuits");
    for seed in 0..5000 {
        let sample = circuit(&mut Random::mixed(seed));
        for name in ["lemke", "enumerate"] {
            // Nearly dependent rows make large impulses, and W p rounds.
            let solved = solved_by(name, &sample, 1e-10);
            always.expect(converged(&solved), sample.size(), || {
                format!("seed {seed} by {name}: {:?}, {sample:?}", solved.report)
            });
        }
    }
    always.holds(&mut verdict);
    verdict.pass();
}

/// Contacts of one or two planar or spatial bodies with the ground or each other: u_free = H v, so that v = 0 is
/// compatible and a solution exists. Sets by `set`; rows of one constraint at a time.
pub fn rubbing(random: &mut Random, set: &mut dyn FnMut(&mut Random) -> Set) -> Sample {
    let contacts = random.count(1, 3);
    let sets: Vec<Set> = (0..contacts).map(|_| set(random)).collect();
    let n: usize = sets.iter().map(|set| set.dim()).sum();
    let k = random.count(2, n + 2);
    let whole = random.count(0, 2) == 0;
    let h = if whole { random.whole_matrix(n, k, 1) } else { random.signed_matrix(n, k) };
    let v = if whole { random.whole_vector(k, 2) } else { random.signed_vector(k) };
    Sample { rows: gram(&h), u_free: multiply(&h, &v), sets }
}

fn planar(random: &mut Random) -> Set {
    let mu = [0.0, 0.1, 0.5, 1.0, 3.0][random.count(0, 4)];
    match random.count(0, 7) {
        0 => Set::Nonnegative,
        1 => Set::Free,
        2 => Set::Interval { lower: -0.5, upper: 1.0 },
        3 => Set::Rolling2 { mu, mu_r: 0.3 * random.unit() },
        _ => Set::Coulomb2 { mu },
    }
}

fn pyramid(random: &mut Random) -> Set {
    let mu = [0.0, 0.2, 0.7, 2.0][random.count(0, 3)];
    match random.count(0, 5) {
        0 => Set::Nonnegative,
        1 => Set::Coulomb2 { mu },
        _ => Set::Pyramid { mu, sides: random.count(3, 5) as u32 },
    }
}

#[test]
fn friction_in_the_plane_and_on_pyramids_is_solved_to_rounding_whatever_the_coefficient() {
    let mut verdict = Verdict::default();
    let by_parts = Options::default().with_word("formulation", "parts");
    for (what, problems) in [("planar", 3000), ("pyramid", 1000)] {
        let kind = if what == "planar" { planar } else { pyramid };
        let mut by_lemke = Always::new(format!("{what} by lemke-faceted"));
        let mut by_oracle = Always::new(format!("{what} by enumerate"));
        let mut parts = (0, 0);
        for seed in 0..problems {
            let sample = rubbing(&mut Random::mixed(seed), &mut |random| kind(random));
            let solved = faceted(&sample, &Options::default(), 1e-10);
            let at = |solved: &Solved| format!("seed {seed}: {:?}, {sample:?}", solved.report);
            by_lemke.expect(converged(&solved), sample.size(), || at(&solved));
            let solved = solved_by("enumerate", &sample, 1e-10);
            by_oracle.expect(converged(&solved), sample.size(), || at(&solved));
            if what == "planar" {
                parts.0 += usize::from(converged(&faceted(&sample, &by_parts, 1e-10)));
                parts.1 += 1;
            }
        }
        by_lemke.holds(&mut verdict);
        by_oracle.holds(&mut verdict);
        if parts.1 > 0 {
            println!("{what} by parts: {} of {} solved", parts.0, parts.1);
            // Its matrix is not copositive: rays are possible, but must stay rare.
            verdict.expect(100 * parts.0 >= 99 * parts.1, || format!("by parts: {parts:?}"));
        }
    }
    verdict.pass();
}

/// One planar contact, W definite, μ |W_NT| < W_NN: u is unique.
#[test]
fn one_planar_contact_has_the_velocity_of_enumeration_in_both_formulations() {
    let mut verdict = Verdict::default();
    let mut worst = Worst::new("u of lemke-faceted against enumerate");
    for seed in 0..3000 {
        let random = &mut Random::mixed(seed);
        let mut w = gram(&random.signed_matrix(2, 2));
        (0..2).for_each(|i| w[i][i] += 0.1);
        let mu = random.unit() * (0.9 * w[0][0] / w[0][1].abs()).min(2.0);
        let sets = vec![Set::Coulomb2 { mu }];
        let sample = Sample { rows: w, u_free: random.signed_vector(2), sets };
        let expected = solved_by("enumerate", &sample, TOLERANCE);
        for formulation in ["alternative", "parts"] {
            let options = Options::default().with_word("formulation", formulation);
            let found = faceted(&sample, &options, TOLERANCE);
            let good = converged(&found) && converged(&expected);
            verdict.expect(good, || format!("seed {seed} {formulation}: {:?}", found.report));
            let apart: Vec<f64> = found.u.iter().zip(&expected.u).map(|(a, b)| a - b).collect();
            worst.see(distance(&apart, &[0.0, 0.0]), || format!("seed {seed} {formulation}"));
        }
    }
    // ‖u_free‖ < 1.5, condition number below 30.
    worst.within(1e-11, &mut verdict);
    verdict.pass();
}

/// The contacts of a sample in another order.
fn reordered(sample: &Sample, random: &mut Random) -> Sample {
    let mut begins = Vec::new();
    let mut next = 0;
    for set in &sample.sets {
        begins.push(next);
        next += set.dim();
    }
    let order = random.permutation(sample.sets.len());
    let rows: Vec<usize> =
        order.iter().flat_map(|&c| begins[c]..begins[c] + sample.sets[c].dim()).collect();
    let scalar = Sample { sets: vec![Set::Free; sample.size()], ..sample.clone() }.permuted(&rows);
    Sample { sets: order.iter().map(|&c| sample.sets[c]).collect(), ..scalar }
}

#[test]
fn units_and_order_do_not_change_whether_friction_is_solved() {
    let mut verdict = Verdict::default();
    let mut always = Always::new("scaled and reordered friction");
    for seed in 10_000..10_500 {
        let random = &mut Random::mixed(seed);
        // A relay has a unit of its own.
        let sample = rubbing(random, &mut |random| match planar(random) {
            Set::Interval { .. } => Set::Coulomb2 { mu: 0.4 },
            set => set,
        });
        let scales = [(1e8, 1.0), (1e-8, 1.0), (1.0, 1e8), (1.0, 1e-8), (1e8, 1e-8)];
        let mut changed: Vec<Sample> = scales.iter().map(|s| sample.scaled(s.0, s.1)).collect();
        changed.push(reordered(&sample, random));
        for (k, sample) in changed.iter().enumerate() {
            let solved = faceted(sample, &Options::default(), 1e-10);
            always.expect(converged(&solved), sample.size(), || {
                format!("seed {seed}, change {k}: {:?}, {sample:?}", solved.report)
            });
        }
    }
    always.holds(&mut verdict);
    verdict.pass();
}

/// Two walls that close in on one body: no impulse can help, with friction or without.
#[test]
fn a_body_between_closing_walls_is_infeasible_with_friction_too() {
    for mu in [0.0, 0.3, 2.0] {
        // Contacts with normals +x and −x, tangents y; unit mass.
        let h = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, 1.0]].map(Vec::from);
        let sets = vec![Set::Coulomb2 { mu }; 2];
        let sample = Sample { rows: gram(&h), u_free: vec![-1.0, 0.5, -1.0, 0.5], sets };
        for name in ["lemke-faceted", "enumerate"] {
            let solved = solved_by(name, &sample, 1e-6);
            assert_eq!(solved.report.status, Status::Infeasible, "{name}: {:?}", solved.report);
            assert!(solved.p.iter().all(|p| p.is_finite()));
        }
    }
}

#[test]
fn facets_approach_the_cone_and_the_report_shows_both_residuals() {
    let mut verdict = Verdict::default();
    for sides in [8, 64, 512] {
        let mut worst = Worst::new(format!("{sides} sides: residual of the true cone"));
        let mut own = Worst::new(format!("{sides} sides: residual of the faceted problem"));
        for seed in 0..100 {
            let random = &mut Random::mixed(seed);
            let mut w = gram(&random.signed_matrix(3, 3));
            (0..3).for_each(|i| w[i][i] += 0.2);
            let sets = vec![Set::Coulomb3 { mu: 0.5 }];
            let sample = Sample { rows: w, u_free: random.signed_vector(3), sets };
            let options = Options::default().with("sides", f64::from(sides));
            let mut solver = find("lemke-faceted").expect("listed").build(&options).expect("allowed");
            let solved = run(&mut *solver, &sample.problem(), 1e-12, &[0.0; 3]);
            worst.see(solved.report.residual, || format!("seed {seed}"));
            let attempts = solver.attempts();
            assert_eq!((attempts.len(), attempts[0].method), (1, "faceted problem"));
            own.see(attempts[0].residual, || format!("seed {seed}"));
        }
        own.within(1e-12, &mut verdict);
        // A corner differs by up to π/sides from the direction of sliding.
        worst.within(std::f64::consts::PI / f64::from(sides), &mut verdict);
    }
    verdict.pass();
}

#[test]
fn rolling_and_spinning_by_facets_satisfies_its_own_complementarity_problem() {
    let sets = [Set::Rolling3 { mu: 0.5, mu_r: 0.1 }, Set::Spinning3 { mu: 0.5, mu_r: 0.1, mu_s: 0.05 }];
    for seed in 0..200 {
        let random = &mut Random::mixed(seed);
        let sample = rubbing(random, &mut |random| sets[random.count(0, 1)]);
        let mut solver = build_named("lemke-faceted");
        run(&mut *solver, &sample.problem(), 1e-10, &vec![0.0; sample.size()]);
        let attempt = solver.attempts()[0];
        assert!(attempt.residual <= 1e-10, "seed {seed}: {attempt:?}, {sample:?}");
    }
}

#[test]
fn what_the_formulations_do_not_take_is_declined_in_words() {
    let options = Options::default().with_word("formulation", "parts");
    let solver = find("lemke-faceted").expect("listed").build(&options).expect("allowed");
    let sets = vec![Set::Coulomb3 { mu: 0.5 }];
    let rows = (0..3).map(|i| (0..3).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    let problem = Sample { rows, u_free: vec![-1.0, 1.0, 0.0], sets }.problem();
    let words = solver.accepts(&problem).expect_err("by parts is for the plane").to_string();
    assert!(words.contains("friction in space by positive and negative parts"), "{words}");
    let flat = find("lemke-faceted").expect("listed").build(&Options::default().with("sides", 2.0));
    assert!(flat.expect("2 is a count").accepts(&problem).is_err());
}

/// Ties everywhere, thousands of pivots in all: the lexicographic rule ends every path.
#[test]
fn degenerate_friction_never_reaches_the_pivot_limit() {
    for seed in 0..300 {
        let random = &mut Random::mixed(seed);
        let contacts = random.count(2, 8);
        let h = random.whole_matrix(2 * contacts, 3, 1);
        let sets = vec![Set::Coulomb2 { mu: 1.0 }; contacts];
        let u_free = multiply(&h, &random.whole_vector(3, 1));
        let sample = Sample { rows: gram(&h), u_free, sets };
        let solved = faceted(&sample, &Options::default().with("max_pivots", 2000.0), 1e-10);
        assert!(converged(&solved), "seed {seed}: {:?}, {sample:?}", solved.report);
    }
}
