//! The certificate once more, slow and obvious, sharing no code with the library but the numbers of the problem.
//!
//! λ_max by bisection on "λ I − W_cc is positive definite", projections by bisection on the height of the nearest point, or
//! by trying every face of a pyramid.

use nonsmooth_solvers::{Problem, Set};

/// How well impulses solve a problem, and how much of that may be rounding.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    /// ‖(p − P_C(p − ρ (u + shift)))/ρ‖ / ‖u_free‖ of the constraints that act, absolute where that is zero.
    pub residual: f64,
    /// What rounding of W p and of the projections may change of it.
    pub rounding: f64,
}

impl Judged {
    /// Whether it is within the tolerance; one per mille and rounding for another order of summation.
    pub fn meets(self, tolerance: f64) -> bool {
        self.residual <= 1.001 * tolerance + self.rounding
    }

    /// Whether it is beyond the tolerance, with the same margin.
    pub fn misses(self, tolerance: f64) -> bool {
        !(self.residual <= 0.999 * tolerance - self.rounding)
    }
}

/// Judges `p`.
pub fn judge(problem: &Problem, p: &[f64]) -> Judged {
    let w = problem.assembled();
    let n = problem.size();
    let (mut moved, mut size) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..n {
        let (columns, values) = w.row(i);
        for (&j, &x) in columns.iter().zip(values) {
            moved[i] += x * p[j as usize];
            size[i] += (x * p[j as usize]).abs();
        }
    }
    let u: Vec<f64> = moved.iter().zip(&problem.u_free).map(|(m, f)| m + f).collect();
    let weights: Vec<f64> =
        problem.blocks().map(|(i, set)| largest_eigenvalue(problem, i, set)).collect();
    let positive: Vec<f64> = weights.iter().copied().filter(|&d| d > 0.0).collect();
    let mut mean = positive.iter().sum::<f64>() / positive.len() as f64;
    if positive.is_empty() {
        let largest = |i: usize| w.row(i).1.iter().fold(0.0f64, |m, w| m.max(w.abs()));
        mean = (0..n).map(largest).sum::<f64>() / n as f64;
        mean = if mean > 0.0 { mean } else { 1.0 };
    }
    let (mut acting, mut all, mut violated) = (Vec::new(), Vec::new(), false);
    let (mut defect, mut rounding) = (Vec::new(), Vec::new());
    for ((begin, set), weight) in problem.blocks().zip(weights) {
        let d = if weight > 0.0 { weight } else { mean };
        let end = begin + set.dim();
        let shift = shift(set, &u[begin..end]);
        let mut x: Vec<f64> = (begin..end).map(|i| d * p[i] - u[i]).collect();
        x[0] -= shift;
        let nearest = project(set, d, &x);
        let mut free = norm(&problem.u_free[begin..end]);
        if let Set::Interval { lower, upper } = set {
            free = free.max(d * if lower > 0.0 { lower } else { (-upper).max(0.0) });
        }
        let needed = if end == begin + 1 && set != Set::Nonnegative {
            free > 0.0
        } else {
            problem.u_free[begin] < 0.0
        };
        let carries = nearest[0] > 0.0 || matches!(set, Set::Free | Set::Interval { .. });
        acting.push(if needed || carries { free } else { 0.0 });
        all.push(free);
        violated |= needed;
        for i in begin..end {
            // Where nothing is projected without the large d p, which would hide a small u; 0·p shows what is not finite.
            let k = i - begin;
            let r = if nearest[k] == x[k] {
                u[i] + if k == 0 { shift } else { 0.0 } + 0.0 * p[i]
            } else {
                d * p[i] - nearest[k]
            };
            defect.push(r);
            let row = size[i] + problem.u_free[i].abs();
            let terms = w.row(i).0.len() + 8;
            rounding.push(terms as f64 * f64::EPSILON * (row + d * p[i].abs() + shift));
        }
    }
    let least = if violated { 1e-12 } else { 1.0 };
    let scale = f64::max(norm(&acting), least * norm(&all));
    let scale = if scale == 0.0 { 1.0 } else { scale };
    Judged { residual: norm(&defect) / scale, rounding: norm(&rounding) / scale }
}

/// max over s in the section of −s·u_T.
fn shift(set: Set, u: &[f64]) -> f64 {
    match set {
        Set::Pyramid { mu, sides } => {
            let value = |c: [f64; 2]| -mu * (c[0] * u[1] + c[1] * u[2]);
            corners(sides).into_iter().map(value).fold(f64::NEG_INFINITY, f64::max)
        }
        _ => factors(set).iter().map(|&(radius, begin, end)| radius * norm(&u[begin..end])).sum(),
    }
}

/// Radius and components of each ball of the section.
fn factors(set: Set) -> Vec<(f64, usize, usize)> {
    match set {
        Set::Coulomb2 { mu } => vec![(mu, 1, 2)],
        Set::Coulomb3 { mu } => vec![(mu, 1, 3)],
        Set::Rolling2 { mu, mu_r } => vec![(mu, 1, 2), (mu_r, 2, 3)],
        Set::Rolling3 { mu, mu_r } => vec![(mu, 1, 3), (mu_r, 3, 5)],
        Set::Spinning3 { mu, mu_r, mu_s } => vec![(mu, 1, 3), (mu_r, 3, 5), (mu_s, 5, 6)],
        _ => Vec::new(),
    }
}

fn corners(sides: u32) -> Vec<[f64; 2]> {
    let angle = |k: u32| std::f64::consts::TAU * f64::from(k) / f64::from(sides);
    (0..sides).map(|k| [angle(k).cos(), angle(k).sin()]).collect()
}

