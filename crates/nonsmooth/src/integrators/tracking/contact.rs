//! Complementarity at one point: 0 ≤ W x + rhs ⟂ x ≥ 0 on contacts, W x + rhs = 0 on joints.
//!
//! At velocity level x is the impulse of an impact and rhs = (1 + e) u⁻; at acceleration level x is the force λ and
//! rhs = H M⁻¹ f + curvature. Any registered solver takes it, and the certificate judges.

use super::closed::Closed;
use crate::error::{StepError, StepResult};
use crate::integrators::Solving;
use crate::log::StepLog;
use crate::model::{Key, Model};
use crate::phases::Policy;
use nonsmooth_solvers::{Problem, Status};

/// A problem and its solution.
#[derive(Default)]
pub(crate) struct Contact {
    /// The problem posed last.
    pub(crate) problem: Problem,
    /// x: impulses [N·s] or forces [N].
    pub(crate) x: Vec<f64>,
    /// W x + rhs [m/s or m/s²].
    pub(crate) slack: Vec<f64>,
}

impl Contact {
    /// Solves for the constraints `keys` that `closed` holds.
    pub(crate) fn solve(
        &mut self,
        model: &Model,
        keys: &[usize],
        closed: &Closed,
        rhs: impl Fn(usize) -> f64,
        solving: &mut Solving,
        log: &mut StepLog,
    ) -> StepResult {
        self.pose(model, keys, closed, rhs);
        let Solving { solver, tolerance, policy } = solving;
        let Contact { problem, x, slack } = self;
        x.clear();
        x.resize(keys.len(), 0.0);
        let report = nonsmooth_solvers::solve(&mut **solver, problem, *tolerance, x, slack);
        if report.status == Status::Unsupported {
            solver.accepts(problem).map_err(|unsupported| Box::new(unsupported.into()))?;
        }
        log.solves.push(report);
        let accepted = *policy == Policy::CountUnconverged && report.residual.is_finite();
        if report.status == Status::Converged || accepted {
            return Ok(());
        }
        Err(StepError::NotConverged {
            status: report.status,
            method: report.method,
            residual: report.residual,
            tolerance: *tolerance,
            worst: report.worst.map(|i| model.constraints.name(Key(keys[i] as u64)).to_owned()),
        }
        .into())
    }

    fn pose(&mut self, model: &Model, keys: &[usize], closed: &Closed, rhs: impl Fn(usize) -> f64) {
        let (problem, m) = (&mut self.problem, keys.len());
        problem.symmetric = true;
        problem.matrix_stamp = None;
        problem.sets.clear();
        problem.sets.extend(keys.iter().map(|&key| model.law(Key(key as u64)).set));
        problem.u_free.clear();
        problem.u_free.extend((0..m).map(rhs));
        let w = problem.delassus_mut();
        w.clear(m);
        for i in 0..m {
            for j in 0..m {
                let entry = closed.delassus[i * m + j];
                if entry != 0.0 || i == j {
                    w.column.push(j as u32);
                    w.value.push(entry);
                }
            }
            w.finish_row();
        }
    }

    pub(crate) fn poison(&mut self) {
        self.problem.delassus_mut().value.fill(f64::NAN);
        for x in [&mut self.problem.u_free, &mut self.x, &mut self.slack] {
            x.fill(f64::NAN);
        }
    }
}
