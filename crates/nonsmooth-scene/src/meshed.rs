//! Elastic bodies as results show them: displacement, stress, pressure and slip at the nodes of their meshes.
//!
//! ```text
//! pressure_a = Σ p_N/(h A_a)          A_a: part of the surface of node a; bonds pull, so that glue under tension is a pressure < 0
//! slip rate  = ‖u_T⁺‖ of the contacts of the node that carry, the largest of them
//! mises      = √(½ ((σ_xx − σ_yy)² + (σ_yy − σ_zz)² + (σ_zz − σ_xx)²) + 3 (σ_xy² + σ_yz² + σ_xz²))
//! ```
//!
//! Stresses are those of the elements at their nodes, each node having the mean of its elements.

use nonsmooth::{ConstraintLog, Model, State};
use nonsmooth_elements::Body;
use nonsmooth_elements::mesh::Element;
use std::collections::BTreeMap;

/// An elastic body of a scene, with its place in the state and its contacts.
pub struct MeshedBody {
    /// Name of the body.
    pub name: String,
    /// Its mesh and formulation.
    pub body: Body,
    /// Where its coordinates begin in q and v.
    pub(crate) first: usize,
    /// Node and area [m²] of each of its contacts, by the name of the constraint; no area: none is known.
    pub(crate) contacts: BTreeMap<String, (u32, f64)>,
}

/// What is known of a node at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NodeValues {
    /// Displacement [m].
    pub displacement: [f64; 3],
    /// Stresses by their place in `Formulation::stresses` [Pa]; of beams forces [N] and moments [N·m].
    pub stress: [f64; 6],
    /// Stress of von Mises [Pa]; of bars the size of theirs, of beams none.
    pub mises: f64,
    /// Contact pressure, less the pull of glue [Pa].
    pub pressure: f64,
    /// Sliding velocity of a contact that carries [m/s].
    pub slip_rate: f64,
}

impl MeshedBody {
    /// What is known of each node of a state and of the step that led to it.
    pub fn values(&self, model: &Model, state: &State, log: Option<&ConstraintLog>) -> Vec<NodeValues> {
        let (c, n) = (self.body.n_components(), self.body.n_displacements());
        let u = &state.q[self.first..self.first + self.body.n()];
        let names = self.body.formulation().stresses();
        let stresses = self.body.stresses(u);
        let mut values: Vec<NodeValues> = stresses
            .into_iter()
            .enumerate()
            .map(|(a, stress)| NodeValues {
                displacement: std::array::from_fn(|i| if i < n { u[a * c + i] } else { 0.0 }),
                stress,
                mises: mises(names, stress),
                ..NodeValues::default()
            })
            .collect();
        if let Some(log) = log {
            self.add_contacts(model, log, &mut values);
        }
        values
    }

    fn add_contacts(&self, model: &Model, log: &ConstraintLog, values: &mut [NodeValues]) {
        for (c, &id) in log.ids.iter().enumerate() {
            if model.constraint_number(id).is_none() && model.family(id).name() != "bonds" {
                continue;
            }
            let Some(&(node, area)) = self.contacts.get(model.family(id).member_name(id.number()))
            else {
                continue;
            };
            let (rows, value) = (log.rows(c), &mut values[node as usize]);
            let normal = log.impulse[rows.start];
            if area > 0.0 {
                value.pressure += normal / (log.length_of(c) * area);
            }
            if normal > 0.0 {
                let slip =
                    log.u_plus[rows.start + 1..rows.end].iter().map(|u| u * u).sum::<f64>().sqrt();
                value.slip_rate = value.slip_rate.max(slip);
            }
        }
    }

    /// The surface as triangles of nodes: of a body in the plane all of it, of a solid its boundary, of a line pairs of nodes with the second
    /// one twice.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        let mesh = &self.body.mesh;
        match mesh.dim() {
            1 => mesh.body().map(|line| [line.nodes[0], line.nodes[1], line.nodes[1]]).collect(),
            2 => mesh.body().flat_map(split).collect(),
            _ => {
                // The sides that one element has for itself, and their outside.
                let mut copy = mesh.clone();
                copy.add_boundary("");
                copy.sides_of("").unwrap_or_default().iter().flat_map(split).collect()
            }
        }
    }
}

/// The stress of von Mises, where the names are those of a continuum.
fn mises(names: &[&str], s: [f64; 6]) -> f64 {
    match names {
        ["s_axial"] => s[0].abs(),
        ["s_xx", ..] => {
            let [xx, yy, zz, xy, yz, xz] = s;
            let normal = (xx - yy).powi(2) + (yy - zz).powi(2) + (zz - xx).powi(2);
            (0.5 * normal + 3.0 * (xy * xy + yz * yz + xz * xz)).sqrt()
        }
        _ => 0.0,
    }
}

/// A face as triangles of its nodes, middles of edges included.
fn split(face: &Element) -> Vec<[u32; 3]> {
    let parts: &[[usize; 3]] = match face.cell {
        "triangle3" => &[[0, 1, 2]],
        "quad4" => &[[0, 1, 2], [0, 2, 3]],
        "triangle6" => &[[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]],
        "quad8" => &[[0, 4, 7], [4, 1, 5], [5, 2, 6], [6, 3, 7], [4, 5, 7], [5, 6, 7]],
        _ => &[],
    };
    parts.iter().map(|part| part.map(|k| face.nodes[k])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stress_of_von_mises_is_that_of_a_bar_and_of_pure_shear() {
        let names = &["s_xx", "s_yy", "s_zz", "s_xy", "s_yz", "s_xz"][..];
        assert!((mises(names, [-3.0, 0.0, 0.0, 0.0, 0.0, 0.0]) - 3.0).abs() < 1e-15);
        assert!((mises(names, [0.0, 0.0, 0.0, 0.0, 2.0, 0.0]) - 2.0 * 3f64.sqrt()).abs() < 1e-15);
        assert_eq!(mises(names, [5.0, 5.0, 5.0, 0.0, 0.0, 0.0]), 0.0);
        assert_eq!(mises(&["s_axial"], [-2.0, 0.0, 0.0, 0.0, 0.0, 0.0]), 2.0);
        assert_eq!(mises(&["force_x", "force_y", "moment_z"], [1.0; 6]), 0.0);
    }
}
