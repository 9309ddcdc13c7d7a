//! Newton's iteration of a step: what is linear takes one pass, everything else is repeated until v⁺ stands still, island by island
//! (`newton/parts.rs`).
//!
//! A pass linearises about the guess (v⁺, p) of the pass before, solves to the tolerance of the solver, and moves v⁺. Three things end it:
//!
//! ```text
//! |v_new − v⁺| ≤ tolerance · |v|                                  v⁺ stands still
//! |v_free + M̂⁻¹ Jᵀ p − v⁺| ≤ tolerance · |v|  and  p is certified   the guess solves the nonlinear equations of the step
//! hθ |v_new − v⁺| ≤ 8 ε |q|, and no longer shrinks                 rounding of q
//! ```
//!
//! M̂, J, v_free and the certificate of the second line are those at the guess, so it is the residual of the nonlinear problem. It matters
//! where p is known to the tolerance of the solver only: a solver that stops there moves p a little in each pass, slowly, along what W
//! hardly sees (the slider-crank of the tests by a factor of 0.956 per pass, from 7e-12), and v⁺ with it. It is asked where a pass shrinks
//! the change by less than half: before, Newton itself is at work and gains digits.
//!
//! Passes with one factor (`phases/correct.rs`) converge linearly at the rate ρ = |v_new − v⁺| / |the change before|. What a pass leaves is
//! then ρ/(1 − ρ) of its change, and the iteration ends where that is within the tolerance.

mod parts;

pub use parts::Parts;

use crate::error::{StepError, StepResult};
use crate::model::{ActiveConstraints, Free, Model, Theta};
use crate::phases::{Guess, Impulses, Mass};
use nonsmooth_solvers::{Problem, certify};

/// Change of v, relative to its size, above which no change counts as rounding.
const STAGNANT: f64 = 1e-6;

/// Settings of the iteration.
#[derive(Clone, Copy, Debug)]
pub struct Newton {
    /// Relative change of v⁺, or residual of the force balance, at which it stops [–].
    pub tolerance: f64,
    /// Most iterations per step.
    pub most_iterations: usize,
}

/// An iteration under way.
pub struct Iteration {
    settings: Newton,
    is_needed: bool,
    /// Whether rows are imposed by position, so that contacts of bodies are not linear.
    by_position: bool,
    iterations: usize,
    /// Change of v⁺ in the pass before [m/s, rad/s].
    last_change: f64,
    /// Largest quotient of two changes so far, of passes with one factor [–].
    rate: f64,
    /// Size of v in the first of them [m/s, rad/s].
    size: f64,
}

/// How a pass with one factor ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// v⁺ is within the tolerance.
    Done,
    /// Another pass.
    GoOn,
    /// Another pass, with a factor of its own.
    Slow,
    /// Too many passes, or numbers that are not finite.
    Failed,
}

/// What a pass solved.
pub struct Solved<'a> {
    /// The linearised problem.
    pub problem: &'a Problem,
    /// Motion without constraints.
    pub free: &'a Free,
    /// How q⁺ follows from v⁺.
    pub rule: Theta,
    /// q⁺ of the guess.
    pub q_end: &'a [f64],
    /// Tolerance of the solver [–].
    pub tolerance: f64,
}

impl Newton {
    /// Whether anything depends on the end of the step.
    #[inline]
    pub fn is_needed(self, model: &Model, by_position: bool) -> bool {
        !model.is_linear() || by_position && !model.rigid.bodies.is_empty()
    }

    /// Begins an iteration with the guess v⁺ = v in `guess`. Rows imposed `by_position` make it necessary for bodies, whose
    /// gaps are not linear.
    #[inline]
    pub fn start(self, model: &Model, by_position: bool, v: &[f64], guess: &mut Vec<f64>) -> Iteration {
        let is_needed = self.is_needed(model, by_position);
        if is_needed {
            guess.clear();
            guess.extend_from_slice(v);
        }
        Iteration {
            settings: self,
            is_needed,
            by_position,
            iterations: 0,
            last_change: f64::INFINITY,
            rate: 0.0,
            size: 0.0,
        }
    }
}

impl Iteration {
    /// Whether anything depends on the end of the step.
    #[inline]
    pub fn is_needed(&self) -> bool {
        self.is_needed
    }

    /// Passes made.
    #[inline]
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// Takes v⁺ of a pass as the new guess; whether the iteration is done.
    #[inline]
    pub fn is_done(
        &mut self,
        solved: &Solved<'_>,
        v_guess: &mut [f64],
        v: &mut [f64],
        impulses: &mut Impulses,
    ) -> StepResult<bool> {
        self.iterations += 1;
        if !self.is_needed { Ok(true) } else { self.judge(solved, v_guess, v, impulses) }
    }

