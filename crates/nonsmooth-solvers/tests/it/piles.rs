//! Seeded piles of bodies with friction, in levels: W = J M⁻¹ Jᵀ in factors, usually singular.
//!
//! Every contact lies between two levels and its normal has a positive upward part. Lifting each level faster than
//! the one below opens all contacts at once, hence a solution exists whatever the friction [Acary18].

use crate::samples::Random;
use nonsmooth_solvers::{Delassus, Primal, Problem, Set, Sparse};

/// What the contacts of a pile are like.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Planar,
    Spatial,
    Faceted,
    PlanarRolling,
    Rolling,
    Spinning,
    /// Spatial friction, frictionless contacts, joints within a level and motors of limited strength.
    Mixed,
}

pub const KINDS: [Kind; 7] = [
    Kind::Planar,
    Kind::Spatial,
    Kind::Faceted,
    Kind::PlanarRolling,
    Kind::Rolling,
    Kind::Spinning,
    Kind::Mixed,
];

/// Masses and constraints of a pile, and the velocities it would have without impulses.
#[derive(Clone)]
pub struct Pile {
    pub mass: Sparse,
    /// Each constraint: its set and the rows of J.
    pub constraints: Vec<(Set, Vec<Vec<f64>>)>,
    v_free: Vec<f64>,
}

type Vector = [f64; 3];

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: Vector) -> Vector {
    let size = a.iter().map(|x| x * x).sum::<f64>().sqrt();
    a.map(|x| x / size)
}

/// Two bodies in touch, the second `None` for the ground, with the arms to the point of contact.
struct Pair {
    bodies: (usize, Option<usize>),
    arms: (Vector, Vector),
}

impl Pair {
    /// The row of the relative velocity at the point of contact along `e`.
    fn along(&self, e: Vector, n: usize) -> Vec<f64> {
        let mut row = vec![0.0; n];
        let (turn_a, turn_b) = (cross(self.arms.0, e), cross(self.arms.1, e));
        for k in 0..3 {
            row[6 * self.bodies.0 + k] = e[k];
            row[6 * self.bodies.0 + 3 + k] = turn_a[k];
            if let Some(b) = self.bodies.1 {
                row[6 * b + k] = -e[k];
                row[6 * b + 3 + k] = -turn_b[k];
            }
        }
        row
    }

    /// The row of the relative angular velocity along `e`.
    fn about(&self, e: Vector, n: usize) -> Vec<f64> {
        let mut row = vec![0.0; n];
        for k in 0..3 {
            row[6 * self.bodies.0 + 3 + k] = e[k];
            if let Some(b) = self.bodies.1 {
                row[6 * b + 3 + k] = -e[k];
            }
        }
        row
    }
}

impl Pile {
    /// A pile of `levels` levels with two bodies each and `contacts` contacts.
    pub fn new(kind: Kind, levels: usize, contacts: usize, seed: u64) -> Self {
        let random = &mut Random::mixed(seed);
        let (bodies, n) = (2 * levels, 12 * levels);
        let mut masses = Vec::new();
        for _ in 0..bodies {
            let m = random.power(-0.5, 0.5);
            masses.extend([m, m, m, 0.4 * m, 0.4 * m, 0.4 * m]);
        }
        let mut constraints = Vec::new();
        for c in 0..contacts {
            // Each body rests on something; the other contacts are anywhere.
            let a = if c < bodies { c } else { random.count(0, bodies - 1) };
            let level = a / 2;
            let b = (level > 0 && random.count(0, 3) > 0)
                .then(|| 2 * random.count(level.saturating_sub(2), level - 1) + random.count(0, 1));
            constraints.push(contact(kind, random, (a, b), n, c));
        }
        if let Kind::Mixed = kind {
            for level in 0..levels {
                constraints.extend(joint_and_motor(random, level, n));
            }
        }
        let v_free =
            (0..n).map(|i| 0.3 * random.signed() - if i % 6 == 2 { 1.0 } else { 0.0 }).collect();
        Self { mass: Sparse::diagonal(&masses), constraints, v_free }
    }

