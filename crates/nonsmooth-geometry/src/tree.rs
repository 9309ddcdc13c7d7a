//! A tree of boxes: which of many small boxes meet a given one.
//!
//! Built once, by halves along the longest side of the box around the middles. A node's first child
//! follows it; `skip` is where the search goes on if its box is not met.

use glam::DVec3;

/// Boxes under one leaf.
const LEAF: usize = 4;

/// Lowest and highest corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Extent {
    pub low: DVec3,
    pub high: DVec3,
}

impl Extent {
    const EMPTY: Self = Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };

    /// Around points.
    pub fn around(points: impl IntoIterator<Item = DVec3>) -> Self {
        let grown = |e: Self, p: DVec3| Self { low: e.low.min(p), high: e.high.max(p) };
        points.into_iter().fold(Self::EMPTY, grown)
    }

    fn joined(self, other: &Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    fn middle(&self) -> DVec3 {
        0.5 * (self.low + self.high)
    }

    fn meets(&self, other: &Self) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }
}

#[derive(Clone, Debug)]
struct Node {
    extent: Extent,
    skip: u32,
    /// Its stretch of `order`, if it is a leaf.
    leaf: Option<(u32, u32)>,
}

/// Boxes by number.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    order: Vec<u32>,
    extents: Vec<Extent>,
}

impl Tree {
    /// The tree over these boxes.
    pub fn new(extents: Vec<Extent>) -> Self {
        let order = (0..extents.len() as u32).collect();
        let mut tree = Self { nodes: Vec::new(), order, extents };
        tree.build(0, tree.order.len());
        tree
    }

    fn build(&mut self, first: usize, end: usize) {
        let Self { nodes, order, extents } = self;
        let at = nodes.len();
        let part = &mut order[first..end];
        let of = |i: &u32| &extents[*i as usize];
        let extent = part.iter().map(of).fold(Extent::EMPTY, |sum, e| sum.joined(e));
        let is_leaf = part.len() <= LEAF;
        let leaf = is_leaf.then_some((first as u32, end as u32));
        if !is_leaf {
            let middles = Extent::around(part.iter().map(|i| of(i).middle()));
            let side = middles.high - middles.low;
            let axis =
                if side.x >= side.y && side.x >= side.z { 0 } else { 1 + usize::from(side.z > side.y) };
            let key = |i: &u32| of(i).middle()[axis];
            part.select_nth_unstable_by((end - first) / 2, |i, j| {
                key(i).total_cmp(&key(j)).then(i.cmp(j))
            });
        }
        nodes.push(Node { extent, skip: 0, leaf });
        if !is_leaf {
            let middle = first + (end - first) / 2;
            self.build(first, middle);
            self.build(middle, end);
        }
        self.nodes[at].skip = self.nodes.len() as u32;
    }

    /// Box around all.
    pub fn extent(&self) -> Extent {
        self.nodes[0].extent
    }

    /// Calls `visit` for every box that meets the given one.
    pub fn meeting(&self, place: &Extent, mut visit: impl FnMut(u32)) {
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            if !node.extent.meets(place) {
                at = node.skip as usize;
                continue;
            }
            if let Some((first, end)) = node.leaf {
                let stretch = &self.order[first as usize..end as usize];
                stretch
                    .iter()
                    .filter(|i| self.extents[**i as usize].meets(place))
                    .for_each(|i| visit(*i));
            }
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers in [0, 1) that look random.
    fn numbers() -> impl FnMut() -> f64 {
        let mut x = 7_u64;
        move || {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (x >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    #[test]
    fn the_tree_finds_what_comparing_all_finds() {
        let mut number = numbers();
        let mut vector = |size: f64| DVec3::new(size * number(), size * number(), size * number());
        for n in [1, 4, 5, 100, 3000] {
            let mut boxed = |size: f64| {
                let low = vector(10.0);
                Extent { low, high: low + vector(size) }
            };
            let mut extents: Vec<Extent> = (0..n).map(|_| boxed(0.5)).collect();
            // The same box many times cannot be halved by its middle.
            extents.extend(vec![extents[0]; 20]);
            let tree = Tree::new(extents.clone());
            for _ in 0..50 {
                let place = boxed(3.0);
                let mut found = Vec::new();
                tree.meeting(&place, |i| found.push(i));
                found.sort_unstable();
                let all = (0..extents.len() as u32).filter(|i| extents[*i as usize].meets(&place));
                assert_eq!(found, all.collect::<Vec<_>>());
            }
        }
    }
}
