//! Contacts of the nodes of elastic bodies, with bodies and with each other.
//!
//! ```text
//! against a body     y = signed distance of x + u to its shapes
//! against a surface  y = n·(x + u − Σ N_a (x_a + u_a)),     n, N_a of the nearest side (`surface.rs`), of glue that of the start
//! ```

use super::super::Build;
use super::node_contact::NodeContact;
use super::surface::{Surface, SurfaceGap};
use super::{BuiltElastic, Standing, contact_name};
use crate::scene;
use crate::source::Path;
use glam::DVec3;
use nonsmooth::laws::Law;
use nonsmooth::model::rigid::{PosedShape, quaternion};
use nonsmooth::model::{LawId, LinearContact, Opponent, PointGap, SystemId};
use nonsmooth_elements::Body;
use nonsmooth_elements::mesh::Element;
use nonsmooth_geometry::spatial;
use nonsmooth_solvers::nearest;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Gap that counts as closed, relative to the size of the mesh, as of rigid bodies.
const CLOSED: f64 = 1e-9;

/// The nodes of a contact, and its law.
struct ContactNodes<'t> {
    name: &'t str,
    own: &'t BuiltElastic,
    nodes: &'t [u32],
    /// The law of each node.
    laws: Vec<LawId>,
    n_tangents: usize,
    /// Whether the law glues them.
    is_glued: bool,
}

