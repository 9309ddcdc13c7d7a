//! Meshes by formula: line, rectangle, box and disc, with their sides as groups.
//!
//! | shape | groups |
//! |---|---|
//! | line | `start`, `end` (nodes), `line` |
//! | rectangle | `left`, `right`, `bottom`, `top`, `boundary` |
//! | box | the same, and `back` (low y), `front` (high y) |
//! | disc | `boundary`, `rim`; of a sector of less than a turn also `first` and `last` |
//!
//! In a box `left` and `right` are low and high x, `bottom` and `top` low and high z.

use super::{Element, Group, Mesh};
use glam::DVec3;
use std::collections::BTreeMap;

/// A line of `cells` elements with two nodes between two points [m].
pub fn line(from: DVec3, to: DVec3, cells: usize) -> Mesh {
    let nodes = (0..=cells).map(|i| from.lerp(to, i as f64 / cells as f64)).collect();
    let elements = (0..cells as u32).map(|i| Element { cell: "line2", nodes: vec![i, i + 1] }).collect();
    let mut mesh = Mesh { nodes, elements, groups: BTreeMap::new() };
    for (name, node) in [("start", 0), ("end", cells as u32)] {
        mesh.groups.insert(name.to_owned(), Group { elements: Vec::new(), nodes: vec![node] });
    }
    mesh.groups
        .insert("line".to_owned(), Group { elements: (0..cells as u32).collect(), nodes: Vec::new() });
    mesh
}

/// Moves the nodes of a rectangle or box so that its cells grow along each axis, each by the same factor from one to the next: `ratio` is the
/// last by the first. Middles of edges stay there.
pub fn grade(mesh: &mut Mesh, corner: DVec3, size: &[f64], cells: &[usize], ratio: &[f64]) {
    for (axis, ((&size, &n), &ratio)) in size.iter().zip(cells).zip(ratio).enumerate() {
        let factor = if n > 1 { ratio.powf(1.0 / (n - 1) as f64) } else { 1.0 };
        let lengths: Vec<f64> = (0..n).map(|i| factor.powi(i as i32)).collect();
        let whole: f64 = lengths.iter().sum();
        let mut ends = vec![0.0];
        lengths.iter().for_each(|length| ends.push(ends[ends.len() - 1] + size * length / whole));
        // The last end is that of the block, to the bit: groups and supports stand there.
        ends[n] = size;
        for x in &mut mesh.nodes {
            let place = (x[axis] - corner[axis]) / size * n as f64;
            // A node or a middle: halves of cells.
            let halves = (2.0 * place).round() as usize;
            let (i, is_middle) = (halves / 2, halves % 2 == 1);
            let own = if is_middle { 0.5 * (ends[i] + ends[i + 1]) } else { ends[i] };
            x[axis] = corner[axis] + own;
        }
    }
}

/// Cells of a structured mesh: how corners of a block become elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// Quadrilaterals or hexahedra, linear.
    Whole,
    /// The same, quadratic.
    WholeQuadratic,
    /// Two triangles or six tetrahedra for each block, linear.
    Split,
    /// The same, quadratic.
    SplitQuadratic,
}

impl Blocks {
    /// The cells of a body of dimension `dim` with this name; `None` if it is no cell of such a body.
    pub fn of(cell: &str) -> Option<(Self, usize)> {
        Some(match cell {
            "quad4" => (Blocks::Whole, 2),
            "quad8" => (Blocks::WholeQuadratic, 2),
            "triangle3" => (Blocks::Split, 2),
            "triangle6" => (Blocks::SplitQuadratic, 2),
            "hex8" => (Blocks::Whole, 3),
            "hex20" => (Blocks::WholeQuadratic, 3),
            "tet4" => (Blocks::Split, 3),
            "tet10" => (Blocks::SplitQuadratic, 3),
            _ => return None,
        })
    }

    fn is_quadratic(self) -> bool {
        matches!(self, Blocks::WholeQuadratic | Blocks::SplitQuadratic)
    }

    fn is_split(self) -> bool {
        matches!(self, Blocks::Split | Blocks::SplitQuadratic)
    }
}

