//! Chains: a ground or outline of straight links, without ghost contacts.
//!
//! The front of a link is on the right of its direction: a loop that runs counter-clockwise bounds a
//! solid. As for surfaces in space, a normal n is true at a vertex only if n·m ≤ 0 for the
//! directions m from it into both links, and a link between flat or hollow joints has no normal but its own.

use super::contact::{Contact, Sink};
use super::core::Core;
use super::pair::Pair;
use crate::error::ShapeError;
use crate::feature::MOST_INDEX;
use crate::tree::{Extent, Tree};
use glam::DVec2;
use std::ops::Range;

/// Sine of the angle by which a normal may miss the polar cone, and of a joint that counts as flat.
const POLAR: f64 = 1e-6;
/// Overlaps are at most this many times as wide as deep, but between nearly parallel edges.
const WIDTH: f64 = 4.0;

/// A link of a chain.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub ends: [DVec2; 2],
    /// Front and back.
    pub normals: [DVec2; 2],
    pub vertices: [u32; 2],
    pub index: u32,
    /// Whether the joint at each end is flat.
    pub is_flat: [bool; 2],
    /// Whether both joints are flat or hollow.
    pub is_inner: bool,
    /// Unit directions from each end into the neighbouring link.
    beyond: [Option<DVec2>; 2],
}

impl Link {
    /// The segment without its radius.
    pub fn core(&self) -> Core<'_> {
        Core { points: &self.ends, normals: &self.normals, link: Some(self) }
    }

    /// Whether n is a normal of the chain where the link is touched along n.
    pub fn admits(&self, n: DVec2) -> bool {
        let e = (self.ends[1] - self.ends[0]).normalize();
        let along = e.dot(n);
        if along.abs() <= POLAR {
            return n.dot(self.normals[0]) > 0.0;
        }
        let end = usize::from(along > 0.0);
        let is_front = |m: DVec2| {
            // The front of the neighbour: m leaves the joint, so at the far end it runs along the chain.
            let other = if end == 1 { -m.perp() } else { m.perp() };
            n.dot(self.normals[0] + other) > 0.0
        };
        match self.beyond[end] {
            Some(m) => n.dot(m) <= POLAR && is_front(m),
            None => n.dot(self.normals[0]) >= -POLAR,
        }
    }
}

/// Straight links end to end.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub points: Vec<DVec2>,
    pub is_closed: bool,
    pub links: Vec<Link>,
    /// Distance of the farthest point from the origin [m].
    pub outer_radius: f64,
    tree: Tree,
}

impl Chain {
    /// A chain through these points; refuses what is none.
    pub fn new(points: Vec<DVec2>, is_closed: bool) -> Result<Self, ShapeError> {
        let least = if is_closed { 3 } else { 2 };
        if points.len() < least {
            return Err(ShapeError::TooFew { what: "a chain", least, got: points.len() });
        }
        let most = MOST_INDEX as usize;
        if points.len() > most {
            return Err(ShapeError::TooMany { what: "points of a chain", most, got: points.len() });
        }
        if let Some(index) = points.iter().position(|p| !p.is_finite()) {
            return Err(ShapeError::NotFinite { what: "point", index });
        }
        let links = links(&points, is_closed)?;
        let around = |link: &Link| Extent::around(link.ends.map(|p| p.extend(0.0)));
        let tree = Tree::new(links.iter().map(around).collect());
        let outer_radius = points.iter().map(|p| p.length()).fold(0.0, f64::max);
        let area = 0.5 * links.iter().map(|link| link.ends[0].perp_dot(link.ends[1])).sum::<f64>();
        if is_closed && area < 0.0 {
            return Err(ShapeError::Clockwise { area });
        }
        Ok(Self { points, is_closed, links, outer_radius, tree })
    }

    /// Calls `visit` for every link whose box meets the given one.
    pub fn near(&self, low: DVec2, high: DVec2, mut visit: impl FnMut(&Link)) {
        let place = Extent { low: low.extend(0.0), high: high.extend(0.0) };
        self.tree.meeting(&place, |index| visit(&self.links[index as usize]));
    }
}

fn links(points: &[DVec2], is_closed: bool) -> Result<Vec<Link>, ShapeError> {
    let n = points.len();
    let n_links = if is_closed { n } else { n - 1 };
    let direction = |k: usize| (points[(k + 1) % n] - points[k]).try_normalize();
    let joint = |k: usize| if is_closed { Some(k % n_links) } else { (k < n_links).then_some(k) };
    let mut links = Vec::with_capacity(n_links);
    for k in 0..n_links {
        let e = direction(k).ok_or(ShapeError::Degenerate { what: "link", index: k })?;
        let before = if k > 0 || is_closed { joint((k + n_links - 1) % n_links) } else { None };
        let beyond = [before.and_then(direction).map(|m| -m), joint(k + 1).and_then(direction)];
        let front = -e.perp();
        let rise = beyond.map(|m| m.map(|m| m.dot(front)));
        links.push(Link {
            ends: [points[k], points[(k + 1) % n]],
            normals: [front, -front],
            vertices: [k as u32, ((k + 1) % n) as u32],
            index: k as u32,
            is_flat: rise.map(|rise| rise.is_some_and(|rise| rise.abs() <= POLAR)),
            is_inner: rise.iter().all(|rise| rise.is_some_and(|rise| rise >= -POLAR)),
            beyond,
        });
    }
    Ok(links)
}

