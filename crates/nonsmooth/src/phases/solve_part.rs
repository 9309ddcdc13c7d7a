//! The one-step problem of some of the active constraints: posed, solved, its impulses put back in their rows.

use super::factorize::Mass;
use super::solve::SolverSettings;
use crate::error::StepResult;
use crate::log::StepLog;
use crate::model::{ActiveConstraints, Free};
use nonsmooth_solvers::{Problem, Status};

/// Solves for the constraints `list` (ascending); `p` is by row of all active constraints, guess and result.
pub fn solve_part(
    (active, list): (&ActiveConstraints, &[u32]),
    mass: &Mass,
    free: &Free,
    settings: &mut SolverSettings,
    problem: &mut Problem,
    p: &mut [f64],
    log: &mut StepLog,
) -> StepResult {
    let SolverSettings { solver, tolerance, .. } = settings;
    let chosen = (list.len() < active.len()).then_some(list);
    problem.sets.clear();
    problem.u_free.clear();
    let mut guess = Vec::with_capacity(p.len());
    let mut compliance = Vec::with_capacity(p.len());
    for &c in list {
        let c = c as usize;
        let sets = active.set_start[c] as usize..active.set_start[c + 1] as usize;
        problem.sets.extend_from_slice(&active.sets[sets]);
        let rows = active.rows(c);
        let first = problem.u_free.len();
        problem.u_free.resize(first + rows.len(), 0.0);
        active.jacobian.dot(c, &free.v, &mut problem.u_free[first..]);
        for (u, row) in problem.u_free[first..].iter_mut().zip(rows.clone()) {
            *u += active.offset[row] + active.shift[row];
        }
        guess.extend_from_slice(&p[rows.clone()]);
        compliance.extend_from_slice(&active.compliance[rows]);
    }
    problem.delassus.renew(mass.groups(), &active.jacobian, chosen, &compliance);
    let report =
        nonsmooth_solvers::solve(&mut **solver, problem, *tolerance, &mut guess, &mut Vec::new());
    if report.status == Status::Unsupported {
        solver.accepts(problem).map_err(|unsupported| Box::new(unsupported.into()))?;
    }
    log.solves.push(report);
    let mut next = 0;
    for &c in list {
        let rows = active.rows(c as usize);
        let n = rows.len();
        p[rows].copy_from_slice(&guess[next..next + n]);
        next += n;
    }
    Ok(())
}
