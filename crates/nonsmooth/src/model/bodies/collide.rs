//! Where bodies touch or may soon touch: a pure function of their placements, sorted by parts and features.

use super::{Bodies, PartOf, Placed, Placement};
use glam::{DQuat, DVec3};
use nonsmooth_geometry::broad::{Bounds, BroadPhase};
use nonsmooth_geometry::{Key, planar, spatial};

/// Names a contact point of two parts; the same point has the same key in the next step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TouchKey {
    /// The two parts.
    pub parts: (u32, u32),
    /// Which features of them meet.
    pub feature: u64,
}

/// A point where two parts touch or may soon touch.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Its name.
    pub key: TouchKey,
    /// Midway between the surfaces [m].
    pub point: DVec3,
    /// Unit vector from the first part to the second.
    pub normal: DVec3,
    /// Signed distance [m].
    pub distance: f64,
}

/// Buffers of the search; nothing is remembered from call to call.
#[derive(Default)]
pub struct Collider {
    broad: BroadPhase,
    poses: Vec<Pose>,
    bounds: Vec<Bounds>,
    margins: Vec<f64>,
    pairs: Vec<(u32, u32)>,
    space: Vec<spatial::Contact>,
    plane: Vec<planar::Contact>,
}

#[derive(Clone, Copy)]
pub(super) enum Pose {
    Plane(planar::Pose),
    Space(spatial::Pose),
}

/// Where the bodies are, and how far from their surfaces they look for contacts.
pub struct Situation<'a> {
    /// Moving bodies, then obstacles.
    pub placements: &'a [Placement],
    /// By body [m]; those of two bodies add up. NaN where a body does not take part.
    pub margins: &'a [f64],
}

impl Collider {
    /// Fills `out` with the points of all pairs of parts no farther apart than their margins together.
    pub fn collide(&mut self, bodies: &Bodies, at: &Situation<'_>, out: &mut Vec<Point>) {
        out.clear();
        self.place(bodies, at);
        let Self { broad, poses, bounds, margins, pairs, space, plane } = self;
        let meets = |a: u32, b: u32| {
            let (a, b) = (&bodies.parts[a as usize], &bodies.parts[b as usize]);
            let moving = (a.body as usize) < bodies.n || (b.body as usize) < bodies.n;
            moving && a.body != b.body && a.part.groups.meet(b.part.groups)
        };
        broad.pairs(bounds, margins, meets, pairs);
        for &(a, b) in &*pairs {
            let prediction = margins[a as usize] + margins[b as usize];
            let (part_a, part_b) = (&bodies.parts[a as usize], &bodies.parts[b as usize]);
            match (&part_a.part.placed, &part_b.part.placed) {
                (Placed::Space(shape_a, _), Placed::Space(shape_b, _)) => {
                    let (Pose::Space(pose_a), Pose::Space(pose_b)) =
                        (&poses[a as usize], &poses[b as usize])
                    else {
                        continue;
                    };
                    space.clear();
                    spatial::contacts(shape_a, pose_a, shape_b, pose_b, prediction, space);
                    out.extend(space.iter().map(|c| Point {
                        key: TouchKey { parts: (a, b), feature: mix(c.key) },
                        point: DVec3::from_array(c.point),
                        normal: DVec3::from_array(c.normal),
                        distance: c.distance,
                    }));
                }
                (Placed::Plane(shape_a, _), Placed::Plane(shape_b, _)) => {
                    let (Pose::Plane(pose_a), Pose::Plane(pose_b)) =
                        (&poses[a as usize], &poses[b as usize])
                    else {
                        continue;
                    };
                    plane.clear();
                    planar::contacts(shape_a, pose_a, shape_b, pose_b, prediction, plane);
                    out.extend(plane.iter().map(|c| Point {
                        key: TouchKey { parts: (a, b), feature: mix(c.key) },
                        point: DVec3::new(c.point[0], c.point[1], 0.0),
                        normal: DVec3::new(c.normal[0], c.normal[1], 0.0),
                        distance: c.distance,
                    }));
                }
                _ => unreachable!("a model has either plane or spatial bodies"),
            }
        }
        sort_by_key(out);
    }

    /// Poses, bounds and margins of all parts.
    fn place(&mut self, bodies: &Bodies, at: &Situation<'_>) {
        let Self { poses, bounds, margins, .. } = self;
        poses.clear();
        bounds.clear();
        margins.clear();
        for PartOf { body, part, .. } in &bodies.parts {
            let margin = at.margins[*body as usize];
            let (pose, bound) = pose_and_bounds(&part.placed, &at.placements[*body as usize]);
            poses.push(pose);
            // The broad phase leaves out what is not finite.
            let nowhere = Bounds::Box { low: [f64::NAN; 3], high: [f64::NAN; 3] };
            bounds.push(if margin.is_nan() { nowhere } else { bound });
            margins.push(if margin.is_nan() { 0.0 } else { margin });
        }
    }
}

pub(super) fn pose_and_bounds(placed: &Placed, at: &Placement) -> (Pose, Bounds) {
    match placed {
        Placed::Space(shape, own) => {
            let pose = spatial_pose(own, at);
            let bounds = match shape.ball_radius() {
                Some(radius) => Bounds::Box {
                    low: pose.position.map(|x| x - radius),
                    high: pose.position.map(|x| x + radius),
                },
                None => shape.bounds(&pose),
            };
            (Pose::Space(pose), bounds)
        }
        Placed::Plane(shape, own) => {
            let turn = at.rotation;
            let shift = turn * DVec3::new(own.position[0], own.position[1], 0.0);
            let angle = 2.0 * turn.z.atan2(turn.w) + own.angle;
            let pose =
                planar::Pose { position: [at.position.x + shift.x, at.position.y + shift.y], angle };
            (Pose::Plane(pose), shape.bounds(&pose))
        }
    }
}

/// The pose of a part in the world.
pub(crate) fn spatial_pose(own: &spatial::Pose, at: &Placement) -> spatial::Pose {
    if *own == spatial::Pose::IDENTITY {
        let DQuat { x, y, z, w } = at.rotation;
        return spatial::Pose { position: at.position.to_array(), rotation: [w, x, y, z] };
    }
    let [w, x, y, z] = own.rotation;
    let turn = at.rotation * DQuat::from_xyzw(x, y, z, w).normalize();
    let position = at.position + at.rotation * DVec3::from_array(own.position);
    spatial::Pose { position: position.to_array(), rotation: [turn.w, turn.x, turn.y, turn.z] }
}

/// Pairs come sorted; the points of a pair are few.
fn sort_by_key(points: &mut [Point]) {
    let mut first = 0;
    while first < points.len() {
        let parts = points[first].key.parts;
        let n = points[first..].iter().take_while(|point| point.key.parts == parts).count();
        points[first..first + n].sort_by_key(|point| point.key.feature);
        first += n;
    }
}

/// 128 bits of two features to 64: two rounds of a multiplicative mix, which no pair of a shape's features is known to
/// bring to the same number.
fn mix(key: Key) -> u64 {
    let mut x = key.a.bits().wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ key.b.bits().rotate_left(32);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
