//! The impact at the instant of a cut: which constraints take part, and what they do to the velocity.
//!
//! Every constraint with y ≤ 1e-11 of its size takes part, and joints: those that begin (u⁻ < 0, carried nothing) by the impact form of
//! their law, those that last or are only closed by its contact form. M is that of the instant, forces do nothing.

use super::books::Books;
use super::drift::Drift;
use crate::error::StepResult;
use crate::log::StepLog;
use crate::model::collision::DriftPath;
use crate::model::constraints::Expected;
use crate::model::{Activation, ActiveConstraints, Coeffs, Model};
use crate::part::Part;
use crate::phases::{Begins, Mass, SolverSettings, carried, detect, factorize, impact, linearize};
use nonsmooth_solvers::Problem;

/// Lets the laws act where the step stands and sets the velocity after the impact.
pub(super) fn impact_at(
    model: &Model,
    drift: &mut Drift,
    active: &mut ActiveConstraints,
    (mass, problem): (&mut Mass, &mut Problem),
    settings: &mut SolverSettings,
    books: &mut Books,
    log: &mut StepLog,
) -> StepResult {
    let part = Part::whole(drift.here().t, 0.0);
    detect(model, &part, &drift.here(), Activation::Swept, active)?;
    factorize(model, &part, &drift.pass(), Coeffs::MASS, problem, mass)?;
    confirm_closed(model, drift, active);
    linearize(model, &part, &drift.pass(), active)?;
    let here = drift.here();
    let solving = (&mut *settings, &mut *problem);
    let made = impact(model, &drift.memory, (&here, active), Begins::InContact, mass, solving, log)?;
    made.book(model, active, &here, &mut books.works, log)?;
    books.log_impact(active, &made, log);
    drift.set_velocity(model, &made.v)
}

/// Puts contacts of the minimal translation in the place of those that only touch a seam.
fn confirm_closed(model: &Model, drift: &Drift, active: &mut ActiveConstraints) {
    let here = drift.here();
    let still = vec![0.0; here.v.len()];
    let path = DriftPath { at: here, v: here.v, acceleration: &still, duration: drift.rest };
    let carried = carried(model, &drift.memory, active);
    let expected = Expected { carried: &carried, y_end: &[], doubt: 0.0 };
    for family in &model.constraints {
        family.confirm(model, &path, &expected, active);
    }
}
