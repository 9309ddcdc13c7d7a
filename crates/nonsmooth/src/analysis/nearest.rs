//! The nearest segment of a graph: a binary tree of boxes over runs of consecutive segments.
//!
//! In the maximum metric the distance to a box is attained by a vertex inside it wherever the box is closer
//! in time than in x, so that whole plateaus are ruled out by one box; the cost per search grows like log n.

use super::graph::Graph;
use super::segment::distance;

/// Segments per leaf. Sines and noise of 10⁶ nodes take the least time with 4; with 2 and 16 up to a third
/// more.
const LEAF: usize = 4;

/// A segment of a graph and how far it is.
#[derive(Clone, Copy)]
pub(super) struct Near {
    pub segment: usize,
    pub distance: f64,
}

/// A graph made ready for searches.
pub(super) struct Nearest<'a> {
    graph: &'a Graph,
    /// Lower corner, then upper corner, of every box; children of box i are 2i and 2i + 1, the root is 1.
    boxes: Vec<f64>,
    n_leaves: usize,
    /// Boxes still to be visited, with their distances.
    stack: Vec<(usize, f64)>,
    /// Distances to segments and boxes computed so far.
    pub evaluations: u64,
}

impl<'a> Nearest<'a> {
    pub(super) fn new(graph: &'a Graph) -> Self {
        let m = graph.width() + 1;
        let n_leaves = graph.n_segments().div_ceil(LEAF).next_power_of_two();
        // Leaves beyond the last segment are empty: infinitely far from everything.
        let empty = [vec![f64::INFINITY; m], vec![f64::NEG_INFINITY; m]].concat();
        let mut boxes = empty.repeat(2 * n_leaves);
        for i in 0..graph.n_segments() {
            let leaf = (n_leaves + i / LEAF) * 2 * m;
            let (lower, upper) = boxes[leaf..leaf + 2 * m].split_at_mut(m);
            for vertex in [graph.vertex(i), graph.vertex(i + 1)] {
                enclose(vertex, vertex, lower, upper);
            }
        }
        for i in (1..n_leaves).rev() {
            let (parents, children) = boxes.split_at_mut(2 * i * 2 * m);
            let (lower, upper) = parents[i * 2 * m..(i + 1) * 2 * m].split_at_mut(m);
            for child in children[..4 * m].chunks(2 * m) {
                enclose(&child[..m], &child[m..], lower, upper);
            }
        }
        Self { graph, boxes, n_leaves, stack: Vec::new(), evaluations: 0 }
    }

    /// Distance of `point` to one segment.
    #[inline]
    pub(super) fn segment_distance(&mut self, point: &[f64], segment: usize) -> f64 {
        self.evaluations += 1;
        let (from, to) = self.graph.segment(segment);
        distance(point, from, to)
    }

    /// The segment nearest to `point`. The search begins at `guess` and widens from subtree to subtree, until
    /// all that is left is further away in time alone.
    pub(super) fn find(&mut self, point: &[f64], guess: usize) -> Near {
        let mut near = Near { segment: guess, distance: self.segment_distance(point, guess) };
        let mut known = self.n_leaves + guess / LEAF;
        self.visit(point, guess / LEAF, &mut near);
        while known > 1 && self.beyond(point, known) < near.distance {
            self.descend(point, known ^ 1, &mut near);
            known /= 2;
        }
        near
    }

    /// A lower bound on the distance of `point` to what comes before and after box `i`.
    fn beyond(&self, point: &[f64], i: usize) -> f64 {
        let m = point.len();
        (point[0] - self.boxes[i * 2 * m]).min(self.boxes[i * 2 * m + m] - point[0])
    }

    /// Looks for nearer segments in box `i`.
    fn descend(&mut self, point: &[f64], i: usize, near: &mut Near) {
        let bound = self.box_distance(point, i);
        self.stack.push((i, bound));
        while let Some((i, bound)) = self.stack.pop() {
            if bound >= near.distance {
                continue;
            }
            if i >= self.n_leaves {
                self.visit(point, i - self.n_leaves, near);
                continue;
            }
            let [a, b] = [2 * i, 2 * i + 1].map(|child| (child, self.box_distance(point, child)));
            // The nearer one is visited first: it lies on top.
            let (first, last) = if a.1 <= b.1 { (a, b) } else { (b, a) };
            self.stack.push(last);
            self.stack.push(first);
        }
    }

    fn visit(&mut self, point: &[f64], leaf: usize, near: &mut Near) {
        for segment in leaf * LEAF..((leaf + 1) * LEAF).min(self.graph.n_segments()) {
            let distance = self.segment_distance(point, segment);
            if distance < near.distance {
                *near = Near { segment, distance };
            }
        }
    }

    #[inline]
    fn box_distance(&mut self, point: &[f64], i: usize) -> f64 {
        self.evaluations += 1;
        let m = point.len();
        let (lower, upper) = self.boxes[i * 2 * m..(i + 1) * 2 * m].split_at(m);
        let mut distance = 0.0f64;
        for ((x, lower), upper) in point.iter().zip(lower).zip(upper) {
            distance = distance.max(lower - x).max(x - upper);
        }
        distance
    }
}

/// Widens the box [lower, upper] so that it holds the box [from, to].
fn enclose(from: &[f64], to: &[f64], lower: &mut [f64], upper: &mut [f64]) {
    for k in 0..from.len() {
        lower[k] = lower[k].min(from[k]);
        upper[k] = upper[k].max(to[k]);
    }
}