/// A rectangle from a corner, with `cells` blocks along x and y.
pub fn rectangle(corner: DVec3, size: [f64; 2], cells: [usize; 2], blocks: Blocks) -> Mesh {
    let [nx, ny] = cells;
    let number = |i: usize, j: usize| (j * (nx + 1) + i) as u32;
    let mut mesh = Mesh::default();
    for j in 0..=ny {
        for i in 0..=nx {
            let along = DVec3::new(size[0] * i as f64 / nx as f64, size[1] * j as f64 / ny as f64, 0.0);
            mesh.nodes.push(corner + along);
        }
    }
    for j in 0..ny {
        for i in 0..nx {
            let corners = [number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)];
            push_face(&mut mesh, corners, blocks, (i + j) % 2 == 1);
        }
    }
    finish(&mut mesh, blocks);
    let (low, high) = (corner, corner + DVec3::new(size[0], size[1], 0.0));
    name_sides(
        &mut mesh,
        low,
        high,
        &[("left", 0, false), ("right", 0, true), ("bottom", 1, false), ("top", 1, true)],
    );
    mesh
}

/// A box from a corner, with `cells` blocks along x, y and z.
pub fn block(corner: DVec3, size: [f64; 3], cells: [usize; 3], blocks: Blocks) -> Mesh {
    let [nx, ny, nz] = cells;
    let number = |i: usize, j: usize, k: usize| ((k * (ny + 1) + j) * (nx + 1) + i) as u32;
    let mut mesh = Mesh::default();
    for k in 0..=nz {
        for j in 0..=ny {
            for i in 0..=nx {
                let part = DVec3::new(i as f64 / nx as f64, j as f64 / ny as f64, k as f64 / nz as f64);
                mesh.nodes.push(corner + part * DVec3::from(size));
            }
        }
    }
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let corners = [
                    [0, 0, 0],
                    [1, 0, 0],
                    [1, 1, 0],
                    [0, 1, 0],
                    [0, 0, 1],
                    [1, 0, 1],
                    [1, 1, 1],
                    [0, 1, 1],
                ]
                .map(|[a, b, c]| number(i + a, j + b, k + c));
                push_solid(&mut mesh, corners, blocks);
            }
        }
    }
    finish(&mut mesh, blocks);
    let sides = [
        ("left", 0, false),
        ("right", 0, true),
        ("back", 1, false),
        ("front", 1, true),
        ("bottom", 2, false),
        ("top", 2, true),
    ];
    name_sides(&mut mesh, corner, corner + DVec3::from(size), &sides);
    mesh
}

/// A disc, a ring or a sector of them, about `centre` in the plane, with `cells` blocks along the radius and around. `angles` from the
/// x axis [rad]; a whole turn closes. Without a hole the innermost blocks are triangles, so the cells must be triangles.
pub fn disc(
    centre: DVec3,
    radii: [f64; 2],
    angles: [f64; 2],
    cells: [usize; 2],
    blocks: Blocks,
) -> Mesh {
    let [n_radial, n_around] = cells;
    let is_closed = ((angles[1] - angles[0]).abs() - std::f64::consts::TAU).abs() < 1e-9;
    let has_hole = radii[0] > 0.0;
    let columns = if is_closed { n_around } else { n_around + 1 };
    let mut mesh = Mesh::default();
    if !has_hole {
        mesh.nodes.push(centre);
    }
    let first_ring = usize::from(!has_hole);
    for i in first_ring..=n_radial {
        let radius = radii[0] + (radii[1] - radii[0]) * i as f64 / n_radial as f64;
        for j in 0..columns {
            let angle = angles[0] + (angles[1] - angles[0]) * j as f64 / n_around as f64;
            mesh.nodes.push(centre + radius * DVec3::new(angle.cos(), angle.sin(), 0.0));
        }
    }
    let number = |i: usize, j: usize| {
        let j = if is_closed { j % n_around } else { j };
        if i == 0 && !has_hole { 0 } else { (first_ring + (i - first_ring) * columns + j) as u32 }
    };
    for i in 0..n_radial {
        for j in 0..n_around {
            let corners = [number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)];
            if corners[0] == corners[3] {
                mesh.elements.push(Element { cell: "triangle3", nodes: corners[..3].to_vec() });
            } else {
                push_face(&mut mesh, corners, blocks, (i + j) % 2 == 1);
            }
        }
    }
    finish(&mut mesh, blocks);
    let outer = radii[1] * (1.0 - 1e-9);
    // The middle of a straight edge lies within the rim: an edge belongs to it whose ends do.
    let on_rim = |x: DVec3| {
        (x - centre).length() >= outer * (std::f64::consts::PI / n_around as f64).cos() * (1.0 - 1e-9)
    };
    mesh.add_part("rim", "boundary", on_rim);
    if !is_closed {
        for (name, angle) in [("first", angles[0]), ("last", angles[1])] {
            let along = DVec3::new(angle.cos(), angle.sin(), 0.0);
            let on_edge = |x: DVec3| {
                let way = x - centre;
                (way - way.length() * along).length() <= 1e-9 * radii[1]
            };
            mesh.add_part(name, "boundary", on_edge);
        }
    }
    mesh
}

