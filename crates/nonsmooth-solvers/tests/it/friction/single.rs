//! One contact in space against its exact solution, found by scanning all directions of sliding.

use crate::oracle::{Always, Verdict, Worst, norm, run_fresh};
use crate::samples::{Random, Sample, gram, multiply};
use nonsmooth_solvers::{SOLVERS, Set, Status, eliminate};

/// p of one contact with friction in space: apart, sticking, or sliding in a direction found by bisection.
fn exact(sample: &Sample, mu: f64) -> Vec<f64> {
    let (w, free) = (&sample.rows, &sample.u_free);
    if free[0] >= 0.0 {
        return vec![0.0; 3];
    }
    let mut matrix: Vec<f64> = w.iter().flatten().copied().collect();
    let mut stick: Vec<f64> = free.iter().map(|u| -u).collect();
    assert!(eliminate(&mut matrix, &mut stick), "W is definite");
    if f64::hypot(stick[1], stick[2]) <= mu * stick[0] {
        return stick;
    }
    // p = p_N (1, μ cos θ, μ sin θ) with u_N = 0; then u_T must point against p_T.
    let slide = |theta: f64| {
        let (sin, cos) = theta.sin_cos();
        let push = multiply(w, &[1.0, mu * cos, mu * sin]);
        let normal = -free[0] / push[0];
        let u = [free[1] + normal * push[1], free[2] + normal * push[2]];
        let across = u[0] * sin - u[1] * cos;
        let along = u[0] * cos + u[1] * sin;
        (across, along, vec![normal, mu * normal * cos, mu * normal * sin])
    };
    let angle = |k: usize| std::f64::consts::TAU * k as f64 / 720.0;
    let sliding = (0..720).find_map(|k| {
        let (mut low, mut high) = (angle(k), angle(k + 1));
        let sign = slide(low).0;
        if sign * slide(high).0 > 0.0 {
            return None;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if sign * slide(middle).0 > 0.0 { low = middle } else { high = middle }
        }
        let (_, along, p) = slide(low);
        (along < 0.0).then_some(p)
    });
    sliding.expect("it slides in some direction")
}

#[test]
fn one_contact_in_space_has_the_exact_impulse_by_every_solver() {
    let mut verdict = Verdict::default();
    for entry in SOLVERS.iter().filter(|entry| !matches!(entry.name, "lemke" | "active-set")) {
        // Eight facets are not a disc.
        if entry.name == "lemke-faceted" {
            continue;
        }
        let mut worst = Worst::new(format!("p of {}", entry.name));
        let mut solved = Always::new(format!("one contact by {}", entry.name));
        for seed in 0..400 {
            let random = &mut Random::mixed(seed);
            let mut rows = gram(&random.signed_matrix(3, 3));
            // Definite, and the normal feels the tangents so little that u is unique: μ ‖W_NT‖ ≤ W_NN/2.
            (0..3).for_each(|i| rows[i][i] += 0.2);
            let coupling = f64::hypot(rows[0][1], rows[0][2]);
            let mu = random.unit() * (0.5 * rows[0][0] / coupling).min(1.5);
            let sets = vec![Set::Coulomb3 { mu }];
            let sample = Sample { rows, u_free: random.signed_vector(3), sets };
            let found = run_fresh(entry, &sample.problem(), 1e-12).expect("taken");
            solved.expect(found.report.status == Status::Converged, 3, || {
                format!("seed {seed}: {:?} {sample:?}", found.report)
            });
            let expected = exact(&sample, mu);
            let apart: Vec<f64> = found.p.iter().zip(&expected).map(|(a, b)| a - b).collect();
            worst.see(norm(&apart) / norm(&sample.u_free), || format!("seed {seed}: {sample:?}"));
        }
        solved.holds(&mut verdict);
        // 1e-12 over the least eigenvalue of W, 0.2, and over what friction leaves of it, a half.
        worst.within(1e-10, &mut verdict);
    }
    verdict.pass();
}
