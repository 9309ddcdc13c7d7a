//! Seeded problems by families. `family.sample(seed)` is the same problem on every machine.

pub use nonsmooth_testkit::Random;

use nonsmooth_solvers::{Delassus, Problem, Set, Sparse};

/// A small problem with its matrix as dense rows, so that the oracles need none of the crate's code.
#[derive(Clone, Debug)]
pub struct Sample {
    pub rows: Vec<Vec<f64>>,
    pub u_free: Vec<f64>,
    pub sets: Vec<Set>,
}

impl Sample {
    pub fn unilateral(rows: Vec<Vec<f64>>, u_free: Vec<f64>) -> Self {
        let sets = vec![Set::Nonnegative; u_free.len()];
        Self { rows, u_free, sets }
    }

    pub fn size(&self) -> usize {
        self.u_free.len()
    }

    pub fn problem(&self) -> Problem {
        let n = self.size();
        let mut delassus = Delassus::explicit(Sparse::from_rows(&self.rows));
        delassus.symmetric = (0..n).all(|i| (0..n).all(|j| self.rows[i][j] == self.rows[j][i]));
        Problem::posed(delassus, self.u_free.clone(), self.sets.clone()).expect("samples are well posed")
    }

    /// The same problem in other units: W `by_matrix`, u_free `by_velocity`.
    pub fn scaled(&self, by_matrix: f64, by_velocity: f64) -> Self {
        let mut scaled = self.clone();
        scaled.rows.iter_mut().flatten().for_each(|w| *w *= by_matrix);
        scaled.u_free.iter_mut().for_each(|u| *u *= by_velocity);
        scaled
    }

    /// The same problem with row `order[i]` in place i.
    pub fn permuted(&self, order: &[usize]) -> Self {
        Self {
            rows: order.iter().map(|&i| order.iter().map(|&j| self.rows[i][j]).collect()).collect(),
            u_free: order.iter().map(|&i| self.u_free[i]).collect(),
            sets: order.iter().map(|&i| self.sets[i]).collect(),
        }
    }
}

/// What the solutions of one problem have in common.
#[derive(Clone, Copy, PartialEq)]
pub enum Unique {
    /// The impulses, hence everything (W is a P-matrix).
    Impulses,
    /// Only u = W p + u_free (W symmetric and positive semi-definite).
    Velocities,
    /// Nothing.
    Nothing,
}

/// Problems of one kind, all of them solvable.
pub struct Family {
    pub name: &'static str,
    pub unique: Unique,
    /// Solvers that do not promise to solve this kind.
    pub exempt: &'static [&'static [&'static str]],
    make: fn(&mut Random) -> Sample,
}

impl Family {
    pub fn sample(&self, seed: u64) -> Sample {
        (self.make)(&mut Random::mixed(seed))
    }

