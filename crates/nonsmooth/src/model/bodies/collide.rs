//! Where bodies touch or may soon touch: a pure function of their placements, sorted by parts and features.

use super::{Bodies, PartOf, Placed, Placement};
use glam::{DQuat, DVec3};
use nonsmooth_geometry::broad::{Bounds, BroadPhase};
use nonsmooth_geometry::{Key, planar, spatial};
use rayon::prelude::*;

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

/// Pairs of parts that one task of a thread takes.
const CHUNK: usize = 256;
/// Tasks that threads share at a time: what they find waits in memory until it is taken, in order.
const TASKS: usize = 32;
/// Excess of the distance at which two balls about parts are no longer looked at, relative: both are computed from the same
/// placements.
const ROUNDING: f64 = 1e-12;

/// Buffers of the search; nothing is remembered from call to call.
#[derive(Default)]
pub struct Collider {
    broad: BroadPhase,
    bounds: Vec<Bounds>,
    margins: Vec<f64>,
    pairs: Vec<(u32, u32)>,
    narrow: Narrow,
}

/// Where the bodies are, and how far from their surfaces they look for contacts.
pub struct Situation<'a> {
    /// Moving bodies, then obstacles.
    pub placements: &'a [Placement],
    /// By body [m]; those of two bodies add up. NaN where a body does not take part.
    pub margins: &'a [f64],
}

impl Collider {
    /// Finds the pairs of parts that may be no farther apart than their margins together; returns their number.
    pub fn pair(&mut self, bodies: &Bodies, at: &Situation<'_>) -> usize {
        self.place(bodies, at);
        let Self { broad, bounds, margins, pairs, .. } = self;
        broad.pairs(bounds, margins, |a, b| may_meet(bodies, at, a, b), pairs);
        pairs.len()
    }

    /// Shows to `see` the points of all pairs found, and hands what it makes of them to `take`, in the order of their
    /// keys. Threads share the seeing.
    pub fn meet<T: Send>(
        &mut self,
        bodies: &Bodies,
        at: &Situation<'_>,
        see: impl Fn(&Point) -> Option<T> + Sync,
        mut take: impl FnMut(T),
    ) {
        let Self { pairs, narrow, .. } = self;
        if pairs.len() <= CHUNK || rayon::current_num_threads() == 1 {
            for &pair in &*pairs {
                narrow.of_pair(bodies, at, pair).iter().filter_map(&see).for_each(&mut take);
            }
            return;
        }
        let look = |narrow: &mut Narrow, pairs: &[(u32, u32)]| {
            let mut seen = Vec::with_capacity(pairs.len());
            for &pair in pairs {
                seen.extend(narrow.of_pair(bodies, at, pair).iter().filter_map(&see));
            }
            seen
        };
        for window in pairs.chunks(TASKS * CHUNK) {
            let tasks = window.par_chunks(CHUNK).map_init(Narrow::default, look);
            let seen: Vec<Vec<T>> = tasks.collect();
            seen.into_iter().flatten().for_each(&mut take);
        }
    }

    /// Bounds and margins of all parts.
    fn place(&mut self, bodies: &Bodies, at: &Situation<'_>) {
        let Self { bounds, margins, .. } = self;
        bounds.clear();
        bounds.reserve_exact(bodies.parts.len());
        margins.clear();
        margins.reserve_exact(bodies.parts.len());
        for PartOf { body, part, .. } in &bodies.parts {
            let margin = at.margins[*body as usize];
            // The broad phase leaves out what is not finite.
            let nowhere = Bounds::Box { low: [f64::NAN; 3], high: [f64::NAN; 3] };
            let bound = bounds_of(&part.placed, &at.placements[*body as usize]);
            bounds.push(if margin.is_nan() { nowhere } else { bound });
            margins.push(if margin.is_nan() { 0.0 } else { margin });
        }
    }
}

