//! A fixed convex polygon or polyhedron and a particle, outside or inside.
//!
//! Outside, the gap is the signed distance ψ(x) = ‖x − c‖ to the closest point c of the region, ∂ψ/∂x = (x − c)/ψ:
//! one constraint for the whole region. What is admissible is the union of the half-spaces beyond the faces,
//! n_i·x ≥ b_i for *one* i, which no list of constraints that all hold can express: a particle that passes a corner
//! would be stopped by the extension of the face that it has not reached. The distance has no such walls, it is
//! smooth outside, and it is convex, so that its linearization is never larger than itself. Within the region
//! ψ = max_i (n_i·x − b_i), the way out through the nearest face.
//!
//! Inside, all of b_i − n_i·x ≥ 0 hold at once: one linear gap per face.

use super::gap::{Gap, LinearContact};
use crate::model::UserError;
use thiserror::Error;

type Vec3 = [f64; 3];

/// Rounding allowed in the corners [–], relative to the size of the region.
const ROUNDING: f64 = 1e-12;

/// A convex polygon (on coordinates x, y) or polyhedron (on x, y, z) that does not move.
#[derive(Clone, Debug)]
pub struct ConvexRegion {
    dim: usize,
    /// Largest coordinate of a corner [m].
    size: f64,
    faces: Vec<Face>,
    with_tangents: bool,
}

/// A face of a polyhedron or an edge of a polygon.
#[derive(Clone, Debug)]
struct Face {
    /// Outward unit normal n.
    normal: Vec3,
    /// b of n·x = b [m].
    offset: f64,
    /// Outward directions in the face, each with a point on its border.
    fences: Vec<(Vec3, Vec3)>,
    /// The border: segments, or for polygons the two corners.
    border: Vec<(Vec3, Vec3)>,
}

/// Why corners and faces are no convex region.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ConvexRegionError {
    /// A polygon or face with too few corners, or too few faces.
    #[error("a polygon or face needs at least 3 corners and a polyhedron 4 faces")]
    TooFew,
    /// A face names a corner that is not there.
    #[error("face {face} names corner {corner}, but there are {n}")]
    NoSuchCorner {
        /// Which face.
        face: usize,
        /// The corner asked for.
        corner: usize,
        /// Number of corners.
        n: usize,
    },
    /// A coordinate is not finite.
    #[error("corner {corner} is not finite")]
    NotFinite {
        /// Which corner.
        corner: usize,
    },
    /// A face without area, or an edge without length.
    #[error("face {face} has an edge without length or no area")]
    Degenerate {
        /// Which face.
        face: usize,
    },
    /// A corner lies beyond a face.
    #[error(
        "corner {corner} lies beyond face {face}: not convex, not plane, or not counted counter-clockwise seen from outside"
    )]
    NotConvex {
        /// Which face.
        face: usize,
        /// Which corner.
        corner: usize,
    },
    /// An edge does not belong to two faces.
    #[error("the edge from corner {from} to {to} must belong to two faces, once in each direction")]
    Open {
        /// Its first corner.
        from: usize,
        /// Its second corner.
        to: usize,
    },
}

impl ConvexRegion {
    /// The polygon with these corners [m], counter-clockwise.
    pub fn polygon(corners: &[[f64; 2]]) -> Result<Self, ConvexRegionError> {
        if corners.len() < 3 {
            return Err(ConvexRegionError::TooFew);
        }
        let corners: Vec<Vec3> = corners.iter().map(|&[x, y]| [x, y, 0.0]).collect();
        let size = size_of(&corners)?;
        let n = corners.len();
        let faces = (0..n).map(|i| (Face::edge(corners[i], corners[(i + 1) % n]), [i, (i + 1) % n]));
        let faces = checked(faces, &corners, size)?;
        Ok(Self { dim: 2, size, faces, with_tangents: false })
    }

