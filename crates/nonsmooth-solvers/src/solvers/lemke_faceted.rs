//! Friction as a linear complementarity problem, solved by Lemke's method.
//!
//! The section of each cone is replaced by a polygon with corners μ c_k, ‖c_k‖ = 1 (in the plane by the segment
//! itself, c = ±1, so that nothing is lost). In the formulation `alternative`, which extends to space,
//!
//! ```text
//! p_T = Σ β_k c_k,     0 ≤ p_N ⟂ u_N ≥ 0,     0 ≤ β_k ⟂ c_k·u_T + σ ≥ 0,     0 ≤ σ ⟂ μ p_N − Σ β_k ≥ 0
//! ```
//!
//! and σ is the speed of sliding. In `parts`, for tangents of one component, u_T = ν₁ − ν₂ is split in its positive
//! and negative part, and p_T is measured by its distances s₁ = μ p_N + p_T, s₂ = μ p_N − p_T to the edges of the cone:
//!
//! ```text
//! 0 ≤ p_N ⟂ u_N ≥ 0,     0 ≤ s₁ ⟂ ν₁ = u_T + ν₂ ≥ 0,     0 ≤ ν₂ ⟂ s₂ = 2 μ p_N − s₁ ≥ 0
//! ```
//!
//! Both are from [Trinkle08], the first also from [Stewart96]. The matrix of the first is copositive where W is positive
//! semi-definite, so that the path ends in a solution if u_free is compatible with the constraints; that of the second
//! is smaller, and has no such guarantee. With rolling and spinning each factor of the section has its own β and σ.

use super::lemke::MAX_PIVOTS;
use super::mixed::{Limits, Mixed, fits};
use super::{Attempt, Entry, Outcome, Solver, Unsupported};
use crate::certificate::certify;
use crate::delassus::Delassus;
use crate::options::{Declared, Kind, Options};
use crate::problem::Problem;
use crate::set::{Part, Set};
use crate::sparse::Sparse;

pub(super) const ENTRY: Entry = Entry {
    name: "lemke-faceted",
    about: "friction as an LCP by Lemke: exact in the plane and for pyramids, by inscribed facets in space",
    options: &[&SIDES, &FORMULATION, &MAX_PIVOTS],
    make: |options| Box::new(LemkeFaceted::new(options)),
};

/// Method of the attempt that carries the residual of the faceted problem, where that is not the problem itself.
pub const FACETED: &str = "faceted problem";

const SIDES: Declared = Declared {
    name: "sides",
    about: "facets that stand for a disc in space, 3 to 1000 [–]",
    kind: Kind::Count,
    default: "8",
};

const PARTS: &str = "parts";

const FORMULATION: Declared = Declared {
    name: "formulation",
    about: "facets with a sliding speed (`alternative`), or positive and negative parts, in the plane only (`parts`)",
    kind: Kind::Word(&["alternative", PARTS]),
    default: "alternative",
};

pub(super) struct LemkeFaceted {
    sides: usize,
    by_parts: bool,
    max_pivots: usize,
    attempts: Vec<Attempt>,
}

impl LemkeFaceted {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            sides: options.count(&SIDES),
            by_parts: options.word(&FORMULATION) == PARTS,
            max_pivots: options.count(&MAX_PIVOTS),
            attempts: Vec::new(),
        }
    }
}

impl Solver for LemkeFaceted {
    fn accepts(&self, problem: &Problem) -> Result<(), Unsupported> {
        const SOLVER: &str = ENTRY.name;
        let refuse = |what| Err(Unsupported::Kind { solver: SOLVER, what });
        if problem.sets.iter().any(|&set| is_round(set)) && !(3..=1000).contains(&self.sides) {
            return refuse("a number of sides outside 3 to 1000");
        }
        if self.by_parts && problem.sets.iter().any(|&set| has_discs(set)) {
            return refuse("friction in space by positive and negative parts");
        }
        fits(SOLVER, problem, |set| self.rows_of(set))
    }

