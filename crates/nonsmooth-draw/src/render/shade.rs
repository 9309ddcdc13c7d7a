//! Colours: light on surfaces, the ground with its grid, the background.
//!
//! colour = albedo (ambient(n) · sky + key · lit · (n·l)₊ + fill · (n·l')₊), computed in linear light and
//! encoded as sRGB after the four samples of a pixel are averaged.

use super::image::Image;
use super::posed::Posed;
use super::raster::{FLOOR, Floor, LINE, NOTHING, Samples, unpack};
use super::shadow::Shadow;
use super::view::View;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Light from everywhere: above, below.
const AMBIENT: (f32, f32) = (0.62, 0.34);
/// The light that casts shadows.
const KEY: f32 = 0.62;
/// The light from the other side.
const FILL: f32 = 0.12;
/// Background at the top and at the bottom, in linear light.
const TOP: Vec3 = Vec3::new(0.80, 0.85, 0.90);
const BOTTOM: Vec3 = Vec3::new(0.94, 0.95, 0.96);
/// The ground and the lines on it.
const GROUND: Vec3 = Vec3::new(0.80, 0.80, 0.79);
const GRID: f32 = 0.72;
/// Width of a line of the grid [px].
const GRID_WIDTH: f64 = 0.9;
/// Creases are this dark.
const INK: f32 = 0.22;
/// The colour of glass, and what a pane lets through.
const GLASS: Vec3 = Vec3::new(0.62, 0.70, 0.76);
const CLEAR: f32 = 0.86;
/// From which to which distance from the bodies the ground fades, in radii of the stage.
const FADE: (f64, f64) = (1.6, 5.0);

/// The part of the world that the picture is about, and its light.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stage {
    pub centre: DVec3,
    /// Of a ball around the moving bodies [m].
    pub radius: f64,
    /// Size of a typical body [m].
    pub grain: f64,
    /// Towards the key light.
    pub light: DVec3,
    fill: DVec3,
    up: DVec3,
    /// Of the grid [m].
    pub cell: f64,
}

impl Stage {
    /// Light and ground for what stands there.
    pub fn new(posed: &[Posed<'_>], view: &View, up: DVec3) -> Self {
        let all_fixed = posed.iter().all(|body| body.is_fixed);
        let shown: Vec<&Posed<'_>> = posed.iter().filter(|b| all_fixed || !b.is_fixed).collect();
        let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (low, high) =
            shown.iter().map(|body| body.extent()).fold(none, |a, b| (a.0.min(b.0), a.1.max(b.1)));
        let middle = 0.5 * low + 0.5 * high;
        let centre = if middle.is_finite() { middle } else { DVec3::ZERO };
        let far = shown.iter().map(|b| b.centre.distance(centre) + b.radius).fold(0.0, f64::max);
        let radius = if far > 0.0 && far < 1e30 { 1.05 * far } else { 1.0 };
        let mut sizes: Vec<f64> = shown.iter().map(|body| body.radius).collect();
        sizes.sort_by(f64::total_cmp);
        let grain = sizes.get(sizes.len() / 2).copied().unwrap_or(1.0);
        let (light, fill) = lights(view, up);
        Self { centre, radius, grain, light, fill, up, cell: round(0.35 * radius) }
    }
}

/// From the upper left before the bodies, and from the right; from the eye if one looks straight down.
fn lights(view: &View, up: DVec3) -> (DVec3, DVec3) {
    let level = view.forward - up * up.dot(view.forward);
    let is_down = level.length() < 0.3;
    let (above, ahead) =
        if is_down { (-view.forward, -view.up) } else { (up, level.normalize_or_zero()) };
    let lean = if is_down { 0.5 } else { 1.0 };
    let light = above - (0.55 * lean) * view.right - (0.45 * lean) * ahead;
    let fill = 0.5 * above + 0.9 * view.right - 0.7 * ahead;
    (light.normalize_or(DVec3::Z), fill.normalize_or(DVec3::Z))
}

/// The largest of 1, 2, 5 times a power of ten that is not above a length.
fn round(length: f64) -> f64 {
    let power = 10.0_f64.powf(length.max(1e-300).log10().floor());
    [5.0, 2.0].into_iter().map(|k| k * power).find(|x| *x <= length).unwrap_or(power)
}

/// What shading reads.
pub(super) struct Scene<'a> {
    pub posed: &'a [Posed<'a>],
    pub stage: &'a Stage,
    pub shadow: &'a Shadow,
    pub floor: Option<&'a Floor>,
}

/// Colours of all pixels.
pub(super) fn shade(samples: &Samples, sky: &[f32], view: &View, scene: &Scene<'_>) -> Image {
    let (width, height) = (view.width / 2, view.height / 2);
    let albedos: Vec<Vec3> = scene.posed.iter().map(|body| decode(body.colour)).collect();
    let mut pixels = vec![[0_u8; 3]; width * height];
    pixels.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (x, pixel) in row.iter_mut().enumerate() {
            let sky = sky[y * width + x];
            let at = |(i, j)| sample(samples, (2 * x + i, 2 * y + j), sky, view, scene, &albedos);
            let first = 2 * y * samples.width + 2 * x;
            let same = |by: usize| samples.bodies[first] == samples.bodies[first + by];
            // Inside a surface the four samples differ by less than one can see.
            let is_plain = same(1) && same(samples.width) && same(samples.width + 1);
            let colour = if is_plain {
                at((0, 0))
            } else {
                0.25 * [(0, 0), (1, 0), (0, 1), (1, 1)].into_iter().map(at).sum::<Vec3>()
            };
            let panes = [0, 1, samples.width, samples.width + 1].map(|by| samples.panes[first + by]);
            *pixel = encode(through(colour, panes));
        }
    });
    Image { width: width as u32, height: height as u32, pixels, n_left_out: 0 }
}