/// Pushes a quadrilateral, or two triangles; those of neighbours lie the other way round.
fn push_face(mesh: &mut Mesh, [a, b, c, d]: [u32; 4], blocks: Blocks, other: bool) {
    if !blocks.is_split() {
        mesh.elements.push(Element { cell: "quad4", nodes: vec![a, b, c, d] });
        return;
    }
    let halves = if other { [[a, b, d], [b, c, d]] } else { [[a, b, c], [a, c, d]] };
    for half in halves {
        mesh.elements.push(Element { cell: "triangle3", nodes: half.to_vec() });
    }
}

/// Pushes a hexahedron, or six tetrahedra about its diagonal 0–6, which fit to those of its neighbours.
fn push_solid(mesh: &mut Mesh, c: [u32; 8], blocks: Blocks) {
    if !blocks.is_split() {
        mesh.elements.push(Element { cell: "hex8", nodes: c.to_vec() });
        return;
    }
    for [a, b] in [[1, 2], [2, 3], [3, 7], [7, 4], [4, 5], [5, 1]] {
        mesh.elements.push(Element { cell: "tet4", nodes: vec![c[0], c[a], c[b], c[6]] });
    }
}

/// Adds the middles of edges where they are asked for, and the group `boundary`.
fn finish(mesh: &mut Mesh, blocks: Blocks) {
    if blocks.is_quadratic() {
        add_middles(mesh);
    }
    mesh.add_boundary("boundary");
}

/// Makes linear cells of faces and solids quadratic: each edge has one node in its middle.
fn add_middles(mesh: &mut Mesh) {
    let mut middles: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    for element in &mut mesh.elements {
        let (cell, edges): (&'static str, &[[usize; 2]]) = match element.cell {
            "triangle3" => ("triangle6", &[[0, 1], [1, 2], [2, 0]]),
            "quad4" => ("quad8", &[[0, 1], [1, 2], [2, 3], [3, 0]]),
            "tet4" => ("tet10", &[[0, 1], [1, 2], [0, 2], [0, 3], [2, 3], [1, 3]]),
            "hex8" => ("hex20", &HEX_EDGES),
            _ => continue,
        };
        for &[a, b] in edges {
            let (a, b) = (element.nodes[a], element.nodes[b]);
            let nodes = &mut mesh.nodes;
            let middle = *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                nodes.push(nodes[a as usize].midpoint(nodes[b as usize]));
                nodes.len() as u32 - 1
            });
            element.nodes.push(middle);
        }
        element.cell = cell;
    }
}

const HEX_EDGES: [[usize; 2]; 12] =
    [[0, 1], [0, 3], [0, 4], [1, 2], [1, 5], [2, 3], [2, 6], [3, 7], [4, 5], [4, 7], [5, 6], [6, 7]];

/// Names parts of the boundary by the axis that they are perpendicular to: low or high.
fn name_sides(mesh: &mut Mesh, low: DVec3, high: DVec3, sides: &[(&str, usize, bool)]) {
    let size = (high - low).max_element();
    for &(name, axis, is_high) in sides {
        let at = if is_high { high[axis] } else { low[axis] };
        mesh.add_part(name, "boundary", |x| (x[axis] - at).abs() <= 1e-9 * size);
    }
}
