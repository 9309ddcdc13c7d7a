//! Shadows: the keys of all bodies as the light sees them, without perspective.
//!
//! A point is lit if nothing is nearer to the light by more than the error of the map. Neighbouring
//! samples of the map are averaged, which softens the edges of shadows.

use super::Look;
use super::camera::{Camera, Lens};
use super::clip::Clip;
use super::fill::{fill, turn};
use super::posed::Posed;
use super::raster::{reached, triangles};
use super::shade::Stage;
use super::view::View;
use glam::DVec3;
use rayon::prelude::*;

/// Samples along a side of the map.
const SIDE: usize = 2048;
/// Rows of the map that are drawn at a time.
const BAND: usize = 64;
/// Half width of the average [samples of the map].
const SOFT: i64 = 2;

/// What the light sees.
pub(super) struct Shadow {
    view: View,
    keys: Vec<f32>,
    /// Size of a sample [m].
    grain: f64,
}

impl Shadow {
    /// The shadows of what stands there.
    pub fn new(posed: &[Posed<'_>], stage: &Stage) -> Self {
        let frame = Camera::orthographic([0.0; 3], (-stage.light).to_array(), stage.radius);
        let eye = stage.centre + stage.light * stage.radius;
        let camera = Camera { eye, lens: Lens::Orthographic { half_height: stage.radius }, ..frame };
        let view = View::new(&camera, (SIDE as u32, SIDE as u32));
        let clip = Clip::new(&view);
        let rows: Vec<_> = posed.iter().map(|body| reached(body, &view)).collect();
        let mut keys = vec![f32::NEG_INFINITY; SIDE * SIDE];
        keys.par_chunks_mut(BAND * SIDE).enumerate().for_each(|(k, keys)| {
            let band = k * BAND..(k + 1) * BAND;
            for (body, rows) in posed.iter().zip(&rows) {
                let is_here = rows.start < band.end && rows.end > band.start;
                if !is_here || body.look == Look::Glass {
                    continue;
                }
                triangles(body, &view, &clip, |points| {
                    if body.surface.is_closed && turn(points) > 0.0 {
                        return;
                    }
                    fill(points, &band, SIDE, |x, y, key, _| {
                        let i = (y - band.start) * SIDE + x;
                        keys[i] = keys[i].max(key);
                    });
                });
            }
        });
        Self { view, keys, grain: 2.0 * stage.radius / SIDE as f64 }
    }

    /// The part of the light that reaches a point with a normal.
    pub fn lit(&self, point: DVec3, normal: DVec3) -> f64 {
        let p = self.view.eye_from_world(point + normal * (2.0 * self.grain));
        let spot = self.view.project(p);
        let (x, y) = (spot.at.x - 0.5, spot.at.y - 0.5);
        let inside = |x: f64| x > 4.0 && x < SIDE as f64 - 5.0;
        if !(inside(x) && inside(y)) {
            return 1.0;
        }
        let key = (spot.key + 1.5 * self.grain) as f32;
        let (i, j) = (x.floor() as i64, y.floor() as i64);
        let (a, b) = ((x - x.floor()) as f32, (y - y.floor()) as f32);
        let mut sum = 0.0;
        for dj in -SOFT..=SOFT + 1 {
            let row = (j + dj) as usize * SIDE;
            let mut line = 0.0;
            for di in -SOFT..=SOFT + 1 {
                let is_lit = self.keys[row + (i + di) as usize] <= key;
                line += if is_lit { weight(di, a) } else { 0.0 };
            }
            sum += line * weight(dj, b);
        }
        let n = (2 * SOFT + 1) as f32;
        f64::from(sum / (n * n))
    }
}

/// A box of 2 SOFT + 1 samples whose ends move with the part of a sample.
fn weight(d: i64, part: f32) -> f32 {
    match d {
        _ if d == -SOFT => 1.0 - part,
        _ if d == SOFT + 1 => part,
        _ => 1.0,
    }
}
