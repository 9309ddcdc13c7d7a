//! From the world to samples: x right, y down, and a key that grows towards the eye.
//!
//! In the frame of the eye a point is (x, y, z), z forwards. With perspective the sample is
//! (c_x + s x/z, c_y − s y/z) and the key is 1/z; without, (c_x + s x, c_y − s y) and −z. Either
//! way the key of a plane is affine in the samples, and with it everything that is affine over a triangle.

use super::camera::{Camera, Lens};
use glam::{DVec2, DVec3};

/// A camera with a raster.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    pub eye: DVec3,
    pub right: DVec3,
    pub up: DVec3,
    pub forward: DVec3,
    /// Width and height [samples].
    pub width: usize,
    pub height: usize,
    /// s above: samples per tangent, or per metre.
    pub scale: f64,
    pub is_perspective: bool,
    /// The nearest z that is drawn [m]; −∞ without perspective.
    pub near: f64,
    centre: DVec2,
}

/// A point of the picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub at: DVec2,
    pub key: f64,
}

impl View {
    /// What this camera sees on so many pixels.
    pub fn new(camera: &Camera, (width, height): (u32, u32)) -> Self {
        let half = 0.5 * f64::from(height);
        let (scale, near) = match camera.lens {
            Lens::Perspective { tangent, near } => (half / tangent, near),
            Lens::Orthographic { half_height } => (half / half_height, f64::NEG_INFINITY),
        };
        Self {
            eye: camera.eye,
            right: camera.right,
            up: camera.up,
            forward: camera.forward,
            width: width as usize,
            height: height as usize,
            scale,
            is_perspective: matches!(camera.lens, Lens::Perspective { .. }),
            near,
            centre: DVec2::new(0.5 * f64::from(width), half),
        }
    }

    /// World to eye.
    pub fn eye_from_world(&self, p: DVec3) -> DVec3 {
        self.turned(p - self.eye)
    }

    /// The same for directions.
    pub fn turned(&self, v: DVec3) -> DVec3 {
        DVec3::new(v.dot(self.right), v.dot(self.up), v.dot(self.forward))
    }

    /// Eye to samples; z must not be below `near`.
    pub fn project(&self, p: DVec3) -> Spot {
        let (per, key) = if self.is_perspective { (1.0 / p.z, 1.0 / p.z) } else { (1.0, -p.z) };
        let at = self.centre + DVec2::new(p.x, -p.y) * (self.scale * per);
        Spot { at, key }
    }

    /// A point of the world in the picture, if it is before the eye.
    pub fn spot(&self, p: DVec3) -> Option<Spot> {
        let p = self.eye_from_world(p);
        (p.z >= self.near && p.is_finite()).then(|| self.project(p))
    }

    /// Samples back to the eye's frame.
    pub fn unproject(&self, x: f64, y: f64, key: f64) -> DVec3 {
        let z = if self.is_perspective { 1.0 / key } else { -key };
        let per = if self.is_perspective { z / self.scale } else { 1.0 / self.scale };
        DVec3::new((x - self.centre.x) * per, (self.centre.y - y) * per, z)
    }

    /// Eye to world.
    pub fn world(&self, p: DVec3) -> DVec3 {
        self.eye + self.right * p.x + self.up * p.y + self.forward * p.z
    }

    /// Samples per metre at a distance z.
    pub fn magnification(&self, z: f64) -> f64 {
        if self.is_perspective { self.scale / z } else { self.scale }
    }

    /// A box of samples (x from, x to, y from, y to) around a ball given in the eye's frame; None if it is behind.
    pub fn around(&self, centre: DVec3, radius: f64) -> Option<[f64; 4]> {
        let all = [0.0, self.width as f64, 0.0, self.height as f64];
        if !self.is_perspective {
            let spot = self.project(centre).at;
            let r = radius * self.scale;
            return Some([spot.x - r, spot.x + r, spot.y - r, spot.y + r]);
        }
        if centre.z + radius < self.near {
            return None;
        }
        let (nearest, farthest) = (centre.z - radius, centre.z + radius);
        if !(nearest > self.near) {
            return Some(all);
        }
        // Of x/z over the box around the ball.
        let least = |x: f64| (x - radius) / if x > radius { farthest } else { nearest };
        let most = |x: f64| (x + radius) / if x > -radius { nearest } else { farthest };
        let (s, c) = (self.scale, self.centre);
        Some([
            c.x + s * least(centre.x),
            c.x + s * most(centre.x),
            c.y + s * least(-centre.y),
            c.y + s * most(-centre.y),
        ])
    }
}
