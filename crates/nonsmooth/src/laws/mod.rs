//! Laws: the rule that ties relative velocity and impulse at one constraint.
//!
//! A law writes, for runs of constraints at once, the convex set C of impulses, the shift and the compliance of
//!
//! ```text
//! −(u⁺ + shift + D p) ∈ N_C(p)
//! ```
//!
//! in three forms, each optional. *Step*: impact and contact in one, for schemes that do not resolve impacts. *Contact*: lasting contact,
//! without rebound. *Impact*: at an instant, in one or several phases, or followed along its path together with all that feel it
//! (`path/mod.rs`). The model holds `dyn Law`; nothing outside this folder can ask for a coefficient:
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
mod cohesion;
mod complementarity;
mod compliant_contact;
mod coulomb;
mod fremond;
mod lzb;
mod newton_impact;
mod newton_path;
pub(crate) mod path;
mod poisson;
mod poisson_path;
mod relay;
mod rolling;
mod static_dynamic;
mod stribeck;
mod stronge;

pub use bilateral::Bilateral;
pub(crate) use bilateral::Compliant;
pub use cohesion::Cohesion;
pub use complementarity::Complementarity;
pub use compliant_contact::CompliantContact;
pub use coulomb::Coulomb;
pub use fremond::Fremond;
pub use lzb::Lzb;
pub use newton_impact::NewtonImpact;
pub use newton_path::NewtonPath;
pub use path::{AlongPath, Measure, PathError};
pub use poisson::Poisson;
pub use poisson_path::PoissonPath;
pub use relay::Relay;
pub use rolling::Rolling;
pub use static_dynamic::StaticDynamic;
pub use stribeck::Stribeck;
pub use stronge::Stronge;

use nonsmooth_solvers::{Declared, OptionError, Options, Set, Value};

/// Every law, in the order in which they are listed to users.
pub static LAWS: &[Entry] = &[
    newton_impact::ENTRY,
    poisson::ENTRY,
    coulomb::ENTRY,
    fremond::ENTRY,
    newton_path::ENTRY,
    poisson_path::ENTRY,
    stronge::ENTRY,
    lzb::ENTRY,
    static_dynamic::ENTRY,
    stribeck::ENTRY,
    rolling::ENTRY,
    cohesion::ENTRY,
    compliant_contact::ENTRY,
    bilateral::ENTRY,
    relay::ENTRY,
    complementarity::ENTRY,
];

/// The law called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    LAWS.iter().find(|entry| entry.name == name)
}

/// Laws of impact of this list with the restitution and friction of `law`; none where it has a meaning of its own or they have no place for
/// its friction.
pub fn counterparts(law: &dyn Law) -> Vec<(&'static str, Box<dyn Law>)> {
    let forms = law.forms();
    if forms.bilateral || forms.relay || !forms.impact {
        return Vec::new();
    }
    let (restitution, friction) = (law.rebound(1.0), coefficient(law));
    let mut out = Vec::new();
    for entry in LAWS {
        let has = |name: &str| entry.options.iter().any(|option| option.name == name);
        if !has("restitution")
            || has("friction_static")
            || has("rolling_friction")
            || friction > 0.0 && !has("friction")
        {
            continue;
        }
        let mut options = Options::default();
        options.set("restitution", Value::Number(restitution));
        if has("friction") {
            options.set("friction", Value::Number(friction));
        }
        let made = entry.build(&options).ok().filter(|law| !law.forms().elastic);
        out.extend(made.map(|law| (entry.name, law)));
    }
    out
}

/// μ of a lasting contact at rest; 0 without friction.
fn coefficient(law: &dyn Law) -> f64 {
    let Some(dim) = [2, 1, 0].into_iter().find_map(|tangents| law.dim(tangents)) else { return 0.0 };
    let zero = [0.0; 6];
    let history = vec![0.0; law.n_history()];
    let (mut sets, mut shift) = (vec![Set::Free; law.sets_of(dim)], [0.0; 6]);
    let (mut compliance, mut given) = ([0.0; 6], [0.0; 6]);
    law.contact(&mut LawRows {
        dim,
        h: 0.0,
        ahead: 0.0,
        gap: &zero[..1],
        u_minus: &zero[..dim],
        p_before: &zero[..dim],
        history: &history,
        coupled: &[],
        sets: &mut sets,
        shift: &mut shift[..dim],
        compliance: &mut compliance[..dim],
        given: &mut given[..dim],
    });
    let (parts, n) = sets[0].parts();
    if n > 0 { parts[0].radius } else { 0.0 }
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
    /// Rows of rolling and spinning.
    pub rolls: bool,
    /// Forces of lasting contact that depend on the gap: bonds, compliant contacts.
    pub elastic: bool,
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
        rolls: false,
        elastic: false,
    };

    /// Whether a gap with such a law is active in every step: of joints, and where the force at the end of a step decides whether it acts.
    pub(crate) fn always(self) -> bool {
        self.bilateral || self.elastic && !self.impact
    }
}

