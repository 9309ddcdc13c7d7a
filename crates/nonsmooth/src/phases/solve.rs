//! The solve: any registered solver, judged by the certificate; one place decides what a miss means.

use crate::error::{StepError, StepResult};
use crate::log::StepLog;
use crate::model::{ActiveConstraints, ConstraintId, Model, State};
use nonsmooth_solvers::{Certificate, Options, Problem, Report, Solver, Status, certify};

/// What to do with a step whose problem was not brought to tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Stop the run.
    Stop,
    /// Go on up to ten times the tolerance, and count it. The default.
    Limit,
    /// Go on, and count it.
    Count,
}

/// How far above the tolerance a residual may be under [`Policy::Limit`].
const LIMIT: f64 = 10.0;

/// How one-step problems are solved.
pub struct SolverSettings {
    /// The solver.
    pub solver: Box<dyn Solver>,
    /// Largest certificate that counts as solved [–].
    pub tolerance: f64,
    /// What to do beyond that.
    pub policy: Policy,
}

/// Default of [`SolverSettings::tolerance`]: two digits above the rounding of a column of 10⁵ bodies.
pub const DEFAULT_TOLERANCE: f64 = 1e-10;

impl Default for SolverSettings {
    /// `auto` at the default tolerance.
    fn default() -> Self {
        let auto = nonsmooth_solvers::find("auto").expect("`auto` is listed");
        let solver = auto.build(&Options::default()).expect("defaults are valid");
        Self { solver, tolerance: DEFAULT_TOLERANCE, policy: Policy::Limit }
    }
}

/// The impulses of a step.
#[derive(Default)]
pub struct Impulses {
    /// p by row [N·s].
    pub p: Vec<f64>,
    /// What the forces of the last step would give in this one, by row; 0 for constraints that are new [N·s].
    pub before: Vec<f64>,
    /// W p + u_free as the certificate saw it [m/s].
    pub u: Vec<f64>,
    /// What Newton's iteration knows of the pass before.
    pub(crate) guess: Guess,
}

/// The guess of a pass of Newton's iteration, and its residual.
#[derive(Default)]
pub(crate) struct Guess {
    /// Impulses of the pass before [N·s].
    pub(crate) p: Vec<f64>,
    pub(crate) u: Vec<f64>,
    /// v_free + M̂⁻¹ Jᵀ p [m/s, rad/s].
    pub(crate) v: Vec<f64>,
}

impl Impulses {
    /// The guess p = λ κ: what each constraint carried in the last step, over the length κ of this one; and whether it carried.
    #[inline]
    pub fn warm_start(
        &mut self,
        model: &Model,
        now: &State,
        active: &mut ActiveConstraints,
        length: f64,
    ) {
        self.before.clear();
        self.p.clear();
        if !active.is_empty() {
            self.recall(model, now, active, length);
        }
    }

    /// Takes the guess of the step again.
    pub(crate) fn forget_passes(&mut self) {
        self.p.clone_from(&self.before);
    }

    #[inline(never)]
    fn recall(&mut self, model: &Model, now: &State, active: &mut ActiveConstraints, length: f64) {
        let memory = &now.memory;
        let is_same = memory.ids == active.ids && memory.force_start == active.row_start;
        if is_same && model.stores_rows() {
            self.before.extend(memory.forces.iter().map(|force| force * length));
        } else {
            self.before.resize(active.n_rows(), 0.0);
            let mut known = memory.walk();
            for (family, own) in model.constraints.iter().zip(&active.own) {
                family.recall_forces(active, own.clone(), &mut known, &mut self.before);
            }
            self.before.iter_mut().for_each(|p| *p *= length);
        }
        for (carried, &first) in active.carried.iter_mut().zip(&active.row_start) {
            *carried = self.before[first as usize] > 0.0;
        }
        self.p.extend_from_slice(&self.before);
    }

    /// Histories of `n` numbers of a run of constraints, zeros where a constraint is new. Without histories nothing is allocated.
    #[inline]
    pub(crate) fn history(&self, now: &State, ids: &[ConstraintId], n: usize) -> Vec<f64> {
        let mut out = Vec::new();
        if n > 0 {
            recall_histories(now, ids, n, &mut out);
        }
        out
    }
}

#[inline(never)]
fn recall_histories(now: &State, ids: &[ConstraintId], n: usize, out: &mut Vec<f64>) {
    for &id in ids {
        match now.memory.find(id).filter(|known| known.history.len() == n) {
            Some(known) => out.extend_from_slice(known.history),
            None => out.resize(out.len() + n, 0.0),
        }
    }
}

/// Solves the problem to `tolerance` and notes the report; `judge` decides later whether it is good enough. Without rows there is
/// nothing to solve.
#[inline(always)]
pub fn solve(
    solver: &mut dyn Solver,
    tolerance: f64,
    problem: &mut Problem,
    impulses: &mut Impulses,
    log: &mut StepLog,
) -> StepResult {
    if problem.u_free.is_empty() {
        return Ok(());
    }
    let Impulses { p, u, .. } = impulses;
    let report = nonsmooth_solvers::solve(solver, problem, tolerance, p, u);
    if report.status == Status::Unsupported {
        solver.accepts(problem).map_err(|unsupported| Box::new(unsupported.into()))?;
    }
    log.solves.push(report);
    Ok(())
}

/// Whether the impulses p solve the problem as they are, says the certificate; if so the report is noted.
pub fn is_solved(
    tolerance: f64,
    problem: &Problem,
    (p, u): (&[f64], &mut Vec<f64>),
    log: &mut StepLog,
) -> bool {
    let Certificate { residual, worst, .. } = certify(problem, p, u);
    let solved = residual <= tolerance;
    if solved {
        let method = log.solves.last().map_or("none", |last| last.method);
        log.solves.push(Report { status: Status::Converged, iterations: 0, method, residual, worst });
    }
    solved
}

/// Applies the policy to the solve that made the step: the last one.
#[inline]
pub fn judge(
    model: &Model,
    active: &ActiveConstraints,
    tolerance: f64,
    policy: Policy,
    log: &mut StepLog,
) -> StepResult {
    let Some(report) = log.solves.last() else { return Ok(()) };
    let (residual, status) = (report.residual, report.status);
    log.acted(residual, status);
    if status == Status::Converged {
        return Ok(());
    }
    miss(model, active, tolerance, policy, &log.solves[log.solves.len() - 1])
}

/// Applies the policy to one solve; `describe` tells what a set of its problem belongs to.
pub fn judge_report(
    report: &Report,
    tolerance: f64,
    policy: Policy,
    describe: impl Fn(usize) -> Option<String>,
) -> StepResult {
    let most = match policy {
        Policy::Stop => tolerance,
        Policy::Limit => LIMIT * tolerance,
        Policy::Count => f64::MAX,
    };
    if report.status == Status::Converged || report.residual <= most {
        return Ok(());
    }
    let (status, method, residual) = (report.status, report.method, report.residual);
    let worst = report.worst.and_then(describe);
    Err(StepError::NotConverged { status, method, residual, tolerance, worst }.into())
}

#[cold]
fn miss(
    model: &Model,
    active: &ActiveConstraints,
    tolerance: f64,
    policy: Policy,
    report: &Report,
) -> StepResult {
    // The worst of the report is a set; several sets may belong to one constraint.
    let constraint = |set: usize| active.set_start.partition_point(|&first| first as usize <= set) - 1;
    judge_report(report, tolerance, policy, |set| {
        active.ids.get(constraint(set)).map(|id| model.describe(*id))
    })
}
