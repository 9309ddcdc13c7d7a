//! Slow obvious code that judges the solvers, and the bookkeeping that names the worst offender.

use crate::samples::{Sample, Unique, multiply};
use nonsmooth_solvers::{Entry, Options, Problem, Report, Set, Solver, find, solve};

/// One solved problem.
#[derive(Debug)]
pub struct Solved {
    pub p: Vec<f64>,
    pub u: Vec<f64>,
    pub report: Report,
}

pub fn build(entry: &Entry) -> Box<dyn Solver> {
    entry.build(&Options::default()).expect("the defaults of a solver are allowed")
}

pub fn build_named(name: &str) -> Box<dyn Solver> {
    build(find(name).expect("the solver is listed"))
}

/// Solves from a guess.
pub fn run(solver: &mut dyn Solver, problem: &Problem, tolerance: f64, guess: &[f64]) -> Solved {
    let (mut p, mut u) = (guess.to_vec(), Vec::new());
    let report = solve(solver, problem, tolerance, &mut p, &mut u);
    Solved { p, u, report }
}

/// A fresh solver from p = 0; `None` if it does not take the problem.
pub fn run_fresh(entry: &Entry, problem: &Problem, tolerance: f64) -> Option<Solved> {
    let mut solver = build(entry);
    solver.accepts(problem).ok()?;
    Some(run(&mut *solver, problem, tolerance, &vec![0.0; problem.size()]))
}

/// Euclidean norm that neither overflows nor underflows.
pub fn norm(x: &[f64]) -> f64 {
    let largest = x.iter().fold(0.0f64, |m, x| if x.is_nan() { f64::NAN } else { m.max(x.abs()) });
    if !(largest > 0.0 && largest.is_finite()) {
        return largest;
    }
    largest * x.iter().map(|x| (x / largest) * (x / largest)).sum::<f64>().sqrt()
}

/// ‖a − b‖ / ‖b‖, absolute where b = 0.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    let difference: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let size = norm(b);
    if size > 0.0 { norm(&difference) / size } else { norm(&difference) }
}

/// The residual of the specification, from dense rows, and how much of it may be rounding.
///
/// A unilateral row contributes min(W_ii p_i, u_i), a bilateral one u_i, relative to u_free of the rows that act. The rounding of row i is at
/// most (n + 4) ε (Σ_j |W_ij p_j| + |u_free,i|).
pub fn residual(sample: &Sample, p: &[f64]) -> (f64, f64) {
    let n = sample.size();
    let positive: Vec<f64> = (0..n).map(|i| sample.rows[i][i]).filter(|&w| w > 0.0).collect();
    let mut mean = positive.iter().sum::<f64>() / positive.len() as f64;
    if positive.is_empty() {
        let largest = |row: &Vec<f64>| row.iter().fold(0.0f64, |m, w| m.max(w.abs()));
        mean = sample.rows.iter().map(largest).sum::<f64>() / n as f64;
        mean = if mean > 0.0 { mean } else { 1.0 };
    }
    let moved = multiply(&sample.rows, p);
    let mut r = vec![0.0; n];
    let mut rounding = vec![0.0; n];
    let (mut acting, mut violated) = (vec![0.0; n], false);
    for i in 0..n {
        let weight = if sample.rows[i][i] > 0.0 { sample.rows[i][i] } else { mean };
        let u = moved[i] + sample.u_free[i];
        r[i] = match sample.sets[i] {
            Set::Free => u,
            // `min` of floats would drop a NaN.
            Set::Nonnegative if (weight * p[i] - u).is_nan() => f64::NAN,
            Set::Nonnegative => f64::min(weight * p[i], u),
            other => panic!("this oracle knows no {other:?}"),
        };
        let free = sample.u_free[i];
        let needed = free < 0.0 || (sample.sets[i] == Set::Free && free > 0.0);
        violated |= needed;
        if needed || sample.sets[i] == Set::Free || weight * p[i] > u {
            acting[i] = free;
        }
        let size: f64 = (0..n).map(|j| (sample.rows[i][j] * p[j]).abs()).sum();
        rounding[i] =
            (n + 4) as f64 * f64::EPSILON * (size + weight * p[i].abs() + sample.u_free[i].abs());
    }
    let least = if violated { 1e-12 } else { 1.0 };
    let scale = f64::max(norm(&acting), least * norm(&sample.u_free));
    let scale = if scale > 0.0 { scale } else { 1.0 };
    (norm(&r) / scale, norm(&rounding) / scale)
}

/// How far two solutions of the same problem are apart, in what is unique about them.
pub fn disagreement(sample: &Sample, unique: Unique, a: &Solved, b: &Solved) -> f64 {
    let n = sample.size();
    match unique {
        // Impulses of light and heavy bodies are weighed alike: √W_ii p_i.
        Unique::Impulses => {
            let weighed =
                |s: &Solved| -> Vec<f64> { (0..n).map(|i| sample.rows[i][i].sqrt() * s.p[i]).collect() };
            distance(&weighed(a), &weighed(b))
        }
        // Relative to the terms of u = W p + u_free, with the p of `b`.
        Unique::Velocities => {
            let difference: Vec<f64> = a.u.iter().zip(&b.u).map(|(a, b)| a - b).collect();
            let term = |i: usize, j: usize| (sample.rows[i][j] * b.p[j]).abs();
            let size = |i: usize| sample.u_free[i].abs() + (0..n).map(|j| term(i, j)).sum::<f64>();
            let scale = norm(&(0..n).map(size).collect::<Vec<f64>>());
            if scale > 0.0 { norm(&difference) / scale } else { norm(&difference) }
        }
        Unique::Nothing => 0.0,
    }
}

