//! Joints and implicit springs alone: where every row is bilateral and joins bodies, p = −W⁻¹ u_free by one factor in blocks.
//!
//! What rounding leaves of u = W p + u_free is taken off by refinement, p ← p − W⁻¹ u. Rows that follow from others (a closed chain in
//! space) have no factor; they are left to methods that take singular W.
//!
//! The factor is kept while W is the same, and serves a nonlinear iteration as an approximate inverse while W changes a little
//! (`Solver::back_substitute`).

use super::block_factor::BlockFactor;
use super::{Factored, Outcome, Status};
use crate::delassus::Form;
use crate::problem::Problem;
use crate::set::Set;

/// Most refinements: each gains all digits but those of the condition number of W.
const REFINEMENTS: usize = 3;
/// Rounding of u, relative to ‖u_free‖ or ‖W p‖.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Least pivot of a factor that serves without refinement. Joints of a closed loop that follow from others but for 1e-4 of drift have pivots
/// of about its square (joints.rs: a_redundant_four_bar_runs).
const SOUND: f64 = 1e-5;

#[derive(Default)]
pub(super) struct Bilateral {
    factor: BlockFactor,
    /// The W that it is the factor of.
    stamp: Option<u64>,
    p: Vec<f64>,
    u: Vec<f64>,
}

impl Bilateral {
    /// Factors W where every row is bilateral and joins bodies. What a nonlinear iteration builds on must be sound: no refinement looks
    /// at what it does.
    pub(super) fn factor_soundly(&mut self, problem: &Problem) -> Factored {
        match self.factor(problem) {
            Factored::Made if self.factor.weakest() < SOUND => Factored::Singular,
            made => made,
        }
    }

    /// Factors W where every row is bilateral and joins bodies.
    fn factor(&mut self, problem: &Problem) -> Factored {
        let Form::Posed(posed) = &problem.delassus.form else { return Factored::Unsuited };
        if !posed.jacobian.is_pairs() || problem.sets.iter().any(|set| *set != Set::Free) {
            return Factored::Unsuited;
        }
        if self.stamp.is_some() && self.stamp == problem.delassus.stamp {
            return Factored::Made;
        }
        self.stamp = None;
        let made = self.factor.factor(&posed.mass, &posed.jacobian, &posed.compliance);
        if made == Factored::Made {
            self.stamp = problem.delassus.stamp;
        }
        made
    }

    /// x ← W⁻¹ x with the last factor.
    pub(super) fn back_substitute(&self, x: &mut [f64]) {
        self.factor.solve(x);
    }

    /// The impulses, where all rows are of this kind and their factor serves; else `p` is as it was.
    pub(super) fn solve(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Option<Outcome> {
        let Form::Posed(posed) = &problem.delassus.form else { return None };
        if self.factor(problem) != Factored::Made {
            return None;
        }
        let Self { factor, p: found, u, .. } = self;
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
