//! MJCF, MuJoCo's own format: nested bodies, each with joints, geoms and defaults by class.

mod actuator;
mod compiler;
mod defaults;
mod geom;
mod include;
mod joint;
mod pairs;

use crate::folder::Folder;
use crate::log::Log;
use crate::mass;
use crate::robot::{Body, Frame, Mass, OF_THE_WORLD, Robot};
use crate::xml::Element;
use compiler::{Compiler, FromGeoms};
use defaults::Classes;
use glam::{DMat3, DVec3};
use nonsmooth_geometry::files::Triangles;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Why parts of the file are left out.
const REASONS: &[(&str, &str)] = &[
    ("visual", "looks are not part of a scene"),
    ("texture", "looks are not part of a scene"),
    ("material", "looks are not part of a scene"),
    ("camera", "looks are not part of a scene"),
    ("light", "looks are not part of a scene"),
    ("statistic", "looks are not part of a scene"),
    ("site", "a scene has no marks on bodies"),
    ("sensor", "a scene has no sensors; formulas read the state"),
    ("tendon", "a scene has no tendons"),
    ("keyframe", "the scene starts where all joints are at their references"),
    ("size", "a detail of another program"),
    ("custom", "a detail of another program"),
    ("extension", "a detail of another program"),
    ("plugin", "a detail of another program"),
    ("hfield", "heights in a picture are not read"),
    ("deformable", "what deforms is not carried over"),
    ("composite", "what is made by a rule is not carried over"),
    ("flexcomp", "what deforms is not carried over"),
    (
        "replicate",
        "what is made by a rule is not carried over; let MuJoCo save the file, which writes it out",
    ),
    (
        "attach",
        "models inside of models are not carried over; let MuJoCo save the file, which writes them out",
    ),
    (
        "model",
        "models inside of models are not carried over; let MuJoCo save the file, which writes them out",
    ),
];

fn why(tag: &str) -> &'static str {
    REASONS.iter().find(|(known, _)| *known == tag).map_or("not known to this importer", |(_, why)| why)
}

/// What is known while bodies are read.
struct Reader<'a> {
    compiler: Compiler,
    classes: Classes,
    meshes: BTreeMap<String, Element>,
    loaded: BTreeMap<String, Option<Triangles>>,
    /// Geoms that explicit pairs name.
    paired: BTreeSet<String>,
    /// Whether the file switches contacts off.
    is_contactless: bool,
    folder: &'a Folder,
    base: &'a Path,
    robot: Robot,
}

/// Reads the element `mujoco`.
pub(crate) fn read(mut root: Element, folder: &Folder, base: &Path, log: &mut Log) -> Option<Robot> {
    include::expand(&mut root, folder, base, log);
    let name = root.attr("model").unwrap_or("model").to_owned();
    log.drop_rest(&root, &name, |_| None);
    let mut reader = Reader {
        compiler: Compiler::default(),
        classes: Classes::default(),
        meshes: BTreeMap::new(),
        loaded: BTreeMap::new(),
        paired: BTreeSet::new(),
        is_contactless: false,
        folder,
        base,
        robot: Robot::empty(&name, DVec3::new(0.0, 0.0, -9.81), 2e-3),
    };
    let all = |tag: &'static str| root.children.iter().filter(move |child| child.tag == tag);
    all("compiler").for_each(|element| reader.compiler.take(element, log));
    all("default").for_each(|element| reader.classes.take(element, log));
    all("option").for_each(|element| reader.option(element, log));
    all("asset").for_each(|element| reader.assets(element, log));
    all("contact").for_each(|element| reader.name_pairs(element, log));
    for world in all("worldbody") {
        reader.inside(world, (None, Frame::IDENTITY), None, None, log);
    }
    if !log.is_good() {
        return None;
    }
    reader.settle_masses(log);
    all("contact").for_each(|element| reader.contact(element, log));
    all("equality").for_each(|element| reader.equality(element, log));
    all("actuator").for_each(|element| reader.actuators(element, log));
    let read =
        ["compiler", "default", "option", "asset", "contact", "worldbody", "equality", "actuator"];
    for child in root.children.iter().filter(|child| !read.contains(&child.tag.as_str())) {
        leave_out(child, log);
    }
    Some(reader.robot)
}

