//! One impact at one state, without a step: what the laws of the closed contacts that approach do at once.

use super::detect::detect;
use super::factorize::{Mass, factorize};
use super::impact::{Begins, impact};
use super::linearize::linearize;
use super::solve::SolverSettings;
use crate::error::{StepError, StepResult};
use crate::instants::Instants;
use crate::log::StepLog;
use crate::model::instant::Instant;
use crate::model::{Activation, ActiveConstraints, Coeffs, ConstraintId, LawId, Model, State, Theta};
use crate::part::Part;
use nonsmooth_solvers::Problem;

/// A contact or joint that took part in an impact.
#[derive(Clone, Debug)]
pub struct StruckConstraint {
    /// Its name in the model.
    pub id: ConstraintId,
    /// Its law.
    pub law: LawId,
    /// u⁻ by row [m/s].
    pub u_minus: Vec<f64>,
    /// u⁺ by row [m/s].
    pub u_plus: Vec<f64>,
    /// p by row [N·s].
    pub impulse: Vec<f64>,
}

/// What an impact did.
#[derive(Clone, Debug, Default)]
pub struct Strike {
    /// Constraints that approached or carry an impulse.
    pub constraints: Vec<StruckConstraint>,
    /// T before and after [J].
    pub kinetic: [f64; 2],
    /// v⁺, as in the state.
    pub v: Vec<f64>,
}

/// The impact of all contacts with gap ≤ `reach` times their size that approach in this state. Nothing is remembered, so all of them begin.
pub fn strike_at(
    model: &Model,
    state: &State,
    reach: f64,
    settings: &mut SolverSettings,
    log: &mut StepLog,
) -> StepResult<Strike> {
    let mut at = Instants::default();
    at.configure(model, state, Theta { h: 0.0, theta: 0.5 })?;
    let (mut active, mut mass, mut problem) =
        (ActiveConstraints::default(), Mass::default(), Problem::default());
    let part = Part::whole(state.t, 0.0);
    let pass = at.pass(state);
    detect(model, &part, &pass.now, Activation::Swept, &mut active)?;
    fits(model, &active)?;
    factorize(model, &part, &pass, Coeffs::MASS, &mut problem, &mut mass)?;
    linearize(model, &part, &pass, &mut active)?;
    let now = pass.now;
    let solving = (settings, &mut problem);
    let closed = Begins::Within(reach);
    let made = impact(model, &state.memory, (&now, &mut active), closed, &mass, solving, log)?;
    let mut strike = Strike { v: made.v.clone(), ..Strike::default() };
    strike.kinetic = [kinetic(model, &now, now.v)?, kinetic(model, &now, &made.v)?];
    model.to_state(&state.q, &mut strike.v);
    for c in 0..active.len() {
        let rows = active.rows(c);
        if made.begins[c] || made.p[rows.clone()].iter().any(|p| *p != 0.0) {
            strike.constraints.push(StruckConstraint {
                id: active.ids[c],
                law: active.laws[c],
                u_minus: made.u_minus[rows.clone()].to_vec(),
                u_plus: made.u_plus[rows.clone()].to_vec(),
                impulse: made.p[rows].to_vec(),
            });
        }
    }
    Ok(strike)
}

/// Whether each law takes the rows of its constraints.
fn fits(model: &Model, active: &ActiveConstraints) -> StepResult {
    for c in 0..active.len() {
        let (law, n) = (model.law(active.laws[c]), active.rows(c).len());
        if !law.forms().bilateral && law.dim(n - 1) != Some(n) {
            let place = model.describe(active.ids[c]);
            let source = format!("has {} tangents, for which the law is not made", n - 1).into();
            return Err(Box::new(StepError::User { place, source }));
        }
    }
    Ok(())
}

/// ½ vᵀ M v [J].
fn kinetic(model: &Model, at: &Instant<'_>, v: &[f64]) -> StepResult<f64> {
    let mut momentum = vec![0.0; v.len()];
    model.times(at, [1.0, 0.0, 0.0], v, &mut momentum)?;
    Ok(0.5 * momentum.iter().zip(v).map(|(p, v)| p * v).sum::<f64>())
}
