//! The tree as bodies of a scene: places in the world, what does not move against each other as one body, one joint to each body.

use crate::Options;
use crate::joints::{Combined, Posed, combine};
use crate::log::Log;
use crate::mass;
use crate::robot::{Body, Closure, Collider, Coupling, Frame, Freedom, Joint, Mass, Robot};
use glam::{DQuat, DVec3};

/// A body of the scene.
#[derive(Debug)]
pub(crate) struct Rigid {
    pub name: String,
    pub frame: Frame,
    /// In its own axes.
    pub mass: Mass,
    /// Frames are in that of the body.
    pub colliders: Vec<Collider>,
    /// The body that its joints lead to in the file; `None`: the world, or nothing.
    pub parent: Option<usize>,
}

/// A joint of the scene.
#[derive(Debug)]
pub(crate) struct Link {
    pub name: String,
    /// `None`: the world.
    pub sides: [Option<usize>; 2],
    pub combined: Combined,
    /// Its point on the second side, and its options, for a belt.
    pub belt: Option<(DVec3, [i64; 2])>,
}

/// The robot in the world at the start.
#[derive(Debug)]
pub(crate) struct World {
    pub name: String,
    pub gravity: DVec3,
    pub step: f64,
    pub bodies: Vec<Rigid>,
    pub ground: Vec<Collider>,
    pub links: Vec<Link>,
    /// Pairs of owners of colliders that do not meet.
    pub apart: Vec<[Option<usize>; 2]>,
    pub meeting: Vec<[String; 2]>,
    pub meets_parent: bool,
    /// The scene's body of each body of the file; `None`: the world, or left out.
    pub of_owner: Vec<Option<usize>>,
}

/// Bodies of the tree that move as one, before they are a body of the scene. Everything is in world axes.
struct Group {
    top: usize,
    parent: Option<usize>,
    is_free: bool,
    joints: Vec<Posed>,
    mass: Option<Mass>,
    colliders: Vec<Collider>,
}

/// Where bodies of the tree went.
struct Tree {
    frames: Vec<Frame>,
    groups: Vec<Option<Group>>,
    /// The group of each body; `None`: the world.
    of_body: Vec<Option<usize>>,
}

impl World {
    /// Nothing after a mistake.
    pub fn of(robot: Robot, options: &Options, log: &mut Log) -> Option<Self> {
        let Robot { bodies, loops, couplings, ground, .. } = robot;
        let mut world = World {
            name: robot.name,
            gravity: robot.gravity,
            step: robot.step,
            bodies: Vec::new(),
            ground,
            links: Vec::new(),
            apart: robot.apart,
            meeting: robot.meeting,
            meets_parent: robot.meets_parent,
            of_owner: Vec::new(),
        };
        let mut tree = Tree::of(&bodies, &mut world.ground, log);
        tree.drop_massless(&bodies, log);
        let mut numbers: Vec<Option<usize>> = vec![None; tree.groups.len()];
        for (g, group) in tree.groups.iter_mut().enumerate() {
            let Some(group) = group.take() else { continue };
            let parent = group.parent.and_then(|p| numbers[p]);
            numbers[g] = world.add(group, parent, (&bodies, &tree.frames), options, log);
        }
        if !log.is_good() {
            return None;
        }
        world.of_owner = tree.of_body.iter().map(|g| g.and_then(|g| numbers[g])).collect();
        for closing in loops {
            // A body of a group that was left out for want of mass stands nowhere.
            let is_there = |body: &Option<usize>| {
                body.is_none_or(|b| tree.of_body[b].is_none_or(|g| numbers[g].is_some()))
            };
            let sides = closing.bodies.map(|body| body.and_then(|b| world.of_owner[b]));
            let at = closing.bodies[0].map_or(closing.at, |b| tree.frames[b].point(closing.at));
            let name = &closing.name;
            if !closing.bodies.iter().all(is_there) || sides[0] == sides[1] {
                log.note(format!(
                    "the equality `{name}` joins what is one body or was left out: it is not there"
                ));
                continue;
            }
            let kind = if closing.closure == Closure::Pin { "spherical" } else { "fixed" };
            let combined =
                Combined { kind, at, axis: None, second_axis: None, axes: Vec::new(), bare: Vec::new() };
            world.links.push(Link { name: closing.name, sides, combined, belt: None });
        }
        for coupling in couplings {
            world.couple(&coupling, log);
        }
        Some(world)
    }

