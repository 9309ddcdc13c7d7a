//! The one-step problem of some of the active constraints: posed, solved, its impulses put back in their rows.
//!
//! A guess that the certificate accepts may be kept as it is: then nothing is solved.

use super::assemble::clear_dust;
use super::factorize::Mass;
use super::solve::{SolverSettings, is_solved};
use crate::error::StepResult;
use crate::log::StepLog;
use crate::model::{ActiveConstraints, Free};
use nonsmooth_solvers::{Problem, Status};

/// Buffers of such problems.
#[derive(Default)]
pub struct PartBuffers {
    /// Impulses of the constraints of the part, one after the other [N·s].
    pub p: Vec<f64>,
    /// Their velocities [m/s].
    pub u: Vec<f64>,
    compliance: Vec<f64>,
}

/// Solves for the constraints `list` (ascending); `p` is by row of all active constraints, guess and result.
pub fn solve_part(
    (active, list): (&ActiveConstraints, &[u32]),
    mass: &Mass,
    free: &Free,
    settings: &mut SolverSettings,
    problem: &mut Problem,
    (p, buffers): (&mut [f64], &mut PartBuffers),
    log: &mut StepLog,
) -> StepResult {
    let SolverSettings { solver, tolerance, .. } = settings;
    pose_part((active, list), mass, &free.v, problem, p, buffers);
    let PartBuffers { p: found, u, .. } = buffers;
    let report = nonsmooth_solvers::solve(&mut **solver, problem, *tolerance, found, u);
    if report.status == Status::Unsupported {
        solver.accepts(problem).map_err(|unsupported| Box::new(unsupported.into()))?;
    }
    log.solves.push(report);
    put_back(active, list, found, p);
    Ok(())
}

/// Poses the same problem and asks the certificate whether the impulses `p` solve it as they are. If so the report is noted.
pub fn is_solved_by(
    (active, list): (&ActiveConstraints, &[u32]),
    mass: &Mass,
    free: &Free,
    tolerance: f64,
    problem: &mut Problem,
    (p, buffers): (&[f64], &mut PartBuffers),
    log: &mut StepLog,
) -> bool {
    pose_part((active, list), mass, &free.v, problem, p, buffers);
    let PartBuffers { p: guess, u, .. } = buffers;
    is_solved(tolerance, problem, (guess, u), log)
}

/// Poses the problem of the constraints `list` with the free velocity `v`; `buffers.p` receives their impulses, one after the other.
pub fn pose_part(
    (active, list): (&ActiveConstraints, &[u32]),
    mass: &Mass,
    v: &[f64],
    problem: &mut Problem,
    p: &[f64],
    buffers: &mut PartBuffers,
) {
    let chosen = (list.len() < active.len()).then_some(list);
    let PartBuffers { p: guess, compliance, .. } = buffers;
    problem.sets.clear();
    problem.u_free.clear();
    guess.clear();
    compliance.clear();
    for &c in list {
        let c = c as usize;
        let sets = active.set_start[c] as usize..active.set_start[c + 1] as usize;
        problem.sets.extend_from_slice(&active.sets[sets]);
        let rows = active.rows(c);
        let first = problem.u_free.len();
        problem.u_free.resize(first + rows.len(), 0.0);
        active.jacobian.dot(c, v, &mut problem.u_free[first..]);
        for (u, row) in problem.u_free[first..].iter_mut().zip(rows.clone()) {
            *u += active.offset[row] + active.shift[row];
        }
        guess.extend_from_slice(&p[rows.clone()]);
        compliance.extend_from_slice(&active.compliance[rows]);
    }
    clear_dust(&mut problem.u_free);
    problem.delassus.renew(mass.groups(), &active.jacobian, chosen, compliance);
}

/// Puts the impulses of the constraints `list` back in their rows.
fn put_back(active: &ActiveConstraints, list: &[u32], found: &[f64], p: &mut [f64]) {
    let mut next = 0;
    for &c in list {
        let rows = active.rows(c as usize);
        let n = rows.len();
        p[rows].copy_from_slice(&found[next..next + n]);
        next += n;
    }
}
