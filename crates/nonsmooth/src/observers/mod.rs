//! Observers: they watch a run and keep what they need.

mod energy_ledger;
mod estimate;
mod slips;
mod summary;
mod trajectory;
mod warnings;

pub use energy_ledger::EnergyLedger;
pub use estimate::{CannotTell, ErrorEstimate, estimate};
pub use summary::{Noted, Summary};
pub use trajectory::Trajectory;

/// Every observer with a line for users.
pub static OBSERVERS: &[(&str, &str)] = &[
    ("energy-ledger", "kinetic and potential energy, work of each kind, and what remains"),
    ("summary", "steps, impacts, largest penetration and residual, unconverged steps"),
    ("trajectory", "t, q, v, impulses and gaps of every step"),
];
