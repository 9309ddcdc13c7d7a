//! What a model must satisfy: matrices of its systems, contacts of its blocks, and its initial state.

use super::blocks::CONTACT_LIMIT;
use super::{Block, Issue, Linear, Model, Place, State, gather};
use nonsmooth_solvers::{Set, Sparse, is_positive_definite};

pub(super) fn check_matrices(i: usize, linear: &Linear, n: usize, issues: &mut Vec<(Place, Issue)>) {
    let matrices = [
        ("mass", Some(&linear.mass)),
        ("damping", linear.damping.as_ref()),
        ("stiffness", linear.stiffness.as_ref()),
    ];
    for (field, matrix) in matrices {
        let Some(matrix) = matrix else { continue };
        let place = Place::System(i, field);
        if matrix.n_rows() != n || matrix.n_columns != n {
            let got = format!("{} × {}", matrix.n_rows(), matrix.n_columns);
            issues.push((place, Issue::Size { want: format!("{n} × {n} entries"), got }));
        } else if let Some(index) = matrix.value.iter().position(|x| !x.is_finite()) {
            issues.push((place, Issue::NotFinite { index, value: matrix.value[index] }));
        } else if field == "mass" && !matrix.is_symmetric(1e-12) {
            issues.push((place, Issue::NotSymmetric { remedy: "a mass matrix always is" }));
        } else if field == "stiffness" && !matrix.is_symmetric(1e-12) {
            let remedy = "for forces without potential use a Lagrangian system";
            issues.push((place, Issue::NotSymmetric { remedy }));
        } else if field == "mass" && !is_positive_definite(matrix) {
            let bad = (0..n).find(|&k| matrix.get(k, k) <= 0.0);
            let reason = bad.map_or("a combination of coordinates has no mass".to_owned(), |k| {
                format!("entry ({k}, {k}) is {}", matrix.get(k, k))
            });
            issues.push((place, Issue::NotPositive { reason }));
        }
    }
}

pub(super) fn check_contacts(model: &Model, order: &[usize], issues: &mut Vec<(Place, Issue)>) {
    for (block, places) in model.blocks.contacts.iter().enumerate() {
        if places.len() <= CONTACT_LIMIT {
            continue;
        }
        let touches =
            |j: &u32| matches!(model.blocks.of[*j as usize], Block::Sparse(b, _) if b as usize == block);
        let first = (0..model.constraints.n_linear())
            .find(|&i| model.constraints.jacobian.row(i).0.iter().any(touches))
            .unwrap_or(model.constraints.n_linear());
        let issue = Issue::TooManyContacts { count: places.len(), limit: CONTACT_LIMIT };
        issues.push((Place::Constraint(order[first.min(order.len() - 1)], "gap"), issue));
    }
}

/// Mass matrices and gaps at the start.
pub(super) fn check_start(
    model: &Model,
    state: &State,
    allow_violation: bool,
    order: &[usize],
    issues: &mut Vec<(Place, Issue)>,
) {
    for user in &model.user {
        let number = model.systems.iter().position(|s| s.range == user.range).expect("listed");
        let n = user.range.len();
        let mut mass = vec![0.0; n * n];
        let place = Place::System(number, "mass");
        match user.dynamics.mass(&state.q[user.range.clone()], &mut mass) {
            Err(error) => issues.push((place, Issue::User(error.to_string()))),
            Ok(()) => {
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
    }
    for key in 0..model.constraints.n_gaps() {
        let (gap, rounding) = match gap_at_start(model, state, key) {
            Ok(found) => found,
            Err(error) => {
                issues.push((Place::Constraint(order[key], "gap"), Issue::User(error.to_string())));
                continue;
            }
        };
        let set = model.laws[model.constraints.laws[key]].1.set;
        let violated = match set {
            Set::Free => !(gap.abs() <= rounding),
            Set::Interval { .. } => false,
            _ => !(gap >= -rounding),
        };
        if violated && !allow_violation {
            let name = model.constraints.names[key].clone();
            issues.push((Place::Constraint(order[key], "gap"), Issue::InitialGap { name, gap }));
        }
    }
}

/// Velocity-level constraints at the start; 1e-9 of the speeds involved may be rounding.
pub(super) fn check_start_velocities(
    model: &Model,
    state: &State,
    order: &[usize],
    issues: &mut Vec<(Place, Issue)>,
) {
    let (mut q, mut v) = (Vec::new(), Vec::new());
    for (i, (columns, constraint)) in model.constraints.velocity.iter().enumerate() {
        let key = model.constraints.n_gaps() + i;
        gather(columns, &state.q, &mut q);
        gather(columns, &state.v, &mut v);
        let place = Place::Constraint(order[key], "velocity");
        match constraint.value(state.t, &q, &v) {
            Err(error) => issues.push((place, Issue::User(error.to_string()))),
            Ok(u) => {
                let rounding = 1e-9 * v.iter().map(|v| v.abs()).sum::<f64>();
                let is_joint = model.constraints.always[key];
                if !(if is_joint { u.abs() } else { -u } <= rounding) {
                    let name = model.constraints.names[key].clone();
                    issues.push((place, Issue::InitialVelocity { name, u }));
                }
            }
        }
    }
}

/// The gap of a constraint at the start, and how much of it may be rounding: 1e-12 of the size of
/// its terms.
fn gap_at_start(model: &Model, state: &State, key: usize) -> Result<(f64, f64), super::UserError> {
    let constraints = &model.constraints;
    if key < constraints.n_linear() {
        let (columns, values) = constraints.jacobian.row(key);
        let terms = columns.iter().zip(values).map(|(&j, h)| h * state.q[j as usize]);
        let offset = constraints.offset[key];
        let size = terms.clone().map(f64::abs).sum::<f64>() + offset.abs();
        return Ok((terms.sum::<f64>() + offset, 1e-12 * size));
    }
    let (columns, gap) = &constraints.gaps[key - constraints.n_linear()];
    let mut q = Vec::new();
    gather(columns, &state.q, &mut q);
    let mut slope = vec![0.0; q.len()];
    gap.jacobian(state.t, &q, &mut slope)?;
    let size: f64 = slope.iter().zip(&q).map(|(s, q)| (s * q).abs()).sum();
    Ok((gap.gap(state.t, &q)?, 1e-12 * (1.0 + size)))
}
