//! What rigid bodies must satisfy: masses, places, shapes, materials and their laws.

use crate::laws::Law;
use crate::model::issue::{Issue, Place};
use crate::model::rigid::{
    Body, BodyIssue, Collider, ColliderRow, FARTHEST, KinematicBody, Materials, PairError, PosedShape,
    Region, RigidTable, Symmetric,
};

/// Part of the trace of an inertia that is rounding of typed numbers.
const ROUNDED: f64 = 1e-6;

/// Checks a body.
pub(in crate::model) fn check_body(i: usize, body: &Body, issues: &mut Vec<(Place, Issue)>) {
    let place = |field| Place::Body(i, field);
    if !(body.mass > 0.0 && body.mass.is_finite()) {
        issues.push((place("mass"), BodyIssue::Mass(body.mass).into()));
    }
    if !is_good_inertia(body.planar, &body.inertia) {
        issues.push((place("inertia"), BodyIssue::Inertia(body.inertia).into()));
    } else if !body.planar && !is_of_a_body(&body.inertia) {
        issues.push((place("inertia"), BodyIssue::NoBody(body.inertia).into()));
    }
    check_pose(place, (&body.position, &body.rotation), issues);
    for (field, value) in [("velocity", body.velocity), ("angular_velocity", body.angular_velocity)] {
        check_size(place(field), field, &value, issues);
    }
    if let Some(t) = body.appears_at.filter(|t| !t.is_finite()) {
        issues.push((place("appears_at"), BodyIssue::AppearsAt(t).into()));
    }
    if body.planar {
        let flat = body.position[2] == 0.0
            && body.rotation[1..3] == [0.0; 2]
            && body.velocity[2] == 0.0
            && body.angular_velocity[..2] == [0.0; 2];
        if !flat {
            let issue = BodyIssue::Plane("leaves the plane: z and turns about x and y must be zero");
            issues.push((place("position"), issue.into()));
        }
    }
    check_shapes(body.planar, place, &body.colliders, issues);
}

fn is_good_inertia(planar: bool, a: &[[f64; 3]; 3]) -> bool {
    if planar {
        return a[2][2] > 0.0 && a[2][2].is_finite();
    }
    let finite = a.iter().flatten().all(|x| x.is_finite());
    let size = a.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    let symmetric =
        [(0, 1), (0, 2), (1, 2)].iter().all(|&(r, c)| (a[r][c] - a[c][r]).abs() <= 1e-12 * size);
    finite && symmetric && Symmetric::from_rows(a).is_positive()
}

/// Whether a body can have an inertia I: S = ∫ x xᵀ dm = tr(I)/2 − I has no negative direction, so no moment is above the sum of the others.
fn is_of_a_body(a: &[[f64; 3]; 3]) -> bool {
    let half = 0.5 * (a[0][0] + a[1][1] + a[2][2]);
    let mut spread = a.map(|row| row.map(|x| -x));
    for (k, row) in spread.iter_mut().enumerate() {
        // A sheet has S = 0 across it: what is typed in six digits may be a little below.
        row[k] += half * (1.0 + ROUNDED);
    }
    Symmetric::from_rows(&spread).is_positive()
}

/// Checks a kinematic body.
pub(in crate::model) fn check_kinematic(
    i: usize,
    body: &KinematicBody,
    issues: &mut Vec<(Place, Issue)>,
) {
    let place = |field| Place::Kinematic(i, field);
    check_pose(place, (&body.position, &body.rotation), issues);
    check_shapes(body.planar, place, &body.colliders, issues);
}

/// Checks the region.
pub(in crate::model) fn check_region(&Region { low, high }: &Region, issues: &mut Vec<(Place, Issue)>) {
    if (0..3).any(|k| !(low[k] < high[k])) {
        issues.push((Place::Region, BodyIssue::Region { low, high }.into()));
    }
}

