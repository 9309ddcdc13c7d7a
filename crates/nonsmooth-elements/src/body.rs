//! A body of finite elements: a mesh with a formulation, assembled.
//!
//! ```text
//! K = Σ_e K_e,   M = Σ_e M_e,   f = Σ_sides ∫ Nᵀ t d dA          coordinate of component i of node a: a·c + i
//! ```
//!
//! Element matrices are formed on all cores and added in the order of the elements, so the bits do not depend on the number of threads.

use crate::elements::Formulation;
use crate::mesh::{Element, Mesh};
use glam::DVec3;
use nonsmooth_solvers::Sparse;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// How the mass of an element is shared among its nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MassKind {
    /// ∫ ρ NᵀN: M has entries beside its diagonal.
    #[default]
    Consistent,
    /// The diagonal of that, scaled so that each direction has the whole mass [Hinton76].
    Lumped,
}

/// What stands on the sides of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Traction {
    /// Force by area [Pa], in axes of the world.
    Force(DVec3),
    /// Pressure against the outside [Pa].
    Pressure(f64),
}

/// A mesh with a formulation.
pub struct Body {
    /// The mesh.
    pub mesh: Mesh,
    formulation: Box<dyn Formulation>,
}

/// Why a body is not made.
#[derive(Clone, Debug, PartialEq)]
pub enum BodyError {
    /// Mistakes of the mesh.
    Mesh(Vec<crate::mesh::Fault>),
    /// A cell that the formulation does not take.
    Cell {
        /// The cell.
        cell: &'static str,
        /// Those it takes.
        allowed: &'static [&'static str],
    },
    /// An element at a place where it cannot be.
    Element {
        /// The element, counted from 1.
        element: usize,
        /// What is wrong.
        wrong: String,
    },
}

impl std::fmt::Display for BodyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BodyError::Mesh(faults) => {
                let texts: Vec<String> = faults.iter().map(ToString::to_string).collect();
                f.write_str(&texts.join("; "))
            }
            BodyError::Cell { cell, allowed } => {
                write!(
                    f,
                    "the mesh has cells `{cell}`, and the formulation takes {}",
                    allowed.join(", ")
                )
            }
            BodyError::Element { element, wrong } => write!(f, "element {element}: {wrong}"),
        }
    }
}

impl std::error::Error for BodyError {}

