//! A solver that keeps the problem it was given last, when asked to: how a problem that nobody could solve gets out of a
//! step. Otherwise it only passes on.

use nonsmooth_solvers::{Attempt, Outcome, Problem, Solver, Unsupported};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Where problems are kept; clones share it.
#[derive(Clone, Default)]
pub(super) struct Kept(Arc<Inside>);

#[derive(Default)]
struct Inside {
    is_wanted: AtomicBool,
    problem: Mutex<Option<Problem>>,
}

impl Kept {
    /// The last problem that is posed while `run` does its work.
    pub(super) fn during(&self, run: impl FnOnce()) -> Option<Problem> {
        self.0.is_wanted.store(true, Ordering::Relaxed);
        run();
        self.0.is_wanted.store(false, Ordering::Relaxed);
        self.0.problem.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The solver and the place to keep its problems in.
pub(super) struct Keeper {
    pub(super) solver: Box<dyn Solver>,
    pub(super) kept: Kept,
}

impl Solver for Keeper {
    fn accepts(&self, problem: &Problem) -> Result<(), Unsupported> {
        self.solver.accepts(problem)
    }

    fn solve(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Outcome {
        if self.kept.0.is_wanted.load(Ordering::Relaxed) {
            let mut place = self.kept.0.problem.lock().unwrap_or_else(PoisonError::into_inner);
            *place = Some(problem.clone());
        }
        self.solver.solve(problem, tolerance, p)
    }

    fn attempts(&self) -> &[Attempt] {
        self.solver.attempts()
    }

    fn forget(&mut self) {
        self.solver.forget();
    }
}