/// Whether two parts may meet at all, and the balls about their bodies' origins that hold them do.
fn may_meet(bodies: &Bodies, at: &Situation<'_>, a: u32, b: u32) -> bool {
    let parts = [a, b].map(|k| &bodies.parts[k as usize]);
    let [i, k] = parts.map(|part| part.body as usize);
    let moving = i < bodies.n || k < bodies.n;
    if !moving || i == k || !parts[0].part.groups.meet(parts[1].part.groups) {
        return false;
    }
    let reach = parts[0].reach + parts[1].reach + at.margins[i] + at.margins[k];
    let apart = at.placements[k].position - at.placements[i].position;
    !(apart.length_squared() > reach * reach * (1.0 + ROUNDING))
}

/// Buffers for the points of one pair.
#[derive(Default)]
pub(super) struct Narrow {
    space: Vec<spatial::Contact>,
    plane: Vec<planar::Contact>,
    points: Vec<Point>,
}

impl Narrow {
    /// The points of the pair `names`, by feature.
    fn of_pair(&mut self, bodies: &Bodies, at: &Situation<'_>, names: (u32, u32)) -> &[Point] {
        let parts = [names.0, names.1].map(|k| &bodies.parts[k as usize]);
        let placements = parts.map(|part| &at.placements[part.body as usize]);
        let [margin_a, margin_b] = parts.map(|part| at.margins[part.body as usize]);
        self.meet(names, parts, placements, margin_a + margin_b)
    }

    /// The points of two parts, called `names`, that are no farther apart than `within`, by feature.
    pub(super) fn meet(
        &mut self,
        names: (u32, u32),
        parts: [&PartOf; 2],
        [at_a, at_b]: [&Placement; 2],
        within: f64,
    ) -> &[Point] {
        let Self { space, plane, points } = self;
        points.clear();
        let key = |key: Key| TouchKey { parts: names, feature: mix(key) };
        match (&parts[0].part.placed, &parts[1].part.placed) {
            (Placed::Space(shape_a, own_a), Placed::Space(shape_b, own_b)) => {
                let (pose_a, pose_b) = (spatial_pose(own_a, at_a), spatial_pose(own_b, at_b));
                space.clear();
                spatial::contacts(shape_a, &pose_a, shape_b, &pose_b, within, space);
                points.extend(space.iter().map(|c| Point {
                    key: key(c.key),
                    point: DVec3::from_array(c.point),
                    normal: DVec3::from_array(c.normal),
                    distance: c.distance,
                }));
            }
            (Placed::Plane(shape_a, own_a), Placed::Plane(shape_b, own_b)) => {
                let (pose_a, pose_b) = (planar_pose(own_a, at_a), planar_pose(own_b, at_b));
                plane.clear();
                planar::contacts(shape_a, &pose_a, shape_b, &pose_b, within, plane);
                points.extend(plane.iter().map(|c| Point {
                    key: key(c.key),
                    point: DVec3::new(c.point[0], c.point[1], 0.0),
                    normal: DVec3::new(c.normal[0], c.normal[1], 0.0),
                    distance: c.distance,
                }));
            }
            _ => unreachable!("a model has either plane or spatial bodies"),
        }
        points.sort_by_key(|point| point.key.feature);
        points
    }
}

pub(super) fn bounds_of(placed: &Placed, at: &Placement) -> Bounds {
    match placed {
        Placed::Space(shape, own) => {
            let pose = spatial_pose(own, at);
            match shape.ball_radius() {
                Some(radius) => Bounds::Box {
                    low: pose.position.map(|x| x - radius),
                    high: pose.position.map(|x| x + radius),
                },
                None => shape.bounds(&pose),
            }
        }
        Placed::Plane(shape, own) => shape.bounds(&planar_pose(own, at)),
    }
}

/// The pose of a part in the plane.
fn planar_pose(own: &planar::Pose, at: &Placement) -> planar::Pose {
    let turn = at.rotation;
    let shift = turn * DVec3::new(own.position[0], own.position[1], 0.0);
    let angle = 2.0 * turn.z.atan2(turn.w) + own.angle;
    planar::Pose { position: [at.position.x + shift.x, at.position.y + shift.y], angle }
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

/// 128 bits of two features to 64: two rounds of a multiplicative mix, which no pair of a shape's features is known to
/// bring to the same number.
fn mix(key: Key) -> u64 {
    let mut x = key.a.bits().wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ key.b.bits().rotate_left(32);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
