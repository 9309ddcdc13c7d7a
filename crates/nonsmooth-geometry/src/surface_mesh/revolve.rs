//! Surfaces of revolution about the z axis: a profile (r, z) from bottom to top, turned by n steps.
//!
//! The profile is given in smooth pieces; where two of them meet off the axis is a crease.

use super::SurfaceMesh;

/// A point of a profile, with the outward normal of the surface there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Knot {
    /// r and z [m].
    pub at: [f64; 2],
    /// Components along r and z.
    pub normal: [f64; 2],
}

/// Knots on the arc of radius `radius` about (0, z) from one angle above the equator to another.
pub(super) fn arc(z: f64, radius: f64, from: i32, to: i32, n: u32) -> impl Iterator<Item = Knot> {
    let knot = move |k: i32| {
        let quarter = n as i32 / 4;
        let (sine, cosine) = (f64::from(k) * std::f64::consts::TAU / f64::from(n)).sin_cos();
        // Exactly on the axis, not beside it by a rounding.
        let cosine = if k.abs() == quarter { 0.0 } else { cosine };
        Knot { at: [radius * cosine, z + radius * sine], normal: [cosine, sine] }
    };
    (from..=to).map(knot)
}

/// The surface that the pieces of a profile sweep, with n steps to the full turn.
pub(super) fn revolve(pieces: &[&[Knot]], n: u32) -> SurfaceMesh {
    let mut surface = SurfaceMesh { is_closed: true, ..SurfaceMesh::default() };
    let mut last: Option<([f64; 2], Ring)> = None;
    for (p, piece) in pieces.iter().enumerate() {
        for (k, knot) in piece.iter().enumerate() {
            let ring = match last {
                // The first knot of a piece is the last one of the piece before.
                Some((at, ring)) if at == knot.at => ring,
                _ => Ring::add(&mut surface, knot, n),
            };
            let normals = normals(&mut surface, knot, n);
            if k > 0
                && let Some((_, below)) = last
            {
                band(&mut surface, (below, normals - n), (ring, normals), n);
            }
            if k == 0 && p > 0 && !ring.is_point {
                surface.creases.extend((0..n).map(|k| [ring.vertex(k), ring.vertex((k + 1) % n)]));
            }
            last = Some((knot.at, ring));
        }
    }
    surface
}

/// Vertices at one knot: a circle, or a point on the axis.
#[derive(Clone, Copy)]
struct Ring {
    first: u32,
    is_point: bool,
}

impl Ring {
    fn add(surface: &mut SurfaceMesh, knot: &Knot, n: u32) -> Self {
        let first = surface.vertices.len() as u32;
        let [r, z] = knot.at;
        if r == 0.0 {
            surface.vertices.push([0.0, 0.0, z]);
        } else {
            surface.vertices.extend((0..n).map(|k| {
                let [x, y] = direction(f64::from(k), n);
                [r * x, r * y, z]
            }));
        }
        Self { first, is_point: r == 0.0 }
    }

    fn vertex(self, k: u32) -> u32 {
        if self.is_point { self.first } else { self.first + k }
    }
}

/// Adds n normals; at a point of the axis they belong to the middles of the steps.
fn normals(surface: &mut SurfaceMesh, knot: &Knot, n: u32) -> u32 {
    let first = surface.normals.len() as u32;
    let [along, up] = knot.normal;
    let shift = if knot.at[0] == 0.0 { 0.5 } else { 0.0 };
    surface.normals.extend((0..n).map(|k| {
        let [x, y] = direction(f64::from(k) + shift, n);
        [along * x, along * y, up]
    }));
    first
}

/// Triangles between two rings, each with the number of its first normal.
fn band(
    surface: &mut SurfaceMesh,
    (low, low_normal): (Ring, u32),
    (high, high_normal): (Ring, u32),
    n: u32,
) {
    for k in 0..n {
        let next = (k + 1) % n;
        if !low.is_point {
            surface.triangles.push([low.vertex(k), low.vertex(next), high.vertex(next)]);
            let above = if high.is_point { k } else { next };
            surface.shading.push([low_normal + k, low_normal + next, high_normal + above]);
        }
        if !high.is_point {
            surface.triangles.push([low.vertex(k), high.vertex(next), high.vertex(k)]);
            surface.shading.push([low_normal + k, high_normal + next, high_normal + k]);
        }
    }
}

/// Cosine and sine of k steps.
fn direction(k: f64, n: u32) -> [f64; 2] {
    let (sine, cosine) = (k * std::f64::consts::TAU / f64::from(n)).sin_cos();
    [cosine, sine]
}
