//! What is drawn over a finished picture: contact forces and the caption.

use super::image::Image;
use super::view::View;
use super::{Bar, DrawnContact, N_BANDS, Picture, band_colour};
use crate::plot::font;
use glam::{DVec2, DVec3};
use tiny_skia::{FillRule, Paint, PathBuilder, Pixmap, Stroke, Transform};

/// Red, for forces.
const FORCE: [u8; 3] = [0xb0, 0x1e, 0x2e];
const INK: [u8; 3] = [0x22, 0x22, 0x22];
/// Of the caption [px], in a picture of 720 px height.
const TITLE: f64 = 22.0;
const NOTE: f64 = 15.0;
/// The longest arrow, in parts of the picture's height.
const LONGEST: f64 = 1.0 / 7.0;

/// Adds forces and caption; `cell` is the size of the ground's grid [m].
pub(super) fn overlay(picture: &Picture<'_>, view: &View, cell: Option<f64>, image: &mut Image) {
    let Ok(mut map) = image.pixmap() else { return };
    let scale = f64::from(image.height) / 720.0;
    forces(picture, view, scale, &mut map);
    caption(picture, cell, image.n_left_out, scale, &mut map);
    if let Some(bar) = &picture.bar {
        draw_bar(bar, scale, &mut map);
    }
    for (pixel, from) in image.pixels.iter_mut().zip(map.pixels()) {
        *pixel = [from.red(), from.green(), from.blue()];
    }
}

fn forces(picture: &Picture<'_>, view: &View, scale: f64, map: &mut Pixmap) {
    let strength = |contact: &DrawnContact| DVec3::from_array(contact.force).length();
    let largest = picture.contacts.iter().map(strength).filter(|f| f.is_finite()).fold(0.0, f64::max);
    for contact in &picture.contacts {
        let (point, force) = (DVec3::from_array(contact.point), DVec3::from_array(contact.force));
        if !force.is_finite() {
            continue;
        }
        let Some(spot) = view.spot(point) else { continue };
        let z = view.eye_from_world(point).z;
        // So long that the largest force, if it were here, had the longest arrow.
        let auto = LONGEST * view.height as f64 / view.magnification(z) / largest.max(1e-300);
        let per_newton = picture.force_scale.unwrap_or(auto);
        // Samples to pixels.
        let from = 0.5 * spot.at;
        let to = view.spot(point + force * per_newton).map_or(from, |spot| 0.5 * spot.at);
        arrow(from, to, scale, map);
    }
}

/// A dot at the start, a shaft, and a head unless the arrow is too short for it.
fn arrow(from: DVec2, to: DVec2, scale: f64, map: &mut Pixmap) {
    // Far outside nothing is seen, and paths of huge size are slow.
    let limit = 4.0 * f64::from(map.width().max(map.height()));
    if !(from.abs().max_element() < limit && to.abs().max_element() < limit) {
        return;
    }
    let (x, y) = (from.x as f32, from.y as f32);
    if let Some(dot) = PathBuilder::from_circle(x, y, (2.4 * scale) as f32) {
        fill(&dot, FORCE, Transform::identity(), map);
    }
    let length = from.distance(to);
    let head = (9.0 * scale).min(0.6 * length);
    if length < 3.0 * scale {
        return;
    }
    let along = (to - from) / length;
    let neck = to - along * head;
    let mut shaft = PathBuilder::new();
    shaft.move_to(x, y);
    shaft.line_to(neck.x as f32, neck.y as f32);
    let stroke = Stroke { width: (2.0 * scale) as f32, ..Stroke::default() };
    if let Some(path) = shaft.finish() {
        map.stroke_path(&path, &paint(FORCE), &stroke, Transform::identity(), None);
    }
    let side = along.perp() * (0.42 * head);
    let mut tip = PathBuilder::new();
    for (k, p) in [to, neck + side, neck - side].into_iter().enumerate() {
        match k {
            0 => tip.move_to(p.x as f32, p.y as f32),
            _ => tip.line_to(p.x as f32, p.y as f32),
        }
    }
    tip.close();
    if let Some(path) = tip.finish() {
        fill(&path, FORCE, Transform::identity(), map);
    }
}

fn caption(picture: &Picture<'_>, cell: Option<f64>, n_left_out: usize, scale: f64, map: &mut Pixmap) {
    let (width, height) = (f64::from(map.width()), f64::from(map.height()));
    let (edge, title, note) = (18.0 * scale, TITLE * scale, NOTE * scale);
    let time = picture.t.map(time).unwrap_or_default();
    let room = width - 3.0 * edge - font::width(&time, title);
    let size = font::fit(&picture.title, title, room.max(1.0));
    write(&picture.title, size, (edge, edge + title), map);
    write(&time, title, (width - edge - font::width(&time, title), edge + title), map);
    let mut notes = Vec::new();
    notes.extend(cell.map(|cell| format!("grid {cell} m")));
    if n_left_out > 0 {
        notes.push(format!("{n_left_out} bodies not drawn: not finite"));
    }
    write(&notes.join(",  "), note, (edge, height - edge), map);
}

/// The colours from the lowest up, with five numbers beside them and the label above.
fn draw_bar(bar: &Bar, scale: f64, map: &mut Pixmap) {
    let (width, height) = (f64::from(map.width()), f64::from(map.height()));
    let (edge, note) = (18.0 * scale, NOTE * scale);
    let numbers: Vec<String> = (0..5)
        .map(|k| format!("{:.3e}", bar.range[0] + (bar.range[1] - bar.range[0]) * f64::from(k) / 4.0))
        .collect();
    let room = numbers.iter().map(|words| font::width(words, note)).fold(0.0, f64::max);
    let (thick, low, high) = (16.0 * scale, 0.8 * height, 0.25 * height);
    let x = width - edge - room - 0.4 * note - thick;
    let each = (low - high) / N_BANDS as f64;
    for band in 0..N_BANDS {
        let top = low - (band + 1) as f64 * each;
        // A little higher than it must be: no line between two bands.
        let rect = tiny_skia::Rect::from_xywh(x as f32, top as f32, thick as f32, (each + 0.5) as f32);
        if let Some(rect) = rect {
            fill(&PathBuilder::from_rect(rect), band_colour(band), Transform::identity(), map);
        }
    }
    for (k, words) in numbers.iter().enumerate() {
        let y = low - (low - high) * k as f64 / 4.0 + 0.35 * note;
        write(words, note, (x + thick + 0.4 * note, y), map);
    }
    let label = font::width(&bar.label, note);
    write(&bar.label, note, (width - edge - label, high - note), map);
}

/// Three decimals, or three digits where those would say nothing.
fn time(t: f64) -> String {
    if t == 0.0 || (0.01..1e6).contains(&t.abs()) {
        format!("t = {t:.3} s")
    } else {
        format!("t = {t:.3e} s")
    }
}

fn write(words: &str, size: f64, (x, y): (f64, f64), map: &mut Pixmap) {
    if let Some(path) = font::outline(words, size) {
        fill(&path, INK, Transform::from_translate(x as f32, y as f32), map);
    }
}

fn fill(path: &tiny_skia::Path, colour: [u8; 3], place: Transform, map: &mut Pixmap) {
    map.fill_path(path, &paint(colour), FillRule::Winding, place, None);
}

fn paint([r, g, b]: [u8; 3]) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(r, g, b, 0xff);
    paint
}