fn check_shapes(
    planar: bool,
    place: impl Fn(&'static str) -> Place,
    colliders: &[Collider],
    issues: &mut Vec<(Place, Issue)>,
) {
    for collider in colliders {
        let wrong = match (planar, &collider.posed) {
            (true, PosedShape::Space(..)) => "has a shape of space, but is in the plane",
            (false, PosedShape::Plane(..)) => "has a shape of the plane, but is in space",
            _ => continue,
        };
        issues.push((place("shape"), BodyIssue::Plane(wrong).into()));
    }
}

fn check_pose(
    place: impl Fn(&'static str) -> Place,
    (position, rotation): (&[f64; 3], &[f64; 4]),
    issues: &mut Vec<(Place, Issue)>,
) {
    check_size(place("position"), "position", position, issues);
    let square: f64 = rotation.iter().map(|x| x * x).sum();
    if !(square > 0.0 && square.is_finite()) {
        issues.push((place("rotation"), BodyIssue::Rotation(*rotation).into()));
    }
}

fn check_size(place: Place, what: &'static str, value: &[f64; 3], issues: &mut Vec<(Place, Issue)>) {
    if !value.iter().all(|x| x.abs() <= FARTHEST) {
        issues.push((place, BodyIssue::Far { what, value: value.to_vec() }.into()));
    }
}

/// Checks the laws of materials against the colliders that may meet.
pub(in crate::model) fn check_materials(
    table: &RigidTable,
    materials: &Materials,
    laws: &[(String, Box<dyn Law>)],
    issues: &mut Vec<(Place, Issue)>,
) {
    issues
        .extend(materials.given_twice().map(|error| (Place::Materials, BodyIssue::Pair(error).into())));
    let within: Vec<bool> = [true, false]
        .into_iter()
        .filter(|planar| table.colliders.iter().any(|row| row.is_planar() == *planar))
        .collect();
    for law in table.pair_laws.iter().flatten() {
        let (name, law) = &laws[law.0 as usize];
        let is_missing = |planar: &bool| law.dim_of_bodies(*planar).is_none();
        if law.forms().rolls && within.iter().any(is_missing) {
            return issues.push((Place::Materials, BodyIssue::Rolls(name.clone()).into()));
        }
        if law.forms().bilateral || within.iter().any(is_missing) {
            return issues.push((Place::Materials, BodyIssue::Law(name.clone()).into()));
        }
        if let Some(fault) = law.fault() {
            let issue = BodyIssue::LawRange { law: name.clone(), fault };
            return issues.push((Place::Materials, issue.into()));
        }
    }
    check_pairs(table, issues);
}

/// Materials of colliders that may meet must have a law.
fn check_pairs(table: &RigidTable, issues: &mut Vec<(Place, Issue)>) {
    // One collider of each material is enough to name, moving ones first.
    let n = table.materials.len();
    let is_moving = |i: usize| (table.colliders[i].on.0 as usize) < table.bodies.len();
    let mut user: Vec<Option<usize>> = vec![None; 2 * n];
    for (i, row) in table.colliders.iter().enumerate() {
        user[usize::from(is_moving(i)) * n + row.collider.material.0].get_or_insert(i);
    }
    for a in 0..n {
        for b in 0..=a {
            let met = |x: usize, y: usize| Some((user[n + x]?, user[n + y].or(user[y])?));
            let Some((i, j)) = met(a, b).or_else(|| met(b, a)) else { continue };
            // A body does not meet itself.
            let of = table.colliders[i].on;
            let is_other = |row: &ColliderRow| row.collider.material.0 == a && row.on != of;
            let other = if i == j { table.colliders.iter().position(is_other) } else { Some(j) };
            let Some(j) = other else { continue };
            if table.pair_laws[a * n + b].is_none() {
                let name = |i: usize| table.name(table.colliders[i].on).to_owned();
                let material =
                    |i: usize| table.materials[table.colliders[i].collider.material.0].clone();
                let (first, second) = (name(i), name(j));
                let missing = PairError::Missing { first, second, a: material(i), b: material(j) };
                issues.push((Place::Materials, BodyIssue::Pair(missing).into()));
            }
        }
    }
}
