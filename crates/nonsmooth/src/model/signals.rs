//! Signals: named values that formulas, forces and drives read, evaluated once per instant in their order.
//!
//! The first ones are inputs, numbers set from outside and kept in the state; the others are functions of the instant and of the
//! signals before them.

use super::{Model, UserError};
use crate::error::{StepError, StepResult};
use crate::model::instant::Instant;

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
}

impl Model {
    /// The place of a signal in `Instant::signals`.
    pub fn signal(&self, name: &str) -> Option<usize> {
        let inputs = self.signals.inputs.iter();
        let names = inputs.chain(self.signals.expressions.iter().map(|(name, _)| name));
        names.into_iter().position(|known| known == name)
    }
}
