//! Elastic bodies of a scene: meshes become linear systems, loads and supports.
//!
//! ```text
//! M v̇ + (a M + b K) v + K u = M g + Σ_k f_k(t) L_k + r
//! ```

mod contacts;
mod meshes;
mod node_contact;
mod surface;

use super::copies::At;
use super::names::OfTime;
use super::{Build, Dimension};
use crate::formula::Program;
use crate::meshed::MeshedBody;
use crate::scene::{self, MassKind, Quantity};
use crate::source::Path;
use glam::DVec3;
use nonsmooth::model::rigid::PosedShape;
use nonsmooth::model::{Angles, Linear, Opponent, SystemId, UserError};
use nonsmooth_elements::elements::formulation;
use nonsmooth_elements::mesh::Mesh;
use nonsmooth_elements::{Body, Traction};
use nonsmooth_solvers::{Sparse, nearest};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A body that elastic ones may meet.
pub(super) struct Standing {
    pub(super) shapes: Arc<Vec<PosedShape>>,
    pub(super) opponent: Opponent,
    /// Number among the moving bodies.
    pub(super) moving: Option<usize>,
}

/// An elastic body of the scene, built.
pub(super) struct BuiltElastic {
    system: SystemId,
    body: Body,
    /// Node and area of each contact, by its name.
    contacts: BTreeMap<String, (u32, f64)>,
}

/// The name of a contact of a node.
fn contact_name(body: &str, node: u32, with: &str) -> String {
    format!("{body}[{node}] on {with}")
}

impl<'a> Build<'a> {
    /// Elastic bodies, as linear systems.
    pub(super) fn elastic_systems(&mut self) {
        let scene = self.scene;
        let mut meshes: BTreeMap<&str, Option<Mesh>> = BTreeMap::new();
        for (k, spec) in scene.mesh.iter().enumerate() {
            let path = Path::of("mesh").index(k);
            let mesh = self.mesh(&path, spec);
            if meshes.insert(&spec.name, mesh).is_some() {
                self.mistake(&path.key("name"), format!("there are two meshes called `{}`", spec.name));
            }
            if !scene.system.elastic.iter().any(|elastic| elastic.mesh == spec.name) {
                let message =
                    format!("nothing uses the mesh `{}`; a [[system.elastic]] names it", spec.name);
                self.mistake(&path.key("name"), message);
            }
        }
        let names = scene.system.elastic.iter().map(|elastic| elastic.name.clone());
        self.unbuilt.extend(names);
        for (k, spec) in scene.system.elastic.iter().enumerate() {
            let path = Path::of("system.elastic").index(k);
            match meshes.get(spec.mesh.as_str()) {
                None => {
                    let hint = nearest(&spec.mesh, meshes.keys().copied());
                    let hint = hint.map_or(String::new(), |n| format!(", did you mean `{n}`?"));
                    self.mistake(
                        &path.key("mesh"),
                        format!("no mesh `{}`{hint}; add a [[mesh]]", spec.mesh),
                    );
                }
                Some(mesh) => {
                    if let Some(mesh) = mesh.clone() {
                        self.elastic(&path, spec, mesh);
                    }
                }
            }
        }
    }

    fn elastic(&mut self, path: &Path, spec: &'a scene::Elastic, mesh: Mesh) {
        let place = path.key("material");
        // An unknown name was reported with the form of the scene.
        let Some(entry) = formulation(&spec.material.name) else { return };
        let Some(options) = self.options(&place, &spec.material, entry.options) else { return };
        let made = match entry.build(&options) {
            Ok(made) => made,
            Err(errors) => {
                errors.iter().for_each(|error| self.mistake(&place, error.to_string()));
                return;
            }
        };
        let body = match Body::new(mesh, made, entry.cells) {
            Ok(body) => body,
            Err(error) => return self.mistake(&path.key("mesh"), error.to_string()),
        };
        let components = body.formulation().components();
        if self.dimension == Dimension::Plane && components.contains(&"z") {
            let message = format!(
                "`{}` moves along z, and [world] gravity has two numbers: the scene is in the plane",
                spec.material.name
            );
            return self.mistake(&place.key("type"), message);
        }
        let names = (0..body.mesh.nodes.len())
            .flat_map(|a| components.iter().map(move |component| format!("{component}{a}")));
        let coordinates = scene::Coordinates::Names(names.collect());
        let (owner, coordinates) = self.register(path, &spec.name, &coordinates, None);
        let system = SystemId(self.system_names.len() - 1);
        let Some(mut linear) = self.matrices(path, spec, (&owner, coordinates), &body) else { return };
        self.loads(path, spec, &body, &mut linear);
        self.builder.linear(linear);
        self.supports(path, spec, system, &body);
        self.unbuilt.remove(&spec.name);
        self.elastic.insert(spec.name.clone(), BuiltElastic { system, body, contacts: BTreeMap::new() });
    }

