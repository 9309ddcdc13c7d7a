//! `enumerate` on what only it and nobody else is complete for: cones in space, several solutions, singular systems.

use crate::lemke::rubbing;
use crate::oracle::{Always, Verdict, build_named, run};
use crate::samples::{Random, Sample, gram, multiply};
use nonsmooth_solvers::{Set, Status, certify};

fn solved(sample: &Sample, tolerance: f64) -> (Status, f64, Vec<f64>) {
    let mut solver = build_named("enumerate");
    let solved = run(&mut *solver, &sample.problem(), tolerance, &vec![0.0; sample.size()]);
    (solved.report.status, solved.report.residual, solved.p)
}

#[test]
fn one_contact_in_space_is_always_solved_to_rounding() {
    let mut verdict = Verdict::default();
    let mut always = Always::new("one cone in space");
    for seed in 0..5000 {
        let random = &mut Random::mixed(seed);
        let k = random.count(1, 4);
        let whole = random.count(0, 3) == 0;
        let h = if whole { random.whole_matrix(3, k, 1) } else { random.signed_matrix(3, k) };
        let v = if whole { random.whole_vector(k, 2) } else { random.signed_vector(k) };
        let mu = [0.0, 0.01, 0.3, 1.0, 5.0][random.count(0, 4)];
        let sets = vec![Set::Coulomb3 { mu }];
        let sample = Sample { rows: gram(&h), u_free: multiply(&h, &v), sets };
        // u_free = H v, so that v = 0 is compatible.
        let (status, residual, p) = solved(&sample, 1e-11);
        always.expect(status == Status::Converged, 3, || {
            format!("seed {seed}: {residual:e}, p = {p:?}, {sample:?}")
        });
    }
    always.holds(&mut verdict);
    verdict.pass();
}

#[test]
fn one_cone_in_space_among_joints_and_planar_contacts_is_solved() {
    let mut verdict = Verdict::default();
    let mut always = Always::new("one cone among others");
    for seed in 0..3000 {
        let random = &mut Random::mixed(seed);
        let mut first = true;
        let sample = rubbing(random, &mut |random| {
            if std::mem::take(&mut first) {
                return Set::Coulomb3 { mu: random.unit() };
            }
            match random.count(0, 3) {
                0 => Set::Free,
                1 => Set::Nonnegative,
                2 => Set::Coulomb2 { mu: 0.4 },
                _ => Set::Interval { lower: -0.2, upper: 0.3 },
            }
        });
        let (status, residual, p) = solved(&sample, 1e-10);
        always.expect(status == Status::Converged, sample.size(), || {
            format!("seed {seed}: {residual:e}, p = {p:?}, {sample:?}")
        });
    }
    always.holds(&mut verdict);
    verdict.pass();
}

/// Sliding solutions found on a fine grid of directions are found by the quartic, too: for one direction θ of p_T the
/// normal impulse follows from u_N = 0, and u_T ∥ p_T where the cross product changes sign.
#[test]
fn a_grid_of_directions_finds_no_better_solution_than_the_quartic() {
    for seed in 0..200 {
        let random = &mut Random::mixed(seed);
        let mut rows = gram(&random.signed_matrix(3, 3));
        (0..3).for_each(|i| rows[i][i] += 0.05);
        let (mu, u_free) = (2.0 * random.unit(), random.signed_vector(3));
        let sample = Sample { rows, u_free, sets: vec![Set::Coulomb3 { mu }] };
        let problem = sample.problem();
        let (status, residual, _) = solved(&sample, 1e-12);
        assert_eq!(status, Status::Converged, "seed {seed}: {residual:e} {sample:?}");
        let mut u = Vec::new();
        let best = (0..2000)
            .map(|k| {
                let (y, x) = (std::f64::consts::TAU * f64::from(k) / 2000.0).sin_cos();
                let push = multiply(&sample.rows, &[1.0, mu * x, mu * y]);
                let normal = (-sample.u_free[0] / push[0]).max(0.0);
                certify(&problem, &[normal, mu * x * normal, mu * y * normal], &mut u).residual
            })
            .fold(f64::INFINITY, f64::min);
        assert!(residual <= best + 1e-15, "seed {seed}: {residual:e} against {best:e}");
    }
}

/// Painlevé's rod: W_NN + μ W_NT < 0 where it slides one way. With u_free,N > 0 it may fly on, slide or stick; with
/// u_free,N < 0 the impulse still has a solution (stick).
#[test]
fn the_rod_of_painleve_has_a_solution_on_either_side() {
    let rows = vec![vec![1.0, -1.5], vec![-1.5, 3.0]];
    for normal in [0.5, -0.5] {
        for mu in [0.2, 0.9, 2.0] {
            let sets = vec![Set::Coulomb2 { mu }];
            let sample = Sample { rows: rows.clone(), u_free: vec![normal, -1.0], sets };
            for name in ["enumerate", "lemke-faceted"] {
                let solved = run(&mut *build_named(name), &sample.problem(), 1e-12, &[0.0; 2]);
                let report = solved.report;
                assert_eq!(report.status, Status::Converged, "{name} {mu} {normal}: {report:?}");
            }
        }
    }
}

#[test]
fn too_many_choices_are_declined_in_words() {
    let solver = build_named("enumerate");
    let diagonal = |n: usize| -> Vec<Vec<f64>> {
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect()
    };
    let words = |set: Set, count: usize| {
        let n = count * set.dim();
        let sample = Sample { rows: diagonal(n), u_free: vec![-1.0; n], sets: vec![set; count] };
        solver.accepts(&sample.problem()).expect_err("too many").to_string()
    };
    assert!(words(Set::Coulomb2 { mu: 0.5 }, 11).contains("combinations of contact states"));
    assert!(words(Set::Coulomb3 { mu: 0.5 }, 2).contains("more than one contact"));
    assert!(words(Set::Rolling3 { mu: 0.5, mu_r: 0.1 }, 1).contains("rolling friction"));
}
