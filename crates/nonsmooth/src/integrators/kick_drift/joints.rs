//! Joints brought to their place at the end of the drift, while all other impulses stay as they are.
//!
//! ```text
//! W_BB δp = −y(q⁺)/h,     p_B += δp,     v += M⁻¹ J_Bᵀ δp,     q⁺ = drift(q, v, h)
//! ```
//!
//! B are the joints. y(q⁺) is not linear in p, so that a joint takes a few passes; where it stands in a heap, the heap takes one. What
//! the other constraints feel of δp the certificate of the whole problem tells afterwards: where it is too much, all are solved again.

use super::classify::Roles;
use super::drift::Drift;
use super::kick::{IN_PLACE, Kick};
use crate::error::StepResult;
use crate::model::{ActiveConstraints, Model};
use crate::phases::{Mass, PartBuffers, SolverSettings, pose_part};
use nonsmooth_solvers::{Problem, Set};

/// Most corrections in a row.
const MOST_CORRECTIONS: usize = 12;
/// Relative residual of a correction: what it leaves goes with the next one [–].
const INEXACT: f64 = 1e-8;

/// The joints of a kick that has other rows too.
#[derive(Default)]
pub(super) struct JointCorrection {
    list: Vec<u32>,
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

    /// Chooses the joints of the kick: rows that hold a position, whatever impulse that takes. None where there is nothing else.
    pub(super) fn choose(&mut self, active: &ActiveConstraints, roles: &Roles, y: &[f64]) {
        self.list.clear();
        for &c in &roles.bilateral {
            let k = c as usize;
            let sets = active.set_start[k] as usize..active.set_start[k + 1] as usize;
            let holds = active.rows(k).all(|row| y[row].is_finite() && active.compliance[row] == 0.0);
            let free = active.sets[sets].iter().all(|set| *set == Set::Free);
            if holds && free {
                self.list.push(c);
            }
        }
        if self.list.len() == roles.rows.len() {
            self.list.clear();
        }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl Kick {
    /// Corrects the impulses of the joints until they are in their place, or no longer come nearer.
    pub(super) fn place_joints(
        &mut self,
        model: &Model,
        (active, roles, mass): (&mut ActiveConstraints, &Roles, &Mass),
        settings: &mut SolverSettings,
        joints: &mut JointCorrection,
        drift: &mut Drift,
    ) -> StepResult {
        let JointCorrection { list, problem, buffers, zeros } = joints;
        zeros.clear();
        zeros.resize(active.n_rows(), 0.0);
        let mut last = f64::INFINITY;
        for _ in 0..MOST_CORRECTIONS {
            let error = self.joint_error(active, roles);
            if error <= IN_PLACE || error >= 0.5 * last {
                break;
            }
            last = error;
            self.set_offsets(active, roles, drift, list);
            pose_part((active, list), mass, &self.v, problem, zeros, buffers);
            let PartBuffers { p: dp, u, .. } = &mut *buffers;
            nonsmooth_solvers::solve(&mut *settings.solver, problem, INEXACT, dp, u);
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
