//! Building joints, what acts on their axes, and springs: what is given, and what is wrong with single parts.

use super::{ModelBuilder, bodies::GivenBodies};
use crate::model::UserError;
use crate::model::constraints::joints::{AxisReading, Joint};
use crate::model::constraints::{Drive, MotorFunction};
use crate::model::instant::Instant;
use crate::model::issue::{Issue, Place};

/// A rigid thing of a model under construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rigid {
    /// The world.
    World,
    /// A moving body, in the order of registration.
    Body(usize),
    /// A kinematic body, in the order of registration.
    Kinematic(usize),
}

/// A type of joint with its place at the start, in world axes.
pub struct JointAt {
    pub(super) joint: Box<dyn Joint>,
    pub(super) at: [f64; 3],
    pub(super) axis: Option<[f64; 3]>,
    pub(super) second_axis: Option<[f64; 3]>,
    pub(super) to: Option<[f64; 3]>,
}

impl JointAt {
    /// A joint at a point [m].
    pub fn new(joint: Box<dyn Joint>, at: [f64; 3]) -> Self {
        Self { joint, at, axis: None, second_axis: None, to: None }
    }

    /// Gives it an axis, of any length.
    pub fn axis(self, axis: [f64; 3]) -> Self {
        Self { axis: Some(axis), ..self }
    }

    /// Gives it a second axis, of any length, perpendicular to the first.
    pub fn second_axis(self, axis: [f64; 3]) -> Self {
        Self { second_axis: Some(axis), ..self }
    }

    /// Gives it another point on the second side [m].
    pub fn to(self, point: [f64; 3]) -> Self {
        Self { to: Some(point), ..self }
    }
}

/// What acts on a free axis of a joint. Angles in rad, travels in m; both are zero at the start.
#[derive(Default)]
pub struct FreeAxis {
    /// Between which values it moves; one of them may be infinite.
    pub stop: Option<[f64; 2]>,
    /// e of Newton's law at the stops, in [0, 1] [–].
    pub restitution: f64,
    /// k ≥ 0 [N·m/rad or N/m].
    pub stiffness: f64,
    /// c ≥ 0 [N·m·s/rad or N·s/m].
    pub damping: f64,
    /// Where the spring is slack [rad or m].
    pub rest: f64,
    /// Torque or force of a motor on the second side [N·m or N].
    pub motor: Option<MotorFunction>,
    /// Dry friction: the largest torque or force against the motion [N·m or N], ≥ 0.
    pub friction: f64,
    /// A drive that prescribes how it moves.
    pub drive: Option<Drive>,
}

/// A joint of a model under construction.
pub struct GivenJoint {
    pub(super) name: String,
    pub(super) posed: JointAt,
    pub(super) between: [Rigid; 2],
    pub(super) collide: bool,
    pub(super) axes: Vec<FreeAxis>,
}

impl GivenJoint {
    /// Lets the two rigid things meet although they are joined.
    pub fn collide(&mut self) -> &mut Self {
        self.collide = true;
        self
    }

    /// What acts on the free axes, in their order.
    pub fn axes(&mut self, axes: Vec<FreeAxis>) -> &mut Self {
        self.axes = axes;
        self
    }

    /// Dry friction on the first free axis: the largest torque or force against its motion [N·m or N].
    pub fn friction(&mut self, bound: f64) -> &mut Self {
        self.first().friction = bound;
        self
    }

    /// A drive that prescribes how the first free axis moves.
    pub fn drive(&mut self, drive: Drive) -> &mut Self {
        self.first().drive = Some(drive);
        self
    }

    fn first(&mut self) -> &mut FreeAxis {
        if self.axes.is_empty() {
            self.axes.push(FreeAxis::default());
        }
        &mut self.axes[0]
    }

    /// Stops on the first free axis, with restitution e.
    pub fn stop(&mut self, range: std::ops::Range<f64>, restitution: f64) -> &mut Self {
        let axis = self.first();
        *axis = FreeAxis { stop: Some([range.start, range.end]), restitution, ..std::mem::take(axis) };
        self
    }

