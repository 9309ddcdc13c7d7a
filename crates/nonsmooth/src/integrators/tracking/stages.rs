//! The stages of an implicit Runge–Kutta method: A_i = v̇(t + c_i τ, Q_i, V_i), all at once.
//!
//! First by substitution, which needs nothing but evaluations and converges while τ is small against the time
//! scales of the motion. Where it is slow, by Newton's method with the derivatives of v̇ at the start of the step:
//!
//! ```text
//! (I − τ a ⊗ ∂v̇/∂v − τ² a² ⊗ ∂v̇/∂q) δA = v̇(Q, V) − A        [HairerWanner96, sec. IV.8]
//! ```

use super::motion::{Motion, Rate};
use super::point::{Point, add};
use super::runge_kutta::{Flow, Stage};
use crate::error::{StepError, StepResult};
use nonsmooth_solvers::invert;

/// Change of the accelerations, relative to M⁻¹ f, at which the stages are found: below the error of any step.
const STAGE_TOLERANCE: f64 = 1e-14;
/// Change up to which an iteration that no longer shrinks has met rounding: that of numerical curvatures.
const STAGNANT: f64 = 1e-9;
/// Substitution goes on while each change is less than this share of the last.
const CONTRACTION: f64 = 0.3;
/// Most iterations of either kind.
const MOST: usize = 50;

/// Finds the stages; keeps the derivatives of the point from which steps begin.
#[derive(Default)]
pub(crate) struct Newton {
    /// ∂v̇/∂q and ∂v̇/∂v at the start, by rows; empty if not known.
    by_q: Vec<f64>,
    by_v: Vec<f64>,
    /// Inverse of the iteration matrix.
    inverse: Vec<f64>,
    /// A_i, one after the other, and their residuals.
    a: Vec<f64>,
    residual: Vec<f64>,
    pivots: Vec<usize>,
    there: Point,
    rate: Rate,
    step: Vec<f64>,
}

/// How an iteration ended.
enum End {
    Found(usize),
    Slow(usize),
}

impl Newton {
    /// The point from which steps begin is another.
    pub(crate) fn forget(&mut self) {
        self.by_q.clear();
        self.by_v.clear();
    }

    /// Fills the stages of a step of length `tau`; returns the iterations made.
    pub(crate) fn solve(
        &mut self,
        flow: Flow<'_>,
        tau: f64,
        start: (&Point, &Rate),
        motion: &mut Motion,
        stages: &mut [Stage],
    ) -> StepResult<usize> {
        self.guess(start.1, stages.len());
        let made = match self.iterate(flow, tau, start.0, motion, stages, false)? {
            End::Found(iterations) => return Ok(iterations),
            End::Slow(iterations) => iterations,
        };
        if self.by_q.is_empty() {
            self.differentiate(flow, start, motion)?;
        }
        if !self.assemble(flow, tau) {
            return Err(self.failed(flow, made));
        }
        self.guess(start.1, stages.len());
        match self.iterate(flow, tau, start.0, motion, stages, true)? {
            End::Found(iterations) => Ok(made + iterations),
            End::Slow(iterations) => Err(self.failed(flow, made + iterations)),
        }
    }

    fn guess(&mut self, start: &Rate, s: usize) {
        self.a.clear();
        (0..s).for_each(|_| self.a.extend_from_slice(&start.a));
    }

    fn iterate(
        &mut self,
        flow: Flow<'_>,
        tau: f64,
        from: &Point,
        motion: &mut Motion,
        stages: &mut [Stage],
        newton: bool,
    ) -> StepResult<End> {
        let mut last = f64::INFINITY;
        for iteration in 1..=MOST {
            let change = self.sweep(flow, tau, from, motion, stages, newton)?;
            let stagnant = change >= last && change <= STAGNANT;
            if change <= STAGE_TOLERANCE || stagnant {
                return Ok(End::Found(iteration));
            }
            let slow = if newton { change > 2.0 * last } else { change > CONTRACTION * last };
            if slow || !change.is_finite() {
                return Ok(End::Slow(iteration));
            }
            last = change;
        }
        Ok(End::Slow(MOST))
    }

    /// One evaluation of all stages and one correction of A; returns its relative size.
    fn sweep(
        &mut self,
        flow: Flow<'_>,
        tau: f64,
        from: &Point,
        motion: &mut Motion,
        stages: &mut [Stage],
        newton: bool,
    ) -> StepResult<f64> {
        let (n, s) = (from.v.len(), stages.len());
        place_stages(flow, tau, from, &self.a, motion, stages);
        self.residual.clear();
        for (i, Stage { at, rate }) in stages.iter_mut().enumerate() {
            motion.rate(flow.model, flow.mode, at, rate)?;
            let guess = &self.a[i * n..(i + 1) * n];
            self.residual.extend(rate.a.iter().zip(guess).map(|(a, guess)| a - guess));
        }
        let size = stages.iter().fold(0.0f64, |m, stage| m.max(stage.rate.size));
        let mut change = 0.0f64;
        for k in 0..s * n {
            let step = if newton {
                let row = &self.inverse[k * s * n..(k + 1) * s * n];
                row.iter().zip(&self.residual).map(|(a, r)| a * r).sum::<f64>()
            } else {
                self.residual[k]
            };
            self.a[k] += step;
            change = change.max(step.abs());
        }
        Ok(if change == 0.0 { 0.0 } else { change / size })
    }

