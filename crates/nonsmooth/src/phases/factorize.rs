//! The iteration matrix M̂ = M + c C + k K by mass groups. What is constant is kept while c and k are the same.

use crate::error::StepResult;
use crate::model::instant::Pass;
use crate::model::{Coeffs, Model, Presence};
use crate::part::Part;
use nonsmooth_solvers::{MassGroups, Problem};
use std::sync::Arc;

/// M̂⁻¹ and for what it was made.
#[derive(Default)]
pub struct Mass {
    groups: Option<Arc<MassGroups>>,
    known: Option<(u64, Coeffs)>,
    presence: Vec<Presence>,
}

impl Mass {
    /// Whether it is M̂⁻¹ of this model, whose mass is constant, with these coefficients.
    #[inline]
    pub fn is_for(&self, model: &Model, coeffs: Coeffs) -> bool {
        model.has_constant_mass() && self.known == Some((model.id(), coeffs))
    }

    /// M̂⁻¹.
    #[inline]
    pub fn groups(&self) -> &Arc<MassGroups> {
        self.groups.as_ref().expect("factorize comes first")
    }
}

/// Brings M̂⁻¹ up to date. `problem` releases what it holds of it.
#[inline]
pub fn factorize(
    model: &Model,
    part: &Part<'_>,
    at: &Pass<'_>,
    coeffs: Coeffs,
    problem: &mut Problem,
    mass: &mut Mass,
) -> StepResult {
    problem.delassus.release();
    factorize_released(model, part, at, coeffs, mass)
}

/// The same where no problem holds M̂⁻¹.
#[inline]
pub fn factorize_released(
    model: &Model,
    part: &Part<'_>,
    at: &Pass<'_>,
    coeffs: Coeffs,
    mass: &mut Mass,
) -> StepResult {
    if mass.is_for(model, coeffs) {
        return Ok(());
    }
    renew(model, part, at, coeffs, mass)
}

#[inline(never)]
fn renew(model: &Model, part: &Part<'_>, at: &Pass<'_>, coeffs: Coeffs, mass: &mut Mass) -> StepResult {
    let same_model = mass.known.is_some_and(|(id, _)| id == model.id());
    let known = mass.known == Some((model.id(), coeffs)) && mass.presence == at.now.presence;
    if !same_model {
        mass.groups = Some(Arc::new(model.mass_groups()));
    }
    mass.known = None;
    let groups = mass.groups.as_mut().expect("made above");
    let groups = Arc::get_mut(groups).expect("the problem has released M̂ before it is written");
    model.factorize(part, at, coeffs, known, groups)?;
    mass.known = Some((model.id(), coeffs));
    if mass.presence != at.now.presence {
        mass.presence.clear();
        mass.presence.extend_from_slice(at.now.presence);
    }
    Ok(())
}
