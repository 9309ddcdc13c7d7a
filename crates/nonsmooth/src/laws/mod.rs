//! Laws: the rule that ties relative velocity and impulse at one constraint.
//!
//! A law writes, for runs of constraints at once, the convex set C of impulses, the shift and the compliance of
//!
//! ```text
//! −(u⁺ + shift + D p) ∈ N_C(p)
//! ```
//!
//! in three forms, each optional. *Step*: impact and contact in one, for schemes that do not resolve impacts. *Contact*: lasting contact,
//! without rebound. *Impact*: at an instant, in one or several phases. The model holds `dyn Law`; nothing outside this folder
//! can ask for a coefficient:
//!
//! ```compile_fail
//! fn restitution(model: &nonsmooth::Model, law: nonsmooth::model::LawId) -> f64 {
//!     model.law(law).restitution
//! }
//! ```
//!
//! (The same with what a law may be asked compiles, so it fails for the reason given.)
//!
//! ```
//! fn name(model: &nonsmooth::Model, law: nonsmooth::model::LawId) -> &str {
//!     model.law_name(law)
//! }
//! ```

mod bilateral;
mod coulomb;
mod newton_impact;
mod poisson;
mod relay;
mod static_dynamic;

pub use bilateral::Bilateral;
pub(crate) use bilateral::Compliant;
pub use coulomb::Coulomb;
pub use newton_impact::NewtonImpact;
pub use poisson::Poisson;
pub use relay::Relay;
pub use static_dynamic::StaticDynamic;

use nonsmooth_solvers::{Declared, OptionError, Options, Set};

/// Every law, in the order in which they are listed to users.
pub static LAWS: &[Entry] = &[
    newton_impact::ENTRY,
    poisson::ENTRY,
    coulomb::ENTRY,
    static_dynamic::ENTRY,
    bilateral::ENTRY,
    relay::ENTRY,
];

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
    make: fn(&Options) -> Box<dyn Law>,
}

impl Entry {
    /// The law with these options, or what is wrong with them.
    pub fn build(&self, options: &Options) -> Result<Box<dyn Law>, Vec<OptionError>> {
        options.check(self.name, self.options)?;
        Ok((self.make)(options))
    }
}

/// Which forms a law has, and what schemes must know of it to accept or refuse it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forms {
    /// Impact and contact in one step.
    pub step: bool,
    /// Lasting contact.
    pub contact: bool,
    /// Impact at an instant.
    pub impact: bool,
    /// Bilateral: always active, no complementarity.
    pub bilateral: bool,
    /// Impulses along tangents.
    pub friction: bool,
    /// Whether a rebound is possible.
    pub rebounds: bool,
    /// Relay: impulses between bounds.
    pub relay: bool,
}

impl Forms {
    /// A unilateral contact without friction, in all three forms.
    pub const CONTACT: Self = Self {
        step: true,
        contact: true,
        impact: true,
        bilateral: false,
        friction: false,
        rebounds: false,
        relay: false,
    };
}

/// A run of constraints with the same law and number of rows. Slices are by constraint or by row, in order.
pub struct LawRows<'a> {
    /// Rows of each constraint.
    pub dim: usize,
    /// Length of the step or kick [s]; 0 at an instant.
    pub h: f64,
    /// a = ∂y⁺/∂u⁺ [s]; 0 at velocity level.
    pub ahead: f64,
    /// Gap by constraint [m].
    pub gap: &'a [f64],
    /// u⁻ by row [m/s].
    pub u_minus: &'a [f64],
    /// Impulse by row of the last step or phase, scaled to this length [N·s].
    pub p_before: &'a [f64],
    /// Histories, `n_history` numbers per constraint.
    pub history: &'a [f64],
    /// Impulses of other rows of the last pass that the law depends on, one per constraint; empty where there are none.
    pub coupled: &'a [f64],
    /// Sets: `sets_of(dim)` per constraint. Written.
    pub sets: &'a mut [Set],
    /// Shift by row [m/s]. Written; zero on entry.
    pub shift: &'a mut [f64],
    /// D by row [1/kg]. Written; on entry zero, or what the family wrote (springs).
    pub compliance: &'a mut [f64],
    /// Impulse that acts in any case, by row [N·s]. Written at impacts; zero on entry.
    pub given: &'a mut [f64],
}

/// A rule at one constraint.
///
/// Three methods make a law: [`dim`](Law::dim), [`forms`](Law::forms) and those of `step`, `contact` and `impact` that the forms name.
/// A contact without friction that never rebounds:
///
/// ```
/// use nonsmooth::laws::{Forms, Law, LawRows};
/// use nonsmooth::solvers::Set;
///
/// /// 0 ≤ u⁺ ⟂ p ≥ 0.
/// struct Plastic;
///
/// impl Law for Plastic {
///     fn dim(&self, _tangents: usize) -> Option<usize> {
///         Some(1)
///     }
///
///     fn forms(&self) -> Forms {
///         Forms::CONTACT
///     }
///
///     fn step(&self, rows: &mut LawRows<'_>) {
///         rows.sets.fill(Set::Nonnegative);
///     }
///
///     fn contact(&self, rows: &mut LawRows<'_>) {
///         rows.sets.fill(Set::Nonnegative);
///     }
/// }
/// ```
///
/// Sets are of impulses: a force F stands as F h. The shift turns u⁺ = 0 into u⁺ = −shift. `examples/own_law.rs` is a whole program.
pub trait Law: Send + Sync {
    /// Rows that it needs on a constraint with this many tangents; `None` where it is not made for that.
    fn dim(&self, tangents: usize) -> Option<usize>;

    /// Number of sets of a constraint with `dim` rows: one, unless rows stand alone.
    fn sets_of(&self, _dim: usize) -> usize {
        1
    }

    /// Which forms it has.
    fn forms(&self) -> Forms;

    /// What is wrong with its numbers.
    fn fault(&self) -> Option<String> {
        None
    }

    /// Impact and contact in one.
    fn step(&self, _rows: &mut LawRows<'_>) {}

    /// Lasting contact, no rebound.
    fn contact(&self, _rows: &mut LawRows<'_>) {}

    /// Impact at an instant, phase by phase; true while another phase follows. `p_before` has the impulses of the phase before.
    fn impact(&self, _phase: usize, rows: &mut LawRows<'_>) -> bool {
        self.step(rows);
        false
    }

    /// Speed and approach: the speed after an impact with approach speed `u` [m/s] met head on, for early rebounds; 0 for laws without reflection.
    fn rebound(&self, _approach: f64) -> f64 {
        0.0
    }

    /// Numbers remembered per constraint.
    fn n_history(&self) -> usize {
        0
    }

    /// The history after the step, from the impulses and u⁻ of its rows; committed with the state. `history` holds the old one.
    fn update(&self, _h: f64, _p: &[f64], _u_minus: &[f64], _history: &mut [f64]) {}
}
