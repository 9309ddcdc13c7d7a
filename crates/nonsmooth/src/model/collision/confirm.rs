//! What the contact points of a pair become on the path of a drift: no ghosts at seams.
//!
//! Points are found where the bodies are. Whether they are where the bodies will touch, the path tells: it is swept to the touching
//! instant, with normal n. Just behind, where the bodies have moved on by δ = 1e-6 of the size, the narrow phase gives the minimal
//! translation. It is a contact with normal n only if that is n: no other direction has less depth. Otherwise n came from a seam,
//! and the features of the minimal translation take its place: a cube that slides from one tile to the next touches the side of
//! the next tile, but the minimal translation is upwards, by nothing. They move on along their path, not along n: where a corner
//! is within rounding of an edge, n points anywhere.
//!
//! A path that was predicted with the last reactions may sink into a support that has not carried yet, by up to the fall of the step.
//! Where n is not the minimal translation that deep behind the touching pose, the finding is in doubt, and a better path is needed.

use super::features::frozen_at;
use super::narrow::{Narrow, Point};
use super::sweep::{DriftPath, Meeting};
use crate::model::Model;
use crate::model::rigid::{ColliderRow, RigidState};
use glam::DVec3;
use nonsmooth_geometry::{Feature, FeatureKind, FrozenContact};

/// A contact touches when its gap is below this, relative to its size.
const TOUCHING: f64 = 1e-11;
/// δ, relative to the size.
const DEPTH: f64 = 1e-6;
/// One minus the cosine of the angle within which normals are one: 1 mrad.
const SAME: f64 = 5e-7;
/// Points of one seam that are nearer to each other than this, relative to the size, are one: behind the touching pose the common
/// area is only as wide as δ.
const ONE_POINT: f64 = 1e-4;

/// A point that was found where the bodies are.
#[derive(Clone, Copy)]
pub struct ActivePoint {
    /// Which features meet.
    pub features: [u32; 2],
    /// Signed distance [m].
    pub distance: f64,
    /// Midway between the surfaces [m].
    pub point: DVec3,
    /// Unit vector from the first collider to the second.
    pub normal: DVec3,
    /// Whether the bodies approach each other there.
    pub approaches: bool,
    /// Whether the gap of its features is negative at the end of the path.
    pub closes: bool,
}

/// What becomes of the points of a pair.
pub enum Finding {
    /// They are right.
    AsSeen,
    /// The pair stays apart on the path, or is so fast that only the sweep of the path tells.
    Apart,
    /// The path is not good enough to tell.
    InDoubt,
    /// Other features meet.
    Others(Vec<(Point, FrozenContact)>),
}

