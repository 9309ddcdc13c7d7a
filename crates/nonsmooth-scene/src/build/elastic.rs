//! Elastic bodies of a scene: meshes become linear systems, loads and supports; nodes meet rigid things and other elastic bodies.
//!
//! ```text
//! M v̇ + (a M + b K) v + K u = M g + Σ_k f_k(t) L_k + r
//! against a body     y = signed distance of x + u to its shapes
//! against a surface  y = n·(x + u − Σ N_a (x_a + u_a)),     n, N_a of the start        small displacements along the surface
//! ```

use super::copies::At;
use super::names::OfTime;
use super::{Build, Dimension};
use crate::formula::Program;
use crate::scene::{self, MassKind, MeshShape, Quantity, Vector};
use crate::source::Path;
use glam::DVec3;
use nonsmooth::model::rigid::PosedShape;
use nonsmooth::model::{LawId, Linear, LinearTerm, Opponent, PointGap, SystemId, UserError};
use nonsmooth_elements::elements::formulation;
use nonsmooth_elements::mesh::generate::{self, Blocks};
use nonsmooth_elements::mesh::{Mesh, gmsh};
use nonsmooth_elements::{Body, Traction};
use nonsmooth_geometry::spatial;
use nonsmooth_solvers::{Sparse, nearest};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most nodes of a mesh by formula beyond which a number is taken for a mistake.
const MOST_CELLS: f64 = 1e7;

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
        self.elastic.insert(spec.name.clone(), BuiltElastic { system, body });
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

    /// Contacts of nodes, once bodies and laws are known.
    pub(super) fn elastic_contacts(&mut self, laws: &BTreeMap<&str, LawId>) {
        let (all, scene) = (std::mem::take(&mut self.elastic), self.scene);
        for (k, spec) in scene.system.elastic.iter().enumerate() {
            let Some(own) = all.get(&spec.name) else { continue };
            for (j, contact) in spec.contact.iter().enumerate() {
                let path = Path::of("system.elastic").index(k).key("contact").index(j);
                let law = self.law_called(&path, &contact.law, laws);
                let Some(nodes) = self.nodes_of(&path.key("group"), &contact.group, &own.body) else {
                    continue;
                };
                let Some(law) = law else { continue };
                let n_tangents = self.tangents_of(&contact.law, own.body.n_displacements());
                let from = Touching { name: &spec.name, own, nodes: &nodes, law, n_tangents };
                self.meet(&path, &contact.with, &from, &all);
            }
        }
    }

    /// Number of tangents that a law takes.
    fn tangents_of(&mut self, law: &str, dim: usize) -> usize {
        let chosen = self.scene.law.get(law);
        let form = chosen.and_then(|chosen| self.law(law, chosen));
        let takes = |tangents: usize| form.as_ref().is_some_and(|form| form.dim(tangents) == Some(1 + tangents));
        if dim > 1 && takes(dim - 1) { dim - 1 } else { 0 }
    }

    fn meet(
        &mut self,
        path: &Path,
        with: &str,
        from: &Touching<'_>,
        all: &BTreeMap<String, BuiltElastic>,
    ) {
        if let Some(standing) = self.standing.get(with) {
            let standing = Standing {
                shapes: standing.shapes.clone(),
                opponent: standing.opponent.clone(),
                ..*standing
            };
            return self.meet_body(path, with, from, &standing);
        }
        let other = with.split_once('.').and_then(|(name, group)| Some((all.get(name)?, name, group)));
        let Some((other, name, group)) = other else {
            let bodies = self.standing.keys().map(String::as_str);
            let hint = nearest(with, bodies).map_or(String::new(), |n| format!(", did you mean `{n}`?"));
            let message = format!(
                "no body `{with}`{hint}; name a body of the scene, or sides of an elastic one as `name.group`"
            );
            return self.mistake(&path.key("with"), message);
        };
        if self.nodes_of(&path.key("with"), group, &other.body).is_none() {
            return;
        }
        if name == from.name {
            return self.mistake(&path.key("with"), "a body does not meet itself here".into());
        }
        self.meet_sides(path, with, from, other, group);
    }

    /// Nodes against the shapes of a body.
    fn meet_body(&mut self, path: &Path, with: &str, from: &Touching<'_>, standing: &Standing) {
        let (body, dim) = (&from.own.body, from.own.body.n_displacements());
        if dim != self.n_axes() {
            let message =
                format!("nodes that move in {dim} directions do not meet bodies with {}", self.n_axes());
            return self.mistake(&path.key("with"), message);
        }
        // Small beside every cell of the mesh and every shape.
        let probe = 1e-6 * body.mesh.size();
        for &a in from.nodes {
            let name = format!("{}[{a}] on {with}", from.name);
            let mut on: Vec<(SystemId, usize)> =
                (0..dim).map(|i| (from.own.system, body.coordinate(a, i))).collect();
            self.note_constraint(path, &on);
            let place = body.mesh.nodes[a as usize];
            if let Some(normal) = flat(standing) {
                let terms = |axis: DVec3| -> Vec<LinearTerm> {
                    on.iter().enumerate().map(|(i, &(system, k))| (system, k, axis[i])).collect()
                };
                let (normal, offset) = (normal.0, normal.0.dot(place) - normal.1);
                let tangents: Vec<Vec<LinearTerm>> =
                    tangents(normal, from.n_tangents).into_iter().map(terms).collect();
                let tangents: Vec<&[LinearTerm]> = tangents.iter().map(Vec::as_slice).collect();
                self.builder.linear_contact(&name, from.law, &terms(normal), offset, &tangents);
                continue;
            }
            if let Some(number) = standing.moving {
                let n = if dim == 2 { 3 } else { 7 };
                on.extend((0..n).map(|k| (SystemId::of_body(number), k)));
            }
            let gap = PointGap {
                place: place.to_array(),
                dim,
                shapes: standing.shapes.clone(),
                opponent: standing.opponent.clone(),
                n_tangents: from.n_tangents,
                probe,
            };
            self.builder.gap(&name, from.law, &on, gap);
        }
    }

    /// Nodes against the nearest sides of another elastic body, as they stand at the start.
    fn meet_sides(
        &mut self,
        path: &Path,
        with: &str,
        from: &Touching<'_>,
        other: &BuiltElastic,
        group: &str,
    ) {
        let (body, dim) = (&from.own.body, from.own.body.n_displacements());
        let sides = other.body.mesh.sides_of(group).unwrap_or_default();
        if sides.is_empty() {
            let message = format!("the group `{group}` has no sides of the body");
            return self.mistake(&path.key("with"), message);
        }
        let mut found = 0;
        for &a in from.nodes {
            let place = body.mesh.nodes[a as usize];
            let opposite = sides.iter().filter_map(|side| {
                let (shape, normal, distance) =
                    side.kind().nearest(place, &other.body.mesh.places(side))?;
                Some((side, shape, normal, distance))
            });
            let Some((side, shape, normal, distance)) =
                opposite.min_by(|a, b| a.3.abs().total_cmp(&b.3.abs()))
            else {
                continue;
            };
            found += 1;
            let terms = |axis: DVec3| -> Vec<LinearTerm> {
                let own = (0..dim).map(|i| (from.own.system, body.coordinate(a, i), axis[i]));
                let nodes = side.nodes.iter().zip(shape.value);
                let others = nodes.flat_map(|(&b, weight)| {
                    (0..dim).map(move |i| (other.system, other.body.coordinate(b, i), -weight * axis[i]))
                });
                own.chain(others).filter(|term| term.2 != 0.0).collect()
            };
            let name = format!("{}[{a}] on {with}", from.name);
            let normal_terms = terms(normal);
            let on: Vec<(SystemId, usize)> =
                normal_terms.iter().map(|&(system, k, _)| (system, k)).collect();
            self.note_constraint(path, &on);
            let tangents: Vec<Vec<LinearTerm>> =
                tangents(normal, from.n_tangents).into_iter().map(terms).collect();
            let tangents: Vec<&[LinearTerm]> = tangents.iter().map(Vec::as_slice).collect();
            self.builder.linear_contact(&name, from.law, &normal_terms, distance, &tangents);
        }
        if found == 0 {
            let message = format!("no node of the group stands opposite to a side of `{with}`");
            self.mistake(&path.key("group"), message);
        }
    }

    /// Notes where a constraint of the model stands in the scene, and what it uses.
    fn note_constraint(&mut self, path: &Path, on: &[(SystemId, usize)]) {
        self.constraint_paths.push(path.key("group"));
        let places: Vec<usize> =
            on.iter().map(|&(system, k)| self.directory.place((system.0, k))).collect();
        self.constrained.extend(places);
    }

    fn mesh(&mut self, path: &Path, spec: &scene::Mesh) -> Option<Mesh> {
        if !self.mesh_keys(path, spec) {
            return None;
        }
        let Some(shape) = spec.shape else { return self.mesh_file(path, spec) };
        let at = At::Path(path);
        let cells = self.cells(
            path,
            spec,
            if shape == MeshShape::Line { 1 } else { 2 + usize::from(shape == MeshShape::Box) },
        )?;
        if shape == MeshShape::Line {
            let from = self.point(&at.key("from"), spec.from.as_ref(), None, DVec3::ZERO)?;
            let to = self.point(&at.key("to"), spec.to.as_ref(), None, DVec3::ZERO)?;
            return Some(generate::line(from, to, cells[0]));
        }
        let dim = if shape == MeshShape::Box { 3 } else { 2 };
        let name = spec.cell.as_deref().unwrap_or(if dim == 3 { "hex8" } else { "quad4" });
        let Some((blocks, _)) = Blocks::of(name).filter(|(_, own)| *own == dim) else {
            let list =
                if dim == 3 { "hex8, hex20, tet4, tet10" } else { "quad4, quad8, triangle3, triangle6" };
            self.mistake(
                &path.key("cell"),
                format!("`{name}` is no cell of this shape; there are {list}"),
            );
            return None;
        };
        if shape == MeshShape::Disc {
            let centre = self.flat_point(&path.key("centre"), spec.centre.as_ref())?;
            let radii = self.list(&path.key("radii"), spec.radii.as_deref()?, 2)?;
            let whole = [Quantity::Number(0.0), Quantity::Number(std::f64::consts::TAU)];
            let angles = self.list(&path.key("angles"), spec.angles.as_deref().unwrap_or(&whole), 2)?;
            if !(radii[0] >= 0.0 && radii[1] > radii[0]) {
                self.mistake(
                    &path.key("radii"),
                    format!("needs 0 ≤ inner < outer, got {} and {}", radii[0], radii[1]),
                );
                return None;
            }
            let turn = angles[1] - angles[0];
            if !(turn > 0.0 && turn <= std::f64::consts::TAU * (1.0 + 1e-12)) {
                self.mistake(
                    &path.key("angles"),
                    format!("a sector turns by more than 0 and at most 2π, got {turn}"),
                );
                return None;
            }
            if radii[0] == 0.0 && name != "triangle3" && name != "triangle6" {
                self.mistake(
                    &path.key("cell"),
                    "a disc without a hole needs triangles at its centre".into(),
                );
                return None;
            }
            let (radii, angles) = ([radii[0], radii[1]], [angles[0], angles[1]]);
            return Some(generate::disc(centre, radii, angles, [cells[0], cells[1]], blocks));
        }
        let size = self.list(&path.key("size"), spec.size.as_deref()?, dim)?;
        if let Some(k) = size.iter().position(|x| *x <= 0.0) {
            self.mistake(&path.key("size").index(k), format!("a side must be > 0, got {}", size[k]));
            return None;
        }
        if dim == 2 {
            let corner = self.flat_point(&path.key("corner"), spec.corner.as_ref())?;
            return Some(generate::rectangle(corner, [size[0], size[1]], [cells[0], cells[1]], blocks));
        }
        let corner = self.point(&at.key("corner"), spec.corner.as_ref(), None, DVec3::ZERO)?;
        Some(generate::block(
            corner,
            [size[0], size[1], size[2]],
            [cells[0], cells[1], cells[2]],
            blocks,
        ))
    }

    /// A place in the plane z = 0, whatever the dimension of the scene.
    fn flat_point(&mut self, path: &Path, list: Option<&Vec<Quantity>>) -> Option<DVec3> {
        let Some(list) = list else { return Some(DVec3::ZERO) };
        let x = self.list(path, list, 2)?;
        Some(DVec3::new(x[0], x[1], 0.0))
    }

    /// A list of this many numbers.
    fn list(&mut self, path: &Path, list: &[Quantity], n: usize) -> Option<Vec<f64>> {
        if list.len() != n {
            self.mistake(path, format!("needs {n} numbers, got {}", list.len()));
            return None;
        }
        self.numbers(&At::Path(path), list, None)
    }

    fn cells(&mut self, path: &Path, spec: &scene::Mesh, n: usize) -> Option<Vec<usize>> {
        let path = path.key("cells");
        let cells = match spec.cells.as_ref()? {
            Vector::Each(list) => self.list(&path, list, n)?,
            Vector::All(all) => vec![self.number(&path, all, None)?; n],
        };
        let is_whole = |x: &f64| *x >= 1.0 && x.fract() == 0.0;
        if !cells.iter().all(is_whole) || cells.iter().product::<f64>() > MOST_CELLS {
            let message =
                format!("cells are whole numbers ≥ 1, at most {MOST_CELLS:e} together; got {cells:?}");
            self.mistake(&path, message);
            return None;
        }
        Some(cells.iter().map(|x| *x as usize).collect())
    }

    /// Whether exactly the keys are given that go with the shape.
    fn mesh_keys(&mut self, path: &Path, spec: &scene::Mesh) -> bool {
        let before = self.mistakes.len();
        let (needs, takes): (&[&str], &[&str]) = match (spec.shape, &spec.file) {
            (Some(MeshShape::Line), None) => (&["from", "to", "cells"], &[]),
            (Some(MeshShape::Rectangle | MeshShape::Box), None) => {
                (&["size", "cells"], &["corner", "cell"])
            }
            (Some(MeshShape::Disc), None) => (&["radii", "cells"], &["centre", "angles", "cell"]),
            (None, Some(_)) => (&[], &["scale", "position"]),
            _ => {
                self.mistake(path, "a mesh has a `shape` or a `file`".into());
                return false;
            }
        };
        let given = [
            ("scale", spec.scale.is_some()),
            ("position", spec.position.is_some()),
            ("from", spec.from.is_some()),
            ("to", spec.to.is_some()),
            ("corner", spec.corner.is_some()),
            ("size", spec.size.is_some()),
            ("centre", spec.centre.is_some()),
            ("radii", spec.radii.is_some()),
            ("angles", spec.angles.is_some()),
            ("cells", spec.cells.is_some()),
            ("cell", spec.cell.is_some()),
        ];
        for (key, is_given) in given {
            if is_given && !needs.contains(&key) && !takes.contains(&key) {
                let list = [needs, takes].concat().join(", ");
                self.mistake(
                    &path.key(key),
                    format!(
                        "`{key}` has no meaning here; it goes with other shapes. This one takes {list}"
                    ),
                );
            } else if !is_given && needs.contains(&key) {
                self.mistake(path, format!("this shape needs `{key}`"));
            }
        }
        self.mistakes.len() == before
    }

    fn mesh_file(&mut self, path: &Path, spec: &scene::Mesh) -> Option<Mesh> {
        let place = path.key("file");
        let bytes = self.file(&At::Path(&place), spec.file.as_deref()?)?;
        let scale = match &spec.scale {
            Some(scale) => self.number(&path.key("scale"), scale, None)?,
            None => 1.0,
        };
        if scale <= 0.0 {
            self.mistake(&path.key("scale"), format!("`scale` must be > 0, got {scale}"));
            return None;
        }
        let shift = path.key("position");
        let shift = self.point(&At::Path(&shift), spec.position.as_ref(), None, DVec3::ZERO)?;
        match gmsh::read(&bytes) {
            Ok(mut mesh) => {
                mesh.nodes.iter_mut().for_each(|x| *x = scale * *x + shift);
                Some(mesh)
            }
            Err(error) => {
                self.mistake(&place, format!("`{}`: {error}", spec.file.as_deref().unwrap_or_default()));
                None
            }
        }
    }
}