    /// The same by island: after the first pass the nonlinear islands go on alone (`parts.rs`), until they stand or the whole must see to them.
    #[inline]
    pub fn is_done_by_island(
        &mut self,
        (model, active, mass): (&Model, &ActiveConstraints, &Mass),
        parts: &mut Parts,
        solved: &Solved<'_>,
        (v_guess, v): (&mut [f64], &mut [f64]),
        impulses: &mut Impulses,
    ) -> StepResult<bool> {
        if parts.are_open() {
            self.close(parts, solved, v_guess, v);
            return Ok(false);
        }
        let is_done = self.is_done(solved, v_guess, v, impulses)?;
        if !is_done {
            parts.open(model, self.by_position, active, mass);
        }
        Ok(is_done)
    }

    /// Takes v⁺ of a pass with one factor as the new guess; what it leaves in `v` is v⁺ only where the passes are done.
    pub fn judge_correction(
        &mut self,
        (rule, q_end): (Theta, &[f64]),
        v_free: &[f64],
        v_guess: &mut Vec<f64>,
        v: &mut Vec<f64>,
    ) -> Verdict {
        self.iterations += 1;
        let Newton { tolerance, most_iterations } = self.settings;
        if self.iterations == 1 {
            self.size = largest(v).max(largest(v_free));
        }
        let (size, change) = (self.size, difference(v, v_guess));
        let rate = change / self.last_change;
        self.rate = self.rate.max(rate);
        let left =
            if self.iterations > 1 && self.rate < 0.5 { self.rate / (1.0 - self.rate) } else { 1.0 };
        let is_slow = self.iterations > 1 && rate > 0.5;
        if left * change <= tolerance * size || is_slow && self.is_rounding(change, rule, q_end, size) {
            return Verdict::Done;
        }
        if self.iterations >= most_iterations || !change.is_finite() {
            return Verdict::Failed;
        }
        self.last_change = change;
        // The next pass writes v⁺ anew.
        std::mem::swap(v_guess, v);
        if is_slow { Verdict::Slow } else { Verdict::GoOn }
    }

    /// Whether a change of v is rounding of q⁺, and small. Eight units in the last place: a gap divided by hθ carries the rounding of a few
    /// operations.
    fn is_rounding(&self, change: f64, rule: Theta, q_end: &[f64], size: f64) -> bool {
        let ahead = rule.h * rule.theta;
        let rounding = 8.0 * f64::EPSILON * largest(q_end);
        ahead > 0.0 && ahead * change <= rounding && change <= STAGNANT * size
    }

    #[inline(never)]
    fn judge(
        &mut self,
        solved: &Solved<'_>,
        v_guess: &mut [f64],
        v: &mut [f64],
        impulses: &mut Impulses,
    ) -> StepResult<bool> {
        let Newton { tolerance, most_iterations } = self.settings;
        let size = largest(v).max(largest(v_guess)).max(largest(&solved.free.v));
        let change = difference(v, v_guess);
        let at_rounding = self.is_rounding(change, solved.rule, solved.q_end, size);
        if change <= tolerance * size || at_rounding && change >= self.last_change {
            return Ok(true);
        }
        // In the first pass the guess is no solution of anything.
        let is_slow = self.iterations > 1 && change > 0.5 * self.last_change;
        if is_slow && impulses.guess.solves(solved, v_guess, tolerance * size) {
            impulses.take_guess();
            v.copy_from_slice(v_guess);
            return Ok(true);
        }
        if self.iterations >= most_iterations {
            let (change, before) = (change / size, self.last_change / size);
            return Err(
                StepError::Newton { iterations: self.iterations, change, before, tolerance }.into()
            );
        }
        self.last_change = change;
        v_guess.copy_from_slice(v);
        impulses.keep_guess();
        Ok(false)
    }
}

impl Guess {
    /// Whether v⁺ and the impulses of the pass before solve the nonlinear equations.
    fn solves(&mut self, solved: &Solved<'_>, v_guess: &[f64], most: f64) -> bool {
        let Solved { problem, free, tolerance, .. } = solved;
        if self.p.len() != problem.u_free.len() {
            return false;
        }
        self.v.clone_from(&free.v);
        if !self.p.is_empty() {
            problem.delassus.push(&self.p, &mut self.v);
        }
        difference(&self.v, v_guess) <= most
            && (self.p.is_empty() || certify(problem, &self.p, &mut self.u).residual <= *tolerance)
    }
}

impl Impulses {
    /// Keeps p as the guess of the next pass.
    fn keep_guess(&mut self) {
        self.guess.p.clone_from(&self.p);
    }

    /// Goes back to the guess of this pass, which was found to solve it.
    fn take_guess(&mut self) {
        self.p.clone_from(&self.guess.p);
        self.u.clone_from(&self.guess.u);
    }
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0f64, |m, x| m.max(x.abs()))
}

fn difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()))
}
