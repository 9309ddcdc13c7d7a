//! What happened along the path of a step, for whoever goes along it again: derivatives of the flow.
//!
//! A path is made of smooth steps, each in one mode, and of what happened between them.

use super::butcher::Tableau;
use super::grip::Mode;
use super::point::Point;
use super::watched::Watched;

/// A part of a path.
pub(crate) enum Piece {
    /// A smooth step.
    Step(Leg),
    /// What happened at an instant.
    Turn(Box<Turn>),
}

/// One Runge–Kutta step.
pub(crate) struct Leg {
    pub(crate) from: Point,
    pub(crate) tau: f64,
    pub(crate) method: &'static Tableau,
    pub(crate) mode: Mode,
}

/// What happened at an instant: velocities jumped, or the mode changed.
pub(crate) struct Turn {
    pub(crate) cause: Cause,
    /// Where it happened, and what was closed until then.
    pub(crate) before: Point,
    pub(crate) mode: Mode,
    /// Where the motion goes on, and what is closed from then on.
    pub(crate) after: Point,
    pub(crate) next: Mode,
    /// Whether sliding had no solution there, or several.
    pub(crate) is_paradox: bool,
}

/// Why.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cause {
    /// The path begins.
    Start,
    /// These contacts, by the keys of their normals, were hit.
    Impact(Vec<usize>),
    /// The mode changed.
    Change(Vec<Sign>),
}

/// What was seen to vanish where a mode changed; contacts by the keys of their normals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// λ_N.
    Pulls(usize),
    /// μ λ_N − ‖λ_T‖ of a contact that stuck.
    Slips(usize),
    /// The slip of a contact that slid.
    Stops(usize),
    /// y, at no speed.
    Closes(usize),
}

/// The contacts of `rows` that are not in the mode, by the keys of their normals.
pub(crate) fn begun(watched: &Watched, rows: &[usize], mode: &Mode) -> Vec<usize> {
    let is_new = |key: &usize| !watched.tangent[*key] && !watched.always[*key] && !mode.contains(*key);
    rows.iter().copied().filter(is_new).collect()
}
