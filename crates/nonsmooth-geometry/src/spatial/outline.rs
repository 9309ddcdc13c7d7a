//! Outlines: the flat piece of a core's boundary that faces a direction d.
//!
//! It is a face if its normal is within the angle of [`FLAT`] of d, else an edge nearly
//! perpendicular to d, else a vertex. Two outlines that face each other make a contact patch.
//! A circular cap is an octagon in its rim; the exact lowest point of the rim comes from the
//! support and joins the patch as the closest point.

use super::core::{Core, TIP, Triangle, cuboid_vertex, radial, sign_bits};
use super::hull::Hull;
use crate::pose::Isometry;
use glam::DVec3;
use smallvec::SmallVec;

/// Cosine of the largest tilt of a face, and sine of the largest tilt of an edge against the
/// tangent plane, at which its points take part in a patch. Distances along the common normal then
/// exceed true ones by at most a tenth, and by nothing when the patch has closed.
const FLAT: (f64, f64) = (0.9, 0.435_889_894_354_067_4);
/// Sine of the tilt below which an edge is level: both its ends are farthest along d.
const LEVEL: f64 = 1e-9;
/// Corners that stand for a circular cap.
pub(super) const CAP_CORNERS: u32 = 8;
/// cos 45°.
const DIAGONAL: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// Corners of the unit cap, counter-clockwise from x.
const CAP: [(f64, f64); CAP_CORNERS as usize] = [
    (1.0, 0.0),
    (DIAGONAL, DIAGONAL),
    (0.0, 1.0),
    (-DIAGONAL, DIAGONAL),
    (-1.0, 0.0),
    (-DIAGONAL, -DIAGONAL),
    (0.0, -1.0),
    (DIAGONAL, -DIAGONAL),
];
/// Lowest points of the bottom and top rims (or the tip) among the vertices of a cylinder or cone;
/// they are the ends of the line along which the side touches.
pub(super) const RIM: [u32; 2] = [2 * CAP_CORNERS, TIP];
/// The line along which a curved side touches, among the edges.
pub(super) const SIDE: u32 = 2 * CAP_CORNERS;

/// A corner of an outline and the edge from it to the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutlineCorner {
    pub point: DVec3,
    pub vertex: u32,
    pub edge: u32,
    /// Whether the vertex and the edge are also those of the whole surface, for a part of one.
    pub is_real: (bool, bool),
}

/// A vertex, edge or face: one, two or more corners.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    pub corners: SmallVec<[OutlineCorner; CAP_CORNERS as usize]>,
    /// Outward normal, meaningful for faces.
    pub normal: DVec3,
    /// Number of the face, meaningful for faces.
    pub face: u32,
}

impl Outline {
    fn new(normal: DVec3, face: u32) -> Self {
        Self { corners: SmallVec::new(), normal, face }
    }

    fn push(&mut self, point: DVec3, vertex: u32, edge: u32) {
        self.corners.push(OutlineCorner { point, vertex, edge, is_real: (true, true) });
    }

    /// The outline as seen from outside its frame.
    pub fn transformed(mut self, isometry: &Isometry) -> Self {
        for corner in &mut self.corners {
            corner.point = isometry.point(corner.point);
        }
        self.normal = isometry.vector(self.normal);
        self
    }
}

impl Core<'_> {
    /// The flat piece of boundary that faces the unit direction d.
    pub fn outline(&self, d: DVec3) -> Outline {
        match *self {
            Core::Point => vertex(DVec3::ZERO, 0),
            Core::Segment { half } => segment_outline(half, d),
            Core::Cuboid { half } => cuboid_outline(half, d),
            Core::Cylinder { half, radius } => cylinder_outline(half, radius, d),
            Core::Cone { half, radius } => cone_outline(half, radius, d),
            Core::Hull(hull) => hull_outline(hull, d),
            Core::Triangle(t) => triangle_outline(t, d),
        }
    }
}

fn vertex(point: DVec3, name: u32) -> Outline {
    let mut outline = Outline::new(DVec3::ZERO, 0);
    outline.push(point, name, 0);
    outline
}

