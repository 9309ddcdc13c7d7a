//! Signals: named values that formulas, forces and drives read, evaluated once per instant in their order.
//!
//! The first ones are inputs, numbers set from outside and kept in the state; the others are functions of the instant and of the
//! signals before them.

use super::issue::{Issue, Place};
use super::{Model, State, UserError};
use crate::error::{StepError, StepResult};
use crate::model::instant::{self, Instant};

/// A value as a function of an instant, whose `signals` hold those before it.
pub type Signal = Box<dyn Fn(&Instant<'_>) -> Result<f64, UserError> + Send + Sync>;

/// Inputs and named expressions.
#[derive(Default)]
pub struct Signals {
    /// Names of inputs, in the order of `State::inputs`.
    pub inputs: Vec<String>,
    /// Named expressions, in order of evaluation.
    pub expressions: Vec<(String, Signal)>,
}

impl Signals {
    /// Number of all signals.
    pub fn len(&self) -> usize {
        self.inputs.len() + self.expressions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty() && self.expressions.is_empty()
    }

    /// Fills `out` with all signals at an instant, whose own `signals` are not read.
    pub fn evaluate(&self, inputs: &[f64], at: &Instant<'_>, out: &mut Vec<f64>) -> StepResult {
        out.clear();
        out.extend_from_slice(inputs);
        for (name, signal) in &self.expressions {
            let before = std::mem::take(out);
            let value = signal(&Instant { signals: &before, ..*at });
            *out = before;
            let value = value.map_err(StepError::in_expression(name))?;
            if !value.is_finite() {
                let source = format!("it is {value} at t = {} s", at.t).into();
                return Err(StepError::in_expression(name)(source));
            }
            out.push(value);
        }
        Ok(())
    }

    /// Expressions without a finite value at an instant, each with the reason. Those after one of them see `STAND_IN`, so that its mistake
    /// is told once.
    fn wrong_at(&self, inputs: &[f64], at: &Instant<'_>) -> Vec<(&str, String)> {
        let (mut before, mut wrong) = (inputs.to_vec(), Vec::new());
        for (name, signal) in &self.expressions {
            let value = signal(&Instant { signals: &before, ..*at });
            let reason = match value {
                Ok(value) if value.is_finite() => {
                    before.push(value);
                    continue;
                }
                Ok(value) => format!("is {value} at the start, t = {} s; it must be finite", at.t),
                Err(error) => error.to_string(),
            };
            wrong.push((name.as_str(), reason));
            before.push(STAND_IN);
        }
        wrong
    }
}

/// A number at which no formula is likely to have a pole.
const STAND_IN: f64 = 0.618;

/// Expressions that have no finite value at the start.
pub(super) fn check_start(model: &Model, state: &State, issues: &mut Vec<(Place, Issue)>) {
    if model.signals.expressions.is_empty() {
        return;
    }
    let mut start = instant::Place { t: state.t, q: state.q.clone(), ..instant::Place::default() };
    start.v.resize(state.v.len(), 0.0);
    model.to_working(&state.q, &state.v, &mut start.v);
    start.angles.clone_from(&state.angles);
    // A motion without a pose is told with its body.
    if model.rigid_states(start.t, &start.q, &state.v, &mut start.rigid).is_ok() {
        let wrong = model.signals.wrong_at(&state.inputs, &start.instant(&state.presence));
        let issue =
            |(name, reason): (&str, String)| (Place::Signal(name.to_owned()), Issue::User(reason));
        issues.extend(wrong.into_iter().map(issue));
    }
}

impl Model {
    /// The place of a signal in `Instant::signals`.
    pub fn signal(&self, name: &str) -> Option<usize> {
        let inputs = self.signals.inputs.iter();
        let names = inputs.chain(self.signals.expressions.iter().map(|(name, _)| name));
        names.into_iter().position(|known| known == name)
    }
}