/// A run of constraints with the same law and number of rows. Slices are by constraint or by row, in order.
pub struct LawRows<'a> {
    /// Rows of each constraint.
    pub dim: usize,
    /// Length of the step or kick [s]; 0 at an instant.
    pub h: f64,
    /// a = ∂y⁺/∂u⁺ [s]; 0 in schemes that take no law that needs it.
    pub ahead: f64,
    /// Gap by constraint [m].
    pub gap: &'a [f64],
    /// u⁻ by row [m/s].
    pub u_minus: &'a [f64],
    /// Impulse by row of the last step or phase, scaled to this length [N·s].
    pub p_before: &'a [f64],
    /// Histories, `n_history` numbers per constraint.
    pub history: &'a [f64],
    /// What the law needs of another constraint, one number each: of a contact the intensity of its bond [–]. Empty where there is none.
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

/// Where an impact may give energy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gains {
    /// At one contact: restitution of velocities with friction, where the slip reverses. [Kane84]
    pub alone: bool,
    /// Where contacts with another restitution take part.
    pub beside_others: bool,
    /// Where several contacts take part.
    pub together: bool,
}

impl Gains {
    /// Those of Newton's law: p·½(u⁻ + u⁺) = ½(1 − e) p_N u_N⁻ + what friction does.
    pub const fn newton(restitution: f64, tangential: f64, friction: f64) -> Self {
        let alone = friction > 0.0 && (restitution > 0.0 || tangential > 0.0);
        Self { alone, beside_others: true, together: false }
    }
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
///
/// Friction with a coefficient that grows with the slip speed, for bodies in the plane and in space. The slip speed is that at the start
/// of the step, so the law is of first order in h; what Coulomb's law adds to u_N for its slip is the solver's part, not of the shift:
///
/// ```
/// use nonsmooth::laws::{Forms, Law, LawRows};
/// use nonsmooth::solvers::Set;
///
/// /// ‖p_T‖ ≤ (μ₀ + c ‖u_T‖) p_N.
/// struct Lubricated {
///     friction: f64,
///     per_speed: f64,
/// }
///
/// impl Law for Lubricated {
///     fn dim(&self, tangents: usize) -> Option<usize> {
///         (1..=2).contains(&tangents).then_some(1 + tangents)
///     }
///
///     fn forms(&self) -> Forms {
///         Forms { friction: true, ..Forms::CONTACT }
///     }
///
///     fn fault(&self) -> Option<String> {
///         (self.friction < 0.0 || self.per_speed < 0.0).then(|| "its coefficients must not be negative".into())
///     }
///
///     fn step(&self, rows: &mut LawRows<'_>) {
///         for (set, u) in rows.sets.iter_mut().zip(rows.u_minus.chunks(rows.dim)) {
///             let slip = u[1..].iter().map(|x| x * x).sum::<f64>().sqrt();
///             let mu = self.friction + self.per_speed * slip;
///             *set = if rows.dim == 2 { Set::Coulomb2 { mu } } else { Set::Coulomb3 { mu } };
///         }
///     }
///
///     fn contact(&self, rows: &mut LawRows<'_>) {
///         self.step(rows);
///     }
/// }
/// ```
pub trait Law: Send + Sync {
    /// Rows that it needs on a constraint with this many tangents: a contact of bodies has one in the plane and two in space, a gap has
    /// those that its model gives it. `None` where the law is not made for that. Rows are in the order normal, tangents.
    fn dim(&self, tangents: usize) -> Option<usize>;

    /// Rows that it needs on a contact point of bodies, in the plane or in space: N, T and in space T, then those of rolling (one in the plane, two in
    /// space) and spinning.
    fn dim_of_bodies(&self, planar: bool) -> Option<usize> {
        self.dim(if planar { 1 } else { 2 })
    }

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

    /// What lasts, or is only closed, in the impact of others that acts at once: as in lasting contact.
    fn supports(&self, rows: &mut LawRows<'_>) {
        self.contact(rows);
    }

    /// How it acts in an impact that is followed along its path; then [`impact`](Law::impact) is not asked.
    fn along_path(&self) -> Option<AlongPath> {
        None
    }

    /// Speed of separation [m/s] after an impact along the normal with the speed `approach` [m/s]; 0 where the law has no rebound.
    /// Schemes that cut a step at impacts use it.
    fn rebound(&self, _approach: f64) -> f64 {
        0.0
    }

    /// Where an impact by this law may give energy, as far as its numbers tell.
    fn gains(&self) -> Gains {
        Gains::default()
    }

    /// Numbers remembered per constraint.
    fn n_history(&self) -> usize {
        0
    }

    /// The history after a step of length h with a = ∂y⁺/∂u⁺ [s], from the impulses and u⁻ of its rows; committed with the state.
    /// `history` holds the old one.
    fn update(&self, _step: (f64, f64), _p: &[f64], _u_minus: &[f64], _history: &mut [f64]) {}

    /// The law of the bond that holds what is closed at the start: a constraint of its own beside the contact, always active.
    fn bond(&self) -> Option<Box<dyn Law>> {
        None
    }

    /// The law of a part with this area [m²] of a surface whose law has its numbers by area; `None` where no number depends on the area.
    fn of_area(&self, _area: f64) -> Option<Box<dyn Law>> {
        None
    }

    /// Of a bond its intensity, from its history [–].
    fn intensity(&self, _history: &[f64]) -> Option<f64> {
        None
    }
}
