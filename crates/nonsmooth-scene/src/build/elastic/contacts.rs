//! Contacts of the nodes of elastic bodies, with bodies and with each other.
//!
//! ```text
//! against a body     y = signed distance of x + u to its shapes
//! against a surface  y = n·(x + u − Σ N_a (x_a + u_a)),     n, N_a of the start        small displacements along the surface
//! ```

use super::super::Build;
use super::{BuiltElastic, Standing};
use crate::source::Path;
use glam::DVec3;
use nonsmooth::model::rigid::{PosedShape, quaternion};
use nonsmooth::model::{LawId, LinearTerm, Opponent, PointGap, SystemId};
use nonsmooth_geometry::spatial;
use nonsmooth_solvers::nearest;
use std::collections::BTreeMap;

/// The nodes of a contact, and its law.
struct ContactNodes<'t> {
    name: &'t str,
    own: &'t BuiltElastic,
    nodes: &'t [u32],
    law: LawId,
    n_tangents: usize,
}

impl Build<'_> {
    /// Contacts of nodes, once bodies and laws are known.
    pub(in crate::build) fn elastic_contacts(&mut self, laws: &BTreeMap<&str, LawId>) {
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
                let from = ContactNodes { name: &spec.name, own, nodes: &nodes, law, n_tangents };
                self.meet(&path, &contact.with, &from, &all);
            }
        }
    }

    /// Number of tangents that a law takes.
    fn tangents_of(&mut self, law: &str, dim: usize) -> usize {
        let chosen = self.scene.law.get(law);
        let form = chosen.and_then(|chosen| self.law(law, chosen));
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
        from: &ContactNodes<'_>,
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
fn tangents(normal: DVec3, n: usize) -> Vec<DVec3> {
    match n {
        0 => Vec::new(),
        1 => vec![DVec3::new(-normal.y, normal.x, 0.0)],
        _ => spatial::frame(normal.to_array())[1..].iter().map(|t| DVec3::from_array(*t)).collect(),
    }
}
