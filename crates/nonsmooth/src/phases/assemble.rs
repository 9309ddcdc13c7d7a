//! The one-step problem, W = J M̂⁻¹ Jᵀ + D and u_free = J v_free + offset + shift; and its impulses act, v⁺ = v_free + M̂⁻¹ Jᵀ p.

use super::factorize::Mass;
use super::solve::Impulses;
use crate::model::{ActiveConstraints, Free};
use nonsmooth_solvers::{MassGroups, Problem};
use std::sync::Arc;

/// Fills `problem` with all active constraints.
#[inline]
pub fn assemble(active: &ActiveConstraints, mass: &Mass, free: &Free, problem: &mut Problem) {
    problem.u_free.clear();
    problem.sets.clear();
    if !active.is_empty() {
        pose(active, mass.groups(), free, problem);
    }
}

/// The same with other masses than those of the step.
pub fn assemble_with(
    active: &ActiveConstraints,
    groups: &Arc<MassGroups>,
    free: &Free,
    problem: &mut Problem,
) {
    problem.sets.clear();
    pose(active, groups, free, problem);
}

#[inline(always)]
fn pose(active: &ActiveConstraints, groups: &Arc<MassGroups>, free: &Free, problem: &mut Problem) {
    problem.delassus.renew(groups, &active.jacobian, None, &active.compliance);
    problem.sets.extend_from_slice(&active.sets);
    problem.u_free.resize(active.n_rows(), 0.0);
    active.jacobian.multiply(&free.v, &mut problem.u_free);
    let added = active.offset.iter().zip(&active.shift);
    problem.u_free.iter_mut().zip(added).for_each(|(u, (offset, shift))| *u += offset + shift);
    clear_dust(&mut problem.u_free);
}

/// Velocities below this are none [m/s, rad/s].
const DUST: f64 = 1e-100;

/// Clears velocities that all are dust: of what friction has stopped each step leaves the rounding of the one before, and after twenty such
/// steps numbers would leave their range. Guarded by joints/drives.rs: dry_friction_stops_a_slider_where_its_energy_is_used_up.
#[inline(always)]
pub(super) fn clear_dust(u_free: &mut [f64]) {
    let is_dust = |u: &f64| u.abs() < DUST;
    if u_free.first().is_some_and(is_dust) && u_free.iter().all(is_dust) {
        u_free.fill(0.0);
    }
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
