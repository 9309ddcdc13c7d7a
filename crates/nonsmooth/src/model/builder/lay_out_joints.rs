//! Laying out joints, what acts on their axes, and springs.

use super::Places;
use super::joints::{FreeAxis, GivenJoint, GivenJoints, JointAt, Rigid, Spring, Wrong};
use crate::laws::{Bilateral, Compliant, Law, NewtonImpact, Relay};
use crate::model::constraints::joints::{AxisKind, AxisReading, JointRow, JointRows, Joints, Within};
use crate::model::constraints::{
    AxisAction, AxisRow, Drive, DriveRow, Elastic, JointAxes, JointDrives, Motor, SpringRow, Springs,
};
use crate::model::issue::{Issue, Place};
use crate::model::{Contents, LawId, RigidId, RigidState, State};
use glam::{DMat3, DQuat, DVec3};

/// Velocities of a joint at the start that are below this, relative to the speeds of its sides, are rounding.
const ROUNDING: f64 = 1e-9;

impl GivenJoints {
    /// Appends the families of joints, joint axes and springs.
    pub(super) fn assemble(
        self,
        contents: &mut Contents,
        state: &mut State,
        places: &Places,
        issues: &mut Vec<(Place, Issue)>,
    ) {
        let mut axes = Laid::default();
        let given: Vec<String> = self.joints.iter().map(|joint| joint.name.clone()).collect();
        let [faulty_joints, faulty_springs] = &self.left_out;
        for (i, joint) in self.joints.into_iter().enumerate() {
            if faulty_joints.contains(&i) {
                continue;
            }
            let name = joint.name.clone();
            let mut wrong = |field: &'static str, text: String| {
                issues.push((Place::Joint(i, field), Issue::User(format!("joint `{name}`: {text}"))));
            };
            if let Some(joint) = place_joint(joint, &mut axes, (contents, state, places), &mut wrong) {
                contents.joints.joints.push(joint);
            }
        }
        state.angles.resize(contents.joints.n_angles, 0.0);
        // What is wrong with a joint was told; what reads it is not wrong.
        let is_faulty = |name: &str| given.iter().any(|given| given == name);
        fill_in(&self.readings, contents, is_faulty, issues);
        contents.rigid.apart.sort_unstable();
        contents.rigid.apart.dedup();
        let springs = self.springs.into_iter().enumerate().filter(|(i, _)| !faulty_springs.contains(i));
        let springs = place_springs(springs, contents, places, issues);
        append_families(contents, axes, springs);
    }
}

/// What acts on free axes, laid out.
#[derive(Default)]
struct Laid {
    axes: Vec<AxisRow>,
    drives: Vec<DriveRow>,
}

/// Gives readings their joints.
fn fill_in(
    readings: &[AxisReading],
    contents: &Contents,
    is_faulty: impl Fn(&str) -> bool,
    issues: &mut Vec<(Place, Issue)>,
) {
    for reading in readings {
        let (name, k) = (&reading.name, reading.axis);
        let joint = contents.joints.find(name).map(|number| &contents.joints.joints[number]);
        let text = match joint {
            None if is_faulty(name) => continue,
            None => "there is no such joint in the model; add it, or name another".to_owned(),
            Some(joint) if k >= joint.free_axes().len() => {
                let n = joint.free_axes().len();
                format!("axis {k} of it is read, but it has {n} free axes, counted from 0")
            }
            Some(joint) => {
                // A reading that is filled in already belongs to a model built before, and stays there.
                let _ = reading.joint.set(joint.clone());
                continue;
            }
        };
        issues.push((Place::Signal(name.clone()), Issue::User(format!("joint `{name}`: {text}"))));
    }
}

