//! Two convex cores, seen from the frame of the first, and their signed distance.
//!
//! With h(n) = max over the difference A − B of x·n, the separation along a unit vector n is
//! sep(n) = min_B b·n − max_A a·n = −h(n), and the signed distance is
//!
//! ```text
//! d = max over unit n of sep(n):   the distance if d > 0, minus the depth if d < 0.
//! ```
//!
//! Every sep(n) is a lower bound of d, whatever round-off does to n. The maximum is searched by
//! separating axes where the cores are small (`sat.rs`), by GJK outside (`gjk.rs`) and by EPA inside
//! (`epa.rs`) otherwise, and then polished to full accuracy (`polish.rs`).

use super::core::{Core, SMOOTH};
use super::polish::polish;
use super::{epa, gjk, sat};
use crate::pose::Isometry;
use glam::DVec3;

/// Two cores in the frame of the first.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    pub a: Core<'a>,
    pub b: Core<'a>,
    pub b_in_a: Isometry,
    /// A length of the smaller of the two, against which round-off is judged [m].
    pub size: f64,
}

/// A point of the difference A − B and where it comes from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Support {
    /// a − b.
    pub y: DVec3,
    pub a: DVec3,
    pub b: DVec3,
    pub names: (u32, u32),
}

/// Where two cores are closest or deepest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closest {
    /// From a to b, unit.
    pub normal: DVec3,
    /// Signed distance [m].
    pub distance: f64,
    pub on_a: DVec3,
    pub on_b: DVec3,
}

impl Pair<'_> {
    /// The point of A − B farthest along n.
    #[inline]
    pub fn support(&self, n: DVec3) -> Support {
        let (a, name_a) = self.a.support(n);
        let (b, name_b) = self.b.support(self.b_in_a.inverse_vector(-n));
        let b = self.b_in_a.point(b);
        Support { y: a - b, a, b, names: (name_a, name_b) }
    }

    /// sep(n).
    #[inline]
    pub fn separation(&self, n: DVec3) -> f64 {
        -self.support(n).y.dot(n)
    }

    /// Whether the support points have names to compare.
    pub fn is_polyhedral(&self) -> bool {
        !self.a.is_curved() && !self.b.is_curved()
    }

    /// A point inside A − B.
    pub fn centre(&self) -> DVec3 {
        self.a.centre() - self.b_in_a.point(self.b.centre())
    }

    /// The closest points, or None if the cores are farther apart than `limit`.
    pub fn closest(&self, limit: f64) -> Option<Closest> {
        if sat::applies(self) {
            let best = sat::deepest(self);
            if best.distance <= 0.0 || best.distance > limit {
                return (best.distance <= limit).then_some(best);
            }
        }
        self.closest_by_iteration(limit)
    }

    /// The same without separating axes.
    pub fn closest_by_iteration(&self, limit: f64) -> Option<Closest> {
        let mut simplex = gjk::Simplex::default();
        let found = match gjk::closest(self, limit, &mut simplex) {
            gjk::Outcome::Far => return None,
            gjk::Outcome::Apart(closest) => closest,
            gjk::Outcome::Meeting if sat::applies(self) => return Some(sat::deepest(self)),
            gjk::Outcome::Meeting => epa::deepest(self, &simplex),
        };
        let polished = polish(self, found);
        (polished.distance <= limit).then_some(polished)
    }
}

/// Part of the size below which two separations are the same.
pub(crate) const ROUND_OFF: f64 = 1e-14;

impl Support {
    /// Whether this is a vertex pair the simplex or polytope already has.
    pub fn is_same(&self, other: &Self) -> bool {
        let named = self.names.0 != SMOOTH && self.names.1 != SMOOTH;
        if named { self.names == other.names } else { self.y == other.y }
    }
}
