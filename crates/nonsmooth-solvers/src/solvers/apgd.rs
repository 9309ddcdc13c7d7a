//! Accelerated projected gradients: friction of any kind by products with W alone, which is never formed or factored.
//!
//! ```text
//! p⁺ = Π(y − D⁻¹ u(y) / L),   u(y) = W y + u_free,   y⁺ = p⁺ + β (p⁺ − p)
//! ```
//!
//! with D = diag(λ_max(W_cc)) and Coulomb's projection Π of `scaled.rs`. For a convex set without shift this is
//! Nesterov's method [Beck09], as used for granular flow in [Mazhar15]; with friction Π puts the shift inside the
//! step, so that no loop around the convex problem is needed. Of 77 friction problems all reach 1e-4 in a second of
//! time this way, 76 with P_C(y − D⁻¹(u + shift(u))/L), the shift of the last iterate, and 67 with the shift frozen
//! until the convex problem is solved to a tenth.
//!
//! L follows the curvature: it grows until ΔᵀWΔ ≤ L ΔᵀDΔ for the step Δ = p⁺ − y, and falls by `DECAY` each time.
//! The momentum β starts anew when the step turns against it [ODonoghue15] or when the residual has doubled. One
//! product with W per step: W y is combined from W p⁺ and W p.
//!
//! Where W is far from symmetric there is no function that falls. If the residual then stands still, the extragradient step
//!
//! ```text
//! h = Π(p − D⁻¹ u(p) / L),   p⁺ = Π(p − D⁻¹ u(h) / L),   ‖D⁻¹ W (h − p)‖ ≤ L ‖h − p‖   (norms of D)
//! ```
//!
//! takes over, which needs monotonicity only [Korpelevich76].

use super::scaled::{Scaled, project_coulomb};
use super::{Entry, Outcome, Solver, Status, Unsupported};
use crate::delassus::Form;
use crate::options::{Declared, Kind, Options};
use crate::problem::Problem;

pub(super) const ENTRY: Entry = Entry {
    name: "apgd",
    about: "accelerated projected gradients by products with W alone; large problems to moderate accuracy",
    options: &[&MAX_ITERATIONS, &STEP],
    make: |options| Box::new(Apgd::new(options)),
};

const MAX_ITERATIONS: Declared = Declared {
    name: "max_iterations",
    about: "most iterations before giving up [–]",
    kind: Kind::Count,
    default: "10000",
};

const STEP: Declared = Declared {
    name: "step",
    about: "which step is made; `auto` accelerates, and goes over to extragradients where W is far from symmetric and progress ends",
    kind: Kind::Word(&["auto", "accelerated", "extragradient"]),
    default: "auto",
};

/// Iterations between certificates; W p is at hand, so one costs as much as a projection.
const CHECK: usize = 5;
/// By how much L falls per step. On 77 friction problems, to 1e-8 in a second of time and without the rule below:
/// 71 solved with 0.9, 72 with 0.97 and 0.99, 71 with 1.
const DECAY: f64 = 0.97;
/// Growth of the residual at which momentum starts anew: 73 solved with 2; 72 with 5, with 1.2 and without.
const GROWTH: f64 = 2.0;
/// Iterations in which the residual must halve, else the step is changed, and how often that may fail in a row.
const PATIENCE: usize = 500;
const ATTEMPTS: usize = 20;
/// Asymmetry, relative to the largest entry of W, beyond which gradients lead nowhere.
const SKEW: f64 = 0.1;
/// Growth of the residual beyond the best that counts as divergence.
const DIVERGED: f64 = 1e6;
/// Tries to find L in one step: from 1 to beyond 1e15.
const TRIES: usize = 60;