    fn solve(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Outcome {
        let lcp = self.formulate(problem);
        let matrix = lcp.matrix(problem.assembled());
        let rhs = lcp.rhs(&problem.u_free);
        let mixed = Mixed { matrix: &matrix, rhs: &rhs, bounds: &lcp.bounds };
        let faceted = self.faceted(problem, &matrix, &rhs);
        let mut u = Vec::new();
        let mut residual_of = |z: &[f64]| match &faceted {
            Faceted::Same => certify(problem, &lcp.impulses(z), &mut u).residual,
            Faceted::Pyramids(other) => certify(other, &lcp.impulses(z), &mut u).residual,
            Faceted::Complementarity(other) => certify(other, z, &mut u).residual,
        };
        let mut judge = |z: &[f64]| {
            let residual = residual_of(z);
            (residual, residual <= tolerance)
        };
        let mut z = vec![0.0; rhs.len()];
        // A tenth: the residual of the LCP also counts the rows of σ.
        let limits = Limits { max_pivots: self.max_pivots, tolerance: 0.1 * tolerance };
        let (status, iterations) = mixed.solve(limits, &mut judge, &mut z);
        p.copy_from_slice(&lcp.impulses(&z));
        self.attempts.clear();
        if !matches!(faceted, Faceted::Same) {
            let (method, island) = (FACETED, (0, rhs.len()));
            let residual = residual_of(&z);
            self.attempts.push(Attempt { method, island, status, iterations, residual });
        }
        Outcome { status, iterations, method: ENTRY.name }
    }

    /// The residual of the faceted problem, where that is not the problem itself.
    fn attempts(&self) -> &[Attempt] {
        &self.attempts
    }

    fn forget(&mut self) {
        self.attempts.clear();
    }
}

/// The problem that is solved in the place of the given one, for its residual.
enum Faceted {
    /// The given one.
    Same,
    /// Cones replaced by pyramids.
    Pyramids(Box<Problem>),
    /// The LCP, where no set has the section that stands for a product of discs.
    Complementarity(Box<Problem>),
}

/// Whether facets only approximate the set.
fn is_round(set: Set) -> bool {
    matches!(set, Set::Coulomb3 { .. } | Set::Rolling3 { .. } | Set::Spinning3 { .. })
}

fn has_discs(set: Set) -> bool {
    is_round(set) || matches!(set, Set::Pyramid { .. })
}

/// The factors of a section; the pyramid's is the polygon.
fn factors(set: Set) -> Vec<Part> {
    if let Set::Pyramid { mu, .. } = set {
        return vec![Part { radius: mu, begin: 1, end: 3 }];
    }
    let (parts, n) = set.parts();
    parts[..n].to_vec()
}

impl LemkeFaceted {
    /// Directions of the corners of one factor.
    fn corners(&self, set: Set, part: Part) -> Vec<[f64; 2]> {
        if part.end - part.begin == 1 {
            return vec![[1.0, 0.0], [-1.0, 0.0]];
        }
        let sides = if let Set::Pyramid { sides, .. } = set { sides as usize } else { self.sides };
        let step = std::f64::consts::TAU / sides as f64;
        (0..sides).map(|k| [(k as f64 * step).cos(), (k as f64 * step).sin()]).collect()
    }

    fn rows_of(&self, set: Set) -> usize {
        let of = |part: Part| if self.by_parts { 2 } else { self.corners(set, part).len() + 1 };
        1 + factors(set).into_iter().filter(|part| part.radius > 0.0).map(of).sum::<usize>()
    }

    fn formulate(&self, problem: &Problem) -> Lcp {
        let mut lcp = Lcp::default();
        for (begin, set) in problem.blocks() {
            let normal = lcp.push(vec![(begin, 1.0)], vec![(begin, 1.0)]);
            if set.is_scalar() {
                lcp.bounds[normal] = set.bounds();
                continue;
            }
            for part in factors(set).into_iter().filter(|part| part.radius > 0.0) {
                let first = begin + part.begin;
                if self.by_parts {
                    lcp.push_parts(normal, first, part.radius);
                } else {
                    let two = part.end - part.begin == 2;
                    lcp.push_facets(normal, first, two, part.radius, &self.corners(set, part));
                }
            }
        }
        lcp.n_impulses = problem.size();
        lcp
    }

