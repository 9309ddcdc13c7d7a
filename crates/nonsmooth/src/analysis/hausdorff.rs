//! The Hausdorff distance between filled-in graphs, exact for polylines.
//!
//! ```text
//! d((t, x), (s, y)) = max(|t − s|, ‖x − y‖)
//! e(A, B) = sup over A of the distance to B          h*(A, B) = max(e(A, B), e(B, A))
//! ```
//!
//! [Acary10, eq. (33)–(35)], with the maximum norm for vectors. Along a segment of A the distance to one
//! segment k of B is a convex function d_k, the distance to B their lower envelope. Its largest value need not be
//! at a vertex: the ramp from (0, 0) to (1, ½) has both ends on the step at t = 1 and is 1/3 away from it. Two
//! facts make the search exact and short:
//!
//! - between two places, d_k is nowhere larger than at the larger end;
//! - so a piece with nearest segments k and l at its ends is bounded by the value where d_k and d_l cross, and
//!   if no third segment is nearer there, that value is attained.
//!
//! Otherwise the piece is cut at the crossing, where the third segment is known now. Pieces whose bound does
//! not exceed the largest distance found so far are dropped, plateaus among them.

use super::graph::Graph;
use super::nearest::{Near, Nearest};

/// Vertices of A tried before all others, evenly spread. A large distance found early rules out most segments;
/// without them a distance that grows slowly with t would be searched for at every vertex.
const SCOUTS: usize = 1024;

/// Bounds are compared up to this many units of rounding of the largest coordinate.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Cuts of a piece until two distances cross. The chord finds the crossing of straight parts at once; every
/// other cut is in the middle, so that 2·52 of them shrink [0, 1] to rounding.
const MOST_CUTS: usize = 110;

/// How far one graph is from another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Excess {
    /// e(A, B): the largest distance of a point of A to B [the unit of t and x].
    pub distance: f64,
    /// Time of the point of A where it is attained [s].
    pub at: f64,
    /// Distances to segments and to boxes of segments that were computed.
    pub evaluations: u64,
}

/// h*(A, B), to rounding. NaN if x has not the same number of components in both.
pub fn hausdorff(a: &Graph, b: &Graph) -> f64 {
    let (there, back) = (excess(a, b).distance, excess(b, a).distance);
    if there.is_nan() || back.is_nan() { f64::NAN } else { there.max(back) }
}

/// e(A, B), to rounding. NaN if x has not the same number of components in both.
pub fn excess(a: &Graph, b: &Graph) -> Excess {
    if a.width() != b.width() {
        return Excess { distance: f64::NAN, at: f64::NAN, evaluations: 0 };
    }
    let mut search = Search {
        a,
        nearest: Nearest::new(b),
        point: vec![0.0; a.width() + 1],
        largest: 0.0,
        at: a.vertex(0)[0],
        rounding: ROUNDING * a.size().max(b.size()),
        pieces: Vec::new(),
    };
    search.scout();
    search.sweep();
    Excess { distance: search.largest, at: search.at, evaluations: search.nearest.evaluations }
}

/// A part of a segment of A, s₀ ≤ s ≤ s₁, with the segments of B that are nearest at its ends.
#[derive(Clone, Copy)]
struct Piece {
    s: [f64; 2],
    near: [usize; 2],
}

struct Search<'a> {
    a: &'a Graph,
    nearest: Nearest<'a>,
    /// A point of A.
    point: Vec<f64>,
    /// Largest distance found so far, and its time.
    largest: f64,
    at: f64,
    rounding: f64,
    pieces: Vec<Piece>,
}

