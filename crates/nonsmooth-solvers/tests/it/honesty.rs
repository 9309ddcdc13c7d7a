//! The certificate is not fooled: by a solver that lies, by numbers at the ends of the range, by large impulses.

use crate::oracle::{Verdict, Worst, build, residual, run, run_fresh};
use crate::samples::{FAMILIES, INFEASIBLE, Sample};
use nonsmooth_solvers::{Outcome, Problem, SOLVERS, Set, Solver, Status, Unsupported, certify};

#[test]
fn what_solve_reports_is_what_the_certificate_says() {
    for family in FAMILIES {
        for entry in SOLVERS {
            let sample = family.sample(60_000);
            let problem = sample.problem();
            let Some(solved) = run_fresh(entry, &problem, 1e-12) else { continue };
            let mut u = Vec::new();
            let certificate = certify(&problem, &solved.p, &mut u);
            assert_eq!(
                certificate.residual, solved.report.residual,
                "{} by {}",
                family.name, entry.name
            );
            assert_eq!(certificate.worst, solved.report.worst, "{} by {}", family.name, entry.name);
            assert_eq!(u, solved.u, "{} by {}", family.name, entry.name);
        }
    }
}

/// Claims success whatever it is given, with impulses of its own.
struct Liar(f64);

impl Solver for Liar {
    fn accepts(&self, _problem: &Problem) -> Result<(), Unsupported> {
        Ok(())
    }

    fn solve(&mut self, _problem: &Problem, _tolerance: f64, p: &mut [f64]) -> Outcome {
        p.fill(self.0);
        Outcome { status: Status::Converged, iterations: 1, method: "lie" }
    }

    fn forget(&mut self) {}
}

#[test]
fn a_solver_that_claims_success_is_not_believed() {
    let mut caught = 0;
    for family in FAMILIES.iter().chain(INFEASIBLE) {
        for seed in 0..100 {
            let sample = family.sample(seed);
            let n = sample.size();
            for lie in [0.0, 1.0, -1.0, 1e3, f64::NAN, f64::INFINITY] {
                let solved = run(&mut Liar(lie), &sample.problem(), 1e-10, &vec![0.0; n]);
                // A NaN is no small residual.
                let right = residual(&sample, &solved.p).0 <= 1e-10;
                let status = if right { Status::Converged } else { Status::Stalled };
                assert_eq!(solved.report.status, status, "{} seed {seed}, p = {lie}", family.name);
                caught += usize::from(!right);
            }
        }
    }
    assert!(caught > 5000, "most lies are lies: {caught}");
}

#[test]
fn numbers_whose_squares_leave_the_range_do_not_blind_the_certificate() {
    // One contact, W = 1, and impulses that are wrong by one per cent.
    for u_free in [-1e-170, -1e-100, -1.0, -1e100, -1e155, -1e200] {
        let sample = Sample::unilateral(vec![vec![1.0]], vec![u_free]);
        let solved = run(&mut Liar(-0.99 * u_free), &sample.problem(), 1e-6, &[0.0]);
        assert_eq!(solved.report.status, Status::Stalled, "u_free = {u_free:e}: {:?}", solved.report);
    }
}

#[test]
fn a_large_impulse_does_not_hide_the_velocity() {
    // Squeezed from both sides: u = (−1, −1) for all p = (t, t), so r = (−1, −1) and the residual is 1.
    // Computed as p − max(0, p − u), it is the rounding of p: lost for t ≥ 1e16.
    let squeezed = Sample::unilateral(vec![vec![1.0, -1.0], vec![-1.0, 1.0]], vec![-1.0, -1.0]);
    // The same with a joint given twice, from 1 m/s to rest.
    let mut joints = squeezed.clone();
    joints.sets.fill(Set::Free);
    let mut worst = Worst::new("error of the certificate");
    for (name, sample) in [("contacts", &squeezed), ("joints", &joints)] {
        for t in [0.0, 1.0, 1e4, 1e8, 1e12, 1e15, 1e17, 1e100] {
            let found = certify(&sample.problem(), &[t, t], &mut Vec::new()).residual;
            worst.see((found - 1.0).abs(), || format!("{name}, t = {t:e}: residual {found}"));
        }
    }
    let mut verdict = Verdict::default();
    // W p is exact here, so nothing but the rounding of a norm of two numbers remains.
    worst.within(1e-15, &mut verdict);
    verdict.pass();
}

#[test]
fn along_a_ray_the_residual_does_not_fall() {
    // Row 0 has no impulse that helps it, so there is no solution. Along p = (t, 0) W p grows with row 1, which opens.
    let sample = Sample::unilateral(vec![vec![0.0, 0.0], vec![1.0, 1.0]], vec![-1.0, 0.0]);
    for t in [0.0, 1.0, 1e6, 1e12] {
        assert_eq!(certify(&sample.problem(), &[t, 0.0], &mut Vec::new()).residual, 1.0);
    }
    // No solver follows it, even when it is handed the ray.
    for entry in SOLVERS {
        let solved = run(&mut *build(entry), &sample.problem(), 1e-10, &[1e12, 0.0]);
        assert_ne!(solved.report.status, Status::Converged, "{}: {:?}", entry.name, solved.report);
    }
}
