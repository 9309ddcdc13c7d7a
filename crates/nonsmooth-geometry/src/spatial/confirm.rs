//! Confirmation of a new contact just behind its touching pose: no ghost contacts at seams.
//!
//! Where b touches a along n, it is moved on by a small depth δ along −n. There the narrow phase gives
//! the minimal translation. It is n if the depth in every other direction exceeds δ. Else n came from a
//! seam: a cube that slides from one tile to the next touches the side of the next tile, but the
//! minimal translation is upwards, by nothing.

use super::contact::Contact;
use super::contacts::contacts;
use super::shape::Shape;
use crate::pose::Pose;
use glam::DVec3;

/// What the contact turned out to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Confirmation {
    /// Whether the normal asked for is that of the minimal translation.
    pub is_minimal: bool,
    /// The pose of b at which the contacts were found.
    pub pose_b: Pose,
}

/// One minus the cosine of the angle within which normals are one: 1 mrad.
const SAME: f64 = 5e-7;

/// Appends the contacts of the minimal translation at the pose where b is `depth` [m] deep in a along `normal`, and all others
/// no farther apart than `within` [m]. The shapes touch at the given poses. Nothing is appended if they are farther apart there.
pub fn confirm(
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    normal: [f64; 3],
    depth: f64,
    within: f64,
    out: &mut Vec<Contact>,
) -> Confirmation {
    let position = std::array::from_fn(|k| pose_b.position[k] - depth * normal[k]);
    let pose_b = Pose { position, ..*pose_b };
    let start = out.len();
    contacts(a, pose_a, b, &pose_b, within, out);
    let deepest = out[start..].iter().min_by(|p, q| p.distance.total_cmp(&q.distance));
    let n = DVec3::from_array(normal);
    let is_same = |c: &Contact| n.dot(DVec3::from_array(c.normal)) >= 1.0 - SAME;
    Confirmation { is_minimal: deepest.is_some_and(is_same), pose_b }
}
