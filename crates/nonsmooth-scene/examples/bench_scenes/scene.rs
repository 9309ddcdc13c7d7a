//! A scene that every engine reads: bodies, fixed shapes, law, step, as JSON.
//!
//! Lengths in [m], masses in [kg], quaternions [w, x, y, z], z up. A body's origin is its centre of mass and its axes are
//! the principal ones, so that three moments of inertia [kg·m²] say all.

use serde::{Deserialize, Serialize};
use std::path::Path;

/// A shape about its own origin.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Radius.
    Ball(f64),
    /// Half edge lengths.
    Box([f64; 3]),
    /// Half length of the segment on the z axis, and radius.
    Capsule([f64; 2]),
    /// Corners of a convex solid.
    Hull(Vec<[f64; 3]>),
}

/// A shape that moves.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Body {
    pub shape: Shape,
    pub mass: f64,
    pub inertia: [f64; 3],
    pub position: [f64; 3],
    pub quaternion: [f64; 4],
    /// Of the centre of mass [m/s].
    pub velocity: [f64; 3],
    /// In the body's axes [rad/s].
    pub angular_velocity: [f64; 3],
}

/// A shape that does not move.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fixed {
    pub shape: Shape,
    pub position: [f64; 3],
    pub quaternion: [f64; 4],
}

/// Everything an engine needs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scene {
    pub name: String,
    pub gravity: [f64; 3],
    pub friction: f64,
    pub restitution: f64,
    pub step_size: f64,
    /// Steps before the measurement begins; made by our engine when the scene is written.
    pub settle: u64,
    /// Steps that are measured.
    pub steps: u64,
    /// Certificate asked of every step.
    pub tolerance: f64,
    /// Steps after which poses are written and overlaps are measured.
    pub frames: Vec<u64>,
    pub bodies: Vec<Body>,
    pub fixed: Vec<Fixed>,
}

/// No rotation.
pub const UPRIGHT: [f64; 4] = [1.0, 0.0, 0.0, 0.0];
/// Of stone, wood, whatever: the same for all, because only ratios of masses matter [kg/m³].
pub const DENSITY: f64 = 2000.0;

impl Scene {
    /// A scene without bodies; every step is 2 ms, friction ½, no rebound, certificate 1e-4.
    pub fn new(name: &str, settle: u64, steps: u64) -> Self {
        let frames = (1..=10).map(|k| k * steps / 10).filter(|step| *step > 0).collect::<Vec<_>>();
        Self {
            name: name.to_owned(),
            gravity: [0.0, 0.0, -9.81],
            friction: 0.5,
            restitution: 0.0,
            step_size: 2e-3,
            settle,
            steps,
            tolerance: 1e-4,
            frames: if steps < 10 { vec![steps] } else { frames },
            bodies: Vec::new(),
            fixed: Vec::new(),
        }
    }

    /// A floor whose top is z = 0, `reach` wide to all sides.
    pub fn floor(&mut self, reach: f64) {
        self.wall([reach, reach, 0.5], [0.0, 0.0, -0.5]);
    }

    /// Four walls around the square |x|, |y| ≤ half, from the floor up to `height`.
    pub fn walls(&mut self, half: f64, height: f64) {
        let (thick, tall) = (0.25, 0.5 * height);
        for sign in [-1.0, 1.0] {
            let out = sign * (half + thick);
            self.wall([thick, half + 2.0 * thick, tall], [out, 0.0, tall]);
            self.wall([half, thick, tall], [0.0, out, tall]);
        }
    }

    fn wall(&mut self, half: [f64; 3], position: [f64; 3]) {
        self.fixed.push(Fixed { shape: Shape::Box(half), position, quaternion: UPRIGHT });
    }

    /// A body at rest.
    pub fn body(&mut self, shape: Shape, position: [f64; 3], quaternion: [f64; 4]) {
        let (mass, inertia) = shape.mass(DENSITY);
        let (velocity, angular_velocity) = ([0.0; 3], [0.0; 3]);
        self.bodies.push(Body {
            shape,
            mass,
            inertia,
            position,
            quaternion,
            velocity,
            angular_velocity,
        });
    }

    pub fn read(path: &Path) -> Result<Self, String> {
        let named = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| named(&error))?;
        serde_json::from_str(&text).map_err(|error| named(&error))
    }

    pub fn write(&self, path: &Path) -> Result<(), String> {
        let text = serde_json::to_string(self).map_err(|error| error.to_string())?;
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    }
}

impl Shape {
    /// Mass and principal moments of the solid about its centre of mass, which is the origin.
    pub fn mass(&self, density: f64) -> (f64, [f64; 3]) {
        match self {
            Self::Ball(r) => {
                let mass = density * 4.0 / 3.0 * std::f64::consts::PI * r.powi(3);
                (mass, [0.4 * mass * r * r; 3])
            }
            Self::Box([a, b, c]) => {
                let mass = density * 8.0 * a * b * c;
                (mass, [b * b + c * c, a * a + c * c, a * a + b * b].map(|x| mass * x / 3.0))
            }
            Self::Capsule([half, r]) => {
                let pi = std::f64::consts::PI;
                let (tube, ball) =
                    (density * pi * r * r * 2.0 * half, density * 4.0 / 3.0 * pi * r.powi(3));
                let along = 0.5 * tube * r * r + 0.4 * ball * r * r;
                // Half a ball has its centre 3r/8 from the flat side.
                let across = tube * (r * r / 4.0 + half * half / 3.0)
                    + ball * (0.4 * r * r + half * half + 0.75 * half * r);
                (tube + ball, [across, across, along])
            }
            Self::Hull(corners) => prism(corners, density),
        }
    }
}

/// Mass and moments of a prism along y whose outline is the first half of the corners, counter-clockwise in (x, z).
fn prism(corners: &[[f64; 3]], density: f64) -> (f64, [f64; 3]) {
    let outline = &corners[..corners.len() / 2];
    let half = outline[0][1].abs();
    let (mut area, mut xx, mut zz) = (0.0, 0.0, 0.0);
    for (k, a) in outline.iter().enumerate() {
        let b = outline[(k + 1) % outline.len()];
        let cross = a[0] * b[2] - b[0] * a[2];
        area += cross / 2.0;
        xx += cross * (a[0] * a[0] + a[0] * b[0] + b[0] * b[0]) / 12.0;
        zz += cross * (a[2] * a[2] + a[2] * b[2] + b[2] * b[2]) / 12.0;
    }
    let (area, xx, zz) = (area.abs(), xx.abs(), zz.abs());
    let (mass, line) = (density * 2.0 * half * area, density * 2.0 * half);
    let yy = mass * half * half / 3.0;
    (mass, [line * zz + yy, line * (xx + zz), line * xx + yy])
}
