//! The start: mass matrices of Lagrangian systems, gaps and velocity constraints.

use crate::laws::Forms;
use crate::model::constraints::{FunctionGaps, LinearGaps, VelocityConstraints};
use crate::model::issue::{Issue, Place};
use crate::model::systems::LagrangianSystem;
use crate::model::{State, UserError};
use nonsmooth_solvers::{Sparse, is_positive_definite};

/// Number in the order of registration, name and law of a constraint.
pub(crate) type Start = (usize, String, Forms);

/// Mass matrices of Lagrangian systems at the start.
pub(crate) fn check_masses(
    systems: &[LagrangianSystem],
    state: &State,
    issues: &mut Vec<(Place, Issue)>,
) {
    for system in systems {
        let n = system.range.len();
        let mut mass = vec![0.0; n * n];
        let place = Place::System(system.number, "mass");
        if let Err(error) = system.dynamics.mass(&state.q[system.range.clone()], &mut mass) {
            issues.push((place, Issue::User(error.to_string())));
            continue;
        }
        let rows: Vec<Vec<f64>> = mass.chunks(n).map(<[f64]>::to_vec).collect();
        let matrix = Sparse::from_rows(&rows);
        if mass.iter().any(|x| !x.is_finite()) || !is_positive_definite(&matrix) {
            let reason = format!("at the initial state it is {rows:?}");
            issues.push((place, Issue::NotPositive { reason }));
        } else if !matrix.is_symmetric(1e-12) {
            issues.push((place, Issue::NotSymmetric { remedy: "a mass matrix always is" }));
        }
    }
}

/// Gaps at the start; 1e-12 of the size of their terms may be rounding.
pub(crate) fn check_gaps(
    (linear, functions): (&LinearGaps, &FunctionGaps),
    starts: &[Start],
    state: &State,
    allow_violation: bool,
    issues: &mut Vec<(Place, Issue)>,
) {
    let linear = (0..linear.len()).map(|i| Ok(linear.with_size(i, &state.q)));
    let functions = (0..functions.len()).map(|i| functions.with_size(i, state.t, &state.q));
    let gaps = linear.chain(functions);
    for ((number, name, forms), gap) in starts.iter().zip(gaps) {
        let gap: Result<(f64, f64), UserError> = gap;
        let place = Place::Constraint(*number, "gap");
        let (gap, size) = match gap {
            Ok(found) => found,
            Err(error) => {
                issues.push((place, Issue::User(error.to_string())));
                continue;
            }
        };
        let rounding = 1e-12 * size;
        let violated = match forms {
            Forms { bilateral: true, .. } => !(gap.abs() <= rounding),
            Forms { relay: true, .. } => false,
            _ => !(gap >= -rounding),
        };
        if violated && !allow_violation {
            issues.push((place, Issue::InitialGap { name: name.clone(), gap }));
        }
    }
}

/// Velocity constraints at the start; 1e-9 of the speeds involved may be rounding.
pub(crate) fn check_velocities(
    constraints: &VelocityConstraints,
    starts: &[Start],
    state: &State,
    issues: &mut Vec<(Place, Issue)>,
) {
    for (i, (number, name, forms)) in starts.iter().enumerate() {
        let place = Place::Constraint(*number, "velocity");
        match constraints.with_size(i, state) {
            Err(error) => issues.push((place, Issue::User(error.to_string()))),
            Ok((u, size)) => {
                let rounding = 1e-9 * size;
                if !(if forms.bilateral { u.abs() } else { -u } <= rounding) {
                    issues.push((place, Issue::InitialVelocity { name: name.clone(), u }));
                }
            }
        }
    }
}
