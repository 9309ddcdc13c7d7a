//! Contacts that slide again after a step in which they stuck.
//!
//! Where the slip of a contact turns round it passes zero within a step. The scheme lets the contact stick to the end of that step, and so loses up
//! to the slip that a step makes: an error of first order, which no energy shows. Where sticking ends because a force grows to the bound of friction
//! the first slip is of second order, and tells nothing. A slip that moves less in a step than the dead band of a contact at rest is none: noise of
//! the solver turns round in every step, and of nothing but noise half is no error.

use crate::model::ConstraintId;
use crate::model::constraints::Column;
use crate::simulation::Observation;

/// A slip below this share of the next one is none. Where a step is cut at the end of a slip the next one begins with 10⁻³ of it, and is right.
const STUCK: f64 = 1e-4;
/// A way in a step below this share of the size is that of a contact at rest: the dead band of kick-drift.
const REST: f64 = 1e-9;

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
    let h = step.after.t - step.before.t;
    let rests =
        |id: ConstraintId, slip: f64| slip * h <= REST * step.model.family(id).size(step.model, id);
    let mut found = Slips::default();
    let mut known = before.walk();
    for (id, slip) in after.ids.iter().zip(&after.slips) {
        let slip = norm(*slip);
        if slip <= found.restarted || rests(*id, slip) || !rubs(*id) {
            continue;
        }
        found.largest = found.largest.max(slip);
        let Some(last) = known.find(*id) else { continue };
        // Behind the force contacts of bodies keep their place.
        let carried = last.force.iter().take(3).any(|force| *force != 0.0);
        if carried && norm(last.slip) <= STUCK * slip {
            found.restarted = slip;
        }
    }
    found
}