    /// A spring and damper on the first free axis, slack at the start.
    pub fn spring(&mut self, stiffness: f64, damping: f64) -> &mut Self {
        (self.first().stiffness, self.first().damping) = (stiffness, damping);
        self
    }

    /// A motor on the first free axis: its torque or force on the second side.
    pub fn motor(
        &mut self,
        function: impl Fn(&Instant<'_>) -> Result<f64, UserError> + Send + Sync + 'static,
    ) -> &mut Self {
        self.first().motor = Some(Box::new(function));
        self
    }
}

/// One end of a spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// What holds it.
    pub on: Rigid,
    /// Where, in the axes of that; in the plane z = 0 [m].
    pub at: [f64; 3],
}

/// A spring and damper between two points.
#[derive(Clone, Debug, PartialEq)]
pub struct Spring {
    /// Name for messages and results.
    pub name: String,
    /// Its two ends, of which at least one is on a body.
    pub ends: [Anchor; 2],
    /// k ≥ 0 [N/m].
    pub stiffness: f64,
    /// c ≥ 0 [N·s/m].
    pub damping: f64,
    /// l₀ ≥ 0 [m].
    pub rest_length: f64,
}

/// Collects joints and springs of a model.
#[derive(Default)]
pub(super) struct GivenJoints {
    pub(super) joints: Vec<GivenJoint>,
    pub(super) springs: Vec<Spring>,
    /// Free axes that functions read.
    pub(super) readings: Vec<AxisReading>,
    /// Joints and springs with mistakes, which are not laid out.
    pub(super) left_out: [Vec<usize>; 2],
}

impl ModelBuilder {
    /// Adds a joint between two rigid things, which then do not meet.
    pub fn joint(&mut self, name: &str, posed: JointAt, a: Rigid, b: Rigid) -> &mut GivenJoint {
        let (name, between) = (name.to_owned(), [a, b]);
        self.joints.joints.push(GivenJoint { name, posed, between, collide: false, axes: Vec::new() });
        self.joints.joints.last_mut().expect("just added")
    }

    /// Fills in a reading of a free axis when the model is built.
    pub fn read_axis(&mut self, reading: &AxisReading) {
        self.joints.readings.push(reading.clone());
    }

    /// Adds a spring and damper between two points.
    pub fn spring(&mut self, spring: Spring) {
        self.joints.springs.push(spring);
    }
}

impl GivenJoints {
    /// Leaves out the joint or spring at a place where something is wrong; false if the place is none of theirs.
    pub(super) fn leave_out(&mut self, place: &Place) -> bool {
        let (kind, i) = match place {
            Place::Joint(i, _) | Place::JointAxis(i, ..) => (0, *i),
            Place::Spring(i, _) => (1, *i),
            _ => return false,
        };
        self.left_out[kind].push(i);
        true
    }

    /// What is wrong with single parts.
    pub(super) fn check(&self, _bodies: &GivenBodies, issues: &mut Vec<(Place, Issue)>) {
        let mut names = std::collections::HashSet::new();
        for (i, joint) in self.joints.iter().enumerate() {
            let mut wrong = |field: &'static str, text: String| {
                let text = format!("joint `{}`: {text}", joint.name);
                issues.push((Place::Joint(i, field), Issue::User(text)));
            };
            check_between(joint, &mut wrong);
            if !names.insert(joint.name.as_str()) {
                wrong("name", "there are two joints with this name; give each its own".to_owned());
            }
            for (k, axis) in joint.axes.iter().enumerate() {
                check_axis(axis, &mut |field: &'static str, text: String| {
                    let text = format!("joint `{}`: {text}", joint.name);
                    issues.push((Place::JointAxis(i, k, field), Issue::User(text)));
                });
            }
        }
        let mut names = std::collections::HashSet::new();
        for (i, spring) in self.springs.iter().enumerate() {
            check_spring(i, spring, issues);
            if !names.insert(spring.name.as_str()) {
                let text = "there are two springs with this name; give each its own";
                let text = format!("spring `{}`: {text}", spring.name);
                issues.push((Place::Spring(i, "name"), Issue::User(text)));
            }
        }
    }
}

