//! Joints of a scene: sides by the names of bodies, place and axis in the world at the start, what acts on the free axes.

use super::bodies::full_name;
use super::copies::At;
use super::{Build, Dimension};
use crate::scene::{self, Quantity};
use crate::source::Path;
use glam::DVec3;
use nonsmooth::joints::{AxisKind, Joint, Within, find};
use nonsmooth::model::constraints::{Drive, MotorFunction};
use nonsmooth::model::{FreeAxis, JointAt, Rigid, UserError};
use nonsmooth_solvers::Options;
use std::sync::Arc;

impl Build<'_> {
    /// Makes the free axes of joints known to formulas.
    pub(super) fn name_joints(&mut self) {
        let scene = self.scene;
        for spec in &scene.joint {
            // What is wrong with a type, its options or a number of copies is told with the joint.
            let Some(joint) = find(&spec.kind).and_then(|entry| entry.build(&Options::default()).ok())
            else {
                continue;
            };
            let number = |n: &Quantity| {
                let value = self.formula(&Path::of("joint"), n, &self.constants(None)).ok()?.constant();
                value.map(|n| n as usize)
            };
            let count = spec.repeat.as_ref().map(|n| number(n).unwrap_or(0));
            let kinds = joint.free_axes(self.within());
            self.directory.add_joints(&spec.name, count, kinds);
        }
    }

    pub(super) fn joints(&mut self) {
        let scene = self.scene;
        for (k, spec) in scene.joint.iter().enumerate() {
            let path = Path::of("joint").index(k);
            self.compiled.clear();
            if !super::systems::is_name(&spec.name) {
                let message =
                    format!("`{}` is not a name: letters, digits and _, not first a digit", spec.name);
                self.mistake(&path.key("name"), message);
            }
            if spec.between.len() != 2 {
                let message = format!("a joint has two sides, got {}", spec.between.len());
                self.mistake(&path.key("between"), message);
            }
            self.each_copy(&path, spec.repeat.as_ref(), |build, copy| build.joint(&path, spec, copy));
        }
    }

    fn joint(&mut self, path: &Path, spec: &scene::Joint, copy: Option<usize>) {
        let at = At::Path(path);
        let between = at.key("between");
        let sides: Vec<Option<Rigid>> = spec
            .between
            .iter()
            .enumerate()
            .map(|(k, side)| match &side.body {
                None => Some(Rigid::World),
                Some(name) => {
                    self.named_body(&between.entry(k).key("body"), name, copy).map(|(body, _)| body)
                }
            })
            .collect();
        let place = self.point(&at.key("at"), Some(&spec.at), copy, DVec3::ZERO);
        // An unknown type was reported with the form of the scene.
        let Some(entry) = find(&spec.kind) else { return };
        let Some(options) = self.options_of_copy(path, &spec.options, entry.options, copy) else {
            return;
        };
        let joint = match entry.build(&options) {
            Ok(joint) => joint,
            Err(errors) => return self.option_errors(path, &errors),
        };
        let within = self.within();
        let (first, second) = (joint.needs_axis(within), joint.needs_second_axis(within));
        let axis = self.joint_axis((&at, "axis"), spec.axis.as_ref(), first, (spec, copy));
        let second =
            self.joint_axis((&at, "second_axis"), spec.second_axis.as_ref(), second, (spec, copy));
        let to = self.second_point(&at, spec, &*joint, copy);
        let axes = self.free_axes(path, spec, &*joint, copy);
        // After a mistake nothing is built, but the model still looks at what is there.
        let [Some(a), Some(b)] = &sides[..] else { return };
        let posed = JointAt::new(joint, place.unwrap_or_default().to_array());
        let posed = match axis {
            Ok(Some(axis)) => posed.axis(axis.to_array()),
            Ok(None) | Err(()) => posed,
        };
        let posed = match second {
            Ok(Some(axis)) => posed.second_axis(axis.to_array()),
            Ok(None) | Err(()) => posed,
        };
        let posed = match to {
            Some(to) => posed.to(to.to_array()),
            None => posed,
        };
        let given = self.builder.joint(&full_name(&spec.name, copy), posed, *a, *b).axes(axes);
        if spec.collide {
            given.collide();
        }
        self.joint_paths.push(path.clone());
    }

    fn within(&self) -> Within {
        match self.dimension {
            Dimension::Plane => Within::Plane,
            Dimension::Space => Within::Space,
        }
    }

    /// The direction of an axis, if the joint has it; `Err` after a mistake.
    fn joint_axis(
        &mut self,
        (at, key): (&At<'_>, &str),
        axis: Option<&Vec<Quantity>>,
        is_needed: bool,
        (spec, copy): (&scene::Joint, Option<usize>),
    ) -> Result<Option<DVec3>, ()> {
        let (at, kind, word) = (&at.key(key), &spec.kind, key.replace('_', " "));
        match axis {
            None if is_needed => {
                let example = if self.dimension == Dimension::Plane { "[1, 0]" } else { "[0, 0, 1]" };
                let text = format!("needs the direction of its {word}: {key} = {example}, for one");
                self.wrong(at, format!("a {kind} joint {text}"));
                Err(())
            }
            Some(_) if !is_needed => {
                let why = self.dimension_text();
                self.wrong(
                    at,
                    format!("a {kind} joint has no {word} of its own here ({why}); leave it out"),
                );
                Err(())
            }
            None => Ok(None),
            Some(axis) => self.point(at, Some(axis), copy, DVec3::ZERO).map(Some).ok_or(()),
        }
    }

    /// The joint's point on the second side, if it has another one there.
    fn second_point(
        &mut self,
        at: &At<'_>,
        spec: &scene::Joint,
        joint: &dyn Joint,
        copy: Option<usize>,
    ) -> Option<DVec3> {
        let (at, kind) = (at.key("to"), &spec.kind);
        match &spec.to {
            Some(_) if !joint.needs_second_point() => {
                self.wrong(&at, format!("a {kind} joint has one point; leave `to` out"));
                None
            }
            None if joint.needs_second_point() => {
                let text =
                    "needs its point on the second side: to = [x, y, z], in the axes of the world";
                self.wrong(&at, format!("a {kind} joint {text}"));
                None
            }
            to => self.point(&at, Some(to.as_ref()?), copy, DVec3::ZERO),
        }
    }

    /// What acts on the free axes of a joint.
    fn free_axes(
        &mut self,
        path: &Path,
        spec: &scene::Joint,
        joint: &dyn Joint,
        copy: Option<usize>,
    ) -> Vec<FreeAxis> {
        let kinds = joint.free_axes(self.within());
        let path = path.key("axes");
        if !spec.axes.is_empty() && spec.axes.len() != kinds.len() {
            let (n, got) = (kinds.len(), spec.axes.len());
            let text = format!("a {} joint has {n} free axes that take entries, got {got}", spec.kind);
            self.mistake(&path, text);
        }
        let list = spec.axes.iter().zip(kinds).enumerate();
        list.map(|(k, (axis, kind))| self.free_axis(&path.index(k), axis, *kind, copy)).collect()
    }

    /// What acts on a free axis; where there is a mistake, what is left of it.
    fn free_axis(
        &mut self,
        path: &Path,
        spec: &scene::JointAxis,
        kind: AxisKind,
        copy: Option<usize>,
    ) -> FreeAxis {
        let at = At::Path(path);
        let stop = match &spec.stop {
            None => None,
            Some(list) => match self.numbers(&at.key("stop"), list, copy).as_deref() {
                Some(&[lower, upper]) => Some([lower, upper]),
                Some(other) => {
                    let got = other.len();
                    self.wrong(
                        &at.key("stop"),
                        format!("a stop has a lower and an upper end, got {got} numbers"),
                    );
                    None
                }
                None => None,
            },
        };
        let number = |build: &mut Self, key: &str, quantity: &Option<Quantity>| {
            build.optional(&at.key(key), quantity.as_ref(), copy).ok().flatten().unwrap_or(0.0)
        };
        let restitution = number(self, "restitution", &spec.restitution);
        let stiffness = number(self, "stiffness", &spec.stiffness);
        let damping = number(self, "damping", &spec.damping);
        let rest = number(self, "rest", &spec.rest);
        let friction = number(self, "friction", &spec.friction);
        if spec.restitution.is_some() && spec.stop.is_none() {
            let message = "without a `stop`, `restitution` has no meaning; leave it out, or add one";
            self.wrong(&at.key("restitution"), message.to_owned());
        }
        let (mut motor, mut drive) = (None, None);
        if let Some(spec) = &spec.motor {
            let path = path.key("motor");
            if spec.velocity.is_some() || spec.position.is_some() {
                drive = self.drive(&path, spec, copy);
            } else {
                motor = self.motor(&path, spec, kind, copy);
            }
        }
        FreeAxis { stop, restitution, stiffness, damping, rest, motor, friction, drive }
    }

    /// A motor that prescribes the motion of its axis.
    fn drive(&mut self, path: &Path, motor: &scene::Motor, copy: Option<usize>) -> Option<Drive> {
        let given = [
            ("velocity", &motor.velocity),
            ("position", &motor.position),
            ("torque", &motor.torque),
            ("force", &motor.force),
        ];
        let mut given = given.into_iter().filter_map(|(key, quantity)| Some((key, quantity.as_ref()?)));
        let (key, quantity) = given.next()?;
        if let Some((other, _)) = given.next() {
            let text = format!("a motor has one of these; leave `{other}` or `{key}` out");
            self.mistake(&path.key(other), text);
            return None;
        }
        let formulas = self.instant_formulas(&[(path.key(key), quantity)], copy)?;
        let function = Arc::new(move |at: &nonsmooth::Instant<'_>| {
            Ok::<f64, UserError>(formulas.values::<1>(at)[0])
        });
        Some(if key == "velocity" { Drive::Velocity(function) } else { Drive::Position(function) })
    }

    fn motor(
        &mut self,
        path: &Path,
        motor: &scene::Motor,
        kind: AxisKind,
        copy: Option<usize>,
    ) -> Option<MotorFunction> {
        let (wanted, other) = match kind {
            AxisKind::Angle => (("torque", &motor.torque), ("force", &motor.force)),
            AxisKind::Travel => (("force", &motor.force), ("torque", &motor.torque)),
        };
        if other.1.is_some() {
            let text = format!("this axis takes a `{}`, not a `{}`", wanted.0, other.0);
            self.mistake(&path.key(other.0), text);
            return None;
        }
        let Some(quantity) = wanted.1 else {
            let text = "a `velocity` or a `position`";
            self.mistake(path, format!("a motor of this axis needs a `{}`, {text}", wanted.0));
            return None;
        };
        let formulas = self.instant_formulas(&[(path.key(wanted.0), quantity)], copy)?;
        Some(Box::new(move |at| Ok::<f64, UserError>(formulas.values::<1>(at)[0])))
    }
}