/// A colour behind panes of glass, for the four samples of a pixel.
fn through(colour: Vec3, panes: [u8; 4]) -> Vec3 {
    let clear: f32 = panes.iter().map(|n| 0.25 * CLEAR.powi(i32::from(*n))).sum();
    GLASS.lerp(colour, clear)
}

fn sample(
    samples: &Samples,
    (x, y): (usize, usize),
    sky: f32,
    view: &View,
    scene: &Scene<'_>,
    albedos: &[Vec3],
) -> Vec3 {
    let i = y * samples.width + x;
    let body = samples.bodies[i];
    let behind = TOP.lerp(BOTTOM, y as f32 / view.height as f32);
    if body == NOTHING {
        return behind;
    }
    let (x, y) = (x as f64 + 0.5, y as f64 + 0.5);
    let point = view.world(view.unproject(x, y, f64::from(samples.keys[i])));
    if body == FLOOR {
        return scene
            .floor
            .map_or(behind, |floor| ground(floor, point, (x, y), sky, behind, view, scene));
    }
    if body & LINE != 0 {
        return albedos[(body & !LINE) as usize] * INK;
    }
    let n = unpack(samples.normals[i]).as_dvec3();
    let normal = (view.right * n.x + view.up * n.y + view.forward * n.z).normalize_or(scene.stage.up);
    albedos[body as usize] * light(point, normal, sky, scene)
}

/// The light that a white surface returns.
fn light(point: DVec3, normal: DVec3, sky: f32, scene: &Scene<'_>) -> f32 {
    let stage = scene.stage;
    let facing = normal.dot(stage.light);
    let lit = if facing > 0.0 { facing * scene.shadow.lit(point, normal) } else { 0.0 };
    let fill = normal.dot(stage.fill).max(0.0);
    let upward = 0.5 + 0.5 * normal.dot(stage.up) as f32;
    let ambient = AMBIENT.1 + (AMBIENT.0 - AMBIENT.1) * upward;
    ambient * sky + KEY * lit as f32 + FILL * fill as f32 * sky
}

fn ground(
    floor: &Floor,
    point: DVec3,
    (x, y): (f64, f64),
    sky: f32,
    behind: Vec3,
    view: &View,
    scene: &Scene<'_>,
) -> Vec3 {
    let stage = scene.stage;
    let away = (point - stage.centre).length() / stage.radius;
    let fade = ((FADE.1 - away) / (FADE.1 - FADE.0)).clamp(0.0, 1.0) as f32;
    if fade == 0.0 {
        return behind;
    }
    let lines = 1.0 - (1.0 - GRID) * floor.grid(point, (x, y), stage.cell, view);
    let full = AMBIENT.0 + KEY * floor.normal.dot(stage.light).max(0.0) as f32;
    let light = light(point, floor.normal, sky, scene) / full;
    behind.lerp(GROUND * lines * light, fade * fade * (3.0 - 2.0 * fade))
}

impl Floor {
    /// How much of a sample a line of the grid covers.
    fn grid(&self, point: DVec3, (x, y): (f64, f64), cell: f64, view: &View) -> f32 {
        let axes = nonsmooth_geometry::spatial::frame(self.normal.to_array());
        let [_, u, v] = axes.map(DVec3::from_array);
        // Moves on the ground by one pixel, which is two samples, to the right and down.
        let step = |dx: f64, dy: f64| {
            let ray = |x: f64, y: f64| {
                view.world(view.unproject(x, y, if view.is_perspective { 1.0 } else { 0.0 }))
            };
            let (from, to) = if view.is_perspective {
                (view.eye, ray(x + dx, y + dy) - view.eye)
            } else {
                (ray(x + dx, y + dy), view.forward)
            };
            from + to * (self.normal.dot(self.point - from) / self.normal.dot(to)) - point
        };
        let (right, down) = (step(2.0, 0.0), step(0.0, 2.0));
        let cover = |axis: DVec3| {
            let at = axis.dot(point - self.point) / cell;
            let size = (axis.dot(right).abs() + axis.dot(down).abs()) / cell;
            let distance = (at - at.round()).abs() / size.max(1e-12);
            // Lines that crowd fade.
            let crowd = (1.0 - 2.0 * size).clamp(0.0, 1.0);
            ((0.5 * GRID_WIDTH + 0.5 - distance).clamp(0.0, 1.0)) * crowd
        };
        f64::max(cover(u), cover(v)) as f32
    }
}

/// sRGB to linear light.
fn decode(colour: [u8; 3]) -> Vec3 {
    let part = |c: u8| {
        let c = f32::from(c) / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    Vec3::from_array(colour.map(part))
}

/// Linear light to sRGB.
fn encode(colour: Vec3) -> [u8; 3] {
    let part = |c: f32| {
        let c = c.clamp(0.0, 1.0);
        let c = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
        (c * 255.0 + 0.5) as u8
    };
    colour.to_array().map(part)
}
