//! Thousands of random blocks, judged by the certificate and by slow obvious methods.

use super::*;
use crate::certificate::certify;
use crate::problem::Problem;
use crate::sparse::Sparse;
use nonsmooth_testkit::Random;

/// Matrices of blocks.
trait Blocks {
    fn definite(&mut self, n: usize, delta: f64, scale: f64) -> Vec<f64>;
    fn semidefinite(&mut self, n: usize, rank: usize) -> (Vec<f64>, Vec<f64>);
}

impl Blocks for Random {
    /// G Gᵀ + δ I with G of n columns, scaled: positive definite, condition number at most about 4 n²/δ.
    fn definite(&mut self, n: usize, delta: f64, scale: f64) -> Vec<f64> {
        let g = self.signed_vector(n * n);
        let mut w = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                let dot: f64 = (0..n).map(|k| g[i * n + k] * g[j * n + k]).sum();
                w[i * n + j] = scale * (dot + if i == j { delta } else { 0.0 });
            }
        }
        w
    }

    /// G Gᵀ with G of `rank` columns.
    fn semidefinite(&mut self, n: usize, rank: usize) -> (Vec<f64>, Vec<f64>) {
        let g = self.signed_vector(n * rank);
        let dot =
            |i: usize, j: usize| -> f64 { (0..rank).map(|k| g[i * rank + k] * g[j * rank + k]).sum() };
        ((0..n * n).map(|k| dot(k / n, k % n)).collect(), g)
    }
}

fn friction(mu: f64) -> [Set; 7] {
    [
        Set::Coulomb2 { mu },
        Set::Coulomb3 { mu },
        Set::Pyramid { mu, sides: 4 },
        Set::Pyramid { mu, sides: 7 },
        Set::Rolling2 { mu, mu_r: 0.3 * mu },
        Set::Rolling3 { mu, mu_r: 0.5 * mu },
        Set::Spinning3 { mu, mu_r: 0.2 * mu, mu_s: 0.1 },
    ]
}

fn residual(set: Set, w: &[f64], q: &[f64], p: &[f64]) -> f64 {
    let n = set.dim();
    let rows: Vec<Vec<f64>> = w.chunks(n).map(<[f64]>::to_vec).collect();
    let problem = Problem::new(Sparse::from_rows(&rows), q.to_vec(), vec![set]).unwrap();
    certify(&problem, p, &mut Vec::new()).residual
}

fn solved(set: Set, w: &[f64], q: &[f64], guess: &[f64]) -> Vec<f64> {
    let mut p = guess.to_vec();
    Local::new(set, w).solve(w, q, &mut p, &mut 0.0);
    p
}

#[test]
fn definite_blocks_are_solved_to_rounding() {
    let random = &mut Random::new(1);
    for mu in [0.0, 1e-6, 0.1, 0.5, 1.0, 3.0, 1e3] {
        for set in friction(mu) {
            let n = set.dim();
            let mut worst = (0.0, String::new());
            for k in 0..1500 {
                // Condition numbers up to about 1e5, and light and heavy bodies.
                let delta = 10f64.powi(-(k % 4));
                let w = random.definite(n, delta, 10f64.powi(4 * (k % 5 - 2)));
                let mut q = random.signed_vector(n);
                q[0] -= 0.5;
                if k % 7 == 0 {
                    q[1..].fill(0.0);
                }
                let guess = if k % 3 == 0 { random.signed_vector(n) } else { vec![0.0; n] };
                let p = solved(set, &w, &q, &guess);
                let found = residual(set, &w, &q, &p);
                if !(found <= worst.0) {
                    worst = (found, format!("{set:?} W = {w:?} q = {q:?} p = {p:?}"));
                }
            }
            // The shift of the certificate multiplies the rounding of u_T by μ.
            println!("{set:?} {:.1e}", worst.0);
            assert!(worst.0 <= 1e-12 * (1.0 + mu), "{set:?} {worst:?}");
        }
    }
}

