//! What the schemes that resolve events cannot honour, in words.

use crate::integrators::Refusal;
use crate::model::Model;
use nonsmooth_solvers::Set;

/// Refuses options without meaning, laws other than frictionless contacts and joints, velocity-level constraints and
/// prescribed velocities.
pub(crate) fn refuse_untracked(
    scheme: &'static str,
    model: &Model,
    idle: &[(&'static str, &'static str)],
) -> Result<(), Refusal> {
    if let Some(&(option, needs)) = idle.first() {
        return Err(Refusal::IdleOption { option, needs });
    }
    let constraints = &model.constraints;
    for (key, &law) in constraints.laws.iter().enumerate() {
        let (constraint, set) = (constraints.names[key].clone(), model.laws[law].1.set);
        if key >= constraints.n_gaps() {
            return Err(Refusal::VelocityLevel { scheme, constraint });
        }
        if !matches!(set, Set::Nonnegative | Set::Free) {
            return Err(Refusal::Law { scheme, constraint, what: set.name() });
        }
    }
    if let Some(prescribed) = model.prescribed.first() {
        let (system, coordinate) = model.coordinate_name(prescribed.index);
        let (system, coordinate) = (system.to_owned(), coordinate.to_owned());
        return Err(Refusal::Prescribed { scheme, system, coordinate });
    }
    Ok(())
}