    /// The polyhedron with these corners [m]; each face lists its corners counter-clockwise seen from outside.
    pub fn polyhedron(corners: &[Vec3], faces: &[&[usize]]) -> Result<Self, ConvexRegionError> {
        if faces.len() < 4 || faces.iter().any(|face| face.len() < 3) {
            return Err(ConvexRegionError::TooFew);
        }
        let size = size_of(corners)?;
        for (i, face) in faces.iter().enumerate() {
            if let Some(&corner) = face.iter().find(|&&c| c >= corners.len()) {
                return Err(ConvexRegionError::NoSuchCorner { face: i, corner, n: corners.len() });
            }
        }
        check_closed(faces)?;
        let made = faces.iter().map(|face| {
            let loop_of: Vec<Vec3> = face.iter().map(|&c| corners[c]).collect();
            (Face::of(&loop_of), face.iter().copied())
        });
        let faces = checked(made, corners, size)?;
        Ok(Self { dim: 3, size, faces, with_tangents: false })
    }

    /// Adds the sliding velocity, for laws with friction.
    pub fn with_tangents(mut self) -> Self {
        self.with_tangents = true;
        self
    }

    /// The gaps of a particle inside: b_i − n_i·x, one per face.
    pub fn inside(&self) -> Vec<LinearContact> {
        let cut = |v: Vec3| v[..self.dim].to_vec();
        let contact = |face: &Face| {
            let inward = face.normal.map(|n| -n);
            let tangents =
                frame(self.dim, inward).into_iter().take(self.n_tangents()).map(cut).collect();
            LinearContact { normal: cut(inward), offset: face.offset, tangents }
        };
        self.faces.iter().map(contact).collect()
    }

    /// ψ(x) and ∂ψ/∂x.
    fn distance(&self, x: Vec3) -> (f64, Vec3) {
        let height = |face: &Face| dot(face.normal, x) - face.offset;
        let highest = self.faces.iter().max_by(|a, b| height(a).total_cmp(&height(b)));
        let highest = highest.expect("a region has faces");
        let within = |(out, point): &(Vec3, Vec3)| dot(*out, sub(x, *point)) <= 0.0;
        let below = self.faces.iter().find(|f| height(f) > 0.0 && f.fences.iter().all(within));
        if height(highest) <= 0.0 {
            return (height(highest), highest.normal);
        }
        if let Some(face) = below {
            return (height(face), face.normal);
        }
        // Beyond an edge or a corner; it belongs to a face that x can see.
        let visible = self.faces.iter().filter(|face| height(face) > 0.0);
        let away = visible.flat_map(|face| &face.border).map(|&(a, b)| sub(x, on_segment(a, b, x)));
        let away = away.min_by(|a, b| norm(*a).total_cmp(&norm(*b))).expect("a face has a border");
        let d = norm(away);
        if d <= ROUNDING * self.size {
            // The direction is rounding.
            return (d, highest.normal);
        }
        (d, away.map(|a| a / d))
    }

    fn place(&self, q: &[f64]) -> Result<Vec3, UserError> {
        if q.len() != self.dim {
            return Err(format!("the region has {} coordinates, not {}", self.dim, q.len()).into());
        }
        Ok([q[0], q[1], q.get(2).copied().unwrap_or(0.0)])
    }
}

impl Gap for ConvexRegion {
    fn gap(&self, _t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(self.distance(self.place(q)?).0)
    }
    fn jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let (_, normal) = self.distance(self.place(q)?);
        out.copy_from_slice(&normal[..self.dim]);
        Ok(())
    }
    fn n_tangents(&self) -> usize {
        if self.with_tangents { self.dim - 1 } else { 0 }
    }
    fn tangents(
        &self,
        _t: f64,
        q: &[f64],
        jacobian: &mut [f64],
        rate: &mut [f64],
    ) -> Result<(), UserError> {
        let (_, normal) = self.distance(self.place(q)?);
        for (out, tangent) in jacobian.chunks_exact_mut(self.dim).zip(frame(self.dim, normal)) {
            out.copy_from_slice(&tangent[..self.dim]);
        }
        rate.fill(0.0);
        Ok(())
    }
}

impl Face {
    /// The edge of a polygon from a to b, with the inside to its left.
    fn edge(a: Vec3, b: Vec3) -> Option<Self> {
        let along = sub(b, a);
        let length = norm(along);
        let along = along.map(|x| x / length);
        let normal = [along[1], -along[0], 0.0];
        let fences = vec![(along.map(|x| -x), a), (along, b)];
        let face = Face { normal, offset: dot(normal, a), fences, border: vec![(a, a), (b, b)] };
        (length > 0.0).then_some(face)
    }