/// d P_C(x/d).
fn project(set: Set, d: f64, x: &[f64]) -> Vec<f64> {
    match set {
        Set::Free => x.to_vec(),
        Set::Nonnegative => vec![if x[0] < 0.0 { 0.0 } else { x[0] }],
        Set::Interval { lower, .. } if x[0] < d * lower => vec![d * lower],
        Set::Interval { upper, .. } if x[0] > d * upper => vec![d * upper],
        Set::Interval { .. } => x.to_vec(),
        Set::Pyramid { mu, sides } => project_pyramid(mu, sides, x),
        _ => project_cone(&factors(set), x),
    }
}

/// The nearest point has the height s with s − a = Σ μ_j (n_j − μ_j s)₊ or s = 0; the left side rises, the right one falls.
fn project_cone(factors: &[(f64, usize, usize)], x: &[f64]) -> Vec<f64> {
    if x.iter().any(|x| !x.is_finite()) {
        return vec![f64::NAN; x.len()];
    }
    let lengths: Vec<f64> = factors.iter().map(|&(_, begin, end)| norm(&x[begin..end])).collect();
    let pull = |s: f64| -> f64 {
        factors.iter().zip(&lengths).map(|(&(mu, ..), n)| mu * (n - mu * s).max(0.0)).sum()
    };
    let (mut low, mut high) = (0.0, x[0].abs() + pull(0.0));
    for _ in 0..200 {
        let s = 0.5 * (low + high);
        if s - x[0] < pull(s) { low = s } else { high = s }
    }
    let mut nearest = x.to_vec();
    nearest[0] = low;
    for (&(mu, begin, end), n) in factors.iter().zip(lengths) {
        if n > mu * low {
            nearest[begin..end].iter_mut().for_each(|x| *x *= mu * low / n);
        }
    }
    nearest
}

/// Inside, or the nearest point of every facet and of every edge.
fn project_pyramid(mu: f64, sides: u32, x: &[f64]) -> Vec<f64> {
    let corners = corners(sides);
    let edge = |k: usize| [1.0, mu * corners[k % corners.len()][0], mu * corners[k % corners.len()][1]];
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    // The normal of facet k points out: corners are numbered counter-clockwise.
    let normal = |k: usize| {
        let (a, b) = (edge(k), edge(k + 1));
        let n = [a[2] * b[1] - a[1] * b[2], a[0] * b[2] - a[2] * b[0], a[1] * b[0] - a[0] * b[1]];
        let flip = if n[0] > 0.0 { -1.0 } else { 1.0 };
        n.map(|x| flip * x)
    };
    let all = 0..corners.len();
    if x[0] >= 0.0
        && all.clone().all(|k| dot(&normal(k), x) <= 0.0)
        && (mu > 0.0 || norm(&x[1..]) == 0.0)
    {
        return x.to_vec();
    }
    let mut candidates = vec![vec![0.0; 3]];
    for k in all {
        let (a, b) = (edge(k), edge(k + 1));
        let along = (dot(&a, x) / dot(&a, &a)).max(0.0);
        candidates.push(a.iter().map(|a| along * a).collect());
        let (aa, ab, bb) = (dot(&a, &a), dot(&a, &b), dot(&b, &b));
        let (ax, bx) = (dot(&a, x), dot(&b, x));
        let det = aa * bb - ab * ab;
        let (s, t) = ((ax * bb - bx * ab) / det, (bx * aa - ax * ab) / det);
        if s >= 0.0 && t >= 0.0 {
            candidates.push((0..3).map(|i| s * a[i] + t * b[i]).collect());
        }
    }
    // The nearest point y is the one with (x − y)·g ≤ 0 for every edge g. Distances do not tell it: near the tip they
    // differ by squares.
    let violation = |y: &[f64]| {
        let rest: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
        (0..corners.len()).map(|k| dot(&rest, &edge(k))).fold(0.0, f64::max)
    };
    let nearest = candidates.into_iter().min_by(|a, b| violation(a).total_cmp(&violation(b)));
    nearest.expect("the tip is among them")
}

/// The least λ for which λ I − S is positive definite, S the symmetric part of the block.
pub fn largest_eigenvalue(problem: &Problem, begin: usize, set: Set) -> f64 {
    let n = set.dim();
    let w = |i: usize, j: usize| problem.assembled().get(begin + i, begin + j);
    let s: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| 0.5 * (w(i, j) + w(j, i))).collect()).collect();
    if n == 1 {
        return s[0][0];
    }
    let bound = norm(&s.iter().flatten().copied().collect::<Vec<f64>>());
    let (mut low, mut high) = (-bound, 1.001 * bound);
    for _ in 0..64 {
        let middle = 0.5 * (low + high);
        if is_definite(&s, middle) { high = middle } else { low = middle }
    }
    high
}

/// Whether λ I − S has a Cholesky factor.
fn is_definite(s: &[Vec<f64>], lambda: f64) -> bool {
    let n = s.len();
    let mut l = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let entry = if i == j { lambda - s[i][i] } else { -s[i][j] };
            let rest: f64 = entry - (0..j).map(|k| l[i][k] * l[j][k]).sum::<f64>();
            if i == j && !(rest > 0.0) {
                return false;
            }
            l[i][j] = if i == j { rest.sqrt() } else { rest / l[j][j] };
        }
    }
    true
}

fn norm(x: &[f64]) -> f64 {
    let largest = x.iter().fold(0.0f64, |m, x| if x.is_nan() { f64::NAN } else { m.max(x.abs()) });
    if !(largest > 0.0 && largest.is_finite()) {
        return largest;
    }
    largest * x.iter().map(|x| (x / largest) * (x / largest)).sum::<f64>().sqrt()
}
