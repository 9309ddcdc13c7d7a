//! URDF: links in a tree, each with one joint to its parent.

mod joint;
mod link;

use crate::Options;
use crate::error::Place;
use crate::folder::Folder;
use crate::log::Log;
use crate::robot::{Body, Frame, Joint, Robot};
use crate::xml::Element;
use glam::{DQuat, DVec3};
use std::collections::BTreeMap;
use std::path::Path;

/// Earth's, as URDF has none [m/s²].
const GRAVITY: f64 = -9.81;
/// As URDF has none [s].
const STEP: f64 = 1e-3;

/// Children of the root that a scene cannot have.
const REASONS: &[(&str, &str)] = &[
    ("material", "looks are not part of a scene"),
    ("transmission", "drives are those of the joints, one for each `effort`"),
    ("gazebo", "made for another program"),
    ("sensor", "a scene has no sensors; formulas read the state"),
];

/// Reads the element `robot`.
pub(crate) fn read(
    root: &Element,
    folder: &Folder,
    base: &Path,
    options: &Options,
    log: &mut Log,
) -> Option<Robot> {
    let name = root.attr("name").unwrap_or("robot").to_owned();
    // The version of the format says nothing about the robot.
    let _ = root.attr("version");
    log.drop_rest(root, &name, |attribute| (attribute == "xmlns").then_some("no part of the robot"));
    let links = by_name(root, "link", log);
    let joints = by_name(root, "joint", log);
    for child in root.children.iter().filter(|c| c.tag != "link" && c.tag != "joint") {
        let reason = REASONS.iter().find(|(tag, _)| *tag == child.tag);
        log.drop(child, "", &name, reason.map_or("not known to this importer", |(_, why)| why));
    }
    let tree = Tree::of(root, &links, &joints, log)?;
    let top = tree.order[0].0;
    let mut robot = Robot::empty(&name, DVec3::new(0.0, 0.0, GRAVITY), STEP);
    let mut numbers = BTreeMap::new();
    for (link, joint) in &tree.order {
        let element = links[*link];
        let number = robot.bodies.len();
        numbers.insert(*link, number);
        let (mass, colliders) = link::read(element, number, (folder, base), log);
        let mut body = Body {
            name: (*link).to_owned(),
            place: element.place.clone(),
            parent: None,
            frame: Frame::IDENTITY,
            is_free: joint.is_none() && options.free_base,
            joints: Vec::new(),
            mass,
            colliders,
        };
        if let Some((joint, parent)) = joint {
            body.parent = numbers.get(parent).copied();
            joint::read(joint, &mut body, &mut robot.couplings, log);
        }
        robot.bodies.push(body);
    }
    let way = if options.free_base {
        "is free to move (--base free)"
    } else {
        "is fixed to the world; --base free lets it move"
    };
    log.note(format!("the root link `{top}` {way}"));
    log.note("URDF has neither gravity nor step nor friction of contacts: g = 9.81 m/s² along −z, 1 ms and μ = 0.5 are taken");
    Some(robot)
}

/// Elements by their names, each of which must be there once.
fn by_name<'a>(root: &'a Element, tag: &'a str, log: &mut Log) -> BTreeMap<&'a str, &'a Element> {
    let mut known: BTreeMap<&str, &Element> = BTreeMap::new();
    for element in root.all(tag) {
        match element.attr("name") {
            None => log.wrong(&element.place, format!("a {tag} needs a `name`")),
            Some(name) => {
                if let Some(first) = known.get(name) {
                    let text = format!(
                        "there are two {tag}s called `{name}`, the first on line {}",
                        first.place.line
                    );
                    log.wrong(&element.place, text);
                } else {
                    known.insert(name, element);
                }
            }
        }
    }
    known
}

/// Links with their joint and parent, parents first.
struct Tree<'a> {
    order: Vec<(&'a str, Option<(&'a Element, &'a str)>)>,
}