fn edge(ends: [(DVec3, u32); 2], name: u32) -> Outline {
    let mut outline = Outline::new(DVec3::ZERO, 0);
    for (point, end) in ends {
        outline.push(point, end, name);
    }
    outline
}

fn segment_outline(half: f64, d: DVec3) -> Outline {
    if d.z.abs() <= FLAT.1 {
        let end = DVec3::new(0.0, 0.0, half);
        edge([(-end, 0), (end, 1)], 0)
    } else {
        let (point, name) = Core::Segment { half }.support(d);
        vertex(point, name)
    }
}

/// Edge along axis k through a vertex: four along each axis, told apart by the other two bits.
fn cuboid_edge(k: usize, bits: u32) -> u32 {
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    4 * k as u32 + (bits >> i & 1) + 2 * (bits >> j & 1)
}

/// The two ends of an edge by its number.
pub(super) fn cuboid_edge_ends(half: DVec3, edge: u32) -> [DVec3; 2] {
    let k = (edge / 4) as usize % 3;
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let bits = (edge & 1) << i | (edge >> 1 & 1) << j;
    [bits, bits | 1 << k].map(|bits| cuboid_vertex(half, bits).0)
}

fn cuboid_outline(half: DVec3, d: DVec3) -> Outline {
    let size = d.abs();
    let bits = sign_bits(d);
    let flattest =
        if size.x >= size.y && size.x >= size.z { 0 } else { 1 + usize::from(size.z > size.y) };
    if size[flattest] >= FLAT.0 {
        return cuboid_face(half, flattest, bits >> flattest & 1);
    }
    let k = if size.x <= size.y && size.x <= size.z { 0 } else { 1 + usize::from(size.z < size.y) };
    if size[k] <= FLAT.1 {
        let ends = [cuboid_vertex(half, bits & !(1 << k)), cuboid_vertex(half, bits | 1 << k)];
        return edge(ends, cuboid_edge(k, bits));
    }
    let (point, name) = cuboid_vertex(half, bits);
    vertex(point, name)
}

fn cuboid_face(half: DVec3, k: usize, positive: u32) -> Outline {
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let mut normal = DVec3::ZERO;
    normal[k] = if positive == 1 { 1.0 } else { -1.0 };
    let mut outline = Outline::new(normal, 2 * k as u32 + positive);
    // Around the face; sides 0 and 2 run along axis i, sides 1 and 3 along axis j.
    for (side, (u, v)) in [(0, 0), (1, 0), (1, 1), (0, 1)].into_iter().enumerate() {
        let bits = positive << k | u << i | v << j;
        let (point, name) = cuboid_vertex(half, bits);
        outline.push(point, name, cuboid_edge(if side % 2 == 0 { i } else { j }, bits));
    }
    outline
}

fn cap(z: f64, radius: f64, top: u32) -> Outline {
    let mut outline = Outline::new(DVec3::new(0.0, 0.0, if top == 1 { 1.0 } else { -1.0 }), top);
    for k in 0..CAP_CORNERS {
        let name = top * CAP_CORNERS + k;
        outline.push(cap_corner(z, radius, k), name, name);
    }
    outline
}

/// Corner k of those that stand for a rim at height z.
pub(super) fn cap_corner(z: f64, radius: f64, k: u32) -> DVec3 {
    let (x, y) = CAP[(k % CAP_CORNERS) as usize];
    DVec3::new(radius * x, radius * y, z)
}

/// The corners that stand for the rim of a cap that faces d, if it is flat enough.
pub(super) fn cap_corners(z: f64, radius: f64, d: DVec3) -> impl Iterator<Item = (DVec3, u32)> {
    let top = u32::from(z > 0.0);
    let n = if d.z.abs() >= FLAT.0 { CAP.len() } else { 0 };
    (0..n).map(move |k| (cap_corner(z, radius, k as u32), top * CAP_CORNERS + k as u32))
}

