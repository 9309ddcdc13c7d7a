//! The smooth motion of a generalized-α step, from the acceleration z⁺ at its end.
//!
//! ```text
//! (1−α_m) a⁺ + α_m a = (1−α_f) z⁺ + α_f z
//! ṽ = v + h ((1−γ) a + γ a⁺)          Δ̃ = h v + h² ((½−β) a + β a⁺),     q̃ = q ⊕ Δ̃
//! α_m = (2ρ−1)/(ρ+1),   α_f = ρ/(ρ+1),   γ = ½ + α_f − α_m,   β = ¼ (γ + ½)²
//! ```
//!
//! ρ in [0, 1] is the factor by which infinitely fast oscillations shrink in a step: 1 keeps them (and is the
//! trapezoidal rule), 0 kills them at once. a and z are remembered from step to step. [Chung93; Arnold07] All are in the axes of the
//! state: dω/dt in body axes is Rᵀ times that in world axes, since ω × ω = 0.

use crate::model::State;

/// ∂ṽ/∂z and ∂Δ̃/∂z.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    /// γ' [s].
    pub(super) velocity: f64,
    /// β' [s²].
    pub(super) position: f64,
}

/// The numbers of the method.
#[derive(Clone, Copy, Debug)]
pub(super) struct Newmark {
    alpha_m: f64,
    alpha_f: f64,
    gamma: f64,
    beta: f64,
}

impl Newmark {
    /// The method with spectral radius ρ at infinity.
    pub(super) fn new(rho: f64) -> Self {
        let (alpha_m, alpha_f) = ((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0));
        let gamma = 0.5 + alpha_f - alpha_m;
        Self { alpha_m, alpha_f, gamma, beta: 0.25 * (gamma + 0.5) * (gamma + 0.5) }
    }

    /// ∂ṽ/∂z⁺ and ∂Δ̃/∂z⁺.
    pub(super) fn weights(&self, h: f64) -> Weights {
        let through = (1.0 - self.alpha_f) / (1.0 - self.alpha_m);
        Weights { velocity: h * self.gamma * through, position: h * h * self.beta * through }
    }
}

/// The smooth motion at the end of the step.
#[derive(Default)]
pub(super) struct Smooth {
    /// z⁺ [m/s²].
    pub(super) z: Vec<f64>,
    /// a⁺ [m/s²].
    pub(super) a: Vec<f64>,
    /// Δ̃ [m, rad].
    pub(super) step: Vec<f64>,
    /// ṽ [m/s].
    pub(super) v: Vec<f64>,
}

impl Smooth {
    /// a⁺, ṽ and Δ̃ that follow from z⁺; `memory` is a, then z, of the last step.
    pub(super) fn place(&mut self, method: Newmark, now: &State, memory: &[f64], h: f64) {
        let Newmark { alpha_m, alpha_f, gamma, beta } = method;
        let (a, z) = memory.split_at(now.v.len());
        for x in [&mut self.a, &mut self.step, &mut self.v] {
            x.clear();
        }
        for i in 0..now.v.len() {
            let blend = (1.0 - alpha_f) * self.z[i] + alpha_f * z[i] - alpha_m * a[i];
            let a_next = blend / (1.0 - alpha_m);
            self.a.push(a_next);
            self.v.push(now.v[i] + h * ((1.0 - gamma) * a[i] + gamma * a_next));
            let fall = (0.5 - beta) * a[i] + beta * a_next;
            self.step.push(h * (now.v[i] + h * fall));
        }
    }

    /// By how much M⁻¹ times the impulse and the displacement differ from those of the trapezoidal rule, for velocity i:
    /// h ((1−γ) a + γ a⁺ − ½ (z + z⁺)) [m/s] and h² (β − γ/2)(a⁺ − a) [m].
    pub(super) fn defects(&self, method: Newmark, memory: &[f64], h: f64, i: usize) -> (f64, f64) {
        let Newmark { gamma, beta, .. } = method;
        let (a, z) = memory.split_at(self.z.len());
        let mean = (1.0 - gamma) * a[i] + gamma * self.a[i] - 0.5 * (z[i] + self.z[i]);
        (h * mean, h * h * (beta - 0.5 * gamma) * (self.a[i] - a[i]))
    }
}
