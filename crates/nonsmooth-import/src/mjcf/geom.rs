//! Geoms of MJCF: what a body collides with and what it weighs.

use super::Reader;
use super::compiler::along;
use crate::form::{ellipsoid, ellipsoid_mass};
use crate::log::Log;
use crate::meshes::{NoMesh, mesh};
use crate::robot::{Collider, Form, Frame, Mass, Rubbing};
use crate::xml::Element;
use glam::{DQuat, DVec3};
use nonsmooth_geometry::files::Triangles;

/// Attributes that are not carried over.
fn reason(name: &str) -> Option<&'static str> {
    Some(match name {
        "rgba" | "material" => "looks are not part of a scene",
        "margin" | "gap" | "solref" | "solimp" | "solmix" => {
            "contacts are rigid here, without a softness or a margin"
        }
        "fluidshape" | "fluidcoef" => "there is no fluid in a scene",
        "user" => "says nothing about the motion",
        "shellinertia" => "a geom is solid here",
        "hfield" => "heights in a picture are not read",
        _ => return None,
    })
}

/// A geom as it was read.
pub(super) struct Geom {
    pub collider: Option<Collider>,
    /// In the frame of the body.
    pub mass: Option<Mass>,
}

/// What a geom is made of.
enum Made {
    Form(Form),
    Ellipsoid(DVec3),
    Mesh(Triangles),
    Nothing,
}

