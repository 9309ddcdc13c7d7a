//! Newton's iteration of a step: what is linear takes one pass, everything else is repeated until v⁺ stands still.
//!
//! A change of v⁺ is judged relative to the largest velocity; a change that, times hθ, lies at the rounding of q and no longer
//! shrinks is convergence too: a system at rest has no other velocity than rounding. A scheme may say how much solves leave: a change
//! below that which a pass shrinks by less than a tenth is theirs. (The impulses of a heap are known to the tolerance of the solver
//! only, and each pass moves them a little: in `stewart_trinkle::bodies::a_heap_comes_to_lie` a step changes by 9e-12 after 50 passes
//! and by 4e-12 after 200.)

use crate::error::{StepError, StepResult};
use crate::model::{Model, Theta};

/// Change of v, relative to its size, above which no change counts as rounding.
const STAGNANT: f64 = 1e-6;

/// Settings of the iteration.
#[derive(Clone, Copy, Debug)]
pub struct Newton {
    /// Relative change of v⁺ at which it stops [–].
    pub tolerance: f64,
    /// Most iterations per step.
    pub most_iterations: usize,
}

/// An iteration under way.
pub struct Iteration {
    settings: Newton,
    is_needed: bool,
    iterations: usize,
    last_change: f64,
    /// Change of v⁺ that solves leave, relative to its size; 0 where it does not count.
    noise: f64,
}

impl Newton {
    /// Begins an iteration with the guess v⁺ = v in `guess`. Rows imposed `by_position` make it necessary for bodies, whose
    /// gaps are not linear.
    #[inline]
    pub fn start(self, model: &Model, by_position: bool, v: &[f64], guess: &mut Vec<f64>) -> Iteration {
        let is_needed = !model.is_linear() || by_position && !model.rigid.bodies.is_empty();
        if is_needed {
            guess.clear();
            guess.extend_from_slice(v);
        }
        Iteration { settings: self, is_needed, iterations: 0, last_change: f64::INFINITY, noise: 0.0 }
    }
}

impl Iteration {
    /// A change below `noise`, relative to the size of v⁺, that a pass shrinks by less than a tenth counts as convergence.
    pub fn with_noise(self, noise: f64) -> Self {
        Self { noise, ..self }
    }

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

    /// Takes v⁺ of a pass as the new guess; whether it stands still. `v_free` and `q_end` give the scales.
    #[inline]
    pub fn is_done(
        &mut self,
        v: &[f64],
        v_free: &[f64],
        guess: &mut [f64],
        rule: Theta,
        q_end: &[f64],
    ) -> StepResult<bool> {
        self.iterations += 1;
        if !self.is_needed {
            return Ok(true);
        }
        let change = self.accept(v, v_free, guess, rule, q_end);
        if change <= self.settings.tolerance {
            return Ok(true);
        }
        let Newton { tolerance, most_iterations } = self.settings;
        if self.iterations < most_iterations {
            return Ok(false);
        }
        Err(StepError::Newton { iterations: self.iterations, change, tolerance }.into())
    }

    fn accept(
        &mut self,
        v: &[f64],
        v_free: &[f64],
        guess: &mut [f64],
        rule: Theta,
        q_end: &[f64],
    ) -> f64 {
        let largest = |x: &[f64]| x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let size = largest(v).max(largest(guess)).max(largest(v_free));
        let change = v.iter().zip(&*guess).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        // Eight units in the last place: a gap divided by hθ carries the rounding of a few operations.
        let rounding = 8.0 * f64::EPSILON * largest(q_end);
        let ahead = rule.h * rule.theta;
        let at_rounding = ahead > 0.0 && ahead * change <= rounding && change <= STAGNANT * size;
        let at_noise = change <= self.noise * size && change >= 0.9 * self.last_change;
        let stagnant = at_noise || at_rounding && change >= self.last_change;
        self.last_change = change;
        guess.copy_from_slice(v);
        if change == 0.0 || stagnant { 0.0 } else { change / size }
    }
}