    /// Makes a group a body with a joint; its number, or nothing after a mistake.
    fn add(
        &mut self,
        group: Group,
        parent: Option<usize>,
        (bodies, frames): (&[Body], &[Frame]),
        options: &Options,
        log: &mut Log,
    ) -> Option<usize> {
        let (top, frame) = (&bodies[group.top], frames[group.top]);
        let Some(mut mass) = group.mass else {
            log.wrong(&top.place, format!("body `{}` moves and has no mass; give it one", top.name));
            return None;
        };
        if let Some(fault) = mass::fault(mass.inertia) {
            log.wrong(&top.place, format!("body `{}`: {fault}; correct its inertia", top.name));
            return None;
        }
        let chain = match self.chain(&group, top, options, log) {
            Ok(chain) => chain,
            Err(()) => return None,
        };
        let inverse = frame.inverse();
        // Bodies between several joints: copies of a part of the body, so that mass, centre and inertia of all together stay.
        let (mut before, last) = (parent, chain.len().saturating_sub(1));
        let part = options.split.unwrap_or(0.0);
        let between = mass.scaled(part).through(&inverse);
        mass = mass.scaled(1.0 - part * last as f64);
        for (k, (name, combined)) in chain.into_iter().enumerate() {
            let number = self.bodies.len();
            if k < last {
                let name = format!("{}_at_{}", top.name, name);
                self.bodies.push(Rigid {
                    name,
                    frame,
                    mass: between,
                    colliders: Vec::new(),
                    parent: before,
                });
            }
            for joint in combined.bare.iter().filter(|joint| !joint.is_bare()) {
                let what = "its range, spring, damping, friction and drives";
                let why =
                    format!("{what} are left out, as a {} joint has none about one axis", combined.kind);
                log.drop_at(&joint.place, "joint", &joint.name, &why);
            }
            self.links.push(Link { name, sides: [before, Some(number)], combined, belt: None });
            before = Some(number);
        }
        let colliders = group
            .colliders
            .into_iter()
            .map(|c| Collider { frame: inverse.after(&c.frame), ..c })
            .collect();
        let (name, number) = (top.name.clone(), self.bodies.len());
        self.bodies.push(Rigid { name, frame, mass: mass.through(&inverse), colliders, parent });
        Some(number)
    }

    /// The joints of a scene for those of a group, from its parent on: one if there is a type, else one for each where that is allowed.
    fn chain(
        &self,
        group: &Group,
        top: &Body,
        options: &Options,
        log: &mut Log,
    ) -> Result<Vec<(String, Combined)>, ()> {
        if group.joints.is_empty() {
            return Ok(Vec::new());
        }
        let names: Vec<&str> = group.joints.iter().map(|p| p.joint.name.as_str()).collect();
        let list = names.join("`, `");
        let combined = combine(&group.joints);
        let carries =
            |combined: &Combined| combined.bare.iter().all(Joint::is_bare) || group.joints.len() == 1;
        match (combined, options.split) {
            (Ok(combined), split) if split.is_none() || carries(&combined) => {
                let name = names.join("_");
                if names.len() > 1 {
                    log.note(format!(
                        "joints `{list}` of body `{}` are one {} joint",
                        top.name, combined.kind
                    ));
                }
                Ok(vec![(name, combined)])
            }
            (_, Some(part)) => {
                log.note(format!("joints `{list}` of body `{}` are one after the other, with {part} of its mass and inertia on bodies between them (--split)", top.name));
                let one =
                    |p: &Posed| combine(std::slice::from_ref(p)).map(|c| (p.joint.name.clone(), c));
                group.joints.iter().map(|p| one(p).map_err(|_| ())).collect()
            }
            (Err(why), None) => {
                let text = "bodies without mass cannot stand between joints; --split 0.01 gives those a hundredth of the body";
                log.wrong(&top.place, format!("joints `{list}` of body `{}`: {why}. {text}", top.name));
                Err(())
            }
            (Ok(_), None) => Err(()),
        }
    }

    /// Two hinges on one body that turn as wheels of a belt.
    fn couple(&mut self, coupling: &Coupling, log: &mut Log) {
        let find = |name: &str| {
            let is_it = |link: &&Link| link.combined.kind == "revolute" && link.name == name;
            self.links.iter().find(is_it)
        };
        let drop = |log: &mut Log, why: &str| log.drop(&coupling.element, "", &coupling.name, why);
        let (Some(a), Some(b)) = (find(&coupling.leader), find(&coupling.follower)) else {
            return drop(log, "couples what are not two hinges; a scene has no joint for that");
        };
        let (Some(axis), Some(other)) = (a.combined.axis, b.combined.axis) else { return };
        if a.sides[0] != b.sides[0] || axis.cross(other).length() > 1e-8 {
            return drop(
                log,
                "couples hinges that are not parallel on one body; a belt or gears need that",
            );
        }
        let apart = b.combined.at - a.combined.at;
        if (apart - apart.dot(axis) * axis).length() < 1e-9 {
            return drop(log, "couples hinges on one line; wheels of a belt need a distance");
        }
        // n_a α = n_b β for a belt: β/α = n_a/n_b.
        let Some(teeth) = fraction(coupling.factor * axis.dot(other).signum()) else {
            return drop(log, "its factor is no ratio of whole numbers of teeth below 1000");
        };
        let (to, sides) = (b.combined.at, [a.sides[1], b.sides[1]]);
        let combined = Combined {
            kind: "belt",
            at: a.combined.at,
            axis: Some(axis),
            second_axis: None,
            axes: Vec::new(),
            bare: Vec::new(),
        };
        log.note(format!(
            "joint `{}` follows `{}` by a belt of {} to {} teeth",
            coupling.follower, coupling.leader, teeth[0], teeth[1]
        ));
        let name = format!("{}_follows_{}", coupling.follower, coupling.leader);
        self.links.push(Link { name, sides, combined, belt: Some((to, teeth)) });
    }
}

