//! Problems without solution, with friction: an honest status, finite impulses, and nothing worse than the guess.

use super::truth;
use crate::oracle::{Always, Verdict, build, build_named};
use crate::samples::{Random, Sample, gram};
use nonsmooth_solvers::{SOLVERS, Set, Status, certify};

/// Nobody calls it converged or leaves it worse than p = 0.
fn nobody_solves(what: &str, sample: &Sample, verdict: &mut Verdict) {
    let zero = certify(&sample.problem(), &vec![0.0; sample.size()], &mut Vec::new()).residual;
    for entry in SOLVERS {
        let mut solver = build(entry);
        let (found, wrong) = truth(&mut *solver, sample, 1e-8);
        let report = found.report;
        let honest = report.status != Status::Converged && wrong.is_none();
        // The best iterate is kept; facets in place of discs are another problem.
        let facets = entry.name == "lemke-faceted";
        let kept =
            report.residual <= zero * (1.0 + 1e-12) || facets || report.status == Status::Unsupported;
        verdict.expect(honest && kept, || {
            format!(
                "{what} by {}: {report:?}, {zero:.3e} at first, {wrong:?}, p = {:?}",
                entry.name, found.p
            )
        });
    }
}

#[test]
fn bodies_between_closing_walls_have_no_solution() {
    let mut verdict = Verdict::default();
    for mu in [0.0, 0.3, 2.0] {
        // Contacts with normals +x and −x on one sphere of unit mass; tangents y, z.
        let h = [[1., 0., 0.], [0., 1., 0.], [0., 0., 1.], [-1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];
        let u_free = vec![-1.0, 0.5, 0.1, -1.0, 0.5, 0.1];
        for set in [Set::Coulomb3 { mu }, Set::Pyramid { mu, sides: 4 }, Set::Rolling2 { mu, mu_r: 0.1 }]
        {
            let rows = gram(&h.map(Vec::from));
            let sample = Sample { rows, u_free: u_free.clone(), sets: vec![set; 2] };
            nobody_solves(&format!("walls, {set:?}"), &sample, &mut verdict);
        }
    }
    verdict.pass();
}

#[test]
fn joints_that_contradict_each_other_have_no_solution() {
    let mut verdict = Verdict::default();
    for set in [Set::Coulomb2 { mu: 0.5 }, Set::Coulomb3 { mu: 0.5 }, Set::Pyramid { mu: 0.5, sides: 3 }]
    {
        let random = &mut Random::mixed(7);
        let mut h = random.signed_matrix(2 + set.dim(), 5);
        h[1] = h[0].clone();
        let mut u_free = random.signed_vector(2 + set.dim());
        (u_free[0], u_free[1], u_free[2]) = (1.0, -1.0, -0.5);
        let sample = Sample { rows: gram(&h), u_free, sets: vec![Set::Free, Set::Free, set] };
        nobody_solves(&format!("joints, {set:?}"), &sample, &mut verdict);
    }
    verdict.pass();
}

#[test]
fn a_contact_that_its_own_impulse_pulls_in_has_no_solution() {
    let mut verdict = Verdict::default();
    for (name, rows) in [
        // W_NN < 0.
        ("negative", vec![vec![-1.0, 0.0], vec![0.0, 1.0]]),
        // W_NN > 0, but every sliding or sticking impulse pulls the contact in: W_NN − μ |W_NT| < 0 with W_TT < 0.
        ("painleve", vec![vec![1.0, 3.0], vec![3.0, -1.0]]),
        ("nothing moves", vec![vec![0.0, 0.0], vec![0.0, 1.0]]),
    ] {
        for mu in [0.1, 0.7] {
            let sample =
                Sample { rows: rows.clone(), u_free: vec![-1.0, 0.5], sets: vec![Set::Coulomb2 { mu }] };
            let exact = truth(&mut *build_named("enumerate"), &sample, 1e-10).0.report.status;
            println!("{name}, μ = {mu}: {exact}");
            if exact != Status::Converged {
                nobody_solves(&format!("{name}, μ = {mu}"), &sample, &mut verdict);
            }
        }
    }
    verdict.pass();
}

/// Any symmetric W, definite or not: `enumerate` decides in the plane, and nobody contradicts it.
#[test]
fn nobody_solves_planar_friction_that_enumeration_proves_unsolvable() {
    let mut verdict = Verdict::default();
    let mut enumerate = build_named("enumerate");
    let (mut unsolvable, mut solvable) = (0, 0);
    for entry in SOLVERS {
        let mut honest = Always::new(entry.name);
        for seed in 0..300 {
            let random = &mut Random::mixed(seed);
            let contacts = random.count(1, 2);
            let sets = vec![Set::Coulomb2 { mu: 1.5 * random.unit() }; contacts];
            let n = 2 * contacts;
            let mut rows = random.signed_matrix(n, n);
            (0..n).for_each(|i| (0..i).for_each(|j| rows[i][j] = rows[j][i]));
            let sample = Sample { rows, u_free: random.signed_vector(n), sets };
            let exact = truth(&mut *enumerate, &sample, 1e-9).0.report;
            let (found, wrong) = truth(&mut *build(entry), &sample, 1e-9);
            // Above 1e-6 by enumeration, so that no rounding decides.
            let contradiction = found.report.status == Status::Converged && exact.residual > 1e-6;
            honest.expect(!contradiction && wrong.is_none(), n, || {
                format!("seed {seed}: {:?} against {exact:?}, {wrong:?}, {sample:?}", found.report)
            });
            unsolvable += usize::from(exact.residual > 1e-6);
            solvable += usize::from(exact.status == Status::Converged);
        }
        honest.holds(&mut verdict);
    }
    assert!(unsolvable > 500 && solvable > 500, "{unsolvable} without and {solvable} with solution");
    verdict.pass();
}
