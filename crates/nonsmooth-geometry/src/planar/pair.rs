//! Two convex cores in the frame of the first: their signed distance and their contact patch.
//!
//! As in space the signed distance is d = max over unit n of sep(n), sep(n) = min_B b·n − max_A a·n. If
//! the cores overlap, the maximum is at the normal of an edge. If they are apart and the shadows of
//! the facing outlines along that normal meet, it is the distance too; else two vertices are closest.

use super::contact::Sink;
use super::core::{Core, Outline};
use crate::feature::Feature;
use glam::DVec2;

/// Part of the size within which separations are equal, so that the first is taken.
const TIE: f64 = 1e-14;
/// Part of the size within which corners coincide across the normal.
const INSIDE: f64 = 1e-12;
/// Part of the size by which a separation may miss the least distance of the patch.
const DEEPER: f64 = 1e-12;

/// Two cores; the points of b are already in the frame of a.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    pub a: Core<'a>,
    pub b: Core<'a>,
    /// A length of the smaller of the two [m].
    pub size: f64,
}

impl Pair<'_> {
    /// sep(n).
    pub fn separation(&self, n: DVec2) -> f64 {
        let far = self.a.points[self.a.support(n)];
        let near = self.b.points[self.b.support(-n)];
        (near - far).dot(n)
    }

    /// The edge normal of largest separation, those of a before those of b; none for two points.
    fn best_edge(&self) -> Option<(DVec2, f64)> {
        let own = self.a.normals.iter().copied();
        let other = self.b.normals.iter().map(|n| -*n);
        own.chain(other)
            .map(|n| (n, self.separation(n)))
            .reduce(|best, next| if next.1 > best.1 + TIE * self.size { next } else { best })
    }

    /// The direction between the two closest vertices.
    fn closest_vertices(&self) -> (DVec2, f64) {
        let all = self.a.points.iter().flat_map(|p| self.b.points.iter().map(move |q| *q - *p));
        let least =
            all.min_by(|p, q| p.length_squared().total_cmp(&q.length_squared())).unwrap_or_default();
        let length = least.length();
        (if length > 0.0 { least / length } else { DVec2::Y }, length)
    }

    /// The normal of closest approach and the signed distance.
    pub fn closest(&self) -> (DVec2, f64) {
        match self.best_edge() {
            Some((n, separation)) if separation <= 0.0 => (n, separation),
            Some((n, separation)) => {
                let least = self.patch(n, &mut |_, _, _, _| {});
                if self.certifies(least, separation) { (n, separation) } else { self.closest_vertices() }
            }
            None => self.closest_vertices(),
        }
    }

    /// Whether the least distance of a patch shows that a separation is the distance.
    pub fn certifies(&self, least: f64, separation: f64) -> bool {
        least <= separation + DEEPER * self.size
    }

    /// Appends the contacts of the cores.
    pub fn contacts(&self, sink: &mut Sink<'_>) {
        let (n, distance) = self.closest();
        if distance > sink.limit() {
            return;
        }
        let least = self.patch(n, &mut |on_a, d, features, _| sink.push(on_a, n, d, features));
        if !self.certifies(least, distance) {
            let on_a = self.b.points[self.b.support(-n)] - distance * n;
            sink.push(on_a, n, distance, (self.a.outline(n).feature, self.b.outline(-n).feature));
        }
    }

    /// Calls `push(on_a, distance, features, is_real)` for the one or two ends of the stretch that the
    /// outlines facing along n share; the least distance of the cores there.
    pub fn patch(&self, n: DVec2, push: &mut dyn FnMut(DVec2, f64, (Feature, Feature), bool)) -> f64 {
        let t = n.perp();
        let tolerance = INSIDE * self.size;
        let a = Shadow::new(&self.a, self.a.outline(n), t);
        let b = Shadow::new(&self.b, self.b.outline(-n), t);
        let (from, to) = (a.low.at.max(b.low.at), a.high.at.min(b.high.at));
        if from > to + tolerance {
            return f64::INFINITY;
        }
        let mut least = f64::INFINITY;
        let mut end = |x: f64| {
            let (at_a, at_b) = (a.corner_at(x, tolerance), b.corner_at(x, tolerance));
            let features = (
                at_a.map_or(a.outline.feature, |k| self.a.vertex(k)),
                at_b.map_or(b.outline.feature, |k| self.b.vertex(k)),
            );
            let is_real =
                at_a.is_some_and(|k| self.a.is_real(k)) || at_b.is_some_and(|k| self.b.is_real(k));
            let on_a = a.point_over(&self.a, x);
            let distance = (b.point_over(&self.b, x) - on_a).dot(n);
            least = least.min(distance);
            push(on_a, distance, features, is_real);
        };
        end(from);
        if to - from > tolerance {
            end(to);
        }
        least
    }
}

/// A corner and where its shadow falls.
struct End {
    at: f64,
    corner: usize,
}

/// An outline's shadow along the normal, on the tangent t.
struct Shadow {
    outline: Outline,
    low: End,
    high: End,
}

impl Shadow {
    fn new(core: &Core<'_>, outline: Outline, t: DVec2) -> Self {
        let end = |corner: usize| End { at: core.points[corner].dot(t), corner };
        let (p, q) = (end(outline.corners.0), end(outline.corners.1));
        let (low, high) = if p.at <= q.at { (p, q) } else { (q, p) };
        Self { outline, low, high }
    }

    /// The corner whose shadow falls on x.
    fn corner_at(&self, x: f64, tolerance: f64) -> Option<usize> {
        let ends = [&self.low, &self.high];
        ends.into_iter().find(|end| (end.at - x).abs() <= tolerance).map(|end| end.corner)
    }

    /// The point of the outline whose shadow falls on x.
    fn point_over(&self, core: &Core<'_>, x: f64) -> DVec2 {
        let (p, q) = (core.points[self.low.corner], core.points[self.high.corner]);
        let length = self.high.at - self.low.at;
        if length > 0.0 { p.lerp(q, ((x - self.low.at) / length).clamp(0.0, 1.0)) } else { p }
    }
}
