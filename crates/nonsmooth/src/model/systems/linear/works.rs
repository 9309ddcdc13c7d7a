//! Works of the linear systems in a θ-step.
//!
//! ```text
//! external = h v_φ·F_ext,θ       viscous = −h v_φᵀ C v_θ       scheme = −(φ − ½) ΔvᵀMΔv − (θ − ½) ΔqᵀKΔq
//! prescribed = Σ R v_φ,          R = M Δv + h C v_θ + h K q_θ − h F_θ − Jᵀp
//! ```
//!
//! R is the impulse that holds a prescribed coordinate.

use super::LinearSystems;
use super::dot;
use super::form::form;
use crate::energy::Works;
use crate::model::Model;
use crate::model::systems::prescribed::with_buffer;
use crate::model::systems::{Theta, ThetaStep};

impl LinearSystems {
    #[inline(never)]
    pub(super) fn add_works(&self, step: &ThetaStep<'_>, works: &mut Works) {
        let Theta { h, theta } = step.rule;
        let n = self.n();
        let v_phi = &step.v_phi[..n];
        if !step.free.external.is_empty() {
            works.external += dot(&step.free.external[..n], v_phi);
        }
        if let Some(damping) = &self.damping {
            with_buffer(n, |v_theta| {
                mean(theta, step.end.v, step.now.v, v_theta);
                works.viscous -= h * damping.form(v_phi, v_theta);
            });
        }
        if step.phi != 0.5 {
            with_buffer(n, |dv| {
                difference(step.next.v, step.now.v, dv);
                works.scheme -= (step.phi - 0.5) * self.mass_form(dv);
            });
        }
        if let Some(stiffness) = &self.stiffness
            && theta != 0.5
        {
            with_buffer(n, |dq| {
                dq.iter_mut().zip(v_phi).for_each(|(dq, v)| *dq = h * v);
                works.scheme -= (theta - 0.5) * form(stiffness, dq);
            });
        }
    }

    /// R of each prescribed coordinate, times its velocity.
    #[inline(never)]
    pub(super) fn add_prescribed(&self, model: &Model, step: &ThetaStep<'_>, works: &mut Works) {
        let Theta { h, theta } = step.rule;
        let n = self.n();
        let mut reaction = vec![0.0; model.n_velocities()];
        let head = &mut reaction[..n];
        with_buffer(n, |x| {
            difference(step.next.v, step.now.v, x);
            self.mass.multiply_add(1.0, x, head);
            if let Some(damping) = &self.damping {
                mean(theta, step.end.v, step.now.v, x);
                damping.multiply_add(h, x, head);
            }
            if let Some(stiffness) = &self.stiffness {
                mean(theta, step.next.q, step.now.q, x);
                stiffness.multiply_add(h, x, head);
            }
        });
        head.iter_mut().zip(&self.load).for_each(|(r, load)| *r -= h * load);
        if !step.free.external.is_empty() {
            head.iter_mut().zip(&step.free.external).for_each(|(r, f)| *r -= f);
        }
        step.subtract_impulses(&mut reaction);
        for prescribed in &self.prescribed {
            works.prescribed += reaction[prescribed.index] * step.v_phi[prescribed.index];
        }
    }
}

/// w b + (1−w) a.
fn mean(weight: f64, b: &[f64], a: &[f64], out: &mut [f64]) {
    out.iter_mut().zip(b.iter().zip(a)).for_each(|(x, (b, a))| *x = weight * b + (1.0 - weight) * a);
}

/// b − a.
fn difference(b: &[f64], a: &[f64], out: &mut [f64]) {
    out.iter_mut().zip(b.iter().zip(a)).for_each(|(x, (b, a))| *x = b - a);
}
