//! What the names of a formula mean; the caller decides.

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Meaning {
    /// A fixed value.
    Constant(f64),
    /// The variable at this place of the array given to `Program::eval`.
    Slot(u32),
}

/// The names a formula may use.
pub trait Scope {
    /// The meaning of a name, indices worked out: `z`, `ball.z`, `bead[3].z`, `k[2]`.
    fn look_up(&self, name: &str) -> Option<Meaning>;
    /// Every allowed name, for messages.
    fn names(&self) -> Vec<String>;
}
