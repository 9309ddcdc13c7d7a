//! From all contact points of two shapes in the plane to the few that say the same.
//!
//! As in space: points with one normal whose (x, d), position across and distance along it, lie on the
//! lowest line under all of them say no more than its two ends. Points off that line stay.

use super::contact::Contact;
use glam::DVec2;
use smallvec::SmallVec;

/// Normals closer than this [rad] are one normal.
const SAME_NORMAL: f64 = 1e-4;
/// Part of the size within which points lie on one line or are one point.
const SAME_PLACE: f64 = 1e-6;
/// Points that coincide are one contact if their normals are closer than this [rad].
const SAME_CONTACT: f64 = 1e-2;
/// Part of the size within which depths are equal, so that round-off does not choose.
const TIE: f64 = 1e-12;

/// Sorts the contacts from `start` on by key and keeps those that matter.
pub(crate) fn reduce(out: &mut Vec<Contact>, start: usize, size: f64) {
    if out.len() - start < 2 {
        return;
    }
    let found = &mut out[start..];
    found.sort_unstable_by(|p, q| p.key.cmp(&q.key).then(p.distance.total_cmp(&q.distance)));
    let mut is_done: SmallVec<[bool; 16]> =
        (0..found.len()).map(|i| i > 0 && found[i].key == found[i - 1].key).collect();
    let mut is_kept: SmallVec<[bool; 16]> = SmallVec::from_elem(false, found.len());
    for i in 0..found.len() {
        if is_done[i] {
            continue;
        }
        let mut cluster: SmallVec<[usize; 16]> = SmallVec::new();
        for j in i..found.len() {
            if !is_done[j] && is_near(found[i].normal, found[j].normal, SAME_NORMAL) {
                is_done[j] = true;
                cluster.push(j);
            }
        }
        keep_of(found, &cluster, size, &mut is_kept);
    }
    drop_coincident(found, size, &mut is_kept);
    let mut index = 0;
    out.retain(|_| {
        index += 1;
        index <= start || is_kept[index - 1 - start]
    });
}

fn is_near(p: [f64; 2], q: [f64; 2], tolerance: f64) -> bool {
    DVec2::from_array(p).distance_squared(DVec2::from_array(q)) <= tolerance * tolerance
}

/// Marks what stays of points with one normal.
fn keep_of(found: &[Contact], cluster: &[usize], size: f64, is_kept: &mut [bool]) {
    let tangent = DVec2::from_array(found[cluster[0]].normal).perp();
    let x = |k: usize| DVec2::from_array(found[k].point).dot(tangent);
    let d = |k: usize| found[k].distance;
    let near = SAME_PLACE * size;
    let least = cluster.iter().map(|&k| d(k)).fold(f64::INFINITY, f64::min);
    let is_deepest = |k: &usize| d(*k) <= least + TIE * size;
    // Of equally deep points the one farthest to the left, which is an end.
    let deepest = cluster.iter().copied().filter(is_deepest).min_by(|&i, &j| x(i).total_cmp(&x(j)));
    let Some(deepest) = deepest else { return };
    let slope = |k: usize| (d(k) - d(deepest)) / (x(k) - x(deepest)).abs();
    let beside = cluster.iter().copied().filter(|&k| (x(k) - x(deepest)).abs() > near);
    let Some(flattest) = beside.min_by(|&i, &j| slope(i).total_cmp(&slope(j))) else {
        is_kept[deepest] = true;
        return;
    };
    let gradient = slope(flattest) * (x(flattest) - x(deepest)).signum();
    let is_flat = |k: &usize| (d(*k) - d(deepest) - gradient * (x(*k) - x(deepest))).abs() <= near;
    for &k in cluster {
        is_kept[k] = !is_flat(&k);
    }
    let flat = || cluster.iter().copied().filter(is_flat);
    for end in [
        flat().min_by(|&i, &j| x(i).total_cmp(&x(j))),
        flat().max_by(|&i, &j| x(i).total_cmp(&x(j))),
        Some(deepest),
    ] {
        is_kept[end.unwrap_or(deepest)] = true;
    }
}

/// Of points in one place with nearly one normal, the deepest stays; of equal ones the first.
fn drop_coincident(found: &[Contact], size: f64, is_kept: &mut [bool]) {
    for i in 0..found.len() {
        for j in i + 1..found.len() {
            let same = is_kept[i]
                && is_kept[j]
                && is_near(found[i].point, found[j].point, SAME_PLACE * size)
                && is_near(found[i].normal, found[j].normal, SAME_CONTACT);
            if same {
                let deeper = found[j].distance < found[i].distance - TIE * size;
                is_kept[if deeper { i } else { j }] = false;
            }
        }
    }
}
