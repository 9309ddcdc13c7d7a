//! Which pairs of colliders are near enough to be looked at.
//!
//! Every rigid thing looks as far from its surface as its margin says; the margins of two add up. Pairs come in ascending order.

use super::narrow::{Narrow, Point};
use crate::model::rigid::{ColliderRow, PosedShape, RigidState, RigidTable};
use glam::{DQuat, DVec3};
use nonsmooth_geometry::broad::{Bounds, BroadPhase};
use nonsmooth_geometry::{planar, spatial};
use rayon::prelude::*;

/// Pairs of colliders that one task of a thread takes.
const CHUNK: usize = 256;
/// Tasks that threads share at a time: what they find waits in memory until it is taken, in order.
const TASKS: usize = 32;
/// Excess of the distance at which two balls about colliders are no longer looked at, relative: both are computed from the same
/// poses.
const ROUNDING: f64 = 1e-12;

/// Buffers of the search; nothing is remembered from call to call.
#[derive(Default)]
pub struct Search {
    broad: BroadPhase,
    bounds: Vec<Bounds>,
    margins: Vec<f64>,
    pairs: Vec<(u32, u32)>,
    narrow: Narrow,
}

/// Where rigid things are, and how far from their surfaces they look for contacts.
#[derive(Clone, Copy)]
pub struct Situation<'a> {
    /// All rigid things.
    pub table: &'a RigidTable,
    /// Where they are, by [`crate::model::RigidId`].
    pub rigid: &'a [RigidState],
    /// By rigid thing [m]; those of two add up. NaN where one does not take part.
    pub margins: &'a [f64],
}

impl Search {
    /// Finds the pairs of colliders that may be no farther apart than their margins together; returns their number.
    pub fn pair(&mut self, at: &Situation<'_>) -> usize {
        self.place(at);
        let Self { broad, bounds, margins, pairs, .. } = self;
        broad.pairs(bounds, margins, |a, b| may_meet(at, a, b), pairs);
        pairs.len()
    }

    /// Takes all pairs of colliders that may meet, however far apart.
    pub fn pair_all(&mut self, at: &Situation<'_>) {
        let rows = &at.table.colliders;
        let takes_part = |k: usize| !at.margins[rows[k].on.0 as usize].is_nan();
        self.pairs.clear();
        for a in (0..rows.len()).filter(|&a| takes_part(a)) {
            let others = (a + 1..rows.len()).filter(|&b| takes_part(b));
            let meeting = others.filter(|&b| at.table.may_meet([&rows[a], &rows[b]]));
            self.pairs.extend(meeting.map(|b| (a as u32, b as u32)));
        }
    }

    /// Shows to `see` the points of all pairs found that are no farther apart than `within` says, and hands what it makes of them
    /// to `take`, in the order of their names. Threads share the seeing.
    pub fn meet<T: Send>(
        &mut self,
        at: &Situation<'_>,
        within: impl Fn([&ColliderRow; 2]) -> f64 + Sync,
        see: impl Fn(&Point) -> Option<T> + Sync,
        mut take: impl FnMut(T),
    ) {
        let Self { pairs, narrow, .. } = self;
        if pairs.len() <= CHUNK || rayon::current_num_threads() == 1 {
            for &pair in &*pairs {
                narrow.of_pair(at, pair, &within).iter().filter_map(&see).for_each(&mut take);
            }
            return;
        }
        let look = |narrow: &mut Narrow, pairs: &[(u32, u32)]| {
            let mut seen = Vec::with_capacity(pairs.len());
            for &pair in pairs {
                seen.extend(narrow.of_pair(at, pair, &within).iter().filter_map(&see));
            }
            seen
        };
        for window in pairs.chunks(TASKS * CHUNK) {
            let tasks = window.par_chunks(CHUNK).map_init(Narrow::default, look);
            let seen: Vec<Vec<T>> = tasks.collect();
            seen.into_iter().flatten().for_each(&mut take);
        }
    }