impl Build<'_> {
    /// Contacts of nodes, once bodies and laws are known.
    pub(in crate::build) fn elastic_contacts(&mut self, laws: &BTreeMap<&str, LawId>) {
        let (mut all, scene) = (std::mem::take(&mut self.elastic), self.scene);
        for (k, spec) in scene.system.elastic.iter().enumerate() {
            let Some(own) = all.get(&spec.name) else { continue };
            let mut met = BTreeMap::new();
            for (j, contact) in spec.contact.iter().enumerate() {
                let path = Path::of("system.elastic").index(k).key("contact").index(j);
                let law = self.law_called(&path, &contact.law, laws);
                let Some(nodes) = self.nodes_of(&path.key("group"), &contact.group, &own.body) else {
                    continue;
                };
                let Some(law) = law else { continue };
                let Some(laws) = self.laws_of_nodes(&path, contact, &own.body, (law, &nodes)) else {
                    continue;
                };
                let n_tangents = self.tangents_of(&contact.law, own.body.n_displacements());
                let is_glued = self.form_of(&contact.law).is_some_and(|form| form.bond().is_some());
                let name = &spec.name;
                let from = ContactNodes { name, own, nodes: &nodes, laws, n_tangents, is_glued };
                self.meet(&path, &contact.with, &from, &all);
                let areas = own.body.areas(&contact.group).unwrap_or_default();
                let named =
                    |(a, area): (u32, f64)| (contact_name(&spec.name, a, &contact.with), (a, area));
                met.extend(areas.into_iter().map(named));
            }
            if let Some(own) = all.get_mut(&spec.name) {
                own.contacts = met;
            }
        }
        self.elastic = all;
    }

    /// The law of this name, if it has no mistake.
    fn form_of(&mut self, law: &str) -> Option<Box<dyn Law>> {
        let chosen = self.scene.law.get(law)?;
        self.law(law, chosen)
    }

    /// The law of each node: that of its part of the surface, where the numbers of the law are by area.
    fn laws_of_nodes(
        &mut self,
        path: &Path,
        contact: &scene::ElasticContact,
        body: &Body,
        (law, nodes): (LawId, &[u32]),
    ) -> Option<Vec<LawId>> {
        let Some(by_area) = self.form_of(&contact.law).filter(|law| law.of_area(1.0).is_some()) else {
            return Some(vec![law; nodes.len()]);
        };
        let areas = body.areas(&contact.group)?;
        let whole: f64 = areas.iter().map(|(_, area)| area.abs()).sum();
        // A node that has none of it would have no law, and corners of quadratic faces have less than none.
        if let Some((node, area)) = areas.iter().find(|(_, area)| !(*area > 1e-9 * whole)) {
            let message = format!(
                "node {node} has no part of the surface of `{}` (its area is {area:.3e}), and the numbers of `{}` are by area: name a group of sides (of a line, its \
                 elements), of cells other than tet10 and hex20",
                contact.group, contact.law
            );
            self.mistake(&path.key("group"), message);
            return None;
        }
        // Nodes with the same area share a law.
        let mut known: BTreeMap<u64, LawId> = BTreeMap::new();
        let laws = areas.iter().map(|&(_, area)| {
            let key = (area / whole * 1e12).round() as u64;
            *known.entry(key).or_insert_with(|| {
                let own = by_area.of_area(area).expect("it has one of every area");
                self.builder.boxed_law(&contact.law, own)
            })
        });
        Some(laws.collect())
    }

    /// Whether the scene has a body of this name, or an elastic one before its group.
    fn is_in_the_scene(&self, with: &str) -> bool {
        let name = with.split(['[', '.']).next().unwrap_or(with);
        let bodies = self.scene.body.iter().map(|body| &body.name);
        bodies.chain(self.scene.system.elastic.iter().map(|body| &body.name)).any(|known| known == name)
    }

    /// Number of tangents that a law takes.
    fn tangents_of(&mut self, law: &str, dim: usize) -> usize {
        let form = self.form_of(law);
        let takes =
            |tangents: usize| form.as_ref().is_some_and(|form| form.dim(tangents) == Some(1 + tangents));
        if dim > 1 && takes(dim - 1) { dim - 1 } else { 0 }
    }

    fn meet(
        &mut self,
        path: &Path,
        with: &str,
        from: &ContactNodes<'_>,
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
            // What has a mistake of its own is not named a second time.
            if !self.mistakes.is_empty() && self.is_in_the_scene(with) {
                return;
            }
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
    fn meet_body(&mut self, path: &Path, with: &str, from: &ContactNodes<'_>, standing: &Standing) {
        let (body, dim) = (&from.own.body, from.own.body.n_displacements());
        if dim != self.n_axes() {
            let message =
                format!("nodes that move in {dim} directions do not meet bodies with {}", self.n_axes());
            return self.mistake(&path.key("with"), message);
        }
        // Small beside every cell of the mesh and every shape.
        let probe = 1e-6 * body.mesh.size();
        let distance = CLOSED * body.mesh.size();
        for (&a, &law) in from.nodes.iter().zip(&from.laws) {
            let name = contact_name(from.name, a, with);
            let mut on: Vec<(SystemId, usize)> =
                (0..dim).map(|i| (from.own.system, body.coordinate(a, i))).collect();
            self.note_constraint(path, &on);
            let place = body.mesh.nodes[a as usize];
            if let Some((normal, along)) = flat(standing) {
                let row = |axis: DVec3| axis.to_array()[..dim].to_vec();
                let tangents = tangents(normal, from.n_tangents).into_iter().map(row).collect();
                let offset = normal.dot(place) - along;
                let gap = LinearContact { normal: row(normal), offset, tangents };
                self.builder.gap(&name, law, &on, NodeContact { gap, distance });
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
            self.builder.gap(&name, law, &on, NodeContact { gap, distance });
        }
    }

    /// Nodes against the sides of another elastic body: along which they slide, or to which they are glued.
    fn meet_sides(
        &mut self,
        path: &Path,
        with: &str,
        from: &ContactNodes<'_>,
        other: &BuiltElastic,
        group: &str,
    ) {
        let (dim, others) = (from.own.body.n_displacements(), other.body.n_displacements());
        if dim != others {
            let message = format!(
                "nodes that move in {dim} directions do not meet sides that move in {others}: both bodies need formulations of the same dimension"
            );
            return self.mistake(&path.key("with"), message);
        }
        let sides = other.body.mesh.sides_of(group).unwrap_or_default();
        if sides.is_empty() {
            let message = format!("the group `{group}` has no sides of the body");
            return self.mistake(&path.key("with"), message);
        }
        if from.is_glued {
            return self.glue(path, with, from, (other, &sides));
        }
        let surface = Arc::new(Surface::new(&other.body.mesh, &sides));
        for (&a, &law) in from.nodes.iter().zip(&from.laws) {
            let own = (0..dim).map(|i| (from.own.system, from.own.body.coordinate(a, i)));
            let opposite = surface
                .nodes
                .iter()
                .flat_map(|&b| (0..dim).map(move |i| (other.system, other.body.coordinate(b, i))));
            let on: Vec<(SystemId, usize)> = own.chain(opposite).collect();
            self.note_constraint(path, &on);
            let gap = SurfaceGap {
                place: from.own.body.mesh.nodes[a as usize],
                dim,
                surface: surface.clone(),
                n_tangents: from.n_tangents,
            };
            let distance = CLOSED * from.own.body.mesh.size();
            self.builder.gap(&contact_name(from.name, a, with), law, &on, NodeContact { gap, distance });
        }
    }

    /// Nodes that are glued to the nearest sides, as they stand at the start: they slide as far as glue lets them, less than a cell.
    fn glue(
        &mut self,
        path: &Path,
        with: &str,
        from: &ContactNodes<'_>,
        (other, sides): (&BuiltElastic, &[Element]),
    ) {
        let (body, dim) = (&from.own.body, from.own.body.n_displacements());
        let mut found = 0;
        for (&a, &law) in from.nodes.iter().zip(&from.laws) {
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
            let own = (0..dim).map(|i| (from.own.system, body.coordinate(a, i)));
            let opposite = side
                .nodes
                .iter()
                .flat_map(|&b| (0..dim).map(move |i| (other.system, other.body.coordinate(b, i))));
            let on: Vec<(SystemId, usize)> = own.chain(opposite).collect();
            self.note_constraint(path, &on);
            let weights = std::iter::once(1.0).chain(shape.value[..side.nodes.len()].iter().map(|n| -n));
            let row = |axis: DVec3| -> Vec<f64> {
                weights
                    .clone()
                    .flat_map(|w| axis.to_array().into_iter().take(dim).map(move |x| w * x))
                    .collect()
            };
            let tangents = tangents(normal, from.n_tangents).into_iter().map(row).collect();
            let gap = LinearContact { normal: row(normal), offset: distance, tangents };
            let distance = CLOSED * body.mesh.size();
            self.builder.gap(&contact_name(from.name, a, with), law, &on, NodeContact { gap, distance });
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
}

/// Normal and offset of a fixed half-space or half-plane: its contacts are linear.
fn flat(standing: &Standing) -> Option<(DVec3, f64)> {
    let (Opponent::Fixed(position, rotation), [shape]) = (&standing.opponent, &standing.shapes[..])
    else {
        return None;
    };
    let turn = quaternion(rotation);
    let at = DVec3::from_array(*position);
    let (normal, point) = match shape {
        PosedShape::Plane(shape, pose) => {
            let normal = shape.half_plane_normal()?;
            let own = glam::DVec2::from_angle(pose.angle).rotate(normal.into());
            (own.extend(0.0), DVec3::new(pose.position[0], pose.position[1], 0.0))
        }
        PosedShape::Space(shape, pose) => {
            let own = quaternion(&pose.rotation).normalize();
            (own * DVec3::from_array(shape.half_space_normal()?), DVec3::from_array(pose.position))
        }
    };
    let normal = turn * normal;
    Some((normal, normal.dot(turn * point + at)))
}

/// The first tangents of the contact frame of a normal.
pub(super) fn tangents(normal: DVec3, n: usize) -> Vec<DVec3> {
    match n {
        0 => Vec::new(),
        1 => vec![DVec3::new(-normal.y, normal.x, 0.0)],
        _ => spatial::frame(normal.to_array())[1..].iter().map(|t| DVec3::from_array(*t)).collect(),
    }
}