/// Whole numbers n, m with n/m = x, n > 0.
fn fraction(x: f64) -> Option<[i64; 2]> {
    let found = (1..1000i64).find_map(|m| {
        let n = (x * m as f64).round();
        ((x * m as f64 - n).abs() < 1e-9 && n != 0.0 && n.abs() < 1000.0).then_some([n as i64, m])
    });
    // Wheels of 20 teeth or more.
    found.map(|[n, m]| {
        let k = 20 / n.abs().min(m) + 1;
        [n.abs() * k, n.signum() * m * k]
    })
}

impl Tree {
    fn of(bodies: &[Body], ground: &mut Vec<Collider>, log: &mut Log) -> Self {
        let mut tree = Self { frames: Vec::new(), groups: Vec::new(), of_body: Vec::new() };
        for (b, body) in bodies.iter().enumerate() {
            let around = body.parent.map_or(Frame::IDENTITY, |p| tree.frames[p]);
            let (frame, joints) = pose(body, around.after(&body.frame), log);
            let above = body.parent.and_then(|p| tree.of_body[p]);
            let group = if body.is_free || !joints.is_empty() {
                let parent = above.filter(|_| !body.is_free);
                let group = Group {
                    top: b,
                    parent,
                    is_free: body.is_free,
                    joints,
                    mass: None,
                    colliders: Vec::new(),
                };
                tree.groups.push(Some(group));
                Some(tree.groups.len() - 1)
            } else {
                above
            };
            let colliders =
                body.colliders.iter().map(|c| Collider { frame: frame.after(&c.frame), ..c.clone() });
            match group.and_then(|g| tree.groups[g].as_mut()) {
                None => ground.extend(colliders),
                Some(group) => {
                    group.colliders.extend(colliders);
                    if let Some(mass) = body.mass.map(|mass| mass.through(&frame)) {
                        group.mass = Some(group.mass.map_or(mass, |before| before.with(&mass)));
                    }
                }
            }
            tree.frames.push(frame);
            tree.of_body.push(group);
        }
        tree
    }

    /// A group without mass gives its joints to the one behind it, or is left out.
    fn drop_massless(&mut self, bodies: &[Body], log: &mut Log) {
        for g in (0..self.groups.len()).rev() {
            let Some(group) = self.groups[g].as_ref().filter(|group| group.mass.is_none()) else {
                continue;
            };
            let behind: Vec<usize> = (g + 1..self.groups.len())
                .filter(|&k| self.groups[k].as_ref().is_some_and(|other| other.parent == Some(g)))
                .collect();
            let (name, place) = (&bodies[group.top].name, &bodies[group.top].place);
            let is_free = group.is_free;
            match behind[..] {
                [] if is_free => {
                    log.wrong(place, format!("body `{name}` is free and has no mass; give it one"));
                }
                [] => {
                    let why = "has no mass and carries nothing that has: it is left out with its joints and colliders";
                    log.drop_at(place, "body", name, why);
                }
                [next] => {
                    let (parent, mut joints) = (group.parent, group.joints.clone());
                    if !group.colliders.is_empty() {
                        log.drop_at(place, "body", name, "has no mass: its colliders are left out");
                    }
                    if is_free {
                        log.wrong(place, format!("body `{name}` is free and has no mass; give it one"));
                    }
                    if let Some(next) = self.groups[next].as_mut() {
                        joints.append(&mut next.joints);
                        (next.joints, next.parent) = (joints, parent);
                    }
                }
                _ => continue,
            }
            self.groups[g] = None;
        }
    }
}

/// The frame of a body at the start and its joints there, from the frame at their references.
fn pose(body: &Body, mut frame: Frame, log: &mut Log) -> (Frame, Vec<Posed>) {
    let mut joints = Vec::new();
    for joint in &body.joints {
        let mut joint = joint.clone();
        if let Some([lower, upper]) = joint.range.filter(|_| joint.freedom != Freedom::Ball) {
            let inside = joint.start.clamp(lower, upper.max(lower));
            if inside != joint.start {
                log.note(format!(
                    "joint `{}` starts at {inside:.6}, the end of its range, as {} is outside of it",
                    joint.name, joint.start
                ));
                joint.start = inside;
            }
        }
        let (axis, at) = (frame.rotation * joint.axis, frame.point(joint.at));
        let way = joint.start - joint.reference;
        match joint.freedom {
            Freedom::Turn if way != 0.0 => {
                let turn = DQuat::from_axis_angle(axis, way);
                frame =
                    Frame::new(at + turn * (frame.position - at), (turn * frame.rotation).normalize());
            }
            Freedom::Slide => frame.position += way * axis,
            Freedom::Turn | Freedom::Ball => {}
        }
        let at = if joint.freedom == Freedom::Slide { frame.point(joint.at) } else { at };
        joints.push(Posed { joint, axis, at });
    }
    (frame, joints)
}