    /// The same pile with constraint `order[c]` in place c.
    pub fn permuted(&self, order: &[usize]) -> Self {
        let constraints = order.iter().map(|&c| self.constraints[c].clone()).collect();
        Self { constraints, ..self.clone() }
    }

    pub fn factored(&self) -> Problem {
        let rows: Vec<Vec<f64>> = self.constraints.iter().flat_map(|(_, rows)| rows.clone()).collect();
        let u_free =
            rows.iter().map(|row| row.iter().zip(&self.v_free).map(|(h, v)| h * v).sum()).collect();
        let factored =
            Primal::new(self.mass.clone(), Sparse::from_rows(&rows)).expect("masses are positive");
        let sets = self.constraints.iter().map(|(set, _)| *set).collect();
        Problem::posed(Delassus::from_primal(factored, true), u_free, sets)
            .expect("piles are well posed")
    }

    pub fn assembled(&self) -> Problem {
        let problem = self.factored();
        let w = problem.assembled().clone();
        let mut formed = Problem::new(w, problem.u_free, problem.sets).expect("well posed");
        formed.delassus.symmetric = true;
        formed
    }
}

fn contact(
    kind: Kind,
    random: &mut Random,
    bodies: (usize, Option<usize>),
    n: usize,
    c: usize,
) -> (Set, Vec<Vec<f64>>) {
    let normal = unit([random.signed(), random.signed(), 1.5]);
    let other = if normal[0].abs() < 0.5 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let first = unit(cross(normal, other));
    let second = cross(normal, first);
    // The arm to a sphere's surface, off centre as for a body that is none.
    let mut arm = |sign: f64| normal.map(|x| sign * x + 0.2 * random.signed());
    let pair = Pair { bodies, arms: (arm(-1.0), arm(1.0)) };
    let (mu, mu_r, mu_s) = (0.6 * random.unit(), 0.1 * random.unit(), 0.05 * random.unit());
    let slide = [normal, first, second].map(|e| pair.along(e, n));
    let roll = [first, second, normal].map(|e| pair.about(e, n));
    let [along, along_first, along_second] = slide;
    let [about_first, about_second, spin] = roll;
    match kind {
        Kind::Planar => (Set::Coulomb2 { mu }, vec![along, along_first]),
        Kind::Mixed if c % 4 == 3 => (Set::Nonnegative, vec![along]),
        Kind::Spatial | Kind::Mixed => (Set::Coulomb3 { mu }, vec![along, along_first, along_second]),
        Kind::Faceted => {
            let sides = random.count(3, 9) as u32;
            (Set::Pyramid { mu, sides }, vec![along, along_first, along_second])
        }
        Kind::PlanarRolling => (Set::Rolling2 { mu, mu_r }, vec![along, along_first, about_second]),
        Kind::Rolling => (
            Set::Rolling3 { mu, mu_r },
            vec![along, along_first, along_second, about_first, about_second],
        ),
        Kind::Spinning => (
            Set::Spinning3 { mu, mu_r, mu_s },
            vec![along, along_first, along_second, about_first, about_second, spin],
        ),
    }
}

/// A ball joint between the two bodies of a level, and a motor about its vertical.
fn joint_and_motor(random: &mut Random, level: usize, n: usize) -> Vec<(Set, Vec<Vec<f64>>)> {
    let arms = ([0.5, 0.0, 0.1 * random.signed()], [-0.5, 0.0, 0.1 * random.signed()]);
    let pair = Pair { bodies: (2 * level, Some(2 * level + 1)), arms };
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut constraints: Vec<_> = axes.iter().map(|&e| (Set::Free, vec![pair.along(e, n)])).collect();
    let strength = 0.2 * random.unit();
    constraints
        .push((Set::Interval { lower: -strength, upper: strength }, vec![pair.about(axes[2], n)]));
    constraints
}
