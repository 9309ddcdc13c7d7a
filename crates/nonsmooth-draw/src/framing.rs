//! What a picture shows beside the moving bodies: ground and walls, as far as the motion of the run comes near them.

use glam::{DQuat, DVec3};
use nonsmooth_geometry::SurfaceMesh;
use nonsmooth_geometry::spatial::Pose;

/// Frames of a run that are looked at, at most: enough to see where it goes.
pub const LOOKED_AT: usize = 40;
/// How far around the motion fixed bodies are shown, in parts of the diagonal of its box. The diagonal of what is shown is
/// then at most 1 + 2√3/4 = 1.87 times as long, so that what moves keeps more than half of the picture's width.
const AROUND: f64 = 0.25;

/// A box along the axes [m].
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    low: DVec3,
    high: DVec3,
}

impl Extent {
    /// Holds nothing.
    pub const NONE: Self = Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };

    /// Takes in a ball.
    pub fn add(&mut self, at: [f64; 3], radius: f64) {
        let at = DVec3::from_array(at);
        if at.is_finite() && radius.is_finite() {
            self.low = self.low.min(at - radius);
            self.high = self.high.max(at + radius);
        }
    }

    /// The box in which fixed bodies are shown.
    pub fn grown(self) -> Self {
        if !self.low.cmple(self.high).all() {
            return self;
        }
        let by = AROUND * (self.high - self.low).length();
        Self { low: self.low - by, high: self.high + by }
    }

    fn holds(&self, p: DVec3) -> bool {
        p.cmpge(self.low).all() && p.cmple(self.high).all()
    }

    /// Points of a fixed body that a picture is to show: its corners in the box, or what the two boxes share.
    pub fn points_of(&self, surface: &SurfaceMesh, at: &Pose, out: &mut Vec<[f64; 3]>) {
        let [w, x, y, z] = at.rotation;
        let turn = DQuat::from_xyzw(x, y, z, w).normalize();
        let shift = DVec3::from_array(at.position);
        let corners = surface.vertices.iter().map(|p| turn * DVec3::from_array(*p) + shift);
        let (before, mut own) = (out.len(), Self::NONE);
        for corner in corners {
            own.add(corner.to_array(), 0.0);
            if self.holds(corner) {
                out.push(corner.to_array());
            }
        }
        let (low, high) = (own.low.max(self.low), own.high.min(self.high));
        if out.len() == before && low.cmple(high).all() {
            out.extend([low.to_array(), high.to_array()]);
        }
    }
}

/// Radius of a ball about the origin of a body that holds its pieces [m].
pub fn reach(pieces: &[(usize, Pose)], surfaces: &[SurfaceMesh]) -> f64 {
    let far = |(surface, own): &(usize, Pose)| {
        let corners = surfaces[*surface].vertices.iter();
        corners
            .map(|p| distance(&compose(own, &Pose { position: *p, ..Pose::IDENTITY })))
            .fold(0.0, f64::max)
    };
    pieces.iter().map(far).fold(0.0, f64::max)
}

fn distance(at: &Pose) -> f64 {
    DVec3::from_array(at.position).length()
}

/// The place of a piece in the world.
pub fn compose(at: &Pose, own: &Pose) -> Pose {
    let turn = |[w, x, y, z]: [f64; 4]| DQuat::from_xyzw(x, y, z, w).normalize();
    let (a, b) = (turn(at.rotation), turn(own.rotation));
    let position = DVec3::from_array(at.position) + a * DVec3::from_array(own.position);
    let q = a * b;
    Pose { position: position.to_array(), rotation: [q.w, q.x, q.y, q.z] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nonsmooth_geometry::Detail;
    use nonsmooth_geometry::spatial::Shape;

    #[test]
    fn only_what_is_near_the_motion_is_shown() {
        let mut course = Extent::NONE;
        course.add([0.0; 3], 1.0);
        course.add([f64::NAN, 0.0, 0.0], 1.0);
        let size = (course.high - course.low).length();
        let course = course.grown();
        // A cube grows most.
        assert!((course.high - course.low).length() < 2.0 * size);
        // ±1 and a quarter of 2√3.
        let side = 1.0 + 0.5 * 3.0f64.sqrt();
        assert!((course.high - DVec3::splat(side)).length() < 1e-12);
        let shown = |half: [f64; 3], x: f64| {
            let surface = Shape::cuboid(half).unwrap().surface_mesh(&Detail::of(8));
            let mut points = Vec::new();
            course.points_of(&surface, &Pose { position: [x, 0.0, 0.0], ..Pose::IDENTITY }, &mut points);
            points
        };
        assert!(shown([0.5; 3], 1.0).iter().all(|p| (p[0].abs() - 1.0).abs() <= 0.5));
        assert!(shown([0.5; 3], 3.0).is_empty());
        // All corners are far away, but it passes through.
        let long = shown([50.0, 50.0, 0.5], 0.0);
        assert_eq!(long, [[-side, -side, -0.5], [side, side, 0.5]]);
    }
}
