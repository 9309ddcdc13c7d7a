//! Passes of Newton's iteration with one factor, where every row is bilateral and joins bodies.
//!
//! ```text
//! guess     v⁺ = v_free + M̂⁻¹ J(q)ᵀ h λ                  with the forces of the last step: off by h² λ̇
//! pass      r = v_free + M̂⁻¹ Jᵀ p − v⁺,   v = v⁺ + r + M̃⁻¹ hθ S r                                         (`stiffen.rs`)
//!           u = J v + offset + shift + D p,   p ← p − W̃⁻¹ u,   v⁺ = v − M̃⁻¹ Jᵀ W̃⁻¹ u,     W̃ = J M̃⁻¹ Jᵀ + D
//! ```
//!
//! J and the offsets are those of the guess of this pass, M̃ and W̃ are those of an earlier one. Where r and u vanish the equations of the
//! step hold with M̂ and J, so what M̃ and W̃ are off by costs a little of the rate and nothing of the end.

use super::assemble::assemble;
use super::factorize::Mass;
use super::solve::Impulses;
use super::stiffen::Stiffened;
use crate::model::{ActiveConstraints, Free, Model};
use nonsmooth_solvers::{Problem, Report, Solver, Status, certify};

/// Note of a step: rows of joints follow from others, so that only their sum acts and each of their reactions is one of many.
pub const REDUNDANT: &str = "redundant joints: each of their reactions is one of many";

/// Whether all active constraints are bilateral.
#[inline]
pub fn is_bilateral(model: &Model, active: &ActiveConstraints) -> bool {
    !active.is_empty() && active.runs.iter().all(|run| model.law(run.law).forms().bilateral)
}

/// v⁺ with the impulses of the last step and J as it is now.
pub fn guess(active: &ActiveConstraints, mass: &Mass, free: &Free, p: &[f64], v_next: &mut Vec<f64>) {
    v_next.clone_from(&free.v);
    active.jacobian.push_all(mass.groups(), p, v_next);
}

/// Corrects the impulses and v⁺ with the factor that the solver has. `v_guess` is v⁺ of the pass before.
pub fn correct(
    solver: &dyn Solver,
    (model, active, free): (&Model, &ActiveConstraints, &Free),
    (mass, stiffened): (&Mass, &Stiffened),
    impulses: &mut Impulses,
    v_guess: &[f64],
    v_next: &mut Vec<f64>,
) {
    let Impulses { p, u, .. } = impulses;
    guess(active, mass, free, p, v_next);
    stiffened.balance(model, v_guess, v_next);
    u.resize(p.len(), 0.0);
    active.jacobian.multiply(v_next, u);
    let (added, compliant) =
        (active.offset.iter().zip(&active.shift), active.compliance.iter().zip(&*p));
    for ((u, (offset, shift)), (d, p)) in u.iter_mut().zip(added).zip(compliant) {
        *u = -(*u + offset + shift + d * p);
    }
    solver.back_substitute(u);
    p.iter_mut().zip(&*u).for_each(|(p, u)| *p += u);
    active.jacobian.push_all(stiffened.groups(), u, v_next);
}

/// The problem of the last pass and its certificate.
pub fn certify_pass(
    (active, mass, free): (&ActiveConstraints, &Mass, &Free),
    tolerance: f64,
    problem: &mut Problem,
    impulses: &mut Impulses,
    passes: usize,
) -> Report {
    assemble(active, mass, free, problem);
    let found = certify(problem, &impulses.p, &mut impulses.u);
    let status = if found.residual <= tolerance { Status::Converged } else { Status::Stalled };
    let (residual, worst) = (found.residual, found.worst);
    Report { status, iterations: passes, method: "bilateral", residual, worst }
}
