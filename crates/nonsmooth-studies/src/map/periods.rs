//! A run looked at once in each period.

use super::args::MapArgs;
use crate::command::Failure;
use crate::sweep::{Output, Stopped, Subject, TRUST, Watch, input, steps, trust};
use nonsmooth::{Observer as _, Simulation, State};
use nonsmooth_scene::Loaded;
use std::sync::atomic::AtomicBool;

/// Share of a step by which a period may be longer than a whole number of steps and still count as such: rounding.
const WHOLE: f64 = 1e-9;
/// Most periods of a run.
const MOST: u64 = 1_000_000_000;

/// What all runs of a map have in common.
pub(super) struct Periods<'a> {
    pub(super) subject: &'a Subject<'a>,
    pub(super) outputs: &'a [Output],
    /// The period, as it was written.
    period: &'a str,
    skip: u64,
    stop: &'a AtomicBool,
}

impl<'a> Periods<'a> {
    /// Checks what was asked for on one of the runs.
    pub(super) fn new(
        args: &'a MapArgs,
        (subject, sample): (&'a Subject<'a>, &Loaded),
        outputs: &'a [Output],
        stop: &'a AtomicBool,
    ) -> Result<Self, Failure> {
        if args.skip > MOST {
            return Err(input(format!("--skip {}: at most {MOST}", args.skip)));
        }
        let periods = Self { subject, outputs, period: &args.period, skip: args.skip, stop };
        periods.steps(sample).map_err(input)?;
        Ok(periods)
    }

    /// Number and size of the steps of a period.
    fn steps(&self, loaded: &Loaded) -> Result<(u64, f64), String> {
        let wrong = |what: String| format!("--period {}: {what}", self.period);
        let period = loaded.number(self.period).map_err(wrong)?;
        if !(period > 0.0) {
            return Err(wrong(format!("must be > 0, but it is {period}")));
        }
        let n = (period / loaded.step_size - WHOLE).ceil().max(1.0);
        if n > MOST as f64 {
            return Err(wrong(format!("has {n:e} steps of the scene; take a larger step")));
        }
        Ok((n as u64, period / n))
    }

    /// Makes the run of a point. `visit` sees the outputs of each period after those left out, and the state at its end; it says whether
    /// to go on.
    pub(super) fn run(
        &self,
        point: usize,
        mut visit: impl FnMut(Vec<f64>, &State) -> bool,
    ) -> Result<[f64; TRUST.len()], Stopped> {
        let mut loaded = self.subject.at(point).map_err(Stopped::failed)?;
        let (n, h) = self.steps(&loaded).map_err(Stopped::failed)?;
        loaded.step_size = h;
        loaded.simulation.set_step_size(h).map_err(Stopped::failed)?;
        let mut watch = Watch::new(self.outputs, f64::NEG_INFINITY);
        let Simulation { model, state, .. } = &loaded.simulation;
        watch.start(model, state).map_err(Stopped::failed)?;
        steps(&mut loaded.simulation, self.skip * n, &mut watch, self.stop)?;
        loop {
            watch.restart();
            steps(&mut loaded.simulation, n, &mut watch, self.stop)?;
            if !visit(watch.values(), &loaded.simulation.state) {
                return Ok(trust(&loaded, &watch));
            }
        }
    }
}
