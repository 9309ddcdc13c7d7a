//! The contact points of two colliders.

use super::broad::{Situation, planar_pose, spatial_pose};
use crate::model::rigid::{ColliderRow, PosedShape, RigidState};
use glam::DVec3;
use nonsmooth_geometry::{Key, planar, spatial};

/// A point where two colliders meet or may soon meet.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// The two colliders.
    pub colliders: [u32; 2],
    /// Which features of them meet.
    pub features: [u32; 2],
    /// Midway between the surfaces [m].
    pub point: DVec3,
    /// Unit vector from the first collider to the second.
    pub normal: DVec3,
    /// Signed distance [m].
    pub distance: f64,
}

/// Buffers for the points of one pair.
#[derive(Default)]
pub struct Narrow {
    space: Vec<spatial::Contact>,
    plane: Vec<planar::Contact>,
    points: Vec<Point>,
}

impl Narrow {
    /// The points of the pair `names`, by feature.
    pub fn of_pair(
        &mut self,
        at: &Situation<'_>,
        names: (u32, u32),
        within: impl Fn([&ColliderRow; 2]) -> f64,
    ) -> &[Point] {
        let rows = [names.0, names.1].map(|k| &at.table.colliders[k as usize]);
        let states = rows.map(|row| &at.rigid[row.on.0 as usize]);
        self.meet(names, rows, states, within(rows))
    }

    /// The points of two colliders, called `names`, that are no farther apart than `within`, by feature.
    pub fn meet(
        &mut self,
        names: (u32, u32),
        rows: [&ColliderRow; 2],
        [at_a, at_b]: [&RigidState; 2],
        within: f64,
    ) -> &[Point] {
        let Self { space, plane, points } = self;
        points.clear();
        let colliders = [names.0, names.1];
        let codes = |key: Key| [key.a.code(), key.b.code()];
        match (&rows[0].collider.posed, &rows[1].collider.posed) {
            (PosedShape::Space(shape_a, own_a), PosedShape::Space(shape_b, own_b)) => {
                let (pose_a, pose_b) = (spatial_pose(own_a, at_a), spatial_pose(own_b, at_b));
                space.clear();
                spatial::contacts(shape_a, &pose_a, shape_b, &pose_b, within, space);
                points.extend(space.iter().map(|c| Point {
                    colliders,
                    features: codes(c.key),
                    point: DVec3::from_array(c.point),
                    normal: DVec3::from_array(c.normal),
                    distance: c.distance,
                }));
            }
            (PosedShape::Plane(shape_a, own_a), PosedShape::Plane(shape_b, own_b)) => {
                let (pose_a, pose_b) = (planar_pose(own_a, at_a), planar_pose(own_b, at_b));
                plane.clear();
                planar::contacts(shape_a, &pose_a, shape_b, &pose_b, within, plane);
                points.extend(plane.iter().map(|c| Point {
                    colliders,
                    features: codes(c.key),
                    point: DVec3::new(c.point[0], c.point[1], 0.0),
                    normal: DVec3::new(c.normal[0], c.normal[1], 0.0),
                    distance: c.distance,
                }));
            }
            _ => unreachable!("colliders of the plane and of space do not meet"),
        }
        points.sort_unstable_by_key(|point| point.features);
        points
    }
}
