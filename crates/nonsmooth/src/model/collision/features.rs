//! What stays of a contact point when the bodies move on: its features in the axes of the two bodies, and its axes.

use super::broad::{planar_pose, spatial_pose};
use crate::model::ConstraintId;
use crate::model::rigid::{PosedShape, RigidState, RigidTable};
use glam::DVec3;
use nonsmooth_geometry::{Feature, FrozenContact, Key, planar, spatial};

/// The features of a contact point in the axes of the bodies that carry the colliders.
pub fn frozen(
    table: &RigidTable,
    rigid: &[RigidState],
    id: ConstraintId,
    place: [[f64; 3]; 2],
    distance: f64,
) -> FrozenContact {
    let rows = id.colliders().map(|k| &table.colliders[k as usize]);
    let states = rows.map(|row| &rigid[row.on.0 as usize]);
    frozen_at(rows.map(|row| &row.collider.posed), states, id.features(), place, distance)
}

/// The same for two shapes on bodies in these states.
pub fn frozen_at(
    shapes: [&PosedShape; 2],
    [at_a, at_b]: [&RigidState; 2],
    features: [u32; 2],
    [point, normal]: [[f64; 3]; 2],
    distance: f64,
) -> FrozenContact {
    let [a, b] = features.map(Feature::from_code);
    let key = Key { a, b };
    match (shapes[0], shapes[1]) {
        (PosedShape::Space(shape_a, own_a), PosedShape::Space(shape_b, own_b)) => {
            let (pose_a, pose_b) = (spatial_pose(own_a, at_a), spatial_pose(own_b, at_b));
            let contact = spatial::Contact { point, normal, distance, key };
            spatial::freeze(shape_a, &pose_a, shape_b, &pose_b, &contact).carried(own_a, own_b)
        }
        (PosedShape::Plane(shape_a, own_a), PosedShape::Plane(shape_b, own_b)) => {
            let (pose_a, pose_b) = (planar_pose(own_a, at_a), planar_pose(own_b, at_b));
            let flat = |x: [f64; 3]| [x[0], x[1]];
            let contact = planar::Contact { point: flat(point), normal: flat(normal), distance, key };
            let frozen = planar::freeze(shape_a, &pose_a, shape_b, &pose_b, &contact);
            frozen.carried(&own_a.in_space(), &own_b.in_space())
        }
        _ => unreachable!("colliders of the plane and of space do not meet"),
    }
}

/// Normal and tangents of a contact point from its normal; in the plane the last is zero.
#[inline]
pub fn frame_of(planar: bool, normal: [f64; 3]) -> [[f64; 3]; 3] {
    if planar { [normal, [-normal[1], normal[0], 0.0], [0.0; 3]] } else { spatial::frame(normal) }
}

/// Components of a vector along the axes of a contact point.
#[inline]
pub fn along(frame: &[[f64; 3]; 3], x: DVec3) -> [f64; 3] {
    frame.map(|axis| DVec3::from_array(axis).dot(x))
}
