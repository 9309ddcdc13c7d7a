//! Separating axes for small polyhedral cores: points, segments, triangles and cuboids.
//!
//! The largest sep(n) over the normals of the faces of both and over the cross products of their
//! edges; for two flat cores in one plane also over the normals of their edges in that plane. If the cores overlap it is minus the depth; if they are apart it is their distance only
//! where the closest features are a face and a vertex or two edges, else a lower bound.
//! [Gottschalk96]

use super::core::Core;
use super::pair::{Closest, Pair, ROUND_OFF};
use crate::frame::tangents;
use glam::DVec3;
use smallvec::SmallVec;

/// Edges whose directions differ by less than this angle [rad] are parallel and have no cross product.
const PARALLEL: f64 = 1e-9;

type Axes = SmallVec<[DVec3; 3]>;

/// Whether both cores are small and polyhedral.
pub(crate) fn applies(pair: &Pair<'_>) -> bool {
    let small = |core: &Core<'_>| {
        matches!(core, Core::Point | Core::Segment { .. } | Core::Cuboid { .. } | Core::Triangle(_))
    };
    small(&pair.a) && small(&pair.b)
}

/// The axis of largest separation, faces before edges where they are equal.
pub(crate) fn deepest(pair: &Pair<'_>) -> Closest {
    let (faces_a, edges_a) = axes(&pair.a);
    let (faces_b, edges_b) = axes(&pair.b);
    let turned = |list: Axes| -> Axes { list.iter().map(|n| pair.b_in_a.vector(*n)).collect() };
    let (faces_b, edges_b) = (turned(faces_b), turned(edges_b));
    let mut best = Best { pair, separation: f64::NEG_INFINITY, normal: DVec3::Z };
    for &axis in faces_a.iter().chain(&faces_b) {
        best.offer(axis);
    }
    let crossed = || edges_a.iter().flat_map(|e| edges_b.iter().filter_map(|f| across(*e, *f)));
    crossed().for_each(|axis| best.offer(axis));
    let is_flat = |core: &Core<'_>| !matches!(core, Core::Cuboid { .. });
    if best.separation <= ROUND_OFF * pair.size && is_flat(&pair.a) && is_flat(&pair.b) {
        // In one plane what keeps two flat cores apart lies in that plane, across an edge.
        for n in faces_a.iter().chain(&faces_b).copied().chain(crossed()) {
            let edges = edges_a.iter().chain(&edges_b);
            edges.filter_map(|e| across(n, *e)).for_each(|axis| best.offer(axis));
        }
    }
    if best.separation == f64::NEG_INFINITY {
        best.offer(fallback(pair, edges_a.first().or(edges_b.first())));
    }
    best.witness()
}

/// The direction across two others, unless they are parallel.
fn across(e: DVec3, f: DVec3) -> Option<DVec3> {
    let axis = e.cross(f);
    let sine = axis.length();
    (sine > PARALLEL).then(|| axis / sine)
}

/// Normals of the faces and directions of the edges, both up to sign.
fn axes(core: &Core<'_>) -> (Axes, Axes) {
    match core {
        Core::Segment { .. } => (Axes::new(), Axes::from_slice(&[DVec3::Z])),
        Core::Cuboid { .. } => (Axes::from_buf(DVec3::AXES), Axes::from_buf(DVec3::AXES)),
        Core::Triangle(t) => {
            let [p, q, r] = t.points;
            let edges = [(q - p).normalize(), (r - q).normalize(), (p - r).normalize()];
            (Axes::from_slice(&[t.normal]), Axes::from_buf(edges))
        }
        _ => (Axes::new(), Axes::new()),
    }
}

/// For points and parallel segments: across the segment if there is one, else along the line of centres.
fn fallback(pair: &Pair<'_>, edge: Option<&DVec3>) -> DVec3 {
    let apart = -pair.centre();
    match edge {
        Some(e) => (apart - apart.dot(*e) * *e).try_normalize().unwrap_or_else(|| tangents(*e)[0]),
        None => apart.try_normalize().unwrap_or(DVec3::Z),
    }
}

struct Best<'p, 'a> {
    pair: &'p Pair<'a>,
    separation: f64,
    normal: DVec3,
}

impl Best<'_, '_> {
    /// Tries an axis in both senses.
    fn offer(&mut self, axis: DVec3) {
        let (low_a, high_a) = interval(&self.pair.a, axis);
        let (low_b, high_b) = interval(&self.pair.b, self.pair.b_in_a.inverse_vector(axis));
        let shift = self.pair.b_in_a.translation.dot(axis);
        let (forth, back) = (low_b + shift - high_a, low_a - high_b - shift);
        let (separation, normal) = if forth >= back { (forth, axis) } else { (back, -axis) };
        if separation > self.separation + ROUND_OFF * self.pair.size {
            (self.separation, self.normal) = (separation, normal);
        }
    }

    /// Midway between the two supports: any point will do where the patch gives none.
    fn witness(&self) -> Closest {
        let support = self.pair.support(self.normal);
        let middle = 0.5 * (support.a + support.b);
        let half = 0.5 * self.separation * self.normal;
        Closest {
            normal: self.normal,
            distance: self.separation,
            on_a: middle - half,
            on_b: middle + half,
        }
    }
}

/// The shadow of a core on an axis.
fn interval(core: &Core<'_>, axis: DVec3) -> (f64, f64) {
    let reach = match core {
        Core::Segment { half } => half * axis.z.abs(),
        Core::Cuboid { half } => half.dot(axis.abs()),
        Core::Triangle(t) => {
            let [p, q, r] = t.points.map(|p| p.dot(axis));
            return (p.min(q).min(r), p.max(q).max(r));
        }
        _ => 0.0,
    };
    (-reach, reach)
}