fn cylinder_outline(half: f64, radius: f64, d: DVec3) -> Outline {
    let top = u32::from(d.z >= 0.0);
    let z = half.copysign(d.z);
    if d.z.abs() >= FLAT.0 {
        return cap(z, radius, top);
    }
    let rim = radius * radial(d);
    if d.z.abs() <= FLAT.1 {
        let ends = [(rim - half * DVec3::Z, RIM[0]), (rim + half * DVec3::Z, RIM[1])];
        return edge(ends, SIDE);
    }
    vertex(rim + z * DVec3::Z, RIM[top as usize])
}

fn cone_outline(half: f64, radius: f64, d: DVec3) -> Outline {
    if d.z <= -FLAT.0 {
        return cap(-half, radius, 0);
    }
    let (tip, base) = (half * DVec3::Z, radius * radial(d) - half * DVec3::Z);
    // Sine of the angle between the side line and the tangent plane of d.
    let tilt = (tip - base).normalize().dot(d);
    if tilt.abs() <= FLAT.1 && d.z > -FLAT.0 {
        return edge([(base, RIM[0]), (tip, RIM[1])], SIDE);
    }
    if tilt > 0.0 { vertex(tip, RIM[1]) } else { vertex(base, RIM[0]) }
}

/// Of the faces at the farthest vertex, or at the farthest edge if one is level, the one that faces d
/// most. So round-off, which decides between the ends of a level edge, does not decide the outline.
fn hull_outline(hull: &Hull, d: DVec3) -> Outline {
    let at = hull.support(d);
    let around = hull.around(at as usize);
    let facing = |f: u32| hull.faces[f as usize].normal.dot(d);
    let ends = |e: u32| hull.edges[e as usize].map(|i| (hull.points[i as usize], i));
    let tilt = |e: u32| {
        let [(p, _), (q, _)] = ends(e);
        ((q - p).normalize().dot(d)).abs()
    };
    let mut faces = around.iter().map(|(f, _)| *f).max_by(|f, g| facing(*f).total_cmp(&facing(*g)));
    let Some(e) = around.iter().map(|(_, e)| *e).min_by(|e, f| tilt(*e).total_cmp(&tilt(*f))) else {
        return vertex(hull.points[at as usize], at);
    };
    if tilt(e) <= LEVEL {
        let [f, g] = hull.sides[e as usize];
        faces = Some(if facing(g) > facing(f) { g } else { f });
    }
    if let Some(f) = faces.filter(|f| facing(*f) >= FLAT.0) {
        let mut outline = Outline::new(hull.faces[f as usize].normal, f);
        for corner in hull.outline(f as usize) {
            outline.push(hull.points[corner.vertex as usize], corner.vertex, corner.edge);
        }
        return outline;
    }
    if tilt(e) <= FLAT.1 { edge(ends(e), e) } else { vertex(hull.points[at as usize], at) }
}

fn triangle_outline(t: &Triangle, d: DVec3) -> Outline {
    let along = t.normal.dot(d);
    if along.abs() >= FLAT.0 {
        let mut outline = Outline::new(t.normal, t.index);
        for k in 0..3 {
            outline.push(t.points[k], t.vertices[k], t.edges[k]);
            // A triangle with an edge that bends there names the vertex.
            let is_flat = t.bends.is_flat;
            outline.corners[k].is_real = (!(is_flat[k] && is_flat[(k + 2) % 3]), !is_flat[k]);
        }
        return outline;
    }
    let (point, k) = Core::Triangle(t).support(d);
    let k = k as usize;
    let tilt = |j: usize| ((t.points[(j + 1) % 3] - t.points[j]).normalize().dot(d)).abs();
    // The two edges at the support vertex.
    let (j, before) = (k, (k + 2) % 3);
    let flattest = if tilt(before) < tilt(j) { before } else { j };
    if tilt(flattest) <= FLAT.1 {
        let end = |i: usize| (t.points[i], t.vertices[i]);
        return edge([end(flattest), end((flattest + 1) % 3)], t.edges[flattest]);
    }
    vertex(point, t.vertices[k])
}
