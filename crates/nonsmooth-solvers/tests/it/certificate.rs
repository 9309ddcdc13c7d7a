//! The certificate judges every component of every cone: an impulse that is wrong in one component alone is never certified. What opens
//! freely, and what is soft, does not blur what it says of the others.

use crate::samples::Random;
use nonsmooth_solvers::{
    Certificate, Delassus, Jacobian, MassGroups, Options, Problem, Set, Sparse, VelocityLayout, certify,
    find, solve,
};
use std::sync::Arc;

const CONES: [Set; 6] = [
    Set::Coulomb2 { mu: 0.5 },
    Set::Coulomb3 { mu: 0.5 },
    Set::Pyramid { mu: 0.5, sides: 8 },
    Set::Rolling2 { mu: 0.5, mu_r: 0.1 },
    Set::Rolling3 { mu: 0.5, mu_r: 0.1 },
    Set::Spinning3 { mu: 0.5, mu_r: 0.1, mu_s: 0.1 },
];

/// Sticking, W = 2 I: p = −u_free/2 is inside of the cone and leaves u = 0. Moved by δ along one component, p stays inside, and
/// u = 2 δ there; so the residual relative to ‖u_free‖ ≈ 1 is 2 δ up to the norms of the certificate.
#[test]
fn each_component_of_each_cone_counts() {
    for set in CONES {
        let dim = set.dim();
        let mut p = vec![0.01; dim];
        p[0] = 0.5;
        let u_free = p.iter().map(|p| -2.0 * p).collect();
        let problem = Problem::new(Sparse::diagonal(&vec![2.0; dim]), u_free, vec![set]).unwrap();
        let mut u = Vec::new();
        let exact = certify(&problem, &p, &mut u).residual;
        assert!(exact < 1e-15, "{set:?}: {exact:e} at the solution");
        for k in 0..dim {
            let mut moved = p.clone();
            moved[k] += 1e-3;
            let residual = certify(&problem, &moved, &mut u).residual;
            assert!(residual > 5e-4, "{set:?}: component {k} is wrong, the residual is {residual:e}");
        }
    }
}

/// Velocities of the heap; two more are those of a spring that is not tied to it.
const VELOCITIES: usize = 30;

/// A heap of contacts in the plane with impulses that miss by about 1e-3, and one more row with its compliance, free velocity and impulse.
fn heap_and(row: (Set, [u32; 2], f64, f64), bodies: bool) -> [Certificate; 2] {
    let random = &mut Random::mixed(5);
    let layout = Arc::new(VelocityLayout { n: VELOCITIES + 2, bodies: Vec::new() });
    let mut mass = MassGroups::new(layout.clone());
    (0..VELOCITIES + 2).for_each(|i| mass.push_scalar(i as u32));
    let inverse: Vec<f64> = (0..VELOCITIES + 2).map(|_| 0.5 + random.unit()).collect();
    mass.scalars_mut().copy_from_slice(&inverse);
    mass.mark_changed();
    let mass = Arc::new(mass);
    let mut jacobian = Jacobian::new(layout);
    // Beyond 300 rows W is not formed.
    let contacts = if bodies { 160 } else { 20 };
    let columns: Vec<u32> = (0..VELOCITIES as u32).collect();
    for _ in 0..contacts {
        (0..2).for_each(|_| jacobian.push_row(&columns, &random.signed_vector(VELOCITIES)));
        jacobian.finish_rows();
    }
    let v: Vec<f64> = (0..VELOCITIES + 2).map(|_| 0.01 * random.signed()).collect();
    let mut u_free = vec![0.0; 2 * contacts];
    (0..contacts).for_each(|c| jacobian.dot(c, &v, &mut u_free[2 * c..2 * c + 2]));
    let mut sets = vec![Set::Coulomb2 { mu: 0.3 }; contacts];
    let alone = Delassus::new(mass.clone(), Arc::new(jacobian.clone()), Vec::new());
    let problem = Problem::posed(alone, u_free.clone(), sets.clone()).expect("well posed");
    let mut p = vec![0.0; 2 * contacts];
    let mut solver = find("nsgs").expect("listed").build(&Options::default()).expect("no options");
    let report = solve(&mut *solver, &problem, 1e-3, &mut p, &mut Vec::new());
    assert!(report.residual > 1e-6 && report.residual <= 1e-3, "{report:?}");
    let alone = certify(&problem, &p, &mut Vec::new());
    let (set, [a, b], compliance, free) = row;
    jacobian.push_row(&[a, b], &[-1.0, 1.0]);
    jacobian.finish_rows();
    let own = inverse[a as usize] + inverse[b as usize];
    sets.push(set);
    u_free.push(free);
    p.push(set.project(-free / (own + compliance)));
    let softness = [vec![0.0; 2 * contacts], vec![compliance]].concat();
    let with = Delassus::new(mass, Arc::new(jacobian), softness);
    let problem = Problem::posed(with, u_free, sets).expect("well posed");
    [alone, certify(&problem, &p, &mut Vec::new())]
}

#[test]
fn a_far_gap_does_not_change_the_residual_of_a_heap() {
    for bodies in [false, true] {
        for free in [1.0, 1e4, 1e8] {
            let [alone, with] = heap_and((Set::Nonnegative, [3, 7], 0.0, free), bodies);
            assert_eq!(alone, with, "a gap that opens with {free:e} m/s");
        }
    }
}

/// D of a spring of 1 N/m at h = 1 ms is 10⁶/kg. Stretched by 10 km it pulls its ends to some 10 m/s in a step; of that its row gives back a
/// millionth.
#[test]
fn a_stretched_soft_spring_does_not_change_the_residual_of_a_heap() {
    let apart = VELOCITIES as u32;
    for bodies in [false, true] {
        for (compliance, free) in [(1e6, 1.0), (1e6, 10.0), (1e9, 1e4)] {
            // (s u_free/S)² with S > 0.02 m/s is below 2e-6.
            let [alone, with] = heap_and((Set::Free, [apart, apart + 1], compliance, free), bodies);
            let change = (with.residual / alone.residual - 1.0).abs();
            assert!(change <= 2e-6, "apart, {free:e} m/s: {alone:?}, {with:?}");
        }
    }
}

/// A soft spring is judged all the same: by its own velocities.
#[test]
fn a_wrong_impulse_of_a_soft_spring_is_not_certified() {
    let layout = Arc::new(VelocityLayout { n: 1, bodies: Vec::new() });
    let mut mass = MassGroups::new(layout.clone());
    mass.push_scalar(0);
    mass.scalars_mut()[0] = 1.0;
    mass.mark_changed();
    let mut jacobian = Jacobian::new(layout);
    jacobian.push_row(&[0], &[1.0]);
    jacobian.finish_rows();
    let delassus = Delassus::new(Arc::new(mass), Arc::new(jacobian), vec![1e6]);
    let problem = Problem::posed(delassus, vec![-2.0], vec![Set::Free]).expect("well posed");
    let right = 2.0 / (1.0 + 1e6);
    for (error, expected) in [(0.0, 0.0), (1e-6, 1e-6), (1e-3, 1e-3), (-1.0, 1.0)] {
        let residual = certify(&problem, &[right * (1.0 + error)], &mut Vec::new()).residual;
        assert!((residual - expected).abs() < 1e-15, "{error}: {residual:e}");
    }
}
