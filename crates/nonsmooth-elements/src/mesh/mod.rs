//! Meshes: nodes, cells and named groups of cells.
//!
//! A mesh comes from a file of Gmsh ([`gmsh`]) or from a formula ([`generate`]). [`Mesh::faults`] finds what no solid can be made of.

mod faults;
pub mod generate;
pub mod gmsh;

use crate::cells::{Cell, cell};
use glam::DVec3;
use std::collections::BTreeMap;

pub use faults::Fault;

/// A cell of a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Name of its cell in [`crate::cells::CELLS`].
    pub cell: &'static str,
    /// Its nodes.
    pub nodes: Vec<u32>,
}

impl Element {
    /// Its kind.
    pub fn kind(&self) -> &'static Cell {
        cell(self.cell).expect("a mesh has cells of the list alone")
    }
}

/// Nodes, elements, and groups of elements with a name.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// Places of the nodes [m].
    pub nodes: Vec<DVec3>,
    /// Elements of every dimension: solids, and the sides and lines that groups name.
    pub elements: Vec<Element>,
    /// Named groups: places in `elements`, or single nodes.
    pub groups: BTreeMap<String, Group>,
}

/// What a name of a mesh stands for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Places in `elements`.
    pub elements: Vec<u32>,
    /// Nodes, beside those of the elements.
    pub nodes: Vec<u32>,
}

impl Mesh {
    /// The largest dimension of its elements: that of the body.
    pub fn dim(&self) -> usize {
        self.elements.iter().map(|e| e.kind().dim).max().unwrap_or(0)
    }

    /// The elements of the largest dimension.
    pub fn body(&self) -> impl Iterator<Item = &Element> {
        let dim = self.dim();
        self.elements.iter().filter(move |e| e.kind().dim == dim)
    }

    /// Places of the nodes of an element [m].
    pub fn places(&self, element: &Element) -> Vec<DVec3> {
        element.nodes.iter().map(|&a| self.nodes[a as usize]).collect()
    }

    /// All nodes of a group, ascending; `None` if there is no such group.
    pub fn nodes_of(&self, name: &str) -> Option<Vec<u32>> {
        let group = self.groups.get(name)?;
        let elements = group.elements.iter().flat_map(|&e| &self.elements[e as usize].nodes);
        let mut nodes: Vec<u32> = elements.chain(&group.nodes).copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        Some(nodes)
    }

    /// The sides of the body in a group, directed to the outside as the elements have them; what lies between two elements is directed as
    /// in the first. `None` if there is no such group; elements of it that are no side of the body are left out.
    pub fn sides_of(&self, name: &str) -> Option<Vec<Element>> {
        let group = self.groups.get(name)?;
        let key = |nodes: &[u32]| {
            let mut key = nodes.to_vec();
            key.sort_unstable();
            key
        };
        let asked: BTreeMap<Vec<u32>, usize> = group
            .elements
            .iter()
            .enumerate()
            .map(|(k, &e)| (key(&self.elements[e as usize].nodes), k))
            .collect();
        let mut found: BTreeMap<usize, Element> = BTreeMap::new();
        for element in self.body() {
            for side in element.kind().sides {
                let nodes: Vec<u32> = side.nodes.iter().map(|&a| element.nodes[a]).collect();
                if let Some(&k) = asked.get(&key(&nodes)) {
                    found.entry(k).or_insert(Element { cell: side.cell, nodes });
                }
            }
        }
        Some(found.into_values().collect())
    }

    /// Makes groups of the sides of the body that no second element shares: all of them, as `name`, directed to the outside.
    pub fn add_boundary(&mut self, name: &str) {
        let mut seen: BTreeMap<Vec<u32>, Option<Element>> = BTreeMap::new();
        for element in self.body() {
            for side in element.kind().sides {
                let nodes: Vec<u32> = side.nodes.iter().map(|&a| element.nodes[a]).collect();
                let mut key = nodes.clone();
                key.sort_unstable();
                let own = Element { cell: side.cell, nodes };
                seen.entry(key).and_modify(|inner| *inner = None).or_insert(Some(own));
            }
        }
        let first = self.elements.len() as u32;
        self.elements.extend(seen.into_values().flatten());
        let elements = (first..self.elements.len() as u32).collect();
        self.groups.insert(name.to_owned(), Group { elements, nodes: Vec::new() });
    }

    /// Makes a group `name` of those elements of group `of` whose nodes all satisfy `holds`.
    pub fn add_part(&mut self, name: &str, of: &str, holds: impl Fn(DVec3) -> bool) {
        let Some(group) = self.groups.get(of) else { return };
        let is_in =
            |&e: &u32| self.elements[e as usize].nodes.iter().all(|&a| holds(self.nodes[a as usize]));
        let elements = group.elements.iter().copied().filter(is_in).collect();
        self.groups.insert(name.to_owned(), Group { elements, nodes: Vec::new() });
    }
}
