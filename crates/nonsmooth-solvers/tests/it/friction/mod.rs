//! Seeded friction problems for every solver that takes them: heaps of contacts, joints and relays in any order.
//!
//! W = H Hᵀ, u_free = H v. One velocity v* opens all contacts at once and moves no joint, so that a solution exists
//! whatever the friction [Acary18].

mod changes;
mod degenerate;
mod islands;
mod random;
mod single;
mod unsolvable;

use crate::judge::judge;
use crate::oracle::{Solved, run};
use crate::samples::{Random, Sample, gram, multiply};
use nonsmooth_solvers::{Set, Solver, Status};

/// What the constraints of a heap are like.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Planar,
    Spatial,
    Faceted,
    PlanarRolling,
    Rolling,
    Spinning,
    /// All of these, and unilateral, bilateral and relay rows between them.
    Mixed,
}

const KINDS: [Kind; 7] = [
    Kind::Planar,
    Kind::Spatial,
    Kind::Faceted,
    Kind::PlanarRolling,
    Kind::Rolling,
    Kind::Spinning,
    Kind::Mixed,
];

fn set(kind: Kind, random: &mut Random) -> Set {
    let (mu, mu_r, mu_s) = (0.9 * random.unit(), 0.3 * random.unit(), 0.1 * random.unit());
    match kind {
        Kind::Planar => Set::Coulomb2 { mu },
        Kind::Spatial => Set::Coulomb3 { mu },
        Kind::Faceted => Set::Pyramid { mu, sides: random.count(3, 7) as u32 },
        Kind::PlanarRolling => Set::Rolling2 { mu, mu_r },
        Kind::Rolling => Set::Rolling3 { mu, mu_r },
        Kind::Spinning => Set::Spinning3 { mu, mu_r, mu_s },
        Kind::Mixed => match random.count(0, 8) {
            0 => Set::Nonnegative,
            1 => Set::Free,
            2 => Set::Interval { lower: -mu_r, upper: mu },
            other => set(KINDS[other - 3], random),
        },
    }
}

fn sets(kind: Kind, random: &mut Random, contacts: usize) -> Vec<Set> {
    (0..contacts).map(|_| set(kind, random)).collect()
}

fn rows_of(sets: &[Set]) -> usize {
    sets.iter().map(|set| set.dim()).sum()
}

/// H with a velocity that opens all contacts, for a system with `velocities` of them.
fn jacobian(random: &mut Random, sets: &[Set], velocities: usize) -> Vec<Vec<f64>> {
    let mut h = random.signed_matrix(rows_of(sets), velocities);
    let opening = random.signed_vector(velocities);
    let square: f64 = opening.iter().map(|x| x * x).sum();
    let mut begin = 0;
    for set in sets {
        let wanted = match set {
            Set::Interval { .. } => None,
            Set::Free => Some(0.0),
            _ => Some(0.3 + random.unit()),
        };
        if let Some(wanted) = wanted {
            let row = &mut h[begin];
            let has: f64 = row.iter().zip(&opening).map(|(a, b)| a * b).sum();
            row.iter_mut().zip(&opening).for_each(|(h, v)| *h += (wanted - has) / square * v);
        }
        begin += set.dim();
    }
    h
}

/// Contacts of one body or mechanism with `velocities` degrees of freedom; hyperstatic where they are few.
fn heap(random: &mut Random, sets: Vec<Set>, velocities: usize) -> Sample {
    let h = jacobian(random, &sets, velocities);
    let v = random.signed_vector(velocities);
    Sample { rows: gram(&h), u_free: multiply(&h, &v), sets }
}

/// The same with δ added to the diagonal of W.
fn softened(mut sample: Sample, delta: f64) -> Sample {
    (0..sample.size()).for_each(|i| sample.rows[i][i] += delta);
    sample
}

/// Each constraint's first row.
fn begins(sets: &[Set]) -> Vec<usize> {
    let dims = sets.iter().scan(0, |next, set| {
        *next += set.dim();
        Some(*next - set.dim())
    });
    dims.collect()
}

/// From p = 0; what is wrong with the claim, if anything.
fn truth(solver: &mut dyn Solver, sample: &Sample, tolerance: f64) -> (Solved, Option<String>) {
    let problem = sample.problem();
    let solved = run(solver, &problem, tolerance, &vec![0.0; sample.size()]);
    let judged = judge(&problem, &solved.p);
    let finite = solved.p.iter().chain(&solved.u).all(|x| x.is_finite());
    let claim = match solved.report.status {
        Status::Converged => judged.meets(tolerance),
        Status::Unsupported => true,
        _ => judged.misses(tolerance),
    };
    let wrong =
        (!finite || !claim).then(|| format!("{:?}, {judged:?}, p = {:?}", solved.report, solved.p));
    (solved, wrong)
}
