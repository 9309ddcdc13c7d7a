//! An impact along its path: the island as rigid bodies on vanishing springs, followed through compression, expansion, slip and stick.
//!
//! ```text
//! u = u⁻ + W P,    dP_N = F_N dτ,    dP_T = F_T dτ,    −u_T ∈ N(F_T) on the disc ‖F_T‖ ≤ μ F_N        [Stronge00, ch. 8]
//! compression   dx = −u_N dτ,      F_N = k x^η
//! expansion     until the measure of restitution is reached:
//!    work       dx = −u_N dτ/e²,   F_N = k x^η, until x = 0: the work returned is e² of the work done        [Stronge90] [Liu08]
//!    impulse    F_N = F cos ψ,     until P_N of the expansion is e times that of the compression
//!    velocity   F_N = F,           until u_N = −e u_N⁻
//! ```
//!
//! τ is a time that shrinks with the springs: only ratios of stiffnesses matter, and of one contact not even the law of its spring. In the
//! words of impulses, dP_i/dP_j = (k_i/k_j)^{1/(η+1)} (E_i/E_j)^{η/(η+1)} with the stored energies E. [Liu08] Written with x
//! instead of E the right side is regular where a contact closes. A contact that opened closes again when others bring it back.
//! Bilateral rows are eliminated. Between events, which are located to rounding, the motion is smooth and extrapolated to rounding.

mod dense;
mod extrapolate;
mod flow;
mod stick;
#[cfg(test)]
mod tests;
mod walk;

use super::{Forms, LawRows};
use nonsmooth_solvers::{Set, Sparse};
use thiserror::Error;

/// By what a contact knows that its expansion is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// u_N = −e u_N⁻.
    Velocity,
    /// The impulse of the expansion is e times that of the compression.
    Impulse,
    /// The work of the expansion is e² times that of the compression.
    Work,
}

/// How a contact acts along the path of an impact. Made by laws; read in this folder alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlongPath {
    pub(super) measure: Measure,
    pub(super) restitution: f64,
    pub(super) friction: f64,
    pub(super) stiffness: f64,
    pub(super) exponent: f64,
}

impl AlongPath {
    /// A contact with restitution e [–] by its measure and friction μ [–], on a linear spring of unit stiffness.
    pub fn new(measure: Measure, restitution: f64, friction: f64) -> Self {
        Self { measure, restitution, friction, stiffness: 1.0, exponent: 1.0 }
    }

    /// The same without rebound.
    #[must_use]
    pub fn plastic(self) -> Self {
        Self { restitution: 0.0, ..self }
    }

    /// The same on a spring F_N = k x^η: k in any unit that all contacts share, η [–].
    #[must_use]
    pub fn on_spring(self, stiffness: f64, exponent: f64) -> Self {
        Self { stiffness, exponent, ..self }
    }
}

/// Rows of a contact whose law acts along the path: with friction it needs tangents.
pub(super) fn dim(friction: f64, tangents: usize) -> Option<usize> {
    match tangents {
        _ if friction == 0.0 => Some(1),
        1 | 2 => Some(1 + tangents),
        _ => None,
    }
}

/// The forms of such a law.
pub(super) fn forms(restitution: f64, friction: f64) -> Forms {
    Forms { step: false, friction: friction > 0.0, rebounds: restitution > 0.0, ..Forms::CONTACT }
}

/// Its lasting contact.
pub(super) fn lasting(mu: f64, rows: &mut LawRows<'_>) {
    rows.sets.fill(match rows.dim {
        1 => Set::Nonnegative,
        2 => Set::Coulomb2 { mu },
        _ => Set::Coulomb3 { mu },
    });
}

/// A constraint of an island.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// Its first row, which is the normal of a contact.
    pub first: usize,
    /// Number of rows.
    pub dim: usize,
    /// How it acts; none for bilateral rows.
    pub law: Option<AlongPath>,
}

/// The constraints that feel an impact.
pub struct Island<'a> {
    /// W by rows [1/kg].
    pub delassus: &'a Sparse,
    /// u⁻ by row [m/s].
    pub u_minus: &'a [f64],
    /// Its constraints.
    pub members: &'a [Member],
}

/// Why the path of an impact was not followed to its end.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum PathError {
    /// Too many events and steps along it.
    #[error("the impact did not end: {steps} steps along its path")]
    Endless {
        /// Steps made.
        steps: usize,
    },
    /// The motion between two events could not be integrated.
    #[error("the motion along the path of the impact was not resolved after {steps} steps")]
    Unresolved {
        /// Steps made.
        steps: usize,
    },
}

/// The impulses of an impact, by row [N·s].
pub fn follow(island: &Island<'_>) -> Result<Vec<f64>, PathError> {
    let rows = |bilateral: bool| {
        let members = island.members.iter().filter(move |member| member.law.is_none() == bilateral);
        members.flat_map(|member| member.first..member.first + member.dim).collect::<Vec<usize>>()
    };
    let reduced = dense::Reduced::new(island.delassus, island.u_minus, &rows(false), &rows(true));
    let (mut contacts, mut first) = (Vec::new(), 0);
    for member in island.members {
        if let Some(law) = member.law {
            contacts.push(flow::Contact { first, dim: member.dim, law });
            first += member.dim;
        }
    }
    let p = walk::walk(flow::Flow::new(&reduced.delassus, &reduced.u_minus, contacts))?;
    Ok(reduced.all(&p))
}