fn append_families(contents: &mut Contents, laid: Laid, springs: Vec<SpringRow>) {
    let Laid { axes, drives } = laid;
    if !contents.joints.joints.is_empty() {
        let names = contents.joints.joints.iter().map(|joint| joint.name.clone()).collect();
        let law = add_law(contents, "joints", Box::new(Bilateral));
        let family = contents.constraints.len() as u8;
        contents.constraints.push(Box::new(Joints::new(family, law, names)));
    }
    if !axes.is_empty() {
        let family = contents.constraints.len() as u8;
        contents.constraints.push(Box::new(JointAxes::new(family, axes)));
    }
    if !drives.is_empty() {
        let family = contents.constraints.len() as u8;
        contents.constraints.push(Box::new(JointDrives::new(family, drives)));
    }
    if !springs.is_empty() {
        let law = add_law(contents, "springs", Box::new(Compliant));
        let family = contents.constraints.len() as u8;
        contents.constraints.push(Box::new(Springs::new(family, law, springs)));
    }
}

fn add_law(contents: &mut Contents, name: &str, law: Box<dyn Law>) -> LawId {
    contents.laws.push((name.to_owned(), law));
    LawId(contents.laws.len() as u32 - 1)
}

/// The rigid thing in the model, if it is there.
fn find(contents: &Contents, places: &Places, on: Rigid) -> Option<RigidId> {
    let n = contents.rigid.bodies.len();
    match on {
        Rigid::World => Some(contents.rigid.world()),
        Rigid::Body(i) => places.bodies.get(i).copied(),
        Rigid::Kinematic(i) => (i < contents.rigid.kinematic.len()).then_some(RigidId((n + i) as u32)),
    }
}

/// Whether moving things are in the plane or in space; `None` where they disagree.
fn within(contents: &Contents, between: [RigidId; 2]) -> Option<Within> {
    let body = |id: RigidId| contents.rigid.bodies.get(id.0 as usize);
    let mut planar = between.into_iter().filter_map(body).map(|body| body.planar);
    let first = planar.next()?;
    let within = if first { Within::Plane } else { Within::Space };
    planar.all(|other| other == first).then_some(within)
}

type Sites<'a> = (&'a mut Contents, &'a State, &'a Places);

fn place_joint(
    given: GivenJoint,
    axes: &mut Laid,
    (contents, state, laid): Sites<'_>,
    wrong: &mut Wrong<'_>,
) -> Option<JointRow> {
    let GivenJoint { name, posed, between, collide, axes: given } = given;
    let [Some(a), Some(b)] = between.map(|side| find(contents, laid, side)) else {
        wrong("between", "one of its sides is not in the model; add the body first".to_owned());
        return None;
    };
    let between = [a, b];
    let Some(within) = within(contents, between) else {
        let text = "it joins a body in the plane to one in space; both must be of one kind";
        wrong("between", text.to_owned());
        return None;
    };
    let frame = frame(&posed, within, wrong)?;
    let places = places_of(&posed, within, wrong)?;
    let states = between.map(|id| contents.rigid.start_of(id, state));
    let states = match states {
        [Ok(a), Ok(b)] => [a, b],
        [Err(error), _] | [_, Err(error)] => {
            wrong("between", error.to_string());
            return None;
        }
    };
    let point = |k: usize| states[k].rotation.inverse() * (places[k] - states[k].position);
    let points = [point(0), point(1)];
    let size = size(contents, between, points);
    let mut joint = posed.joint;
    joint.place(frame.inverse() * (places[1] - places[0]));
    let number = contents.joints.joints.len();
    let mut row = JointRow {
        frames: states.map(|s: RigidState| (s.rotation.inverse() * frame).normalize()),
        first_angle: contents.joints.n_angles as u32,
        name,
        joint: joint.into(),
        within,
        between,
        points,
        size,
        turns: [false; 6],
    };
    row.find_turns(&row.sides(&states[0], &states[1]));
    let kinds = row.free_axes();
    contents.joints.n_angles += kinds.iter().filter(|kind| **kind == AxisKind::Angle).count();
    if !collide {
        contents.rigid.apart.push((a.min(b), a.max(b)));
    }
    if given.len() > kinds.len() {
        let (has, n) = (kinds.len(), given.len());
        wrong(
            "axes",
            format!(
                "a {} joint has {has} free axes here, but {n} are described; leave the others out",
                row.joint.name()
            ),
        );
        return Some(row);
    }
    for (k, axis) in given.into_iter().enumerate() {
        place_axis((number, k, &row), axis, axes, contents);
    }
    if !contents.rigid.may_overlap {
        check_velocity(&row, &states, wrong);
    }
    Some(row)
}

