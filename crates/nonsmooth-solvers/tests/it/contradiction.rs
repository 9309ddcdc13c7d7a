//! Problems without solution are proven so, with the constraints that cannot be reconciled; others never are.

use crate::samples::Random;
use nonsmooth_solvers::{
    Options, Problem, SOLVERS, Set, Sparse, Status, certify, contradiction, find, solve,
};

/// W = J Jᵀ and u_free = J v + `bias`.
fn by_rows(jacobian: &[Vec<f64>], u_free: Vec<f64>, sets: Vec<Set>) -> Problem {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let w: Vec<Vec<f64>> =
        jacobian.iter().map(|a| jacobian.iter().map(|b| dot(a, b)).collect()).collect();
    let mut problem = Problem::new(Sparse::from_rows(&w), u_free, sets).expect("well posed");
    problem.delassus.symmetric = true;
    problem
}

/// Every solver that takes the problem says that there is no solution, or that it found none, and never that it did.
fn all_say_so(problem: &Problem, tolerance: f64) {
    for entry in SOLVERS {
        let mut solver = entry.build(&Options::default()).expect("defaults");
        let mut p = vec![0.0; problem.size()];
        let report = solve(&mut *solver, problem, tolerance, &mut p, &mut Vec::new());
        let good = matches!(report.status, Status::Infeasible | Status::Unsupported);
        assert!(good, "{}: {report:?}", entry.name);
    }
}

#[test]
fn a_squeezed_body_names_both_walls() {
    // A disc between two walls that approach each other, on a floor, beside another disc.
    let jacobian = vec![
        vec![1.0, 0.0, 0.0],
        vec![0.0, 1.0, 0.0],
        vec![-1.0, 0.0, 0.0],
        vec![0.0, 1.0, 0.0],
        vec![0.0, 1.0, 0.0],
        vec![1.0, 0.0, 0.0],
        vec![0.0, 0.0, 1.0],
    ];
    let u_free = vec![-0.1, 0.2, -0.3, 0.1, -1.0, 0.4, -1.0];
    let mut sets = vec![Set::Coulomb2 { mu: 0.5 }; 3];
    sets.push(Set::Nonnegative);
    let problem = by_rows(&jacobian, u_free, sets);
    let found = contradiction(&problem, 1e-6).expect("there is no solution");
    assert_eq!(found.constraints, [0, 1]);
    all_say_so(&problem, 1e-6);
    // Above the bound nothing is claimed.
    assert_eq!(contradiction(&problem, 1.01 * found.bound), None);
}

#[test]
fn what_nothing_moves_and_joints_that_ask_for_two_velocities_are_infeasible() {
    let still = by_rows(&[vec![0.0], vec![1.0]], vec![-1.0, -1.0], vec![Set::Nonnegative; 2]);
    assert_eq!(contradiction(&still, 1e-8).expect("it cannot open").constraints, [0]);
    all_say_so(&still, 1e-8);
    let joints = by_rows(&[vec![1.0], vec![1.0]], vec![1.0, 2.0], vec![Set::Free; 2]);
    assert_eq!(contradiction(&joints, 1e-8).expect("two velocities").constraints, [0, 1]);
    all_say_so(&joints, 1e-8);
    // The same velocity twice is no contradiction.
    let twice = by_rows(&[vec![1.0], vec![1.0]], vec![1.0, 1.0], vec![Set::Free; 2]);
    assert_eq!(contradiction(&twice, 1e-12), None);
}

/// Rows of random sets, more of them than velocities, with u_free = J v + s.
fn random_rows(random: &mut Random) -> (Vec<Vec<f64>>, Vec<Set>, usize) {
    let n = random.count(1, 4);
    let sets: Vec<Set> = (0..random.count(1, 7))
        .map(|_| match random.count(0, 3) {
            0 => Set::Free,
            1 => Set::Nonnegative,
            2 => Set::Coulomb2 { mu: random.unit() },
            _ => Set::Coulomb3 { mu: random.unit() },
        })
        .collect();
    let rows: usize = sets.iter().map(|set| set.dim()).sum();
    (random.signed_matrix(rows, n), sets, n)
}

#[test]
fn random_problems_with_a_feasible_velocity_are_never_called_infeasible() {
    let mut auto = find("auto").expect("listed").build(&Options::default()).expect("defaults");
    for seed in 0..20_000 {
        let random = &mut Random::mixed(seed);
        let (jacobian, sets, n) = random_rows(random);
        let v = random.signed_vector(n);
        let mut u_free: Vec<f64> =
            jacobian.iter().map(|row| row.iter().zip(&v).map(|(a, b)| a * b).sum()).collect();
        let mut begin = 0;
        for set in &sets {
            // One half barely feasible.
            if *set != Set::Free && random.count(0, 1) == 0 {
                u_free[begin] += random.unit();
            }
            begin += set.dim();
        }
        let problem = by_rows(&jacobian, u_free, sets);
        assert_eq!(contradiction(&problem, 1e-12), None, "seed {seed}: {problem:?}");
        if seed % 20 == 0 {
            let mut p = vec![0.0; problem.size()];
            let report = solve(&mut *auto, &problem, 1e-8, &mut p, &mut Vec::new());
            assert_ne!(report.status, Status::Infeasible, "seed {seed}: {problem:?}");
        }
    }
}

#[test]
fn random_problems_that_are_squeezed_are_proven_infeasible() {
    for seed in 0..20_000 {
        let random = &mut Random::mixed(seed);
        let (mut jacobian, mut sets, n) = random_rows(random);
        let mut u_free = random.signed_vector(jacobian.len());
        // A last row that is minus a positive combination of two others, with velocities that cannot be.
        let others = [random.signed_vector(n), random.signed_vector(n)];
        let share = [0.2 + random.unit(), 0.2 + random.unit()];
        let gap = [random.signed(), random.signed()];
        let last: Vec<f64> =
            (0..n).map(|k| -share[0] * others[0][k] - share[1] * others[1][k]).collect();
        let missing = -share[0] * gap[0] - share[1] * gap[1] - 0.5 - random.unit();
        for (row, free) in [(others[0].clone(), gap[0]), (others[1].clone(), gap[1]), (last, missing)] {
            jacobian.push(row);
            u_free.push(free);
            sets.push(Set::Nonnegative);
        }
        let problem = by_rows(&jacobian, u_free, sets);
        let found = contradiction(&problem, 1e-8);
        let found = found.unwrap_or_else(|| panic!("seed {seed}: {problem:?}"));
        // No impulses whatever have a smaller residual.
        let p = random.signed_vector(problem.size());
        for size in [0.0, 1.0, 1e3] {
            let p: Vec<f64> = p.iter().map(|p| size * p).collect();
            let residual = certify(&problem, &p, &mut Vec::new()).residual;
            assert!(residual >= 0.999 * found.bound, "seed {seed}: {residual} below {}", found.bound);
        }
    }
}
