//! The forces that hold a mode.
//!
//! ```text
//! A λ = −(J M⁻¹ f + curvature) on the held rows,     A = J M⁻¹ (J_N − μ Σ d_k J_{T,k})ᵀ in the columns of contacts that slide
//! ```
//!
//! W = J M⁻¹ Jᵀ of the held rows tells which of them depend on others; A has the same rank unless sliding jams (Painlevé). Without
//! friction what depends carries nothing. With friction the forces of redundant rows are those of least Σ ‖λ‖²/λ_N over the contacts: all feet
//! of a table use the same share of their friction, so that none leaves its cone while another could take over.

use super::closed::Closed;
use super::form::friction;
use super::grip::Mode;
use super::watched::Watched;
use crate::error::{StepError, StepResult};
use crate::model::Model;
use nonsmooth_solvers::invert;

/// A contact that carries less than this share of the largest force is weighed as one that does.
const LIGHT: f64 = 1e-3;

/// Scratch of the forces of a mode.
#[derive(Default)]
pub(crate) struct Holding {
    /// A by rows, over the held rows.
    matrix: Vec<f64>,
    /// A⁻¹ over the independent rows.
    inverse: Vec<f64>,
    independent: Vec<usize>,
    pivots: Vec<usize>,
    /// Vectors that A takes to nothing.
    null: Vec<Vec<f64>>,
    gram: Vec<f64>,
    x: Vec<f64>,
    /// λ_T/λ_N of each grip that slides.
    ratios: Vec<[f64; 2]>,
}

impl Holding {
    /// λ ← the forces of all rows of the mode, from −ÿ without them in its held rows.
    pub(crate) fn solve(
        &mut self,
        (model, t): (&Model, f64),
        mode: &Mode,
        (closed, watched): (&Closed, &Watched),
        lambda: &mut Vec<f64>,
    ) -> StepResult {
        let is_skew = mode.n_held < mode.rows.len();
        if mode.grips.is_empty() {
            closed.factor.solve(lambda);
            return Ok(());
        }
        self.fill(model, mode, (closed, watched));
        if is_skew && !self.factor(closed, mode.n_held) {
            let key = mode.sliding().next().map_or(0, |grip| mode.rows[grip.normal]);
            let constraint = model.describe(watched.id(key));
            return Err(StepError::Jammed { constraint, t }.into());
        }
        self.basic(closed, is_skew, lambda);
        if closed.factor.dependent.contains(&true) {
            self.spread(mode, (closed, is_skew), lambda);
        }
        lambda.resize(mode.rows.len(), 0.0);
        for (grip, ratio) in mode.sliding().zip(&self.ratios) {
            for k in 0..grip.n {
                lambda[grip.tangent + k] = ratio[k] * lambda[grip.normal];
            }
        }
        Ok(())
    }

    /// A.
    fn fill(&mut self, model: &Model, mode: &Mode, (closed, watched): (&Closed, &Watched)) {
        let (n, m) = (mode.n_held, mode.rows.len());
        self.matrix.clear();
        self.ratios.clear();
        for i in 0..n {
            self.matrix.extend_from_slice(&closed.delassus[i * m..i * m + n]);
        }
        for grip in mode.sliding() {
            let ratio = grip.ratio(closed.law(model, watched, mode.rows[grip.normal]), closed);
            for i in 0..n {
                let row = &closed.delassus[i * m + grip.tangent..][..grip.n];
                let added: f64 = row.iter().zip(ratio).map(|(w, ratio)| w * ratio).sum();
                self.matrix[i * n + grip.normal] += added;
            }
            self.ratios.push(ratio);
        }
    }

    /// A⁻¹ over the rows that W calls independent; false if it is singular.
    fn factor(&mut self, closed: &Closed, n: usize) -> bool {
        let Holding { matrix, inverse, independent, pivots, .. } = self;
        independent.clear();
        independent.extend((0..n).filter(|&i| !closed.factor.dependent[i]));
        inverse.clear();
        for &i in &*independent {
            inverse.extend(independent.iter().map(|&j| matrix[i * n + j]));
        }
        invert(inverse, independent.len(), pivots)
    }

