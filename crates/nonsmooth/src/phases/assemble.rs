//! The one-step problem, W = J M̂⁻¹ Jᵀ + D and u_free = J v_free + offset + shift; and its impulses act, v⁺ = v_free + M̂⁻¹ Jᵀ p.

use super::factorize::Mass;
use super::solve::Impulses;
use crate::model::{ActiveConstraints, Free};
use nonsmooth_solvers::Problem;

/// Fills `problem` with all active constraints.
#[inline]
pub fn assemble(active: &ActiveConstraints, mass: &Mass, free: &Free, problem: &mut Problem) {
    problem.u_free.clear();
    problem.sets.clear();
    if !active.is_empty() {
        pose(active, mass, free, problem);
    }
}

#[inline(always)]
fn pose(active: &ActiveConstraints, mass: &Mass, free: &Free, problem: &mut Problem) {
    problem.delassus.renew(mass.groups(), &active.jacobian, None, &active.compliance);
    problem.sets.extend_from_slice(&active.sets);
    problem.u_free.resize(active.n_rows(), 0.0);
    active.jacobian.multiply(&free.v, &mut problem.u_free);
    let added = active.offset.iter().zip(&active.shift);
    problem.u_free.iter_mut().zip(added).for_each(|(u, (offset, shift))| *u += offset + shift);
}

/// Fills `v_next` in working axes.
#[inline]
pub fn apply(problem: &Problem, free: &Free, impulses: &Impulses, v_next: &mut Vec<f64>) {
    v_next.clear();
    v_next.extend_from_slice(&free.v);
    if !problem.u_free.is_empty() {
        problem.delassus.push(&impulses.p, v_next);
    }
}
