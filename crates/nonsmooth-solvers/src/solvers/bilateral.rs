//! Joints and implicit springs alone: where every row is bilateral and joins bodies, p = −W⁻¹ u_free by one factor in blocks.
//!
//! What rounding leaves of u = W p + u_free is taken off by refinement, p ← p − W⁻¹ u. Rows that follow from others (a closed chain in
//! space) have no factor; they are left to methods that take singular W.

use super::block_factor::BlockFactor;
use super::{Outcome, Status};
use crate::delassus::Form;
use crate::problem::Problem;
use crate::set::Set;

/// Most refinements: each gains all digits but those of the condition number of W.
const REFINEMENTS: usize = 3;
/// Rounding of u, relative to ‖u_free‖ or ‖W p‖.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

#[derive(Default)]
pub(super) struct Bilateral {
    factor: BlockFactor,
    p: Vec<f64>,
    u: Vec<f64>,
}

impl Bilateral {
    /// The impulses, where all rows are of this kind and their factor serves; else `p` is as it was.
    pub(super) fn solve(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Option<Outcome> {
        let Form::Posed(posed) = &problem.delassus.form else { return None };
        let all = problem.sets.iter().all(|set| *set == Set::Free);
        if !all || !self.factor.factor(&posed.mass, &posed.jacobian, &posed.compliance) {
            return None;
        }
        let Self { factor, p: found, u } = self;
        found.clear();
        found.extend(problem.u_free.iter().map(|u| -u));
        factor.solve(found);
        // A chain of n links has a condition number of n²; beyond half the tolerance there is nothing to gain.
        let rounding = f64::EPSILON * (p.len() as f64).powi(2);
        let enough = rounding.min(0.5 * tolerance).max(ROUNDING);
        let mut error = f64::INFINITY;
        for _ in 0..=REFINEMENTS {
            factor.product(&posed.jacobian, (&posed.compliance, &problem.u_free), found, u);
            let last = std::mem::replace(&mut error, relative(u, &problem.u_free));
            if error <= enough || !(error < 0.5 * last) {
                break;
            }
            factor.solve(u);
            found.iter_mut().zip(&*u).for_each(|(p, u)| *p -= u);
        }
        if !(error <= tolerance) {
            return None;
        }
        p.copy_from_slice(found);
        Some(Outcome { status: Status::Converged, iterations: 1, method: "bilateral" })
    }

    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }
}

/// ‖u‖ over the larger of ‖u_free‖ and ‖u − u_free‖; 0 where all of it vanishes.
fn relative(u: &[f64], u_free: &[f64]) -> f64 {
    let (mut left, mut free, mut moved) = (0.0, 0.0, 0.0);
    for (u, f) in u.iter().zip(u_free) {
        left += u * u;
        free += f * f;
        moved += (u - f) * (u - f);
    }
    if left == 0.0 { 0.0 } else { (left / f64::max(free, moved)).sqrt() }
}
