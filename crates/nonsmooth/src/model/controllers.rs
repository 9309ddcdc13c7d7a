//! Sampled control: outputs computed at instants of their own, that take effect after a delay and are held until the next.
//!
//! ```text
//! u(t) = k(t_i, q(t_i), v(t_i))   for t_i + delay ≤ t < t_{i+1} + delay,     t_i = start + i · period
//! ```
//!
//! The outputs are inputs of the model, which couplings, forces and expressions read by name. Samples and what waits for its delay are
//! `State.held`. Steps are cut where something is sampled or takes effect, so nothing depends on how a period and a step fit together.

use crate::error::{StepError, StepResult};
use crate::model::instant::Instant;
use crate::model::issue::{Issue, Place};
use crate::model::{Model, State, UserError};

/// Writes the outputs from an instant.
pub type ControlFunction = Box<dyn Fn(&Instant<'_>, &mut [f64]) -> Result<(), UserError> + Send + Sync>;

/// When a controller samples, and when its outputs take effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Time between two samples [s].
    pub period: f64,
    /// Time from a sample until its outputs act [s].
    pub delay: f64,
    /// Time of the first sample [s].
    pub start: f64,
}

impl Sampling {
    /// Samples at 0, `period`, 2 `period`, … that act at once.
    pub fn every(period: f64) -> Self {
        Self { period, delay: 0.0, start: 0.0 }
    }

    /// The same with a delay.
    pub fn delay(self, delay: f64) -> Self {
        Self { delay, ..self }
    }

    /// Samples that wait for their delay at the same time, and the one that acts.
    fn n_waiting(self) -> usize {
        (self.delay / self.period).ceil().clamp(0.0, MOST_WAITING) as usize + 1
    }

    /// Time by which two instants may differ and still be the same [s]: times are sums and products of a few numbers, and are rounded far
    /// below that.
    fn same(self) -> f64 {
        1e-9 * self.period
    }

    /// Time of sample `i` [s].
    fn sample(self, i: f64) -> f64 {
        self.start + i * self.period
    }
}

/// A controller as given.
pub(crate) struct GivenController {
    pub(crate) name: String,
    pub(crate) sampling: Sampling,
    /// The inputs that it sets.
    pub(crate) outputs: Vec<String>,
    pub(crate) function: ControlFunction,
}

/// Most samples that may wait for their delay: memory of the state.
const MOST_WAITING: f64 = 1e4;

impl GivenController {
    /// What is wrong with it.
    pub(crate) fn check(&self, i: usize, inputs: &[&str], issues: &mut Vec<(Place, Issue)>) {
        let Sampling { period, delay, start } = self.sampling;
        let mut tell =
            |field, wrong: String| issues.push((Place::Controller(i, field), Issue::User(wrong)));
        if !(period > 0.0 && period.is_finite()) {
            tell("period", format!("must be a finite number > 0, got {period}"));
        }
        if !(delay >= 0.0 && delay.is_finite()) {
            tell("delay", format!("must be a finite number ≥ 0, got {delay}"));
        } else if delay > MOST_WAITING * period {
            tell("delay", format!("must be at most {MOST_WAITING} periods, got {delay} s"));
        }
        if !start.is_finite() {
            tell("start", format!("must be finite, got {start}"));
        }
        if self.outputs.is_empty() {
            tell("outputs", "are none; a controller sets at least one input".to_owned());
        }
        for output in self.outputs.iter().filter(|output| !inputs.contains(&output.as_str())) {
            tell(
                "outputs",
                format!("has `{output}`, which is no input of the model; register it as one"),
            );
        }
    }
}

/// A controller laid out. Its part of `State.held`: samples made, samples that took effect, then the waiting outputs in a ring.
pub struct Controller {
    given: GivenController,
    /// Places of its outputs among the inputs.
    inputs: Vec<usize>,
    first_held: usize,
}

impl Controller {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.given.name
    }

    fn ring(&self, i: f64) -> std::ops::Range<usize> {
        let (n, waiting) = (self.inputs.len(), self.given.sampling.n_waiting());
        let first = self.first_held + 2 + n * (i as u64 % waiting as u64) as usize;
        first..first + n
    }

    /// Its next instant [s]: a sample, or outputs that take effect.
    fn next(&self, state: &State) -> f64 {
        let (sampling, held) = (self.given.sampling, &state.held[self.first_held..]);
        let sample = sampling.sample(held[0]);
        if held[1] < held[0] { sample.min(sampling.sample(held[1]) + sampling.delay) } else { sample }
    }
}

/// Controllers at their places; appends what they hold at the start to the state.
pub(crate) fn lay_out(
    given: Vec<GivenController>,
    names: &[String],
    state: &mut State,
) -> Vec<Controller> {
    let lay = |given: GivenController| {
        let place = |output: &String| names.iter().position(|name| name == output);
        let inputs: Vec<usize> = given.outputs.iter().filter_map(place).collect();
        let first_held = state.held.len();
        // Samples before the start of the run are not made.
        let Sampling { period, start, .. } = given.sampling;
        let skipped = ((state.t - given.sampling.same() - start) / period).ceil().max(0.0);
        state.held.extend([skipped, skipped]);
        state.held.resize(first_held + 2 + inputs.len() * given.sampling.n_waiting(), 0.0);
        Controller { given, inputs, first_held }
    };
    given.into_iter().map(lay).collect()
}

impl Controller {
    /// Makes the samples that are due, of the state as it was before any output took effect.
    fn sample(&self, model: &Model, before: &State, state: &mut State) -> StepResult {
        let (Self { given, inputs, first_held }, t) = (self, before.t);
        let fault = |source: UserError| StepError::User {
            place: format!("controller `{}`", given.name),
            source,
        };
        while given.sampling.sample(state.held[*first_held]) <= t + given.sampling.same() {
            let mut out = vec![0.0; inputs.len()];
            model.at_state(before, |at| {
                (given.function)(at, &mut out).map_err(|source| fault(source).into())
            })?;
            if let Some(bad) = out.iter().find(|x| !x.is_finite()) {
                return Err(fault(format!("an output is {bad} at t = {t} s").into()).into());
            }
            let ring = self.ring(state.held[*first_held]);
            state.held[ring].copy_from_slice(&out);
            state.held[*first_held] += 1.0;
        }
        Ok(())
    }

    /// Lets take effect what has waited for its delay.
    fn act(&self, state: &mut State) {
        let Self { given, inputs, first_held } = self;
        let Sampling { delay, .. } = given.sampling;
        loop {
            let [made, done] = [state.held[*first_held], state.held[first_held + 1]];
            if done >= made || given.sampling.sample(done) + delay > state.t + given.sampling.same() {
                return;
            }
            for (k, &input) in self.ring(done).zip(inputs) {
                state.inputs[input] = state.held[k];
            }
            state.held[first_held + 1] += 1.0;
        }
    }
}

impl Model {
    /// Samples what is due at the time of the state, and lets take effect what is due.
    pub(crate) fn control(&self, state: &mut State) -> StepResult {
        let before = state.clone();
        self.controllers.iter().try_for_each(|controller| controller.sample(self, &before, state))?;
        self.controllers.iter().for_each(|controller| controller.act(state));
        Ok(())
    }

    /// How long a step from the state may be until a controller has something to do [s], at most `left`.
    pub(crate) fn until_control(&self, state: &State, left: f64) -> f64 {
        let end = state.t + left;
        let cut = |controller: &Controller| {
            let next = controller.next(state);
            (next < end - controller.given.sampling.same()).then_some(next - state.t)
        };
        self.controllers.iter().filter_map(cut).fold(left, f64::min)
    }
}