    fn faceted(&self, problem: &Problem, matrix: &Sparse, rhs: &[f64]) -> Faceted {
        if !problem.sets.iter().any(|&set| is_round(set)) {
            return Faceted::Same;
        }
        let sides = self.sides as u32;
        let sets: Option<Vec<Set>> = problem
            .sets
            .iter()
            .map(|&set| match set {
                Set::Coulomb3 { mu } => Some(Set::Pyramid { mu, sides }),
                set if is_round(set) => None,
                set => Some(set),
            })
            .collect();
        match sets {
            Some(sets) => Faceted::Pyramids(Box::new(Problem { sets, ..problem.clone() })),
            None => {
                let lcp = self.formulate(problem);
                let set = |&(lower, upper): &(f64, f64)| Set::Interval { lower, upper };
                Faceted::Complementarity(Box::new(Problem {
                    delassus: Delassus { symmetric: false, ..Delassus::explicit(matrix.clone()) },
                    u_free: rhs.to_vec(),
                    sets: lcp.bounds.iter().map(set).collect(),
                    scale: None,
                }))
            }
        }
    }
}

/// w = Lᵀ (W G z + u_free) + K z, complementary to z; p = G z.
#[derive(Default)]
struct Lcp {
    n_impulses: usize,
    /// Columns of L and G, one per variable: (component of u or p, factor).
    rows: Vec<Vec<(usize, f64)>>,
    columns: Vec<Vec<(usize, f64)>>,
    /// Rows of K: (variable, factor).
    coupling: Vec<Vec<(usize, f64)>>,
    bounds: Vec<(f64, f64)>,
}

impl Lcp {
    /// Adds a nonnegative variable; returns its number.
    fn push(&mut self, row: Vec<(usize, f64)>, column: Vec<(usize, f64)>) -> usize {
        self.rows.push(row);
        self.columns.push(column);
        self.coupling.push(Vec::new());
        self.bounds.push((0.0, f64::INFINITY));
        self.bounds.len() - 1
    }

    /// β_k and σ of one factor.
    fn push_facets(&mut self, normal: usize, first: usize, two: bool, mu: f64, corners: &[[f64; 2]]) {
        let speed = self.bounds.len() + corners.len();
        let mut least = vec![(normal, mu)];
        for c in corners {
            let direction =
                if two { vec![(first, c[0]), (first + 1, c[1])] } else { vec![(first, c[0])] };
            let beta = self.push(direction.clone(), direction);
            self.coupling[beta].push((speed, 1.0));
            least.push((beta, -1.0));
        }
        let sigma = self.push(Vec::new(), Vec::new());
        self.coupling[sigma] = least;
    }

    /// s₁ and ν₂ of one factor: p_T = s₁ − μ p_N.
    fn push_parts(&mut self, normal: usize, tangent: usize, mu: f64) {
        self.columns[normal].push((tangent, -mu));
        let edge = self.push(vec![(tangent, 1.0)], vec![(tangent, 1.0)]);
        let speed = self.push(Vec::new(), Vec::new());
        self.coupling[edge].push((speed, 1.0));
        self.coupling[speed] = vec![(normal, 2.0 * mu), (edge, -1.0)];
    }

    /// Lᵀ W G + K by rows.
    fn matrix(&self, delassus: &Sparse) -> Sparse {
        let n = self.bounds.len();
        let mut by_component: Vec<Vec<(usize, f64)>> = vec![Vec::new(); self.n_impulses];
        for (variable, column) in self.columns.iter().enumerate() {
            column.iter().for_each(|&(j, g)| by_component[j].push((variable, g)));
        }
        let mut matrix = Sparse::empty(n);
        let (mut sum, mut marked) = (vec![0.0; n], Vec::new());
        for (row, coupling) in self.rows.iter().zip(&self.coupling) {
            let mut add = |variable: usize, x: f64| {
                marked.push(variable as u32);
                sum[variable] += x;
            };
            for &(i, l) in row {
                let (components, values) = delassus.row(i);
                for (&j, &w) in components.iter().zip(values) {
                    by_component[j as usize].iter().for_each(|&(variable, g)| add(variable, l * w * g));
                }
            }
            coupling.iter().for_each(|&(variable, x)| add(variable, x));
            marked.sort_unstable();
            marked.dedup();
            for variable in marked.drain(..) {
                matrix.column.push(variable);
                matrix.value.push(std::mem::take(&mut sum[variable as usize]));
            }
            matrix.finish_row();
        }
        matrix
    }

    /// Lᵀ u_free.
    fn rhs(&self, u_free: &[f64]) -> Vec<f64> {
        self.rows.iter().map(|row| row.iter().map(|&(i, l)| l * u_free[i]).sum()).collect()
    }

    /// p = G z.
    fn impulses(&self, z: &[f64]) -> Vec<f64> {
        let mut p = vec![0.0; self.n_impulses];
        for (column, z) in self.columns.iter().zip(z) {
            column.iter().for_each(|&(j, g)| p[j] += g * z);
        }
        p
    }
}
