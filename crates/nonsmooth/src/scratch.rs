//! Scratch of a step: one value per phase, owned by the integrator. It carries nothing from step to step but what stamps guard.

use crate::instants::Instants;
use crate::model::{ActiveConstraints, Free};
use crate::newton::Parts;
use crate::phases::{Impulses, Mass, Stiffened, Struck};
use nonsmooth_solvers::Problem;

/// One value per phase.
#[derive(Default)]
pub struct Scratch {
    /// The instants of the step.
    pub at: Instants,
    /// The active constraints.
    pub active: ActiveConstraints,
    /// M̂⁻¹.
    pub mass: Mass,
    /// M̃⁻¹ of corrections.
    pub stiffened: Stiffened,
    /// Where the systems would go without constraints.
    pub free: Free,
    /// The one-step problem.
    pub problem: Problem,
    /// Its impulses.
    pub impulses: Impulses,
    /// What the passes of Newton's iteration work on.
    pub parts: Parts,
    /// Impacts at the start of the step, where a law has them.
    pub struck: Option<Box<Struck>>,
    /// v⁺ in working axes.
    pub v_next: Vec<f64>,
    /// Means of velocities for the ledger.
    pub v_mean: Vec<f64>,
}

impl Scratch {
    /// Forgets everything: the next step starts as the first one does.
    pub fn reset(&mut self) {
        *self = Self::default();
    }
}