impl<'a> Tree<'a> {
    fn of(
        root: &Element,
        links: &BTreeMap<&'a str, &'a Element>,
        joints: &BTreeMap<&'a str, &'a Element>,
        log: &mut Log,
    ) -> Option<Self> {
        let mut above: BTreeMap<&str, (&Element, &str)> = BTreeMap::new();
        let mut below: BTreeMap<&str, Vec<&'a str>> = BTreeMap::new();
        for (name, joint) in joints {
            let mut end = |tag: &str| {
                let end = joint.child(tag).and_then(|end| Some((end, end.attr("link")?)));
                match end {
                    None => log.wrong(&joint.place, format!("joint `{name}` needs <{tag} link=\"…\"/>")),
                    Some((end, link)) if !links.contains_key(link) => {
                        log.wrong(
                            &end.place,
                            format!("joint `{name}` names the link `{link}`, which is not there"),
                        );
                    }
                    Some((_, link)) => return links.get_key_value(link).map(|(known, _)| *known),
                }
                None
            };
            let (Some(parent), Some(child)) = (end("parent"), end("child")) else { continue };
            if let Some((first, _)) = above.insert(child, (joint, parent)) {
                let first = first.peek("name").unwrap_or_default();
                let text = format!(
                    "link `{child}` is the child of two joints, `{first}` and `{name}`; a loop cannot be written in URDF"
                );
                log.wrong(&joint.place, text);
            }
            below.entry(parent).or_default().push(child);
        }
        if !log.is_good() {
            return None;
        }
        let roots: Vec<&str> = links.keys().filter(|link| !above.contains_key(*link)).copied().collect();
        match roots[..] {
            [_] => {}
            [] if links.is_empty() => log.wrong(&root.place, "there is no link"),
            [] => log.wrong(&root.place, "the joints go in a circle: no link is without a parent"),
            [first, second, ..] => {
                let place = &links[second].place;
                log.wrong(place, format!("there are {} links without a parent, `{first}` and `{second}` among them; one must be the root", roots.len()));
            }
        }
        let mut order = vec![(*roots.first()?, None)];
        let mut next = 0;
        while let Some(&(link, _)) = order.get(next) {
            let children = below.get(link).into_iter().flatten();
            order.extend(children.map(|child| (*child, above.get(child).copied())));
            next += 1;
        }
        if let Some((link, element)) =
            links.iter().find(|(link, _)| !order.iter().any(|(known, _)| known == *link))
        {
            log.wrong(
                &element.place,
                format!("link `{link}` hangs in a circle of joints that does not lead to the root"),
            );
            return None;
        }
        log.is_good().then_some(Self { order })
    }
}

/// The place and turn of an element `origin`: R = R_z(yaw) R_y(pitch) R_x(roll).
fn origin(element: &Element, log: &mut Log) -> Frame {
    let Some(origin) = element.child("origin") else { return Frame::IDENTITY };
    let position = log.vector(origin, "xyz").unwrap_or(DVec3::ZERO);
    let rpy = log.vector(origin, "rpy").unwrap_or(DVec3::ZERO);
    log.drop_rest(origin, "", |_| None);
    let [x, y, z] =
        [DQuat::from_rotation_x(rpy.x), DQuat::from_rotation_y(rpy.y), DQuat::from_rotation_z(rpy.z)];
    Frame::new(position, z * y * x)
}

impl Robot {
    pub fn empty(name: &str, gravity: DVec3, step: f64) -> Self {
        Self {
            name: name.to_owned(),
            gravity,
            step,
            bodies: Vec::new(),
            ground: Vec::new(),
            loops: Vec::new(),
            couplings: Vec::new(),
            apart: Vec::new(),
            meeting: Vec::new(),
            meets_parent: false,
        }
    }
}

impl Joint {
    /// A joint on which nothing acts.
    pub fn plain(name: &str, place: &Place, freedom: crate::robot::Freedom, axis: DVec3) -> Self {
        Self {
            name: name.to_owned(),
            place: place.clone(),
            freedom,
            axis,
            at: DVec3::ZERO,
            reference: 0.0,
            start: 0.0,
            range: None,
            stiffness: 0.0,
            slack: 0.0,
            damping: 0.0,
            friction: 0.0,
            actuators: Vec::new(),
            force_range: None,
        }
    }
}
