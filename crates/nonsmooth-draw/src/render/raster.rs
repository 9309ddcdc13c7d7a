//! What each sample shows: the nearest surface, its body, its normal.
//!
//! Bands of rows are drawn independently; each goes through all bodies in order, skipping those whose
//! ball does not reach it. Nothing but the samples is stored.

use super::clip::{Clip, Corner};
use super::fill::{Point, fill, turn};
use super::lines::creases;
use super::posed::Posed;
use super::view::View;
use super::{Ground, Look};
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// Rows of a band: few enough for both cores of a small machine, many enough to skip most bodies.
const BAND: usize = 32;
/// No body: the background.
pub(super) const NOTHING: u32 = u32::MAX;
/// The ground.
pub(super) const FLOOR: u32 = u32::MAX - 1;
/// Set in the number of a body where one of its creases is seen.
pub(super) const LINE: u32 = 1 << 31;

/// Every sample of a picture, row after row.
pub(super) struct Samples {
    pub width: usize,
    /// Grows towards the eye.
    pub keys: Vec<f32>,
    /// Number of the body, or one of the above.
    pub bodies: Vec<u32>,
    /// In the eye's frame, ten bits to a component.
    pub normals: Vec<u32>,
    /// How many panes of glass are before the surface.
    pub panes: Vec<u8>,
}

/// Rows of the picture while they are drawn.
pub(super) struct Band<'a> {
    pub rows: Range<usize>,
    pub width: usize,
    pub keys: &'a mut [f32],
    pub bodies: &'a mut [u32],
    pub normals: &'a mut [u32],
    pub panes: &'a mut [u8],
}

impl Band<'_> {
    /// Place of a pixel in the rows.
    pub fn place(&self, x: usize, y: usize) -> usize {
        (y - self.rows.start) * self.width + x
    }
}

/// The ground in the eye's frame: n·p = d, with the eye on its outer side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Floor {
    n: DVec3,
    d: f64,
    /// In the world.
    pub normal: DVec3,
    pub point: DVec3,
}

impl Floor {
    /// None if the eye is below it, or it is no plane.
    pub fn new(ground: &Ground, view: &View) -> Option<Self> {
        let normal = DVec3::from_array(ground.normal).try_normalize()?;
        let point = DVec3::from_array(ground.point);
        let n = view.turned(normal);
        let d = n.dot(view.eye_from_world(point));
        let is_above = if view.is_perspective { d < 0.0 } else { n.z < -1e-6 };
        (is_above && d.is_finite()).then_some(Self { n, d, normal, point })
    }

    /// The key at a sample; None where the ground is not seen.
    fn key(&self, view: &View, x: usize, y: usize) -> Option<f32> {
        let ray =
            view.unproject(x as f64 + 0.5, y as f64 + 0.5, if view.is_perspective { 1.0 } else { 0.0 });
        if view.is_perspective {
            // p = z (x/z, y/z, 1), so 1/z = n·(x/z, y/z, 1)/d.
            let key = self.n.dot(ray) / self.d;
            (key > 0.0 && key * view.near < 1.0).then_some(key as f32)
        } else {
            let z = (self.d - self.n.x * ray.x - self.n.y * ray.y) / self.n.z;
            Some(-z as f32)
        }
    }
}

