//! Bilateral constraint: u = 0, the impulse is free.

use super::{Entry, Law, StepForm};
use nonsmooth_solvers::Set;

pub(super) const ENTRY: Entry = Entry {
    name: "bilateral",
    about: "joint: the relative velocity vanishes, the impulse has either sign",
    options: &[],
    make: |_| Bilateral.step_form(),
};

/// The relative velocity vanishes.
#[derive(Clone, Copy, Debug)]
pub struct Bilateral;

impl Law for Bilateral {
    fn step_form(&self) -> StepForm {
        StepForm { set: Set::Free, restitution: 0.0, tangential_restitution: 0.0 }
    }
}
