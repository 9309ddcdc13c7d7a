//! The distance of two disjoint convex cores [Gilbert88], with the sub-distances by signed volumes
//! [Montanari17].
//!
//! A simplex of points y of A − B closes in on the origin; v is its point of least norm. The next
//! point is the support along n, and the search ends when sep(n) reaches ‖v‖, which squeezes the
//! distance from both sides. Where the simplex is a triangle, n is its normal and not −v/‖v‖: so the
//! normal keeps full accuracy at gaps as small as round-off.

use super::pair::{Closest, Pair, ROUND_OFF, Support};
use glam::DVec3;

/// More steps than any pair has needed in the tests: 9 for polyhedral cores, 59 for curved ones.
const MOST_STEPS: usize = 96;
/// Part of ‖v‖ within which the two bounds count as met: round-off of the products in sep(n).
const RELATIVE: f64 = 4.0 * f64::EPSILON;

/// Part of the product of its edges below which a tetrahedron has no inside: that of a plate of 1 m and 1 µm is 1e-6, noise is 1e-16.
const FLAT: f64 = 1e-13;

/// Up to four points of A − B.
#[derive(Clone, Copy, Default)]
pub(crate) struct Simplex {
    pub points: [Support; 4],
    weights: [f64; 4],
    pub len: usize,
}

/// How the search ended.
pub(crate) enum Outcome {
    /// Farther apart than asked for.
    Far,
    /// Disjoint.
    Apart(Closest),
    /// The origin lies in A − B or on its boundary within round-off.
    Meeting,
}

/// The closest points of two cores if their distance is at most `limit`; `simplex` is where the
/// search ended.
pub(crate) fn closest(pair: &Pair<'_>, limit: f64, simplex: &mut Simplex) -> Outcome {
    let start = (-pair.centre()).try_normalize().unwrap_or(DVec3::Z);
    *simplex = Simplex::default();
    simplex.push(pair.support(start));
    let mut v = simplex.reduce();
    for _ in 0..MOST_STEPS {
        let upper = v.length();
        if simplex.len == 4 || upper <= ROUND_OFF * pair.size {
            return Outcome::Meeting;
        }
        let n = simplex.direction(v);
        let next = pair.support(n);
        let lower = -next.y.dot(n);
        if lower > limit {
            return Outcome::Far;
        }
        let met = upper - lower <= RELATIVE * upper + f64::EPSILON * pair.size;
        if met || simplex.has(&next) {
            return simplex.outcome(n, lower);
        }
        let kept = *simplex;
        simplex.push(next);
        v = simplex.reduce();
        // No progress: round-off is all that is left between the bounds.
        if v.length() >= upper {
            return kept.outcome(n, lower);
        }
    }
    let n = simplex.direction(v);
    simplex.outcome(n, pair.separation(n))
}

impl Simplex {
    fn push(&mut self, point: Support) {
        self.points[self.len] = point;
        self.len += 1;
    }

    fn has(&self, point: &Support) -> bool {
        self.points[..self.len].iter().any(|known| known.is_same(point))
    }

    fn y(&self, k: usize) -> DVec3 {
        self.points[k].y
    }

    /// From the simplex towards the origin.
    fn direction(&self, v: DVec3) -> DVec3 {
        if self.len == 3 {
            let normal = (self.y(1) - self.y(0)).cross(self.y(2) - self.y(0)).normalize_or_zero();
            return normal * -normal.dot(v).signum();
        }
        -v.normalize_or_zero()
    }

    /// Where the search has ended: apart only if the last direction separates.
    fn outcome(&self, normal: DVec3, separation: f64) -> Outcome {
        if separation > 0.0 {
            Outcome::Apart(self.witness(normal, separation))
        } else {
            Outcome::Meeting
        }
    }

    fn witness(&self, normal: DVec3, distance: f64) -> Closest {
        let (mut on_a, mut on_b) = (DVec3::ZERO, DVec3::ZERO);
        for k in 0..self.len {
            on_a += self.weights[k] * self.points[k].a;
            on_b += self.weights[k] * self.points[k].b;
        }
        Closest { normal, distance, on_a, on_b }
    }