#[test]
fn nearly_singular_and_singular_blocks_are_solved_to_rounding() {
    let random = &mut Random::new(2);
    for mu in [0.0, 0.1, 0.7] {
        for set in friction(mu) {
            let n = set.dim();
            let mut worst = (0.0, String::new());
            for k in 0..500 {
                let (mut w, g) = random.semidefinite(n, n - 1);
                let delta = [0.0, 1e-14, 1e-11, 1e-8][k % 4];
                (0..n).for_each(|i| w[i * n + i] += delta);
                // q in the range of W and W_NN not small: then it can stick, and there is a solution.
                let v = random.signed_vector(n - 1);
                let row = |i: usize| &g[i * (n - 1)..(i + 1) * (n - 1)];
                let q: Vec<f64> =
                    (0..n).map(|i| row(i).iter().zip(&v).map(|(g, v)| g * v).sum()).collect();
                let p = solved(set, &w, &q, &vec![0.0; n]);
                assert!(p.iter().all(|p| p.is_finite()), "{set:?} {w:?} {q:?}");
                let found = residual(set, &w, &q, &p);
                if !(found <= worst.0) {
                    worst = (found, format!("W = {w:?} q = {q:?} p = {p:?}"));
                }
            }
            println!("{set:?} {:.1e}", worst.0);
            assert!(worst.0 <= 1e-10, "{set:?} {worst:?}");
        }
    }
}
/// p ← P_C(p − ρ (u + shift(u))) with a short step, until nothing moves.
fn fixed_point(set: Set, w: &[f64], q: &[f64]) -> Vec<f64> {
    let n = set.dim();
    let rho = 0.3 / largest_eigenvalue(w, n);
    let mut p = vec![0.0; n];
    for _ in 0..20_000 {
        let u: Vec<f64> =
            (0..n).map(|i| q[i] + (0..n).map(|j| w[i * n + j] * p[j]).sum::<f64>()).collect();
        let before = p.clone();
        p[0] -= rho * set.shift(&u);
        (0..n).for_each(|i| p[i] -= rho * u[i]);
        set.project_block(&mut p);
        if p == before {
            break;
        }
    }
    p
}

#[test]
fn impulses_agree_with_a_short_stepped_fixed_point() {
    let random = &mut Random::new(3);
    let (mut compared, mut skipped) = (0, 0);
    for mu in [0.05, 0.3] {
        for set in friction(mu) {
            let n = set.dim();
            for k in 0..60 {
                let w = random.definite(n, 1.0, 1.0);
                let mut q = random.signed_vector(n);
                q[0] -= 0.3 * f64::from(k % 4);
                let slow = fixed_point(set, &w, &q);
                // Where the step is not contractive it has not ended.
                if residual(set, &w, &q, &slow) > 1e-12 {
                    skipped += 1;
                    continue;
                }
                compared += 1;
                let p = solved(set, &w, &q, &vec![0.0; n]);
                // W ≥ I: residuals of 1e-12 are errors of 1e-12, times about 1/(1 − μ …).
                let apart = p.iter().zip(&slow).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(apart <= 1e-10, "{set:?} W = {w:?} q = {q:?}: {p:?} against {slow:?}");
            }
        }
    }
    assert!(compared > 10 * skipped, "{compared} {skipped}");
}

/// Every solution of one spatial contact: open, sticking, and all angles of sliding by a fine grid and bisection.
fn all_solutions(w: &[f64], q: &[f64], mu: f64) -> Vec<[f64; 3]> {
    let mut found = Vec::new();
    if q[0] >= 0.0 {
        found.push([0.0; 3]);
    }
    let mut stick = [-q[0], -q[1], -q[2]];
    assert!(crate::dense::eliminate(&mut w.to_vec(), &mut stick));
    if stick[1].hypot(stick[2]) <= mu * stick[0] {
        found.push(stick);
    }
    // p = s (1, μ e), u_N = 0; (e × u_T, e·u_T).
    let at = |angle: f64| {
        let (y, x) = angle.sin_cos();
        let s = -q[0] / (w[0] + mu * (w[1] * x + w[2] * y));
        let p = [s, s * mu * x, s * mu * y];
        let u = |i: usize| q[i] + (0..3).map(|j| w[3 * i + j] * p[j]).sum::<f64>();
        (p, x * u(2) - y * u(1), x * u(1) + y * u(2))
    };
    let step = std::f64::consts::TAU / 7200.0;
    for k in 0..7200 {
        let (mut low, mut high) = (step * f64::from(k), step * f64::from(k + 1));
        if (at(low).1 < 0.0) == (at(high).1 < 0.0) {
            continue;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if (at(low).1 < 0.0) == (at(middle).1 < 0.0) {
                low = middle;
            } else {
                high = middle;
            }
        }
        let (p, cross, dot) = at(low);
        if p[0] > 0.0 && dot <= 1e-12 && cross.abs() < 1e-9 {
            found.push(p);
        }
    }
    found
}

