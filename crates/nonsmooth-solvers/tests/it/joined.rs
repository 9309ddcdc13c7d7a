//! Mechanisms on a few contacts: joints are eliminated first, and the answer is that of the whole problem.

use crate::samples::Random;
use nonsmooth_solvers::{
    BodyVelocities, ContactRows, Delassus, IMMOVABLE, Inertia, Jacobian, MassGroups, Options, Problem,
    Set, Status, VelocityLayout, find, solve,
};
use std::sync::Arc;

/// A chain of `n` bodies in space, each joined to the one before by `dim` rows, with contacts on the ground at its ends; masses over two decades.
fn chain(random: &mut Random, n: usize, dim: usize) -> Problem {
    let bodies = (0..n).map(|k| BodyVelocities { first: 6 * k as u32, planar: false }).collect();
    let layout = Arc::new(VelocityLayout { n: 6 * n, bodies });
    let mut mass = MassGroups::new(layout.clone());
    for body in mass.bodies_mut() {
        let size = 10f64.powf(random.signed());
        let inv_inertia = [30.0, 40.0, 50.0, 2.0, -3.0, 1.0].map(|x| x * size);
        *body = Inertia { inv_mass: size, inv_inertia };
    }
    let (mut jacobian, mut sets) = (Jacobian::new(layout), Vec::new());
    let mut unit = |sign: f64, k: usize| -> [f64; 6] {
        // Forces along the axes and moments of an arm of a tenth; after three rows, moments.
        std::array::from_fn(|i| if i == k { sign } else { 0.05 * random.signed() })
    };
    for k in 1..n as u32 {
        let (on_a, on_b): (Vec<_>, Vec<_>) = (0..dim).map(|i| (unit(-1.0, i), unit(1.0, i))).unzip();
        jacobian.push_pair([k - 1, k], &on_a, &on_b);
        sets.extend(vec![Set::Free; dim]);
    }
    let frame = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    for body in [0, n as u32 - 1] {
        for x in [-0.1, 0.1] {
            let arms = [[0.0; 3], [x, 0.3 * x, -0.1]];
            jacobian.push_contact(ContactRows { bodies: [IMMOVABLE, body], frame, arms }, 3);
            sets.push(Set::Coulomb3 { mu: 0.5 });
        }
    }
    let n_rows = jacobian.n_rows();
    let compliance: Vec<f64> = (0..n_rows).map(|i| if i % 7 == 1 { 0.1 } else { 0.0 }).collect();
    let u_free = (0..n_rows).map(|_| random.signed()).collect();
    let delassus = Delassus::new(Arc::new(mass), Arc::new(jacobian), compliance);
    Problem::posed(delassus, u_free, sets).expect("a right problem")
}

#[test]
fn joints_are_eliminated_and_the_velocities_are_those_of_the_whole_problem() {
    let mut random = Random::new(5);
    for (n, dim) in [(5, 3), (6, 5), (20, 3), (60, 5)] {
        let problem = chain(&mut random, n, dim);
        let mut auto = find("auto").expect("listed").build(&Options::default()).expect("defaults");
        let (mut p, mut u) = (vec![0.0; problem.size()], Vec::new());
        let report = solve(&mut *auto, &problem, 1e-11, &mut p, &mut u);
        assert_eq!(report.status, Status::Converged, "{n} bodies, {dim} rows: {report:?}");
        // What the methods worked on: two contacts at each end alone.
        let last = *auto.attempts().last().expect("methods were tried");
        let rows = last.island.1;
        assert!(rows <= 12, "{n} bodies, {dim} rows: the chain of methods saw {rows} rows");
        let mut newton = find("newton").expect("listed").build(&Options::default()).expect("defaults");
        let (mut q, mut w) = (vec![0.0; problem.size()], Vec::new());
        let whole = solve(&mut *newton, &problem.detached(), 1e-11, &mut q, &mut w);
        assert_eq!(whole.status, Status::Converged, "{n} bodies, {dim} rows: {whole:?}");
        // Impulses of two contacts on one body are not unique; velocities are.
        let apart = u.iter().zip(&w).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(apart < 1e-8, "{n} bodies, {dim} rows: velocities differ by {apart:e}");
    }
}
