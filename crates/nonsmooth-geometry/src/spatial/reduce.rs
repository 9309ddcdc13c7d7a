//! From all contact points of two shapes to the few that say the same.
//!
//! Between two rigid bodies, the gaps y_i of points with a common normal n change by an affine
//! function of their positions x_i across n. If the points (x_i, d_i) lie on one plane, y ≥ 0 at the
//! corners of their convex outline says y ≥ 0 everywhere: interior points are redundant. So the
//! points with one normal are searched for the lowest plane under (x_i, d_i), and of those on it,
//! at most four stay: one of the deepest, and then those that span the largest area; and the very deepest beside them, where that is
//! another. Points off the plane stay too. This depends on the points alone, not on earlier steps.

use super::contact::Contact;
use crate::frame::tangents;
use glam::{DVec2, DVec3};
use smallvec::SmallVec;

/// Normals closer than this [rad] are one normal. Triangles of one flat face differ by this much
/// after their corners were rounded to single precision.
const SAME_NORMAL: f64 = 1e-4;
/// Part of the size within which points lie on one plane or are one point.
const SAME_PLACE: f64 = 1e-6;
/// Points that coincide are one contact if their normals are closer than this [rad].
const SAME_CONTACT: f64 = 1e-2;
/// Part of the size within which depths, and of themselves lengths and areas, are equal: the first in the order of keys is then taken. Bodies at rest stir by
/// up to 1e-9 of their size; that must not choose other points from step to step, or their reactions are lost.
const TIE: f64 = 1e-7;
/// Part of the size within which depths are equal to rounding: the deepest point stays beside the four if it is deeper than they by more.
const ROUNDING: f64 = 1e-12;
/// Most points that stay of a flat patch.
const MOST: usize = 4;

/// Sorts the contacts from `start` on by key and keeps those that matter.
pub(crate) fn reduce(out: &mut Vec<Contact>, start: usize, size: f64) {
    if out.len() - start < 2 {
        return;
    }
    let found = &mut out[start..];
    found.sort_unstable_by(|p, q| p.key.cmp(&q.key).then(p.distance.total_cmp(&q.distance)));
    let mut is_kept: SmallVec<[bool; 32]> = SmallVec::from_elem(false, found.len());
    let mut is_done: SmallVec<[bool; 32]> =
        (0..found.len()).map(|i| i > 0 && found[i].key == found[i - 1].key).collect();
    for i in 0..found.len() {
        if is_done[i] {
            continue;
        }
        let normal = DVec3::from_array(found[i].normal);
        let mut cluster: SmallVec<[Point; 32]> = SmallVec::new();
        for (j, contact) in found.iter().enumerate().skip(i) {
            if !is_done[j] && is_near(normal, contact.normal, SAME_NORMAL) {
                is_done[j] = true;
                cluster.push(Point::new(j, contact));
            }
        }
        keep_of(&mut cluster, normal, size, &mut is_kept);
    }
    drop_coincident(found, size, &mut is_kept);
    let mut index = 0;
    let mut stays = |_: &Contact| {
        index += 1;
        index <= start || is_kept[index - 1 - start]
    };
    out.retain(&mut stays);
}

fn is_near(p: DVec3, q: [f64; 3], tolerance: f64) -> bool {
    (p - DVec3::from_array(q)).length_squared() <= tolerance * tolerance
}

/// A contact of a cluster: where it stands across the normal, and how deep.
struct Point {
    index: usize,
    world: DVec3,
    x: DVec2,
    d: f64,
}

impl Point {
    fn new(index: usize, contact: &Contact) -> Self {
        Self { index, world: DVec3::from_array(contact.point), x: DVec2::ZERO, d: contact.distance }
    }
}

/// Marks what stays of points with one normal.
fn keep_of(cluster: &mut [Point], normal: DVec3, size: f64, is_kept: &mut [bool]) {
    if cluster.len() <= 2 {
        cluster.iter().for_each(|p| is_kept[p.index] = true);
        return;
    }
    let [t1, t2] = tangents(normal);
    let deepest = deepest_corner(cluster, size);
    let (origin, d0) = (cluster[deepest].world, cluster[deepest].d);
    for p in cluster.iter_mut() {
        let r = p.world - origin;
        p.x = DVec2::new(r.dot(t1), r.dot(t2));
        p.d -= d0;
    }
    let slope = lowest_plane(cluster, size);
    let mut flat: SmallVec<[usize; 32]> = SmallVec::new();
    for (k, p) in cluster.iter().enumerate() {
        if (p.d - slope.dot(p.x)).abs() <= SAME_PLACE * size {
            flat.push(k);
        } else {
            is_kept[p.index] = true;
        }
    }
    let chosen = corners(cluster, &flat, deepest, size);
    let depth = |k: &usize| cluster[*k].d;
    let least = chosen.iter().map(depth).fold(f64::INFINITY, f64::min);
    let below = flat.iter().filter(|k| depth(k) < least - ROUNDING * size);
    let lowest = below.min_by(|k, l| depth(k).total_cmp(&depth(l)));
    for &k in chosen.iter().chain(lowest) {
        is_kept[cluster[k].index] = true;
    }
}

