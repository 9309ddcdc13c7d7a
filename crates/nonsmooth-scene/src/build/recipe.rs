//! The scheme and the solver of a scene with their options, to be made anew for every run of a study.

use nonsmooth::integrators::Entry;
use nonsmooth::{Policy, SolverSettings};
use nonsmooth_solvers::Options;

/// How a scene is stepped.
#[derive(Clone)]
pub struct Recipe {
    pub(super) integrator: (&'static Entry, Options),
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
    /// The scheme of the scene and its options.
    pub fn scheme(&self) -> (&'static Entry, &Options) {
        (self.integrator.0, &self.integrator.1)
    }

    /// The solver of the scene with its options, tolerance and policy, for another scheme.
    pub fn solving(&self) -> SolverSettings {
        self.solver.solving()
    }
}

impl Solver {
    pub(super) fn solving(&self) -> SolverSettings {
        let solver = self.entry.build(&self.options).expect("checked with the scene");
        SolverSettings { solver, tolerance: self.tolerance, policy: self.policy }
    }
}
