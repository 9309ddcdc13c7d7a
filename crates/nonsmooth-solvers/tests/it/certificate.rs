//! The certificate judges every component of every cone: an impulse that is wrong in one component alone is never certified.

use nonsmooth_solvers::{Problem, Set, Sparse, certify};

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
