//! Laws: the rule that ties relative velocity and impulse at one constraint.
//!
//! A law meets the solver through a convex set C and the integrator through its impact term: the
//! one-step problem is −(u⁺ + e u⁻ + shift) ∈ N_C(p), with e of the normal and of the tangents.

mod bilateral;
mod coulomb;
mod newton_impact;

pub use bilateral::Bilateral;
pub use coulomb::Coulomb;
pub use newton_impact::NewtonImpact;

use nonsmooth_solvers::{Declared, OptionError, Options, Set};

/// Every law, in the order in which they are listed to users.
pub static LAWS: &[Entry] = &[newton_impact::ENTRY, coulomb::ENTRY, bilateral::ENTRY];

/// The law called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    LAWS.iter().find(|entry| entry.name == name)
}

/// A law's name, what it says, and how to make one.
pub struct Entry {
    /// Name in scene files and in Python.
    pub name: &'static str,
    /// One line for users.
    pub about: &'static str,
    /// The options it understands.
    pub options: &'static [&'static Declared],
    make: fn(&Options) -> StepForm,
}

impl Entry {
    /// The law with these options, or what is wrong with them.
    pub fn build(&self, options: &Options) -> Result<StepForm, Vec<OptionError>> {
        options.check(self.name, self.options)?;
        Ok((self.make)(options))
    }
}

/// What a law is to a time step: data, so that no call is made per contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepForm {
    /// Admissible impulses.
    pub set: Set,
    /// e of u_N⁺ = −e u_N⁻ [–].
    pub restitution: f64,
    /// e of the sliding velocity; 0 for laws without friction [–].
    pub tangential_restitution: f64,
}

impl StepForm {
    /// The law for a constraint with `n` tangents; `None` where it is not made for that.
    pub fn with_tangents(self, n: usize) -> Option<Self> {
        let set = match (self.set, n) {
            // In the plane a pyramid is Coulomb's cone itself.
            (Set::Coulomb3 { mu } | Set::Pyramid { mu, .. }, 1) => Set::Coulomb2 { mu },
            (set, n) if set.dim() == n + 1 => set,
            _ => return None,
        };
        Some(Self { set, ..self })
    }
}

/// A rule at one constraint.
pub trait Law {
    /// The law as a time step sees it.
    fn step_form(&self) -> StepForm;
}

impl Law for StepForm {
    fn step_form(&self) -> StepForm {
        *self
    }
}
