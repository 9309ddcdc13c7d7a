//! Gauss–Seidel: forms of W, orders, threads, units, and friction of every kind.

use crate::oracle::{Solved, Verdict, distance, run};
use crate::pile::Pile;
use crate::samples::{Random, gram};
use nonsmooth_solvers::{
    Delassus, Options, Primal, Problem, Set, Solver, Sparse, Status, certify, find,
};

const METHODS: [&str; 3] = ["nsgs", "pgs", "psor"];

fn solver(name: &str, sweeps: usize, order: &str) -> Box<dyn Solver> {
    let options = Options::default().with("max_sweeps", sweeps as f64).with_word("order", order);
    find(name).expect("listed").build(&options).expect("allowed")
}

/// As many sweeps as asked for, whatever the residual.
fn swept(name: &str, order: &str, problem: &Problem, sweeps: usize) -> Solved {
    run(&mut *solver(name, sweeps, order), problem, 0.0, &vec![0.0; problem.size()])
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

/// Every kind of set, several times.
fn all_sets(random: &mut Random, n: usize) -> Vec<Set> {
    (0..n)
        .map(|_| {
            let (mu, mu_r, mu_s) = (random.unit(), 0.3 * random.unit(), 0.1 * random.unit());
            match random.count(0, 8) {
                0 => Set::Nonnegative,
                1 => Set::Free,
                2 => Set::Interval { lower: -0.3 * mu, upper: mu },
                3 => Set::Coulomb2 { mu },
                4 => Set::Coulomb3 { mu },
                5 => Set::Pyramid { mu, sides: 6 },
                6 => Set::Rolling2 { mu, mu_r },
                7 => Set::Rolling3 { mu, mu_r },
                _ => Set::Spinning3 { mu, mu_r, mu_s },
            }
        })
        .collect()
}

/// H Hᵀ + δ I over these sets, as formed and by bodies: M = I with the columns of H and one more per row.
fn random_problem(random: &mut Random, sets: Vec<Set>, delta: f64) -> (Problem, Problem) {
    let n: usize = sets.iter().map(|set| set.dim()).sum();
    let h = random.signed_matrix(n, n);
    let mut w = gram(&h);
    (0..n).for_each(|i| w[i][i] += delta);
    let u_free = random.signed_vector(n);
    let formed = Problem::new(Sparse::from_rows(&w), u_free.clone(), sets.clone()).expect("well posed");
    let mut jacobian = h;
    for (i, row) in jacobian.iter_mut().enumerate() {
        row.extend((0..n).map(|j| if i == j { delta.sqrt() } else { 0.0 }));
    }
    let mass = Sparse::diagonal(&vec![1.0; 2 * n]);
    let factored = Primal::new(mass, Sparse::from_rows(&jacobian)).expect("well posed");
    (formed, Problem::posed(Delassus::from_primal(factored, true), u_free, sets).expect("well posed"))
}

#[test]
fn bodies_and_formed_matrices_give_the_same_sweeps() {
    let pile = Pile::new(400, 0.5);
    let random = &mut Random::mixed(3);
    let sets = all_sets(random, 12);
    let (formed, bodies) = random_problem(random, sets, 20.0);
    for (what, formed, bodies) in [("pile", pile.formed(), pile.factored()), ("mixed", formed, bodies)] {
        for name in METHODS {
            for order in ["natural", "coloured"] {
                let (a, b) = (swept(name, order, &formed, 30), swept(name, order, &bodies, 30));
                // Rounding of W against that of J and v. Colours are chosen by other graphs, so the
                // coloured orders agree only where they end; the mixed problem is one clique.
                let apart = distance(&a.p, &b.p);
                let same = order == "natural" || what == "mixed";
                assert!(!same || apart <= 1e-11, "{what} by {name}, {order}: {apart:e}");
            }
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    // Enough for colours that threads share, which begins at 512 constraints.
    let pile = Pile::new(20_000, 0.4);
    for problem in [pile.formed(), pile.factored()] {
        for name in ["nsgs", "psor"] {
            let with = |threads: usize| {
                let pool =
                    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
                pool.install(|| swept(name, "coloured", &problem, 6))
            };
            let one = with(1);
            assert_eq!(one.report.iterations, 6);
            for threads in [2, 8] {
                let many = with(threads);
                assert!(bits(&one.p) == bits(&many.p), "{name}, {threads} threads");
                assert_eq!(one.report, many.report, "{name}, {threads} threads");
            }
        }
    }
}

/// A pile with a tenth of 1/m added to the diagonal of W: definite, and so little friction that u is unique.
fn definite_pile(n_contacts: usize) -> Problem {
    let mut problem = Pile::new(n_contacts, 0.1).formed();
    let w = problem.delassus.explicit_mut();
    for i in 0..w.n_rows() {
        let (begin, end) = (w.start[i], w.start[i + 1]);
        let k = (begin..end).find(|&k| w.column[k] as usize == i).expect("the diagonal is stored");
        w.value[k] += 0.05;
    }
    problem
}

#[test]
fn both_orders_end_in_the_same_place() {
    let problem = definite_pile(400);
    let solve = |order: &str| {
        let mut nsgs = solver("nsgs", 10_000, order);
        run(&mut *nsgs, &problem, 1e-12, &vec![0.0; problem.size()])
    };
    let (natural, coloured) = (solve("natural"), solve("coloured"));
    assert_eq!(natural.report.status, Status::Converged, "{:?}", natural.report);
    assert_eq!(coloured.report.status, Status::Converged, "{:?}", coloured.report);
    println!("{} and {} sweeps", natural.report.iterations, coloured.report.iterations);
    // W ≥ 0.05: residuals of 1e-12 are errors of p of 1e-10 at most.
    assert!(distance(&natural.p, &coloured.p) <= 1e-9, "{:e}", distance(&natural.p, &coloured.p));
}

#[test]
fn units_change_nothing_but_the_units() {
    let random = &mut Random::mixed(5);
    let sets: Vec<Set> = all_sets(random, 12)
        .into_iter()
        // The bounds of a relay are impulses, which have units too.
        .filter(|set| !matches!(set, Set::Interval { .. }))
        .collect();
    let (problem, _) = random_problem(random, sets, 10.0);
    for name in METHODS {
        let here = swept(name, "natural", &problem, 40);
        for (by_matrix, by_velocity) in [(1e8, 1.0), (1e-8, 1.0), (1.0, 1e8), (1e8, 1e-8)] {
            let mut other = problem.clone();
            other.delassus.explicit_mut().value.iter_mut().for_each(|w| *w *= by_matrix);
            other.u_free.iter_mut().for_each(|u| *u *= by_velocity);
            let mut there = swept(name, "natural", &other, 40);
            there.p.iter_mut().for_each(|p| *p *= by_matrix / by_velocity);
            let apart = distance(&there.p, &here.p);
            // Decimal factors round each number once.
            assert!(apart <= 1e-10, "{name}, {by_matrix:e} {by_velocity:e}: {apart:e}");
        }
    }
}

#[test]
fn every_kind_of_set_is_solved_to_rounding() {
    let mut verdict = Verdict::default();
    for seed in 0..60 {
        let random = &mut Random::mixed(seed);
        let sets = all_sets(random, 8);
        let size: usize = sets.iter().map(|set| set.dim()).sum();
        let (formed, bodies) = random_problem(random, sets, 0.5 * size as f64);
        for problem in [&formed, &bodies] {
            for name in ["nsgs", "pgs"] {
                let solved =
                    run(&mut *solver(name, 20_000, "natural"), problem, 1e-12, &vec![0.0; size]);
                verdict.expect(solved.report.status == Status::Converged, || {
                    format!("seed {seed} by {name}: {:?}, {:?}", solved.report, problem.sets)
                });
            }
        }
    }
    verdict.pass();
}

#[test]
fn random_piles_with_friction_are_solved_whatever_the_guess() {
    let mut verdict = Verdict::default();
    for seed in 0..6 {
        let random = &mut Random::mixed(seed);
        let mut pile = Pile::new(60 + 20 * seed as usize, 0.0);
        pile.sets.iter_mut().for_each(|set| *set = Set::Coulomb3 { mu: random.unit() });
        pile.u_free.iter_mut().for_each(|u| *u += 1e-3 * random.signed());
        let problem = pile.formed();
        let n = problem.size();
        let cold = run(&mut *solver("nsgs", 200_000, "natural"), &problem, 1e-8, &vec![0.0; n]);
        let garbage: Vec<f64> = (0..n).map(|_| 1e9 * random.signed()).collect();
        let mut broken = cold.p.clone();
        (broken[0], broken[n / 2]) = (f64::NAN, f64::INFINITY);
        for guess in [cold.p.clone(), garbage, broken, vec![-1.0; n]] {
            let solved = run(&mut *solver("nsgs", 200_000, "natural"), &problem, 1e-8, &guess);
            verdict.expect(solved.report.status == Status::Converged, || {
                format!("seed {seed}: {:?}", solved.report)
            });
        }
        let warm = run(&mut *solver("nsgs", 200_000, "natural"), &problem, 1e-8, &cold.p);
        verdict.expect(cold.report.status == Status::Converged && warm.report.iterations <= 1, || {
            format!("seed {seed}: cold {:?}, warm {:?}", cold.report, warm.report)
        });
    }
    verdict.pass();
}

#[test]
fn the_order_of_the_contacts_changes_nothing() {
    let problem = definite_pile(200);
    let order = Random::mixed(1).permutation(problem.sets.len());
    let rows: Vec<usize> = order.iter().flat_map(|&c| 3 * c..3 * c + 3).collect();
    let w: Vec<Vec<f64>> =
        rows.iter().map(|&i| rows.iter().map(|&j| problem.assembled().get(i, j)).collect()).collect();
    let u_free = rows.iter().map(|&i| problem.u_free[i]).collect();
    let shuffled =
        Problem::new(Sparse::from_rows(&w), u_free, problem.sets.clone()).expect("well posed");
    for name in METHODS {
        let solve = |problem: &Problem| {
            run(&mut *solver(name, 10_000, "natural"), problem, 1e-12, &vec![0.0; problem.size()])
        };
        let (first, second) = (solve(&problem), solve(&shuffled));
        assert_eq!(second.report.status, Status::Converged, "{name}: {:?}", second.report);
        let mut back = vec![0.0; rows.len()];
        rows.iter().zip(&second.p).for_each(|(&i, &p)| back[i] = p);
        // As above.
        assert!(distance(&back, &first.p) <= 1e-9, "{name}: {:e}", distance(&back, &first.p));
    }
}

#[test]
fn contacts_that_nothing_moves_leave_finite_impulses() {
    // Constraint 1 has a block of zeros; it approaches (no solution) or not (solved).
    for (approach, status) in [(-1.0, None), (1.0, Some(Status::Converged))] {
        for set in [Set::Coulomb3 { mu: 0.5 }, Set::Rolling2 { mu: 0.5, mu_r: 0.1 }] {
            let sets = vec![Set::Coulomb3 { mu: 0.5 }, set, Set::Free];
            let mut diagonal = vec![1.0; 7];
            diagonal[3..6].fill(0.0);
            let u_free = vec![-1.0, 0.2, 0.1, approach, 0.0, 0.3, 1.0];
            let problem = Problem::new(Sparse::diagonal(&diagonal), u_free, sets).expect("well posed");
            for name in METHODS {
                let solved = run(&mut *solver(name, 100, "natural"), &problem, 1e-10, &[1.0; 7]);
                assert!(solved.p.iter().all(|p| p.is_finite()), "{name}: {:?}", solved.p);
                assert!((solved.p[6] + 1.0).abs() < 1e-9, "the joint is solved: {:?}", solved.p);
                match status {
                    Some(status) => assert_eq!(solved.report.status, status, "{name}"),
                    None => assert_ne!(solved.report.status, Status::Converged, "{name}"),
                }
            }
        }
    }
}

#[test]
fn sweeps_are_counted_and_the_limit_is_kept() {
    let problem = Pile::new(300, 0.5).formed();
    for name in METHODS {
        let solved = swept(name, "natural", &problem, 7);
        assert_eq!((solved.report.iterations, solved.report.status), (7, Status::IterationLimit));
        let more = swept(name, "natural", &problem, 70);
        assert!(more.report.residual < solved.report.residual, "{name}");
        assert!(solved.p.iter().all(|p| p.is_finite()));
        let again = certify(&problem, &solved.p, &mut Vec::new());
        assert_eq!(again.residual, solved.report.residual);
    }
}

#[test]
fn bodies_are_swept_without_forming_the_matrix() {
    // 3000 contacts on one body: W would have 8·10⁷ entries, 0.6 GB; J has 5·10⁴.
    let random = &mut Random::mixed(2);
    let n = 3000;
    let jacobian = random.signed_matrix(3 * n, 6);
    let mass = Sparse::diagonal(&[1.0; 6]);
    let v = random.signed_vector(6);
    let u_free = crate::samples::multiply(&jacobian, &v);
    let factored = Primal::new(mass, Sparse::from_rows(&jacobian)).expect("well posed");
    let sets = vec![Set::Coulomb3 { mu: 0.3 }; n];
    let problem =
        Problem::posed(Delassus::from_primal(factored, true), u_free, sets).expect("well posed");
    let begin = std::time::Instant::now();
    let solved = swept("nsgs", "natural", &problem, 20);
    assert!(problem.primal().is_some());
    assert!(solved.report.residual < 1.0 && begin.elapsed().as_secs() < 20);
}