    /// Keeps the face of the simplex that carries its point of least norm, and gives that point.
    fn reduce(&mut self) -> DVec3 {
        let mut best = Face { norm: f64::INFINITY, ..Face::default() };
        match self.len {
            1 => best.offer(&[0], [1.0, 0.0, 0.0, 0.0], self.y(0)),
            2 => self.segment([0, 1], &mut best),
            3 => self.triangle([0, 1, 2], &mut best),
            _ => self.tetrahedron(&mut best),
        }
        let points = self.points;
        for (slot, &k) in best.corners[..best.len].iter().enumerate() {
            self.points[slot] = points[k];
            self.weights[slot] = best.weights[slot];
        }
        self.len = best.len;
        best.point
    }

    fn segment(&self, [i, j]: [usize; 2], best: &mut Face) {
        let (p, q) = (self.y(i), self.y(j));
        let along = q - p;
        let length_squared = along.length_squared();
        let t = if length_squared > 0.0 { -p.dot(along) / length_squared } else { 0.0 };
        if t <= 0.0 {
            best.offer(&[i], [1.0, 0.0, 0.0, 0.0], p);
        } else if t >= 1.0 {
            best.offer(&[j], [1.0, 0.0, 0.0, 0.0], q);
        } else {
            best.offer(&[i, j], [1.0 - t, t, 0.0, 0.0], p + t * along);
        }
    }

    fn triangle(&self, [i, j, k]: [usize; 3], best: &mut Face) {
        let (p, q, r) = (self.y(i), self.y(j), self.y(k));
        let normal = (q - p).cross(r - p);
        let area_squared = normal.length_squared();
        // Areas of the triangles that the origin's projection makes with the sides.
        let areas = [normal.dot(q.cross(r)), normal.dot(r.cross(p)), normal.dot(p.cross(q))];
        if area_squared > 0.0 && areas.iter().all(|area| *area > 0.0) {
            let sum = areas[0] + areas[1] + areas[2];
            let [a, b, c] = areas.map(|area| area / sum);
            best.offer(&[i, j, k], [a, b, c, 0.0], normal * (p.dot(normal) / area_squared));
            return;
        }
        for (area, side) in areas.into_iter().zip([[j, k], [k, i], [i, j]]) {
            if !(area > 0.0) {
                self.segment(side, best);
            }
        }
    }

    fn tetrahedron(&self, best: &mut Face) {
        let volume = |[i, j, k]: [usize; 3]| self.y(i).dot(self.y(j).cross(self.y(k)));
        let whole = (self.y(1) - self.y(0)).dot((self.y(2) - self.y(0)).cross(self.y(3) - self.y(0)));
        // Volumes that the origin makes with the faces, of the same sign as the whole if it is inside.
        let faces = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
        let edges = [1, 2, 3].map(|k| self.y(k).distance(self.y(0)));
        if whole.abs() <= FLAT * edges.iter().product::<f64>() {
            // The signs of its volumes are noise: of two capsules that lie on a floor the origin seemed to be inside.
            faces.into_iter().for_each(|face| self.triangle(face, best));
            return;
        }
        let parts = faces.map(|face| volume(face) * whole.signum());
        if parts.iter().all(|part| *part > 0.0) {
            let sum: f64 = parts.iter().sum();
            best.offer(&[0, 1, 2, 3], parts.map(|part| part / sum), DVec3::ZERO);
            return;
        }
        for (part, face) in parts.into_iter().zip(faces) {
            if !(part > 0.0) {
                self.triangle(face, best);
            }
        }
    }
}

/// The face of a simplex that is nearest to the origin so far.
#[derive(Default)]
struct Face {
    corners: [usize; 4],
    weights: [f64; 4],
    len: usize,
    point: DVec3,
    norm: f64,
}

impl Face {
    fn offer(&mut self, corners: &[usize], weights: [f64; 4], point: DVec3) {
        let norm = point.length_squared();
        if norm < self.norm || self.len == 0 {
            self.corners[..corners.len()].copy_from_slice(corners);
            *self = Face { corners: self.corners, weights, len: corners.len(), point, norm };
        }
    }
}