    /// What is asked of the solvers. Direct methods on 8 rows with a condition number below 1e4 end
    /// near 1e−15, so 1e−12 is no favour to them. The semi-definite families have no such bound: rows
    /// that are nearly dependent make impulses up to 1e4 times the data, and W p rounds to 1e−11.
    pub fn tolerance(&self) -> f64 {
        if self.unique == Unique::Velocities { 1e-10 } else { 1e-12 }
    }
}

const fn family(name: &'static str, unique: Unique, make: fn(&mut Random) -> Sample) -> Family {
    Family { name, unique, exempt: &[], make }
}

const fn exempting(family: Family, exempt: &'static [&'static [&'static str]]) -> Family {
    Family { exempt, ..family }
}

impl Family {
    /// Whether the solver promises to solve this kind.
    pub fn is_promised_by(&self, solver: &str) -> bool {
        !self.exempt.iter().any(|group| group.contains(&solver))
    }
}

/// Gauss–Seidel promises the families that are symmetric, definite on their range and of moderate condition number: its rate
/// is set by that number, and matrices far from symmetric can make it diverge. `gauss_seidel.rs` asks more of it.
const SWEEPS: &[&str] = &["nsgs", "pgs", "psor"];
/// Block pivoting promises to end for P-matrices and symmetric semi-definite ones.
const PIVOTING: &[&str] = &["active-set"];
/// The interior point promises nothing where W is not positive semi-definite; here it misses one in a hundred.
const CENTRAL: &[&str] = &["interior-point"];
/// Gradients alone are slow on nearly dependent rows: 1 of 1000 problems is at 1e−4 after 10 000 steps.
const GRADIENT: &[&str] = &["apgd"];
/// First-order methods stop at the residual asked for, and with rows of scales from 1e−3 to 1e3 that leaves 1e−7 in the
/// impulses. They miss some of 1000 monotone problems at 1e−12 (apgd 11), and promise nothing where W is not monotone.
const FIRST_ORDER: &[&str] = &["admm", "apgd"];

/// Newton's iterates cycle on 2 of 1000 monotone problems and on 19 strictly copositive ones, and it stops at the residual
/// asked for, as above. It is a part of chains.
const SEMISMOOTH: &[&str] = &["newton"];

pub static FAMILIES: &[Family] = &[
    family("definite", Unique::Impulses, definite),
    exempting(
        family("definite-mass-ratios", Unique::Impulses, mass_ratios),
        &[SWEEPS, FIRST_ORDER, SEMISMOOTH],
    ),
    exempting(family("semidefinite", Unique::Velocities, semidefinite), &[SWEEPS, GRADIENT]),
    exempting(family("semidefinite-with-slack", Unique::Velocities, semidefinite_with_slack), &[SWEEPS]),
    family("integer-definite", Unique::Impulses, integer_definite),
    family("integer-semidefinite", Unique::Velocities, integer_semidefinite),
    family("repeated-contacts", Unique::Velocities, repeated_contacts),
    exempting(family("unsymmetric-definite", Unique::Impulses, unsymmetric_definite), &[SWEEPS]),
    exempting(family("unsymmetric-triangular", Unique::Impulses, unsymmetric_triangular), &[SWEEPS]),
    exempting(family("unsymmetric-dominant", Unique::Impulses, unsymmetric_dominant), &[SWEEPS]),
    family("mixed-definite", Unique::Impulses, mixed_definite),
    exempting(family("mixed-unsymmetric", Unique::Impulses, mixed_unsymmetric), &[SWEEPS]),
    exempting(family("mixed-semidefinite", Unique::Velocities, mixed_semidefinite), &[SWEEPS, GRADIENT]),
    exempting(family("mixed-redundant", Unique::Velocities, mixed_redundant), &[SWEEPS, GRADIENT]),
    exempting(
        family("monotone", Unique::Nothing, monotone),
        &[SWEEPS, PIVOTING, FIRST_ORDER, SEMISMOOTH],
    ),
    exempting(
        family("strictly-copositive", Unique::Nothing, strictly_copositive),
        &[SWEEPS, PIVOTING, CENTRAL, FIRST_ORDER, SEMISMOOTH],
    ),
];

/// H Hᵀ, the Delassus matrix of unit masses.
pub fn gram(h: &[Vec<f64>]) -> Vec<Vec<f64>> {
    h.iter().map(|a| h.iter().map(|b| a.iter().zip(b).map(|(x, y)| x * y).sum()).collect()).collect()
}

pub fn multiply(a: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    a.iter().map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}

fn add_diagonal(mut w: Vec<Vec<f64>>, shift: f64) -> Vec<Vec<f64>> {
    (0..w.len()).for_each(|i| w[i][i] += shift);
    w
}

/// A Aᵀ + δ I with δ in [0.01, 1): condition number below n²/0.01 = 6400.
fn definite_matrix(random: &mut Random, n: usize) -> Vec<Vec<f64>> {
    let a = random.signed_matrix(n, n);
    add_diagonal(gram(&a), random.power(-2.0, 0.0))
}

fn definite(random: &mut Random) -> Sample {
    let n = random.count(1, 8);
    Sample::unilateral(definite_matrix(random, n), random.signed_vector(n))
}

/// Bodies of very different mass: D (A Aᵀ + δ I) D and D u, with D from 1e−3 to 1e3.
fn mass_ratios(random: &mut Random) -> Sample {
    let mut sample = definite(random);
    let d: Vec<f64> = (0..sample.size()).map(|_| random.power(-3.0, 3.0)).collect();
    for i in 0..d.len() {
        sample.u_free[i] *= d[i];
        // The product of the scales first, so that the matrix stays exactly symmetric.
        (0..d.len()).for_each(|j| sample.rows[i][j] *= d[i] * d[j]);
    }
    sample
}

/// More contacts than velocities. {v : H v ≥ 0} contains 0, so u_free = H v is always solvable.
fn semidefinite(random: &mut Random) -> Sample {
    let n = random.count(2, 8);
    let k = random.count(1, n - 1);
    let h = random.signed_matrix(n, k);
    let v = random.signed_vector(k);
    Sample::unilateral(gram(&h), multiply(&h, &v))
}

/// As above with u_free = H v + s, s ≥ 0: v = 0 still satisfies H v + s ≥ 0.
fn semidefinite_with_slack(random: &mut Random) -> Sample {
    let mut sample = semidefinite(random);
    for u in &mut sample.u_free {
        if random.count(0, 1) == 1 {
            *u += random.unit();
        }
    }
    sample
}

/// Ties everywhere: small whole numbers, no rounding in the data.
fn integer_definite(random: &mut Random) -> Sample {
    let n = random.count(1, 8);
    let w = add_diagonal(gram(&random.whole_matrix(n, n, 2)), 1.0);
    Sample::unilateral(w, random.whole_vector(n, 3))
}

/// Ties, rows of zeros and dependent rows at once; solvable as `semidefinite` is.
fn integer_semidefinite(random: &mut Random) -> Sample {
    let n = random.count(2, 8);
    let k = random.count(1, n - 1);
    let h = random.whole_matrix(n, k, 1);
    let v = random.whole_vector(k, 2);
    Sample::unilateral(gram(&h), multiply(&h, &v))
}

/// Each contact twice or more, bit for bit, as when a face rests on a face.
fn repeated_contacts(random: &mut Random) -> Sample {
    let n = random.count(2, 8);
    let different = random.count(1, n.div_ceil(2));
    let base = random.signed_matrix(different, different + 1);
    let h: Vec<Vec<f64>> = (0..n).map(|i| base[i % different].clone()).collect();
    let v = random.signed_vector(different + 1);
    Sample::unilateral(gram(&h), multiply(&h, &v))
}

fn add_skew(random: &mut Random, mut w: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for i in 0..w.len() {
        for j in 0..i {
            let s = random.signed();
            w[i][j] += s;
            w[j][i] -= s;
        }
    }
    w
}

/// xᵀ W x > 0 makes a P-matrix, symmetric or not.
fn unsymmetric_definite(random: &mut Random) -> Sample {
    let n = random.count(1, 8);
    let w = definite_matrix(random, n);
    Sample::unilateral(add_skew(random, w), random.signed_vector(n))
}

/// Triangular with positive diagonal, rows shuffled: a P-matrix, mostly far from positive definite.
fn unsymmetric_triangular(random: &mut Random) -> Sample {
    let n = random.count(1, 8);
    let mut w = vec![vec![0.0; n]; n];
    for i in 0..n {
        (0..i).for_each(|j| w[i][j] = 2.0 * random.signed());
        w[i][i] = 0.5 + random.unit();
    }
    let sample = Sample::unilateral(w, random.signed_vector(n));
    sample.permuted(&random.permutation(n))
}

/// Strictly diagonally dominant by rows with positive diagonal: a P-matrix.
fn unsymmetric_dominant(random: &mut Random) -> Sample {
    let n = random.count(1, 8);
    let mut w = random.signed_matrix(n, n);
    for i in 0..n {
        w[i][i] = 0.1 + (0..n).filter(|&j| j != i).map(|j| w[i][j].abs()).sum::<f64>();
    }
    Sample::unilateral(w, random.signed_vector(n))
}

fn free_some(random: &mut Random, mut sample: Sample) -> Sample {
    for set in &mut sample.sets {
        if random.count(0, 2) == 0 {
            *set = Set::Free;
        }
    }
    sample
}

fn mixed_definite(random: &mut Random) -> Sample {
    let sample = definite(random);
    free_some(random, sample)
}

fn mixed_unsymmetric(random: &mut Random) -> Sample {
    let sample = unsymmetric_definite(random);
    free_some(random, sample)
}

/// One joint among dependent contacts. v = 0 is feasible.
fn mixed_semidefinite(random: &mut Random) -> Sample {
    let mut sample = semidefinite(random);
    let n = sample.size();
    // One joint alone is surely independent.
    sample.sets[0] = Set::Free;
    let order = random.permutation(n);
    sample.permuted(&order)
}

/// Joints given twice and in combination; consistent because v = 0 satisfies them all.
fn mixed_redundant(random: &mut Random) -> Sample {
    let n = random.count(3, 8);
    let k = random.count(2, 4);
    let mut h = random.signed_matrix(n, k);
    let doubled = random.count(1, n / 2);
    for i in 0..doubled {
        let factor = if random.count(0, 1) == 0 { 1.0 } else { -0.5 };
        h[doubled + i] = h[i].iter().map(|x| factor * x).collect();
    }
    let v = random.signed_vector(k);
    let mut sample = Sample::unilateral(gram(&h), multiply(&h, &v));
    sample.sets[..2 * doubled].fill(Set::Free);
    let order = random.permutation(n);
    sample.permuted(&order)
}

/// Positive semi-definite and unsymmetric; feasible by construction, hence solvable [Cottle92, 3.1.2].
fn monotone(random: &mut Random) -> Sample {
    let n = random.count(2, 8);
    let k = random.count(1, n - 1);
    let base = gram(&random.signed_matrix(n, k));
    let w = add_skew(random, base);
    let p: Vec<f64> = (0..n).map(|_| random.signed().max(0.0)).collect();
    let u_free = multiply(&w, &p).iter().map(|wp| random.signed().max(0.0) - wp).collect();
    Sample::unilateral(w, u_free)
}

/// No negative entry, positive diagonal: solvable for every u_free [Cottle92, 3.8.5], as with friction.
fn strictly_copositive(random: &mut Random) -> Sample {
    let n = random.count(1, 8);
    let mut w = vec![vec![0.0; n]; n];
    for i in 0..n {
        (0..n).for_each(|j| w[i][j] = 2.0 * random.signed().max(0.0));
        w[i][i] = 0.1 + random.unit();
    }
    Sample::unilateral(w, random.signed_vector(n))
}

/// Problems of one kind, none of them solvable.
pub static INFEASIBLE: &[Family] = &[
    family("row-of-zeros", Unique::Nothing, row_of_zeros),
    family("negative-semidefinite", Unique::Nothing, negative_semidefinite),
    family("squeezed", Unique::Nothing, squeezed),
    family("joints-that-disagree", Unique::Nothing, joints_that_disagree),
];

/// Row and column of zeros with u_free < 0 there: nothing can stop that contact.
fn row_of_zeros(random: &mut Random) -> Sample {
    let mut sample = definite(random);
    let n = sample.size();
    let i = random.count(0, n - 1);
    for j in 0..n {
        sample.rows[i][j] = 0.0;
        sample.rows[j][i] = 0.0;
    }
    sample.u_free[i] = -0.1 - random.unit();
    sample
}

/// W = −H Hᵀ, u_free < 0: pᵀ u = −|Hᵀ p|² + pᵀ u_free vanishes for p = 0 only, where u < 0.
fn negative_semidefinite(random: &mut Random) -> Sample {
    let n = random.count(1, 8);
    let k = random.count(1, n);
    let mut w = gram(&random.signed_matrix(n, k));
    w.iter_mut().flatten().for_each(|x| *x = -*x);
    Sample::unilateral(w, (0..n).map(|_| -0.1 - random.unit()).collect())
}

/// The last direction is −Σ c_i h_i, c ≥ 0, so Σ c_i u_i + u_n is the same for all p; here negative.
fn squeezed(random: &mut Random) -> Sample {
    let n = random.count(2, 8);
    let k = random.count(1, n);
    let mut h = random.signed_matrix(n, k);
    let c: Vec<f64> = (0..n - 1).map(|_| 0.1 + random.unit()).collect();
    h[n - 1] = (0..k).map(|a| -(0..n - 1).map(|i| c[i] * h[i][a]).sum::<f64>()).collect();
    let mut u_free = multiply(&h, &random.signed_vector(k));
    u_free.iter_mut().for_each(|u| *u -= 0.1 + random.unit());
    Sample::unilateral(gram(&h), u_free)
}

/// One joint twice, with two speeds.
fn joints_that_disagree(random: &mut Random) -> Sample {
    let n = random.count(2, 8);
    let k = random.count(1, n);
    let mut h = random.signed_matrix(n, k);
    h[1] = h[0].clone();
    let mut sample = Sample::unilateral(gram(&h), multiply(&h, &random.signed_vector(k)));
    sample.u_free[1] += 0.1 + random.unit();
    sample.sets[..2].fill(Set::Free);
    sample
}

/// Any square matrix, any sets; solvable or not.
pub static ANYTHING: Family = family("anything", Unique::Nothing, anything);

fn anything(random: &mut Random) -> Sample {
    let n = random.count(1, 6);
    let whole = random.count(0, 1) == 0;
    let rows = if whole { random.whole_matrix(n, n, 2) } else { random.signed_matrix(n, n) };
    let u_free = if whole { random.whole_vector(n, 2) } else { random.signed_vector(n) };
    free_some(random, Sample::unilateral(rows, u_free))
}

/// Contacts among planar bodies, many more than their velocities: W = H Hᵀ, u_free = H v + s, s ≥ 0,
/// always solvable since v = 0 satisfies H v + s ≥ 0.
pub struct Pile {
    pub contacts: usize,
    pub bodies: usize,
    /// Whether s ≠ 0: contacts still apart, or different restitution.
    pub slack: bool,
    /// Normals at multiples of 30°, so that directions are well apart or the same; else any.
    pub regular: bool,
}

impl Pile {
    pub fn sample(&self, seed: u64) -> Sample {
        let random = &mut Random::mixed(seed);
        let mut h = vec![vec![0.0; 2 * self.bodies]; self.contacts];
        for row in &mut h {
            let (a, b) = (random.count(0, self.bodies - 1), random.count(1, 6));
            let turns = if self.regular { random.count(0, 11) as f64 / 12.0 } else { random.unit() };
            let (y, x) = (turns * std::f64::consts::TAU).sin_cos();
            (row[2 * a], row[2 * a + 1]) = (x, y);
            // With a body a little further on, or with the ground where there is none.
            if a + b < self.bodies {
                (row[2 * (a + b)], row[2 * (a + b) + 1]) = (-x, -y);
            }
        }
        let mut u_free = multiply(&h, &random.signed_vector(2 * self.bodies));
        if self.slack {
            u_free.iter_mut().for_each(|u| *u += random.signed().max(0.0));
        }
        Sample::unilateral(gram(&h), u_free)
    }
}