    /// ∂v̇/∂q and ∂v̇/∂v by differences; along q ⊕ d; the increment √ε (1 + |v|) suits their use in an
    /// iteration.
    fn differentiate(
        &mut self,
        flow: Flow<'_>,
        (from, start): (&Point, &Rate),
        motion: &mut Motion,
    ) -> StepResult {
        let n = from.v.len();
        let Newton { by_q, by_v, there, rate, step, .. } = self;
        for (of_velocity, out) in [(false, by_q), (true, by_v)] {
            out.clear();
            out.resize(n * n, 0.0);
            for j in 0..n {
                there.copy_from(from);
                let size = if of_velocity { from.v[j].abs() } else { 0.0 };
                let d = f64::EPSILON.sqrt() * (1.0 + size);
                if of_velocity {
                    there.v[j] += d;
                } else {
                    step.clear();
                    step.resize(n, 0.0);
                    step[j] = d;
                    motion.retract(flow.model, step, &mut there.q);
                }
                motion.rate(flow.model, flow.mode, there, rate)?;
                for i in 0..n {
                    out[i * n + j] = (rate.a[i] - start.a[i]) / d;
                }
            }
        }
        Ok(())
    }

    /// Inverse of I − τ a ⊗ ∂v̇/∂v − τ² a² ⊗ ∂v̇/∂q; false if it is singular.
    fn assemble(&mut self, flow: Flow<'_>, tau: f64) -> bool {
        let (s, a) = (flow.method.n_stages(), flow.method.a);
        let n = self.by_v.len().isqrt();
        let size = s * n;
        self.inverse.clear();
        self.inverse.resize(size * size, 0.0);
        for i in 0..s {
            for j in 0..s {
                let once = tau * a[i * s + j];
                let twice = tau * tau * (0..s).map(|k| a[i * s + k] * a[k * s + j]).sum::<f64>();
                for k in 0..n {
                    for l in 0..n {
                        let entry = once * self.by_v[k * n + l] + twice * self.by_q[k * n + l];
                        self.inverse[(i * n + k) * size + j * n + l] = -entry;
                    }
                }
            }
        }
        (0..size).for_each(|k| self.inverse[k * size + k] += 1.0);
        invert(&mut self.inverse, size, &mut self.pivots)
    }

    fn failed(&self, flow: Flow<'_>, iterations: usize) -> Box<StepError> {
        let size = self.a.iter().fold(0.0f64, |m, a| m.max(a.abs()));
        let change = self.residual.iter().fold(0.0f64, |m, r| m.max(r.abs())) / size;
        let (method, tolerance) = (flow.method.name, STAGE_TOLERANCE);
        StepError::Stages { method, iterations, change, tolerance }.into()
    }
}

/// V_i = v + τ Σ a_ij A_j, then Q_i = q + τ Σ a_ij T(Q_j) V_j: at once where T is constant, else by substitution.
fn place_stages(
    flow: Flow<'_>,
    tau: f64,
    from: &Point,
    a: &[f64],
    motion: &mut Motion,
    stages: &mut [Stage],
) {
    let (n, s) = (from.v.len(), stages.len());
    for i in 0..s {
        let at = &mut stages[i].at;
        at.copy_from(from);
        at.t += flow.method.c[i] * tau;
        for j in 0..s {
            add(tau * flow.method.a[i * s + j], &a[j * n..(j + 1) * n], &mut at.v);
        }
    }
    let turns = from.q.len() > n;
    for _ in 0..if turns { MOST } else { 1 } {
        let mut change = 0.0f64;
        stages.iter_mut().for_each(|stage| motion.drift(flow.model, &stage.at, &mut stage.rate.q_dot));
        for i in 0..s {
            let mut q = std::mem::take(&mut stages[i].at.q);
            for k in 0..q.len() {
                let weights = flow.method.a[i * s..(i + 1) * s].iter();
                let rates = weights.zip(&*stages).map(|(a, stage)| tau * a * stage.rate.q_dot[k]);
                let next = rates.fold(from.q[k], |sum, term| sum + term);
                change = change.max((next - q[k]).abs());
                q[k] = next;
            }
            stages[i].at.q = q;
        }
        if change <= f64::EPSILON {
            break;
        }
    }
}
