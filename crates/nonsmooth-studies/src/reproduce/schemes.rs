//! The schemes of the papers by name; a proof makes one of them wrong, a test puts another in its place.

use super::mistake::{Mistake, Mistaken};
use nonsmooth::observers::Trajectory;
use nonsmooth::solvers::Options;
use nonsmooth::{Integrator, Model, Simulation, SolverSettings, State};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Threads of this machine.
pub(super) fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Makes integrators.
#[derive(Clone, Default)]
pub(super) struct Schemes {
    /// A scheme, the one that is made in its place, and options that are set on top.
    pub(super) instead: Option<(&'static str, &'static str, Options)>,
    /// A scheme that makes a mistake in every step.
    pub(super) mistaken: Option<(String, Mistake)>,
    /// Names of the schemes made so far.
    pub(super) made: Arc<Mutex<BTreeSet<String>>>,
    /// Threads that a study may use; 0: as many as there are.
    pub(super) threads: usize,
}

impl Schemes {
    /// Sound schemes, with so many threads for a study.
    pub(super) fn with_threads(threads: usize) -> Self {
        Self { threads, ..Self::default() }
    }

    /// Threads that a study may use.
    pub(super) fn threads(&self) -> usize {
        if self.threads > 0 { self.threads } else { available_threads() }
    }

    /// Names of the schemes made so far, in order.
    pub(super) fn made(&self) -> Vec<String> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// The integrator called `name` with these options.
    pub(super) fn make(&self, name: &str, options: &Options) -> anyhow::Result<Box<dyn Integrator>> {
        self.make_with(name, options, SolverSettings::default())
    }

    /// The same, with a chosen way to solve the one-step problems.
    pub(super) fn make_with(
        &self,
        name: &str,
        options: &Options,
        solving: SolverSettings,
    ) -> anyhow::Result<Box<dyn Integrator>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
        let mistake = self.mistaken.as_ref().filter(|(of, _)| of == name).map(|(_, mistake)| *mistake);
        let (name, options) = match &self.instead {
            Some((of, by, options)) if *of == name => (*by, options),
            _ => (name, options),
        };
        let entry = nonsmooth::integrators::find(name)
            .ok_or_else(|| anyhow::anyhow!("no integrator `{name}`"))?;
        let inner = entry.build(options, solving).map_err(|errors| {
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            anyhow::anyhow!("{name}: {}", errors.join("; "))
        })?;
        Ok(match mistake {
            Some(mistake) => Box::new(Mistaken { inner, mistake }),
            None => inner,
        })
    }

    /// A run of `n` steps of size `h` with everything kept.
    pub(super) fn run(
        &self,
        (name, options): (&str, &Options),
        (model, state): (Arc<Model>, State),
        h: f64,
        n: u64,
    ) -> anyhow::Result<Trajectory> {
        let mut simulation = Simulation::new(model, state, self.make(name, options)?, h)?;
        let mut trajectory = Trajectory::default();
        simulation.run(n, &mut [&mut trajectory])?;
        Ok(trajectory)
    }
}