/// Draws all bodies.
pub(super) fn raster(posed: &[Posed<'_>], view: &View, floor: Option<&Floor>) -> Samples {
    let n = view.width * view.height;
    let mut samples = Samples {
        width: view.width,
        keys: vec![f32::NEG_INFINITY; n],
        bodies: vec![NOTHING; n],
        normals: vec![0; n],
        panes: vec![0; n],
    };
    let rows: Vec<Range<usize>> = posed.iter().map(|body| reached(body, view)).collect();
    let clip = Clip::new(view);
    let size = BAND * view.width;
    let keys = samples.keys.par_chunks_mut(size).zip(samples.bodies.par_chunks_mut(size));
    let rest = samples.normals.par_chunks_mut(size).zip(samples.panes.par_chunks_mut(size));
    keys.zip(rest).enumerate().for_each(|(k, ((keys, bodies), (normals, panes)))| {
        let end = k * BAND + keys.len() / view.width;
        let mut band = Band { rows: k * BAND..end, width: view.width, keys, bodies, normals, panes };
        if let Some(floor) = floor {
            lay(floor, view, &mut band);
        }
        let here = |i: &usize| rows[*i].start < end && rows[*i].end > k * BAND;
        // What is seen through comes after what is seen.
        for look in [Look::Solid, Look::Glass] {
            for i in (0..posed.len()).filter(here).filter(|i| posed[*i].look == look) {
                cover(&posed[i], i as u32, view, &clip, &mut band);
            }
        }
        for i in (0..posed.len()).filter(here) {
            creases(&posed[i], i as u32, view, &clip, &mut band);
        }
    });
    samples
}

/// Rows that a body can reach; none if it is outside the picture.
pub(super) fn reached(body: &Posed<'_>, view: &View) -> Range<usize> {
    // One sample more on each side for the width of lines.
    let beside = 2.0;
    match view.around(view.eye_from_world(body.centre), body.radius) {
        Some([left, right, top, bottom]) if right > -beside && left < view.width as f64 + beside => {
            ((top - beside).max(0.0) as usize)..((bottom + beside).max(0.0) as usize).min(view.height)
        }
        _ => 0..0,
    }
}

fn lay(floor: &Floor, view: &View, band: &mut Band<'_>) {
    for y in band.rows.clone() {
        for x in 0..band.width {
            if let Some(key) = floor.key(view, x, y) {
                let i = band.place(x, y);
                (band.keys[i], band.bodies[i], band.normals[i]) = (key, FLOOR, pack(floor.n.as_vec3()));
            }
        }
    }
}

fn cover(body: &Posed<'_>, number: u32, view: &View, clip: &Clip, band: &mut Band<'_>) {
    let Range { start, end } = band.rows;
    triangles(body, view, clip, |points| {
        let side = turn(points);
        let is_away = side > 0.0;
        // Of a closed surface one side is seen.
        if body.surface.is_closed && is_away {
            return;
        }
        let sign = if is_away { -1.0 } else { 1.0 };
        let width = band.width;
        fill(points, &(start..end), width, |x, y, key, normal| {
            let i = (y - start) * width + x;
            if key > band.keys[i] && body.look == Look::Glass {
                band.panes[i] = band.panes[i].saturating_add(1);
            } else if key > band.keys[i] {
                (band.keys[i], band.bodies[i], band.normals[i]) = (key, number, pack(normal * sign));
            }
        });
    });
}

/// Calls `visit` with the triangles of a body in samples, clipped where need be.
pub(super) fn triangles(body: &Posed<'_>, view: &View, clip: &Clip, mut visit: impl FnMut(&[Point; 3])) {
    // Body to eye in one go.
    let turn = |v: DVec3| view.turned(body.rotation * v);
    let axes = glam::DMat3::from_cols(turn(DVec3::X), turn(DVec3::Y), turn(DVec3::Z));
    let origin = view.eye_from_world(body.translation);
    let corner = |vertex: u32, normal: u32| Corner {
        at: axes * DVec3::from_array(body.surface.vertices[vertex as usize]) + origin,
        normal: axes * DVec3::from_array(body.surface.normals[normal as usize]),
    };
    let point = |corner: &Corner| {
        let spot = view.project(corner.at);
        let weight = if view.is_perspective { spot.key } else { 1.0 };
        Point::new(spot, (corner.normal * weight).as_vec3())
    };
    // A ball well inside the planes needs no test of its corners.
    let is_inside = {
        let centre = view.eye_from_world(body.centre);
        let r = body.radius;
        (0..8).all(|k: u32| {
            let sign = |axis: u32| if k >> axis & 1 == 1 { r } else { -r };
            clip.holds(centre + DVec3::new(sign(0), sign(1), sign(2)))
        })
    };
    for (t, n) in body.surface.triangles.iter().zip(&body.surface.shading) {
        let corners: [Corner; 3] = std::array::from_fn(|k| corner(t[k], n[k]));
        if is_inside || corners.iter().all(|c| clip.holds(c.at)) {
            visit(&[point(&corners[0]), point(&corners[1]), point(&corners[2])]);
            continue;
        }
        let polygon: Vec<Point> = clip.polygon(&corners).iter().map(point).collect();
        for k in 1..polygon.len().saturating_sub(1) {
            visit(&[polygon[0], polygon[k], polygon[k + 1]]);
        }
    }
}

/// Components of a direction as ten bits each.
fn pack(normal: Vec3) -> u32 {
    let n = normal.normalize_or(Vec3::NEG_Z) * 511.0 + 511.5;
    (n.x as u32) | (n.y as u32) << 10 | (n.z as u32) << 20
}

/// The direction again.
pub(super) fn unpack(normal: u32) -> Vec3 {
    let part = |shift: u32| ((normal >> shift & 1023) as f32 - 511.0) / 511.0;
    Vec3::new(part(0), part(10), part(20))
}