    /// The elastic bodies for results, in the order of the scene.
    pub(super) fn meshed_bodies(&mut self) -> Vec<MeshedBody> {
        let mut all = std::mem::take(&mut self.elastic);
        let names = self.scene.system.elastic.iter().map(|spec| spec.name.clone());
        let meshed = |name: String| {
            let BuiltElastic { system, body, contacts } = all.remove(&name)?;
            let first = self.directory.place((system.0, 0));
            Some(MeshedBody { name, body, first, contacts })
        };
        names.filter_map(meshed).collect()
    }

    /// The linear system without loads but gravity.
    fn matrices(
        &mut self,
        path: &Path,
        spec: &scene::Elastic,
        (owner, coordinates): (&str, Vec<String>),
        body: &Body,
    ) -> Option<Linear> {
        let (mass, stiffness) = (body.mass(of_kind(spec.mass)), body.stiffness());
        let mut linear = Linear::new(owner, mass);
        linear.coordinates = coordinates;
        if let Some(list) = &spec.damping {
            let at = path.key("damping");
            let factors = self.numbers(&At::Path(&at), list, None)?;
            let &[a, b] = &factors[..] else {
                self.mistake(
                    &at,
                    format!("damping is two numbers, a and b of a M + b K; got {}", factors.len()),
                );
                return None;
            };
            if a < 0.0 || b < 0.0 {
                self.mistake(&at, format!("damping must not drive: a and b are ≥ 0, got {a} and {b}"));
                return None;
            }
            linear.damping = Some(combined(a, &linear.mass, b, &stiffness));
        }
        linear.stiffness = Some(stiffness);
        linear.load = body.weight(&linear.mass, self.gravity);
        linear.angles = body.angles().map(|(rows, rows_of_part)| Angles { rows, rows_of_part });
        let path = path.key("velocity");
        let v = self.point(&At::Path(&path), spec.velocity.as_ref(), None, DVec3::ZERO)?;
        let (c, n) = (body.n_components(), body.n_displacements());
        linear.v.iter_mut().enumerate().for_each(|(i, x)| *x = if i % c < n { v[i % c] } else { 0.0 });
        Some(linear)
    }

    /// Adds loads: those that do not depend on t to the constant ones.
    fn loads(&mut self, path: &Path, spec: &scene::Elastic, body: &Body, linear: &mut Linear) {
        let mut in_time: Vec<(Program, Vec<f64>)> = Vec::new();
        for (k, load) in spec.load.iter().enumerate() {
            let path = path.key("load").index(k);
            for (place, quantity, unit) in self.unit_loads(&path, load, body) {
                match self.formula(&place, quantity, &OfTime(self.constants(None))) {
                    Err(mut mistakes) => self.mistakes.append(&mut mistakes),
                    Ok(expression) => match expression.constant() {
                        Some(x) => {
                            linear.load.iter_mut().zip(&unit).for_each(|(load, u)| *load += x * u)
                        }
                        None => in_time.push((Program::compile(&expression), unit)),
                    },
                }
            }
        }
        if !in_time.is_empty() {
            linear.force = Some(Box::new(move |t, out| {
                for (program, unit) in &in_time {
                    let x = program.eval(&[t]);
                    out.iter_mut().zip(unit).for_each(|(out, u)| *out += x * u);
                }
                Ok(())
            }));
        }
    }