pub(super) struct Apgd {
    max_iterations: usize,
    step: String,
    scaled: Scaled,
    /// The impulses, the point of the gradient and the next impulses; each with its product with W.
    p: Vec<f64>,
    moved: Vec<f64>,
    y: Vec<f64>,
    y_moved: Vec<f64>,
    next: Vec<f64>,
    next_moved: Vec<f64>,
    /// Estimate of λ_max(D⁻¹ W) [–].
    curvature: f64,
    /// Nesterov's sequence t, from which β = (t_k − 1)/t_{k+1}.
    momentum: f64,
}

impl Apgd {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            max_iterations: options.count(&MAX_ITERATIONS),
            step: options.word(&STEP).to_owned(),
            scaled: Scaled::default(),
            p: Vec::new(),
            moved: Vec::new(),
            y: Vec::new(),
            y_moved: Vec::new(),
            next: Vec::new(),
            next_moved: Vec::new(),
            curvature: 1.0,
            momentum: 1.0,
        }
    }

    fn vectors(&mut self) -> [&mut Vec<f64>; 6] {
        let Self { p, moved, y, y_moved, next, next_moved, .. } = self;
        [p, moved, y, y_moved, next, next_moved]
    }

    /// next ← Π(y − D⁻¹ (`y_moved` + u_free) / L), and its product with W.
    fn descend(&mut self, problem: &Problem) {
        for (begin, set) in problem.blocks() {
            let range = begin..begin + set.dim();
            let step = 1.0 / (self.curvature * self.scaled.weight[begin]);
            for i in range.clone() {
                self.next[i] = self.y[i] - step * (self.y_moved[i] + problem.u_free[i]);
            }
            project_coulomb(set, &mut self.next[range]);
        }
        self.scaled.multiply(problem, &self.next, &mut self.next_moved);
    }

    /// One step from y to `next`, with L as large as it must be.
    fn accelerated(&mut self, problem: &Problem) {
        for _ in 0..TRIES {
            self.descend(problem);
            let (mut form, mut square, mut rounding) = (0.0, 0.0, 0.0);
            for i in 0..self.y.len() {
                let step = self.next[i] - self.y[i];
                let (a, b) = (self.next_moved[i], self.y_moved[i]);
                form += step * (a - b);
                square += self.scaled.weight[i] * step * step;
                rounding += step.abs() * (a.abs() + b.abs());
            }
            // A NaN ends the search; the residual will show it.
            if !(form > self.curvature * square + 4.0 * f64::EPSILON * rounding) {
                break;
            }
            self.curvature = (form / square).max(1.5 * self.curvature);
        }
    }

    /// y ← next + β (next − p), p ← next.
    fn extrapolate(&mut self, restart: bool) {
        let turned: f64 = (0..self.p.len())
            .map(|i| self.scaled.weight[i] * (self.y[i] - self.next[i]) * (self.next[i] - self.p[i]))
            .sum();
        if restart || turned > 0.0 {
            self.momentum = 1.0;
        }
        let t = self.momentum;
        self.momentum = 0.5 + (0.25 + t * t).sqrt();
        let beta = (t - 1.0) / self.momentum;
        for i in 0..self.p.len() {
            self.y[i] = self.next[i] + beta * (self.next[i] - self.p[i]);
            self.y_moved[i] = self.next_moved[i] + beta * (self.next_moved[i] - self.moved[i]);
        }
        self.accept();
    }

    fn accept(&mut self) {
        std::mem::swap(&mut self.p, &mut self.next);
        std::mem::swap(&mut self.moved, &mut self.next_moved);
        self.curvature *= DECAY;
    }

    /// The extragradient step from p to `next`.
    fn extragradient(&mut self, problem: &Problem) {
        for _ in 0..TRIES {
            self.y.copy_from_slice(&self.p);
            self.y_moved.copy_from_slice(&self.moved);
            self.descend(problem);
            let (mut square, mut square_moved) = (0.0, 0.0);
            for i in 0..self.p.len() {
                let d = self.scaled.weight[i];
                square += d * (self.next[i] - self.p[i]).powi(2);
                square_moved += (self.next_moved[i] - self.moved[i]).powi(2) / d;
            }
            if !(square_moved > self.curvature.powi(2) * square) {
                break;
            }
            self.curvature = (square_moved / square).sqrt().max(1.5 * self.curvature);
        }
        self.y_moved.copy_from_slice(&self.next_moved);
        self.descend(problem);
    }

    /// Starts at `p`, without momentum.
    fn begin(&mut self, problem: &Problem, p: &[f64]) {
        self.p.copy_from_slice(p);
        self.y.copy_from_slice(p);
        self.scaled.multiply(problem, p, &mut self.moved);
        self.y_moved.copy_from_slice(&self.moved);
        // λ_max(D⁻¹ W) ≥ 1 where W is symmetric: the block with its own λ_max has it.
        (self.curvature, self.momentum) = (1.0, 1.0);
    }

    /// Iterates from `p`, whose residual is `best`; leaves the best impulses in `p`.
    fn iterate(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64], mut best: f64) -> Outcome {
        let ended = |status, iterations| Outcome { status, iterations, method: "apgd" };
        let mut extra = self.step == "extragradient";
        let other = self.step == "auto" && is_skew(problem);
        // The iteration and residual when it last halved, and the least residual since momentum started.
        let (mut mark, mut least, mut attempts) = ((0, best), f64::INFINITY, 0);
        self.begin(problem, p);
        for iteration in 1..=self.max_iterations {
            if extra {
                self.extragradient(problem)
            } else {
                self.accelerated(problem)
            }
            let (mut restart, mut diverged) = (false, false);
            if iteration.is_multiple_of(CHECK) || iteration == self.max_iterations {
                let residual = self.scaled.residual(problem, &self.next, &self.next_moved);
                if residual < best {
                    best = residual;
                    p.copy_from_slice(&self.next);
                }
                if best <= tolerance {
                    return ended(Status::Converged, iteration);
                }
                diverged = !(residual < DIVERGED * best);
                restart = residual > GROWTH * least;
                least = if restart { residual } else { least.min(residual) };
                if best < 0.5 * mark.1 {
                    (mark, attempts) = ((iteration, best), 0);
                }
            }
            if diverged || iteration >= mark.0 + PATIENCE {
                (mark.0, attempts) = (iteration, attempts + 1);
                if attempts == ATTEMPTS {
                    return ended(Status::Stalled, iteration);
                }
                if diverged || (other && !extra) {
                    extra |= other;
                    self.begin(problem, p);
                    continue;
                }
            }
            if extra { self.accept() } else { self.extrapolate(restart) }
        }
        ended(Status::IterationLimit, self.max_iterations)
    }
}

/// Whether W is far from symmetric. The W of bodies in implicit rotation has an asymmetry of at most 1e-2: there
/// acceleration is better. Of 77 friction problems 73 reach 1e-8 in a second of time with this limit, 69 with none.
fn is_skew(problem: &Problem) -> bool {
    match &problem.delassus.form {
        Form::Explicit(w) => !problem.delassus.symmetric && !w.is_symmetric(SKEW),
        Form::Primal(_) | Form::Posed(_) => false,
    }
}

impl Solver for Apgd {
    fn accepts(&self, _problem: &Problem) -> Result<(), Unsupported> {
        Ok(())
    }

    fn solve(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Outcome {
        for scratch in self.vectors() {
            scratch.clear();
            scratch.resize(p.len(), 0.0);
        }
        self.scaled.prepare(problem);
        let residual = self.scaled.start(problem, p, &mut self.moved);
        if residual <= tolerance {
            return Outcome { status: Status::Converged, iterations: 0, method: "apgd" };
        }
        self.iterate(problem, tolerance, p, residual)
    }

    fn forget(&mut self) {
        for scratch in self.vectors() {
            *scratch = Vec::new();
        }
    }
}