/// Judges the points of a pair of colliders that has not carried force. The path may be wrong by `doubt`, and the bodies are `sunk`
/// into others already [m].
pub fn confirm(
    model: &Model,
    (path, doubt, sunk): (&DriftPath<'_>, f64, f64),
    names: (u32, u32),
    seen: &[ActivePoint],
    narrow: &mut Narrow,
) -> Finding {
    let rows = [names.0, names.1].map(|k| &model.rigid.colliders[k as usize]);
    let size = model.rigid.size(rows[0].on, rows[1].on);
    let Some(nearest) = seen.iter().min_by(|p, q| p.distance.total_cmp(&q.distance)) else {
        return Finding::AsSeen;
    };
    let way = path.way(model, rows);
    let depth = DEPTH * size + 2.0 * sunk;
    let pair = Behind { model, names, rows, size, way, depth };
    if nearest.distance <= TOUCHING * size {
        let is_sheet = rows.iter().any(|row| row.thickness == 0.0);
        let is_deep = nearest.distance <= -DEPTH * size;
        if is_sheet || is_deep || !seen.iter().any(|point| point.approaches || point.closes) {
            return Finding::AsSeen;
        }
        let closest = (nearest.point, nearest.normal);
        let (is_minimal, points) = pair.minimal((path, 0.0), closest, depth, narrow);
        return if is_minimal { Finding::AsSeen } else { Finding::Others(points) };
    }
    if is_fast(way, rows) {
        return Finding::Apart;
    }
    if !seen.iter().any(|point| point.closes) || rows.iter().all(|row| row.has_one_feature()) {
        return Finding::AsSeen;
    }
    match path.meeting(model, rows) {
        Meeting::Never => Finding::Apart,
        Meeting::Overlapping => Finding::AsSeen,
        Meeting::At(time) => pair.on_the_way((path, doubt), time, seen, narrow),
    }
}

/// Whether a pair moves so far that the points found where it is say nothing of where it meets.
pub fn is_fast(way: f64, rows: [&ColliderRow; 2]) -> bool {
    way > 0.5 * (rows[0].thickness + rows[1].thickness)
}

/// A pair that is looked at just behind its touching pose.
struct Behind<'a> {
    model: &'a Model,
    names: (u32, u32),
    rows: [&'a ColliderRow; 2],
    size: f64,
    way: f64,
    /// δ, and what the bodies overlap with others: that is no step either.
    depth: f64,
}

impl Behind<'_> {
    /// The finding for a pair that touches at a time of the path.
    fn on_the_way(
        &self,
        (path, doubt): (&DriftPath<'_>, f64),
        time: f64,
        seen: &[ActivePoint],
        narrow: &mut Narrow,
    ) -> Finding {
        let states = path.places(self.model, self.rows, time);
        let near = narrow.meet(self.names, self.rows, [&states[0], &states[1]], DEPTH * self.size);
        let Some(closest) = near.iter().min_by(|p, q| p.distance.total_cmp(&q.distance)) else {
            return Finding::AsSeen;
        };
        let closest = (closest.point, closest.normal);
        let (is_minimal, points) = self.minimal((path, time), closest, self.depth, narrow);
        if is_minimal && doubt > self.depth && !self.minimal((path, time), closest, doubt, narrow).0 {
            return Finding::InDoubt;
        }
        let is_known = |point: &Point| seen.iter().any(|s| s.features == point.features && s.closes);
        let meets = |point: &Point| point.distance <= 0.0;
        if is_minimal && points.iter().any(|(point, _)| meets(point) && is_known(point)) {
            return Finding::AsSeen;
        }
        Finding::Others(points)
    }

    /// Whether the normal at which the pair touches at a time of the path is that of the minimal translation behind it, and the
    /// points there.
    fn minimal(
        &self,
        (path, time): (&DriftPath<'_>, f64),
        (point, normal): (DVec3, DVec3),
        depth: f64,
        narrow: &mut Narrow,
    ) -> (bool, Vec<(Point, FrozenContact)>) {
        let [a, b] = path.places(self.model, self.rows, time);
        let ahead = path.velocity_at(self.model, self.rows, point, time) * (path.duration - time);
        let b = RigidState { position: b.position + ahead.clamp_length_max(depth), ..b };
        let points = narrow.meet(self.names, self.rows, [&a, &b], self.way + depth);
        let deepest = points.iter().min_by(|p, q| p.distance.total_cmp(&q.distance));
        let Some(deepest) = deepest else { return (true, Vec::new()) };
        let is_minimal = normal.dot(deepest.normal) >= 1.0 - SAME;
        let apart = if is_minimal { 0.0 } else { ONE_POINT * self.size };
        let freeze = |point: Point| {
            let place = [point.point.to_array(), point.normal.to_array()];
            let shapes = self.rows.map(|row| &row.collider.posed);
            (point, frozen_at(shapes, [&a, &b], point.features, place, point.distance))
        };
        (is_minimal, spaced(points, apart).into_iter().map(freeze).collect())
    }
}

/// Points that are at least `apart` from each other, corners first, in the order of their features.
fn spaced(points: &[Point], apart: f64) -> Vec<Point> {
    let is_corner = |point: &Point| {
        point.features.iter().any(|f| Feature::from_code(*f).kind() == FeatureKind::Vertex)
    };
    let (corners, others): (Vec<&Point>, Vec<&Point>) = points.iter().partition(|p| is_corner(p));
    let mut kept: Vec<Point> = Vec::new();
    for point in corners.into_iter().chain(others) {
        let is_near = |other: &Point| {
            other.point.distance(point.point) < apart && other.normal.dot(point.normal) >= 1.0 - SAME
        };
        if !kept.iter().any(is_near) {
            kept.push(*point);
        }
    }
    kept.sort_unstable_by_key(|point| point.features);
    kept
}
