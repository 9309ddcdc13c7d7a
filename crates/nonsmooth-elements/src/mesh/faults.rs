//! What no body can be made of: elements that are turned inside out, flat or repeated, and nodes that nothing holds.

use super::Mesh;
use crate::cells::Cell;
use glam::DVec3;
use std::collections::BTreeMap;
use std::fmt;

/// A mistake of a mesh, with the number of the element or node as counted from 1.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// There is nothing of a body.
    Empty,
    /// The body has cells of one dimension only in name: lines, faces and solids are mixed in the wrong order.
    NoBody,
    /// A number is not finite.
    NotFinite {
        /// The node.
        node: usize,
    },
    /// An element of the body is turned inside out somewhere.
    Inverted {
        /// The element.
        element: usize,
        /// Its cell.
        cell: &'static str,
        /// The smallest measure of its map, relative to the largest.
        measure: f64,
    },
    /// An element of the body has no extent.
    Flat {
        /// The element.
        element: usize,
        /// Its cell.
        cell: &'static str,
    },
    /// Two elements of the body have the same nodes.
    Repeated {
        /// The first.
        first: usize,
        /// The second.
        second: usize,
    },
    /// An element names a node twice.
    SameNode {
        /// The element.
        element: usize,
        /// The node.
        node: usize,
    },
    /// A face of the plane leaves it.
    OutOfPlane {
        /// The node.
        node: usize,
        /// Its z [m].
        z: f64,
    },
    /// Three elements or more share a side.
    Branches {
        /// One of them.
        element: usize,
    },
    /// No element of the body has this node, so it has no mass.
    Loose {
        /// The node.
        node: usize,
        /// How many there are.
        count: usize,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Empty => write!(f, "the mesh has no elements"),
            Fault::NoBody => write!(f, "the mesh has points alone; a body needs lines, faces or solids"),
            Fault::NotFinite { node } => write!(f, "node {node} is not at a finite place"),
            Fault::Inverted { element, cell, measure } => write!(
                f,
                "element {element} ({cell}) is turned inside out: the measure of its map is {measure:.2e} of the largest; number its nodes the other way round, or mesh finer there"
            ),
            Fault::Flat { element, cell } => {
                write!(
                    f,
                    "element {element} ({cell}) is flat: it has no extent; take it out, or move its nodes apart"
                )
            }
            Fault::Repeated { first, second } => {
                write!(f, "elements {first} and {second} have the same nodes; take one of them out")
            }
            Fault::SameNode { element, node } => {
                write!(f, "element {element} has node {node} twice; it needs different ones")
            }
            Fault::OutOfPlane { node, z } => {
                write!(f, "node {node} has z = {z}; a body of faces lies in the plane z = 0")
            }
            Fault::Branches { element } => {
                write!(f, "element {element} shares a side with two others; a side has at most two")
            }
            Fault::Loose { node, count } => write!(
                f,
                "node {node} belongs to no element of the body, so it has no mass ({count} such nodes); take it out of the mesh"
            ),
        }
    }
}

impl Mesh {
    /// Every mistake of the mesh, of each kind the first ten.
    pub fn faults(&self) -> Vec<Fault> {
        if self.elements.is_empty() {
            return vec![Fault::Empty];
        }
        let dim = self.dim();
        if dim == 0 {
            return vec![Fault::NoBody];
        }
        let mut faults = self.faults_of_nodes(dim);
        if faults.is_empty() {
            faults.extend(self.faults_of_elements(dim));
            faults.extend(self.repeated(dim).into_iter().take(10));
            faults.extend(self.branches(dim));
        }
        faults
    }

    fn faults_of_nodes(&self, dim: usize) -> Vec<Fault> {
        let mut faults = Vec::new();
        let mut is_used = vec![false; self.nodes.len()];
        for element in self.body() {
            element.nodes.iter().for_each(|&a| is_used[a as usize] = true);
        }
        let wrong = self.nodes.iter().position(|x| !x.is_finite());
        faults.extend(wrong.map(|a| Fault::NotFinite { node: a + 1 }));
        let loose = is_used.iter().position(|used| !used);
        let count = is_used.iter().filter(|used| !**used).count();
        faults.extend(loose.map(|a| Fault::Loose { node: a + 1, count }));
        let size = self.size();
        let out = self.nodes.iter().position(|x| x.z.abs() > 1e-9 * size);
        if dim == 2 {
            faults.extend(out.map(|a| Fault::OutOfPlane { node: a + 1, z: self.nodes[a].z }));
        }
        faults
    }

    /// The largest extent of the mesh along an axis [m].
    pub fn size(&self) -> f64 {
        let low = self.nodes.iter().fold(DVec3::INFINITY, |low, x| low.min(*x));
        let high = self.nodes.iter().fold(DVec3::NEG_INFINITY, |high, x| high.max(*x));
        (high - low).max_element()
    }

    fn faults_of_elements(&self, dim: usize) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (e, element) in self.elements.iter().enumerate().filter(|(_, e)| e.kind().dim == dim) {
            if faults.len() == 10 {
                break;
            }
            let mut sorted = element.nodes.clone();
            sorted.sort_unstable();
            if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                faults.push(Fault::SameNode { element: e + 1, node: pair[0] as usize + 1 });
                continue;
            }
            let (low, high) = extent(element.kind(), &self.places(element));
            let cell = element.cell;
            // A cell whose corners differ by rounding alone has no shape.
            if high.abs().max(low.abs()) <= 1e-12 * self.bound(element, dim) {
                faults.push(Fault::Flat { element: e + 1, cell });
            } else if low <= 0.0 {
                faults.push(Fault::Inverted {
                    element: e + 1,
                    cell,
                    measure: low / high.abs().max(-low),
                });
            }
        }
        faults
    }

    /// The measure that an element of its diameter could have [mᵈ].
    fn bound(&self, element: &super::Element, dim: usize) -> f64 {
        let places = self.places(element);
        let diameter =
            places.iter().map(|x| (*x - places[0]).length()).fold(f64::MIN_POSITIVE, f64::max);
        diameter.powi(dim as i32)
    }

    fn repeated(&self, dim: usize) -> Vec<Fault> {
        let mut seen: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
        let mut faults = Vec::new();
        for (e, element) in self.elements.iter().enumerate().filter(|(_, e)| e.kind().dim == dim) {
            let mut key = element.nodes.clone();
            key.sort_unstable();
            if let Some(&first) = seen.get(&key) {
                faults.push(Fault::Repeated { first: first + 1, second: e + 1 });
            } else {
                seen.insert(key, e);
            }
        }
        faults
    }

    fn branches(&self, dim: usize) -> Option<Fault> {
        let mut count: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
        for (e, element) in self.elements.iter().enumerate().filter(|(_, e)| e.kind().dim == dim) {
            for side in element.kind().sides {
                let mut key: Vec<u32> = side.nodes.iter().map(|&a| element.nodes[a]).collect();
                key.sort_unstable();
                let count = count.entry(key).or_insert(0);
                *count += 1;
                if *count > 2 {
                    return Some(Fault::Branches { element: e + 1 });
                }
            }
        }
        None
    }
}

/// The smallest and the largest measure of the map of a cell, at its quadrature points and at its nodes; of a line its length twice.
fn extent(cell: &Cell, places: &[DVec3]) -> (f64, f64) {
    if cell.dim == 1 {
        let length = (places[1] - places[0]).length();
        return (length, length);
    }
    let points = (cell.points)().into_iter().map(|point| point.at);
    let at = points.chain(cell.nodes.iter().copied());
    at.map(|xi| cell.map(xi, places).measure)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), m| (low.min(m), high.max(m)))
}
