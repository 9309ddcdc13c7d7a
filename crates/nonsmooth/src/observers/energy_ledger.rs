//! The energy ledger of a run: each column summed up, and what remains.
//!
//! remainder = Δ(T + V) − Σ works. For linear systems it vanishes to rounding at every step; for
//! Lagrangian ones it shows how far the scheme is from the exact balance.
//!
//! **Error of the scheme.** Lasting contacts and ideal joints do no work, and a scheme should add none. So
//!
//! ```text
//! S(t) = contact + joint + scheme + projection + remainder,      estimate = max |S| / max T
//! ```
//!
//! is the energy that the step size alone created or destroyed, relative to the largest kinetic energy of the run.

use crate::error::StepResult;
use crate::log::{Energies, Works};
use crate::model::{Model, State, UserError};
use crate::simulation::{Observation, Observer};

/// Sums the energy that flowed through each column.
#[derive(Clone, Copy, Debug, Default)]
pub struct EnergyLedger {
    /// Energies at the start of the run.
    pub initial: Energies,
    /// Energies now.
    pub energies: Energies,
    /// Work since the start, by column.
    pub total: Works,
    /// What the last step left unexplained [J].
    pub step_remainder: f64,
    /// What all steps left unexplained together [J].
    pub remainder: f64,
    /// Largest |step remainder| [J].
    pub worst_remainder: f64,
    /// Largest T + |V| so far [J]: the size against which rounding is judged.
    pub scale: f64,
    /// S: energy that only the scheme created, since the start [J].
    pub error: f64,
    /// Largest |S| so far [J].
    pub worst_error: f64,
    /// Largest T so far [J].
    pub largest_kinetic: f64,
}

/// Below this share of the scale S is rounding and tells nothing of the scheme.
const ROUNDING: f64 = 1e-12;

impl EnergyLedger {
    /// A ledger that begins at `state`.
    pub fn begin(model: &Model, state: &State) -> StepResult<Self> {
        let initial = model.energies_of(state)?;
        let scale = initial.kinetic + initial.potential.abs();
        let largest_kinetic = initial.kinetic;
        Ok(Self { initial, energies: initial, scale, largest_kinetic, ..Self::default() })
    }

    /// Whether anything moved by more than rounding: the largest kinetic energy against the scale.
    pub fn moves(&self) -> bool {
        self.largest_kinetic > ROUNDING * self.scale
    }

    /// Largest energy that only the scheme created or destroyed, relative to the largest kinetic energy [–]; `None` where either is
    /// rounding (a stack at rest), so that the ledger tells nothing.
    pub fn error_estimate(&self) -> Option<f64> {
        let visible = self.moves() && self.worst_error > ROUNDING * self.scale;
        visible.then(|| self.worst_error / self.largest_kinetic)
    }

    /// Books one step.
    #[inline]
    pub fn book(&mut self, after: Energies, works: Works) {
        let Works { contact, joint, scheme, projection, .. } = works;
        self.total += works;
        self.book_change(after, works.sum(), contact + joint + scheme + projection);
    }

    /// Books a change of the energies, of which `works` are explained and `created` is what the scheme did itself.
    #[inline]
    fn book_change(&mut self, after: Energies, works: f64, created: f64) {
        let before = self.energies;
        let change = (after.kinetic - before.kinetic) + (after.potential - before.potential);
        self.step_remainder = change - works;
        self.remainder += self.step_remainder;
        raise(&mut self.worst_remainder, self.step_remainder.abs());
        raise(&mut self.scale, after.kinetic + after.potential.abs());
        self.error += created + self.step_remainder;
        raise(&mut self.worst_error, self.error.abs());
        raise(&mut self.largest_kinetic, after.kinetic);
        self.energies = after;
    }
}

/// Keeps the larger one; what is no number is passed over.
#[inline(always)]
fn raise(largest: &mut f64, x: f64) {
    if x > *largest {
        *largest = x;
    }
}

impl Observer for EnergyLedger {
    fn start(&mut self, model: &Model, state: &State) -> Result<(), UserError> {
        *self = Self::begin(model, state)?;
        Ok(())
    }

    fn looks_at_shown(&self) -> bool {
        false
    }

    fn step(&mut self, frame: &Observation<'_>) -> Result<(), UserError> {
        if frame.log.is_still {
            self.book_change(frame.log.energies, 0.0, 0.0);
        } else {
            self.book(frame.log.energies, frame.log.works);
        }
        Ok(())
    }
}
