//! Poses in space, of bodies and of planar ones seen from space: x_world = R(q) x_body + position, q = [w, x, y, z].

use glam::{DMat3, DQuat, DVec3};

/// Where a body is and how it is turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Of the shape's origin, in the world [m].
    pub position: [f64; 3],
    /// Quaternion [w, x, y, z] that takes body axes to world axes [–]; need not be normalised, must not be zero.
    pub rotation: [f64; 4],
}

impl Pose {
    /// Origin and axes of the world.
    pub const IDENTITY: Self = Self { position: [0.0; 3], rotation: [1.0, 0.0, 0.0, 0.0] };

    /// At a position [m], not turned.
    pub const fn at(position: [f64; 3]) -> Self {
        Self { position, ..Self::IDENTITY }
    }

    /// At a position [m], turned by an angle [rad] about an axis, which need not be normalised.
    pub fn turned(position: [f64; 3], axis: [f64; 3], angle: f64) -> Self {
        let (sine, cosine) = (0.5 * angle).sin_cos();
        let axis = DVec3::from_array(axis).normalize_or_zero() * sine;
        Self { position, rotation: [cosine, axis.x, axis.y, axis.z] }
    }

    /// The same as rotation matrix and translation.
    pub(crate) fn isometry(&self) -> Isometry {
        let [w, x, y, z] = self.rotation;
        let rotation = DMat3::from_quat(DQuat::from_xyzw(x, y, z, w).normalize());
        Isometry { rotation, translation: DVec3::from_array(self.position) }
    }
}

/// A rigid motion x ↦ R x + t.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Isometry {
    pub rotation: DMat3,
    pub translation: DVec3,
}

impl Isometry {
    /// Whether all its numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.rotation.is_finite() && self.translation.is_finite()
    }

    /// A point of the body, in the world.
    pub fn point(&self, p: DVec3) -> DVec3 {
        self.rotation * p + self.translation
    }

    /// A direction of the body, in the world.
    pub fn vector(&self, v: DVec3) -> DVec3 {
        self.rotation * v
    }

    /// Rᵀ v.
    pub fn inverse_vector(&self, v: DVec3) -> DVec3 {
        let r = &self.rotation;
        DVec3::new(r.x_axis.dot(v), r.y_axis.dot(v), r.z_axis.dot(v))
    }

    /// Rᵀ (p − t).
    pub fn inverse_point(&self, p: DVec3) -> DVec3 {
        self.inverse_vector(p - self.translation)
    }

    /// `self ∘ other`.
    pub fn after(&self, other: &Self) -> Self {
        Self { rotation: self.rotation * other.rotation, translation: self.point(other.translation) }
    }

    /// `self⁻¹ ∘ other`: the frame `other` as seen in the frame `self`.
    pub fn inverse_times(&self, other: &Self) -> Self {
        Self {
            rotation: self.rotation.transpose() * other.rotation,
            translation: self.inverse_point(other.translation),
        }
    }
}