    /// The points of one pair, by feature, however far apart.
    pub fn points_of(&mut self, at: &Situation<'_>, pair: (u32, u32)) -> &[Point] {
        self.narrow.of_pair(at, pair, |_| f64::INFINITY)
    }

    /// The pairs found last, ascending.
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// Bounds and margins of all colliders.
    fn place(&mut self, at: &Situation<'_>) {
        let Self { bounds, margins, .. } = self;
        let colliders = &at.table.colliders;
        bounds.clear();
        bounds.reserve_exact(colliders.len());
        margins.clear();
        margins.reserve_exact(colliders.len());
        for row in colliders {
            let on = row.on.0 as usize;
            let margin = at.margins[on];
            // The broad phase leaves out what is not finite.
            let nowhere = Bounds::Box { low: [f64::NAN; 3], high: [f64::NAN; 3] };
            let bound =
                if margin.is_nan() { nowhere } else { bounds_of(&row.collider.posed, &at.rigid[on]) };
            bounds.push(bound);
            margins.push(if margin.is_nan() { 0.0 } else { margin });
        }
    }
}

/// Whether two colliders may meet at all, and the balls about their carriers' origins that hold them do.
fn may_meet(at: &Situation<'_>, a: u32, b: u32) -> bool {
    let rows = [a, b].map(|k| &at.table.colliders[k as usize]);
    if !at.table.may_meet(rows) {
        return false;
    }
    let [i, k] = rows.map(|row| row.on.0 as usize);
    let reach = rows[0].bounding_radius + rows[1].bounding_radius + at.margins[i] + at.margins[k];
    let apart = at.rigid[k].position - at.rigid[i].position;
    !(apart.length_squared() > reach * reach * (1.0 + ROUNDING))
}

impl RigidTable {
    /// Whether two colliders may meet wherever they are: one of them moves, both are in the plane or both in space, and nothing
    /// keeps them apart.
    #[inline]
    pub fn may_meet(&self, [a, b]: [&ColliderRow; 2]) -> bool {
        let n = self.bodies.len() as u32;
        (a.on.0 < n || b.on.0 < n)
            && a.on != b.on
            && a.collider.groups.meet(b.collider.groups)
            && a.is_planar() == b.is_planar()
            && !self.are_apart(a.on, b.on)
    }
}

/// What a collider occupies.
pub fn bounds_of(posed: &PosedShape, at: &RigidState) -> Bounds {
    match posed {
        PosedShape::Space(shape, own) => {
            let pose = spatial_pose(own, at);
            match shape.ball_radius() {
                Some(radius) => Bounds::Box {
                    low: pose.position.map(|x| x - radius),
                    high: pose.position.map(|x| x + radius),
                },
                None => shape.bounds(&pose),
            }
        }
        PosedShape::Plane(shape, own) => shape.bounds(&planar_pose(own, at)),
    }
}

/// The pose of a collider in the plane.
pub fn planar_pose(own: &planar::Pose, at: &RigidState) -> planar::Pose {
    let turn = at.rotation;
    let shift = turn * DVec3::new(own.position[0], own.position[1], 0.0);
    let angle = 2.0 * turn.z.atan2(turn.w) + own.angle;
    planar::Pose { position: [at.position.x + shift.x, at.position.y + shift.y], angle }
}

/// The pose of a collider in space.
pub fn spatial_pose(own: &spatial::Pose, at: &RigidState) -> spatial::Pose {
    if *own == spatial::Pose::IDENTITY {
        return pose_of(at);
    }
    let [w, x, y, z] = own.rotation;
    let turn = at.rotation * DQuat::from_xyzw(x, y, z, w).normalize();
    let position = at.position + at.rotation * DVec3::from_array(own.position);
    spatial::Pose { position: position.to_array(), rotation: [turn.w, turn.x, turn.y, turn.z] }
}

/// The pose of a rigid thing.
#[inline]
pub fn pose_of(at: &RigidState) -> spatial::Pose {
    let DQuat { x, y, z, w } = at.rotation;
    spatial::Pose { position: at.position.to_array(), rotation: [w, x, y, z] }
}
