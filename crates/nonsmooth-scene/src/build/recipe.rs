//! The scheme and the solver of a scene with their options, to be made anew for every run of a study.

use nonsmooth::{Integrator, IntegratorEntry, Options, Policy, Solving};

/// How a scene is stepped.
#[derive(Clone)]
pub struct Recipe {
    pub(super) integrator: (&'static IntegratorEntry, Options),
    pub(super) solver: Solver,
}

/// How its one-step problems are solved; the options are checked.
#[derive(Clone)]
pub(super) struct Solver {
    pub(super) entry: &'static nonsmooth_solvers::Entry,
    pub(super) options: Options,
    pub(super) tolerance: f64,
    pub(super) policy: Policy,
}

impl Recipe {
    /// The scheme of the scene with its options.
    pub fn integrator(&self) -> Box<dyn Integrator> {
        let (entry, options) = &self.integrator;
        entry.build(options, self.solving()).expect("built once with the scene")
    }

    /// The solver of the scene with its options, tolerance and policy, for another scheme.
    pub fn solving(&self) -> Solving {
        self.solver.solving()
    }
}

impl Solver {
    pub(super) fn solving(&self) -> Solving {
        let solver = self.entry.build(&self.options).expect("checked with the scene");
        Solving { solver, tolerance: self.tolerance, policy: self.policy }
    }
}