/// Writes what is wrong: field and text.
pub(super) type Wrong<'a> = dyn FnMut(&'static str, String) + 'a;

fn check_between(joint: &GivenJoint, wrong: &mut Wrong<'_>) {
    let [a, b] = joint.between;
    if a == b {
        let text = "it joins a body to itself; name two different ones, or leave one out for the world";
        wrong("between", text.to_owned());
    } else if joint.between.iter().all(|side| !matches!(side, Rigid::Body(_))) {
        wrong("between", "neither of its sides moves; one of them must be a body".to_owned());
    }
    let JointAt { joint, at, axis, second_axis, to } = &joint.posed;
    if let Some(fault) = joint.fault() {
        wrong("type", fault);
    }
    for (field, point) in [("at", Some(at)), ("to", to.as_ref())] {
        if let Some(point) = point.filter(|point| point.iter().any(|x| !x.is_finite())) {
            wrong(field, format!("its place {point:?} is not finite; give three finite numbers in m"));
        }
    }
    for (field, axis) in [("axis", axis), ("second_axis", second_axis)] {
        let Some(axis) = axis else { continue };
        let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        if !length.is_finite() {
            wrong(
                field,
                format!("its axis {axis:?} has no finite length; give a direction, [0, 0, 1] for one"),
            );
        } else if length == 0.0 {
            wrong(field, "its axis has length zero; give a direction, [0, 0, 1] for one".to_owned());
        }
    }
}

fn check_axis(axis: &FreeAxis, wrong: &mut Wrong<'_>) {
    let FreeAxis { stop, restitution, .. } = axis;
    if let Some([lower, upper]) = *stop {
        if !(lower < upper) {
            wrong(
                "stop",
                format!("its stops [{lower}, {upper}] are out of order; give the lower one first"),
            );
        } else if !(lower <= 0.0 && 0.0 <= upper) {
            let text = "are violated at the start, where the axis is at 0";
            let remedy = "turn or move the bodies so that it starts between them, or shift the stops";
            wrong("stop", format!("its stops [{lower}, {upper}] {text}; {remedy}"));
        }
        if !(0.0..=1.0).contains(restitution) {
            wrong("restitution", format!("its restitution must lie between 0 and 1, got {restitution}"));
        }
    }
    let numbers =
        [("stiffness", axis.stiffness), ("damping", axis.damping), ("friction", axis.friction)];
    for (field, value) in numbers {
        if !(value >= 0.0 && value.is_finite()) {
            wrong(field, format!("its {field} must be ≥ 0 and finite, got {value}"));
        }
    }
    if axis.drive.is_some() && (axis.motor.is_some() || axis.friction != 0.0) {
        let text = "has a drive that prescribes how it moves; take the motor by force or torque and the friction out";
        wrong("motor", format!("an axis of it {text}"));
    }
    if !axis.rest.is_finite() {
        wrong("rest", format!("the place where its spring is slack must be finite, got {}", axis.rest));
    }
}

fn check_spring(i: usize, spring: &Spring, issues: &mut Vec<(Place, Issue)>) {
    let mut wrong = |field: &'static str, text: String| {
        let text = format!("spring `{}`: {text}", spring.name);
        issues.push((Place::Spring(i, field), Issue::User(text)));
    };
    if spring.ends.iter().all(|end| !matches!(end.on, Rigid::Body(_))) {
        wrong("ends", "neither of its ends is on a body; one of them must be".to_owned());
    } else if spring.ends[0].on == spring.ends[1].on {
        wrong("ends", "both of its ends are on the same body; one must be elsewhere".to_owned());
    }
    for end in &spring.ends {
        if end.at.iter().any(|x| !x.is_finite()) {
            wrong("ends", format!("its end {:?} is not finite; give three finite numbers in m", end.at));
        }
    }
    let numbers = [
        ("stiffness", spring.stiffness),
        ("damping", spring.damping),
        ("rest_length", spring.rest_length),
    ];
    for (field, value) in numbers {
        if !(value >= 0.0 && value.is_finite()) {
            wrong(field, format!("its {field} must be ≥ 0 and finite, got {value}"));
        }
    }
}
