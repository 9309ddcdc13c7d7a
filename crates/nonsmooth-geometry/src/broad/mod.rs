//! Broad phase: which pairs of bodies are near enough to be looked at.
//!
//! A pair is near if the boxes of its bodies, each enlarged by the body's margin, overlap. The
//! caller lets margins follow velocities. The result is a pure function of its arguments, sorted.
//!
//! Boxes whose longest sides have the same binary exponent are put on one grid, with cells as large
//! as the longest of them, each into the cell of its lowest corner (`grid.rs`). Boxes of one grid
//! that overlap then lie in the same or in adjacent cells, and so do a box and one of a coarser grid
//! that it overlaps, on the coarser grid. A cell's number is (z, y, x) in that order, so that three cells in
//! a row are one stretch of the sorted list. Work and memory are linear in the number of bodies,
//! for each size that occurs.

mod grid;

use grid::{Boxes, Corners, Grid};

/// What a shape occupies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bounds {
    /// A box with sides along the axes.
    Box {
        /// Lowest corner [m].
        low: [f64; 3],
        /// Highest corner [m].
        high: [f64; 3],
    },
    /// All x with normal·x ≤ offset.
    HalfSpace {
        /// Outward unit normal [–].
        normal: [f64; 3],
        /// Distance of the plane from the origin along the normal [m].
        offset: f64,
    },
}

impl Bounds {
    /// Bounds of all that lies in either: for a path, of what starts here and ends there, up to what it bulges between.
    ///
    /// Two half-spaces with different normals have no bounds but all of space.
    pub fn swept(&self, end: &Self) -> Self {
        match (*self, *end) {
            (Self::Box { low, high }, Self::Box { low: l, high: h }) => Self::Box {
                low: std::array::from_fn(|k| low[k].min(l[k])),
                high: std::array::from_fn(|k| high[k].max(h[k])),
            },
            (Self::HalfSpace { normal, offset }, Self::HalfSpace { normal: n, offset: o })
                if normal == n =>
            {
                Self::HalfSpace { normal, offset: offset.max(o) }
            }
            _ => Self::HalfSpace { normal: [0.0; 3], offset: f64::INFINITY },
        }
    }
}

/// Who meets whom: bodies meet if each is a member of a group that the other meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// The groups the body belongs to, one bit each.
    pub member_of: u32,
    /// The groups the body meets, one bit each.
    pub meets: u32,
}

impl Groups {
    /// Member of every group, meets every group.
    pub const ALL: Self = Self { member_of: u32::MAX, meets: u32::MAX };

    /// Whether two bodies meet.
    pub const fn meet(self, other: Self) -> bool {
        self.member_of & other.meets != 0 && other.member_of & self.meets != 0
    }
}

/// On a grid with fewer boxes than this, each is compared with all others instead.
const FEW: usize = 16;

/// Finds near pairs. [`BroadPhase::pairs`] remembers nothing from call to call; the boxes of its last call serve
/// [`BroadPhase::pairs_of`].
#[derive(Debug, Default)]
pub struct BroadPhase {
    n_bodies: usize,
    /// Boxes that replace those of the last call of `pairs`, by body.
    replaced: Vec<(u32, Corners)>,
    boxes: Boxes,
    grids: Vec<Grid>,
    planes: Vec<Plane>,
    found: Vec<(u32, u32)>,
    starts: Vec<u32>,
}

#[derive(Debug)]
struct Plane {
    body: u32,
    normal: [f64; 3],
    /// With the margin.
    offset: f64,
}

impl BroadPhase {
    /// Fills `out` with the near pairs (a, b), a < b, in ascending order, for which `keep(a, b)` holds.
    ///
    /// `margins` [m] enlarge the bounds, one for each body. A body whose bounds are not finite
    /// is near to no other; two half-spaces are never near.
    pub fn pairs(
        &mut self,
        bounds: &[Bounds],
        margins: &[f64],
        keep: impl Fn(u32, u32) -> bool,
        out: &mut Vec<(u32, u32)>,
    ) {
        assert_eq!(bounds.len(), margins.len(), "one margin for each body");
        self.n_bodies = bounds.len();
        self.replaced.clear();
        self.sort_out(bounds, margins);
        self.found.clear();
        let found = &mut self.found;
        let mut push = |a: u32, b: u32| {
            let pair = (a.min(b), a.max(b));
            if keep(pair.0, pair.1) {
                found.push(pair);
            }
        };
        let boxes = &self.boxes;
        for (k, grid) in self.grids.iter().enumerate() {
            if grid.len() < FEW {
                few_with_all(boxes, &self.grids, k, &mut push);
                continue;
            }
            boxes.within(grid, &mut push);
            for coarser in self.grids[k + 1..].iter().filter(|coarser| coarser.len() >= FEW) {
                boxes.between(grid, coarser, &mut push);
            }
        }
        for plane in &self.planes {
            boxes.below(plane.normal, plane.offset, |body| push(plane.body, body));
        }
        self.sort_into(bounds.len(), out);
    }

