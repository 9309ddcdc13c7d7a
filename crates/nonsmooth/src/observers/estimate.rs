//! An estimate of the error that the step size makes, from the ledger of a run.
//!
//! ```text
//! ε₂ = max( max |S| / max T,  max (‖ω‖ h)² / 12 ),      ε₁ = ½ max s⁺ / max s,      ε = max(ε₁, ε₂)
//! h for 1 % = h min( (0.01 / ε₂)^(1/p),  0.01 / ε₁ )
//! ```
//!
//! S is the energy that only the scheme created, p the order of the scheme. The ledger sees what does work: lasting contacts, joints, the
//! scheme itself. A body in space whose moments of inertia differ, and the arm of a joint, turn through ‖ω‖ h in a step, and the
//! midpoint rule leaves a twelfth of the square of it, which no energy shows in steady motion: a heavy top tilts while its energy stands
//! still. A contact whose slip turns round sticks to the end of the step: s⁺ is the slip in the step after, of which half is lost on average,
//! and s any slip (`slips.rs`). Where none of these tells, or where the error lies elsewhere (impacts that are not resolved in time, rebounds
//! that were given up, forces of velocities that are faster than a step, steps that were not solved), no number is given but the reason.

use super::{EnergyLedger, Summary};
use crate::integrators::Accuracy;
use crate::log::{FAST_FORCES, IMPACTS_AT_THE_START, REBOUNDS_CAPPED, REBOUNDS_GIVEN_UP};
use thiserror::Error;

/// An estimate of the error of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorEstimate {
    /// ε: error of velocities and angles over about one period of the motion, relative to their size [–]. Phases drift further in longer runs.
    pub relative: f64,
    /// Step size at which that would be 1 % [s].
    pub step_size_for_one_percent: f64,
}

/// Why a run has no estimate.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum CannotTell {
    /// Steps above the tolerance.
    #[error("steps above the tolerance of the solver: their error is not known")]
    Unsolved,
    /// The scheme is of first order at impacts.
    #[error("the scheme does not resolve impacts in time; kick-drift, event-driven or high-order do")]
    Impacts,
    /// Early rebounds that were lost, or came too early.
    #[error("impacts were too many to be resolved in time")]
    ManyImpacts,
    /// Drag or feedback that is faster than a step.
    #[error("forces of velocities act faster than a step: what they did in it is not resolved")]
    FastForces,
    /// States and inputs have no energy.
    #[error(
        "the ledger does not show the error of first-order systems, relations and controllers: compare with half the step size"
    )]
    States,
    /// S is rounding.
    #[error(
        "the scheme changes no energy here, so the ledger does not show its error: compare with half the step size"
    )]
    Invisible,
}

/// An estimate below this is rounding.
const ROUNDING: f64 = 1e-12;
/// The estimate of a run with steps of `step_size` [s].
pub fn estimate(
    ledger: &EnergyLedger,
    summary: &Summary,
    accuracy: Accuracy,
    step_size: f64,
) -> Result<ErrorEstimate, CannotTell> {
    let early = [IMPACTS_AT_THE_START, REBOUNDS_GIVEN_UP, REBOUNDS_CAPPED];
    if summary.unconverged > 0 {
        return Err(CannotTell::Unsolved);
    }
    if accuracy.order == 0 {
        return Err(CannotTell::States);
    }
    if summary.impacts > 0 && !accuracy.resolves_impacts {
        return Err(CannotTell::Impacts);
    }
    if summary.notes.iter().any(|note| early.contains(&note.what.as_str())) {
        return Err(CannotTell::ManyImpacts);
    }
    if summary.notes.iter().any(|note| note.what == FAST_FORCES) {
        return Err(CannotTell::FastForces);
    }
    // What is at rest has no error relative to its motion.
    if !ledger.moves() {
        return Err(CannotTell::Invisible);
    }
    // Of methods of higher order it is smaller, and not known.
    let turning = if accuracy.order <= 2 { summary.turn * summary.turn / 12.0 } else { 0.0 };
    let smooth = ledger.error_estimate().unwrap_or(0.0).max(turning);
    let turned = if summary.slip > 0.0 { 0.5 * summary.restarted_slip / summary.slip } else { 0.0 };
    let relative = smooth.max(turned);
    // What is rounding after many steps tells nothing.
    if !(relative > ROUNDING) {
        return Err(CannotTell::Invisible);
    }
    let factor = (0.01 / smooth).powf(1.0 / f64::from(accuracy.order)).min(0.01 / turned);
    Ok(ErrorEstimate { relative, step_size_for_one_percent: factor * step_size })
}
