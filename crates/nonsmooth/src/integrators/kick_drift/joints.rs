//! Joints brought to their place at the end of the drift, while all other impulses stay as they are.
//!
//! ```text
//! W_BB δp = −y(q⁺)/h,     p_B += δp,     v += M⁻¹ J_Bᵀ δp,     q⁺ = drift(q, v, h)
//! ```
//!
//! B are the joints, alone or beside other rows. W_BB is factored once. y(q⁺) is not linear in p, so that a joint takes a few passes; where it stands in a heap, the heap takes one. What
//! the other constraints feel of δp the certificate of the whole problem tells afterwards: where it is too much, all are solved again.

use super::classify::Roles;
use super::drift::Drift;
use super::kick::{IN_PLACE, Kick};
use crate::error::StepResult;
use crate::model::{ActiveConstraints, Model};
use crate::phases::{Mass, PartBuffers, SolverSettings, pose_part};
use nonsmooth_solvers::{Factored, Problem, Set};

/// Most corrections in a row.
const MOST_CORRECTIONS: usize = 12;
/// Relative residual of a correction: what it leaves goes with the next one [–].
const INEXACT: f64 = 1e-8;

/// The joints of a kick.
#[derive(Default)]
pub(super) struct JointCorrection {
    list: Vec<u32>,
    /// Whether they are all rows of the kick.
    is_all: bool,
    /// Whether rows of them were found to follow from others.
    pub(super) is_redundant: bool,
    problem: Problem,
    /// δp.
    buffers: PartBuffers,
    zeros: Vec<f64>,
}

impl JointCorrection {
    /// Lets J and M go, so that they may be written.
    pub(super) fn release(&mut self) {
        self.problem.delassus.release();
    }

    /// Chooses the joints of the kick: rows that hold a position, whatever impulse that takes.
    pub(super) fn choose(&mut self, active: &ActiveConstraints, roles: &Roles, y: &[f64]) {
        self.list.clear();
        self.is_redundant = false;
        for &c in &roles.bilateral {
            let k = c as usize;
            let sets = active.set_start[k] as usize..active.set_start[k + 1] as usize;
            let holds = active.rows(k).all(|row| y[row].is_finite() && active.compliance[row] == 0.0);
            let free = active.sets[sets].iter().all(|set| *set == Set::Free);
            if holds && free {
                self.list.push(c);
            }
        }
        self.is_all = self.list.len() == roles.rows.len();
    }

    /// Whether there are joints and other rows too.
    pub(super) fn is_mixed(&self) -> bool {
        !self.list.is_empty() && !self.is_all
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl Kick {
    /// Corrects the impulses of the joints until they are in their place, or no longer come nearer. `whole` is the problem of all rows, which
    /// is that of the joints where there are no others.
    pub(super) fn place_joints(
        &mut self,
        model: &Model,
        (active, roles, mass): (&mut ActiveConstraints, &Roles, &Mass),
        settings: &mut SolverSettings,
        (joints, whole): (&mut JointCorrection, &mut Problem),
        drift: &mut Drift,
    ) -> StepResult {
        let JointCorrection { list, is_all, is_redundant, problem, buffers, zeros } = joints;
        let problem = if *is_all { whole } else { problem };
        zeros.clear();
        zeros.resize(active.n_rows(), 0.0);
        let (mut last, mut factored) = (f64::INFINITY, None);
        for _ in 0..MOST_CORRECTIONS {
            let error = self.joint_error(active, roles);
            if error <= IN_PLACE || error >= 0.5 * last {
                break;
            }
            last = error;
            self.set_offsets(active, roles, drift, list);
            pose_part((active, list), mass, &self.v, problem, zeros, buffers);
            let PartBuffers { p: dp, u, .. } = &mut *buffers;
            // W is the same in all corrections, so its factor is too.
            let factored = factored.get_or_insert_with(|| settings.solver.factor(problem));
            *is_redundant |= *factored == Factored::Singular;
            if *factored == Factored::Made {
                dp.iter_mut().zip(&problem.u_free).for_each(|(dp, u)| *dp = -u);
                settings.solver.back_substitute(dp);
            } else {
                nonsmooth_solvers::solve(&mut *settings.solver, problem, INEXACT, dp, u);
            }
            let mut next = dp.iter();
            for &c in &*list {
                self.p[active.rows(c as usize)].iter_mut().zip(&mut next).for_each(|(p, dp)| *p += dp);
            }
            problem.delassus.push(dp, &mut self.v);
            self.drift_on(model, drift)?;
            self.place_rows(model, active, drift, |family| {
                list.iter().any(|&c| active.own[family].contains(&(c as usize)))
            })?;
        }
        Ok(())
    }
}
