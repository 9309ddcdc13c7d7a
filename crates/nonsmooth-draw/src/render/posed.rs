//! Bodies at their places: checked for finite poses, with a ball around each.

use super::{Drawn, Look};
use glam::{DMat3, DQuat, DVec3};
use nonsmooth_geometry::SurfaceMesh;

/// A body ready to be drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Posed<'a> {
    pub surface: &'a SurfaceMesh,
    pub rotation: DMat3,
    pub translation: DVec3,
    /// Of a ball around it, in the world.
    pub centre: DVec3,
    /// Of that ball [m].
    pub radius: f64,
    pub colour: [u8; 3],
    pub is_fixed: bool,
    pub look: Look,
    half: DVec3,
    middle: DVec3,
}

impl<'a> Posed<'a> {
    /// None if the pose or the surface is not finite, or the surface mesh has no triangles or wrong numbers.
    pub fn new(drawn: &Drawn<'a>) -> Option<Self> {
        let [w, x, y, z] = drawn.pose.rotation;
        let quaternion = DQuat::from_xyzw(x, y, z, w).normalize();
        let translation = DVec3::from_array(drawn.pose.position);
        if !(quaternion.is_finite() && translation.is_finite()) {
            return None;
        }
        let rotation = DMat3::from_quat(quaternion);
        let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (low, high) = drawn.surface.vertices.iter().fold(none, |(low, high), p| {
            let p = DVec3::from_array(*p);
            (low.min(p), high.max(p))
        });
        let (middle, half) = (0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low);
        let centre = rotation * middle + translation;
        let is_finite = centre.is_finite() && half.is_finite();
        (is_finite && drawn.surface.has_valid_numbers()).then_some(Self {
            surface: drawn.surface,
            rotation,
            translation,
            centre,
            radius: half.length(),
            colour: drawn.colour,
            is_fixed: drawn.is_fixed,
            look: drawn.look,
            half,
            middle,
        })
    }

    /// A vertex where it is now.
    pub fn point(&self, vertex: u32) -> DVec3 {
        self.rotation * DVec3::from_array(self.surface.vertices[vertex as usize]) + self.translation
    }

    /// Lowest and highest corner of a box around it in the world.
    pub fn extent(&self) -> (DVec3, DVec3) {
        let half = self.rotation.abs() * self.half;
        let middle = self.rotation * self.middle + self.translation;
        (middle - half, middle + half)
    }
}
