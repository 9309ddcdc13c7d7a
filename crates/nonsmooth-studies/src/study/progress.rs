//! A bar over the steps of all runs, on a terminal only.

use indicatif::{ProgressBar, ProgressStyle};
use nonsmooth::model::UserError;
use nonsmooth::{Observation, Observer};
use std::io::IsTerminal as _;

/// Steps between two looks at the bar.
const EVERY: u64 = 1024;

/// A bar of `n_steps` steps, hidden where nobody looks.
pub(super) fn bar(quiet: bool, n_steps: u64) -> ProgressBar {
    if quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(n_steps);
    let style = "{bar:40} {human_pos}/{human_len} steps  {msg}  {elapsed} < {eta}";
    bar.set_style(ProgressStyle::with_template(style).unwrap_or(ProgressStyle::default_bar()));
    bar
}

/// Moves the bar with every thousand steps of a run.
pub(super) struct Ticks {
    bar: ProgressBar,
    untold: u64,
}

impl Ticks {
    pub(super) fn new(bar: &ProgressBar) -> Self {
        Self { bar: bar.clone(), untold: 0 }
    }
}

impl Observer for Ticks {
    fn step(&mut self, _step: &Observation<'_>) -> Result<(), UserError> {
        self.untold += 1;
        if self.untold == EVERY {
            self.bar.inc(EVERY);
            self.untold = 0;
        }
        Ok(())
    }
}

impl Drop for Ticks {
    fn drop(&mut self) {
        self.bar.inc(self.untold);
    }
}
