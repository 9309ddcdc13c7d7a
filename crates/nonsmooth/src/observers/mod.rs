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
