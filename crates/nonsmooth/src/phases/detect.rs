//! Detection: which constraints are active, and how they stand at the start of the part.

use crate::error::StepResult;
use crate::model::instant::Instant;
use crate::model::{Activation, ActiveConstraints, ConstraintId, Model};
use crate::part::Part;

/// Fills `active` with the constraints of all families that are active, sorted by name.
#[inline(always)]
pub fn detect(
    model: &Model,
    part: &Part<'_>,
    at: &Instant<'_>,
    activation: Activation,
    active: &mut ActiveConstraints,
) -> StepResult {
    active.open(model);
    for family in &model.constraints {
        family.detect(model, part, at, activation, active)?;
        active.close_family();
    }
    active.close(model);
    Ok(())
}

/// Fills `active` with those of the constraints that would be active that `is_chosen` names.
pub fn detect_chosen(
    model: &Model,
    part: &Part<'_>,
    at: &Instant<'_>,
    activation: Activation,
    is_chosen: impl Fn(ConstraintId) -> bool,
    active: &mut ActiveConstraints,
) -> StepResult {
    active.open(model);
    for family in &model.constraints {
        family.detect(model, part, at, activation, active)?;
        active.close_family();
    }
    active.retain_rows(|active, c| if is_chosen(active.ids[c]) { active.rows(c).len() } else { 0 });
    active.close(model);
    Ok(())
}