/// Appends the contacts of a link with a core in its frame, and gives their normal and the separation
/// along it; `admits` judges normals for the core's own chain.
pub(crate) fn contacts(
    link: &Link,
    core: Core<'_>,
    size: f64,
    admits: &dyn Fn(DVec2) -> bool,
    sink: &mut Sink<'_>,
) -> Option<(DVec2, f64)> {
    let pair = Pair { a: link.core(), b: core, size };
    let front = link.normals[0];
    let above = pair.separation(front);
    if above > sink.limit() {
        return None;
    }
    if core.points.len() == 1 {
        ball(link, &pair, above, sink);
        return None;
    }
    let (mut n, mut distance) = pair.closest();
    // Too far, or all behind the link.
    if distance > sink.limit().max(-above) || pair.separation(-front) > 0.0 {
        return None;
    }
    let is_in_front = front.dot(core.centre() - link.ends[0]) > 0.0;
    let is_admitted = |n: DVec2| link.admits(n) && admits(n);
    if distance <= 0.0 {
        // Overlap: the least deep of the normals that the chain admits.
        let own = (is_in_front && admits(front)).then_some(front);
        let others = core.normals.iter().map(|f| -*f).filter(|n| !link.is_inner && is_admitted(*n));
        let sides = own.into_iter().chain(others).map(|n| (n, pair.separation(n)));
        (n, distance) = sides.reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    } else if (n - front).length() <= POLAR {
        (n, distance) = (front, above);
    }
    let is_true = distance <= sink.limit() && (n == front || !link.is_inner && is_admitted(n));
    if !is_true {
        (n, distance) = (front, above);
        if !(is_in_front && admits(front)) {
            return None;
        }
    }
    let start = sink.out.len();
    let least = push_patch(&pair, n, sink);
    if n != front && !pair.certifies(least, distance) {
        // Another link has the point.
        sink.out.truncate(start);
    }
    Some((n, distance))
}

/// A point has one nearest point on the link: a contact of the chain or none. Behind the link by less
/// than the radius, the centre has passed it; by more, the ball is on the other side.
fn ball(link: &Link, pair: &Pair<'_>, above: f64, sink: &mut Sink<'_>) {
    let front = link.normals[0];
    let (n, distance) = pair.closest();
    let is_behind = (n + front).length() <= POLAR;
    if distance > sink.limit() || is_behind && distance > sink.radii.1 {
        return;
    }
    if is_behind || (n - front).length() <= POLAR {
        push_lowest(pair, front, above, sink);
    } else if !link.is_inner && link.admits(n) {
        push_lowest(pair, n, distance, sink);
    }
}

fn push_patch(pair: &Pair<'_>, n: DVec2, sink: &mut Sink<'_>) -> f64 {
    pair.patch(n, &mut |on_a, distance, features, is_real| {
        if is_real {
            sink.push(on_a, n, distance, features);
        }
    })
}

/// The farthest corner of the core, over the vertex or edge of the link that is nearest to it.
fn push_lowest(pair: &Pair<'_>, n: DVec2, distance: f64, sink: &mut Sink<'_>) {
    let corner = pair.b.support(-n);
    let on_a = pair.b.points[corner] - distance * n;
    let near = |k: &usize| pair.a.points[*k].distance(on_a) <= POLAR * pair.size;
    let feature = (0..2).find(near).map_or(pair.a.outline(n).feature, |k| pair.a.vertex(k));
    sink.push(on_a, n, distance, (feature, pair.b.vertex(corner)));
}

/// Contacts of one link with an overlapping core, all with one normal; in the world.
pub(crate) struct Overlap {
    contacts: Range<usize>,
    normal: DVec2,
    /// Of the whole core from the link along the normal [m].
    separation: f64,
    /// Of the deepest point found [m], < 0.
    distance: f64,
    /// The deepest point, on the chain.
    point: DVec2,
    ends: [DVec2; 2],
    is_dropped: bool,
}

impl Overlap {
    /// None if nothing overlaps.
    pub fn new(
        link: &Link,
        (normal, separation): (DVec2, f64),
        first: usize,
        sink: &Sink<'_>,
    ) -> Option<Self> {
        let contacts = first..sink.out.len();
        let deepest =
            sink.out[contacts.clone()].iter().min_by(|p, q| p.distance.total_cmp(&q.distance))?;
        if deepest.distance >= 0.0 {
            return None;
        }
        let point = if sink.is_swapped { deepest.on_b() } else { deepest.on_a() };
        Some(Self {
            contacts,
            normal: sink.world_from_work.vector(normal),
            separation,
            distance: deepest.distance,
            point: point.into(),
            ends: link.ends.map(|p| sink.world_from_work.point(p)),
            is_dropped: false,
        })
    }

    /// Whether another overlap is this one seen along a worse normal: at the same place, deeper, and on a
    /// link behind the line of contact, as the sides of a ridge are and those of a valley are not.
    fn explains(&self, other: &Self, size: f64) -> bool {
        self.normal.distance(other.normal) > POLAR
            && other.separation < self.separation
            && self.point.distance(other.point) <= WIDTH * -other.distance
            && other
                .ends
                .iter()
                .all(|p| self.normal.dot(*p - self.point) <= POLAR * size - self.distance)
    }
}

/// Takes out the contacts of overlaps that others explain.
pub(crate) fn drop_deeper(overlaps: &mut [Overlap], size: f64, start: usize, out: &mut Vec<Contact>) {
    for j in 0..overlaps.len() {
        let is_explained = overlaps.iter().any(|overlap| overlap.explains(&overlaps[j], size));
        overlaps[j].is_dropped = is_explained;
    }
    let mut index = 0;
    out.retain(|_| {
        index += 1;
        let at = index - 1;
        at < start
            || !overlaps.iter().any(|overlap| overlap.is_dropped && overlap.contacts.contains(&at))
    });
}