    /// The face with these corners in order.
    fn of(corners: &[Vec3]) -> Option<Self> {
        let n = corners.len();
        let edges: Vec<(Vec3, Vec3)> = (0..n).map(|i| (corners[i], corners[(i + 1) % n])).collect();
        // Twice the area, as a vector, from the fan about the first corner.
        let mut area = [0.0; 3];
        for (a, b) in &edges {
            let part = cross(sub(*a, corners[0]), sub(*b, corners[0]));
            (0..3).for_each(|i| area[i] += part[i]);
        }
        let normal = area.map(|x| x / norm(area));
        let fence = |&(a, b): &(Vec3, Vec3)| (cross(sub(b, a), normal), a);
        let good = norm(area) > 0.0 && edges.iter().all(|&(a, b)| a != b);
        let fences = edges.iter().map(fence).collect();
        good.then(|| Face { normal, offset: dot(normal, corners[0]), fences, border: edges })
    }
}

/// The faces, each with all corners behind it and its own corners on it.
fn checked<C: IntoIterator<Item = usize>>(
    faces: impl Iterator<Item = (Option<Face>, C)>,
    corners: &[Vec3],
    size: f64,
) -> Result<Vec<Face>, ConvexRegionError> {
    let mut all = Vec::new();
    for (i, (face, own)) in faces.enumerate() {
        let face = face.ok_or(ConvexRegionError::Degenerate { face: i })?;
        let height = |corner: usize| dot(face.normal, corners[corner]) - face.offset;
        let above = (0..corners.len()).find(|&corner| height(corner) > ROUNDING * size);
        let off = own.into_iter().find(|&corner| height(corner).abs() > ROUNDING * size);
        if let Some(corner) = above.or(off) {
            return Err(ConvexRegionError::NotConvex { face: i, corner });
        }
        all.push(face);
    }
    Ok(all)
}

fn check_closed(faces: &[&[usize]]) -> Result<(), ConvexRegionError> {
    let edges: Vec<(usize, usize)> = faces
        .iter()
        .flat_map(|face| (0..face.len()).map(|i| (face[i], face[(i + 1) % face.len()])))
        .collect();
    let count = |edge: (usize, usize)| edges.iter().filter(|known| **known == edge).count();
    match edges.iter().find(|&&(from, to)| count((from, to)) != 1 || count((to, from)) != 1) {
        Some(&(from, to)) => Err(ConvexRegionError::Open { from, to }),
        None => Ok(()),
    }
}

fn size_of(corners: &[Vec3]) -> Result<f64, ConvexRegionError> {
    match corners.iter().position(|corner| corner.iter().any(|x| !x.is_finite())) {
        Some(corner) => Err(ConvexRegionError::NotFinite { corner }),
        None => Ok(corners.iter().flatten().fold(0.0, |m, x| m.max(x.abs()))),
    }
}

/// The point of the segment from a to b that is closest to x.
fn on_segment(a: Vec3, b: Vec3, x: Vec3) -> Vec3 {
    let along = sub(b, a);
    let length2 = dot(along, along);
    let s = if length2 > 0.0 { (dot(along, sub(x, a)) / length2).clamp(0.0, 1.0) } else { 0.0 };
    [0, 1, 2].map(|i| a[i] + s * along[i])
}

/// Unit tangents that make a right-handed frame with n; in the plane only the first counts.
fn frame(dim: usize, n: Vec3) -> [Vec3; 2] {
    if dim == 2 {
        return [[-n[1], n[0], 0.0], [0.0; 3]];
    }
    let least = (0..3).min_by(|&i, &j| n[i].abs().total_cmp(&n[j].abs())).expect("three axes");
    let mut axis = [0.0; 3];
    axis[least] = 1.0;
    let across = cross(n, axis);
    let first = across.map(|x| x / norm(across));
    [first, cross(n, first)]
}

fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [0, 1, 2].map(|i| a[i] - b[i])
}

fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn norm(a: Vec3) -> f64 {
    dot(a, a).sqrt()
}

fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