    /// Gives one body other bounds than in the last call of [`BroadPhase::pairs`], for [`BroadPhase::pairs_of`].
    ///
    /// Cheap for few bodies: each replaced one is compared with every body asked for.
    pub fn replace(&mut self, body: u32, bounds: &Bounds, margin: f64) {
        self.boxes.remove(body, self.n_bodies);
        self.planes.retain(|plane| plane.body != body);
        let place = self.replaced.binary_search_by_key(&body, |(body, _)| *body);
        if let Ok(place) = place {
            self.replaced.remove(place);
        }
        match (*bounds, Corners::of(bounds, margin)) {
            (Bounds::HalfSpace { normal, offset }, _) => {
                self.planes.push(Plane { body, normal, offset: offset + margin });
            }
            (_, Some(corners)) => {
                let place = place.unwrap_or_else(|place| place);
                self.replaced.insert(place, (body, corners));
            }
            _ => {}
        }
    }

    /// Fills `out` with the near pairs (a, b), a < b, in ascending order, of which at least one is among `bodies`, for which
    /// `keep(a, b)` holds. Bounds are those of the last call of [`BroadPhase::pairs`] and of [`BroadPhase::replace`] since.
    pub fn pairs_of(
        &mut self,
        bodies: &[u32],
        keep: impl Fn(u32, u32) -> bool,
        out: &mut Vec<(u32, u32)>,
    ) {
        out.clear();
        for &body in bodies {
            let mut push = |other: u32| {
                let pair = (body.min(other), body.max(other));
                if other != body && keep(pair.0, pair.1) {
                    out.push(pair);
                }
            };
            let replaced = self.replaced.binary_search_by_key(&body, |(body, _)| *body);
            let own = match replaced {
                Ok(place) => Some(self.replaced[place].1),
                Err(_) => self.boxes.corners(body, self.n_bodies),
            };
            if let Some(corners) = own {
                self.grids.iter().for_each(|grid| self.boxes.meeting(grid, &corners, &mut push));
                let others = self.replaced.iter().filter(|(_, other)| corners.overlaps(other));
                others.for_each(|(other, _)| push(*other));
                let planes = self.planes.iter().filter(|p| corners.is_below(p.normal, p.offset));
                planes.for_each(|plane| push(plane.body));
            } else if let Some(plane) = self.planes.iter().find(|plane| plane.body == body) {
                self.boxes.below(plane.normal, plane.offset, &mut push);
                let others =
                    self.replaced.iter().filter(|(_, c)| c.is_below(plane.normal, plane.offset));
                others.for_each(|(other, _)| push(*other));
            }
        }
        out.sort_unstable();
        out.dedup();
    }

    /// Puts every body on its grid, or among the planes.
    fn sort_out(&mut self, bounds: &[Bounds], margins: &[f64]) {
        self.planes.clear();
        for ((bounds, margin), body) in bounds.iter().zip(margins).zip(0..) {
            if let Bounds::HalfSpace { normal, offset } = *bounds {
                self.planes.push(Plane { body, normal, offset: offset + margin });
            }
        }
        self.boxes.arrange(bounds, margins, &mut self.grids);
    }

    /// Counting sort by the first body, then each short list by the second.
    fn sort_into(&mut self, n_bodies: usize, out: &mut Vec<(u32, u32)>) {
        self.starts.clear();
        self.starts.resize(n_bodies + 1, 0);
        for (a, _) in &self.found {
            self.starts[*a as usize + 1] += 1;
        }
        for a in 0..n_bodies {
            self.starts[a + 1] += self.starts[a];
        }
        out.clear();
        out.resize(self.found.len(), (0, 0));
        // Each start moves to the end of its list, which is the next one's start.
        for pair in &self.found {
            let place = &mut self.starts[pair.0 as usize];
            out[*place as usize] = *pair;
            *place += 1;
        }
        let mut first = 0;
        for end in &self.starts[..n_bodies] {
            out[first..*end as usize].sort_unstable_by_key(|pair| pair.1);
            first = *end as usize;
        }
    }
}

/// The boxes of grid k with all boxes of other grids; of other small grids only the later ones.
fn few_with_all(boxes: &Boxes, grids: &[Grid], k: usize, push: &mut impl FnMut(u32, u32)) {
    for i in grids[k].range() {
        for (m, other) in grids.iter().enumerate() {
            let range = match m {
                _ if m == k => i + 1..grids[k].range().end,
                _ if m < k && other.len() < FEW => continue,
                _ => other.range(),
            };
            boxes.one_with(i, range, push);
        }
    }
}
