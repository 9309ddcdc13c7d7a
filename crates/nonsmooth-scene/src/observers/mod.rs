//! Observers of a run: `output.observers = ["solver-log"]` adds one, `output.without = ["recorder"]` leaves one out.
//!
//! An observer sees every step and cannot influence it. A new one is a file here with an `ENTRY` and a line in [`OBSERVERS`]. What it
//! keeps for a resumed run is a [`Memory`] in the checkpoint, what it knows at the end goes into the [`Report`].

mod energy_ledger;
mod recorder;
mod solver_log;
mod summary;
mod vtk;
mod wrong;

use crate::build::Loaded;
use crate::results::{Change, Memory};
use crate::scene::Output;
use nonsmooth::Observer;
use nonsmooth::model::UserError;
use nonsmooth::observers::{EnergyLedger, Summary};
use std::path::Path;
pub(crate) use wrong::wrong;
pub use wrong::{NO_BODIES, NO_RECORDER};

/// Every observer of a run, in the order of `nonsmooth list`.
pub static OBSERVERS: &[ObserverEntry] =
    &[energy_ledger::ENTRY, summary::ENTRY, recorder::ENTRY, solver_log::ENTRY, vtk::ENTRY];

/// The name of the observer that `output.vtk` stands for.
const VTK: &str = vtk::ENTRY.name;

/// The name of the observer whose file CSV files and figures are made from.
const RECORDER: &str = recorder::ENTRY.name;

/// An observer in the list.
pub struct ObserverEntry {
    /// Its name in scenes.
    pub name: &'static str,
    /// One line on what it writes.
    pub about: &'static str,
    /// Whether it watches every run that does not leave it out.
    pub is_default: bool,
    make: fn(&Setup<'_>) -> Result<Box<dyn RunObserver>, UserError>,
}

/// An observer of a run that writes files and may be resumed.
pub(crate) trait RunObserver: Observer {
    /// What it needs when the run is resumed; asked for after `save`.
    fn memory(&self) -> Memory {
        Memory::default()
    }

    /// Adds what it knows to what is told at the end.
    fn report(&self, _report: &mut Report) {}

    /// Closes its files; nothing comes after.
    fn close(self: Box<Self>) -> Result<(), UserError> {
        Ok(())
    }
}

/// What the observers of a run know at its end; what the scene left out is missing.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Counts and extremes.
    pub summary: Option<Summary>,
    /// The energy ledger.
    pub ledger: Option<EnergyLedger>,
}

/// What an observer is made from.
pub(crate) struct Setup<'a> {
    /// Folder of the results.
    pub(crate) out: &'a Path,
    /// What is simulated.
    pub(crate) loaded: &'a Loaded,
    /// Which steps the scene wants to be written.
    pub(crate) due: Due,
    /// Where the run is resumed, if it is.
    pub(crate) resumed: Option<Resumed<'a>>,
}

/// Where a run is resumed.
#[derive(Clone, Copy)]
pub(crate) struct Resumed<'a> {
    /// Steps made.
    pub(crate) step: u64,
    /// Time [s].
    pub(crate) t: f64,
    /// What differs from the scene before.
    pub(crate) changes: &'a [Change],
    /// What the observer kept.
    pub(crate) memory: &'a Memory,
}

impl ObserverEntry {
    /// Makes the observer.
    pub(crate) fn build(&self, setup: &Setup<'_>) -> Result<Box<dyn RunObserver>, UserError> {
        (self.make)(setup)
    }
}

/// The observer of that name.
fn find(name: &str) -> Option<&'static ObserverEntry> {
    OBSERVERS.iter().find(|entry| entry.name == name)
}

/// The observers of a run, in the order of the list.
pub(crate) fn chosen(output: &Output) -> impl Iterator<Item = &'static ObserverEntry> {
    let named = |list: &[String], name: &str| list.iter().any(|known| known == name);
    OBSERVERS.iter().filter(move |entry| {
        let is_added = named(&output.observers, entry.name) || output.vtk && entry.name == VTK;
        is_added || entry.is_default && !named(&output.without, entry.name)
    })
}

/// Which steps are written: every so many, and the last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Due {
    every: u64,
    last: u64,
}

impl Due {
    /// Every so many steps, and step number `last`.
    pub(crate) fn new(every: u64, last: u64) -> Self {
        Self { every, last }
    }

    /// Whether a step is written.
    pub(crate) fn is(&self, step: u64) -> bool {
        step.is_multiple_of(self.every) || step == self.last
    }
}
