//! Outlines of shapes in the plane, and their surface meshes: prisms about the plane z = 0.

use super::prism::{Region, prism};
use super::triangulate::triangulate;
use super::{Detail, Patch, SurfaceMesh};
use crate::planar::{Core, Isometry, Kind, Shape};
use crate::spatial;
use glam::DVec2;

/// A line around a shape in the plane, or along it.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// Corners [m]; counter-clockwise if closed.
    pub points: Vec<[f64; 2]>,
    /// Whether it goes back from the last corner to the first.
    pub is_closed: bool,
}

/// Longest miter of a band, in parts of its width: sharper corners are cut.
const MITER: f64 = 3.0;

impl Shape {
    /// Polygons around the shape; one for every part of a compound.
    pub fn outlines(&self, detail: &Detail) -> Vec<Outline> {
        let mut outlines = Vec::new();
        self.visit(&IDENTITY, &mut |isometry, shape| {
            let (points, is_closed) = shape.outline(detail);
            let points = points.iter().map(|p| isometry.point(*p).to_array()).collect();
            outlines.push(Outline { points, is_closed });
        });
        outlines
    }

    /// A solid of this depth [m] about the plane z = 0. A chain that is not closed becomes a band
    /// of width `depth` behind its front, a half-plane a rectangle twice as long as deep.
    pub fn surface_mesh(&self, detail: &Detail, depth: f64) -> SurfaceMesh {
        let mut surface = SurfaceMesh::default();
        self.visit(&IDENTITY, &mut |isometry, shape| {
            let (points, is_closed) = shape.outline(detail);
            let points: Vec<DVec2> = points.iter().map(|p| isometry.point(*p)).collect();
            let region = if is_closed { inside(points) } else { band(&points, depth) };
            surface.append(&prism(&region, depth), &spatial::Pose::IDENTITY);
        });
        surface
    }

    fn visit(&self, isometry: &Isometry, visit: &mut impl FnMut(&Isometry, &Self)) {
        if let Kind::Compound(compound) = &self.0 {
            for (at, part) in &compound.parts {
                part.visit(&isometry.after(at), visit);
            }
        } else {
            visit(isometry, self);
        }
    }

    /// Corners of a shape that is no compound, and whether they close.
    fn outline(&self, detail: &Detail) -> (Vec<DVec2>, bool) {
        match &self.0 {
            Kind::Chain(chain) => (chain.points.clone(), chain.is_closed),
            Kind::HalfPlane { normal } => (rectangle(*normal, &detail.patch), true),
            _ => {
                let rounded = |(core, radius)| rounded(&core, radius, detail.pieces());
                (self.core().map_or_else(Vec::new, rounded), true)
            }
        }
    }
}

const IDENTITY: Isometry = Isometry { turn: DVec2::X, translation: DVec2::ZERO };

/// A point, segment or polygon, rounded by a radius: arcs about the corners of the first two.
fn rounded(core: &Core<'_>, radius: f64, n: u32) -> Vec<DVec2> {
    let on_arc = |centre: DVec2, k: u32| {
        centre + radius * DVec2::from_angle(f64::from(k) * std::f64::consts::TAU / f64::from(n))
    };
    match core.points {
        [centre] => (0..n).map(|k| on_arc(*centre, k)).collect(),
        // From −x to +x: the arc about the right end runs from −90° to 90°.
        [left, right] => (0..=n / 2)
            .map(|k| on_arc(*right, k + 3 * n / 4))
            .chain((0..=n / 2).map(|k| on_arc(*left, k + n / 4)))
            .collect(),
        corners => corners.to_vec(),
    }
}

fn rectangle(normal: DVec2, patch: &Patch) -> Vec<DVec2> {
    let about = DVec2::new(patch.about[0], patch.about[1]);
    let centre = about - normal * normal.dot(about);
    let (along, down) = (normal.perp() * patch.half, normal * -patch.half);
    vec![centre + along, centre + along + down, centre - along + down, centre - along]
}

fn inside(points: Vec<DVec2>) -> Region {
    let n = points.len() as u32;
    let triangles = triangulate(&points);
    Region { points, triangles, border: (0..n).map(|k| [k, (k + 1) % n]).collect() }
}

/// A band of a width on the left of a line, which is behind its front.
fn band(line: &[DVec2], width: f64) -> Region {
    let n = line.len();
    let side = |k: usize| (line[k + 1] - line[k]).normalize_or_zero().perp();
    let miter = |k: usize| {
        let (before, after) = (side(k.saturating_sub(1).min(n - 2)), side(k.min(n - 2)));
        let middle = (before + after).normalize_or_zero();
        middle / middle.dot(after).max(1.0 / MITER)
    };
    let back = (0..n).map(|k| line[k] + width * miter(k));
    let points = line.iter().copied().chain(back).collect();
    let n = n as u32;
    let links = 0..n - 1;
    let triangles = links.clone().flat_map(|k| [[k, k + 1, k + 1 + n], [k, k + 1 + n, k + n]]).collect();
    let front = links.clone().map(|k| [k, k + 1]);
    let back = links.map(|k| [k + 1 + n, k + n]);
    let border = front.chain(back).chain([[n - 1, 2 * n - 1], [n, 0]]).collect();
    Region { points, triangles, border }
}