/// The deepest point; of equally deep ones that farthest from the first, which is a corner.
fn deepest_corner(points: &[Point], size: f64) -> usize {
    let least = points.iter().map(|p| p.d).fold(f64::INFINITY, f64::min);
    let is_deepest = |p: &Point| p.d <= least + TIE * size;
    let first = points.iter().position(is_deepest).unwrap_or(0);
    let far = |p: &Point| p.world.distance(points[first].world);
    let most = points.iter().filter(|p| is_deepest(p)).map(far).fold(0.0, f64::max);
    let is_corner = |p: &Point| is_deepest(p) && far(p) >= most - SAME_PLACE * size;
    points.iter().position(is_corner).unwrap_or(first)
}

/// Gradient of the plane through the deepest point (x = 0, d = 0) that lies under all points: it
/// leans on the point of least slope, and then on the one that turns it least about that line.
fn lowest_plane(points: &[Point], size: f64) -> DVec2 {
    let near = SAME_PLACE * size;
    let off = |x: DVec2| x.length() > near;
    let Some(p1) = lowest(points.iter().filter(|p| off(p.x)).map(|p| (p.x, p.d / p.x.length()))) else {
        return DVec2::ZERO;
    };
    let along = p1.0.normalize();
    let across = along.perp();
    let rise = p1.1;
    let beside = points.iter().filter(|p| p.x.dot(across).abs() > near);
    let tilts = beside.map(|p| (p.x, (p.d - rise * p.x.dot(along)) / p.x.dot(across).abs()));
    let tilt = lowest(tilts).map_or(0.0, |p2| p2.1 * p2.0.dot(across).signum());
    rise * along + tilt * across
}

/// The place of least slope; of equal ones the farthest.
fn lowest(slopes: impl Iterator<Item = (DVec2, f64)>) -> Option<(DVec2, f64)> {
    slopes.reduce(|best, next| {
        let equal = (next.1 - best.1).abs() <= SAME_PLACE;
        let farther = next.0.length() > best.0.length() * (1.0 + TIE);
        if (equal && farther) || (!equal && next.1 < best.1) { next } else { best }
    })
}

/// At most four of the flat points: the deepest, the farthest from it, and twice the largest area.
fn corners(points: &[Point], flat: &[usize], deepest: usize, size: f64) -> SmallVec<[usize; MOST]> {
    let x = |k: usize| points[k].x;
    let mut chosen: SmallVec<[usize; MOST]> = SmallVec::from_slice(&[deepest]);
    let best = |score: &dyn Fn(DVec2) -> f64, least: f64| {
        let most = flat.iter().map(|&k| score(x(k))).fold(least, f64::max);
        flat.iter().copied().find(|&k| most > least && score(x(k)) >= most * (1.0 - TIE))
    };
    let Some(far) = best(&|p| p.length(), SAME_PLACE * size) else { return chosen };
    chosen.push(far);
    let base = x(far);
    let narrow = SAME_PLACE * size * base.length();
    // On a line, the end opposite to the farthest, if the deepest is not itself that end.
    let Some(wide) = best(&|p| base.perp_dot(p).abs(), narrow) else {
        chosen.extend(best(&|p| -base.dot(p), narrow));
        return chosen;
    };
    chosen.push(wide);
    let triangle = [DVec2::ZERO, base, x(wide)];
    let turn = base.perp_dot(x(wide)).signum();
    let outside = |p: DVec2| {
        let side = |k: usize| -turn * (triangle[(k + 1) % 3] - triangle[k]).perp_dot(p - triangle[k]);
        side(0).max(side(1)).max(side(2))
    };
    chosen.extend(best(&outside, narrow));
    chosen
}

/// Of points in one place with nearly one normal, the deepest stays; of equal ones the first.
fn drop_coincident(found: &[Contact], size: f64, is_kept: &mut [bool]) {
    let kept: SmallVec<[usize; 32]> = (0..found.len()).filter(|i| is_kept[*i]).collect();
    for (k, &i) in kept.iter().enumerate() {
        let (point, normal) = (DVec3::from_array(found[i].point), DVec3::from_array(found[i].normal));
        for &j in &kept[k + 1..] {
            if !is_kept[i] {
                break;
            }
            let same = is_kept[j]
                && is_near(point, found[j].point, SAME_PLACE * size)
                && is_near(normal, found[j].normal, SAME_CONTACT);
            if same {
                let deeper = found[j].distance < found[i].distance - TIE * size;
                is_kept[if deeper { i } else { j }] = false;
            }
        }
    }
}