/// Projected Gauss–Seidel, until nothing moves any more. Converges for symmetric positive definite and
/// for diagonally dominant matrices.
pub fn projected_gauss_seidel(rows: &[Vec<(usize, f64)>], u_free: &[f64], sweeps: usize) -> Vec<f64> {
    let n = u_free.len();
    let mut p = vec![0.0; n];
    for _ in 0..sweeps {
        let mut moved = 0.0f64;
        for i in 0..n {
            let (mut u, mut diagonal) = (u_free[i], 0.0);
            for &(j, w) in &rows[i] {
                u += w * p[j];
                if j == i {
                    diagonal = w;
                }
            }
            let next = f64::max(0.0, p[i] - u / diagonal);
            moved = moved.max((next - p[i]).abs());
            p[i] = next;
        }
        if moved == 0.0 {
            break;
        }
    }
    p
}

/// Impulses in a column of beads on the ground, exactly: pool neighbours that would overlap.
///
/// The next velocities are the nearest ones (in the metric of the masses) with 0 ≤ v_0 ≤ v_1 ≤ …, an
/// isotonic regression; then p_i − p_{i+1} = m_i (v_i − v_free,i).
pub fn pooled_column(masses: &[f64], v_free: &[f64]) -> Vec<f64> {
    // Blocks of beads that move together: (number, mass, momentum). The lowest is the ground.
    let mut blocks = vec![(0, f64::INFINITY, 0.0)];
    for (&m, &v) in masses.iter().zip(v_free) {
        let mut block = (1, m, m * v);
        while let Some(&(count, mass, momentum)) = blocks.last() {
            if momentum / mass < block.2 / block.1 {
                break;
            }
            blocks.pop();
            block = (block.0 + count, block.1 + mass, block.2 + momentum);
        }
        blocks.push(block);
    }
    // From the top of each block down; between blocks there is no impulse.
    let (mut p, mut top) = (vec![0.0; masses.len()], masses.len());
    for &(count, mass, momentum) in blocks.iter().rev() {
        let mut above = 0.0;
        for i in (top - count..top).rev() {
            above += masses[i] * (momentum / mass - v_free[i]);
            p[i] = above;
        }
        top -= count;
        if mass.is_finite() {
            p[top] = 0.0;
        }
    }
    p
}

/// Collects what went wrong, so that one bad family does not hide the next.
#[derive(Default)]
pub struct Verdict(Vec<String>);

impl Verdict {
    pub fn expect(&mut self, good: bool, at: impl FnOnce() -> String) {
        if !good {
            self.0.push(at());
        }
    }

    pub fn pass(self) {
        assert!(self.0.is_empty(), "{} complaints:\n{}", self.0.len(), self.0.join("\n"));
    }
}

/// The largest of many numbers that should be small, and where it occurred.
pub struct Worst {
    what: String,
    value: f64,
    at: String,
    seen: usize,
}

impl Worst {
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), value: 0.0, at: "nowhere".into(), seen: 0 }
    }

    pub fn see(&mut self, value: f64, at: impl FnOnce() -> String) {
        self.seen += 1;
        // A NaN wins and stays.
        if !(value <= self.value) && !self.value.is_nan() {
            (self.value, self.at) = (value, at());
        }
    }

    /// Prints the worst offender; a complaint if it is above `limit`.
    pub fn within(self, limit: f64, verdict: &mut Verdict) {
        let Self { what, value, at, seen } = self;
        let text = format!("{what}: worst of {seen} is {value:.2e} (limit {limit:.0e}) at {at}");
        println!("{text}");
        verdict.expect(value <= limit, || text);
    }
}

/// What should hold in every case, with the smallest case in which it does not.
pub struct Always {
    what: String,
    seen: usize,
    broken: usize,
    smallest: Option<(usize, String)>,
}

impl Always {
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), seen: 0, broken: 0, smallest: None }
    }

    pub fn expect(&mut self, good: bool, size: usize, at: impl FnOnce() -> String) {
        self.seen += 1;
        if good {
            return;
        }
        self.broken += 1;
        if self.smallest.as_ref().is_none_or(|(least, _)| size < *least) {
            self.smallest = Some((size, at()));
        }
    }

    pub fn holds(self, verdict: &mut Verdict) {
        let Self { what, seen, broken, smallest } = self;
        println!("{what}: {broken} of {seen} broken");
        if let Some((_, at)) = smallest {
            verdict.expect(false, || format!("{what}: {broken} of {seen} broken; smallest: {at}"));
        }
    }
}