impl Search<'_> {
    /// Tries vertices spread over all of A.
    fn scout(&mut self) {
        let n = self.a.n_vertices();
        let mut guess = 0;
        for i in (0..n).step_by(n.div_ceil(SCOUTS)) {
            guess = self.at_vertex(i, guess).segment;
        }
    }

    /// Goes through all segments of A; most are settled by the segment of B that settled the one before.
    fn sweep(&mut self) {
        let mut here = self.at_vertex(0, 0);
        let mut is_nearest = true;
        for i in 0..self.a.n_segments() {
            let (from, to) = self.a.segment(i);
            let there = self.nearest.segment_distance(to, here.segment);
            if self.is_settled(here.distance.max(there)) {
                (here.distance, is_nearest) = (there, false);
                continue;
            }
            let next = self.at_vertex(i + 1, here.segment);
            let back = self.nearest.segment_distance(from, next.segment);
            if !self.is_settled(back) {
                let first = if is_nearest { here } else { self.at_vertex(i, here.segment) };
                self.envelope(i, [first.segment, next.segment]);
            }
            (here, is_nearest) = (next, true);
        }
    }

    /// The largest distance on segment `i`, whose ends are nearest to the segments `near`.
    fn envelope(&mut self, i: usize, near: [usize; 2]) {
        self.pieces.push(Piece { s: [0.0, 1.0], near });
        while let Some(piece) = self.pieces.pop() {
            let Some((s, bound)) = self.crossing(i, piece) else { continue };
            self.place(i, s);
            let middle = self.nearest.find(&self.point, piece.near[0]);
            self.raise(middle.distance, self.point[0]);
            if !self.is_settled(bound) {
                let k = middle.segment;
                self.pieces.push(Piece { s: [piece.s[0], s], near: [piece.near[0], k] });
                self.pieces.push(Piece { s: [s, piece.s[1]], near: [k, piece.near[1]] });
            }
        }
    }

    /// A place where d_k and d_l of a piece cross, and the bound it gives for the whole piece; none if the piece
    /// is settled.
    fn crossing(&mut self, i: usize, piece: Piece) -> Option<(f64, f64)> {
        let Piece { s: [mut lower, mut upper], near } = piece;
        let (first, last) = (self.pair(i, lower, near), self.pair(i, upper, near));
        if self.is_settled(first[1]) || self.is_settled(last[0]) {
            return None;
        }
        // d_k − d_l is ≤ 0 below and ≥ 0 above.
        let (mut below, mut above) = (first[0] - first[1], last[0] - last[1]);
        let mut best = (lower, f64::INFINITY);
        for cut in 0..MOST_CUTS {
            let share = if cut % 2 == 0 { below / (below - above) } else { 0.5 };
            let s = lower + share * (upper - lower);
            let [k, l] = self.pair(i, s, near);
            // Any place gives a bound: left of it d_k holds, right of it d_l.
            best = if k.max(l) < best.1 { (s, k.max(l)) } else { best };
            if self.is_settled(best.1) {
                return None;
            }
            if (k - l).abs() <= 0.25 * self.rounding || upper - lower <= f64::EPSILON {
                break;
            }
            if k < l { (lower, below) = (s, k - l) } else { (upper, above) = (s, k - l) }
        }
        Some(best)
    }

    /// d_k and d_l at place s of segment `i`.
    fn pair(&mut self, i: usize, s: f64, near: [usize; 2]) -> [f64; 2] {
        self.place(i, s);
        near.map(|k| self.nearest.segment_distance(&self.point, k))
    }

    fn place(&mut self, i: usize, s: f64) {
        let (from, to) = self.a.segment(i);
        for (x, (from, to)) in self.point.iter_mut().zip(from.iter().zip(to)) {
            *x = (1.0 - s) * from + s * to;
        }
    }

    fn at_vertex(&mut self, i: usize, guess: usize) -> Near {
        let vertex = self.a.vertex(i);
        let near = self.nearest.find(vertex, guess);
        self.raise(near.distance, vertex[0]);
        near
    }

    fn raise(&mut self, distance: f64, t: f64) {
        if distance > self.largest {
            (self.largest, self.at) = (distance, t);
        }
    }

    fn is_settled(&self, bound: f64) -> bool {
        bound <= self.largest + self.rounding
    }
}
