//! Problems without solution are proved to have none, with the constraints that cannot be reconciled; others never are.

use crate::oracle::{Verdict, build_named};
use crate::samples::{Random, Sample};
use nonsmooth_solvers::{Set, Status, conflict, solve};

/// W = J M⁻¹ Jᵀ, symmetric to the last bit.
fn delassus(jacobian: &[Vec<f64>], inv_mass: &[f64]) -> Vec<Vec<f64>> {
    let entry =
        |a: &[f64], b: &[f64]| -> f64 { (0..a.len()).map(|k| inv_mass[k] * (a[k] * b[k])).sum() };
    jacobian.iter().map(|a| jacobian.iter().map(|b| entry(a, b)).collect()).collect()
}

/// Contacts with friction and joints on random bodies; the planted ones have impulses in equilibrium.
struct Drawn {
    jacobian: Vec<Vec<f64>>,
    inv_mass: Vec<f64>,
    sets: Vec<Set>,
    /// First rows of the constraints.
    begins: Vec<usize>,
}

fn draw(random: &mut Random, n_constraints: usize, n: usize) -> Drawn {
    let sets: Vec<Set> = (0..n_constraints)
        .map(|_| match random.size(0, 4) {
            0 => Set::Free,
            1 => Set::Nonnegative,
            2 => Set::Coulomb2 { mu: random.unit() },
            _ => Set::Coulomb3 { mu: random.unit() },
        })
        .collect();
    let begins: Vec<usize> =
        sets.iter().scan(0, |next, set| Some(std::mem::replace(next, *next + set.dim()))).collect();
    let rows = sets.iter().map(|set| set.dim()).sum();
    let jacobian = random.signed_matrix(rows, n);
    let inv_mass = (0..n).map(|_| random.power(-3.0, 3.0)).collect();
    Drawn { jacobian, inv_mass, sets, begins }
}

impl Drawn {
    fn sample(self, u_free: Vec<f64>) -> Sample {
        Sample { rows: delassus(&self.jacobian, &self.inv_mass), u_free, sets: self.sets }
    }
}

#[test]
fn constraints_in_conflict_are_proved_and_named() {
    let mut verdict = Verdict::default();
    for seed in 0..1000 {
        let random = &mut Random::new(seed);
        let n_constraints = random.size(4, 6);
        let mut drawn = draw(random, n_constraints, 24);
        // Impulses y of the first constraints are in equilibrium, and their velocities add up to less than zero.
        let planted = random.size(2, 3);
        let y: Vec<f64> = (0..planted).map(|_| 0.5 + 0.5 * random.unit()).collect();
        let last = drawn.begins[planted - 1];
        for k in 0..24 {
            let others: f64 = (0..planted - 1).map(|c| y[c] * drawn.jacobian[drawn.begins[c]][k]).sum();
            drawn.jacobian[last][k] = -others / y[planted - 1];
        }
        let mut u_free = random.signed_vector(drawn.jacobian.len());
        let others: f64 = (0..planted - 1).map(|c| y[c] * u_free[drawn.begins[c]]).sum();
        u_free[last] = -(others + 0.3 + random.unit()) / y[planted - 1];
        let problem = drawn.sample(u_free).problem();
        let found = conflict(&problem);
        let right = found.is_some_and(|found| {
            let mut named = found.constraints().to_vec();
            named.sort_unstable();
            named == (0..planted).collect::<Vec<_>>() && found.n_constraints == planted
        });
        verdict.expect(right, || format!("seed {seed}: {planted} planted, {found:?}"));
    }
    verdict.pass();
}

#[test]
fn no_conflict_is_found_where_velocities_exist() {
    let mut verdict = Verdict::default();
    for seed in 0..1000 {
        let random = &mut Random::new(seed);
        // Often more rows than velocities, and masses that differ by 10⁶.
        let n = random.size(6, 24);
        let n_constraints = random.size(3, 12);
        let drawn = draw(random, n_constraints, n);
        let v = random.signed_vector(n);
        let mut u_free = random.signed_vector(drawn.jacobian.len());
        for (set, &begin) in drawn.sets.iter().zip(&drawn.begins) {
            let moved: f64 = drawn.jacobian[begin].iter().zip(&v).map(|(j, v)| j * v).sum();
            let slack = if *set == Set::Free || random.size(0, 1) == 0 { 0.0 } else { random.unit() };
            u_free[begin] = slack - moved;
        }
        let found = conflict(&drawn.sample(u_free).problem());
        verdict.expect(found.is_none(), || format!("seed {seed}: {found:?}"));
    }
    verdict.pass();
}

/// A sphere between walls that close, a contact of bodies that nothing moves, and 0 = 1 in joints.
#[test]
fn the_chain_names_what_contradicts() {
    let mu = 0.5;
    let walls = [[1., 0., 0.], [0., 1., 0.], [0., 0., 1.], [-1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];
    let squeezed = Sample {
        rows: delassus(&walls.map(Vec::from), &[1.0; 3]),
        u_free: vec![-1.0, 0.5, 0.1, -1.0, 0.5, 0.1],
        sets: vec![Set::Coulomb3 { mu }; 2],
    };
    let fixed = Sample {
        rows: vec![vec![1.0, 0.0], vec![0.0, 0.0]],
        u_free: vec![-1.0, -1.0],
        sets: vec![Set::Nonnegative; 2],
    };
    let joints = Sample {
        rows: vec![vec![1.0, 1.0], vec![1.0, 1.0]],
        u_free: vec![0.0, 1.0],
        sets: vec![Set::Free; 2],
    };
    for (what, sample, expected) in
        [("walls", squeezed, vec![0, 1]), ("fixed", fixed, vec![1]), ("joints", joints, vec![0, 1])]
    {
        for (solver, tolerance) in
            ["auto", "nsgs", "newton", "apgd"].iter().flat_map(|s| [1e-4, 1e-10].map(|t| (s, t)))
        {
            let problem = sample.problem();
            let mut p = vec![0.0; sample.size()];
            let report = solve(&mut *build_named(solver), &problem, tolerance, &mut p, &mut Vec::new());
            assert_eq!(report.status, Status::Infeasible, "{what} by {solver}: {report:?}");
            let mut named = report.conflict.expect("proved").constraints().to_vec();
            named.sort_unstable();
            assert_eq!(named, expected, "{what} by {solver}");
        }
    }
}
