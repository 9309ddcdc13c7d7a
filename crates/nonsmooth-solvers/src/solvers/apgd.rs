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

use super::descent::{Descent, TRIES, Vectors, Work};
use super::scaled::Scaled;
use super::sweep::wide::gradients;
use super::{Entry, Outcome, Solver, Status, Unsupported};
use crate::certificate::certify;
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
pub(super) struct Apgd {
    max_iterations: usize,
    step: String,
    scaled: Scaled,
    work: Work,
    u: Vec<f64>,
}

/// L and the momentum.
struct Pace {
    /// Estimate of λ_max(D⁻¹ W) [–].
    curvature: f64,
    /// Nesterov's sequence t, from which β = (t_k − 1)/t_{k+1}.
    momentum: f64,
}

impl Pace {
    /// λ_max(D⁻¹ W) ≥ 1 where W is symmetric: the block with its own λ_max has it.
    const START: Self = Self { curvature: 1.0, momentum: 1.0 };

    /// One step from y, with L as large as it must be; whether it turns against the momentum.
    fn accelerated(&mut self, engine: &mut dyn Descent) -> bool {
        let mut turned = 0.0;
        for _ in 0..TRIES {
            let made = engine.descend(self.curvature);
            turned = made.turned;
            // A NaN ends the search; the residual will show it.
            if !(made.form > self.curvature * made.square + 4.0 * f64::EPSILON * made.rounding) {
                break;
            }
            self.curvature = (made.form / made.square).max(1.5 * self.curvature);
        }
        turned > 0.0
    }

    /// β of the next step.
    fn momentum(&mut self, restart: bool) -> f64 {
        let t = if restart { 1.0 } else { self.momentum };
        self.momentum = 0.5 + (0.25 + t * t).sqrt();
        (t - 1.0) / self.momentum
    }
}

impl Apgd {
    pub(super) fn new(options: &Options) -> Self {
        let (scaled, work) = (Scaled::default(), Work::default());
        let max_iterations = options.count(&MAX_ITERATIONS);
        Self { max_iterations, step: options.word(&STEP).to_owned(), scaled, work, u: Vec::new() }
    }

    /// At most so many iterations from `p`, fewer where the residual has not halved in as many as the second number says; leaves the best
    /// impulses in `p`.
    pub(super) fn run(
        &mut self,
        problem: &Problem,
        tolerance: f64,
        p: &mut [f64],
        (budget, patience): (usize, Option<usize>),
    ) -> Outcome {
        let (mut scaled, mut work) = (std::mem::take(&mut self.scaled), std::mem::take(&mut self.work));
        scaled.prepare(problem);
        self.u.resize(p.len(), 0.0);
        let residual = scaled.start(problem, p, &mut self.u);
        let made = if residual <= tolerance {
            Outcome { status: Status::Converged, iterations: 0, method: "apgd" }
        } else if self.step != "extragradient"
            && let Some(mut engine) = gradients(problem)
        {
            self.iterate(&mut *engine, problem, tolerance, p, (residual, budget, patience))
        } else {
            let mut engine = Vectors::new(problem, &mut scaled, &mut work);
            self.iterate(&mut engine, problem, tolerance, p, (residual, budget, patience))
        };
        (self.scaled, self.work) = (scaled, work);
        made
    }

    /// Iterates from `p`, whose residual is `best`; leaves the best impulses in `p`.
    fn iterate(
        &mut self,
        engine: &mut dyn Descent,
        problem: &Problem,
        tolerance: f64,
        p: &mut [f64],
        (mut best, budget, patience): (f64, usize, Option<usize>),
    ) -> Outcome {
        let ended = |status, iterations| Outcome { status, iterations, method: "apgd" };
        let mut extra = self.step == "extragradient";
        let other = self.step == "auto" && is_skew(problem);
        // The iteration and residual when it last halved, and the least residual since momentum started.
        let (mut mark, mut least, mut attempts) = ((0, best), f64::INFINITY, 0);
        let mut pace = Pace::START;
        engine.begin(p);
        for iteration in 1..=budget {
            let (mut restart, mut diverged) = (false, false);
            if extra {
                pace.curvature = engine.extragradient(pace.curvature);
            } else {
                restart = pace.accelerated(engine);
            }
            if iteration.is_multiple_of(CHECK) || iteration == budget {
                let residual = engine.residual();
                if residual < best {
                    best = residual;
                    engine.store(p);
                }
                if best <= tolerance && certify(problem, p, &mut self.u).residual <= tolerance {
                    return ended(Status::Converged, iteration);
                }
                diverged = !(residual < DIVERGED * best);
                let grown = residual > GROWTH * least;
                least = if grown { residual } else { least.min(residual) };
                restart |= grown;
                if best < 0.5 * mark.1 {
                    (mark, attempts) = ((iteration, best), 0);
                }
            }
            if patience.is_some_and(|patience| iteration >= mark.0 + patience) {
                return ended(Status::Stalled, iteration);
            }
            if diverged || iteration >= mark.0 + PATIENCE {
                (mark.0, attempts) = (iteration, attempts + 1);
                if attempts == ATTEMPTS {
                    return ended(Status::Stalled, iteration);
                }
                if diverged || (other && !extra) {
                    extra |= other;
                    engine.begin(p);
                    pace = Pace::START;
                    continue;
                }
            }
            engine.extrapolate(if extra { 0.0 } else { pace.momentum(restart) });
            pace.curvature *= DECAY;
        }
        ended(Status::IterationLimit, budget)
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
        self.run(problem, tolerance, p, (self.max_iterations, None))
    }

    fn forget(&mut self) {
        (self.scaled, self.work, self.u) = (Scaled::default(), Work::default(), Vec::new());
    }
}
