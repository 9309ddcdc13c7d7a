//! A bar over the steps of all runs, on a terminal only.

use indicatif::{ProgressBar, ProgressStyle};
use nonsmooth::{Integrator, Model, Refusal, State, StepLog, StepResult};
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

/// The integrator, moving the bar with every thousand of its steps.
pub(super) fn ticking(inner: Box<dyn Integrator>, bar: &ProgressBar) -> Box<dyn Integrator> {
    if bar.is_hidden() { inner } else { Box::new(Ticking { inner, bar: bar.clone(), untold: 0 }) }
}

struct Ticking {
    inner: Box<dyn Integrator>,
    bar: ProgressBar,
    untold: u64,
}

impl Integrator for Ticking {
    fn accepts(&self, model: &Model) -> Result<(), Refusal> {
        self.inner.accepts(model)
    }

    fn step(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        self.untold += 1;
        if self.untold == EVERY {
            self.bar.inc(EVERY);
            self.untold = 0;
        }
        self.inner.step(model, now, h, next, log)
    }

    fn reset(&mut self) {
        self.inner.reset();
    }
}

impl Drop for Ticking {
    fn drop(&mut self) {
        self.bar.inc(self.untold);
    }
}
