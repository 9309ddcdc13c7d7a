//! Complementarity at one point: 0 ≤ W x + rhs ⟂ x ≥ 0 on contacts, W x + rhs = 0 on joints.
//!
//! At acceleration level x is the force λ and rhs = J M⁻¹ f + curvature; at velocity level x is an impulse. Any registered solver takes
//! it, and the certificate judges.

use super::closed::Closed;
use super::watched::Watched;
use crate::error::StepResult;
use crate::log::StepLog;
use crate::model::Model;
use crate::phases::{SolverSettings, judge_report};
use nonsmooth_solvers::{Problem, Set, Status};

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
    /// Solves for the rows `keys` that `closed` holds.
    pub(crate) fn solve(
        &mut self,
        model: &Model,
        (watched, keys): (&Watched, &[usize]),
        closed: &Closed,
        rhs: impl Fn(usize) -> f64,
        settings: &mut SolverSettings,
        log: &mut StepLog,
    ) -> StepResult {
        self.pose((watched, keys), closed, rhs);
        let SolverSettings { solver, tolerance, policy } = settings;
        let Contact { problem, x, slack } = self;
        x.clear();
        x.resize(keys.len(), 0.0);
        let report = nonsmooth_solvers::solve(&mut **solver, problem, *tolerance, x, slack);
        if report.status == Status::Unsupported {
            solver.accepts(problem).map_err(|unsupported| Box::new(unsupported.into()))?;
        }
        log.solves.push(report);
        log.acted(&report);
        let describe = |i: usize| keys.get(i).map(|&key| model.describe(watched.id(key)));
        judge_report(&report, *tolerance, *policy, describe)
    }

    fn pose(
        &mut self,
        (watched, keys): (&Watched, &[usize]),
        closed: &Closed,
        rhs: impl Fn(usize) -> f64,
    ) {
        let (problem, m) = (&mut self.problem, keys.len());
        problem.delassus.symmetric = true;
        problem.delassus.stamp = None;
        problem.sets.clear();
        let set = |&key: &usize| if watched.always[key] { Set::Free } else { Set::Nonnegative };
        problem.sets.extend(keys.iter().map(set));
        problem.u_free.clear();
        problem.u_free.extend((0..m).map(rhs));
        let w = problem.delassus.explicit_mut();
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
}
