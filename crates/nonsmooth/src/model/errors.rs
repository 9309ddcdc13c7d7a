//! Errors of a step with the names of the model: which system, coordinate or constraint.

use super::{ConstraintId, Model};
use crate::error::{StepError, StepResult, UserError};

impl StepError {
    /// An error of a function that belongs to the system at place `index` of v.
    pub(crate) fn in_system(
        model: &Model,
        index: usize,
    ) -> impl FnOnce(UserError) -> Box<StepError> + '_ {
        move |source| {
            let place = format!("system `{}`", model.velocity_name(index).0);
            StepError::User { place, source }.into()
        }
    }

    /// An error of a function that belongs to a body.
    pub(crate) fn in_body(name: &str) -> impl FnOnce(UserError) -> Box<StepError> + '_ {
        move |source| StepError::User { place: format!("body `{name}`"), source }.into()
    }

    /// An error of a named expression.
    pub(crate) fn in_expression(name: &str) -> impl FnOnce(UserError) -> Box<StepError> + '_ {
        move |source| StepError::User { place: format!("expression `{name}`"), source }.into()
    }

    /// An error of a function that belongs to a constraint.
    pub(crate) fn in_constraint(
        model: &Model,
        id: ConstraintId,
    ) -> impl FnOnce(UserError) -> Box<StepError> + '_ {
        move |source| StepError::User { place: model.describe(id), source }.into()
    }
}

/// Refuses coordinates that are not finite.
#[cold]
pub(crate) fn check_coordinates(model: &Model, q: &[f64]) -> StepResult {
    let Some(bad) = q.iter().position(|x| !x.is_finite()) else { return Ok(()) };
    let (system, coordinate) = model.coordinate_name(bad);
    Err(StepError::NotFinite { what: "position", system, coordinate, value: q[bad] }.into())
}

/// Refuses a number of a constraint that is not finite.
#[inline]
pub(crate) fn check_constraint(
    model: &Model,
    what: &'static str,
    id: ConstraintId,
    value: f64,
) -> StepResult {
    if value.is_finite() { Ok(()) } else { not_finite(model, what, id, value) }
}

#[cold]
fn not_finite(model: &Model, what: &'static str, id: ConstraintId, value: f64) -> StepResult {
    Err(StepError::ConstraintNotFinite { what, constraint: model.describe(id), value }.into())
}

/// Refuses the first number over velocities that is not finite.
pub(crate) fn check_finite(model: &Model, what: &'static str, x: &[f64]) -> StepResult {
    check_finite_from(model, what, 0, x)
}

/// Refuses the first number that is not finite of those that belong to the velocities from `first` on.
pub(crate) fn check_finite_from(
    model: &Model,
    what: &'static str,
    first: usize,
    x: &[f64],
) -> StepResult {
    // 0·x is NaN exactly where x is not finite; one sum over all is branch-free.
    if x.iter().map(|x| 0.0 * x).sum::<f64>() == 0.0 {
        return Ok(());
    }
    let bad = x.iter().position(|x| !x.is_finite()).expect("the sum was not finite");
    let (system, coordinate) = model.velocity_name(first + bad);
    Err(StepError::NotFinite { what, system, coordinate, value: x[bad] }.into())
}