#[test]
fn a_spatial_contact_is_one_of_all_its_solutions() {
    let random = &mut Random::new(4);
    let mut several = 0;
    for k in 0..2000 {
        let mu = [0.05, 0.3, 1.0, 3.0][k % 4];
        let w = random.definite(3, 0.1, 1.0);
        let mut q = random.signed_vector(3);
        q[0] -= 0.5;
        let all = all_solutions(&w, &q, mu);
        several += usize::from(all.len() > 1);
        let p = solved(Set::Coulomb3 { mu }, &w, &q, &[0.0; 3]);
        let size = 1e-300 + p.iter().map(|p| p.abs()).sum::<f64>();
        let apart = |other: &[f64; 3]| (0..3).map(|i| (p[i] - other[i]).abs()).sum::<f64>() / size;
        let nearest = all.iter().map(apart).fold(f64::INFINITY, f64::min);
        // The angle is known to 1e-16 times the condition of the equation, at most about 1e4 here.
        assert!(nearest <= 1e-10, "μ = {mu} W = {w:?} q = {q:?}: {p:?} is none of {all:?}");
    }
    println!("several solutions: {several}");
}

#[test]
fn a_remembered_slip_changes_nothing_but_the_work() {
    let random = &mut Random::new(5);
    for k in 0..2000 {
        let mu = [0.1, 0.8][k % 2];
        let w = random.definite(3, 0.1, 1.0);
        let q: Vec<f64> =
            random.signed_vector(3).iter().zip([-1.0, 0.0, 0.0]).map(|(x, y)| x + y).collect();
        let cold = solved(Set::Coulomb3 { mu }, &w, &q, &[0.0; 3]);
        for slip in [1e-12, 0.3, 1e9, f64::NAN, -1.0] {
            let mut p = [0.0; 3];
            Local::new(Set::Coulomb3 { mu }, &w).solve(&w, &q, &mut p, &mut slip.clone());
            let apart = (0..3).map(|i| (p[i] - cold[i]).abs()).fold(0.0, f64::max);
            assert!(apart <= 1e-12, "from {slip}: {p:?} against {cold:?}");
        }
    }
}

#[test]
fn unsymmetric_and_indefinite_blocks_give_finite_impulses_in_the_set() {
    let random = &mut Random::new(6);
    let mut missed = 0;
    for set in friction(0.4) {
        let n = set.dim();
        for k in 0..1000 {
            let mut w =
                if k % 2 == 0 { random.definite(n, 0.3, 1.0) } else { random.signed_vector(n * n) };
            // A skew part of a millionth of W, as implicit gyroscopic terms leave it.
            for i in 0..n {
                for j in 0..i {
                    let x = 1e-6 * random.signed();
                    w[i * n + j] += x;
                    w[j * n + i] -= x;
                }
            }
            let q = random.signed_vector(n);
            let p = solved(set, &w, &q, &vec![0.0; n]);
            let mut nearest = p.clone();
            set.project_block(&mut nearest);
            let out = p.iter().zip(&nearest).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let size = p.iter().map(|p| p.abs()).fold(0.0, f64::max);
            assert!(size.is_finite() && out <= 1e-9 * size, "{set:?} {w:?} {q:?} {p:?}");
            let found = residual(set, &w, &q, &p);
            assert!(k % 2 == 1 || found <= 1e-12, "{set:?} {w:?} {q:?} {p:?}: {found}");
            missed += usize::from(found > 1e-9);
        }
    }
    println!("indefinite blocks without a solution found: {missed} of 3500");
}

#[test]
fn scalars_are_clamped_and_rows_of_zeros_stay_finite() {
    let relay = Set::Interval { lower: -1.0, upper: 2.0 };
    for (set, w, q, expected) in [
        (Set::Nonnegative, 2.0, -1.0, 0.5),
        (Set::Nonnegative, 2.0, 1.0, 0.0),
        (Set::Nonnegative, 0.0, -1.0, 0.0),
        (Set::Nonnegative, -1.0, 1.0, 0.0),
        (Set::Free, 2.0, 1.0, -0.5),
        (Set::Free, -2.0, 1.0, 0.5),
        (Set::Free, 0.0, 1.0, 0.0),
        (relay, 1.0, -0.5, 0.5),
        (relay, 1.0, 5.0, -1.0),
        (relay, 0.0, 1.0, -1.0),
        (relay, 0.0, -1.0, 2.0),
        // Three solutions: −1, −½, 2.
        (relay, -1.0, -0.5, -1.0),
    ] {
        assert_eq!(solved(set, &[w], &[q], &[7.0]), [expected], "{set:?} {w} {q}");
    }
    for set in friction(0.5) {
        let n = set.dim();
        assert!(solved(set, &vec![0.0; n * n], &vec![-1.0; n], &vec![1.0; n]).iter().all(|p| *p == 0.0));
        let mut q = vec![1.0; n];
        q[0] = 0.0;
        let w = Random::new(1).definite(n, 1.0, 1.0);
        assert!(solved(set, &w, &q, &vec![1.0; n]).iter().all(|p| *p == 0.0), "grazing is open");
    }
}
