//! What the names of a formula mean; the caller decides.

use super::expr::Expr;

/// What a name stands for.
#[derive(Clone)]
pub enum Meaning {
    /// A fixed value.
    Constant(f64),
    /// The variable at this place of the array given to `Program::eval`.
    Slot(u32),
    /// A formula of the same slots.
    Formula(Expr),
}

/// The names a formula may use.
pub trait Scope {
    /// The meaning of a name, indices worked out: `z`, `ball.z`, `bead[3].z`, `k[2]`.
    fn look_up(&self, name: &str) -> Option<Meaning>;
    /// Every allowed name, for messages.
    fn names(&self) -> Vec<String>;
}
