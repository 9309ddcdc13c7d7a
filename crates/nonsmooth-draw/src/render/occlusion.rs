//! Ambient occlusion: how much of the sky a pixel sees past what is near it in the picture.
//!
//! For a point p with normal n and points q seen around it within the radius R,
//! 1 − c · mean of max(0, n·(q − p)/|q − p| − b) (1 − |q − p|²/R²)₊. The directions to q turn from
//! pixel to pixel in a pattern of 4 × 4, which a mean over 4 × 4 pixels removes. The idea to look at the
//! picture itself is that of [Mittring07].

use super::raster::{NOTHING, Samples, unpack};
use super::view::View;
use glam::Vec3;
use rayon::prelude::*;

/// Points tried for each pixel.
const TRIES: usize = 12;
/// c above: how dark a corner gets.
const STRENGTH: f32 = 1.9;
/// b above: what a surface sees of itself by the rounding of normals.
const SELF: f32 = 0.12;
/// Points nearer than this [samples] add noise only, and farther than this cost time.
const REACH: (f64, f64) = (3.0, 120.0);

/// For each pixel the part of the sky that it sees.
pub(super) fn occlusion(samples: &Samples, view: &View, radius: f64) -> Vec<f32> {
    let (width, height) = (view.width / 2, view.height / 2);
    let spirals = spirals();
    let mut raw = vec![1.0_f32; width * height];
    raw.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (x, sky) in row.iter_mut().enumerate() {
            *sky = visible_sky(samples, view, radius, &spirals, (x, y));
        }
    });
    let mut smooth = vec![1.0_f32; width * height];
    smooth.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (x, sky) in row.iter_mut().enumerate() {
            *sky = mean(&raw, samples, (width, height), (x, y));
        }
    });
    smooth
}

/// Where one looks, in parts of the reach.
type Spiral = [(f64, f64); TRIES];

/// A spiral by the golden angle for each of 4 × 4 pixels.
fn spirals() -> [Spiral; 16] {
    std::array::from_fn(|pixel| {
        let part = pixel as f64 / 16.0;
        std::array::from_fn(|k| {
            let turn = std::f64::consts::TAU * (part + 0.381_966_011_250_105 * k as f64);
            let r = (k as f64 + 0.5 + 0.5 * part) / TRIES as f64;
            (r * turn.cos(), r * turn.sin())
        })
    })
}

fn visible_sky(
    samples: &Samples,
    view: &View,
    radius: f64,
    spirals: &[Spiral; 16],
    (x, y): (usize, usize),
) -> f32 {
    let place = |x: usize, y: usize| y * samples.width + x;
    let i = place(2 * x, 2 * y);
    if samples.bodies[i] == NOTHING {
        return 1.0;
    }
    let at =
        |x: usize, y: usize, key: f32| view.unproject(x as f64 + 0.5, y as f64 + 0.5, f64::from(key));
    let p = at(2 * x, 2 * y, samples.keys[i]);
    // In the eye's frame with z forwards, as the points are.
    let n = unpack(samples.normals[i]);
    let reach = radius * view.magnification(p.z);
    if !(reach > REACH.0) {
        return 1.0;
    }
    let reach = reach.min(REACH.1);
    let mut sum = 0.0;
    for (dx, dy) in &spirals[(x % 4) * 4 + y % 4] {
        let (dx, dy) = (reach * dx, reach * dy);
        let (qx, qy) = (2.0 * x as f64 + dx, 2.0 * y as f64 + dy);
        if !(qx >= 0.0 && qy >= 0.0 && qx < view.width as f64 && qy < view.height as f64) {
            continue;
        }
        let (qx, qy) = (qx as usize, qy as usize);
        let j = place(qx, qy);
        if samples.bodies[j] == NOTHING {
            continue;
        }
        let v: Vec3 = (at(qx, qy, samples.keys[j]) - p).as_vec3();
        let length = v.length().max(1e-30);
        let near = 1.0 - (length / radius as f32).powi(2);
        sum += (n.dot(v) / length - SELF).max(0.0) * near.max(0.0);
    }
    (1.0 - STRENGTH * sum / TRIES as f32).clamp(0.25, 1.0)
}

/// Over 4 × 4 pixels of the same body.
fn mean(raw: &[f32], samples: &Samples, (width, height): (usize, usize), (x, y): (usize, usize)) -> f32 {
    let body = |x: usize, y: usize| samples.bodies[2 * y * samples.width + 2 * x];
    let own = body(x, y);
    let (mut sum, mut count) = (0.0, 0.0);
    for v in y.saturating_sub(2)..(y + 2).min(height) {
        for u in x.saturating_sub(2)..(x + 2).min(width) {
            if body(u, v) == own {
                sum += raw[v * width + u];
                count += 1.0;
            }
        }
    }
    sum / f32::max(count, 1.0)
}
