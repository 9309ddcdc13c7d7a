//! Creases: thin dark lines along the sharp edges of bodies, hidden where something is before them.

use super::clip::Clip;
use super::posed::Posed;
use super::raster::{Band, FLOOR, LINE};
use super::view::{Spot, View};

/// Width of a line [samples] in a picture of 720 px height.
const WIDTH: f64 = 2.0;
/// Bodies smaller than this [samples] would be nothing but lines.
const LEAST: f64 = 24.0;
/// How much nearer a line is drawn than it is, in parts of its body's radius: its own faces must not hide it.
const LIFT: f64 = 0.02;

/// Draws the creases of a body in a band.
pub(super) fn creases(body: &Posed<'_>, number: u32, view: &View, clip: &Clip, band: &mut Band<'_>) {
    let centre = view.eye_from_world(body.centre);
    if body.surface.creases.is_empty()
        || body.radius * view.magnification(centre.z.max(view.near)) < LEAST
    {
        return;
    }
    let width = (WIDTH * view.height as f64 / 1440.0).max(1.0);
    let lift = LIFT * body.radius.min(0.1 * centre.z.abs().max(view.near.max(0.0)));
    for &[i, j] in &body.surface.creases {
        let ends = [i, j].map(|v| view.eye_from_world(body.point(v)));
        if let Some(ends) = clip.segment(ends) {
            let [from, to] = ends.map(|mut p| {
                let spot = view.project(p);
                // With perspective the lift must not reach the eye.
                p.z = if view.is_perspective { (p.z - lift).max(0.5 * p.z) } else { p.z - lift };
                Spot { at: spot.at, key: if view.is_perspective { 1.0 / p.z } else { -p.z } }
            });
            line(from, to, width, number, band);
        }
    }
}

/// One step along the longer axis at a time.
fn line(from: Spot, to: Spot, width: f64, number: u32, band: &mut Band<'_>) {
    let d = to.at - from.at;
    let is_steep = d.y.abs() > d.x.abs();
    let swap = |s: Spot| if is_steep { (s.at.y, s.at.x, s.key) } else { (s.at.x, s.at.y, s.key) };
    let (mut a, mut b) = (swap(from), swap(to));
    if a.0 > b.0 {
        std::mem::swap(&mut a, &mut b);
    }
    let rows = (band.rows.start as f64, band.rows.end as f64);
    let along = if is_steep { rows } else { (0.0, band.width as f64) };
    let first = a.0.floor().max(along.0) as usize;
    let last = b.0.ceil().min(along.1).max(0.0) as usize;
    let length = (b.0 - a.0).max(1e-9);
    // As wide across a slanting line as across a straight one.
    let thick = width * (1.0 + ((b.1 - a.1) / length).powi(2)).sqrt();
    for step in first..last {
        let part = ((step as f64 + 0.5 - a.0) / length).clamp(0.0, 1.0);
        let (middle, key) = (a.1 + part * (b.1 - a.1), a.2 + part * (b.2 - a.2));
        let low = (middle - 0.5 * thick).round().max(0.0) as usize;
        for side in low..(middle + 0.5 * thick).round().max(0.0) as usize {
            let (x, y) = if is_steep { (side, step) } else { (step, side) };
            if x < band.width && band.rows.contains(&y) {
                ink(x, y, key as f32, number, band);
            }
        }
    }
}

fn ink(x: usize, y: usize, key: f32, number: u32, band: &mut Band<'_>) {
    let i = band.place(x, y);
    if key >= band.keys[i] {
        // Over the ground or the background the key stays, or the line would cast no shade where it is.
        if band.bodies[i] >= FLOOR {
            band.keys[i] = key;
        }
        band.bodies[i] = number | LINE;
    }
}