impl Body {
    /// A body of the mesh with a formulation that takes `cells`.
    pub fn new(
        mesh: Mesh,
        formulation: Box<dyn Formulation>,
        cells: &'static [&'static str],
    ) -> Result<Self, BodyError> {
        let faults = mesh.faults();
        if !faults.is_empty() {
            return Err(BodyError::Mesh(faults));
        }
        if let Some(element) = mesh.body().find(|e| !cells.contains(&e.cell)) {
            return Err(BodyError::Cell { cell: element.cell, allowed: cells });
        }
        for (e, element) in mesh.body().enumerate() {
            if let Some(wrong) = formulation.fault(&mesh.places(element)) {
                return Err(BodyError::Element { element: e + 1, wrong });
            }
        }
        Ok(Self { mesh, formulation })
    }

    /// Its formulation.
    pub fn formulation(&self) -> &dyn Formulation {
        &*self.formulation
    }

    /// Number of components of a node.
    pub fn n_components(&self) -> usize {
        self.formulation.components().len()
    }

    /// Number of coordinates.
    pub fn n(&self) -> usize {
        self.mesh.nodes.len() * self.n_components()
    }

    /// Coordinate of a component of a node.
    pub fn coordinate(&self, node: u32, component: usize) -> usize {
        node as usize * self.n_components() + component
    }

    /// The component of this name.
    pub fn component(&self, name: &str) -> Option<usize> {
        self.formulation.components().iter().position(|c| *c == name)
    }

    /// K [N/m].
    pub fn stiffness(&self) -> Sparse {
        self.assemble(|element, places, out| self.formulation.stiffness(element.kind(), places, out))
    }

    /// M [kg].
    pub fn mass(&self, kind: MassKind) -> Sparse {
        let c = self.n_components();
        let consistent = |element: &Element, places: &[DVec3], out: &mut [f64]| {
            self.formulation.mass(element.kind(), places, out);
        };
        match kind {
            MassKind::Consistent => self.assemble(consistent),
            MassKind::Lumped => {
                let mut diagonal = vec![0.0; self.n()];
                for element in self.mesh.body() {
                    let size = element.nodes.len() * c;
                    let mut own = vec![0.0; size * size];
                    consistent(element, &self.mesh.places(element), &mut own);
                    lump(&own, c, self.n_displacements(), |i, m| {
                        diagonal[self.coordinate(element.nodes[i / c], i % c)] += m;
                    });
                }
                Sparse::diagonal(&diagonal)
            }
        }
    }

    /// Number of components of a node that are displacements; rotations follow them.
    pub fn n_displacements(&self) -> usize {
        self.formulation.components().iter().take_while(|c| !c.starts_with('r')).count()
    }

    /// Adds element matrices to a sparse one.
    fn assemble(&self, form: impl Fn(&Element, &[DVec3], &mut [f64]) + Sync) -> Sparse {
        let c = self.n_components();
        let mut matrix = self.pattern();
        let elements: Vec<&Element> = self.mesh.body().collect();
        // Some hundred at a time: their matrices need not all be there at once.
        for chunk in elements.chunks(512) {
            let made: Vec<Vec<f64>> = chunk
                .par_iter()
                .map(|element| {
                    let mut own = vec![0.0; (element.nodes.len() * c).pow(2)];
                    form(element, &self.mesh.places(element), &mut own);
                    own
                })
                .collect();
            for (element, own) in chunk.iter().zip(&made) {
                add(&mut matrix, element, c, own);
            }
        }
        matrix
    }

    /// A matrix of zeros with places for all components of nodes that share an element.
    fn pattern(&self) -> Sparse {
        let c = self.n_components() as u32;
        let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); self.mesh.nodes.len()];
        for element in self.mesh.body() {
            for &a in &element.nodes {
                neighbours[a as usize].extend(&element.nodes);
            }
        }
        let mut matrix = Sparse::empty(self.n());
        for own in &mut neighbours {
            own.sort_unstable();
            own.dedup();
            for _ in 0..c {
                matrix.column.extend(own.iter().flat_map(|&b| (0..c).map(move |j| b * c + j)));
                matrix.value.resize(matrix.column.len(), 0.0);
                matrix.finish_row();
            }
        }
        matrix
    }

    /// Angles by which the elements turn: rows over the coordinates [rad/m, –], and how many belong to one part; `None` where nothing can turn.
    pub fn angles(&self) -> Option<(Sparse, usize)> {
        let (c, mut rows) = (self.n_components(), Sparse::empty(self.n()));
        for element in self.mesh.body() {
            for own in self.formulation.angles(element.kind(), &self.mesh.places(element)) {
                let at = |i: usize| self.coordinate(element.nodes[i / c], i % c) as u32;
                let entries = own.iter().enumerate().filter(|(_, x)| **x != 0.0);
                let mut entries: Vec<(u32, f64)> = entries.map(|(i, x)| (at(i), *x)).collect();
                entries.sort_unstable_by_key(|entry| entry.0);
                rows.column.extend(entries.iter().map(|entry| entry.0));
                rows.value.extend(entries.iter().map(|entry| entry.1));
                rows.finish_row();
            }
        }
        let rows_of_part = if self.n_displacements() == 3 { 3 } else { 1 };
        (rows.n_rows() > 0).then_some((rows, rows_of_part))
    }

    /// The part of the surface that belongs to each node of a group, ∫ N_a d dA over its sides [m²], of lines their lengths ∫ N_a ds [m];
    /// 0 of nodes without sides. `None` if the mesh has no such group.
    pub fn areas(&self, group: &str) -> Option<Vec<(u32, f64)>> {
        let mut areas: BTreeMap<u32, f64> =
            self.mesh.nodes_of(group)?.into_iter().map(|a| (a, 0.0)).collect();
        if self.mesh.dim() == 1 {
            let group = self.mesh.groups.get(group)?;
            for element in group.elements.iter().map(|&e| &self.mesh.elements[e as usize]) {
                let (kind, places) = (element.kind(), self.mesh.places(element));
                for point in (kind.points)() {
                    let (shape, _, along) = kind.map_side(point.at, &places);
                    for (a, node) in element.nodes.iter().enumerate() {
                        let share = shape.value[a] * along.length() * point.weight;
                        *areas.get_mut(node).expect("its nodes are those of the group") += share;
                    }
                }
            }
            return Some(areas.into_iter().collect());
        }
        for side in self.mesh.sides_of(group)? {
            let (kind, places) = (side.kind(), self.mesh.places(&side));
            for point in (kind.points)() {
                let (shape, x, area) = kind.map_side(point.at, &places);
                let share = area.length() * point.weight * self.formulation.depth(x);
                for (a, node) in side.nodes.iter().enumerate() {
                    *areas.get_mut(node).expect("its nodes are those of the group") +=
                        shape.value[a] * share;
                }
            }
        }
        Some(areas.into_iter().collect())
    }

    /// The coordinates of a group in these components; `None` if the mesh has no such group.
    pub fn coordinates_of(&self, group: &str, components: &[usize]) -> Option<Vec<usize>> {
        let nodes = self.mesh.nodes_of(group)?;
        Some(
            nodes.iter().flat_map(|&a| components.iter().map(move |&i| self.coordinate(a, i))).collect(),
        )
    }

    /// The load of a traction on the sides of a group [N]; `None` if the mesh has no such group, or it has no sides.
    pub fn traction(&self, group: &str, traction: Traction) -> Option<Vec<f64>> {
        let sides = self.mesh.sides_of(group).filter(|sides| !sides.is_empty())?;
        let n_displacements = self.n_displacements();
        let mut load = vec![0.0; self.n()];
        for side in sides {
            let (kind, places) = (side.kind(), self.mesh.places(&side));
            for point in (kind.points)() {
                let (shape, x, area) = kind.map_side(point.at, &places);
                let own = match traction {
                    Traction::Force(force) => force * area.length(),
                    Traction::Pressure(pressure) => -pressure * area,
                } * (point.weight * self.formulation.depth(x));
                for (a, &node) in side.nodes.iter().enumerate() {
                    for i in 0..n_displacements {
                        load[self.coordinate(node, i)] += shape.value[a] * own[i];
                    }
                }
            }
        }
        Some(load)
    }

    /// The load of an acceleration of all points [N]: M a, without rotations.
    pub fn weight(&self, mass: &Sparse, acceleration: DVec3) -> Vec<f64> {
        let (c, n) = (self.n_components(), self.n_displacements());
        let all: Vec<f64> =
            (0..self.n()).map(|i| if i % c < n { acceleration[i % c] } else { 0.0 }).collect();
        let mut load = vec![0.0; self.n()];
        mass.multiply(&all, &mut load);
        load
    }

    /// Stresses at the nodes, each the mean over its elements, by their place in `stresses()`.
    pub fn stresses(&self, u: &[f64]) -> Vec<[f64; 6]> {
        let c = self.n_components();
        let mut sums = vec![([0.0; 6], 0u32); self.mesh.nodes.len()];
        for element in self.mesh.body() {
            let (kind, places) = (element.kind(), self.mesh.places(element));
            let own: Vec<f64> = element
                .nodes
                .iter()
                .flat_map(|&a| &u[a as usize * c..(a as usize + 1) * c])
                .copied()
                .collect();
            for (&node, &xi) in element.nodes.iter().zip(kind.nodes) {
                let stress = self.formulation.stress(kind, &places, &own, xi);
                let (sum, count) = &mut sums[node as usize];
                sum.iter_mut().zip(stress).for_each(|(sum, s)| *sum += s);
                *count += 1;
            }
        }
        sums.iter().map(|(sum, count)| sum.map(|s| s / f64::from((*count).max(1)))).collect()
    }
}