/// Nodes that touch, and by which law.
struct Touching<'t> {
    name: &'t str,
    own: &'t BuiltElastic,
    nodes: &'t [u32],
    law: LawId,
    n_tangents: usize,
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

/// Normal and offset of a fixed half-space or half-plane: its contacts are linear.
fn flat(standing: &Standing) -> Option<(DVec3, f64)> {
    let (Opponent::Fixed(position, rotation), [shape]) = (&standing.opponent, &standing.shapes[..])
    else {
        return None;
    };
    let turn = nonsmooth::model::rigid::quaternion(rotation);
    let at = DVec3::from_array(*position);
    let (normal, point) = match shape {
        PosedShape::Plane(shape, pose) => {
            let normal = shape.half_plane_normal()?;
            let own = glam::DVec2::from_angle(pose.angle).rotate(normal.into());
            (own.extend(0.0), DVec3::new(pose.position[0], pose.position[1], 0.0))
        }
        PosedShape::Space(shape, pose) => {
            let own = nonsmooth::model::rigid::quaternion(&pose.rotation).normalize();
            (own * DVec3::from_array(shape.half_space_normal()?), DVec3::from_array(pose.position))
        }
    };
    let normal = turn * normal;
    Some((normal, normal.dot(turn * point + at)))
}

/// The first tangents of the contact frame of a normal.
fn tangents(normal: DVec3, n: usize) -> Vec<DVec3> {
    match n {
        0 => Vec::new(),
        1 => vec![DVec3::new(-normal.y, normal.x, 0.0)],
        _ => spatial::frame(normal.to_array())[1..].iter().map(|t| DVec3::from_array(*t)).collect(),
    }
}