    /// x ← a solution of A y = x that is 0 on dependent rows.
    fn basic(&mut self, closed: &Closed, is_skew: bool, x: &mut [f64]) {
        if !is_skew {
            return closed.factor.solve(x);
        }
        let Holding { inverse, independent, x: rhs, .. } = self;
        rhs.clear();
        rhs.extend(independent.iter().map(|&i| x[i]));
        x.fill(0.0);
        for (&i, row) in independent.iter().zip(inverse.chunks_exact(rhs.len().max(1))) {
            x[i] = row.iter().zip(&*rhs).map(|(a, b)| a * b).sum();
        }
    }

    /// Takes from λ what lies in the null space of A, in the norm of the weights: first all alike, then each row of a contact by 1/λ_N of it, so that
    /// feet share friction as they share the load.
    fn spread(&mut self, mode: &Mode, (closed, is_skew): (&Closed, bool), lambda: &mut [f64]) {
        let n = lambda.len();
        let mut null = std::mem::take(&mut self.null);
        null.clear();
        for k in (0..n).filter(|&k| closed.factor.dependent[k]) {
            let mut column: Vec<f64> = (0..n).map(|i| -self.matrix[i * n + k]).collect();
            self.basic(closed, is_skew, &mut column);
            column[k] += 1.0;
            null.push(column);
        }
        let mut weights = vec![1.0; n];
        self.shorten(&null, &weights, lambda);
        let largest = lambda.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        if largest > 0.0 {
            weights.fill(1.0 / largest);
            for grip in &mode.grips {
                let weight = 1.0 / lambda[grip.normal].max(LIGHT * largest);
                weights[grip.normal] = weight;
                if grip.slides.is_none() {
                    weights[grip.tangent..grip.tangent + grip.n].fill(weight);
                }
            }
            self.shorten(&null, &weights, lambda);
        }
        self.null = null;
    }

    /// Takes from λ its part along `null`, in the norm Σ w λ².
    fn shorten(&mut self, null: &[Vec<f64>], w: &[f64], lambda: &mut [f64]) {
        let dot =
            |a: &[f64], b: &[f64]| a.iter().zip(b).zip(w).map(|((a, b), w)| a * b * w).sum::<f64>();
        let d = null.len();
        self.gram.clear();
        for a in null {
            self.gram.extend(null.iter().map(|b| dot(a, b)));
        }
        let along: Vec<f64> = null.iter().map(|a| dot(a, lambda)).collect();
        if invert(&mut self.gram, d, &mut self.pivots) {
            for (row, vector) in self.gram.chunks_exact(d).zip(null) {
                let share: f64 = row.iter().zip(&along).map(|(a, b)| a * b).sum();
                lambda.iter_mut().zip(vector).for_each(|(x, v)| *x -= share * v);
            }
        }
    }
}

/// ‖λ_T‖ − μ λ_N of each contact that sticks, by the place of its first tangent, and whether its friction falls when it slides.
pub(crate) fn excesses<'a>(
    model: &'a Model,
    mode: &'a Mode,
    (closed, watched): (&'a Closed, &'a Watched),
    lambda: &'a [f64],
) -> impl Iterator<Item = (usize, f64, bool)> + 'a {
    let sticks = mode.grips.iter().filter(|grip| grip.slides.is_none());
    sticks.map(move |grip| {
        let law = closed.law(model, watched, mode.rows[grip.normal]);
        let mu = friction(law, &[0.0; 2][..grip.n]);
        let tangential = &lambda[grip.tangent..grip.tangent + grip.n];
        let size = tangential.iter().map(|x| x * x).sum::<f64>().sqrt();
        let falls = friction(law, &[f64::MIN_POSITIVE; 2][..grip.n]) < mu;
        (grip.tangent, size - mu * lambda[grip.normal].max(0.0), falls)
    })
}