impl Reader<'_> {
    /// Reads a geom of body `owner` in the frame `around`.
    pub(super) fn geom(
        &mut self,
        element: &Element,
        class: Option<&str>,
        (owner, body, around): (usize, &str, &Frame),
        log: &mut Log,
    ) -> Geom {
        let element = &self.classes.apply(element, class, log);
        let name =
            element.attr("name").map_or_else(|| format!("{body}/{}", element.place.line), str::to_owned);
        let kind = element.attr("type").unwrap_or(if element.peek("mesh").is_some() {
            "mesh"
        } else {
            "sphere"
        });
        let (frame, size) = self.extent(element, kind, log);
        let made = self.made(element, kind, &name, &size, log);
        let group = log.number(element, "group").unwrap_or(0.0);
        let [low, high] = self.compiler.groups;
        let counts = group >= low && group <= high && kind != "plane";
        let mass = self.weigh(element, &name, &made, log).filter(|_| counts);
        let bits = ["contype", "conaffinity"]
            .map(|key| log.number(element, key).map_or(1, |x| x as i64 as u32));
        let friction = log.numbers(element, "friction").unwrap_or_default();
        let condim = log.number(element, "condim").unwrap_or(3.0);
        let priority = log.number(element, "priority").unwrap_or(0.0) as i64;
        if condim > 3.0 && bits != [0, 0] {
            log.drop(
                element,
                "condim",
                &name,
                "contacts slide; they neither roll nor spin with friction",
            );
        }
        log.drop_rest(element, &name, reason);
        let frame = around.after(&frame);
        let meets = !self.is_contactless && (bits != [0, 0] || self.paired.contains(&name));
        let form = if meets { self.form(made, element, &name, log) } else { None };
        let rubbing = Rubbing {
            friction: friction.first().copied().unwrap_or(1.0),
            is_smooth: condim == 1.0,
            priority,
        };
        if rubbing.friction < 0.0 {
            log.wrong(
                &element.place,
                format!("geom `{name}`: friction is {}; it must not be negative", rubbing.friction),
            );
        }
        let collider = form.map(|form| Collider { name, form, frame, rubbing, bits, owner });
        Geom { collider, mass: mass.map(|mass| mass.through(&frame)) }
    }

    /// Place, turn and half sizes, from `pos` and `size` or from `fromto`.
    fn extent(&self, element: &Element, kind: &str, log: &mut Log) -> (Frame, Vec<f64>) {
        let mut size = log.numbers(element, "size").unwrap_or_default();
        if kind == "mesh" {
            size.clear();
        }
        if let (Some(ends), true) = (
            log.list::<6>(element, "fromto"),
            ["capsule", "cylinder", "box", "ellipsoid"].contains(&kind),
        ) {
            let [from, to] = [DVec3::from_slice(&ends[..3]), DVec3::from_slice(&ends[3..])];
            let _ = ["pos", "quat", "axisangle", "xyaxes", "zaxis", "euler"]
                .map(|key| element.attr(key).is_some());
            let turn = along(from - to);
            if turn.length() < 0.5 {
                log.wrong(&element.place_of("fromto"), "`fromto` has no length");
                return (Frame::IDENTITY, size);
            }
            let (half, radius) = (0.5 * (to - from).length(), size.first().copied().unwrap_or(0.0));
            let sizes = if kind == "box" || kind == "ellipsoid" {
                vec![radius, radius, half]
            } else {
                vec![radius, half]
            };
            return (Frame::new(0.5 * (from + to), turn), sizes);
        }
        (self.compiler.frame(element, log), size)
    }

    fn made(&mut self, element: &Element, kind: &str, name: &str, size: &[f64], log: &mut Log) -> Made {
        let n = match kind {
            "sphere" => 1,
            "capsule" | "cylinder" => 2,
            "box" | "ellipsoid" => 3,
            _ => 0,
        };
        if size.len() < n {
            log.wrong(
                &element.place,
                format!("geom `{name}`: a {kind} needs {n} sizes, got {}", size.len()),
            );
            return Made::Nothing;
        }
        if element.peek("mesh").is_some() && kind != "mesh" {
            log.drop(element, "mesh", name, "a shape fitted to a mesh is not made");
        }
        let form = match kind {
            "plane" => Form::HalfSpace,
            "sphere" => Form::Ball { radius: size[0] },
            "capsule" => Form::Capsule { half: size[1], radius: size[0] },
            "cylinder" => Form::Cylinder { half: size[1], radius: size[0] },
            "box" => Form::Box { half: DVec3::from_slice(size) },
            "ellipsoid" => {
                let half = DVec3::from_slice(size);
                if half.min_element() <= 0.0 {
                    log.wrong(
                        &element.place,
                        format!("geom `{name}`: the half axes of an ellipsoid must be > 0"),
                    );
                    return Made::Nothing;
                }
                return Made::Ellipsoid(half);
            }
            "mesh" => return self.mesh(element, name, log).map_or(Made::Nothing, Made::Mesh),
            other => {
                log.drop(
                    element,
                    "type",
                    name,
                    &format!("a geom of the type `{}` is not made", crate::numbers::short(other)),
                );
                return Made::Nothing;
            }
        };
        if let Err(message) = form.shape() {
            log.wrong(&element.place, format!("geom `{name}`: {message}"));
            return Made::Nothing;
        }
        Made::Form(form)
    }

    /// The triangles of the mesh that a geom names.
    fn mesh(&mut self, element: &Element, name: &str, log: &mut Log) -> Option<Triangles> {
        let wanted = log.needed(element, "mesh")?;
        let Some(asset) = self.meshes.get(&wanted).cloned() else {
            log.wrong(&element.place_of("mesh"), format!("geom `{name}`: there is no mesh `{wanted}`"));
            return None;
        };
        if let Some(known) = self.loaded.get(&wanted) {
            return known.clone();
        }
        let read = self.triangles(&asset, name, log);
        self.loaded.insert(wanted, read.clone());
        read
    }

    fn triangles(&self, asset: &Element, name: &str, log: &mut Log) -> Option<Triangles> {
        let scale = log.vector(asset, "scale").unwrap_or(DVec3::ONE);
        let position = log.vector(asset, "refpos").unwrap_or(DVec3::ZERO);
        let turn = log
            .list(asset, "refquat")
            .map_or(DQuat::IDENTITY, |[w, x, y, z]| DQuat::from_xyzw(x, y, z, w).normalize());
        let mut triangles = match (asset.attr("file"), log.numbers(asset, "vertex")) {
            (Some(file), _) => {
                let file = if self.compiler.strip_path {
                    file.rsplit(['/', '\\']).next().unwrap_or(file)
                } else {
                    file
                };
                let path = match self.compiler.mesh_folder.as_str() {
                    "" => file.to_owned(),
                    folder => format!("{}/{file}", folder.trim_end_matches('/')),
                };
                match mesh(self.folder, &[(self.base, path)], scale) {
                    Ok(triangles) => triangles,
                    Err(NoMesh::Format(why)) => {
                        log.drop(asset, "", name, &why);
                        return None;
                    }
                    Err(NoMesh::Wrong(message)) => {
                        log.wrong(&asset.place, message);
                        return None;
                    }
                }
            }
            (None, Some(list)) => {
                let vertices =
                    list.chunks_exact(3).map(|p| (DVec3::from_slice(p) * scale).to_array()).collect();
                Triangles { vertices, triangles: Vec::new() }
            }
            (None, None) => {
                log.drop(asset, "", name, "a mesh that is built in is not made");
                return None;
            }
        };
        log.drop_rest(asset, name, |_| Some("a detail of how a mesh is made or looks"));
        for vertex in &mut triangles.vertices {
            *vertex = (turn.inverse() * (DVec3::from_array(*vertex) - position)).to_array();
        }
        Some(triangles)
    }

    /// What a geom weighs: its `mass`, else its density times its volume.
    fn weigh(&self, element: &Element, name: &str, made: &Made, log: &mut Log) -> Option<Mass> {
        let density = log.positive(element, "density").unwrap_or(1000.0);
        let given = log.positive(element, "mass");
        // Its size does not matter where the mass is given.
        let unit = if given.is_some() || density == 0.0 { 1.0 } else { density };
        let mass = match made {
            Made::Nothing | Made::Form(Form::HalfSpace) => return None,
            Made::Form(form) => form.mass(unit).ok()?,
            Made::Ellipsoid(half) => ellipsoid_mass(*half, unit),
            Made::Mesh(triangles) => log.mass_of_mesh(element, name, triangles, unit)?,
        };
        match given {
            Some(kilograms) if kilograms > 0.0 => Some(mass.scaled(kilograms / mass.mass)),
            None if density > 0.0 => Some(mass),
            _ => None,
        }
    }

    fn form(&self, made: Made, element: &Element, name: &str, log: &mut Log) -> Option<Form> {
        match made {
            Made::Form(form) => Some(form),
            Made::Nothing => None,
            Made::Mesh(triangles) => log.hull_of(element, name, &triangles),
            Made::Ellipsoid(half) => {
                log.drop(element, "type", name, "an ellipsoid collides as a hull of points on it");
                Form::hull(&ellipsoid(half)).ok().map(|(form, _)| form)
            }
        }
    }
}
