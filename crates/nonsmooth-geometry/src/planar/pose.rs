//! Poses in the plane: x_world = R(φ) x_body + position.

use crate::pose;
use glam::DVec2;

/// Where a body is and how it is turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Of the shape's origin, in the world [m].
    pub position: [f64; 2],
    /// Counter-clockwise from the axes of the world to those of the body [rad].
    pub angle: f64,
}

impl Pose {
    /// Origin and axes of the world.
    pub const IDENTITY: Self = Self { position: [0.0; 2], angle: 0.0 };

    /// At a position [m], not turned.
    pub const fn at(position: [f64; 2]) -> Self {
        Self { position, angle: 0.0 }
    }

    /// The same in space, with z = 0 and a turn about z.
    pub fn in_space(&self) -> pose::Pose {
        let ([x, y], (sine, cosine)) = (self.position, (0.5 * self.angle).sin_cos());
        pose::Pose { position: [x, y, 0.0], rotation: [cosine, 0.0, 0.0, sine] }
    }

    /// The same as unit complex number and translation.
    pub(crate) fn isometry(&self) -> Isometry {
        Isometry { turn: DVec2::from_angle(self.angle), translation: DVec2::from_array(self.position) }
    }
}

/// A rigid motion x ↦ c x + t, c = cos φ + i sin φ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Isometry {
    pub turn: DVec2,
    pub translation: DVec2,
}

impl Isometry {
    /// Whether all its numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.turn.is_finite() && self.translation.is_finite()
    }

    /// A point of the body, in the world.
    pub fn point(&self, p: DVec2) -> DVec2 {
        self.turn.rotate(p) + self.translation
    }

    /// A direction of the body, in the world.
    pub fn vector(&self, v: DVec2) -> DVec2 {
        self.turn.rotate(v)
    }

    /// A direction of the world, in the body.
    pub fn inverse_vector(&self, v: DVec2) -> DVec2 {
        DVec2::new(self.turn.x, -self.turn.y).rotate(v)
    }

    /// `self ∘ other`.
    pub fn after(&self, other: &Self) -> Self {
        Self { turn: self.vector(other.turn), translation: self.point(other.translation) }
    }

    /// `self⁻¹ ∘ other`: the frame `other` as seen in the frame `self`.
    pub fn inverse_times(&self, other: &Self) -> Self {
        Self {
            turn: self.inverse_vector(other.turn),
            translation: self.inverse_vector(other.translation - self.translation),
        }
    }
}
