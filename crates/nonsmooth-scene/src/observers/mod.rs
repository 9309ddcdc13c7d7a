//! Observers that a scene can choose: `output.observers = ["solver-log"]`.
//!
//! An observer sees every step and cannot influence it. A new one is a file here with an `ENTRY` and a line in [`OBSERVERS`].

mod solver_log;
mod vtk;

use nonsmooth::Observer;
use nonsmooth::model::{Model, UserError};
use std::path::Path;

/// Every observer that a scene can choose, in the order of `nonsmooth list`.
pub static OBSERVERS: &[ObserverEntry] = &[solver_log::ENTRY, vtk::ENTRY];

/// The name of the observer that `output.vtk` stands for.
pub(crate) const VTK: &str = vtk::ENTRY.name;

/// An observer in the list.
pub struct ObserverEntry {
    /// Its name in scenes.
    pub name: &'static str,
    /// One line on what it writes.
    pub about: &'static str,
    make: fn(&Setup<'_>) -> Result<Box<dyn Observer>, UserError>,
}

/// What an observer is made from.
pub(crate) struct Setup<'a> {
    /// Folder of the results.
    pub(crate) out: &'a Path,
    /// What is simulated.
    pub(crate) model: &'a Model,
    /// Which steps the scene wants to be written.
    pub(crate) due: Due,
    /// Time at which the run is resumed [s], if it is.
    pub(crate) resumed: Option<f64>,
}

impl ObserverEntry {
    /// Makes the observer.
    pub(crate) fn build(&self, setup: &Setup<'_>) -> Result<Box<dyn Observer>, UserError> {
        (self.make)(setup)
    }
}

/// The observer of that name.
pub(crate) fn find(name: &str) -> Option<&'static ObserverEntry> {
    OBSERVERS.iter().find(|entry| entry.name == name)
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