    /// The loads of a table, each with its formula: the load where that is 1.
    fn unit_loads<'q>(
        &mut self,
        path: &Path,
        load: &'q scene::ElasticLoad,
        body: &Body,
    ) -> Vec<(Path, &'q Quantity, Vec<f64>)> {
        let given = [load.traction.is_some(), load.pressure.is_some(), load.force.is_some()];
        if given.iter().filter(|given| **given).count() != 1 {
            self.mistake(path, "a load is one of `traction`, `pressure` and `force`".into());
            return Vec::new();
        }
        let Some(nodes) = self.nodes_of(&path.key("group"), &load.group, body) else {
            return Vec::new();
        };
        let n = body.n_displacements();
        let axes = |build: &mut Self,
                    key: &str,
                    list: &'q [Quantity]|
         -> Vec<(Path, usize, &'q Quantity)> {
            let path = path.key(key);
            if list.len() != n {
                let message =
                    format!("needs {n} numbers, one for each direction of a node; got {}", list.len());
                build.mistake(&path, message);
                return Vec::new();
            }
            list.iter().enumerate().map(|(i, quantity)| (path.index(i), i, quantity)).collect()
        };
        let mut loads = Vec::new();
        if let Some(list) = &load.force {
            for (place, i, quantity) in axes(self, "force", list) {
                let mut unit = vec![0.0; body.n()];
                nodes.iter().for_each(|&a| unit[body.coordinate(a, i)] = 1.0 / nodes.len() as f64);
                loads.push((place, quantity, unit));
            }
            return loads;
        }
        let mut sides =
            |build: &mut Self, place: Path, traction: Traction, quantity: &'q Quantity| match body
                .traction(&load.group, traction)
            {
                Some(unit) => loads.push((place, quantity, unit)),
                None => {
                    let message = format!(
                        "the group `{}` has no sides of the body; give a `force` on its nodes",
                        load.group
                    );
                    build.mistake(&path.key("group"), message);
                }
            };
        if let Some(pressure) = &load.pressure {
            sides(self, path.key("pressure"), Traction::Pressure(1.0), pressure);
        }
        for (place, i, quantity) in
            load.traction.iter().flat_map(|list| axes(self, "traction", list)).collect::<Vec<_>>()
        {
            sides(self, place, Traction::Force(DVec3::AXES[i]), quantity);
        }
        loads
    }

    /// The nodes of a group, or a mistake.
    fn nodes_of(&mut self, path: &Path, group: &str, body: &Body) -> Option<Vec<u32>> {
        let nodes = body.mesh.nodes_of(group);
        if nodes.is_none() {
            let known = body.mesh.groups.keys().map(String::as_str);
            let hint = nearest(group, known.clone())
                .map_or(String::new(), |n| format!(", did you mean `{n}`?"));
            let list = known.collect::<Vec<_>>().join(", ");
            let list = if list.is_empty() { "none".to_owned() } else { list };
            self.mistake(path, format!("the mesh has no group `{group}`{hint}; it has {list}"));
        }
        nodes.filter(|nodes| !nodes.is_empty())
    }

    fn supports(&mut self, path: &Path, spec: &scene::Elastic, system: SystemId, body: &Body) {
        let mut held = vec![false; body.n()];
        for (k, support) in spec.fixed.iter().enumerate() {
            let path = path.key("fixed").index(k);
            let all: Vec<String> =
                body.formulation().components().iter().map(|c| (*c).to_owned()).collect();
            for (j, axis) in support.axes.as_ref().unwrap_or(&all).iter().enumerate() {
                let place = path.key("axes").index(j);
                let Some(component) = self.component(&place, axis, body) else { continue };
                let Some(nodes) = self.nodes_of(&path.key("group"), &support.group, body) else { break };
                for i in nodes.iter().map(|&a| body.coordinate(a, component)) {
                    // Groups may share nodes.
                    if !std::mem::replace(&mut held[i], true) {
                        self.builder.prescribe(system, i, |_| Ok::<f64, UserError>(0.0));
                        self.prescribed_paths.push(place.clone());
                    }
                }
            }
        }
        for (k, given) in spec.prescribed.iter().enumerate() {
            let path = path.key("prescribed").index(k);
            let Some(component) = self.component(&path.key("axis"), &given.axis, body) else { continue };
            let Some(nodes) = self.nodes_of(&path.key("group"), &given.group, body) else { continue };
            let place = path.key("velocity");
            let formula = self.formula(&place, &given.velocity, &OfTime(self.constants(None)));
            let program = match formula {
                Ok(expression) => Arc::new(Program::compile(&expression)),
                Err(mut mistakes) => {
                    self.mistakes.append(&mut mistakes);
                    continue;
                }
            };
            for i in nodes.iter().map(|&a| body.coordinate(a, component)) {
                if std::mem::replace(&mut held[i], true) {
                    let name = &given.group;
                    let message =
                        format!("a node of `{name}` is held or moved along `{}` twice", given.axis);
                    self.mistake(&path.key("group"), message);
                    break;
                }
                let program = program.clone();
                self.builder.prescribe(system, i, move |t| Ok::<f64, UserError>(program.eval(&[t])));
                self.prescribed_paths.push(place.clone());
            }
        }
    }

    fn component(&mut self, path: &Path, axis: &str, body: &Body) -> Option<usize> {
        let found = body.component(axis);
        if found.is_none() {
            let list = body.formulation().components().join(", ");
            self.mistake(path, format!("a node has no component `{axis}`; it has {list}"));
        }
        found
    }
}

fn of_kind(kind: MassKind) -> nonsmooth_elements::MassKind {
    match kind {
        MassKind::Consistent => nonsmooth_elements::MassKind::Consistent,
        MassKind::Lumped => nonsmooth_elements::MassKind::Lumped,
    }
}

/// a M + b K; the places of M are among those of K.
fn combined(a: f64, mass: &Sparse, b: f64, stiffness: &Sparse) -> Sparse {
    let mut sum = stiffness.clone();
    sum.value.iter_mut().for_each(|x| *x *= b);
    for i in 0..mass.n_rows() {
        let (columns, values) = mass.row(i);
        let range = sum.start[i]..sum.start[i + 1];
        for (column, value) in columns.iter().zip(values) {
            let place = sum.column[range.clone()].partition_point(|c| c < column);
            sum.value[range.start + place] += a * value;
        }
    }
    sum
}
