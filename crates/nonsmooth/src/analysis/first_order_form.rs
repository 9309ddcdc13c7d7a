//! The first-order form of a model: ẋ = f(t, x) + (0, M⁻¹ r), x = (q, v).
//!
//! [Acary06, eq. (2)–(3)] For comparison with ordinary differential equation solvers, and for those who want to bring their own.
//! Constraints enter only through the generalized force r.

use crate::error::{StepError, StepResult};
use crate::log::Works;
use crate::model::instant::{Implicit, Instant, Pass};
use crate::model::{Coeffs, Model, State};
use crate::part::Part;
use nonsmooth_solvers::MassGroups;

/// The model as a first-order system in x = (q, v), velocities as in the state.
pub struct FirstOrderForm<'a> {
    model: &'a Model,
    /// Inputs and presence, which do not change.
    state: State,
    mass: MassGroups,
    is_known: bool,
}

impl<'a> FirstOrderForm<'a> {
    /// The form of a model whose inputs and presence are those of `state`; `None` if a family has no accelerations.
    pub fn new(model: &'a Model, state: &State) -> Option<Self> {
        let has = model.systems.iter().all(|family| family.smooth().is_some());
        let (state, mass) = (state.clone(), model.mass_groups());
        has.then_some(Self { model, state, mass, is_known: false })
    }

    /// x = (q, v) of a state.
    pub fn pack(&self, state: &State) -> Vec<f64> {
        [&state.q[..], &state.v[..]].concat()
    }

    /// ẋ at (t, x) under the generalized force `r` [N], in working axes.
    pub fn derivative(&mut self, t: f64, x: &[f64], r: &[f64]) -> StepResult<Vec<f64>> {
        let Self { model, state, mass, is_known } = self;
        let (q, v) = x.split_at(model.n_coordinates());
        state.t = t;
        state.q.copy_from_slice(q);
        state.v.copy_from_slice(v);
        let mut q_dot = vec![0.0; q.len()];
        model.smooth_motions().for_each(|motion| motion.rate(q, v, &mut q_dot));
        let mut acceleration = model.at_state(state, |at| {
            let at = *at;
            let pass = Pass { now: at, mass: at, jacobian: at, end: at, implicit: Implicit::default() };
            let made = model.factorize(&Part::whole(t, 0.0), &pass, Coeffs::MASS, *is_known, mass);
            *is_known = made.is_ok();
            made?;
            forces(model, &at, r)
        })?;
        mass.solve(&mut acceleration, &mut Vec::new());
        model.to_state(q, &mut acceleration);
        Ok([q_dot, acceleration].concat())
    }
}

/// All forces and r.
fn forces(model: &Model, at: &Instant<'_>, r: &[f64]) -> Result<Vec<f64>, Box<StepError>> {
    let mut out = r.to_vec();
    model
        .smooth_motions()
        .try_for_each(|motion| motion.forces(model, at, &mut out, &mut Works::default()))?;
    model.forces.iter().try_for_each(|force| force.add(model, at, &mut out))?;
    Ok(out)
}