/// Adds an element matrix at its places.
fn add(matrix: &mut Sparse, element: &Element, c: usize, own: &[f64]) {
    let size = element.nodes.len() * c;
    for (a, &node) in element.nodes.iter().enumerate() {
        for i in 0..c {
            let row = node as usize * c + i;
            let range = matrix.start[row]..matrix.start[row + 1];
            let columns = &matrix.column[range.clone()];
            for (b, &other) in element.nodes.iter().enumerate() {
                let first = columns.partition_point(|&column| column < other * c as u32);
                for j in 0..c {
                    matrix.value[range.start + first + j] += own[(a * c + i) * size + b * c + j];
                }
            }
        }
    }
}

/// The diagonal of an element's mass, scaled so that each displacement has the whole mass; rotations by the same factor as displacements.
fn lump(own: &[f64], c: usize, n_displacements: usize, mut give: impl FnMut(usize, f64)) {
    let size = own.len().isqrt();
    let total = |i: usize| -> f64 {
        let rows = (i..size).step_by(c);
        rows.flat_map(|row| (i..size).step_by(c).map(move |column| own[row * size + column])).sum()
    };
    let diagonal = |i: usize| -> f64 { (i..size).step_by(c).map(|row| own[row * size + row]).sum() };
    for i in 0..size {
        let component = i % c;
        let like = if component < n_displacements { component } else { n_displacements - 1 };
        give(i, own[i * size + i] * total(like) / diagonal(like));
    }
}
