//! One projected gradient step, whatever the storage: vectors by rows here, blocks of four contacts in `sweep/wide/gradients.rs`.
//!
//! ```text
//! p⁺ = Π(y − D⁻¹ u(y) / L),   u(y) = W y + u_free,   D = diag(λ_max(W_cc))
//! ```

use super::scaled::{Scaled, project_coulomb};
use crate::problem::Problem;

/// Tries to find L in one step: from 1 to beyond 1e15.
pub(super) const TRIES: usize = 60;

/// What a step Δ = p⁺ − y tells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    /// ΔᵀWΔ.
    pub(super) form: f64,
    /// ΔᵀDΔ.
    pub(super) square: f64,
    /// What rounding leaves of `form` is this times ε.
    pub(super) rounding: f64,
    /// (y − p⁺)ᵀ D (p⁺ − p): positive where the step turns against the momentum.
    pub(super) turned: f64,
}

/// A problem prepared for projected gradients.
pub(super) trait Descent: Send {
    /// Starts at `p`, without momentum.
    fn begin(&mut self, p: &[f64]);

    /// p⁺ from y, with L given.
    fn descend(&mut self, curvature: f64) -> Measured;

    /// The certificate of p⁺, with what is at hand.
    fn residual(&mut self) -> f64;

    /// Hands out p⁺.
    fn store(&mut self, p: &mut [f64]);

    /// y ← p⁺ + β (p⁺ − p), p ← p⁺.
    fn extrapolate(&mut self, beta: f64);

    /// The extragradient step from p, with L as large as it must be, which is returned; symmetric problems do without.
    fn extragradient(&mut self, _curvature: f64) -> f64 {
        unreachable!("contacts of bodies have a symmetric W")
    }
}

/// Any problem, by vectors.
pub(super) struct Vectors<'a> {
    problem: &'a Problem,
    scaled: &'a mut Scaled,
    now: &'a mut Work,
}

/// The impulses, the point of the gradient and the next impulses; each with its product with W.
#[derive(Default)]
pub(super) struct Work {
    p: Vec<f64>,
    moved: Vec<f64>,
    y: Vec<f64>,
    y_moved: Vec<f64>,
    next: Vec<f64>,
    next_moved: Vec<f64>,
}

impl Work {
    fn resize(&mut self, n: usize) {
        let Self { p, moved, y, y_moved, next, next_moved } = self;
        for vector in [p, moved, y, y_moved, next, next_moved] {
            vector.clear();
            vector.resize(n, 0.0);
        }
    }
}

impl<'a> Vectors<'a> {
    pub(super) fn new(problem: &'a Problem, scaled: &'a mut Scaled, now: &'a mut Work) -> Self {
        now.resize(problem.size());
        Self { problem, scaled, now }
    }

    /// next ← Π(y − D⁻¹ (`y_moved` + u_free) / L), and its product with W.
    fn project(&mut self, curvature: f64) {
        let Work { y, y_moved, next, next_moved, .. } = &mut *self.now;
        for (begin, set) in self.problem.blocks() {
            let range = begin..begin + set.dim();
            let step = 1.0 / (curvature * self.scaled.weight[begin]);
            for i in range.clone() {
                next[i] = y[i] - step * (y_moved[i] + self.problem.u_free[i]);
            }
            project_coulomb(set, &mut next[range]);
        }
        self.scaled.multiply(self.problem, next, next_moved);
    }

    fn accept(&mut self) {
        std::mem::swap(&mut self.now.p, &mut self.now.next);
        std::mem::swap(&mut self.now.moved, &mut self.now.next_moved);
    }
}

impl Descent for Vectors<'_> {
    fn begin(&mut self, p: &[f64]) {
        self.now.p.copy_from_slice(p);
        self.now.y.copy_from_slice(p);
        self.scaled.multiply(self.problem, p, &mut self.now.moved);
        self.now.y_moved.copy_from_slice(&self.now.moved);
    }

    fn descend(&mut self, curvature: f64) -> Measured {
        self.project(curvature);
        let Work { p, y, y_moved, next, next_moved, .. } = &*self.now;
        let mut made = Measured { form: 0.0, square: 0.0, rounding: 0.0, turned: 0.0 };
        for i in 0..y.len() {
            let (step, weight) = (next[i] - y[i], self.scaled.weight[i]);
            let (a, b) = (next_moved[i], y_moved[i]);
            made.form += step * (a - b);
            made.square += weight * step * step;
            made.rounding += step.abs() * (a.abs() + b.abs());
            made.turned -= weight * step * (next[i] - p[i]);
        }
        made
    }

    fn residual(&mut self) -> f64 {
        self.scaled.residual(self.problem, &self.now.next, &self.now.next_moved)
    }

    fn store(&mut self, p: &mut [f64]) {
        p.copy_from_slice(&self.now.next);
    }

    fn extrapolate(&mut self, beta: f64) {
        let Work { p, moved, y, y_moved, next, next_moved } = &mut *self.now;
        for i in 0..p.len() {
            y[i] = next[i] + beta * (next[i] - p[i]);
            y_moved[i] = next_moved[i] + beta * (next_moved[i] - moved[i]);
        }
        self.accept();
    }

    fn extragradient(&mut self, mut curvature: f64) -> f64 {
        for _ in 0..TRIES {
            self.now.y.copy_from_slice(&self.now.p);
            self.now.y_moved.copy_from_slice(&self.now.moved);
            self.project(curvature);
            let Work { p, moved, next, next_moved, .. } = &*self.now;
            let (mut square, mut square_moved) = (0.0, 0.0);
            for i in 0..p.len() {
                let d = self.scaled.weight[i];
                square += d * (next[i] - p[i]).powi(2);
                square_moved += (next_moved[i] - moved[i]).powi(2) / d;
            }
            if !(square_moved > curvature.powi(2) * square) {
                break;
            }
            curvature = (square_moved / square).sqrt().max(1.5 * curvature);
        }
        self.now.y_moved.copy_from_slice(&self.now.next_moved);
        self.project(curvature);
        curvature
    }
}
