//! What systems and constraints must satisfy before they are laid out, and what the start must satisfy.

mod bodies;
mod start;

pub(super) use bodies::{check_body, check_kinematic, check_materials, check_region};
pub(super) use start::{check_gaps, check_masses, check_velocities};

use super::builder::{Coordinate, GivenConstraint, GivenKind, GivenSystem, SystemId};
use super::issue::{Issue, Place};
use super::systems::{Angles, FirstOrder, Linear};
use crate::laws::Law;
use nonsmooth_solvers::is_positive_definite;

/// Sizes and numbers of one system.
pub(super) fn check_system(i: usize, given: &GivenSystem, issues: &mut Vec<(Place, Issue)>) {
    let n = given.len();
    if let GivenSystem::FirstOrder(system) = given {
        return check_first_order(i, system, issues);
    }
    if n == 0 {
        let (want, got) = ("at least one coordinate".to_owned(), "none".to_owned());
        issues.push((Place::System(i, "coordinates"), Issue::Size { want, got }));
        return;
    }
    let mut vector = |field: &'static str, x: &[f64]| {
        if x.len() != n {
            let (want, got) = (format!("{n} entries"), x.len().to_string());
            issues.push((Place::System(i, field), Issue::Size { want, got }));
        } else if let Some(index) = x.iter().position(|x| !x.is_finite()) {
            issues.push((Place::System(i, field), Issue::NotFinite { index, value: x[index] }));
        }
    };
    match given {
        GivenSystem::Lagrangian { q, v, .. } => {
            vector("q", q);
            vector("v", v);
        }
        GivenSystem::Linear(linear) => {
            vector("q", &linear.q);
            vector("v", &linear.v);
            vector("load", &linear.load);
            check_matrices(i, linear, n, issues);
            check_angles(i, linear, n, issues);
        }
        GivenSystem::FirstOrder(_) => {}
    }
}

/// Sizes and numbers of a first-order system.
fn check_first_order(i: usize, system: &FirstOrder, issues: &mut Vec<(Place, Issue)>) {
    let n = system.states.len();
    let mut tell = |field: &'static str, issue| issues.push((Place::System(i, field), issue));
    if n == 0 {
        let (want, got) = ("at least one state".to_owned(), "none".to_owned());
        return tell("states", Issue::Size { want, got });
    }
    if system.x.len() != n {
        tell("x", Issue::Size { want: format!("{n} entries"), got: system.x.len().to_string() });
    } else if let Some(index) = system.x.iter().position(|x| !x.is_finite()) {
        tell("x", Issue::NotFinite { index, value: system.x[index] });
    }
    let Some(matrix) = &system.matrix else { return };
    if matrix.n_rows() != n || matrix.n_columns != n {
        let got = format!("{} × {}", matrix.n_rows(), matrix.n_columns);
        tell("A", Issue::Size { want: format!("{n} × {n} entries"), got });
    } else if let Some(index) = matrix.value.iter().position(|x| !x.is_finite()) {
        tell("A", Issue::NotFinite { index, value: matrix.value[index] });
    }
}

fn check_matrices(i: usize, linear: &Linear, n: usize, issues: &mut Vec<(Place, Issue)>) {
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

/// Angles of the parts of a linear system.
fn check_angles(i: usize, linear: &Linear, n: usize, issues: &mut Vec<(Place, Issue)>) {
    let Some(Angles { rows, rows_of_part }) = &linear.angles else { return };
    let place = Place::System(i, "angles");
    if *rows_of_part == 0 || !rows.n_rows().is_multiple_of(*rows_of_part) || rows.n_columns != n {
        let got = format!("{} × {}", rows.n_rows(), rows.n_columns);
        let want = format!("n × {n} entries, n a multiple of the rows of a part");
        issues.push((place, Issue::Size { want, got }));
    } else if let Some(index) = rows.value.iter().position(|x| !x.is_finite()) {
        issues.push((place, Issue::NotFinite { index, value: rows.value[index] }));
    }
}

/// A coordinate that a system does not have.
pub(super) fn missing(
    system: SystemId,
    coordinate: Coordinate,
    coordinates: &dyn Fn(SystemId) -> usize,
) -> Option<Issue> {
    let n = coordinates(system);
    let number = system.body().unwrap_or(system.0);
    (coordinate >= n).then_some(Issue::NoSuchCoordinate { system: number, coordinate, n })
}

/// Coordinates, numbers and law of one constraint.
pub(super) fn check_constraint(
    i: usize,
    given: &GivenConstraint,
    coordinates: &dyn Fn(SystemId) -> usize,
    laws: &[(String, Box<dyn Law>)],
    issues: &mut Vec<(Place, Issue)>,
) {
    let place = |field: &'static str| Place::Constraint(i, field);
    let mut systems: Vec<usize> = given.on.iter().map(|(system, _)| system.0).collect();
    systems.sort_unstable();
    systems.dedup();
    if systems.len() > 2 {
        issues.push((place("gap"), Issue::TooManySystems { count: systems.len() }));
    }
    for &(system, coordinate) in &given.on {
        issues.extend(missing(system, coordinate, coordinates).map(|m| (place("gap"), m)));
    }
    let mut involved = !given.on.is_empty();
    if let GivenKind::Linear { coefficients, offset } = &given.kind {
        involved = coefficients.iter().any(|c| *c != 0.0);
        let mut numbers = coefficients.iter().chain([offset]);
        if let Some(index) = numbers.clone().position(|x| !x.is_finite()) {
            let value = *numbers.nth(index).expect("found above");
            issues.push((place("gap"), Issue::NotFinite { index, value }));
        }
    }
    if !involved {
        issues.push((place("gap"), Issue::NoCoordinate));
    }
    let is_velocity = matches!(given.kind, GivenKind::Velocity(_));
    if is_velocity && given.on.iter().any(|(system, _)| system.body().is_some()) {
        issues.push((place("velocity"), Issue::VelocityOfBody));
    }
    let (name, law) = &laws[given.law.0 as usize];
    if let Some(fault) = law.fault() {
        issues.push((place("law"), Issue::Law(fault)));
    }
    let (forms, tangents) = (law.forms(), given.kind.n_tangents());
    if law.dim(tangents) != Some(1 + tangents) {
        let (law, friction) = (name.clone(), forms.friction);
        issues.push((place("law"), Issue::Tangents { law, friction, tangents }));
    }
    if is_velocity && forms.rebounds {
        issues.push((place("law"), Issue::ReboundAtVelocityLevel { law: name.clone() }));
    }
}
