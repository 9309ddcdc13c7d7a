//! Cameras: where the eye is, where it looks, and what fits into the picture.
//!
//! The frustum of a perspective camera with tangents a and b of the half angles holds a point p if
//! |(p − e)·r| ≤ a (p − e)·f and |(p − e)·u| ≤ b (p − e)·f, which are linear in the eye e. So
//! the nearest eye that sees all points along f follows from four extremes, without a search.

use glam::DVec3;

/// Tangent of half the vertical field of view: 30° in all, as a lens of 67 mm has it.
const FIELD: f64 = 0.267_949_192_431_122_7;
/// Part of the picture that a fitted view leaves free, on all sides together.
const MARGIN: f64 = 0.16;
/// Points farther away than this [m] are no guide for a camera.
const FAR: f64 = 1e12;
/// The nearest thing drawn, in parts of the distance to what the camera looks at.
const NEAR: f64 = 1e-3;

/// An eye and what it sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    pub(super) eye: DVec3,
    pub(super) right: DVec3,
    pub(super) up: DVec3,
    pub(super) forward: DVec3,
    pub(super) lens: Lens,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Lens {
    /// Tangent of half the vertical field of view [–]; distance of the nearest thing drawn [m].
    Perspective { tangent: f64, near: f64 },
    /// Half of the height that is seen [m].
    Orthographic { half_height: f64 },
}

impl Camera {
    /// From an eye [m] to a target [m], with the whole vertical field of view [rad]; z is up.
    pub fn perspective(eye: [f64; 3], target: [f64; 3], field_of_view: f64) -> Self {
        let away = DVec3::from_array(target) - DVec3::from_array(eye);
        // An angle that is no angle would turn the picture over.
        let half = (0.5 * field_of_view).clamp(1e-3, 1.5);
        let lens = Lens::Perspective { tangent: half.tan(), near: NEAR * away.length() };
        Self::looking(DVec3::from_array(eye), away, lens)
    }

    /// Along the line from an eye [m] to a target [m], with half of the height that is seen [m]; z is up.
    pub fn orthographic(eye: [f64; 3], target: [f64; 3], half_height: f64) -> Self {
        let away = DVec3::from_array(target) - DVec3::from_array(eye);
        Self::looking(DVec3::from_array(eye), away, Lens::Orthographic { half_height })
    }

    /// The nearest perspective camera that sees all points [m] along a direction, in a picture of this size [px].
    pub fn fit(points: &[[f64; 3]], direction: [f64; 3], size: (u32, u32)) -> Self {
        let b = FIELD / (1.0 + MARGIN);
        let a = b * aspect(size);
        let frame = Self::looking(
            DVec3::ZERO,
            DVec3::from_array(direction),
            Lens::Orthographic { half_height: 1.0 },
        );
        let (r, u, f) = (frame.right, frame.up, frame.forward);
        let sides = [a * f - r, a * f + r, b * f - u, b * f + u];
        let mut least = [f64::INFINITY; 4];
        let mut depths = (f64::INFINITY, f64::NEG_INFINITY);
        for p in usable(points) {
            for (least, side) in least.iter_mut().zip(sides) {
                *least = least.min(side.dot(p));
            }
            depths = (depths.0.min(f.dot(p)), depths.1.max(f.dot(p)));
        }
        if depths.0 > depths.1 {
            return Self::fit(&[[-1.0; 3], [1.0; 3]], direction, size);
        }
        let across = [0.5 * (least[1] - least[0]), 0.5 * (least[3] - least[2])];
        let back = (0.5 * (least[0] + least[1]) / a).min(0.5 * (least[2] + least[3]) / b);
        // A single point has no size: 1 m is as good as any.
        let back = if depths.0 - back > 1e-9 * (1.0 + depths.0.abs()) { back } else { depths.0 - 1.0 };
        let eye = r * across[0] + u * across[1] + f * back;
        let near = NEAR * (0.5 * (depths.0 + depths.1) - back);
        Self { eye, lens: Lens::Perspective { tangent: FIELD, near }, ..frame }
    }

    /// The closest orthographic camera that sees all points [m] along a direction, in a picture of this size [px].
    pub fn fit_orthographic(points: &[[f64; 3]], direction: [f64; 3], size: (u32, u32)) -> Self {
        let lens = Lens::Orthographic { half_height: 1.0 };
        let frame = Self::looking(DVec3::ZERO, DVec3::from_array(direction), lens);
        let place = |p: DVec3| DVec3::new(p.dot(frame.right), p.dot(frame.up), p.dot(frame.forward));
        let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (low, high) =
            usable(points).map(place).fold(none, |(low, high), p| (low.min(p), high.max(p)));
        let (low, high) = if low.x <= high.x { (low, high) } else { (-DVec3::ONE, DVec3::ONE) };
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        let half_height = (1.0 + MARGIN) * half.y.max(half.x / aspect(size));
        let half_height = if half_height > 0.0 { half_height } else { 1.0 };
        let back = low.z - half_height;
        let eye = frame.right * middle.x + frame.up * middle.y + frame.forward * back;
        Self { eye, lens: Lens::Orthographic { half_height }, ..frame }
    }

    /// z is up in the picture, or y if one looks along z.
    fn looking(eye: DVec3, direction: DVec3, lens: Lens) -> Self {
        let forward = direction.normalize_or(DVec3::NEG_Z);
        let above = if forward.z.abs() > 1.0 - 1e-9 { DVec3::Y } else { DVec3::Z };
        let right = forward.cross(above).normalize_or(DVec3::X);
        Self { eye, right, up: right.cross(forward), forward, lens }
    }
}

fn aspect((width, height): (u32, u32)) -> f64 {
    f64::from(width.max(1)) / f64::from(height.max(1))
}

fn usable(points: &[[f64; 3]]) -> impl Iterator<Item = DVec3> + '_ {
    points.iter().copied().map(DVec3::from_array).filter(|p| p.abs().max_element() < FAR)
}
