//! Contacts that slide again after a step in which they stuck.
//!
//! Where the slip of a contact turns round it passes zero within a step. The scheme lets the contact stick to the end of that step, and so loses up
//! to the slip that a step makes: an error of first order, which no energy shows. Where sticking ends because a force grows to the bound of friction
//! the first slip is of second order, and tells nothing.

use crate::model::ConstraintId;
use crate::model::constraints::Column;
use crate::simulation::Observation;

/// A slip below this share of the next one is none.
const STUCK: f64 = 0.01;

/// Largest slips of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Slips {
    /// Of all contacts [m/s].
    pub largest: f64,
    /// Of those that carried and stuck in the step before [m/s].
    pub restarted: f64,
}

/// Slips of a step, where the scheme remembers them.
pub(super) fn slips(step: &Observation<'_>) -> Slips {
    let (before, after) = (&step.before.memory, &step.after.memory);
    let norm = |slip: [f64; 3]| slip.iter().map(|s| s * s).sum::<f64>().sqrt();
    let rubs = |id: ConstraintId| {
        let family = step.model.family(id);
        family.column(step.model, family.law(step.model, id), 1) == Column::Friction
    };
    let mut found = Slips::default();
    let mut known = before.walk();
    for (id, slip) in after.ids.iter().zip(&after.slips) {
        let slip = norm(*slip);
        if slip <= found.restarted || !rubs(*id) {
            continue;
        }
        found.largest = found.largest.max(slip);
        let Some(last) = known.find(*id) else { continue };
        let carried = last.force.iter().any(|force| *force != 0.0);
        if carried && norm(last.slip) <= STUCK * slip {
            found.restarted = slip;
        }
    }
    found
}
