//! Which bodies in the plane overlap at given poses, and how deeply: a check before a run starts.

use super::{Contact, Pose, Shape, contacts};
use crate::broad::{Bounds, BroadPhase};

/// Two bodies that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// First body.
    pub a: u32,
    /// Second body.
    pub b: u32,
    /// How far one must move to set them free [m], > 0.
    pub depth: f64,
    /// Where they are deepest [m].
    pub point: [f64; 2],
    /// From a to b [–].
    pub normal: [f64; 2],
}

/// All pairs (a, b), a < b, in ascending order, that overlap by more than `least` [m] and for which
/// `keep(a, b)` holds. With `least` = 0, bodies in exact touch may be reported with a depth of round-off.
pub fn overlaps(
    shapes: &[Shape],
    poses: &[Pose],
    least: f64,
    keep: impl Fn(u32, u32) -> bool,
) -> Vec<Overlap> {
    assert_eq!(shapes.len(), poses.len(), "one pose for each shape");
    let bounds: Vec<Bounds> = shapes.iter().zip(poses).map(|(shape, pose)| shape.bounds(pose)).collect();
    let mut pairs = Vec::new();
    BroadPhase::default().pairs(&bounds, &vec![0.0; bounds.len()], keep, &mut pairs);
    let mut found: Vec<Contact> = Vec::new();
    let mut overlap = |(a, b): (u32, u32)| {
        let (i, j) = (a as usize, b as usize);
        found.clear();
        contacts(&shapes[i], &poses[i], &shapes[j], &poses[j], 0.0, &mut found);
        let deepest = found.iter().min_by(|p, q| p.distance.total_cmp(&q.distance))?;
        let Contact { point, normal, distance, .. } = *deepest;
        (-distance > least).then_some(Overlap { a, b, depth: -distance, point, normal })
    };
    pairs.into_iter().filter_map(&mut overlap).collect()
}