/// The joint's frame in world axes at the start: e₃ along its axis, e₁ along its second one.
fn frame(posed: &JointAt, within: Within, wrong: &mut Wrong<'_>) -> Option<DQuat> {
    let JointAt { joint, axis, second_axis, .. } = posed;
    let name = joint.name();
    if joint.dim(within) == 0 {
        wrong("type", format!("a {name} joint is for bodies in space; these are in the plane"));
        return None;
    }
    if !joint.needs_axis(within) {
        return Some(DQuat::IDENTITY);
    }
    let Some(axis) = *axis else {
        let text = "needs an axis here; give a direction, [0, 0, 1] for one";
        wrong("axis", format!("a {name} joint {text}"));
        return None;
    };
    let e3 = DVec3::from_array(axis).normalize();
    if within == Within::Plane {
        if axis[2] != 0.0 {
            let text = "it is in the plane, so its axis must be too: z = 0, got";
            wrong("axis", format!("{text} {}", axis[2]));
            return None;
        }
        let e1 = DVec3::Z.cross(e3);
        return Some(DQuat::from_mat3(&DMat3::from_cols(e1, DVec3::Z, e3)));
    }
    if !joint.needs_second_axis(within) {
        let (e1, e2) = e3.any_orthonormal_pair();
        return Some(DQuat::from_mat3(&DMat3::from_cols(e1, e2, e3)));
    }
    let Some(second) = *second_axis else {
        let text = "needs a second axis, perpendicular to the first";
        wrong("second_axis", format!("a {name} joint {text}; give a direction"));
        return None;
    };
    let e1 = DVec3::from_array(second).normalize();
    if e1.dot(e3).abs() > ROUNDING {
        let angle = e1.dot(e3).clamp(-1.0, 1.0).acos().to_degrees();
        let text = "its second axis must be perpendicular to the first; the angle between them is";
        wrong("second_axis", format!("{text} {angle:.6}°"));
        return None;
    }
    let e2 = e3.cross(e1).normalize();
    Some(DQuat::from_mat3(&DMat3::from_cols(e2.cross(e3), e2, e3)))
}

/// The joint's point on each side at the start [m].
fn places_of(posed: &JointAt, within: Within, wrong: &mut Wrong<'_>) -> Option<[DVec3; 2]> {
    let JointAt { joint, at, to, .. } = posed;
    for (field, point) in [("at", Some(at)), ("to", to.as_ref())] {
        if let Some(point) = point.filter(|point| within == Within::Plane && point[2] != 0.0) {
            wrong(field, format!("it is in the plane, so z must be 0, got {}", point[2]));
            return None;
        }
    }
    let at = DVec3::from_array(*at);
    match (to, joint.needs_second_point()) {
        (None, false) => Some([at, at]),
        (Some(to), true) if *to != at.to_array() => Some([at, DVec3::from_array(*to)]),
        (Some(_), true) => {
            let text = "its two points are the same; take a spherical joint, or move one of them";
            wrong("to", text.to_owned());
            None
        }
        (None, true) => {
            wrong("to", format!("a {} joint needs its point on the second side too", joint.name()));
            None
        }
        (Some(_), false) => {
            wrong("to", format!("a {} joint has one point; leave the second out", joint.name()));
            None
        }
    }
}

/// The farthest of the joint's point from a centre of mass, or the larger bounding radius; 1 m where all are zero.
fn size(contents: &Contents, between: [RigidId; 2], points: [DVec3; 2]) -> f64 {
    let bodies = &contents.rigid.bodies;
    let sides = between.into_iter().zip(points);
    let sizes = sides.filter_map(|(id, point)| {
        bodies.get(id.0 as usize).map(|body| point.length().max(body.bounding_radius))
    });
    Some(sizes.fold(0.0, f64::max)).filter(|size| *size > 0.0).unwrap_or(1.0)
}