/// Leaves out an element; of a list each entry by its name.
fn leave_out(element: &Element, log: &mut Log) {
    if ["sensor", "tendon", "keyframe", "custom", "deformable"].contains(&element.tag.as_str()) {
        element.children.iter().for_each(|child| log.drop(child, "", "", why(&element.tag)));
    } else {
        log.drop(element, "", "", why(&element.tag));
    }
}

impl Reader<'_> {
    fn option(&mut self, option: &Element, log: &mut Log) {
        let robot = &mut self.robot;
        robot.gravity = log.vector(option, "gravity").unwrap_or(robot.gravity);
        if let Some(step) = log.number(option, "timestep") {
            robot.step = step;
            if !(step > 0.0) {
                log.wrong(
                    &option.place_of("timestep"),
                    format!("the timestep is {step}; it must be > 0"),
                );
            }
        }
        for flag in option.all("flag") {
            let off = |name: &str| flag.peek(name) == Some("disable");
            if off("gravity") {
                robot.gravity = DVec3::ZERO;
            }
            robot.meets_parent |= off("filterparent");
            if off("contact") {
                self.is_contactless = true;
                log.note("the file switches contacts off: nothing meets");
            }
            let _ = ["gravity", "filterparent", "contact"].map(|name| flag.attr(name).is_some());
            log.drop_rest(flag, "", |_| Some("a switch of another program"));
        }
        log.drop_rest(option, "", |name| {
            Some(match name {
                "density" | "viscosity" | "wind" => "there is no fluid in a scene",
                "magnetic" => "there is no magnetic field in a scene",
                _ => "a scheme and a solver of another program; a scene has its own",
            })
        });
    }

    fn assets(&mut self, assets: &Element, log: &mut Log) {
        for asset in &assets.children {
            if asset.tag != "mesh" {
                log.drop(asset, "", "", why(&asset.tag));
                continue;
            }
            let asset = self.classes.apply(asset, None, log);
            let stem = |file: &str| {
                let file = file.rsplit(['/', '\\']).next().unwrap_or(file);
                file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_owned()
            };
            match asset.attr("name").map(str::to_owned).or_else(|| asset.peek("file").map(stem)) {
                Some(name) => drop(self.meshes.insert(name, asset)),
                None => log.wrong(&asset.place, "a mesh needs a `name` or a `file`"),
            }
        }
    }

    /// Reads what stands in a body, in the world or in a frame. `at` is the body, none for the world, and the frame in it.
    fn inside(
        &mut self,
        element: &Element,
        at: (Option<usize>, Frame),
        class: Option<&str>,
        mut geoms: Option<&mut Vec<Mass>>,
        log: &mut Log,
    ) {
        let (body, around) = at;
        let own = element.attr("childclass").map(str::to_owned);
        let class = own.as_deref().or(class);
        for child in &element.children {
            match child.tag.as_str() {
                "body" => self.body(child, at, class, log),
                "frame" => {
                    let frame = around.after(&self.compiler.frame(child, log));
                    let _ = child.attr("name");
                    self.inside(child, (body, frame), class, geoms.as_deref_mut(), log);
                    log.drop_rest(child, "", |_| None);
                }
                "geom" => {
                    let (owner, name) = body.map_or((OF_THE_WORLD, "world".to_owned()), |b| {
                        (b, self.robot.bodies[b].name.clone())
                    });
                    let geom = self.geom(child, class, (owner, &name, &around), log);
                    match body {
                        Some(b) => self.robot.bodies[b].colliders.extend(geom.collider),
                        None => self.robot.ground.extend(geom.collider),
                    }
                    if let Some(geoms) = geoms.as_deref_mut() {
                        geoms.extend(geom.mass);
                    }
                }
                "joint" | "freejoint" => match body {
                    None => log.wrong(&child.place, "the world has no joints"),
                    Some(b) => {
                        let mut taken = self.robot.bodies[b].clone();
                        let before = taken.joints.len();
                        self.joint(child, class, &mut taken, log);
                        for joint in &mut taken.joints[before..] {
                            (joint.at, joint.axis) =
                                (around.point(joint.at), around.rotation * joint.axis);
                        }
                        self.robot.bodies[b] = taken;
                    }
                },
                "inertial" if body.is_some() => {}
                tag => log.drop(
                    child,
                    "",
                    body.map_or("", |b| self.robot.bodies[b].name.as_str()),
                    why(tag),
                ),
            }
        }
    }

    fn body(
        &mut self,
        element: &Element,
        (parent, around): (Option<usize>, Frame),
        class: Option<&str>,
        log: &mut Log,
    ) {
        let number = self.robot.bodies.len();
        let name =
            element.attr("name").map_or_else(|| format!("body_{}", element.place.line), str::to_owned);
        let frame = around.after(&self.compiler.frame(element, log));
        self.robot.bodies.push(Body {
            name: name.clone(),
            place: element.place.clone(),
            parent,
            frame,
            is_free: false,
            joints: Vec::new(),
            mass: None,
            colliders: Vec::new(),
        });
        let mut geoms = Vec::new();
        self.inside(element, (Some(number), Frame::IDENTITY), class, Some(&mut geoms), log);
        log.drop_rest(element, &name, |key| match key {
            "gravcomp" => Some("nothing carries a weight here"),
            "mocap" => {
                Some("a body that another program moves is fixed; `motion` of a scene moves bodies")
            }
            "user" | "sleep" => Some("says nothing about the motion"),
            _ => None,
        });
        let inertial = element.child("inertial");
        let given = inertial.and_then(|inertial| self.inertial(inertial, &name, log));
        let from_geoms = geoms.into_iter().reduce(|a, b| a.with(&b));
        self.robot.bodies[number].mass = match self.compiler.from_geoms {
            FromGeoms::Always => from_geoms.or(given),
            FromGeoms::Never => given,
            FromGeoms::Auto if inertial.is_some() => given,
            FromGeoms::Auto => from_geoms,
        };
    }

    fn inertial(&mut self, element: &Element, body: &str, log: &mut Log) -> Option<Mass> {
        let frame = self.compiler.frame(element, log);
        let mass = log.positive(element, "mass");
        let diagonal = log.vector(element, "diaginertia");
        let full = log.list::<6>(element, "fullinertia");
        log.drop_rest(element, body, |_| None);
        let inertia = match (diagonal, full) {
            (_, Some([xx, yy, zz, xy, xz, yz])) => {
                DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz))
            }
            (Some(diagonal), None) => DMat3::from_diagonal(diagonal),
            (None, None) => {
                log.wrong(
                    &element.place,
                    format!("the inertial of `{body}` needs `diaginertia` or `fullinertia`"),
                );
                return None;
            }
        };
        match mass {
            None => {
                log.wrong(
                    &element.place,
                    format!("the inertial of `{body}` needs a `mass` that is not negative"),
                );
                None
            }
            Some(0.0) => None,
            Some(mass) => Some(Mass { mass, centre: DVec3::ZERO, inertia }.through(&frame)),
        }
    }

    /// Least masses and moments, balance and the sum of masses, as the compiler asks.
    fn settle_masses(&mut self, log: &mut Log) {
        let Compiler { least, balance, total_mass, .. } = self.compiler;
        let bodies = &mut self.robot.bodies;
        for body in bodies.iter_mut() {
            let Some(given) = &mut body.mass else { continue };
            given.mass = given.mass.max(least[0]);
            let (moments, axes) = mass::principal(given.inertia);
            if moments.min_element() < least[1] {
                let raised = moments.max(DVec3::splat(least[1]));
                given.inertia = axes * DMat3::from_diagonal(raised) * axes.transpose();
            }
            if let Some(inertia) = mass::balanced(given.inertia).filter(|_| balance) {
                log.note(format!("the inertia of `{}` is one that no body has; the mean of its moments stands in its place, as `balanceinertia` asks", body.name));
                given.inertia = inertia;
            }
        }
        let sum: f64 = bodies.iter().filter_map(|body| body.mass).map(|mass| mass.mass).sum();
        if let Some(total) = total_mass.filter(|_| sum > 0.0) {
            for mass in bodies.iter_mut().filter_map(|body| body.mass.as_mut()) {
                *mass = mass.scaled(total / sum);
            }
        }
    }

    /// The number of a body by its name; `Some(None)` is the world.
    fn find(&self, name: &str) -> Option<Option<usize>> {
        if name == "world" {
            return Some(None);
        }
        self.robot.bodies.iter().position(|body| body.name == name).map(Some)
    }
}
