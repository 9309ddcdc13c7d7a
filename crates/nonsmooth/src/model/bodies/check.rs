//! What rigid bodies must satisfy: masses, places, materials, and no overlap at the start or where bodies appear.

use super::collide::{Collider, Point, Situation};
use super::{
    Anchor, Bodies, Body, Dimension, Materials, Obstacle, PairError, Placed, Spring, Symmetric,
};
use crate::laws::StepForm;
use crate::model::{Issue, Model, Place, State, UserError};
use nonsmooth_solvers::Set;
use thiserror::Error;

/// Coordinates beyond this resolve less than a tenth of a millimetre [m].
const FARTHEST: f64 = 1e12;
/// Overlap that may be rounding, of the size of the smaller part.
const ROUNDING: f64 = 1e-9;
/// Overlaps named one by one.
const NAMED: usize = 10;

/// One thing that is wrong with a body.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BodyIssue {
    /// The mass is not a positive number.
    #[error("mass must be a finite number > 0, got {0}")]
    Mass(f64),
    /// The inertia is not positive definite.
    #[error("inertia must be symmetric and positive definite, got {0:?}")]
    Inertia([[f64; 3]; 3]),
    /// A place or velocity is not a number, or far beyond any scene.
    #[error("{what} {value:?} must be finite and at most {FARTHEST:e} in size")]
    Far {
        /// What is wrong.
        what: &'static str,
        /// What was given.
        value: Vec<f64>,
    },
    /// The quaternion has no direction.
    #[error("the quaternion {0:?} must be finite and not zero")]
    Rotation([f64; 4]),
    /// Something of space in a model of the plane, or the reverse.
    #[error("{0}")]
    Dimension(&'static str),
    /// The time of birth is not a number.
    #[error("the time at which it appears must be finite, got {0}")]
    Born(f64),
    /// A number that must not be negative is, or is not finite.
    #[error("{what} must be a finite number ≥ 0, got {value}")]
    Negative {
        /// Which parameter.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// A spring holds no body.
    #[error("both ends are points of the world; at least one must be on a body")]
    Loose,
    /// The region holds nothing.
    #[error("the region must have low < high in every direction, got {low:?} and {high:?}")]
    Region {
        /// Lowest corner [m].
        low: [f64; 3],
        /// Highest corner [m].
        high: [f64; 3],
    },
    /// A law is not one of contacts.
    #[error("law `{0}` is not one of contacts between bodies; use coulomb or newton-impact")]
    Law(String),
    /// A material does not exist.
    #[error("there is no material {material}: the model has {n}")]
    NoSuchMaterial {
        /// The material asked for.
        material: usize,
        /// How many there are.
        n: usize,
    },
    /// A parameter of a law is out of range.
    #[error("law `{law}` is out of range: {fault}")]
    LawRange {
        /// Name of the law.
        law: String,
        /// What is wrong.
        fault: String,
    },
    /// A pair of materials without a law, or with two.
    #[error("{0}")]
    Pair(#[from] PairError),
    /// Bodies overlap at the start, or will when they appear.
    #[error("{}", overlap_text(overlaps, *count))]
    Overlap {
        /// The deepest at the start, then those foreseen, by time.
        overlaps: Vec<Overlap>,
        /// How many pairs overlap in all.
        count: usize,
    },
    /// The motion of an obstacle failed.
    #[error("{0}")]
    Motion(String),
}

/// Two bodies that overlap.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlap {
    /// One body.
    pub first: String,
    /// The other.
    pub second: String,
    /// How deep [m].
    pub depth: f64,
    /// When the second one appears [s]; `None`: both are there at the start.
    pub t: Option<f64>,
}

fn overlap_text(overlaps: &[Overlap], count: usize) -> String {
    let mut text = String::new();
    for Overlap { first, second, depth, t } in overlaps {
        let when = t.map_or("at the start".into(), |t| format!("when the latter appears at t = {t} s"));
        text += &format!("`{first}` and `{second}` overlap by {depth:.6e} m {when}; ");
    }
    if count > overlaps.len() {
        text += &format!("and {} more pairs; ", count - overlaps.len());
    }
    text + "move them, or allow it (in a scene: run.allow_initial_violation = true)"
}

/// Checks bodies, obstacles, springs and region one by one.
pub(in crate::model) fn check_bodies(
    (dimension, bodies, obstacles): (Dimension, &[Body], &[Obstacle]),
    springs: &[Spring],
    region: Option<&super::Region>,
    issues: &mut Vec<(Place, Issue)>,
) {
    for (i, body) in bodies.iter().enumerate() {
        check_body(dimension, i, body, issues);
    }
    for (i, obstacle) in obstacles.iter().enumerate() {
        let place = |field| Place::Obstacle(i, field);
        check_pose(place, (&obstacle.position, &obstacle.rotation), issues);
        check_parts(dimension, place, &obstacle.parts, issues);
    }
    for (i, spring) in springs.iter().enumerate() {
        let Spring { ends, stiffness, damping, rest_length } = spring;
        for (what, value) in
            [("stiffness", *stiffness), ("damping", *damping), ("rest_length", *rest_length)]
        {
            if !(value >= 0.0 && value.is_finite()) {
                issues.push((Place::Spring(i), BodyIssue::Negative { what, value }.into()));
            }
        }
        for end in ends {
            let (Anchor::On(_, point) | Anchor::World(point)) = end;
            check_size(Place::Spring(i), "the end", point, issues);
        }
        if ends.iter().all(|end| matches!(end, Anchor::World(_))) {
            issues.push((Place::Spring(i), BodyIssue::Loose.into()));
        }
    }
    if let Some(&super::Region { low, high }) = region
        && (0..3).any(|k| !(low[k] < high[k]))
    {
        issues.push((Place::Region, BodyIssue::Region { low, high }.into()));
    }
}

fn check_body(dimension: Dimension, i: usize, body: &Body, issues: &mut Vec<(Place, Issue)>) {
    let place = |field| Place::Body(i, field);
    if !(body.mass > 0.0 && body.mass.is_finite()) {
        issues.push((place("mass"), BodyIssue::Mass(body.mass).into()));
    }
    let a = &body.inertia;
    let positive = match dimension {
        Dimension::Space => {
            let finite = a.iter().flatten().all(|x| x.is_finite());
            let size = a.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
            let symmetric =
                [(0, 1), (0, 2), (1, 2)].iter().all(|&(r, c)| (a[r][c] - a[c][r]).abs() <= 1e-12 * size);
            finite && symmetric && Symmetric::from_rows(a).is_positive()
        }
        Dimension::Plane => a[2][2] > 0.0 && a[2][2].is_finite(),
    };
    if !positive {
        issues.push((place("inertia"), BodyIssue::Inertia(body.inertia).into()));
    }
    check_pose(place, (&body.position, &body.rotation), issues);
    for (field, value) in [("velocity", body.velocity), ("angular_velocity", body.angular_velocity)] {
        check_size(place(field), field, &value, issues);
    }
    if let Some(born) = body.born.filter(|t| !t.is_finite()) {
        issues.push((place("born"), BodyIssue::Born(born).into()));
    }
    if dimension == Dimension::Plane {
        let flat = body.position[2] == 0.0
            && body.rotation[1..3] == [0.0; 2]
            && body.velocity[2] == 0.0
            && body.angular_velocity[..2] == [0.0; 2];
        if !flat {
            let issue = BodyIssue::Dimension("leaves the plane: z and turns about x and y must be zero");
            issues.push((place("position"), issue.into()));
        }
    }
    check_parts(dimension, place, &body.parts, issues);
}

fn check_parts(
    dimension: Dimension,
    place: impl Fn(&'static str) -> Place,
    parts: &[super::Part],
    issues: &mut Vec<(Place, Issue)>,
) {
    for part in parts {
        let wrong = match (dimension, &part.placed) {
            (Dimension::Plane, Placed::Space(..)) => "has a shape of space in a model of the plane",
            (Dimension::Space, Placed::Plane(..)) => "has a shape of the plane in a model of space",
            _ => continue,
        };
        issues.push((place("shape"), BodyIssue::Dimension(wrong).into()));
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

/// What is wrong with the numbers of a law.
fn out_of_range(form: &StepForm) -> Option<String> {
    let odd =
        [form.restitution, form.tangential_restitution].into_iter().find(|e| !(0.0..=1.0).contains(e));
    odd.map(|e| format!("restitution must lie in [0, 1], got {e}")).or_else(|| form.set.fault())
}

/// Checks the table of materials against the parts that may meet.
pub(in crate::model) fn check_laws(
    bodies: &Bodies,
    materials: &Materials,
    laws: &[(String, StepForm)],
    issues: &mut Vec<(Place, Issue)>,
) {
    issues
        .extend(materials.given_twice().map(|error| (Place::Materials, BodyIssue::Pair(error).into())));
    for &law in bodies.pair_laws.iter().flatten() {
        let (name, form) = &laws[law];
        if form.set == Set::Free || form.set.dim() != 1 && form.set.dim() != 1 + bodies.n_tangents() {
            issues.push((Place::Materials, BodyIssue::Law(name.clone()).into()));
            return;
        }
        if let Some(fault) = out_of_range(form) {
            let issue = BodyIssue::LawRange { law: name.clone(), fault };
            issues.push((Place::Materials, issue.into()));
            return;
        }
    }
    // One body of each material is enough to name, moving ones first.
    let n = bodies.n_materials;
    let mut user: Vec<Option<usize>> = vec![None; 2 * n];
    for (i, part) in bodies.parts.iter().enumerate() {
        let moving = usize::from((part.body as usize) < bodies.n);
        user[moving * n + part.part.material.0].get_or_insert(i);
    }
    for a in 0..n {
        for b in 0..=a {
            let met = |x: usize, y: usize| Some((user[n + x]?, user[n + y].or(user[y])?));
            let Some((i, j)) = met(a, b).or_else(|| met(b, a)) else { continue };
            // A single body of a material does not meet itself.
            let of = bodies.parts[i].body;
            let alone = i == j && bodies.parts.iter().all(|p| p.part.material.0 != a || p.body == of);
            if bodies.pair_laws[a * n + b].is_none() && !alone {
                let name = |i: usize| bodies.names[bodies.parts[i].body as usize].clone();
                let material = |i: usize| materials.names[bodies.parts[i].part.material.0].clone();
                let missing = PairError::Missing {
                    first: name(i),
                    second: name(j),
                    a: material(i),
                    b: material(j),
                };
                issues.push((Place::Materials, BodyIssue::Pair(missing).into()));
            }
        }
    }
}

/// Shows to `take` what `see` makes of the contact points of bodies in `state` that are no farther apart than `distance` [m].
fn look_within<T: Send>(
    model: &Model,
    state: &State,
    distance: f64,
    see: impl Fn(&Point) -> Option<T> + Sync,
    take: impl FnMut(T),
) -> Result<(), UserError> {
    let bodies = &model.bodies;
    let mut placements = Vec::new();
    bodies.place(state, &mut placements)?;
    let is_absent = |i| i < bodies.n && !bodies.is_present(state, i);
    let margin = |i| if is_absent(i) { f64::NAN } else { 0.5 * distance };
    let margins: Vec<f64> = (0..placements.len()).map(margin).collect();
    let at = Situation { placements: &placements, margins: &margins };
    let mut collider = Collider::default();
    collider.pair(bodies, &at);
    collider.meet(bodies, &at, see, take);
    Ok(())
}

impl Model {
    /// Number of points where bodies touch in `state`: those within the contact layer.
    pub fn count_touches(&self, state: &State) -> Result<usize, UserError> {
        let (layer, mut count) = (self.bodies.layer, 0);
        let see = |point: &Point| (point.distance <= layer).then_some(());
        look_within(self, state, layer, see, |()| count += 1)?;
        Ok(count)
    }
}

/// Reports bodies that overlap in `state` by more than rounding, and those that will when they appear.
pub(crate) fn check_overlaps(model: &Model, state: &State) -> Result<Option<BodyIssue>, UserError> {
    let bodies = &model.bodies;
    let mut found: Vec<((u32, u32), f64)> = Vec::new();
    let see = |point: &Point| {
        let (a, b) = point.key.parts;
        let (a, b) = (&bodies.parts[a as usize], &bodies.parts[b as usize]);
        let deep = point.distance < -ROUNDING * a.reach.min(b.reach);
        deep.then_some(((a.body, b.body), -point.distance))
    };
    look_within(model, state, 0.0, see, |(pair, depth)| {
        match found.last_mut().filter(|last| last.0 == pair) {
            Some(last) => last.1 = last.1.max(depth),
            None => found.push((pair, depth)),
        }
    })?;
    let foreseen = bodies.foreseen(state);
    let count = found.len() + foreseen.len();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let named = found.iter().take(NAMED).map(|&((a, b), depth)| Overlap {
        first: bodies.names[a as usize].clone(),
        second: bodies.names[b as usize].clone(),
        depth,
        t: None,
    });
    let overlaps: Vec<Overlap> = named.chain(foreseen).take(NAMED).collect();
    Ok((count > 0).then_some(BodyIssue::Overlap { overlaps, count }))
}