/// Start velocities that violate the joint.
fn check_velocity(row: &JointRow, states: &[RigidState; 2], wrong: &mut Wrong<'_>) {
    let sides = row.sides(&states[0], &states[1]);
    let mut rows = JointRows::default();
    row.rows(&sides, &mut rows);
    let speed = |s: &RigidState| s.velocity.length() + row.size * s.spin.length() + s.spin.length();
    let scale = speed(&states[0]) + speed(&states[1]);
    let mut rates = [0.0; 6];
    rows.rates(&sides[0], &sides[1], &mut rates[..rows.len()]);
    for u in &rates[..rows.len()] {
        if u.abs() > ROUNDING * scale {
            let remedy = "change them, or allow it (in a scene: run.allow_initial_violation = true)";
            wrong(
                "between",
                format!("the velocities at the start violate it: u = {u:.6e} m/s; {remedy}"),
            );
            return;
        }
    }
}

fn place_axis(
    (number, k, joint): (usize, usize, &JointRow),
    given: FreeAxis,
    laid: &mut Laid,
    contents: &mut Contents,
) {
    let FreeAxis { stop, restitution, stiffness, damping, rest, motor, friction, drive } = given;
    let (joint_number, axis) = (number as u32, k as u8);
    let mut push = |what: &str, action: AxisAction, law: LawId| {
        let name = format!("{what} of joint `{}`", joint.name);
        laid.axes.push(AxisRow { name, joint: joint_number, axis, action, law });
    };
    if let Some([lower, upper]) = stop {
        let law = add_law(contents, "stops", Box::new(NewtonImpact { restitution }));
        if lower.is_finite() {
            push("lower stop", AxisAction::LowerStop(lower), law);
        }
        if upper.is_finite() {
            push("upper stop", AxisAction::UpperStop(upper), law);
        }
    }
    if stiffness > 0.0 || damping > 0.0 {
        let law = add_law(contents, "springs", Box::new(Compliant));
        let elastic = Elastic { stiffness, damping };
        push("spring", AxisAction::Spring { elastic, rest }, law);
    }
    let mut hold = |what: &str, drive: Option<Drive>, law: LawId| {
        let name = format!("{what} of joint `{}`", joint.name);
        laid.drives.push(DriveRow { name, joint: joint_number, axis, drive, law });
    };
    if friction > 0.0 {
        let law = add_law(contents, "friction", Box::new(Relay { lower: -friction, upper: friction }));
        hold("friction", None, law);
    }
    if let Some(drive) = drive {
        let law = add_law(contents, "drives", Box::new(Bilateral));
        hold("drive", Some(drive), law);
    }
    if let Some(function) = motor {
        contents.forces.push(Box::new(Motor { joint: joint_number, axis, function }));
    }
}

fn place_springs(
    given: impl Iterator<Item = (usize, Spring)>,
    contents: &Contents,
    places: &Places,
    issues: &mut Vec<(Place, Issue)>,
) -> Vec<SpringRow> {
    let mut springs = Vec::new();
    for (i, spring) in given {
        let [Some(a), Some(b)] = spring.ends.map(|end| find(contents, places, end.on)) else {
            let text = format!(
                "spring `{}`: one of its ends is on a body that is not in the model",
                spring.name
            );
            issues.push((Place::Spring(i, "ends"), Issue::User(text)));
            continue;
        };
        if within(contents, [a, b]).is_none() {
            let text = format!("spring `{}`: it joins a body in the plane to one in space", spring.name);
            issues.push((Place::Spring(i, "ends"), Issue::User(text)));
        }
        let Spring { name, stiffness, damping, rest_length, ends } = spring;
        let points = ends.map(|end| DVec3::from_array(end.at));
        let elastic = Elastic { stiffness, damping };
        springs.push(SpringRow { name, between: [a, b], points, elastic, rest_length });
    }
    springs
}
